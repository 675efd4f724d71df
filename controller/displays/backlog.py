"""Public events read back from the journal, its closed files included: for readers that missed some, and for a start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeAlias

from controller.displays.adapter import Where, where_after
from controller.journal.canonical import Body
from controller.mqtt.payloads import PublicEvent
from controller.table.events import TableEvent
from controller.table.loop import Record

HAND_EVENTS: Final = 1024
"""Events that are read before the first one wanted, to find hand and street: more than a hand without trouble has."""
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
    """``decode`` needs no key."""

    def __init__(self, read: Read, decode: Callable[[Body], TableEvent], adapter: Adapter) -> None:
        self._read = read
        self._decode = decode
        self._adapter = adapter

    def where_at(self, seq: int) -> Where:
        """Where record ``seq`` and what follows it stand, as ``page`` tells it: one event is told alike by whoever sends it."""
        where = Where()
        for _, body in self._read(max(1, seq - HAND_EVENTS), seq):
            where = where_after(self._decode(body), where)
        return where

    async def page(self, from_seq: int, *, limit: int) -> tuple[PublicEvent, ...]:
        """The first ``limit`` public events with ``seq >= from_seq``, in order; empty when there is none."""
        from_seq = min(from_seq, LAST_SEQ)
        start = due = max(1, from_seq - HAND_EVENTS)
        found: list[PublicEvent] = []
        where, previous, is_known = Where(), None if start > 1 else 0, start == 1
        for seq, body in self._read(start, None):
            if seq != due:
                where, previous, is_known = Where(), None, True
            due = seq + 1
            event = self._decode(body)
            where = where_after(event, where)
            for one in self._adapter.event(Record(seq, str(body["at"]), event), where):
                if seq >= from_seq:
                    previous = previous if is_known else self.last_before(start)
                    found.append(one.model_copy(update={"previous": previous}))
                previous, is_known = seq, True
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
