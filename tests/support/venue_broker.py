"""A venue's mosquitto, by the files that the program makes for it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.installation.access import TableClients
from controller.installation.broker import CONFIGURATION, SECRETS, Clients, Setting, venue_files, venue_grants, written
from controller.mqtt.broker import find_mosquitto
from support.venue_keys import HOSTS, VenueKeys

START_S = 10.0


CLIENTS = Clients("nice", tuple(TableClients(table, (4, 5)) for table in ("T12", "T13")), ("floor",))


@contextmanager
def venue_broker(venue: VenueKeys, *, hosts: tuple[str, ...] = HOSTS, by_passwords: Path | None = None) -> Iterator[int]:
    """A broker by the files that ``stud-table broker`` makes of ``CLIENTS`` and the auditor ann; its port. ``by_passwords`` is
    the folder where the clients' passwords are put, instead of certificates."""
    tls = venue.server("broker-" + "-".join(host.replace(".", "-") for host in hosts), hosts)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    folder = venue.folder / f"mosquitto-{port}"
    setting = Setting(folder, folder, port, by_passwords=by_passwords is not None)
    written(venue_files(CLIENTS, setting, ["ann"]), venue_grants(CLIENTS, ["ann"]), folder, setting)
    if by_passwords is not None:
        (folder / SECRETS).rename(by_passwords)
    files = {
        "authority.pem": venue.authority_file,
        "revoked.pem": venue.revoked_file,
        "certificate.pem": tls.certificate,
        "key.pem": tls.key,
    }
    for name, path in files.items():
        shutil.copy(path, folder / name)
    with mosquitto(folder, port):
        yield port


@contextmanager
def mosquitto(folder: Path, port: int) -> Iterator[None]:
    """A mosquitto with the configuration in that folder, once it accepts at that port of this machine."""
    program = find_mosquitto()
    assert program is not None, "install mosquitto: .ci/prepare does"
    path, log = folder / "started.conf", folder / "log"
    own = "user root\n" if os.geteuid() == 0 else ""
    path.write_text((folder / CONFIGURATION).read_text(encoding="utf-8") + own + f"log_dest file {log}\n", encoding="utf-8")
    process = subprocess.Popen([program, "-c", str(path)])
    try:
        deadline = time.monotonic() + START_S
        while True:
            assert process.poll() is None, log.read_text(encoding="utf-8") if log.exists() else "mosquitto has ended"
            assert time.monotonic() < deadline, "mosquitto does not accept"
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(10)
