"""A PN532's session on a link: an exchange ends with the port it began on, and a chip behind a new opening is woken first."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from drivers.clock import LoopClock
from drivers.link.exchange import LineLost
from drivers.pn532.frames import WAKE_UP
from drivers.pn532.messages import Done, SamConfiguration
from drivers.pn532.session import Answered, ChipSession, GaveUp
from drivers.pn532.wire import ChipWire
from simulators.virtual_time import run_virtual

SAM = bytes.fromhex("00 00 FF 05 FB D4 14 01 00 01 16 00")
DONE = bytes.fromhex("00 00 FF 00 FF 00 00 00 FF 02 FE D5 15 16 00")


class Bench:
    """A link that notes what is written, and a wire on it."""

    def __init__(self) -> None:
        self.written = b""
        self.wire = ChipWire(ChipSession(), LoopClock(datetime(2026, 1, 1, tzinfo=UTC)))

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self, reason: str = "") -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def test_a_new_opening_wakes_the_chip() -> None:
    """Each opening begins with the long preamble; the exchange of the old one has failed with the reason."""

    async def story() -> None:
        bench = Bench()
        for _ in range(2):
            bench.wire.link_opened(bench)
            asking = asyncio.create_task(bench.wire.exchange(await bench.wire.wait_open(), SamConfiguration()))
            await asyncio.sleep(0.01)
            bench.wire.link_lost("unplugged")
            with pytest.raises(LineLost, match="unplugged"):
                await asking
        assert bench.written == (WAKE_UP + SAM) * 2
        bench.wire.link_opened(bench)
        asking = asyncio.create_task(bench.wire.exchange(await bench.wire.wait_open(), SamConfiguration()))
        await asyncio.sleep(0.01)
        bench.wire.data_received(DONE)
        assert await asking == Answered(Done())
        assert bench.wire.frame_at == asyncio.get_running_loop().time()

    run_virtual(story(), max_seconds=10)


def test_silence_ends_by_the_wires_own_timer() -> None:
    """Nobody answers: three sendings, each behind a wake-up, and the exchange is given up."""

    async def story() -> None:
        bench = Bench()
        bench.wire.link_opened(bench)
        end = await bench.wire.exchange(await bench.wire.wait_open(), SamConfiguration())
        assert isinstance(end, GaveUp)
        assert bench.written == (WAKE_UP + SAM) * 3
        assert bench.wire.counters.given_up == 1

    run_virtual(story(), max_seconds=10)
