"""A floor with a room: waiting list and rota in a store of its own, beside tables that the test tells."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from controller.floor.room.rota import Layout
from controller.floor.room.waiting import Game, Waiting
from controller.floor.store.address import parse_address
from controller.floor.store.store import open_store
from controller.mqtt.payloads import PublicSeat, SeatState
from support.floor_pages import Screens, screens
from support.floor_people import PeopleFloor
from support.floor_site import seats


class RoomFloor(PeopleFloor):
    """T1 and T2 deal stud 4/8 with open seats, T3 razz and is full. ``copy`` may be taken away."""

    PITS: ClassVar[Mapping[str, Sequence[str]]] = {"A": ("T1", "T2"), "B": ("T3",)}

    def __init__(self, file: Path | None = None, **more: Any) -> None:
        self.behind = timedelta()
        super().__init__(file, **more)
        self.table("T1", "Nadia", taken=6)
        self.table("T2", "Bo", taken=7)
        self.table("T3", None, variant="razz")

    def desk_clock(self) -> datetime:
        """Put back while somebody begins to wait."""
        return self.now().at - self.behind

    def sit(self, table: str, seat: int, name: str) -> None:
        """``name`` sits at an empty seat of ``table``, as the table tells it."""
        now = [*seats(6)]
        now[seat - 1] = PublicSeat(seat=seat, name=name, stack=100, state=SeatState.LIVE)
        self.board.hear_public(table, self.view(table, seats=tuple(now)), self.now())

    async def wait(self, *names: str, minutes: int = 0, game: str = "stud") -> list[Waiting]:
        """They begin to wait for a game at 4/8, so many minutes ago."""
        self.behind = timedelta(minutes=minutes)
        found = [await self.room.join(Game(game, 4, 8), name, "M. Roux") for name in names]
        self.behind = timedelta()
        return found

    async def lay(self, *dealers: str, before: int, minutes: int = 30) -> None:
        """A rota of T1 and T2 that began so many minutes ago."""
        starts = self.now().at - timedelta(minutes=before)
        await self.room.lay(Layout(dealers, ("T1", "T2"), starts, minutes, 4), "M. Roux")

    @asynccontextmanager
    async def open(self, folder: Path) -> AsyncIterator[Screens]:
        """A browser at the floor."""
        async with open_store(parse_address("sqlite:///floor.sqlite3", folder), "nice") as store:
            self.copy = lambda: store
            async with self.served() as address, screens(address) as at:
                yield at
