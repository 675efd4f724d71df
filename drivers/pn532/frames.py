"""Frames of the PN532 on its high-speed UART, for both ends of the line (PN532 §2.3, NXP UM0701-02 §6.2.1).

::

    normal    00 00 FF LEN LCS TFI code data… DCS 00          LEN = TFI to data, LEN + LCS = 0
    extended  00 00 FF FF FF LENM LENL LCS TFI code data… DCS 00
    ACK 00 00 FF 00 FF 00    NACK 00 00 FF FF 00 00    error 00 00 FF 01 FF 7F 81 00

Any number of preamble bytes may stand before the start code 00 FF. The check is a sum of eight bits: it finds every single
flipped bit, not every pair. Pure: bytes and time in, frames out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

MAX_NORMAL_BYTES: Final = 255
"""Longest content, TFI included, of a normal frame."""
MAX_CONTENT_BYTES: Final = 265
"""Longest content, TFI included, of an extended frame. A longer length field is noise."""
HOST_GAP_S: Final = 0.05
"""Silence inside a frame after which it is given up: adapters hand bytes over in lumps of 16 ms and more."""
WAKE_UP: Final = bytes.fromhex("55 55 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
"""Long preamble that wakes a sleeping chip. To a chip that is awake it is only a preamble."""

_START: Final = b"\x00\xff"
_FILL: Final = frozenset(b"\x00\x55")
"""Preamble, postamble and wake-up: no garbage."""
_ERROR_TFI: Final = 0x7F
_LEAST_CONTENT: Final = 2


class Direction(Enum):
    """Who speaks: the frame identifier TFI."""

    TO_CHIP = 0xD4
    TO_HOST = 0xD5


class Signal(Enum):
    """A frame without content."""

    ACK = bytes.fromhex("00 00 FF 00 FF 00")
    """The command frame is in; from the host, also: stop what you do."""
    NACK = bytes.fromhex("00 00 FF FF 00 00")
    """Say your last answer again."""
    ERROR = bytes.fromhex("00 00 FF 01 FF 7F 81 00")
    """From the chip: no such command, or not with these parameters."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A command, or the answer to one with ``code`` one higher. ``data`` may hold tags, so it is left out of ``repr``."""

    direction: Direction
    code: int
    data: bytes = field(default=b"", repr=False)
    extended: bool = field(default=False, kw_only=True)


Item: TypeAlias = Frame | Signal


def encode(item: Item) -> bytes:
    """The bytes of ``item`` on the line. A content of more than 255 bytes makes an extended frame; ``ValueError`` for one of
    more than 265."""
    if isinstance(item, Signal):
        return item.value
    content = bytes((item.direction.value, item.code)) + item.data
    length = len(content)
    if length > MAX_CONTENT_BYTES:
        raise ValueError(f"a content of {length} bytes is too long: an extended frame holds at most {MAX_CONTENT_BYTES}")
    if item.extended or length > MAX_NORMAL_BYTES:
        size = length.to_bytes(2, "big")
        head = b"\xff\xff" + size + _complement(size)
    else:
        head = bytes((length,)) + _complement(bytes((length,)))
    return b"\x00" + _START + head + content + _complement(content) + b"\x00"


def _complement(data: bytes) -> bytes:
    """The byte that brings the sum of ``data`` to 0."""
    return bytes((-sum(data) & 0xFF,))


class FrameDecoder:
    """Cuts a stream of bytes into what ``hears`` is meant to hear, and finds the next good frame after garbage.

    Nothing it is fed makes it raise, and it keeps at most one unfinished frame. A frame is over with its check: the byte behind
    it carries nothing. ACK and NACK need theirs, or one flipped bit would make an ACK of an error frame.
    """

    def __init__(self, hears: Direction, *, gap_s: float = HOST_GAP_S) -> None:
        self.gap_s = gap_s
        self.skipped_bytes = 0
        """Bytes that were neither part of a good frame nor preamble or postamble."""
        self._hears = hears
        self._buffer = bytearray()
        self._last_byte_at = 0.0

    @property
    def idle_at(self) -> float | None:
        """When the unfinished frame in the buffer is given up, or ``None`` if there is none: call ``idle`` then."""
        return self._last_byte_at + self.gap_s if len(self._buffer) > 1 else None

    def reset(self) -> None:
        """Forget what was received so far: the input is flushed before a command."""
        self._skip(len(self._buffer))

    def feed(self, data: bytes, now: float) -> tuple[Item, ...]:
        """What ``data``, received at ``now`` seconds, completed."""
        items = self.idle(now)
        if data:
            self._buffer += data
            self._last_byte_at = now
        return items + self._take()

    def idle(self, now: float) -> tuple[Item, ...]:
        """Give up an unfinished frame once the line was quiet for the gap; good frames behind garbage are found."""
        if self.idle_at is None or now < self.idle_at:
            return ()
        items: list[Item] = []
        while self._buffer:
            self._skip(1)
            items += self._take()
        return tuple(items)

    def _skip(self, count: int) -> None:
        self.skipped_bytes += sum(byte not in _FILL for byte in self._buffer[:count])
        del self._buffer[:count]

    def _take(self) -> tuple[Item, ...]:
        items: list[Item] = []
        while True:
            start = self._buffer.find(_START)
            if start < 0:
                keep = 1 if self._buffer.endswith(_START[:1]) else 0
                self._skip(len(self._buffer) - keep)
                break
            self._skip(start)
            length = self._length()
            if length is None or len(self._buffer) < length:
                break
            item = self._read(length)
            if item is None:
                self._skip(1)
            else:
                # The 00 behind an ACK or NACK is looked at and left: it may be the one that begins the next frame.
                del self._buffer[: length - 1 if isinstance(item, Signal) and item is not Signal.ERROR else length]
                items.append(item)
        return tuple(items)

    def _length(self) -> int | None:
        """Bytes from the start code to the end of what it announces: ``None`` if that is not in yet, 0 if it is nothing."""
        head = self._buffer[2:7]
        if len(head) < 2:
            return None
        pair = bytes(head[:2])
        if pair in (b"\x00\xff", b"\xff\x00"):
            return 5
        if pair != b"\xff\xff":
            return 4 + head[0] + 1 if head[0] and sum(pair) & 0xFF == 0 else 0
        if len(head) < 5:
            return None
        size = head[2] << 8 | head[3]
        fits = _LEAST_CONTENT <= size <= MAX_CONTENT_BYTES and sum(head[2:5]) & 0xFF == 0
        return 7 + size + 1 if fits else 0

    def _read(self, length: int) -> Item | None:
        """What the first ``length`` bytes of the buffer are, or ``None`` when their check or sender is wrong."""
        raw = bytes(self._buffer[:length])
        kind = raw[2:4]
        if kind in (b"\x00\xff", b"\xff\x00"):
            signal = Signal.ACK if kind[0] == 0 else Signal.NACK
            return signal if raw[4] == 0 else None
        extended = kind == b"\xff\xff"
        content = raw[7 if extended else 4 :]
        if length == 0 or sum(content) & 0xFF:
            return None
        if content[:-1] == bytes((_ERROR_TFI,)) and self._hears is Direction.TO_HOST:
            return Signal.ERROR
        if content[0] != self._hears.value or len(content) <= _LEAST_CONTENT:
            return None
        return Frame(self._hears, content[1], content[2:-1], extended=extended)
