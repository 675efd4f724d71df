"""What is said aloud of a board: pairs and better, and nothing that only might be (R-DEAL-07)."""

from __future__ import annotations

from collections.abc import Sequence

from controller.hand.cards import Card

_JACK = 9
_KING = 11


def to_announce(up: Sequence[Card], card: Card, *, ace_low: bool) -> int:
    """How many of a kind ``card`` makes with the up cards before it, when that is announced; 0 when nothing is (R-DEAL-07).

    Possible straights and flushes never are. In razz (``ace_low``) each pair is told once, when it first lies there, and pairs
    of faces never.
    """
    same = 1 + sum(1 for other in up if other.rank == card.rank)
    if same < 2 or (ace_low and (same > 2 or _JACK <= card.rank <= _KING)):
        return 0
    return same
