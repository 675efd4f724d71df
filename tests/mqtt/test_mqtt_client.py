"""The MQTT client at real brokers."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Self

import pytest
from support.mqtt_samples import Listener

from controller.mqtt.broker import BrokerKind, RunningBroker, find_mosquitto, start_broker
from controller.mqtt.client import (
    BACKOFF_LAST_S,
    MAX_WAITING_PUBLISHES,
    Connection,
    MqttClient,
    PublishQueueFullError,
    WillMessage,
    table_client_id,
)

pytestmark = pytest.mark.ports

KINDS = [kind for kind in BrokerKind if kind is BrokerKind.IOTCORE or find_mosquitto()]


@pytest.fixture(params=KINDS)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningBroker]:
    with start_broker(tmp_path, kind=request.param) as running:
        yield running


class Willing(Listener):
    """A listener with a last will and a farewell."""

    def will(self) -> WillMessage:  # type: ignore[override]
        return WillMessage("a/status", b"lost")

    def farewell(self) -> WillMessage:  # type: ignore[override]
        return WillMessage("a/status", b"closed")


def client(broker: RunningBroker, name: str, handler: Listener) -> MqttClient:
    return MqttClient(Connection(broker.host, broker.port, name), handler, Random(1))


@asynccontextmanager
async def connected(broker: RunningBroker, name: str, handler: Listener) -> AsyncIterator[MqttClient]:
    served = client(broker, name, handler)
    running = asyncio.create_task(served.run())
    try:
        async with asyncio.timeout(5):
            await handler.connected.wait()
        yield served
    finally:
        running.cancel()
        await asyncio.wait([running])
        if not running.cancelled():
            running.result()


async def test_a_publish_is_acknowledged_and_arrives(served: RunningBroker) -> None:
    """Messages of QoS 0 and 1 arrive in order; a retained one comes to a later subscriber, marked; an empty one deletes it."""
    early, late, last = Listener(("a/#",)), Listener(("a/#",)), Listener(("a/#",))
    async with connected(served, "early", early) as link:
        await link.publish("a/x", b"1", retain=True, qos=1)
        await link.publish("a/y", b"2", retain=False, qos=0)
        await early.until(lambda: len(early.heard) == 2)
        assert early.heard == [("a/x", b"1", False), ("a/y", b"2", False)]
        async with connected(served, "late", late):
            await late.until(lambda: bool(late.heard))
            assert late.heard == [("a/x", b"1", True)]
        await link.publish("a/x", b"", retain=True, qos=1)
        async with connected(served, "last", last):
            await link.publish("a/z", b"3", retain=False, qos=1)
            await last.until(lambda: bool(last.heard))
            assert last.heard == [("a/z", b"3", False)]


async def test_a_large_message_passes(served: RunningBroker) -> None:
    """A snapshot or a page of events is longer than some brokers allow by themselves: 200 kB pass."""
    listener = Listener(("a/#",))
    async with connected(served, "one", listener) as link:
        await link.publish("a/x", bytes(200_000), retain=False, qos=1)
        await listener.until(lambda: listener.payloads("a/x") == [bytes(200_000)])


async def test_small_packets_do_not_wait(served: RunningBroker) -> None:
    """The socket sends each packet at once; else a publisher that hears its own topics waits 40 ms for every acknowledgement."""
    async with connected(served, "one", Listener(("a/#",))) as link:
        assert link._client is not None
        connection = link._client._client.socket()
        assert connection is not None
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_subscriptions_come_back_after_a_broker_restart(served: RunningBroker, tmp_path: Path) -> None:
    """After a restart on the same port the client is connected and subscribed again, and a publish in between fails."""
    listener = Listener(("a/#",))
    changes: list[bool] = []
    link = MqttClient(Connection(served.host, served.port, "one"), listener, Random(1), on_change=changes.append)
    running = asyncio.create_task(link.run())
    await listener.connected.wait()
    served.stop()
    async with asyncio.timeout(5):
        while link.connected:
            await asyncio.sleep(0.01)
    with pytest.raises(ConnectionError, match="no connection"):
        await link.publish("a/x", b"1", retain=False, qos=1)
    with start_broker(tmp_path, port=served.port, kind=served.kind):
        async with asyncio.timeout(2 * BACKOFF_LAST_S + 1):
            await listener.connected.wait()
        await link.publish("a/x", b"2", retain=False, qos=1)
        await listener.until(lambda: listener.payloads("a/x") == [b"2"])
        running.cancel()
        await asyncio.wait([running])
    assert changes == [True, False, True, False]
    assert listener.sessions == 2


async def test_the_last_will_stays_when_the_client_dies(served: RunningBroker) -> None:
    """A connection that is cut leaves the will retained; an orderly stop leaves the farewell."""
    watcher, dying = Listener(("a/status",)), Willing()
    async with connected(served, "watcher", watcher):
        async with connected(served, "dying", dying) as link:
            await link.publish("a/status", b"live", retain=True, qos=1)
            _cut(link)
            await watcher.until(lambda: b"lost" in watcher.payloads("a/status"))
            async with asyncio.timeout(3):
                while dying.sessions < 2:
                    await asyncio.sleep(0.01)
        await watcher.until(lambda: watcher.payloads("a/status")[-1] == b"closed")
    late = Listener(("a/status",))
    async with connected(served, "late", late):
        await late.until(lambda: late.heard == [("a/status", b"closed", True)])


def _cut(link: MqttClient) -> None:
    """Close the socket under the client's feet, as a pulled cable would end it."""
    assert link._client is not None
    sock = link._client._client.socket()
    assert isinstance(sock, socket.socket)
    sock.shutdown(socket.SHUT_RDWR)


