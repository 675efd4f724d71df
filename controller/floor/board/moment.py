"""A moment as it is passed in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple


class Moment(NamedTuple):
    """``s``: monotonic seconds, by which ages are counted. ``at``: aware UTC wall time, which people read."""

    s: float
    at: datetime


def told(at: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, as the floor's JSON has every time."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
