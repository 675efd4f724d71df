"""Time as a value that is passed in."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from drivers.clock import Clock, LoopClock, SystemClock
from simulators.virtual_time import run_virtual

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_wall_time_of_a_virtual_loop_follows_its_seconds() -> None:
    """Half an hour of virtual time is half an hour in the records, from the start that was given."""

    async def half_an_hour() -> tuple[float, timedelta]:
        clock: Clock = LoopClock(START)
        began_s, began = clock.monotonic(), clock.wall()
        await asyncio.sleep(1800)
        return clock.monotonic() - began_s, clock.wall() - began

    assert run_virtual(half_an_hour(), max_seconds=3600) == (1800.0, timedelta(minutes=30))


async def test_the_system_clock_tells_aware_time_and_the_loops_seconds() -> None:
    """Records carry UTC; timers and loop share one zero."""
    clock: Clock = SystemClock()
    assert clock.wall().utcoffset() == timedelta(0)
    assert abs(clock.monotonic() - asyncio.get_running_loop().time()) < 1


def test_a_clock_that_outlives_its_loop_tells_the_time_of_the_next_one() -> None:
    """The loop is looked up once, and again when that one has stopped."""
    clock = LoopClock(START)

    async def after(seconds: float) -> tuple[float, datetime]:
        await asyncio.sleep(seconds)
        return clock.monotonic(), clock.wall()

    assert run_virtual(after(100.0), max_seconds=200) == (100.0, START + timedelta(seconds=100))
    assert run_virtual(after(5.0), max_seconds=200) == (5.0, START + timedelta(seconds=5))
