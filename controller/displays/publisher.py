"""Publishes the table over MQTT: retained views, the ordered stream of public events, answers to requests.

Takes committed snapshots and never makes the table wait: the newest state is kept, older ones that the broker has not seen are
passed over, and events wait in a bounded outbox. A display is a function of the state, not of the stream.

Events go out first, and the views of a drafted snapshot are drawn after them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, assert_never

from pydantic import ValidationError

from controller.displays.answers import backfill_reply, request_in, snapshot_reply
from controller.displays.echo import EchoWatch
from controller.displays.intrusion import IntrusionAlarm
from controller.displays.lineage import Lineage
from controller.displays.outbox import PAGE, Backfill, EventOutbox
from controller.displays.snapshot import Draft, Snapshot
from controller.mqtt.client import WillMessage
from controller.mqtt.compact import CompactView, call_in
from controller.mqtt.payloads import Alarm, BackfillRequest, Device, Payload, SnapshotRequest, Stamp, StatusPayload, TableStatus
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.reading import read
from controller.mqtt.topics import (
    AlarmTopic,
    CallTopic,
    CommandTopic,
    CompactTopic,
    DeviceTopic,
    EchoTopic,
    PublicTopic,
    RequestTopic,
    SeatTopic,
    StatusTopic,
    TableTopics,
)
from drivers.clock import Clock, Pulse

HEARTBEAT_S: Final = 1.0
LISTEN_FIRST_S: Final = 0.15
"""How long a fresh connection listens for what another controller left at the broker before it says anything."""
MAX_REQUESTS: Final = 32
"""Requests that wait for an answer; one more is dropped, and its asker asks again."""
_ANSWERS_A_ROUND: Final = 4
MAX_STALE: Final = 256
"""Topics left behind by an earlier process that are noted for deletion on one connection."""

_log = logging.getLogger("controller.displays")


class DisplayPublisher:
    """Handler of the table's one connection.

    ``backfill`` reads public events from the journal. ``fenced(epoch)`` is called once when the broker shows what is beyond
    ``lineage``: a controller of a larger epoch, or records of this journal that are not here (a copy from before a restore goes
    on elsewhere, or our tail is lost). Then this one publishes nothing more and must stop. ``refused_command(topic)`` is called
    for whatever looks like a command, is retained on a request topic, or does not fit the schema; it raises an alarm as well.
    ``called(seat, call)`` hears of a player's call for the floor. ``http`` is the address that the status announces.
    """

    def __init__(
        self,
        topics: TableTopics,
        *,
        epoch: int,
        clock: Clock,
        backfill: Backfill,
        fenced: Callable[[int], None],
        lineage: Lineage | None = None,
        refused_command: Callable[[str], None] = lambda _: None,
        called: Callable[[int, str], None] = lambda _seat, _call: None,
        expected: Collection[int] | None = None,
        http: str | None = None,
    ) -> None:
        self._topics = topics
        self._epoch = epoch
        self._clock = clock
        self._backfill = backfill
        self._tell_fenced, self._refused_command, self._called = fenced, refused_command, called
        self._outbox = EventOutbox(backfill)
        self._lineage = lineage or Lineage(epoch)
        self._pulse = Pulse(clock.monotonic())
        self._head: str | None = None
        self._announced: dict[str, str | bool | None] = {"http": http, "dealer": None, "clock_trusted": None}
        self._seq = 0
        self._intrusion = IntrusionAlarm()
        self._alarms_due = False
        self._echoes = EchoWatch(epoch, expected)
        self._beats, self._beating = deque[str](), frozenset[str]()
        self._status = TableStatus.STARTING
        self._draft: Draft | None = None
        self._snapshot: Snapshot | None = None
        self._wanted: dict[str, Payload] = {}
        self._served: Snapshot | None = None
        self._noted: Snapshot | None = None
        self._last: dict[str, bytes] = {}
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._fence = asyncio.Event()
        self._sent: dict[str, str] = {}
        self._stale: set[str] = set()
        self._requests: deque[SnapshotRequest | BackfillRequest] = deque()
        self._status_due = True
        self._connected = False
        self._is_first = True
        self._kept_journal: str | None = None
        self._kept_seq: int | None = None

    @property
    def connected(self) -> bool:
        """Whether a session runs: displays are being served."""
        return self._connected

    @property
    def outbox(self) -> EventOutbox:
        """Events on their way to the broker."""
        return self._outbox

    @property
    def is_fenced(self) -> bool:
        """Whether a controller of a larger epoch was seen."""
        return self._fence.is_set()

    def offer(self, offered: Snapshot | Draft) -> None:
        """Take a committed snapshot; never blocks. ``ValueError``: other epoch, older seq, or a name that fits no topic."""
        if offered.epoch != self._epoch:
            raise ValueError(f"snapshot of epoch {offered.epoch} offered to the publisher of epoch {self._epoch}")
        if offered.seq < self._seq:
            raise ValueError(f"snapshot {offered.seq} offered after {self._seq}")
        match offered:
            case Snapshot():
                self._keep(offered)
                self._head = None
            case Draft():
                self._draft, self._head = offered, offered.head
                said = {**self._announced, "dealer": offered.dealer, "clock_trusted": offered.clock_trusted}
                self._status_due, self._announced = self._status_due or said != self._announced, said
            case _:
                assert_never(offered)
        self._status_due |= offered.status is not self._status
        self._seq, self._status = offered.seq, offered.status
        self._outbox.add(offered.events)
        self._stir()

    def _keep(self, snapshot: Snapshot) -> None:
        self._wanted = snapshot.retained(self._topics)
        self._beating = frozenset(name(seat) for seat in snapshot.seats for name in (self._topics.seat, self._topics.compact))
        self._snapshot, self._draft = snapshot, None

    def _newest(self) -> Snapshot | None:
        """The newest snapshot, drawn now when it was only drafted."""
        if self._draft is not None:
            self._keep(self._draft.draw())
        return self._snapshot

    async def drained(self) -> None:
        """Return when the broker has acknowledged everything offered; waits for ever while there is no broker."""
        await self._idle.wait()

    def subscriptions(self) -> Sequence[str]:
        """Own retained topics and everything that might be sent to the table."""
        return (*self._topics.own_retained, *self._topics.requests, *self._topics.of_displays)

    def will(self) -> WillMessage:
        """``lost``, with our epoch, so that a reader knows whose."""
        return WillMessage(self._topics.status, _json(self._status_payload(TableStatus.LOST)))

    def farewell(self) -> WillMessage | None:
        """The status at an orderly stop; ``lost`` when the table was not brought to rest first; nothing when fenced."""
        if self.is_fenced:
            return None
        at_rest = self._status in (TableStatus.CLOSED, TableStatus.SUSPENDED)
        return WillMessage(self._topics.status, _json(self._status_payload(self._status if at_rest else TableStatus.LOST)))

    async def run_session(self, link: Publisher) -> None:
        """Republish everything retained, then every change, events and answers until the connection is lost."""
        self._sent.clear()
        self._beats.clear()
        self._served = None
        self._status_due = True
        self._echoes.connected(asyncio.get_running_loop().time())
        await _wait(self._fence, LISTEN_FIRST_S)
        self._resume()
        self._connected = True
        try:
            await self._serve(link)
        finally:
            self._connected = False
            self._idle.clear()

    def _resume(self) -> None:
        """Send what an earlier controller of this journal left unsent: its picture follows on the events up to it."""
        is_ours = self._lineage.journal is not None and self._kept_journal == self._lineage.journal
        if self._is_first and is_ours and self._kept_seq is not None:
            self._outbox.resume(self._kept_seq, self._seq)
        self._is_first = False

    async def _serve(self, link: Publisher) -> None:
        loop = asyncio.get_running_loop()
        heartbeat_at = loop.time()
        while not self.is_fenced:
            self._wake.clear()
            if self._status_due or loop.time() >= heartbeat_at:
                self._status_due = False
                self._alarms_due |= self._intrusion.forget(loop.time())
                self._alarms_due |= self._echoes.look(loop.time(), self._clock.wall())
                heartbeat_at = loop.time() + HEARTBEAT_S
                await self._send(link, self._topics.status, _json(self._status_payload(self._status)), retain=True)
                self._note_pictures()
                self._beats = deque(topic for topic in self._sent if topic in self._beating)
            await self._send_events(link)
            await self._send_retained(link)
            await self._send_beats(link)
            await self._answer_requests(link)
            if self._wake.is_set() or self._requests or self._beats or not self._outbox.empty:
                continue
            self._idle.set()
            await _wait(self._wake, heartbeat_at - loop.time())

    async def _send_retained(self, link: Publisher) -> None:
        """Everything retained that differs from what this connection's broker has acknowledged, until an event waits."""
        snapshot = self._newest()
        if snapshot is None or (snapshot is self._served and not self._stale and not self._alarms_due):
            return
        self._alarms_due = False
        self._note_pictures()
        wanted = self._wanted | self._own_topics()
        for topic, payload in wanted.items():
            body = payload.model_dump_json(exclude={"seq", "epoch", "at"})
            if self._sent.get(topic) != body:
                if not self._outbox.empty:
                    self._alarms_due = True  # what is left follows after the event
                    return
                await self._send(link, topic, _json(payload), retain=True)
                self._sent[topic] = body
        gone = [topic for topic in self._sent if topic not in wanted]
        if snapshot.public is not None:
            gone += sorted(self._stale - self._sent.keys() - wanted.keys())
            self._stale.clear()
        for topic in gone:
            await self._send(link, topic, b"", retain=True)
            self._sent.pop(topic, None)
        self._served = snapshot

    def _note_pictures(self) -> None:
        """What the displays are about to be sent; a seat's two topics bear one picture, and an echo may follow on the first."""
        if self._snapshot is self._noted:
            return
        self._noted = self._snapshot
        now = asyncio.get_running_loop().time()
        for payload in self._wanted.values():
            if isinstance(payload, CompactView) and self._snapshot is not None:
                self._echoes.sent(payload.seat, payload.digest(), self._snapshot.seq, now)

    async def _send_beats(self, link: Publisher) -> None:
        """The seats' pictures once more as a sign of life, with the newest number and the time of now, until an event waits."""
        stamp, of = "", -1
        while self._beats and self._outbox.empty and self._snapshot is not None:
            topic = self._beats.popleft()
            body = self._sent.get(topic)
            if topic not in self._wanted or body is None:
                continue
            if self._snapshot.seq != of:
                of = self._snapshot.seq
                stamp = Stamp(seq=of, epoch=self._epoch, at=self._clock.wall()).model_dump_json()[:-1]
            await self._send(link, topic, f"{stamp},{body[1:]}".encode(), retain=True, qos=0)

    async def _send_events(self, link: Publisher) -> None:
        """Up to a page of events, each acknowledged before the next, so that no reader sees them out of order."""
        for _ in range(PAGE):
            if self._outbox.head is None:
                await self._outbox.refill()
            event = self._outbox.head
            if event is None:
                return
            told = event.model_dump_json(exclude_none=True).encode()  # most fields are of other kinds of events
            await self._send(link, self._topics.events, told, retain=False)
            self._outbox.acknowledge(event)

    async def _answer_requests(self, link: Publisher) -> None:
        for _ in range(min(len(self._requests), _ANSWERS_A_ROUND)):
            request = self._requests.popleft()
            reply: Payload
            match request:
                case BackfillRequest():
                    reply = await backfill_reply(request, self._stamp(), self._backfill)
                case SnapshotRequest():
                    snapshot = self._newest()
                    reply = snapshot_reply(request, self._stamp(), self._status, snapshot, self._own_alarms(), self.displays)
                case _:
                    assert_never(request)
            await self._send(link, self._topics.reply(request.request), _json(reply), retain=False)

    def on_message(self, message: Message) -> None:
        """Own retained topics and requests; everything else that arrives looks like a command and is refused."""
        if self._last.get(message.topic) == message.payload and not message.retain:
            return  # our own sign of life, as the broker tells it to everybody
        match self._topics.parse(message.topic):
            case StatusTopic():
                self._hear_status(message)
            case PublicTopic():
                heard = self._hear_epoch(message)
                if message.retain and heard is not None:
                    self._kept_seq = heard.seq
            case SeatTopic() | CompactTopic() | AlarmTopic() | DeviceTopic():
                self._hear_epoch(message)
                if message.retain and message.payload and len(self._stale) < MAX_STALE:
                    self._stale.add(message.topic)
                    self._stir()
            case RequestTopic(what=what):
                self._hear_request(what, message)
            case EchoTopic() | CallTopic() | CommandTopic() as topic if message.payload:
                self._hear_sent(topic, message)
            case _:
                pass

    def _hear_status(self, message: Message) -> None:
        """Own status as the broker has it: what a zombie, a late will or nonsense left there is overwritten."""
        try:
            heard = read(StatusPayload, message.payload)  # a newer release may have left it, before it was taken back
        except ValidationError:
            self._hear_epoch(message)
            self._republish_status()
            return
        if message.retain:
            self._kept_journal = heard.journal
        if not self._lineage.is_of_another(heard):
            self._hear_epoch(message)
        if (why := self._lineage.missing(heard, self._seq)) is not None:
            self._stop(heard.epoch, why)
        elif heard.epoch < self._epoch or (heard.status is TableStatus.LOST and heard.status is not self._status):
            self._republish_status()

    def _hear_epoch(self, message: Message) -> Stamp | None:
        """What was said on one of our topics; what fences us stops this controller."""
        try:
            heard = Stamp.model_validate_json(message.payload)
        except ValidationError:
            return None
        if (why := self._lineage.beyond(heard, is_retained=message.retain)) is not None:
            self._stop(heard.epoch, why)
        return heard

    def _stop(self, epoch: int, why: str) -> None:
        if not self.is_fenced:
            self._fence.set()
            self._stir()
            _log.error("%s: nothing more is published", why)
            self._tell_fenced(epoch)

    def _republish_status(self) -> None:
        self._status_due = True
        self._stir()

    def _hear_request(self, what: str, message: Message) -> None:
        """Queue a request that fits its schema. An empty payload is somebody deleting a retained message."""
        if not message.payload:
            return
        request = None if message.retain else request_in(what, message.payload)
        if request is None:
            self._refuse(message.topic)
        elif len(self._requests) < MAX_REQUESTS:
            self._requests.append(request)
            self._stir()

    def _hear_sent(self, topic: EchoTopic | CallTopic | CommandTopic, message: Message) -> None:
        match topic:
            case EchoTopic(seat=seat):
                self._hear_echo(seat, message)
            case CallTopic(seat=seat) if (call := call_in(seat, message.payload, is_retained=message.retain)) is not None:
                self._called(seat, call.call)
            case _:
                self._refuse(message.topic)

    def _hear_echo(self, seat: int, message: Message) -> None:
        changed = self._echoes.take(seat, message, asyncio.get_running_loop().time(), self._clock.wall())
        if changed is None:
            self._refuse(message.topic)
        elif changed:
            self._alarms_due = True
            self._stir()

    def _refuse(self, topic: str) -> None:
        """Nothing happens but that people are told (row 40)."""
        if self._intrusion.note(topic, asyncio.get_running_loop().time(), self._clock.wall()):
            self._alarms_due = True
            self._stir()
        self._refused_command(topic)

    def _own_alarms(self) -> dict[str, Alarm]:
        stamp = self._seq, self._epoch, self._clock.wall()
        return self._intrusion.alarms(*stamp) | self._echoes.alarms(*stamp)

    def _own_topics(self) -> dict[str, Payload]:
        """Alarms and devices that the table's state knows nothing of, by topic."""
        named: dict[str, Payload] = {self._topics.alarm(name): alarm for name, alarm in self._own_alarms().items()}
        return named | {self._topics.device(name): device for name, device in self.displays.items()}

    @property
    def displays(self) -> Mapping[str, Device]:
        """Every display that was heard since the start, by its name."""
        return self._echoes.devices(self._seq, self._epoch, self._clock.wall())

    def _stamp(self) -> Stamp:
        return Stamp(seq=self._seq, epoch=self._epoch, at=self._clock.wall())

    def _status_payload(self, status: TableStatus) -> StatusPayload:
        newest = {"last_event": self._outbox.acknowledged, "last_link": self._outbox.link}
        said = {**self._stamp().__dict__, **self._announced, "head": self._head, **newest}
        return StatusPayload(**said, status=status, journal=self._lineage.journal if self._head else None)

    async def _send(self, link: Publisher, topic: str, payload: bytes, *, retain: bool, qos: int = 1) -> None:
        """Publish and wait for the acknowledgement, if ``qos`` asks for one; after a pause listen first; nothing once fenced."""
        if self._pulse.beat(asyncio.get_running_loop().time()):
            await _wait(self._fence, LISTEN_FIRST_S)
        if not self.is_fenced:
            if topic in self._beating or topic == self._topics.status:
                self._last[topic] = payload
            await link.publish(topic, payload, retain=retain, qos=qos)

    def _stir(self) -> None:
        self._idle.clear()
        self._wake.set()


def _json(payload: Payload) -> bytes:
    return payload.model_dump_json().encode()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Until ``event`` or for ``seconds``."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await event.wait()
    except TimeoutError:
        return
