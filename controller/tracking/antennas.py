"""Which antenna is where: from line and bus address to a place of the felt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place

AntennaId: TypeAlias = tuple[str, int]
"""Name of the line and bus address of the reader on it."""

MAX_ADDRESS: Final = 254


class AntennaError(ValueError):
    """An antenna map that no table can have. The message says all that is wrong and what would be right."""


class AntennaMap:
    """Each antenna's place, checked: no place twice, and a seat has either one antenna or one down and one up.

    Muck, burn and community may be missing: ``missing`` says so, and what the table then cannot see must be told by hand.
    """

    def __init__(self, places: Mapping[AntennaId, Place]) -> None:
        """``AntennaError`` names every fault at once. A table without any reader has an empty map."""
        faults = [*_bad_addresses(places), *_doubles(places), *_torn_seats(places)]
        if places and not any(isinstance(place, SeatPlace) for place in places.values()):
            faults.append("no seat has an antenna")
        if faults:
            raise AntennaError("; ".join(faults))
        self._places = dict(places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def places(self) -> tuple[Place, ...]:
        """All places with an antenna, in the order given."""
        return tuple(self._places.values())

    @property
    def lines(self) -> Mapping[str, tuple[int, ...]]:
        """The addresses of each line, in the order given."""
        lines: dict[str, tuple[int, ...]] = {}
        for line, address in self._places:
            lines[line] = (*lines.get(line, ()), address)
        return lines

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats with an antenna, ascending."""
        return tuple(sorted({place.seat for place in self.places if isinstance(place, SeatPlace)}))

    def place(self, line: str, address: int) -> Place | None:
        """The place of an antenna, or ``None`` for one that the map does not have."""
        return self._places.get((line, address))

    def antenna(self, place: Place) -> AntennaId | None:
        """The antenna of ``place``, or ``None``."""
        return next((antenna for antenna, wired in self._places.items() if wired == place), None)

    def missing(self, seats: int) -> tuple[str, ...]:
        """What a table of ``seats`` seats has no antenna for, as text forms of places."""
        gaps = [f"seat/{seat}" for seat in range(1, seats + 1) if seat not in self.seats]
        return (*gaps, *(str(spot) for spot in Spot if spot not in self.places))


def _bad_addresses(places: Mapping[AntennaId, Place]) -> list[str]:
    return [
        f"line {line} has a reader at address {address}: addresses are 0 to {MAX_ADDRESS}"
        for line, address in places
        if not 0 <= address <= MAX_ADDRESS
    ]


def _doubles(places: Mapping[AntennaId, Place]) -> list[str]:
    by_place: dict[Place, list[str]] = {}
    for (line, address), place in places.items():
        by_place.setdefault(place, []).append(f"{line} address {address}")
    return [f"{place} has {len(owners)} antennas: {', '.join(owners)}" for place, owners in by_place.items() if len(owners) > 1]


def _torn_seats(places: Mapping[AntennaId, Place]) -> list[str]:
    zones: dict[int, set[Zone]] = {}
    for place in places.values():
        if isinstance(place, SeatPlace):
            zones.setdefault(place.seat, set()).add(place.zone)
    faults = []
    for seat, has in sorted(zones.items()):
        if Zone.ANY in has and len(has) > 1:
            faults.append(f"seat {seat} has an antenna for all its cards and another for some: use one, or one down and one up")
        elif len(has) == 1 and Zone.ANY not in has:
            zone = next(iter(has))
            other = Zone.UP if zone is Zone.DOWN else Zone.DOWN
            faults.append(f"seat {seat} has an antenna for {zone.value} cards and none for {other.value} cards")
    return faults


def parse_antennas(lines: Mapping[str, Mapping[str, object]]) -> AntennaMap:
    """The map from configuration: line → address (as text) → place, as ``{"felt-a": {"1": "seat/1/down"}}``."""
    places: dict[AntennaId, Place] = {}
    for line, wired in lines.items():
        for address, text in wired.items():
            where = f"line {line}, address {address!r}"
            if not address.isdecimal():
                raise AntennaError(f"{where}: an address is a number, 0 to {MAX_ADDRESS}")
            if not isinstance(text, str):
                raise AntennaError(f"{where}: a place is a text as 'seat/1/down'")
            antenna = (line, int(address))
            if antenna in places:
                raise AntennaError(f"{where}: the address is given twice")
            try:
                places[antenna] = parse_place(text)
            except ValueError as error:
                raise AntennaError(f"{where}: {error}") from None
    return AntennaMap(places)


def sample_nineteen() -> AntennaMap:
    """The sample table: eight seats with a down and an up antenna, four to a line, and muck, burn and community."""
    lines: dict[str, dict[str, object]] = {}
    for first, name in zip((1, 3, 5, 7), "abcd", strict=True):
        lines[f"felt-{name}"] = {
            "1": f"seat/{first}/down",
            "2": f"seat/{first}/up",
            "3": f"seat/{first + 1}/down",
            "4": f"seat/{first + 1}/up",
        }
    lines["felt-e"] = {"1": "muck", "2": "burn", "3": "community"}
    return parse_antennas(lines)
