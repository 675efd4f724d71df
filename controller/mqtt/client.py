"""The one MQTT client: connects for ever, subscribes again inside each connect, and hands each connection to its handler."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

import aiomqtt

from controller.mqtt.ports import Handler
from controller.mqtt.prompt import PromptClient
from controller.tls import ClientTls, TlsError, why_failed

KEEPALIVE_S: Final = 5
ACKNOWLEDGE_TIMEOUT_S: Final = 5.0
FAREWELL_TIMEOUT_S: Final = 1.0
BACKOFF_FIRST_S: Final = 0.1
BACKOFF_LAST_S: Final = 1.0
"""Longest pause between attempts: a restarted broker has everything back within two seconds."""
STABLE_S: Final = 2.0
"""A connection that lasted less does not shorten the next pause, or two clients could oust each other for ever."""
MAX_WAITING_PUBLISHES: Final = 64
MAX_INFLIGHT: Final = 8
NO_DELAY: Final = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)
"""Without it a publisher that hears itself waits 40 ms for each acknowledgement: the PUBACK of its echo holds the next packet."""
_REFUSED: Final = 0x80
_MOST_DOUBLINGS: Final = 8

_log = logging.getLogger("controller.mqtt")
_paho_log = logging.getLogger("controller.mqtt.paho")
_paho_log.setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the broker is and who we are.

    ``client_id`` is fixed for a table, so that a second controller takes over the first one's connection.
    """

    host: str
    port: int
    client_id: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: ClientTls | None = None


class ReceivedMessage(NamedTuple):
    """A message that arrived."""

    topic: str
    payload: bytes
    retain: bool


@dataclass(frozen=True, slots=True)
class WillMessage:
    """A retained last will."""

    topic: str
    payload: bytes


class PublishQueueFullError(Exception):
    """More than ``MAX_WAITING_PUBLISHES`` callers wait for the broker: somebody does not wait for acknowledgements."""


