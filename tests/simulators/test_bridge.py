"""A real device behind a simulated line: bytes both ways, a cable that is lost and comes back, faults in front of it."""

from __future__ import annotations

import asyncio
import random

import pytest

from drivers.link.base import Link
from drivers.ports import DriverError
from simulators.bridge import AGAIN_S, Bridge
from simulators.faulty_port import FaultyPort
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual


class End:
    """Either end: a real device on its line, or a host."""

    def __init__(self) -> None:
        self.heard = b""
        self.losses = 0

    def host_connected(self) -> None:
        """The bridge opened the real line."""

    def host_data(self, data: bytes) -> None:
        self.heard += data

    def host_gone(self) -> None:
        self.losses += 1

    def link_opened(self, link: Link) -> None:
        """The host opened the simulated line."""

    def data_received(self, data: bytes) -> None:
        self.heard += data

    def link_lost(self, reason: str) -> None:
        self.losses += 1


def test_bytes_cross_the_bridge_and_faults_stand_before_it() -> None:
    """What the host says reaches the real device; what that says is doubled on its way, as the fault wants it."""

    async def story() -> None:
        real, line = MemoryLink("real"), MemoryLink("line")
        port = FaultyPort(line, rng=random.Random(1))
        device, host = End(), End()
        real.attach(device)
        running = asyncio.create_task(Bridge(real, port).run())
        await asyncio.sleep(0.1)
        link = await line.open(host)
        port.to_host.duplicate = 1.0
        real.write(b"up")
        link.write(b"down")
        await asyncio.sleep(0.1)
        assert (host.heard, device.heard) == (b"upup", b"down")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await asyncio.sleep(0.1)
        assert (host.losses, device.losses) == (1, 1)

    run_virtual(story(), max_seconds=60)


def test_a_real_port_that_is_lost_is_lost_to_the_host_until_it_is_back() -> None:
    """Its cable is pulled and plugged in again; what is said meanwhile goes nowhere."""

    async def story() -> None:
        real, line = MemoryLink("real"), MemoryLink("line")
        device, host = End(), End()
        real.attach(device)
        bridge = Bridge(real, line)
        running = asyncio.create_task(bridge.run())
        await asyncio.sleep(0.1)
        await line.open(host)
        real.unplug()
        await asyncio.sleep(3 * AGAIN_S)
        assert host.losses == 1
        with pytest.raises(DriverError):
            await line.open(host)
        bridge.host_data(b"nobody")
        assert bridge.refused_bytes == 6
        real.replug()
        await asyncio.sleep(2 * AGAIN_S)
        await line.open(host)
        real.write(b"again")
        await asyncio.sleep(0.1)
        assert host.heard == b"again"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    run_virtual(story(), max_seconds=60)


def test_a_device_that_takes_no_bytes_loses_them_and_nothing_stands_still() -> None:
    """The bound of the real port's buffer is the end of it."""

    async def story() -> None:
        real, line = MemoryLink("real", buffer_bytes=4), MemoryLink("line")
        real.stalled = True
        bridge = Bridge(real, line)
        running = asyncio.create_task(bridge.run())
        await asyncio.sleep(0.1)
        bridge.host_data(b"1234")
        bridge.host_data(b"5")
        assert bridge.refused_bytes == 1
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    run_virtual(story(), max_seconds=60)


def test_a_real_port_that_cannot_be_opened_at_first_is_an_error() -> None:
    """Nobody waits for a name that was mistyped."""

    async def story() -> None:
        real = MemoryLink("real")
        real.unplug()
        with pytest.raises(DriverError, match="real is not there"):
            await Bridge(real, MemoryLink()).run()

    run_virtual(story(), max_seconds=60)
