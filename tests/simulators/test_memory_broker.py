"""The broker without sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from support.mqtt_samples import Listener

from controller.mqtt.client import WillMessage
from simulators.memory_broker import MAX_QUEUED, MemoryBroker, MemoryClient, topic_matches
from simulators.virtual_time import run_virtual


class Willing(Listener):
    """A listener with a last will."""

    def will(self) -> WillMessage:  # type: ignore[override]
        return WillMessage("a/status", b"lost")

    def farewell(self) -> WillMessage:  # type: ignore[override]
        return WillMessage("a/status", b"closed")


@asynccontextmanager
async def connected(broker: MemoryBroker, name: str, listener: Listener) -> AsyncIterator[Listener]:
    running = asyncio.create_task(MemoryClient(broker, name, listener).run())
    await listener.connected.wait()
    try:
        yield listener
    finally:
        running.cancel()
        await asyncio.wait([running])


def virtual(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_virtual(story(), max_seconds=60)


@pytest.mark.parametrize(
    ("wanted", "topic", "matches"),
    [
        ("a/b", "a/b", True),
        ("a/+", "a/b", True),
        ("a/+", "a/b/c", False),
        ("a/+/c", "a/b/c", True),
        ("a/#", "a/b/c", True),
        ("a/#", "a", True),
        ("a/b", "a", False),
        ("a", "a/b", False),
    ],
)
def test_filters_match_as_in_mqtt(wanted: str, topic: str, *, matches: bool) -> None:
    """``+`` is one level, ``#`` is the rest and its parent."""
    assert topic_matches(wanted, topic) is matches


def test_retained_messages_come_first_and_marked() -> None:
    """A new subscriber gets what is retained, marked so; a live one gets it unmarked; an empty payload deletes."""

    async def story() -> None:
        broker = MemoryBroker()
        broker.inject("a/x", b"1", retain=True)
        broker.inject("a/y", b"2", retain=True)
        broker.inject("a/y", b"", retain=True)
        async with connected(broker, "one", Listener(("a/#",))) as listener:
            broker.inject("a/z", b"3", retain=True)
            await listener.until(lambda: len(listener.heard) == 2)
        assert listener.heard == [("a/x", b"1", True), ("a/z", b"3", False)]
        assert dict(broker.retained) == {"a/x": b"1", "a/z": b"3"}

    virtual(story)


def test_delivery_keeps_the_order_of_publication() -> None:
    """Two publishers, one subscriber: messages arrive as they were accepted."""

    async def story() -> None:
        broker = MemoryBroker()
        async with connected(broker, "one", Listener(("a/#",))) as listener:
            for number in range(100):
                broker.inject("a/n", b"%d" % number)
            await listener.until(lambda: len(listener.heard) == 100)
            assert listener.payloads("a/n") == [b"%d" % number for number in range(100)]

    virtual(story)


def test_a_restart_forgets_and_clients_come_back() -> None:
    """After a restart nothing is retained, and the client is connected and subscribed again."""

    async def story() -> None:
        broker = MemoryBroker()
        broker.inject("a/x", b"1", retain=True)
        async with connected(broker, "one", Listener(("a/#",))) as listener:
            broker.restart()
            await asyncio.sleep(1)
            assert listener.sessions == 2
            assert dict(broker.retained) == {}
            broker.inject("a/y", b"2")
            await listener.until(lambda: listener.payloads("a/y") == [b"2"])

    virtual(story)


def test_publishing_without_a_connection_fails() -> None:
    """A publish that was under way when the broker died is not acknowledged, and a later one is refused."""

    async def story() -> None:
        broker = MemoryBroker(latency_s=1.0)
        async with connected(broker, "one", Listener()) as listener:
            link = listener.link
            assert link is not None
            under_way = asyncio.create_task(link.publish("a", b"1", retain=False, qos=1))
            await asyncio.sleep(0.1)
            broker.stop()
            with pytest.raises(ConnectionError, match="before the broker acknowledged"):
                await under_way
            with pytest.raises(ConnectionError, match="lost"):
                await link.publish("a", b"1", retain=False, qos=1)
            assert not broker.up

    virtual(story)


def test_a_cut_cable_publishes_the_will_and_a_stop_the_farewell() -> None:
    """The will stays retained after an abrupt loss; after an orderly stop the farewell does."""

    async def story() -> None:
        broker = MemoryBroker()
        async with connected(broker, "one", Willing()):
            broker.cut("one")
            assert broker.retained["a/status"] == b"lost"
            await asyncio.sleep(1)
        assert broker.retained["a/status"] == b"closed"

    virtual(story)


def test_the_same_client_id_takes_over() -> None:
    """A second client of the same name ends the first one's connection, whose will is published before."""

    async def story() -> None:
        broker = MemoryBroker()
        first = Willing()
        running = asyncio.create_task(MemoryClient(broker, "one", first, reconnect_s=5).run())
        await first.connected.wait()
        async with connected(broker, "one", Listener(("a/#",))) as second:
            await second.until(lambda: second.payloads("a/status") == [b"lost"])
            await asyncio.sleep(1)
            assert not first.connected.is_set()
            running.cancel()
            await asyncio.wait([running])

    virtual(story)


def test_a_reader_that_does_not_read_is_disconnected() -> None:
    """One message more than ``MAX_QUEUED`` ends the connection of a subscriber that lags behind."""

    async def story() -> None:
        broker = MemoryBroker()
        async with connected(broker, "one", Listener(("a/#",))) as listener:
            for _ in range(MAX_QUEUED):
                broker.inject("a/n", b"")
            await asyncio.sleep(1)
            assert listener.sessions == 1
            for _ in range(MAX_QUEUED + 1):
                broker.inject("a/n", b"")
            await asyncio.sleep(1)
            assert listener.sessions == 2

    virtual(story)
