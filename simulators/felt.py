"""Where each of the 52 physical cards truly is. Shoe, antennas and people of a simulated table share this one world.

A card is its text (``Td``) and has one place at any time. Places are the felt's text forms (``seat/3/up``, ``seat/3``,
``burn``, ``muck``, ``community``) and three that no antenna sees: the dealer's packet, the shoe and her hand.
No error text, ``repr`` or log line tells a card.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

PACKET: Final = "packet"
"""The cards squared in front of the dealer, to shuffle."""
SHOE: Final = "shoe"
"""The cards in the shoe; the first is the next to be drawn."""
HAND: Final = "hand"
"""Cards drawn and not yet laid, in the order drawn."""

MOVES_KEPT: Final = 20_000
"""Moves that the record keeps, the newest; a hand has at most about 250."""

FULL_DECK: Final[tuple[str, ...]] = tuple(rank + suit for suit in "cdhs" for rank in "23456789TJQKA")
"""The 52 cards as text, clubs to spades, deuce to ace."""


class FeltError(Exception):
    """A move that no hand could make: a card that is not there, or a place that the table has not."""


@dataclass(frozen=True, slots=True)
class CardMoved:
    """One card went from one place to another at virtual or real second ``at``."""

    number: int
    at: float
    card: str = field(repr=False)
    origin: str
    target: str


class Felt:
    """The cards of one table and their places.

    ``tags`` maps each of the 52 cards to the UID of its tag; ``places`` are the places with an antenna.
    Cards start in the packet. The sum over all places is 52 after every call, checked.
    """

    def __init__(self, tags: Mapping[str, str], places: Iterable[str]) -> None:
        if sorted(tags) != sorted(FULL_DECK) or len(set(tags.values())) != len(FULL_DECK):
            found = f"{len(tags)} cards and {len(set(tags.values()))} tags"
            raise FeltError(f"a table needs a tag of its own for each of 52 cards, got {found}")
        self._tags = dict(tags)
        self._places: dict[str, list[str]] = {PACKET: list(FULL_DECK), SHOE: [], HAND: []}
        for place in places:
            self._places[place] = []
        self._tags_at: dict[str, tuple[str, ...]] = {}
        """What lies at a place, as its antenna would tell it, until something there moves."""
        self._where = dict.fromkeys(FULL_DECK, PACKET)
        self._moves: deque[CardMoved] = deque(maxlen=MOVES_KEPT)
        self._moved = 0

    @property
    def places(self) -> tuple[str, ...]:
        """The places with an antenna."""
        return tuple(place for place in self._places if place not in {PACKET, SHOE, HAND})

    @property
    def moves(self) -> tuple[CardMoved, ...]:
        """The newest ``MOVES_KEPT`` moves, oldest first; their ``number`` counts from 1 without gaps."""
        return tuple(self._moves)

    def moves_after(self, number: int) -> tuple[CardMoved, ...]:
        """The moves that came after move ``number``, oldest first, as far as they are kept."""
        newest = islice(reversed(self._moves), max(0, self._moved - number))
        return tuple(newest)[::-1]

    def cards_at(self, place: str) -> tuple[str, ...]:
        """The cards at ``place`` in the order they came; ``FeltError`` for a place that the table has not."""
        return tuple(self._at(place))

    def count(self, place: str) -> int:
        """How many cards lie at ``place``."""
        return len(self._at(place))

    def where(self, card: str) -> str:
        """The place of ``card``."""
        return self._where[card]

    def tag(self, card: str) -> str:
        """The UID of a card's tag."""
        return self._tags[card]

    def tags_at(self, place: str) -> tuple[str, ...]:
        """The UIDs that the antenna of ``place`` can read now."""
        tags = self._tags_at.get(place)
        if tags is None:
            tags = self._tags_at[place] = tuple(self._tags[card] for card in self._at(place))
        return tags

    def antennas(self, addresses: Mapping[int, str]) -> Callable[[int], tuple[str, ...]]:
        """What a line of readers sees: a function from a bus address to the UIDs at its place (none for other addresses)."""
        wired = dict(addresses)
        for place in wired.values():
            self._at(place)
        return lambda address: self.tags_at(wired[address]) if address in wired else ()

    def resolve(self, position: str) -> str:
        """The place of this table that a due position means: ``seat/3/up`` is ``seat/3`` where a seat has one antenna."""
        if position in self._places:
            return position
        seat = "/".join(position.split("/")[:2])
        if seat in self._places:
            return seat
        raise FeltError(f"this table has no place {position!r}")

    def of_seat(self, seat: int) -> tuple[str, ...]:
        """The places of ``seat``, one or two."""
        whole = f"seat/{seat}"
        return tuple(place for place in self.places if place == whole or place.startswith(whole + "/"))

    def load(self, order: Sequence[str], *, at: float) -> None:
        """Put cards of the packet into the empty shoe; ``order[0]`` will be drawn first."""
        if self._places[SHOE]:
            raise FeltError(f"the shoe still holds {len(self._places[SHOE])} cards")
        if len(set(order)) != len(order):
            raise FeltError("a card cannot be loaded twice")
        for card in order:
            self.move(card, SHOE, origin=PACKET, at=at)

    def draw(self, *, at: float) -> str:
        """The top card of the shoe goes into the dealer's hand; returns it."""
        if not self._places[SHOE]:
            raise FeltError("the shoe is empty")
        card = self._places[SHOE][0]
        self.move(card, HAND, origin=SHOE, at=at)
        return card

    def move(self, card: str, target: str, *, origin: str, at: float) -> None:
        """Move one card. ``FeltError`` when it does not lie at ``origin`` or the table has no ``target``; then nothing moved."""
        source, sink = self._at(origin), self._at(target)
        if card not in source:
            raise FeltError(f"that card does not lie at {origin!r}")
        source.remove(card)
        sink.append(card)
        self._tags_at.pop(origin, None)
        self._tags_at.pop(target, None)
        self._where[card] = target
        self._moved += 1
        self._moves.append(CardMoved(self._moved, at, card, origin, target))
        self._conserved()

    def gather(self, origins: Iterable[str], target: str, *, at: float) -> int:
        """Move everything at ``origins`` to ``target`` in order; returns how many cards that were."""
        moved = 0
        for origin in origins:
            for card in self.cards_at(origin) if origin != target else ():
                self.move(card, target, origin=origin, at=at)
                moved += 1
        return moved

    def _at(self, place: str) -> list[str]:
        cards = self._places.get(place)
        if cards is None:
            raise FeltError(f"this table has no place {place!r}")
        return cards

    def _conserved(self) -> None:
        total = sum(len(cards) for cards in self._places.values())
        if total != len(FULL_DECK):
            raise FeltError(f"{total} cards on a table of 52")
