"""mosquitto's files from the configurations: complete, the same again, compared with what is there; a bridge by certificate."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from support.mqtt_samples import Listener
from support.venue_broker import CLIENTS, mosquitto, venue_broker
from support.venue_keys import VenueKeys

from controller.cli import main
from controller.config_values import ConfigError
from controller.installation.broker import Setting, Venue, clients_of, table_files, venue_grants, written
from controller.mqtt.client import Connection, MqttClient
from controller.rehearsal import Play, config_for
from simulators.rig import NINETEEN, SHOE_PORT


def table_toml(folder: Path, name: str, **more: Any) -> Path:
    ports = {SHOE_PORT: "/dev/shoe", **{line: f"/dev/{line}" for line in NINETEEN}}
    content = config_for(Play(), ports=ports, wiring=NINETEEN, mqtt={"host": "broker"})
    content["table"] = {**content["table"], "venue": more.pop("venue", "nice"), "name": name}
    path = folder / f"{name}.toml"
    path.write_text(tomli_w.dumps({**content, **more}), encoding="utf-8")
    return path


def floor_toml(folder: Path) -> Path:
    path = folder / "floor.toml"
    path.write_text(tomli_w.dumps({"venue": "nice"}), encoding="utf-8")
    return path


def test_clients_come_from_the_configurations(tmp_path: Path) -> None:
    """A display for each seat, or for those that have one; users of their own where passwords are asked for."""
    one = table_toml(tmp_path, "T1")
    two = table_toml(tmp_path, "T2", displays={"seats": [2, 7]}, mqtt={"host": "broker", "username": "second"})
    found = clients_of([one, two, floor_toml(tmp_path)], by_passwords=True)
    assert (found.venue, found.floors) == ("nice", ("floor",))
    assert [(table.name, table.seats, table.user) for table in found.tables] == [
        ("T1", (1, 2, 3, 4, 5, 6, 7, 8), ""),
        ("T2", (2, 7), "second"),
    ]
    assert [table.user for table in clients_of([two]).tables] == [""]


def test_a_broker_is_of_one_venue(tmp_path: Path) -> None:
    """And each of its tables has a name of its own."""
    one, other = table_toml(tmp_path, "T1"), table_toml(tmp_path, "T2", venue="other")
    with pytest.raises(ConfigError, match=r"these are of nice \(.*\) and other \(.*\): name the files of one"):
        clients_of([one, other])
    with pytest.raises(ConfigError, match="several tables are called T1"):
        clients_of([one, one])


@pytest.mark.parametrize("user", ["display-T1-seat-3", "floor", "shared"])
def test_nobody_at_the_broker_is_somebody_else(tmp_path: Path, user: str) -> None:
    """A table under a display's name, the floor's or another table's would hand its rights over: seat 3 would read every seat."""
    one, two = table_toml(tmp_path, "T1"), table_toml(tmp_path, "T2", mqtt={"host": "broker", "username": user})
    third = table_toml(tmp_path, "T3", mqtt={"host": "broker", "username": "shared"})
    clients = clients_of([one, two, third, floor_toml(tmp_path)], by_passwords=True)
    with pytest.raises(ConfigError, match=f"several would be {user} at the broker: give each table and floor its own"):
        venue_grants(clients)
    assert venue_grants(clients_of([one, two, third, floor_toml(tmp_path)]), ["ann", "ann"])


@pytest.mark.parametrize("user", ["T1\ntopic readwrite #", "T1:x", "../../secret", "a b", ".hidden"])
def test_a_user_is_a_name_and_nothing_more(tmp_path: Path, user: str) -> None:
    """What would be another line of the access list, or a file elsewhere, is refused."""
    path = table_toml(tmp_path, "T1", mqtt={"host": "broker", "username": user})
    with pytest.raises(ConfigError, match=r"T1\.toml: mqtt\.username: .* is no user of a broker"):
        clients_of([path], by_passwords=True)


def told(capsys: pytest.CaptureFixture[str], *arguments: str | Path, code: int = 0) -> str:
    assert main(["broker", *map(str, arguments)]) == code
    said = capsys.readouterr()
    return said.out + said.err


