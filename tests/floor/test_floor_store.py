"""The floor's copy: nothing twice, nothing lost, and told where it is told otherwise, in SQLite and in a real PostgreSQL."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import URL, Connection, text
from sqlalchemy.event import listen
from support.floor_samples import START, alarm, happened, status
from support.postgres import Postgres

from controller.floor.board.alarms import of_table
from controller.floor.board.incident import Incident, Trail
from controller.floor.store import alarm_reads
from controller.floor.store.address import AddressError, parse_address
from controller.floor.store.months import Month, make_partition, months_of
from controller.floor.store.rows import Batch, KeptEvent, KeptHead, KeptHole, KeptStatus, Source, digest_of, event_row
from controller.floor.store.store import FloorStore, StoreError, open_store
from controller.floor.store.tables import ALARMS, EVENTS, HANDS, HEADS, HOLES, METADATA, RULINGS, STATUSES
from controller.mqtt.payloads import PublicEvent, RulingPeople, TableStatus

T1, T2 = Source("T1", "5f0c9a1e"), Source("T2", "00c0ffee")
KINDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.ports))


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty store of each kind."""
    if request.param == "sqlite":
        return parse_address("sqlite:///floor.sqlite3", tmp_path)
    server: Postgres = request.getfixturevalue("postgres")
    return parse_address(server.new_database(), tmp_path)


@pytest.fixture
async def store(url: URL) -> AsyncIterator[FloorStore]:
    async with open_store(url, "nice") as opened:
        yield opened


def batch(source: Source, *events: PublicEvent, **more: tuple[object, ...]) -> Batch:
    return Batch(tuple(KeptEvent(source, one) for one in events), **more)  # type: ignore[arg-type]


async def test_a_batch_comes_back_as_it_was_told(store: FloorStore) -> None:
    """Events in order with everything that they say, hands with beginning and end, rulings; marks for the next start."""
    told = [happened(1, "hand_opened"), happened(2, "ruled", code="misdeal"), happened(3, "hand_ended", at=60, hand=1)]
    assert await store.write(batch(T1, *told[:2])) == ()
    assert await store.write(batch(T1, told[2])) == ()
    kept = await store.events(T1, 0, 10)
    assert [PublicEvent.model_validate_json(row["body"]) for row in kept] == told
    assert [(row["at"], row["digest"]) for row in kept] == [(one.at, digest_of(one)) for one in told]
    assert await store.marks() == {T1: 3}
    [hand] = await store.rows_of(HANDS)
    assert (hand["opened_seq"], hand["opened_at"], hand["ended_seq"], hand["outcome"]) == (1, START, 3, "hand_ended")
    assert await store.hand_ends(START) == {"T1": [START + timedelta(seconds=60)]}
    assert await store.hand_ends(START + timedelta(seconds=61)) == {}
    assert [(row["seq"], row["code"], row["hand"]) for row in await store.rows_of(RULINGS)] == [(2, "misdeal", 1)]


async def test_what_is_new_is_compared_with_nothing(store: FloorStore) -> None:
    """A batch of new events reads no kept ones, or a thousand tables would cost the database ten times as much; one that holds an
    old one does."""
    said: list[str] = []
    listen(store._engine.sync_engine, "before_cursor_execute", lambda *told: said.append(str(told[2])))
    await store.write(batch(T1, happened(1), happened(2)))
    assert not [one for one in said if one.startswith("SELECT events")]
    await store.write(batch(T1, happened(2), happened(3)))
    assert len([one for one in said if one.startswith("SELECT events")]) == 1


async def test_whatever_is_told_again_is_kept_once(store: FloorStore) -> None:
    """Any cut into batches, repeated in part by another controller and by a second floor: every event once, in order."""
    draw = random.Random(7)
    for number in range(8):
        source = Source("T1", f"{number:08x}")
        story = [happened(seq, draw.choice(("hand_opened", "burn_made", "hand_ended")), at=seq) for seq in range(1, 13)]
        written = 0
        while written < len(story):
            start = draw.randrange(written + 1)
            end = draw.randrange(start + 1, len(story) + 1)
            again = [one.model_copy(update={"epoch": draw.randrange(2, 5), "previous": None}) for one in story[start:end]]
            assert await store.write(batch(source, *again)) == ()
            written = max(written, end)
            assert (await store.marks())[source] == written
        assert [row["seq"] for row in await store.events(source, 1, 100)] == list(range(1, 13))


