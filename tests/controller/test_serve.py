"""``run_table``: what it opens, how it ends, and which configuration it refuses."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from controller.access.floor_key import make_floor_key
from controller.access.people import Role
from controller.access.roster import change_roster
from controller.config import ConfigError, TableConfig, parse_config
from controller.config_values import FloorSection
from controller.http_server import listening
from controller.kernel_clock import is_synchronised
from controller.rehearsal import Play, config_for, registry_of
from controller.serve import _outside, check_people, floor_of, load_registry, run_table
from controller.verify import audit
from simulators.rig import NINETEEN, SHOE_PORT, make_tags

pytestmark = pytest.mark.ports
PORTS = {name: f"/dev/{name}" for name in (SHOE_PORT, *NINETEEN)}


@pytest.fixture
def config(tmp_path: Path, free_port: Callable[[], int]) -> TableConfig:
    """A table without broker whose devices are not there."""
    (tmp_path / "deck.toml").write_text(registry_of(make_tags(random.Random(1))).toml(), encoding="utf-8")
    ports = {name: str(tmp_path / name) for name in (SHOE_PORT, *NINETEEN)}
    raw: dict[str, Any] = config_for(
        Play(), ports=ports, data=str(tmp_path / "data"), deck=str(tmp_path / "deck.toml"), http_port=free_port()
    )
    found = parse_config(raw, "test")
    return found.model_copy(update={"mqtt": None})


async def until_served(client: httpx.AsyncClient) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                await client.get("/healthz")
            except httpx.TransportError:
                await asyncio.sleep(0.02)
            else:
                return


@pytest.mark.parametrize("wanted", [signal.SIGTERM, signal.SIGINT])
async def test_a_table_serves_until_it_is_told_to_stop(config: TableConfig, wanted: signal.Signals) -> None:
    """HTTP answers, the missing devices are said, a waiting screen is let go, and the journal holds after the signal."""
    running = asyncio.create_task(run_table(config))
    address = f"http://{config.http.host}:{config.http.port}"
    async with httpx.AsyncClient(base_url=address) as client:
        await until_served(client)
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()) == (503, {"journal": True, "devices": False, "broker": True, "program": True})
        seq = (await client.get("/api/v1/snapshot")).json()["seq"]
        waiting = asyncio.create_task(client.get("/api/v1/snapshot", params={"after": str(seq + 1000), "wait": "10"}))
        await asyncio.sleep(0.2)
        os.kill(os.getpid(), wanted)
        async with asyncio.timeout(5):
            await running
        assert (await waiting).status_code == 503
    assert audit(config.data).ok


def test_an_answer_does_not_wait_for_the_last_one(config: TableConfig) -> None:
    """Connections of the HTTP address send at once; else each answer, in two packets, waits 40 ms for an acknowledgement."""
    host, port = config.http.host, config.http.port
    with listening(host, port) as listener, socket.create_connection((host, port)):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_an_address_in_use_is_said(config: TableConfig) -> None:
    """Another program listens there: one sentence that names the address."""
    server = await asyncio.start_server(lambda reader, writer: writer.close(), config.http.host, config.http.port)
    async with server:
        with pytest.raises(ConfigError, match=f"{config.http.port} cannot be listened on"):
            await run_table(config)


async def test_a_deck_that_others_may_read_is_said_at_a_start(config: TableConfig, caplog: pytest.LogCaptureFixture) -> None:
    """It names every card on the felt. The table plays on: it is the machine's people who mend it."""
    server = await asyncio.start_server(lambda reader, writer: writer.close(), config.http.host, config.http.port)
    async with server:
        for mode, said in ((0o640, True), (0o600, False)):
            config.deck.chmod(mode)
            caplog.clear()
            with pytest.raises(ConfigError, match="cannot be listened on"):
                await run_table(config)
            assert (f"{config.deck} can be read by others" in caplog.text) is said


