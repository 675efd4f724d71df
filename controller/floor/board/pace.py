"""Hands an hour: those that ended in the last hour, scaled up while the table is known for less."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

HOUR: Final = timedelta(hours=1)
LEAST: Final = timedelta(minutes=5)
"""Known for less than this, a table has no pace: one hand would make sixty."""
MAX_HANDS: Final = 512
"""Hands of an hour that are counted: more than any table plays."""


class Pace:
    """The ends of a table's hands, by the table's own clock."""

    def __init__(self) -> None:
        self._ends: deque[datetime] = deque(maxlen=MAX_HANDS)
        self._since: datetime | None = None

    def known(self, since: datetime) -> None:
        """The table is known since then; an earlier moment counts."""
        self._since = since if self._since is None else min(self._since, since)

    def ended(self, at: datetime) -> None:
        """A hand ended."""
        self._ends.append(at)
        self.known(at)

    def remember(self, ends: Iterable[datetime]) -> None:
        """Hands that ended before those told already."""
        self._ends = deque(sorted({*ends, *self._ends}), maxlen=MAX_HANDS)
        if self._ends:
            self.known(self._ends[0])

    def hands_an_hour(self, now: datetime) -> int | None:
        """``None`` while too little is known."""
        if self._since is None or now - self._since < LEAST:
            return None
        while self._ends and now - self._ends[0] >= HOUR:
            self._ends.popleft()
        span = min(HOUR, now - self._since)
        return round(sum(1 for end in self._ends if end <= now) * HOUR / span)
