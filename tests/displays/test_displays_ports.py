"""Publisher, follower and display at real brokers: what holds in virtual time holds over TCP."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console
from support.mqtt_samples import AT, TOPICS, Calls, Journal, Listener, alarm, event, public_view, publisher, snapshot

from controller.displays.terminal import Picture, watch, watch_events
from controller.mqtt.broker import BrokerKind, RunningBroker, find_mosquitto, start_broker
from controller.mqtt.client import Connection, MqttClient, table_client_id
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import StatusPayload, TableStatus
from controller.words.catalogue import Language
from drivers.clock import LoopClock

pytestmark = pytest.mark.ports

KINDS = [kind for kind in BrokerKind if kind is BrokerKind.IOTCORE or find_mosquitto()]
TABLE = table_client_id("venue", "T12")
BACK_WITHIN_S = 2.0
CLOCK = LoopClock(AT)


@pytest.fixture(params=KINDS)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningBroker]:
    with start_broker(tmp_path, kind=request.param) as running:
        yield running


@asynccontextmanager
async def client(broker: RunningBroker, name: str, handler: Any) -> AsyncIterator[MqttClient]:
    served = MqttClient(Connection(broker.host, broker.port, name), handler, Random(7))
    running = asyncio.create_task(served.run())
    try:
        async with asyncio.timeout(5):
            while not served.connected:
                await asyncio.sleep(0.01)
        yield served
    finally:
        running.cancel()
        await asyncio.wait([running])
        if not running.cancelled():
            running.result()


async def until(true: Any, *, within_s: float) -> None:
    async with asyncio.timeout(within_s):
        while not true():
            await asyncio.sleep(0.01)


async def test_everything_is_back_within_two_seconds_of_a_broker_restart(served: RunningBroker, tmp_path: Path) -> None:
    """A broker that comes back without memory has every retained topic again, with the latest state and no `lost`."""
    table = publisher(Journal())
    async with client(served, TABLE, table):
        table.offer(snapshot(7, alarms={"a1": alarm("a1")}))
        await asyncio.wait_for(table.drained(), 5)
        served.stop()
        table.offer(snapshot(8, public=public_view(8, raises=3)))
        await asyncio.sleep(0.5)
        reader = Listener()
        with start_broker(tmp_path, port=served.port, kind=served.kind) as again:
            start = asyncio.get_running_loop().time()
            async with client(again, "reader", reader):
                wanted = {"status", "public", "seat/3", "seat/4", "devices/felt-a"}
                await reader.until(lambda: wanted <= {topic.removeprefix(TOPICS.root + "/") for topic, _, _ in reader.heard})
                assert asyncio.get_running_loop().time() - start < BACK_WITHIN_S
                assert json.loads(reader.payloads(TOPICS.public)[-1])["raises"] == 3
                assert reader.payloads(TOPICS.alarm("a1")) == []
                assert json.loads(reader.payloads(TOPICS.status)[-1])["status"] == "live"


async def test_two_readers_get_every_event_once_across_a_broker_restart(served: RunningBroker, tmp_path: Path) -> None:
    """Events before, during and after a broker's absence reach both readers, all, once and in order."""
    journal = Journal()
    table = publisher(journal)
    seen: tuple[list[int], list[int]] = [], []
    readers = [
        EventFollower(TOPICS, name, clock=LoopClock(AT), on_event=lambda one, into=into: into.append(one.seq))  # type: ignore[misc]
        for name, into in zip(("first", "second"), seen, strict=True)
    ]

    def play(first: int, last: int) -> None:
        for seq in range(first, last + 1):
            table.offer(snapshot(seq, events=journal.commit(event(seq))))

    async with client(served, TABLE, table), client(served, "first", readers[0]), client(served, "second", readers[1]):
        play(1, 40)
        await until(lambda: len(seen[0]) >= 20, within_s=5)
        play(41, 80)
        served.stop()
        play(81, 120)
        await asyncio.sleep(0.3)
        with start_broker(tmp_path, port=served.port, kind=served.kind):
            play(121, 160)
            await until(lambda: min(len(one) for one in seen) >= 160, within_s=8)
            assert seen[0] == seen[1] == list(range(1, 161))


async def test_the_last_will_says_lost_with_the_epoch(served: RunningBroker) -> None:
    """When the controller dies its status becomes `lost`, retained, with its epoch; when it comes back, `live` again."""
    table, reader = publisher(Journal()), Listener((TOPICS.status,))

    def said() -> list[tuple[str, int]]:
        return [(heard["status"], heard["epoch"]) for heard in map(json.loads, reader.payloads(TOPICS.status))]

    async with client(served, "reader", reader), client(served, TABLE, table) as link:
        table.offer(snapshot(7))
        await reader.until(lambda: said()[-1:] == [("live", 2)])
        assert link._client is not None
        sock = link._client._client.socket()
        assert isinstance(sock, socket.socket)
        sock.shutdown(socket.SHUT_RDWR)
        await reader.until(lambda: ("lost", 2) in said())
        await reader.until(lambda: said()[-1] == ("live", 2))


