"""Custody of the 52 cards: what shoe and readers told, and what is wrong on the felt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.hand.cards import DECK, Card, parse_card
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.hand.terms import Due
from controller.tracking import custody
from controller.tracking.custody import Custody, FeltProblem, Flight, felt_problem, ready_flight, without_reason

ACE, KING, QUEEN = (parse_card(text) for text in ("As", "Kd", "Qh"))
UP3, UP4 = SeatPlace(3, Zone.UP), SeatPlace(4, Zone.UP)
LIVE = frozenset((3, 4))


def drawn(*cards: tuple[Card | None, Place | None]) -> Custody:
    """A loaded deck from which these cards were drawn for these places."""
    held = custody.load(Custody(), 52)
    for number, (card, place) in enumerate(cards, 1):
        held = custody.draw(held, number, card, None if place is None else Due(place), 52 - number)
    return held


def problem(held: Custody) -> FeltProblem | None:
    """What is wrong while seats 3 and 4 are live."""
    return felt_problem(held, LIVE)


def test_a_card_is_ready_when_shoe_and_reader_agree() -> None:
    """The oldest card in flight is ready where it is due, by its zone or by a seat's only antenna."""
    held = drawn((ACE, UP3))
    assert ready_flight(held) is None
    for place in ("seat/3/up", "seat/3"):
        assert ready_flight(custody.see(held, ACE, parse_place(place))) == Flight(1, ACE, Due(UP3))
    for place in ("seat/3/down", "seat/4/up", "muck"):
        assert ready_flight(custody.see(held, ACE, parse_place(place))) is None


def test_cards_are_dealt_in_the_order_of_drawing() -> None:
    """A later card that lies first waits for the older one (R-DEAL-01)."""
    held = custody.see(drawn((ACE, UP3), (KING, UP4)), KING, UP4)
    assert ready_flight(held) is None
    held = custody.deal_head(custody.see(held, ACE, UP3))
    assert ready_flight(held) == Flight(2, KING, Due(UP4))
    assert held.accounted == 52


def test_wrong_place_is_told_until_it_is_mended() -> None:
    """A card in flight that lies at another place is a problem there; in the hand and at its own place it is none."""
    held = drawn((ACE, UP3))
    assert problem(held) is None
    assert problem(custody.see(held, ACE, UP4)) == ("wrong_place", UP4)
    assert problem(custody.see(custody.see(held, ACE, UP4), ACE, UP3)) is None


def test_a_card_that_was_not_due_is_premature() -> None:
    """Wherever it lies (R-ERR-01)."""
    held = drawn((ACE, None))
    assert problem(held) == ("premature_card", None)
    assert problem(custody.see(held, ACE, UP3)) == ("premature_card", UP3)


def test_an_unreadable_card_is_a_problem_until_it_goes_back() -> None:
    """The shoe's reading on the way in may know it; its draw number tells that it is the same card."""
    held = drawn((None, UP3))
    assert problem(held) == ("unreadable_card", None)
    for reading in (None, ACE):
        mended = custody.put_back(held, 1, reading, 52)
        assert problem(mended) is None
        assert mended.accounted == 52


def test_a_card_that_went_back_may_be_drawn_again() -> None:
    """Mode R takes the last card out of custody; drawn again it is no double."""
    held = custody.put_back(drawn((ACE, UP3)), 1, ACE, 52)
    assert not held.flights
    assert problem(custody.draw(held, 2, ACE, Due(UP3), 51)) is None


@pytest.mark.parametrize(("draw_no", "card"), [(2, KING), (1, ACE)])
def test_another_card_going_back_is_a_fault(draw_no: int, card: Card) -> None:
    """Only the last one out can go back."""
    held = custody.put_back(drawn((ACE, UP3), (QUEEN, UP4)), draw_no, card, 51)
    assert problem(held) == ("wrong_card_back", None)


def test_nothing_can_go_back_when_nothing_is_out() -> None:
    """A card that was dealt already, or never drawn, is a fault."""
    dealt = custody.deal_head(custody.see(drawn((ACE, UP3)), ACE, UP3))
    assert problem(custody.put_back(dealt, 1, ACE, 52)) == ("wrong_card_back", None)


def test_a_card_that_leaves_the_shoe_twice_is_a_fault_until_the_next_load() -> None:
    """A doubled card is told without naming it (R-MIS-08)."""
    held = drawn((ACE, UP3), (ACE, UP4))
    assert problem(held) == ("duplicate_card", None)
    assert problem(custody.load(held, 52)) is None


