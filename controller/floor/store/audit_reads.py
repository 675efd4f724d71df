"""What the store knows of its own truth: how far each journal is kept and proven, holes, heads, and what was found to differ."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from sqlalchemy import Select, Table, select

from controller.floor.store.tables import DIFFERENCES, HEADS, HOLES, MARKS

MAX_ROWS: Final = 200
"""Holes and differences of one journal that are told, the newest."""

Read = Callable[[Any], Awaitable[list[dict[str, Any]]]]


class AuditReads:
    """``read`` runs a statement at the store and may raise its ``StoreError``."""

    def __init__(self, read: Read, venue: str) -> None:
        self._read = read
        self._venue = venue

    async def journals(self, table: str) -> list[dict[str, Any]]:
        """Each journal of ``table`` that is kept, the newest first: rows of ``marks`` with ``holes``, ``head`` and
        ``differences``."""
        found = await self._read(self._of(MARKS, table).order_by(MARKS.c.at.desc()))
        for row in found:
            journal = row["journal"]
            holes = self._of(HOLES, table, journal).order_by(HOLES.c.after_seq.desc()).limit(MAX_ROWS)
            heads = self._of(HEADS, table, journal).order_by(HEADS.c.seq.desc()).limit(1)
            wrong = self._of(DIFFERENCES, table, journal).order_by(DIFFERENCES.c.found_at.desc(), DIFFERENCES.c.seq.desc())
            row["holes"] = await self._read(holes)
            row["head"] = next(iter(await self._read(heads)), None)
            row["differences"] = await self._read(wrong.limit(MAX_ROWS))
        return found

    def _of(self, table: Table, name: str, journal: str | None = None) -> Select[Any]:
        wanted = select(table).where(table.c.venue == self._venue, table.c.table_name == name)
        return wanted if journal is None else wanted.where(table.c.journal == journal)
