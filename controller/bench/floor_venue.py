"""The processes of a floor run, and what each has cost so far."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import httpx
import tomli_w

from controller.bench.figure import BenchError
from controller.bench.floor_probe import PROBE, READY, ReplayPlan, load_recordings
from controller.bench.postgres_server import PostgresServer
from controller.bench.public_stream import Stream
from controller.floor.store.address import StoreAddress, parse_address
from controller.floor.store.rows import Source
from controller.floor.store.store import StoreError, open_store
from controller.last_words import last_line
from controller.mqtt.broker import claim_port, start_broker
from controller.mqtt.topics import ROOT

VENUE: Final = "bench"
TELLERS: Final = 2
LINKS: Final = 4
"""Connections of each process that tells streams."""
READY_S: Final = 60.0
KEPT_S: Final = 120.0
"""Longest wait for the store to have everything."""
LEAD_S: Final = 0.5
STOP_S: Final = 10.0
REAPED_S: Final = 0.5
"""Until the server has taken in the processor time of a connection that has ended."""
_LINE_BYTES: Final = 1 << 24
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PARENT, _USER, _SYSTEM, _CHILDREN_USER, _CHILDREN_SYSTEM = 1, 11, 12, 13, 14
"""Places behind the name in ``/proc/<pid>/stat``."""


class Usage(NamedTuple):
    """Processor seconds and resident megabytes."""

    floor_s: float
    broker_s: float
    store_s: float
    floor_mb: float
    broker_mb: float

    def since(self, before: Usage) -> Usage:
        """The seconds since then; the memory of now."""
        return Usage(
            self.floor_s - before.floor_s,
            self.broker_s - before.broker_s,
            self.store_s - before.store_s,
            self.floor_mb,
            self.broker_mb,
        )

    def over(self, taken_s: float, wanted_s: float) -> Usage:
        """The seconds as they would be of a time of ``wanted_s``."""
        share = wanted_s / taken_s
        return self._replace(floor_s=self.floor_s * share, broker_s=self.broker_s * share, store_s=self.store_s * share)


class Helper:
    """A process that answers in lines of JSON and ends with its input."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, *arguments: str) -> Self:
        """Once it says that it is ready; ``BenchError`` when it does not."""
        process = await asyncio.create_subprocess_exec(*PROBE, *arguments, stdin=PIPE, stdout=PIPE, limit=_LINE_BYTES)
        helper = cls(process)
        if process.stdout is None or (await process.stdout.readline()).strip() != READY.encode():
            raise BenchError(f"the process {arguments[0]} of the run did not come up")
        return helper

    async def say(self, line: str) -> None:
        """Give it a line."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe, as asked
        self._process.stdin.write(line.encode() + b"\n")
        await self._process.stdin.drain()

    async def answer(self) -> dict[str, Any]:
        """Its next line."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe, as asked
        line = await self._process.stdout.readline()
        if not line:
            raise BenchError("a process of the run ended before it had answered")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def end(self) -> dict[str, Any]:
        """End its input; what it says then, or nothing."""
        assert self._process.stdin is not None  # noqa: S101 - pipes, as asked
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.close()
        last = await self._process.stdout.readline()
        await self._process.wait()
        return json.loads(last) if last else {}

    async def kill(self) -> None:
        """Whatever it does."""
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


class PageHelper(Helper):
    """A page; ``seen`` is the file that it leaves."""

    seen: Path


async def refuse_others(address: StoreAddress) -> None:
    """``BenchError`` for a store that a floor keeps its tables in: the run's would stay among them, and its load be theirs."""
    try:
        async with open_store(address, VENUE) as store:
            others = await store.other_venues()
    except StoreError as error:
        raise BenchError(f"--store: {error}") from None
    if others:
        raise BenchError(f"--store: {others[0]} keeps its tables there: name an empty store, or leave the option out")


