"""Enrolling a deck and checking one: every card once, nothing half done, no tag told."""

from __future__ import annotations

import random

import pytest

from controller.hand.cards import DECK, parse_card
from controller.tracking.enrolment import EMPTY_SCANS, SAME_SCANS, DeckCheck, Enrolment, Said
from controller.tracking.registry import RegistryError, generate_registry, tag_fault

REGISTRY = generate_registry(random.Random(3))
TAGS = [REGISTRY.tag(card) for card in DECK]
ACE = parse_card("As")


def lay(desk: Enrolment, *tags: str, scans: int = SAME_SCANS) -> list[str]:
    """What is told while ``tags`` lie there."""
    told = [desk.scan(tags, clean=len(tags) < 2) for _ in range(scans)]
    return [said.code for said in told if said is not None]


def lift(desk: Enrolment) -> None:
    """The desk is empty."""
    for _ in range(EMPTY_SCANS):
        assert desk.scan((), clean=True) is None


def test_a_deck_is_enrolled_card_by_card() -> None:
    """Each is asked for in turn, taken when it lies alone in two scans, and the registry is the deck."""
    desk = Enrolment()
    for number, (card, tag) in enumerate(zip(DECK, TAGS, strict=True), 1):
        assert desk.card == card
        assert lay(desk, tag) == ["deck.taken"]
        assert desk.done == number
        lift(desk)
    assert desk.card is None
    assert desk.registry("D1", "S1").data()["cards"] == REGISTRY.data()["cards"]


def test_one_reading_takes_nothing() -> None:
    """A card that passes over the desk once."""
    desk = Enrolment()
    assert lay(desk, TAGS[0], scans=1) == []
    lift(desk)
    assert desk.done == 0


def test_a_card_that_stays_is_taken_once() -> None:
    """However long it lies there, and though it is missed now and then."""
    desk = Enrolment()
    assert lay(desk, TAGS[0], scans=20) == ["deck.taken"]
    assert desk.scan((), clean=True) is None
    assert desk.scan((), clean=False) is None
    assert lay(desk, TAGS[0], scans=20) == []
    assert desk.done == 1


def test_several_cards_are_told_once_and_none_is_taken() -> None:
    """Two at a time, also in a scan that may be missing more."""
    desk = Enrolment()
    assert lay(desk, TAGS[0], TAGS[1], scans=5) == ["deck.several"]
    assert desk.done == 0
    assert lay(desk, TAGS[0]) == ["deck.taken"]


def test_a_card_that_was_taken_already_is_named() -> None:
    """It is told which card it was taken as, and which one is wanted."""
    desk = Enrolment()
    lay(desk, TAGS[0])
    lift(desk)
    desk.scan((TAGS[0],), clean=True)
    assert desk.scan((TAGS[0],), clean=True) == Said("deck.known", {"card": DECK[0].text, "wanted": DECK[1].text})
    assert desk.done == 1


@pytest.mark.parametrize(("tag", "code"), [("08A1B2C3", "deck.tag_random"), ("E004", "deck.tag_odd")])
def test_a_tag_that_no_deck_can_have_is_refused(tag: str, code: str) -> None:
    """One that changes its number, one that is no UID."""
    desk = Enrolment()
    assert lay(desk, tag) == [code]
    assert desk.done == 0
    assert tag_fault(tag) == code.removeprefix("deck.tag_")


def test_the_last_card_can_be_taken_back() -> None:
    """And its tag is free again; with none taken there is nothing to take back."""
    desk = Enrolment()
    assert desk.back().code == "deck.nothing_taken"
    lay(desk, TAGS[5])
    assert desk.back() == Said("deck.taken_back", {"card": DECK[0].text})
    lift(desk)
    assert lay(desk, TAGS[0]) == ["deck.taken"]
    lift(desk)
    assert lay(desk, TAGS[5]) == ["deck.taken"]


def test_nothing_is_half_enrolled() -> None:
    """With 51 cards there is no registry."""
    desk = Enrolment()
    for tag in TAGS[:51]:
        lay(desk, tag)
        lift(desk)
    with pytest.raises(RegistryError, match="1 of 52 cards have no tag"):
        desk.registry("D1", "S1")


def test_one_card_is_replaced_and_the_others_stay() -> None:
    """A tag of another card is not taken for it; a new one is."""
    known = {card: REGISTRY.tag(card) for card in DECK}
    desk = Enrolment((ACE,), known=known)
    assert lay(desk, TAGS[0]) == ["deck.known"]
    lift(desk)
    assert lay(desk, "E0040199AABBCCDD") == ["deck.taken"]
    assert desk.card is None
    deck = desk.registry("D1", "S1")
    assert deck.tag(ACE) == "E0040199AABBCCDD"
    assert {card: deck.tag(card) for card in DECK if card != ACE} == {card: tag for card, tag in known.items() if card != ACE}


def test_no_tag_is_in_a_repr() -> None:
    """Neither of the enrolment nor of the check (R-RULE-06)."""
    desk, check = Enrolment(), DeckCheck(REGISTRY)
    lay(desk, TAGS[0])
    check.scan((TAGS[0], "E0040199AABBCCDD"))
    assert TAGS[0] not in repr(desk) + repr(check)


def test_a_deck_is_checked_in_any_order() -> None:
    """Many at a time or one by one: missing cards by name, foreign tags by number, whole only with all 52 and no other."""
    check = DeckCheck(REGISTRY)
    assert check.scan(TAGS[:20])
    assert not check.scan(TAGS[:20])
    assert check.scan(TAGS[20:51])
    assert check.missing == (DECK[51],)
    assert not check.whole
    check.scan(TAGS[51:])
    assert check.whole
    check.scan(("E0040199AABBCCDD",))
    assert (check.foreign, check.whole) == (1, False)
