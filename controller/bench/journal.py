"""The journal beside plain SQLite: what the writer thread costs one append, and what group commit gives many."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from controller.bench.figure import Figure, figure, p99
from controller.journal.canonical import canonical
from controller.journal.writer import MAX_WAITING, Journal
from controller.journal.yardstick import RawCommits

APPENDS: Final = 400
"""Appends of the one-by-one runs."""
WAITERS: Final = 32
ROUNDS: Final = 60
"""Appends of each waiter."""


def measure_journal(*, appends: int = APPENDS, waiters: int = WAITERS, rounds: int = ROUNDS) -> list[Figure]:
    """Figures of one run on the disk of the temporary folder (``TMPDIR``). Takes about a second; needs no running event loop."""
    with tempfile.TemporaryDirectory(prefix="stud-bench-") as name:
        with RawCommits(Path(name)) as commits:
            raw = [commits.commit(canonical(_body(number)).decode()) / 1e9 for number in range(appends)]
        single, together = asyncio.run(_measure(Path(name) / "data", appends, min(waiters, MAX_WAITING), rounds))
    return [
        figure("journal append p50, beside a raw one-row commit", statistics.median(single) * 1e6, "us", _us(raw)),
        figure("journal append p99, beside a raw one-row commit", p99(single) * 1e6, "us", p99(raw) * 1e6),
        figure(f"journal commits, {waiters} waiters, beside one by one", together, "1/s", len(single) / sum(single)),
    ]


def _us(seconds: list[float]) -> float:
    return statistics.median(seconds) * 1e6


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


async def _measure(folder: Path, appends: int, waiters: int, rounds: int) -> tuple[list[float], float]:
    journal = await Journal.open(folder, table="bench", journal_id="00000000", created="")
    try:
        return await _one_by_one(journal, appends), await _together(journal, waiters, rounds)
    finally:
        await journal.close()


async def _one_by_one(journal: Journal, appends: int) -> list[float]:
    seconds = []
    for number in range(appends):
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
