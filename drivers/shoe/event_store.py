"""The shoe's kept events (TSP/1 sending, store): sent at once, repeated byte for byte, at most ``WINDOW`` under way."""

from __future__ import annotations

import math
from typing import Final

WINDOW: Final = 8
KEPT: Final = 128
"""Events kept for NAK, HELLO and RESEND; un-acked ones are never dropped."""
FIRST_RESEND_S: Final = 0.25
LAST_RESEND_S: Final = 2.0


class EventStore:
    """Events of one numbering, from 1."""

    def __init__(self) -> None:
        self._lines: dict[int, bytes] = {}
        self._left_at: dict[int, float] = {}
        self._next = 1
        self._risen_at = -math.inf
        self._wait_s = FIRST_RESEND_S
        self.mark = 0
        self.last = 0
        self.first = 1

    @property
    def unacked(self) -> int:
        """Events above the ACK mark."""
        return self.last - self.mark

    def add(self, line: bytes) -> None:
        """Keep the next event."""
        self.last += 1
        self._lines[self.last] = line
        self._trim()

    def line(self, seq: int) -> bytes:
        """The kept event."""
        return self._lines[seq]

    def next_seq(self, now: float) -> int | None:
        """The event to send now: one never sent or asked for within the window, or the oldest un-acked when it is due again."""
        if self._next <= min(self.last, self.mark + WINDOW):
            seq = max(self._next, self.first)
            self._next = seq + 1
            return seq
        if now >= self.resend_at():
            self._wait_s = min(2 * self._wait_s, LAST_RESEND_S)
            self._left_at[self.mark + 1] = math.inf  # under way: due again once it has left
            return self.mark + 1
        return None

    def left(self, seq: int, now: float) -> None:
        """The last byte of event ``seq`` has left."""
        if seq > self.mark:
            self._left_at[seq] = now

    def resend_at(self) -> float:
        """When the oldest un-acked event is due again; infinity while there is none or it has not left."""
        left = self._left_at.get(self.mark + 1)
        return math.inf if left is None else max(left, self._risen_at) + self._wait_s

    def acknowledge(self, seq: int, now: float) -> bool:
        """ACK: the mark rises to ``seq``; whether it did."""
        if not self.mark < seq <= self.last:
            return False
        self.set_mark(seq, now)
        return True

    def set_mark(self, seq: int, now: float) -> None:
        """Set the mark, backwards too (host HELLO)."""
        self.mark = seq
        self._next = max(self._next, seq + 1)
        self._wait_s = FIRST_RESEND_S
        self._risen_at = now
        for old in [kept for kept in self._left_at if kept <= seq]:
            del self._left_at[old]
        self._trim()

    def send_from(self, seq: int) -> None:
        """NAK, RESEND: go on sending from ``seq``."""
        self._next = max(seq, self.first)

    def _trim(self) -> None:
        while len(self._lines) > KEPT and self.first <= self.mark:
            del self._lines[self.first]
            self.first += 1
