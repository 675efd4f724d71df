"""``floor --verify``: a copy that holds says so, and each thing that was changed in store or journal is named by its record."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from support.golden_journal import journals

from controller.cli import main
from controller.displays.adapter import DisplayAdapter
from controller.displays.backlog import Backlog
from controller.displays.chain import Place, Roots
from controller.floor.collector.chain_check import ChainCheck, Fit
from controller.floor.store.rows import Batch, Difference, KeptDifference, KeptEvent, KeptHead, KeptHole, Source
from controller.floor.store.store import open_store
from controller.floor_audit import audit_floor
from controller.floor_config import FloorConfig, load_floor_config
from controller.journal.store import JournalStore
from controller.mqtt.links import ChainName
from controller.mqtt.payloads import PublicEvent
from controller.table.records import decode, table_codec

GOLDEN = next(folder for folder in journals() if folder.name == "evening-stud")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A copy of a golden journal."""
    folder = tmp_path / "journal"
    shutil.copytree(GOLDEN, folder)
    return folder


def config(folder: Path, name: str = "floor") -> FloorConfig:
    path = folder / f"{name}.toml"
    path.write_text(f'venue = "nice"\n[store]\nurl = "sqlite:///{name}.sqlite3"\n', encoding="utf-8")
    return load_floor_config(path)


async def told(folder: Path) -> tuple[Source, list[PublicEvent], dict[int, str]]:
    """The public events of a journal as its table tells them, and the heads of its chain."""
    store = JournalStore.open(folder, table=_table(folder), journal_id="0" * 8, created="")
    try:
        source = Source(store.origin.table, store.origin.journal)
        heads = {seq: found.hex() for seq in range(store.last_seq + 1) if (found := store.head_kept(seq)) is not None}
        codec = table_codec()
        roots = Roots(ChainName(*source), heads.get)
        backlog = Backlog(store.events, lambda body: decode(codec, body, {}), DisplayAdapter(source.table, 1), roots)
        return source, list(await backlog.page(1, limit=100_000)), heads
    finally:
        store.close()


def _table(folder: Path) -> str:
    with sqlite3.connect(folder / "journal.sqlite3") as connection:
        return str(connection.execute('SELECT "table" FROM meta').fetchone()[0])


async def keep(floor: FloorConfig, source: Source, events: list[PublicEvent], heads: dict[int, str]) -> None:
    """What a floor would have kept of it."""
    check = ChainCheck(source)
    kept = tuple(KeptEvent(source, event, check.take(event) is Fit.PROVEN) for event in events)
    async with open_store(floor.store.address(), "nice") as store:
        said = tuple(
            KeptHead(source, seq, heads[seq], events[0].at) for seq in (events[0].seq, events[-1].seq, events[-1].seq - 1)
        )
        await store.write(Batch(kept, heads=said))


@pytest.fixture
async def floor(journal: Path, tmp_path: Path) -> FloorConfig:
    """A floor whose copy is that journal's."""
    made = config(tmp_path)
    await keep(made, *await told(journal))
    return made


def change(folder: Path, statement: str, name: str = "floor") -> None:
    with sqlite3.connect(folder / f"{name}.sqlite3") as connection:
        assert connection.execute(statement).rowcount > 0


async def test_a_copy_that_holds_says_so(floor: FloorConfig, journal: Path, tmp_path: Path) -> None:
    """By itself, beside its journal, and beside another floor's copy; proven to its end."""
    source, events, _ = await told(journal)
    assert len(events) > 100
    other = config(tmp_path, "other")
    await keep(other, *await told(journal))
    for against in (None, journal, tmp_path / "other.toml"):
        found = await audit_floor(floor, against=against)
        assert (found.ok, found.problems, [one.problems for one in found.journals]) == (True, (), [[]])
        assert (found.journals[0].source, found.journals[0].events, found.journals[0].verified) == (
            source,
            len(events),
            events[-1].seq,
        )


CHANGES = {
    "an amount": "UPDATE events SET body = replace(body, '\"chips\":', '\"chips\":9') WHERE seq = {seq}",
    "a column": "UPDATE events SET hand = 999 WHERE seq = {seq}",
    "a digest": "UPDATE events SET digest = 'f' WHERE seq = {seq}",
    "a link": "UPDATE events SET link = hex(zeroblob(32)) WHERE seq = {seq}",
    "no text": "UPDATE events SET body = '' WHERE seq = {seq}",
    "gone": "DELETE FROM events WHERE seq = {seq}",
}


@pytest.mark.parametrize("what", CHANGES)
async def test_what_was_changed_in_the_store_is_named(what: str, floor: FloorConfig, journal: Path, tmp_path: Path) -> None:
    """At that record or the next one, by the copy alone."""
    _, events, _ = await told(journal)
    at = next(number for number, event in enumerate(events) if number > 20 and event.chips is not None)
    change(tmp_path, CHANGES[what].format(seq=events[at].seq))
    found = await audit_floor(floor)
    assert found.journals[0].problems[0].seq in (events[at].seq, events[at + 1].seq)


