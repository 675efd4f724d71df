"""A broker for demo and tests: mosquitto where it is installed, else rumqttd from the ``iotcore`` wheel.

Both listen on 127.0.0.1 alone, run as a child process and are stopped by its process id. A venue runs its own mosquitto.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Final, Self, assert_never

from iotcore import Broker as IotCoreBroker

HOST: Final = "127.0.0.1"
START_TIMEOUT_S: Final = 10.0
STOP_TIMEOUT_S: Final = 5.0
MAX_PAYLOAD_BYTES: Final = 1 << 20
"""Largest message; rumqttd's own limit of 20 KiB would cut the connection over a snapshot of eight seats."""
MAX_QUEUED_BYTES: Final = 1 << 28
"""What waits for one client; mosquitto's own thousand messages are fewer than what a hundred tables retain."""
MAX_INFLIGHT: Final = 256
"""Messages on their way to one client that it has not acknowledged: of twenty, mosquitto's own, a floor reads no more at once."""
_POLL_S: Final = 0.02
_SYSTEM_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")


class BrokerKind(Enum):
    """Which program serves."""

    MOSQUITTO = "mosquitto"
    IOTCORE = "iotcore"


class BrokerError(Exception):
    """The broker did not start; the text is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class RunningBroker:
    """A broker that accepts connections at ``host:port``; also a context manager that stops it."""

    host: str
    port: int
    kind: BrokerKind
    pid: int
    _stop: Callable[[], None]

    def stop(self) -> None:
        """End the broker's process and release its port; blocks up to ``STOP_TIMEOUT_S``. Safe to call twice."""
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def find_mosquitto() -> str | None:
    """Path of the mosquitto program on ``PATH`` or in the system's folders, which a user's ``PATH`` often lacks."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path=os.pathsep.join(_SYSTEM_FOLDERS))


def start_broker(folder: Path, *, port: int = 0, kind: BrokerKind | None = None, persistent: bool = False) -> RunningBroker:
    """Start a broker on 127.0.0.1 and return once it accepts; blocks up to ``START_TIMEOUT_S``.

    ``folder`` takes the generated configuration and, when ``persistent``, what mosquitto retains. ``port`` 0 picks a free one;
    the port of a stopped broker may be given again. ``kind`` None prefers mosquitto. Raises ``BrokerError``.
    """
    chosen = kind or (BrokerKind.MOSQUITTO if find_mosquitto() else BrokerKind.IOTCORE)
    port = claim_port(port)
    match chosen:
        case BrokerKind.MOSQUITTO:
            return _start_mosquitto(folder, port, persistent=persistent)
        case BrokerKind.IOTCORE:
            return _start_iotcore(port)
        case _:
            assert_never(chosen)


def claim_port(port: int) -> int:
    """``port``, or a free one for 0; ``BrokerError`` when somebody else listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise BrokerError(f"port {port} on {HOST} is in use: stop the other program or choose another port") from error
        return int(probe.getsockname()[1])


def _configuration(folder: Path, port: int, *, persistent: bool) -> str:
    lines = [f"listener {port} {HOST}", "allow_anonymous true", "log_dest none", "set_tcp_nodelay true"]
    lines += [
        f"message_size_limit {MAX_PAYLOAD_BYTES}",
        "max_queued_messages 0",
        f"max_inflight_messages {MAX_INFLIGHT}",
        f"max_queued_bytes {MAX_QUEUED_BYTES}",
    ]
    if persistent:
        lines += [
            "persistence true",
            f"persistence_location {folder.resolve()}/",
            "autosave_interval 1",
            "autosave_on_changes true",
        ]
        if os.geteuid() == 0:
            lines.append("user root")
    else:
        lines.append("persistence false")
    return "\n".join(lines) + "\n"


def _start_mosquitto(folder: Path, port: int, *, persistent: bool) -> RunningBroker:
    program = find_mosquitto()
    if program is None:
        raise BrokerError(
            "mosquitto is not installed: install the package mosquitto, or use the broker that comes with stud-table"
        )
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / f"mosquitto-{port}.conf"
    configuration.write_text(_configuration(folder, port, persistent=persistent), encoding="utf-8")
    # Own process group: a Ctrl-C in the terminal reaches the controller first, which then says good-bye to the broker.
    process = subprocess.Popen(  # noqa: S603 - the path was looked up above, the arguments are our own
        [program, "-c", str(configuration)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    deadline = time.monotonic() + START_TIMEOUT_S
    while not _accepts(port):
        if process.poll() is not None:
            raise BrokerError(
                f"mosquitto ended with code {process.returncode} before it accepted; its settings are {configuration}"
            )
        if time.monotonic() > deadline:
            _end(process)
            raise BrokerError(f"mosquitto did not accept on {HOST}:{port} within {START_TIMEOUT_S:.0f} s")
        time.sleep(_POLL_S)
    return RunningBroker(HOST, port, BrokerKind.MOSQUITTO, process.pid, lambda: _end(process))


def _start_iotcore(port: int) -> RunningBroker:
    broker = IotCoreBroker(port=port, listen=HOST, max_payload_size=MAX_PAYLOAD_BYTES)
    try:
        broker.start(timeout=START_TIMEOUT_S)
    except (OSError, RuntimeError) as error:
        raise BrokerError(f"the built-in broker did not start on {HOST}:{port}: {error}") from error
    child = broker._process  # noqa: SLF001 - the wheel names its child nowhere else
    return RunningBroker(HOST, port, BrokerKind.IOTCORE, child.pid if child else 0, lambda: broker.stop(STOP_TIMEOUT_S))


def _accepts(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=0.5):
            return True
    except OSError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_TIMEOUT_S)
