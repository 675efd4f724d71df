"""``bench``: which figures are taken, and how they are told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from controller.bench import DEFAULT, FIGURES, BenchError, FloorLoad
from controller.cli import bench, main

FIGURE = {"name": "hand", "value": 1234.5, "unit": "hands/s", "yardstick": 100.0, "ratio": 12.345}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The figures that were asked for; none is taken."""
    found: list[tuple[str, ...]] = []

    def run(figures: Sequence[str], load: FloorLoad) -> list[dict[str, Any]]:
        found.append(tuple(figures))
        return [dict(FIGURE)]

    monkeypatch.setattr(bench, "run_figures", run)
    return found


def test_all_figures_or_those_named(asked: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name all are taken but the floor, which wants both cores for itself."""
    assert main(["bench"]) == 0
    assert main(["bench", "hand", "journal"]) == 0
    assert asked == [DEFAULT, ("hand", "journal")]
    assert set(FIGURES) - set(DEFAULT) == {"floor"}
    assert "hand: 1234 hands/s" in capsys.readouterr().out


def test_figures_as_json(asked: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    """One line with an object for each figure and the published keys."""
    assert main(["bench", "hand", "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out)[0].keys() >= {"name", "value", "unit", "yardstick", "ratio"}
    assert asked == [("hand",)]


def test_what_cannot_be_measured_here_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2: a yardstick is not installed, a broker is missing."""

    def run(figures: Sequence[str], load: FloorLoad) -> list[dict[str, Any]]:
        raise BenchError("pokerkit is not installed")

    monkeypatch.setattr(bench, "run_figures", run)
    assert main(["bench", "hand"]) == 2
    assert capsys.readouterr().err == "stud-table: pokerkit is not installed\n"
    with pytest.raises(SystemExit):
        main(["bench", "speed"])
