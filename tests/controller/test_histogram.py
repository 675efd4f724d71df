"""Counts in fixed buckets."""

from __future__ import annotations

import pytest

from controller.histogram import Histogram


def test_a_value_counts_in_the_first_bucket_that_holds_it() -> None:
    """A bound belongs to its bucket; what is above the last one is counted behind it."""
    seen = Histogram((0.1, 1.0))
    for value in (0.0, 0.1, 0.11, 1.0, 7.0):
        seen.add(value)
    assert seen.counts == [2, 2, 1]
    assert (seen.count, seen.total) == (5, pytest.approx(8.21))


@pytest.mark.parametrize("bounds", [(), (1.0, 1.0), (2.0, 1.0)])
def test_bounds_rise(bounds: tuple[float, ...]) -> None:
    """Others would count twice, or nothing."""
    with pytest.raises(ValueError, match="do not rise"):
        Histogram(bounds)
