"""Sentences of the hand's reasons, with the rule's id behind; cards as ``2♣``, ranks and seats in the language's own way."""

from __future__ import annotations

from typing import Final, assert_never

from controller.hand.why import Faces, Reading, Seats, Value, Where, Why, Word
from controller.words.catalogue import Language, text
from controller.words.places import place_words

_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def sentence(why: Why, language: Language) -> str:
    """One sentence and its rule: ``Seat 4 brings in: 2♣ is the lowest door card, clubs before hearts (R-BRING-02)``.

    ``KeyError`` names a key or placeholder that has no text.
    """
    return f"{reason(why, language)} ({why.rule})"


def reason(why: Why, language: Language) -> str:
    """The sentence without its rule, for places that show the rule on their own."""
    values = {name: _said(value, language) for name, value in why.values if not isinstance(value, Word)}
    words = {name: text(value.key, language, **values).rstrip(".") for name, value in why.values if isinstance(value, Word)}
    said = text(f"why.{why.key}", language, **values, **words)
    return said[:1].upper() + said[1:]


def seats_words(seats: tuple[int, ...], language: Language) -> str:
    """``seat 4``, ``seats 1, 4 and 6``; empty for none."""
    if not seats:
        return ""
    if len(seats) == 1:
        return text("list.seat", language, n=seats[0])
    listed = text("list.and", language, list=", ".join(map(str, seats[:-1])), n=seats[-1])
    return text("list.seats", language, n=listed)


def card_words(card: str) -> str:
    """``Td`` as ``10♦``."""
    return _rank(card[0]) + _SUITS[card[1]]


def reading_words(read: Reading, language: Language) -> str:
    """``pair of kings, K-K-A-9-7``, ``full house, nines over fives``."""
    kind = "royal" if read.kind == "straight_flush" and read.ranks.startswith("A") else read.kind
    groups = list(dict.fromkeys(read.ranks))
    return text(
        f"hand.{kind}",
        language,
        ranks="-".join(_rank(letter) for letter in read.ranks),
        a=text(f"rank.{groups[0]}", language),
        of_a=text(f"rank.of.{groups[0]}", language),
        b=text(f"rank.{groups[1]}", language),
    )


def _rank(letter: str) -> str:
    return "10" if letter == "T" else letter


def _said(value: Value, language: Language) -> str | int:
    match value:
        case int() | str():
            return value
        case Faces(cards=cards):
            return " ".join(card_words(card) for card in cards)
        case Seats(seats=seats):
            return seats_words(seats, language)
        case Word(key=key):
            return text(key, language)
        case Where(place=place):
            return place_words(place, language)
        case Reading():
            return reading_words(value, language)
        case _:
            assert_never(value)
