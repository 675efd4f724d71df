"""The raw commit that the journal's figures stand beside."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from controller.journal.files import JOURNAL_FILE
from controller.journal.store import JournalStore
from controller.journal.yardstick import RawCommits, read_and_hash


def test_each_text_is_one_durable_row(tmp_path: Path) -> None:
    """Rows stand in the file in order, and a second run begins anew."""
    for _ in range(2):
        with RawCommits(tmp_path) as commits:
            assert all(commits.commit(text) > 0 for text in ("a", "b"))
    connection = sqlite3.connect(tmp_path / "raw.sqlite3")
    try:
        assert connection.execute("SELECT seq, body FROM event").fetchall() == [(1, "a"), (2, "b")]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    finally:
        connection.close()


def test_every_record_is_read_and_hashed(tmp_path: Path) -> None:
    """The number of the last one is told."""
    store = JournalStore.open(tmp_path, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
    store.raise_epoch()
    store.commit([store.prepare([{"type": "E"}] * 3)])
    assert read_and_hash(tmp_path / JOURNAL_FILE) == 3
    store.close()
