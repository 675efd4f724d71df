"""The page of rules is made from the sources, and no rule is without a place that decides it and a test that proves it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

SCRIPT: Final = Path(__file__).parents[2] / "docs/rules_reference.py"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The generator, loaded from its script."""
    spec = importlib.util.spec_from_file_location("rules_reference", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current(reference: ModuleType) -> None:
    """``docs/rules_reference.py`` was run after the last change."""
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page()


def test_every_rule_is_decided_somewhere_and_proved(reference: ModuleType) -> None:
    """A rule without a function or ruling that decides it, or without a test, is told by its id."""
    assert reference.gaps() == {}


def test_no_id_is_unknown(reference: ModuleType) -> None:
    """Sources and tests cite rules of the data alone."""
    assert reference.unknown_ids() == []


def test_ids_are_found_in_ranges(reference: ModuleType) -> None:
    """``R-A-01 to R-A-03`` is three rules."""
    found = reference.ids_in("by R-MIS-01 to R-MIS-03, R-BET-08 and R-POT-09")
    assert [rule for rule, _ in found] == ["R-MIS-01", "R-MIS-02", "R-MIS-03", "R-BET-08", "R-POT-09"]


def test_there_are_131_rules(reference: ModuleType) -> None:
    """None is lost when the data is edited, and each has one line."""
    rules = reference.rules()
    assert len(rules) == 131
    assert len({rule.id for rule in rules}) == 131
    assert all(rule.line.endswith(".") and len(rule.line) <= 130 for rule in rules)
