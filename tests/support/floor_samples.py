"""Payloads of many tables, moments, and what a page makes of the floor's changes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from controller.floor.board.moment import Moment
from controller.mqtt.payloads import Alarm, Hold, PublicEvent, PublicView, StatusPayload, TableStatus, Words
from support.mqtt_samples import public_view

START: Final = datetime(2026, 1, 2, 20, 0, tzinfo=UTC)
JOURNAL: Final = "5f0c9a1e"


def moment(seconds: float) -> Moment:
    """So many seconds after the start."""
    return Moment(seconds, START + timedelta(seconds=seconds))


def status(of: TableStatus = TableStatus.LIVE, *, epoch: int = 2, seq: int = 5, **more: Any) -> StatusPayload:
    return StatusPayload(seq=seq, epoch=epoch, at=START, status=of, **{"journal": JOURNAL, **more})


def view(*, seq: int = 123, epoch: int = 2, hold: str | None = None, **more: Any) -> PublicView:
    words = Words(en="stopped", fr="arrêté")
    return public_view(seq, epoch=epoch, hold=None if hold is None else Hold(code=hold, text=words), **more)


def alarm(name: str, *, priority: int = 1, at: float = 0.0, by: str | None = None, epoch: int = 2) -> Alarm:
    return Alarm(
        seq=5,
        epoch=epoch,
        at=START,
        alarm=name,
        code=name,
        priority=priority,
        raised_at=START + timedelta(seconds=at),
        acknowledged_by=by,
        text=Words(en=name, fr=name),
    )


def happened(seq: int, what: str = "burn_made", *, at: float = 0.0, epoch: int = 2, **more: Any) -> PublicEvent:
    """One public event of a journal whose every record is one."""
    said = {"hand": 1, "previous": max(seq - 1, 0), **more}
    return PublicEvent(seq=seq, epoch=epoch, at=START + timedelta(seconds=at), event=what, **said)


def merged(picture: Mapping[str, Any], change: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a page makes of a picture and a change, by the rule of the reference."""
    after = dict(picture)
    for key, value in (change or {}).items():
        match key:
            case "tables":
                tiles = {name: {**after["tables"].get(name, {}), **tile} for name, tile in value.items()}
                after["tables"] = {**after["tables"], **tiles}
            case "alarms":
                alarms = {**after["alarms"], **value}
                after["alarms"] = {name: one for name, one in alarms.items() if one is not None}
            case _:
                after[key] = value
    return after
