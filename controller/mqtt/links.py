"""The chain of the public events: each one's ``link`` binds the one before, so that a copy proves itself.

A stretch of the chain begins with the journal's first public event and with each hand, from what everybody knows there: table,
journal, the number of the public event before, and the head of the journal's own chain, which covers everything until then,
sealed cards too. ``‖`` joins bytes::

    start   = SHA-256("STUD-PUBLIC/1|" ‖ table ‖ "|" ‖ journal ‖ "|" ‖ previous ‖ "|" ‖ head)
    link    = SHA-256(link before, or start ‖ SHA-256(content))
    content = canonical JSON of the event without its teller's fields and what is null
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final, NamedTuple

from controller.mqtt.payloads import PublicEvent
from controller.mqtt.reading import whole

TELLER: Final = frozenset(("epoch", "previous", "link", "head"))
"""Fields of an event that say who tells it and how it hangs together with others, and not what happened."""
BEGINS: Final = "hand_opened"
"""The event with which a stretch begins, whatever is before it."""
_TEXT_OF: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False).encode


class ChainName(NamedTuple):
    """Whose chain it is."""

    table: str
    journal: str


def content(event: PublicEvent) -> bytes:
    """What happened, as canonical JSON (docs/reference/journal-format.md): the same bytes whoever tells it."""
    return canonical(event, exclude=TELLER).encode()


def canonical(event: PublicEvent, *, exclude: frozenset[str] = frozenset()) -> str:
    """An event as canonical JSON, with the fields that only a newer release knows."""
    return _TEXT_OF(whole(event, event.model_dump(mode="json", exclude=set(exclude), exclude_none=True)))


def begins(event: PublicEvent, previous: int | None) -> bool:
    """Whether a stretch begins with ``event``, which follows on record ``previous``; it begins with the journal's first one."""
    return event.event == BEGINS or previous == 0


def start_of(name: ChainName, previous: int, head: str) -> str:
    """What a stretch follows on: ``head`` is the journal's chain after the record before, hexadecimal."""
    return sha256(f"STUD-PUBLIC/1|{name.table}|{name.journal}|{previous}|{head}".encode()).hexdigest()


def link_after(before: str, event: PublicEvent) -> str:
    """The link of ``event`` behind ``before``, hexadecimal."""
    return sha256(bytes.fromhex(before) + sha256(content(event)).digest()).hexdigest()
