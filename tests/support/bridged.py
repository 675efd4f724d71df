"""Brokers as a venue has them, by the very files of ``deploy/mosquitto``: a table's own, bridged to the venue's."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controller.mqtt.broker import claim_port, find_mosquitto

DEPLOYED: Final = Path(__file__).parents[2] / "deploy/mosquitto"
START_S: Final = 10.0


class Mosquitto:
    """A mosquitto with the settings of ``name``, some of their text replaced; it may be stopped, killed and started."""

    def __init__(self, folder: Path, name: str, replaced: Mapping[str, str]) -> None:
        folder.mkdir(parents=True)
        self.port = claim_port(0)
        text = (DEPLOYED / name).read_text(encoding="utf-8")
        for old, new in {**replaced, "listener 1883": f"listener {self.port}", "/var/lib/mosquitto/": f"{folder}/"}.items():
            assert old in text, f"{old} stands no longer in {name}"
            text = text.replace(old, new)
        self._settings = folder / "mosquitto.conf"
        self._settings.write_text(text + "\nlog_dest none\n" + ("user root\n" if os.geteuid() == 0 else ""), encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it and wait until it accepts."""
        program = find_mosquitto()
        assert program is not None, "mosquitto is not installed"
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen([program, "-c", str(self._settings)], stdin=quiet, stdout=quiet, stderr=quiet)
        deadline = time.monotonic() + START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.5).close()
            except OSError:
                assert self._process.poll() is None, f"mosquitto refuses {self._settings.read_text()}"
                assert time.monotonic() < deadline, "mosquitto did not start"
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """End it in order: it writes down what waits and what is retained."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(START_S)
            self._process = None

    def kill(self) -> None:
        """It is gone at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(START_S)
            self._process = None


def venue_broker(folder: Path) -> Mosquitto:
    """A venue's broker where nobody signs in."""
    names = ("password_file /etc/mosquitto/venue.passwords", "acl_file /etc/mosquitto/venue.acl")
    return Mosquitto(folder, "venue.conf", {"allow_anonymous false": "allow_anonymous true", **dict.fromkeys(names, "")})


def signed_venue_broker(folder: Path, passwords: Mapping[str, str]) -> Mosquitto:
    """A venue's broker with the access list as it comes; ``passwords`` by name."""
    file = folder.with_suffix(".passwords")
    file.touch(mode=0o600)
    for name, password in passwords.items():
        subprocess.run(["mosquitto_passwd", "-b", str(file), name, password], check=True, capture_output=True)
    return Mosquitto(folder, "venue.conf", {"/etc/mosquitto/venue.passwords": str(file), "/etc/mosquitto/": f"{DEPLOYED}/"})


def table_broker(folder: Path, venue: str, table: str, venue_port: int, sign_in: tuple[str, str] | None = None) -> Mosquitto:
    """A table's broker, bridged to the venue's at that port of this machine, by name and password on demand."""
    replaced = {
        "stud/v1/nice/T1/": f"stud/v1/{venue}/{table}/",
        "stud-nice-T1": f"stud-{venue}-{table}",
        "broker.room.example:1883": f"127.0.0.1:{venue_port}",
        "restart_timeout 1 5": "restart_timeout 1",
    }
    if sign_in is not None:
        name, password = sign_in
        replaced |= {
            "#remote_username T1": f"remote_username {name}",
            "#remote_password ...": f"remote_password {password}",
        }
    return Mosquitto(folder, "table.conf", replaced)
