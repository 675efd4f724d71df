"""What the views are made from: the table as plain values. Each view takes from it by an allow-list of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from controller.hand.places import Place
from controller.hand.stakes import Stakes
from controller.hand.state import HandState
from controller.hand.terms import Due


class SeatPicture(NamedTuple):
    """A seated player between hands. Hands up to ``after_hand`` were played before it sat down."""

    seat: int
    name: str
    stack: int
    after_hand: int = 0


class Picture(NamedTuple):
    """The table at journal number ``seq``. ``plan``: still to be drawn on this street; ``in_flight``: drawn, not dealt.
    ``in_shoe``: cards in the shoe by the draws that are durable."""

    seq: int
    table: str
    status: str
    game: str
    stakes: Stakes
    max_seats: int
    seats: tuple[SeatPicture, ...]
    hand: HandState | None
    hand_number: int
    decision: str | None
    plan: tuple[Due, ...]
    in_flight: tuple[Place, ...]
    moves: tuple[tuple[Place, Place | None], ...]
    """Cards that lie wrong: where each is, and where it belongs; ``None`` is the top of the stub (R-ERR-03, R-ERR-04)."""
    lifted: frozenset[int]
    """Seats whose up cards do not all lie on the felt (Q-86)."""
    in_shoe: int
    deck_ready: bool
    may_resume: bool
    devices: Mapping[str, str]
