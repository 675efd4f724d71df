"""The floor run: what is told, asked for and compared, and that a loss would be seen; never a time."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.floor_samples import happened, view

from controller.bench.broker_link import BrokerLink
from controller.bench.figure import BenchError
from controller.bench.floor import FloorLoad, run_floor
from controller.bench.floor_probe import Page
from controller.bench.floor_reckoning import kept_of, shown_of
from controller.bench.floor_venue import refuse_others
from controller.bench.public_stream import Recording, Stream, Told
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Batch, KeptEvent, Source
from controller.floor.store.store import open_store
from controller.mqtt.links import ChainName, link_after, start_of
from controller.mqtt.payloads import BackfillReply, PublicEvent, PublicView, StatusPayload

RATE = 5


def recording() -> Recording:
    """A lap of five events and three views, the last record an event."""
    events = [happened(seq, hand=1, previous=before) for before, seq in ((0, 2), (2, 3), (3, 6), (6, 8), (8, 9))]
    views = {seq: view(seq=seq, hand=1) for seq in (3, 6, 8)}
    told = []
    for event in events:
        told.append(Told("events", event.model_dump_json().encode()))
        if event.seq in views:
            told.append(Told("public", views[event.seq].model_dump_json().encode()))
    return Recording(told)


def stream(number: int = 0) -> Stream:
    return Stream(recording(), number, rate=RATE, began_ms=1_800_000_000_000)


def test_laps_make_one_journal() -> None:
    """Numbers rise by the length of a lap, each event names the one before, views are counted, and a status comes each second."""
    one = stream()
    told = [one.message() for _ in range(50)]
    events = [PublicEvent.model_validate_json(payload) for topic, payload in told if topic == "events"]
    assert [event.seq for event in events] == [lap * 9 + seq for lap in range(5) for seq in (2, 3, 6, 8, 9)]
    assert [event.previous for event in events] == [0, *(event.seq for event in events[:-1])]
    assert events[-1].hand == 5
    views = [PublicView.model_validate_json(payload) for topic, payload in told if topic == "public"]
    assert [shown.seats[0].stack for shown in views] == list(range(15))
    beats = [StatusPayload.model_validate_json(payload) for topic, payload in told if topic == "status"]
    assert (len(beats), [topic for topic, _ in told[::RATE]]) == (10, ["status"] * 10)
    assert (beats[-1].last_event, one.last_event_seq, one.told_events) == (42, 45, 25)


def test_the_chain_of_what_is_told_holds() -> None:
    """Each link binds the event before, from the head where a stretch begins; the status tells the newest."""
    one = stream()
    events = [PublicEvent.model_validate_json(event) for event in told_of(one, 40)]
    before = ""
    for event in events:
        if event.head is not None:
            before = start_of(ChainName(one.table, one.journal), event.previous or 0, event.head)
        assert event.link == (before := link_after(before, event))
    assert [event.seq for event in events if event.head is not None] == [2]
    assert StatusPayload.model_validate_json(one.beat().payload).last_link == before


def told_of(one: Stream, messages: int) -> list[bytes]:
    """The events among the next messages."""
    return [payload for topic, payload in (one.message() for _ in range(messages)) if topic == "events"]


def test_what_is_asked_for_is_what_was_told() -> None:
    """From any record on, and not a word beyond what was told; also of what was before the first message."""
    one = stream(number=1)
    for _ in range(23):
        one.message()
    everything = [PublicEvent.model_validate_json(event) for event in one.events()]
    assert len(everything) == one.told_events > 0
    for asked in range(1, one.last_seq + 3):
        reply = BackfillReply.model_validate_json(one.answer("r", asked))
        assert list(reply.events) == [event for event in everything if event.seq >= asked]
        assert not reply.more
    later = stream(number=1)
    later.skip(23)
    assert (list(later.events()), later.view) == (list(one.events()), one.view)


async def test_the_store_of_a_venue_is_refused(tmp_path: Path) -> None:
    """What a run tells would stay among its tables; a run's own store is taken again."""
    address, one = parse_address("sqlite:///floor.sqlite3", tmp_path), stream()
    one.skip(20)
    events = tuple(map(PublicEvent.model_validate_json, one.events()))
    for venue in ("bench", "nice"):
        await refuse_others(address)
        async with open_store(address, venue) as store:
            await store.write(Batch(tuple(KeptEvent(Source("T1", "j"), event) for event in events)))
    with pytest.raises(BenchError, match="nice keeps its tables there: name an empty store"):
        await refuse_others(address)


