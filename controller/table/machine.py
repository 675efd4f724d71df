"""The machine under the table: how fast its disk is, what it holds, what is known of its clock; what follows (recovery §4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from controller.hand.commands import Refusal
from controller.histogram import Histogram
from controller.table.events import Suspended
from controller.table.machine_events import ClockNoted, ClockStepped, ClockTrust, DiskNoted, DiskPace, DiskRoom, MachineEvent
from controller.table.pace import COMMIT_BOUNDS
from controller.table.state import TableState, TableStatus
from controller.table.story import Story
from drivers.clock import Clock

IsSynchronised: TypeAlias = Callable[[], bool | None]
"""Asked, must answer at once: does something keep the machine's wall clock? ``None``: nothing tells."""

SLOW_S: Final = 0.05
LATE_S: Final = 1.0
STUCK_S: Final = 5.0
"""Longest time of a commit that is fast, slow, late; above it the disk is stuck."""
CALM_S: Final = 10.0
"""How long every commit must be faster before the disk is called faster."""
STEP_S: Final = 1.0
"""Smallest step of the wall clock between two ticks that is recorded; what slews a clock stays far below."""
LOOK_S: Final = 60.0
"""How often the machine is asked whether its clock is kept: the kernel gives it up hours after the last correction."""
HAND_BYTES: Final = 100_000
"""Room that a hand takes: about 65 kB of records at six seats, and the log before it is emptied."""
SHORT_HANDS: Final = 500
GONE_HANDS: Final = 50

_ORDER: Final = tuple(DiskPace)
_TRUST: Final = {True: ClockTrust.TRUSTED, False: ClockTrust.UNTRUSTED, None: ClockTrust.UNKNOWN}


def room_for(free: int) -> DiskRoom:
    """How ``free`` bytes of the journal's disk are called."""
    hands = free // HAND_BYTES
    return DiskRoom.ENOUGH if hands >= SHORT_HANDS else DiskRoom.SHORT if hands >= GONE_HANDS else DiskRoom.GONE


def pace_of(seconds: float) -> DiskPace:
    """How a commit that took ``seconds`` is called."""
    if seconds <= SLOW_S:
        return DiskPace.FAST
    return DiskPace.SLOW if seconds <= LATE_S else DiskPace.LATE if seconds <= STUCK_S else DiskPace.STUCK


class MachineWatch:
    """What commits and ticks tell of disk and clock. Times are monotonic seconds. ``is_synchronised`` is asked for the wall
    clock; without it nobody looks, and nothing is known of it."""

    def __init__(self, clock: Clock, is_synchronised: IsSynchronised | None = None) -> None:
        self._clock = clock
        self._is_synchronised = is_synchronised
        self._trust = ClockTrust.UNKNOWN
        self._look_at = -math.inf
        self._pace = DiskPace.FAST
        self._until = 0.0
        self._ahead: float | None = None
        self.room = DiskRoom.ENOUGH
        """Set by whoever looks at the disk."""
        self.free_bytes: int | None = None
        """The same exactly; ``None`` while nobody has looked."""
        self.commits = Histogram(COMMIT_BOUNDS)
        """Seconds of each commit since the start."""

    def look(self, free_bytes: int) -> None:
        """What the journal's disk still holds."""
        self.free_bytes, self.room = free_bytes, room_for(free_bytes)

    def took(self, began: float) -> None:
        """A commit that ``began`` then is durable."""
        now = self._clock.monotonic()
        self.commits.add(now - began)
        pace = pace_of(now - began)
        if _ORDER.index(pace) >= _ORDER.index(self._pace) or now >= self._until:
            self._pace, self._until = pace, now + CALM_S

    def disk(self) -> DiskNoted:
        """How the disk is now; calm enough, it is fast again."""
        if self._clock.monotonic() >= self._until:
            self._pace = DiskPace.FAST
        return DiskNoted(self._pace, self.room)

    def stepped(self) -> ClockStepped | None:
        """How far the wall clock was set since this was asked last, if it was."""
        before, self._ahead = self._ahead, self._clock.wall().timestamp() - self._clock.monotonic()
        step = 0.0 if before is None else self._ahead - before
        if abs(step) < STEP_S:
            return None
        self._look_at = -math.inf  # who set it may keep it from now on
        return ClockStepped(round(step))

    def wall_clock(self) -> ClockNoted:
        """Whether the wall clock is kept, as the machine said when it was asked last: a minute ago at most."""
        now = self._clock.monotonic()
        if self._is_synchronised is not None and now >= self._look_at:
            self._trust, self._look_at = _TRUST[self._is_synchronised()], now + LOOK_S
        return ClockNoted(self._trust)

    def changes(self, state: TableState) -> Iterator[MachineEvent]:
        """What is otherwise now than ``state`` has it."""
        disk, step, clock = self.disk(), self.stepped(), self.wall_clock()
        if disk != state.disk:
            yield disk
        if step is not None:
            yield step
        if clock != state.wall_clock:
            yield clock


def note(story: Story, given: MachineEvent) -> None:
    """Record what is new, and suspend an open hand where the disk does not keep up at all: a person has it go on."""
    if given in (story.state.disk, story.state.wall_clock):
        return
    story.tell(given)
    stops = isinstance(given, DiskNoted) and (given.pace is DiskPace.STUCK or given.room is DiskRoom.GONE)
    if stops and story.state.hand_open and story.state.status is TableStatus.LIVE:
        story.tell(Suspended("disk"))


def no_room_to_go_on(state: TableState) -> Refusal | None:
    """Why the disk lets a suspended hand not go on: it could fill up before the hand is over."""
    gone = state.hand_open and state.disk.room is DiskRoom.GONE
    return Refusal("R-RULE-01", "disk_is_full") if gone else None


def no_room(state: TableState) -> Refusal | None:
    """Why the disk lets no hand start: it could fill up in the middle of one."""
    return None if state.disk.room is DiskRoom.ENOUGH else Refusal("R-SETUP-07", "disk_is_short")
