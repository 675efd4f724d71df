"""Whole runs from one seed: they end, say the same every time, and tell of a failure so that it can be seen again."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from controller.simulate.audit import Violation
from controller.simulate.batch import LOST, Report, command, compare, play
from controller.simulate.faults import CLASSES, HAND_S, MAX_FAULTS, Fault, Level, draw
from controller.simulate.plan import Drawn, Plan, Result
from controller.simulate.run import Simulation, simulate
from controller.simulate.shrink import shrink
from controller.simulate.strike import Striker


def test_the_same_seed_gives_the_same_journal() -> None:
    """Seed, people, faults and secrets: the heads are equal, and another seed's is not."""
    plan = Plan(3, hands=1)
    first, again, other = simulate(plan), simulate(plan), simulate(replace(plan, seed=5))
    assert first.ok, first.failure or first.stuck
    assert first == again
    assert len(first.head) == 64
    assert other.head != first.head


SHORT = {1: "stud8", 3: "stud", 10: "razz"}


@pytest.mark.parametrize("seed", SHORT)
def test_hands_with_many_faults_end_and_nothing_is_broken(seed: int) -> None:
    """The short form of the nightly run."""
    result = simulate(Plan(seed, hands=1, variant=SHORT[seed]))
    assert (result.failure, result.stuck, result.hands) == (None, None, 1)


@pytest.mark.long
@pytest.mark.timeout(14_400)
def test_two_thousand_seeds_of_heavy_faults_fail_nowhere_and_get_stuck_nowhere() -> None:
    """The count of the nightly run."""
    report = play([Plan(seed) for seed in range(1, 2001)], jobs=2)
    assert [(result.plan.seed, result.failure) for result in report.failures] == []
    assert [(result.plan.seed, result.stuck) for result in report.stuck] == []


def test_faults_are_drawn_in_order_within_their_bound_and_none_without_a_level() -> None:
    """Their number counts from 1, they begin while the hands last, and heavy is more than light."""
    light, heavy = (sum(len(draw(random.Random(seed), level, 3)) for seed in range(200)) for level in (Level.LIGHT, Level.HEAVY))
    assert 0 < 4 * light < heavy
    for seed in range(50):
        faults = draw(random.Random(seed), Level.HEAVY, 3)
        assert [fault.number for fault in faults] == list(range(1, len(faults) + 1))
        assert [fault.at_s for fault in faults] == sorted(fault.at_s for fault in faults)
        assert all(fault.at_s < 3 * HAND_S for fault in faults)
        assert len(faults) <= MAX_FAULTS
    assert draw(random.Random(1), Level.NONE, 3) == ()


def test_every_class_of_faults_is_drawn() -> None:
    """No name of a class is out of reach."""
    met = {fault.name for seed in range(400) for fault in draw(random.Random(seed), Level.HEAVY, 3)}
    assert {name for row in CLASSES.values() for name in row.names} == met


def failed(plan: Plan, *numbers: int, culprits: frozenset[int]) -> Result:
    """A run that fails when all ``culprits`` are among its faults."""
    faults = tuple(Fault(number, "kill", float(number), 1.0, number) for number in numbers)
    what = "chips are not conserved" if culprits <= set(numbers) else None
    return Result(plan, "stud", 2, 1, 0, 100, "00", 0, 1.0, faults, what, None, ())


@pytest.mark.parametrize("culprits", [(), (7,), (1, 2), (3, 17), (2, 9, 20)])
def test_a_failure_is_shrunk_to_the_faults_that_bring_it_about(culprits: tuple[int, ...]) -> None:
    """Of twenty faults those that matter remain, and the plan names them."""

    def run(plan: Plan) -> Result:
        assert plan.kept is not None
        return failed(plan, *plan.kept, culprits=frozenset(culprits))

    found = shrink(failed(Plan(1), *range(1, 21), culprits=frozenset(culprits)), run)
    assert tuple(fault.number for fault in found.faults) == culprits
    assert found.plan.kept == culprits


def test_a_shrinking_takes_no_other_failure_for_the_same() -> None:
    """Fault 3 brings about the one that was found, fault 9 another: the first is what is told, with what it said at first."""

    def run(plan: Plan) -> Result:
        kept = plan.kept or ()
        done = failed(plan, *kept, culprits=frozenset({3}))
        if done.failure:
            return replace(done, failure=f"card {len(kept)} is dealt as 7c, the shoe gave Th")
        return replace(done, failure="the gate stays open for 3.75 s though no card is wanted" if 9 in kept else None)

    first = replace(run(Plan(1, kept=tuple(range(1, 11)))), plan=Plan(1))
    found = shrink(first, run)
    assert [fault.number for fault in found.faults] == [3]
    assert (found.failure, found.at_first) == (
        "card 1 is dealt as 7c, the shoe gave Th",
        "card 10 is dealt as 7c, the shoe gave Th",
    )


def test_a_shrinking_ends() -> None:
    """After so many runs it gives what it has."""
    runs: list[Plan] = []

    def run(plan: Plan) -> Result:
        runs.append(plan)
        return failed(plan, *(plan.kept or ()), culprits=frozenset(range(1, 21)))

    shrink(failed(Plan(1), *range(1, 21), culprits=frozenset(range(1, 21))), run, max_runs=7)
    assert len(runs) == 7