def test_files_are_written_once_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing changes the second time; what somebody changed by hand, or is missing, is named."""
    out = tmp_path / "out"
    given = (
        table_toml(tmp_path, "T1"),
        floor_toml(tmp_path),
        "--out",
        out,
        "--bridge",
        "broker.room.example",
        "--auditor",
        "ann",
    )
    assert told(capsys, *given, "--check", code=1).count("is not there") == 4
    made = json.loads(told(capsys, *given, "--json"))
    assert sorted(made["changed"]) == [str(out / name) for name in ("T1/acl", "T1/mosquitto.conf", "acl", "mosquitto.conf")]
    assert {"table-T1", "display-T1-seat-8", "display-T1-public", "bridge-T1", "floor", "auditor-ann"} < set(made["users"])
    forgets = ["persistent_client_expiration" in (out / name / "mosquitto.conf").read_text() for name in ("", "T1")]
    assert forgets == [True, False], "the venue's broker forgets a table that is gone, a table's own never its bridge"
    assert told(capsys, *given).startswith("nothing has changed")
    assert "as the configurations ask for" in told(capsys, *given, "--check")
    assert {path.stat().st_mode & 0o077 for path in out.rglob("*") if path.is_file()} == {0}
    (out / "acl").write_text("user anybody\ntopic readwrite #\n", encoding="utf-8")
    (out / "key.pem").touch(mode=0o644)
    problems = json.loads(told(capsys, *given, "--check", "--json", code=1))["problems"]
    assert problems == [
        f"{out}/acl is otherwise than the configurations ask for",
        f"{out}/key.pem may be read by others: take their rights away (chmod 640)",
    ]


def test_nobody_is_anonymous_and_nothing_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever way clients are known; passwords stand in no file that is copied to the broker, and on no screen."""
    out = tmp_path / "out"
    given = (table_toml(tmp_path, "T1"), "--out", out)
    told(capsys, *given)
    by_certificates = (out / "mosquitto.conf").read_text(encoding="utf-8").splitlines()
    assert {"allow_anonymous false", "require_certificate true", "use_identity_as_username true"} < set(by_certificates)
    said = told(capsys, *given, "--passwords")
    by_passwords = (out / "mosquitto.conf").read_text(encoding="utf-8").splitlines()
    assert {"allow_anonymous false", "password_file /etc/mosquitto/stud-table/passwords"} < set(by_passwords)
    for lines in (by_certificates, by_passwords):
        assert [line for line in lines if line.startswith("listener")] == ["listener 8883"]
        assert {"tls_version tlsv1.2", "certfile /etc/mosquitto/stud-table/certificate.pem"} < set(lines)
    secret = (out / "secrets/table-T1").read_text(encoding="utf-8").strip()
    assert secret not in said
    assert not any(secret in path.read_text(encoding="utf-8") for path in out.iterdir() if path.is_file())
    shutil.rmtree(out / "secrets")
    assert "as the configurations ask for" in told(capsys, *given, "--passwords", "--check")
    (out / "passwords").write_text("anybody:$7$101$x$y\n", encoding="utf-8")
    (out / "passwords").chmod(0o600)
    assert "lets anybody in, who is in no configuration" in told(capsys, *given, "--passwords", "--check", code=1)


def test_wrong_use_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bridge with a password, an address that is none, an auditor without a name."""
    given = (table_toml(tmp_path, "T1"), "--out", tmp_path / "out")
    assert "a bridge is known by its certificate" in told(capsys, *given, "--passwords", "--bridge", "venue", code=2)
    assert "is no host name" in told(capsys, *given, "--bridge", "a b", code=2)
    assert "is no address of a broker" in told(capsys, *given, "--bridge", "venue:0", code=2)
    assert "is no name" in told(capsys, *given, "--auditor", "a/b", code=2)


@asynccontextmanager
async def client(port: int, tls: Any, *filters: str) -> AsyncIterator[Listener]:
    listener = Listener(filters)
    running = asyncio.create_task(
        MqttClient(Connection("localhost", port, f"c{port}", tls=tls), listener, random.Random(1)).run()
    )
    try:
        async with asyncio.timeout(10):
            await listener.connected.wait()
        yield listener
    finally:
        running.cancel()
        await asyncio.wait([running])


@pytest.mark.ports
async def test_a_tables_own_broker_bridges_by_certificate(tmp_path: Path) -> None:
    """What a floor reads crosses, a seat's view stays; the venue's broker takes it as that table's bridge."""
    venue = VenueKeys(tmp_path)
    with venue_broker(venue) as port, socket.create_server(("127.0.0.1", 0)) as probe:
        own = int(probe.getsockname()[1])
        probe.close()
        folder = tmp_path / "own"
        setting = Setting(folder, folder, own)
        written(table_files(CLIENTS, CLIENTS.tables[0], setting, Venue("localhost", port)), (), folder, setting)
        broker, bridge = venue.issued("broker-T12", ("localhost",)), venue.issued("bridge-T12")
        for path in (venue.authority_file, venue.revoked_file, broker / "certificate.pem", broker / "key.pem"):
            shutil.copy(path, folder)
        for name in ("certificate.pem", "key.pem"):
            shutil.copy(bridge / name, folder / f"bridge-{name}")
        root = "stud/v1/nice/T12"
        with ExitStack() as stack:
            stack.enter_context(mosquitto(folder, own))
            async with client(port, venue.client("floor"), f"{root}/#") as floor, client(own, venue.client("table-T12")) as table:
                await floor.until(lambda: (f"{root}/bridge", b"1") in {(topic, body) for topic, body, _ in floor.heard})
                assert table.link is not None
                for topic in ("seat/4", "status"):
                    await table.link.publish(f"{root}/{topic}", b"x", retain=False, qos=1)
                await floor.until(lambda: f"{root}/status" in {topic for topic, _, _ in floor.heard})
                assert {topic for topic, _, _ in floor.heard} == {f"{root}/bridge", f"{root}/status"}
