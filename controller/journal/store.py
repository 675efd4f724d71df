"""The journal file: an append-only SQLite database with one writer (recovery rests on it, so every commit is synced).

Record 0 binds what the journal is; events count from 1. Each body carries the writer's ``epoch``, added here. The data folder is
locked as long as the store is open. Calls are synchronous; ``writer.Journal`` is the face for an event loop.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from controller.journal.canonical import Body, canonical
from controller.journal.chain import ZERO_HEAD, next_head
from controller.journal.connections import (
    BUSY_TIMEOUT_MS,
    closed_events,
    closed_head,
    connect,
    connections,
    create_file,
    drop_keys,
    write_file,
)
from controller.journal.errors import JournalDamaged, JournalError, JournalFailed, JournalFenced, JournalMismatch
from controller.journal.files import (
    JOURNAL_FILE,
    check_goes_on,
    closed_files,
    closed_name,
    finish_swap,
    lock_folder,
    next_name,
    remove,
    swap,
)
from controller.journal.scan import Page, pages, read_page, scan
from controller.journal.schema import FENCED, MAX_EPOCH, Origin, check_structure, create_tables, refused

MAX_BODIES: Final = 1024
"""Most events of one append."""
MAX_ROWS_A_STATEMENT: Final = 16
"""Rows that are written by one statement of their own; fewer than the statements that a connection keeps."""
ROTATE_AFTER: Final = 5_000
"""Records of a file after which the next hand begins a new one: what a start has to read and replay stays short."""


@dataclass(frozen=True, slots=True)
class KeyInsert:
    """A deal's wrapped key, kept from the commit that opens the hand."""

    kid: str
    wrapped: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyDelete:
    """A deal's key goes for good; nothing happens when it is not there."""

    kid: str


KeyChange: TypeAlias = KeyInsert | KeyDelete


@dataclass(frozen=True, slots=True)
class Entry:
    """One append, ready to be written: canonical bodies and changes of keys, all or none."""

    bodies: tuple[bytes, ...] = field(repr=False)
    keys: tuple[KeyChange, ...]


@dataclass(frozen=True, slots=True)
class Appended:
    """Where an append stands: first and last number (``first_seq`` > ``last_seq`` when it held keys alone), head after it."""

    first_seq: int
    last_seq: int
    head: bytes


