"""What the table's own machine does to it, as events: its disk is slow or full, its clock was set or not kept (recovery §4)."""

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


class ClockTrust(Enum):
    """What the machine says of its wall clock: something keeps it, nothing does, or nobody tells."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ClockNoted:
    """From this record on the times of records are sure to that degree, until the next one of this kind; ``unknown`` where
    nothing tells or nobody looks, as before the first. Their order is that of their numbers, whatever is said here (REG-36)."""

    trust: ClockTrust


MachineEvent: TypeAlias = DiskNoted | ClockStepped | ClockNoted
