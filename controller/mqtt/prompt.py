"""aiomqtt that writes a packet when it is made, tells of an acknowledgement without a task of its own, and hands a message over
when it is read.

As it comes, aiomqtt writes three turns of the event loop after ``publish``, and waits in two more tasks: too long for a card.
Each message that arrives goes through a queue and another task: twice the work of reading it, and where the queue is full the
message is dropped. Here what is not read yet waits in the socket and at the broker.
Hence nine private names of its release 2: ``_client``, ``_pending_publishes``, ``_on_socket_register_write``,
``_on_socket_open``, ``_on_socket_close``, ``_on_message``, ``_on_disconnect``, ``_connected``, ``_disconnected``.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Final

import aiomqtt

from controller.tls import alert_of

MAX_AT_ONCE: Final = 64
"""Messages that are read in one turn of the event loop, whatever else waits there."""


class PromptClient(aiomqtt.Client):
    """One connection."""

    _take: Callable[[str, bytes, bool], None] | None = None
    _broken: asyncio.Future[None] | None = None
    _alert: Exception | None = None
    _taken = 0
    _reading = False

    async def hear(self, take: Callable[[str, bytes, bool], None]) -> None:
        """Give ``take`` topic, payload and whether the broker had kept it, of each message as it is read, in the broker's order.

        Ends with ``MqttError`` when the connection is lost, or with what ``take`` raises.
        """
        self._take, broken = take, self._loop.create_future()
        self._broken = broken
        try:
            await asyncio.wait((broken, self._disconnected), return_when=asyncio.FIRST_COMPLETED)
            if broken.done():
                broken.result()
            raise aiomqtt.MqttError("disconnected while messages were heard")
        finally:
            self._take = None
            broken.cancel()

    @contextlib.contextmanager
    def publishing(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> Iterator[asyncio.Future[None]]:
        """Send at once; the future is done when the broker has acknowledged (QoS 1) or the socket has taken it (QoS 0).

        ``MqttError`` when it cannot be sent. Leaving the context forgets the acknowledgement.
        """
        acknowledged: asyncio.Future[None] = self._loop.create_future()
        info = self._client.publish(topic, payload, qos, retain)
        if info.rc:
            raise aiomqtt.MqttCodeError(info.rc, "could not publish")
        pending: dict[int, Any] = self._pending_publishes
        if info.is_published():
            acknowledged.set_result(None)
        else:
            pending[info.mid] = _Confirmation(acknowledged)
        try:
            yield acknowledged
        finally:
            pending.pop(info.mid, None)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Leave the broker. A loss that nobody waited for is not logged: the reader of messages was told."""
        try:
            await super().__aexit__(kind, error, trace)
        finally:
            if self._disconnected.done() and not self._disconnected.cancelled():
                self._disconnected.exception()

    def _on_disconnect(self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Any = None) -> None:
        """From paho. Who waits to be let in learns at once that it is not, and why; aiomqtt would wait until its time is over."""
        if _runs_in(self._loop) and not self._connected.done():
            refused = aiomqtt.MqttError("the broker closed the connection")
            refused.__cause__ = self._alert
            self._connected.set_exception(refused)
            return
        super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_socket_close(self, client: Any, userdata: Any, sock: Any) -> None:
        """From paho, before it tells that the connection is gone."""
        self._alert = alert_of(sock)
        super()._on_socket_close(client, userdata, sock)

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:
        """From paho, which has read a message and acknowledged it."""
        self._taken += 1
        if self._take is None:
            return
        try:
            self._take(message.topic, message.payload, message.retain)
        except Exception as error:  # noqa: BLE001 - paho would log it and go on
            if self._broken is not None and not self._broken.done():
                self._broken.set_exception(error)

    def _on_socket_open(self, client: Any, userdata: Any, sock: Any) -> None:
        """From paho, in the thread that connects. aiomqtt reads one packet a turn of the loop; here as many as are there."""
        super()._on_socket_open(client, userdata, sock)
        self._loop.call_soon_threadsafe(self._read_from, sock)

    def _read_from(self, sock: Any) -> None:
        """Instead of aiomqtt, whose own reader may have found the connection closed by now."""
        if sock.fileno() >= 0:
            self._loop.add_reader(sock.fileno(), self._read_all)

    def _read_all(self) -> None:
        """Read what is there, and acknowledge it together: a write for each message costs as much as reading it."""
        self._reading = True
        try:
            for _ in range(MAX_AT_ONCE):
                before = self._taken
                self._client.loop_read()
                if self._taken == before:
                    break
        except Exception as error:  # noqa: BLE001 - as aiomqtt does: whatever it is, the connection is of no use
            if not self._disconnected.done():
                self._disconnected.set_exception(error)
        finally:
            self._reading = False
            if _holds_more(self._client.socket()):
                self._loop.call_soon(self._read_all)
            if self._client.want_write():
                self._on_socket_register_write(self._client, None, self._client.socket())

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:
        """From paho, which has bytes to send. What the socket does not take is written when it takes more."""
        if self._reading or sock is None:
            return
        with contextlib.suppress(OSError):
            if _runs_in(self._loop):
                client.loop_write()
                if client.want_write():
                    self._await_room(client, sock)
                return
        self._loop.call_soon_threadsafe(self._await_room, client, sock)

    def _await_room(self, client: Any, sock: Any) -> None:
        """Not aiomqtt's own, which watches the number that the socket had some turns ago: a write that failed has closed it
        by then, and the number is -1, or another file's."""

        def write() -> None:
            try:
                client.loop_write()
            except OSError as error:
                if not self._disconnected.done():
                    self._disconnected.set_exception(error)

        if sock.fileno() >= 0:
            self._loop.add_writer(sock.fileno(), write)


class _Confirmation:
    """What aiomqtt sets when the acknowledgement is there."""

    def __init__(self, acknowledged: asyncio.Future[None]) -> None:
        self._acknowledged = acknowledged

    def set(self) -> None:
        if not self._acknowledged.done():
            self._acknowledged.set_result(None)


def _holds_more(sock: Any) -> bool:
    """Whether TLS has deciphered more than was read: the socket below has nothing, so that its reader is not called for it."""
    return isinstance(sock, ssl.SSLSocket) and sock.fileno() >= 0 and sock.pending() > 0


def _runs_in(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether this is the loop's own thread; aiomqtt connects from another one."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
