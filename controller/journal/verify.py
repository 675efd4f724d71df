"""Checking a journal from outside: no lock, no key, also while the table runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from controller.journal.canonical import Body
from controller.journal.chain import ZERO_HEAD
from controller.journal.errors import JournalDamaged
from controller.journal.scan import scan
from controller.journal.schema import Origin, check_structure
from controller.journal.store import JOURNAL_FILE


class ReplayDisagrees(Exception):  # noqa: N818
    """Raised by the caller's replay when an event does not give the state it claims; its text becomes the reason."""


OnEvent: TypeAlias = Callable[[int, Body], None]


@dataclass(frozen=True, slots=True)
class Verification:
    """Outcome of a check. ``events`` hold, ``head`` is the chain's hash after them; ``first_bad`` is 0 for the journal itself."""

    events: int
    head: bytes
    first_bad: int | None = None
    reason: str | None = None
    origin: Origin | None = None

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return self.first_bad is None


def verify_chain(path: Path, on_event: OnEvent | None = None) -> Verification:
    """Check structure, chain, numbers, epochs and pages of the journal file, or of the one in the folder ``path``.

    One consistent view is read, what the write-ahead log holds included. ``on_event`` gets each event that holds, in order, and
    may raise ``ReplayDisagrees``. ``FileNotFoundError`` when there is no such file.
    """
    file = path / JOURNAL_FILE if path.is_dir() else path
    if not file.is_file():
        raise FileNotFoundError(f"there is no journal {file}")
    quiet = not _has_log(file)
    result = _verify_file(file, on_event, immutable=quiet)
    if quiet and not result.ok and _has_log(file):  # a table started meanwhile and wrote under our hands
        return _verify_file(file, on_event, immutable=False)
    return result


def read_origin(path: Path) -> Origin:
    """What the journal in ``path``, a file or its folder, is: id, table and when it was begun. Its records are not checked.

    ``FileNotFoundError`` when there is no such file, ``JournalDamaged`` when it is no journal.
    """
    file = path / JOURNAL_FILE if path.is_dir() else path
    if not file.is_file():
        raise FileNotFoundError(f"there is no journal {file}")
    connection = _connect(file, immutable=not _has_log(file))
    try:
        return check_structure(connection)[0]
    finally:
        connection.close()


def _has_log(file: Path) -> bool:
    return file.with_name(file.name + "-wal").exists()


def _connect(file: Path, *, immutable: bool) -> sqlite3.Connection:
    address = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"
    return sqlite3.connect(address, uri=True, isolation_level=None)


def _verify_file(file: Path, on_event: OnEvent | None, *, immutable: bool) -> Verification:
    connection = _connect(file, immutable=immutable)
    events, head, origin = 0, ZERO_HEAD, None
    try:
        connection.execute("BEGIN")
        origin, epoch = check_structure(connection)
        for record in scan(connection, origin, epoch):
            if record.seq > 0 and on_event is not None:
                try:
                    on_event(record.seq, record.body)
                except ReplayDisagrees as disagreement:
                    return Verification(events, head, record.seq, str(disagreement), origin)
            events, head = record.seq, record.head
    except JournalDamaged as damage:
        return Verification(events, head, damage.seq, damage.reason, origin)
    finally:
        connection.close()
    return Verification(events, head, origin=origin)
