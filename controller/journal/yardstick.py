"""Plain SQLite as the yardstick of this journal: one row, one durable commit, in the caller, with nothing around it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path


def raw_commit_seconds(folder: Path, texts: Sequence[str], *, pause_s: float = 0.0) -> list[float]:
    """Seconds of each one-row commit of ``texts`` to a new file in ``folder``: WAL, ``synchronous=FULL``, no index, no thread.

    ``pause_s`` is waited before each, for commits that do not come one upon the other.
    """
    file = folder / "raw.sqlite3"
    file.unlink(missing_ok=True)
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT")
        return [_commit(connection, number, text, pause_s) for number, text in enumerate(texts, 1)]
    finally:
        connection.close()


def _commit(connection: sqlite3.Connection, number: int, text: str, pause_s: float) -> float:
    if pause_s:
        time.sleep(pause_s)
    start = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO event VALUES (?, ?, ?)", (number, text, bytes(32)))
    connection.execute("COMMIT")
    return time.perf_counter() - start
