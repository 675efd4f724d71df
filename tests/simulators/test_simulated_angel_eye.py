"""The simulated Angel Eye shoe: verified bytes three times, its lock, and what it answers to orders."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from drivers.link.base import Link
from simulators.angel_eye import SimulatedAngelEye
from simulators.device_port import LineSpeed
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

STARTED = "05 31 53 03 36 31"
LOCK = "02 4F 50 4C 4B 30 32 03 31 42"


class Host:
    """The other end of the line, which notes what it hears."""

    def __init__(self, *, has_stx_in_check: bool = True) -> None:
        self.line = MemoryLink("shoe", pace=LineSpeed(4800))
        self.shoe = SimulatedAngelEye(self.line, has_stx_in_check=has_stx_in_check)
        self.link: Link | None = None
        self.heard = bytearray()

    def link_opened(self, link: Link) -> None:
        self.link = link

    def data_received(self, data: bytes) -> None:
        self.heard += data

    def link_lost(self, reason: str) -> None:
        self.link = None

    async def after(self, wait_s: float = 0.5) -> str:
        await asyncio.sleep(wait_s)
        said, self.heard = self.heard.hex(" ").upper(), bytearray()
        return said

    async def order(self, raw: str) -> str:
        assert self.link is not None
        self.link.write(bytes.fromhex(raw))
        return await self.after()

    def tell(self, story: Callable[[Host], Awaitable[None]]) -> None:
        async def main() -> None:
            await self.line.open(self)
            await story(self)
            self.shoe.stop()

        run_virtual(main(), max_seconds=60)


def thrice(raw: str) -> str:
    return " ".join([raw] * 3)


def test_each_report_is_said_three_times() -> None:
    """The verified bytes, under numbers that go from 1 to 9."""
    host = Host()

    async def story(host: Host) -> None:
        host.shoe.load(["8S", "KH"])
        host.shoe.start()
        assert await host.after() == thrice(STARTED)
        host.shoe.error(1, is_raised=False)
        await host.after()
        assert host.shoe.draw() == "8S"
        assert (await host.after()).startswith("05 33 44 81 B8 03 34 44 05 33")
        host.shoe.stop()
        assert host.shoe.draw() is None

    host.tell(story)


def test_orders_are_obeyed_or_refused() -> None:
    """The verified order to lock is answered by 06 and locks; a spoilt one by 15, an unknown one too; the scope of the check is
    what the shoe was built with."""

    async def with_it(host: Host) -> None:
        host.shoe.start()
        await host.after()
        assert await host.order(LOCK) == "06 " + thrice("05 32 4C 81 03 46 43")
        assert host.shoe.is_locked
        assert await host.order("02 4F 50 4C 4B 30 31 03 31 42") == "15 30 32"
        assert await host.order("02 4F 50 58 58 30 31 03 31 46") == "15 31 34"

    Host().tell(with_it)

    async def without_it(host: Host) -> None:
        host.shoe.start()
        await host.after()
        assert await host.order(LOCK) == "15 30 32"
        assert (await host.order("02 4F 50 4C 4B 30 32 03 31 39")).startswith("06")

    Host(has_stx_in_check=False).tell(without_it)
