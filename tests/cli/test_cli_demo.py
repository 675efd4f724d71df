"""``demo``: its options. What it does is seen in the end-to-end tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.table_runs import one_sentence

from controller.cli import demo, main
from controller.demo import DemoPlan


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[DemoPlan]:
    """The plans of demos that are not played."""
    found: list[DemoPlan] = []

    async def play(plan: DemoPlan, *, as_json: bool) -> int:
        assert plan.folder.is_dir() or as_json
        found.append(plan)
        return 0

    monkeypatch.setattr(demo, "_play_demo", play)
    return found


def test_a_demo_as_it_is_called(plans: list[DemoPlan]) -> None:
    """Real time, stud, no faults, its own broker, until Ctrl-C, in a folder that is gone afterwards."""
    assert main(["demo"]) == 0
    plan = plans[0]
    assert (plan.hands, plan.seed, plan.variant, plan.fast, plan.faults, plan.broker) == (0, 1, "stud", False, "none", None)
    assert not plan.folder.exists()


def test_every_option_of_a_demo(plans: list[DemoPlan], tmp_path: Path) -> None:
    """All of them reach the plan."""
    options = ["--hands", "7", "--seed", "3", "--variant", "razz", "--speed", "fast", "--faults", "heavy", "--json"]
    assert main(["demo", *options, "--broker", "mqtt://127.0.0.1:1234", "--data", str(tmp_path)]) == 0
    assert plans == [DemoPlan(tmp_path.resolve(), 7, 3, "razz", True, "heavy", ("127.0.0.1", 1234))]


@pytest.mark.parametrize("arguments", [["watch", "--broker", "x"], ["watch", "--venue", "a/b"], ["demo", "--broker", "x"]])
def test_addresses_and_names_that_cannot_be(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, one sentence."""
    assert main(arguments) == 2
    assert one_sentence(capsys.readouterr().err)


def test_a_demo_of_no_hands_is_refused(plans: list[DemoPlan], capsys: pytest.CaptureFixture[str]) -> None:
    """It played until Ctrl-C instead, which is the option left out."""
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--hands", "0"])
    assert (ended.value.code, plans) == (2, [])
    said = capsys.readouterr().err
    assert "'0' is no whole number from 1 on: give 1 or more, or leave the option out to play on until Ctrl-C" in said
    assert said.count("\n") == 1
