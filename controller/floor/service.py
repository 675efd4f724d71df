"""The floor at work: board, collector and store, and the stream of its pages; the broker and the address are given."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

from controller.floor.alarms.desk import AlarmDesk
from controller.floor.board.board import Board
from controller.floor.board.moment import told
from controller.floor.collector.collector import Collector
from controller.floor.collector.writer import Opening, Writer
from controller.floor.follow import TableStreams
from controller.floor.http import name_of
from controller.floor.orders.passing import Known
from controller.floor.people.trail import Trail
from controller.floor.room_desk.desk import RoomDesk
from controller.page_stream import HEARTBEAT_S, PageStream
from drivers.clock import Clock

TICK_S: Final = 0.1
"""How often changes are told at most."""
ALARMS_EVERY_S: Final = 1.0
MAX_PAGES: Final = 64
MAX_KEPT: Final = 256
_HALF: Final = 2
SMOOTH: Final = 0.1
"""How much of the last picture's cost counts: one that was held up makes the next one no later."""

__all__ = ["FloorService", "Opening"]


class FloorService:
    """One venue. ``collector`` is the handler of its connection; ``run`` is its only task; ``close`` ends the pages' streams."""

    def __init__(
        self,
        venue: str,
        opening: Opening,
        clock: Clock,
        *,
        boot: str | None = None,
        pits: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        boot = boot or secrets.token_hex(8)
        self.board = Board(venue, pits)
        self.collector = Collector(venue, f"floor-{boot[:8]}", self.board, clock)
        self.writer = Writer(opening, self.collector, clock)
        self.collector.keep_with(self.writer)
        self.alarms = AlarmDesk(self.board, self.writer, self.collector.now)
        self.trail = Trail(boot, self.writer.keep, clock.wall)
        self.stream = PageStream(
            self.picture, lambda: self.board.seq, boot, name=name_of(boot), max_pages=MAX_PAGES, max_kept=MAX_KEPT
        )
        self.room = RoomDesk(lambda: self.writer.copy.room, lambda: self.picture()["tables"], self.trail, clock.wall)
        self.tables = TableStreams(self.detail, self._stamp, boot, name_of(boot), clock.monotonic)

    def picture(self) -> Mapping[str, Any]:
        """The picture of all tables that the last change has made."""
        return self.board.picture(self.collector.now())

    def detail(self, table: str) -> Mapping[str, Any] | None:
        """What a table's own page shows; ``None`` when nobody knows the table."""
        return self.board.detail(table, self.collector.now())

    def _stamp(self, table: str) -> object:
        return self.board.stamp(table, self.collector.now())

    def known(self, table: str) -> Known | None:
        """Where that table's orders go, and the hand that is dealt there; ``None`` when nobody knows the table."""
        found = self.detail(table)
        return None if found is None else Known(found["tile"]["http"], found["tile"]["hand"])

    def ready(self) -> Mapping[str, bool]:
        """Whether the broker and the store are there."""
        return {"broker": self.collector.connected, "store": self.writer.is_open}

    async def run(self) -> None:
        """Write what is heard and tell what changes; ends by cancellation alone, when everything heard is written."""
        writing = asyncio.create_task(self.writer.run(), name="floor writer")
        telling = asyncio.create_task(self._tell(), name="floor pages")
        following = asyncio.create_task(self.alarms.run(), name="floor alarms")
        tasks = (following, telling, writing)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            self.alarms.note()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        """End the streams: the server stops."""
        self.stream.close()
        self.tables.close()

    async def _tell(self) -> None:
        loop = asyncio.get_running_loop()
        told_s = noted_s = loop.time()
        spent_s = 0.0
        while True:
            began = loop.time()
            now = self.collector.now()
            if (change := self.board.changes(now)) is not None:
                self.stream.change(self.board.seq, change)
                told_s = began
            elif began - told_s >= HEARTBEAT_S:
                self.stream.beat({"now": told(now.at)})
                told_s = began
            self.tables.tell(told(now.at))
            if began - noted_s >= ALARMS_EVERY_S:
                self.alarms.note()
                noted_s = began
            spent_s += (loop.time() - began - spent_s) * SMOOTH
            await asyncio.sleep(max(TICK_S, _HALF * spent_s))  # at most a third of the time goes into pictures
