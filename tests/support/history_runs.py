"""Recorded tables as the floor hears them: each record with the table's own public view after it, and the event that tells it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from controller.displays.adapter import DisplayAdapter
from controller.mqtt.payloads import PublicEvent
from controller.table.evolve import evolve
from controller.table.loop import Record
from controller.table.picture import picture_of
from controller.table.records import decode, table_codec
from controller.table.state import TableState
from controller.views.public import public_view

AT = "2026-01-02T20:00:00.000Z"


class Heard(NamedTuple):
    """After a record: the event that tells it, or none, and what the table shows."""

    event: PublicEvent | None
    view: Mapping[str, Any]
    state: TableState


def heard(bodies: Iterable[Mapping[str, Any]], table: str = "T12") -> Iterator[Heard]:
    """What a floor hears of a journal, record by record, read without a key."""
    codec, state, adapter = table_codec(), TableState(), DisplayAdapter(table, epoch=1)
    for seq, body in enumerate(bodies, start=1):
        event = decode(codec, body, {})
        state = evolve(state, event)
        told = adapter.events([Record(seq, str(body.get("at", AT)), event)])
        yield Heard(told[0] if told else None, public_view(picture_of(state, table)), state)


def by_hand(events: Iterable[PublicEvent]) -> dict[int, list[PublicEvent]]:
    """The events of each hand, from its opening on, those behind its end included."""
    hands: dict[int, list[PublicEvent]] = {}
    for event in events:
        if event.hand is not None and (event.event == "hand_opened" or event.hand in hands):
            hands.setdefault(event.hand, []).append(event)
    return hands


def moment(text: str) -> datetime:
    """An RFC 3339 time."""
    return datetime.fromisoformat(text)
