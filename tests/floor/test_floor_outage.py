"""The venue's broker is away while complete tables, each with its own bridged broker, play on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from support.bridged import Mosquitto, table_broker, venue_broker
from support.public_story import public_story

from controller.demo import DemoPlan
from controller.demo_floor import VENUE, FloorDemo, FloorPlan
from controller.floor.store.store import open_store
from controller.floor_config import load_floor_config
from controller.mqtt.broker import HOST, find_mosquitto

TABLES = 3
HANDS = 50
ARRIVED_S = 120.0

pytestmark = [
    pytest.mark.long,
    pytest.mark.ports,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(find_mosquitto() is None, reason="mosquitto is not installed"),
]


@dataclass(frozen=True, slots=True)
class BridgedPlan(FloorPlan):
    """Each table at a broker of its own."""

    brokers: Mapping[int, Mosquitto] = field(default_factory=dict)

    def table(self, number: int, broker: tuple[str, int]) -> DemoPlan:
        return FloorPlan.table(self, number, (HOST, self.brokers[number].port))


async def test_fifty_hands_arrive_after_the_venue_is_back(tmp_path: Path) -> None:
    """The venue's broker stops before the first hand and is back after the last one: the floor says meanwhile that no table is
    heard and blames none, and then has every event of every journal once, in order."""
    venue = venue_broker(tmp_path / "venue")
    brokers = {n: table_broker(tmp_path / f"broker-{n}", VENUE, f"T{n}", venue.port) for n in range(1, TABLES + 1)}
    plan = DemoPlan(tmp_path / "demo", hands=HANDS, fast=True, broker=(HOST, venue.port))
    demo = FloorDemo(BridgedPlan(plan, TABLES, brokers=brokers))
    try:
        await demo.start()
        await heard(demo)
        before = await kept(demo)
        venue.stop()
        stats = await demo.play()
        async with httpx.AsyncClient(base_url=demo.http) as client:
            board = (await client.get("/api/board")).json()
        assert board["broker"] == {"connected": False}
        assert board["alarm_order"] == ["/broker_away"]
        assert await kept(demo) == before, "nothing can have come"
        venue.start()
        async with asyncio.timeout(ARRIVED_S):
            while {name: len(rows) for name, rows in (await kept(demo)).items()} != {
                table.plan.table: len(public_story(table.data)) for table in demo.demos
            }:
                await asyncio.sleep(0.5)
        assert await kept(demo) == {table.plan.table: public_story(table.data) for table in demo.demos}
    finally:
        await demo.stop()
        for broker in (*brokers.values(), venue):
            broker.stop()
    result = demo.result(stats)
    assert result.ok
    assert [table.hands for table in result.tables.values()] == [HANDS] * TABLES


async def heard(demo: FloorDemo) -> None:
    """Return when the floor has heard every table over its bridge, and nothing of it is on its way."""
    async with asyncio.timeout(30), httpx.AsyncClient(base_url=demo.http) as client:
        while True:
            tiles = (await client.get("/api/board")).json()["tables"]
            if sum(tile["liveness"] == "online" for tile in tiles.values()) == TABLES:
                break
            await asyncio.sleep(0.1)
    await asyncio.sleep(1)


async def kept(demo: FloorDemo) -> dict[str, list[tuple[int, str]]]:
    """What the copy has of each table."""
    config = load_floor_config(demo.config_path)
    async with open_store(config.store.address(), config.venue) as store:
        sources = sorted(await store.marks())
        return {one.table: [(row["seq"], row["digest"]) for row in await store.events(one, 0, 1 << 20)] for one in sources}
