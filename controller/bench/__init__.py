"""``stud-table bench``: figures beside their yardsticks, taken in the same run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from controller.bench.devices import measure_devices
from controller.bench.figure import BenchError, Figure
from controller.bench.floor import FloorLoad, measure_floor
from controller.bench.hand import measure_hand
from controller.bench.journal import measure_journal
from controller.bench.latency import measure_latency
from controller.bench.simulation import measure_simulation
from controller.bench.tracking import measure_tracking

FIGURES: Final[Mapping[str, Callable[[FloorLoad], list[Figure]]]] = {
    "hand": lambda _: measure_hand(),
    "latency": lambda _: measure_latency(),
    "journal": lambda _: measure_journal(),
    "tracking": lambda _: measure_tracking(),
    "devices": lambda _: measure_devices(),
    "simulation": lambda _: measure_simulation(),
    "floor": measure_floor,
}
DEFAULT: Final = tuple(name for name in FIGURES if name != "floor")
"""What is taken where nothing is named: a floor wants a database server and both cores for itself."""


def run_figures(names: Sequence[str], load: FloorLoad | None = None) -> list[Figure]:
    """Each named figure: ``name``, ``value``, ``unit``, ``yardstick``, ``ratio``. ``load`` is that of ``floor``. ``BenchError``
    says why one cannot be taken."""
    return [figure for name in names for figure in FIGURES[name](load or FloorLoad())]


__all__ = ["DEFAULT", "FIGURES", "BenchError", "Figure", "FloorLoad", "run_figures"]
