"""What readers and presence filter must reach at the sample table (devices §6.4), on table time alone."""

from __future__ import annotations

import pytest

from controller.bench.tracking import (
    ACCEPTED_S,
    FAST_BAUD,
    NINETEEN_ON_FOUR,
    PERIOD_S,
    READER_BAUD,
    acceptance,
    computed_removals,
    false_removals,
    measure_tracking,
    rest,
)
from simulators.rig import NINETEEN


def test_the_scan_period_of_the_sample_table_is_a_quarter_second_at_most_with_every_card_on_the_felt() -> None:
    """Nineteen antennas on five lines, six cards for each of eight seats: within the stated 0.3 s."""
    readers = rest(NINETEEN, 0.05, seconds=20)
    assert 0.2 < max(readers.periods()) <= 0.26 < PERIOD_S


def test_four_fast_lines_keep_the_scan_period_too() -> None:
    """Nineteen antennas on four lines are above 0.3 s at 38,400 baud, for the bytes alone, and below it at 115,200."""
    slow, fast = (max(rest(NINETEEN_ON_FOUR, 0.0, seconds=10, baud=baud).periods()) for baud in (READER_BAUD, FAST_BAUD))
    assert fast < PERIOD_S < slow
    line_bytes = 5 * (7 + 7) + 10 * (2 + 4 + 2 + 4 + 3)  # a request, an empty answer, and ten bytes a card of five antennas
    assert slow - fast == pytest.approx(line_bytes * 11 * (1 / READER_BAUD - 1 / FAST_BAUD), abs=0.005)


@pytest.mark.parametrize("miss", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("wiring", [NINETEEN, NINETEEN_ON_FOUR], ids=["five lines", "four lines"])
def test_eight_seats_with_all_their_cards_are_known_and_stay_known(wiring: dict[str, dict[int, str]], miss: float) -> None:
    """Fifty-two cards, on nineteen antennas of five or four lines: accepted, and none given up or doubted in half a minute."""
    readers = rest(wiring, miss, seconds=30)
    assert len(readers.seen) == 52
    assert (readers.removed, readers.stops) == (0, 0)
    assert max(readers.periods()) < 0.32


def test_95_of_100_cards_are_accepted_within_two_scan_periods_and_200_ms() -> None:
    """At 5 % misses, dealt at four a second on a filling table; and with the real period of a quarter second as well."""
    taken = acceptance(0.05, cards=96)
    for limit_s in (ACCEPTED_S, 2 * 0.25 + 0.2):
        assert sum(time <= limit_s for time in taken) >= 0.95 * len(taken)


def test_a_card_that_lies_still_is_given_up_less_than_once_in_1000_hours() -> None:
    """At 5 % misses in 100,000 card-hours, at the shortest and at the sample table's scan period."""
    for period_s in (0.1, 0.25):
        assert false_removals(0.05, card_hours=100_000, period_s=period_s, short=4) < 100


def test_leaving_short_runs_of_misses_out_counts_the_same() -> None:
    """Many misses, so that few hours tell: with and without, as many false removals as computed."""
    computed = computed_removals(0.4, card_hours=4, period_s=0.1)
    assert computed > 50
    for short in (0, 2, 4):
        found = false_removals(0.4, card_hours=4, period_s=0.1, short=short, seed=short)
        assert 0.6 * computed < found < 1.5 * computed


def test_the_figures_stand_beside_what_must_be_reached() -> None:
    """Their form; few cards and hours."""
    figures = measure_tracking(cards=48, card_hours=10, seconds=3)
    assert len(figures) == 9 + 12 + 6
    assert all(taken.keys() == {"name", "value", "unit", "yardstick", "ratio"} for taken in figures)
    assert len({taken["name"] for taken in figures}) == len(figures)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(20))
def test_a_full_table_lies_still_for_an_hour_at_5_percent_misses(seed: int) -> None:
    """Every scan of every antenna goes through readers, lines and filter: fifty-two card-hours each, none given up or doubted."""
    readers = rest(NINETEEN, 0.05, seconds=3600, seed=seed)
    assert len(readers.seen) == 52
    assert (readers.removed, readers.stops) == (0, 0)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("miss", [0.0, 0.05])
def test_two_thousand_cards_are_accepted_in_time(miss: float) -> None:
    """2,016 cards: 95 of 100 within two scan periods and 200 ms, every one within three seconds."""
    taken = acceptance(miss, cards=2016)
    assert sum(time <= ACCEPTED_S for time in taken) >= 0.95 * len(taken)
    assert max(taken) < 3.0
