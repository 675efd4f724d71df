"""PostgreSQL's partitions of the events, one a month of the event's own time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple

YEARS: Final = range(2020, 2100)
"""Years that get partitions; a clock that is wrong by more than that fills the one for everything else."""
_YEAR_MONTHS: Final = 12


class Month(NamedTuple):
    """A month of UTC."""

    year: int
    month: int

    @property
    def next(self) -> Month:
        """The month after."""
        return Month(self.year + self.month // _YEAR_MONTHS, self.month % _YEAR_MONTHS + 1)

    @property
    def partition(self) -> str:
        """Name of the partition."""
        return f"events_{self.year:04}_{self.month:02}"

    @property
    def begins(self) -> datetime:
        """Its first moment."""
        return datetime(self.year, self.month, 1, tzinfo=UTC)

    @property
    def start(self) -> str:
        """Its first moment, as PostgreSQL reads it."""
        return f"{self.year:04}-{self.month:02}-01 00:00:00+00"


def months_of(times: Iterable[datetime]) -> list[Month]:
    """The months that want a partition, in order."""
    moments = {Month(utc.year, utc.month) for utc in (at.astimezone(UTC) for at in times)}
    return sorted(month for month in moments if month.year in YEARS)


def make_partition(month: Month) -> str:
    """The statement that makes it where it is missing; nothing in it comes from outside."""
    span = f"FROM ('{month.start}') TO ('{month.next.start}')"
    return f"CREATE TABLE IF NOT EXISTS {month.partition} PARTITION OF events FOR VALUES {span}"
