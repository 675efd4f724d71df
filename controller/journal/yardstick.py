"""Plain SQLite as the yardstick of this journal: one row, one durable commit, in the caller, with nothing around it; and each row
read and hashed once, with nothing checked."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self


class RawCommits:
    """A new file in ``folder``, opened with ``with``: WAL, ``synchronous=FULL``, one table, no index, trigger or thread."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "raw.sqlite3"
        self._rows = 0
        self._connection: sqlite3.Connection

    def __enter__(self) -> Self:
        self._file.unlink(missing_ok=True)
        self._connection = sqlite3.connect(self._file, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._connection.close()

    def commit(self, text: str) -> int:
        """Commit one row of ``text``; the nanoseconds until it was durable."""
        self._rows += 1
        start = time.monotonic_ns()
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO event VALUES (?, ?, ?)", (self._rows, text, bytes(32)))
        self._connection.execute("COMMIT")
        return time.monotonic_ns() - start


def read_and_hash(file: Path) -> int:
    """Read each record of a journal's file and hash it into a chain; the number of the last."""
    seq, head = -1, bytes(32)
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as base:
        for seq, body in base.execute("SELECT seq, CAST(body AS BLOB) FROM event ORDER BY seq"):
            head = sha256(head + seq.to_bytes(8, "big") + sha256(body).digest()).digest()
    return seq
