"""TSP/1 framing: a stream of bytes to lines and back (TSP/1 line).

``line = "$" body "*" crc CR LF``. Pure: no I/O, no time. Bad lines are counted and dropped, and never take the next line with
them: a ``$`` always starts afresh.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass, field
from typing import Final

from drivers.ports import DriverError

MAX_LINE_BYTES: Final = 128
"""Longest line with ``$``, CR and LF (TSP/1 without authentication)."""
MAX_SIGNED_BYTES: Final = 160
"""The same with authentication."""
VERSION: Final = "1"
HOST: Final = "HOST"
"""Node name of the controller; no shoe may carry it."""

_DOLLAR, _STAR, _CR, _LF = 0x24, 0x2A, 0x0D, 0x0A
_HEX: Final = frozenset("0123456789ABCDEF")
_NODE: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_ESCAPED: Final = frozenset("$*,%")


class LineError(DriverError):
    """A line with a good check that is no TSP/1 line. The message never repeats its content."""


class UnknownVersion(LineError):  # noqa: N818 - a name of the published interface
    """The line is of another major version of the protocol."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line's header and its decoded fields. ``body`` is what was checked, to compare repeats; neither prints."""

    node: str
    type: str
    seq: int
    boot: int
    fields: tuple[str, ...] = field(repr=False)
    body: bytes = field(repr=False)


class LineFramer:
    """Bodies of the lines with a good check, out of any chunks. ``bad_lines`` counts the others, noise between lines included."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self.bad_lines = 0
        self._max_bytes = max_bytes
        self._buffer: bytearray | None = None
        self._overlong = False
        self._noise = False

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that ``data`` completes, in order."""
        bodies: list[bytes] = []
        for byte in data:
            if byte == _DOLLAR:
                self._start()
            elif byte == _LF:
                body = self._end()
                if body is not None:
                    bodies.append(body)
            elif self._buffer is None:
                self._noise = self._noise or byte != _CR
            elif len(self._buffer) < self._max_bytes - 2:  # without ``$`` and LF
                self._buffer.append(byte)
            else:
                self._overlong = True
        return bodies

    def _start(self) -> None:
        """A ``$``: whatever was begun is a bad line."""
        if self._buffer or self._noise:
            self.bad_lines += 1
        self._buffer = bytearray()
        self._overlong = self._noise = False

    def _end(self) -> bytes | None:
        """An LF: the body, or None and a bad line."""
        raw, overlong, noise = self._buffer, self._overlong, self._noise
        self._buffer, self._overlong, self._noise = None, False, False
        body = _checked(bytes(raw), self._max_bytes) if raw is not None and not overlong else None
        if body is None and (raw is not None or noise):
            self.bad_lines += 1
        return body


def _checked(raw: bytes, max_bytes: int) -> bytes | None:
    """The body of ``body*crc[CR]``; None when a byte or the check is wrong."""
    text = raw.removesuffix(b"\r")
    body, star, crc = text[:-5], text[-5:-4], text[-4:]
    if star != b"*" or len(text) + 3 > max_bytes or any(byte < 0x20 or byte > 0x7E for byte in text):
        return None
    return body if crc == b"%04X" % binascii.crc_hqx(body, 0xFFFF) and _STAR not in body else None


def parse_line(body: bytes) -> Line:
    """Header and fields of a checked body. ``UnknownVersion`` or ``LineError`` when it is none of TSP/1."""
    version, _, rest = body.decode("ascii").partition(",")
    if version != VERSION:
        raise UnknownVersion("a line of another protocol version: bring shoe and controller to the same major version")
    match rest.split(","):
        case [node, kind, seq, boot, *fields] if kind and 1 <= len(node) <= 6 and _NODE.issuperset(node):
            return Line(node, kind, parse_hex(seq, 4), parse_hex(boot, 4), tuple(map(unescape, fields)), body)
    raise LineError("a line without node, type, seq and boot: check the shoe's firmware")


def build_line(node: str, kind: str, seq: int, boot: int, *fields: str) -> bytes:
    """The whole line with check, CR and LF. ``LineError`` when it is longer than ``MAX_LINE_BYTES``."""
    parts = (VERSION, node, kind, f"{seq:04X}", f"{boot:04X}", *map(escape, fields))
    return framed(",".join(parts).encode("ascii"), MAX_LINE_BYTES)


def framed(body: bytes, max_bytes: int) -> bytes:
    """``body`` with ``$``, check, CR and LF. ``LineError`` when that is longer than ``max_bytes``."""
    line = b"$%b*%04X\r\n" % (body, binascii.crc_hqx(body, 0xFFFF))
    if len(line) > max_bytes:
        kind = body.split(b",")[2].decode("ascii")
        raise LineError(f"a {kind} line of {len(line)} bytes: at most {max_bytes} fit, shorten its names")
    return line


def escape(text: str) -> str:
    """``text`` with everything but printable ASCII, and ``$ * , %``, as ``%XX`` of its UTF-8 bytes."""
    return "".join(
        char if " " <= char <= "~" and char not in _ESCAPED else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in text
    )


def unescape(text: str) -> str:
    """Undo ``escape``; ``LineError`` on a broken escape."""
    if "%" not in text:
        return text
    head, *tails = text.split("%")
    data = bytearray(head.encode("ascii"))
    for tail in tails:
        data.append(parse_hex(tail[:2], 2))
        data += tail[2:].encode("ascii")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise LineError("an escaped field is no UTF-8 text: check the shoe's firmware") from None


def parse_hex(text: str, digits: int) -> int:
    """Exactly ``digits`` upper-case hex digits as a number; ``LineError`` otherwise."""
    if len(text) != digits or not _HEX.issuperset(text):
        raise LineError(f"a field that should be {digits} upper-case hex digits is not")
    return int(text, 16)


def parse_decimal(text: str) -> int:
    """A decimal number of at most 9 digits, ``-1`` for not known; ``LineError`` otherwise."""
    if text == "-1":
        return -1
    if not (1 <= len(text) <= 9 and text.isascii() and text.isdigit()):
        raise LineError("a field that should be a decimal number is not")
    return int(text)
