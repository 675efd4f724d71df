"""What the publisher is offered: the table as committed, whole or to be drawn when there is time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from controller.mqtt.compact import compact_of
from controller.mqtt.payloads import Alarm, Device, Payload, PublicEvent, PublicView, SeatView, TableStatus
from controller.mqtt.topics import TableTopics


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

    def retained(self, topics: TableTopics) -> dict[str, Payload]:
        """What the broker is to keep of it, by topic; the status is not among it."""
        wanted: dict[str, Payload] = {} if self.public is None else {topics.public: self.public}
        wanted |= {topics.seat(seat): view for seat, view in sorted(self.seats.items())}
        wanted |= {topics.compact(seat): compact_of(view) for seat, view in sorted(self.seats.items())}
        wanted |= {topics.alarm(name): alarm for name, alarm in sorted(self.alarms.items())}
        wanted |= {topics.device(name): device for name, device in sorted(self.devices.items())}
        return wanted


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
    dealer: str | None = None
    """Name of who drives the table."""
    clock_trusted: bool | None = None
    """Whether something keeps the table's wall clock; ``None`` where nothing tells."""
