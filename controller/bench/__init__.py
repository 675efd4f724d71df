"""``stud-table bench``: figures beside their yardsticks, taken in the same run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from controller.bench.devices import measure_devices
from controller.bench.figure import BenchError, Figure
from controller.bench.hand import measure_hand
from controller.bench.journal import measure_journal
from controller.bench.latency import measure_latency
from controller.bench.simulation import measure_simulation
from controller.bench.tracking import measure_tracking

FIGURES: Final[Mapping[str, Callable[[], list[Figure]]]] = {
    "hand": measure_hand,
    "latency": measure_latency,
    "journal": measure_journal,
    "tracking": measure_tracking,
    "devices": measure_devices,
    "simulation": measure_simulation,
}


def run_figures(names: Sequence[str]) -> list[Figure]:
    """Each named figure: ``name``, ``value``, ``unit``, ``yardstick``, ``ratio``. ``BenchError`` says why one cannot be taken."""
    return [figure for name in names for figure in FIGURES[name]()]


__all__ = ["FIGURES", "BenchError", "Figure", "run_figures"]
