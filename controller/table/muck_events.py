"""What the muck's antenna tells of live hands, as events of the table. No card is in them (R-RULE-06)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class FoldRead:
    """The hand of ``seat`` lies in the muck: it folds, or concedes at the showdown. What it leads to stands behind it (R-BET-14,
    R-SHOW-04)."""

    seat: int


@dataclass(frozen=True, slots=True)
class LiveCardsMucked:
    """Cards of the live hand of ``seat`` have lain in the muck for longer than a hand takes to get there, and it is no fold."""

    seat: int


MuckEvent: TypeAlias = FoldRead | LiveCardsMucked
