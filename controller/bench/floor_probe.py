"""Small processes of a floor run: ``replay`` tells the streams of many tables, ``page`` looks on, ``count`` only hears.

All stamp with the monotonic clock, which processes of one machine share. ``python -m controller.bench floor`` starts them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import httpx

from controller.bench.broker_link import BrokerLink
from controller.bench.public_stream import Recording, Stream, Told
from controller.mqtt.topics import ROOT
from controller.mqtt.yardstick import stamp_messages

PROBE: Final = (sys.executable, "-m", "controller.bench", "floor")
READY: Final = "ready"
DONE: Final = "done"
TURN_S: Final = 0.01
"""How often what is due is told."""
MOST_AT_ONCE: Final = 256
"""Messages after which the process looks at its sockets, however late it is."""
BEAT_S: Final = 1.0
RECONNECT_S: Final = 0.2


class ReplayPlan(NamedTuple):
    """What one process tells: tables ``first`` to ``last`` (from 0, without it) of ``tables``, over ``links`` connections."""

    host: str
    port: int
    venue: str
    recordings: str
    first: int
    last: int
    tables: int
    rate: int
    began_ms: int
    links: int
    sent: str

    def streams(self) -> list[Stream]:
        """The streams of its tables, from their beginning."""
        recordings = load_recordings(Path(self.recordings))
        return [
            Stream(recordings[number % len(recordings)], number, rate=self.rate, began_ms=self.began_ms)
            for number in range(self.first, self.last)
        ]


def save_recordings(path: Path, told: Sequence[Sequence[Told]]) -> None:
    """Keep recordings for ``load_recordings``."""
    path.write_text(json.dumps([[(topic, payload.decode()) for topic, payload in one] for one in told]), encoding="utf-8")


def load_recordings(path: Path) -> list[Recording]:
    """What ``save_recordings`` kept."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return [Recording([Told(topic, payload.encode()) for topic, payload in one]) for one in kept]


class Replay:
    """The tables of one plan. Each says its beat from ``__aenter__`` on; ``run`` tells their streams."""

    def __init__(self, plan: ReplayPlan) -> None:
        self._plan = plan
        self.streams = plan.streams()
        self._by_name = {stream.table: stream for stream in self.streams}
        self._links: list[BrokerLink | None] = [None] * plan.links
        self._tasks: list[asyncio.Task[None]] = []
        self._running = False
        self.sent_ns = array("q")
        """Table, view and nanoseconds of each public view that was sent, one after the other."""
        self.messages = 0
        self.unsent = 0
        self.unacknowledged = 0
        self.asked = 0
        self.late_ms = 0.0

    async def __aenter__(self) -> Self:
        links = range(self._plan.links)
        ready = [asyncio.Event() for _ in links]
        self._tasks = [asyncio.create_task(self._keep_link(number, ready[number])) for number in links]
        self._tasks.append(asyncio.create_task(self._beat()))
        await asyncio.gather(*(one.wait() for one in ready))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def run(self, start_s: float, messages: int) -> None:
        """Tell ``messages`` of each table, the first at ``start_s`` of the monotonic clock, the tables one after the other."""
        self._running = True
        plan = self._plan
        step_s = 1 / plan.rate / plan.tables
        due = [start_s + number * step_s for number in range(plan.first, plan.last)]
        count = len(self.streams)
        for told in range(messages * count):
            turn, number = divmod(told, count)
            at_s = due[number] + turn / plan.rate
            late_s = time.monotonic() - at_s
            self.late_ms = max(self.late_ms, late_s * 1000)
            if late_s < 0 or told % MOST_AT_ONCE == 0:
                self._flush()
                await asyncio.sleep(max(TURN_S, -late_s) if late_s < 0 else 0)
            self._tell(number, self.streams[number].message())
        self._flush()
        self._running = False

    async def settled(self) -> None:
        """Return when every message of the links that stand is acknowledged."""
        await asyncio.gather(*(link.settled.wait() for link in self._links if link is not None))

    def _tell(self, number: int, told: Told) -> None:
        stream, link = self.streams[number], self._links[number % len(self._links)]
        self.messages += 1
        if told.topic == "public":
            self.sent_ns.extend((self._plan.first + number, stream.view, time.monotonic_ns()))
        if link is None:
            self.unsent += 1
            return
        link.publish(f"{ROOT}/{self._plan.venue}/{stream.table}/{told.topic}", told.payload, retain=told.topic != "events")

    def _flush(self) -> None:
        for link in self._links:
            if link is not None:
                link.flush()

    async def _beat(self) -> None:
        """While nothing is played, each table says that it lives."""
        while True:
            if not self._running:
                for number, stream in enumerate(self.streams):
                    if (link := self._links[number % len(self._links)]) is not None:
                        link.publish(f"{ROOT}/{self._plan.venue}/{stream.table}/status", stream.beat().payload, retain=True)
                self._flush()
            await asyncio.sleep(BEAT_S)

    async def _keep_link(self, number: int, ready: asyncio.Event) -> None:
        """Connect for ever; as a table does, tell again after each connect what is retained."""
        plan = self._plan
        filters = (f"{ROOT}/{plan.venue}/+/request/backfill",) if number == 0 else ()
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                link = await BrokerLink.open(plan.host, plan.port, f"tables-{plan.first}-{number}", filters, self._answer)
                for at in range(number, len(self.streams), plan.links):
                    stream = self.streams[at]
                    for told in (stream.newest_view(), stream.beat()):
                        if told is not None:
                            link.publish(f"{ROOT}/{plan.venue}/{stream.table}/{told.topic}", told.payload, retain=True)
                link.flush()
                self._links[number] = link
                ready.set()
                await link.lost.wait()
                self._links[number] = None
                self.unacknowledged += link.sent - link.acknowledged
            await asyncio.sleep(RECONNECT_S)

    def _answer(self, topic: str, payload: bytes) -> None:
        stream, link = self._by_name.get(topic.split("/")[3]), self._links[0]
        if stream is None or link is None:
            return
        asked: dict[str, Any] = json.loads(payload)
        self.asked += self._running
        reply = f"{ROOT}/{self._plan.venue}/{stream.table}/reply/{asked['request']}"
        link.publish(reply, stream.answer(asked["request"], asked["from_seq"]), retain=False)
        link.flush()


