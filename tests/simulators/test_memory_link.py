"""A line in memory behaves as a serial line: pace, delay, loss while unopened, bounded buffers, a cable to pull."""

from __future__ import annotations

import asyncio

import pytest

from drivers.link.base import Link, LinkOverflow
from simulators.device_port import LineSpeed
from simulators.memory_link import PAUSED_BYTES, MemoryLink
from simulators.virtual_time import run_virtual


class Ends:
    """Both ends' sinks: what arrived, and when its last byte did."""

    def __init__(self) -> None:
        self.at_host = self.at_device = b""
        self.host_at = self.device_at = 0.0
        self.said: list[str] = []
        self.chunks = 0

    def link_opened(self, link: Link) -> None:
        self.said.append("opened")

    def data_received(self, data: bytes) -> None:
        self.at_host += data
        self.chunks += 1
        self.host_at = asyncio.get_running_loop().time()

    def link_lost(self, reason: str) -> None:
        self.said.append("lost")

    def host_connected(self) -> None:
        self.said.append("connected")

    def host_data(self, data: bytes) -> None:
        self.at_device += data
        self.device_at = asyncio.get_running_loop().time()

    def host_gone(self) -> None:
        self.said.append("gone")


def test_a_line_of_46_bytes_takes_48_ms_at_9600_baud_and_twice_as_fast_half_of_it() -> None:
    """Characters have 10 bits, 11 with parity; the speed factor divides; bytes come in slices, not at the end."""

    async def story() -> None:
        for pace, expected_s in (
            (LineSpeed(9600), 0.0479),
            (LineSpeed(9600, speed=2), 0.02396),
            (LineSpeed(38400, parity=True), 0.01318),
        ):
            line, ends = MemoryLink(pace=pace), Ends()
            line.attach(ends)
            link = await line.open(ends)
            start = asyncio.get_running_loop().time()
            assert line.write(b"x" * 46) == pytest.approx(expected_s, abs=1e-4)
            link.write(b"y" * 46)
            await asyncio.sleep(1)
            assert (ends.at_host, ends.at_device) == (b"x" * 46, b"y" * 46)
            assert ends.host_at - start == pytest.approx(expected_s, abs=1e-4)
            assert ends.device_at - start == pytest.approx(expected_s, abs=1e-4)
        assert LineSpeed(0).char_s == 0

    run_virtual(story(), max_seconds=60)


def test_a_delay_is_added_and_order_is_kept() -> None:
    """Chunks arrive in order, each ``delay_s`` later."""

    async def story() -> None:
        line, ends = MemoryLink(delay_s=0.2), Ends()
        line.attach(ends)
        await line.open(ends)
        line.write(b"one ")
        await asyncio.sleep(0.1)
        line.write(b"two")
        await asyncio.sleep(0.15)
        assert ends.at_host == b"one "
        await asyncio.sleep(0.1)
        assert ends.at_host == b"one two"

    run_virtual(story(), max_seconds=60)


def test_what_leaves_while_nobody_listens_is_lost() -> None:
    """Nothing stale is delivered to the next opener."""

    async def story() -> None:
        line, ends = MemoryLink(), Ends()
        line.attach(ends)
        line.write(b"to nobody")
        await asyncio.sleep(0.1)
        await line.open(ends)
        line.write(b"to you")
        await asyncio.sleep(0.1)
        assert ends.at_host == b"to you"

    run_virtual(story(), max_seconds=60)


def test_the_hosts_buffer_is_bounded_and_a_full_one_takes_nothing() -> None:
    """The bound fits, one byte more is an overflow; while the device stalls nothing arrives."""

    async def story() -> None:
        line, ends = MemoryLink(buffer_bytes=100), Ends()
        line.attach(ends)
        line.stalled = True
        link = await line.open(ends)
        link.write(b"x" * 100)
        with pytest.raises(LinkOverflow):
            link.write(b"y")
        await asyncio.sleep(1)
        assert ends.at_device == b""

    run_virtual(story(), max_seconds=60)


def test_a_paused_host_gets_its_bytes_later_in_order_and_no_more_than_the_buffer_holds() -> None:
    """As a serial driver's buffer: 20,480 bytes wait, the rest is lost."""

    async def story() -> None:
        line, ends = MemoryLink(), Ends()
        line.attach(ends)
        link = await line.open(ends)
        link.pause_reading()
        for _ in range(PAUSED_BYTES // 1024 + 1):
            line.write(b"x" * 1024)
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)
        assert ends.at_host == b""
        link.resume_reading()
        await asyncio.sleep(0.1)
        line.write(b"z")
        await asyncio.sleep(0.1)
        assert ends.at_host == b"x" * PAUSED_BYTES + b"z"

    run_virtual(story(), max_seconds=60)


def test_pulling_the_cable_is_told_once_at_both_ends() -> None:
    """Lost and gone once; writing afterwards vanishes; a second close says nothing."""

    async def story() -> None:
        line, ends = MemoryLink(), Ends()
        line.attach(ends)
        link = await line.open(ends)
        line.unplug()
        link.write(b"late")
        link.close()
        await asyncio.sleep(0.1)
        assert sorted(ends.said) == ["connected", "gone", "lost", "opened"]
        assert ends.at_device == b""

    run_virtual(story(), max_seconds=60)


def test_a_host_that_dies_hears_and_says_nothing_more() -> None:
    """What it had written still arrives; the port is free for the next host; its own clean-up reaches nobody."""

    async def story() -> None:
        line, ends, later = MemoryLink(pace=LineSpeed(9600)), Ends(), Ends()
        line.attach(ends)
        link = await line.open(ends)
        link.write(b"last words")
        line.host_dies()
        link.write(b"after death")
        line.write(b"anybody there?")
        await asyncio.sleep(1)
        assert (ends.at_device, ends.at_host) == (b"last words", b"")
        assert ends.said == ["opened", "connected", "gone"]
        await line.open(later)
        link.close()
        line.write(b"hello")
        await asyncio.sleep(1)
        assert later.at_host == b"hello"
        assert ends.said == ["opened", "connected", "gone", "connected", "lost"]
        line.host_dies()
        line.host_dies()

    run_virtual(story(), max_seconds=60)
