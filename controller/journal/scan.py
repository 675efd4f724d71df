"""Reading a whole journal with suspicion: chain, numbers, epochs and pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from controller.journal.canonical import Body, NotCanonicalError, parse_canonical
from controller.journal.chain import next_head
from controller.journal.errors import JournalDamaged
from controller.journal.schema import UNREADABLE, Origin


@dataclass(frozen=True, slots=True)
class Record:
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
        rows = connection.execute(
            "SELECT seq, typeof(body) = 'text' AND typeof(hash) = 'blob', CAST(body AS BLOB), hash FROM event ORDER BY seq"
        )
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
