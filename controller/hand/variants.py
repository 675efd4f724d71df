"""The three games as data: what differs between stud, stud eight-or-better and razz stands in these rows alone (rules §20)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class VariantCode(Enum):
    """Code of a game, as configuration and topics write it."""

    STUD = "stud"
    STUD8 = "stud8"
    RAZZ = "razz"


class Wins(Enum):
    """What a share of the pot is won by; ``BOTH`` is high and low by the same seats (R-POT-07)."""

    HIGH = "high"
    LOW_EIGHT = "low_eight"
    LOW = "low"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Street:
    """One street: whether each card of a seat lies up, in order, and whether the big bet is in force (R-SETUP-02, R-DEAL-01)."""

    number: int
    up: tuple[bool, ...]
    big: bool


STREETS: Final[dict[int, Street]] = {
    3: Street(3, (False, False, True), big=False),
    4: Street(4, (True,), big=False),
    5: Street(5, (True,), big=True),
    6: Street(6, (True,), big=True),
    7: Street(7, (False,), big=True),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A game: who brings in, who opens, what wins. ``ace_low`` is the order of boards and door cards."""

    code: VariantCode
    ace_low: bool
    wins: tuple[Wins, ...]


VARIANTS: Final[dict[VariantCode, Variant]] = {
    VariantCode.STUD: Variant(VariantCode.STUD, ace_low=False, wins=(Wins.HIGH,)),
    VariantCode.STUD8: Variant(VariantCode.STUD8, ace_low=False, wins=(Wins.HIGH, Wins.LOW_EIGHT)),
    VariantCode.RAZZ: Variant(VariantCode.RAZZ, ace_low=True, wins=(Wins.LOW,)),
}
"""``ace_low`` also turns the order round: with aces high the lowest door card brings in and the highest board opens,
with aces low the highest door card brings in and the lowest board opens (R-BRING-01, R-OPEN-01, R-OPEN-04)."""
