"""What a host session wants done by its owner, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from drivers.ports import ShoeEvent


@dataclass(frozen=True, slots=True)
class Send:
    """Write ``line`` to the port."""

    line: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Deliver:
    """Hand ``event`` to the table, in order."""

    event: ShoeEvent


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close the port and do not open it again: another controller runs this shoe (TSP/1 fencing)."""

    reason: str


Effect: TypeAlias = Send | Deliver | HangUp


class Phase(Enum):
    """Where the session stands (TSP/1 opening a session)."""

    CLOSED = "closed"
    ASKING = "asking"
    FOUND = "found"
    GREETING = "greeting"
    OPEN = "open"
    FENCED = "fenced"
