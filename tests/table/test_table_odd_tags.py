"""Tags that stick, are dead, or are no card of the deck, where people stand in for a device (R-DECK-01, R-DECK-04, REG-47)."""

from __future__ import annotations

import random

import pytest
from support.by_hand_story import NINETEEN, ByHandStory, Choices

from controller.console.desk import values_in_words
from controller.hand.cards import DECK, Card
from controller.hand.commands import Refusal
from controller.hand.events import CardDealt, HandEnded
from controller.hand.places import SeatPlace, Zone
from controller.table.by_hand_events import HandKeyed
from controller.table.evolve import evolve
from controller.table.evolve_by_hand import MAX_KEYED
from controller.table.inputs import ConfirmCards, KeyCard, LaidCard, ReadTwice, Rule, SeenAt, StartHand, UndoKeyed
from controller.table.parts import Equipment
from controller.words.catalogue import Language, text

DOWN1 = SeatPlace(1, Zone.DOWN)
UP1, UP2, UP3 = (SeatPlace(seat, Zone.UP) for seat in (1, 2, 3))


def deck(seed: int) -> list[Card]:
    """A shuffled deck."""
    return random.Random(seed).sample(DECK, len(DECK))


def code(refusal: Refusal | None) -> str | None:
    """The refusal's code."""
    return None if refusal is None else refusal.code


def test_a_tag_that_sticks_between_hands_is_told_by_its_place_and_keeps_no_hand_from_starting() -> None:
    """The whole deck is in the shoe and a reader still tells a card: its place and the way out are told, and no card."""
    told = ByHandStory({1: 100, 2: 100}, seed=6)
    told.load(deck(6))
    told.tell(SeenAt(UP2, deck(6)[0]))
    told.tell(SeenAt(UP3, None))
    refusal = told.order(StartHand())
    assert refusal == Refusal("R-DECK-01", "felt_not_clear", (("cards", 2), ("places", "seat/2/up seat/3/up")))
    said = text(f"refusal.{refusal.code}", Language.EN, **values_in_words(dict(refusal.values), Language.EN))
    assert "seat 2, up cards; seat 3, up cards" in said
    assert deck(6)[0].text not in said
    for device in ("felt-2", "felt-3"):
        assert code(told.step_past(device)) == "device_answers"
        told.lose(device)
        assert told.step_past(device) is None
    assert told.view()["step"] == {"kind": "start_hand"}
    assert told.order(StartHand()) is None
    told.play_on(Choices(6))
    assert told.happened(HandEnded)


def test_a_card_that_a_stuck_reader_tells_too_counts_where_the_other_one_reads_it() -> None:
    """Its first place is the stuck reader's, which is set aside: the reader that is left tells where it lies."""
    told = ByHandStory({1: 100, 2: 100}, seed=2)
    told.begin(deck(2))
    for _ in range(4):
        told.deal_one()
    card = told.draw()
    told.tell(SeenAt(UP2, card))
    told.tell(ReadTwice(UP2, UP1, card))
    assert told.hold == "two_places"
    told.lose("felt-2")
    assert told.step_past("felt-2") is None
    assert told.hold is None
    assert told.happened(CardDealt)[-1] == CardDealt(3, UP1, card)


def test_a_dead_tag_where_a_line_is_set_aside_is_confirmed_like_any_other() -> None:
    """No reader tells it, and none is asked: the shoe's reading and the dealer's word make it, with no time-out."""
    told = ByHandStory({1: 100, 2: 100}, seed=2)
    told.begin(deck(2))
    told.lose("felt-1")
    assert told.step_past("felt-1") is None
    while not told.happened(HandEnded):
        told.play_on(Choices(2))
    assert told.state.by_hand == ("seat/1/down", "seat/1/up")


def test_without_a_shoe_the_dealer_is_asked_where_an_unread_card_lies_already() -> None:
    """Seat 1 has a down card with a dead tag, and the shoe is set aside: that a reader tells one card there may be either of
    them, so the dealer confirms the next one. Where all are known the reader alone deals."""
    told = ByHandStory({1: 100, 2: 100}, seed=2)
    told.begin(deck(2))
    dead = told.draw(code="??")
    told.hand_cards.remove(dead)
    assert told.order(Rule("key_card", KeyCard(DOWN1, None), "Fay", "Dan")) is None
    told.lose("shoe")
    assert told.step_past("shoe") is None
    told.deal_one()
    assert told.hand.dealt == 2
    told.put(told.take(), DOWN1)
    assert told.view()["by_hand"]["confirm"] == [{"place": "seat/1/down", "key": False}]
    assert told.order(ConfirmCards((LaidCard(DOWN1),))) is None
    assert (told.hold, told.hand.dealt) == (None, 3)
    assert code(told.order(ConfirmCards((LaidCard(SeatPlace(2, Zone.DOWN)),)))) == "reader_tells_it"


@pytest.mark.parametrize("gear", [None, Equipment("shoe", NINETEEN[2:])], ids=["readers", "dark"])
def test_a_card_of_another_deck_is_keyed_by_nobody(gear: Equipment | None) -> None:
    """It is no card of this one whatever its face, for the dealer in the dark as for two people: it goes back into the shoe."""
    told = ByHandStory({1: 100, 2: 100}, seed=2, **({} if gear is None else {"equipment": gear}))
    told.begin(deck(2))
    for _ in range(4):
        told.deal_one()
    card = told.draw(code="XX")
    assert told.hold == "unreadable_card"
    assert code(told.order(Rule("key_card", KeyCard(UP1, card), "Fay", "Dan"))) == "not_of_this_deck"
    assert code(told.order(ConfirmCards((LaidCard(UP1, card),)))) in ("held", "not_of_this_deck")
    told.put_back(card, code="XX")
    assert told.hold is None


def test_what_can_be_taken_back_is_bounded() -> None:
    """However many cards are confirmed in a row, so many hands are kept."""
    told = ByHandStory(dict.fromkeys(range(1, 9), 200), equipment=Equipment("", ()), seed=4)
    told.begin(deck(4))
    for _ in range(24):
        told.deal_one()
    assert len(told.state.keyed) == 24
    state = told.state
    for _ in range(2 * MAX_KEYED):
        state = evolve(state, HandKeyed(1))
    assert len(state.keyed) == MAX_KEYED
    for _ in range(24):
        assert told.order(Rule("undo_keyed", UndoKeyed(), "Fay", "Dan")) is None
    assert told.hand.dealt == 0
