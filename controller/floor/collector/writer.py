"""Writes what was heard in batches, and says what it could not keep, so that it is asked for again."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import datetime
from typing import Final, Protocol

from controller.floor.board.incident import Incident, TrailLine
from controller.floor.board.pace import HOUR
from controller.floor.store.alarm_reads import AlarmReads
from controller.floor.store.audit_reads import AuditReads
from controller.floor.store.room import RoomRows
from controller.floor.store.rows import (
    Batch,
    Chained,
    Difference,
    KeptDifference,
    KeptEvent,
    KeptHead,
    KeptHole,
    KeptNote,
    KeptStatus,
    Source,
)
from controller.floor.store.store import StoreError, UnfitError
from drivers.clock import Clock

GATHER_S: Final = 0.05
"""How long events are gathered for one transaction, at least."""
MOST_GATHER_S: Final = 0.3
"""How long at most. A write costs by its statements more than by its rows: where one takes long, more are gathered."""
_SHARE: Final = 3
MAX_BATCH: Final = 2_000
"""Events of one transaction."""
MAX_EVENTS: Final = 20_000
"""Events that wait to be written; with more, everything that waits is forgotten and asked for again."""
ROOM: Final = MAX_EVENTS // 2
"""While more than this wait, no table is asked for older events."""
MAX_ASKING: Final = 32
"""Tables that are asked for older events at one time."""
MAX_OTHERS: Final = 20_000
"""Holes, alarms and notes of the trail that wait for a store that is away; the oldest goes for one more."""
MAX_TOLD: Final = 20_000
"""The same of statuses and heads, which tables tell again and again: by themselves, so that they push out nothing of the rest."""
RETRY_S: Final = 1.0
"""Pause before a store that is away is tried again."""

_log = logging.getLogger("controller.floor")


class Keeper(Protocol):
    """Who is told how the store is."""

    def opened(
        self,
        chains: Mapping[Source, Chained],
        holes: Sequence[KeptHole],
        alarms: Sequence[Incident],
        ends: Mapping[str, Sequence[datetime]],
    ) -> None:
        """The store is there and has every event up to these but for ``holes``; ``alarms`` were left without an end, or
        unseen; ``ends`` are those of the last hour's hands by table."""

    def wrote(self, kept: KeptEvent) -> None:
        """This event is kept, and everything that was given before it."""

    def lost(self) -> None:
        """What was not written is forgotten: it is to be asked for again once the store is there."""

    def differs(self, difference: Difference) -> None:
        """A record was told otherwise than it is kept."""


class Copy(Protocol):
    """What the floor asks of a store that is open. Each call may raise ``StoreError``."""

    @property
    def room(self) -> RoomRows:
        """See ``FloorStore.room``."""

    async def write(self, batch: Batch) -> tuple[Difference, ...]:
        """See ``FloorStore.write``."""

    async def chains(self) -> Mapping[Source, Chained]:
        """See ``FloorStore.chains``."""

    async def open_holes(self) -> Sequence[KeptHole]:
        """See ``FloorStore.open_holes``."""

    async def open_alarms(self, now: datetime) -> Sequence[Incident]:
        """See ``FloorStore.open_alarms``."""

    async def hand_ends(self, since: datetime) -> Mapping[str, Sequence[datetime]]:
        """See ``FloorStore.hand_ends``."""

    @property
    def audit(self) -> AuditReads:
        """See ``FloorStore.audit``."""

    @property
    def alarms(self) -> AlarmReads:
        """See ``FloorStore.alarms``."""


Opening = Callable[[], AbstractAsyncContextManager[Copy]]
Told = KeptStatus | KeptHead
Other = Told | KeptHole | KeptNote | KeptDifference | Incident | TrailLine


