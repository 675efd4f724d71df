"""The files of one journal in its data folder: the one that is written, and the closed ones that it goes on from.

``journal.sqlite3`` is written. When it has grown long, a new file is prepared beside it as ``journal.sqlite3.new``; then the old
one is renamed after its first record and the new one takes its place. A crash between the two renames is finished at the next
start.
"""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal.chain import ZERO_HEAD
from controller.journal.errors import JournalBusy, JournalDamaged
from controller.journal.scan import scan
from controller.journal.schema import UNREADABLE, Origin, check_structure

JOURNAL_FILE: Final = "journal.sqlite3"
"""Name of the journal in its data folder; of its newest file where it has several."""
_CLOSED: Final = re.compile(r"journal-(\d{12})\.sqlite3")
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")


class FileEnd(NamedTuple):
    """Where a file begins and ends: its origin, the number of its last record and the chain's head after it."""

    origin: Origin
    last_seq: int
    head: bytes

    def continued_by(self, origin: Origin) -> bool:
        """Whether a file of ``origin`` goes on where this one ends."""
        due = replace(self.origin, first=self.last_seq + 1, before=self.head)
        return origin == replace(due, created=origin.created)


def next_name(folder: Path) -> Path:
    """Where the next file is prepared."""
    return folder / f"{JOURNAL_FILE}.new"


def closed_name(folder: Path, origin: Origin) -> Path:
    """The name of a file when it is closed."""
    return folder / f"journal-{origin.first:012d}.sqlite3"


def closed_files(folder: Path) -> tuple[tuple[int, Path], ...]:
    """The number of the first record and the path of each closed file, oldest first."""
    found = [(int(match[1]), path) for path in folder.iterdir() if (match := _CLOSED.fullmatch(path.name))]
    return tuple(sorted(found))


def all_files(folder: Path) -> tuple[Path, ...]:
    """Every file of the journal, oldest first; ``FileNotFoundError`` when the newest is missing."""
    newest = folder / JOURNAL_FILE
    if not newest.is_file():
        raise FileNotFoundError(f"there is no journal {newest.absolute()}{_inside(folder)}")
    return (*(path for _, path in closed_files(folder)), newest)


def remove(path: Path) -> None:
    """Remove a database file that was never used, and what SQLite left beside it. Wrapped keys stand there: it is overwritten."""
    for name in (path, *(path.with_name(path.name + suffix) for suffix in _SIDE_FILES)):
        _overwrite(name)
        name.unlink(missing_ok=True)


def _overwrite(path: Path) -> None:
    try:
        with path.open("r+b") as file:
            file.write(bytes(path.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        return  # missing, or on a medium that takes nothing any more


def swap(folder: Path, origin: Origin) -> None:
    """Rename the file of ``origin``, which nobody writes any more, and put the prepared one in its place. Durable on return."""
    current = folder / JOURNAL_FILE
    for suffix in _SIDE_FILES:  # emptied when it was closed; a reader may have left them
        current.with_name(current.name + suffix).unlink(missing_ok=True)
    current.rename(closed_name(folder, origin))
    sync_folder(folder)
    next_name(folder).rename(current)
    sync_folder(folder)


def finish_swap(folder: Path) -> None:
    """Put right what a crash left of ``swap``; nothing where none was on its way.

    ``JournalDamaged`` when the newest file is missing and nothing there goes on where the last closed one ends.
    """
    current, prepared, closed = folder / JOURNAL_FILE, next_name(folder), closed_files(folder)
    if current.exists():
        remove(prepared)
    elif closed:
        if not prepared.exists() or not read_end(closed[-1][1]).continued_by(read_end(prepared).origin):
            raise JournalDamaged(0, f"{current} is missing, and {closed[-1][1].name} is older: restore the newest file")
        prepared.rename(current)
        sync_folder(folder)


def check_goes_on(folder: Path, origin: Origin) -> None:
    """Whether the newest file, of ``origin``, is the one that goes on where the last closed one ends. Of that one its last record
    alone is read. ``JournalDamaged`` otherwise: an older copy, say, would be closed over a file that is there."""
    for _, path in closed_files(folder)[-1:]:
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
                closed, _ = check_structure(connection)
                last = connection.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        except (JournalDamaged, *UNREADABLE) as error:
            raise JournalDamaged(0, f"{path.name} cannot be read ({error}): restore it, or move it away") from None
        if last is None or not FileEnd(closed, *last).continued_by(origin):
            raise JournalDamaged(origin.first, f"{JOURNAL_FILE} does not go on where {path.name} ends: restore the newest file")


def read_end(path: Path) -> FileEnd:
    """Where a file begins and ends, every record of it checked. ``JournalDamaged`` when it does not hold."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    try:
        origin, epoch = check_structure(connection)
        last, head = -1, ZERO_HEAD
        for record in scan(connection, origin, epoch):
            last, head = record.seq, record.head
        return FileEnd(origin, last, head)
    except UNREADABLE as error:
        raise JournalDamaged(0, f"{path.name} is no readable journal ({error})") from None
    finally:
        connection.close()


def lock_folder(folder: Path) -> int:
    """Hold the data folder until the returned descriptor is closed: nobody else opens the journal in it meanwhile.
    ``JournalBusy`` when another process holds it."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise JournalBusy(f"another controller, demo or calibration works in {folder}: stop it, or name another folder") from None
    return lock


def sync_folder(folder: Path) -> None:
    """Make renames in ``folder`` durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _inside(folder: Path) -> str:
    """Where in ``folder`` a journal's folder lies, as the end of a sentence; what to name when none does."""
    with suppress(OSError):
        for inner in sorted(folder.iterdir()):
            if (inner / JOURNAL_FILE).is_file():
                return f"; there is one in {inner}"
    return ": name the folder of a table's journal"
