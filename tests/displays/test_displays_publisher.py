"""The publisher at a broker in memory, on virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from support.mqtt_samples import AT, TOPICS, Calls, Journal, Listener, alarm, event, public_view, publisher, snapshot

from controller.displays.intrusion import INTRUSION_S
from controller.displays.outbox import MAX_PENDING
from controller.displays.publisher import MAX_REQUESTS, DisplayPublisher
from controller.displays.snapshot import Draft, Snapshot
from controller.mqtt.payloads import (
    BackfillReply,
    BackfillRequest,
    SnapshotReply,
    SnapshotRequest,
    Stamp,
    StatusPayload,
    TableStatus,
)
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.virtual_time import run_virtual

STAMP: dict[str, Any] = {"seq": 0, "epoch": 0, "at": AT}


@dataclass
class Scene:
    broker: MemoryBroker
    journal: Journal
    calls: Calls
    publisher: DisplayPublisher
    reader: Listener

    def retained(self, name: str) -> dict[str, Any] | None:
        payload = self.broker.retained.get(f"{TOPICS.root}/{name}")
        return None if payload is None else json.loads(payload)

    def event_seqs(self) -> list[int]:
        return [json.loads(payload)["seq"] for payload in self.reader.payloads(TOPICS.events)]

    def sent(self, name: str) -> int:
        return len(self.reader.payloads(f"{TOPICS.root}/{name}"))


@asynccontextmanager
async def client(broker: MemoryBroker, name: str, handler: Any) -> AsyncIterator[asyncio.Task[None]]:
    running = asyncio.create_task(MemoryClient(broker, name, handler).run())
    try:
        yield running
    finally:
        running.cancel()
        await asyncio.wait([running])
        if not running.cancelled():
            running.result()


@asynccontextmanager
async def scene(*, broker: MemoryBroker | None = None) -> AsyncIterator[Scene]:
    """A publisher of epoch 2 and a reader of everything, both connected."""
    broker, journal, calls, reader = broker or MemoryBroker(), Journal(), Calls(), Listener()
    served = publisher(journal, calls)
    async with client(broker, "reader", reader):
        await reader.connected.wait()
        async with client(broker, "table", served):
            await asyncio.sleep(0.5)
            yield Scene(broker, journal, calls, served, reader)


def virtual(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_virtual(story(), max_seconds=2_000)


def test_everything_retained_is_published_with_seq_epoch_and_time() -> None:
    """A snapshot puts status, public view, seats, alarms and devices where displays look for them."""

    async def story() -> None:
        async with scene() as on:
            stamp = {"seq": 0, "epoch": 2, "at": "2026-01-02T20:15:00.150000Z"}
            untold = dict.fromkeys(("journal", "head", "last_event", "dealer", "http", "last_link", "clock_trusted"))
            assert on.retained("status") == {**stamp, "status": "starting", **untold}
            on.publisher.offer(snapshot(7, alarms={"a1": alarm("a1")}))
            await on.publisher.drained()
            assert sorted(name.removeprefix(TOPICS.root + "/") for name in on.broker.retained) == [
                "alarms/a1",
                "compact/3",
                "compact/4",
                "devices/felt-a",
                "public",
                "seat/3",
                "seat/4",
                "status",
            ]
            for name in ("status", "public", "seat/3"):
                published = on.retained(name)
                assert published is not None
                assert (published["seq"], published["epoch"]) == (7, 2)

    virtual(story)


def test_nothing_unchanged_is_sent_again() -> None:
    """A later seq alone changes no view; a changed view is sent once, the others stay; a seat's comes as its heartbeat alone."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            on.publisher.offer(snapshot(8))
            on.publisher.offer(snapshot(9, public=public_view(9, raises=2)))
            await on.publisher.drained()
            await asyncio.sleep(5)
            assert on.sent("public") == 2
            assert on.sent("devices/felt-a") == 1
            assert on.sent("seat/3") == on.sent("compact/3") == 6

    virtual(story)


