"""Alarms that stand, of the tables and of the floor itself, and the order in which they ask for a person (screens §9)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from controller.floor.board.moment import told
from controller.mqtt.payloads import Alarm, Words
from controller.words.catalogue import Language, text

LOST: Final = "table_lost"
SILENT: Final = "table_silent"
BRIDGE: Final = "bridge_away"
BROKER: Final = "broker_away"
STORE: Final = "store_away"
WEBHOOK: Final = "webhook_fails"
COPY_DIFFERS: Final = "copy_differs"
COPY_AHEAD: Final = "copy_ahead"
COPY_HOLE: Final = "copy_hole"
PRIORITIES: Final = {
    LOST: 1,
    SILENT: 1,
    BRIDGE: 1,
    BROKER: 1,
    STORE: 2,
    WEBHOOK: 2,
    COPY_DIFFERS: 1,
    COPY_AHEAD: 1,
    COPY_HOLE: 2,
}
"""The floor's own alarms: what no table can say of itself."""
STICKY: Final = frozenset((COPY_DIFFERS, COPY_AHEAD, COPY_HOLE))
"""Alarms that end by a named person alone: their cause is in what is kept, and nothing tells that it is mended."""
AT_ONCE: Final = frozenset(("floor_asked", "floor_called"))
"""Alarms by which a person calls a person: nobody mends them within the ten seconds of a slip."""

MAX_NAMES: Final = 8192
"""Names whose sort key is remembered: those of all tables, which are put in order ten times a second."""


@dataclass(frozen=True, slots=True)
class StandingAlarm:
    """One alarm. ``table`` is empty for what is wrong with all of them; ``is_own``: the floor found it, not the table."""

    table: str
    alarm: str
    code: str
    priority: int
    raised_at: datetime
    text: Words
    place: str | None = None
    device: str | None = None
    acknowledged_by: str | None = None
    is_own: bool = False
    epoch: int = 0
    """Of the controller that told it; 0 for the floor's own."""
    told_at: datetime | None = None
    """``raised_at`` as that controller tells it: one that was started again tells a time of its own."""
    raised_seq: int | None = None
    """The record of the table's journal since which it stands there; ``None`` where the table keeps no record of it."""

    @property
    def key(self) -> str:
        """Its name on the floor: ``<table>/<alarm>``."""
        return f"{self.table}/{self.alarm}"

    def as_json(self) -> dict[str, Any]:
        """As pages are told it."""
        return {
            "id": self.key,
            "table": self.table or None,
            "alarm": self.alarm,
            "code": self.code,
            "priority": self.priority,
            "place": self.place,
            "device": self.device,
            "raised_at": told(self.raised_at),
            "acknowledged_by": self.acknowledged_by,
            "own": self.is_own,
            "text": {"en": self.text.en, "fr": self.text.fr},
        }


def of_table(table: str, alarm: Alarm) -> StandingAlarm:
    """An alarm that the table published."""
    return StandingAlarm(
        table,
        alarm.alarm,
        alarm.code,
        alarm.priority,
        alarm.raised_at,
        alarm.text,
        alarm.place,
        alarm.device,
        alarm.acknowledged_by,
        epoch=alarm.epoch,
        told_at=alarm.raised_at,
        raised_seq=alarm.raised_seq,
    )


def of_floor(table: str, code: str, at: datetime, **named: str | int) -> StandingAlarm:
    """An alarm of the floor itself; ``KeyError`` for a code that is none. ``named`` is what ``copy_differs`` says more: the
    ``journal`` and the ``seq`` of the record."""
    key = f"floor.alarm.{code}_at" if named else f"floor.alarm.{code}"
    words = Words(**{language.value: text(key, language, **named) for language in Language})
    return StandingAlarm(table, code, code, PRIORITIES[code], at, words, is_own=True)


def call_rank(alarm: StandingAlarm) -> tuple[int, bool, datetime, tuple[Any, ...], str]:
    """The higher priority first, what nobody has acknowledged before the rest, the older before the newer."""
    return alarm.priority, alarm.acknowledged_by is not None, alarm.raised_at, natural(alarm.table), alarm.alarm


def in_order(alarms: Iterable[StandingAlarm]) -> list[StandingAlarm]:
    """``alarms`` as a person should take them."""
    return sorted(alarms, key=call_rank)


@lru_cache(maxsize=MAX_NAMES)
def natural(name: str) -> tuple[Any, ...]:
    """Sort key by which T2 comes before T10."""
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.findall(r"[0-9]+|[^0-9]+", name))
