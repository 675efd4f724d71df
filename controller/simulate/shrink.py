"""Fewer faults that still bring the same failure about: delta debugging over the list of a run's faults (Zeller's ddmin)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from controller.simulate.plan import Result
from controller.simulate.run import simulate

MAX_RUNS: Final = 60
"""Most runs that a shrinking takes; what is found by then is good enough to begin with."""


def shrink(found: Result, run: Callable[..., Result] = simulate, *, max_runs: int = MAX_RUNS) -> Result:
    """The run of fewest faults that was found to fail as ``found`` does: broken, or stuck. Runs it again and again."""
    best, left, parts = found, max_runs, 2
    while left > 0 and (numbers := [fault.number for fault in best.faults]):
        chunks = _cut(numbers, min(parts, len(numbers)))
        tries = [[], *chunks, *_without(chunks)] if parts == 2 else _without(chunks)
        smaller = None
        for kept in tries:
            if left <= 0 or len(kept) >= len(numbers):
                continue
            left -= 1
            again = run(replace(best.plan, kept=tuple(kept)))
            if _is_same(found, again):
                smaller = again
                break
        if smaller is not None:
            best, parts = smaller, max(2, min(parts - 1, len(smaller.faults)))
        elif parts >= len(numbers):
            break
        else:
            parts = min(2 * parts, len(numbers))
    return best


def _is_same(found: Result, again: Result) -> bool:
    return (found.failure is None) == (again.failure is None) and (found.stuck is None) == (again.stuck is None)


def _cut(numbers: Sequence[int], parts: int) -> list[list[int]]:
    size, more = divmod(len(numbers), parts)
    ends = [0]
    for part in range(parts):
        ends.append(ends[-1] + size + (part < more))
    return [list(numbers[low:high]) for low, high in pairwise(ends)]


def _without(chunks: Sequence[list[int]]) -> list[list[int]]:
    return [[number for other in chunks if other is not chunk for number in other] for chunk in chunks]
