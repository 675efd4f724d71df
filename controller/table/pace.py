"""How fast the table is, for whoever watches over it: commits, cards, and the scans of each antenna. Times are monotonic seconds.

Nothing here knows a card or a tag, and nothing of it is a part of the table's state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from controller.histogram import Histogram
from drivers.ports import AntennaScan

COMMIT_BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
"""Seconds of a commit; above 0.05 the disk is called slow."""
CARD_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
"""Seconds from a card's report to its durable record."""
SHARE: Final = 8
"""A new scan moves the mean period by one part in so many."""


class Arrivals:
    """From a card's report by its device to its record being durable."""

    def __init__(self) -> None:
        self.seconds = Histogram(CARD_BOUNDS)
        self._came: dict[int, float] = {}

    @property
    def waiting(self) -> int:
        """Reports that are not decided yet."""
        return len(self._came)

    @contextmanager
    def coming(self, item: object, now: float) -> Iterator[None]:
        """Around the putting of a card's report into the inbox, which holds it until ``taken``: it is known by its identity."""
        self._came[id(item)] = now
        try:
            yield
        except BaseException:  # it is not put, and another object may get its identity
            self._came.pop(id(item), None)
            raise

    def taken(self, items: Iterable[object]) -> tuple[float, ...]:
        """When those of ``items`` came that report a card; they are forgotten."""
        came = self._came
        return tuple(came.pop(id(item)) for item in items if id(item) in came) if came else ()

    def durable(self, came: Iterable[float], now: float) -> None:
        """What came then is durable."""
        for at in came:
            self.seconds.add(now - at)


class AntennaPace:
    """Scans of one antenna since the start."""

    __slots__ = ("last_at", "period_s", "scans", "took_s", "unclean")

    def __init__(self) -> None:
        self.scans = 0
        self.unclean = 0
        """Scans with an RF or anti-collision error, of which missing tags do not count."""
        self.period_s: float | None = None
        """Mean time from scan to scan; ``None`` before the second."""
        self.took_s: float | None = None
        """How long the last one took, where the driver tells it."""
        self.last_at: float | None = None

    def note(self, scan: AntennaScan) -> None:
        """One more scan."""
        self.scans += 1
        self.unclean += not scan.clean
        self.took_s = scan.took_s
        if self.last_at is not None:
            period_s = max(0.0, scan.at - self.last_at)
            self.period_s = period_s if self.period_s is None else self.period_s + (period_s - self.period_s) / SHARE
        self.last_at = scan.at


class ScanPace:
    """The antennas that the configuration names, by line and address."""

    def __init__(self) -> None:
        self._antennas: dict[tuple[str, int], AntennaPace] = {}

    @property
    def antennas(self) -> Mapping[tuple[str, int], AntennaPace]:
        """Those that have told anything."""
        return self._antennas

    def note(self, scan: AntennaScan) -> None:
        """One more scan, of an antenna that is known."""
        found = self._antennas.get((scan.device, scan.antenna))
        if found is None:
            found = self._antennas[scan.device, scan.antenna] = AntennaPace()
        found.note(scan)
