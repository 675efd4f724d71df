"""What a player sees in seven cards: enough to know whether a tabled hand beats his own. No authority on who wins a pot.

Values compare with ``>``; the greater one is the better hand. Fewer than five cards have no value here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final, TypeAlias

Value: TypeAlias = tuple[int, ...]

_RANKS: Final = "23456789TJQKA"
_EIGHT: Final = 8


def high_value(cards: Sequence[str]) -> Value:
    """The best five for high (R-EVAL-01)."""
    return max(_five_high(five) for five in combinations(cards, 5))


def low_value(cards: Sequence[str]) -> Value:
    """The best five for ace-to-five low; straights and flushes do not count (R-EVAL-03)."""
    return max(_five_low(five) for five in combinations(cards, 5))


def eight_value(cards: Sequence[str]) -> Value | None:
    """The best eight-or-better low, ``None`` without one (R-EVAL-02)."""
    value = low_value(cards)
    paired = value[0] != -1
    return None if paired or -value[1] > _EIGHT else value


def beaten(mine: Sequence[str], others: Iterable[Sequence[str]], *, variant: str) -> bool:
    """Whether some of ``others`` leaves ``mine`` nothing of a pot that all of them contest."""
    hands = [list(hand) for hand in others]
    high = any(high_value(hand) > high_value(mine) for hand in hands)
    low = any(low_value(hand) > low_value(mine) for hand in hands)
    match variant:
        case "razz":
            return low
        case "stud8":
            return high and (eight_value(mine) is None or low)
        case _:
            return high


def _five_high(five: Sequence[str]) -> Value:
    ranks = sorted((_RANKS.index(card[0]) for card in five), reverse=True)
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = tuple(count for count, _ in groups)
    flush = len({card[1] for card in five}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]
    straight = len(shape) == len(five) and ranks[0] - ranks[-1] == len(five) - 1
    if straight or flush:
        kind = 8 if straight and flush else 5 if flush else 4
        return (kind, *ranks)
    kind = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(shape, 0)
    return (kind, *(rank for _, rank in groups))


def _five_low(five: Sequence[str]) -> Value:
    """Fewer and smaller pairs first, then the lower cards from the top; aces are low."""
    ranks = [1 if card[0] == "A" else _RANKS.index(card[0]) + 2 for card in five]
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = sorted((count for count, _ in groups), reverse=True)
    kind = [[1, 1, 1, 1, 1], [2, 1, 1, 1], [2, 2, 1], [3, 1, 1], [3, 2], [4, 1]].index(shape) + 1
    return (-kind, *(-rank for _, rank in groups))
