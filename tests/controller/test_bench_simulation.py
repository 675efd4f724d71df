"""The figure of the simulation: taken from seeds that end well, and of every record that they leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.bench.figure import BenchError
from controller.bench.simulation import AIM, measure_simulation
from controller.simulate.audit import Violation
from controller.simulate.plan import Plan, Result
from controller.simulate.run import Simulation
from controller.table.evolve import evolve
from controller.table.loop import Record
from controller.table.state import TableState


def test_the_figure_stands_beside_the_aim_and_the_events_alone() -> None:
    """Rate and time of a hand are one figure; folding its events alone is always faster than playing it."""
    aim, alone = measure_simulation(seeds=(1,), hands=1)
    assert aim["yardstick"] == AIM
    assert aim["value"] == pytest.approx(1000 / alone["value"], rel=0.1)
    assert alone["ratio"] > 10


def test_a_seed_that_fails_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong ends a run early, and would make it look fast."""
    play = Simulation.play

    def broken(self: Simulation) -> Result:
        self.broken = Violation("planted")
        return play(self)

    monkeypatch.setattr(Simulation, "play", broken)
    with pytest.raises(BenchError, match="seed 1 does not end well: see stud-table simulate --seeds 1 "):
        measure_simulation(seeds=(1,), hands=1)


def test_every_record_is_heard_once_also_what_a_crash_left_untold(tmp_path: Path) -> None:
    """Seed 1 ends its controller several times in three hands; the records that were heard lead to the state at the end."""
    records: list[Record] = []
    run = Simulation(Plan(1), tmp_path)
    run.watch.heard = records.extend
    result = run.play()
    assert result.ok
    assert result.crashes > 0
    assert [record.seq for record in records] == list(range(1, result.events + 1))
    state = TableState()
    for record in records:
        state = evolve(state, record.event)
    assert state.seq == run.watch.state.seq
