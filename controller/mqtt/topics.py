"""Topic names of a table: ``stud/v1/<venue>/<table>/…``. Builders for those who publish, a parser for those who listen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

ROOT: Final = "stud/v1"
_SEGMENT: Final = re.compile(r"[^/+#$\x00-\x1f\x7f\s][^/+#\x00-\x1f\x7f]*")
_MAX_SEGMENT: Final = 64


def check_segment(text: str) -> str:
    """``text`` if it may stand between two slashes of a topic, else ``ValueError``."""
    if len(text) > _MAX_SEGMENT or not _SEGMENT.fullmatch(text):
        raise ValueError(f"{text!r} cannot be part of a topic: 1 to {_MAX_SEGMENT} characters, none of / + #")
    return text


@dataclass(frozen=True, slots=True)
class StatusTopic:
    """Retained; also the last will."""


@dataclass(frozen=True, slots=True)
class PublicTopic:
    """Retained public view."""


@dataclass(frozen=True, slots=True)
class SeatTopic:
    """Retained view of one seat; ``seat`` is 1-based."""

    seat: int


@dataclass(frozen=True, slots=True)
class AlarmTopic:
    """Retained until the alarm is cleared."""

    alarm: str


@dataclass(frozen=True, slots=True)
class DeviceTopic:
    """Retained state of one device."""

    device: str


@dataclass(frozen=True, slots=True)
class EventsTopic:
    """Public events in order, QoS 1, not retained."""


@dataclass(frozen=True, slots=True)
class RequestTopic:
    """Somebody asks; ``what`` may be anything, and only ``snapshot`` and ``backfill`` are answered."""

    what: str


@dataclass(frozen=True, slots=True)
class CommandTopic:
    """A topic on which other systems expect commands. None travels over MQTT: it is refused and alarmed."""


@dataclass(frozen=True, slots=True)
class ReplyTopic:
    """The answer to the request with this id."""

    request: str


Topic: TypeAlias = (
    StatusTopic | PublicTopic | SeatTopic | AlarmTopic | DeviceTopic | EventsTopic | RequestTopic | CommandTopic | ReplyTopic
)


@dataclass(frozen=True, slots=True)
class TableTopics:
    """Every topic of one table. ``venue`` and ``table`` are single segments (``ValueError`` otherwise)."""

    venue: str
    table: str

    def __post_init__(self) -> None:
        check_segment(self.venue)
        check_segment(self.table)

    @property
    def root(self) -> str:
        """Without the closing slash."""
        return f"{ROOT}/{self.venue}/{self.table}"

    @property
    def status(self) -> str:
        """``status``."""
        return f"{self.root}/status"

    @property
    def public(self) -> str:
        """``public``."""
        return f"{self.root}/public"

    @property
    def events(self) -> str:
        """``events``."""
        return f"{self.root}/events"

    @property
    def request_snapshot(self) -> str:
        """``request/snapshot``."""
        return f"{self.root}/request/snapshot"

    @property
    def request_backfill(self) -> str:
        """``request/backfill``."""
        return f"{self.root}/request/backfill"

    @property
    def requests(self) -> tuple[str, ...]:
        """Filters of everything that somebody might send to the table."""
        return (f"{self.root}/request/#", f"{self.root}/command/#")

    @property
    def own_retained(self) -> tuple[str, ...]:
        """Filters under which a broker may hold what an earlier process of this table left behind."""
        return (self.status, self.public, f"{self.root}/seat/+", f"{self.root}/alarms/+", f"{self.root}/devices/+")

    def seat(self, seat: int) -> str:
        """``seat/<n>``, 1-based."""
        if seat < 1:
            raise ValueError(f"seat {seat} is no seat: seats count from 1")
        return f"{self.root}/seat/{seat}"

    def alarm(self, alarm: str) -> str:
        """``alarms/<id>``."""
        return f"{self.root}/alarms/{check_segment(alarm)}"

    def device(self, device: str) -> str:
        """``devices/<name>``."""
        return f"{self.root}/devices/{check_segment(device)}"

    def reply(self, request: str) -> str:
        """``reply/<request id>``."""
        return f"{self.root}/reply/{check_segment(request)}"

    def parse(self, topic: str) -> Topic | None:
        """What ``topic`` is at this table; None for another table's or an unknown topic."""
        if not topic.startswith(self.root + "/"):
            return None
        match topic[len(self.root) + 1 :].split("/"):
            case ["status"]:
                return StatusTopic()
            case ["public"]:
                return PublicTopic()
            case ["events"]:
                return EventsTopic()
            case ["seat", seat] if seat.isascii() and seat.isdigit() and 0 < len(seat) <= 2 and int(seat) >= 1:
                return SeatTopic(int(seat))
            case ["alarms", alarm] if alarm:
                return AlarmTopic(alarm)
            case ["devices", device] if device:
                return DeviceTopic(device)
            case ["reply", request] if request:
                return ReplyTopic(request)
            case ["request", *what]:
                return RequestTopic("/".join(what))
            case ["command", *_]:
                return CommandTopic()
            case _:
                return None