def test_a_failing_seed_tells_its_story_and_the_command_that_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken invariant ends the run: what happened stands in words, the fault's number in the command."""
    original = Simulation.note

    def note(self: Simulation, text: str) -> None:
        original(self, text)
        if "clock-step" in text:
            self.break_off(Violation("the clock was believed"))

    monkeypatch.setattr(Simulation, "note", note)
    drawn = {seed: Drawn.of(Plan(seed, hands=1)).faults for seed in range(1, 400)}
    early = [
        (seed, fault.number)
        for seed, faults in drawn.items()
        for fault in faults
        if fault.name == "clock-step" and fault.at_s < 8 and len(faults) > 1
    ]
    seed, number = early[0]
    report = play([Plan(seed, hands=1, kept=(number,))])
    (found,) = report.failures
    assert found.failure == "the clock was believed"
    assert [fault.name for fault in found.faults] == ["clock-step"]
    assert any("VIOLATION: the clock was believed" in line for line in found.story)
    numbers = ",".join(str(fault.number) for fault in found.faults)
    expected = f"stud-table simulate --seeds {seed} --hands 1 --faults heavy --only {numbers}"
    assert " ".join(command(found.plan)) == report.as_json()["failures"][0]["command"] == expected
    assert not report.ok


@pytest.mark.ports
def test_other_hashes_and_more_processes_give_the_same_journals() -> None:
    """Two processes here, one with another PYTHONHASHSEED there."""
    plans = [Plan(seed, hands=1) for seed in (1, 2)]
    report = play(plans, jobs=2)
    assert report.ok
    compare(report, plans)
    assert report.differ == []
    assert report.ok


def test_a_journal_that_differs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The heads of the other process are compared seed by seed."""
    said = CompletedProcess([], 0, stdout='{"heads": {"1": "aa", "2": "bb"}}')
    asked: list[list[str]] = []
    monkeypatch.setattr("controller.simulate.batch.subprocess.run", lambda words, **_: (asked.append(words), said)[1])
    report = Report(heads={1: "aa", 2: "cc", 3: "dd"})
    compare(report, [Plan(seed, kept=(4, 5)) for seed in (1, 2, 3)])
    assert [doubt.seed for doubt in report.differ] == [2, 3]
    assert "ended early" in report.differ[1].what
    assert report.differ[0].command == "stud-table simulate --seeds 2 --hands 3 --faults heavy --only 4,5 --twice"
    assert "--seeds 1-3 --hands 3 --faults heavy --only 4,5 --jobs 1 --json" in " ".join(asked[0])
    assert not report.ok


def test_a_second_process_that_dies_leaves_no_seed_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first one played is kept, each seed is named, and the run counts as failed."""
    monkeypatch.setattr("controller.simulate.batch.subprocess.run", lambda *_, **__: CompletedProcess([], -9, stdout=""))
    report = Report(hands=6, heads={1: "aa", 2: "cc"})
    compare(report, [Plan(1), Plan(2)])
    assert [doubt.seed for doubt in report.differ] == [1, 2]
    assert report.differ[0].what == "the process with other hashes ended with -9 and without a report"
    assert (report.ok, report.hands) == (False, 6)


class Deadly(Plan):
    """A plan that ends the process which takes it up."""

    __slots__ = ()

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (9,)


@pytest.mark.ports
def test_seeds_whose_process_dies_are_lost_and_count_as_failed() -> None:
    """As where the system kills one for its memory: no traceback, the seeds are named, what was played is kept."""
    report = play([Plan(1, hands=1, level=Level.NONE), Deadly(2), Plan(3, hands=1, level=Level.NONE)], jobs=2)
    assert 2 in {doubt.seed for doubt in report.lost}
    assert sorted({doubt.seed for doubt in report.lost} | set(report.heads)) == [1, 2, 3]
    told = {each["seed"]: each for each in report.as_json()["failures"]}
    assert told[2]["what"] == LOST
    assert told[2]["command"] == "stud-table simulate --seeds 2 --hands 3 --faults heavy"
    assert not report.ok


def test_faults_are_counted_as_drawn_and_as_struck() -> None:
    """One whose time never came, or that met nothing, is no proof of anything."""
    plan = next(plan for plan in (Plan(seed, hands=1) for seed in range(1, 200)) if 3 < len(Drawn.of(plan).faults) < 9)
    report = Report()
    report.take(simulate(plan))
    told = report.as_json()
    assert told["faults"] == len(Drawn.of(plan).faults)
    assert {name: drawn for name, (drawn, _) in told["faults_by_name"].items()} == Counter(
        fault.name for fault in Drawn.of(plan).faults
    )
    assert 0 < told["struck"] == sum(struck for _, struck in told["faults_by_name"].values()) <= told["faults"]


def test_a_press_that_never_comes_has_not_struck(tmp_path: Path) -> None:
    """Armed is not struck, and an end of the process while it is away is none."""
    run = Simulation(Plan(1, hands=1, level=Level.NONE), tmp_path)
    run.console.armed["press-twice"] = 1
    striker = Striker(run)
    assert striker.struck == Counter()
    run.console.fumbled["press-twice"] = 1
    assert striker.struck == Counter({"press-twice": 1})
