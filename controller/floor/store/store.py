"""The store: what is written in one transaction, what is read back after a start, and what was told otherwise than it is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib import resources
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import URL, Connection, String, Table, and_, bindparam, case, cast, event, func, select, text, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from controller.floor.board.incident import Incident
from controller.floor.board.incidents import SHOWN_FOR
from controller.floor.store import hand_rows, lasting, rows
from controller.floor.store.address import shown
from controller.floor.store.alarm_reads import AlarmReads
from controller.floor.store.alarm_rows import alarm_rows, trail_rows
from controller.floor.store.audit_reads import AuditReads
from controller.floor.store.months import Month, make_partition, months_of
from controller.floor.store.room import RoomRows
from controller.floor.store.rows import Batch, Chained, Difference, KeptHole, Source
from controller.floor.store.tables import (
    ALARM_TRAIL,
    ALARMS,
    DIFFERENCES,
    EVENTS,
    HANDS,
    HEADS,
    HOLES,
    MARKS,
    PLAYERS,
    RULINGS,
    SLIPS,
    STATUSES,
    TRAIL,
)

CONNECT_S: Final = 5
"""Longest wait for a PostgreSQL server, in seconds."""
BUSY_MS: Final = 5_000
"""How long SQLite waits for another writer of the file."""
_LOCK: Final = 0x73747564
"""Of PostgreSQL's advisory locks the one that floors of one database take for migrations and partitions (``stud``)."""
MAX_HOLES: Final = 4096
"""Holes that are asked for again."""
_ASK: Final = 500
"""Keys that are looked up in one statement."""


class StoreError(Exception):
    """The database does not answer, or refuses; one sentence, without a password."""


class UnfitError(StoreError):
    """The database answers, and something that it was given fits into none of its columns."""


