"""Which calls of players for the floor go on record, whatever way they come: one that stands is not told again, one that is sent
again under its id neither, and a seat that was told a moment ago waits.

A call is a prompt and no command (R-RULE-01). What is remembered is bounded, and a start of the controller forgets it.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from math import ceil
from typing import Final

from controller.table.state import TableState

CALL_AGAIN_S: Final = 30.0
"""How long after a call of a seat the next one is taken, so that nobody makes the journal grow from there."""
_SAME_TOUCH_S: Final = 2.0
"""A call that comes so soon again is the same one: its record is perhaps not there yet."""
_KEPT: Final = 16
"""Ids of a seat that are remembered."""


class Heard(Enum):
    """What a call is."""

    NEW = auto()
    """It is to be told."""
    KNOWN = auto()
    """It was told already."""
    TOO_SOON = auto()
    """Its seat called a moment ago, and somebody has come."""
    EMPTY = auto()
    """Nobody sits there."""


class PlayerCalls:
    """The calls of one table. Times are the loop's, in seconds."""

    def __init__(self) -> None:
        self._told_at: dict[int, float] = {}
        self._ids: dict[int, deque[str]] = {}

    def hear(self, state: TableState, seat: int, now: float, call: str = "") -> Heard:
        """Seat ``seat`` calls; ``call`` is the id that its display gave, empty for none. A call that is ``NEW`` must be told."""
        if all(one.seat != seat for one in state.seats):
            return Heard.EMPTY
        ids = self._ids.setdefault(seat, deque(maxlen=_KEPT))
        since = now - self._told_at.get(seat, -CALL_AGAIN_S)
        if call in ids or seat in state.asked or since < _SAME_TOUCH_S:
            heard = Heard.KNOWN
        elif since < CALL_AGAIN_S:
            return Heard.TOO_SOON
        else:
            heard = Heard.NEW
            self._told_at[seat] = now
        if call and call not in ids:
            ids.append(call)
        return heard

    def wait_s(self, seat: int, now: float) -> int:
        """Whole seconds until a call of ``seat`` is taken again."""
        return max(0, ceil(CALL_AGAIN_S - (now - self._told_at.get(seat, now - CALL_AGAIN_S))))
