"""Intervals and tests against known values and against themselves."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.calibration.statistics import fisher_greater, holm, mann_whitney_greater, quantile, wilson

trials = st.integers(1, 400).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 20, 0.0, 0.1611), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_as_published(hits: int, of: int, low: float, high: float) -> None:
    """Values of Newcombe, Statistics in Medicine 17 (1998), tables I and II, method 3."""
    found = wilson(hits, of)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@given(trials)
def test_wilson_holds_the_rate_and_mirrors(rate: tuple[int, int]) -> None:
    """The interval contains what was measured, lies in 0 to 1, and that of the misses is its mirror image."""
    hits, of = rate
    low, high = wilson(hits, of)
    assert 0 <= low <= hits / of <= high <= 1
    other = wilson(of - hits, of)
    assert math.isclose(other.low, 1 - high, abs_tol=1e-12)
    assert math.isclose(other.high, 1 - low, abs_tol=1e-12)


def test_nothing_measured_says_nothing() -> None:
    """No trial: the whole range. More hits than trials cannot be."""
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="3 hits of 2"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="3 hits of 2"):
        fisher_greater(0, 1, 3, 2)
    with pytest.raises(ValueError, match="quantile"):
        quantile([], 0.5)


def exact_greater(hits: int, of: int, hits_before: int, of_before: int) -> float:
    """The same by whole numbers: the definition."""
    total = hits + hits_before
    ways = sum(math.comb(of, k) * math.comb(of_before, total - k) for k in range(hits, min(of, total) + 1))
    return ways / math.comb(of + of_before, total)


def test_fisher_as_published() -> None:
    """The lady tasting tea, 3 of 4: 17 in 70 (Fisher 1935)."""
    assert math.isclose(fisher_greater(3, 4, 1, 4), 17 / 70, rel_tol=1e-9)


@given(trials, trials)
def test_fisher_is_its_definition(now: tuple[int, int], before: tuple[int, int]) -> None:
    """The logarithms lose nothing that matters."""
    assert math.isclose(fisher_greater(*now, *before), exact_greater(*now, *before), rel_tol=1e-6)


def test_mann_whitney_as_published() -> None:
    """The example of scipy's documentation: U = 17, two-sided p 0.1113 by the corrected approximation."""
    now, before = [19, 22, 16, 29, 24], [20, 11, 17, 12]
    assert math.isclose(mann_whitney_greater(now, before), 0.11134688653314041 / 2, abs_tol=1e-6)
    assert mann_whitney_greater([1, 1], [1, 1]) == 1.0
    assert mann_whitney_greater([], [1]) == 1.0


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_longer_times_are_never_less_suspicious(now: list[int], before: list[int]) -> None:
    """All of them ten longer: the chance does not grow."""
    assert mann_whitney_greater([value + 10 for value in now], before) <= mann_whitney_greater(now, before) + 1e-12


def test_holm_stops_at_the_first_that_is_not() -> None:
    """Holm's own steps: 0.01 and 0.013 hold at 0.05 of four, 0.03 does not, and nothing behind it."""
    assert holm([0.03, 0.01, 0.04, 0.013], 0.05) == (False, True, False, True)
    assert holm([], 0.05) == ()


def test_quantiles_lie_between_neighbours() -> None:
    """As everybody's default (type 7)."""
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([0, 10], 0.95) == 9.5
    assert quantile([7], 0.95) == 7
