"""Whether a release can go on with a journal, and what a journal, store or file of another one is met with: one sentence."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from support.release_data import RELEASES
from support.table_runs import write_journal

from controller.cli import main
from controller.floor.store.address import parse_address
from controller.floor.store.store import StoreError, open_store
from controller.formats import Formats, FormatsError, load_formats, own_formats, readable
from controller.journal.codec import CodecError
from controller.table.records import table_codec


@pytest.fixture(scope="module")
def journal() -> Path:
    """Two hands."""
    return max(RELEASES.iterdir()) / "journal"


def test_this_release_reads_what_it_writes(journal: Path) -> None:
    """Every kind and version of it, and those that have an upcaster."""
    own = own_formats()
    found = readable(journal, own)
    assert (found.ok, found.hands, found.problems) == (True, 2, ())
    assert own.records["DealKeyDropped"] == (1, 2)
    assert own.reads("HandOpened", 2)
    assert not own.reads("HandOpened", 99)


def test_an_older_release_is_told_apart_by_the_first_record_that_it_does_not_read(journal: Path) -> None:
    """A kind that it has not, a version that it has not, other tables: each is named once, with where it stands."""
    own = own_formats()
    records = {tag: versions for tag, versions in own.records.items() if tag != "CardsCounted"} | {"HandOpened": (1,)}
    older = readable(journal, Formats("0.0.9", own.journal - 1, records))
    assert not older.ok
    kinds = [problem.split(" is ")[-1] for problem in older.problems]
    assert kinds == [
        f"the journal's tables have format {own.journal}, and release 0.0.9 reads {own.journal - 1}",
        f"HandOpened of version {own.records['HandOpened'][-1]}, which release 0.0.9 does not read",
        "CardsCounted of version 1, which release 0.0.9 does not read",
    ]


def test_formats_go_through_a_file(tmp_path: Path) -> None:
    """As ``formats --json`` tells them; another file is refused."""
    path = tmp_path / "formats.json"
    path.write_text(json.dumps(own_formats().as_json()), encoding="utf-8")
    assert load_formats(path) == own_formats()
    for text in ("[]", '{"release": "1", "journal": 2}', '{"release": "1", "journal": 2, "records": {"A": ["x"]}}', "no"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatsError, match="tells no formats"):
            load_formats(path)


def test_a_record_of_a_newer_release_says_so() -> None:
    """A kind that is unknown, and a version that is higher; a lower one without upcaster is none."""
    codec = table_codec()
    for body in ({"type": "SeatSold"}, {"type": "SeatTaken", "v": 99}):
        with pytest.raises(CodecError, match="a newer release wrote it; start that one"):
            codec.decode(body)
    with pytest.raises(CodecError, match=r"no upcaster for the body's$"):
        codec.decode({"type": "SeatTaken", "v": 0})


def test_a_journal_of_a_newer_format_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By ``verify`` as by a start, and it is not written to."""
    data = write_journal(tmp_path / "data", [{"type": "E", "epoch": 1}])
    with sqlite3.connect(data / "journal.sqlite3") as base:
        base.execute("PRAGMA user_version = 99")
    base.close()
    assert main(["verify", str(data)]) == 1
    said = capsys.readouterr().out
    assert "user_version is 99, this release writes and reads 2: a newer release wrote it, start that one" in said


def test_a_store_of_a_newer_release_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Its form has a name that this release has not."""
    address = parse_address("sqlite:///floor.sqlite3", tmp_path)

    async def opened() -> None:
        async with open_store(address, "nice"):
            pass

    asyncio.run(opened())
    with sqlite3.connect(tmp_path / "floor.sqlite3") as base:
        base.execute("UPDATE alembic_version SET version_num = '9999'")
    base.close()
    with pytest.raises(StoreError, match="a newer release brought it up to date; start that one, or restore the copy"):
        asyncio.run(opened())