class Venue:
    """Broker and database; floor, page and tellers as they are started. A context manager."""

    name = VENUE

    def __init__(self, folder: Path, store: str | None) -> None:
        self.folder = folder
        self._given = store
        self._stack = AsyncExitStack()
        self.database: PostgresServer | None = None
        """The run's own, where no store is named."""
        self._floor: Process | None = None
        self.floor_port = claim_port(0)
        self.front: tuple[str, int] | None = None
        """Where the tables publish; ``None``: at the venue's broker."""
        self.store: StoreAddress

    async def __aenter__(self) -> Self:
        try:
            self.broker = await asyncio.to_thread(start_broker, self.folder / "broker")
            self._stack.callback(lambda: self.broker.stop())
            if self._given is None:
                self.database = await asyncio.to_thread(self._stack.enter_context, PostgresServer())
            self.store = parse_address(self._url, self.folder)
            if self._given is not None:
                await refuse_others(self.store)
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @property
    def _url(self) -> str:
        return self.database.url if self.database is not None else self._given or ""

    @property
    def address(self) -> str:
        """The floor's HTTP address."""
        return f"http://127.0.0.1:{self.floor_port}"

    async def start_floor(self) -> None:
        """The very program that a venue runs; returns when broker and store are there."""
        config, log = self.folder / "floor.toml", self.folder / "floor.log"
        raw = {
            "venue": VENUE,
            "mqtt": {"host": self.broker.host, "port": self.broker.port},
            "store": {"url": self._url},
            "http": {"port": self.floor_port},
        }
        config.write_text(tomli_w.dumps(raw), encoding="utf-8")
        with log.open("ab") as output:
            command = (sys.executable, "-m", "controller.cli", "floor", str(config))
            self._floor = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=output, stderr=output)
        self._stack.push_async_callback(self.stop_floor)
        deadline = time.monotonic() + READY_S
        async with httpx.AsyncClient(base_url=self.address) as client:
            while time.monotonic() < deadline and self._floor.returncode is None:
                try:
                    if (await client.get("/readyz")).status_code == httpx.codes.OK:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)
        raise BenchError(f"the floor did not start: {last_line(log)}")

    async def restart_broker(self, away_s: float) -> None:
        """The venue's broker is gone for so long, and back without memory."""
        self.broker.stop()
        await asyncio.sleep(away_s)
        self.broker = await asyncio.to_thread(start_broker, self.folder / "broker", port=self.broker.port)

    async def kill_floor(self) -> None:
        """The floor is gone at once; ``start_floor`` starts it again."""
        if self._floor is not None:
            self._floor.kill()
            await self._floor.wait()

    async def stop_floor(self) -> None:
        """In good order, when it runs."""
        floor, self._floor = self._floor, None
        if floor is not None and floor.returncode is None:
            floor.terminate()
            try:
                await asyncio.wait_for(floor.wait(), STOP_S)
            except TimeoutError:
                floor.kill()
                await floor.wait()

    async def start_page(self) -> PageHelper:
        """A page that looks on."""
        seen = self.folder / "seen"
        page = await PageHelper.start("page", self.address, str(seen))
        self._stack.push_async_callback(page.kill)
        page.seen = seen
        return page

    async def start_count(self) -> Helper:
        """A plain subscriber of what a floor subscribes to."""
        filters = [f"{ROOT}/{VENUE}/+/{part}" for part in ("status", "public", "events", "alarms/+", "devices/+", "reply/+")]
        counting = await Helper.start("count", self.broker.host, str(self.broker.port), *filters)
        self._stack.push_async_callback(counting.kill)
        await counting.say("from now on")
        return counting

    async def start_teller(self, plan: ReplayPlan) -> Helper:
        """A process that tells streams."""
        teller = await Helper.start("replay", json.dumps(plan._asdict()))
        self._stack.push_async_callback(teller.kill)
        return teller

    async def until_kept(self, streams: Sequence[Stream]) -> None:
        """Return when the store has every event that was told; ``BenchError`` when it does not come to that."""
        wanted = {Source(stream.table, stream.journal): stream.last_event_seq for stream in streams if stream.told_events}
        deadline = time.monotonic() + KEPT_S
        async with open_store(self.store, VENUE) as store:
            while True:
                marks = await store.marks()
                behind = sum(marks.get(source, 0) < seq for source, seq in wanted.items())
                if not behind:
                    return
                if time.monotonic() > deadline:
                    raise BenchError(f"after {KEPT_S:.0f} s the store lacks events of {behind} tables: ask for fewer tables")
                await asyncio.sleep(0.2)

    def usage(self) -> Usage:
        """What each has cost until now."""
        floor = 0 if self._floor is None else self._floor.pid
        database = 0 if self.database is None else self.database.pid
        return Usage(
            _cpu_s(floor),
            _cpu_s(self.broker.pid),
            _cpu_s(database, children=True),
            _memory_mb(floor),
            _memory_mb(self.broker.pid),
        )

    def plain_copy(self) -> float | None:
        """Processor seconds of a COPY of all events into an empty table of the same form; ``None`` without our own server."""
        database = self.database
        if database is None:
            return None
        file = database.folder / "events.copy"
        database.execute(f"COPY (SELECT * FROM events) TO '{file}'")  # noqa: S608 - a file of our own
        database.execute("CREATE TABLE bare (LIKE events INCLUDING INDEXES)")
        time.sleep(REAPED_S)
        before = _cpu_s(database.pid, children=True)
        database.execute(f"COPY bare FROM '{file}'")
        time.sleep(REAPED_S)
        return _cpu_s(database.pid, children=True) - before


