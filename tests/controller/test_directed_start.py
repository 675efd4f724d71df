"""Directed scenarios of recovery §14 at a start: a journal that lost its end, a copy of it, a controller that was paused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.directed import Directed, as_without, betting, dealing, later
from support.second import Second

from controller.app import FencedError
from controller.hand.events import CardDealt
from controller.journal.errors import JournalDamaged
from controller.mqtt.ports import Handler
from controller.simulate.run import Simulation
from controller.simulate.strike import Striker
from controller.table.events import (
    CardRead,
    ControllerStarted,
    DeviceLink,
    FeltReady,
    GateOrdered,
    Resumed,
    ShoeAdopted,
    ShoeHalted,
    ShoeNoted,
    Suspended,
)

DEALT = dealing(3, 5)
HARMLESS = {Suspended, DeviceLink, GateOrdered, ShoeHalted, CardRead, ShoeNoted}
"""What one may write that another one has taken over from: for itself, before it hears of that."""


class Cut(Directed):
    """The controller ends when ``now`` says so, after ``when``, and its journal loses the last commit."""

    def __init__(self, folder: Path, now: Callable[[Cut], bool], *, witness: bool = False) -> None:
        self.has_witness = witness  # type: ignore[misc]
        super().__init__(folder, when=DEALT, then=lambda run: self.wait(now))
        self.is_cut = False
        self.errors: list[BaseException] = []

    def wait(self, now: Callable[[Cut], bool]) -> None:
        if not now(self):
            later(0.005, lambda: self.wait(now))
            return
        self.kill()
        self.is_cut = self.disk.lose_tail(1)

    async def _serve(self, handler: Handler) -> None:
        """The broker is reached when a start has written its records already."""
        await asyncio.sleep(0.5)
        await super()._serve(handler)

    def _stopped_by_itself(self, error: BaseException) -> None:
        self.errors.append(error)
        super()._stopped_by_itself(error)


def last_is_card(run: Cut) -> bool:
    return isinstance(run.told[-1][1], CardRead)


def test_the_witness_alone_notices_a_tail_that_is_lost(tmp_path: Path) -> None:
    """Scenario 10: chain and integrity check are fine; the file on the other medium saw one commit more."""
    run = Cut(tmp_path, lambda _: True, witness=True)
    as_without(run, crashes=2)
    assert run.is_cut
    assert [type(error) for error in run.errors] == [JournalDamaged]


def test_the_broker_alone_notices_a_tail_that_is_lost(tmp_path: Path) -> None:
    """Scenario 10: what is retained of the last controller tells of a record that a start writes over at once."""

    def heard(run: Cut) -> bool:
        newest = max(json.loads(payload)["seq"] for payload in run.broker.retained.values())
        return newest == run.watch.state.seq and not last_is_card(run)

    run = Cut(tmp_path, heard)
    as_without(run, crashes=2)
    assert run.is_cut
    first, *more = run.errors
    assert isinstance(first, FencedError)
    assert "that are not here" in str(first)
    assert all("the shoe obeys another" in str(error) for error in more), "the shoe has honoured the start that was stopped"


def test_the_shoe_alone_notices_a_tail_that_is_lost(tmp_path: Path) -> None:
    """Scenario 10: the shoe was told that a card is safe which the journal does not hold."""
    halted: list[ShoeHalted] = []

    def acknowledged(run: Cut) -> bool:
        if not last_is_card(run) or run.rehearsal.devices.shoe.acked[1] < run.watch.state.shoe.accepted_seq:
            return False
        run.broker.restart()
        return True

    run = Cut(tmp_path, acknowledged)
    run.rehearsal.watchers.append(lambda _, records: halted.extend(e for r in records if isinstance(e := r.event, ShoeHalted)))
    as_without(run, crashes=2)
    assert run.is_cut
    assert [event.code for event in halted] == ["tail_lost"]


PAUSES = (1.0, 2.6, 40.0)


@pytest.mark.parametrize("seconds", PAUSES)
@pytest.mark.parametrize("moment", ["dealing", "betting"])
def test_a_controller_that_was_paused(moment: str, seconds: float, tmp_path: Path) -> None:
    """SIGSTOP in the middle of a hand: up to two seconds nobody notices; after more the table begins anew with devices and felt,
    the gate is ordered closed, and play goes on when a person has confirmed the picture (recovery §4)."""

    def then(run: Simulation) -> None:
        run.pause()
        later(seconds, run.resume)

    run = Directed(tmp_path, when=DEALT if moment == "dealing" else betting(4), then=then)
    as_without(run, crashes=0)
    causes = [event.cause for event in run.told_of(Suspended)]
    assert causes == ([] if seconds < 2.0 else ["paused"])
    if causes:
        (at,) = [at for at, event in run.told if isinstance(event, Suspended)]
        later_on = [type(event) for when, event in run.told if when >= at]
        for kind in (ShoeAdopted, FeltReady, Resumed):
            assert kind in later_on
        before = later_on[: later_on.index(Resumed)]
        assert CardDealt not in before
        assert not any(isinstance(event, GateOrdered) and event.is_open for _, event in run.told if at <= _ < at + 1.0)


def test_a_spare_takes_over_from_one_that_sleeps(tmp_path: Path) -> None:
    """Scenario 12: SIGSTOP for 40 s, a person starts the spare on the journal's copy, SIGCONT: the old one finds itself fenced at
    the shoe or by the status, ends, and nothing of it reaches broker or gate."""
    (tmp_path / "first").mkdir()
    ended: list[BaseException] = []

    class Watched(Directed):
        def _stopped_by_itself(self, error: BaseException) -> None:
            ended.append(error)
            super()._stopped_by_itself(error)

    def then(run: Simulation) -> None:
        run.pause()
        later(10.0, take_over)
        later(40.0, run.resume)

    def take_over() -> None:
        spare.copy()
        spare.start(takes_over=True)

    run = Watched(tmp_path / "first", when=DEALT, then=then)
    spare = Second(run, tmp_path / "spare")
    as_without(run, crashes=1)
    assert [type(error) for error in ended] == [FencedError]
    assert {type(record.event) for record in run.old} <= HARMLESS
    assert run.watch.epoch == 2


@pytest.mark.parametrize("fence", ["shoe", "broker"])
def test_a_clone_while_the_first_one_runs(fence: str, tmp_path: Path) -> None:
    """Scenario 11: a copy of the journal, restored on a spare while the first controller runs, with the same start counter: the
    clone is fenced and ends, the first plays on, and the status does not stay at ``lost``."""
    (tmp_path / "first").mkdir()
    ended: list[BaseException | None] = []
    status: dict[str, object] = {}

    def then(run: Simulation) -> None:
        run.kill()
        clone.copy()
        later(4.0, lambda: clone.start(takes_over=False, broker=fence == "broker", readers=False))
        later(9.0, look)

    def look() -> None:
        ended.append(clone.task.exception() if clone.task is not None and clone.task.done() else None)
        status.update(json.loads(run.broker.retained[run.topics.status]))

    run = Directed(tmp_path / "first", when=DEALT, then=then)
    clone = Second(run, tmp_path / "clone")
    as_without(run, crashes=1)
    (error,) = ended
    assert isinstance(error, FencedError)
    assert ("the shoe obeys another" in str(error)) == (fence == "shoe")
    assert {type(record.event) for record in clone.records} <= HARMLESS | {ControllerStarted}
    assert clone.app is not None
    assert clone.app.journal.epoch == run.watch.epoch == 2
    assert (status["status"], status["epoch"]) == ("live", 2)


def test_a_larger_epoch_that_came_during_a_pause_is_heard_first(tmp_path: Path) -> None:
    """Scenario 12 at the broker: the connection lived on, and another controller has said its epoch meanwhile: nothing of the one
    that wakes is published before it has listened."""

    def then(run: Simulation) -> None:
        run.pause()
        later(5.0, Striker(run).take_over)
        later(10.0, run.resume)

    run = Directed(tmp_path, when=DEALT, then=then)
    as_without(run, crashes=1)
    assert run.watch.epoch == 2
