"""The supervisor opens a port again after every loss, with back-off, and says so once."""

from __future__ import annotations

import asyncio
import logging
import random

import pytest

from drivers.link.base import Link
from drivers.link.supervisor import FIRST_WAIT_S, HEALTHY_S, LAST_WAIT_S, Supervisor
from drivers.ports import DriverError
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual


class Notes:
    """A sink that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.link: Link | None = None

    def link_opened(self, link: Link) -> None:
        self.link = link
        self.heard.append("opened")

    def data_received(self, data: bytes) -> None:
        self.heard.append(data.decode())

    def link_lost(self, reason: str) -> None:
        self.link = None
        self.heard.append(f"lost: {reason}")


class Longest(random.Random):
    """The longest wait that the jitter allows."""

    def uniform(self, a: float, b: float) -> float:
        return b


def test_waits_double_from_a_quarter_second_to_five_and_are_jittered_in_full() -> None:
    """The bound is 0.25, 0.5, 1, 2, 4, 5, 5 s, and the wait lies anywhere below it."""
    longest = Supervisor(MemoryLink(), Notes(), rng=Longest())
    assert [longest.wait_s() for _ in range(7)] == [FIRST_WAIT_S, 0.5, 1.0, 2.0, 4.0, LAST_WAIT_S, LAST_WAIT_S]
    jittered = Supervisor(MemoryLink(), Notes(), rng=random.Random(1))
    waits = [jittered.wait_s() for _ in range(200)]
    assert max(waits) <= LAST_WAIT_S
    assert min(waits[6:]) < 0.5


def test_a_loss_is_logged_once_and_the_port_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    """Unplugged for a minute: one log line, link_lost once, then opened again within the longest wait."""
    notes, line = Notes(), MemoryLink("by-id/shoe")

    async def story() -> None:
        task = asyncio.create_task(Supervisor(line, notes, rng=random.Random(1)).run())
        await asyncio.sleep(1)
        line.unplug()
        await asyncio.sleep(60)
        line.replug()
        await asyncio.sleep(LAST_WAIT_S + 0.1)
        assert notes.heard == ["opened", "lost: the cable was pulled", "opened"]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with caplog.at_level(logging.INFO):
        run_virtual(story(), max_seconds=600)
    assert notes.heard[-1] == "lost: closed by the host"
    assert [record.getMessage() for record in caplog.records][:1] == ["by-id/shoe: the cable was pulled"]
    assert len(caplog.records) == 1, "the end of the run is no loss"


def test_a_healthy_link_starts_the_back_off_afresh() -> None:
    """After 30 s open the next loss is the first again; after 29 s it is not."""
    line, notes = MemoryLink(), Notes()
    supervisor = Supervisor(line, notes, rng=Longest())

    async def story() -> list[float]:
        task = asyncio.create_task(supervisor.run())
        waits = []
        for open_s in (1.0, HEALTHY_S - 1, HEALTHY_S + 1):
            await asyncio.sleep(open_s)
            line.unplug()
            line.replug()
            lost_at = asyncio.get_running_loop().time()
            while notes.link is not None or not notes.heard[-1].startswith("lost"):
                await asyncio.sleep(0.001)
            while notes.link is None:
                await asyncio.sleep(0.001)
            waits.append(asyncio.get_running_loop().time() - lost_at)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return waits

    waits = run_virtual(story(), max_seconds=600)
    assert waits == pytest.approx([0.25, 0.5, 0.25], abs=0.01)


def test_a_port_that_is_not_there_is_tried_again() -> None:
    """Vain attempts raise nothing."""
    line, notes = MemoryLink(), Notes()
    line.unplug()

    async def story() -> None:
        task = asyncio.create_task(Supervisor(line, notes, rng=random.Random(1)).run())
        await asyncio.sleep(20)
        assert notes.heard == []
        line.replug()
        await asyncio.sleep(LAST_WAIT_S + 0.1)
        assert notes.heard == ["opened"]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(story(), max_seconds=600)


def test_a_port_is_open_once() -> None:
    """A second host is refused, as by the lock of a serial port."""

    async def story() -> None:
        line = MemoryLink()
        link = await line.open(Notes())
        with pytest.raises(DriverError):
            await line.open(Notes())
        link.close()
        await asyncio.sleep(0)
        await line.open(Notes())

    run_virtual(story(), max_seconds=10)
