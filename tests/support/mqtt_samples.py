"""Payloads, a journal of public events and a listener that the tests of MQTT and displays share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from controller.displays.lineage import Lineage
from controller.displays.publisher import DisplayPublisher
from controller.displays.snapshot import Snapshot
from controller.mqtt.payloads import (
    Alarm,
    Device,
    DeviceHealth,
    Option,
    Payload,
    Pot,
    PublicEvent,
    PublicSeat,
    PublicView,
    SeatState,
    SeatView,
    Stakes,
    TableStatus,
    Words,
)
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.topics import TableTopics
from drivers.clock import LoopClock

AT = datetime(2026, 1, 2, 20, 15, tzinfo=UTC)
TOPICS = TableTopics("venue", "T12")


def seat(number: int, name: str, stack: int, state: SeatState, up: str = "", down: int = 0, **more: Any) -> PublicSeat:
    return PublicSeat(seat=number, name=name, stack=stack, state=state, up=tuple(up.split()), down=down, **more)


LIVE, FOLDED = SeatState.LIVE, SeatState.FOLDED
SEATS = (
    seat(1, "Amara", 70, LIVE, "Kd 8c 3s", 2),
    seat(2, "Bo", 90, FOLDED),
    seat(3, "Chloé", 79, LIVE, "9s Td Tc", 2, street_chips=8),
    seat(4, "Dmitri", 296, LIVE, "Jh 6s Kc", 2),
    seat(5, "Eve", 90, FOLDED),
    seat(6, "Franck", 0, SeatState.ALL_IN, "Qc 5s 7s", 2),
    seat(7, "Grace", 50, LIVE, "As 4d 9h", 2),
    seat(8, "", 0, SeatState.EMPTY),
)


def table(seq: int = 123, *, epoch: int = 2, **more: Any) -> dict[str, Any]:
    """Fields of fifth street with a bet of 8 from seat 3 and seat 4 to act."""
    return {
        "seq": seq,
        "epoch": epoch,
        "at": AT,
        "table": "T12",
        "variant": "stud",
        "stakes": Stakes(ante=1, bring_in=2, small=4, big=8),
        "hand": 1287,
        "street": 5,
        "phase": "betting",
        "seats": SEATS,
        "pots": (Pot(amount=50, seats=(1, 3, 4, 6, 7)), Pot(amount=8, seats=(1, 3, 4, 7))),
        "actor": 4,
        "price": 8,
        "opener": 3,
        "raises": 1,
        **more,
    }


def public_view(seq: int = 123, **more: Any) -> PublicView:
    return PublicView(**table(seq, **more))


def seat_view(number: int = 4, seq: int = 123, **more: Any) -> SeatView:
    options = (
        Option(verb="fold", to=0, amount=0),
        Option(verb="call", to=8, amount=8),
        Option(verb="raise", to=16, amount=16),
    )
    mine = {"seat": number, "to_call": 8, "is_actor": True, "my_pots": (0, 1), "can_win": 58, "options": options}
    return SeatView(**table(seq, **(mine | more)))


def event(seq: int, *, epoch: int = 2) -> PublicEvent:
    """The public event ``seq`` of a journal whose every record is one."""
    said: dict[str, Any] = {"event": "acted", "hand": 1287, "street": 5, "seat": 3, "verb": "bet", "to": 8}
    return PublicEvent(seq=seq, epoch=epoch, at=AT, previous=max(seq - 1, 0), **said)


def alarm(name: str, *, seq: int = 5, epoch: int = 2) -> Alarm:
    text = Words(en="Reader down at seat 3", fr="Lecteur en panne, siège 3")
    return Alarm(seq=seq, epoch=epoch, at=AT, alarm=name, code="reader_down", priority=1, raised_at=AT, text=text)


def device(name: str, *, seq: int = 5, epoch: int = 2) -> Device:
    return Device(seq=seq, epoch=epoch, at=AT, device=name, kind="feig", health=DeviceHealth.OK)


def snapshot(seq: int, *, epoch: int = 2, **more: Any) -> Snapshot:
    """Public view, two seats and one device; keyword arguments replace parts."""
    parts: dict[str, Any] = {
        "status": TableStatus.LIVE,
        "public": public_view(seq, epoch=epoch),
        "seats": {3: seat_view(3, seq, epoch=epoch), 4: seat_view(4, seq, epoch=epoch)},
        "events": (),
        "alarms": {},
        "devices": {"felt-a": device("felt-a", epoch=epoch)},
    }
    return Snapshot(seq=seq, epoch=epoch, at=AT, **(parts | more))


@dataclass(frozen=True)
class Arrived:
    """A message as the broker hands it out."""

    topic: str
    payload: bytes
    retain: bool = False


def arrived(topic: str, payload: Payload, *, retain: bool = False) -> Arrived:
    return Arrived(topic, payload.model_dump_json().encode(), retain)


@dataclass
class Journal:
    """Public events as committed; ``read`` is the publisher's backfill."""

    events: list[PublicEvent] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)

    def commit(self, *events: PublicEvent) -> tuple[PublicEvent, ...]:
        self.events += events
        return events

    async def read(self, from_seq: int, *, limit: int) -> tuple[PublicEvent, ...]:
        self.asked.append(from_seq)
        await asyncio.sleep(0)
        return tuple(one for one in self.events if one.seq >= from_seq)[:limit]


@dataclass
class Listener:
    """Handler that notes everything under its filters and can publish."""

    filters: Sequence[str] = (f"{TOPICS.root}/#",)
    heard: list[tuple[str, bytes, bool]] = field(default_factory=list)
    link: Publisher | None = None
    sessions: int = 0
    connected: asyncio.Event = field(default_factory=asyncio.Event)
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    def subscriptions(self) -> Sequence[str]:
        return self.filters

    def will(self) -> None:
        return None

    def farewell(self) -> None:
        return None

    async def run_session(self, link: Publisher) -> None:
        self.link = link
        self.sessions += 1
        self.connected.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.connected.clear()

    def on_message(self, message: Message) -> None:
        self.heard.append((message.topic, message.payload, message.retain))
        self._heard.set()

    async def until(self, true: Callable[[], object], *, within_s: float = 10.0) -> float:
        """Wait until ``true()`` holds, tried after each message; the loop's seconds that it took."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        async with asyncio.timeout(within_s):
            while not true():
                self._heard.clear()
                await self._heard.wait()
        return loop.time() - start

    def payloads(self, topic: str) -> list[bytes]:
        return [payload for name, payload, _ in self.heard if name == topic]


@dataclass
class Calls:
    """What a publisher told its owner."""

    fenced: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    called: list[tuple[int, str]] = field(default_factory=list)


def publisher(journal: Journal, calls: Calls | None = None, *, epoch: int = 2, opened_at: int | None = None) -> DisplayPublisher:
    calls = calls or Calls()
    return DisplayPublisher(
        TOPICS,
        epoch=epoch,
        clock=LoopClock(AT),
        backfill=journal.read,
        fenced=calls.fenced.append,
        lineage=Lineage(epoch, "5f0c9a1e", opened_at),
        refused_command=calls.refused.append,
        called=lambda seat, call: calls.called.append((seat, call)),
    )
