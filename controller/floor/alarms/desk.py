"""Where alarms are acknowledged and shelved: each deed at once on the page, then in the store, then at the other floors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, Protocol

from controller.floor.alarms.webhook import FIRST_PAUSE_S, Target, Webhook
from controller.floor.board.board import Board
from controller.floor.board.incident import Incident, IncidentId, Trail, TrailLine
from controller.floor.board.moment import Moment
from controller.floor.store.alarm_reads import AlarmReads
from controller.floor.store.store import StoreError

STORED_S: Final = 2.0
"""Longest wait for the store before a deed is answered; it is kept in order when the store is back."""
PATIENCE_S: Final = 10.0
"""How long a start waits for the store before others are called without it: what stood before might be called twice."""
FOLLOW_S: Final = 0.5
"""How often it is looked at what other floors of this store wrote, while any alarm stands or waits to be seen."""
OVERLAP: Final = timedelta(seconds=60)
"""How far back that look goes: clocks differ, and a transaction may end late."""


class Copy(Protocol):
    """A store that is there."""

    @property
    def alarms(self) -> AlarmReads:
        """What is read back of the alarms."""


class Keeping(Protocol):
    """The store's writer."""

    @property
    def is_open(self) -> bool:
        """Whether the store takes what it is given."""

    @property
    def copy(self) -> Copy:
        """The store; ``StoreError`` while it is away."""

    def keep(self, other: Incident | TrailLine) -> None:
        """Keep it, now or when the store is there."""

    async def drained(self) -> None:
        """Return when everything that was given is written."""


class AlarmDesk:
    """One floor's. ``run`` is its only task."""

    def __init__(self, board: Board, keeping: Keeping, now: Callable[[], Moment]) -> None:
        self._board = board
        self._keeping = keeping
        self._now = now
        self._hooks: list[Webhook] = []
        self._began_s: float | None = None
        self._told: set[tuple[IncidentId, str]] = set()

    def send_to(self, target: Target, venue: str, *, first_pause_s: float = FIRST_PAUSE_S) -> None:
        """Tell ``target`` of calls and ends too; before ``run``."""
        self._hooks.append(Webhook(target, venue, self.now, self._turned, first_pause_s=first_pause_s))

    def _turned(self) -> None:
        self._board.reach(self._now(), reached=not any(hook.is_failing for hook in self._hooks))

    @property
    def waiting(self) -> int:
        """Deliveries that no receiver has taken yet."""
        return sum(hook.waiting for hook in self._hooks)

    @property
    def failing(self) -> int:
        """Receivers that do not take what they are sent."""
        return sum(hook.is_failing for hook in self._hooks)

    @property
    def reads(self) -> AlarmReads:
        """What the store has; ``StoreError`` while it is away."""
        return self._keeping.copy.alarms

    def now(self) -> datetime:
        """The time by which the floor counts."""
        return self._now().at

    def find(self, key: str) -> Incident | None:
        """What stands under that id, or was not seen."""
        return self._board.incidents.named(key)

    async def acknowledge(self, key: str, raised_at: datetime, by: str) -> tuple[Incident, bool]:
        """See ``Incidents.acknowledge``. The second is whether the store has it. The table is told by who asks for it."""
        return await self._kept(self._board.incidents.acknowledge(key, raised_at, by, self._now()))

    async def shelve(self, key: str, raised_at: datetime, by: str, minutes: int, reason: str) -> tuple[Incident, bool]:
        """See ``Incidents.shelve``."""
        return await self._kept(self._board.incidents.shelve(key, raised_at, by, minutes, reason, self._now()))

    async def unshelve(self, key: str, raised_at: datetime, by: str) -> tuple[Incident, bool]:
        """See ``Incidents.unshelve``."""
        return await self._kept(self._board.incidents.unshelve(key, raised_at, by, self._now()))

    async def clear(self, key: str, raised_at: datetime, by: str, reason: str) -> tuple[Incident, bool]:
        """See ``Incidents.clear``."""
        return await self._kept(self._board.clear(key, raised_at, by, reason, self._now()))

    async def _kept(self, one: Incident) -> tuple[Incident, bool]:
        self.note()
        if not self._keeping.is_open:
            return one, False
        try:
            async with asyncio.timeout(STORED_S):
                await self._keeping.drained()
        except TimeoutError:
            return one, False
        return one, True

    def note(self) -> None:
        """Hand what happened to alarms since the last time to the store, and calls and ends to who else is called. Where there
        was no store since the start, they are called all the same."""
        now_s = self._now().s
        self._began_s = now_s if self._began_s is None else self._began_s
        if now_s - self._began_s >= PATIENCE_S:
            held, early = self._board.incidents.waiting()
            self._tell(early, {one.id: one for one in held})
        incidents, lines = self._board.incidents.take()
        for one in incidents:
            self._keeping.keep(one)
        for line in lines:
            self._keeping.keep(line)
        self._tell(lines, {one.id: one for one in incidents})
        if lines:  # there is a store, and each line is taken once
            self._told.clear()

    def _tell(self, lines: Iterable[TrailLine], incidents: dict[IncidentId, Incident]) -> None:
        for line in lines:
            one = incidents.get(line.id)
            if one is None or one.called_at is None or line.what not in (Trail.CALLED, Trail.CLEARED):
                continue
            if (line.id, line.entry) not in self._told:
                self._told.add((line.id, line.entry))
                for hook in self._hooks:
                    hook.tell(line, one)

    async def run(self) -> None:
        """Follow what other floors write, and deliver, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for hook in self._hooks:
                tasks.create_task(hook.run(), name=f"alarms to {hook.target.host}")
            tasks.create_task(self._follow(), name="alarms of other floors")

    async def _follow(self) -> None:
        """A store that fails is the writer's to tell."""
        while True:
            await asyncio.sleep(FOLLOW_S)
            if not self._board.incidents.is_busy:
                continue
            with suppress(StoreError):
                self._board.follow(await self.reads.lines(self.now() - OVERLAP))
