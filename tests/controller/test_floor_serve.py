"""The floor's process with a real broker and a real store: killed, started again, and told to stop."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
import tomli_w
from support.floor_copy import VENUE, PlayingTable
from support.floor_samples import JOURNAL

from controller.access.floor_key import key_name, load_floor_public
from controller.config import ConfigError
from controller.floor.store.rows import Source
from controller.floor.store.store import open_store
from controller.floor_config import FloorConfig, load_floor_config
from controller.floor_serve import check_floor, signer_of
from controller.mqtt.broker import RunningBroker, start_broker
from controller.mqtt.client import Connection, MqttClient

pytestmark = pytest.mark.ports


def configured(folder: Path, broker: int, http: int = 0) -> FloorConfig:
    path = folder / "floor.toml"
    raw = {"venue": VENUE, "mqtt": {"port": broker}, "http": {"port": http}, "store": {"url": "sqlite:///copy.sqlite3"}}
    path.write_text(tomli_w.dumps(raw), encoding="utf-8")
    return load_floor_config(path)


def started(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "controller.cli", "floor", str(folder / "floor.toml")]
    with (folder / "floor.log").open("ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log)


async def until(holds: Callable[[], Awaitable[Any]]) -> Any:
    """Ask again and again until it holds."""
    async with asyncio.timeout(90):
        while True:
            with suppress(httpx.TransportError):
                if (found := await holds()) is not None:
                    return found
            await asyncio.sleep(0.05)


async def test_everything_is_kept_when_floor_and_broker_die(
    tmp_path: Path, broker: RunningBroker, free_port: Callable[[], int]
) -> None:
    """The floor is killed in the middle of what a table tells, the broker goes without memory, and both come back: every event is
    in the copy once and in order; told to stop, the floor ends well."""
    http = free_port()
    config = configured(tmp_path, broker.port, http)
    table = PlayingTable("T1")
    client = MqttClient(Connection(broker.host, broker.port, "table"), table.handler, Random(1))
    serving = asyncio.create_task(client.run())
    floor = started(tmp_path)
    again = None
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{http}") as asking:

            async def online() -> Any:
                tile = (await asking.get("/api/board")).json()["tables"].get("T1")
                return tile if tile is not None and tile["liveness"] == "online" else None

            async def ready() -> Any:
                return True if (await asking.get("/readyz")).json() == {"broker": True, "store": True} else None

            table.play(300)
            assert (await until(online))["pot"] == 58
            table.play(100)
            floor.kill()
            floor.wait()
            broker.stop()
            table.play(50)
            again = start_broker(tmp_path / "again", port=broker.port, kind=broker.kind)
            floor = started(tmp_path)
            await until(online)
            table.play(20)
            await table.handler.drained()
            await until(ready)  # a store that is brought up to date is open a little later
            async with open_store(config.store.address(), VENUE) as store:

                async def whole() -> Any:
                    return True if (await store.marks()).get(Source("T1", JOURNAL)) == table.seq else None

                await until(whole)
                kept = await store.events(Source("T1", JOURNAL), 0, 1000)
            assert [row["seq"] for row in kept] == list(range(1, 471))
        floor.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(floor.wait, 20) == 0, (tmp_path / "floor.log").read_text()
    finally:
        floor.kill()
        floor.wait()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        if again is not None:
            again.stop()


def test_a_floors_key_is_made_at_its_first_start_and_kept(tmp_path: Path) -> None:
    """What it signs a table takes by the public half beside it; one that others may read ends the start."""
    config = configured(tmp_path, 1)
    first, again = signer_of(config), signer_of(config)
    assert first.name == again.name == key_name(load_floor_public(tmp_path / "floor.key.pub"))
    (tmp_path / "floor.key").chmod(0o640)
    with pytest.raises(ConfigError, match=r"orders\.key_file: .*may be read by others"):
        signer_of(config)


async def test_a_check_names_what_is_missing(tmp_path: Path, free_port: Callable[[], int], broker: RunningBroker) -> None:
    """Broker and store, one sentence each; nothing where both are there."""
    assert (await check_floor(configured(tmp_path, broker.port))).ok
    (tmp_path / "floor.key").write_text("no key", encoding="utf-8")
    (tmp_path / "floor.key").chmod(0o600)
    [problem] = (await check_floor(configured(tmp_path, broker.port))).problems
    assert problem.startswith("orders.key_file: ")
    (tmp_path / "floor.key").unlink()
    (tmp_path / "copy.sqlite3").write_text("a letter" * 200, encoding="utf-8")
    nobody = free_port()
    found = await check_floor(configured(tmp_path, nobody))
    assert [problem.split(":")[0] for problem in found.problems] == ["mqtt", "store"]
    assert f"127.0.0.1:{nobody}" in found.problems[0]
    assert "file is not a database" in found.problems[1]
