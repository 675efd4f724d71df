"""What a table's process costs: read from the system, and told beside a yardstick."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from controller.bench import FIGURES
from controller.bench.devices import cpu_s, measure_devices, memory_mb
from controller.bench.figure import BenchError


def test_processor_time_and_memory_are_those_of_the_process() -> None:
    """Work raises the one, and both are of the order of what this process knows of itself; a process that is gone is an error."""
    before = cpu_s(os.getpid())
    sum(number * number for number in range(2_000_000))
    assert before < cpu_s(os.getpid()) <= sum(os.times()[:2]) + 0.1
    assert 10 < memory_mb(os.getpid()) < 4000
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    with pytest.raises(BenchError, match="has ended"):
        cpu_s(gone.pid)
    with pytest.raises(BenchError, match="has ended"):
        memory_mb(gone.pid)


def test_the_figure_can_be_asked_for_by_name() -> None:
    """``bench devices``."""
    assert "devices" in FIGURES


@pytest.mark.long
@pytest.mark.ports
def test_all_figures_are_taken() -> None:
    """A short run: seven figures, each with a yardstick that was measured, and antennas that were really scanned."""
    figures = measure_devices(idle_s=3.0, hands=1)
    assert [figure["unit"] for figure in figures] == ["% of a core", "% of a core", "scans/s", "scans/s", "ms", "MB", "MB"]
    assert all(figure["yardstick"] > 0 for figure in figures)
    assert figures[2]["value"] > 10
