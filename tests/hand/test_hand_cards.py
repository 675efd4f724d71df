"""Cards: 52 of them, in the order of rank and suit, and silent about themselves (R-BRING-02, R-RULE-06)."""

from __future__ import annotations

import pytest

from controller.hand.cards import DECK, Card, parse_card
from controller.hand.commands import CardLaid
from controller.hand.places import Spot


def test_the_deck_is_52_different_cards_in_both_directions() -> None:
    """R-DECK-01: text and card are one to one."""
    assert len({card.text for card in DECK}) == 52
    assert tuple(parse_card(card.text) for card in DECK) == DECK


def test_cards_are_ordered_by_rank_and_then_clubs_diamonds_hearts_spades() -> None:
    """R-BRING-02."""
    assert [card.text for card in sorted(DECK)[:5]] == ["2c", "2d", "2h", "2s", "3c"]
    assert (parse_card("As").rank, parse_card("As").suit) == (12, 3)
    assert max(DECK).text == "As"


@pytest.mark.parametrize("text", ["Td", "TD", "td", "tD"])
def test_case_does_not_matter(text: str) -> None:
    """Recorded hands write both."""
    assert parse_card(text).text == "Td"


@pytest.mark.parametrize("text", ["", "T", "10d", "1d", "Tx", "??", "Tdd", " Td", "dT"])
def test_what_is_no_card_is_refused(text: str) -> None:
    """The message says how to write one."""
    with pytest.raises(ValueError, match="is no card"):
        parse_card(text)


def test_no_card_tells_itself_in_any_form_of_text_but_text() -> None:
    """R-RULE-06: repr, str, format and containers hide it."""
    card = parse_card("Td")
    shown = [repr(card), str(card), f"{card}", f"{card:>4}", repr((card, [card], {1: card})), repr(CardLaid(Spot.BURN, card))]
    assert not any("Td" in text or str(int.__repr__(card)) in text.replace("1: ", "") for text in shown)
    assert Card(33).text not in "".join(shown)
