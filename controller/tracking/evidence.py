"""What the antennas have established: a tag came, a tag left, a tag is read in two places.

These are the values that the table journals. None shows its tag in ``repr``: a log line must not tell a card (R-RULE-06).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from controller.hand.places import Place


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A tag lies at ``place``. ``at`` is monotonic seconds of the scan that decided it."""

    uid: str = field(repr=False)
    place: Place
    at: float


@dataclass(frozen=True, slots=True)
class TagGone:
    """A tag no longer lies at ``place``."""

    uid: str = field(repr=False)
    place: Place
    at: float


@dataclass(frozen=True, slots=True)
class TagConflict:
    """A tag that lies at ``place`` is read at ``other`` too, for longer than a card needs to pass. It counts at ``place``
    until one of the two loses it."""

    uid: str = field(repr=False)
    place: Place
    other: Place
    at: float


@dataclass(frozen=True, slots=True)
class ConflictEnded:
    """The tag is read in one of the two places only; a ``TagGone`` and ``TagSeen`` tell if it was the new one."""

    uid: str = field(repr=False)
    place: Place
    other: Place
    at: float


Evidence: TypeAlias = TagSeen | TagGone | TagConflict | ConflictEnded