class MqttClient:
    """Serves one handler over one connection at a time; ``run`` is its only task.

    ``on_change`` is told ``True`` after each connect and ``False`` after each loss.
    """

    def __init__(
        self,
        connection: Connection,
        handler: Handler,
        random: Random,
        *,
        on_change: Callable[[bool], None] | None = None,
    ) -> None:
        self._connection = connection
        self._handler = handler
        self._random = random
        self._on_change = on_change
        self._client: PromptClient | None = None
        self._lost: asyncio.Future[None] | None = None
        self._waiting = 0
        self._attempt = 0
        self._told = ""

    @property
    def connected(self) -> bool:
        """Whether the broker has accepted this client and nothing says that it is gone."""
        return self._client is not None

    async def run(self) -> None:
        """Connect, serve, reconnect with growing, jittered pauses; ends by cancellation alone, after the handler's farewell."""
        while True:
            try:
                await self._connect_and_serve()
            except (aiomqtt.MqttError, ConnectionError, TlsError) as error:
                self._tell_why(error)
            pause_s = min(BACKOFF_LAST_S, BACKOFF_FIRST_S * 2**self._attempt)
            self._attempt = min(self._attempt + 1, _MOST_DOUBLINGS)
            await asyncio.sleep(pause_s * self._random.uniform(0.5, 1.0))

    async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
        """See ``Publisher.publish``; also ``PublishQueueFullError``."""
        client, lost = self._client, self._lost
        if client is None or lost is None:
            raise ConnectionError("no connection to the broker")
        if self._waiting >= MAX_WAITING_PUBLISHES:
            raise PublishQueueFullError(f"{self._waiting} publishes wait for the broker")
        self._waiting += 1
        try:
            with client.publishing(topic, payload, qos=qos, retain=retain) as acknowledged:
                if not acknowledged.done():  # of a message without acknowledgement the socket has taken all at once
                    await asyncio.wait({acknowledged, lost}, timeout=ACKNOWLEDGE_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
                if not acknowledged.done():
                    raise ConnectionError("the broker did not acknowledge before the connection was lost or the time was over")
        except aiomqtt.MqttError as error:
            raise ConnectionError(str(error)) from error
        finally:
            self._waiting -= 1

    async def _connect_and_serve(self) -> None:
        """One connection's life; ends with ``MqttError`` or ``ConnectionError``."""
        loop = asyncio.get_running_loop()
        client = self._new_client()
        await self._enter(client)
        entered_at = loop.time()
        try:
            await self._serve(client)
        except asyncio.CancelledError:
            await self._say_farewell()
            raise
        finally:
            if loop.time() - entered_at >= STABLE_S:
                self._attempt = 0
            accepted = self._client is not None
            self._client = None
            if self._lost is not None and not self._lost.done():
                self._lost.set_result(None)
            with contextlib.suppress(aiomqtt.MqttError, ConnectionError):
                await client.__aexit__(None, None, None)
            if accepted:
                self._tell(connected=False)

    async def _serve(self, client: PromptClient) -> None:
        """Read and let the handler work until one of them fails; ``MqttError`` or ``ConnectionError`` when the link is lost."""
        # No TaskGroup: on Python 3.11 it forgets a cancellation that comes in the moment of a child's failure.
        tasks = [asyncio.create_task(self._read(client)), asyncio.create_task(self._run_session(client))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        errors = [result for result in results if isinstance(result, Exception)]
        for error in sorted(errors, key=lambda error: isinstance(error, aiomqtt.MqttError | ConnectionError)):
            raise error

    async def _run_session(self, client: PromptClient) -> None:
        """Subscribe, then hand the connection over."""
        topics = list(self._handler.subscriptions())
        if topics:
            codes = await client.subscribe([(topic, 1) for topic in topics])
            for topic, code in zip(topics, codes, strict=True):
                value = code if isinstance(code, int) else getattr(code, "value", 0)
                if value >= _REFUSED:
                    _log.error("broker refused the subscription to %s: see its access list", topic)
        self._client, self._lost = client, asyncio.get_running_loop().create_future()
        self._tell(connected=True)
        await self._handler.run_session(self)

    async def _read(self, client: PromptClient) -> None:
        hear = self._handler.on_message
        await client.hear(lambda topic, payload, retain: hear(ReceivedMessage(topic, payload, retain)))

    async def _enter(self, client: PromptClient) -> None:
        """Connect; when cancelled meanwhile, wait for the connecting thread, so that it leaves no open socket behind."""
        entering = asyncio.ensure_future(client.__aenter__())
        try:
            await asyncio.shield(entering)
        except asyncio.CancelledError:
            with contextlib.suppress(aiomqtt.MqttError):
                await entering
                await client.__aexit__(None, None, None)
            raise

    async def _say_farewell(self) -> None:
        farewell = self._handler.farewell()
        if farewell is not None:
            with contextlib.suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(FAREWELL_TIMEOUT_S):
                    await self.publish(farewell.topic, farewell.payload, retain=True, qos=1)

    def _new_client(self) -> PromptClient:
        will = self._handler.will()
        client = PromptClient(
            self._connection.host,
            self._connection.port,
            identifier=self._connection.client_id,
            username=self._connection.username,
            password=self._connection.password,
            tls_context=None if self._connection.tls is None else self._connection.tls.context(),
            will=None if will is None else aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
            clean_session=True,
            keepalive=KEEPALIVE_S,
            timeout=ACKNOWLEDGE_TIMEOUT_S,
            socket_options=NO_DELAY,
            logger=_paho_log,
            max_queued_outgoing_messages=2 * MAX_WAITING_PUBLISHES,
            max_inflight_messages=MAX_INFLIGHT,
            max_concurrent_outgoing_calls=MAX_INFLIGHT,
        )
        client.pending_calls_threshold = MAX_WAITING_PUBLISHES
        return client

    def _tell_why(self, error: Exception) -> None:
        """Log it; what somebody must mend louder, and once."""
        why = str(error) if isinstance(error, TlsError) else why_failed(error)
        level = logging.WARNING if why and why != self._told else logging.INFO
        self._told = why
        _log.log(level, "no connection to the broker at %s:%d: %s", self._connection.host, self._connection.port, why or error)

    def _tell(self, *, connected: bool) -> None:
        if self._on_change is not None:
            self._on_change(connected)


def table_client_id(venue: str, table: str) -> str:
    """The fixed client id of a table's controller."""
    return f"stud-{venue}-{table}"
