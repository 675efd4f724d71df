"""What is said aloud of a board."""

from __future__ import annotations

import pytest
from support.hand_dsl import cards_of

from controller.hand.announcements import to_announce


@pytest.mark.parametrize(
    ("up", "said"),
    [("9h 9c", 2), ("9h 5c 9d", 2), ("9h 9c 9d", 3), ("9h 9c 9d 9s", 4), ("9h 8h 7h 6h", 0), ("Kh Kc", 2), ("Ah", 0)],
)
def test_pairs_and_better_are_announced(up: str, said: int) -> None:
    """Of a kind, never what may become a straight or a flush (R-DEAL-07)."""
    *before, card = cards_of(up)
    assert to_announce(before, card, ace_low=False) == said


@pytest.mark.parametrize(
    ("up", "said"), [("9h 9c", 2), ("Jh Jc", 0), ("Kh 3d Kc", 0), ("Ah Ac", 2), ("9h 9c 9d", 0), ("9h Tc", 0)]
)
def test_in_razz_each_pair_once_and_no_faces(up: str, said: int) -> None:
    """The first time that a pair lies there; never a pair of jacks, queens or kings (R-DEAL-07)."""
    *before, card = cards_of(up)
    assert to_announce(before, card, ace_low=True) == said
