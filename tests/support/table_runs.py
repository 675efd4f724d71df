"""Whole tables at work for tests: commands as processes, demos in this process, journals and what displays are told."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from controller.demo import Demo
from controller.journal.canonical import Body
from controller.journal.store import MAX_BODIES, JournalStore
from controller.journal.verify import verify_chain
from controller.mqtt.broker import RunningBroker
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.ports import Message, Publisher
from controller.rehearsal import Play, memory_rehearsal
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.virtual_time import run_virtual

ROOT: Final = Path(__file__).parents[2]
CORPUS: Final = ROOT / "tests/data/corpus"
PROGRAM: Final = (sys.executable, "-m", "controller.cli")


def stud_table(*arguments: str | Path, seconds: float = 90.0) -> subprocess.CompletedProcess[str]:
    """``stud-table`` with ``arguments`` as a process of its own."""
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False)


def one_sentence(text: str) -> bool:
    """Whether an error is told in one line without a traceback."""
    return text.count("\n") == 1 and text.startswith("stud-table") and "Traceback" not in text


def journal_bodies(path: Path) -> list[tuple[int, Body]]:
    """Number and body of each event of a journal that holds."""
    bodies: list[tuple[int, Body]] = []
    found = verify_chain(path, lambda seq, body: bodies.append((seq, body)))
    assert found.ok, found.reason
    return bodies


def write_journal(folder: Path, bodies: Sequence[Mapping[str, Any]]) -> Path:
    """A journal of ``bodies`` with a whole chain, as somebody who forges would write it."""
    store = JournalStore.open(folder, table="T1", journal_id="0badcafe", created="2026-01-01T00:00:00Z")
    try:
        for start in range(0, len(bodies), MAX_BODIES):
            part = bodies[start : start + MAX_BODIES]
            if store.epoch < part[0]["epoch"]:
                store.raise_epoch(at_least=part[0]["epoch"])
            store.commit([store.prepare(part)])
    finally:
        store.close()
    return folder


def rehearsed_bodies(*, hands: int, seed: int, variant: str = "stud", seats: int = 5) -> list[dict[str, Any]]:
    """Journal bodies of ``hands`` random hands, played by simulated devices and people on virtual time."""
    play = Play(variant=variant, seats={seat: (f"Player {seat}", 200) for seat in range(1, seats + 1)})
    rehearsal = memory_rehearsal(play, seed=seed)
    players = {seat: RandomPlayer(random.Random(100 * seed + seat), looseness=0.6) for seat in play.seats}

    async def run() -> list[dict[str, Any]]:
        async with rehearsal.opened() as app:
            await rehearsal.deal(app, players, ShuffledPackets(random.Random(seed)), hands=hands)
            return [dict(body) for _, body in app.journal.read(1)]

    return run_virtual(run(), max_seconds=3600.0)


class Recorder:
    """Handler of a subscriber that keeps what it hears, with the loop's time."""

    def __init__(self, *filters: str) -> None:
        self._filters = filters
        self.heard: list[tuple[float, str, bytes, bool]] = []
        self.sessions = 0

    def subscriptions(self) -> Sequence[str]:
        return self._filters

    def will(self) -> None:
        """A reader leaves nothing behind."""

    def farewell(self) -> None:
        """A reader leaves nothing behind."""

    async def run_session(self, link: Publisher) -> None:
        self.sessions += 1

    def on_message(self, message: Message) -> None:
        self.heard.append((asyncio.get_running_loop().time(), message.topic, message.payload, message.retain))

    def payloads(self, end: str, *, retained: bool | None = None) -> list[dict[str, Any]]:
        """Payloads of topics that end with ``end``, in order."""
        return [
            json.loads(payload)
            for _, topic, payload, retain in self.heard
            if topic.endswith(end) and payload and retained in (None, retain)
        ]


@asynccontextmanager
async def subscribed(broker: RunningBroker | tuple[str, int], handler: Any, name: str) -> AsyncIterator[None]:
    """``handler`` at the broker, subscribed on entry."""
    host, port = broker if isinstance(broker, tuple) else (broker.host, broker.port)
    client = MqttClient(Connection(host, port, name), handler, random.Random(7))
    running = asyncio.create_task(client.run())
    try:
        async with asyncio.timeout(10):
            while not client.connected:
                await asyncio.sleep(0.01)
        yield
    finally:
        running.cancel()
        await asyncio.wait([running])


async def until(true: Any, *, within_s: float) -> None:
    """Wait until ``true()``; ``TimeoutError`` after ``within_s``."""
    async with asyncio.timeout(within_s):
        while not true():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def started(demo: Demo) -> AsyncIterator[Demo]:
    """A started demo; stopped in good order at the end."""
    try:
        await demo.start()
        yield demo
    finally:
        await demo.stop()


@asynccontextmanager
async def playing(demo: Demo) -> AsyncIterator[asyncio.Task[Any]]:
    """The hands of a started demo; at the end the dealer is stopped."""
    play = asyncio.create_task(demo.play())
    try:
        yield play
        demo.stop_dealing()
        await play
    finally:
        if not play.done():
            play.cancel()
            await asyncio.wait([play])
