"""Readers of the stream of public events, at a broker in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.mqtt_samples import AT, TOPICS, Journal, event, publisher, snapshot

from controller.displays.publisher import DisplayPublisher
from controller.mqtt.follower import MAX_EARLY, EventFollower
from drivers.clock import LoopClock
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.virtual_time import run_virtual


def follower(name: str, seen: list[int]) -> EventFollower:
    return EventFollower(TOPICS, name, clock=LoopClock(AT), on_event=lambda one: seen.append(one.seq))


async def stop(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def start(broker: MemoryBroker, name: str, handler: Any) -> asyncio.Task[None]:
    return asyncio.create_task(MemoryClient(broker, name, handler).run())


def virtual(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_virtual(story(), max_seconds=600)


def play(journal: Journal, served: DisplayPublisher, first: int, last: int, *, epoch: int = 2) -> None:
    for seq in range(first, last + 1):
        served.offer(snapshot(seq, epoch=epoch, events=journal.commit(event(seq, epoch=epoch))))


def test_a_late_reader_gets_the_whole_story() -> None:
    """What happened before a reader came is fetched, then the live events follow, each once."""

    async def story() -> None:
        broker, journal, seen = MemoryBroker(), Journal(), list[int]()
        served = publisher(journal)
        table = start(broker, "table", served)
        play(journal, served, 1, 1200)
        await served.drained()
        reader = start(broker, "reader", follower("reader", seen))
        await asyncio.sleep(1)
        play(journal, served, 1201, 1210)
        await asyncio.sleep(1)
        assert seen == list(range(1, 1211))
        await stop(table, reader)

    virtual(story)


def test_a_new_controller_leaves_no_gap() -> None:
    """Events that a controller committed and never published reach the reader when the next epoch shows."""

    async def story() -> None:
        broker, journal, seen = MemoryBroker(), Journal(), list[int]()
        old = publisher(journal, epoch=2)
        table = start(broker, "table", old)
        reader = start(broker, "reader", follower("reader", seen))
        play(journal, old, 1, 5)
        await asyncio.sleep(1)
        await stop(table)
        journal.commit(event(6), event(7))
        new = publisher(journal, epoch=3)
        table = start(broker, "table", new)
        play(journal, new, 8, 9, epoch=3)
        await asyncio.sleep(2)
        assert seen == list(range(1, 10))
        await stop(table, reader)

    virtual(story)


def test_a_zombies_events_are_dropped() -> None:
    """What comes from a smaller epoch is not handed on."""

    async def story() -> None:
        broker, journal, seen = MemoryBroker(), Journal(), list[int]()
        served = publisher(journal)
        tasks = start(broker, "table", served), start(broker, "reader", follower("reader", seen))
        play(journal, served, 1, 2)
        await asyncio.sleep(1)
        broker.inject(TOPICS.events, event(50, epoch=1).model_dump_json().encode())
        broker.inject(TOPICS.events, b"garbage")
        play(journal, served, 3, 3)
        await asyncio.sleep(1)
        assert seen == [1, 2, 3]
        await stop(*tasks)

    virtual(story)


def test_more_live_events_than_fit_are_fetched() -> None:
    """Beyond ``MAX_EARLY`` events that wait for the backfill, the rest is asked for again."""
    seen: list[int] = []

    async def story() -> None:
        broker, journal = MemoryBroker(), Journal()
        reader = start(broker, "reader", follower("reader", seen))
        await asyncio.sleep(0.1)
        for seq in range(1, MAX_EARLY + 50):
            broker.inject(TOPICS.events, journal.commit(event(seq))[0].model_dump_json().encode())
        await asyncio.sleep(0.2)
        assert seen == []
        served = publisher(journal)
        served.offer(snapshot(MAX_EARLY + 49))
        table = start(broker, "table", served)
        await asyncio.sleep(4)
        assert seen == list(range(1, MAX_EARLY + 50))
        await stop(table, reader)

    virtual(story)


def test_an_event_that_the_broker_lost_is_asked_for() -> None:
    """The connection stays, one message does not come: the next event tells of it, and it is fetched before that one."""

    async def story() -> None:
        broker, journal, seen = MemoryBroker(), Journal(), list[int]()
        served = publisher(journal)
        tasks = start(broker, "table", served), start(broker, "reader", follower("reader", seen))
        play(journal, served, 1, 3)
        await asyncio.sleep(1)
        asked = len(journal.asked)
        broker.lose("reader", TOPICS.events, 2)
        play(journal, served, 4, 6)
        await asyncio.sleep(0.1)
        assert seen == [1, 2, 3, 4, 5, 6]
        assert len(journal.asked) == asked + 1
        await stop(*tasks)

    virtual(story)


def test_the_last_event_is_missed_too() -> None:
    """Nothing follows on what was lost: the sign of life tells of it."""

    async def story() -> None:
        broker, journal, seen = MemoryBroker(), Journal(), list[int]()
        served = publisher(journal)
        tasks = start(broker, "table", served), start(broker, "reader", follower("reader", seen))
        play(journal, served, 1, 3)
        await asyncio.sleep(1)
        broker.lose("reader", TOPICS.events, 1)
        play(journal, served, 4, 4)
        await asyncio.sleep(0.1)
        assert seen == [1, 2, 3]
        await asyncio.sleep(2)
        assert seen == [1, 2, 3, 4]
        asked = len(journal.asked)
        await asyncio.sleep(10)
        assert len(journal.asked) == asked, "nothing is missing, so nothing is asked"
        await stop(*tasks)

    virtual(story)


def test_a_hole_that_nobody_can_fill_is_told_and_passed() -> None:
    """The table no longer keeps what was before: the reader is told between which records, and goes on."""

    async def story() -> None:
        broker, journal = MemoryBroker(), Journal()
        seen, holes = list[int](), list[tuple[int, int]]()
        reader = EventFollower(
            TOPICS,
            "reader",
            clock=LoopClock(AT),
            on_event=lambda one: seen.append(one.seq),
            after_seq=5,
            on_hole=lambda after, one: holes.append((after, one.seq)),
        )
        served = publisher(journal)
        first = event(40).model_copy(update={"previous": None})
        served.offer(snapshot(40, events=journal.commit(first)))
        tasks = start(broker, "table", served), start(broker, "reader", reader)
        await asyncio.sleep(1)
        play(journal, served, 41, 42)
        await asyncio.sleep(1)
        assert (seen, holes) == ([40, 41, 42], [(5, 40)])
        await stop(*tasks)

    virtual(story)


@given(st.integers(0, 2**32))
def test_two_readers_see_every_event_once_whatever_breaks(seed: int) -> None:
    """Broker restarts, cut cables, lost messages and controller restarts at random: two readers get the same events, all, once,
    in order."""

    async def story() -> None:
        random, broker, journal = Random(seed), MemoryBroker(), Journal()
        seen: tuple[list[int], list[int]] = [], []
        epoch, seq = 1, 0
        served = publisher(journal, epoch=epoch)
        table = start(broker, "table", served)
        readers = [start(broker, name, follower(name, seen[i])) for i, name in enumerate(("first", "second"))]
        for _ in range(30):
            count = random.randrange(1, 8)
            play(journal, served, seq + 1, seq + count, epoch=epoch)
            seq += count
            await asyncio.sleep(random.choice((0.0, 0.001, 0.01, 0.3)))
            match random.randrange(10):
                case 0:
                    broker.restart()
                case 1:
                    broker.stop()
                    await asyncio.sleep(random.random())
                    broker.start()
                case 2:
                    broker.cut(random.choice(("table", "first", "second")))
                case 3:
                    await stop(table)
                    epoch += 1
                    served = publisher(journal, epoch=epoch)
                    table = start(broker, "table", served)
                case 4 | 5:
                    await asyncio.sleep(0.5)
                    broker.lose(random.choice(("first", "second")), f"{TOPICS.root}/#", random.randrange(1, 6))
                case _:
                    pass
        served.offer(snapshot(seq, epoch=epoch))
        await asyncio.sleep(6)
        assert seen[0] == seen[1] == list(range(1, seq + 1))
        await stop(table, *readers)

    virtual(story)
