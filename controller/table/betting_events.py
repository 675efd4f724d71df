"""How actions come to the table without a touch each, as its events: from the muck's antenna, and by one word for everybody.

No card is in them (R-RULE-06)."""

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


@dataclass(frozen=True, slots=True)
class AllActed:
    """One word of the dealer for everybody who was left: ``acts`` actions follow, the folds that the muck told among them. One
    touch takes them all back (R-RULE-02)."""

    acts: int


BettingEvent: TypeAlias = FoldRead | LiveCardsMucked | AllActed