class JournalStore:
    """An open journal. Not for two threads at once, apart from ``events``, which reads through a connection of its own."""

    def __init__(
        self, connection: sqlite3.Connection, reader: sqlite3.Connection, lock: int | None, path: Path | None, rotate_after: int
    ) -> None:
        self._connection = connection
        self._reader = reader
        self._lock = lock
        self._rotate_after = rotate_after
        self.path = path
        self._failure: str | None = None
        self._erase_due = False
        self._prepared: tuple[Origin, Appended] | None = None
        self.origin, self._epoch = check_structure(connection)
        self._tip = (-1, ZERO_HEAD)
        for record in scan(connection, self.origin, self._epoch):
            self._tip = (record.seq, record.head)

    @classmethod
    def open(
        cls, folder: Path | None, *, table: str, journal_id: str, created: str, rotate_after: int = ROTATE_AFTER
    ) -> JournalStore:
        """Open the journal in ``folder``, or begin one there with ``journal_id`` and ``created``; ``None`` keeps it in memory.

        ``JournalBusy`` when another process holds the folder, ``JournalMismatch`` when the journal is another table's,
        ``JournalDamaged`` when chain or structure do not hold, ``OSError`` when folder or file cannot be used.
        """
        fresh = Origin(journal_id, table, created)
        if folder is None:
            connection = connect(":memory:")
            create_tables(connection, fresh, fresh.body(), next_head(ZERO_HEAD, 0, fresh.body()))
            return cls(connection, connection, None, None, rotate_after)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = lock_folder(folder)
        opened: list[sqlite3.Connection] = []
        try:
            path = folder / JOURNAL_FILE
            finish_swap(folder)
            if not path.exists():
                create_file(path, fresh)
            opened.extend(connections(path))
            store = cls(opened[0], opened[1], lock, path, rotate_after)
            if store.origin.table != table:
                raise JournalMismatch(f"{path} is the journal of table {store.origin.table}, not of {table}")
            check_goes_on(folder, store.origin)
            store._erase()  # a key deleted just before a crash may stand in the log
            drop_keys(closed_files(folder)[-1:])
        except BaseException as error:
            for connection in reversed(opened):
                connection.close()
            os.close(lock)
            if isinstance(error, sqlite3.Error):
                raise refused(error) from None
            raise
        return store

    @property
    def tip(self) -> tuple[int, bytes]:
        """Number of the last record and head of the chain, read together."""
        return self._tip

    @property
    def last_seq(self) -> int:
        """Number of the last event; 0 when there is none."""
        return self._tip[0]

    @property
    def head(self) -> bytes:
        """The chain's hash after the last record."""
        return self._tip[1]

    @property
    def epoch(self) -> int:
        """The epoch this store writes under."""
        return self._epoch

    def raise_epoch(self, *, at_least: int = 0) -> int:
        """Become the writer: the epoch rises by one, or to ``at_least`` where a witness has seen more. Durable on return."""
        self._refuse_when_failed()
        epoch = max(self._epoch + 1, at_least)
        if epoch > MAX_EPOCH:
            raise JournalFailed(
                f"epoch {epoch} is past {MAX_EPOCH}, the last that a journal counts to, and nothing was written: somebody set it;"
                " restore the newest copy of the journal"
            )
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("UPDATE writer SET epoch = ?", (epoch,))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._fail(error) from None
        self._epoch = epoch
        return epoch

    def prepare(self, bodies: Sequence[Mapping[str, object]], keys: Sequence[KeyChange] = ()) -> Entry:
        """An append as it will be written, with the epoch in each body. Changes nothing.

        ``ValueError`` for an empty append, too many bodies, a body without ``type``, one with another epoch, or one that has
        no canonical form.
        """
        if not bodies and not keys:
            raise ValueError("an append needs a body or a key")
        if len(bodies) > MAX_BODIES:
            raise ValueError(f"{len(bodies)} bodies in one append: at most {MAX_BODIES} are allowed")
        return Entry(tuple(self._stamped(body) for body in bodies), tuple(keys))

    def _stamped(self, body: Mapping[str, object]) -> bytes:
        if not isinstance(body.get("type"), str):
            raise ValueError("a body needs its type")
        if body.get("epoch", self._epoch) != self._epoch:
            raise ValueError(f"a body names another epoch than the writer's {self._epoch}")
        return canonical({**body, "epoch": self._epoch})

    def commit(self, entries: Sequence[Entry]) -> list[Appended]:
        """Write all ``entries`` in order in one synced transaction: all of them or, on ``JournalFailed``, none.

        After a failure the store refuses everything until it is opened again. ``JournalFenced``: another writer took over.
        """
        self._refuse_when_failed()
        seq, head = self._tip
        rows: list[tuple[int, str, bytes]] = []
        results: list[Appended] = []
        for entry in entries:
            first = seq + 1
            for body in entry.bodies:
                seq += 1
                head = next_head(head, seq, body)
                rows.append((seq, body.decode(), head))
            results.append(Appended(first, seq, head))
        try:
            self._write(rows, [key for entry in entries for key in entry.keys])
        except sqlite3.Error as error:
            raise self._fail(error) from None
        self._tip = (seq, head)
        if self._erase_due:
            self._erase()
        return results

    def _write(self, rows: Sequence[tuple[int, str, bytes]], keys: Sequence[KeyChange]) -> None:
        """One synced transaction. A few rows alone are one statement, which is a transaction by itself: one turn of the
        interpreter's lock instead of a turn for each statement, while the event loop wants the lock too."""
        if not keys and 0 < len(rows) <= MAX_ROWS_A_STATEMENT:
            values = ", ".join(("(?, ?, ?)",) * len(rows))
            self._connection.execute(f"INSERT INTO event VALUES {values}", [field for row in rows for field in row])  # noqa: S608
            return
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO event VALUES (?, ?, ?)", rows)
        self._change_keys(keys)
        self._connection.execute("COMMIT")

    def _change_keys(self, keys: Sequence[KeyChange]) -> None:
        for key in keys:
            match key:
                case KeyInsert(kid, wrapped):
                    self._connection.execute("INSERT INTO hand_key VALUES (?, ?)", (kid, wrapped))
                case KeyDelete(kid):
                    self._connection.execute("DELETE FROM hand_key WHERE kid = ?", (kid,))
                    self._erase_due = True

    def _erase(self) -> None:
        """Empty the write-ahead log, where a deleted key may still stand.

        It can fail while someone reads or the disk is full; what was committed stands, and the next commit tries again.
        """
        self._erase_due = True
        try:
            self._connection.execute("PRAGMA busy_timeout = 0")
            (busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        self._erase_due = bool(busy)

    def head_at(self, seq: int) -> bytes | None:
        """The chain's hash after record ``seq`` of the newest file; ``None`` for one that is not in it."""
        found = self._reader.execute("SELECT hash FROM event WHERE seq = ?", (seq,)).fetchone()
        return None if found is None else bytes(found[0])

    def head_kept(self, seq: int) -> bytes | None:
        """The same where an older file has the record that is still in the folder."""
        found = self.head_at(seq)
        return found if found is not None or self.path is None else closed_head(self.path.parent, seq)

    def hand_keys(self) -> dict[str, bytes]:
        """The wrapped keys of the hands that are open or within their dispute window."""
        return dict(self._reader.execute("SELECT kid, wrapped FROM hand_key ORDER BY kid").fetchall())

    def events(self, first_seq: int = 1, last_seq: int | None = None) -> Iterator[tuple[int, Body]]:
        """Number and body of the events from ``first_seq`` to ``last_seq``, or to the end as it is when the reader gets there.

        Closed files are read as well, as far as they are still in the folder; one that is closed meanwhile is read to its end.
        """
        due = max(first_seq, 1)
        end = 2**63 - 1 if last_seq is None else last_seq
        while due <= end:
            origin = self.origin
            if due < origin.first and self.path is not None:
                yield from closed_events(self.path.parent, due, min(end, origin.first - 1))
                due = origin.first
            for seq, body in pages(self._page, due, end):
                due = seq + 1
                yield seq, body
            if self.origin is origin:
                return

    def first_seqs(self) -> tuple[int, ...]:
        """The number of the first record of each file that is kept, oldest first."""
        closed = () if self.path is None else closed_files(self.path.parent)
        return (*(first for first, _ in closed), self.origin.first)

    def _page(self, due: int, end: int) -> Page:
        """The next records of the newest file; none when it begins behind ``due``, for they stand in a file closed meanwhile."""
        return read_page(self._reader, due, end) if self.origin.first <= max(due, 1) or self.path is None else []

    @property
    def rotation_due(self) -> bool:
        """Whether the file has grown so long that the next hand should begin a new one."""
        return self.path is not None and self._tip[0] - self.origin.first >= self._rotate_after

    def continuation(self, created: str) -> Origin:
        """The origin of the file that would go on here."""
        return Origin(self.origin.journal, self.origin.table, created, self._tip[0] + 1, self._tip[1])

    def prepare_next(self, body: Mapping[str, object], origin: Origin) -> Appended | None:
        """Write the file of ``origin`` beside this one, with ``body`` as its first record and the keys of this one.

        Nothing has happened until ``switch``. ``None`` while a reader holds the log: no key is written for nothing.
        ``ValueError`` when ``body`` does not begin that file, ``JournalFailed`` when it cannot be written.
        """
        self._refuse_when_failed()
        if self.path is None:
            raise ValueError("a journal in memory has no next file")
        text = self._stamped(body)
        if origin != self.continuation(origin.created) or not origin.begins_with(body):
            raise ValueError("the body does not begin the file that goes on here")
        head = next_head(origin.before, origin.first, text)
        self._erase()
        if self._erase_due:
            return None
        fresh = next_name(self.path.parent)
        try:
            remove(fresh)
            write_file(fresh, origin, text, head, epoch=self._epoch, keys=self.hand_keys())
        except (OSError, sqlite3.Error) as error:
            remove(fresh)
            raise JournalFailed(f"{fresh} cannot be written: {error}") from None
        appended = Appended(origin.first, origin.first, head)
        self._prepared = (origin, appended)
        return appended

    def switch(self) -> Appended | None:
        """Go on in the prepared file; the old one is closed under a name of its own. ``None`` while a reader holds it.

        ``JournalFenced``: another writer took over.
        """
        if self._prepared is None or self.path is None:
            raise ValueError("no next file is prepared")
        (origin, appended), self._prepared = self._prepared, None
        if origin != self.continuation(origin.created):
            raise ValueError("records came after the next file was prepared")
        self._refuse_when_fenced()
        self._erase()
        if self._erase_due:
            remove(next_name(self.path.parent))
            return None
        self._reader.close()
        self._connection.close()
        try:
            swap(self.path.parent, self.origin)
            self._connection, self._reader = connections(self.path)
        except (OSError, sqlite3.Error, JournalDamaged) as error:
            self._failure = f"its files could not be changed ({error})"
            raise JournalFailed(f"the journal stands at record {self._tip[0]}: {self._failure}") from None
        closed = closed_name(self.path.parent, self.origin)
        self.origin = origin
        self._tip = (appended.last_seq, appended.head)
        drop_keys(((self.origin.first, closed),))
        return appended

    def close(self) -> None:
        """Close the file and free the folder. Again is harmless."""
        self._failure = self._failure or "it is closed"
        if self._reader is not self._connection:
            self._reader.close()
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _refuse_when_failed(self) -> None:
        if self._failure is not None:
            raise JournalFailed(f"the journal takes nothing until it is opened again: {self._failure}")

    def _refuse_when_fenced(self) -> None:
        """What the trigger does for a record: files are not changed under a later writer (recovery §6)."""
        (epoch,) = self._connection.execute("SELECT epoch FROM writer").fetchone()
        if epoch != self._epoch:
            self._failure = f"a writer of epoch {epoch} has taken over"
            raise JournalFenced(f"nothing was written: {self._failure}")

    def failed(self, error: OSError) -> JournalError:
        """The medium failed under a commit: nothing more is taken until the journal is opened again. What to raise."""
        self._failure = f"a commit failed ({error.strerror or error})"
        return JournalFailed(f"the journal stands at record {self._tip[0]}: {self._failure}")

    def _fail(self, error: sqlite3.Error) -> JournalError:
        self._failure = f"a commit failed ({error})"
        if self._connection.in_transaction:
            self._connection.rollback()
        if str(error).startswith(FENCED):
            return JournalFenced(f"nothing was written: {error}")
        return JournalFailed(
            f"nothing was written: {error}; make room or mend the disk and start the table again: it goes on behind record"
            f" {self._tip[0]}, and the shoe delivers again what was not acknowledged"
        )
