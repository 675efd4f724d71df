"""Directed scenarios of recovery §14: one thing goes wrong at one moment, and the hand is as if it had not."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.directed import Directed, as_without, dealing, later

from controller.simulate.disk import Moment
from controller.simulate.run import RESTART_S, Simulation


@pytest.mark.parametrize("after_s", [0.4, *(pytest.param(after_s, marks=pytest.mark.long) for after_s in (0.01, 0.1, 1.0))])
def test_kept_in_the_shoe_only(after_s: float, tmp_path: Path) -> None:
    """Scenario 1: a card is not acknowledged when the controller ends, and again while it starts: the card is dealt once."""

    def then(run: Simulation) -> None:
        run.disk.fail_at(Moment.BEFORE)
        later(RESTART_S + 1.0, lambda: later(after_s, run.kill))

    as_without(Directed(tmp_path, when=dealing(3, 3), then=then), crashes=2)


@pytest.mark.parametrize(
    "moment",
    [Moment.WITHIN, *(pytest.param(moment, marks=pytest.mark.long) for moment in (Moment.BEFORE, Moment.AFTER))],
)
def test_award_torn(moment: Moment, tmp_path: Path) -> None:
    """Scenario 18: the current fails around and within the commit of the award: all of it or none, and it is given once."""
    run = Directed(tmp_path, at_press="award_pots", then=lambda run: run.disk.fail_at(moment))
    as_without(run, crashes=1)


@pytest.mark.parametrize(
    "name", ["press-twice", *(pytest.param(name, marks=pytest.mark.long) for name in ("press-two-keys", "press-stale"))]
)
def test_double_fold(name: str, tmp_path: Path) -> None:
    """Scenario 20: every press of a hand twice under one key, under two keys 80 ms apart, or for a decision that has passed."""

    def then(run: Simulation) -> None:
        run.console.armed[name] = 1_000

    as_without(Directed(tmp_path, when=lambda state: state.hand_open, then=then), crashes=0)


@pytest.mark.long
def test_disk_full_on_third_street(tmp_path: Path) -> None:
    """Scenario 23: no space after two cards, and space again a minute later: not acknowledged, gate closed, the hand goes on."""

    def then(run: Simulation) -> None:
        run.disk.is_full = True
        later(5.0, lambda: gates.append(run.rehearsal.devices.shoe.is_gate_open))
        later(60.0, lambda: setattr(run.disk, "is_full", False))

    gates: list[bool] = []
    as_without(Directed(tmp_path, when=dealing(3, 2), then=then), crashes=10)
    assert gates == [False]


@pytest.mark.long
def test_power_gone_with_the_shoe(tmp_path: Path) -> None:
    """Scenario 2: table and shoe lose their current at once, and come back in this order: a person confirms, nothing is lost."""

    def then(run: Simulation) -> None:
        shoe = run.rehearsal.devices.shoe
        run.kill()
        shoe.stop()
        later(4.0, shoe.start)

    as_without(Directed(tmp_path, when=dealing(4, 1), then=then), crashes=1)


def test_a_second_controller_on_the_topics(tmp_path: Path) -> None:
    """Scenarios 11 and 12, at the broker: a larger epoch on the status silences this one, which ends and starts above it."""

    def then(run: Simulation) -> None:
        from controller.simulate.strike import Striker

        Striker(run).take_over()

    run = Directed(tmp_path, when=dealing(3, 4), then=then)
    as_without(run, crashes=1)
    assert run.watch.epoch == 2


@pytest.mark.long
def test_the_clock_is_set_while_a_hand_is_played(tmp_path: Path) -> None:
    """A day back and an hour forward decide nothing (invariant 25)."""

    def then(run: Simulation) -> None:
        run.clock.step(-86_400.0)
        later(3.0, lambda: run.clock.step(3_600.0))

    as_without(Directed(tmp_path, when=dealing(3, 1), then=then), crashes=0)
