"""A table's own broker, bridged to the venue's: the table plays on, everything arrives once, and the floor says what is down."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from support.bridged import signed_venue_broker, table_broker, venue_broker
from support.floor_copy import VENUE, MemoryCopy, PlayingTable

from controller.floor.service import FloorService
from controller.mqtt.broker import find_mosquitto
from controller.mqtt.client import Connection, MqttClient
from drivers.clock import SystemClock

pytestmark = [pytest.mark.ports, pytest.mark.skipif(find_mosquitto() is None, reason="mosquitto is not installed")]
HOST = "127.0.0.1"


async def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.02)


def standing(floor: FloorService) -> list[str]:
    return sorted(alarm.key for alarm in floor.board.standing)


@pytest.mark.long
async def test_a_table_plays_on_while_the_venue_is_away(tmp_path: Path) -> None:
    """The venue's broker stops, the table goes on, the broker is back: every event once, in order. Then the table's broker dies,
    and its bridge's will says so at the venue."""
    venue = venue_broker(tmp_path / "venue")
    local = table_broker(tmp_path / "T1", VENUE, "T1", venue.port)
    table, copy = PlayingTable("T1"), MemoryCopy()
    floor = FloorService(VENUE, copy.open, SystemClock(), boot="boot0001")
    tasks = [
        asyncio.create_task(MqttClient(Connection(HOST, local.port, "table"), table.handler, random.Random(1)).run()),
        asyncio.create_task(MqttClient(Connection(HOST, venue.port, "floor"), floor.collector, random.Random(2)).run()),
        asyncio.create_task(floor.run()),
    ]
    try:
        table.play(20)
        await until(lambda: copy.kept("T1") == list(range(1, 21)))
        venue.stop()
        await until(lambda: standing(floor) == ["/broker_away"])
        table.play(50)
        await asyncio.sleep(0.1)
        venue.start()
        table.play(5)
        await until(lambda: copy.kept("T1") == list(range(1, 76)))
        await until(lambda: standing(floor) == [] and not floor.board._tables["T1"]._is_cut)
        local.kill()
        await until(lambda: floor.board._tables["T1"]._is_cut)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        local.stop()
        venue.stop()


@pytest.mark.long
async def test_who_signs_in_as_a_table_speaks_for_that_table_alone(tmp_path: Path) -> None:
    """With the access list as it comes: the floor hears T1 and asks it, and nothing of what T1's name tells as T2; a stranger
    does not get in."""
    venue = signed_venue_broker(tmp_path / "venue", {"T1": "one", "floor": "two"})
    brokers = [
        table_broker(tmp_path / name, VENUE, name, venue.port, sign_in)
        for name, sign_in in (("T1", ("T1", "one")), ("T2", ("T1", "one")), ("T3", ("T3", "three")))
    ]
    tables, copy = [PlayingTable(name) for name in ("T1", "T2", "T3")], MemoryCopy()
    floor = FloorService(VENUE, copy.open, SystemClock(), boot="boot0001")
    signed = Connection(HOST, venue.port, "floor", "floor", "two")
    for table in tables:
        table.play(450)  # more than one page: it must be asked
    tasks = [
        asyncio.create_task(MqttClient(Connection(HOST, broker.port, "table"), table.handler, random.Random(1)).run())
        for table, broker in zip(tables, brokers, strict=True)
    ]
    tasks += [
        asyncio.create_task(MqttClient(signed, floor.collector, random.Random(2)).run()),
        asyncio.create_task(floor.run()),
    ]
    try:
        await until(lambda: copy.kept("T1") == list(range(1, 451)))
        await asyncio.sleep(1)
        assert floor.board.tables == ("T1",)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for broker in (*brokers, venue):
            broker.stop()
