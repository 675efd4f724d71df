"""A line in memory: the device's end is a ``DevicePort``, the host's end an ``Opener``. Runs on any loop, virtual ones too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from typing import Final

from drivers.link.base import CLOSED, WRITE_BUFFER_BYTES, Link, LinkOverflow, LinkSink
from drivers.ports import DriverError
from simulators.device_port import DeviceSink, LineSpeed, PacedBytes
from simulators.virtual_time import PROCESS, Process

PAUSED_BYTES: Final = 20_480
"""Bytes of the device that wait while the host does not read, as in a Linux pseudo-terminal; what comes then is lost."""


class MemoryLink:
    """Both ends of one line.

    ``delay_s`` is added in both directions. ``stalled`` makes the device take no bytes, so that the host's buffer fills.
    ``buffer_bytes`` bounds what the host may have under way.
    """

    def __init__(
        self,
        name: str = "memory",
        *,
        pace: LineSpeed | None = None,
        delay_s: float = 0.0,
        buffer_bytes: int = WRITE_BUFFER_BYTES,
    ) -> None:
        self._name = name
        self._char_s = pace.char_s if pace is not None else 0.0
        self._delay_s = delay_s
        self._buffer_bytes = buffer_bytes
        self._sink: DeviceSink | None = None
        self._ends: list[_HostEnd] = []
        self._to_host: PacedBytes | None = None
        self._plugged = True
        self._world = copy_context()
        self.stalled = False
        self.is_shared = False
        """As behind a network serial server: several hosts may have the port open, each hears the device, it hears them all."""

    @property
    def name(self) -> str:
        """Name of the port for log lines."""
        return self._name

    async def open(self, sink: LinkSink) -> Link:
        """The host opens the port. ``DriverError`` while it is unplugged or open already."""
        if not self._plugged:
            raise DriverError(f"{self._name} is not there: plug the device in")
        if self._ends and not self.is_shared:
            raise DriverError(f"{self._name} is open already: close the other user of the port")
        end = _HostEnd(self, sink, self._char_s, self._delay_s, self._buffer_bytes)
        self._ends.append(end)
        sink.link_opened(end)
        if self._sink is not None:
            self._sink.host_connected()
        return end

    def attach(self, sink: DeviceSink) -> None:
        """Name the device at the other end."""
        self._sink = sink

    def write(self, data: bytes) -> float:
        """Bytes of the device to the host."""
        if self._to_host is None:
            self._to_host = PacedBytes(self._char_s, self._arrived, delay_s=self._delay_s)
        return self._to_host.push(data)

    def unplug(self) -> None:
        """Pull the cable."""
        self._plugged = False
        for end in tuple(self._ends):
            end.lose("the cable was pulled")

    def replug(self) -> None:
        """Plug it in again."""
        self._plugged = True

    def close(self) -> None:
        """Remove the port."""
        self.unplug()

    def host_dies(self, process: Process | None = None) -> None:
        """The host's process ends on the spot: it hears and says nothing more; what it had written still reaches the device. Of
        several hosts it is that of ``process``."""
        for end in tuple(self._ends):
            if process is None or end.process is process:
                end.fall_silent()

    def host_wakes(self) -> None:
        """The host's process goes on after a pause: what waited for it comes."""
        for end in self._ends:
            end.wake()

    def in_world(self, call: Callable[[bytes], object], data: bytes) -> None:
        """Do what the wire does, whoever the host is."""
        self._world.run(call, data)

    def _arrived(self, data: bytes) -> None:
        for end in tuple(self._ends):
            end.deliver(data)

    def host_bytes(self, data: bytes) -> None:
        """Bytes of the host have crossed the line."""
        if self._sink is not None and self._plugged:
            self._sink.host_data(data)

    def host_closed(self, end: _HostEnd) -> None:
        """The host's end is gone."""
        if end in self._ends:
            self._ends.remove(end)
            if self._sink is not None and not self._ends:
                self._sink.host_gone()


class _HostEnd:
    """The host's ``Link``."""

    def __init__(self, line: MemoryLink, sink: LinkSink, char_s: float, delay_s: float, buffer_bytes: int) -> None:
        self._line = line
        self._sink = sink
        self._buffer_bytes = buffer_bytes
        self._out = PacedBytes(char_s, line.host_bytes, delay_s=delay_s)
        self._stuck = 0
        self._lost = False
        self._silent = False
        self._paused = False
        self._held = bytearray()
        self.process, self._context = PROCESS.get(), copy_context()

    def write(self, data: bytes) -> None:
        if self._lost or self._silent:
            return
        if self._stuck + self._out.waiting_bytes + len(data) > self._buffer_bytes:
            raise LinkOverflow(f"{self._line.name} takes no bytes: {self._buffer_bytes} wait already; reconnect the device")
        if self._line.stalled:
            self._stuck += len(data)
        else:
            self._line.in_world(self._out.push, data)

    def deliver(self, data: bytes) -> None:
        if self._lost or self._silent:
            return
        if self._paused or self._held or (self.process is not None and self.process.is_paused):
            self._held += data[: PAUSED_BYTES - len(self._held)]
        else:
            self._context.run(self._sink.data_received, data)

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        if self._held and not (self._lost or self._silent or self._paused):
            data, self._held = bytes(self._held), bytearray()
            self._context.run(self._sink.data_received, data)

    def wake(self) -> None:
        asyncio.get_running_loop().call_soon(self._flush)

    def close(self, reason: str = CLOSED) -> None:
        self.lose(reason)

    def fall_silent(self) -> None:
        if not self._silent and not self._lost:
            self._silent = True
            self._line.host_closed(self)

    def lose(self, reason: str) -> None:
        if self._lost:
            return
        self._lost = True
        if not self._silent:
            self._out.clear()
            self._line.host_closed(self)
        asyncio.get_running_loop().call_soon(self._sink.link_lost, reason, context=self._context)