async def test_what_is_told_otherwise_is_told_and_not_overwritten(store: FloorStore) -> None:
    """The copy keeps what it had; the difference names table, journal and record. Another journal's record is no difference."""
    await store.write(batch(T1, *(happened(seq) for seq in range(1, 1200))))
    other = happened(7, "hand_ended")
    assert await store.write(batch(T1, happened(6), other, happened(1200))) == ((T1, 7, "event"),)
    assert [row["event"] for row in await store.events(T1, 7, 1)] == ["burn_made"]
    assert await store.marks() == {T1: 1200}
    assert await store.write(batch(T2, other)) == ()
    head = KeptHead(T1, 9, "ab" * 32, START)
    assert await store.write(Batch(heads=(head, head))) == ()
    assert await store.write(Batch(heads=(KeptHead(T1, 9, "cd" * 32, START),))) == ((T1, 9, "head"),)
    assert [row["head"] for row in await store.rows_of(HEADS)] == ["ab" * 32]


async def test_alarms_statuses_and_holes_have_one_row_each(store: FloorStore) -> None:
    """An alarm's end and who acknowledged it come later, and what was not ended is read back at a start."""
    raised = Incident(of_table("T1", alarm("hold")), hand=7)
    ended = START + timedelta(minutes=1)
    seen = replace(raised, called_at=ended).seen_by("M. Roux", ended)
    for one in (raised, seen, raised.seen_by("L. Perrin", ended + timedelta(seconds=1))):
        await store.write(Batch(alarms=(one,)))
    assert await store.open_alarms(ended) == (seen,)
    await store.write(Batch(alarms=(replace(raised, cleared_at=ended),)))
    assert await store.open_alarms(ended + timedelta(hours=2)) == ()
    [row] = await store.rows_of(ALARMS)
    assert (row["acknowledged_by"], row["cleared_at"], row["own"], row["hand"]) == ("M. Roux", ended, False, 7)
    said = (KeptStatus("T1", status()), KeptStatus("T1", status(TableStatus.LOST)))
    for _ in range(2):
        await store.write(Batch(statuses=said, holes=(KeptHole(T1, 3, 9, START),)))
    assert sorted(row["status"] for row in await store.rows_of(STATUSES)) == ["live", "lost"]
    assert [(row["after_seq"], row["next_seq"]) for row in await store.rows_of(HOLES)] == [(3, 9)]


async def test_a_hole_that_is_found_twice_in_one_write_is_kept_once(store: FloorStore) -> None:
    """As small as it was told, and closed once it was."""
    later = START + timedelta(minutes=1)
    await store.write(Batch(holes=(KeptHole(T1, 3, 9, START), KeptHole(T1, 3, 7, later), KeptHole(T1, 3, 9, START, later))))
    [row] = await store.rows_of(HOLES)
    assert (row["next_seq"], row["found_at"], row["closed_at"]) == (7, START, later)


async def test_two_floors_that_write_the_same_wait_for_no_ring(url: URL, store: FloorStore) -> None:
    """Whichever order they heard it in, as over two connections: a third write lets both come to the row in the middle."""
    told = [KeptEvent(Source(name, "5f0c9a1e"), happened(1)) for name in ("T1", "T2", "T3")]
    async with open_store(url, "nice") as other, open_store(url, "nice") as third:
        await third.write(Batch((KeptEvent(Source("T0", "5f0c9a1e"), happened(1)),)))  # there is a month to write into
        async with third.transaction() as connection:
            await third.insert(connection, EVENTS, [event_row("nice", told[1])])
            writing = asyncio.gather(store.write(Batch(tuple(told))), other.write(Batch(tuple(reversed(told)))))
            await asyncio.sleep(0.2)
        await writing
    assert sorted(source.table for source in await store.marks()) == ["T0", "T1", "T2", "T3"]


