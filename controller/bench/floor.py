"""A floor of many tables: their recorded streams through a real broker into its store, and onto a page that looks on.

Every process is one of its own: broker, database, floor, two that tell the tables' streams, one that is the page.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.bench.figure import Figure, figure, p99
from controller.bench.floor_probe import save_recordings
from controller.bench.floor_reckoning import Kept, Shown, kept_of, shown_of
from controller.bench.floor_venue import Load, Usage, Venue
from controller.bench.public_stream import VARIANTS, record

TABLES: Final = 1000
RATE: Final = 5
SECONDS: Final = 120
HANDS: Final = 3
"""Hands of a recording."""
SEED: Final = 20260101
AIM_MS: Final = 250.0
"""From publish to the page, for 99 of 100."""
SETTLE_S: Final = 1.0
"""Until the last change is on the page."""
YARDSTICK_S: Final = 20
"""Longest run of the plain subscriber."""


@dataclass(frozen=True, slots=True)
class FloorLoad:
    """``tables`` tell ``rate`` messages a second each (2 or more) for ``seconds``. ``store``: its address; ``None``: our own
    server. ``hands`` are those of a recording."""

    tables: int = TABLES
    rate: int = RATE
    seconds: int = SECONDS
    store: str | None = None
    hands: int = HANDS


@dataclass(frozen=True, slots=True)
class FloorRun:
    """What a run gave. ``told``: what the telling processes say; ``usage``: processor seconds and memory while it lasted."""

    load: FloorLoad
    told: Mapping[str, float]
    usage: Usage
    idle_mb: float
    kept: Kept
    shown: Shown
    plain: Usage
    copy_cpu_s: float | None
    machine_load: float


def measure_floor(load: FloorLoad = FloorLoad()) -> list[Figure]:
    """Figures of one run. Starts a broker, a database where none is named, and processes; writes to the temporary folder."""
    run = run_floor(load)
    share = 100 / load.seconds
    usage, plain = run.usage, run.plain
    told = f"{load.tables} tables, {load.rate} messages a second each, {load.seconds} s"
    figures = [
        figure(f"{told}: events lost, doubled or altered, beside those told", run.kept.wrong, "events", run.kept.expected),
        figure(
            "events that had to be asked for again, requests beside messages", run.told["asked"], "requests", run.told["messages"]
        ),
        figure("tables whose last picture is not on the page, beside all", run.shown.behind, "tables", load.tables),
        figure("from publish to the page, p50, beside the aim", statistics.median(run.shown.late_ms), "ms", AIM_MS),
        figure("from publish to the page, p99, beside the aim", p99(run.shown.late_ms), "ms", AIM_MS),
        figure(
            "floor process, beside a plain subscriber of the same", usage.floor_s * share, "% of a core", plain.floor_s * share
        ),
        figure("floor process, beside one core", usage.floor_s * share, "% of a core", 100),
        figure("broker, beside itself with the plain subscriber", usage.broker_s * share, "% of a core", plain.broker_s * share),
    ]
    if run.copy_cpu_s is not None:
        beside = "database, beside a plain COPY of the same rows"
        figures.append(figure(beside, usage.store_s * share, "% of a core", run.copy_cpu_s * share))
    return [
        *figures,
        figure("telling the streams, beside one core", run.told["cpu_s"] * share, "% of a core", 100),
        figure("memory of the floor, beside itself without tables", usage.floor_mb, "MB", run.idle_mb),
        figure("memory of the broker, beside that of the floor", usage.broker_mb, "MB", usage.floor_mb),
        figure("longest that the telling was behind its time, beside the aim for the page", run.told["late_ms"], "ms", AIM_MS),
        figure(
            "load of the machine in the last minute, beside its processors", run.machine_load, "processes", os.cpu_count() or 1
        ),
    ]


def run_floor(load: FloorLoad) -> FloorRun:
    """One run and its yardsticks; ``BenchError`` when a part does not come up."""
    with tempfile.TemporaryDirectory(prefix="stud-bench-") as folder:
        recordings = Path(folder) / "recordings.json"
        save_recordings(recordings, [record(variant, SEED, load.hands) for variant in VARIANTS])
        return asyncio.run(_run(load, Path(folder), recordings))


async def _run(load: FloorLoad, folder: Path, recordings: Path) -> FloorRun:
    async with AsyncExitStack() as stack:
        venue = await stack.enter_async_context(Venue(folder, load.store))
        await venue.start_floor()
        idle_mb = venue.usage().floor_mb
        crowd = Load(venue, recordings, load.tables, load.rate)
        await crowd.start()
        page = await venue.start_page()
        await venue.until_kept(crowd.streams())
        before, began_s = venue.usage(), time.monotonic()
        told = await crowd.tell(load.seconds)
        usage = venue.usage().since(before).over(time.monotonic() - began_s, load.seconds)
        streams = crowd.streams(load.seconds)
        await venue.until_kept(streams)
        await asyncio.sleep(SETTLE_S)
        machine_load = os.getloadavg()[0]
        shown = shown_of(await page.end(), page.seen, crowd.sent, streams)
        await crowd.end()
        await venue.stop_floor()
        kept = await kept_of(venue.store, venue.name, streams)
        copy_cpu_s = await asyncio.to_thread(venue.plain_copy)
        plain = await _plain_run(venue, recordings, load)
        return FloorRun(load, told, usage, idle_mb, kept, shown, plain, copy_cpu_s, machine_load)


async def _plain_run(venue: Venue, recordings: Path, load: FloorLoad) -> Usage:
    """The same streams to a plain subscriber in the floor's place, its figures as if it had lasted as long."""
    seconds = min(load.seconds, YARDSTICK_S)
    crowd = Load(venue, recordings, load.tables, load.rate)
    await crowd.start()
    counting = await venue.start_count()
    before = venue.usage()
    await crowd.tell(seconds)
    usage = venue.usage().since(before)
    cpu_s = (await counting.end())["cpu_s"]
    await crowd.end()
    return usage._replace(floor_s=cpu_s).over(seconds, load.seconds)
