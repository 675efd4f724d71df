"""Frames of an Angel Eye shoe as public programs read them, for both ends of the line (devices §1.2). Unverified.

::

    shoe → host    05 seq data… 03 b1 b2           check over seq to 03
    host → shoe    02 'O' 'P' t1 t2 d1 d2 03 b1 b2  check with or without the 02: the sources contradict each other
    reply          06, or 15 and two digits

The check is the XOR of eight bits, as two capital hexadecimal digits: two bits flipped in the same column pass. Pure: bytes in,
frames out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Final

ENQ: Final = 0x05
STX: Final = 0x02
ETX: Final = 0x03
ACK: Final = b"\x06"
NAK: Final = b"\x15"
MAX_BODY_BYTES: Final = 16
"""Longest sequence byte and data that is taken; the longest known report has eight. What is longer is noise."""

_CHECK_BYTES: Final = 2
_COMMAND_BYTES: Final = 7


@dataclass(frozen=True, slots=True)
class Frame:
    """One report of the shoe: its sequence byte, and its data, which may hold a card and is left out of ``repr``."""

    seq: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Order:
    """One command to the shoe, as ``LK`` ``02``. The driver sends none."""

    kind: str
    number: str


def check_of(data: bytes) -> bytes:
    """XOR of ``data`` as two capital hexadecimal digits."""
    return b"%02X" % reduce(xor, data, 0)


def encode(frame: Frame) -> bytes:
    """The bytes of a report; ``ValueError`` when it is too long."""
    body = bytes((frame.seq,)) + frame.data
    if len(body) > MAX_BODY_BYTES:
        raise ValueError(f"a report of {len(body)} bytes is too long: at most {MAX_BODY_BYTES}")
    body += bytes((ETX,))
    return bytes((ENQ,)) + body + check_of(body)


def encode_order(order: Order, *, has_stx_in_check: bool = True) -> bytes:
    """The bytes of a command. The example of the sources has its first byte in the check, their text has not."""
    frame = bytes((STX,)) + f"OP{order.kind}{order.number}".encode("ascii") + bytes((ETX,))
    return frame + check_of(frame if has_stx_in_check else frame[1:])


def read_order(data: bytes, *, has_stx_in_check: bool = True) -> Order | None:
    """The command that ``data`` is, ``None`` when it is none."""
    if len(data) != _COMMAND_BYTES + 1 + _CHECK_BYTES or not data.isascii():
        return None
    text = data[1:_COMMAND_BYTES].decode("ascii")
    order = Order(text[2:4], text[4:6])
    return order if data == encode_order(order, has_stx_in_check=has_stx_in_check) else None


class FrameDecoder:
    """Cuts a stream of bytes into reports and finds the next good one after garbage.

    No byte inside a report is 05, so one begins at every 05, whatever stood before it: nothing good is ever swallowed.
    """

    def __init__(self) -> None:
        self.skipped_bytes = 0
        """Bytes that belonged to no good report."""
        self.bad_checks = 0
        self._buffer = bytearray()

    def reset(self) -> None:
        """Forget what was received so far."""
        self.skipped_bytes += len(self._buffer)
        self._buffer.clear()

    def feed(self, data: bytes) -> tuple[Frame, ...]:
        """Reports completed by ``data``."""
        frames: list[Frame] = []
        for byte in data:
            if byte == ENQ:
                self.reset()
            elif not self._buffer:
                self.skipped_bytes += 1
                continue
            self._buffer.append(byte)
            frame = self._complete()
            if frame is not None:
                frames.append(frame)
        return tuple(frames)

    def _complete(self) -> Frame | None:
        end = self._buffer.find(ETX)
        if end < 0:
            if len(self._buffer) > 1 + MAX_BODY_BYTES:
                self.reset()
            return None
        if len(self._buffer) < end + 1 + _CHECK_BYTES:
            return None
        body, check = bytes(self._buffer[1:end]), bytes(self._buffer[end + 1 :])
        if len(body) < _CHECK_BYTES or check_of(body + bytes((ETX,))) != check:
            self.bad_checks += 1
            self.reset()
            return None
        self._buffer.clear()
        return Frame(body[0], body[1:])