async def test_no_odd_word_of_one_table_keeps_the_others_out(store: FloorStore) -> None:
    """A NUL, or more letters than a column has; what was told stands whole in the event's body."""
    said = "N\x00emo " + 100 * "x"
    ruled = happened(1, "ruled", code="void_hand", ruling=RulingPeople(role="floor", by=said))
    await store.write(Batch((KeptEvent(T1, ruled), KeptEvent(T2, happened(1)))))
    assert set(await store.marks()) == {T1, T2}
    [row] = await store.events(T1, 0, 9)
    assert PublicEvent.model_validate_json(row["body"]) == ruled


async def test_what_stands_is_read_back_before_what_is_only_to_be_seen(
    store: FloorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many newer ones wait to be seen."""
    monkeypatch.setattr(alarm_reads, "MAX_OPEN", 2)
    stands = Incident(of_table("T1", alarm("hold", at=-60)), called_at=START)
    over = [
        Incident(of_table("T2", alarm(name)), called_at=START, cleared_at=START + timedelta(minutes=1)) for name in ("a", "b")
    ]
    await store.write(Batch(alarms=(stands, *over)))
    assert stands in await store.open_alarms(START + timedelta(minutes=2))


async def test_a_trail_is_written_once_and_found_by_other_floors(store: FloorStore) -> None:
    """Of two floors that tell the same thing the first one's line stays; a shelf that runs is there at the next start."""
    one = Incident(of_table("T1", alarm("slow", priority=2)), called_at=START)
    now, until = datetime.now(UTC), START + timedelta(minutes=15)
    lines = (
        one.line(Trail.RAISED, START, hand=7),
        one.line(Trail.ACKNOWLEDGED, START + timedelta(seconds=3), by="M. Roux"),
        one.line(Trail.SHELVED, START + timedelta(seconds=4), by="M. Roux", reason="big pots", until=until),
    )
    await store.write(Batch(alarms=(one,), trail=lines))
    await store.write(Batch(trail=(one.line(Trail.ACKNOWLEDGED, START + timedelta(seconds=9), by="L. Perrin"),)))
    assert sorted(line.what.value for line in await store.alarms.lines(now)) == ["acknowledged", "raised", "shelved"]
    assert await store.alarms.lines(datetime.now(UTC) + timedelta(seconds=9)) == ()
    [story] = await store.alarms.since(START, None, 10)
    assert (story.trail, story.incident.acknowledged_by) == (lines, "M. Roux")
    shelf = story.incident.shelf
    assert shelf is not None
    assert (shelf.by, shelf.until, shelf.reason) == ("M. Roux", until, "big pots")
    assert await store.alarms.since(START, "T2", 10) == ()
    assert await store.alarms.counts(START) == (("T1", "slow", None, 2, 1, 1),)
    await store.write(batch(T1, happened(1, "hand_ended", at=5)))
    assert await store.alarms.hands(START) == {"T1": 1}


async def test_what_nobody_has_seen_is_there_at_the_next_start(store: FloorStore) -> None:
    """Over, called, and seen by nobody: for ever; what was seen for an hour; a slip that called nobody not at all."""
    called = Incident(of_table("T1", alarm("hold")), called_at=START, cleared_at=START + timedelta(minutes=1))
    slip = Incident(of_table("T2", alarm("hold")), cleared_at=START)
    await store.write(Batch(alarms=(called, slip)))
    assert await store.open_alarms(START + timedelta(days=30)) == (called,)
    seen = called.seen_by("M. Roux", START + timedelta(minutes=2))
    await store.write(Batch(alarms=(seen,)))
    assert await store.open_alarms(START + timedelta(minutes=59)) == (seen,)
    assert await store.open_alarms(START + timedelta(minutes=62)) == ()


async def test_a_store_is_opened_again_and_two_venues_do_not_mix(url: URL) -> None:
    """What was written is there at the next start, for its own venue."""
    async with open_store(url, "nice") as first:
        await first.write(batch(T1, happened(1)))
    async with open_store(url, "nice") as again, open_store(url, "cannes") as other:
        assert await again.marks() == {T1: 1}
        assert await other.marks() == {}
        assert await other.write(batch(T1, happened(1, "hand_ended"))) == ()


async def test_migrations_make_what_the_program_expects(url: URL, store: FloorStore) -> None:
    """The newest form by migration is the form that the statements are written for."""

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection, opts={"include_object": _is_ours}), METADATA))

    async with store._engine.connect() as connection:
        assert await connection.run_sync(differences) == []


