"""A mosquitto that knows its clients by the venue's certificates."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from controller.mqtt.broker import find_mosquitto
from support.venue_keys import HOSTS, VenueKeys

START_S = 10.0


@contextmanager
def venue_broker(venue: VenueKeys, *, hosts: tuple[str, ...] = HOSTS, more: Sequence[str] = ()) -> Iterator[int]:
    """A broker that takes certificates alone; its port. ``more`` are lines of its configuration."""
    tls = venue.server("broker-" + "-".join(host.replace(".", "-") for host in hosts), hosts)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    files = (
        f"cafile {venue.authority_file}",
        f"certfile {tls.certificate}",
        f"keyfile {tls.key}",
        f"crlfile {venue.revoked_file}",
    )
    rules = ("require_certificate true", "use_identity_as_username true", "allow_anonymous false")
    configuration = "\n".join((f"listener {port} 127.0.0.1", *files, *rules, *more)) + "\n"
    with mosquitto(venue, configuration, port):
        yield port


@contextmanager
def mosquitto(venue: VenueKeys, configuration: str, port: int) -> Iterator[None]:
    """A mosquitto with that configuration, once it accepts at that port of this machine."""
    program = find_mosquitto()
    assert program is not None, "install mosquitto: .ci/prepare does"
    path = venue.folder / f"mosquitto-{port}.conf"
    own = "user root\n" if os.geteuid() == 0 else ""
    log = venue.folder / f"mosquitto-{port}.log"
    path.write_text(configuration + own + f"log_dest file {log}\n", encoding="utf-8")
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
