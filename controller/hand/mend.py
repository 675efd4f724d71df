"""Putting cards right before action: where each card lies, and where it belongs (R-ERR-03, R-ERR-04, R-MIS-05, Q-64).

Cards keep the order in which they left the shoe: the k-th card out belongs to the k-th place that was due. What is left over goes
back on top of the stub and is the next burn. Nothing here knows a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from controller.hand.places import Place, covers
from controller.hand.terms import Due


class Move(NamedTuple):
    """The ``number``-th card out of the shoe, counted from 1, lies at ``lies`` and belongs to ``belongs``; ``None`` is the top of
    the stub."""

    number: int
    lies: Place
    belongs: Place | None


def mend_moves(due: Sequence[Due], laid: Sequence[Place]) -> tuple[Move, ...]:
    """Moves that put every card of a street where it belongs, in the order of dealing; cards that lie right are left out.

    ``due`` is the street's whole order of dealing, burn first; ``laid`` are the places of the cards that have left the shoe for
    it, in the order in which they left. Afterwards ``due[len(laid):]`` is still to be dealt.
    """
    moves: list[Move] = []
    for number, place in enumerate(laid):
        belongs = due[number].place if number < len(due) else None
        if belongs is None or not covers(place, belongs):
            moves.append(Move(number + 1, place, belongs))
    return tuple(moves)


def still_due(due: Sequence[Due], laid: Sequence[Place]) -> tuple[Due, ...]:
    """What is left to deal once the moves are made."""
    return tuple(due[len(laid) :])
