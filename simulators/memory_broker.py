"""A broker without sockets for virtual time: retained messages, wildcards, last wills, take-over by client id, restarts."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Protocol

MAX_QUEUED: Final = 4096
"""Messages that wait for one subscriber; one more and the subscriber is disconnected, as a real broker does."""


@dataclass(frozen=True, slots=True)
class MemoryMessage:
    """A message on its way to a subscriber; ``retain`` says that it was kept from before the subscription."""

    topic: str
    payload: bytes
    retain: bool


class TopicAndPayload(Protocol):
    """A last will."""

    @property
    def topic(self) -> str: ...  # noqa: D102

    @property
    def payload(self) -> bytes: ...  # noqa: D102


class PublishLink(Protocol):
    """The outgoing side that a handler is given."""

    async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
        """Return when acknowledged; ``ConnectionError`` when there is no connection."""


class ClientHandler(Protocol):
    """What a connection serves; the same shape as the real client's handler."""

    def subscriptions(self) -> Sequence[str]:
        """Filters to subscribe to inside each connect."""

    def will(self) -> TopicAndPayload | None:
        """The last will of the next connection."""

    def farewell(self) -> TopicAndPayload | None:
        """Retained message to leave behind when the client stops in order."""

    async def run_session(self, link: PublishLink) -> None:
        """One connection's life; cancelled when the connection is lost."""

    def on_message(self, message: MemoryMessage) -> None:
        """One message, in order."""


@lru_cache(maxsize=4096)
def topic_matches(topic_filter: str, topic: str) -> bool:
    """Whether an MQTT filter with ``+`` and ``#`` covers ``topic``."""
    wanted, given = topic_filter.split("/"), topic.split("/")
    for index, part in enumerate(wanted):
        if part == "#":
            return True
        if index >= len(given) or part not in ("+", given[index]):
            return False
    return len(wanted) == len(given)


@dataclass(slots=True, eq=False)
class _Connection:
    client_id: str
    filters: tuple[str, ...]
    will: TopicAndPayload | None
    queue: deque[MemoryMessage] = field(default_factory=deque)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    lost: bool = False
    losing: tuple[str, int] = ("", 0)

    def deliver(self, message: MemoryMessage) -> None:
        wanted, count = self.losing
        if count and topic_matches(wanted, message.topic):
            self.losing = (wanted, count - 1)
            return
        if len(self.queue) >= MAX_QUEUED:
            self.lose()
            return
        self.queue.append(message)
        self.wake.set()

    def lose(self) -> None:
        self.lost = True
        self.wake.set()


