"""A clock that nothing keeps: what the table records, who is told of it, and that nothing is decided by it (0031, REG-36)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from support.houses import House
from support.table_story import TableStory

from controller.displays.adapter import DisplayAdapter
from controller.failures import failures
from controller.rehearsal import Play
from controller.simulate.clock import SteppingClock
from controller.table.events import ControllerStarted
from controller.table.faults import Fault, faults
from controller.table.loop import TICK_S
from controller.table.machine import LOOK_S, IsSynchronised, MachineWatch
from controller.table.machine_events import ClockNoted, ClockTrust
from simulators.virtual_time import run_virtual

AT = datetime(2026, 1, 1, tzinfo=UTC)
TRUSTED, UNTRUSTED, UNKNOWN = (ClockNoted(trust) for trust in (ClockTrust.TRUSTED, ClockTrust.UNTRUSTED, ClockTrust.UNKNOWN))


def virtual(story: object) -> None:
    async def run() -> None:
        await story()  # type: ignore[operator]

    run_virtual(run(), max_seconds=1_000)


def test_a_clock_that_nothing_keeps_is_on_record_and_decides_nothing() -> None:
    """Once, however often it is told; beside word and alarm the state is the same, and the hand is played on."""
    told = TableStory({1: 100, 2: 100}, seed=12).start()
    told.deal_one()
    before, adapter = told.state, DisplayAdapter("T1", 1)
    for _ in range(2):
        told.tell(UNTRUSTED)
    assert told.happened(ClockNoted) == [UNTRUSTED]
    assert told.state._replace(wall_clock=UNKNOWN, alarms=()) == before._replace(seq=before.seq + 1)
    assert faults(told.state) == (Fault("clock_untrusted", 3),)
    assert told.state.gate.is_open
    assert adapter.draft(told.state, (), AT).clock_trusted is False
    for later, trusted in ((TRUSTED, True), (UNTRUSTED, False), (UNKNOWN, None)):
        told.tell(later)
        assert adapter.draft(told.state, (), AT).clock_trusted is trusted
        assert bool(told.state.alarms) is (later is UNTRUSTED)
    told.tell(UNTRUSTED)
    told.play_on()


def test_the_machine_is_asked_once_a_minute_and_when_its_clock_was_set() -> None:
    """Not with each tick; and never where nobody looks."""

    async def story() -> None:
        clock, asked = SteppingClock(AT), 0

        def ask() -> bool:
            nonlocal asked
            asked += 1
            return asked > 2

        state, watch = TableStory({1: 100}).state, MachineWatch(clock, ask)
        assert list(watch.changes(state)) == [UNTRUSTED]
        for _ in range(int(LOOK_S / TICK_S)):
            assert asked == 1
            await asyncio.sleep(TICK_S)
            assert UNTRUSTED in watch.changes(state)
        assert asked == 2
        clock.step(-60)
        await asyncio.sleep(TICK_S)
        assert TRUSTED in watch.changes(state)
        assert list(MachineWatch(clock).changes(state)) == []

    virtual(story)


class Kernel:
    """Says of each look in turn what it is given, the last for good."""

    def __init__(self, *says: bool | None) -> None:
        self._says = list(says)

    def __call__(self) -> bool | None:
        return self._says.pop(0) if len(self._says) > 1 else self._says[0]


def test_each_record_is_of_the_last_word_on_the_clock(tmp_path: Path) -> None:
    """The word stands right behind the first record of a start and wherever it changes; a start that finds what stood says
    nothing, and one that does not look takes the word back. ``failures`` names first and last record without being sure."""

    async def story() -> None:
        house = House(tmp_path, Play(seats={}), seed=1, wiring={})

        async def lived(kernel: IsSynchronised | None, seconds: float = 1.0) -> Iterator[object]:
            house.records.clear()
            house.is_synchronised = kernel
            await house.start()
            await asyncio.sleep(seconds)
            await house.kill()
            return (record.event for record in house.records)

        try:
            assert not [one for one in await lived(None) if isinstance(one, ClockNoted)]
            events = list(await lived(Kernel(False, False, True, False), 4 * LOOK_S))
            assert (ControllerStarted, ClockNoted) == (type(events[0]), type(events[1]))
            assert [one for one in events if isinstance(one, ClockNoted)] == [UNTRUSTED, TRUSTED, UNTRUSTED]
            assert not [one for one in await lived(Kernel(False)) if isinstance(one, ClockNoted)]
            assert [one for one in await lived(Kernel(None)) if isinstance(one, ClockNoted)] == [UNKNOWN]
            await lived(Kernel(False))
            assert [one for one in await lived(None) if isinstance(one, ClockNoted)] == [UNKNOWN]
        finally:
            await house.close()
        found = [one for one in failures(tmp_path / f"start{house.starts}")[0] if one.code == "clock_untrusted"]
        assert len(found) == 3
        assert all(one.began_seq < one.ended_seq for one in found)
        assert all(one.ended_seq < other.began_seq for one, other in pairwise(found))

    virtual(story)
