"""The page of requirements names tests that are there, and is current."""

from __future__ import annotations

import runpy
from typing import Any

from support.table_runs import ROOT

SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / "docs/requirements_reference.py"))


def test_every_test_that_proves_a_requirement_is_there() -> None:
    """A test that is renamed or removed takes its row's proof with it."""
    data = SCRIPT["read"]()
    assert SCRIPT["missing"](data["tests"], data["lines"]) == []
    assert list(data["lines"]) == [f"REG-{number:02}" for number in range(1, 51)]


def test_the_page_is_current() -> None:
    """``docs/requirements_reference.py`` makes it."""
    assert SCRIPT["PAGE"].read_text(encoding="utf-8") == SCRIPT["page"]()


def test_a_test_that_is_not_there_is_named() -> None:
    """A wrong file, a wrong name, a wrong row."""
    wrong = {
        "REG-04": ["controller/test_app.py::test_nothing"],
        "REG-05": ["controller/test_gone.py::test_x"],
        "REG-99": ["controller/test_restore.py::test_a_table_goes_on_from_its_last_copy"],
    }
    assert SCRIPT["missing"](wrong, {"REG-04": "", "REG-05": ""}) == [
        "REG-99: no such row",
        "REG-04: there is no test controller/test_app.py::test_nothing",
        "REG-05: there is no test controller/test_gone.py::test_x",
    ]
