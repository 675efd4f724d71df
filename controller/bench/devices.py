"""What a table's process costs: processor time while nineteen antennas are scanned and nothing is dealt, the same for each card
that is dealt, and memory; each beside the plainest process that does as much of it as can be done without this program."""

from __future__ import annotations

import asyncio
import json
import os
import random
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Final

from controller.bench.figure import BenchError, Figure, figure
from controller.bench.live_table import LiveTable
from controller.bench.probe import PROBE
from controller.rehearsal import line_speeds
from drivers.feig.frames import encode
from drivers.feig.messages import Inventory, request_frame
from simulators.ports import PseudoTerminal
from simulators.rig import NINETEEN, SimulatedTable, make_tags

IDLE_S: Final = 20.0
SETTLE_S: Final = 3.0
"""After the start: readers are prepared, imports are done."""
HANDS: Final = 2
SPEED: Final = 4.0
"""Of the hands that are played for the cost of a card; the idle table runs at its real pace."""
SEED: Final = 20260102
STALLED: Final = "felt-a"
AIM_IDLE_PERCENT: Final = 2.0
AIM_MEMORY_MB: Final = 80.0


def measure_devices(*, idle_s: float = IDLE_S, hands: int = HANDS) -> list[Figure]:
    """Figures of one table's process. Starts brokers and processes; reads ``/proc``, so Linux alone. ``BenchError`` elsewhere."""
    if not Path("/proc/self/stat").exists():
        raise BenchError("processor time of another process is read from /proc: take this figure on Linux")
    with tempfile.TemporaryDirectory(prefix="stud-bench-") as folder:
        return asyncio.run(_measure(Path(folder), idle_s, hands))


async def _measure(folder: Path, idle_s: float, hands: int) -> list[Figure]:
    plain_percent, plain_scans = await _plain_polling(_made(folder / "plain"), idle_s)
    empty_mb = await _empty_process()
    async with LiveTable(_made(folder / "idle"), speed=1.0, seed=SEED) as table:
        idle_percent, resident_mb, scans = await _idle(table, idle_s)
        others, beside_stalled = await _beside_a_stalled_line(table, idle_s / 2)
    async with LiveTable(_made(folder / "dealt"), speed=SPEED, seed=SEED) as table:
        card_ms, dealt_mb = await _dealt(table, hands)
    names = "nineteen antennas scanned, nothing dealt"
    return [
        figure(f"processor time of a table, {names}, beside plain polling", idle_percent, "% of a core", plain_percent),
        figure(f"processor time of a table, {names}, beside its aim", idle_percent, "% of a core", AIM_IDLE_PERCENT),
        figure("scans a second over all antennas, beside plain polling", scans, "scans/s", plain_scans),
        figure("scans a second of four lines while the fifth takes no bytes, beside before", beside_stalled, "scans/s", others),
        figure("processor time for each card from shoe to displays, beside the idle second's", card_ms, "ms", idle_percent * 10),
        figure("memory of a table, idle, beside its libraries alone", resident_mb, "MB", empty_mb),
        figure(f"memory of a table after {hands} hands, beside its aim", dealt_mb, "MB", AIM_MEMORY_MB),
    ]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


async def _idle(table: LiveTable, seconds: float) -> tuple[float, float, float]:
    """Percent of a core while nothing is dealt, MB, and scans a second."""
    await asyncio.sleep(SETTLE_S)
    scanned = await table.scans()
    before = cpu_s(table.controller_pid)
    await asyncio.sleep(seconds)
    used = cpu_s(table.controller_pid) - before
    return 100 * used / seconds, memory_mb(table.controller_pid), (await table.scans() - scanned) / seconds


async def _beside_a_stalled_line(table: LiveTable, seconds: float) -> tuple[float, float]:
    """Scans a second of the other lines before and while the devices of one take no bytes."""
    rates = []
    for is_stalled in (False, True):
        if is_stalled:
            table.stall(STALLED)
        before = await table.scans(without=STALLED)
        await asyncio.sleep(seconds)
        rates.append((await table.scans(without=STALLED) - before) / seconds)
    return rates[0], rates[1]


async def _dealt(table: LiveTable, hands: int) -> tuple[float, float]:
    """Milliseconds of a core for each card beyond what the same time costs without one, and MB afterwards."""
    loop = asyncio.get_running_loop()
    idle_percent, _, _ = await _idle(table, IDLE_S / 4)
    before, began = cpu_s(table.controller_pid), loop.time()
    cards = 0
    for _ in range(hands):
        cards += sum(
            arrival.topic == table.topics.events and '"card_dealt"' in arrival.payload for arrival in await table.play_hand()
        )
    if not cards:
        raise BenchError("no card was dealt")
    used = cpu_s(table.controller_pid) - before
    idle = (loop.time() - began) * idle_percent / 100
    return 1000 * max(0.0, used - idle) / cards, memory_mb(table.controller_pid)


async def _plain_polling(folder: Path, seconds: float) -> tuple[float, float]:
    """Percent of a core of a process that asks the same antennas at the same pace and looks at nothing, and answers a second."""
    terminals = {name: PseudoTerminal(folder / name, pace=pace) for name, pace in line_speeds(NINETEEN, 1.0).items()}
    rng = random.Random(SEED)
    devices = SimulatedTable(terminals, tags=make_tags(rng), rng=rng)
    devices.start()
    try:
        lines = {
            str(terminals[line].path): [encode(request_frame(Inventory(), address)).hex() for address in addresses]
            for line, addresses in NINETEEN.items()
        }
        process = await asyncio.create_subprocess_exec(*PROBE, "poll", str(seconds), json.dumps(lines), stdout=PIPE)
        output, _ = await process.communicate()
    finally:
        devices.stop()
    if process.returncode != 0:
        raise BenchError("the plain polling could not be measured")
    used, answers = json.loads(output)
    return 100 * used / seconds, answers / seconds


async def _empty_process() -> float:
    """MB of a process that has loaded what a table loads, without this program."""
    process = await asyncio.create_subprocess_exec(*PROBE, "empty", stdin=PIPE, stdout=PIPE)
    if process.stdout is None or process.stdin is None or not await process.stdout.readline():
        raise BenchError("the empty process did not come up")
    size = memory_mb(process.pid)
    process.stdin.close()
    await process.wait()
    return size


def cpu_s(pid: int) -> float:
    """Processor seconds of a process and its threads so far, in user and kernel. ``BenchError`` when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        raise BenchError(f"process {pid} has ended: look at its log") from None
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Resident MB of a process, what it shares with others included. ``BenchError`` when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        raise BenchError(f"process {pid} has ended: look at its log") from None
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
