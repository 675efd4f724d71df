"""Reading hands and boards with bit masks (R-EVAL-01 to R-EVAL-04, R-OPEN-01, R-OPEN-04).

Values are plain integers or tuples that compare; what they mean is told by the functions that make them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import combinations
from typing import Final

from controller.hand.cards import Card

_ACE_BIT: Final = 1 << 12
_RANK_SETS: Final = 1 << 13


class Category(IntEnum):
    """Categories of a five-card high hand, worst to best (R-EVAL-01)."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    TRIPS = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    QUADS = 7
    STRAIGHT_FLUSH = 8


def _packed_top(mask: int, count: int) -> int:
    """The ``count`` highest ranks of ``mask`` as hexadecimal digits, highest first; absent ranks are left out."""
    packed = 0
    for rank in range(12, -1, -1):
        if count and mask >> rank & 1:
            packed = packed << 4 | rank
            count -= 1
    return packed << 4 * count


def _straight_top(mask: int) -> int:
    """Highest rank of a straight in ``mask`` plus one, 0 when there is none; the wheel tops at the five."""
    wheel = mask << 1 | mask >> 12
    for top in range(13, 3, -1):
        if wheel >> top - 4 & 31 == 31:
            return top
    return 0


_TOP1: Final = tuple(_packed_top(mask, 1) for mask in range(_RANK_SETS))
_TOP2: Final = tuple(_packed_top(mask, 2) for mask in range(_RANK_SETS))
_TOP3: Final = tuple(_packed_top(mask, 3) for mask in range(_RANK_SETS))
_TOP5: Final = tuple(_packed_top(mask, 5) for mask in range(_RANK_SETS))
_STRAIGHT: Final = tuple(_straight_top(mask) for mask in range(_RANK_SETS))
_COUNT: Final = tuple(mask.bit_count() for mask in range(_RANK_SETS))


def high_value(cards: Iterable[Card]) -> int:
    """Value of the best five of five to seven ``cards``: category in bits 20 and up, then five ranks of four bits (R-EVAL-01).

    More is better and equal is a tie (R-EVAL-04); the sixth and seventh card never count.
    """
    suits = [0, 0, 0, 0]
    for card in cards:
        suits[card & 3] |= 1 << (card >> 2)
    clubs, diamonds, hearts, spades = suits
    ranks = clubs | diamonds | hearts | spades
    flush = 0
    for mask in suits:
        if _COUNT[mask] >= 5:
            flush = mask
    if flush:  # five suited cards leave no room for a full house or quads among seven
        top = _STRAIGHT[flush]
        return Category.STRAIGHT_FLUSH << 20 | top if top else Category.FLUSH << 20 | _TOP5[flush]
    paired = _paired_value(clubs, diamonds, hearts, spades, ranks)
    if _STRAIGHT[ranks] and paired >> 20 < Category.STRAIGHT:
        return Category.STRAIGHT << 20 | _STRAIGHT[ranks]
    return paired


def _paired_value(clubs: int, diamonds: int, hearts: int, spades: int, ranks: int) -> int:
    """Value by pairs alone, of the rank masks of the four suits."""
    two = (clubs & diamonds) | (hearts & spades) | ((clubs | diamonds) & (hearts | spades))
    if not two:
        return _TOP5[ranks]
    three = (clubs & diamonds & (hearts | spades)) | (hearts & spades & (clubs | diamonds))
    four = clubs & diamonds & hearts & spades
    if four:
        return Category.QUADS << 20 | _TOP1[four] << 4 | _TOP1[ranks & ~four]
    if three:
        best = _TOP1[three]
        rest = two & ~(1 << best)
        if rest:
            return Category.FULL_HOUSE << 20 | best << 4 | _TOP1[rest]
        return Category.TRIPS << 20 | best << 8 | _TOP2[ranks & ~three]
    if _COUNT[two] >= 2:
        pairs = _TOP2[two]
        return Category.TWO_PAIR << 20 | pairs << 4 | _TOP1[ranks & ~(1 << (pairs >> 4) | 1 << (pairs & 15))]
    return Category.PAIR << 20 | _TOP1[two] << 12 | _TOP3[ranks & ~two]


