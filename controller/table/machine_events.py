"""What the table's own machine does to it, as events: its disk is slow or fills up, its clock was set (recovery §4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class DiskPace(Enum):
    """How long commits take: up to 50 ms, longer (an alarm), over 1 s (no card is dealt), over 5 s (a hand is suspended)."""

    FAST = "fast"
    SLOW = "slow"
    LATE = "late"
    STUCK = "stuck"


class DiskRoom(Enum):
    """What the disk holds yet: 500 hands or more, fewer (no hand is started), fewer than 50 (an open hand is suspended)."""

    ENOUGH = "enough"
    SHORT = "short"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class DiskNoted:
    """The disk under the journal became slower or faster, or its room went over a bound."""

    pace: DiskPace
    room: DiskRoom


@dataclass(frozen=True, slots=True)
class ClockStepped:
    """The machine's wall clock was set by so many ``seconds``, back if negative. Times of records before and after do not
    compare; their order is that of their numbers, and timers do not go by it (REG-36)."""

    seconds: int


MachineEvent: TypeAlias = DiskNoted | ClockStepped
