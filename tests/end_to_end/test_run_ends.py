"""How ``run`` ends when it cannot go on: one sentence, and an exit code that tells a supervisor what to do."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli_w
from support.mqtt_samples import Listener
from support.table_runs import one_sentence, stud_table

from controller.cli.parsing import FENCED, WRONG_USE
from controller.mqtt.broker import start_broker
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.topics import TableTopics
from controller.rehearsal import Play, config_for, registry_of
from simulators.rig import NINETEEN, SHOE_PORT, make_tags

pytestmark = pytest.mark.ports


def write_table(folder: Path, *, mqtt_port: int, http_port: int) -> Path:
    """A table's configuration; its devices are not there."""
    ports = {name: str(folder / name) for name in (SHOE_PORT, *NINETEEN)}
    raw = config_for(Play(), ports=ports, mqtt={"port": mqtt_port}, http_port=http_port)
    (folder / "table.toml").write_text(tomli_w.dumps(raw), encoding="utf-8")
    (folder / "deck.toml").write_text(registry_of(make_tags(random.Random(1))).toml(), encoding="utf-8")
    return folder / "table.toml"


def test_an_http_port_in_use_is_wrong_configuration(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """The sentence names the address; the exit code is not that of a fenced table."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = stud_table("run", str(write_table(tmp_path, mqtt_port=free_port(), http_port=port)))
    assert ended.returncode == WRONG_USE
    assert one_sentence(ended.stderr.splitlines()[-1]).startswith(f"stud-table: http: 127.0.0.1:{port} cannot be listened on")


async def test_a_fenced_table_ends_with_its_own_code(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """A controller that finds a larger epoch at the broker says so and stops for good."""
    with start_broker(tmp_path / "broker") as broker:
        left = b'{"seq":1,"epoch":99,"at":"2026-01-01T00:00:00Z","status":"live"}'
        await leave_behind(broker.host, broker.port, TableTopics("demo", "T1").status, left)
        ended = stud_table("run", str(write_table(tmp_path, mqtt_port=broker.port, http_port=free_port())))
    assert ended.returncode == FENCED
    assert "a controller of epoch 99 runs this table" in one_sentence(ended.stderr.splitlines()[-1])
    assert "Traceback" not in ended.stderr
