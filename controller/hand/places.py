"""Places of the felt where a card can lie, in one text form that topics, journal and screens share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias


class Zone(Enum):
    """Part of a seat's card area. ``ANY`` is a seat with one antenna, where deal order alone tells up from down."""

    DOWN = "down"
    UP = "up"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class SeatPlace:
    """A seat's card area; ``seat`` is 1-based, clockwise from the dealer's left."""

    seat: int
    zone: Zone

    def __str__(self) -> str:
        return f"seat/{self.seat}/{self.zone.value}"


class Spot(Enum):
    """Places of the dealer."""

    BURN = "burn"
    MUCK = "muck"
    COMMUNITY = "community"

    def __str__(self) -> str:
        return self.value


Place: TypeAlias = SeatPlace | Spot

_SPOTS: Final = {spot.value: spot for spot in Spot}


@lru_cache(maxsize=64)
def parse_place(text: str) -> Place:
    """``seat/3/up``, ``seat/3`` (one antenna), ``burn``, ``muck`` or ``community``; ``ValueError`` otherwise."""
    spot = _SPOTS.get(text)
    if spot is not None:
        return spot
    match text.split("/"):
        case ["seat", seat] if seat.isdigit() and 1 <= int(seat) <= 8:
            return SeatPlace(int(seat), Zone.ANY)
        case ["seat", seat, ("down" | "up" | "any") as zone] if seat.isdigit() and 1 <= int(seat) <= 8:
            return SeatPlace(int(seat), Zone(zone))
    raise ValueError(f"{text!r} is no place: write seat/1/down … seat/8/up, seat/1 … seat/8, burn, muck or community")


def covers(antenna: Place, due: Place) -> bool:
    """Whether a card that is due at ``due`` is right when the antenna of ``antenna`` reports it."""
    if isinstance(antenna, SeatPlace) and isinstance(due, SeatPlace):
        return antenna.seat == due.seat and (antenna.zone is due.zone or Zone.ANY in (antenna.zone, due.zone))
    return antenna is due
