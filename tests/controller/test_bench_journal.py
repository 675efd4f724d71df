"""Figures of the journal and their form; never a time."""

from __future__ import annotations

import json

import pytest

from controller.bench import journal
from controller.bench.journal import measure_journal
from controller.cli import main


def test_the_journal_stands_beside_plain_sqlite() -> None:
    """Median and 99 % of one append, the rate of many waiters beside one by one, and that of a check beside reading."""
    figures = measure_journal(appends=5, waiters=2, rounds=2, hands=1)
    assert [taken["unit"] for taken in figures] == ["us", "us", "1/s", "1/s"]
    assert all(taken["value"] > 0 and taken["yardstick"] > 0 for taken in figures)


def test_the_command_prints_a_list_of_objects_or_a_line_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With ``--json`` one JSON array on standard output, one object a figure."""
    monkeypatch.setattr(journal.measure_journal, "__kwdefaults__", {"appends": 5, "waiters": 2, "rounds": 2, "hands": 1})
    assert main(["bench", "journal", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [sorted(taken) for taken in printed] == [["name", "ratio", "unit", "value", "yardstick"]] * 4
    assert main(["bench", "journal"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
