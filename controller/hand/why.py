"""A reason of the hand in parts: a key, the rule and values, so that words can be made of it in any language.

Cards stand in a ``Why`` only as ``Faces``, and only cards that lie face up for all or became public with the event (R-RULE-06).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from controller.hand.cards import RANKS, Card
from controller.hand.evaluation import Category, best_high_five, best_low_five, high_value
from controller.hand.places import Place
from controller.hand.variants import Wins


class Faces(NamedTuple):
    """Public cards as ``Td``, in their order."""

    cards: tuple[str, ...]


class Seats(NamedTuple):
    """Seats, to be written as "seat 4" or "seats 1, 4 and 6"."""

    seats: tuple[int, ...]


class Word(NamedTuple):
    """A key of the catalogue of texts."""

    key: str


class Where(NamedTuple):
    """A place of the felt as text, ``None`` when nobody knows it."""

    place: str | None


class Reading(NamedTuple):
    """What five public cards are: ``kind`` is a key below ``hand.``, ``ranks`` their ranks, those that decide first."""

    kind: str
    ranks: str


Value: TypeAlias = int | str | Faces | Seats | Word | Where | Reading


class Why(NamedTuple):
    """One reason: ``key`` names its sentence below ``why.``, ``rule`` is the id, ``values`` fill the sentence."""

    key: str
    rule: str
    values: tuple[tuple[str, Value], ...] = ()


def why(key: str, rule: str, **values: Value) -> Why:
    """A ``Why`` with its values by name."""
    return Why(key, rule, tuple(values.items()))


def faces(*cards: Card) -> Faces:
    """Public ``cards`` by their texts."""
    return Faces(tuple(card.text for card in cards))


def seats_of(numbers: Iterable[int]) -> Seats:
    """``numbers`` as seats, in their order."""
    return Seats(tuple(numbers))


def where(place: Place | None) -> Where:
    """``place`` by its text."""
    return Where(None if place is None else str(place))


_KING = 11
_KINDS = {
    Category.HIGH_CARD: "high_card",
    Category.PAIR: "pair",
    Category.TWO_PAIR: "two_pair",
    Category.TRIPS: "three",
    Category.STRAIGHT: "straight",
    Category.FLUSH: "flush",
    Category.FULL_HOUSE: "full_house",
    Category.QUADS: "four",
    Category.STRAIGHT_FLUSH: "straight_flush",
}


def reading(cards: Sequence[Card], wins: Wins) -> Reading:
    """How tabled ``cards`` (five to seven, all public) are read for ``wins`` (R-EVAL-01 to R-EVAL-03)."""
    if wins in (Wins.HIGH, Wins.BOTH):
        kind = _KINDS[Category(high_value(cards) >> 20)]
        five = best_high_five(cards)
        wheel = kind.startswith("straight") and all(card.rank != _KING for card in five)
        return Reading(kind, _grouped(five, ace_low=wheel))
    return Reading("low", _grouped(best_low_five(cards), ace_low=True))


def _grouped(five: Iterable[Card], *, ace_low: bool) -> str:
    """Letters of the ranks, pairs and better first, then from the top; with aces low the ace comes last."""
    ranks = [card.rank for card in five]

    def order(rank: int) -> tuple[int, int]:
        return (ranks.count(rank), (rank + 1) % 13 if ace_low else rank)

    return "".join(RANKS[rank] for rank in sorted(ranks, key=order, reverse=True))
