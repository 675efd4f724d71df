"""Directed scenarios of recovery §14: one thing goes wrong at one moment, and the hand is as if it had not."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from controller.hand.events import HandEvent
from controller.hand.state import Phase
from controller.simulate.disk import Moment
from controller.simulate.faults import Level
from controller.simulate.run import RESTART_S, Plan, Result, Simulation
from controller.table.loop import Record
from controller.table.state import TableState

PLAN: Final = Plan(11, hands=1, variant="stud", level=Level.NONE)


class Directed(Simulation):
    """A run in which something happens when a commit, or a press, comes for which it waits."""

    def __init__(
        self,
        folder: Path,
        *,
        when: Callable[[TableState], bool] = lambda _: False,
        at_press: str = "",
        then: Callable[[Simulation], None] = lambda _: None,
    ) -> None:
        super().__init__(PLAN, folder)
        self._when, self._at_press, self._then = when, at_press, then
        self.happened = False
        self.rehearsal.watchers.append(self._look_at)

    def _look_at(self, state: TableState, _: Sequence[Record]) -> None:
        if not self.happened and self._when(state):
            self.happened = True
            self._then(self)

    async def _submit(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if not self.happened and body["command"]["type"] == self._at_press:
            self.happened = True
            self._then(self)
        return await super()._submit(body)

    def hands(self) -> tuple[Result, list[tuple[HandEvent, ...]]]:
        """How it ended, and the events of the hands that were played."""
        return self.play(), self.watch.auditor.outcome.hands


@functools.lru_cache(1)
def sound() -> list[tuple[HandEvent, ...]]:
    """The same hand without anything."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        result, hands = Directed(Path(folder)).hands()
    assert result.ok
    return hands


def dealing(street: int, dealt: int) -> Callable[[TableState], bool]:
    """So many cards of a street are dealt."""
    return lambda state: (
        state.hand is not None and (state.hand.phase, state.hand.street) == (Phase.DEALING, street) and state.hand.dealt >= dealt
    )


def later(seconds: float, call: Callable[[], object]) -> None:
    """Call it after so many virtual seconds."""
    asyncio.get_running_loop().call_later(seconds, call)


def as_without(run: Directed, *, crashes: int) -> None:
    """The run came to its end, met what it should, and its hand is the sound one."""
    result, hands = run.hands()
    assert (result.failure, result.stuck) == (None, None)
    assert run.happened
    assert result.crashes >= crashes
    assert hands == sound()


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
