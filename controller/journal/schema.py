"""The journal's tables, and what the database itself refuses: changed or removed records, gaps, writers of an older epoch."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controller.journal.canonical import canonical
from controller.journal.chain import HASH_BYTES, ZERO_HEAD
from controller.journal.errors import JournalDamaged, JournalError, JournalFailed

APPLICATION_ID: Final = 0x53545544
"""``STUD`` in the file's header."""
FORMAT: Final = 2
"""Version of tables and triggers; ``user_version`` in the file's header."""
JOURNAL_CREATED: Final = "JournalCreated"
"""Type of record 0, which binds the table ``meta`` into the chain."""
MAX_EPOCH: Final = 2**31 - 1
"""The last epoch: one start a second for 68 years. More was written there by somebody else."""
JOURNAL_CONTINUED: Final = "JournalContinued"
"""Type of the first record of a file that goes on where another ended; it binds ``meta`` and carries the state."""

_TABLES: Final = f"""
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1), journal TEXT NOT NULL, format INTEGER NOT NULL, "table" TEXT NOT NULL,
  created TEXT NOT NULL, first INTEGER NOT NULL, before BLOB NOT NULL CHECK (length(before) = {HASH_BYTES})) STRICT;
CREATE TABLE event (
  seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL CHECK (length(hash) = {HASH_BYTES})) STRICT;
CREATE TABLE writer (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL CHECK (epoch >= 0)) STRICT;
CREATE TABLE hand_key (kid TEXT PRIMARY KEY, wrapped BLOB NOT NULL) STRICT;
"""

UNREADABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file raises: also a message of SQLite that quotes the damage."""

_MEDIUM: Final = (
    "SQLITE_FULL",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_PERM",
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_IOERR_SHM",
    "SQLITE_IOERR_WRITE",
    "SQLITE_IOERR_FSYNC",
)
"""What SQLite says where disk, folder or another program refuses; the file itself may be whole."""

FENCED: Final = "fenced"
"""First word of the message when an insert meets a later writer."""

_TRIGGERS: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("event_update", "UPDATE ON event", "", "append-only: a record never changes"),
    ("event_delete", "DELETE ON event", "", "append-only: a record never goes"),
    (
        "event_seq",
        "INSERT ON event",
        "NEW.seq IS NOT (SELECT coalesce(max(seq) + 1, (SELECT first FROM meta)) FROM event)",
        f"{FENCED}: the number is not the last one plus 1",
    ),
    (
        "event_epoch",
        "INSERT ON event",
        "json_extract(NEW.body, '$.epoch') IS NOT (SELECT +epoch FROM writer)",
        f"{FENCED}: another writer has raised the epoch",
    ),
    ("meta_insert", "INSERT ON meta", "EXISTS (SELECT 1 FROM meta)", "append-only: the journal has one origin"),
    ("meta_update", "UPDATE ON meta", "", "append-only: the origin never changes"),
    ("meta_delete", "DELETE ON meta", "", "append-only: the origin never goes"),
    ("writer_insert", "INSERT ON writer", "EXISTS (SELECT 1 FROM writer)", "the journal has one writer"),
    ("writer_update", "UPDATE ON writer", "NEW.epoch <= OLD.epoch", "the epoch only rises"),
    ("writer_delete", "DELETE ON writer", "", "the journal has one writer"),
)


def _trigger(name: str, on: str, when: str, message: str) -> str:
    condition = f" WHEN {when}" if when else ""
    return f"CREATE TRIGGER {name} BEFORE {on}{condition} BEGIN SELECT RAISE(ABORT, '{message}'); END;\n"


_SCRIPT: Final = _TABLES + "".join(_trigger(*row) for row in _TRIGGERS)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a journal file is: the journal's id (8 hex digits), its table, when the file was begun (RFC 3339, for people alone).

    ``first`` is the number of its first record and ``before`` the chain's head there: 0 and zero bytes where the journal begins.
    """

    journal: str
    table: str
    created: str
    first: int = 0
    before: bytes = ZERO_HEAD

    def body(self) -> bytes:
        """Canonical text of record 0, where the journal begins."""
        return canonical({"type": JOURNAL_CREATED, **self._named(), "epoch": 0})

    def begins_with(self, body: Mapping[str, object]) -> bool:
        """Whether ``body`` is the first record of such a file; where the journal goes on, it holds the carried state as well."""
        if self.first == 0:
            return canonical(body) == self.body()
        wanted = {"type": JOURNAL_CONTINUED, **self._named(), "first": self.first, "before": self.before.hex()}
        return wanted.items() <= body.items()

    def _named(self) -> dict[str, object]:
        return {"journal": self.journal, "format": FORMAT, "table": self.table, "created": self.created}


