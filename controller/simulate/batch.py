"""Many runs: in one process or several, and once more in a process whose hashes are others."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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


@dataclass(slots=True)
class Report:
    """What became of a batch."""

    hands: int = 0
    voided: int = 0
    crashes: int = 0
    faults: int = 0
    heads: dict[int, str] = field(default_factory=dict)
    failures: list[Result] = field(default_factory=list)
    stuck: list[Result] = field(default_factory=list)
    differ: list[int] = field(default_factory=list)
    """Seeds whose journal ended with another head in a process with other hashes."""
    leaks: dict[int, str] = field(default_factory=dict)
    """Seeds whose twin told something else, and where."""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Nothing failed, nothing is stuck, the same seed gave the same journal, and twins told the same."""
        return not (self.failures or self.stuck or self.differ or self.leaks)

    def take(self, result: Result) -> None:
        """One more run."""
        self.hands += result.hands
        self.voided += result.voided
        self.crashes += result.crashes
        self.faults += len(result.faults)
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
            "failures": [_as_json(result) for result in self.failures],
            "stuck": [_as_json(result) for result in self.stuck],
            "heads": {str(seed): head for seed, head in sorted(self.heads.items())},
            "hands_per_second": round(self.hands / self.seconds, 2) if self.seconds else 0.0,
            "differ": self.differ,
            "leaks": {str(seed): where for seed, where in self.leaks.items()},
            "voided": self.voided,
            "crashes": self.crashes,
            "faults": self.faults,
            "seconds": round(self.seconds, 2),
        }


def _as_json(result: Result) -> dict[str, Any]:
    return {
        "seed": result.plan.seed,
        "what": result.failure or result.stuck,
        "faults": [f"{fault.number} {fault.name}" for fault in result.faults],
        "command": " ".join(command(result.plan)),
        "story": list(result.story),
    }


def command(plan: Plan) -> list[str]:
    """The words of the command that repeats a run."""
    words = ["stud-table", "simulate", "--seeds", str(plan.seed), "--hands", str(plan.hands), "--faults", plan.level.value]
    if plan.variant is not None:
        words += ["--variant", plan.variant]
    if plan.kept is not None:
        words += ["--only", ",".join(map(str, plan.kept)) or "none"]
    return words


def exchange(report: Report, plans: Sequence[Plan], *, tell: Callable[[str], None] = lambda _: None) -> None:
    """Play each seed beside its twin, in which two hidden cards are exchanged, and note in ``report`` where they differ."""
    for number, plan in enumerate(plans, 1):
        tell(f"twins of seed {plan.seed}, {number} of {len(plans)}")
        pair = play_twins(plan)
        if pair.difference is not None:
            report.leaks[plan.seed] = pair.difference


def spare_collector() -> None:
    """Let the collector of reference cycles look seldom: a run makes few and is short."""
    gc.set_threshold(200_000, 20, 20)


def play(plans: Sequence[Plan], *, jobs: int = 1, tell: Callable[[str], None] = lambda _: None, shrinks: bool = True) -> Report:
    """Run all ``plans``, ``jobs`` at a time; failing ones are shrunk. ``tell`` hears of the progress."""
    report = Report()
    began = time.monotonic()
    with _mapping(jobs) as mapped:
        for number, result in enumerate(mapped(plans), 1):
            report.take(result)
            bad = len(report.failures) + len(report.stuck)
            tell(f"seed {result.plan.seed}, {number} of {len(plans)}: {report.hands} hands" + (f", {bad} bad" if bad else ""))
    report.seconds = time.monotonic() - began
    if shrinks:
        for found in (report.failures, report.stuck):
            for index, result in enumerate(found[:SHRUNK]):
                tell(f"seed {result.plan.seed}: looking for fewer faults")
                found[index] = shrink(result)
    return report


@contextmanager
def _mapping(jobs: int) -> Iterator[Callable[[Sequence[Plan]], Iterator[Result]]]:
    if jobs <= 1:
        yield lambda plans: map(simulate, plans)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), spare_collector) as pool:
        try:
            yield lambda plans: pool.map(simulate, plans)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def compare(report: Report, plans: Sequence[Plan], *, jobs: int = 1) -> None:
    """Run the same seeds in a process with other hashes, and note in ``report`` whose journal ends otherwise."""
    first = plans[0]
    seeds = f"{first.seed}-{plans[-1].seed}"
    words = command(replace(first, kept=None))
    words[words.index("--seeds") + 1] = seeds
    words = [sys.executable, "-m", "controller.cli", *words[1:], "--jobs", str(jobs), "--json"]
    done = subprocess.run(  # noqa: S603 - this very program
        words, env={**os.environ, "PYTHONHASHSEED": OTHER_HASHES}, stdout=subprocess.PIPE, check=False, text=True
    )
    heads = json.loads(done.stdout)["heads"]
    report.differ = [seed for seed, head in report.heads.items() if heads.get(str(seed)) != head]
