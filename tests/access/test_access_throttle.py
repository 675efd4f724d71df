"""Failures slow down who fails, and nobody else."""

from __future__ import annotations

import pytest

from controller.access.throttle import FORGOTTEN_S, FREE, MAX_KEYS, MOST_S, SOURCE_MOST_S, Throttle

ANN, BEN = ("person", "12"), ("person", "13")
HERE, THERE = ("source", "10.0.0.1"), ("source", "10.0.0.2")


class Time:
    """A clock that is set."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    """The test's clock."""
    return Time()


def test_a_slip_of_the_finger_costs_nothing(time: Time) -> None:
    """One failure fewer than the bound."""
    throttle = Throttle(time)
    for failure in range(1, FREE):
        assert throttle.failed(ANN, HERE) == failure
        assert throttle.wait_s(ANN, HERE) == 0


def test_each_failure_more_doubles_the_wait_up_to_the_bound(time: Time) -> None:
    """2, 4, 8 … seconds; a try that waits is over when the clock says so."""
    throttle = Throttle(time)
    waits = []
    for _ in range(14):
        throttle.failed(ANN)
        waits.append(throttle.wait_s(ANN))
        time.now += waits[-1]
        assert throttle.wait_s(ANN) == 0
    assert waits == [0, 0, 2, 4, 8, 16, 32, 64, 128, 256, *4 * [MOST_S]]


def test_an_address_at_which_everybody_signs_in_is_shut_for_half_a_minute_at_most(time: Time) -> None:
    """However long somebody guesses there; the person guessed at waits longer."""
    throttle = Throttle(time)
    for _ in range(40):
        throttle.failed(ANN, HERE)
    assert throttle.wait_s(BEN, HERE) == SOURCE_MOST_S == 30
    assert throttle.wait_s(ANN, THERE) == MOST_S


def test_a_person_is_guessed_at_from_everywhere_and_a_source_guesses_at_everybody(time: Time) -> None:
    """Either account alone makes the try wait."""
    throttle = Throttle(time)
    for _ in range(FREE):
        throttle.failed(ANN, HERE)
    assert throttle.wait_s(ANN, THERE) > 0
    assert throttle.wait_s(BEN, HERE) > 0
    assert throttle.wait_s(BEN, THERE) == 0


def test_who_proves_who_she_is_pays_for_nobodys_guesses_and_the_source_still_does(time: Time) -> None:
    """A known badge between two guesses buys no further one."""
    throttle = Throttle(time)
    for _ in range(FREE):
        throttle.failed(ANN, HERE)
    throttle.passed(ANN)
    assert throttle.wait_s(ANN) == 0
    assert throttle.wait_s(HERE) > 0


def test_failures_are_forgotten_after_an_hour(time: Time) -> None:
    """Then the next one is the first."""
    throttle = Throttle(time)
    for _ in range(9):
        throttle.failed(ANN)
    time.now += FORGOTTEN_S
    assert throttle.wait_s(ANN) == 0
    assert throttle.failed(ANN) == 1


def test_it_is_bounded_and_a_flood_of_sources_shares_one_account(time: Time) -> None:
    """One past the bound: new sources wait together, those that are known keep their own accounts."""
    throttle = Throttle(time)
    throttle.failed(ANN)
    for number in range(MAX_KEYS + FREE - 1):
        throttle.failed(("source", str(number)))
    assert len(throttle._accounts) == MAX_KEYS + 1
    assert throttle.wait_s(("source", "a new one")) > 0
    assert throttle.wait_s(ANN) == 0
    time.now += FORGOTTEN_S
    assert throttle.failed(("source", "a new one")) == 1
    assert len(throttle._accounts) == 1