async def test_a_copy_that_was_written_anew_is_found_beside_the_journal(
    floor: FloorConfig, journal: Path, tmp_path: Path
) -> None:
    """With all its links: by itself such a copy is whole."""
    source, events, heads = await told(journal)
    lied = config(tmp_path, "lied")
    await keep(config(tmp_path), source, events, heads)
    at = next(number for number, event in enumerate(events) if number > 20 and event.chips is not None)
    events[at] = events[at].model_copy(update={"chips": 1})
    roots = Roots(ChainName(*source), heads.get)
    place, anew = Place(roots=roots), []
    for event in events:
        hung, place = place.hang(event)
        anew.append(hung)
    await keep(lied, source, anew, heads)
    assert (await audit_floor(lied)).ok
    for against in (journal, tmp_path / "floor.toml"):
        found = await audit_floor(lied, against=against)
        assert not found.ok
        assert found.journals[0].problems[0].seq == events[at].seq


async def test_an_event_behind_a_hole_that_says_something_else_is_found_beside_the_journal(journal: Path, tmp_path: Path) -> None:
    """Its link hangs on what nobody kept, and proves nothing: the same link is no proof of the same event."""
    source, events, heads = await told(journal)
    at = next(number for number, event in enumerate(events) if number > 20 and event.chips is not None)
    hole = KeptHole(source, events[at - 2].seq, events[at].seq, events[at].at)
    events[at] = events[at].model_copy(update={"chips": 1})
    del events[at - 1]
    lied = config(tmp_path, "lied")
    await keep(lied, source, events, heads)
    async with open_store(lied.store.address(), "nice") as store:
        await store.write(Batch((), holes=(hole,)))
    assert (await audit_floor(lied)).ok
    found = await audit_floor(lied, against=journal)
    assert [one.seq for one in found.journals[0].problems] == [events[at - 1].seq]


async def test_holes_and_what_is_newer_are_no_differences(journal: Path, tmp_path: Path) -> None:
    """They are named; an unknown gap is one, and so is a copy that goes further than the journal."""
    source, events, heads = await told(journal)
    made = config(tmp_path, "short")
    opened = [number for number, event in enumerate(events) if event.event == "hand_opened"]
    async with open_store(made.store.address(), "nice") as store:
        rest = [events[opened[1]].model_copy(update={"previous": None, "link": None, "head": None}), *events[opened[1] + 1 : -5]]
        hole = KeptHole(source, 0, rest[0].seq, rest[0].at)
        await store.write(Batch(tuple(KeptEvent(source, event) for event in rest), holes=(hole,)))
    found = await audit_floor(made, against=journal)
    assert (found.ok, found.journals[0].problems) == (True, [])
    assert len(found.journals[0].notes) == 2
    async with open_store(made.store.address(), "nice") as store:
        more = events[-1].model_copy(update={"seq": events[-1].seq + 50_000})
        told_otherwise = KeptDifference(Difference(source, 7, "chain"), more.at)
        await store.write(Batch((KeptEvent(source, more),), differences=(told_otherwise,)))
    found = await audit_floor(made, source.table, journal)
    assert {one.seq for one in found.journals[0].problems} >= {7, more.seq, events[-1].seq}
    assert heads


async def test_a_head_that_the_journal_lacks_is_named(floor: FloorConfig, journal: Path, tmp_path: Path) -> None:
    """The journal was written anew behind what it said before."""
    change(tmp_path, "UPDATE heads SET head = lower(hex(zeroblob(32))) WHERE seq = (SELECT min(seq) FROM heads)")
    assert (await audit_floor(floor)).ok
    found = await audit_floor(floor, against=journal)
    assert "another head" in found.journals[0].problems[0].said


def test_the_command_says_it_in_sentences_and_json(journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0 where it holds, 1 where not, 2 where it is used wrongly."""

    floor = config(tmp_path)
    asyncio.run(_kept(floor, journal))
    path = str(tmp_path / "floor.toml")
    assert main(["floor", path, "--verify", "--against", str(journal), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    change(tmp_path, "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)")
    assert main(["floor", path, "--verify"]) == 1
    assert "The copy does not hold" in capsys.readouterr().out
    assert main(["floor", path, "--verify", "--table", "T99"]) == 1
    assert main(["floor", path, "--verify", "--against", str(tmp_path / "nowhere")]) == 2
    assert main(["floor", path, "--table", "T1"]) == 2


async def _kept(floor: FloorConfig, journal: Path) -> None:
    await keep(floor, *await told(journal))