async def test_a_second_client_of_the_same_name_takes_over(served: RunningBroker) -> None:
    """The first one's connection ends and its will comes before anything of the second."""
    watcher = Listener(("a/status",))
    name = table_client_id("v", "t")
    async with (
        connected(served, "watcher", watcher),
        connected(served, name, Willing()),
        connected(served, name, Listener(("b",))) as second,
    ):
        await second.publish("a/status", b"live", retain=True, qos=1)
        await watcher.until(lambda: b"live" in watcher.payloads("a/status"))
        assert watcher.payloads("a/status").index(b"lost") < watcher.payloads("a/status").index(b"live")


async def test_more_waiting_publishes_than_allowed_are_refused() -> None:
    """At a broker that accepts and never acknowledges, one caller more than ``MAX_WAITING_PUBLISHES`` gets an error at once."""
    with MuteBroker() as mute:
        link = MqttClient(Connection("127.0.0.1", mute.port, "one"), Listener(()), Random(1))
        running = asyncio.create_task(link.run())
        async with asyncio.timeout(5):
            while not link.connected:
                await asyncio.sleep(0.01)
        waiting = [asyncio.create_task(link.publish("a", b"", retain=False, qos=1)) for _ in range(MAX_WAITING_PUBLISHES)]
        await asyncio.sleep(0.05)
        with pytest.raises(PublishQueueFullError):
            await link.publish("a", b"", retain=False, qos=1)
        mute.hang_up()
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(outcome, ConnectionError) for outcome in outcomes)
        running.cancel()
        await asyncio.wait([running])


async def test_no_broker_at_all_is_no_error() -> None:
    """Where nobody listens the client keeps trying, and a cancellation ends it at once."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        link = MqttClient(Connection("127.0.0.1", unused.getsockname()[1], "one"), Listener(), Random(1))
        running = asyncio.create_task(link.run())
        await asyncio.sleep(0.5)
        assert not running.done()
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled()


async def test_an_error_of_the_handler_ends_the_client(served: RunningBroker) -> None:
    """A fault in the program is not taken for a lost connection: ``run`` raises it."""

    class Broken(Listener):
        async def run_session(self, link: object) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await client(served, "broken", Broken()).run()


class MuteBroker:
    """Answers CONNECT with CONNACK and nothing else."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._peers: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.hang_up()

    def hang_up(self) -> None:
        for peer in self._peers:
            peer.close()
        self._peers.clear()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            peer.recv(1024)
            peer.sendall(b"\x20\x02\x00\x00")
            self._peers.append(peer)
