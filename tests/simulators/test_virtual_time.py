"""The virtual loop: fast, repeatable, and honest about what it cannot do."""

from __future__ import annotations

import asyncio
import random
import socket
import time

import pytest

from simulators.virtual_time import (
    CLOSING_SECONDS,
    MOST_CANCELLED,
    VirtualDeadlock,
    VirtualEventLoop,
    VirtualStall,
    VirtualTimeError,
    VirtualTimeout,
    run_virtual,
)


async def _walk(rng: random.Random, trace: list[tuple[str, float]], name: str, until_s: float) -> None:
    loop = asyncio.get_running_loop()
    while loop.time() < until_s:
        await asyncio.sleep(rng.expovariate(1.0))
        trace.append((name, loop.time()))


async def _walks(seed: int) -> list[tuple[str, float]]:
    rng = random.Random(seed)
    trace: list[tuple[str, float]] = []
    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(_walk(rng, trace, name, 2_500.0))
    return trace


def test_2500_virtual_seconds_take_less_than_a_second() -> None:
    """Virtual time costs only the turns of the loop."""
    before = time.perf_counter()
    trace = run_virtual(_walks(7), max_seconds=3_000)
    assert time.perf_counter() - before < 1.0
    assert trace[-1][1] >= 2_500.0


def test_two_runs_of_one_seed_are_equal() -> None:
    """Order and times depend on the seed alone."""
    assert run_virtual(_walks(3), max_seconds=3_000) == run_virtual(_walks(3), max_seconds=3_000)
    assert run_virtual(_walks(3), max_seconds=3_000) != run_virtual(_walks(4), max_seconds=3_000)


def test_timers_fire_in_order_of_their_times_and_at_them() -> None:
    """A timer sees exactly the time it was set for."""

    async def story() -> list[tuple[str, float]]:
        loop, seen = asyncio.get_running_loop(), []
        for name, at in (("late", 5.0), ("early", 0.25), ("middle", 1 / 3)):
            loop.call_later(at, lambda name=name: seen.append((name, loop.time())))
        await asyncio.sleep(6)
        return seen

    assert run_virtual(story(), max_seconds=10) == [("early", 0.25), ("middle", 1 / 3), ("late", 5.0)]


def test_a_deadlock_names_the_tasks_that_wait() -> None:
    """Nothing ready and no timer is an error at once, not a hang."""

    async def waits_for_ever() -> None:
        await asyncio.Event().wait()

    async def story() -> None:
        task = asyncio.create_task(waits_for_ever(), name="seat 3's display")
        await task

    with pytest.raises(VirtualDeadlock, match=r"seat 3's display \(.*waits_for_ever\)"):
        run_virtual(story(), max_seconds=10)


def test_clean_up_runs_after_a_deadlock() -> None:
    """Cancelled tasks may still await in their clean-up."""
    closed = []

    async def story() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(CLOSING_SECONDS / 2)
            closed.append(asyncio.get_running_loop().time())

    with pytest.raises(VirtualDeadlock):
        run_virtual(story(), max_seconds=1)
    assert closed == [CLOSING_SECONDS / 2]


def test_the_last_second_ends_the_run() -> None:
    """A run that is alive but never ends is stopped by its deadline; one that ends at the deadline is not."""

    async def story(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "done"

    assert run_virtual(story(100), max_seconds=100) == "done"
    with pytest.raises(VirtualTimeout, match="100 virtual seconds"):
        run_virtual(story(100.5), max_seconds=100)


def test_two_tasks_that_keep_each_other_ready_are_a_stall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that stands still for one turn past the bound is an error."""
    monkeypatch.setattr("simulators.virtual_time.MAX_TURNS_WITHOUT_TIME", 1_000)

    async def spin(turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)

    run_virtual(spin(900), max_seconds=1)
    with pytest.raises(VirtualStall, match="stands still"):
        run_virtual(spin(1_100), max_seconds=1)


def test_threads_are_refused_with_the_name_of_the_call() -> None:
    """Work in a thread cannot be repeated by a seed, so it is an error that says which call it was."""

    async def story() -> None:
        await asyncio.to_thread(time.sleep, 0)

    with pytest.raises(VirtualTimeError, match="threads are not repeatable"):
        run_virtual(story(), max_seconds=1)


def test_another_thread_cannot_call_in() -> None:
    """``call_soon_threadsafe`` works on the loop's own thread alone."""
    loop = VirtualEventLoop(max_seconds=1)
    seen: list[str] = []
    loop.call_soon_threadsafe(seen.append, "own")
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop._owner = -1
    with pytest.raises(VirtualTimeError, match="another thread"):
        loop.call_soon_threadsafe(seen.append, "other")
    loop.close()
    assert seen == ["own"]


def test_real_file_descriptors_still_work() -> None:
    """A socket pair carries bytes with and without a timer running."""

    async def story() -> tuple[bytes, bytes]:
        loop = asyncio.get_running_loop()
        left, right = socket.socketpair()
        with left, right:
            left.setblocking(False)
            right.setblocking(False)
            await loop.sock_sendall(left, b"no timer")
            first = await loop.sock_recv(right, 100)
            async with asyncio.timeout(1):
                await loop.sock_sendall(left, b"timer")
                second = await loop.sock_recv(right, 100)
            return first, second

    assert run_virtual(story(), max_seconds=10) == (b"no timer", b"timer")


def test_the_result_and_the_error_of_the_run_come_back() -> None:
    """``run_virtual`` is a function call: result or exception."""

    async def good() -> int:
        return 4

    async def bad() -> None:
        raise KeyError("seven")

    assert run_virtual(good(), max_seconds=1) == 4
    with pytest.raises(KeyError, match="seven"):
        run_virtual(bad(), max_seconds=1)


def test_timers_of_one_instant_fire_in_the_order_in_which_they_were_set() -> None:
    """Whatever other timers stand between them, cancelled or not: what has nothing to do with them never changes their order."""

    async def story(others: int) -> list[int]:
        loop, seen = asyncio.get_running_loop(), list[int]()
        for number in range(40):
            loop.call_at(2.0, seen.append, number)
            for other in range(others):
                loop.call_at(1.0 + other, _nothing).cancel()
                loop.call_at(0.5 + other, _nothing)
        await asyncio.sleep(3)
        return seen

    for others in range(4):
        assert run_virtual(story(others), max_seconds=10) == list(range(40))


def test_cancelled_timers_do_not_pile_up() -> None:
    """A wait that ends early leaves its timer behind; those are thrown out when they are many."""

    async def story() -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualEventLoop)
        for _ in range(20 * MOST_CANCELLED):
            loop.call_later(100.0, _nothing).cancel()
            await asyncio.sleep(0)
        return len(loop._timers)

    assert run_virtual(story(), max_seconds=10) <= MOST_CANCELLED + 1


def _nothing() -> None:
    """A timer that does nothing."""
