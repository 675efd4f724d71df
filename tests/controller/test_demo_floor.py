"""Several simulated tables and their floor: what the copy has is what the tables' journals tell."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.public_story import public_story

from controller.config import ConfigError
from controller.demo import DemoPlan
from controller.demo_floor import MAX_TABLES, FloorDemo, FloorPlan
from controller.floor.store.store import open_store
from controller.floor_config import load_floor_config


def test_tables_differ_in_name_seed_and_game(tmp_path: Path) -> None:
    """One broker for all; the games in turn, unless one is asked for."""
    plan = FloorPlan(DemoPlan(tmp_path, hands=2, seed=7), 4)
    made = [plan.table(number, ("127.0.0.1", 1)) for number in range(1, 5)]
    assert [(one.table, one.seed, one.variant) for one in made] == [
        ("T1", 7, "stud"),
        ("T2", 8, "stud8"),
        ("T3", 9, "razz"),
        ("T4", 10, "stud"),
    ]
    assert {one.folder.name for one in made} == {"T1", "T2", "T3", "T4"}
    with pytest.raises(ConfigError, match=f"a demo has 1 to {MAX_TABLES}"):
        FloorDemo(FloorPlan(DemoPlan(tmp_path), MAX_TABLES + 1))


def test_eight_tables_stand_in_two_pits(tmp_path: Path) -> None:
    """Four in each; where one pit would hold all, none is named."""
    assert FloorPlan(DemoPlan(tmp_path), 8).pits == {"Pit 1": ["T1", "T2", "T3", "T4"], "Pit 2": ["T5", "T6", "T7", "T8"]}
    assert FloorPlan(DemoPlan(tmp_path), 4).pits == {}


async def _tiles_when_heard(client: httpx.AsyncClient, tables: set[str]) -> dict[str, Any]:
    """The board's tiles, once each of ``tables`` stands there with its game: ready means that broker and store are there, and
    what the broker keeps of the tables comes a moment later."""
    async with asyncio.timeout(20):
        while True:
            tiles: dict[str, Any] = (await client.get("/api/board")).json()["tables"]
            if tables <= {name for name, tile in tiles.items() if tile["game"]}:
                return tiles
            await asyncio.sleep(0.05)


@pytest.mark.ports
async def test_the_floor_has_what_the_tables_played(tmp_path: Path) -> None:
    """Two tables play, the floor is killed and started again: every public event of both journals is in the copy, once and in
    order, and the board shows both games. Whoever is at the floor pauses a table, and starts no hand at one."""
    demo = FloorDemo(FloorPlan(DemoPlan(tmp_path, hands=1, fast=True), 2))
    try:
        await demo.start()
        demo.kill_floor()
        demo.start_floor()
        stats = await demo.play()
        await demo._until_ready()
        async with httpx.AsyncClient(base_url=demo.http) as client:
            tiles = await _tiles_when_heard(client, {"T1", "T2"})
            sheet = (await client.get("/api/tables/T1/sheets", params={"name": "menu"})).json()
            body = {"key": "press-0001", "seq": sheet["seq"], "command": {"type": "pause_table", "reason": "supper"}}
            assert (await client.post("/api/tables/T1/commands", json=body)).json()["ok"]
            other = await client.post("/api/tables/T2/commands", json={**body, "command": {"type": "start_hand"}})
            assert other.json()["refusal"]["code"] == "not_the_floors"
        assert {name: tile["game"]["variant"] for name, tile in tiles.items()} == {"T1": "stud", "T2": "stud8"}
        assert tiles["T1"]["http"] == f"{demo.demos[0].http}/"
    finally:
        await demo.stop()
    assert demo.result(stats).ok
    config = load_floor_config(demo.config_path)
    async with open_store(config.store.address(), config.venue) as store:
        for table in demo.demos:
            [source] = [one for one in await store.marks() if one.table == table.plan.table]
            kept = await store.events(source, 0, 100_000)
            assert [(row["seq"], row["digest"]) for row in kept] == public_story(table.data)