def test_a_controller_reads_its_own_heartbeats_no_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it sent itself tells it nothing; what another one says on a seat's topic does, as long as that says anything else."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            read, check = list[bytes](), Stamp.model_validate_json
            monkeypatch.setattr(Stamp, "model_validate_json", lambda payload: read.append(payload) or check(payload))
            await asyncio.sleep(5)
            assert on.sent("seat/3") == 6
            assert read == []
            body = on.retained("seat/3") or {}
            on.broker.inject(TOPICS.seat(3), json.dumps({**body, "epoch": 3}).encode(), retain=True)
            await asyncio.sleep(0.1)
            assert on.calls.fenced == [3]

    virtual(story)


def test_the_status_is_a_heartbeat() -> None:
    """The status comes every second with the newest seq, and at once when it changes."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            before = on.sent("status")
            await asyncio.sleep(10)
            assert on.sent("status") - before == 10
            on.publisher.offer(snapshot(8, status=TableStatus.SUSPENDED))
            await asyncio.sleep(0.05)
            assert (on.retained("status") or {})["status"] == "suspended"

    virtual(story)


def test_a_cleared_alarm_is_deleted() -> None:
    """When an alarm leaves the snapshot, its topic is deleted with an empty payload."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7, alarms={"a1": alarm("a1")}))
            await on.publisher.drained()
            on.publisher.offer(snapshot(8))
            await on.publisher.drained()
            assert on.reader.payloads(TOPICS.alarm("a1"))[1:] == [b""]
            assert TOPICS.alarm("a1") not in on.broker.retained

    virtual(story)


def test_what_an_earlier_process_left_is_deleted() -> None:
    """An alarm and a seat that a broker kept from before, and that are no more, go with the first picture, not earlier."""

    async def story() -> None:
        broker = MemoryBroker()
        for topic in (TOPICS.alarm("old"), TOPICS.seat(8)):
            broker.inject(topic, b"{}", retain=True)
        async with scene(broker=broker) as on:
            on.publisher.offer(snapshot(6, public=None, seats={}, status=TableStatus.RECOVERING))
            await on.publisher.drained()
            assert TOPICS.seat(8) in broker.retained
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            assert TOPICS.alarm("old") not in broker.retained
            assert TOPICS.seat(8) not in broker.retained
            assert TOPICS.seat(3) in broker.retained

    virtual(story)


def test_a_broker_that_forgot_has_everything_back_within_two_seconds() -> None:
    """After a restart without persistence all retained topics are there again, `lost` is overwritten, within two seconds."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7, alarms={"a1": alarm("a1")}))
            await on.publisher.drained()
            before = set(on.broker.retained)
            on.broker.stop()
            await asyncio.sleep(3)
            assert not on.publisher.connected
            on.broker.start()
            await asyncio.sleep(2)
            assert set(on.broker.retained) == before
            assert on.publisher.connected

    virtual(story)


def test_events_come_once_and_in_order() -> None:
    """Public events leave in order of seq; offered again, they do not leave again."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7, events=(event(5), event(7))))
            on.publisher.offer(snapshot(9, events=(event(7), event(9))))
            await on.publisher.drained()
            assert on.event_seqs() == [5, 7, 9]
            assert TOPICS.events not in on.broker.retained

    virtual(story)


def test_events_of_an_outage_are_sent_afterwards() -> None:
    """What happened while the broker was gone arrives after the reconnect, in order and from memory."""

    async def story() -> None:
        async with scene() as on:
            on.broker.stop()
            for seq in range(1, 51):
                on.publisher.offer(snapshot(seq, events=on.journal.commit(event(seq))))
            await asyncio.sleep(5)
            on.broker.start()
            await on.reader.until(lambda: len(on.event_seqs()) == 50)
            assert on.event_seqs() == list(range(1, 51))
            assert on.journal.asked == []

    virtual(story)