class Load:
    """Tables whose streams are told by processes of their own."""

    def __init__(self, venue: Venue, recordings: Path, tables: int, rate: int) -> None:
        self._venue = venue
        self._recordings = recordings
        self._tables = tables
        self._rate = rate
        self._began_ms = time.time_ns() // 1_000_000
        self._tellers: list[Helper] = []
        self.sent: list[Path] = []

    async def start(self) -> None:
        """Every table is there and beats."""
        venue, tellers = self._venue, min(TELLERS, self._tables)
        host, port = venue.front or (venue.broker.host, venue.broker.port)
        for number in range(tellers):
            plan = ReplayPlan(
                host=host,
                port=port,
                venue=VENUE,
                recordings=str(self._recordings),
                first=number * self._tables // tellers,
                last=(number + 1) * self._tables // tellers,
                tables=self._tables,
                rate=self._rate,
                began_ms=self._began_ms,
                links=LINKS,
                sent=str(venue.folder / f"sent-{number}"),
            )
            self.sent.append(Path(plan.sent))
            self._tellers.append(await venue.start_teller(plan))

    def streams(self, seconds: int = 0) -> list[Stream]:
        """What every table has told after so many seconds."""
        recordings = load_recordings(self._recordings)
        streams = [
            Stream(recordings[number % len(recordings)], number, rate=self._rate, began_ms=self._began_ms)
            for number in range(self._tables)
        ]
        for stream in streams:
            stream.skip(seconds * self._rate)
        return streams

    async def tell(self, seconds: int) -> Mapping[str, float]:
        """Let the streams be told; the sums of what the tellers say, and the longest delay."""
        order = json.dumps([time.monotonic() + LEAD_S, seconds * self._rate])
        for teller in self._tellers:
            await teller.say(order)
        answers = [await teller.answer() for teller in self._tellers]
        sums = {name: sum(answer[name] for answer in answers) for name in answers[0]}
        return {**sums, "late_ms": max(answer["late_ms"] for answer in answers)}

    async def end(self) -> None:
        """The tables are gone."""
        for teller in self._tellers:
            await teller.end()


def _cpu_s(pid: int, *, children: bool = False) -> float:
    """Processor seconds of a process, with all its threads and on request all its children, those that ended too; 0 for none."""
    if not pid:
        return 0.0
    fields = _stat(pid)
    ticks = int(fields[_USER]) + int(fields[_SYSTEM])
    if children:
        ticks += int(fields[_CHILDREN_USER]) + int(fields[_CHILDREN_SYSTEM])
        for other in Path("/proc").glob("[0-9]*"):
            try:
                found = _stat(int(other.name))
            except OSError:
                continue
            if int(found[_PARENT]) == pid:
                ticks += int(found[_USER]) + int(found[_SYSTEM])
    return ticks / _TICKS


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _memory_mb(pid: int) -> float:
    """Resident memory of a process; 0 for none."""
    if not pid:
        return 0.0
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))
