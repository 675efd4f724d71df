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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Final

from controller.journal.yardstick import RawCommits
from controller.mqtt.yardstick import plain_publisher, stamp_messages

READY: Final = "ready"
RAW_TOPIC: Final = "bench/raw"
PAUSE_S: Final = 0.1
"""Before each sample, as between two commits of a table: disk, caches and cores are as idle as they are for a card."""
ROUND_S: Final = 0.1
ANSWER_S: Final = 0.5
PROBE: Final = (sys.executable, "-m", "controller.bench")


def main(arguments: Sequence[str]) -> None:
    """``listen HOST PORT TOPIC…``, ``echo TERMINAL BYTES``, ``raw HOST PORT FOLDER`` with its sizes as JSON behind it,
    ``poll SECONDS`` with lines as JSON (terminal → the requests of a round, in hexadecimal), or ``empty``."""
    match arguments:
        case ["listen", host, port, *topics]:
            asyncio.run(stamp_messages(host, int(port), topics, lambda: _say(READY), _tell))
        case ["echo", terminal, size]:
            _echo(Path(terminal), int(size))
        case ["raw", host, port, folder, sizes]:
            _say(json.dumps(asyncio.run(_raw_parts(host, int(port), Path(folder), **json.loads(sizes)))))
        case ["poll", seconds, lines]:
            _say(json.dumps(asyncio.run(_poll_lines(json.loads(lines), float(seconds)))))
        case ["empty"]:
            _load_libraries()
            _say(READY)
            sys.stdin.read()
        case _:
            raise SystemExit(f"unknown probe: {' '.join(arguments)}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _tell(at: int, topic: str, payload: bytes) -> None:
    _say(f"{at} {topic} {payload.decode()}")


async def _raw_parts(
    host: str, port: int, folder: Path, *, samples: int, wire_bytes: int, commit_bytes: int, message_bytes: int
) -> dict[str, list[int]]:
    """The raw way of a card, part after part: nanoseconds of half a round trip over a terminal and of a one-row commit, and when
    the message was published."""
    parts: dict[str, list[int]] = {"terminal": [], "commit": [], "sent": []}
    text = "x" * commit_bytes
    with _echoing(wire_bytes) as terminal, RawCommits(folder) as commits:
        async with plain_publisher(host, port) as publish:
            for number in range(samples):
                await asyncio.sleep(PAUSE_S)
                start = time.monotonic_ns()
                _exchange(terminal, wire_bytes)
                parts["terminal"].append((time.monotonic_ns() - start) // 2)
                parts["commit"].append(commits.commit(text))
                message = f"{number} ".ljust(message_bytes, "x").encode()
                parts["sent"].append(time.monotonic_ns())
                await publish(RAW_TOPIC, message)
    return parts


@contextmanager
def _echoing(size: int) -> Iterator[int]:
    """A pseudo-terminal whose other end gives back every ``size`` bytes, from another process, with blocking calls."""
    master, slave = os.openpty()
    tty.setraw(slave)
    process = subprocess.Popen([*PROBE, "echo", os.ttyname(slave), str(size)], stdin=subprocess.DEVNULL)  # noqa: S603 - ourselves
    try:
        _exchange(master, size)  # the other process is up
        yield master
    finally:
        process.terminate()
        process.wait()
        os.close(slave)
        os.close(master)


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


async def _poll_lines(lines: dict[str, list[str]], seconds: float) -> tuple[float, int]:
    """Processor seconds for asking every antenna of ``lines`` round by round and taking the answers' bytes, unread; answers."""
    answers = 0
    descriptors = {path: os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK) for path in lines}
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    started = time.process_time()

    async def rounds(path: str) -> None:
        nonlocal answers
        descriptor, arrived = descriptors[path], asyncio.Event()
        loop.add_reader(descriptor, arrived.set)
        try:
            while loop.time() < end:
                next_at = loop.time() + ROUND_S
                for request in lines[path]:
                    os.write(descriptor, bytes.fromhex(request))
                    came = await _answer(descriptor, arrived, min(end, loop.time() + ANSWER_S))
                    answers += came  # not in one line: other lines count while this one waits
                await asyncio.sleep(max(0.0, next_at - loop.time()))
        finally:
            loop.remove_reader(descriptor)

    async with asyncio.TaskGroup() as tasks:
        for path in lines:
            tasks.create_task(rounds(path))
    for descriptor in descriptors.values():
        os.close(descriptor)
    return time.process_time() - started, answers


async def _answer(descriptor: int, arrived: asyncio.Event, until: float) -> bool:
    """Wait for a frame, whose first byte is its length; whether it came."""
    got = b""
    try:
        async with asyncio.timeout_at(until):
            while not got or len(got) < got[0]:
                arrived.clear()
                await arrived.wait()
                with suppress(BlockingIOError):
                    got += os.read(descriptor, 4096)
    except TimeoutError:
        return False
    return True


def _load_libraries() -> None:
    """What a table's process loads that is not ours."""
    for library in (
        "asyncio",
        "cryptography.hazmat.primitives.ciphers.aead",
        "fastapi",
        "pydantic",
        "serial",
        "sqlite3",
        "uvicorn",
    ):
        import_module(library)