async def replay(plan: ReplayPlan) -> None:
    """Say ``ready``; on a line with the start and the number of messages tell them and say what became of them; on the end of
    input end."""
    async with Replay(plan) as tables:
        _say(READY)
        reader = await _standard_input()
        if line := await reader.readline():
            start_s, messages = json.loads(line)
            before_s = time.process_time()
            await tables.run(start_s, messages)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(30):
                    await tables.settled()
            await asyncio.to_thread(Path(plan.sent).write_bytes, tables.sent_ns.tobytes())
            told = {name: getattr(tables, name) for name in ("messages", "unsent", "unacknowledged", "asked", "late_ms")}
            _say(json.dumps({**told, "cpu_s": time.process_time() - before_s}))
            await reader.read()


class Page:
    """What a page makes of the floor's stream: the picture, and when it showed which view of which table."""

    def __init__(self) -> None:
        self.shown: dict[str, int] = {}
        self.seen_ns = array("q")
        """Table, view and nanoseconds, one after the other."""
        self.frames = 0
        self.bytes = 0
        self.snapshots = 0

    def take(self, frame: bytes) -> None:
        """One event of the stream."""
        body: Mapping[str, Any] = {}
        for line in frame.split(b"\n"):
            if line.startswith(b"data: "):
                body = json.loads(line[6:])
            self.snapshots += line == b"event: snapshot"
        at_ns = time.monotonic_ns()
        self.frames += 1
        self.bytes += len(frame)
        for name, tile in body.get("tables", {}).items():
            if tile.get("seats"):
                self.shown[name] = view = tile["seats"][0]["stack"]
                self.seen_ns.extend((int(name[1:]) - 1, view, at_ns))


async def look(address: str, seen: Path) -> None:
    """Read the stream from ``ready`` until the input ends; then write what was seen and say what stands there."""
    page = Page()

    async def reading() -> None:
        async with httpx.AsyncClient(timeout=None) as client:  # noqa: S113 - a stream that lives as long as the run
            while True:
                with contextlib.suppress(httpx.TransportError):
                    async with client.stream("GET", f"{address}/api/stream") as response:
                        rest = b""
                        async for part in response.aiter_raw():
                            *frames, rest = (rest + part).split(b"\n\n")
                            for frame in frames:
                                page.take(frame)
                await asyncio.sleep(RECONNECT_S)

    task = asyncio.create_task(reading())
    _say(READY)
    await (await _standard_input()).read()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.to_thread(seen.write_bytes, page.seen_ns.tobytes())
    counted = {"shown": page.shown, "frames": page.frames, "bytes": page.bytes, "snapshots": page.snapshots}
    _say(json.dumps({**counted, "cpu_s": time.process_time()}))


async def count(host: str, port: int, filters: Sequence[str]) -> None:
    """Hear everything by plain aiomqtt and count it, until the input ends."""
    heard = 0

    def told(_: int, __: str, ___: bytes) -> None:
        nonlocal heard
        heard += 1

    counting = asyncio.create_task(stamp_messages(host, port, filters, lambda: _say(READY), told))
    reader = await _standard_input()
    await reader.readline()
    before, before_s = heard, time.process_time()
    await reader.read()
    counting.cancel()
    await asyncio.gather(counting, return_exceptions=True)
    _say(json.dumps({"heard": heard - before, "cpu_s": time.process_time() - before_s}))


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str]) -> None:
    """``replay PLAN`` (JSON), ``page ADDRESS FILE``, or ``count HOST PORT FILTER…``."""
    match arguments:
        case ["replay", plan]:
            asyncio.run(replay(ReplayPlan(**json.loads(plan))))
        case ["page", address, seen]:
            asyncio.run(look(address, Path(seen)))
        case ["count", host, port, *filters]:
            asyncio.run(count(host, int(port), filters))
        case _:
            raise SystemExit(f"unknown probe: {' '.join(arguments)}")
