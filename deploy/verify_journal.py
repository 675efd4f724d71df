#!/usr/bin/env python3
"""Checks a stud-table journal with nothing but Python's standard library; it is docs/reference/journal-format.md in code.

It proves that the records are those that were written, in order, without a gap, through all files of a folder, up to a head that
was noted; not that the rules were kept: `stud-table verify` does that. Prints one JSON object; exits with 0 if all holds, else 1.
"""

import argparse
import json
import re
import sqlite3
import sys
import time
from contextlib import closing
from hashlib import sha256
from pathlib import Path

APPLICATION_ID, FORMAT, DEPTH, BYTES, EPOCHS = 0x53545544, 2, 32, 256 * 1024, 2**31 - 1
SCHEMA = "b8d59af84f5e0cfc5333f4125ceb4ec47969900d8b722e022a8de2c4ba99e523"  # SHA-256 of what makes tables and triggers


class BadRecord(Exception):
    """A record that does not hold: its number, and why."""


def canonical(text: bytes) -> dict:
    """The object that ``text`` writes in the one canonical way."""
    value = json.loads(text.decode())
    again = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    if not isinstance(value, dict) or again != text or len(text) > BYTES:
        raise ValueError("not canonical")
    bounded(value, 1)
    return value


def bounded(value: object, depth: int) -> None:
    """Whole numbers of 64 bits, and nesting within bounds."""
    if isinstance(value, dict | list) and depth <= DEPTH:
        for item in value.values() if isinstance(value, dict) else value:
            bounded(item, depth + 1)
    elif isinstance(value, dict | list | float) or (isinstance(value, int) and not -(2**63) <= value < 2**63):
        raise ValueError("too deep, or no whole number of 64 bits")


def records(file: tuple, before: tuple | None):
    """Journal, table, number and head of each record of a file that goes on where the record ``before`` ends."""
    path, quiet, due = file[0], "" if file[1] else "&immutable=1", before[2] + 1 if before else 0
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{quiet}", uri=True, isolation_level=None)) as base:
            base.execute("BEGIN")
            meta, top = structure(base, due)
            journal, table, _, due, head = meta
            if before is not None and (journal, table, due - 1, head) != before:
                raise BadRecord(before[2] + 1, "it does not go on where the file before it ends")
            epoch = 0
            for seq, text, stored in base.execute("SELECT seq, CAST(body AS BLOB), hash FROM event ORDER BY seq"):
                head = sha256(head + due.to_bytes(8, "big") + sha256(text).digest()).digest()
                if seq != due or head != stored:
                    raise BadRecord(due, "the record is missing, or does not fit the hash chain")
                epoch = check_body(due, text, epoch, top, meta)
                yield journal, table, seq, head
                due += 1
            if due == meta[3] or base.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
                raise BadRecord(due, "the first record is missing, or the file's pages do not fit together")
    except (sqlite3.DatabaseError, UnicodeDecodeError, TypeError) as error:
        raise BadRecord(due, f"the file cannot be read there ({error})") from None


def structure(base: sqlite3.Connection, due: int) -> tuple:
    """The one row of ``meta`` (journal, table, created, first, before) and the writer's epoch."""
    for pragma, wanted in (("application_id", APPLICATION_ID), ("user_version", FORMAT)):
        if base.execute(f"PRAGMA {pragma}").fetchone()[0] != wanted:
            raise BadRecord(due, f"{pragma} is not {wanted}")
    made = sorted(sql or "" for (sql,) in base.execute("SELECT sql FROM sqlite_schema"))
    if sha256("\n".join(made).encode()).hexdigest() != SCHEMA:
        raise BadRecord(due, "tables or triggers are not those of this format")
    meta = base.execute('SELECT journal, "table", created, first, before FROM meta WHERE format = ?', (FORMAT,)).fetchall()
    top = base.execute("SELECT epoch FROM writer").fetchall()
    if len(meta) != 1 or len(top) != 1 or top[0][0] > EPOCHS:
        raise BadRecord(due, "meta or writer does not hold one row of this format")
    return meta[0], top[0][0]


def check_body(due: int, text: bytes, epoch: int, top: int, meta: tuple) -> int:
    """The epoch of the record ``due``, whose body is canonical and, where it is the first, begins the file."""
    try:
        body = canonical(text)
    except (ValueError, RecursionError):
        raise BadRecord(due, "the body is not canonical") from None
    if type(body.get("epoch")) is not int or not epoch <= body["epoch"] <= top:
        raise BadRecord(due, "the epoch falls, or is past the writer's")
    if due == meta[3] and not begins(body, *meta):
        raise BadRecord(due, "meta and the first record do not say the same")
    return body["epoch"]


def begins(body: dict, journal: str, table: str, created: str, first: int, before: bytes) -> bool:
    """Whether ``body`` is the record that a file with this ``meta`` begins with."""
    named = {"journal": journal, "format": FORMAT, "table": table, "created": created}
    if first == 0:
        return before == bytes(32) and body == {"type": "JournalCreated", **named, "epoch": 0}
    return {"type": "JournalContinued", **named, "first": first, "before": before.hex()}.items() <= body.items()


def files(path: Path) -> list:
    """The file, or all files of a folder in order, each with whether it is written; the newest is missing while one is begun."""
    names = [path]
    if path.is_dir():
        closed = sorted(file for file in path.iterdir() if re.fullmatch(r"journal-\d{12}\.sqlite3", file.name))
        names = [*closed, path / "journal.sqlite3"]
        time.sleep(0 if names[-1].is_file() or not closed else 0.2)
    return [(name, name.with_name(name.name + "-wal").exists()) for name in names]


def check(path: Path, head: bytes | None = None) -> tuple:
    """The last record that holds; the first that does not, and why. What a table did to the files meanwhile is read again."""
    seen, last, done, met = files(path), None, 0, head is None
    while True:
        reached, verdict = last, (None, None)
        try:
            for record in records(seen[done], last):
                reached, met = record, met or record[3] == head
        except BadRecord as bad:
            verdict = bad.args[0], f"{seen[done][0].name}: {bad.args[1]}"
        now = files(path)
        if verdict[1] is None and done + 1 < len(seen):
            last, done = reached, done + 1
        elif now == seen:
            if verdict[1] is None and not met:
                verdict = reached[2] + 1, "no record has that head: the journal was cut short, or it is another one"
            return reached or (None, None, 0, bytes(32)), *verdict
        seen = now


def main() -> int:
    """Check and tell."""
    parser = argparse.ArgumentParser(usage="python3 verify_journal.py FOLDER-or-FILE [--head HEAD]", description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--head", type=bytes.fromhex)
    path, head = vars(parser.parse_args()).values()
    if not all(file.is_file() for file, _ in files(path)):
        sys.exit(f"verify_journal: there is no journal in {path}")
    (_, _, events, end), first_bad, reason = check(path, head)
    print(json.dumps({"ok": reason is None, "events": events, "head": end.hex(), "first_bad": first_bad, "reason": reason}))
    return 0 if reason is None else 1


if __name__ == "__main__":
    sys.exit(main())
