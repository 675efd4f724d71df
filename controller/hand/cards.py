"""The 52 cards. A card never prints itself: a log line or traceback must not tell a down card (R-RULE-06)."""

from __future__ import annotations

from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"


class Card(int):
    """One card as ``4 * rank + suit``: rank 0 (deuce) to 12 (ace), suit clubs 0, diamonds 1, hearts 2, spades 3.

    ``repr`` and ``str`` hide the card; ask for ``text`` where it may be told.
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        """0 for a deuce to 12 for an ace."""
        return self >> 2

    @property
    def suit(self) -> int:
        """0 clubs, 1 diamonds, 2 hearts, 3 spades (R-BRING-02)."""
        return self & 3

    @property
    def text(self) -> str:
        """Rank and suit, as ``Td``. Only for cards that the reader may see."""
        return RANKS[self >> 2] + SUITS[self & 3]

    def __repr__(self) -> str:
        return "▮▮"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return "▮▮"


DECK: Final[tuple[Card, ...]] = tuple(Card(number) for number in range(52))
_BY_TEXT: Final = {card.text: card for card in DECK}


def parse_card(text: str) -> Card:
    """The card named by ``text`` (``Td``, ``AS`` and ``as`` alike); ``ValueError`` names what is wrong."""
    card = _BY_TEXT.get(text[:1].upper() + text[1:].lower())
    if card is None:
        raise ValueError(f"{text!r} is no card: write rank 23456789TJQKA and suit c, d, h or s, as Td")
    return card
