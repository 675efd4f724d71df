"""A FEIG session on a link: exchanges end with the port they began on, and never leave anything behind."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from drivers.clock import LoopClock
from drivers.feig.frames import MAX_STANDARD_BYTES
from drivers.feig.messages import Done, Ping
from drivers.feig.session import Answered, GaveUp, LineSession, LineSettings
from drivers.feig.wire import FeigWire
from drivers.link.base import LinkOverflow
from drivers.link.exchange import LineLost
from simulators.virtual_time import run_virtual

PING = bytes.fromhex("06 01 52 00 20 F2")


class Wire:
    """A link that notes what is written, and a wire on it."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = ""
        self.full = False
        self.wire = FeigWire(LineSession(LineSettings()), LoopClock(datetime(2026, 1, 1, tzinfo=UTC)))

    def write(self, data: bytes) -> None:
        if self.full:
            raise LinkOverflow("felt-a takes no bytes: 4096 wait already")
        self.written += data

    def close(self, reason: str = "") -> None:
        self.closed = reason

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def test_an_exchange_comes_back_with_its_answer() -> None:
    """Sent in one piece, answered in two."""

    async def story() -> None:
        bench = Wire()
        bench.wire.link_opened(bench)
        asking = asyncio.create_task(bench.wire.exchange(await bench.wire.wait_open(), 1, Ping()))
        await asyncio.sleep(0.01)
        assert bench.written == PING
        bench.wire.data_received(PING[:2])
        bench.wire.data_received(PING[2:])
        assert await asking == Answered(1, Done())

    run_virtual(story(), max_seconds=10)


def test_silence_ends_by_the_wires_own_timer() -> None:
    """Nobody answers: two pings, a third to be sure, and the exchange is given up."""

    async def story() -> None:
        bench = Wire()
        bench.wire.link_opened(bench)
        end = await bench.wire.exchange(await bench.wire.wait_open(), 1, Ping())
        assert isinstance(end, GaveUp)
        assert bench.written == PING * 3

    run_virtual(story(), max_seconds=10)


def test_a_quick_close_and_open_does_not_go_unnoticed() -> None:
    """The port closed and opened again: an exchange for the first opening fails, one for the second goes."""

    async def story() -> None:
        bench = Wire()
        bench.wire.link_opened(bench)
        first = await bench.wire.wait_open()
        bench.wire.link_lost("unplugged")
        bench.wire.link_opened(bench)
        with pytest.raises(LineLost, match="unplugged"):
            await bench.wire.exchange(first, 1, Ping())
        bench.wire.check(await bench.wire.wait_open())

    run_virtual(story(), max_seconds=10)


def test_the_port_goes_in_the_middle() -> None:
    """Whoever waits for an answer hears at once that the port is gone; late bytes and a second loss change nothing."""

    async def story() -> None:
        bench = Wire()
        bench.wire.link_opened(bench)
        asking = asyncio.create_task(bench.wire.exchange(await bench.wire.wait_open(), 1, Ping()))
        await asyncio.sleep(0.01)
        bench.wire.link_lost("unplugged")
        bench.wire.data_received(PING)
        bench.wire.link_lost("again")
        with pytest.raises(LineLost, match="unplugged"):
            await asking
        assert asyncio.get_running_loop().time() < 0.02

    run_virtual(story(), max_seconds=10)


def test_a_full_buffer_closes_the_port() -> None:
    """A device that takes no bytes loses its port, and the exchange ends with the reason."""

    async def story() -> None:
        bench = Wire()
        bench.wire.link_opened(bench)
        bench.full = True
        with pytest.raises(LineLost, match="felt-a takes no bytes"):
            await bench.wire.exchange(await bench.wire.wait_open(), 1, Ping())
        assert bench.closed.startswith("felt-a takes no bytes")

    run_virtual(story(), max_seconds=10)


def test_a_cancelled_exchange_leaves_the_line_free() -> None:
    """After a cancellation no timer is left and the next exchange may start, behind a fence."""

    async def story() -> None:
        bench = Wire()
        bench.wire.link_opened(bench)
        opening = await bench.wire.wait_open()
        asking = asyncio.create_task(bench.wire.exchange(opening, 1, Ping()))
        await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        again = asyncio.create_task(bench.wire.exchange(opening, 1, Ping()))
        await asyncio.sleep(0.01)
        bench.wire.data_received(PING)
        bench.wire.data_received(PING)
        assert await again == Answered(1, Done())

    run_virtual(story(), max_seconds=10)


def test_exchanges_that_end_in_time_share_their_timers() -> None:
    """A hundred exchanges a second set a few timers, and the silence after them is noticed as early as ever."""

    async def story() -> None:
        loop, bench, timers = asyncio.get_running_loop(), Wire(), 0
        bench.wire.link_opened(bench)
        opening = await bench.wire.wait_open()
        call_later = loop.call_later

        def counted(*args: Any, **named: Any) -> asyncio.TimerHandle:
            nonlocal timers
            timers += 1
            return call_later(*args, **named)

        loop.call_later = counted  # type: ignore[method-assign]
        for _ in range(300):
            loop.call_at(loop.time() + 0.01, bench.wire.data_received, PING)
            assert await bench.wire.exchange(opening, 1, Ping()) == Answered(1, Done())
        assert timers < 20
        asked_at = loop.time()
        assert isinstance(await bench.wire.exchange(opening, 1, Ping()), GaveUp)
        settings = LineSettings()
        silent_s = settings.wire_s(len(PING) + MAX_STANDARD_BYTES) + settings.response_s
        assert loop.time() - asked_at == pytest.approx(3 * silent_s)

    run_virtual(story(), max_seconds=100)
