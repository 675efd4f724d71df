"""Serial traffic as JSON lines: a header, then one line for each piece of bytes with its time, port and direction (devices §5.3).

A capture of a shoe or of readers holds cards and tags, also those that were never public: it belongs to an engineer who may know
them, never to a table's logs. Nothing here prints its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from drivers.link.base import CLOSED, Link, LinkSink, Opener
from drivers.ports import DriverError

FORMAT: Final = "stud-table-capture/1"
NS: Final = 1_000_000_000
STEP_NS: Final = 10
"""Least time between two entries: what came at one instant keeps its order when it is replayed by the clock."""
MAX_ENTRIES: Final = 5_000_000
"""Entries that are read from one file: a shoe and nineteen antennas make about a million in an evening."""


class CaptureError(Exception):
    """A file that is no capture, or one that is damaged: names the line and what is wrong with it."""


class Way(Enum):
    """What happened at the host's end of a port."""

    OPENED = "opened"
    REFUSED = "refused"
    """The host could not open it."""
    RX = "rx"
    """Bytes from the device."""
    TX = "tx"
    """Bytes to the device."""
    CLOSED = "closed"
    """The host closed it."""
    LOST = "lost"
    """The port went away."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing at ``t`` nanoseconds of the recorder's clock."""

    t: int
    port: str
    way: Way
    data: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Capture:
    """A recording: when it began by its own clock, what its header says besides, and what happened."""

    t0: int
    about: dict[str, Any]
    entries: tuple[Entry, ...] = field(repr=False)

    def ports(self) -> tuple[str, ...]:
        """The ports of the recording, in the order in which they first appear."""
        return tuple(dict.fromkeys(entry.port for entry in self.entries))


class Recorder:
    """Writes a capture, line by line, each with its line end. ``now`` is a monotonic clock in seconds; ``about`` goes into the
    header (firmware, settings, deck)."""

    def __init__(self, write: Callable[[str], object], now: Callable[[], float], **about: object) -> None:
        self._write = write
        self._now = now
        self._last_t: int | None = None
        self.entries = 0
        self.bytes = 0
        self._line({"format": FORMAT, "t": self._t(), **about})

    def note(self, port: str, way: Way, data: bytes = b"") -> None:
        """One entry, now."""
        self.entries += 1
        self.bytes += len(data)
        entry: dict[str, object] = {"t": self._t(), "port": port, "dir": way.value}
        self._line({**entry, "hex": data.hex().upper()} if data else entry)

    def _t(self) -> int:
        t = round(self._now() * NS)
        self._last_t = t if self._last_t is None else max(t, self._last_t + STEP_NS)
        return self._last_t

    def _line(self, value: dict[str, object]) -> None:
        self._write(json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n")


def read_capture(lines: Iterable[str]) -> Capture:
    """The recording in ``lines``; ``CaptureError`` names the first bad line. A last line that was cut off is left out."""
    header: dict[str, Any] | None = None
    entries: list[Entry] = []
    for number, line in enumerate(lines, start=1):
        if header is None:
            header = _object(line, number)
            if header.get("format") != FORMAT or not isinstance(header.get("t"), int):
                raise CaptureError(f"line 1 is no header of a capture: it must say format {FORMAT} and a time t")
            continue
        if not line.endswith("\n"):  # the recorder was stopped while it wrote
            break
        if len(entries) >= MAX_ENTRIES:
            raise CaptureError(f"a capture has at most {MAX_ENTRIES} entries: cut it in two")
        entries.append(_entry(_object(line, number), number))
    if header is None:
        raise CaptureError("the capture is empty: it has not even a header")
    about = {key: value for key, value in header.items() if key not in {"format", "t"}}
    return Capture(header["t"], about, tuple(entries))


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise CaptureError(f"line {number} is no JSON object")
    return value


def _entry(raw: dict[str, Any], number: int) -> Entry:
    try:
        t, port, way, data = raw["t"], raw["port"], Way(raw["dir"]), bytes.fromhex(raw.get("hex", ""))
    except (KeyError, TypeError, ValueError):
        raise CaptureError(f"line {number} is no entry: it needs t, port, dir, and hex where there are bytes") from None
    if type(t) is not int or not isinstance(port, str):
        raise CaptureError(f"line {number} is no entry: t is a whole number of nanoseconds, port a name")
    return Entry(t, port, way, data)


class TappedOpener:
    """``opener`` whose traffic is written down under the name ``port``."""

    def __init__(self, opener: Opener, recorder: Recorder, *, port: str) -> None:
        self._opener = opener
        self._recorder = recorder
        self._port = port

    @property
    def name(self) -> str:
        """The port as configured."""
        return self._opener.name

    async def open(self, sink: LinkSink) -> Link:
        """Open the port; a refusal is written down too."""
        tap = _Tap(sink, self._recorder, self._port)
        try:
            await self._opener.open(tap)
        except DriverError:
            self._recorder.note(self._port, Way.REFUSED)
            raise
        return tap.link


class _Tap:
    """Between a link and its sink, both ways."""

    def __init__(self, sink: LinkSink, recorder: Recorder, port: str) -> None:
        self._sink = sink
        self._recorder = recorder
        self._port = port
        self._is_closing = False
        self.link: Link

    def link_opened(self, link: Link) -> None:
        self._link = link
        self.link = self
        self._recorder.note(self._port, Way.OPENED)
        self._sink.link_opened(self)

    def data_received(self, data: bytes) -> None:
        self._recorder.note(self._port, Way.RX, data)
        self._sink.data_received(data)

    def link_lost(self, reason: str) -> None:
        self._recorder.note(self._port, Way.CLOSED if self._is_closing else Way.LOST)
        self._sink.link_lost(reason)

    def write(self, data: bytes) -> None:
        self._link.write(data)
        self._recorder.note(self._port, Way.TX, data)

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    def close(self, reason: str = CLOSED) -> None:
        self._is_closing = True
        self._link.close(reason)