class Writer:
    """One store's only writer. ``add`` and ``keep`` never wait; ``run`` is its only task."""

    def __init__(self, opening: Opening, keeper: Keeper, clock: Clock) -> None:
        self._opening = opening
        self._keeper = keeper
        self._clock = clock
        self._events: deque[KeptEvent] = deque()
        self._told: deque[Other] = deque(maxlen=MAX_TOLD)
        self._others: deque[Other] = deque(maxlen=MAX_OTHERS)
        self._open: Copy | None = None
        self._wake = asyncio.Event()
        self._roomy = asyncio.Event()
        self._roomy.set()
        self._asking = asyncio.Semaphore(MAX_ASKING)
        self._idle = asyncio.Event()
        self._since_s: float | None = None
        self.questions = 0
        """How often a table was asked for older events."""
        self.written = 0
        """Events that were written."""

    @property
    def waiting(self) -> int:
        """What was given and is not written yet."""
        return len(self._events) + len(self._others)

    @property
    def lag_s(self) -> float:
        """For how long something has waited without a moment at which everything was written, in seconds."""
        return 0.0 if self._since_s is None else max(0.0, self._clock.monotonic() - self._since_s)

    @property
    def is_open(self) -> bool:
        """Whether the store takes what it is given."""
        return self._open is not None

    @property
    def copy(self) -> Copy:
        """The store for whoever reads it, or keeps there what no table tells; ``StoreError`` while it is away."""
        if self._open is None:
            raise StoreError("the floor's store is away")
        return self._open

    def add(self, event: KeptEvent) -> None:
        """Keep an event, the next one of its source. Where too many wait, ``Keeper.lost`` is told and all are forgotten."""
        if self._open is None:
            return
        if len(self._events) >= MAX_EVENTS:
            self._forget()
            self._keeper.lost()
            return
        self._events.append(event)
        self._stir()

    def keep(self, other: Other) -> None:
        """Keep anything else."""
        (self._told if isinstance(other, Told) else self._others).append(other)
        self._stir()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Entered by who asks a table for older events, when there is room for them."""
        async with self._asking:
            await self._roomy.wait()
            self.questions += 1
            yield

    async def drained(self) -> None:
        """Return when everything that was given is written."""
        await self._idle.wait()

    async def run(self) -> None:
        """Open, write, and after a failure open again; ends by cancellation alone, after one last write."""
        while True:
            try:
                async with self._opening() as store:
                    await self._serve(store)
            except StoreError as error:
                _log.error("%s", error)
            finally:
                was_open, self._open = self._open is not None, None
                self._forget()
            if was_open:
                self._keeper.lost()
            await asyncio.sleep(RETRY_S)

    async def _serve(self, store: Copy) -> None:
        chains, holes, alarms = await store.chains(), await store.open_holes(), await store.open_alarms(self._clock.wall())
        ends = await store.hand_ends(self._clock.wall() - HOUR)
        self._open = store
        self._keeper.opened(chains, holes, alarms, ends)
        try:
            while True:
                began_s = self._clock.monotonic()
                await self._write(store)
                took_s = self._clock.monotonic() - began_s
                await self._wake.wait()
                await asyncio.sleep(min(MOST_GATHER_S, max(GATHER_S, _SHARE * took_s)))
        except asyncio.CancelledError:
            with suppress(StoreError):
                await self._write(store)
            raise

    async def _write(self, store: Copy) -> None:
        """Write what waits; ``StoreError`` leaves everything but events for the next time."""
        while self._events or self._others or self._told:
            events = tuple(self._events.popleft() for _ in range(min(MAX_BATCH, len(self._events))))
            told, others = tuple(self._told), tuple(self._others)
            self._told.clear()
            self._others.clear()
            try:
                differing = await self._write_fitting(store, events, (*told, *others))
            except (StoreError, asyncio.CancelledError):
                self._events.extendleft(reversed(events))
                self._told = deque((*told, *self._told), self._told.maxlen)  # of too many the oldest go
                self._others = deque((*others, *self._others), self._others.maxlen)
                raise
            self.written += len(events)
            for kept in events:
                self._keeper.wrote(kept)
            if len(self._events) < ROOM:
                self._roomy.set()
            for difference in differing:
                self._keeper.differs(difference)
        self._wake.clear()
        self._since_s = None
        self._idle.set()

    async def _write_fitting(
        self, store: Copy, events: tuple[KeptEvent, ...], others: tuple[Other, ...]
    ) -> tuple[Difference, ...]:
        """Write them, but for what fits into no column of the store: that is passed over and logged, and the rest is kept."""
        try:
            return await store.write(_batch(events, others))
        except UnfitError as error:
            if len(events) + len(others) == 1:
                given = (*events, *others)[0]
                _log.error("passed over, it cannot be kept: %s: %s", type(given).__name__, error)
                if isinstance(given, KeptEvent):
                    self.keep(KeptHole(given.source, given.event.seq - 1, given.event.seq + 1, self._clock.wall()))
                return ()
        at, part = (len(events) + 1) // 2, (len(others) + 1) // 2
        if events and others:
            at, part = len(events), 0
        halves = (events[:at], others[:part]), (events[at:], others[part:])
        return tuple([one for half in halves for one in await self._write_fitting(store, *half)])

    def _stir(self) -> None:
        if self._since_s is None:
            self._since_s = self._clock.monotonic()
        self._idle.clear()
        self._wake.set()
        if len(self._events) >= ROOM:
            self._roomy.clear()

    def _forget(self) -> None:
        self._events.clear()
        self._roomy.set()


def _batch(events: tuple[KeptEvent, ...], others: Sequence[Other]) -> Batch:
    return Batch(
        events,
        statuses=tuple(one for one in others if isinstance(one, KeptStatus)),
        heads=tuple(one for one in others if isinstance(one, KeptHead)),
        holes=tuple(one for one in others if isinstance(one, KeptHole)),
        alarms=tuple(one for one in others if isinstance(one, Incident)),
        trail=tuple(one for one in others if isinstance(one, TrailLine)),
        notes=tuple(one for one in others if isinstance(one, KeptNote)),
        differences=tuple(one for one in others if isinstance(one, KeptDifference)),
    )
