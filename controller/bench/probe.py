"""Small processes that a latency run starts beside the controller: ``listen`` to the broker, ``echo`` a terminal, ``raw`` parts.

Each has a process of its own, as displays and devices have, so that none waits for another's work. All stamp with the monotonic
clock. ``python -m controller.bench`` starts them.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import tty
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.journal.yardstick import raw_commit_seconds
from controller.mqtt.yardstick import publish_plain, stamp_messages

READY: Final = "ready"
RAW_TOPIC: Final = "bench/raw"
PAUSE_S: Final = 0.01
"""Between two samples, so that no part runs in a warm loop while the controller never does."""
PROBE: Final = (sys.executable, "-m", "controller.bench")


def main(arguments: Sequence[str]) -> None:
    """``listen HOST PORT TOPIC…``, ``echo TERMINAL BYTES``, or ``raw HOST PORT FOLDER`` with its sizes as JSON behind it."""
    match arguments:
        case ["listen", host, port, *topics]:
            asyncio.run(stamp_messages(host, int(port), topics, lambda: _say(READY), _tell))
        case ["echo", terminal, size]:
            _echo(Path(terminal), int(size))
        case ["raw", host, port, folder, sizes]:
            _say(json.dumps(_raw_parts(host, int(port), Path(folder), **json.loads(sizes))))
        case _:
            raise SystemExit(f"unknown probe: {' '.join(arguments)}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _tell(at: int, topic: str, payload: bytes) -> None:
    _say(f"{at} {topic} {payload.decode()}")


def _raw_parts(
    host: str, port: int, folder: Path, *, samples: int, wire_bytes: int, commit_bytes: int, message_bytes: int
) -> dict[str, list[int]]:
    """Nanoseconds of each sample: a one-row commit, half a round trip over a terminal, and when each message was published."""
    texts = ["x" * commit_bytes] * samples
    return {
        "terminal": _terminal_one_way(samples, wire_bytes),
        "commit": [round(seconds * 1e9) for seconds in raw_commit_seconds(folder, texts, pause_s=PAUSE_S)],
        "sent": asyncio.run(publish_plain(host, port, RAW_TOPIC, _messages(samples, message_bytes), pause_s=PAUSE_S)),
    }


def _messages(samples: int, size: int) -> list[bytes]:
    """Numbered messages of ``size`` bytes or as many as the number needs."""
    return [f"{number} ".ljust(size, "x").encode() for number in range(samples)]


def _terminal_one_way(samples: int, size: int) -> list[int]:
    """Half of each round trip of ``size`` bytes to another process and back, over a pseudo-terminal, with blocking calls."""
    master, slave = os.openpty()
    tty.setraw(slave)
    process = subprocess.Popen([*PROBE, "echo", os.ttyname(slave), str(size)], stdin=subprocess.DEVNULL)  # noqa: S603 - ourselves
    try:
        _exchange(master, size)  # the other process is up
        times: list[int] = []
        for _ in range(samples):
            time.sleep(PAUSE_S)
            start = time.monotonic_ns()
            _exchange(master, size)
            times.append((time.monotonic_ns() - start) // 2)
    finally:
        process.terminate()
        process.wait()
        os.close(slave)
        os.close(master)
    return times


def _exchange(terminal: int, size: int) -> None:
    os.write(terminal, b"x" * size)
    _read(terminal, size)


def _read(terminal: int, size: int) -> bytes:
    got = b""
    while len(got) < size:
        got += os.read(terminal, size - len(got))
    return got


def _echo(terminal: Path, size: int) -> None:
    """Give back what comes, until terminated."""
    descriptor = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    while True:
        os.write(descriptor, _read(descriptor, size))