def create_tables(connection: sqlite3.Connection, origin: Origin, first: bytes, head: bytes, *, epoch: int = 0) -> None:
    """Write tables, triggers and the ``first`` record, after which the chain's head is ``head``, into an empty database."""
    connection.executescript(
        f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; {_SCRIPT} COMMIT;"
    )
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "INSERT INTO meta VALUES (1, ?, ?, ?, ?, ?, ?)",
        (origin.journal, FORMAT, origin.table, origin.created, origin.first, origin.before),
    )
    connection.execute("INSERT INTO writer VALUES (1, ?)", (epoch,))
    connection.execute("INSERT INTO event VALUES (?, ?, ?)", (origin.first, first.decode(), head))
    connection.execute("COMMIT")


def check_structure(connection: sqlite3.Connection) -> tuple[Origin, int]:
    """Origin and writer epoch of a journal whose header, tables and triggers are exactly this version's.

    ``JournalDamaged`` at record 0 otherwise.
    """
    try:
        for pragma, expected in (("application_id", APPLICATION_ID), ("user_version", FORMAT)):
            (found,) = connection.execute(f"PRAGMA {pragma}").fetchone()
            if found != expected:
                newer = pragma == "user_version" and isinstance(found, int) and found > expected
                way = ": a newer release wrote it, start that one" if newer else ""
                raise JournalDamaged(0, f"{pragma} is {found}, this release writes and reads {expected}{way}")
        _check_schema(connection)
        return _read_origin(connection)
    except UNREADABLE as error:
        raise unreadable(error, "the file is no readable journal") from None


def unreadable(error: Exception, what: str) -> JournalError:
    """What to raise where a file cannot be opened: ``JournalDamaged`` at record 0, or ``JournalFailed`` where the medium refuses,
    for a journal that is called damaged may be thrown away."""
    if str(getattr(error, "sqlite_errorname", "")).startswith(_MEDIUM):
        return refused(error)
    return JournalDamaged(0, f"{what} ({error})")


def refused(error: Exception) -> JournalFailed:
    """The journal's disk or folder refused to open or make a file of it."""
    return JournalFailed(
        f"the journal cannot be opened: its disk or folder refuses ({error}); make room, or see that the folder can be written"
        " and no other program holds it, and start again: nothing was written"
    )


def _check_schema(connection: sqlite3.Connection) -> None:
    expected = _expected_schema()
    found = _schema(connection)
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            raise JournalDamaged(0, f"{name} is missing")
        if name not in expected:
            raise JournalDamaged(0, f"{name} does not belong there")
        if found[name] != expected[name]:
            raise JournalDamaged(0, f"{name} is not as this release writes it")


def _schema(connection: sqlite3.Connection) -> dict[str, str | None]:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    return {f"{kind} {name} of {table}" if kind != "table" else f"table {name}": sql for kind, name, table, sql in rows}


def _expected_schema() -> dict[str, str | None]:
    model = sqlite3.connect(":memory:", isolation_level=None)
    try:
        model.executescript(_SCRIPT)
        return _schema(model)
    finally:
        model.close()


def _read_origin(connection: sqlite3.Connection) -> tuple[Origin, int]:
    rows = connection.execute('SELECT format, journal, "table", created, first, before FROM meta').fetchall()
    kinds = (int, str, str, str, int, bytes)
    if len(rows) != 1 or rows[0][0] != FORMAT or not all(map(isinstance, rows[0], kinds)):
        raise JournalDamaged(0, "meta does not hold the one row of this format")
    epochs = connection.execute("SELECT epoch FROM writer").fetchall()
    if len(epochs) != 1 or not isinstance(epochs[0][0], int):
        raise JournalDamaged(0, "writer does not hold one epoch")
    if epochs[0][0] > MAX_EPOCH:
        raise JournalDamaged(0, f"the writer's epoch {epochs[0][0]} is past {MAX_EPOCH}: no table was started that often")
    return Origin(*rows[0][1:]), epochs[0][0]
