"""The store's tables. Every row bears the key that the table gave it, so that what is told twice is kept once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)
from sqlalchemy.types import TypeDecorator

METADATA: Final = MetaData()


class Utc(TypeDecorator[datetime]):
    """An aware time in UTC; SQLite, which knows no zone, keeps it without."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the database."""
        if value is None:
            return None
        value = value.astimezone(UTC)
        return value if dialect.name == "postgresql" else value.replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From the database."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _who(*, journal: bool = True) -> list[Column[Any]]:
    """The first part of every key: venue, table and mostly the journal."""
    names = [Column("venue", String(64), primary_key=True), Column("table_name", String(64), primary_key=True)]
    return [*names, Column("journal", String(8), primary_key=True)] if journal else names


EVENTS: Final = Table(
    "events",
    METADATA,
    *_who(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Utc, primary_key=True),
    Column("previous", BigInteger),
    Column("epoch", BigInteger, nullable=False),
    Column("event", String(48), nullable=False),
    Column("hand", BigInteger),
    Column("body", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("link", String(64)),
    postgresql_partition_by="RANGE (at)",
)
"""Public events. ``body`` is the payload as JSON, ``digest`` the hash of what does not depend on who tells it. ``at`` is the
table's own time and part of the key since PostgreSQL wants it there of a table that is partitioned by it; ``link`` is what
hangs it on the event before."""

Index("events_by_hand", EVENTS.c.venue, EVENTS.c.table_name, EVENTS.c.journal, EVENTS.c.hand)

MARKS: Final = Table(
    "marks",
    METADATA,
    *_who(),
    Column("seq", BigInteger, nullable=False),
    Column("at", Utc, nullable=False),
    Column("link", String(64)),
    Column("verified", BigInteger),
)
"""The highest event of each journal up to which nothing is missing, but for what stands in ``holes``, with its link;
``verified`` is the highest one whose link was proven when it came."""

HOLES: Final = Table(
    "holes",
    METADATA,
    *_who(),
    Column("after_seq", BigInteger, primary_key=True, autoincrement=False),
    Column("next_seq", BigInteger, nullable=False),
    Column("found_at", Utc, nullable=False),
    Column("closed_at", Utc),
)
"""What a table no longer kept when it was asked: between the two numbers there may have been events. ``closed_at``: when it
was asked again, it had them."""

DIFFERENCES: Final = Table(
    "differences",
    METADATA,
    *_who(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("what", String(16), primary_key=True),
    Column("found_at", Utc, nullable=False),
)
"""Records that were told otherwise than they are kept, or whose links do not fit, each when it was found first."""

CUTS: Final = Table(
    "cuts",
    METADATA,
    *_who(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("link", String(64)),
    Column("events", BigInteger, nullable=False),
    Column("dropped_at", Utc, nullable=False),
)
"""Where old months of a journal's events were dropped: up to record ``seq``, whose link the next event hangs on."""

HANDS: Final = Table(
    "hands",
    METADATA,
    *_who(),
    Column("hand", BigInteger, primary_key=True, autoincrement=False),
    Column("opened_seq", BigInteger),
    Column("opened_at", Utc),
    Column("ended_seq", BigInteger),
    Column("ended_at", Utc),
    Column("outcome", String(48)),
    Column("variant", String(8)),
    Column("dealer", String(64)),
    Column("players", SmallInteger),
    Column("pot", BigInteger),
    Column("rake", BigInteger),
    Column("seconds", Integer),
    Column("hour", Integer),
)
"""One row a hand; ``outcome`` is ``hand_ended`` or ``hand_voided``. ``dealer`` drove the table when it opened, ``players`` were
dealt in, ``pot`` is all that was played for and ``rake`` a part of it, ``seconds`` are from beginning to end, and ``hour`` is
that of its end, counted from 1970."""

Index("hands_by_end", HANDS.c.venue, HANDS.c.ended_at, HANDS.c.table_name, HANDS.c.journal, HANDS.c.hand)
Index("hands_by_table", HANDS.c.venue, HANDS.c.table_name, HANDS.c.ended_at, HANDS.c.journal, HANDS.c.hand)
Index("hands_by_dealer", HANDS.c.venue, HANDS.c.dealer, HANDS.c.ended_at, HANDS.c.table_name, HANDS.c.journal, HANDS.c.hand)
Index("hands_by_outcome", HANDS.c.venue, HANDS.c.outcome, HANDS.c.ended_at, HANDS.c.table_name, HANDS.c.journal, HANDS.c.hand)
COUNTED: Final = ("table_name", "variant", "dealer", "outcome", "players", "seconds", "rake")
"""What reports count of a hand; with them the index alone answers."""
Index("hands_counted", HANDS.c.venue, HANDS.c.hour, *(HANDS.c[name] for name in COUNTED))

PLAYERS: Final = Table(
    "players",
    METADATA,
    *_who(),
    Column("hand", BigInteger, primary_key=True, autoincrement=False),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("name", String(64), nullable=False),
    Column("name_key", String(64), nullable=False),
    Column("at", Utc, nullable=False),
)
"""Who was dealt into a hand, by its opening; ``name_key`` is the name as it is looked for, in small letters."""

Index("players_by_name", PLAYERS.c.venue, PLAYERS.c.name_key, PLAYERS.c.at)

SLIPS: Final = Table(
    "slips",
    METADATA,
    *_who(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Utc, nullable=False),
    Column("hand", BigInteger),
    Column("event", String(48), nullable=False),
    Column("code", String(48), nullable=False),
    Column("place", String(32)),
    Column("seat", SmallInteger),
    Column("until_seq", BigInteger),
    Column("until_at", Utc),
    Column("seconds", Float),
)
"""What ordinary play does not have: stops (``hand_held``, with their end and length), misdeals, exposed and dead cards, undone
entries. ``code`` is the kind that reports count."""

Index("slips_by_time", SLIPS.c.venue, SLIPS.c.at)

RULINGS: Final = Table(
    "rulings",
    METADATA,
    *_who(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Utc, nullable=False),
    Column("hand", BigInteger),
    Column("code", String(48), nullable=False),
    Column("role", String(64)),
    Column("person", String(64)),
    Column("agreed_by", String(64)),
)
"""What was ruled, as the table told it, and by whom."""

ALARMS: Final = Table(
    "alarms",
    METADATA,
    *_who(journal=False),
    Column("alarm", String(64), primary_key=True),
    Column("raised_at", Utc, primary_key=True),
    Column("code", String(48), nullable=False),
    Column("priority", SmallInteger, nullable=False),
    Column("place", String(32)),
    Column("device", String(64)),
    Column("own", Boolean, nullable=False),
    Column("text_en", Text, nullable=False),
    Column("text_fr", Text, nullable=False),
    Column("acknowledged_by", String(64)),
    Column("cleared_at", Utc),
    Column("epoch", BigInteger),
    Column("told_at", Utc),
    Column("hand", BigInteger),
    Column("called_at", Utc),
    Column("acknowledged_at", Utc),
)
"""Every alarm, with its end; ``own``: the floor found it. An alarm of all tables has an empty ``table_name``. ``called_at`` is
null for what was mended before it called anybody; ``epoch`` is that of the controller that told it last, ``told_at`` its time
by that controller, which knows none before its own start."""

Index("alarms_by_raise", ALARMS.c.venue, ALARMS.c.raised_at)

ALARM_TRAIL: Final = Table(
    "alarm_trail",
    METADATA,
    *_who(journal=False),
    Column("alarm", String(64), primary_key=True),
    Column("raised_at", Utc, primary_key=True),
    Column("entry", String(48), primary_key=True),
    Column("what", String(16), nullable=False),
    Column("at", Utc, nullable=False),
    Column("by_name", String(64)),
    Column("reason", Text),
    Column("until", Utc),
    Column("code", String(48)),
    Column("hand", BigInteger),
    Column("kept_at", Utc, nullable=False),
)
"""What happened to each alarm, a row each, written once: ``entry`` is the line's name within its alarm, so that of two floors
that tell the same thing the first one's row stays. ``kept_at``: when it was written, by which floors of one store find each
other's."""

Index("alarm_trail_by_time", ALARM_TRAIL.c.venue, ALARM_TRAIL.c.kept_at)

STATUSES: Final = Table(
    "statuses",
    METADATA,
    *_who(journal=False),
    Column("epoch", BigInteger, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("status", String(16), primary_key=True),
    Column("at", Utc, nullable=False),
    Column("journal", String(8)),
    Column("dealer", String(64)),
)
"""What a table said of itself, each time it was another."""

TRAIL: Final = Table(
    "trail",
    METADATA,
    Column("venue", String(64), primary_key=True),
    Column("entry", String(64), primary_key=True),
    Column("at", Utc, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("person", String(64), nullable=False),
    Column("table_name", String(64)),
    Column("body", Text, nullable=False),
)
"""What people did at the floor: who came and went, and what was ordered from there. ``entry`` is ``<boot>-<number>``."""

Index("trail_by_time", TRAIL.c.venue, TRAIL.c.at)

HEADS: Final = Table(
    "heads",
    METADATA,
    *_who(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("head", String(64), nullable=False),
    Column("at", Utc, nullable=False),
)
"""Hashes of a journal's chain as its status told them: proof, kept elsewhere, that it was not cut short."""

WAITING: Final = Table(
    "waiting",
    METADATA,
    Column("venue", String(64), primary_key=True),
    Column("entry", String(64), primary_key=True),
    Column("variant", String(16), nullable=False),
    Column("small", BigInteger, nullable=False),
    Column("big", BigInteger, nullable=False),
    Column("name", String(64), nullable=False),
    Column("since", Utc, nullable=False),
    Column("standing", String(16), nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("called_at", Utc),
    Column("seat_table", String(64)),
    Column("ended_at", Utc),
)
"""Who waits for which game, and who did; ``seat_table`` is where a player was called to or sits."""

Index("waiting_now", WAITING.c.venue, WAITING.c.ended_at)

SHIFTS: Final = Table(
    "shifts",
    METADATA,
    Column("venue", String(64), primary_key=True),
    Column("shift", String(64), primary_key=True),
    Column("table_name", String(64), nullable=False),
    Column("dealer", String(64), nullable=False),
    Column("starts", Utc, nullable=False),
    Column("ends", Utc, nullable=False),
)
"""Which dealer deals where, from when until when."""

Index("shifts_by_end", SHIFTS.c.venue, SHIFTS.c.ends)
