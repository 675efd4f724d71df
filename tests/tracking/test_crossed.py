"""Exchanged cables told apart from cards that were moved."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controller.hand.cards import Card, parse_card
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.hand.terms import Due
from controller.tracking.crossed import or_crossed
from controller.tracking.custody import Custody, FeltProblem, Flight

UP3, UP4 = (SeatPlace(seat, Zone.UP) for seat in (3, 4))
A, B, C, D, E = (parse_card(text) for text in ("As", "Kd", "Qh", "Jc", "9c"))
MOVED, CROSSED = FeltProblem("moved_card", UP4), FeltProblem("antennas_crossed", UP4)


def held(placed: Mapping[Card, Place], lying: Mapping[Card, Place], flights: tuple[Flight, ...] = ()) -> Custody:
    return Custody(placed=placed, lying=lying, flights=flights)


def test_two_whole_sets_exchanged_are_suspected_to_be_cables() -> None:
    """Antenna 4 shows what belongs at 3 and nothing else, antenna 3 what belongs at 4: the place stays that of the problem."""
    placed = {A: UP3, B: UP3, C: UP4, D: UP4, E: Spot.BURN}
    crossed = held(placed, {A: UP4, B: UP4, C: UP3, D: UP3, E: Spot.BURN})
    assert or_crossed(crossed, MOVED) == CROSSED


def test_a_card_on_its_way_counts_by_where_it_is_due() -> None:
    """In the middle of a street the newest card is seen at the other antenna too."""
    flying = (Flight(9, D, Due(UP4)),)
    crossed = held({A: UP3, C: UP4}, {A: UP4, C: UP3, D: UP3}, flying)
    assert or_crossed(crossed, FeltProblem("wrong_place", UP3)) == ("antennas_crossed", UP3)


def test_a_seats_only_antenna_is_crossed_with_another_seats() -> None:
    """Where one antenna reads down and up cards the set is all of the seat."""
    three, four = parse_place("seat/3"), parse_place("seat/4")
    placed: dict[Card, Place] = {A: UP3, B: SeatPlace(3, Zone.DOWN), C: UP4, D: SeatPlace(4, Zone.DOWN)}
    crossed = held(placed, {A: four, B: four, C: three, D: three})
    assert or_crossed(crossed, FeltProblem("moved_card", four)) == ("antennas_crossed", four)


@pytest.mark.parametrize(
    "lying",
    [
        {A: UP4, B: UP3, C: UP3, D: UP4},  # one card for one
        {A: UP4, B: UP4, C: UP4, D: UP4},  # all at one seat
        {A: UP4, B: UP4, C: UP3, D: UP4},  # one of its own is among them
        {A: UP4, B: UP4},  # the other antenna shows nothing
        {A: UP4, C: UP3},  # one for one, and the others are not read
        {A: UP4, B: UP4, C: UP3, D: UP3, E: UP3},  # a card among them that belongs nowhere here
    ],
)
def test_anything_less_is_a_card_that_was_moved(lying: Mapping[Card, Place]) -> None:
    """Then the dealer is asked to put it back."""
    assert or_crossed(held({A: UP3, B: UP3, C: UP4, D: UP4}, lying), MOVED) == MOVED


@pytest.mark.parametrize("problem", [None, FeltProblem("two_places", UP4), FeltProblem("unreadable_card", None)])
def test_other_problems_stay_what_they_are(problem: FeltProblem | None) -> None:
    """Only cards that lie wrong can be a matter of cables."""
    assert or_crossed(held({A: UP3, B: UP3, C: UP4}, {A: UP4, B: UP4, C: UP3}), problem) == problem
