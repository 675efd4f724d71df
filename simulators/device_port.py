"""The device's end of a line: what a device simulator stands on, whether the line is a pseudo-terminal or in memory.

A real UART needs ``bits / baud`` seconds for each character; pseudo-terminals and memory do not pace, so ``PacedBytes`` does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

SLICE_S: Final = 0.01
"""Longest stretch of line time that is delivered as one chunk, seconds."""


class DeviceSink(Protocol):
    """A simulated device as its port sees it. All calls come from the event loop."""

    def host_connected(self) -> None:
        """A host opened the port."""

    def host_data(self, data: bytes) -> None:
        """Bytes of the host, in any chunks."""

    def host_gone(self) -> None:
        """The host closed the port, or the cable was pulled."""


class DevicePort(Protocol):
    """The device's end of a line."""

    def attach(self, sink: DeviceSink) -> None:
        """Name the device; at most one, before the port is used."""

    def write(self, data: bytes) -> float:
        """Send ``data`` at line speed; the seconds until its last byte has left. Never blocks. What leaves while no host has the
        port open is lost, as on a wire."""

    def unplug(self) -> None:
        """Pull the cable: the host loses the port and cannot open it."""

    def replug(self) -> None:
        """Plug the cable in again under the same name."""

    def close(self) -> None:
        """Remove the port for good."""


@dataclass(frozen=True, slots=True)
class LineSpeed:
    """Pace of a serial line. ``baud`` 0 does not pace. ``speed`` > 1 makes a fast world: all line times are divided by it."""

    baud: int = 9600
    parity: bool = False
    speed: float = 1.0

    @property
    def char_s(self) -> float:
        """Seconds for one character: start, 8 data, parity and one stop bit."""
        return (11 if self.parity else 10) / (self.baud * self.speed) if self.baud else 0.0


class PacedBytes:
    """Passes bytes on to ``emit`` in order, when the last bit of each slice would have left the UART, plus ``delay_s``.

    ``emit`` is never called from within ``push``.
    """

    def __init__(self, char_s: float, emit: Callable[[bytes], None], *, delay_s: float = 0.0) -> None:
        self._char_s = char_s
        self._size = max(1, int(SLICE_S / char_s)) if char_s else 0
        """Bytes of a slice; 0 for all that there are."""
        self._delay_s = delay_s
        self._emit = emit
        self._slices: deque[tuple[float, bytes]] = deque()
        self._free_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.waiting_bytes = 0

    def push(self, data: bytes) -> float:
        """Queue ``data``; the seconds until its last byte has left (without ``delay_s``)."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        start = max(self._free_at, now)
        size = self._size or max(len(data), 1)
        for offset in range(0, len(data), size):
            piece = data[offset : offset + size]
            start += len(piece) * self._char_s
            self._slices.append((start + self._delay_s, piece))
        self._free_at = start
        self.waiting_bytes += len(data)
        if self._timer is None and self._slices:
            self._timer = loop.call_at(self._slices[0][0], self._run)
        return start - now

    def clear(self) -> None:
        """Forget what has not left yet."""
        self._slices.clear()
        self.waiting_bytes = 0
        self._free_at = 0.0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + 1e-6
        slices = self._slices
        data = b""
        while slices and slices[0][0] <= due:
            data += slices.popleft()[1]
        self._timer = loop.call_at(slices[0][0], self._run) if slices else None
        self.waiting_bytes -= len(data)
        if data:
            self._emit(data)
