"""What is read back of the alarms: those that stand, their trail, and how often a person was called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, Table, and_, func, or_, select, tuple_

from controller.floor.board.incident import TrailLine
from controller.floor.store.alarm_rows import AlarmStory, key_of, line_of, story_of
from controller.floor.store.tables import ALARM_TRAIL, ALARMS, HANDS

MAX_OPEN: Final = 4096
"""Alarms that were not ended, or not seen, which are read back at a start."""
MAX_STORIES: Final = 500
"""Alarms of one answer."""
MAX_FOLLOWED: Final = 1000
"""Lines of other floors that are read at one time; the rest comes with the next."""
_ASK: Final = 300
"""Alarms whose trail is read in one statement."""

Read = Callable[[Select[Any]], Awaitable[list[dict[str, Any]]]]


class AlarmCount(NamedTuple):
    """How often one thing was raised, and how often it called a person."""

    table: str
    code: str
    device: str | None
    priority: int
    raised: int
    called: int


class AlarmReads:
    """``read`` runs a statement at the store and may raise its ``StoreError``."""

    def __init__(self, read: Read, venue: str) -> None:
        self._read = read
        self._venue = venue

    async def open(self, now: datetime, shown_for: timedelta) -> tuple[AlarmStory, ...]:
        """What stands, what is over and was not seen, and what is over since less than ``shown_for``; what stands first, so that
        none of it is left behind by what is only to be seen."""
        alarms = ALARMS.c
        called = alarms.called_at.is_not(None)
        unseen = and_(called, alarms.acknowledged_by.is_(None))
        recent = and_(called, alarms.cleared_at >= now - shown_for)
        wanted = self._of(ALARMS).where(or_(alarms.cleared_at.is_(None), unseen, recent))
        newest = (alarms.cleared_at.is_not(None), alarms.raised_at.desc())
        return await self._stories(wanted.order_by(*newest).limit(MAX_OPEN))

    async def since(self, since: datetime, table: str | None, limit: int) -> tuple[AlarmStory, ...]:
        """The newest ``limit`` alarms that were raised since then, the newest first."""
        wanted = self._of(ALARMS).where(ALARMS.c.raised_at >= since)
        if table is not None:
            wanted = wanted.where(ALARMS.c.table_name == table)
        return await self._stories(wanted.order_by(ALARMS.c.raised_at.desc()).limit(min(limit, MAX_STORIES)))

    async def lines(self, kept_since: datetime) -> tuple[TrailLine, ...]:
        """The newest lines that any floor wrote since then, in order."""
        wanted = self._of(ALARM_TRAIL).where(ALARM_TRAIL.c.kept_at >= kept_since)
        found = await self._read(wanted.order_by(ALARM_TRAIL.c.kept_at.desc()).limit(MAX_FOLLOWED))
        return tuple(line_of(row) for row in reversed(found))

    async def counts(self, since: datetime) -> tuple[AlarmCount, ...]:
        """Alarms that were raised since then, by what they were."""
        alarms = ALARMS.c
        names = (alarms.table_name, alarms.code, alarms.device, alarms.priority)
        wanted = select(*names, func.count().label("raised"), func.count(alarms.called_at).label("called"))
        found = await self._read(wanted.where(alarms.venue == self._venue, alarms.raised_at >= since).group_by(*names))
        return tuple(
            AlarmCount(row["table_name"], row["code"], row["device"], row["priority"], row["raised"], row["called"])
            for row in found
        )

    async def hands(self, since: datetime) -> Mapping[str, int]:
        """Hands that ended since then, by table."""
        wanted = select(HANDS.c.table_name, func.count().label("hands"))
        chosen = wanted.where(HANDS.c.venue == self._venue, HANDS.c.ended_at >= since)
        return {row["table_name"]: row["hands"] for row in await self._read(chosen.group_by(HANDS.c.table_name))}

    async def _stories(self, wanted: Select[Any]) -> tuple[AlarmStory, ...]:
        found = await self._read(wanted)
        lines: dict[tuple[str, str, datetime], list[TrailLine]] = {}
        key = (ALARM_TRAIL.c.table_name, ALARM_TRAIL.c.alarm, ALARM_TRAIL.c.raised_at)
        for start in range(0, len(found), _ASK):
            some = [key_of(row) for row in found[start : start + _ASK]]
            for row in await self._read(self._of(ALARM_TRAIL).where(tuple_(*key).in_(some))):
                lines.setdefault(key_of(row), []).append(line_of(row))
        return tuple(story_of(row, lines.get(key_of(row), ())) for row in found)

    def _of(self, table: Table) -> Select[Any]:
        return select(table).where(table.c.venue == self._venue)
