"""A copy of a journal that may leave the machine, made while the table writes (recovery §10).

Wrapped keys stay behind: where the copy is opened, a hand that was open is played on blind, and no sealed card can be read.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from controller.journal.errors import JournalDamaged
from controller.journal.files import lock_folder, sync_folder
from controller.journal.schema import UNREADABLE
from controller.journal.verify import files_of, verify_chain
from controller.whole_file import give_to_owner

_TRIES: Final = 10
"""How often a copy is begun anew because the table began another file meanwhile; a file lasts for hours."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What was copied: the number of files and events, and the head, which should be noted elsewhere."""

    journal: str
    files: int
    events: int
    head: str

    def as_json(self) -> dict[str, Any]:
        """The published keys."""
        return {"journal": self.journal, "files": self.files, "events": self.events, "head": self.head}


def back_up(journal: Path, out: Path) -> Backup:
    """Copy the journal in the folder ``journal`` into the folder ``out``, whole and verified, or not at all.

    ``FileNotFoundError`` when there is no journal, ``FileExistsError`` when ``out`` is there, ``JournalDamaged`` when the copy
    does not hold, ``OSError`` that names ``out`` when it cannot be made.
    """
    if out.exists():
        raise FileExistsError(f"{out} is there already: name another folder with --out")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(out)) from None
    try:
        _copy_all(journal, staging)
        found = verify_chain(staging)
        if not found.ok or found.origin is None:
            raise JournalDamaged(found.first_bad or 0, f"{found.reason}; no copy was kept")
        sync_folder(staging)
        staging.rename(out)
        sync_folder(out.parent)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return Backup(found.origin.journal, len(files_of(out)), found.events, found.head.hex())


def restore(copy: Path, data: Path, *, head: bytes | None = None) -> Backup:
    """Put the copied journal in ``copy`` where a table of ``data`` finds it, the newest file last, so that none starts on a part.

    ``FileExistsError`` when a journal is there, ``JournalDamaged`` when the copy does not hold or ends before ``head``,
    ``FileNotFoundError`` when it is none, ``JournalBusy`` when a table runs there, ``OSError`` when ``data`` cannot be written.
    """
    found = verify_chain(copy, head=head)
    if not found.ok or found.origin is None:
        raise JournalDamaged(found.first_bad or 0, f"{found.reason}; nothing was restored")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = lock_folder(data)
    try:
        there = sorted(data.glob("journal*.sqlite3*"))
        if there:
            raise FileExistsError(f"{there[0]} is there: move the old journal away first, and never start two tables from one")
        files = files_of(copy)
        for path in files:
            _put(path, data / path.name)
        sync_folder(data)
    finally:
        os.close(lock)
    return Backup(found.origin.journal, len(files), found.events, found.head.hex())


def _put(source: Path, target: Path) -> None:
    """One file, whole or not there, of the folder's owner, whoever restores."""
    beside = target.with_name(f".{target.name}.new")
    shutil.copyfile(source, beside)
    handle = os.open(beside, os.O_RDWR)
    try:
        os.fchmod(handle, 0o600)
        give_to_owner(handle, target)
        os.fsync(handle)
    finally:
        os.close(handle)
    beside.replace(target)


def _copy_all(journal: Path, staging: Path) -> None:
    """Every file, the newest as it is at one moment."""
    for _ in range(_TRIES):
        files = files_of(journal)
        for path in files:
            _copy(path, staging / path.name)
        if files_of(journal) == files:
            return
        for path in staging.iterdir():
            path.unlink()
    raise JournalDamaged(0, f"{journal} changes its files faster than they can be copied")


def _copy(source: Path, target: Path) -> None:
    """One file through memory: what is deleted there is nowhere on the copy's medium."""
    log = source.with_name(source.name + "-wal").exists()
    address = f"{source.absolute().as_uri()}?mode=ro{'' if log else '&immutable=1'}"
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as held:
            with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as base:
                base.backup(held)
            held.execute("PRAGMA secure_delete = ON")
            held.execute("DELETE FROM hand_key")
            held.execute("VACUUM")
            os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
            with closing(sqlite3.connect(target, isolation_level=None)) as copy:
                held.backup(copy)
    except UNREADABLE as error:
        raise JournalDamaged(0, f"{source.name} cannot be copied ({error})") from None
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