def test_a_long_outage_is_filled_from_the_journal() -> None:
    """Beyond the bounded memory the journal supplies the events; none is lost or doubled."""

    async def story() -> None:
        async with scene() as on:
            on.broker.stop()
            count = MAX_PENDING + 300
            for seq in range(1, count + 1):
                on.publisher.offer(snapshot(seq, events=on.journal.commit(event(seq))))
            on.broker.start()
            await on.reader.connected.wait()
            await on.reader.until(lambda: len(on.event_seqs()) >= count)
            await on.publisher.drained()
            assert on.event_seqs() == list(range(1, count + 1))
            assert on.journal.asked[0] == 1

    virtual(story)


def test_offering_never_waits_for_a_slow_broker() -> None:
    """States that a slow broker never saw are passed over; the newest one arrives."""

    async def story() -> None:
        broker = MemoryBroker(latency_s=0.5)
        async with scene(broker=broker) as on:
            for seq in range(1, 101):
                on.publisher.offer(snapshot(seq, public=public_view(seq, raises=seq)))
                await asyncio.sleep(0.01)
            await on.publisher.drained()
            assert (on.retained("public") or {})["seq"] == 100
            assert on.sent("public") < 10

    virtual(story)


def test_a_snapshot_request_is_answered() -> None:
    """A display that asks gets everything that is retained, in one message."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7, alarms={"a1": alarm("a1")}))
            request = SnapshotRequest(**STAMP, request="seat-4")
            on.broker.inject(TOPICS.request_snapshot, request.model_dump_json().encode())
            await on.reader.until(lambda: bool(on.reader.payloads(TOPICS.reply("seat-4"))))
            reply = SnapshotReply.model_validate_json(on.reader.payloads(TOPICS.reply("seat-4"))[0])
            assert (reply.seq, reply.status, len(reply.seats), len(reply.alarms)) == (7, TableStatus.LIVE, 2, 1)
            assert reply.public == public_view(7)

    virtual(story)


def test_a_backfill_request_is_answered_page_by_page() -> None:
    """The answer holds the events from the seq asked for, at most a page, and says whether there are more."""

    async def story() -> None:
        async with scene() as on:
            on.journal.commit(*(event(seq) for seq in range(1, 303)))
            on.publisher.offer(snapshot(302))
            pages = []
            for name, from_seq in (("a", 2), ("b", 202)):
                request = BackfillRequest(**STAMP, request=name, from_seq=from_seq)
                on.broker.inject(TOPICS.request_backfill, request.model_dump_json().encode())
                await on.reader.until(partial(on.reader.payloads, TOPICS.reply(name)))
                pages.append(BackfillReply.model_validate_json(on.reader.payloads(TOPICS.reply(name))[0]))
            assert [(page.events[0].seq, page.events[-1].seq, page.more) for page in pages] == [(2, 201, True), (202, 302, False)]

    virtual(story)


def test_commands_are_refused() -> None:
    """A command topic, an unknown request and a request that does not fit are refused; an empty payload is a deletion."""

    async def story() -> None:
        async with scene() as on:
            for topic in ("command/start_hand", "request/start_hand", "request/snapshot"):
                on.broker.inject(f"{TOPICS.root}/{topic}", b'{"command":"start_hand"}')
                on.broker.inject(f"{TOPICS.root}/{topic}", b"")
            await asyncio.sleep(0.1)
            assert on.calls.refused == [
                f"{TOPICS.root}/{topic}" for topic in ("command/start_hand", "request/start_hand", "request/snapshot")
            ]
            assert not any("/reply/" in topic for topic, _, _ in on.reader.heard)

    virtual(story)


@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize(
    "topic", ["command", "Command/act", "COMMAND/act/3", "commands/act", "cmd", "set/seat/3", "Request/backfill"]
)
def test_a_command_in_any_spelling_is_refused_and_told(topic: str, *, retain: bool) -> None:
    """Wrong case, other names, any depth, kept by the broker or not: nothing but the alarm, and after a reconnect again."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            press = {
                "key": "press-0001",
                "seq": 7,
                "decision": "1-3-3-2-0",
                "command": {"type": "act", "seat": 3, "verb": "fold"},
            }
            on.broker.inject(f"{TOPICS.root}/{topic}", json.dumps(press).encode(), retain=retain)
            await asyncio.sleep(1)
            assert on.calls.refused == [f"{TOPICS.root}/{topic}"]
            assert on.retained("alarms/mqtt_command") is not None
            assert on.event_seqs() == []
            on.broker.cut("table")
            await asyncio.sleep(1)
            assert on.calls.refused == [f"{TOPICS.root}/{topic}"] * (2 if retain else 1)

    virtual(story)


