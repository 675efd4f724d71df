"""A real device at the device's end of a simulated line: a proxy that faults and recorders can stand in front of.

The host opens the simulated port; what it says goes to the real one, and back. When the real port is lost the simulated cable is
pulled, and plugged in again once the device is back.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from drivers.link.base import Link, LinkOverflow, Opener
from drivers.ports import DriverError
from simulators.device_port import DevicePort

AGAIN_S: Final = 0.5
"""Seconds between two tries to open the real port."""


class Bridge:
    """``opener``'s device behind ``port``. ``run`` keeps the real port open until cancelled."""

    def __init__(self, opener: Opener, port: DevicePort) -> None:
        self._opener = opener
        self._port = port
        self._link: Link | None = None
        self._lost = asyncio.Event()
        self.refused_bytes = 0
        """Bytes of the host that the real device did not take."""
        port.attach(self)

    async def run(self) -> None:
        """Open the real port, and again after each loss. ``DriverError`` when it cannot be opened at first."""
        await self._opener.open(self)
        try:
            while True:
                await self._lost.wait()
                await asyncio.sleep(AGAIN_S)
                with suppress(DriverError):
                    await self._opener.open(self)
        finally:
            self._port.close()
            if self._link is not None:
                self._link.close()
                await self._lost.wait()

    # From the real device

    def link_opened(self, link: Link) -> None:
        """The real port is open."""
        self._link = link
        self._lost.clear()
        self._port.replug()

    def data_received(self, data: bytes) -> None:
        """Bytes of the real device."""
        self._port.write(data)

    def link_lost(self, reason: str) -> None:
        """The real port is gone."""
        self._link = None
        self._port.unplug()
        self._lost.set()

    # From the host

    def host_connected(self) -> None:
        """A host opened the simulated port."""

    def host_data(self, data: bytes) -> None:
        """Bytes of the host."""
        if self._link is None:
            self.refused_bytes += len(data)
            return
        try:
            self._link.write(data)
        except LinkOverflow:
            self.refused_bytes += len(data)

    def host_gone(self) -> None:
        """The host closed the simulated port; the real one stays open."""
