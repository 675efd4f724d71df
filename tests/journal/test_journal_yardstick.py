"""The raw commit that the journal's figures stand beside."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from controller.journal.yardstick import RawCommits


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