def _is_ours(_: object, name: str | None, kind: str, *_more: object) -> bool:
    return kind != "table" or (name is not None and not name.startswith(("events_", "alembic")))


@pytest.mark.ports
async def test_events_lie_in_months(postgres: Postgres, tmp_path: Path) -> None:
    """By the event's own time; what a wrong clock tells goes to one place of its own."""
    async with open_store(parse_address(postgres.new_database(), tmp_path), "nice") as store:
        far = datetime(1970, 1, 1, tzinfo=UTC)
        told = [happened(1), happened(2, at=40 * 86400), happened(3).model_copy(update={"at": far})]
        await store.write(batch(T1, *told))
        async with store._engine.connect() as connection:
            rows = await connection.execute(text("SELECT tableoid::regclass::text, seq FROM events ORDER BY seq"))
            assert [tuple(row) for row in rows] == [("events_2026_01", 1), ("events_2026_02", 2), ("events_other", 3)]


@pytest.mark.ports
async def test_a_database_that_was_away_is_found_again(own_postgres: Postgres, tmp_path: Path) -> None:
    """A write that fails keeps nothing and says so without a password; after the restart the same write is kept whole."""
    async with open_store(parse_address(own_postgres.new_database(), tmp_path), "nice") as store:
        await store.write(batch(T1, happened(1)))
        own_postgres.stop()
        try:
            with pytest.raises(StoreError):
                await store.write(batch(T1, happened(2), happened(3)))
        finally:
            own_postgres.start()
        assert await store.marks() == {T1: 1}
        await store.write(batch(T1, happened(2), happened(3)))
        assert await store.marks() == {T1: 3}


async def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    """The error says which file, and what the database says of it."""
    (tmp_path / "floor.sqlite3").write_text("a letter" * 200)
    with pytest.raises(StoreError, match=r"floor\.sqlite3: file is not a database"):
        async with open_store(parse_address("sqlite:///floor.sqlite3", tmp_path), "nice"):
            pass


async def test_a_file_that_was_taken_away_is_not_written_on(tmp_path: Path) -> None:
    """SQLite goes on in a file without a name: the store says that it is away, and is made again when it is opened."""
    url = parse_address("sqlite:///floor.sqlite3", tmp_path)
    async with open_store(url, "nice") as store:
        await store.write(batch(T1, happened(1)))
        for left in tmp_path.glob("floor.sqlite3*"):
            left.rename(tmp_path / f"gone-{left.name}")
        with pytest.raises(StoreError, match="taken away"):
            await store.write(batch(T1, happened(2)))
        async with open_store(url, "nice") as again:
            assert await again.marks() == {}
            with pytest.raises(StoreError, match="another one"):
                await store.marks()


async def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    """Players' names stand in it."""
    async with open_store(parse_address("sqlite:///inside/floor.sqlite3", tmp_path), "nice"):
        assert (tmp_path / "inside/floor.sqlite3").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "inside").stat().st_mode & 0o777 == 0o700


def test_a_month_ends_where_the_next_begins() -> None:
    """December too; a time is of the month that it is in UTC."""
    assert make_partition(Month(2026, 12)).endswith("FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00')")
    paris = datetime.fromisoformat("2026-02-01T00:30:00+01:00")
    assert months_of([paris, datetime(1999, 1, 1, tzinfo=UTC), paris]) == [Month(2026, 1)]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nonsense", "the store's address is none"),
        ("mysql://host/db", "mysql is no kind of store"),
        ("postgresql://floor@host", "names no database"),
        ("postgresql://floor:secret@host/db", "a password stands in the store's address"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
    ],
)
def test_an_address_that_is_none_is_refused(address: str, said: str) -> None:
    """In words, with the way out and without a password."""
    with pytest.raises(AddressError, match=said) as refused:
        parse_address(address, Path("/etc"))
    assert "secret" not in str(refused.value)


def test_a_password_is_not_shown() -> None:
    """It comes from a file of its own, and no error tells it."""
    url = parse_address("postgresql://floor@host/db", Path("/etc"), "secret")
    assert (url.password, "secret" in str(url)) == ("secret", False)
