#!/usr/bin/env python3
"""How long a start takes on a long journal, and how fast it is verified: ``python benchmarks/open_journal.py`` in the repository.

A journal of so many hands is made by the table's own keyring, codec and store, file after file (``support.long_journal``).
At each size that is asked for, one process opens a copy of it as the controller does until devices are talked to, and one
verifies all of it. Prints one JSON object for each size. 100,000 hands of six seats take 7 GB and an hour.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.long_journal import LongJournal, play, play_evening

from controller.app import TableApp
from controller.journal.files import JOURNAL_FILE, all_files
from controller.journal.verify import verify_chain
from controller.journal.writer import Commit
from controller.journal.yardstick import read_and_hash
from controller.rehearsal import memory_rehearsal
from controller.verify import audit

EVENING = 22
"""Hands that are played, to be repeated."""


def raw(files: list[Path]) -> int:
    """Read and hash every record, nothing more; how many there are."""
    return [read_and_hash(file) for file in files][-1]


def used() -> float:
    """Seconds of processor time of this process and of those that it waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def timed(work: Any) -> tuple[Any, float, float]:
    """What ``work`` gives, seconds of the clock, seconds of processor time."""
    began, spent = time.perf_counter(), used()
    done = work()
    return done, time.perf_counter() - began, used() - spent


def open_table(data: Path, keys: Path, seats: int) -> dict[str, Any]:
    """Everything that a start does before it talks to a device: lock, check, fence, replay, keys, the first records."""
    rehearsal = memory_rehearsal(play(seats), seed=4)
    outside = replace(rehearsal.outside, folder=data, key_folder=keys, commit=Commit.THREAD, random_bytes=os.urandom)
    outside = replace(outside, high_water=data / "witness")

    async def start() -> int:
        async with TableApp(rehearsal.config, outside) as app:
            return app.table.state.hand_number

    _, newest_wall, newest_cpu = timed(lambda: raw([data / JOURNAL_FILE]))
    hand, wall, cpu = timed(lambda: asyncio.run(start()))
    return {
        "last_hand": hand,
        "open_s": round(wall, 3),
        "open_cpu_s": round(cpu, 3),
        "raw_newest_s": round(newest_wall, 3),
        "raw_newest_cpu_s": round(newest_cpu, 3),
    }


def verify_all(data: Path) -> dict[str, Any]:
    """The whole journal: as ``stud-table verify`` reads it, its chain alone, and read and hashed."""
    jobs = len(os.sched_getaffinity(0))
    events, raw_wall, raw_cpu = timed(lambda: raw(list(all_files(data))))
    found, wall, cpu = timed(lambda: audit(data, jobs=jobs))
    figures = {
        "ok": found.ok,
        "hands": found.hands,
        "events": events,
        "files": len(all_files(data)),
        "jobs": jobs,
        "verify_per_s": round(events / wall),
        "verify_per_cpu_s": round(events / cpu),
        "raw_per_s": round(events / raw_wall),
        "raw_per_cpu_s": round(events / raw_cpu),
    }
    if events < 10**6:
        _, _, chained = timed(lambda: verify_chain(data))
        figures["chain_per_cpu_s"] = round(events / chained)
    return figures


def copy(data: Path, to: Path) -> Path:
    """The journal as it is: closed files by link, the newest copied."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(mode=0o700)
    for file in all_files(data):
        if file.name == JOURNAL_FILE:
            shutil.copy(file, to)
        else:
            os.link(file, to / file.name)
    return to


def main() -> None:
    """Make, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, nargs="+", default=[1000], metavar="N", help="sizes, ascending (default: 1000)")
    parser.add_argument("--seats", type=int, default=6, metavar="N", help="seats that play (default: 6)")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="where the journal is made (default: a temporary folder)")
    parser.add_argument("--measure", choices=("open", "verify"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        data, keys = options.work / "data", options.work / "keys"
        print(json.dumps(open_table(data, keys, options.seats) if options.measure == "open" else verify_all(data)))
        return
    with tempfile.TemporaryDirectory(dir=options.work) as name:
        work, shown = Path(name) / "long", Path(name) / "shown"
        shown.mkdir()
        journal = LongJournal(work / "data", work / "keys", evening=play_evening(EVENING, seats=options.seats))
        shutil.copytree(work / "keys", shown / "keys")
        for hands in sorted(options.hands):
            journal.grow(hands)
            journal.settle()
            figures: dict[str, Any] = {}
            for measure in ("verify", "open"):
                copy(work / "data", shown / "data")
                command = [sys.executable, __file__, "--measure", measure, "--work", str(shown), "--seats", str(options.seats)]
                told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this file
                figures |= json.loads(told.stdout)
            print(json.dumps(figures), flush=True)
        journal.close()


if __name__ == "__main__":
    main()
