"""Topic names of a table: ``stud/v1/<venue>/<table>/…``. Builders for those who publish, a parser for those who listen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

ROOT: Final = "stud/v1"
_SEGMENT: Final = re.compile(r"[^/+#$\x00-\x1f\x7f\s][^/+#\x00-\x1f\x7f]*")
_MAX_SEGMENT: Final = 64
_SEAT: Final = re.compile(r"[1-9][0-9]?")
_SENT_TO: Final = ("request", "command", "commands", "cmd", "set")
"""Where others send what a table shall do, in any case; only two requests in lower case are answered."""


def is_segment(text: str) -> bool:
    """Whether ``text`` may stand between two slashes of a topic."""
    return len(text) <= _MAX_SEGMENT and _SEGMENT.fullmatch(text) is not None


def check_segment(text: str) -> str:
    """``text`` if it may stand between two slashes of a topic, else ``ValueError``."""
    if not is_segment(text):
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
class CompactTopic:
    """Retained: what the display of one seat shows, in few bytes; ``seat`` is 1-based."""

    seat: int


@dataclass(frozen=True, slots=True)
class EchoTopic:
    """A display of one seat says what it shows; ``seat`` is 1-based."""

    seat: int


@dataclass(frozen=True, slots=True)
class CallTopic:
    """The player of one seat asks for the floor; ``seat`` is 1-based."""

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
    StatusTopic
    | PublicTopic
    | SeatTopic
    | CompactTopic
    | EchoTopic
    | CallTopic
    | AlarmTopic
    | DeviceTopic
    | EventsTopic
    | RequestTopic
    | CommandTopic
    | ReplyTopic
)

_SEAT_TOPICS: Final[Mapping[str, type[SeatTopic | CompactTopic | EchoTopic | CallTopic]]] = {
    "seat": SeatTopic,
    "compact": CompactTopic,
    "echo": EchoTopic,
    "call": CallTopic,
}


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
        """Filters of everything that somebody might send to the table, under each name that others give to commands."""
        spelt = [said for name in _SENT_TO for said in (name, name.capitalize(), name.upper())]
        return tuple(f"{self.root}/{said}/#" for said in spelt)

    @property
    def of_displays(self) -> tuple[str, ...]:
        """Filters of what all displays say: what they show, and that a player asks for the floor."""
        return f"{self.root}/echo/+", f"{self.root}/call/+"

    @property
    def own_retained(self) -> tuple[str, ...]:
        """Filters under which a broker may hold what an earlier process of this table left behind."""
        kinds = (f"{self.root}/{kind}/+" for kind in ("seat", "compact", "alarms", "devices"))
        return (self.status, self.public, *kinds)

    def seat(self, seat: int) -> str:
        """``seat/<n>``, 1-based."""
        return self._of_seat("seat", seat)

    def compact(self, seat: int) -> str:
        """``compact/<n>``, 1-based."""
        return self._of_seat("compact", seat)

    def echo(self, seat: int) -> str:
        """``echo/<n>``, 1-based."""
        return self._of_seat("echo", seat)

    def call(self, seat: int) -> str:
        """``call/<n>``, 1-based."""
        return self._of_seat("call", seat)

    def _of_seat(self, kind: str, seat: int) -> str:
        if seat < 1:
            raise ValueError(f"seat {seat} is no seat: seats count from 1")
        return f"{self.root}/{kind}/{seat}"

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
            case ["seat" | "compact" | "echo" | "call" as kind, seat] if _SEAT.fullmatch(seat):
                return _SEAT_TOPICS[kind](int(seat))
            case ["alarms", alarm] if alarm:
                return AlarmTopic(alarm)
            case ["devices", device] if device:
                return DeviceTopic(device)
            case ["reply", request] if request:
                return ReplyTopic(request)
            case ["request", *what]:
                return RequestTopic("/".join(what))
            case [sent, *_] if sent.lower() in _SENT_TO:
                return CommandTopic()
            case _:
                return None
