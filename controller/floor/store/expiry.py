"""Old months of a venue's events are dropped whole; where each journal was cut is kept, with the link that the rest hangs on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import delete, func, inspect, select, table, text

from controller.floor.store.months import YEARS, Month
from controller.floor.store.rows import Source, key
from controller.floor.store.store import FloorStore, StoreError
from controller.floor.store.tables import CUTS, EVENTS

DELETE_ROWS: Final = 5_000
"""Rows that SQLite deletes in one transaction: the floor writes between two of them."""


class Cut(NamedTuple):
    """Where a journal's copy begins: behind record ``seq``, the newest event that was dropped, and its ``link``."""

    seq: int
    link: str | None


@dataclass(frozen=True, slots=True)
class Old:
    """Events of one journal before a moment: how many, the newest of them, and whether others that stay stand before it."""

    source: Source
    events: int
    cut: Cut
    is_mixed: bool


def first_kept(now: datetime, keep_months: int) -> Month:
    """The oldest month that stays: so many whole months before the one of ``now``, which always stays."""
    today = now.astimezone(UTC)
    months = today.year * 12 + today.month - 1 - max(1, keep_months)
    return Month(months // 12, months % 12 + 1)


async def cuts(store: FloorStore) -> Mapping[Source, Cut]:
    """Where each journal of the venue was cut last."""
    wanted = select(CUTS).where(CUTS.c.venue == store.venue).order_by(CUTS.c.seq)
    return {Source(row["table_name"], row["journal"]): Cut(row["seq"], row["link"]) for row in await store.read(wanted)}


async def old_events(store: FloorStore, first: Month) -> tuple[Old, ...]:
    """What lies before ``first``, journal by journal."""
    within = (EVENTS.c.venue == store.venue, EVENTS.c.at >= Month(YEARS.start, 1).begins, EVENTS.c.at < first.begins)
    who = (EVENTS.c.table_name, EVENTS.c.journal)
    wanted = select(*who, func.count().label("events"), func.max(EVENTS.c.seq).label("seq")).where(*within).group_by(*who)
    found = []
    for row in sorted(await store.read(wanted), key=lambda row: (row["table_name"], row["journal"])):
        source = Source(row["table_name"], row["journal"])
        mine = (EVENTS.c.venue == store.venue, who[0] == source.table, who[1] == source.journal)
        [last] = await store.read(select(EVENTS.c.link).where(*mine, EVENTS.c.seq == row["seq"]).limit(1))
        [kept] = await store.read(
            select(func.count().label("rows")).where(*mine, EVENTS.c.seq < row["seq"], EVENTS.c.at >= first.begins)
        )
        found.append(Old(source, row["events"], Cut(row["seq"], last["link"]), kept["rows"] > 0))
    return tuple(found)


async def other_venues(store: FloorStore, first: Month) -> tuple[str, ...]:
    """Other venues whose events lie in the months that would go."""
    wanted = select(EVENTS.c.venue).where(EVENTS.c.venue != store.venue, EVENTS.c.at < first.begins).distinct().limit(8)
    return tuple(sorted(row["venue"] for row in await store.read(wanted)))


async def drop_old(store: FloorStore, first: Month, old: tuple[Old, ...], at: datetime) -> None:
    """Note every cut, then drop what lies before ``first``: PostgreSQL's months as a whole and with the cuts in one transaction,
    SQLite's rows in parts, of which a later call takes what a crash left. ``StoreError``, and nothing is dropped, where a floor
    has written into those months since ``old`` was looked at and proven."""
    noted = [
        {**key(store.venue, one.source), "seq": one.cut.seq, "link": one.cut.link, "events": one.events, "dropped_at": at}
        for one in old
    ]
    async with store.transaction() as connection:
        await store.insert(connection, CUTS, noted)
        if store.is_postgresql:
            names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
            going = sorted(one for one in names if _is_before(one, first))
            there = 0
            for name in going:
                await connection.execute(text(f"ALTER TABLE events DETACH PARTITION {name}"))  # nobody writes there from here on
                there += (await connection.execute(select(func.count()).select_from(table(name)))).scalar_one()
            if there != (proven := sum(one.events for one in old)):
                raise StoreError(f"{there} events lie in the months that would go, and {proven} were proven: run it again")
            for name in going:
                await connection.execute(text(f"DROP TABLE {name}"))
    if store.is_postgresql:
        store.forget_months()
        return
    for one in old:
        mine: Any = (
            EVENTS.c.venue == store.venue,
            EVENTS.c.table_name == one.source.table,
            EVENTS.c.journal == one.source.journal,
            EVENTS.c.seq <= one.cut.seq,
        )
        while rows := await store.read(select(EVENTS.c.seq).where(*mine).order_by(EVENTS.c.seq).limit(DELETE_ROWS)):
            async with store.transaction() as connection:
                await connection.execute(delete(EVENTS).where(*mine, EVENTS.c.seq <= rows[-1]["seq"]))


def _is_before(partition: str, first: Month) -> bool:
    """Whether a table is the part of a month before ``first``; its name has nothing in it but figures."""
    parts = partition.split("_")
    is_month = len(parts) == 3 and parts[0] == "events" and all(part.isdecimal() for part in parts[1:])
    return is_month and Month(int(parts[1]), int(parts[2])) < first
