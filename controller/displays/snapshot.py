"""What the publisher is offered: the table as committed, whole or to be drawn when there is time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from controller.mqtt.payloads import Alarm, Device, PublicEvent, PublicView, SeatView, TableStatus


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table as committed at ``seq``; ``events`` are the public events since the last snapshot offered.

    ``public`` is None until there is a picture to show. ``seats`` maps 1-based seats, ``alarms`` ids, ``devices`` names; what is
    no longer in a mapping is deleted at the broker.
    """

    seq: int
    epoch: int
    at: datetime
    status: TableStatus
    public: PublicView | None
    seats: Mapping[int, SeatView]
    events: tuple[PublicEvent, ...]
    alarms: Mapping[str, Alarm]
    devices: Mapping[str, Device]


@dataclass(frozen=True, slots=True)
class Draft:
    """A snapshot whose views are drawn by ``draw`` when there is time for them, or never, when a newer one comes before."""

    seq: int
    epoch: int
    at: datetime
    status: TableStatus
    events: tuple[PublicEvent, ...]
    draw: Callable[[], Snapshot]
    head: str | None = None
    """The journal's head after ``seq``, hexadecimal."""
