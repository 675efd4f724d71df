"""Two floors of one venue, one PostgreSQL that dies and comes back: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from support.floor_copy import VENUE, PlayingTable
from support.postgres import Postgres

from controller.floor.service import FloorService
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Source
from controller.floor.store.store import open_store
from drivers.clock import SystemClock
from simulators.memory_broker import MemoryBroker, MemoryClient

pytestmark = pytest.mark.ports


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.05)


async def test_two_floors_write_into_one_database(own_postgres: Postgres, tmp_path: Path) -> None:
    """Both hear every event, the server is restarted while tables play: each event has one row, and both floors find it again."""
    opening = partial(open_store, parse_address(own_postgres.new_database(), tmp_path), VENUE)
    broker, tables = MemoryBroker(), [PlayingTable("T1"), PlayingTable("T2", "00c0ffee")]
    floors = [FloorService(VENUE, opening, SystemClock(), boot=f"boot{number}") for number in (1, 2)]
    tasks = [asyncio.create_task(floor.run()) for floor in floors]
    tasks += [
        asyncio.create_task(MemoryClient(broker, f"floor-{number}", floor.collector).run()) for number, floor in enumerate(floors)
    ]
    tasks += [asyncio.create_task(MemoryClient(broker, table.topics.table, table.handler).run()) for table in tables]
    try:
        await until(lambda: all(all(floor.ready().values()) for floor in floors))
        random = Random(5)
        for step in range(12):
            for table in tables:
                table.play(random.randrange(1, 30))
            await asyncio.sleep(0.05)
            if step == 6:
                await asyncio.to_thread(own_postgres.stop)
            if step == 9:
                await until(lambda: not any(floor.writer.is_open for floor in floors))
                await asyncio.to_thread(own_postgres.start)
        wanted = {Source(table.topics.table, table.journal_id): table.seq for table in tables}
        async with asyncio.timeout(60):
            await until(lambda: all(floor.writer.is_open for floor in floors))
            async with opening() as store:
                while await store.marks() != wanted:
                    await asyncio.sleep(0.1)
                for source, last in wanted.items():
                    assert [row["seq"] for row in await store.events(source, 0, 1000)] == list(range(1, last + 1))
        await until(lambda: not any(floor.board.standing for floor in floors))  # that the store was away is over at both
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
