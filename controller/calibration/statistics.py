"""The few statistics that a calibration needs, exact where that is cheap. Pure.

A rate is ``hits`` of ``of`` trials that are taken for independent. Rates are compared by Fisher's exact test, times by the
test of Mann and Whitney, and where many are compared at once Holm's method keeps the chance of one false alarm below the level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

Z_95: Final = 1.959964
"""Two-sided 95 %."""
_SLACK: Final = 1e-12


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float


def wilson(hits: int, of: int, z: float = Z_95) -> Interval:
    """Wilson's score interval of a rate; the whole range for no trial. ``ValueError`` for more hits than trials."""
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} hits of {of} trials: hits are 0 to the number of trials")
    if of == 0:
        return Interval(0.0, 1.0)
    share, square = hits / of, z * z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return Interval(0.0 if hits == 0 else max(0.0, middle - half), 1.0 if hits == of else min(1.0, middle + half))


def fisher_greater(hits: int, of: int, hits_before: int, of_before: int) -> float:
    """Chance that a rate which did not grow shows at least so many ``hits`` now, the sum of hits given: Fisher's exact test,
    one-sided. 1 where one of the two has no trial."""
    for part, whole in ((hits, of), (hits_before, of_before)):
        if not 0 <= part <= whole:
            raise ValueError(f"{part} hits of {whole} trials: hits are 0 to the number of trials")
    total = hits + hits_before
    if not of or not of_before:
        return 1.0
    everything = _log_choose(of + of_before, total)
    most = min(of, total)
    terms = (
        _log_choose(of, k) + _log_choose(of_before, total - k) - everything
        for k in range(hits, most + 1)
        if total - k <= of_before
    )
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def _log_choose(of: int, k: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)


def mann_whitney_greater(now: Sequence[float], before: Sequence[float]) -> float:
    """Chance that times which did not grow look so much longer ``now``: Mann and Whitney's test, one-sided, by the normal
    approximation with ties and continuity corrected. 1 where one of the two is empty or all are equal."""
    count, count_before = len(now), len(before)
    both = count + count_before
    if not count or not count_before:
        return 1.0
    ranked = sorted([(value, True) for value in now] + [(value, False) for value in before])
    rank_sum, ties, start = 0.0, 0, 0
    while start < both:
        end = start
        while end < both and ranked[end][0] == ranked[start][0]:
            end += 1
        rank_sum += (start + end + 1) / 2 * sum(is_now for _, is_now in ranked[start:end])
        ties += (end - start) ** 3 - (end - start)
        start = end
    greater = rank_sum - count * (count + 1) / 2
    spread = count * count_before / 12 * (both + 1 - ties / (both * (both - 1)))
    if spread <= _SLACK:
        return 1.0
    score = (greater - count * count_before / 2 - 0.5) / math.sqrt(spread)
    return math.erfc(score / math.sqrt(2)) / 2


def holm(chances: Sequence[float], level: float) -> tuple[bool, ...]:
    """For each chance whether it is significant when all of them are looked at together (Holm 1979)."""
    found = [False] * len(chances)
    for place, index in enumerate(sorted(range(len(chances)), key=lambda index: chances[index])):
        if chances[index] > level / (len(chances) - place):
            break
        found[index] = True
    return tuple(found)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie, between neighbours in proportion. ``ValueError`` for no value."""
    if not values:
        raise ValueError("no value has no quantile")
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)
