"""The order of the cards that a dealer puts into the shoe: shuffled from a seed, or prepared for a replay."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Protocol

from simulators.felt import FULL_DECK


class Packets(Protocol):
    """Where the dealer's packets get their order from. The first card of an order is drawn first."""

    def fresh(self) -> Sequence[str] | None:
        """The 52 cards for the next hand; ``None`` when there is no next hand."""

    def scrambled(self, cards: Sequence[str], *, drawn: int) -> Sequence[str]:
        """``cards``, the stub and the burns, in their new order (R-STUB-02); ``drawn`` cards left the shoe in this hand."""


class ShuffledPackets:
    """A fair shuffle each time, repeatable from ``rng``."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def fresh(self) -> Sequence[str]:
        """52 cards in random order."""
        return self._rng.sample(FULL_DECK, len(FULL_DECK))

    def scrambled(self, cards: Sequence[str], *, drawn: int) -> Sequence[str]:
        """The same cards in random order."""
        return self._rng.sample(cards, len(cards))


class PreparedPackets:
    """The orders of recorded hands, one after the other, each as ``physical_order`` gives it: cards with their positions.

    Cards that a recorded hand does not use lie at the bottom. After a scramble the rest of the record comes first.
    """

    def __init__(self, orders: Iterable[Sequence[tuple[str, str]]]) -> None:
        self._orders = iter(orders)
        self._now: tuple[str, ...] = ()

    def fresh(self) -> Sequence[str] | None:
        """The next hand's cards, then the unused ones."""
        order = next(self._orders, None)
        if order is None:
            return None
        self._now = tuple(card for card, _ in order)
        return tuple(dict.fromkeys((*self._now, *FULL_DECK)))

    def scrambled(self, cards: Sequence[str], *, drawn: int) -> Sequence[str]:
        """What the record still deals, then the others."""
        there = frozenset(cards)
        return tuple(dict.fromkeys((*(card for card in self._now[drawn:] if card in there), *cards)))
