"""A hundred complete simulated tables, with shoes, readers, dealers and players, and one floor, on virtual time."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from support.floor_copy import MemoryCopy

from controller.floor.service import FloorService
from controller.floor.store.rows import digest_of
from controller.mqtt.payloads import PublicEvent
from controller.rehearsal import START, Play, memory_rehearsal
from drivers.clock import LoopClock
from simulators.habits import rebuy
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.packets import ShuffledPackets
from simulators.players import Player, RandomPlayer
from simulators.virtual_time import run_virtual

VARIANTS = ("stud", "stud8", "razz")
BUY_IN = 200
MOST = 1 << 20


async def play(number: int, hands: int, broker: MemoryBroker, done: list[int], everybody: asyncio.Event) -> list[PublicEvent]:
    """Play the hands of one table; its public events, as its journal has them. It stays open until everybody has played."""
    play = Play(variant=VARIANTS[number % 3], seats={seat: (f"P{seat}", BUY_IN) for seat in range(1, 4 + number % 4)})
    rehearsal = memory_rehearsal(play, seed=number, broker=broker, table=f"T{number}")
    rng = Random(number)
    async with rehearsal.opened() as app:
        players: dict[int, Player] = {seat: RandomPlayer(Random(rng.getrandbits(64)), 0.3, 0.5) for seat in play.seats}
        packets = ShuffledPackets(Random(rng.getrandbits(64)))
        await rehearsal.deal(app, players, packets, hands=hands, before_hand=rebuy(BUY_IN))
        done.append(number)
        await everybody.wait()
        return list(await app.public_events(1, limit=MOST))


@pytest.mark.parametrize(("tables", "hands"), [(2, 1), pytest.param(100, 2, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_hundred_tables_are_on_one_floor(tables: int, hands: int) -> None:
    """Every public event of every journal is in the copy, once and in order; every table is online with the hands it played."""

    async def story() -> None:
        broker, copy, everybody, done = MemoryBroker(), MemoryCopy(), asyncio.Event(), list[int]()
        floor = FloorService("demo", copy.open, LoopClock(START), boot="boot0001")
        serving = [
            asyncio.create_task(floor.run()),
            asyncio.create_task(MemoryClient(broker, "floor", floor.collector).run()),
        ]
        playing = [asyncio.create_task(play(number, hands, broker, done, everybody)) for number in range(tables)]
        while len(done) < tables:
            await asyncio.sleep(1)
            for task in playing:
                if task.done():
                    task.result()
        await asyncio.sleep(2)
        tiles = floor.picture()["tables"]
        everybody.set()
        for number, journal in enumerate(await asyncio.gather(*playing)):
            rows = [(seq, digest_of(event)) for (source, seq), event in copy.rows.items() if source.table == f"T{number}"]
            assert rows == [(event.seq, digest_of(event)) for event in journal]
            assert sum(event.event in ("hand_ended", "hand_voided") for event in journal) >= hands
        assert {tile["liveness"] for tile in tiles.values()} == {"online"}
        assert len(tiles) == tables
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    run_virtual(story(), max_seconds=36_000)
