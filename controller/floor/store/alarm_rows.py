"""Alarms and their trail as rows, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from controller.floor.board.alarms import StandingAlarm
from controller.floor.board.incident import Incident, Trail, TrailLine
from controller.mqtt.payloads import Words


@dataclass(frozen=True, slots=True)
class AlarmStory:
    """An alarm that is kept, with everything that happened to it, in order."""

    incident: Incident
    trail: tuple[TrailLine, ...]

    def as_json(self) -> dict[str, Any]:
        """As the history tells it. ``took_s``: seconds from raise to acknowledgement and to end, null before."""
        one = self.incident
        seen, over = one.acknowledged_at, one.cleared_at
        return {
            **one.as_json(),
            "took_s": {"acknowledged": _seconds(one, seen), "cleared": _seconds(one, over)},
            "trail": [line.as_json() for line in self.trail],
        }


def _seconds(one: Incident, at: datetime | None) -> float | None:
    return None if at is None else round((at - one.alarm.raised_at).total_seconds(), 3)


def alarm_rows(venue: str, incidents: Iterable[Incident]) -> Iterator[dict[str, Any]]:
    """Rows of ``alarms``, the last one of each alarm."""
    for one in {one.id: one for one in incidents}.values():
        alarm = one.alarm
        yield {
            "venue": venue,
            "table_name": alarm.table,
            "alarm": alarm.alarm,
            "raised_at": alarm.raised_at,
            "code": alarm.code,
            "priority": alarm.priority,
            "place": alarm.place,
            "device": alarm.device,
            "own": alarm.is_own,
            "text_en": alarm.text.en,
            "text_fr": alarm.text.fr,
            "acknowledged_by": alarm.acknowledged_by,
            "cleared_at": one.cleared_at,
            "epoch": alarm.epoch,
            "told_at": alarm.told_at,
            "hand": one.hand,
            "called_at": one.called_at,
            "acknowledged_at": one.acknowledged_at,
        }


def trail_rows(venue: str, lines: Iterable[TrailLine], now: datetime) -> Iterator[dict[str, Any]]:
    """Rows of ``alarm_trail``, written at ``now``."""
    for line in {(line.id, line.entry): line for line in lines}.values():
        yield {
            "venue": venue,
            "table_name": line.table,
            "alarm": line.alarm,
            "raised_at": line.raised_at,
            "entry": line.entry,
            "what": line.what.value,
            "at": line.at,
            "by_name": line.by,
            "reason": line.reason,
            "until": line.until,
            "code": line.code,
            "hand": line.hand,
            "kept_at": now,
        }


def line_of(row: Mapping[str, Any]) -> TrailLine:
    """The line of a row of ``alarm_trail``."""
    return TrailLine(
        row["table_name"],
        row["alarm"],
        row["raised_at"],
        Trail(row["what"]),
        row["at"],
        by=row["by_name"],
        reason=row["reason"],
        until=row["until"],
        code=row["code"],
        hand=row["hand"],
    )


def story_of(row: Mapping[str, Any], trail: Iterable[TrailLine]) -> AlarmStory:
    """The alarm of a row of ``alarms``, as its trail has left it."""
    alarm = StandingAlarm(
        table=row["table_name"],
        alarm=row["alarm"],
        code=row["code"],
        priority=row["priority"],
        raised_at=row["raised_at"],
        text=Words(en=row["text_en"], fr=row["text_fr"]),
        place=row["place"],
        device=row["device"],
        acknowledged_by=row["acknowledged_by"],
        is_own=row["own"],
        epoch=row["epoch"] or 0,
        told_at=row["told_at"],
    )
    one = Incident(
        alarm,
        hand=row["hand"],
        called_at=row["called_at"],
        acknowledged_at=row["acknowledged_at"],
        cleared_at=row["cleared_at"],
    )
    lines = tuple(sorted(trail, key=lambda line: (line.at, list(Trail).index(line.what))))
    for line in lines:
        one = one.follows(line)
    return AlarmStory(one if one.cleared_at is None else replace(one, shelf=None), lines)


def key_of(row: Mapping[str, Any]) -> tuple[str, str, datetime]:
    """By which an alarm and its lines find each other."""
    return row["table_name"], row["alarm"], row["raised_at"]
