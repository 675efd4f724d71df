"""Counting scans: with an empty felt, and with reference cards on one antenna. Pure; tags stay in memory."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable
from typing import Final

from controller.calibration.figures import CardFigures, NoiseFigures, Rate
from controller.tracking.antennas import AntennaId
from controller.tracking.registry import DeckRegistry
from drivers.ports import AntennaScan

RECENT: Final = 5
"""Clean scans of each antenna by which the guide judges where a card lies."""
_MS_DIGITS: Final = 2


class Recent:
    """What each antenna read in its last few clean scans."""

    def __init__(self, antennas: Iterable[AntennaId]) -> None:
        self._scans: dict[AntennaId, deque[frozenset[str]]] = {antenna: deque(maxlen=RECENT) for antenna in antennas}

    def add(self, antenna: AntennaId, scan: AntennaScan) -> None:
        """A scan; one that was disturbed counts by what it read."""
        if scan.clean or scan.tags:
            self._scans[antenna].append(frozenset(scan.tags))

    def hits(self, antenna: AntennaId, tag: str, *, last: int = RECENT) -> int:
        """In how many of its ``last`` scans the antenna read ``tag``."""
        return sum(tag in scan for scan in list(self._scans[antenna])[-last:])

    def best(self, tag: str, *, without: AntennaId) -> tuple[int, AntennaId | None]:
        """The most readings by another antenna than ``without``, and which one that is."""
        counted = ((self.hits(antenna, tag), antenna) for antenna in self._scans if antenna != without)
        return max(counted, key=lambda pair: pair[0], default=(0, None))

    def tags(self, antennas: Iterable[AntennaId] | None = None) -> list[str]:
        """All tags that were read, in a stable order."""
        chosen = self._scans if antennas is None else {antenna: self._scans[antenna] for antenna in antennas}
        return sorted({tag for scans in chosen.values() for scan in scans for tag in scan})

    def is_away(self, tag: str, last: int) -> bool:
        """No antenna read it in its ``last`` scans."""
        return not any(self.hits(antenna, tag, last=last) for antenna in self._scans)

    def clear(self) -> None:
        """Forget all."""
        for scans in self._scans.values():
            scans.clear()


class NoiseTally:
    """Scans of one antenna with nothing on it."""

    def __init__(self) -> None:
        self.scans = 0
        self._readings = 0
        self._errors = 0
        self._last_at: float | None = None
        self._periods: list[float] = []
        self._inventories: list[float] = []
        self.tags: set[str] = set()

    def add(self, scan: AntennaScan) -> None:
        """One scan."""
        self.scans += 1
        self._readings += bool(scan.tags)
        self._errors += not scan.clean
        self.tags.update(scan.tags)
        if self._last_at is not None:
            self._periods.append(scan.at - self._last_at)
        self._last_at = scan.at
        if scan.took_s is not None:
            self._inventories.append(scan.took_s)

    def figures(self, registry: DeckRegistry) -> NoiseFigures:
        """What was counted."""
        return NoiseFigures(
            scans=self.scans,
            readings=self._readings,
            tags=len(self.tags),
            known=sum(tag in registry for tag in self.tags),
            errors=self._errors,
            periods_ms=_milliseconds(self._periods),
            inventories_ms=_milliseconds(self._inventories),
        )


def _milliseconds(seconds: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(value * 1000, _MS_DIGITS) for value in seconds)


class LaidTally:
    """Scans of all antennas while cards lie on one, ``target``."""

    def __init__(self, target: AntennaId, tags: Collection[str], *, began: float) -> None:
        self.target = target
        self.tags = tuple(sorted(tags))
        self.began = began
        self.scans = 0
        self._clean: Counter[AntennaId] = Counter()
        self._errors = 0
        self._hits: dict[AntennaId, Counter[str]] = {}
        self._run: Counter[str] = Counter()
        self._longest: Counter[str] = Counter()

    @property
    def clean(self) -> int:
        """Clean scans of the target."""
        return self._clean[self.target]

    def add(self, antenna: AntennaId, scan: AntennaScan) -> None:
        """One scan. One that was disturbed says nothing of a card: neither reading nor miss."""
        if antenna == self.target:
            self.scans += 1
            self._errors += not scan.clean
        if not scan.clean:
            return
        self._clean[antenna] += 1
        hits = self._hits.setdefault(antenna, Counter())
        for tag in self.tags:
            is_hit = tag in scan.tags
            hits[tag] += is_hit
            if antenna == self.target:
                self._run[tag] = 0 if is_hit else self._run[tag] + 1
                self._longest[tag] = max(self._longest[tag], self._run[tag])

    def run(self, tag: str) -> int:
        """Misses in a row at the target up to now."""
        return self._run[tag]

    @property
    def errors(self) -> Rate:
        """Disturbed scans of the target."""
        return Rate(hits=self._errors, of=self.scans)

    def cards(self, registry: DeckRegistry) -> tuple[CardFigures, ...]:
        """Each card at the target, by its name."""
        hits = self._hits.get(self.target, Counter())
        named = [(card, tag) for tag in self.tags if (card := registry.card(tag)) is not None]
        return tuple(
            CardFigures(card=card.text, read=Rate(hits=hits[tag], of=self.clean), longest_run=self._longest[tag])
            for card, tag in sorted(named)
        )

    def rate(self, antenna: AntennaId) -> Rate:
        """Readings of the cards by ``antenna``, all cards together."""
        hits = self._hits.get(antenna, Counter())
        return Rate(hits=sum(hits[tag] for tag in self.tags), of=self._clean[antenna] * len(self.tags))
