"""Hands read a second time, slowly: every five of the cards, by the words of R-EVAL-01 to R-EVAL-03.

High hands are phevaluator's; lows are found by counting. A reading compares with others of its kind, less is better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from phevaluator import evaluate_cards

from controller.hand.cards import Card

Reading = tuple[tuple[int, ...], tuple[int, ...]]
"""Sizes of the groups of equal ranks, largest first; then their ranks, of equal groups the highest first."""


def low_rank(card: Card) -> int:
    """Ace 1, deuce 2 … king 13."""
    return "A23456789TJQK".index(card.text[0]) + 1


def high(cards: Sequence[Card]) -> int:
    """Strength of the best high five, 1 for a royal flush (R-EVAL-01)."""
    return evaluate_cards(*(card.text for card in cards))


@lru_cache(maxsize=1 << 15)
def _of_ranks(five: tuple[int, ...]) -> Reading:
    groups = sorted(((size, rank) for rank, size in Counter(five).items()), reverse=True)
    return tuple(size for size, _ in groups), tuple(rank for _, rank in groups)


def razz(cards: Sequence[Card]) -> Reading:
    """The lowest five, aces low: fewest pairs, then rank by rank from the top (R-EVAL-03)."""
    ranks = sorted(low_rank(card) for card in cards)
    return min(_of_ranks(five) for five in combinations(ranks, 5))


def eight(cards: Sequence[Card]) -> Reading | None:
    """The best low of five different ranks, none above the eight; ``None`` without (R-EVAL-02)."""
    ranks = sorted(low_rank(card) for card in cards)
    fives = [_of_ranks(five) for five in combinations(ranks, 5) if max(five) <= 8 and len(set(five)) == 5]
    return min(fives, default=None)
