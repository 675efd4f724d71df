"""Custody by hand: what is confirmed, taken back and first seen when tabled, always 52 cards."""

from __future__ import annotations

import pytest

from controller.hand.cards import Card, parse_card
from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.hand.terms import Due
from controller.tracking import custody
from controller.tracking.confirmed import confirm, identify, read_by_felt, reveal, taken_back
from controller.tracking.custody import Custody, deal_head, draw, felt_problem, ready_flight, without_reason

ACE, KING, TWO = (parse_card(text) for text in ("As", "Kd", "2c"))
DOWN3, UP3, DOWN4 = SeatPlace(3, Zone.DOWN), SeatPlace(3, Zone.UP), SeatPlace(4, Zone.DOWN)
LIVE = frozenset((3, 4))
LOADED = custody.load(Custody(), 52)


def test_a_card_that_no_shoe_told_leaves_the_stub_when_it_is_confirmed() -> None:
    """One less in the deck, one in flight, ready without any reader; a face that nobody looked at stays unknown."""
    held = confirm(LOADED, 1, None, Due(DOWN3))
    assert (held.in_shoe, len(held.flights), held.accounted) == (51, 1, 52)
    assert ready_flight(held) == held.flights[0]
    dealt = deal_head(held)
    assert (dict(dealt.unknown), dict(dealt.placed), dealt.accounted) == ({DOWN3: 1}, {}, 52)


def test_what_the_shoe_read_is_kept_unless_a_face_is_keyed() -> None:
    """A confirmation without a face is the shoe's card; with another face that one counts, and the shoe's may come yet."""
    drawn = draw(LOADED, 1, ACE, Due(UP3), 51)
    assert confirm(drawn, 1, None, Due(UP3)).flights[0].card == ACE
    keyed = confirm(drawn, 1, KING, Due(UP3))
    assert keyed.flights[0].card == KING
    assert keyed.drawn == {KING}


def test_a_keyed_card_that_is_out_already_is_a_fault() -> None:
    """Twice in one deck (R-MIS-08)."""
    held = deal_head(confirm(LOADED, 1, ACE, Due(UP3)))
    assert confirm(held, 2, ACE, Due(UP3)).fault == "face_in_doubt"


def test_taking_back_keeps_what_readers_told_meanwhile() -> None:
    """The card is not dealt; another that was seen since still lies there."""
    before = custody.see(LOADED, TWO, Spot.MUCK)
    after = custody.see(deal_head(confirm(before, 1, ACE, Due(UP3))), KING, DOWN4)
    back = taken_back(after, before)
    assert back.accounted == 52
    assert (dict(back.placed), back.drawn) == ({}, frozenset())
    assert dict(back.lying) == {TWO: Spot.MUCK, KING: DOWN4}


def test_unread_cards_are_no_strangers_where_they_belong_or_in_the_muck() -> None:
    """So many as were dealt unread, at their seat or folded; one more is unexplained, and so is one at another seat."""
    held = deal_head(confirm(LOADED, 1, None, Due(DOWN3)))
    assert without_reason(custody.see(held, ACE, DOWN3)) == ()
    assert without_reason(custody.see(held, ACE, Spot.MUCK)) == ()
    assert without_reason(custody.see(held, ACE, DOWN4)) == (ACE,)
    assert without_reason(custody.see(custody.see(held, ACE, DOWN3), KING, Spot.MUCK)) == (KING,)


def test_tabled_cards_become_known() -> None:
    """Those that nobody had read; one that lies at another seat is a fault, not a second copy."""
    held = deal_head(confirm(LOADED, 1, None, Due(DOWN3)))
    shown = reveal(held, 3, (ACE,))
    assert (dict(shown.placed), dict(shown.unknown)) == ({ACE: DOWN3}, {})
    assert reveal(shown, 3, (ACE,)) == shown
    theirs = deal_head(draw(held, 2, KING, Due(DOWN4), 50))
    assert reveal(theirs, 3, (KING,)).fault == "face_in_doubt"
    assert reveal(deal_head(draw(LOADED, 1, KING, Due(DOWN4), 51)), 3, (ACE,)).fault == ""


def test_a_card_that_the_shoe_could_not_read_waits_for_a_person_where_no_reader_is() -> None:
    """At a place in the dark it is no fault; confirmed it is none anywhere; a joker is one everywhere."""
    held = draw(LOADED, 1, None, Due(UP3), 51, "unreadable")
    assert felt_problem(held, LIVE) is not None
    assert felt_problem(held, LIVE, frozenset((UP3,))) is None
    assert felt_problem(confirm(held, 1, ACE, Due(UP3)), LIVE) is None
    assert felt_problem(draw(LOADED, 1, None, Due(UP3), 51, "joker"), LIVE, frozenset((UP3,))) is not None


def unread(*places: Place) -> Custody:
    """A loaded deck from which cards for these places were drawn that the shoe could not read."""
    held = LOADED
    for number, place in enumerate(places, 1):
        held = draw(held, number, None, Due(place), 52 - number, "unreadable")
    return held


def test_a_reader_tells_which_card_the_shoe_could_not_read() -> None:
    """The oldest in flight, where it is due; a second card there is one too many (devices §3)."""
    held = custody.see(unread(DOWN3), KING, DOWN4)
    assert read_by_felt(held) is None
    held = custody.see(held, ACE, DOWN3)
    assert read_by_felt(held) == (1, ACE, DOWN3)
    assert read_by_felt(custody.see(held, TWO, DOWN3)) is None


@pytest.mark.parametrize(("first", "second"), [(ACE, KING), (KING, ACE)])
def test_two_down_cards_of_a_seat_that_the_shoe_could_not_read_count_as_they_were_seen(first: Card, second: Card) -> None:
    """Whichever left the shoe first: both are the seat's (devices §3)."""
    held = custody.see(custody.see(unread(DOWN3, DOWN4, DOWN3), first, DOWN3), second, DOWN3)
    assert read_by_felt(held) == (1, first, DOWN3)
    held = deal_head(identify(held, 1, first))
    assert read_by_felt(held) is None
    held = deal_head(identify(custody.see(held, TWO, DOWN4), 2, TWO))
    assert read_by_felt(held) == (3, second, DOWN3)
    assert deal_head(identify(held, 3, second)).placed == {first: DOWN3, TWO: DOWN4, second: DOWN3}


def test_a_reader_does_not_tell_an_up_card_from_a_down_card_at_one_antenna() -> None:
    """Both lie there unread: the felt does not say which of them everybody sees, so a person does (R-OPEN-01)."""
    anywhere = SeatPlace(3, Zone.ANY)
    held = custody.see(unread(DOWN3, UP3), ACE, anywhere)
    assert read_by_felt(held) == (1, ACE, anywhere)
    assert read_by_felt(custody.see(held, KING, anywhere)) is None


def test_burns_that_nobody_read_go_back_into_the_stub() -> None:
    """A scramble takes them out of the unread (R-STUB-02)."""
    held = deal_head(confirm(LOADED, 1, None, Due(Spot.BURN)))
    assert dict(custody.unburn(held, 1).unknown) == {}