def test_who_listens_to_everything_sends_nothing() -> None:
    """A wildcard is for hearing: a topic that holds one is no topic of the table, and another table's command is not ours."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            for topic in (f"{TOPICS.root}/+/act", "stud/v1/#", "stud/v1/venue/T13/command/act", "STUD/v1/venue/T12/command/act"):
                on.broker.inject(topic, b"{}")
            await asyncio.sleep(1)
            assert on.calls.refused == []
            assert on.retained("alarms/mqtt_command") is None

    virtual(story)


def test_a_command_raises_an_alarm_that_stands_until_none_has_come_for_a_while() -> None:
    """Told in both languages, without a word of the stranger's; kept by the broker, in the snapshot reply, deleted at the end."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await asyncio.sleep(1)
            assert on.retained("alarms/mqtt_command") is None
            on.broker.inject(f"{TOPICS.root}/command/start_hand", b'{"command":"start_hand"}')
            await asyncio.sleep(0.1)
            told = on.retained("alarms/mqtt_command")
            assert told is not None
            assert (told["code"], told["priority"], told["epoch"], told["seq"]) == ("mqtt_command", 2, 2, 7)
            assert told["text"]["en"].startswith("A command came over MQTT and was refused")
            assert told["text"]["fr"].startswith("Une commande est arrivée par MQTT et a été refusée")
            assert "start_hand" not in json.dumps(told)
            await asyncio.sleep(INTRUSION_S - 1)
            on.broker.inject(f"{TOPICS.root}/request/void_hand", b"{}")
            await asyncio.sleep(INTRUSION_S - 1)
            ask = SnapshotRequest(**STAMP, request="now").model_dump_json().encode()
            on.broker.inject(TOPICS.request_snapshot, ask)
            await asyncio.sleep(0.5)
            (reply,) = on.reader.payloads(TOPICS.reply("now"))
            assert [alarm.code for alarm in SnapshotReply.model_validate_json(reply).alarms] == ["mqtt_command"]
            assert on.retained("alarms/mqtt_command") == told, "sent once, though another came"
            await asyncio.sleep(2)
            assert on.retained("alarms/mqtt_command") is None

    virtual(story)


def test_the_status_names_the_journal_and_its_head() -> None:
    """With the number of the record that it stands behind; a snapshot without a head takes the older one away."""

    async def story() -> None:
        async with scene() as on:
            drawn = snapshot(7)
            on.publisher.offer(Draft(7, 2, AT, TableStatus.LIVE, (), lambda: drawn, "ab" * 32))
            await asyncio.sleep(1.5)
            status = on.retained("status")
            assert status is not None
            assert (status["seq"], status["head"], status["journal"]) == (7, "ab" * 32, "5f0c9a1e")
            on.publisher.offer(snapshot(8))
            await asyncio.sleep(1.5)
            status = on.retained("status")
            assert status is not None
            assert (status["seq"], status["head"], status["journal"]) == (8, None, None)

    virtual(story)