async def test_a_later_controller_fences_the_earlier_one(served: RunningBroker) -> None:
    """With the same client id and a larger epoch the second controller takes over, and the first stops publishing."""
    calls = Calls()
    first, second = publisher(Journal(), calls), publisher(Journal(), epoch=3)
    reader = Listener((TOPICS.status,))
    async with client(served, TABLE, first):
        first.offer(snapshot(7))
        await asyncio.wait_for(first.drained(), 5)
        async with client(served, TABLE, second), client(served, "reader", reader):
            second.offer(snapshot(8, epoch=3))
            await until(lambda: calls.fenced == [3], within_s=5)
            heard = len(reader.heard)
            await until(lambda: len(reader.heard) > heard + 1, within_s=5)
            assert {StatusPayload.model_validate_json(payload).epoch for payload in reader.payloads(TOPICS.status)[heard:]} <= {
                2,
                3,
            }
            assert StatusPayload.model_validate_json(reader.payloads(TOPICS.status)[-1]).epoch == 3


async def test_a_retained_command_does_nothing_and_is_told(served: RunningBroker) -> None:
    """A `start hand` that a broker keeps on a request topic is refused on connect and never answered; the alarm is retained."""
    outsider, calls = Listener((f"{TOPICS.root}/reply/+", f"{TOPICS.root}/alarms/+")), Calls()
    async with client(served, "outsider", outsider) as link:
        await link.publish(f"{TOPICS.root}/request/start_hand", b'{"command":"start_hand"}', retain=True, qos=1)
        await link.publish(TOPICS.request_snapshot, b'{"command":"start_hand"}', retain=True, qos=1)
        table = publisher(Journal(), calls)
        table.offer(snapshot(7))
        async with client(served, TABLE, table):
            await until(lambda: len(calls.refused) == 2, within_s=5)
            assert sorted(calls.refused) == [TOPICS.request_snapshot, f"{TOPICS.root}/request/start_hand"]
            await until(lambda: outsider.payloads(f"{TOPICS.root}/alarms/mqtt_command"), within_s=5)
            assert not any("/reply/" in topic for topic, *_ in outsider.heard)


async def test_a_display_ages_with_the_broker_gone_and_recovers(served: RunningBroker, tmp_path: Path) -> None:
    """The picture is younger than a heartbeat at a live table, older while the broker is gone, young again afterwards."""
    table, picture = publisher(Journal()), Picture(TOPICS, clock=CLOCK)

    def age_s() -> float:
        return 99.0 if picture.age_s is None else picture.age_s

    async with client(served, TABLE, table), client(served, "display", picture):
        table.offer(snapshot(7))
        await until(lambda: age_s() < 0.5 and picture.view is not None, within_s=5)
        assert picture.status is TableStatus.LIVE
        served.stop()
        await until(lambda: age_s() > 2.1, within_s=5)
        with start_broker(tmp_path, port=served.port, kind=served.kind):
            await until(lambda: age_s() < 0.5, within_s=BACK_WITHIN_S + 1)


async def test_watch_prints_each_change_where_there_is_no_terminal(served: RunningBroker, tmp_path: Path) -> None:
    """``watch`` into a file writes the seat's view when it comes, in the language asked for."""
    out = (tmp_path / "out.txt").open("w+", encoding="utf-8")
    table = publisher(Journal())
    with out:
        console = Console(file=out, width=80, color_system=None)
        connection = Connection(served.host, served.port, "watch")
        watching = asyncio.create_task(watch(connection, TOPICS, console, Random(1), seat=4, language=Language.FR, clock=CLOCK))
        async with client(served, TABLE, table):
            table.offer(snapshot(7))
            await until(lambda: "À VOUS DE PARLER" in (tmp_path / "out.txt").read_text(encoding="utf-8"), within_s=5)
        watching.cancel()
        await asyncio.wait([watching])
        assert watching.cancelled()


async def test_watch_writes_every_public_event_once_and_in_order(served: RunningBroker, tmp_path: Path) -> None:
    """``watch --events`` across a broker that dies and forgets: one line of JSON an event, from the record asked for on."""
    journal, lines = Journal(), list[str]()
    table = publisher(journal)
    connection = Connection(served.host, served.port, "watch")
    watching = asyncio.create_task(
        watch_events(connection, TOPICS, Random(1), CLOCK, lines.append, after_seq=20, language=Language.EN)
    )

    def play(first: int, last: int) -> None:
        for seq in range(first, last + 1):
            table.offer(snapshot(seq, events=journal.commit(event(seq))))

    async with client(served, TABLE, table):
        play(1, 40)
        await until(lambda: len(lines) >= 20, within_s=5)
        served.stop()
        play(41, 80)
        with start_broker(tmp_path, port=served.port, kind=served.kind):
            play(81, 120)
            await until(lambda: len(lines) >= 100, within_s=8)
            assert [json.loads(line)["seq"] for line in lines] == list(range(21, 121))
            assert all(line.endswith("\n") for line in lines)
            watching.cancel()
            await asyncio.wait([watching])