class FloorStore:
    """One venue's copy. Made by ``open_store``."""

    def __init__(self, engine: AsyncEngine, venue: str) -> None:
        self._engine = engine
        self._venue = venue
        self._is_postgresql = engine.dialect.name == "postgresql"
        self._file = _identity(engine.url)
        self._months: set[Month] = set()
        self._length = lasting.hand_length(postgresql=self._is_postgresql)
        self._stop_end = lasting.stop_end(postgresql=self._is_postgresql)

    async def write(self, batch: Batch) -> tuple[Difference, ...]:
        """Keep ``batch`` whole or not at all (``StoreError``, ``UnfitError``). What is kept already stays as it is: the
        differences are told."""
        events = [rows.event_row(self._venue, kept) for kept in batch.events]
        heads = rows.head_rows(self._venue, batch.heads)
        await self._make_months([kept.event.at for kept in batch.events])
        async with self.transaction() as connection:
            differing = await self._insert_compared(connection, EVENTS, events, {"digest": "event", "link": "link"})
            differing += await self._insert_compared(connection, HEADS, heads, {"head": "head"})
            await self.insert(connection, RULINGS, hand_rows.ruling_rows(self._venue, batch.events))
            await self.insert(connection, STATUSES, rows.status_rows(self._venue, batch.statuses))
            await self.insert(connection, DIFFERENCES, rows.difference_rows(self._venue, batch.differences))
            await self._upsert_holes(connection, rows.hole_rows(self._venue, batch.holes))
            await self.insert(connection, TRAIL, rows.note_rows(self._venue, batch.notes))
            await self._upsert_hands(connection, hand_rows.hand_rows(self._venue, batch.events))
            await self.insert(connection, PLAYERS, hand_rows.player_rows(self._venue, batch.events))
            await self.insert(connection, SLIPS, hand_rows.slip_rows(self._venue, batch.events))
            await self._end_stops(connection, hand_rows.stop_ends(self._venue, batch.events))
            await self._upsert_alarms(connection, list(alarm_rows(self._venue, batch.alarms)))
            await self.insert(connection, ALARM_TRAIL, list(trail_rows(self._venue, batch.trail, datetime.now(UTC))))
            await self._upsert_marks(connection, rows.mark_rows(self._venue, batch.events))
        return tuple(differing)

    async def marks(self) -> Mapping[Source, int]:
        """The highest event of every journal of the venue up to which everything is kept."""
        wanted = select(MARKS.c.table_name, MARKS.c.journal, MARKS.c.seq).where(MARKS.c.venue == self._venue)
        async with self.transaction() as connection:
            found = (await connection.execute(wanted)).all()
        return {Source(table, journal): seq for table, journal, seq in found}

    async def other_venues(self) -> Sequence[str]:
        """Whose tables are kept beside the venue's."""
        wanted = select(MARKS.c.venue).where(MARKS.c.venue != self._venue).distinct().order_by(MARKS.c.venue)
        return [row["venue"] for row in await self.read(wanted)]

    async def chains(self) -> Mapping[Source, Chained]:
        """The same with the link of that event, and how far links are proven."""
        wanted = select(MARKS).where(MARKS.c.venue == self._venue)
        found = await self.read(wanted)
        return {Source(row["table_name"], row["journal"]): Chained(row["seq"], row["link"], row["verified"]) for row in found}

    async def open_holes(self) -> tuple[KeptHole, ...]:
        """Holes that were not closed, in order."""
        wanted = select(HOLES).where(HOLES.c.venue == self._venue, HOLES.c.closed_at.is_(None)).order_by(*HOLES.primary_key)
        return tuple(
            KeptHole(Source(row["table_name"], row["journal"]), row["after_seq"], row["next_seq"], row["found_at"])
            for row in await self.read(wanted.limit(MAX_HOLES))
        )

    async def hand_ends(self, since: datetime) -> Mapping[str, list[datetime]]:
        """When hands ended since then, by table, in order."""
        wanted = select(HANDS.c.table_name, HANDS.c.ended_at).where(HANDS.c.venue == self._venue, HANDS.c.ended_at >= since)
        ends: dict[str, list[datetime]] = {}
        async with self.transaction() as connection:
            for table, at in (await connection.execute(wanted.order_by(HANDS.c.ended_at))).all():
                ends.setdefault(table, []).append(at)
        return ends

    @property
    def alarms(self) -> AlarmReads:
        """What is read back of the alarms."""
        return AlarmReads(self.read, self._venue)

    @property
    def audit(self) -> AuditReads:
        """What it knows of its own truth."""
        return AuditReads(self.read, self._venue)

    @property
    def room(self) -> RoomRows:
        """Waiting list and rota."""
        return RoomRows(self.transaction, self._venue)

    async def open_alarms(self, now: datetime) -> tuple[Incident, ...]:
        """What stands at ``now``, and what is over and has not been seen, or not for long."""
        return tuple(story.incident for story in await self.alarms.open(now, SHOWN_FOR))

    async def events(self, source: Source, from_seq: int, limit: int) -> list[dict[str, Any]]:
        """The first ``limit`` events of a journal from ``from_seq`` on, in order, as rows of ``events``."""
        wanted = select(EVENTS).where(EVENTS.c.seq >= from_seq, *self._is_of(EVENTS, source))
        return await self.read(wanted.order_by(EVENTS.c.seq).limit(limit))

    async def heads(self, source: Source, from_seq: int, limit: int) -> list[tuple[int, str]]:
        """The first ``limit`` heads of a journal from record ``from_seq`` on, in order, with the number of their record."""
        wanted = select(HEADS.c.seq, HEADS.c.head).where(HEADS.c.seq >= from_seq, *self._is_of(HEADS, source))
        return [(row["seq"], row["head"]) for row in await self.read(wanted.order_by(HEADS.c.seq).limit(limit))]

    async def rows_of(self, table: Table) -> list[dict[str, Any]]:
        """Every row of this venue in one of the small tables, by its key."""
        return await self.read(select(table).where(table.c.venue == self._venue).order_by(*table.primary_key.columns))

    @property
    def venue(self) -> str:
        """Whose copy it is."""
        return self._venue

    @property
    def is_postgresql(self) -> bool:
        """Whether a PostgreSQL server keeps it."""
        return self._is_postgresql

    async def read(self, wanted: Any) -> list[dict[str, Any]]:
        """The rows of a statement that the store's own modules made."""
        async with self.transaction() as connection:
            return [dict(row) for row in (await connection.execute(wanted)).mappings()]

    def _is_of(self, table: Table, source: Source) -> tuple[Any, ...]:
        return (table.c.venue == self._venue, table.c.table_name == source.table, table.c.journal == source.journal)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """One transaction; whatever the database says against it is a ``StoreError``, and so is a file that was taken away or
        put in the place of the one that was opened: SQLite would write on where nobody finds it."""
        if _identity(self._engine.url) != self._file:
            raise StoreError(_said(self._engine.url, FileNotFoundError("the file was taken away, or is another one by now")))
        try:
            async with self._engine.begin() as connection:
                yield connection
        except (SQLAlchemyError, OSError, OverflowError) as error:
            kind = UnfitError if _is_unfit(error) else StoreError
            raise kind(_said(self._engine.url, error)) from error

    async def _make_months(self, times: Sequence[datetime]) -> None:
        """PostgreSQL's partitions for the months of ``times``, in a transaction of their own: a month is remembered after it."""
        missing = [month for month in months_of(times) if month not in self._months] if self._is_postgresql else []
        if not missing:
            return
        async with self.transaction() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            for month in missing:
                await connection.execute(text(make_partition(month)))
        self._months.update(missing)

    def forget_months(self) -> None:
        """Partitions were dropped: those that are wanted are made again."""
        self._months.clear()

    async def insert(self, connection: AsyncConnection, table: Table, values: list[dict[str, Any]]) -> int:
        """Insert what is not there yet; the number of rows that are new."""
        if not values:
            return 0
        values = _in_order(table, values)
        return await self._run(connection, self._insertion(table, values).on_conflict_do_nothing(), values)

    async def _insert_compared(
        self, connection: AsyncConnection, table: Table, values: list[dict[str, Any]], columns: Mapping[str, str]
    ) -> list[Difference]:
        """Insert what is not there yet, and tell what is there otherwise in one of ``columns``, which name the differences. What
        one side does not know is no difference."""
        if await self.insert(connection, table, values) == len(values):
            return []
        found: list[Difference] = []
        for start in range(0, len(values), _ASK):
            part = {(row["table_name"], row["journal"], row["seq"]): row for row in values[start : start + _ASK]}
            asked = self._known(table, list(part), (*columns, "body") if table is EVENTS else columns)
            for name, journal, seq, *kept in (await connection.execute(asked)).all():
                given = part[name, journal, seq]
                if table is EVENTS and _same_event(given, dict(zip((*columns, "body"), kept, strict=True))):
                    continue
                for (column, what), value in zip(columns.items(), kept, strict=False):
                    if given[column] not in (None, value) and value is not None:
                        found.append(Difference(Source(name, journal), seq, what))
                        break
        return found

    def _known(self, table: Table, keys: list[tuple[str, str, int]], columns: Iterable[str]) -> Any:
        """The statement that reads ``columns`` of ``keys``. PostgreSQL is given them as rows to join: a list of hundreds it
        compares with every row of the table."""
        key = (table.c.table_name, table.c.journal, table.c.seq)
        wanted = select(*key, *(table.c[column] for column in columns)).where(table.c.venue == self._venue)
        if not self._is_postgresql:
            return wanted.where(tuple_(*key).in_(keys))
        given = _rows_of(table, [dict(zip((part.name for part in key), values, strict=True)) for values in keys])
        return wanted.join(given, and_(*(part == given.c[part.name] for part in key)))

    async def _upsert_marks(self, connection: AsyncConnection, values: list[dict[str, Any]]) -> None:
        """A mark never goes back: another floor may have written further."""
        if not values:
            return
        new = self._insertion(MARKS, values)
        is_later = new.excluded.seq > MARKS.c.seq
        newest = {name: case((is_later, new.excluded[name]), else_=MARKS.c[name]) for name in ("seq", "at", "link")}
        further = func.coalesce(new.excluded.verified, -1) > func.coalesce(MARKS.c.verified, -1)
        newest["verified"] = case((further, new.excluded.verified), else_=MARKS.c.verified)
        await self._run(connection, new.on_conflict_do_update(index_elements=list(MARKS.primary_key), set_=newest), values)

    async def _upsert_holes(self, connection: AsyncConnection, values: list[dict[str, Any]]) -> None:
        """A hole only becomes smaller, and one that was closed stays so."""
        if not values:
            return
        values = _in_order(HOLES, values)
        new = self._insertion(HOLES, values)
        is_smaller = new.excluded.next_seq < HOLES.c.next_seq
        known = {
            "next_seq": case((is_smaller, new.excluded.next_seq), else_=HOLES.c.next_seq),
            "closed_at": func.coalesce(HOLES.c.closed_at, new.excluded.closed_at),
        }
        await self._run(connection, new.on_conflict_do_update(index_elements=list(HOLES.primary_key), set_=known), values)

    async def _upsert_hands(self, connection: AsyncConnection, values: list[dict[str, Any]]) -> None:
        """Beginning, pots and end may come in several writes. A later end holds: a hand that was over may be void after all."""
        if not values:
            return
        new = self._insertion(HANDS, values)
        given, kept = new.excluded, HANDS.c
        is_later = given.ended_seq > func.coalesce(kept.ended_seq, 0)
        known: dict[str, Any] = {name: func.coalesce(kept[name], given[name]) for name in hand_rows.OPENED}
        known |= {name: case((is_later, given[name]), else_=kept[name]) for name in hand_rows.ENDED}
        known["pot"] = func.coalesce(given.pot, kept.pot)
        await self._run(connection, new.on_conflict_do_update(index_elements=list(HANDS.primary_key), set_=known), values)
        for row in values:
            if row["ended_seq"] is not None:
                of_it = {f"of_{name}": row[name] for name in ("venue", "table_name", "journal", "hand")}
                await connection.execute(self._length, of_it)

    async def _end_stops(self, connection: AsyncConnection, ends: list[dict[str, Any]]) -> None:
        """Each end closes the stop that stands before it, told in whichever write."""
        for end in ends:
            await connection.execute(self._stop_end, {f"of_{name}": value for name, value in end.items()})

    async def _upsert_alarms(self, connection: AsyncConnection, values: list[dict[str, Any]]) -> None:
        """The newest word on an alarm holds, but when it called and who acknowledged it first are not forgotten."""
        if not values:
            return
        values = _in_order(ALARMS, values)
        new = self._insertion(ALARMS, values)
        once = ("hand", "called_at", "acknowledged_by", "acknowledged_at")
        known = {name: func.coalesce(ALARMS.c[name], new.excluded[name]) for name in once}
        newest = {name: new.excluded[name] for name in ("priority", "text_en", "text_fr", "cleared_at", "epoch", "told_at")}
        key = list(ALARMS.primary_key)
        await self._run(connection, new.on_conflict_do_update(index_elements=key, set_={**newest, **known}), values)

    def _insertion(self, table: Table, values: list[dict[str, Any]]) -> Any:
        """The statement that inserts ``values``. PostgreSQL is given them as one array a column: a fifth less work for it than a
        statement a row."""
        if not self._is_postgresql:
            return sqlite.insert(table)
        names, given = list(values[0]), _rows_of(table, values)
        return postgresql.insert(table).from_select(names, select(*(given.c[name] for name in names)))

    async def _run(self, connection: AsyncConnection, statement: Any, values: list[dict[str, Any]]) -> int:
        """Run what ``_insertion`` made; the number of rows that were written, which an insert tells on demand alone."""
        given = None if self._is_postgresql else values
        return (await connection.execute(statement, given, execution_options={"preserve_rowcount": True})).rowcount


