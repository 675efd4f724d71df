"""Reading a journal: whole and with suspicion, its chain, numbers, epochs and pages; or page by page, as checked before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from controller.journal.canonical import Body, NotCanonicalError, parse_canonical
from controller.journal.chain import next_head
from controller.journal.errors import JournalDamaged
from controller.journal.schema import UNREADABLE, Origin

READ_PAGE: Final = 256
"""Records read at once, so that a long read never holds back a checkpoint."""

_ROWS: Final = "SELECT seq, typeof(body) = 'text' AND typeof(hash) = 'blob', CAST(body AS BLOB), hash FROM event"


class Record(NamedTuple):
    """One record that holds: its number, body and the chain's head after it."""

    seq: int
    body: Body
    head: bytes


def scan(connection: sqlite3.Connection, origin: Origin, writer_epoch: int) -> Iterator[Record]:
    """Every record of the file, each checked before it is given; ``JournalDamaged`` names the first that does not hold.

    The first must say what ``meta`` says, and no epoch may fall or exceed the writer's. The pages are checked at the end.
    """
    head, epoch, seq = origin.before, 0, origin.first - 1
    try:
        rows = connection.execute(f"{_ROWS} ORDER BY seq")
        for found, typed, text, stored in rows:
            record = _check_row(head, seq + 1, found, typed, text, stored)
            epoch = _check_epoch(record, epoch, writer_epoch)
            if record.seq == origin.first and not origin.begins_with(record.body):
                raise JournalDamaged(record.seq, "meta and the first record do not say the same")
            head, seq = record.head, record.seq
            yield record
        if seq < origin.first:
            raise JournalDamaged(origin.first, "the first record is missing")
        problems = connection.execute("PRAGMA quick_check(1)").fetchall()
    except UNREADABLE as error:
        raise JournalDamaged(seq + 1, f"the file cannot be read there ({error})") from None
    if problems != [("ok",)]:
        raise JournalDamaged(seq + 1, "the file's pages do not fit together")


def _check_row(head: bytes, due: int, found: int, typed: int, text: bytes, stored: bytes) -> Record:
    if found != due:
        raise JournalDamaged(due, f"the record is missing or out of order: {found} stands in its place")
    if not typed:
        raise JournalDamaged(due, "the record has another type than it was written with")
    after = next_head(head, due, text)
    if after != stored:
        raise JournalDamaged(due, "the record does not fit the hash chain")
    try:
        return Record(due, parse_canonical(text), after)
    except NotCanonicalError as error:
        raise JournalDamaged(due, f"the body is not canonical: {error}") from None


def _check_epoch(record: Record, before: int, writer_epoch: int) -> int:
    epoch = record.body.get("epoch")
    if type(epoch) is not int:
        raise JournalDamaged(record.seq, "the record names no epoch")
    if epoch < before:
        raise JournalDamaged(record.seq, f"epoch {epoch} follows epoch {before}")
    if epoch > writer_epoch:
        raise JournalDamaged(record.seq, f"epoch {epoch} is past the writer's epoch {writer_epoch}")
    return epoch


Page: TypeAlias = Sequence[tuple[int, str]]
"""Number and text of records that follow each other."""


def read_page(connection: sqlite3.Connection, due: int, end: int) -> Page:
    """The first records from ``due`` to ``end``, at most ``READ_PAGE``."""
    query = "SELECT seq, body FROM event WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
    return connection.execute(query, (due, end, READ_PAGE)).fetchall()


def pages(read: Callable[[int, int], Page], due: int, end: int) -> Iterator[tuple[int, Body]]:
    """Number and body of the records from ``due`` to ``end``, as far as they are there; ``read`` gives a page from its bounds."""
    while True:
        page = read(due, end)
        for seq, text in page:
            yield seq, json.loads(text)
        if len(page) < READ_PAGE:
            return
        due = page[-1][0] + 1  # older files may be kept elsewhere: the first one here need not be the first that was asked for


def closed_records(connection: sqlite3.Connection, due: int, end: int) -> Iterator[tuple[int, Body]]:
    """Number and body of the records from ``due`` to ``end`` of a closed file, each held against the chain before it is given.

    ``JournalDamaged`` or ``UNREADABLE`` at the first that does not hold.
    """
    last = "SELECT seq, hash FROM event WHERE seq < ? ORDER BY seq DESC LIMIT 1"
    seq, head = connection.execute(last, (due,)).fetchone() or connection.execute("SELECT first - 1, before FROM meta").fetchone()
    while seq < end:
        rows = connection.execute(f"{_ROWS} WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?", (seq + 1, end, READ_PAGE)).fetchall()
        for row in rows:
            record = _check_row(head, seq + 1, *row)
            seq, head = record.seq, record.head
            yield seq, record.body
        if len(rows) < READ_PAGE:
            return
