"""A connection that publishes the packets of many tables with as little work as can be, so that a run measures the floor.

MQTT 3.1.1, QoS 1, clean session. What the broker does not acknowledge is counted, not sent again: a table is asked for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

CONNECT_S: Final = 5.0
_CONNACK, _PUBLISH, _PUBACK = 0x20, 0x30, 0x40
_LAST_ID: Final = 65_535
_SEVEN_BITS: Final = 0x80
_WITH_ID: Final = 0x06

OnMessage = Callable[[str, bytes], None]


class BrokerLink(asyncio.Protocol):
    """One connection. ``on_message`` gets what arrives on ``filters``, which are subscribed to with QoS 0."""

    def __init__(self, client_id: str, filters: Sequence[str], on_message: OnMessage) -> None:
        self._client_id = client_id
        self._filters = filters
        self._on_message = on_message
        self._transport: asyncio.Transport | None = None
        self._accepted = asyncio.Event()
        self._received = bytearray()
        self._out: list[bytes] = []
        self._id = 0
        self.sent = 0
        self.acknowledged = 0
        self.lost = asyncio.Event()
        self.settled = asyncio.Event()
        """Set while every message that was taken is acknowledged."""

    @classmethod
    async def open(cls, host: str, port: int, client_id: str, filters: Sequence[str], on_message: OnMessage) -> BrokerLink:
        """Connected and accepted; ``OSError`` or ``TimeoutError`` when it cannot be."""
        link = cls(client_id, filters, on_message)
        await asyncio.get_running_loop().create_connection(lambda: link, host, port)
        async with asyncio.timeout(CONNECT_S):
            await link._accepted.wait()
        return link

    def publish(self, topic: str, payload: bytes, *, retain: bool) -> None:
        """Take a message with QoS 1; ``flush`` sends what was taken."""
        self._id = self._id % _LAST_ID + 1
        name = topic.encode()
        rest = len(name).to_bytes(2, "big") + name + self._id.to_bytes(2, "big") + payload
        self._out.append(bytes((_PUBLISH | 0x02 | retain,)) + _length(len(rest)) + rest)
        self.sent += 1
        self.settled.clear()

    def flush(self) -> None:
        """Send what was taken; nothing when the connection is gone."""
        if self._transport is not None and self._out:
            self._transport.write(b"".join(self._out))
        self._out.clear()

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say who we are."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_connection gives
        self._transport = transport
        rest = b"\x00\x04MQTT\x04\x02\x00\x00" + _text(self._client_id)
        transport.write(b"\x10" + _length(len(rest)) + rest)
        if self._filters:
            rest = b"\x00\x01" + b"".join(_text(one) + b"\x00" for one in self._filters)
            transport.write(b"\x82" + _length(len(rest)) + rest)

    def connection_lost(self, exc: Exception | None) -> None:
        """The broker is gone."""
        del exc
        self._transport = None
        self.lost.set()
        self.settled.set()

    def data_received(self, data: bytes) -> None:
        """Acknowledgements, most of the time."""
        received = self._received
        received += data
        at = 0
        while (packet := _packet(received, at)) is not None:
            kind, start, at = packet
            if kind & 0xF0 == _PUBACK:
                self.acknowledged += 1
            elif kind & 0xF0 == _CONNACK:
                self._accepted.set()
            elif kind & 0xF0 == _PUBLISH:
                self._take(kind, bytes(received[start:at]))
        del received[:at]
        if self.acknowledged == self.sent:
            self.settled.set()

    def _take(self, kind: int, body: bytes) -> None:
        end = 2 + int.from_bytes(body[:2], "big")
        self._on_message(body[2:end].decode(), body[end + 2 if kind & _WITH_ID else end :])


def _packet(received: bytearray, at: int) -> tuple[int, int, int] | None:
    """First byte, and where the rest of the packet at ``at`` begins and ends; ``None`` while it is not all there."""
    length, shift, start = 0, 0, at + 1
    while start < len(received):
        byte = received[start]
        start += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < _SEVEN_BITS:
            return None if start + length > len(received) else (received[at], start, start + length)
    return None


def _text(text: str) -> bytes:
    encoded = text.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def _length(size: int) -> bytes:
    """The variable length of a packet."""
    encoded = bytearray()
    while True:
        size, byte = size >> 7, size & 0x7F
        encoded.append(byte | (_SEVEN_BITS if size else 0))
        if not size:
            return bytes(encoded)
