"""Hands are found in the copy, page by page; what reports count is what was played; in SQLite and in a real PostgreSQL."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL
from support.floor_samples import alarm
from support.history_runs import heard
from support.postgres import Postgres
from support.slip_walk import evening

from controller.floor.board.alarms import of_table
from controller.floor.board.incident import Incident
from controller.floor.store import reports
from controller.floor.store.address import parse_address
from controller.floor.store.history import Cursor, HandKey, Wanted, find_hands, read_hand
from controller.floor.store.rows import Batch, KeptEvent, Source
from controller.floor.store.store import FloorStore, open_store
from controller.floor.store.tables import HANDS, SLIPS
from controller.mqtt.payloads import Opening, PublicEvent, RulingPeople, SeatChips, SeatedPlayer, Stakes

START = datetime(2026, 1, 2, 20, tzinfo=UTC)
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


def event(seq: int, name: str, at_s: float, hand: int, **more: object) -> PublicEvent:
    """One event of a hand."""
    return PublicEvent.model_validate(
        {"seq": seq, "epoch": 1, "at": START + timedelta(seconds=at_s), "previous": seq - 1, "event": name, "hand": hand, **more}
    )


def opening(dealer: str, names: Sequence[str], variant: str = "stud") -> Opening:
    """A hand of these players."""
    return Opening(
        variant=variant,
        stakes=Stakes(ante=1, bring_in=2, small=4, big=8),
        preset="wsop_live",
        stacks=tuple(SeatChips(seat=seat, chips=90) for seat, _ in enumerate(names, 1)),
        players=tuple(SeatedPlayer(seat=seat, name=name, chips=90) for seat, name in enumerate(names, 1)),
        dealer=dealer,
    )


def played(hand: int, at_s: float, dealer: str, names: Sequence[str], pot: int, *between: PublicEvent) -> list[PublicEvent]:
    """A hand of three minutes with its pot."""
    seq = hand * 100
    last = event(seq + 9, "hand_ended", at_s + 180, hand, stacks=(), rake=(pot // 20,))
    first = event(seq, "hand_opened", at_s, hand, opening=opening(dealer, names))
    return [first, *between, event(seq + 8, "pots_fixed", at_s + 170, hand, chips=pot), last]


def kept(table: str, events: Sequence[PublicEvent]) -> tuple[KeptEvent, ...]:
    """As the collector hands them on."""
    return tuple(KeptEvent(Source(table, "5f0c9a1e"), one) for one in events)


async def an_evening(store: FloorStore) -> None:
    """Six hands at two tables, one of them stopped for a minute and ruled on, and one void."""
    stop = [
        event(201, "hand_held", 400, 2, code="wrong_place", place="seat/3/up"),
        event(202, "ruled", 430, 2, code="misdeal", ruling=RulingPeople(role="floor", by="S. Morel", agreed_by="Nadia B.")),
        event(203, "hold_lifted", 460, 2, code="wrong_place"),
    ]
    for hand, more in ((1, []), (2, stop), (3, [])):
        await store.write(Batch(kept("T1", played(hand, hand * 200, "Nadia B.", ("Ann", "Bob  Lee"), hand * 100, *more))))
    for hand in (1, 2, 3):
        await store.write(Batch(kept("T2", played(hand, hand * 200 + 50, "Ivan", ("Cleo", "Dan"), 60))))
    await store.write(Batch(kept("T2", [event(310, "hand_voided", 900, 3, stacks=())])))


async def test_hands_are_found_by_everything_that_people_ask_for(store: FloorStore) -> None:
    """The newest first; table, time, player in any letters, dealer, game, outcome and pot, alone and together."""
    await an_evening(store)

    async def found(**wanted: object) -> list[tuple[str, int]]:
        rows = await find_hands(store, Wanted(**wanted), 10)  # type: ignore[arg-type]
        return [(row["table_name"], row["hand"]) for row in rows]

    assert await found() == [("T2", 3), ("T1", 3), ("T2", 2), ("T1", 2), ("T2", 1), ("T1", 1)]
    assert await found(table="T1", min_pot=200) == [("T1", 3), ("T1", 2)]
    assert await found(player="bob lee") == [("T1", 3), ("T1", 2), ("T1", 1)]
    assert await found(player="BOB LEE", until=START + timedelta(seconds=600)) == [("T1", 2), ("T1", 1)]
    assert await found(dealer="Ivan", since=START + timedelta(seconds=500)) == [("T2", 3), ("T2", 2)]
    assert await found(outcome="hand_voided") == [("T2", 3)]
    assert await found(variant="razz") == []
    assert await found(player="Bob") == []
    [row, *_] = await find_hands(store, Wanted(table="T1"), 1)
    assert (row["pot"], row["rake"], row["seconds"], row["dealer"], row["players"]) == (300, 15, 180, "Nadia B.", 2)
    assert row["seats"] == [{"seat": 1, "name": "Ann"}, {"seat": 2, "name": "Bob  Lee"}]


async def test_pages_of_hands_meet(store: FloorStore) -> None:
    """Page by page every hand comes once, also where hands end at the same moment."""
    for table in ("T1", "T2", "T3"):
        told = [one for hand in range(1, 6) for one in played(hand, 0, "Ivan", ("Ann", "Bob"), 60)]
        await store.write(Batch(kept(table, told)))
    seen: list[HandKey] = []
    behind = None
    while page := await find_hands(store, Wanted(), 4, behind):
        seen += [HandKey(row["table_name"], row["journal"], row["hand"]) for row in page]
        behind = Cursor(page[-1]["ended_at"], *seen[-1])
    assert len(seen) == len(set(seen)) == 15


async def test_reports_count_what_was_played(store: FloorStore) -> None:
    """Hands an hour, rake, slips, time locked, misreads, called alarms on a hundred hands, and the incident with who ruled."""
    await an_evening(store)
    lasting, slip = alarm("hold"), alarm("hold", at=100)
    called = Incident(of_table("T1", lasting), called_at=START + timedelta(seconds=10), cleared_at=START + timedelta(seconds=11))
    mended = Incident(of_table("T1", slip), cleared_at=START + timedelta(seconds=109))
    await store.write(Batch(alarms=(called, mended)))
    day = (START, START + timedelta(hours=1))
    [first, second] = await reports.hands_by(store, "table", *day)
    assert first | second == {
        **second,
        "hands": 3,
        "hours": 1,
        "hands_per_hour": 3.0,
        "seconds_per_hand": second["seconds_per_hand"],
    }
    rake = {row["table"]: (row["rake"], row["voided"]) for row in (first, second)}
    assert rake == {"T1": (30, 0), "T2": (6, 1)}
    assert [row["game"] for row in await reports.hands_by(store, "game", *day)] == ["stud"]
    assert {row["dealer"] for row in await reports.hands_by(store, "dealer", *day)} == {"Ivan", "Nadia B."}
    assert [(row["hands"], row["table_hours"]) for row in await reports.pace(store, *day, step=24)] == [(6, 2)]
    assert await reports.slips(store, *day) == [
        {"kind": "voided_hand", "dealer": "Ivan", "slips": 1},
        {"kind": "wrong_place", "dealer": "Nadia B.", "slips": 1},
    ]
    assert await reports.locked(store, *day) == [{"table": "T1", "kind": "wrong_place", "stops": 1, "seconds": 60, "longest": 60}]
    assert [row["place"] for row in await reports.misreads(store, *day)] == ["seat/3/up"]
    [worst, _] = await reports.alarms(store, *day)
    assert (worst["table"], worst["alarms"], worst["called"], worst["called_per_100_hands"]) == ("T1", 2, 1, 33.33)
    [incident] = await reports.incidents(store, *day)
    assert (incident["hand"], incident["seconds"], incident["rulings"]) == (2, 60, "misdeal")
    assert incident["ruled_by"] == "S. Morel, Nadia B."


async def test_however_a_hand_is_cut_into_writes_its_rows_are_the_same(store: FloorStore) -> None:
    """Real hands with slips, told in parts, again and by two floors: stops have their ends, hands their figures."""
    told = [one.event for one in heard(evening(132, hands=2).bodies) if one.event is not None]
    await store.write(Batch(kept("T1", told)))
    draw, at = random.Random(3), 0
    while at < len(told):
        start, at = max(0, at - draw.randrange(20)), min(len(told), at + draw.randrange(1, 30))
        await store.write(Batch(kept("T2", told[start:at])))
    for table in (HANDS, SLIPS):
        rows = [{name: row[name] for name in row if name != "table_name"} for row in await store.rows_of(table)]
        assert rows[: len(rows) // 2] == rows[len(rows) // 2 :]
        assert rows
    row, bodies = await read_hand(store, HandKey("T2", "5f0c9a1e", 1))
    assert row is not None
    assert [PublicEvent.model_validate_json(body).seq for body in bodies] == [one.seq for one in told if one.hand == 1]
    assert await read_hand(store, HandKey("T2", "5f0c9a1e", 99)) == (None, [])