def test_the_status_names_who_drives_and_the_clock_at_once() -> None:
    """Another dealer, and a clock that nothing keeps, are told with the commit, not with the next beat."""

    async def story() -> None:
        async with scene() as on:
            for seq, name, kept in ((7, "Nadia B.", None), (8, "Max J.", None), (9, None, None), (10, None, False)):
                drawn = snapshot(seq)
                on.publisher.offer(Draft(seq, 2, AT, TableStatus.LIVE, (), partial(_same, drawn), "ab" * 32, name, kept))
                await asyncio.sleep(0.4)
                status = on.retained("status")
                assert status is not None
                assert (status["dealer"], status["http"], status["clock_trusted"]) == (name, None, kept)

    virtual(story)


def test_a_retained_request_is_refused_after_each_reconnect() -> None:
    """A request that a broker kept is never answered: it is refused whenever it comes back."""

    async def story() -> None:
        broker = MemoryBroker()
        request = SnapshotRequest(**STAMP, request="ghost").model_dump_json().encode()
        broker.inject(TOPICS.request_snapshot, request, retain=True)
        async with scene(broker=broker) as on:
            on.broker.cut("table")
            await asyncio.sleep(1)
            assert on.calls.refused == [TOPICS.request_snapshot] * 2
            assert not on.reader.payloads(TOPICS.reply("ghost"))

    virtual(story)


def test_a_flood_of_requests_is_bounded() -> None:
    """One request more than ``MAX_REQUESTS`` at once is dropped; the others are answered."""

    async def story() -> None:
        async with scene() as on:
            for number in range(MAX_REQUESTS + 1):
                request = SnapshotRequest(**STAMP, request=f"q{number}").model_dump_json().encode()
                on.publisher.on_message(_Message(TOPICS.request_snapshot, request))
            await asyncio.sleep(2)
            answered = {topic for topic, _, _ in on.reader.heard if "/reply/" in topic}
            assert answered == {TOPICS.reply(f"q{number}") for number in range(MAX_REQUESTS)}

    virtual(story)


@dataclass(frozen=True)
class _Message:
    topic: str
    payload: bytes
    retain: bool = False


def _status(epoch: int, status: TableStatus = TableStatus.LIVE) -> bytes:
    return StatusPayload(seq=900, epoch=epoch, at=AT, status=status).model_dump_json().encode()


def test_a_larger_epoch_fences_before_anything_is_said() -> None:
    """When the broker holds the status of a later controller, this one publishes nothing at all and tells its owner once."""

    async def story() -> None:
        broker = MemoryBroker()
        broker.inject(TOPICS.status, _status(3), retain=True)
        async with scene(broker=broker) as on:
            on.publisher.offer(snapshot(7))
            await asyncio.sleep(3)
            assert on.calls.fenced == [3]
            assert on.publisher.is_fenced
            assert dict(broker.retained) == {TOPICS.status: _status(3)}

    virtual(story)


def test_a_larger_epoch_fences_in_the_middle_of_a_session() -> None:
    """A later controller that appears while this one runs silences it."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            on.broker.inject(TOPICS.status, _status(3), retain=True)
            await asyncio.sleep(0.1)
            before = on.broker.published
            on.publisher.offer(snapshot(8, public=public_view(8, raises=2)))
            await asyncio.sleep(5)
            assert on.calls.fenced == [3]
            assert on.broker.published == before

    virtual(story)


@pytest.mark.parametrize("said", [_status(1, TableStatus.LOST), _status(1), _status(2, TableStatus.LOST), b"garbage"])
def test_a_smaller_epoch_or_a_late_will_is_overwritten(said: bytes) -> None:
    """A zombie's status, its late will and nonsense on the status topic are answered with our own status at once."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            on.broker.inject(TOPICS.status, said, retain=True)
            await asyncio.sleep(0.05)
            status = on.retained("status") or {}
            assert (status["epoch"], status["status"]) == (2, "live")
            assert on.calls.fenced == []

    virtual(story)


