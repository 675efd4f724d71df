"""Frames of the FEIG OBID i-scan host protocol, standard and advanced, for both ends of the line (FEIG §2.2).

::

    standard  LEN  ADR CTRL payload CRClo CRChi           LEN ≤ 255
    advanced  02 LENhi LENlo  ADR CTRL payload CRClo CRChi

A request's payload is its data; an answer's payload begins with the status byte. Pure: bytes and time in, frames out.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

STX: Final = 0x02
ANY_ADDRESS: Final = 0xFF
"""Every reader answers a request to this address, with its own address."""
MAX_STANDARD_BYTES: Final = 255
MAX_ADVANCED_BYTES: Final = 1024
"""Longest advanced frame that is taken or made: 100 tags and room to spare. A longer length field is noise."""
HOST_GAP_S: Final = 0.05
"""Silence inside a frame after which a host gives it up. The line itself allows 12 ms between characters, but
adapters hand bytes over in lumps of 16 ms and more."""
READER_GAP_S: Final = 0.012
"""Silence inside a request after which a reader gives it up (FEIG §2.2)."""

_HEAD_STANDARD: Final = 3
_HEAD_ADVANCED: Final = 5
_CRC_BYTES: Final = 2
_MIRRORED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class Role(Enum):
    """Who reads the line: the host reads answers, a reader reads requests."""

    HOST = "host"
    READER = "reader"


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame without its check. ``payload`` may hold tags, so it is left out of ``repr``."""

    address: int
    control: int
    payload: bytes = field(repr=False)
    advanced: bool = field(default=False, kw_only=True)


def crc16(data: bytes) -> int:
    """CRC-16, polynomial 8408 reflected, start FFFF, no final xor: ``b"123456789"`` gives 6F91."""
    mirrored = binascii.crc_hqx(data.translate(_MIRRORED), 0xFFFF)
    return _MIRRORED[mirrored & 0xFF] << 8 | _MIRRORED[mirrored >> 8]


def encode(frame: Frame) -> bytes:
    """The bytes of ``frame`` on the line, check low byte first; ``ValueError`` when it is too long for its kind."""
    head = _HEAD_ADVANCED if frame.advanced else _HEAD_STANDARD
    length = head + len(frame.payload) + _CRC_BYTES
    limit = MAX_ADVANCED_BYTES if frame.advanced else MAX_STANDARD_BYTES
    if length > limit:
        kind = "an advanced" if frame.advanced else "a standard"
        raise ValueError(f"a frame of {length} bytes is too long: {kind} frame holds at most {limit} bytes")
    start = bytes((STX, length >> 8, length & 0xFF)) if frame.advanced else bytes((length,))
    body = start + bytes((frame.address, frame.control)) + frame.payload
    return body + crc16(body).to_bytes(_CRC_BYTES, "little")


class FrameDecoder:
    """Cuts a stream of bytes into frames and finds the next good frame after garbage.

    Nothing it is fed makes it raise, and it keeps at most one unfinished frame (``MAX_ADVANCED_BYTES``).
    """

    def __init__(self, role: Role, *, gap_s: float | None = None) -> None:
        default_s = HOST_GAP_S if role is Role.HOST else READER_GAP_S
        self.gap_s = default_s if gap_s is None else gap_s
        self.skipped_bytes = 0
        """Bytes that belonged to no good frame."""
        self._least_payload = 1 if role is Role.HOST else 0
        self._least = _HEAD_STANDARD + self._least_payload + _CRC_BYTES
        self._buffer = bytearray()
        self._last_byte_at = 0.0

    @property
    def idle_at(self) -> float | None:
        """When the unfinished frame in the buffer is given up, or ``None`` if there is none: call ``idle`` then."""
        return self._last_byte_at + self.gap_s if self._buffer else None

    def reset(self) -> None:
        """Forget what was received so far: the input is flushed before a request."""
        self.skipped_bytes += len(self._buffer)
        self._buffer.clear()

    def feed(self, data: bytes, now: float) -> tuple[Frame, ...]:
        """Frames completed by ``data``, received at ``now`` seconds."""
        if not self._buffer and self._is_whole(data):  # nearly every answer that is not long
            self._last_byte_at = now
            return (_cut(bytes(data)),)
        frames = self.idle(now)
        if data:
            self._buffer += data
            self._last_byte_at = now
        return frames + self._take()

    def _is_whole(self, data: bytes) -> bool:
        """Whether ``data`` is one good standard frame and nothing else."""
        length = len(data)
        return length >= self._least and data[0] == length and crc16(data) == 0

    def idle(self, now: float) -> tuple[Frame, ...]:
        """Give up an unfinished frame once the line was quiet for the gap; good frames behind garbage are found."""
        if self.idle_at is None or now < self.idle_at:
            return ()
        frames: list[Frame] = []
        while self._buffer:
            self._skip_byte()
            frames += self._take()
        return tuple(frames)

    def _skip_byte(self) -> None:
        del self._buffer[0]
        self.skipped_bytes += 1

    def _take(self) -> tuple[Frame, ...]:
        frames: list[Frame] = []
        while self._buffer:
            length = self._length()
            if length is None or len(self._buffer) < length:
                break
            raw = bytes(self._buffer[:length])
            if length == 0 or crc16(raw) != 0:
                self._skip_byte()
                continue
            del self._buffer[:length]
            frames.append(_cut(raw))
        return tuple(frames)

    def _length(self) -> int | None:
        """Length that the buffer's head announces: ``None`` if it is not in yet, 0 if no frame can start so."""
        if self._buffer[0] != STX:
            return self._buffer[0] if self._buffer[0] >= self._least else 0
        if len(self._buffer) < _HEAD_STANDARD:
            return None
        length = self._buffer[1] << 8 | self._buffer[2]
        least = _HEAD_ADVANCED + self._least_payload + _CRC_BYTES
        return length if least <= length <= MAX_ADVANCED_BYTES else 0


def _cut(raw: bytes) -> Frame:
    advanced = raw[0] == STX
    head = _HEAD_ADVANCED if advanced else _HEAD_STANDARD
    return Frame(raw[head - 2], raw[head - 1], raw[head:-_CRC_BYTES], advanced=advanced)
