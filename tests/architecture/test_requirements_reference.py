"""The page of requirements names tests that are there, and is current."""

from __future__ import annotations

import json
import runpy
from typing import Any

import pytest
from support.outcomes import Outcomes
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


def test_a_row_has_passed_when_all_of_its_tests_ran_and_passed() -> None:
    """A case that failed, a test that did not run, a case that was skipped, and a row without tests are told apart."""
    result = SCRIPT["result"]
    names = ["a/test_x.py::test_one", "a/test_x.py::test_two"]
    ran = {"tests/a/test_x.py::test_one[1]": "passed", "tests/a/test_x.py::test_one[2]": "passed"}
    two = "tests/a/test_x.py::test_two"
    assert result(names, {**ran, two: "passed"}) == "passed"
    assert result(names, ran) == "not run whole"
    assert result(names, {**ran, two: "skipped"}) == "not run whole"
    assert result(names, {**ran, two: "passed", "tests/a/test_x.py::test_one[2]": "failed"}) == "failed"
    assert result([], ran) == "open"


def test_a_run_is_noted_with_its_commit_and_shown_with_it(pytester: pytest.Pytester) -> None:
    """Passed, failed and broken tests; the page names date and commit."""
    pytester.makepyfile(
        test_x="import pytest\ndef test_good(): pass\ndef test_bad(): assert 0\n"
        "@pytest.fixture\ndef gone(): assert 0\ndef test_broken(gone): pass\n"
    )
    file = pytester.path / "run.json"
    pytester.inline_run("-p", "no:cacheprovider", "-p", "no:asyncio", plugins=[Outcomes(file, ROOT)])
    run = json.loads(file.read_text(encoding="utf-8"))
    assert run["tests"] == {"test_x.py::test_good": "passed", "test_x.py::test_bad": "failed", "test_x.py::test_broken": "error"}
    shown = SCRIPT["page"](run)
    assert run["at"] in shown
    assert run["commit"] in shown
    assert "| not run whole |" in shown
