"""Many runs: in one process or several, and once more in a process whose hashes are others."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, Final

from controller.simulate.plan import Plan, Result
from controller.simulate.run import simulate
from controller.simulate.shrink import shrink
from controller.simulate.twins import play_twins

SHRUNK: Final = 5
"""So many failing seeds of a batch are shrunk; it takes many runs."""
OTHER_HASHES: Final = "4711"
"""Seed of the hashes in the second process."""
LOST: Final = "a process that played seeds has ended before this one was played: killed, or out of memory"
"""What is said of a seed whose worker died, or waited for one that did."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a seed that may have gone well proves less than was asked for, and the command that shows it again."""

    seed: int
    what: str
    command: str


@dataclass(slots=True)
class Report:
    """What became of a batch."""

    hands: int = 0
    voided: int = 0
    crashes: int = 0
    drawn: Counter[str] = field(default_factory=Counter)
    """Faults that the seeds drew, by name."""
    struck: Counter[str] = field(default_factory=Counter)
    """Faults that came about: their time came while the run lasted, and they met what they act upon."""
    heads: dict[int, str] = field(default_factory=dict)
    failures: list[Result] = field(default_factory=list)
    stuck: list[Result] = field(default_factory=list)
    lost: list[Doubt] = field(default_factory=list)
    """Seeds that were not played to an end: whatever they would have shown, they count as failed."""
    differ: list[Doubt] = field(default_factory=list)
    """Seeds whose journal ended with another head in a process with other hashes, or did not end there at all."""
    leaks: list[Doubt] = field(default_factory=list)
    """Seeds whose twin told something else, and where."""
    unpaired: list[Doubt] = field(default_factory=list)
    """Seeds whose twins show nothing: one of the two failed or got stuck, or nothing was told that could be compared."""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Every seed was played, none failed or is stuck, each gave the same journal again, and twins told the same."""
        return not (self.failures or self.lost or self.stuck or self.differ or self.leaks or self.unpaired)

    @property
    def failed(self) -> int:
        """How many seeds count as failed."""
        return len(self.failures) + len(self.lost)

    def take(self, result: Result) -> None:
        """One more run."""
        self.hands += result.hands
        self.voided += result.voided
        self.crashes += result.crashes
        self.drawn.update(fault.name for fault in result.faults)
        self.struck.update(result.struck)
        self.heads[result.plan.seed] = result.head
        if result.failure is not None:
            self.failures.append(result)
        elif result.stuck is not None:
            self.stuck.append(result)

    def as_json(self) -> dict[str, Any]:
        """The keys that checks read, and some more."""
        return {
            "hands": self.hands,
            "seeds": len(self.heads),
            "failures": [_as_json(result) for result in self.failures] + [_doubt_as_json(doubt) for doubt in self.lost],
            "stuck": [_as_json(result) for result in self.stuck],
            "heads": {str(seed): head for seed, head in sorted(self.heads.items())},
            "hands_per_second": round(self.hands / self.seconds, 2) if self.seconds else 0.0,
            "differ": [_doubt_as_json(doubt) for doubt in self.differ],
            "leaks": [_doubt_as_json(doubt) for doubt in self.leaks],
            "unpaired": [_doubt_as_json(doubt) for doubt in self.unpaired],
            "voided": self.voided,
            "crashes": self.crashes,
            "faults": self.drawn.total(),
            "struck": self.struck.total(),
            "faults_by_name": {name: [count, self.struck[name]] for name, count in sorted(self.drawn.items())},
            "seconds": round(self.seconds, 2),
        }


def _as_json(result: Result) -> dict[str, Any]:
    return {
        "seed": result.plan.seed,
        "what": result.what,
        "at_first": result.at_first or result.what,
        "faults": [f"{fault.number} {fault.name}" for fault in result.faults],
        "command": " ".join(command(result.plan)),
        "story": list(result.story),
    }


def _doubt_as_json(doubt: Doubt) -> dict[str, Any]:
    return {"seed": doubt.seed, "what": doubt.what, "command": doubt.command}


def command(plan: Plan) -> list[str]:
    """The words of the command that repeats a run."""
    words = ["stud-table", "simulate", "--seeds", str(plan.seed), "--hands", str(plan.hands), "--faults", plan.level.value]
    if plan.variant is not None:
        words += ["--variant", plan.variant]
    if plan.kept is not None:
        words += ["--only", ",".join(map(str, plan.kept)) or "none"]
    return words


def exchange(report: Report, plans: Sequence[Plan], *, tell: Callable[[str], None] = lambda _: None) -> None:
    """Play each seed beside its twin, in which two hidden cards are exchanged, and note in ``report`` where they differ, and
    which pairs show nothing."""
    for number, plan in enumerate(plans, 1):
        tell(f"twins of seed {plan.seed}, {number} of {len(plans)}")
        pair = play_twins(plan)
        again = " ".join((*command(plan), "--twins"))
        if pair.difference is not None:
            report.leaks.append(Doubt(plan.seed, pair.difference, again))
        if pair.unsound is not None:
            report.unpaired.append(Doubt(plan.seed, pair.unsound, again))


def spare_collector() -> None:
    """Let the collector of reference cycles look seldom: a run makes few and is short."""
    gc.set_threshold(200_000, 20, 20)


def play(plans: Sequence[Plan], *, jobs: int = 1, tell: Callable[[str], None] = lambda _: None, shrinks: bool = True) -> Report:
    """Run all ``plans``, ``jobs`` at a time; failing ones are shrunk. ``tell`` hears of the progress."""
    report = Report()
    began = time.monotonic()
    for number, (plan, result) in enumerate(_played(plans, jobs), 1):
        if result is None:
            report.lost.append(Doubt(plan.seed, LOST, " ".join(command(plan))))
        else:
            report.take(result)
        bad = report.failed + len(report.stuck)
        tell(f"seed {plan.seed}, {number} of {len(plans)}: {report.hands} hands" + (f", {bad} bad" if bad else ""))
    report.seconds = time.monotonic() - began
    if shrinks:
        for found in (report.failures, report.stuck):
            for index, result in enumerate(found[:SHRUNK]):
                tell(f"seed {result.plan.seed}: looking for fewer faults")
                found[index] = shrink(result)
    return report


def _played(plans: Sequence[Plan], jobs: int) -> Iterator[tuple[Plan, Result | None]]:
    """Each plan with its result, in order; ``None`` where the process that was to play it has died."""
    if jobs <= 1:
        yield from zip(plans, map(simulate, plans), strict=True)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), spare_collector) as pool:
        try:
            due = deque((plan, _submitted(pool, plan)) for plan in plans)
            while due:
                plan, future = due.popleft()
                try:
                    result = future.result()
                except BrokenProcessPool:
                    result = None
                yield plan, result
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _submitted(pool: ProcessPoolExecutor, plan: Plan) -> Future[Result]:
    try:
        return pool.submit(simulate, plan)
    except BrokenProcessPool as error:  # a worker died while the plans were still being handed out
        lost = Future[Result]()
        lost.set_exception(error)
        return lost


def compare(report: Report, plans: Sequence[Plan], *, jobs: int = 1) -> None:
    """Run the same seeds with the same faults in a process with other hashes, and note in ``report`` whose journal ends
    otherwise, or does not end there: the process may die, and all of it or part of its seeds with it."""
    first = plans[0]
    words = command(first)
    words[words.index("--seeds") + 1] = f"{first.seed}-{plans[-1].seed}"
    words = [sys.executable, "-m", "controller.cli", *words[1:], "--jobs", str(jobs), "--json"]
    done = subprocess.run(  # noqa: S603 - this very program
        words, env={**os.environ, "PYTHONHASHSEED": OTHER_HASHES}, stdout=subprocess.PIPE, check=False, text=True
    )
    try:
        heads, missing = json.loads(done.stdout)["heads"], "a process that played it there has ended early"
    except (ValueError, KeyError, TypeError):
        heads, missing = {}, f"the process with other hashes ended with {done.returncode} and without a report"
    for plan in plans:
        here, there = report.heads.get(plan.seed), heads.get(str(plan.seed))
        if here is not None and here != there:
            what = missing if there is None else f"its journal ends with {there} under other hashes, and with {here} here"
            report.differ.append(Doubt(plan.seed, what, " ".join((*command(plan), "--twice"))))
