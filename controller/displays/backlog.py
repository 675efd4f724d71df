"""Public events read back from the journal, its closed files included: for readers that missed some, and for a start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeAlias

from controller.displays.adapter import Where, where_after
from controller.displays.chain import Place, Roots
from controller.hand.events import HandOpened
from controller.journal.canonical import Body
from controller.mqtt.payloads import PublicEvent
from controller.table.events import TableEvent
from controller.table.loop import Record

HAND_EVENTS: Final = 1024
"""Records that are read first, backwards, for the hand that an event belongs to; four times as many each time there is none."""
FIRST_LOOK: Final = 64
"""Records that are read first, backwards, for the public event before; four times as many each time there is none."""
BREATH: Final = 64
"""Records that are read between two moments for others."""
LAST_SEQ: Final = 2**62
"""No journal has so many records: a request behind its end finds nothing, however far behind."""


Read: TypeAlias = Callable[[int, int | None], Iterator[tuple[int, Body]]]
"""Number and body of the journal's records from the first to the last one, or to the end, in order, as far as they are kept."""


class Adapter(Protocol):
    """Makes public events of records."""

    def event(self, record: Record, where: Where) -> tuple[PublicEvent, ...]:
        """The public side of ``record``, none or one."""


class Backlog:
    """``decode`` needs no key. With ``roots`` events have links."""

    def __init__(self, read: Read, decode: Callable[[Body], TableEvent], adapter: Adapter, roots: Roots | None = None) -> None:
        self._read = read
        self._decode = decode
        self._adapter = adapter
        self._roots = roots

    async def stands(self, seq: int) -> tuple[Where, Place]:
        """Where record ``seq`` and what follows it stand: as ``page`` tells it, so that an event is told alike by whoever sends
        it. What a missing file held is not known."""
        width = HAND_EVENTS
        while True:
            start = due = max(1, seq - width)
            where, place, pending = Where(), Place(roots=self._roots) if start == 1 else None, list[PublicEvent]()
            opened: int | None = None
            for number, body in self._read(start, seq - 1):
                event = self._decode(body)
                if number != due or isinstance(event, HandOpened):
                    opened, place = (None, self._lost) if number != due else (number, None)
                    where = Where() if number != due else where
                    pending.clear()
                due = number + 1
                where = where_after(event, where)
                pending += self._adapter.event(Record(number, str(body["at"]), event), where)
                if not number % BREATH:
                    await asyncio.sleep(0)
            if due != max(seq, 1):
                return Where(), self._lost
            if place is not None or opened is not None:
                place = place or Place(self.last_before(opened or 0), roots=self._roots)
                for one in pending:
                    _, place = place.hang(one)
                return where, place
            width *= 4

    @property
    def _lost(self) -> Place:
        """Behind what is no longer kept."""
        return Place(None, roots=self._roots)

    async def page(self, from_seq: int, *, limit: int) -> tuple[PublicEvent, ...]:
        """The first ``limit`` public events with ``seq >= from_seq``, in order; empty when there is none."""
        found: list[PublicEvent] = []
        where, place, due = Where(), self._lost, 0
        for seq, body in self._read(max(1, min(from_seq, LAST_SEQ)), None):
            if not due:
                where, place = await self.stands(seq)
            elif seq != due:
                where, place = Where(), self._lost
            due = seq + 1
            event = self._decode(body)
            where = where_after(event, where)
            for one in self._adapter.event(Record(seq, str(body["at"]), event), where):
                hung, place = place.hang(one)
                found.append(hung)
            if len(found) >= limit:
                break
            if not seq % BREATH:
                await asyncio.sleep(0)
        return tuple(found)

    def last_before(self, seq: int) -> int | None:
        """Seq of the last public event before record ``seq``; 0 when there is none, None when that is no longer kept."""
        end, width = seq - 1, FIRST_LOOK
        while end >= 1:
            start = due = max(1, end - width + 1)
            found: int | None = 0
            for number, body in self._read(start, end):
                if number != due:
                    found = None
                due = number + 1
                if self._adapter.event(Record(number, str(body["at"]), self._decode(body)), Where()):
                    found = number
            if due != end + 1:
                return None
            if found != 0:
                return found
            end, width = start - 1, width * 4
        return 0
