"""The journal beside plain SQLite: what the writer thread costs one append, what group commit gives many, and how fast events are
verified beside reading and hashing them."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from controller.bench.figure import Figure, figure, p99
from controller.journal.canonical import canonical
from controller.journal.files import JOURNAL_FILE
from controller.journal.writer import MAX_WAITING, Journal
from controller.journal.yardstick import RawCommits, read_and_hash
from controller.rehearsal import Play, memory_rehearsal
from controller.verify import audit
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.virtual_time import run_virtual

APPENDS: Final = 400
"""Appends of the one-by-one runs."""
WAITERS: Final = 32
ROUNDS: Final = 60
"""Appends of each waiter."""


HANDS: Final = 8
"""Hands that are played, and whose journal is verified."""
READINGS: Final = 3
"""The best of them counts: what else runs on the machine makes it slower and nothing makes it faster."""


def measure_journal(*, appends: int = APPENDS, waiters: int = WAITERS, rounds: int = ROUNDS, hands: int = HANDS) -> list[Figure]:
    """Figures of one run on the disk of the temporary folder (``TMPDIR``). Takes some seconds; needs no running event loop."""
    with tempfile.TemporaryDirectory(prefix="stud-bench-") as name:
        with RawCommits(Path(name)) as commits:
            raw = [commits.commit(canonical(_body(number)).decode()) / 1e9 for number in range(appends)]
        single, together = asyncio.run(_measure(Path(name) / "data", appends, min(waiters, MAX_WAITING), rounds))
        verified, read = _verify(Path(name) / "played", hands)
    return [
        figure("journal append p50, beside a raw one-row commit", statistics.median(single) * 1e6, "us", _us(raw)),
        figure("journal append p99, beside a raw one-row commit", p99(single) * 1e6, "us", p99(raw) * 1e6),
        figure(f"journal commits, {waiters} waiters, beside one by one", together, "1/s", len(single) / sum(single)),
        figure("journal events verified by one processor, beside reading and hashing alone", verified, "1/s", read),
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


def _verify(folder: Path, hands: int) -> tuple[float, float]:
    """Events of a played journal that a second of processor time verifies, and that it reads and hashes."""
    rehearsal = memory_rehearsal(Play(seats={seat: (f"Player {seat}", 400) for seat in range(1, 7)}), seed=1)
    rehearsal.outside = replace(rehearsal.outside, folder=folder)
    players = {seat: RandomPlayer(random.Random(seat)) for seat in range(1, 7)}

    async def play() -> None:
        async with rehearsal.opened() as app:
            await rehearsal.deal(app, players, ShuffledPackets(random.Random(1)), hands=hands)

    run_virtual(play(), max_seconds=3600.0)
    events = audit(folder).events
    audited = min(_processor_time(lambda: audit(folder)) for _ in range(READINGS))
    read = min(_processor_time(lambda: read_and_hash(folder / JOURNAL_FILE)) for _ in range(READINGS))
    return events / audited, events / read


def _processor_time(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
