"""What tables tell a floor, recorded once at simulated tables and told again for as many others as are wanted.

A recording goes round and round; each lap has its own numbers, hands and times. What is told is a function of the table and the
place in its stream, so that the same event can be told twice, asked for, and compared with what was kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from controller.mqtt.links import BEGINS, TELLER, ChainName, start_of
from controller.mqtt.payloads import BACKFILL_PAGE
from controller.mqtt.topics import ROOT
from controller.rehearsal import Play, memory_rehearsal
from simulators.habits import rebuy
from simulators.memory_broker import MemoryBroker, MemoryClient, MemoryMessage
from simulators.packets import ShuffledPackets
from simulators.players import Player, RandomPlayer
from simulators.virtual_time import run_virtual

VARIANTS: Final = ("stud", "stud8", "razz")
SEATS: Final = range(1, 7)
BUY_IN: Final = 200
EPOCH: Final = 1
VIRTUAL_S: Final = 36_000.0
STEP: Final = 37
"""By how many messages of its recording each table is ahead of the one before: they are not all at one point of a hand."""
_EVENTS: Final = "events"
_PUBLIC: Final = "public"


class Told(NamedTuple):
    """A message that a table told: the end of its topic, and its payload."""

    topic: str
    payload: bytes


def record(variant: str, seed: int, hands: int) -> list[Told]:
    """What a simulated table tells a floor during ``hands`` hands, in order, but for its status: that is a beat."""
    broker, listener = MemoryBroker(), _Listener()
    play = Play(variant=variant, seats={seat: (f"P{seat}", BUY_IN) for seat in SEATS})

    async def story() -> None:
        rng = random.Random(seed)
        rehearsal = memory_rehearsal(play, seed=seed, broker=broker)
        listening = asyncio.create_task(MemoryClient(broker, "recorder", listener).run())
        async with rehearsal.opened() as app:
            players: dict[int, Player] = {seat: RandomPlayer(random.Random(rng.getrandbits(64)), 0.3, 0.5) for seat in SEATS}
            packets = ShuffledPackets(random.Random(rng.getrandbits(64)))
            await rehearsal.deal(app, players, packets, hands=hands, before_hand=rebuy(BUY_IN))
            await asyncio.sleep(1)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)

    run_virtual(story(), max_seconds=VIRTUAL_S)
    return listener.told


class _Listener:
    """Takes down what a floor would subscribe to."""

    def __init__(self) -> None:
        self.told: list[Told] = []

    def subscriptions(self) -> tuple[str, ...]:
        return tuple(f"{ROOT}/demo/T1/{part}" for part in (_PUBLIC, _EVENTS, "alarms/+", "devices/+"))

    def will(self) -> None:
        """It tells nothing."""

    def farewell(self) -> None:
        """It tells nothing."""

    async def run_session(self, _: object) -> None:
        await asyncio.Event().wait()

    def on_message(self, message: MemoryMessage) -> None:
        if message.payload:
            self.told.append(Told(message.topic.split("/", 4)[4], message.payload))


@dataclass(frozen=True, slots=True)
class _Item:
    """One message of a lap. ``event`` and ``view``: its number among the events and the public views of the lap, or -1.
    ``content``: of an event what its link binds; ``begins``: a stretch of that chain begins with it."""

    topic: str
    template: str
    content: str
    begins: bool
    seq: int
    previous: int
    hand: int
    event: int
    view: int


class Recording:
    """A lap as templates."""

    def __init__(self, told: list[Told]) -> None:
        self.items: list[_Item] = []
        self.events: list[int] = []
        """Places of the events among the items."""
        self.seqs: list[int] = []
        """Their numbers in the journal, rising."""
        self.views = 0
        self.hands = 0
        for topic, payload in told:
            body: dict[str, Any] = json.loads(payload)
            self.hands = max(self.hands, body.get("hand") or 0)
            is_event, is_view = topic == _EVENTS, topic == _PUBLIC
            item = _Item(
                topic,
                _template(body, is_view=is_view),
                _content(body) if is_event else "",
                body.get("event") == BEGINS,
                body["seq"],
                body.get("previous") or 0,
                body.get("hand") or 0,
                len(self.events) if is_event else -1,
                self.views if is_view else -1,
            )
            if is_event:
                self.events.append(len(self.items))
                self.seqs.append(item.seq)
            self.views += is_view
            self.items.append(item)
        self.length = self.seqs[-1]
        """Records of a lap: the last one is an event, after which nothing is told."""
        self.items = [item for item in self.items if item.seq <= self.length]
        self.views = sum(item.view >= 0 for item in self.items)

    @classmethod
    def of(cls, variant: str, seed: int, hands: int) -> Recording:
        """See ``record``."""
        return cls(record(variant, seed, hands))


def _content(body: dict[str, Any]) -> str:
    """What the link of an event binds, as a template."""
    return _template({key: value for key, value in body.items() if key not in TELLER and value is not None}, is_content=True)


def _template(body: dict[str, Any], *, is_view: bool = False, is_content: bool = False) -> str:
    """The payload with places for what differs from lap to lap; the stack of a view's first seat counts the views told."""
    marked = {**body, "seq": "\0seq", "at": "%(at)s"}
    if not is_content:
        marked["epoch"] = EPOCH
    if "link" in body:
        marked |= {"link": "%(link)s", "head": "\0head"}
    if body.get("previous") is not None:
        marked["previous"] = "\0previous"
    if body.get("hand") is not None:
        marked["hand"] = "\0hand"
    if is_view:
        first, *others = body["seats"]
        marked["seats"] = [{**first, "stack": "\0view"}, *others]
    text = json.dumps(marked, separators=(",", ":"), ensure_ascii=False, sort_keys=is_content).replace("%", "%%")
    for name in ("at", "link"):
        text = text.replace(f"%%({name})s", f"%({name})s")
    for name in ("seq", "previous", "hand", "view", "head"):
        text = text.replace(f'"\\u0000{name}"', f"%({name})s")
    return text