def _low_mask(cards: Iterable[Card]) -> int:
    """Ranks as a mask with the ace lowest: bit 0 ace, bit 1 deuce … bit 12 king."""
    mask = 0
    for card in cards:
        mask |= 1 << (card >> 2)
    return (mask << 1 | mask >> 12) & (_RANK_SETS - 1)


def _lowest_five(mask: int) -> int:
    while _COUNT[mask] > 5:
        mask &= ~(1 << mask.bit_length() - 1)
    return mask


def low_eight_value(cards: Iterable[Card]) -> int | None:
    """The best eight-or-better low as a rank mask with the ace in bit 0, ``None`` without a qualifier (R-EVAL-02).

    Less is better: comparing masks compares from the highest card down.
    """
    mask = _low_mask(cards) & 0xFF
    return _lowest_five(mask) if _COUNT[mask] >= 5 else None


def razz_value(cards: Sequence[Card]) -> int:
    """The lowest ace-to-five hand of five to seven ``cards``: pairing first, then ranks (R-EVAL-03). Less is better."""
    mask = _low_mask(cards)
    if _COUNT[mask] >= 5:
        return _lowest_five(mask)
    return min(_razz_five(five) for five in combinations(cards, 5))


_RAZZ_PATTERNS: Final = {(2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 4, (4, 1): 5}


def _razz_five(five: Iterable[Card]) -> int:
    ranks = [(card.rank + 1) % 13 for card in five]
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    value = _RAZZ_PATTERNS.get(tuple(count for count, _ in groups), 0)
    for _, rank in groups:
        value = value << 4 | rank
    return value << 4 * (5 - len(groups)) << 20


def best_high_five(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Of the equal best high fives the one with the best suits, highest card first (R-POT-03, Q-77)."""
    return max(combinations(sorted(cards, reverse=True), 5), key=lambda five: (high_value(five), five))


def best_low_five(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Of the equal best ace-to-five lows the five with the best suits, highest card first, ace lowest (R-POT-03, Q-77)."""
    ordered = sorted(cards, key=ace_low_order, reverse=True)
    return min(
        combinations(ordered, 5),
        key=lambda five: (razz_value(five), tuple(-ace_low_order(card) for card in five)),
    )


def ace_low_order(card: Card) -> int:
    """Order by rank with the ace lowest, then by suit (R-BRING-01, R-BRING-02)."""
    return (card.rank + 1) % 13 * 4 + card.suit


_PATTERNS: Final = {(4,): 5, (3,): 3, (3, 1): 3, (2, 2): 2, (2,): 1, (2, 1): 1, (2, 1, 1): 1} | {
    (4, 1): 5,
    (3, 2): 4,
    (3, 1, 1): 3,
    (2, 2, 1): 2,
    (2, 1, 1, 1): 1,
}


def board_value(up: Iterable[Card], *, ace_low: bool) -> tuple[int, ...]:
    """Rank of the up cards alone: four > three > two pair > pair > high cards, then rank by rank (R-OPEN-01, R-OPEN-04).

    Straights and flushes do not exist on a board of four or fewer; five cards, where the common card is read with a board
    (R-STUB-05), are a whole hand. Compares with boards of the same size: the highest opens in stud, the lowest in razz.
    """
    cards = tuple(up)
    if len(cards) == 5 and not ace_low:
        return (high_value(cards),)
    return _ranks_value(tuple(sorted([card >> 2 for card in cards])), ace_low=ace_low)


@lru_cache(maxsize=1 << 14)
def _ranks_value(ranks: tuple[int, ...], *, ace_low: bool) -> tuple[int, ...]:
    """The value of sorted ``ranks``; up to five of thirteen ranks make fewer entries than the table may hold."""
    if ace_low:
        ranks = tuple((rank + 1) % 13 for rank in ranks)
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    return (_PATTERNS.get(tuple(count for count, _ in groups), 0), *(rank for _, rank in groups))
