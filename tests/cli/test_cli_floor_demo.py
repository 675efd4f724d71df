"""``demo --tables N``: what it is asked, and what it says in the end."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from controller.cli import floor_demo, main
from controller.cli.parsing import DOES_NOT_HOLD, OK
from controller.demo_floor import FloorPlan, FloorResult

TABLE = {"hands": 3, "voided": 1, "irregularities": 2, "chips_conserved": True}


class Played:
    """Tables that have played already; ``sound``: their cards are all there."""

    sound = True
    plans: list[FloorPlan] = []  # noqa: RUF012 - emptied by each test
    http = "http://127.0.0.1:1"

    def __init__(self, plan: FloorPlan) -> None:
        self.plans.append(plan)
        table = SimpleNamespace(table="T1", people=False)
        self.demos = [SimpleNamespace(plan=table, http="http://127.0.0.1:2")]
        self.stopped = False

    def stop_dealing(self) -> None:
        raise AssertionError("nobody asked for that")

    async def start(self) -> None:
        assert not self.stopped

    async def play(self) -> list[Any]:
        return []

    async def stop(self) -> None:
        self.stopped = True

    def result(self, _: list[Any]) -> FloorResult:
        assert self.stopped, "a journal is read when its table has stopped"
        told = {**TABLE, "cards_conserved": self.sound}
        one = SimpleNamespace(ok=self.sound, as_json=lambda: told, **told)
        return FloorResult({"T1": one, "T2": one}, 1.5)  # type: ignore[dict-item]


@pytest.fixture(autouse=True)
def _played(monkeypatch: pytest.MonkeyPatch) -> None:
    Played.plans.clear()
    monkeypatch.setattr(floor_demo, "FloorDemo", Played)


def test_tables_are_told_with_their_sums(capsys: pytest.CaptureFixture[str]) -> None:
    """As lines with every address, or as one JSON object; games in turn and a slip now and then, unless others are asked for."""
    assert main(["demo", "--tables", "2", "--hands", "3"]) == OK
    told = capsys.readouterr().out
    assert "floor  http://127.0.0.1:1/\nT1     http://127.0.0.1:2/" in told
    assert "6 hands at 2 tables in 1.5 s, 2 voided, 4 irregularities; chips and cards all accounted for" in told
    assert main(["demo", "--tables", "2", "--variant", "razz", "--faults", "none", "--json"]) == OK
    found = json.loads(capsys.readouterr().out)
    assert (found["hands"], found["cards_conserved"], list(found["tables"])) == (6, True, ["T1", "T2"])
    first, second = Played.plans
    assert (first.tables, first.variants, first.plan.faults, first.plan.hands) == (2, ("stud", "stud8", "razz"), "slips", 3)
    assert (second.variants, second.plan.faults) == (("razz",), "none")


def test_a_card_that_is_missing_at_one_table_is_exit_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever table it is."""
    monkeypatch.setattr(Played, "sound", False)
    assert main(["demo", "--tables", "2"]) == DOES_NOT_HOLD
    assert "chips and cards NOT all accounted for" in capsys.readouterr().out
