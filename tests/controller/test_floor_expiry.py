"""Old months go whole and proven, or not at all; what is left still proves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.floor_samples import happened
from support.postgres import Postgres

from controller.bench.postgres_server import find_postgresql
from controller.cli import main
from controller.displays.chain import Place, Roots
from controller.floor.audit.check import check_copy
from controller.floor.store.expiry import drop_old, first_kept, old_events
from controller.floor.store.months import Month
from controller.floor.store.rows import Batch, Difference, KeptDifference, KeptEvent, Source
from controller.floor.store.store import FloorStore, StoreError, open_store
from controller.floor.store.tables import CUTS, TRAIL
from controller.floor_config import FloorConfig, load_floor_config
from controller.floor_expiry import expire_floor
from controller.mqtt.links import ChainName
from controller.mqtt.payloads import PublicEvent

T1 = Source("T1", "5f0c9a1e")
NOW = datetime(2026, 4, 10, 3, tzinfo=UTC)


@pytest.fixture
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FloorConfig]:
    with ExitStack() as stack:
        url = "sqlite:///floor.sqlite3"
        if getattr(request, "param", "sqlite") == "postgresql":
            if find_postgresql() is None:
                pytest.skip("PostgreSQL is not installed: .ci/prepare dev postgresql installs it where it may")
            url = stack.enter_context(Postgres()).new_database()
        path = tmp_path / "floor.toml"
        path.write_text(f'venue = "nice"\n[store]\nurl = "{url}"\nkeep_months = 1\n', encoding="utf-8")
        yield load_floor_config(path)


@pytest.fixture
async def store(config: FloorConfig) -> AsyncIterator[FloorStore]:
    async with open_store(config.store.address(), "nice") as opened:
        yield opened


def told(days: int = 100) -> list[PublicEvent]:
    """One event a day from the first of January on, in one hand."""
    place, found = Place(roots=Roots(ChainName(*T1), lambda seq: f"{seq:064x}")), []
    for day in range(days):
        at = datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(days=day)
        event, place = place.hang(happened(day + 1, "hand_opened" if not day else "burn_made").model_copy(update={"at": at}))
        found.append(event)
    return found


def kept(events: list[PublicEvent]) -> Batch:
    return Batch(tuple(KeptEvent(T1, event, proven=True) for event in events))


@pytest.mark.parametrize("config", ["sqlite", pytest.param("postgresql", marks=pytest.mark.ports)], indirect=True)
async def test_what_is_old_goes_and_the_rest_still_proves(config: FloorConfig, store: FloorStore) -> None:
    """First said, then done; the present month and the one before stay; the cut bears the link, in the store and in the trail."""
    events = told()
    await store.write(kept(events))
    dry = await expire_floor(config, NOW, is_dry=True)
    assert (dry.ok, dry.is_dropped, dry.first, [one.events for one in dry.old]) == (True, False, Month(2026, 3), [59])
    assert len(await store.events(T1, 0, 1000)) == 100
    done = await expire_floor(config, NOW, is_dry=False)
    assert (done.ok, done.is_dropped) == (True, True)
    assert [row["seq"] for row in await store.events(T1, 0, 1000)] == list(range(60, 101))
    [cut] = await store.rows_of(CUTS)
    assert (cut["seq"], cut["link"], cut["events"], cut["dropped_at"]) == (59, events[58].link, 59, NOW)
    [note] = await store.rows_of(TRAIL)
    assert (note["kind"], str(events[58].link) in note["body"]) == ("months_dropped", True)
    found = await check_copy(store, T1)
    assert (found.problems, found.events, found.verified) == ([], 41, 100)
    if store.is_postgresql:
        await _nothing_goes_unproven(store)
    again = await expire_floor(config, NOW, is_dry=False)
    assert (again.ok, again.is_dropped, again.old) == (True, False, ())
    later = await expire_floor(config, NOW + timedelta(days=30), is_dry=False)
    assert (later.is_dropped, [one.events for one in later.old]) == (True, [31])
    assert (await check_copy(store, T1)).problems == []
    assert await store.write(kept(events[95:])) == ()


async def _nothing_goes_unproven(store: FloorStore) -> None:
    """A month is dropped whole, so that what a floor wrote into it after the look keeps it: nothing goes, no cut is noted."""
    other = Source("T2", T1.journal)
    late = Batch((KeptEvent(other, told(32)[-1]),))  # of the first of February
    store.forget_months()  # another process has dropped them
    await store.write(late)
    with pytest.raises(StoreError, match="1 events lie in the months that would go, and 0 were proven: run it again"):
        await drop_old(store, Month(2026, 3), (), NOW)
    assert (len(await store.events(other, 0, 10)), len(await store.rows_of(CUTS))) == (1, 1)
    await drop_old(store, Month(2026, 3), await old_events(store, Month(2026, 3)), NOW)
    assert await store.events(other, 0, 10) == []


async def test_what_is_not_proven_keeps_everything(config: FloorConfig, store: FloorStore) -> None:
    """Events without links, a clock that was set back: nothing goes, and it is said why."""
    events = told()
    await store.write(kept([one.model_copy(update={"link": None, "head": None}) for one in events]))
    assert "not proven" in (await expire_floor(config, NOW, is_dry=False)).problems[0]
    assert len(await store.events(T1, 0, 1000)) == 100
    other = Source("T2", "00c0ffee")
    place, mixed = Place(roots=Roots(ChainName(*other), lambda seq: f"{seq:064x}")), []
    for seq, at in enumerate((NOW, NOW - timedelta(days=90)), 1):
        event, place = place.hang(happened(seq).model_copy(update={"at": at}))
        mixed.append(KeptEvent(other, event, proven=True))
    await store.write(Batch(tuple(mixed)))
    assert "clock was set back" in (await expire_floor(config, NOW, is_dry=False)).problems[1]


async def test_a_difference_keeps_everything(config: FloorConfig, store: FloorStore) -> None:
    """Also of another journal, in the same month."""
    await store.write(replace(kept(told()), differences=(KeptDifference(Difference(T1, 99, "chain"), NOW),)))
    found = await expire_floor(config, NOW, is_dry=False)
    assert (found.ok, "record 99" in found.problems[0], found.is_dropped) == (False, True, False)
    assert len(await old_events(store, Month(2026, 3))) == 1


def test_the_present_month_always_stays() -> None:
    """Whatever is configured, over the turn of the year too."""
    assert first_kept(NOW, 0) == first_kept(NOW, 1) == Month(2026, 3)
    assert first_kept(datetime(2026, 1, 31, tzinfo=UTC), 1) == Month(2025, 12)
    assert first_kept(datetime(2026, 1, 31, tzinfo=UTC), 14) == Month(2024, 11)


def test_the_command_says_what_would_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a number everything is kept; ``--dry-run`` alone is no use."""
    path = tmp_path / "floor.toml"
    path.write_text('venue = "nice"\n', encoding="utf-8")
    assert main(["floor", str(path), "--drop-old", "--dry-run"]) == 0
    assert "Everything is kept" in capsys.readouterr().out
    assert main(["floor", str(path), "--dry-run"]) == 2
