"""Floods: alarms that a person should read as one (screens §9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from controller.floor.board.alarms import StandingAlarm

MANY_TABLES: Final = 5
"""The same thing at so many tables is one thing that is wrong."""
MANY_CALLS: Final = 10
"""More calls of one table than this within ``SPAN`` are one table that is wrong."""
SPAN: Final = timedelta(minutes=10)
_CARDS: Final = 2
"""A card for fewer folds nothing."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One card in the place of several: of ``kind`` ``code`` at many tables, or of ``kind`` ``table``. ``ids`` as they call."""

    kind: str
    name: str
    priority: int
    ids: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """As pages are told it."""
        return {"kind": self.kind, "name": self.name, "priority": self.priority, "ids": list(self.ids)}


def fold(alarms: Sequence[StandingAlarm], calls: Iterable[tuple[datetime, str]], now: datetime) -> tuple[Fold, ...]:
    """What of ``alarms``, which are in the order in which they call, becomes one card. ``calls``: time and table of each call.
    A table that calls too often comes first; an alarm is in one fold at most."""
    flooding = _flooding(calls, now)
    by_table: dict[str, list[StandingAlarm]] = defaultdict(list)
    by_code: dict[tuple[str, int], list[StandingAlarm]] = defaultdict(list)
    for alarm in alarms:
        if alarm.table in flooding:
            by_table[alarm.table].append(alarm)
    folded = {table for table, some in by_table.items() if len(some) >= _CARDS}
    for alarm in alarms:
        if alarm.table and alarm.table not in folded:
            by_code[alarm.code, alarm.priority].append(alarm)
    found = [_made("table", table, some) for table, some in by_table.items() if table in folded]
    found += [_made("code", code, some) for (code, _), some in by_code.items() if len({one.table for one in some}) >= MANY_TABLES]
    place = {alarm.key: number for number, alarm in enumerate(alarms)}
    return tuple(sorted(found, key=lambda one: place[one.ids[0]]))


def _flooding(calls: Iterable[tuple[datetime, str]], now: datetime) -> Collection[str]:
    counts: dict[str, int] = defaultdict(int)
    for at, table in calls:
        if table and now - at < SPAN:
            counts[table] += 1
    return {table for table, count in counts.items() if count > MANY_CALLS}


def _made(kind: str, name: str, some: Sequence[StandingAlarm]) -> Fold:
    return Fold(kind, name, min(one.priority for one in some), tuple(one.key for one in some))
