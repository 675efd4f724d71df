"""What is kept, as rows: the values of one write, and what of an event does not depend on who tells it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from controller.floor.board.incident import Incident, TrailLine
from controller.mqtt.links import TELLER
from controller.mqtt.payloads import PublicEvent, StatusPayload

OUTCOMES: Final = ("hand_ended", "hand_voided")


class Source(NamedTuple):
    """Whose event it is."""

    table: str
    journal: str


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """An event of a table's journal."""

    source: Source
    event: PublicEvent


@dataclass(frozen=True, slots=True)
class KeptStatus:
    """A status that was another than the one before."""

    table: str
    status: StatusPayload


@dataclass(frozen=True, slots=True)
class KeptHead:
    """The head of a journal's chain after record ``seq``."""

    source: Source
    seq: int
    head: str
    at: datetime


@dataclass(frozen=True, slots=True)
class KeptHole:
    """Between two events of a journal others may be missing for ever."""

    source: Source
    after_seq: int
    next_seq: int
    found_at: datetime


@dataclass(frozen=True, slots=True)
class KeptNote:
    """What a person did at the floor. ``entry`` names it among all of the venue; ``person`` is empty for nobody known, ``table``
    ``None`` for no table; ``body`` is JSON."""

    entry: str
    at: datetime
    kind: str
    person: str
    table: str | None
    body: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything of one write. Events of one source are in order, and nothing between them is missing."""

    events: tuple[KeptEvent, ...] = ()
    statuses: tuple[KeptStatus, ...] = ()
    heads: tuple[KeptHead, ...] = ()
    holes: tuple[KeptHole, ...] = ()
    alarms: tuple[Incident, ...] = ()
    trail: tuple[TrailLine, ...] = ()
    notes: tuple[KeptNote, ...] = ()


class Difference(NamedTuple):
    """Record ``seq`` of a journal was told otherwise than it is kept: the event, or the head of the chain."""

    source: Source
    seq: int


def digest_of(event: PublicEvent) -> str:
    """SHA-256 of the event without its teller, hexadecimal. Fields come in the order of the model, which is part of the copy."""
    return hashlib.sha256(event.model_dump_json(exclude=set(TELLER), exclude_none=True).encode()).hexdigest()


def event_row(venue: str, kept: KeptEvent) -> dict[str, Any]:
    """Row of ``events``."""
    event = kept.event
    return {
        **_key(venue, kept.source),
        "seq": event.seq,
        "at": event.at,
        "previous": event.previous,
        "epoch": event.epoch,
        "event": event.event,
        "hand": event.hand,
        "body": event.model_dump_json(exclude_none=True),
        "digest": digest_of(event),
    }


def mark_rows(venue: str, events: tuple[KeptEvent, ...]) -> list[dict[str, Any]]:
    """Rows of ``marks``: the last event of each source, in a fixed order, so that two writers do not wait for each other."""
    last = {kept.source: kept.event for kept in events}
    return [{**_key(venue, source), "seq": event.seq, "at": event.at} for source, event in sorted(last.items())]


def hand_rows(venue: str, events: tuple[KeptEvent, ...]) -> list[dict[str, Any]]:
    """Rows of ``hands``: what these events tell of each hand's beginning and end."""
    rows: dict[tuple[Source, int], dict[str, Any]] = {}
    for source, event in ((kept.source, kept.event) for kept in events):
        if event.hand is None or event.event not in ("hand_opened", *OUTCOMES):
            continue
        empty = dict.fromkeys(("opened_seq", "opened_at", "ended_seq", "ended_at", "outcome"))
        row = rows.setdefault((source, event.hand), {**_key(venue, source), "hand": event.hand, **empty})
        if event.event == "hand_opened":
            row |= {"opened_seq": event.seq, "opened_at": event.at}
        else:
            row |= {"ended_seq": event.seq, "ended_at": event.at, "outcome": event.event}
    return [row for _, row in sorted(rows.items())]


def ruling_rows(venue: str, events: tuple[KeptEvent, ...]) -> list[dict[str, Any]]:
    """Rows of ``rulings``."""
    return [
        {**_key(venue, kept.source), "seq": kept.event.seq, "at": kept.event.at, "hand": kept.event.hand, "code": kept.event.code}
        for kept in events
        if kept.event.event == "ruled" and kept.event.code is not None
    ]


def status_rows(venue: str, statuses: tuple[KeptStatus, ...]) -> list[dict[str, Any]]:
    """Rows of ``statuses``."""
    return [
        {
            "venue": venue,
            "table_name": kept.table,
            "epoch": kept.status.epoch,
            "seq": kept.status.seq,
            "status": kept.status.status.value,
            "at": kept.status.at,
            "journal": kept.status.journal,
            "dealer": kept.status.dealer,
        }
        for kept in statuses
    ]


def head_rows(venue: str, heads: tuple[KeptHead, ...]) -> list[dict[str, Any]]:
    """Rows of ``heads``."""
    return [{**_key(venue, kept.source), "seq": kept.seq, "head": kept.head, "at": kept.at} for kept in heads]


def hole_rows(venue: str, holes: tuple[KeptHole, ...]) -> list[dict[str, Any]]:
    """Rows of ``holes``."""
    return [
        {**_key(venue, kept.source), "after_seq": kept.after_seq, "next_seq": kept.next_seq, "found_at": kept.found_at}
        for kept in holes
    ]


def note_rows(venue: str, notes: tuple[KeptNote, ...]) -> list[dict[str, Any]]:
    """Rows of ``trail``."""
    return [
        {
            "venue": venue,
            "entry": kept.entry,
            "at": kept.at,
            "kind": kept.kind,
            "person": kept.person,
            "table_name": kept.table,
            "body": kept.body,
        }
        for kept in notes
    ]


def _key(venue: str, source: Source) -> dict[str, Any]:
    return {"venue": venue, "table_name": source.table, "journal": source.journal}
