"""How ``run`` ends when it cannot go on: one sentence, and an exit code that tells a supervisor what to do."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli_w
from support.mqtt_samples import Listener
from support.table_runs import stud_table

from controller.cli.parsing import FENCED, WRONG_USE
from controller.mqtt.broker import start_broker
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.topics import TableTopics
from controller.rehearsal import Play, config_for, registry_of
from controller.whole_file import write_whole
from simulators.rig import NINETEEN, SHOE_PORT, make_tags

pytestmark = pytest.mark.ports


def write_table(folder: Path, *, mqtt_port: int, http_port: int) -> Path:
    """A table's configuration; its devices are not there."""
    ports = {name: str(folder / name) for name in (SHOE_PORT, *NINETEEN)}
    raw = config_for(Play(), ports=ports, mqtt={"port": mqtt_port}, http_port=http_port)
    (folder / "table.toml").write_text(tomli_w.dumps(raw), encoding="utf-8")
    write_whole(folder / "deck.toml", registry_of(make_tags(random.Random(1))).toml())
    return folder / "table.toml"


def test_an_http_port_in_use_is_wrong_configuration(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """The last line names the address; the exit code is not that of a fenced table."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = stud_table("run", write_table(tmp_path, mqtt_port=free_port(), http_port=port))
    assert ended.returncode == WRONG_USE
    last = ended.stderr.splitlines()[-1]
    assert last == f"stud-table: http: 127.0.0.1:{port} cannot be listened on (Address already in use); name another port"
    assert "Traceback" not in ended.stderr


def test_a_missing_password_is_told_before_anything_is_opened(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """A file that the configuration names and that is not there leaves no journal behind."""
    table = write_table(tmp_path, mqtt_port=free_port(), http_port=free_port())
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("[mqtt]\n", '[mqtt]\npassword_file = "secret"\n'), encoding="utf-8")
    ended = stud_table("run", table)
    assert ended.returncode == WRONG_USE
    missing = f"stud-table: mqtt.password_file: {tmp_path / 'secret'} cannot be read: No such file or directory"
    expected = f"{missing}; write the password there, or take out username and password_file\n"
    assert ended.stderr == expected
    assert not (tmp_path / "data").exists()


async def test_a_fenced_table_ends_with_its_own_code(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """A controller that finds a larger epoch at the broker says so and stops for good."""
    with start_broker(tmp_path / "broker") as broker:
        listener = Listener(())
        other = MqttClient(Connection(broker.host, broker.port, "other"), listener, random.Random(1))
        running = asyncio.create_task(other.run())
        async with asyncio.timeout(5):
            await listener.connected.wait()
        status = b'{"seq":1,"epoch":99,"at":"2026-01-01T00:00:00Z","status":"live"}'
        await other.publish(TableTopics("demo", "T1").status, status, retain=True, qos=1)
        table = write_table(tmp_path, mqtt_port=broker.port, http_port=free_port())
        ended = await asyncio.to_thread(stud_table, "run", table)
        running.cancel()
        await asyncio.wait([running])
    assert ended.returncode == FENCED
    assert ended.stderr.splitlines()[-1].startswith("stud-table: a controller of epoch 99 runs this table")
    assert "Traceback" not in ended.stderr
