"""What is kept, as rows: the values of one write, and what of an event does not depend on who tells it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import ValidationError

from controller.floor.board.incident import Incident, TrailLine
from controller.mqtt.links import TELLER, canonical, content
from controller.mqtt.payloads import PublicEvent, StatusPayload
from controller.mqtt.reading import is_newer, read_whole


class Source(NamedTuple):
    """Whose event it is."""

    table: str
    journal: str


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """An event of a table's journal. ``proven``: its link fits on a beginning that is known."""

    source: Source
    event: PublicEvent
    proven: bool = False


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
    """Between two events of a journal others are missing that the table no longer has; ``closed_at``: they came after all."""

    source: Source
    after_seq: int
    next_seq: int
    found_at: datetime
    closed_at: datetime | None = None


class Chained(NamedTuple):
    """How far a journal is kept: its newest event, that one's link, and the newest event whose link was proven, all or none
    ``None`` where there is no such."""

    seq: int
    link: str | None = None
    verified: int | None = None


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
    differences: tuple[KeptDifference, ...] = ()


class Difference(NamedTuple):
    """Record ``seq`` of a journal was told otherwise than it is kept. ``what``: the ``event``, its ``link``, the ``head`` of the
    journal's chain; or the ``chain``: its link does not fit on what was told before it."""

    source: Source
    seq: int
    what: str = "event"


class KeptDifference(NamedTuple):
    """A difference, and when it was found first."""

    difference: Difference
    found_at: datetime


def digest_of(event: PublicEvent) -> str:
    """SHA-256 of the event without its teller, hexadecimal. Fields come in the order of the model, which is part of the copy;
    those of one with fields of a newer release in that of the alphabet."""
    if is_newer(event):
        return hashlib.sha256(content(event)).hexdigest()
    return hashlib.sha256(event.model_dump_json(exclude=set(TELLER), exclude_none=True).encode()).hexdigest()


def digests_in(body: str) -> frozenset[str]:
    """Those of the event in the text of a row: as this release keeps it, and as one does that did not know some of its fields.
    None where the text is no event."""
    try:
        event = read_whole(PublicEvent, body)
    except ValidationError:
        return frozenset()
    return frozenset((digest_of(event), hashlib.sha256(content(event)).hexdigest()))


def event_row(venue: str, kept: KeptEvent) -> dict[str, Any]:
    """Row of ``events``."""
    event = kept.event
    return {
        **key(venue, kept.source),
        "seq": event.seq,
        "at": event.at,
        "previous": event.previous,
        "epoch": event.epoch,
        "event": event.event,
        "hand": event.hand,
        "body": canonical(event) if is_newer(event) else event.model_dump_json(exclude_none=True),
        "digest": digest_of(event),
        "link": event.link,
    }


def kept_as(venue: str, kept: KeptEvent) -> tuple[dict[str, Any], dict[str, Any]]:
    """The row as this release keeps the event, and as one does that did not know some of its fields."""
    row = event_row(venue, kept)
    return row, row | {"body": canonical(kept.event), "digest": hashlib.sha256(content(kept.event)).hexdigest()}


def mark_rows(venue: str, events: tuple[KeptEvent, ...]) -> list[dict[str, Any]]:
    """Rows of ``marks``: the last event of each source, in a fixed order, so that two writers do not wait for each other."""
    last: dict[Source, PublicEvent] = {}
    verified: dict[Source, int] = {}
    for kept in events:
        if kept.source not in last or kept.event.seq >= last[kept.source].seq:
            last[kept.source] = kept.event
        if kept.proven:
            verified[kept.source] = max(kept.event.seq, verified.get(kept.source, 0))
    return [
        {**key(venue, source), "seq": event.seq, "at": event.at, "link": event.link, "verified": verified.get(source)}
        for source, event in sorted(last.items())
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
    return [{**key(venue, kept.source), "seq": kept.seq, "head": kept.head, "at": kept.at} for kept in heads]


def hole_rows(venue: str, holes: tuple[KeptHole, ...]) -> list[dict[str, Any]]:
    """Rows of ``holes``, one of each: found again it is as small as it was told, and closed once it was."""
    found: dict[tuple[Source, int], dict[str, Any]] = {}
    for kept in holes:
        row = found.setdefault(
            (kept.source, kept.after_seq),
            {
                **key(venue, kept.source),
                "after_seq": kept.after_seq,
                "next_seq": kept.next_seq,
                "found_at": kept.found_at,
                "closed_at": None,
            },
        )
        row["next_seq"] = min(row["next_seq"], kept.next_seq)
        row["closed_at"] = row["closed_at"] or kept.closed_at
    return list(found.values())


def difference_rows(venue: str, differences: tuple[KeptDifference, ...]) -> list[dict[str, Any]]:
    """Rows of ``differences``."""
    return [{**key(venue, found.source), "seq": found.seq, "what": found.what, "found_at": at} for found, at in differences]


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


def key(venue: str, source: Source) -> dict[str, Any]:
    """The first part of every key."""
    return {"venue": venue, "table_name": source.table, "journal": source.journal}
