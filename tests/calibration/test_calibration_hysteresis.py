"""Computed figures of the presence filter, against the published ones and against the filter itself."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.calibration.hysteresis import (
    accepted_share,
    least_gone_misses,
    misses_to_go,
    removals_per_hour,
    strays_per_hour,
)
from controller.hand.places import parse_place
from controller.tracking.evidence import TagConflict, TagSeen
from controller.tracking.presence import PresenceFilter, PresenceSettings

SETTINGS = PresenceSettings()
HOME, OTHER = parse_place("seat/3/up"), parse_place("seat/4/up")


@pytest.mark.parametrize(
    ("miss", "misses", "per_hour"),
    [(0.05, 3, 4.3), (0.05, 5, 0.011), (0.05, 8, 1.3e-6), (0.1, 3, 32), (0.1, 5, 0.32), (0.1, 8, 3.2e-4), (0.2, 8, 0.074)],
)
def test_false_removals_are_those_of_the_table(miss: float, misses: int, per_hour: float) -> None:
    """devices §6.4, at 0.1 s from scan to scan."""
    assert math.isclose(removals_per_hour(miss, 0.1, misses), per_hour, rel_tol=0.04)


def test_how_many_misses_it_takes() -> None:
    """The time counts too where scans are quick; the least that would do keeps the aim, and one less does not."""
    assert misses_to_go(0.25, SETTINGS) == 8
    assert misses_to_go(0.05, SETTINGS) == 16
    least = least_gone_misses(0.1, 0.25)
    assert least == 8
    assert removals_per_hour(0.1, 0.25, least - 1) >= 1e-3 > removals_per_hour(0.1, 0.25, least)
    assert least_gone_misses(0.9, 0.25) is None
    assert removals_per_hour(1.0, 0.25, 8) == 1800


def test_two_hits_in_three_scans_by_hand() -> None:
    """0.3 s a scan, 0.8 s to look: a third of the cards gets two scans, the others three."""
    both, two_of_three = 0.95**2, 0.95**3 + 3 * 0.05 * 0.95**2
    assert math.isclose(accepted_share(0.05, 0.3, SETTINGS), both / 3 + two_of_three * 2 / 3)
    assert accepted_share(0.0, 0.3, SETTINGS) == 1.0
    assert accepted_share(1.0, 0.3, SETTINGS) == 0.0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.05, 0.5))
def test_more_misses_are_never_better(one: float, other: float, period_s: float) -> None:
    """Acceptance falls with the misses."""
    low, high = sorted((one, other))
    assert accepted_share(low, period_s, SETTINGS) >= accepted_share(high, period_s, SETTINGS) - 1e-9


def observed(bleed: float, miss: float, period_s: float, rounds: int) -> float:
    """Alarms of the real filter in a round, begun anew after each."""
    rng = random.Random(11)
    alarms, now = 0, 0.0
    felt = PresenceFilter(SETTINGS, {HOME: frozenset(("A",)), OTHER: frozenset()})
    for place in (HOME,):
        felt.scan(place, ("A",), True, now)
    for _ in range(rounds):
        for place, chance in ((HOME, 1 - miss), (OTHER, bleed)):
            now += period_s / 2
            told = felt.scan(place, ("A",) if rng.random() < chance else (), True, now)
            if any(isinstance(one, TagConflict) or (isinstance(one, TagSeen) and one.place == OTHER) for one in told):
                alarms += 1
                felt = PresenceFilter(SETTINGS, {HOME: frozenset(("A",)), OTHER: frozenset()})
                felt.scan(HOME, ("A",), True, now)
    return alarms / rounds


@pytest.mark.parametrize(("bleed", "miss"), [(0.3, 0.0), (0.3, 0.2), (0.15, 0.3), (1.0, 0.05)])
def test_strays_are_those_of_the_filter(bleed: float, miss: float) -> None:
    """The chain of states counts as many alarms as the filter raises when it is fed at random: within four deviations."""
    period_s, rounds = 0.25, 20_000
    expected = strays_per_hour(bleed, miss, period_s, SETTINGS) * period_s / 3600
    found = observed(bleed, miss, period_s, rounds)
    assert abs(found - expected) < 4 * math.sqrt(expected / rounds), (found, expected)


def test_a_rare_reading_is_no_alarm_and_a_frequent_one_is() -> None:
    """No bleed, no alarm; half a percent is within one in 1,000 card-hours, five percent far outside."""
    assert strays_per_hour(0.0, 0.5, 0.25, SETTINGS) == 0
    assert strays_per_hour(0.005, 0.0, 0.25, SETTINGS) < 1e-3 < strays_per_hour(0.05, 0.0, 0.25, SETTINGS)