@pytest.mark.parametrize(
    ("status", "left"), [(TableStatus.CLOSED, "closed"), (TableStatus.SUSPENDED, "suspended"), (TableStatus.LIVE, "lost")]
)
def test_an_orderly_stop_leaves_the_truth_behind(status: TableStatus, left: str) -> None:
    """A closed or suspended table stays so on the broker; one that stopped in mid-play is lost."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7, status=status))
            await on.publisher.drained()
        assert (on.retained("status") or {})["status"] == left

    virtual(story)


def test_a_wrong_offer_is_refused_at_once() -> None:
    """Another epoch, a seq that goes back and a name that fits no topic are errors of the caller."""

    async def story() -> None:
        served = publisher(Journal())
        served.offer(snapshot(7))
        with pytest.raises(ValueError, match="epoch 3"):
            served.offer(snapshot(8, epoch=3))
        with pytest.raises(ValueError, match="offered after 7"):
            served.offer(snapshot(6))
        with pytest.raises(ValueError, match="part of a topic"):
            served.offer(snapshot(9, alarms={"a/b": alarm("a/b")}))

    virtual(story)


def test_what_a_dead_controller_left_unsent_is_sent_by_the_next() -> None:
    """Also to subscribers that ask for nothing: from behind the picture that the broker kept, in order, before anything new."""

    async def story() -> None:
        broker, journal, reader = MemoryBroker(), Journal(), Listener()
        async with client(broker, "reader", reader):
            await reader.connected.wait()
            for epoch, commits, unsent in ((2, (1, 2, 3), (4, 5)), (3, (6, 7), ())):
                served = publisher(journal, epoch=epoch)
                for seq in commits:
                    events = journal.commit(event(seq, epoch=epoch))
                    view = public_view(seq, epoch=epoch, raises=seq % 4)
                    drawn = snapshot(seq, epoch=epoch, public=view, events=events)
                    served.offer(Draft(seq, epoch, AT, TableStatus.LIVE, events, partial(_same, drawn), "ab" * 32))
                async with client(broker, "table", served):
                    await served.drained()
                journal.commit(*(event(seq, epoch=epoch) for seq in unsent))
        heard = [json.loads(payload)["seq"] for payload in reader.payloads(TOPICS.events)]
        assert heard == [1, 2, 3, 4, 5, 6, 7]

    virtual(story)


def test_another_journal_s_picture_is_no_place_to_go_on_from() -> None:
    """The broker kept what another journal of this table sent: its numbers say nothing of this one."""

    async def story() -> None:
        broker, journal, reader = MemoryBroker(), Journal(), Listener()
        broker.inject(TOPICS.public, public_view(1, epoch=1).model_dump_json().encode(), retain=True)
        said = StatusPayload(seq=1, epoch=1, at=AT, status=TableStatus.LOST, journal="0badcafe")
        broker.inject(TOPICS.status, said.model_dump_json().encode(), retain=True)
        journal.commit(*(event(seq) for seq in range(1, 6)))
        served = publisher(journal)
        served.offer(snapshot(5))
        async with client(broker, "reader", reader), client(broker, "table", served):
            await served.drained()
        assert reader.payloads(TOPICS.events) == []

    virtual(story)


@pytest.mark.parametrize("left", ["status", "public", "seat/3", "compact/3", "alarms/hold", "devices/shoe", None])
def test_each_retained_topic_stops_a_copy_until_all_are_cleared(left: str | None) -> None:
    """Whoever lost the newest journal for good clears everything: the status alone is not enough (recovery §1)."""

    async def story() -> None:
        broker, calls = MemoryBroker(), Calls()
        if left is not None:
            said = StatusPayload(seq=50, epoch=1, at=AT, status=TableStatus.LOST, journal="5f0c9a1e").model_dump_json()
            broker.inject(f"{TOPICS.root}/{left}", said.encode(), retain=True)
        served = publisher(Journal(), calls, opened_at=5)
        served.offer(snapshot(5))
        async with client(broker, "table", served):
            await asyncio.sleep(1)
        assert calls.fenced == [1] * (left is not None)

    virtual(story)


@pytest.mark.parametrize(("journal", "stops"), [("00000000", False), ("5f0c9a1e", True)])
def test_a_status_that_a_newer_release_left_is_read_as_any_other(journal: str, stops: bool) -> None:
    """The old release was put back: what another journal's controller said stops nobody, a record that this one lacks does."""

    async def story() -> None:
        broker, calls = MemoryBroker(), Calls()
        said = StatusPayload(seq=50, epoch=1, at=AT, status=TableStatus.LOST, journal=journal).model_dump_json()
        broker.inject(TOPICS.status, json.dumps(json.loads(said) | {"weather": "warm"}).encode(), retain=True)
        served = publisher(Journal(), calls, opened_at=5)
        served.offer(snapshot(5))
        async with client(broker, "table", served):
            await asyncio.sleep(1)
        assert calls.fenced == [1] * stops

    virtual(story)


