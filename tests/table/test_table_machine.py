"""A disk that is slow or fills up, and a clock that is set: what the table does about each (recovery §4, REG-36)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from support.table_story import TableStory
from test_table_loop import Rig

from controller.hand.cards import DECK
from controller.hand.commands import Refusal
from controller.simulate.clock import SteppingClock
from controller.table.events import Suspended
from controller.table.inputs import Resume, StartHand
from controller.table.loop import TICK_S
from controller.table.machine import CALM_S, HAND_BYTES, MachineWatch, pace_of, room_for
from controller.table.machine_events import ClockStepped, DiskNoted, DiskPace, DiskRoom
from controller.table.state import TableStatus
from simulators.virtual_time import run_virtual

ENOUGH = DiskRoom.ENOUGH


def in_hand() -> TableStory:
    """A hand whose first card is dealt: the gate is open for the next."""
    told = TableStory({1: 100, 2: 100}, seed=12).start()
    told.deal_one()
    assert told.state.gate.is_open
    return told


@pytest.mark.parametrize(
    ("seconds", "pace"),
    [
        (0.0, "fast"),
        (0.05, "fast"),
        (0.051, "slow"),
        (1.0, "slow"),
        (1.01, "late"),
        (5.0, "late"),
        (5.01, "stuck"),
        (30, "stuck"),
    ],
)
def test_a_commit_is_called_by_its_time(seconds: float, pace: str) -> None:
    """More than 50 ms is an alarm, more than 1 s stops cards, more than 5 s the hand."""
    assert pace_of(seconds).value == pace


@pytest.mark.parametrize(("hands", "room"), [(0, "gone"), (49, "gone"), (50, "short"), (499, "short"), (500, "enough")])
def test_room_is_called_by_the_hands_that_it_holds(hands: int, room: str) -> None:
    """Under 500 hands no new one, under 50 none goes on."""
    assert room_for(hands * HAND_BYTES + 1).value == room


def test_an_alarm_changes_nothing_at_the_table() -> None:
    """A slow commit is recorded once; the gate stays open and cards are dealt."""
    told = in_hand()
    for _ in range(2):
        told.tell(DiskNoted(DiskPace.SLOW, ENOUGH))
    assert told.happened(DiskNoted) == [DiskNoted(DiskPace.SLOW, ENOUGH)]
    assert told.state.gate.is_open
    told.play_on()


def test_a_late_disk_closes_the_gate_until_it_keeps_up() -> None:
    """No new card; the hand holds with a reason, and goes on by itself."""
    told = in_hand()
    told.tell(DiskNoted(DiskPace.LATE, ENOUGH))
    assert told.hand.hold is not None
    assert told.hand.hold.code == "disk_late"
    assert not told.state.gate.is_open
    assert told.state.status is TableStatus.LIVE
    told.tell(DiskNoted(DiskPace.FAST, ENOUGH))
    assert told.hand.hold is None
    assert told.state.gate.is_open
    told.play_on()


@pytest.mark.parametrize("noted", [DiskNoted(DiskPace.STUCK, ENOUGH), DiskNoted(DiskPace.FAST, DiskRoom.GONE)])
def test_a_stuck_or_full_disk_suspends_the_hand(noted: DiskNoted) -> None:
    """A person has it go on, when the disk keeps up and has room again."""
    told = in_hand()
    told.tell(noted)
    assert told.state.status is TableStatus.SUSPENDED
    assert [event.cause for event in told.happened(Suspended)] == ["disk"]
    assert not told.state.gate.is_open
    told.tell(DiskNoted(DiskPace.FAST, ENOUGH))
    assert told.state.status is TableStatus.SUSPENDED
    assert told.order(Resume()) is None
    told.play_on()


@pytest.mark.parametrize("room", [DiskRoom.SHORT, DiskRoom.GONE])
def test_a_disk_without_room_starts_no_hand(room: DiskRoom) -> None:
    """It could fill up in the middle; with room again hands are started."""
    told = in_hand().play_on()
    told.load()
    told.tell(DiskNoted(DiskPace.FAST, room))
    refusal = told.order(StartHand())
    assert isinstance(refusal, Refusal)
    assert refusal.code == "disk_is_short"
    told.tell(DiskNoted(DiskPace.FAST, ENOUGH))
    assert told.order(StartHand()) is None


def test_short_room_lets_the_hand_end() -> None:
    """Under 500 hands the one that is played is played to its end."""
    told = in_hand()
    told.tell(DiskNoted(DiskPace.FAST, DiskRoom.SHORT))
    told.play_on()


def test_a_step_of_the_clock_is_recorded_and_decides_nothing() -> None:
    """The state is the same but for its number."""
    told = in_hand()
    before = told.state
    told.tell(ClockStepped(-3600))
    assert told.state == before._replace(seq=before.seq + 1)


def virtual(story: object) -> None:
    async def run() -> None:
        await story()  # type: ignore[operator]

    run_virtual(run(), max_seconds=600)


def test_ticks_find_a_clock_that_was_set() -> None:
    """Forward and back, by an hour and by two seconds; what slews it stays unseen."""

    async def story() -> None:
        clock = SteppingClock(datetime(2026, 1, 1, tzinfo=UTC))
        watch = MachineWatch(clock)
        assert watch.stepped() is None
        for seconds, told in ((3600, 3600), (0, None), (-7200, -7200), (0.4, None), (0.4, None), (2, 2)):
            clock.step(seconds)
            await asyncio.sleep(TICK_S)
            assert watch.stepped() == (None if told is None else ClockStepped(told))

    virtual(story)


def test_a_disk_is_called_faster_after_a_calm_time() -> None:
    """At once slower, and not faster for each fast commit in between."""

    async def story() -> None:
        clock = SteppingClock(datetime(2026, 1, 1, tzinfo=UTC))
        watch = MachineWatch(clock)

        async def commit(seconds: float) -> DiskPace:
            began = clock.monotonic()
            await asyncio.sleep(seconds)
            watch.took(began)
            return watch.disk().pace

        assert [await commit(seconds) for seconds in (0.01, 0.2, 2, 0.01, 0.2, 6, 0.01)] == [
            DiskPace.FAST,
            DiskPace.SLOW,
            *(DiskPace.LATE,) * 3,
            *(DiskPace.STUCK,) * 2,
        ]
        await asyncio.sleep(CALM_S)
        assert await commit(0.2) is DiskPace.SLOW
        await asyncio.sleep(CALM_S)
        assert watch.disk().pace is DiskPace.FAST

    virtual(story)


def test_while_a_commit_is_waited_for_the_shoe_hears_nothing() -> None:
    """The loop goes on, and gives no sign of life: a table whose disk hangs must look dead to its shoe. Afterwards the hand is
    suspended, and when the disk keeps up the record says so."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            rig.diary.delay_s = 6.0
            await rig.drawn(DECK[0], 1)
            await asyncio.sleep(0.5)
            lives, began = len(rig.diary.of("life")), asyncio.get_running_loop().time()
            await asyncio.sleep(5.0)
            assert len(rig.diary.of("life")) == lives
            assert asyncio.get_running_loop().time() - began < 5.1
            rig.diary.delay_s = 0.0
            await asyncio.sleep(3.0)
            assert rig.table.state.status is TableStatus.SUSPENDED
            assert rig.table.state.disk.pace is DiskPace.STUCK
            await asyncio.sleep(CALM_S)
            assert rig.table.state.disk.pace is DiskPace.FAST
            assert len(rig.diary.of("life")) > lives

    virtual(story)


def test_a_gate_is_ordered_closed_by_a_late_commit() -> None:
    """The order goes to the shoe as soon as the late commit is durable and the next tick has come."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            assert rig.table.state.gate.is_open
            rig.diary.delay_s = 1.5
            await rig.drawn(DECK[0], 1)
            await asyncio.sleep(1.0)
            rig.diary.delay_s = 0.0
            await asyncio.sleep(2.0)
            assert rig.diary.of("gate")[-1][1][1] is False
            assert not rig.table.state.gate.is_open

    virtual(story)
