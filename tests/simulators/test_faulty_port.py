"""A line with faults between a device and its port: stalls, dead directions, wrong baud, pulled and swapped cables."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any

import pytest

from drivers.link.base import Link
from simulators.faulty_port import HELD_BYTES, FaultyPort
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual


class Host:
    """The host's end: what it read, in chunks."""

    def __init__(self) -> None:
        self.read: list[bytes] = []
        self.said: list[str] = []

    def link_opened(self, link: Link) -> None:
        self.said.append("opened")

    def data_received(self, data: bytes) -> None:
        self.read.append(data)

    def link_lost(self, reason: str) -> None:
        self.said.append("lost")


class Device:
    """The device's end."""

    def __init__(self) -> None:
        self.read: list[bytes] = []
        self.said: list[str] = []

    def host_connected(self) -> None:
        self.said.append("connected")

    def host_data(self, data: bytes) -> None:
        self.read.append(data)

    def host_gone(self) -> None:
        self.said.append("gone")


class Line:
    """A device and a host with a faulty line between them."""

    def __init__(self) -> None:
        self.inner = MemoryLink()
        self.port = FaultyPort(self.inner, rng=random.Random(1))
        self.device, self.host = Device(), Host()
        self.port.attach(self.device)
        self.link: Link | None = None

    async def open(self) -> Link:
        self.link = await self.inner.open(self.host)
        return self.link


def virtually(story: Coroutine[Any, Any, None]) -> None:
    """Run a story on virtual time."""
    run_virtual(story, max_seconds=100)


def test_a_good_line_passes_everything_on() -> None:
    """Both directions, and that a host came and went."""

    async def story() -> None:
        line = Line()
        link = await line.open()
        assert line.port.write(b"up") == 0.0
        link.write(b"down")
        await asyncio.sleep(0.1)
        assert (line.host.read, line.device.read) == ([b"up"], [b"down"])
        link.close()
        assert line.device.said == ["connected", "gone"]

    virtually(story())


def test_a_stall_holds_both_directions_and_keeps_the_order() -> None:
    """Nothing is lost; beyond its buffer a stalled line loses what comes, and counts it."""

    async def story() -> None:
        line = Line()
        link = await line.open()
        line.port.stall(2.0)
        assert line.port.write(b"one") == pytest.approx(2.0)
        line.port.write(b"two")
        link.write(b"down")
        await asyncio.sleep(1.9)
        assert not line.host.read
        assert not line.device.read
        await asyncio.sleep(0.2)
        assert b"".join(line.host.read) == b"onetwo"
        assert line.device.read == [b"down"]
        line.port.stall(1.0)
        line.port.write(b"x" * HELD_BYTES)
        line.port.write(b"y")
        assert line.port.lost_bytes == 1
        line.port.stall(3.0)  # a longer stall within a stall
        await asyncio.sleep(2.0)
        assert b"".join(line.host.read) == b"onetwo"

    virtually(story())


def test_a_direction_may_be_dead_while_the_other_lives() -> None:
    """Half-open, both ways round, until healed."""

    async def story() -> None:
        line = Line()
        link = await line.open()
        line.port.deafen(device=True)
        link.write(b"lost")
        line.port.write(b"up")
        await asyncio.sleep(0.1)
        assert (line.host.read, line.device.read, line.port.lost_bytes) == ([b"up"], [], 4)
        line.port.deafen(host=True)
        line.port.write(b"lost")
        link.write(b"down")
        await asyncio.sleep(0.1)
        assert (line.host.read, line.device.read) == ([b"up"], [b"down"])
        line.port.heal()
        line.port.write(b"again")
        await asyncio.sleep(0.1)
        assert line.host.read == [b"up", b"again"]

    virtually(story())


def test_at_a_wrong_baud_rate_both_ends_read_garbage() -> None:
    """As many bytes, none right; healed, all are right."""

    async def story() -> None:
        line = Line()
        link = await line.open()
        line.port.set_wrong_baud()
        line.port.write(b"hello")
        link.write(b"there")
        await asyncio.sleep(0.1)
        assert len(line.host.read[0]) == 5
        assert line.host.read != [b"hello"]
        assert line.device.read != [b"there"]
        line.port.heal()
        line.port.write(b"hello")
        await asyncio.sleep(0.1)
        assert line.host.read[1] == b"hello"

    virtually(story())


def test_byte_faults_are_those_of_each_direction() -> None:
    """Doubled to the host, lost to the device; counted by name."""

    async def story() -> None:
        line = Line()
        link = await line.open()
        line.port.to_host.duplicate = 1.0
        line.port.to_device.lose = 1.0
        line.port.write(b"up")
        link.write(b"down")
        await asyncio.sleep(0.1)
        assert (b"".join(line.host.read), line.device.read) == (b"upup", [])
        assert +line.port.done == {"duplicate": 1, "lose": 1}

    virtually(story())


def test_a_pulled_cable_takes_what_is_on_its_way() -> None:
    """The host loses the port; plugged in again it starts with nothing, unless the port delivers stale bytes."""

    async def story() -> None:
        line = Line()
        await line.open()
        line.port.stall(5.0)
        line.port.write(b"never")
        line.port.unplug()
        await asyncio.sleep(0.1)
        assert line.host.said == ["opened", "lost"]
        line.port.replug()
        await line.open()
        await asyncio.sleep(10)
        assert line.host.read == []
        line.port.write(b"last words")
        await asyncio.sleep(0.1)
        line.port.is_stale_on_open = True
        line.port.unplug()
        line.port.replug()
        await asyncio.sleep(0.1)
        await line.open()
        await asyncio.sleep(0.1)
        assert b"".join(line.host.read).endswith(b"last wordsneverlast words")
        line.port.close()

    virtually(story())


def test_two_devices_are_swapped_and_swapped_back() -> None:
    """Each host talks to the other device; a third socket is refused."""

    async def story() -> None:
        one, two, three = Line(), Line(), Line()
        await one.open()
        one.port.cross(two.port)
        assert one.host.said == ["opened"]
        await asyncio.sleep(0.1)
        assert one.host.said == ["opened", "lost"]
        link = await one.open()
        await two.open()
        one.port.write(b"of one")
        link.write(b"to one")
        await asyncio.sleep(0.1)
        assert (one.host.read, two.host.read) == ([], [b"of one"])
        assert (one.device.read, two.device.read) == ([], [b"to one"])
        with pytest.raises(ValueError, match="one socket"):
            one.port.cross(three.port)
        one.port.cross(two.port)
        assert not one.port.is_crossed
        await asyncio.sleep(0.1)
        await one.open()
        one.port.write(b"home")
        await asyncio.sleep(0.1)
        assert one.host.read == [b"home"]

    virtually(story())