@asynccontextmanager
async def open_store(url: URL, venue: str) -> AsyncIterator[FloorStore]:
    """The store at ``url``, its form brought up to date; ``StoreError`` when it cannot be reached or made."""
    engine = _engine(url)
    try:
        try:
            async with engine.begin() as connection:
                if engine.dialect.name == "postgresql":
                    await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
                await connection.run_sync(_migrate)
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(_said(url, error)) from error
        except CommandError as error:
            newer = "a newer release brought it up to date; start that one, or restore the copy of before the upgrade"
            raise StoreError(f"the floor's store at {shown(url)}: {newer}") from error
        yield FloorStore(engine, venue)
    finally:
        await engine.dispose()


def _same_event(given: Mapping[str, Any], kept: Mapping[str, Any]) -> bool:
    """Whether an event is told as it is kept, whatever this release and the one that kept it know of its fields."""
    if given["link"] is None or given["link"] != kept["link"]:
        return False
    return given["digest"] == kept["digest"] or not rows.digests_in(given["body"]).isdisjoint(rows.digests_in(kept["body"]))


def _in_order(table: Table, values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """``values`` by their key: two floors that write the same rows take them in one order, so that none waits for a row of the
    other's while the other waits for one of its own."""
    return sorted(values, key=itemgetter(*(column.name for column in table.primary_key)))


def _rows_of(table: Table, values: list[dict[str, Any]]) -> Any:
    """``values`` as rows for PostgreSQL, of the types of their columns."""
    arrays = {name: postgresql.ARRAY(table.c[name].type) for name in values[0]}
    given = [cast(bindparam(name, _given(table, name, values), kind), kind) for name, kind in arrays.items()]
    return func.unnest(*given).table_valued(*values[0]).render_derived()


def _given(table: Table, name: str, values: list[dict[str, Any]]) -> list[Any]:
    """One column of ``values``. A text that PostgreSQL would refuse, for a NUL in it or for its length, is cut to what it takes:
    one table's odd word would keep those of all others out. What was told stands whole in the event's body."""
    kind = table.c[name].type
    if not isinstance(kind, String):
        return [row[name] for row in values]
    return [None if row[name] is None else row[name].replace("\x00", "\ufffd")[: kind.length] for row in values]


def _engine(url: URL) -> AsyncEngine:
    if url.get_backend_name() == "postgresql":
        return create_async_engine(
            url, pool_size=3, max_overflow=0, pool_pre_ping=True, connect_args={"connect_timeout": CONNECT_S}
        )
    file = Path(url.database or "")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)  # players' names stand in it
    engine = create_async_engine(url, pool_size=2, max_overflow=0)
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _identity(url: URL) -> tuple[int, int] | None:
    """Which file SQLite keeps the store in, whatever its name; ``None`` for none, and for a server."""
    try:
        found = None if url.get_backend_name() == "postgresql" else Path(url.database or "").stat()
    except OSError:
        return None
    return found and (found.st_dev, found.st_ino)


def _prepare_sqlite(connection: Any, _: object) -> None:
    """The last write may be lost with the machine's power: then the tables are asked for it again."""
    cursor = connection.cursor()
    for setting in ("journal_mode = WAL", "synchronous = NORMAL", f"busy_timeout = {BUSY_MS}"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _migrate(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(resources.files("controller.floor.store") / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _is_unfit(error: BaseException) -> bool:
    """Whether it is about what was given: SQLite's driver tells of numbers that are too large by itself."""
    return isinstance(error, (DataError, OverflowError)) or isinstance(getattr(error, "orig", None), OverflowError)


def _said(url: URL, error: BaseException) -> str:
    """What the driver says, without the statement and its values."""
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines() or [type(cause).__name__]
    return f"the floor's store at {shown(url)}: {lines[0]}"
