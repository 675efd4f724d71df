"""Hands an hour over the last hour."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from support.floor_samples import START

from controller.floor.board.pace import LEAST, Pace


def at(minutes: float) -> timedelta:
    return timedelta(minutes=minutes)


def test_a_table_that_is_new_has_no_pace() -> None:
    """One hand in the first minutes would make sixty an hour."""
    pace = Pace()
    assert pace.hands_an_hour(START) is None
    pace.known(START)
    pace.ended(START + at(1))
    assert pace.hands_an_hour(START + LEAST - at(0.1)) is None
    assert pace.hands_an_hour(START + LEAST) == 12


def test_hands_of_more_than_an_hour_ago_do_not_count() -> None:
    """25 hands an hour stay 25, and a table that stands still comes down to none."""
    pace = Pace()
    pace.known(START)
    for number in range(76):
        pace.ended(START + at(number * 2.4))
    assert pace.hands_an_hour(START + at(180)) == 25
    assert pace.hands_an_hour(START + at(300)) == 0


def test_what_the_store_has_counts_too_and_once() -> None:
    """A floor that was started anew knows the hands of before, also those it is told again."""
    pace = Pace()
    pace.ended(START + at(50))
    pace.remember([START + at(minute) for minute in (10, 20, 50)])
    assert pace.hands_an_hour(START + at(60)) == round(3 / (50 / 60))


@given(st.lists(st.integers(0, 7200), max_size=40, unique=True), st.integers(3600, 7200))
def test_known_for_an_hour_it_is_a_plain_count(ends: list[int], now: int) -> None:
    """The hands that ended in the hour before, whatever came earlier or later."""
    pace = Pace()
    pace.known(START)
    for end in sorted(ends):
        pace.ended(START + timedelta(seconds=end))
    assert pace.hands_an_hour(START + timedelta(seconds=now)) == sum(now - 3600 < end <= now for end in ends)
