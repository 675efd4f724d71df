"""Fewer faults that still bring the same failure about: delta debugging over the list of a run's faults (Zeller's ddmin)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from controller.simulate.plan import Result
from controller.simulate.run import simulate

MAX_RUNS: Final = 60
"""Most runs that a shrinking takes; what is found by then is good enough to begin with."""
_PARTICULAR: Final = re.compile(r"\b(?:[2-9TJQKA]|10)[cdhs]\b|\d[\d.]*|[{\[(].*", re.DOTALL)
"""What may differ between two runs that fail alike: cards, numbers, and the values that a text ends with."""


def shrink(found: Result, run: Callable[..., Result] = simulate, *, max_runs: int = MAX_RUNS) -> Result:
    """The run of fewest faults that was found to fail as ``found`` does, in the same words but for cards and numbers.

    Runs it again and again. What ``found`` said stays with the result.
    """
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
            best, parts = replace(smaller, at_first=found.at_first or found.what), max(2, min(parts - 1, len(smaller.faults)))
        elif parts >= len(numbers):
            break
        else:
            parts = min(2 * parts, len(numbers))
    return best


def _is_same(found: Result, again: Result) -> bool:
    return _kind(found.failure) == _kind(again.failure) and _kind(found.stuck) == _kind(again.stuck)


def _kind(text: str | None) -> str | None:
    """The sentence without what is particular to one run."""
    return None if text is None else _PARTICULAR.sub("#", text)


def _cut(numbers: Sequence[int], parts: int) -> list[list[int]]:
    size, more = divmod(len(numbers), parts)
    ends = [0]
    for part in range(parts):
        ends.append(ends[-1] + size + (part < more))
    return [list(numbers[low:high]) for low, high in pairwise(ends)]


def _without(chunks: Sequence[list[int]]) -> list[list[int]]:
    return [[number for other in chunks if other is not chunk for number in other] for chunk in chunks]
