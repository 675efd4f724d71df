"""The access list of the reference, at a real mosquitto: what a display may read and write."""

from __future__ import annotations

import asyncio
import random
import re
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.mqtt_samples import Listener

from controller.mqtt.broker import find_mosquitto
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.topics import TableTopics

pytestmark = pytest.mark.ports

TOPICS = TableTopics("nice", "T12")
REFERENCE = Path(__file__).parents[2] / "docs/reference/mqtt.md"


@asynccontextmanager
async def broker(folder: Path) -> AsyncIterator[int]:
    """mosquitto under the access list that the reference prints; names are believed, since passwords are not its matter."""
    found = re.search(r"```\n(user table-T12\n.*?)```", REFERENCE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found is not None
    (folder / "acl").write_text(found.group(1), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    settings = (f"listener {port} 127.0.0.1", "allow_anonymous true", f"acl_file {folder}/acl", "log_dest none", "user root")
    (folder / "broker.conf").write_text("\n".join(settings) + "\n", encoding="utf-8")
    (folder / "acl").chmod(0o600)
    program = find_mosquitto()
    assert program is not None, "install mosquitto: .ci/prepare does"
    process = subprocess.Popen([program, "-c", str(folder / "broker.conf")])
    try:
        yield port
    finally:
        process.terminate()
        process.wait(10)


@asynccontextmanager
async def connected(port: int, user: str, filters: tuple[str, ...]) -> AsyncIterator[Listener]:
    listener = Listener(filters)
    client = MqttClient(Connection("127.0.0.1", port, user, username=user), listener, random.Random(1))
    running = asyncio.create_task(client.run())
    try:
        async with asyncio.timeout(10):
            await listener.connected.wait()
        yield listener
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_a_display_reads_its_own_seat_and_writes_its_own_echo_and_call_and_nothing_else(tmp_path: Path) -> None:
    """The table hears seat 4's echo and call alone of all that its display sends; the display hears its two topics alone."""
    others = [
        TOPICS.echo(5),
        TOPICS.call(5),
        TOPICS.seat(4),
        TOPICS.compact(4),
        TOPICS.status,
        TOPICS.alarm("hold"),
        TOPICS.request_snapshot,
        f"{TOPICS.root}/command/start",
        "stud/v1/nice/T13/echo/4",
    ]
    told: list[Any] = [TOPICS.seat(4), TOPICS.compact(4), TOPICS.seat(5), TOPICS.compact(5), TOPICS.public, TOPICS.echo(5)]
    async with broker(tmp_path) as port, connected(port, "table-T12", (f"{TOPICS.root}/#",)) as table:
        wanted = (f"{TOPICS.root}/#", TOPICS.seat(4), TOPICS.compact(4))
        async with connected(port, "display-T12-seat-4", wanted) as display:
            assert display.link is not None
            assert table.link is not None
            for topic in others:
                await display.link.publish(topic, b"{}", retain=False, qos=1)
            for topic in (TOPICS.echo(4), TOPICS.call(4)):
                await display.link.publish(topic, b"{}", retain=False, qos=1)
            await table.until(lambda: TOPICS.call(4) in {topic for topic, _, _ in table.heard})
            assert {topic for topic, _, _ in table.heard} == {TOPICS.echo(4), TOPICS.call(4)}
            for topic in told:
                await table.link.publish(topic, b"{}", retain=False, qos=1)
            await display.until(lambda: TOPICS.compact(4) in {topic for topic, _, _ in display.heard})
            await asyncio.sleep(0.3)
            assert {topic for topic, _, _ in display.heard} == {TOPICS.seat(4), TOPICS.compact(4)}
