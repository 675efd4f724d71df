"""What a calibration measured, as it is stored: counts and times, never a tag. Rates are made of the counts when needed."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from controller.calibration.statistics import Interval, quantile, wilson

Count = Annotated[int, Field(ge=0)]


class Outcome(Enum):
    """How the step of one antenna ended."""

    MEASURED = "measured"
    SKIPPED = "skipped"
    NOT_READ = "not_read"
    """Nothing was read there in the time that it was waited for."""
    ELSEWHERE = "elsewhere"
    """Cards were read, best at another antenna."""
    NO_SCANS = "no_scans"
    """The reader did not scan."""
    NOT_YET = "not_yet"
    """Not measured in this run nor in one before."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rate(_Record):
    """``hits`` of ``of`` trials."""

    hits: Count = 0
    of: Count = 0

    @model_validator(mode="after")
    def _fits(self) -> Rate:
        if self.hits > self.of:
            raise ValueError(f"{self.hits} hits of {self.of} trials")
        return self

    @property
    def share(self) -> float:
        """The rate, 0 for no trial."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval."""
        return wilson(self.hits, self.of)

    @property
    def missed(self) -> Rate:
        """The other outcome of the same trials."""
        return Rate(hits=self.of - self.hits, of=self.of)


class CardFigures(_Record):
    """One reference card at its antenna: readings in clean scans, and the longest run of misses."""

    card: str
    read: Rate
    longest_run: Count = 0


class NoiseFigures(_Record):
    """An antenna with nothing on it. ``readings`` counts scans that read any tag; ``tags`` how many different ones there were, of
    which ``known`` are cards of the deck; ``errors`` scans that the reader reported as disturbed. Times in milliseconds:
    ``periods_ms`` from scan to scan, ``inventories_ms`` how long one scan took, empty where the driver does not tell."""

    scans: Count = 0
    readings: Count = 0
    tags: Count = 0
    known: Count = 0
    errors: Count = 0
    periods_ms: tuple[float, ...] = ()
    inventories_ms: tuple[float, ...] = ()

    @property
    def error_rate(self) -> Rate:
        """Scans that tell nothing of what is absent."""
        return Rate(hits=self.errors, of=self.scans)

    def period_s(self) -> float | None:
        """Median time from scan to scan, in seconds."""
        return quantile(self.periods_ms, 0.5) / 1000 if self.periods_ms else None


class FilterSettings(_Record):
    """The presence filter of an antenna, as it was configured when the figures were judged."""

    appear_hits: int = 2
    appear_window: int = 3
    gone_misses: int = 8
    gone_s: float = 0.8


class AntennaFigures(_Record):
    """One antenna. ``bleed`` has the other antennas: how often each read a card that lay here. ``at`` is when it was measured,
    which may be an earlier run than the record's."""

    place: str
    line: str
    address: Count
    seldom: bool = False
    outcome: Outcome = Outcome.NOT_YET
    elsewhere: str | None = None
    at: datetime | None = None
    cards: tuple[CardFigures, ...] = ()
    errors: Rate = Rate()
    """Disturbed scans while cards lay there."""
    stacked: Rate | None = None
    """Readings of the same cards in a stack, where that was measured."""
    bleed: dict[str, Rate] = {}
    noise: NoiseFigures = NoiseFigures()
    presence: FilterSettings = FilterSettings()

    @property
    def read(self) -> Rate:
        """Readings of all its cards together."""
        return Rate(hits=sum(card.read.hits for card in self.cards), of=sum(card.read.of for card in self.cards))


class LineSettings(_Record):
    """How a line was set when it was measured."""

    name: str
    driver: str
    baud: int
    parity: str
    port: str


class Calibration(_Record):
    """One calibration, as its file holds it. ``scans`` is how many were asked for with cards, ``noise_scans`` without."""

    version: Literal[1] = 1
    at: datetime
    program: str
    venue: str
    table: str
    deck: str
    scans: Count
    noise_scans: Count
    lines: tuple[LineSettings, ...]
    round_s: float
    """Shortest time for one round over a line's antennas, as configured."""
    antennas: tuple[AntennaFigures, ...]

    def antenna(self, place: str) -> AntennaFigures | None:
        """The figures of one antenna."""
        return next((antenna for antenna in self.antennas if antenna.place == place), None)