class MemoryBroker:
    """Delivers in order of publication; a publish is acknowledged ``latency_s`` after it was handed out."""

    def __init__(self, *, latency_s: float = 0.0005) -> None:
        self.latency_s = latency_s
        self._retained: dict[str, bytes] = {}
        self._connections: dict[str, _Connection] = {}
        self._up = True
        self.published: int = 0

    @property
    def retained(self) -> Mapping[str, bytes]:
        """What a new subscriber would be given."""
        return MappingProxyType(self._retained)

    @property
    def up(self) -> bool:
        """Whether the broker accepts connections."""
        return self._up

    def stop(self) -> None:
        """Die: every connection is lost at once, without wills, and everything retained is forgotten."""
        self._up = False
        self._retained.clear()
        for connection in self._connections.values():
            connection.lose()
        self._connections.clear()

    def start(self) -> None:
        """Accept connections again."""
        self._up = True

    def restart(self) -> None:
        """Stop and start in one moment: clients notice and come back by themselves."""
        self.stop()
        self.start()

    def cut(self, client_id: str) -> None:
        """Lose one client's connection as a pulled cable does; its will is published. Nothing when it is not connected."""
        connection = self._connections.pop(client_id, None)
        if connection is not None:
            connection.lose()
            self._publish_will(connection)

    def lose(self, client_id: str, topic_filter: str, count: int) -> None:
        """Drop the next ``count`` messages of these topics that are for one client, which stays connected, as a broker does that
        has no room for them."""
        self._connections[client_id].losing = (topic_filter, count)

    def inject(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish as an outsider would."""
        self._accept(topic, payload, retain=retain)

    def _publish_will(self, connection: _Connection) -> None:
        if connection.will is not None:
            self._accept(connection.will.topic, connection.will.payload, retain=True)

    def _accept(self, topic: str, payload: bytes, *, retain: bool) -> None:
        self.published += 1
        if retain and payload:
            self._retained[topic] = payload
        elif retain:
            self._retained.pop(topic, None)
        message = MemoryMessage(topic, payload, retain=False)
        for connection in tuple(self._connections.values()):
            if any(topic_matches(wanted, topic) for wanted in connection.filters):
                connection.deliver(message)

    def _connect(self, connection: _Connection) -> None:
        if not self._up:
            raise ConnectionRefusedError("the broker is down")
        self.cut(connection.client_id)
        self._connections[connection.client_id] = connection
        for topic, payload in self._retained.items():
            if any(topic_matches(wanted, topic) for wanted in connection.filters):
                connection.deliver(MemoryMessage(topic, payload, retain=True))

    def _disconnect(self, connection: _Connection) -> None:
        connection.lose()
        if self._connections.get(connection.client_id) is connection:
            del self._connections[connection.client_id]

    async def _publish(self, connection: _Connection, topic: str, payload: bytes, *, retain: bool) -> None:
        if connection.lost:
            raise ConnectionResetError("connection lost")
        self._accept(topic, payload, retain=retain)
        await asyncio.sleep(self.latency_s)
        if connection.lost:
            raise ConnectionResetError("connection lost before the broker acknowledged")


@dataclass(frozen=True, slots=True)
class _Link:
    broker: MemoryBroker
    connection: _Connection

    async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
        """Acknowledged after the broker's latency, for QoS 0 too."""
        del qos
        await self.broker._publish(self.connection, topic, payload, retain=retain)  # noqa: SLF001 - two halves of one thing


class MemoryClient:
    """Serves one handler at a memory broker; ``run`` is its only task and reconnects ``reconnect_s`` after each loss."""

    def __init__(self, broker: MemoryBroker, client_id: str, handler: ClientHandler, *, reconnect_s: float = 0.2) -> None:
        self._broker = broker
        self._client_id = client_id
        self._handler = handler
        self._reconnect_s = reconnect_s

    async def run(self) -> None:
        """Connect, serve, reconnect; ends by cancellation alone, after the handler's farewell."""
        while True:
            with contextlib.suppress(ConnectionError):
                await self._connect_and_serve()
            await asyncio.sleep(self._reconnect_s)

    async def _connect_and_serve(self) -> None:
        connection = _Connection(self._client_id, tuple(self._handler.subscriptions()), self._handler.will())
        broker = self._broker
        broker._connect(connection)  # noqa: SLF001 - two halves of one thing
        link = _Link(broker, connection)
        try:
            await self._serve(connection, link)
        except asyncio.CancelledError:
            farewell = self._handler.farewell()
            if farewell is not None and not connection.lost:
                broker.inject(farewell.topic, farewell.payload, retain=True)
            raise
        finally:
            broker._disconnect(connection)  # noqa: SLF001 - two halves of one thing

    async def _serve(self, connection: _Connection, link: PublishLink) -> None:
        """Until the handler or the connection fails; an error that is no ``ConnectionError`` goes first."""
        tasks = [asyncio.create_task(self._handler.run_session(link)), asyncio.create_task(self._read(connection))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        errors = [result for result in results if isinstance(result, Exception)]
        for error in sorted(errors, key=lambda error: isinstance(error, ConnectionError)):
            raise error

    async def _read(self, connection: _Connection) -> None:
        while True:
            while connection.queue:
                self._handler.on_message(connection.queue.popleft())
                await asyncio.sleep(0)
            if connection.lost:
                raise ConnectionResetError("connection lost")
            connection.wake.clear()
            await connection.wake.wait()