def test_a_stranger_counts_until_it_leaves_and_not_in_the_muck() -> None:
    """A card of another deck stops play; two need two departures, one too many does not make up for the next (R-DECK-04)."""
    held = custody.stranger(custody.stranger(Custody(), UP3, 1), UP3, 1)
    assert problem(held) == ("foreign_card", UP3)
    held = custody.stranger(held, UP3, -1)
    assert problem(held) == ("foreign_card", UP3)
    held = custody.stranger(custody.stranger(held, UP3, -1), UP3, -1)
    assert problem(held) is None
    assert problem(custody.stranger(held, UP3, 1)) == ("foreign_card", UP3)
    assert problem(custody.stranger(Custody(), Spot.MUCK, 1)) is None


def test_cards_of_another_hand_foul_a_live_one() -> None:
    """A live seat's card at another seat, and a burn or a dead card in a live hand, stop play (R-ERR-04); the muck does not."""
    down5 = SeatPlace(5, Zone.DOWN)
    held = drawn((ACE, UP3), (KING, Spot.BURN), (QUEEN, down5))
    for card, place in ((ACE, UP3), (KING, Spot.BURN), (QUEEN, down5)):
        held = custody.deal_head(custody.see(held, card, place))
    assert problem(held) is None
    assert problem(custody.see(held, ACE, UP4)) == ("moved_card", UP4)
    assert problem(custody.see(held, ACE, down5)) == ("moved_card", down5)
    assert problem(custody.see(held, KING, UP3)) == ("moved_card", UP3)
    assert problem(custody.see(held, QUEEN, UP3)) == ("moved_card", UP3)
    assert problem(custody.see(held, QUEEN, Spot.MUCK)) is None
    assert problem(custody.see(held, KING, down5)) is None
    assert problem(custody.see(held, ACE, SeatPlace(3, Zone.DOWN))) is None


def test_a_card_without_reason_becomes_a_problem_after_its_time_and_not_before() -> None:
    """Seen first, then told by the shoe, it never was one; told late, it is one no longer."""
    held = custody.see(custody.load(Custody(), 52), ACE, UP3)
    assert without_reason(held) == (ACE,)
    assert problem(held) is None
    late = held._replace(unexplained=frozenset((ACE,)))
    assert problem(late) == ("unexplained_card", UP3)
    explained = custody.draw(late, 1, ACE, Due(UP3), 51)
    assert problem(explained) is None
    assert not without_reason(explained)


def test_an_unexplained_card_gets_new_time_where_it_goes() -> None:
    """Moved or taken away it is unexplained no longer."""
    late = custody.see(Custody(), ACE, UP3)._replace(unexplained=frozenset((ACE,)))
    assert not custody.see(late, ACE, UP4).unexplained
    assert not custody.leave(late, ACE, UP3).unexplained


def test_a_late_departure_changes_nothing() -> None:
    """A card that was seen elsewhere meanwhile stays there."""
    held = custody.see(custody.see(Custody(), ACE, UP3), ACE, UP4)
    assert custody.leave(held, ACE, UP3) == held


def test_the_stub_goes_back_with_its_burns() -> None:
    """After a scramble burns may come again, dealt cards may not (R-STUB-02)."""
    held = drawn((ACE, Spot.BURN), (KING, UP3))
    for card, place in ((ACE, Spot.BURN), (KING, UP3)):
        held = custody.deal_head(custody.see(held, card, place))
    again = custody.unburn(custody.reload_stub(custody.leave(held, ACE, Spot.BURN), 51), 1)
    assert again.accounted == 52
    assert problem(custody.draw(again, 1, ACE, Due(UP4), 50)) is None
    assert problem(custody.draw(again, 1, KING, Due(UP4), 50)) == ("duplicate_card", None)


def test_a_shoe_that_does_not_count_is_counted_for() -> None:
    """``remaining`` below 0 is unknown (TSP/1 CARD)."""
    assert custody.draw(custody.load(Custody(), 52), 1, ACE, Due(UP3), -1).in_shoe == 51


def test_what_is_told_of_unexplained_cards_does_not_depend_on_which_they_are() -> None:
    """Two cards that lie unexplained are told in the order in which they came, whatever they are (R-RULE-06)."""

    def told(first: Card, second: Card) -> tuple[object, object]:
        held = custody.see(custody.see(Custody(), first, UP3), second, UP4)
        return problem(held._replace(unexplained=frozenset((first, second)))), without_reason(held) == (first, second)

    assert told(ACE, KING) == told(KING, ACE) == (("unexplained_card", UP3), True)


@given(st.lists(st.tuples(st.sampled_from(DECK[:6]), st.sampled_from([UP3, UP4, Spot.MUCK]), st.booleans()), max_size=30))
def test_a_card_lies_where_it_was_seen_last(moves: list[tuple[Card, Place, bool]]) -> None:
    """Whatever readers say in whatever order, a card has at most one place: the last one that was seen and not left."""
    held, model = Custody(), dict[Card, Place]()
    for card, place, seen in moves:
        if seen:
            held, model = custody.see(held, card, place), {**model, card: place}
        else:
            held = custody.leave(held, card, place)
            if model.get(card) == place:
                del model[card]
    assert dict(held.lying) == model
