"""A thousand tables told from recordings, and everything that stands between them and the copy restarted in the middle."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.bridged import Mosquitto

from controller.bench.floor_probe import save_recordings
from controller.bench.floor_reckoning import kept_of
from controller.bench.floor_venue import Load, Venue
from controller.bench.postgres_server import find_postgresql
from controller.bench.public_stream import VARIANTS, record
from controller.mqtt.broker import HOST, find_mosquitto

TABLES = 1000
RATE = 5
SECONDS = 60
AWAY_S = 2.0
SEED = 7

pytestmark = [
    pytest.mark.long,
    pytest.mark.ports,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(find_mosquitto() is None or find_postgresql() is None, reason="mosquitto or PostgreSQL is not installed"),
]


def bridge_of_all(folder: Path, venue: str, port: int) -> Mosquitto:
    """A broker for all tables, with the bridge of one of them widened to all."""
    replaced = {
        "\ntopic ": "\ntopic +/",
        "stud/v1/nice/T1/": f"stud/v1/{venue}/",
        "stud-nice-T1": f"stud-{venue}-all",
        "broker.room.example:1883": f"{HOST}:{port}",
        "restart_timeout 1 5": "restart_timeout 1",
    }
    return Mosquitto(folder, "table.conf", replaced)


def test_nothing_is_lost_or_doubled_whatever_is_restarted(tmp_path: Path) -> None:
    """The venue's broker without memory, the database, the floor by SIGKILL, the bridge with its broker by SIGKILL, one after the
    other while the tables play on: in the end the copy has every event of every table once, in order, as it was told."""
    recordings = tmp_path / "recordings.json"
    save_recordings(recordings, [record(variant, SEED, 2) for variant in VARIANTS])
    asyncio.run(story(tmp_path, recordings))


async def story(folder: Path, recordings: Path) -> None:
    async with Venue(folder, None) as venue:
        assert venue.database is not None
        bridge = bridge_of_all(folder / "tables", venue.name, venue.broker.port)
        venue.front = (HOST, bridge.port)
        try:
            await venue.start_floor()
            crowd = Load(venue, recordings, TABLES, RATE)
            await crowd.start()
            telling = asyncio.create_task(crowd.tell(SECONDS))
            await asyncio.sleep(SECONDS / 6)
            await venue.restart_broker(AWAY_S)
            await asyncio.sleep(SECONDS / 6)
            await asyncio.to_thread(venue.database.stop)
            await asyncio.sleep(AWAY_S)
            await asyncio.to_thread(venue.database.start)
            await asyncio.sleep(SECONDS / 6)
            await venue.kill_floor()
            await venue.start_floor()
            await asyncio.sleep(SECONDS / 12)
            await asyncio.to_thread(bridge.kill)
            await asyncio.sleep(AWAY_S)
            await asyncio.to_thread(bridge.start)
            assert not telling.done(), "the restarts came while the tables played"
            told = await telling
            streams = crowd.streams(SECONDS)
            await venue.until_kept(streams)
            kept = await kept_of(venue.store, venue.name, streams)
            assert told["unsent"] > 0, "tables played on while their broker was away"
            assert (kept.wrong, told["messages"]) == (0, TABLES * RATE * SECONDS)
        finally:
            bridge.stop()
