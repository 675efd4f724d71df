"""The access list of a broker: which topics each client may read and write. What is not here is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controller.keys.identity import Identity, Kind, display_of
from controller.mqtt.topics import ROOT, TableTopics

TOLD: Final = ("status", "public", "events", "alarms/+", "devices/+", "reply/+")
"""What a table tells everybody of the floor, and what crosses a bridge."""
BRIDGE_STATE: Final = "bridge"
ASKED: Final = ("request/backfill", "request/snapshot")
EVERY: Final = "+"


@dataclass(frozen=True, slots=True)
class Grant:
    """A user of the broker and its filters."""

    user: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableClients:
    """A table and the seats that have a display, 1-based. ``user`` is the table's own, where it is not by its certificate."""

    name: str
    seats: tuple[int, ...]
    user: str = ""


def of_table(venue: str, table: TableClients) -> list[Grant]:
    """The table, its seats' displays and its public one, at whichever broker they speak to."""
    topics = TableTopics(venue, table.name)
    everything = (f"{topics.root}/#",)
    seats = [
        Grant(
            display_of(table.name, seat).common_name,
            (topics.seat(seat), topics.compact(seat)),
            (topics.echo(seat), topics.call(seat)),
        )
        for seat in table.seats
    ]
    public = Grant(display_of(table.name, None).common_name, (topics.status, topics.public), ())
    return [Grant(table.user or Identity(Kind.TABLE, table.name).common_name, everything, everything), *seats, public]


def of_bridge(venue: str, table: str) -> Grant:
    """A table's bridge at the venue's broker: it speaks for its own table alone."""
    told = _below(venue, table, (*TOLD, BRIDGE_STATE))
    return Grant(Identity(Kind.BRIDGE, table).common_name, _below(venue, table, ASKED), told)


def of_floor(venue: str, user: str = Kind.FLOOR.value) -> Grant:
    """A floor: it reads what every table tells, and asks for what it missed."""
    return Grant(user, _below(venue, EVERY, (*TOLD, BRIDGE_STATE)), _below(venue, EVERY, ASKED[:1]))


def of_auditor(venue: str, name: str) -> Grant:
    """An auditor: public events of every table, what was missed of them, and nothing of devices and alarms."""
    reads = _below(venue, EVERY, ("status", "public", "events", "reply/+"))
    return Grant(Identity(Kind.AUDITOR, name).common_name, reads, _below(venue, EVERY, ASKED[:1]))


def of_venue(venue: str, tables: Sequence[TableClients], floors: Sequence[str], auditors: Sequence[str]) -> list[Grant]:
    """Everybody at the venue's broker."""
    found: list[Grant] = []
    for table in tables:
        found += [*of_table(venue, table), of_bridge(venue, table.name)]
    found += [of_floor(venue, user) for user in floors]
    found += [of_auditor(venue, name) for name in auditors]
    return found


def acl_text(grants: Sequence[Grant]) -> str:
    """The list as mosquitto reads it (``acl_file``)."""
    return "\n".join("\n".join(_lines(grant)) + "\n" for grant in grants)


def _lines(grant: Grant) -> list[str]:
    both = [topic for topic in grant.reads if topic in grant.writes]
    return [
        f"user {grant.user}",
        *(f"topic readwrite {topic}" for topic in both),
        *(f"topic read {topic}" for topic in grant.reads if topic not in both),
        *(f"topic write {topic}" for topic in grant.writes if topic not in both),
    ]


def _below(venue: str, table: str, parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{ROOT}/{venue}/{table}/{part}" for part in parts)
