"""What runs a room, in the store: the waiting list and the rota. Of two changes to one row at the same time one is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from controller.floor.room.rota import Shift
from controller.floor.room.waiting import Game, Standing, Waiting
from controller.floor.store.tables import SHIFTS, WAITING

Transaction = Callable[[], AbstractAsyncContextManager[AsyncConnection]]
MAX_READ: Final = 5_000
"""Rows that are read at one time."""


class RoomRows:
    """Waiting list and rota of ``venue``. Every call is one transaction and may raise ``StoreError``."""

    def __init__(self, transaction: Transaction, venue: str) -> None:
        self._transaction = transaction
        self._venue = venue

    async def waiting(self, since: datetime) -> list[Waiting]:
        """Who waits, and who has left the list since then."""
        column = WAITING.c
        wanted = select(WAITING).where(column.venue == self._venue, column.ended_at.is_(None) | (column.ended_at >= since))
        return [_waiting(row) for row in await self._read(wanted.order_by(column.since, column.entry).limit(MAX_READ))]

    async def entry(self, entry: str) -> Waiting | None:
        """One player of the list; ``None`` for a key that is nobody's."""
        found = await self._read(select(WAITING).where(WAITING.c.venue == self._venue, WAITING.c.entry == entry))
        return _waiting(found[0]) if found else None

    async def join(self, one: Waiting) -> None:
        """A new place in the list."""
        async with self._transaction() as connection:
            await connection.execute(insert(WAITING), {"venue": self._venue, **_row(one)})

    async def change(self, one: Waiting) -> bool:
        """Keep ``one``, whose version is one more than what is kept. False: somebody was quicker, and nothing is changed."""
        column = WAITING.c
        is_of = (column.venue == self._venue, column.entry == one.entry, column.version == one.version - 1)
        async with self._transaction() as connection:
            return (await connection.execute(update(WAITING).where(*is_of).values(_row(one)))).rowcount == 1

    async def shifts(self, now: datetime) -> list[Shift]:
        """Every shift that is not over."""
        wanted = select(SHIFTS).where(SHIFTS.c.venue == self._venue, SHIFTS.c.ends > now)
        return [_shift(row) for row in await self._read(wanted.order_by(SHIFTS.c.starts, SHIFTS.c.table_name).limit(MAX_READ))]

    async def lay(self, shifts: Sequence[Shift], starts: datetime) -> None:
        """Put ``shifts`` in place of everything that their tables have from ``starts`` on; one that has begun then ends there."""
        tables = sorted({one.table for one in shifts})
        own = (SHIFTS.c.venue == self._venue, SHIFTS.c.table_name.in_(tables))
        async with self._transaction() as connection:
            await connection.execute(delete(SHIFTS).where(*own, SHIFTS.c.starts >= starts))
            await connection.execute(update(SHIFTS).where(*own, SHIFTS.c.ends > starts).values(ends=starts))
            await connection.execute(insert(SHIFTS), [{"venue": self._venue, **_shift_row(one)} for one in shifts])

    async def take(self, shift: Shift, before: str) -> bool:
        """``shift`` has another dealer than ``before``. False: it has changed meanwhile."""
        is_of = (SHIFTS.c.venue == self._venue, SHIFTS.c.shift == shift.shift, SHIFTS.c.dealer == before)
        async with self._transaction() as connection:
            return (await connection.execute(update(SHIFTS).where(*is_of).values(dealer=shift.dealer))).rowcount == 1

    async def _read(self, wanted: Any) -> list[Mapping[str, Any]]:
        async with self._transaction() as connection:
            return [dict(row) for row in (await connection.execute(wanted)).mappings()]


def _row(one: Waiting) -> dict[str, Any]:
    return {
        "entry": one.entry,
        **one.game._asdict(),
        "name": one.name,
        "since": one.since,
        "standing": one.standing.value,
        "version": one.version,
        "called_at": one.called_at,
        "seat_table": one.table,
        "ended_at": one.ended_at,
    }


def _waiting(row: Mapping[str, Any]) -> Waiting:
    return Waiting(
        row["entry"],
        Game(row["variant"], row["small"], row["big"]),
        row["name"],
        row["since"],
        Standing(row["standing"]),
        row["version"],
        row["called_at"],
        row["seat_table"],
        row["ended_at"],
    )


def _shift_row(one: Shift) -> dict[str, Any]:
    return {"shift": one.shift, "table_name": one.table, "dealer": one.dealer, "starts": one.starts, "ends": one.ends}


def _shift(row: Mapping[str, Any]) -> Shift:
    return Shift(row["shift"], row["table_name"], row["dealer"], row["starts"], row["ends"])