@pytest.mark.parametrize(("text", "says"), [(None, "cannot be read"), ("deck = [", "deck"), ('tags = "none"', "deck")])
def test_a_deck_that_cannot_be_used_is_said(config: TableConfig, text: str | None, says: str) -> None:
    """Missing, no TOML, or no registry: the file is named."""
    if text is None:
        config.deck.unlink()
    else:
        config.deck.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=says):
        load_registry(config)


def test_lines_that_are_set_otherwise_can_be_asked_as_delivered(config: TableConfig) -> None:
    """A second opener for a line at another speed than its readers are delivered with; none for the others.

    A network line is set at its other end.
    """
    lines = [line.model_copy() for line in config.readers]
    lines[1] = lines[1].model_copy(update={"baud": 115200})
    lines[2] = lines[2].model_copy(update={"baud": 115200, "port": "socket://10.0.0.9:4001"})
    changed = config.model_copy(update={"readers": tuple(lines), "mqtt": None})
    delivered = _outside(changed, load_registry(changed)).delivered
    assert {name: opener.name for name, opener in delivered.items()} == {lines[1].name: lines[1].port}


def test_the_kernel_is_asked_for_the_clock_where_the_table_looks(config: TableConfig) -> None:
    """In production, and where it was said; elsewhere, as in a container of a demonstration, nobody asks (0031)."""
    for production, said, asks in ((False, None, False), (True, None, True), (True, False, False), (False, True, True)):
        changed = config.model_copy(update={"production": production, "watch_clock": said})
        probe = _outside(changed, load_registry(changed)).is_synchronised
        assert probe is (is_synchronised if asks else None)


def people_config(tmp_path: Path, free_port: Callable[[], int]) -> TableConfig:
    """A table at which people are to sign in."""
    raw = config_for(Play(), ports=PORTS, data=str(tmp_path / "data"), deck=str(tmp_path / "deck.toml"), http_port=free_port())
    return parse_config({**raw, "access": "people", "people": str(tmp_path / "people.json")}, "test")


def test_a_table_at_which_nobody_could_sign_in_is_not_started(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """No file, and none of the floor: said with both ways out, before anything is opened."""
    config = people_config(tmp_path, free_port)
    with pytest.raises(ConfigError, match=r'people\.json is not there: add .* or say access = "open"'):
        check_people(config)
    change_roster(config.people, lambda roster: roster.with_person("12", "Ann", Role.DEALER).with_pin("12", "482915"), new=True)
    with pytest.raises(ConfigError, match="nobody of the floor"):
        check_people(config)
    change_roster(config.people, lambda roster: roster.with_person("3", "Fay", Role.FLOOR))
    with pytest.raises(ConfigError, match="nobody of the floor"):
        check_people(config)
    change_roster(config.people, lambda roster: roster.with_pin("3", "731946"))
    check_people(config)


def test_a_table_whose_floors_key_cannot_be_used_is_not_started(config: TableConfig, tmp_path: Path) -> None:
    """Said with the way out; a table that names no floor takes no order from any."""
    assert floor_of(config) is None
    public = make_floor_key(tmp_path / "floor.key")
    assert floor_of(config.model_copy(update={"floor": FloorSection(public_key_file=public)})) is not None
    public.unlink()
    with pytest.raises(ConfigError, match=r"floor\.public_key_file: .*floor\.key\.pub cannot be read .*: copy the \.pub file"):
        floor_of(config.model_copy(update={"floor": FloorSection(public_key_file=public)}))


def test_an_open_table_is_for_this_machine_alone(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """It must be said, and an address of the network is refused."""
    raw = config_for(Play(), ports=PORTS, data=str(tmp_path / "data"), http_port=free_port())
    assert parse_config(raw, "test").access == "open"
    assert parse_config({key: value for key, value in raw.items() if key != "access"}, "test").access == "people"
    for host in ("10.0.0.5", "::", "192.168.1.5"):
        with pytest.raises(ConfigError, match="everybody there could drive"):
            parse_config({**raw, "http": {"host": host}}, "test")
        parse_config({**raw, "access": "people", "http": {"host": host}}, "test")
