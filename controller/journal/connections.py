"""Connections to the database files of a journal, and files that are made, read or cleared in one go."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from controller.journal.canonical import Body
from controller.journal.chain import next_head
from controller.journal.errors import JournalDamaged
from controller.journal.files import closed_files, next_name, remove, sync_folder
from controller.journal.scan import closed_records
from controller.journal.schema import UNREADABLE, Origin, create_tables, unreadable

BUSY_TIMEOUT_MS: Final = 1000
"""How long a commit waits for a foreign program that holds the file."""


def create_file(path: Path, origin: Origin) -> None:
    """Write the new journal under another name and rename it, so that a crash never leaves half a journal."""
    for suffix in ("-wal", "-journal"):
        if path.with_name(path.name + suffix).exists():
            raise JournalDamaged(0, f"{path} is missing but its log {path.name}{suffix} is there: restore both or move both away")
    fresh = next_name(path.parent)
    remove(fresh)
    write_file(fresh, origin, origin.body(), next_head(origin.before, 0, origin.body()))
    fresh.rename(path)
    sync_folder(path.parent)


def write_file(
    path: Path, origin: Origin, first: bytes, head: bytes, *, epoch: int = 0, keys: Mapping[str, bytes] | None = None
) -> None:
    """A new file of ``origin``: its ``first`` record, the chain's head after it, the keys that it begins with."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = connect(path.absolute().as_uri())
    try:
        connection.execute("PRAGMA synchronous = FULL")
        create_tables(connection, origin, first, head, epoch=epoch)
        connection.executemany("INSERT INTO hand_key VALUES (?, ?)", list((keys or {}).items()))
    finally:
        connection.close()


def connections(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """One to write with and one to read with."""
    writer = connect_file(path)
    try:
        return writer, connect(f"{path.absolute().as_uri()}?mode=ro")
    except BaseException:
        writer.close()
        raise


def drop_keys(closed: Sequence[tuple[int, Path]]) -> None:
    """Keys live in the newest file alone: a crash may have left them in the one that was closed last."""
    for _, path in closed:
        connection = connect(f"{path.absolute().as_uri()}?mode=rw")
        try:
            if connection.execute("SELECT count(*) FROM hand_key").fetchone() != (0,):
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("DELETE FROM hand_key")
        except sqlite3.DatabaseError:
            continue  # a reader holds it, it lies on a medium for reading alone, or it is damaged: the next start tries again
        finally:
            connection.close()


def closed_events(folder: Path, due: int, end: int) -> Iterator[tuple[int, Body]]:
    """The events from ``due`` to ``end`` in the closed files that are still there.

    ``JournalDamaged`` names the file and the first record that no longer fits the chain: it was whole when it was closed, and
    what was damaged since is told to nobody.
    """
    closed = closed_files(folder)
    for (first, path), ends in zip(closed, [*(first for first, _ in closed[1:]), end + 1], strict=True):
        if due < ends and due <= end:
            try:
                with closing(connect(f"{path.absolute().as_uri()}?mode=ro")) as connection:
                    yield from closed_records(connection, due, min(end, ends - 1))
            except JournalDamaged as error:
                raise JournalDamaged(error.seq, f"{path.name} cannot be read ({error.reason})") from None
            except UNREADABLE as error:
                raise JournalDamaged(max(due, first), f"{path.name} cannot be read ({error})") from None
            due = ends


def closed_head(folder: Path, seq: int) -> bytes | None:
    """The chain's hash after record ``seq`` as a closed file has it; ``None`` where none has it that can be read."""
    files = [path for first, path in closed_files(folder) if first <= seq]
    if not files:
        return None
    try:
        with closing(connect(f"{files[-1].absolute().as_uri()}?mode=ro")) as connection:
            found = connection.execute("SELECT hash FROM event WHERE seq = ?", (seq,)).fetchone()
    except UNREADABLE:
        return None
    return None if found is None else bytes(found[0])


def connect(address: str) -> sqlite3.Connection:
    """A connection to a file's URI, or to ``:memory:``."""
    uri = address.startswith("file:")
    return sqlite3.connect(
        address, uri=uri, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_MS / 1000, cached_statements=32
    )


def connect_file(path: Path) -> sqlite3.Connection:
    """One to write with: each commit synced, deleted keys overwritten. ``JournalDamaged`` when it cannot be."""
    connection = connect(f"{path.absolute().as_uri()}?mode=rw")
    try:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = FULL")
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except UNREADABLE as error:
        connection.close()
        raise unreadable(error, "the file cannot be opened as a journal") from None
    if mode != "wal":
        connection.close()
        raise JournalDamaged(0, f"the file system gives no write-ahead log (journal mode {mode})")
    return connection
