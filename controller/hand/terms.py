"""Small values that events and state share."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from controller.hand.places import Place
from controller.hand.variants import Wins


class Verb(Enum):
    """What a seat does at its turn (R-BET-01, R-BRING-04)."""

    BRING_IN = "bring_in"
    COMPLETE = "complete"
    BET = "bet"
    RAISE = "raise"
    CALL = "call"
    CHECK = "check"
    FOLD = "fold"


class SeatChips(NamedTuple):
    """A seat with a number of chips."""

    seat: int
    chips: int


class Player(NamedTuple):
    """Who sits at a seat, with all the chips that lie there."""

    seat: int
    name: str
    chips: int


class Due(NamedTuple):
    """One card that is due: its place, and whether it is a dead ghost card (R-DEAL-06)."""

    place: Place
    ghost: bool = False


class Pot(NamedTuple):
    """A pot: its chips and the seats that can win it, lowest seat first (R-ALLIN-02)."""

    chips: int
    seats: tuple[int, ...]


class Share(NamedTuple):
    """What a seat gets from a pot, and by which half; ``None`` when nobody contests the pot (R-POT-09)."""

    seat: int
    chips: int
    wins: Wins | None
