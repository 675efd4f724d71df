"""Copies of a journal: consistent while the table writes, without a key, whole or not there."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from controller.journal import backup as backup_module
from controller.journal.backup import back_up
from controller.journal.errors import JournalDamaged
from controller.journal.files import JOURNAL_FILE, closed_files
from controller.journal.schema import FORMAT
from controller.journal.store import JournalStore, KeyInsert
from controller.journal.verify import files_of, verify_chain

CREATED = "2025-03-02T02:00:00Z"


def open_journal(folder: Path) -> JournalStore:
    return JournalStore.open(folder, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")


def fill(journal: JournalStore, count: int) -> None:
    for _ in range(count):
        journal.commit([journal.prepare([{"type": "E", "n": journal.last_seq + 1}])])


def rotate(journal: JournalStore) -> None:
    origin = journal.continuation(CREATED)
    named = {"journal": origin.journal, "format": FORMAT, "table": origin.table, "created": origin.created}
    journal.prepare_next({"type": "JournalContinued", **named, "first": origin.first, "before": origin.before.hex()}, origin)
    assert journal.switch() is not None


def test_a_copy_of_a_running_table_holds_and_goes_on(folder: Path, tmp_path: Path) -> None:
    """What the log holds is copied as well; no key is in any byte of the copy; a table opens it under a higher epoch."""
    journal = open_journal(folder)
    journal.raise_epoch()
    journal.commit([journal.prepare([], [KeyInsert("T7/1", b"box-of-key")])])
    fill(journal, 6)
    rotate(journal)
    fill(journal, 4)
    made = back_up(folder, tmp_path / "copies" / "monday")
    assert (made.files, made.events, made.head) == (2, journal.last_seq, journal.head.hex())
    fill(journal, 3)
    assert journal.hand_keys() == {"T7/1": b"box-of-key"}
    for path in (tmp_path / "copies" / "monday").iterdir():
        assert b"box-of-key" not in path.read_bytes()
        assert path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["monday"]
    shutil.copytree(tmp_path / "copies" / "monday", tmp_path / "restored")
    restored = open_journal(tmp_path / "restored")
    assert (restored.last_seq, restored.head.hex(), restored.hand_keys()) == (made.events, made.head, {})
    assert restored.raise_epoch() == journal.epoch + 1
    fill(restored, 2)
    restored.close()
    assert verify_chain(tmp_path / "restored").ok
    assert verify_chain(folder, head=bytes.fromhex(made.head)).ok
    journal.close()


def test_a_file_begun_while_the_copy_is_made_is_in_it(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two looks at the folder the table went on in other files: the copy is begun anew."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 6)
    looks = 0

    def look(path: Path) -> tuple[Path, ...]:
        nonlocal looks
        looks += 1
        if looks in (2, 4):
            fill(journal, 1)
            rotate(journal)
            fill(journal, 1)
        return files_of(path)

    monkeypatch.setattr(backup_module, "files_of", look)
    made = back_up(folder, tmp_path / "copy")
    assert (made.files, made.events, made.head) == (3, journal.last_seq, journal.head.hex())
    assert len(closed_files(tmp_path / "copy")) == 2
    journal.close()


def test_what_is_there_is_never_overwritten_and_nothing_half_is_left(folder: Path, tmp_path: Path) -> None:
    """A folder that is there, no journal, and a damaged one."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 3)
    journal.close()
    (tmp_path / "there").mkdir()
    with pytest.raises(FileExistsError, match="name another folder"):
        back_up(folder, tmp_path / "there")
    with pytest.raises(FileNotFoundError, match="there is no journal"):
        back_up(tmp_path / "there", tmp_path / "copy")
    base = sqlite3.connect(folder / JOURNAL_FILE, isolation_level=None)
    base.execute("DROP TRIGGER event_update")
    base.close()
    with pytest.raises(JournalDamaged, match="no copy was kept"):
        back_up(folder, tmp_path / "copy")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "there"]
