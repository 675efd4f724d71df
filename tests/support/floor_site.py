"""A floor whose tables are told by the test, at an address of this machine for a real browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar, NoReturn

import uvicorn
from fastapi import FastAPI

from controller.floor.alarms.desk import AlarmDesk
from controller.floor.alarms.http import add_alarms
from controller.floor.audit.http import add_audit
from controller.floor.board.alarms import StandingAlarm
from controller.floor.board.board import Board
from controller.floor.board.moment import Moment, told
from controller.floor.follow import TableStreams
from controller.floor.history.http import add_history
from controller.floor.http import make_floor_api, name_of
from controller.floor.people.trail import Trail
from controller.floor.room_desk.desk import RoomDesk
from controller.floor.room_desk.http import add_room
from controller.floor.site.site import add_floor_pages
from controller.floor.store.store import FloorStore, StoreError
from controller.floor_serve import phh_of
from controller.gate.gate import Caller, Gate
from controller.http_server import QuietServer
from controller.mqtt.payloads import Alarm, Hold, PublicSeat, PublicView, SeatState, Stakes, TableStatus, Words
from controller.page_stream import PageStream
from controller.words.catalogue import Language
from controller.words.places import hold_text
from support.floor_alarms import KeptList
from support.floor_samples import status
from support.mqtt_samples import public_view

NAMES = ("Amara", "Bo", "Chloé", "Dmitri", "Eve", "Franck", "Grace", "Hugo")


def seats(taken: int) -> tuple[PublicSeat, ...]:
    """Eight seats, the first of them taken."""
    return tuple(
        PublicSeat(seat=n, name=NAMES[n - 1] if n <= taken else "", stack=100 if n <= taken else 0, state=_state(n, taken))
        for n in range(1, 9)
    )


def _state(number: int, taken: int) -> SeatState:
    return SeatState.LIVE if number <= taken else SeatState.EMPTY


def hold(code: str, place: str) -> Hold:
    """A hold with the words that a table publishes for it."""
    words = Words(**{language.value: hold_text(code, place, language) for language in Language})
    return Hold(code=code, place=place, text=words)


def no_store() -> NoReturn:
    """The store is away."""
    raise StoreError("the floor's store is away")


class FloorSite:
    """A board, its stream and its pages. ``tell`` gives the pages what has changed; ``now`` is the clock's time."""

    PITS: ClassVar[Mapping[str, Sequence[str]]] = {}

    def __init__(self, venue: str = "nice") -> None:
        self.board = Board(venue, self.PITS)
        self.boot = "b1"
        self.stream = PageStream(self.picture, lambda: self.board.seq, self.boot, name=name_of(self.boot))
        self.tables = TableStreams(
            self.detail, lambda table: self.board.stamp(table, self.now()), self.boot, name_of(self.boot), time.monotonic
        )
        self.copy: Callable[[], FloorStore] = no_store
        self.kept = KeptList()
        self.desk = AlarmDesk(self.board, self.kept, self.now)
        self.board.restore((), self.now())
        self.api = self.serve(Gate(name="floor"), Trail(self.boot, lambda _: None, lambda: self.now().at))
        self.board.listen(self.now(), connected=True)
        self._alive: dict[str, dict[str, Any]] = {}

    async def tell_table(self, _alarm: StandingAlarm, _by: str, _caller: Caller) -> bool:
        """No table is there to be told."""
        return False

    def serve(self, gate: Gate, trail: Trail) -> FastAPI:
        """Every address of the floor."""
        self.room = RoomDesk(lambda: self.copy().room, lambda: self.picture()["tables"], trail, self.desk_clock)
        api = make_floor_api(self.stream, self.tables, self.picture, self.detail, lambda: {"broker": True}, "0", gate)
        add_alarms(api, self.desk, gate, tell=self.tell_table)
        add_audit(api, no_store)
        add_history(api, lambda: self.copy(), gate, phh_of)
        add_room(api, self.room, gate)
        add_floor_pages(api, self.picture, self.detail, gate)
        return api

    def desk_clock(self) -> datetime:
        """What the clock says at the room's desk."""
        return self.now().at

    def now(self) -> Moment:
        """By the clock of this machine."""
        at = datetime.now(UTC)
        return Moment(at.timestamp(), at)

    def picture(self) -> Mapping[str, Any]:
        """The newest picture."""
        return self.board.picture(self.now())

    def detail(self, table: str) -> Mapping[str, Any] | None:
        """What a table's own page shows."""
        return self.board.detail(table, self.now())

    def status(self, table: str, of: TableStatus = TableStatus.LIVE, **more: Any) -> None:
        """A status of ``table``, heard now; one that is live is heard again with each beat."""
        self._alive.pop(table, None)
        if of in (TableStatus.LIVE, TableStatus.SUSPENDED):
            self._alive[table] = {"of": of, **more}
        self.board.hear_status(table, status(of, **more), self.now())

    def silence(self, table: str) -> None:
        """Nothing more is heard of ``table``."""
        self._alive.pop(table, None)

    def table(self, table: str, dealer: str | None = None, **view: Any) -> None:
        """A table that plays: its status and its public view."""
        self.status(table, dealer=dealer, http="http://127.0.0.1:1/")
        self.board.hear_public(table, self.view(table, **view), self.now())

    @staticmethod
    def view(table: str, *, taken: int = 8, stakes: tuple[int, int] = (4, 8), **more: Any) -> PublicView:
        """The public view of a table with so many players; ``stakes`` are the small and the big bet."""
        played = Stakes(ante=1, bring_in=2, small=stakes[0], big=stakes[1])
        shown = {"hand": 1287, "street": 5, "phase": "betting", "seats": seats(taken), **more}
        return public_view(**{"table": table, "stakes": played, "pots": (), **shown})

    def stop(self, table: str, code: str = "wrong_place", at: str = "seat/6/up", *, before_s: float = 0.0, **view: Any) -> None:
        """The table stops play, ``before_s`` seconds ago, with an alarm."""
        raised = self.now().at.timestamp() - before_s
        held = hold(code, at)
        self.board.hear_public(table, self.view(table, hold=held, **view), self.now())
        self.alarm(table, "hold", code, 1, held.text, raised, place=at)

    def alarm(self, table: str, name: str, code: str, priority: int, words: Words, raised: float, **more: Any) -> None:
        """An alarm of the table, raised at that POSIX time."""
        at = datetime.fromtimestamp(raised, UTC)
        shown = Alarm(seq=5, epoch=2, at=at, alarm=name, code=code, priority=priority, raised_at=at, text=words, **more)
        self.board.hear_alarm(table, name, shown)

    def clear(self, table: str, name: str = "hold", **view: Any) -> None:
        """The alarm is over and play goes on."""
        self.board.hear_alarm(table, name, None)
        self.board.hear_public(table, self.view(table, **view), self.now())

    def tell(self) -> None:
        """Tell the pages what is another."""
        if (change := self.board.changes(self.now())) is not None:
            self.stream.change(self.board.seq, change)
        self.tables.tell(told(self.now().at))

    async def beat(self) -> None:
        """What lives is heard, and pages are told, five times a second until cancelled."""
        while True:
            for table, heard in self._alive.items():
                self.board.hear_status(table, status(**heard), self.now())
            self.tell()
            self.stream.beat({"now": told(self.now().at)})
            await asyncio.sleep(0.2)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[str]:
        """The address of the pages, until the end of the block."""
        self.tell()
        config = uvicorn.Config(self.api, port=0, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
        server = QuietServer(config)
        running = asyncio.create_task(server.serve())
        beating = asyncio.create_task(self.beat())
        try:
            while not server.started:
                await asyncio.sleep(0.01)
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
        finally:
            beating.cancel()
            self.stream.close()
            self.tables.close()
            server.should_exit = True
            await asyncio.gather(running, beating, return_exceptions=True)
