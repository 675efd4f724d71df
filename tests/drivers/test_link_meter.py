"""Whether a port is open and for how long, and what it went through."""

from __future__ import annotations

import asyncio
import random

from drivers.link.base import Link
from drivers.link.meter import Meter, port_fact
from drivers.link.supervisor import Supervisor
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual


class Deaf:
    """A sink that hears nothing."""

    def link_opened(self, link: Link) -> None:
        pass

    def data_received(self, data: bytes) -> None:
        pass

    def link_lost(self, reason: str) -> None:
        pass


def test_a_port_is_closed_open_closed_with_its_ages_and_reasons() -> None:
    """Never opened, open for 3 s, pulled out, back again: the first opening is no reopening."""
    line = MemoryLink("felt-a")
    supervisor = Supervisor(line, Deaf(), rng=random.Random(1))
    meter = Meter(bytes_in=7)

    async def story() -> None:
        loop = asyncio.get_running_loop()
        before = port_fact(supervisor, loop.time())
        assert (before.state, before.age_s, before.detail) == ("closed", None, "not opened yet")
        task = asyncio.create_task(supervisor.run())
        await asyncio.sleep(3)
        now = port_fact(supervisor, loop.time())
        assert (now.state, round(now.age_s or 0)) == ("open", 3)
        assert meter.counters(supervisor) == {"bytes_in": 7, "bytes_out": 0, "overflows": 0, "reopens": 0}
        line.unplug()
        await asyncio.sleep(2)
        gone = port_fact(supervisor, loop.time())
        assert (gone.state, round(gone.age_s or 0)) == ("closed", 2)
        assert "plug the device in" in gone.detail
        line.replug()
        await asyncio.sleep(6)
        assert port_fact(supervisor, loop.time()).state == "open"
        assert meter.counters(supervisor)["reopens"] == 1
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(story(), max_seconds=60)
