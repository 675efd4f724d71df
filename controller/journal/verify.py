"""Checking a journal from outside: no lock, no key, also while the table runs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from controller.journal.canonical import Body
from controller.journal.chain import ZERO_HEAD
from controller.journal.errors import JournalDamaged, JournalFailed
from controller.journal.files import FileEnd, all_files, closed_files
from controller.journal.scan import scan
from controller.journal.schema import Origin, check_structure


class ReplayDisagrees(Exception):  # noqa: N818
    """Raised by the caller's replay when an event does not give the state it claims; its text becomes the reason."""


_RENAME_TRIES: Final = 5
_RENAME_WAIT_S: Final = 0.05

OnEvent: TypeAlias = Callable[[int, Body], None]
OnHead: TypeAlias = Callable[[int, bytes], None]
"""Told, before its event, of a record's number and the chain's hash after it."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Outcome of a check. ``events`` hold, ``head`` is the chain's hash after them; ``first_bad`` is 0 for the journal itself.
    Of several files ``reason`` names the one in which it lies."""

    events: int
    head: bytes
    first_bad: int | None = None
    reason: str | None = None
    origin: Origin | None = None
    met: bool = False
    """Whether the head that was asked for is the chain's at some record."""

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return self.first_bad is None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the caller wants: to be told of events and of heads, and a head that must be met."""

    on_event: OnEvent | None
    on_head: OnHead | None
    head: bytes | None


def verify_chain(
    path: Path,
    on_event: OnEvent | None = None,
    *,
    head: bytes | None = None,
    on_head: OnHead | None = None,
    after: Verification | None = None,
) -> Verification:
    """Check structure, chain, numbers, epochs and pages of the journal file ``path``, or of all files in the folder ``path``.

    One consistent view of a file is read, what the write-ahead log holds included. ``on_event`` gets each event that holds, in
    order, and may raise ``ReplayDisagrees``. A ``head`` that was noted elsewhere must be the chain's at some record: otherwise
    the journal was cut short. Files that were read before are left out: their outcome is ``after``. ``FileNotFoundError`` when
    there is no such file.
    """
    once = None if on_event is None else _Once(on_event)
    found = _verify_all(path, _Asked(once, on_head, head), after)
    if head is None or not found.ok or found.met:
        return found
    reason = f"the journal ends here and holds no record with the head {head.hex()}: it was cut short, or it is another journal"
    return replace(found, first_bad=found.events + 1, reason=reason)


def verify_file(file: Path, on_event: OnEvent | None = None, *, head: bytes | None = None) -> Verification:
    """The same for one file alone: what it begins with is believed, and whether it met ``head`` is told, not judged."""
    return _verify_one(file, _Asked(None if on_event is None else _Once(on_event), None, head))


def _verify_all(path: Path, asked: _Asked, found: Verification | None) -> Verification:
    if not path.is_dir():
        if not path.is_file():
            raise FileNotFoundError(f"there is no journal at {path}: name the folder of a table, or its journal.sqlite3")
        return _verify_one(path, asked)
    files = files_of(path)
    number = 0 if found is None else sum(first <= found.events for first, _ in closed_files(path))
    while True:
        result = _verify_one(files[number], asked, found)
        result = result if found is None else replace(result, origin=found.origin)
        at_once, files = files, files_of(path)
        if not {*at_once[:-1]} <= {*files}:
            raise FileNotFoundError(f"closed files of {path} were moved away while they were read: verify it again")
        if result.ok and number + 1 < len(at_once):
            found, number = result, number + 1
        elif files == at_once:
            named = None if result.reason is None or len(files) == 1 else f"{files[number].name}: {result.reason}"
            return replace(result, reason=named or result.reason)
        # else a table that runs has begun another file meanwhile, maybe after it wrote more into this one: read it again


class _Once:
    """Tells each event the first time alone, though its file is read again."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        self._told = 0

    def __call__(self, seq: int, body: Body) -> None:
        if seq > self._told:
            self._on_event(seq, body)
            self._told = seq


def files_of(folder: Path) -> tuple[Path, ...]:
    """The files in order; between the two renames of a table that runs the newest is missing for a moment."""
    for _ in range(_RENAME_TRIES):
        try:
            return all_files(folder)
        except FileNotFoundError:
            if not closed_files(folder):
                raise
            time.sleep(_RENAME_WAIT_S)
    return all_files(folder)


def _verify_one(file: Path, asked: _Asked, before: Verification | None = None) -> Verification:
    quiet = not _has_log(file)
    try:
        result = _verify_file(file, asked, before, immutable=quiet)
        if quiet and not result.ok and _has_log(file):  # a table started meanwhile and wrote under our hands
            return _verify_file(file, asked, before, immutable=False)
    except JournalFailed:
        if file.is_file():
            raise
        raise FileNotFoundError(f"{file} was moved away while the journal was read: verify it again") from None
    return result


def read_origin(path: Path) -> Origin:
    """What the journal in ``path``, a file or its folder, is: id, table and when it was begun. Its records are not checked.

    ``FileNotFoundError`` when there is no such file, ``JournalDamaged`` when it is no journal.
    """
    file = all_files(path)[0] if path.is_dir() else path
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
    try:
        return sqlite3.connect(address, uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise JournalFailed(f"{file} cannot be opened ({error}): name a journal that this user may read") from None


def _verify_file(file: Path, asked: _Asked, before: Verification | None, *, immutable: bool) -> Verification:
    connection = _connect(file, immutable=immutable)
    events, head, origin = (0, ZERO_HEAD, None) if before is None else (before.events, before.head, before.origin)
    met = before is not None and before.met
    try:
        connection.execute("BEGIN")
        origin, epoch = check_structure(connection)
        if before is not None and not goes_on(before, origin):
            raise JournalDamaged(events + 1, "it does not go on where the file before it ends")
        for record in scan(connection, origin, epoch):
            if asked.on_head is not None:
                asked.on_head(record.seq, record.head)
            if record.seq > 0 and asked.on_event is not None:
                try:
                    asked.on_event(record.seq, record.body)
                except ReplayDisagrees as disagreement:
                    return Verification(events, head, record.seq, str(disagreement), origin)
            events, head = record.seq, record.head
            met = met or head == asked.head
    except JournalDamaged as damage:
        first_bad = damage.seq if before is None else max(damage.seq, events + 1)  # 0 is a file that is no journal
        return Verification(events, head, first_bad, damage.reason, origin)
    finally:
        connection.close()
    return Verification(events, head, origin=origin, met=met)


def goes_on(before: Verification, origin: Origin) -> bool:
    """Whether a file of ``origin`` goes on where those end of which ``before`` is the outcome."""
    return before.origin is not None and FileEnd(before.origin, before.events, before.head).continued_by(origin)
