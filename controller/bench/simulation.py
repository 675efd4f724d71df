"""The simulation: hands with heavy faults for a second of one processor, beside the aim and beside what the journal's own
events of these very hands take."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.bench.figure import BenchError, Figure, figure
from controller.simulate.batch import command, spare_collector
from controller.simulate.disk import fast_folder
from controller.simulate.faults import Level
from controller.simulate.plan import Plan
from controller.simulate.run import Simulation
from controller.table.evolve import evolve
from controller.table.loop import Record
from controller.table.state import TableState

AIM: Final = 17.4
"""Hands a second on each of two cores that a million hands in eight hours are."""
SEEDS: Final = range(1, 21)
HANDS: Final = 3
READINGS: Final = 3
"""Of the yardstick, the best of which counts."""


def measure_simulation(*, seeds: Sequence[int] = SEEDS, hands: int = HANDS) -> list[Figure]:
    """Hands of ``seeds`` a second of processor time, one run before them apart. ``BenchError`` for a seed that fails."""
    spare_collector()
    _play(Plan(seeds[0], hands=1, level=Level.HEAVY))
    played, seconds, journals = 0, 0.0, list[list[Record]]()
    for seed in seeds:
        began = time.process_time()
        found, records = _play(Plan(seed, hands=hands, level=Level.HEAVY))
        seconds += time.process_time() - began
        played += found
        journals.append(records)
    folded = min(_fold(journals) for _ in range(READINGS))
    rate = played / seconds
    return [
        figure("simulated hands with heavy faults a second of processor time, beside the aim for each core", rate, "1/s", AIM),
        figure("processor time of a simulated hand, beside folding its events alone", 1000 / rate, "ms", 1000 * folded / played),
    ]


def _play(plan: Plan) -> tuple[int, list[Record]]:
    records: list[Record] = []
    with tempfile.TemporaryDirectory(prefix="stud-bench-", dir=fast_folder()) as folder:
        run = Simulation(plan, Path(folder))
        run.watch.heard = records.extend
        result = run.play()
    if not result.ok:
        raise BenchError(f"seed {plan.seed} does not end well: see {' '.join(command(plan))}")
    return result.hands, records


def _fold(journals: Sequence[Sequence[Record]]) -> float:
    """Processor seconds of the state machine alone."""
    began = time.process_time()
    for records in journals:
        state = TableState()
        for record in records:
            state = evolve(state, record.event)
    return time.process_time() - began