def test_the_status_names_the_newest_event_that_the_broker_has() -> None:
    """Never one that it has not: whoever has not got it misses something."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7, events=on.journal.commit(event(6), event(7))))
            await on.publisher.drained()
            await asyncio.sleep(1.5)
            statuses = [json.loads(payload) for payload in on.reader.payloads(TOPICS.status)]
            assert [one["last_event"] for one in statuses if one["seq"] < 7] == [None] * sum(one["seq"] < 7 for one in statuses)
            assert statuses[-1]["last_event"] == 7

    virtual(story)


@pytest.mark.parametrize("from_seq", [0, 8, 10**6, 2**63 - 1])
def test_a_request_for_what_cannot_be_is_answered(from_seq: int) -> None:
    """Before the first is from the first on; behind the end there is nothing."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7, events=on.journal.commit(*(event(seq) for seq in range(1, 8)))))
            ask(on, "q", from_seq)
            await asyncio.sleep(0.5)
            reply = BackfillReply.model_validate_json(on.reader.payloads(TOPICS.reply("q"))[0])
            assert [one.seq for one in reply.events] == (list(range(1, 8)) if from_seq == 0 else [])
            assert (reply.from_seq, reply.more, reply.seq) == (from_seq, False, 7)

    virtual(story)


@pytest.mark.parametrize("from_seq", [-1, 2**63, 10**30, "1", 1.5, None])
def test_a_request_for_no_number_is_refused_and_told(from_seq: Any) -> None:
    """It fits no schema; the table serves on."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            ask(on, "q", from_seq)
            await asyncio.sleep(0.5)
            assert on.reader.payloads(TOPICS.reply("q")) == []
            assert on.retained("alarms/mqtt_command") is not None
            ask(on, "again", 1)
            await asyncio.sleep(0.5)
            assert len(on.reader.payloads(TOPICS.reply("again"))) == 1

    virtual(story)


def test_a_request_to_another_table_is_that_table_s() -> None:
    """Neither answered here nor an alarm."""

    async def story() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            body = BackfillRequest(**STAMP, request="q", from_seq=1).model_dump_json().encode()
            on.broker.inject(TOPICS.request_backfill.replace("T12", "T13"), body)
            await asyncio.sleep(0.5)
            assert [topic for topic, _, _ in on.reader.heard if "/reply/" in topic] == []
            assert on.retained("alarms/mqtt_command") is None

    virtual(story)


def _same(drawn: Snapshot) -> Snapshot:
    return drawn


def ask(on: Scene, request: str, from_seq: Any) -> None:
    """Somebody asks for what was missed."""
    body = {"seq": 0, "epoch": 0, "at": AT.isoformat(), "request": request, "from_seq": from_seq}
    on.broker.inject(TOPICS.request_backfill, json.dumps(body).encode())
