"""Antennas whose cables were exchanged: each of two shows the other's cards, all at once (recovery §5)."""

from __future__ import annotations

from typing import Final

from controller.hand.places import Place, covers
from controller.tracking.custody import Custody, FeltProblem

LEAST_CARDS: Final = 3
"""Cards that two antennas must show between them: one for one is a dealer's slip more often than a cable."""
CROSSED: Final = "antennas_crossed"
_MISPLACED: Final = frozenset({"wrong_place", "moved_card"})


def or_crossed(custody: Custody, problem: FeltProblem | None) -> FeltProblem | None:
    """``problem``, or ``CROSSED`` where the cards that seem to lie wrong are two places' whole sets, exchanged."""
    if problem is None or problem.place is None or problem.code not in _MISPLACED:
        return problem
    shows: dict[Place, list[Place | None]] = {}
    due = dict(custody.placed)
    due.update(
        {flight.card: flight.due.place for flight in custody.flights if flight.card is not None and flight.due is not None}
    )
    for card, place in custody.lying.items():
        shows.setdefault(place, []).append(due.get(card))
    here = shows.pop(problem.place, [])
    exchanged = any(
        len(here) + len(there) >= LEAST_CARDS and _all_of(other, here) and _all_of(problem.place, there)
        for other, there in shows.items()
    )
    return FeltProblem(CROSSED, problem.place) if exchanged else problem


def _all_of(antenna: Place, due: list[Place | None]) -> bool:
    """Whether all these cards belong where ``antenna`` is."""
    return all(place is not None and covers(antenna, place) for place in due)