@lru_cache(maxsize=64)
def _second(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _moment(at_ms: int) -> str:
    """As payloads have it."""
    fraction = f".{at_ms % 1000:03}000" if at_ms % 1000 else ""
    return f"{_second(at_ms // 1000)}{fraction}Z"


class Stream:
    """What table ``number`` (from 0) tells at ``rate`` messages a second: a status a second, the rest from its recording.

    ``began_ms`` is the wall time of its first message; what the recording has before its first place was told earlier.
    """

    def __init__(self, recording: Recording, number: int, *, rate: int, began_ms: int) -> None:
        self.table = f"T{number + 1}"
        self.journal = f"{number:08x}"
        self._recording = recording
        self._rate = rate
        self._began_ms = began_ms
        self._first = self._next = number * STEP % len(recording.items)
        self._messages = 0
        self._links: list[str] = []
        self.view = self._views_before(self._first) - 1
        """Number of the public view that was told last."""

    @property
    def last_seq(self) -> int:
        """Record that was told last; 0 for none."""
        return self._seq(self._next - 1) if self._next else 0

    @property
    def told_events(self) -> int:
        """How many events were told, those before its first message included."""
        lap, place = divmod(self._next, len(self._recording.items))
        return lap * len(self._recording.events) + bisect_left(self._recording.events, place)

    @property
    def last_event_seq(self) -> int:
        """Record of the event that was told last; 0 for none."""
        return self._event_seq(self.told_events - 1) if self.told_events else 0

    def message(self) -> Told:
        """The next one."""
        number, self._messages = self._messages, self._messages + 1
        if number % self._rate == 0:
            return self.beat()
        place, self._next = self._next, self._next + 1
        return self._render(place)

    def skip(self, messages: int) -> None:
        """As if so many had been told from the beginning."""
        self._messages = messages
        self._next = self._first + messages - -(-messages // self._rate)
        lap, place = divmod(self._next, len(self._recording.items))
        self.view = lap * self._recording.views + self._views_before(place) - 1

    def beat(self) -> Told:
        """The status of now."""
        seq = self.last_seq
        body = {
            "seq": seq,
            "epoch": EPOCH,
            "at": _moment(self._at_ms(self._next)),
            "status": "live",
            "journal": self.journal,
            "head": self._head(seq),
            "last_event": self.last_event_seq or None,
            "last_link": self._link(self.told_events - 1) if self.told_events else None,
        }
        return Told("status", json.dumps(body, separators=(",", ":")).encode())

    def newest_view(self) -> Told | None:
        """The public view that was told last, told again."""
        if self.view < 0:
            return None
        recording = self._recording
        lap, view = divmod(self.view, recording.views)
        place = next(place for place, item in enumerate(recording.items) if item.view == view)
        return self._render(lap * len(recording.items) + place)

    def answer(self, request: str, from_seq: int) -> bytes:
        """What a table answers to ``request/backfill``."""
        told, number = self.told_events, self._event_from(from_seq)
        page = [self._event(at).decode() for at in range(number, min(told, number + BACKFILL_PAGE))]
        head = f'"seq":{self.last_seq},"epoch":{EPOCH},"at":"{_moment(self._at_ms(self._next))}"'
        more = "true" if number + BACKFILL_PAGE < told else "false"
        return (
            f'{{{head},"request":{json.dumps(request)},"from_seq":{from_seq},"events":[{",".join(page)}],"more":{more}}}'.encode()
        )

    def events(self) -> Iterator[bytes]:
        """Every event that was told, from the journal's first on."""
        return (self._event(number) for number in range(self.told_events))

    def _render(self, place: int) -> Told:
        recording = self._recording
        lap, within = divmod(place, len(recording.items))
        item = recording.items[within]
        shift = lap * recording.length
        view = lap * recording.views + item.view
        if item.view >= 0:
            self.view = max(self.view, view)
        values = self._values(lap, item, place)
        if item.event >= 0:
            values["link"] = self._link(lap * len(recording.events) + item.event)
            values["head"] = f'"{self._head(item.seq + shift - 1)}"' if item.begins or not values["previous"] else "null"
        return Told(item.topic, (item.template % values).encode())

    def _values(self, lap: int, item: _Item, place: int) -> dict[str, Any]:
        """What of an item differs from lap to lap."""
        shift = lap * self._recording.length
        return {
            "seq": item.seq + shift,
            "at": _moment(self._at_ms(place)),
            "previous": item.previous + shift if item.event or not lap else shift,
            "hand": item.hand + lap * self._recording.hands,
            "view": lap * self._recording.views + item.view,
        }

    def _head(self, seq: int) -> str:
        """Of the journal's own chain after a record: any, but always the same."""
        return hashlib.sha256(f"{self.journal}-{seq}".encode()).hexdigest()

    def _link(self, number: int) -> str:
        """Of an event; links are made in order, since each binds the one before (``controller.mqtt.links``)."""
        recording, links = self._recording, self._links
        while len(links) <= number:
            lap, within = divmod(len(links), len(recording.events))
            place = recording.events[within]
            item = recording.items[place]
            values = self._values(lap, item, lap * len(recording.items) + place)
            if item.begins or not links:
                before = start_of(ChainName(self.table, self.journal), values["previous"], self._head(values["seq"] - 1))
            else:
                before = links[-1]
            said = hashlib.sha256((item.content % values).encode()).digest()
            links.append(hashlib.sha256(bytes.fromhex(before) + said).hexdigest())
        return links[number]

    def _views_before(self, place: int) -> int:
        """Public views of a lap before ``place``."""
        return sum(item.view >= 0 for item in self._recording.items[:place])

    def _at_ms(self, place: int) -> int:
        since = place - self._first
        message = since // (self._rate - 1) * self._rate + since % (self._rate - 1) + 1
        return self._began_ms + message * 1000 // self._rate

    def _seq(self, place: int) -> int:
        lap, within = divmod(place, len(self._recording.items))
        return self._recording.items[within].seq + lap * self._recording.length

    def _event(self, number: int) -> bytes:
        lap, within = divmod(number, len(self._recording.events))
        return self._render(lap * len(self._recording.items) + self._recording.events[within]).payload

    def _event_seq(self, number: int) -> int:
        lap, within = divmod(number, len(self._recording.seqs))
        return self._recording.seqs[within] + lap * self._recording.length

    def _event_from(self, seq: int) -> int:
        """Number of the first event whose record is ``seq`` or a later one."""
        lap, within = divmod(max(seq, 1) - 1, self._recording.length)
        return lap * len(self._recording.seqs) + bisect_left(self._recording.seqs, within + 1)
