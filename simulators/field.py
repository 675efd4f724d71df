"""What antennas read of the cards on the felt: a coupling of antennas and places, and what tags do to readers in the field.

A card is in one place (``Felt``); which antennas answer for that place, and how reliably, is the table of couplings. Everything
chancy is drawn from the generator that is passed in. Tags are what readers tell; nothing here prints one, or a card.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from simulators.felt import Felt

Coupling: TypeAlias = Mapping[str, Mapping[str, float]]
"""Antenna's place → place of a card → chance that one scan reads the card's tag."""

SURE: Final = 1.0


def own_place_only(places: Sequence[str]) -> dict[str, dict[str, float]]:
    """Each antenna reads its own place, always, and no other."""
    return {place: {place: SURE} for place in places}


def with_neighbours(places: Sequence[str], *, hit: float, bleed: float) -> dict[str, dict[str, float]]:
    """Each antenna reads its own place with chance ``hit``, the other antenna of its seat and the nearest ones of the seats
    beside it with chance ``bleed``; muck, burn and common card bleed into each other."""
    table = {place: {place: hit} for place in places}
    for place, row in table.items():
        for other in places:
            if other != place and _beside(place, other):
                row[other] = bleed
    return table


def _beside(one: str, other: str) -> bool:
    first, second = one.split("/"), other.split("/")
    if (first[0] == "seat") != (second[0] == "seat"):
        return False
    if first[0] != "seat":
        return True
    distance = abs(int(first[1]) - int(second[1]))
    return distance == 0 or (distance == 1 and first[2:] == second[2:])


@dataclass(slots=True)
class FieldFaults:
    """What may go wrong between tags and antennas; places are the antennas'. May be changed at any time."""

    miss: float = 0.0
    """Chance that a tag is not read in a scan, on top of the coupling."""
    miss_at: dict[str, float] = field(default_factory=dict)
    """The same for one antenna, instead of ``miss``."""
    alternate: set[str] = field(default_factory=set)
    """Antennas whose every second scan reads nothing."""
    bleed: dict[str, dict[str, float]] = field(default_factory=dict)
    """Antenna → place of a card → chance of a reading, besides the coupling."""
    foreign: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """Tags at an antenna that are no card of the deck: another deck, a room key."""
    stuck: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """Tags that an antenna goes on telling though they have left."""
    garble: float = 0.0
    """Chance that a tag is told with another number."""
    stacked: dict[str, float] = field(default_factory=dict)
    """Antennas over which cards lie on each other: chance that one of several is read at all."""
    lifted: set[str] = field(default_factory=set, repr=False)
    """Cards that somebody holds above the felt."""

    def __bool__(self) -> bool:
        """Something may go wrong."""
        chances = self.miss or self.garble or self.miss_at or self.bleed or self.stacked
        return bool(chances or self.alternate or self.foreign or self.stuck or self.lifted)

    def clear(self) -> None:
        """Everything is read as it lies."""
        self.miss = self.garble = 0.0
        for many in (self.miss_at, self.bleed, self.foreign, self.stuck, self.stacked):
            many.clear()
        self.alternate.clear()
        self.lifted.clear()


class Field:
    """The antennas over one felt. ``coupling`` is as ``own_place_only`` unless given."""

    def __init__(self, felt: Felt, *, rng: random.Random, coupling: Coupling | None = None) -> None:
        self._felt = felt
        self._rng = rng
        self.coupling: Coupling = own_place_only(felt.places) if coupling is None else coupling
        self.faults = FieldFaults()
        self._scans: dict[str, int] = {}

    def read(self, place: str) -> tuple[str, ...]:
        """The tags that one scan of the antenna at ``place`` reads, each once."""
        faults = self.faults
        self._scans[place] = self._scans.get(place, 0) + 1
        coupling = self.coupling.get(place, {})
        if not faults and coupling == {place: SURE}:  # nearly every scan
            return self._felt.tags_at(place)
        if place in faults.alternate and self._scans[place] % 2 == 0:
            return faults.stuck.get(place, ())
        miss = faults.miss_at.get(place, faults.miss)
        seen: list[str] = []
        for source, chance in (*coupling.items(), *faults.bleed.get(place, {}).items()):
            seen += self._hits(place, source, chance * (SURE - miss))
        seen += faults.foreign.get(place, ())
        seen += faults.stuck.get(place, ())
        return tuple(dict.fromkeys(seen))

    def _hits(self, place: str, source: str, chance: float) -> list[str]:
        faults = self.faults
        cards = self._felt.cards_at(source)
        if len(cards) > 1 and place in faults.stacked:
            chance *= faults.stacked[place]
        hits = [self._felt.tag(card) for card in cards if card not in faults.lifted and self._happens(chance)]
        return [self._garbled(tag) if faults.garble and self._happens(faults.garble) else tag for tag in hits]

    def _garbled(self, tag: str) -> str:
        """The tag with one to three hexadecimal digits changed, or shifted by one: what weak checks let through."""
        if self._rng.random() < 0.5:
            return tag[1:] + self._rng.choice("0123456789ABCDEF")
        digits = list(tag)
        for place in self._rng.sample(range(len(digits)), self._rng.randint(1, 3)):
            digits[place] = f"{int(digits[place], 16) ^ self._rng.randint(1, 15):X}"
        return "".join(digits)

    def _happens(self, chance: float) -> bool:
        return chance >= SURE or (chance > 0.0 and self._rng.random() < chance)

    def antennas(self, addresses: Mapping[int, str]) -> Callable[[int], tuple[str, ...]]:
        """One scan of a line of readers: a function from a bus address to the tags that it reads now."""
        wired = dict(addresses)
        return lambda address: self.read(wired[address]) if address in wired else ()
