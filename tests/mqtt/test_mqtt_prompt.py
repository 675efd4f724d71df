"""The client that writes at once, and the plain pair that it stands beside."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from support.venue_keys import VenueKeys

from controller.mqtt.broker import RunningBroker, start_broker
from controller.mqtt.prompt import PromptClient
from controller.mqtt.yardstick import plain_publisher, stamp_messages

pytestmark = pytest.mark.ports


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    with start_broker(tmp_path) as running:
        yield running


async def test_a_packet_is_written_when_it_is_made(broker: RunningBroker) -> None:
    """After ``publishing`` nothing waits to be written, before the loop has had a turn; the acknowledgement comes later."""
    async with PromptClient(broker.host, broker.port) as client:
        with client.publishing("a", b"1", qos=1, retain=False) as acknowledged:
            assert not client._client.want_write()
            assert not acknowledged.done()
            await asyncio.wait_for(acknowledged, 5)
        assert not client._pending_publishes


async def test_a_message_without_acknowledgement_is_done_when_it_is_written(broker: RunningBroker) -> None:
    """QoS 0."""
    async with PromptClient(broker.host, broker.port) as client:
        with client.publishing("a", b"1", qos=0, retain=False) as acknowledged:
            await asyncio.wait_for(acknowledged, 5)


async def test_what_the_socket_does_not_take_is_written_later(broker: RunningBroker) -> None:
    """A message larger than the socket's buffer is sent in parts."""
    async with PromptClient(broker.host, broker.port) as client:
        with client.publishing("a", bytes(900_000), qos=1, retain=False) as acknowledged:
            await asyncio.wait_for(acknowledged, 10)


async def test_a_write_that_fails_leaves_no_closed_socket_watched(broker: RunningBroker) -> None:
    """The broker is gone at the moment of a message: the loss is told, and nothing fails in the loop behind it."""
    failed: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    with contextlib.suppress(aiomqtt.MqttError):
        async with PromptClient(broker.host, broker.port) as client:
            sock = client._client.socket()
            assert sock is not None
            sock.shutdown(socket.SHUT_WR)
            with contextlib.suppress(aiomqtt.MqttError), client.publishing("a", b"1", qos=1, retain=False):
                await asyncio.wait_for(asyncio.wait({client._disconnected}), 5)
            assert client._disconnected.done()
            assert sock.fileno() == -1
    assert failed == []


async def test_nobody_who_left_is_told(broker: RunningBroker) -> None:
    """An acknowledgement that comes when its waiter is gone is passed over."""
    async with PromptClient(broker.host, broker.port) as client:
        with client.publishing("a", b"1", qos=1, retain=False) as forgotten:
            pass
        with client.publishing("a", b"2", qos=1, retain=False) as acknowledged:
            await asyncio.wait_for(acknowledged, 5)
        assert not forgotten.done()


async def test_a_client_without_connection_refuses(broker: RunningBroker) -> None:
    """``MqttError``, not an acknowledgement that never comes."""
    client = PromptClient(broker.host, broker.port)
    async with client:
        pass
    with pytest.raises(aiomqtt.MqttError), client.publishing("a", b"1", qos=1, retain=False):
        raise AssertionError


async def test_the_plain_pair_stamps_what_arrives(broker: RunningBroker) -> None:
    """One publishes with QoS 1, the other tells time, topic and payload of each message."""
    ready, heard = asyncio.Event(), asyncio.Queue[tuple[int, str, bytes]]()
    listening = asyncio.create_task(
        stamp_messages(broker.host, broker.port, ("a", "b"), ready.set, lambda *message: heard.put_nowait(message))
    )
    async with asyncio.timeout(5):
        await ready.wait()
        async with plain_publisher(broker.host, broker.port) as publish:
            await publish("a", b"1")
            await publish("b", b"2")
        (first, *one), (second, *other) = await heard.get(), await heard.get()
    assert (one, other) == (["a", b"1"], ["b", b"2"])
    assert first <= second
    listening.cancel()
    await asyncio.wait([listening])


async def test_nothing_unread_is_dropped(broker: RunningBroker) -> None:
    """A reader that is busy while more comes than any queue of ours would hold: all of it is heard afterwards, in order. What a
    thousand tables retain comes at once."""
    count = 70_000
    heard: list[int] = []
    async with PromptClient(broker.host, broker.port) as reader:
        await reader.subscribe("a", qos=1)
        hearing = asyncio.create_task(reader.hear(lambda _, payload, __: heard.append(int(payload))))
        await asyncio.sleep(0)
        with socket.create_connection((broker.host, broker.port)) as writer:
            writer.sendall(b"\x10\x0f\x00\x04MQTT\x04\x02\x00\x00\x00\x03abc")
            assert writer.recv(4) == b"\x20\x02\x00\x00"
            packets = (b"\x30" + bytes((3 + len(text),)) + b"\x00\x01a" + text for text in (b"%d" % n for n in range(count)))
            writer.sendall(b"".join(packets))  # the loop stands still meanwhile
            async with asyncio.timeout(60):
                while len(heard) < count:
                    await asyncio.sleep(0.05)
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)
    assert heard == list(range(count))


async def test_a_fault_of_who_hears_comes_through(broker: RunningBroker) -> None:
    """It is a bug, and not a lost connection that is made again and again."""

    def faulty(_: str, __: bytes, ___: bool) -> None:
        raise ValueError("a bug")

    async with PromptClient(broker.host, broker.port) as client:
        await client.subscribe("a", qos=1)
        hearing = asyncio.create_task(client.hear(faulty))
        await asyncio.sleep(0)
        with client.publishing("a", b"1", qos=1, retain=False), pytest.raises(ValueError, match="a bug"):
            await asyncio.wait_for(hearing, 10)


async def test_what_tls_has_deciphered_is_read(tmp_path: Path) -> None:
    """A broker that writes answer and message into one record: no more comes through the socket, and the message is there."""
    venue = VenueKeys(tmp_path)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(200)
        writer.write(b"\x20\x02\x00\x00")
        asked = await reader.read(200)
        writer.write(b"\x90\x03" + asked[2:4] + b"\x01" + b"\x30\x04\x00\x01ax")
        await reader.read(200)
        writer.close()

    context = venue.server("broker-main").context()
    context.set_alpn_protocols([])
    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        async with PromptClient("127.0.0.1", port, tls_context=venue.client("table-T12").context()) as client:
            heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            hearing = asyncio.create_task(client.hear(lambda _topic, payload, _retain: heard.set_result(payload)))
            await asyncio.sleep(0)
            await client.subscribe("a")
            assert await asyncio.wait_for(heard, 5) == b"x"
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
