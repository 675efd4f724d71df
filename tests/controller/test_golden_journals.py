"""Journals that earlier releases wrote are read as they were written, for ever (docs/how-to/change-a-record.md)."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.golden_journal import EXPECTED, GOLDEN, KEY, SHAPES, findings, journals, shapes
from support.table_runs import ROOT

from controller.journal.codec import Codec, CodecError
from controller.table.records import table_codec
from controller.verify import audit

RELEASES = sorted(path for path in GOLDEN.iterdir() if path.is_dir())


def name_of(journal: Path) -> str:
    """Release and name."""
    return f"{journal.parent.name}/{journal.name}"


def expected(journal: Path) -> dict[str, Any]:
    """What the release that wrote it, or the last that changed its exports on purpose, made of it."""
    return dict(json.loads((journal / EXPECTED).read_text(encoding="utf-8")))


@pytest.mark.parametrize("journal", journals(), ids=name_of)
def test_a_golden_journal_is_read_as_it_was_written(journal: Path, tmp_path: Path) -> None:
    """Same events, hands, head, state with and without its keys, and exports; the verifier that stands alone agrees."""
    copy = shutil.copytree(journal, tmp_path / "data")
    (copy / EXPECTED).unlink()
    wanted = expected(journal)
    assert findings(copy) == wanted
    told = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "deploy/verify_journal.py"), str(copy)],
        capture_output=True,
        text=True,
        check=True,
    )
    alone = json.loads(told.stdout)
    assert (alone["ok"], alone["events"], alone["head"]) == (True, wanted["verify"]["events"], wanted["verify"]["head"])


def test_the_golden_journals_hold_every_kind_of_record() -> None:
    """Of each release: all that it could write, in three variants, in journals of several files, with sealed cards and keys."""
    for release in RELEASES:
        mine = [journal for journal in journals() if journal.parent == release]
        kinds = {kind for journal in mine for kind in expected(journal)["kinds"]}
        assert kinds == json.loads((release / SHAPES).read_text(encoding="utf-8")).keys()
        whole = [journal for journal in mine if (journal / KEY).exists()]
        assert {journal.name for journal in whole} == {"evening-stud", "evening-stud8", "evening-razz"}
        assert all(len(list(journal.glob("journal-*.sqlite3"))) >= 2 for journal in whole)
        assert all(expected(journal)["verify"]["ok"] for journal in mine)


def unread(codec: Codec, release: Mapping[str, Any]) -> list[str]:
    """Kinds of records of a release that today's ``codec`` cannot read as they were written."""
    today = shapes(codec)
    lost = []
    for tag, shape in release.items():
        if not codec.reads(tag, shape["version"]):
            lost.append(f"{tag} version {shape['version']} has no upcaster")
        elif tag in today and today[tag]["version"] == shape["version"] and today[tag] != shape:
            lost.append(f"{tag} version {shape['version']} has other fields than it was written with: raise its version")
    return lost


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_what_a_release_wrote_is_todays_or_has_an_upcaster(release: Path) -> None:
    """A kind of record that changes gets a new version and an upcaster; one that goes keeps its upcaster."""
    assert unread(table_codec(), json.loads((release / SHAPES).read_text(encoding="utf-8"))) == []


def test_a_new_kind_of_record_is_in_the_newest_golden_journals() -> None:
    """A story in ``support/golden_stories.py`` makes it, and ``python -m support.golden_journal write`` in ``tests`` keeps it."""
    newest = json.loads((RELEASES[-1] / SHAPES).read_text(encoding="utf-8"))
    assert [tag for tag in shapes(table_codec()) if tag not in newest] == []


def test_a_changed_record_without_an_upcaster_is_named() -> None:
    """The check can fail: a field more, one more in an object that a field holds, a version more, a kind that is gone; with an
    upcaster the old version is read."""
    codec = table_codec.__wrapped__()  # one of its own: the one of the program stays without these upcasters
    written = shapes(codec)
    written["JournalContinued"]["fields"].remove("shoe.renewals")
    written["SeatTaken"]["fields"].remove("chips")
    written["SeatLeft"]["version"] = 7
    written["SeatSold"] = {"version": 1, "fields": ["seat"]}
    (nested, *others) = unread(codec, written)
    assert nested == "JournalContinued version 6 has other fields than it was written with: raise its version"
    written["JournalContinued"] = shapes(codec)["JournalContinued"]
    assert others == [
        "SeatLeft version 7 has no upcaster",
        "SeatTaken version 1 has other fields than it was written with: raise its version",
        "SeatSold version 1 has no upcaster",
    ]
    codec.register_upcaster("SeatSold", 1, lambda body: {**body, "type": "SeatLeft", "chips": 0})
    codec.register_upcaster("SeatLeft", 7, lambda body: {**body, "v": 1})
    assert unread(codec, written) == ["SeatTaken version 1 has other fields than it was written with: raise its version"]
    with pytest.raises(CodecError, match="SeatTaken lacks the field chips"):
        codec.decode({"type": "SeatTaken", "seat": 1, "name": "Ann"})


def test_another_stack_in_a_golden_journal_is_found(tmp_path: Path) -> None:
    """The comparison is not with itself: one figure is changed behind the trigger's back, and the chain names its record."""
    journal = next(journal for journal in journals() if journal.name == "last-two")
    copy = shutil.copytree(journal, tmp_path / "data")
    base = sqlite3.connect(copy / "journal.sqlite3", isolation_level=None)
    (trigger,) = base.execute("SELECT sql FROM sqlite_schema WHERE name = 'event_update'").fetchone()
    base.execute("DROP TRIGGER event_update")
    base.execute("UPDATE event SET body = replace(body, '\"chips\":100', '\"chips\":101') WHERE body LIKE '%SeatTaken%'")
    base.execute(trigger)
    base.close()
    found = audit(copy)
    assert not found.ok
    assert found.as_json() != expected(journal)["verify"]
    assert found.reason == "the record does not fit the hash chain"
