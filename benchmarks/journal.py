"""The journal beside plain SQLite: what the writer thread costs one append, and what group commit gives many."""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from controller.journal.canonical import canonical
from controller.journal.writer import MAX_WAITING, Journal

APPENDS: Final = 400
"""Appends of the one-by-one runs."""
WAITERS: Final = 32
ROUNDS: Final = 60
"""Appends of each waiter."""

Figure = dict[str, str | float]


def _body(number: int) -> dict[str, object]:
    """A body of the usual size, about 300 bytes."""
    return {
        "type": "ActionTaken",
        "at": "2025-03-01T20:00:00.000000Z",
        "hand": number,
        "seat": 3,
        "verb": "complete",
        "chips": 4,
        "to": 4,
        "all_in": False,
        "level": 1,
        "match": 4,
        "raises": 1,
        "bet": True,
        "big_made": False,
        "small_only": False,
        "uncapped": False,
        "actor": 5,
        "free_fold": False,
        "key": "8a1f6c1e-2f7c-4d53-9d0c-0f4a6f2f9f10",
    }


def _raw_commits(folder: Path) -> list[float]:
    """Seconds of each one-row commit of plain sqlite3, WAL and ``synchronous=FULL``."""
    connection = sqlite3.connect(folder / "raw.sqlite3", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT")
    seconds = []
    for number in range(1, APPENDS + 1):
        text = canonical(_body(number)).decode()
        start = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO event VALUES (?, ?, ?)", (number, text, bytes(32)))
        connection.execute("COMMIT")
        seconds.append(time.perf_counter() - start)
    connection.close()
    return seconds


async def _one_by_one(journal: Journal) -> list[float]:
    seconds = []
    for number in range(APPENDS):
        start = time.perf_counter()
        await journal.append([_body(number)])
        seconds.append(time.perf_counter() - start)
    return seconds


async def _together(journal: Journal, waiters: int, rounds: int) -> float:
    """Appends per second of ``waiters`` tasks that each wait for their own."""

    async def work() -> None:
        for number in range(rounds):
            await journal.append([_body(number)])

    start = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(waiters)))
    return waiters * rounds / (time.perf_counter() - start)


async def _measure_journal(folder: Path) -> tuple[list[float], float]:
    journal = await Journal.open(folder, table="bench", journal_id="00000000", created="")
    try:
        return await _one_by_one(journal), await _together(journal, min(WAITERS, MAX_WAITING), ROUNDS)
    finally:
        await journal.close()


def measure() -> list[Figure]:
    """Figures of one run, each beside its yardstick of the same run. Takes about a second; needs no running event loop."""
    with tempfile.TemporaryDirectory() as name:
        raw = _raw_commits(Path(name))
        single, together = asyncio.run(_measure_journal(Path(name) / "data"))
    figures = (
        ("journal append p50, beside a raw one-row commit", statistics.median(single) * 1e6, "us", statistics.median(raw) * 1e6),
        ("journal append p99, beside a raw one-row commit", _p99(single) * 1e6, "us", _p99(raw) * 1e6),
        (f"journal commits, {WAITERS} waiters, beside one by one", together, "1/s", len(single) / sum(single)),
    )
    return [
        {
            "name": name,
            "value": round(value, 1),
            "unit": unit,
            "yardstick": round(other, 1),
            "ratio": round(value / other, 2),
        }
        for name, value, unit, other in figures
    ]


def _p99(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=100)[98]
