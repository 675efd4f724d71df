"""The access list of the reference at a real mosquitto with the generated files: each identity, each topic, read and write."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from support.mqtt_samples import Listener
from support.venue_broker import venue_broker
from support.venue_keys import VenueKeys

from controller.mqtt.client import Connection, MqttClient
from controller.tls import ClientTls

pytestmark = pytest.mark.ports
REFERENCE = Path(__file__).parents[2] / "docs/reference/mqtt.md"
VENUE = "stud/v1/nice"
Clients: TypeAlias = Mapping[str, Listener]


def matrix() -> dict[str, dict[str, set[str]]]:
    """The document's table: by identity and topic of T12 what is allowed. Seat 5's display is as seat 4's."""
    page = REFERENCE.read_text(encoding="utf-8")
    found = re.search(r"^\| topic (\| `table-T12` .*)\|\n.*\n((?:\|.*\|\n)+)", page, flags=re.MULTILINE)
    assert found is not None
    users = re.findall(r"`(.+?)`", found.group(1))
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in found.group(2).splitlines()]
    told = {user: {row[0].strip("`"): set(row[n].split(", ")) - {""} for row in rows} for n, user in enumerate(users, 1)}
    seat = told["display-T12-seat-4"]
    other = {"/4": "/5", "/5": "/4"}
    told["display-T12-seat-5"] = {topic: seat[topic[:-2] + other.get(topic[-2:], topic[-2:])] for topic in seat}
    return told


@asynccontextmanager
async def connected(port: int, tls: ClientTls, password: str | None = None, user: str | None = None) -> AsyncIterator[Listener]:
    listener = Listener((f"{VENUE}/#",))
    connection = Connection("localhost", port, f"c{random.random()}", username=user, password=password, tls=tls)
    running = asyncio.create_task(MqttClient(connection, listener, random.Random(1)).run())
    try:
        async with asyncio.timeout(10):
            await listener.connected.wait()
        yield listener
    finally:
        running.cancel()
        await asyncio.wait([running])


async def publish(client: Listener, topics: list[str], payload: bytes) -> None:
    assert client.link is not None
    for topic in topics:
        await client.link.publish(topic, payload, retain=False, qos=1)


def heard(client: Listener, payload: bytes) -> set[str]:
    return {topic for topic, body, _ in client.heard if body == payload}


async def what_is_read(clients: Clients, tables: Clients, topics: list[str]) -> dict[str, set[str]]:
    """Which topics each hears when the tables say everything. Twice: who hears all of the second time too has missed nothing."""
    for payload in (b"once", b"twice"):
        for name, table in tables.items():
            await publish(table, [f"{VENUE}/{name}/{topic}" for topic in topics], payload)
    for client in clients.values():
        await client.until(lambda client=client: heard(client, b"twice") >= heard(client, b"once") != set())
    return {user: heard(client, b"once") for user, client in clients.items()}


async def what_is_written(
    clients: Mapping[str, Listener], tables: Mapping[str, Listener], topics: list[str]
) -> dict[str, set[str]]:
    """Which topics of each reach the tables; their own last word comes after everything that was let through."""
    for user, client in clients.items():
        await publish(client, [f"{VENUE}/{name}/{topic}" for name in tables for topic in topics], user.encode())
    for name, table in tables.items():
        await publish(table, [f"{VENUE}/{name}/status"], b"end")
        await table.until(lambda table=table: heard(table, b"end"))
    return {user: set().union(*(heard(table, user.encode()) for table in tables.values())) for user in clients}


async def test_each_identity_reads_and_writes_what_the_document_says(tmp_path: Path) -> None:
    """At its own table; at another one only floor and auditor anything. Seat 4's display has nothing of seat 5's (REG-49)."""
    told = matrix()
    topics = list(told["floor"])
    assert len(topics) >= 18
    venue = VenueKeys(tmp_path)
    users = [user for user in told if not user.startswith("table-")]
    with venue_broker(venue) as port:
        async with AsyncExitStack() as stack:
            names = {"T12": "table-T12", "T13": "table-T13"}
            tables = {name: await stack.enter_async_context(connected(port, venue.client(user))) for name, user in names.items()}
            clients = {user: await stack.enter_async_context(connected(port, venue.client(user))) for user in users}
            reads = await what_is_read({**clients, "table-T12": tables["T12"]}, tables, topics)
            writes = await what_is_written(clients, tables, topics)
    assert reads.pop("table-T12") == {f"{VENUE}/T12/{topic}" for topic in topics}
    everywhere = ("floor", "auditor-ann")
    for what, found in (("read", reads), ("write", writes)):
        allowed = {
            user: {
                f"{VENUE}/{name}/{topic}"
                for topic, may in told[user].items()
                for name in (names if user in everywhere else ["T12"])
                if what in may
            }
            for user in users
        }
        assert found == allowed, what
    assert not {topic for topic in reads["display-T12-seat-4"] if "5" in topic.rpartition("/")[2]}
    assert all("command" not in topic for user in users for topic in writes[user])


async def test_clients_may_be_known_by_passwords(tmp_path: Path) -> None:
    """Over TLS too; the access list is the same, and a wrong password lets nobody in."""
    venue = VenueKeys(tmp_path)
    trusted = ClientTls(venue.authority_file)
    secrets = tmp_path / "carried"
    with venue_broker(venue, by_passwords=secrets) as port:
        passwords = {user: (secrets / user).read_text(encoding="utf-8").strip() for user in ("table-T12", "display-T12-seat-4")}
        async with AsyncExitStack() as stack:
            table, display = [
                await stack.enter_async_context(connected(port, trusted, password, user)) for user, password in passwords.items()
            ]
            await publish(display, [f"{VENUE}/T12/{topic}" for topic in ("status", "echo/5", "echo/4")], b"x")
            await table.until(lambda: heard(table, b"x"))
            assert heard(table, b"x") == {f"{VENUE}/T12/echo/4"}
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.4), connected(port, trusted, passwords["table-T12"], "display-T12-seat-4"):
                pass