async def test_a_loss_would_be_seen(tmp_path: Path) -> None:
    """A store that lacks an event, or has another one in its place, is not as it should be."""
    address = parse_address("sqlite:///floor.sqlite3", tmp_path)
    tables = [stream(number) for number in range(3)]
    for one in tables:
        one.skip(20)
    async with open_store(address, "bench") as store:
        for number, one in enumerate(tables):
            events = [PublicEvent.model_validate_json(event) for event in one.events()]
            if number == 1:
                del events[2]
            if number == 2:
                events[2] = events[2].model_copy(update={"event": "hand_ended"})
            source = Source(one.table, one.journal)
            await store.write(Batch(tuple(KeptEvent(source, event) for event in events)))
    assert (await kept_of(address, "bench", tables[:1])).wrong == 0
    assert (await kept_of(address, "bench", tables[1:2])).wrong == 1
    assert (await kept_of(address, "bench", tables[2:])).wrong == 2


def test_lateness_is_until_this_view_or_a_newer_one_is_shown(tmp_path: Path) -> None:
    """Two views that one change brought count both; a table whose last view never came is behind."""
    page = Page()
    for seq, stack in ((1, 0), (2, 2)):
        tile = {"seats": [{"seat": 1, "stack": stack}]}
        page.take(b"event: change\ndata: " + json.dumps({"seq": seq, "tables": {"T1": tile}}).encode())
    seen = tmp_path / "seen"
    times = array("q", page.seen_ns)
    times[2::3] = array("q", (10_000_000, 20_000_000))
    seen.write_bytes(times.tobytes())
    sent = tmp_path / "sent"
    sent.write_bytes(array("q", (0, 0, 4_000_000, 0, 1, 5_000_000, 0, 2, 18_000_000, 0, 3, 19_000_000)).tobytes())
    one = stream()
    one.skip(10)
    assert (one.view, shown_of({"shown": page.shown}, seen, [sent], [one])) == (2, ([6.0, 15.0, 2.0], 0))
    one.skip(15)
    assert shown_of({"shown": page.shown}, seen, [sent], [one]).behind == 1


@dataclass
class Wire:
    """A transport that keeps what is written."""

    written: bytes = b""

    def write(self, data: bytes) -> None:
        self.written += data


def fed(link: BrokerLink, parts: Sequence[bytes]) -> None:
    for part in parts:
        link.data_received(part)


def test_packets_are_counted_however_they_are_cut() -> None:
    """An acknowledgement and a message of more than 127 bytes, byte by byte; a message taken is one packet of QoS 1."""
    heard: list[tuple[str, bytes]] = []
    link = BrokerLink("me", (), lambda topic, payload: heard.append((topic, payload)))
    wire: Any = Wire()
    link._transport = wire
    link.publish("a/b", b"x" * 200, retain=True)
    assert wire.written == b""
    link.flush()
    assert wire.written == b"\x33\xcf\x01\x00\x03a/b\x00\x01" + b"x" * 200
    assert not link.settled.is_set()
    told = b"\x40\x02\x00\x01" + b"\x30\xcd\x01\x00\x03a/b" + b"y" * 200
    fed(link, [told[at : at + 1] for at in range(len(told))])
    assert (link.acknowledged, link.settled.is_set(), heard) == (1, True, [("a/b", b"y" * 200)])


@pytest.mark.long
@pytest.mark.ports
@pytest.mark.timeout(300)
def test_a_floor_keeps_and_shows_what_is_told() -> None:
    """The whole run, short: every process, a store of its own, a page that looks on."""
    run = run_floor(FloorLoad(tables=30, seconds=3, store="sqlite:///floor.sqlite3", hands=1))
    assert (run.kept.wrong, run.shown.behind, run.told["unsent"]) == (0, 0, 0)
    assert run.told["messages"] == 30 * RATE * 3
    assert run.kept.expected > 30 * 3
    assert run.shown.late_ms
