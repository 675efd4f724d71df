"""Public events on their way to the broker: in order of seq, each kept until the broker has acknowledged it.

The memory is bounded. What does not fit is not lost: the journal has it, and ``Backfill`` reads it from there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol

from controller.mqtt.payloads import PublicEvent

MAX_PENDING: Final = 512
"""Unacknowledged events in memory; one more, and all are read from the journal when the broker is back."""
PAGE: Final = 100


class Backfill(Protocol):
    """Reads committed public events from the journal."""

    async def __call__(self, from_seq: int, *, limit: int) -> tuple[PublicEvent, ...]:
        """The first ``limit`` public events with ``seq >= from_seq``, in order; empty when there is none."""


class EventOutbox:
    """Give events with ``add``, send ``head`` and ``acknowledge`` it; ``refill`` when ``head`` is None."""

    def __init__(self, backfill: Backfill) -> None:
        self._backfill = backfill
        self._pending: deque[PublicEvent] = deque()
        self._newest = -1
        self._acknowledged = -1
        self._link: str | None = None
        self._behind_from: int | None = None

    @property
    def head(self) -> PublicEvent | None:
        """The next event to send."""
        return self._pending[0] if self._pending else None

    @property
    def acknowledged(self) -> int | None:
        """Seq of the newest event that the broker has, as far as it is known."""
        return None if self._acknowledged < 0 else self._acknowledged

    @property
    def link(self) -> str | None:
        """The ``link`` of that event; ``None`` where it is not known, as behind what an earlier controller sent."""
        return self._link

    @property
    def waiting(self) -> int:
        """Events in memory that the broker has not acknowledged; after an overflow the rest is in the journal alone."""
        return len(self._pending)

    @property
    def is_behind(self) -> bool:
        """Whether events wait in the journal alone."""
        return self._behind_from is not None

    @property
    def empty(self) -> bool:
        """Whether the broker has acknowledged everything."""
        return not self._pending and self._behind_from is None

    def add(self, events: Iterable[PublicEvent]) -> None:
        """Take committed events; those not newer than the newest known are already here and are passed over."""
        for event in events:
            if event.seq <= self._newest:
                continue
            self._newest = event.seq
            if self._behind_from is not None:
                continue
            if len(self._pending) < MAX_PENDING:
                self._pending.append(event)
            else:
                self._behind_from = self._pending[0].seq
                self._pending.clear()

    def resume(self, after_seq: int, newest_seq: int) -> None:
        """The broker has what an earlier controller sent up to ``after_seq``: the rest is read from the journal, which ends with
        ``newest_seq``. Does nothing once something was acknowledged here."""
        if self._acknowledged >= 0 or after_seq > newest_seq:
            return
        self._acknowledged = after_seq
        self._newest = max(self._newest, newest_seq)
        self._behind_from = after_seq + 1
        self._pending.clear()

    def acknowledge(self, event: PublicEvent) -> None:
        """The broker has ``event``: it is not sent again, even when the memory has overflowed meanwhile."""
        self._acknowledged, self._link = event.seq, event.link
        if self._pending and self._pending[0] is event:
            self._pending.popleft()

    async def refill(self) -> None:
        """Read the next page from the journal if the memory had overflowed; does nothing while there is a ``head``."""
        if self._behind_from is None or self._pending:
            return
        from_seq = max(self._behind_from, self._acknowledged + 1)
        page = await self._backfill(from_seq, limit=PAGE)
        self._pending.extend(page)
        last = page[-1].seq if page else self._newest
        self._newest = max(self._newest, last)  # what is durable may be read here before it is given
        self._behind_from = last + 1 if last < self._newest else None
