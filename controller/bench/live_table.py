"""A table for a latency run: broker, devices on pseudo-terminals and dealer here, the controller in a process of its own."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import httpx
import tomli_w

from controller.bench.figure import BenchError
from controller.bench.probe import PROBE, RAW_TOPIC, READY
from controller.bench.wire_clock import WireClock
from controller.mqtt.broker import claim_port, start_broker
from controller.mqtt.topics import TableTopics
from controller.rehearsal import Play, config_for, line_speeds, registry_of
from controller.tracking.presence import PresenceSettings
from simulators.console import HttpConsole
from simulators.dealer import SimulatedDealer
from simulators.habits import Habits, Pace, rebuy
from simulators.packets import ShuffledPackets
from simulators.players import Player, RandomPlayer
from simulators.ports import PseudoTerminal
from simulators.rig import NINETEEN, SET_ID, SHOE_PORT, SimulatedTable, make_tags, seat_players

SEATS: Final = 7
BUY_IN: Final = 400
PACE: Final = Pace(card_s=0.6, travel_s=0.2, shuffle_s=1.0, press_s=0.05, think_s=0.05)
"""At real pace five cards in three seconds: each is dealt before the next is laid, as with most dealers."""
READY_S: Final = 30.0
STOP_S: Final = 10.0
SETTLE_S: Final = 0.3
"""After a hand, until its last message is here."""
MAX_ARRIVALS: Final = 100_000
"""Messages kept of one hand; a hand has some hundred."""
_LINE_BYTES: Final = 1 << 20


class Arrival(NamedTuple):
    """A message at the subscriber: nanoseconds of the monotonic clock, topic and payload."""

    at_ns: int
    topic: str
    payload: str


class LiveTable:
    """Opened with ``async with``; ``play_hand`` plays one and gives what arrived. ``speed`` divides lines, presence and pace."""

    def __init__(self, folder: Path, *, speed: float, seed: int) -> None:
        self._folder = folder
        self._speed = speed
        self._rng = random.Random(seed)
        self._stack = AsyncExitStack()
        self._devices: SimulatedTable
        self._client: httpx.AsyncClient
        self._arrivals: list[Arrival] = []
        self.topics = TableTopics("demo", "T1")
        hits = PresenceSettings().appear_hits
        self.clocks = {line: WireClock(places, hits) for line, places in NINETEEN.items()}
        self.address = ("127.0.0.1", 0)
        self.controller_pid = 0

    @property
    def data(self) -> Path:
        """The controller's data folder."""
        return self._folder / "data"

    @property
    def http(self) -> str:
        """The table's HTTP address."""
        return f"http://127.0.0.1:{self._http_port}"

    async def __aenter__(self) -> Self:
        """Start everything; ``BenchError`` or ``BrokerError`` when a part does not come up."""
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop everything, the last started first."""
        await self._stack.aclose()

    async def _start(self) -> None:
        broker = await asyncio.to_thread(start_broker, self._folder / "broker")
        self._stack.callback(broker.stop)
        self.address = (broker.host, broker.port)
        self._start_devices()
        await self._listen()
        self._client = await self._stack.enter_async_context(httpx.AsyncClient(base_url=self.http))
        await self._start_controller()
        await seat_players(self._console(), {seat: (f"P{seat}", BUY_IN) for seat in range(1, SEATS + 1)})

    def _start_devices(self) -> None:
        paces = line_speeds(NINETEEN, self._speed)
        ports = {
            name: PseudoTerminal(self._folder / f"port-{name}", pace=pace, on_sent=self._on_sent(name))
            for name, pace in paces.items()
        }
        tags = make_tags(self._rng)
        self._devices = SimulatedTable(ports, tags=tags, rng=self._rng, speed=self._speed)
        self._http_port = claim_port(0)
        host, port = self.address
        raw = config_for(
            Play(speed=self._speed),
            ports={name: str(terminal.path) for name, terminal in ports.items()},
            mqtt={"host": host, "port": port},
            http_port=self._http_port,
        )
        raw["deck_care"] = {"check": "off"}  # nobody checks a deck that lasts for one measurement
        (self._folder / "deck.toml").write_text(registry_of(tags).toml(), encoding="utf-8")
        (self._folder / "table.toml").write_text(tomli_w.dumps(raw), encoding="utf-8")
        self._devices.start()
        self._stack.callback(self._devices.stop)

    def _on_sent(self, name: str) -> Callable[[bytes], None] | None:
        if name == SHOE_PORT:
            return None
        clock = self.clocks[name]
        return lambda piece: clock.sent(piece, time.monotonic_ns())

    async def _listen(self) -> None:
        """Start the subscriber and take down what it stamps."""
        host, port = self.address
        topics = (self.topics.events, self.topics.public, RAW_TOPIC)
        process = await self._spawn((*PROBE, "listen", host, str(port), *topics))
        if process.stdout is None or (await process.stdout.readline()).strip() != READY.encode():
            raise BenchError("the subscriber did not come up")
        reading = asyncio.create_task(self._take(process.stdout), name="arrivals")
        self._stack.callback(reading.cancel)

    async def _take(self, stream: asyncio.StreamReader) -> None:
        while line := await stream.readline():
            at, topic, payload = line.decode().rstrip("\n").split(" ", 2)
            if len(self._arrivals) < MAX_ARRIVALS:
                self._arrivals.append(Arrival(int(at), topic, payload))

    async def _start_controller(self) -> None:
        log = self._folder / "controller.log"
        with log.open("wb") as output:
            command = (sys.executable, "-m", "controller.cli", "run", str(self._folder / "table.toml"))
            process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output
            )
        self._stack.push_async_callback(_stop, process)
        self.controller_pid = process.pid
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and process.returncode is None:
            try:
                if (await self._client.get("/healthz")).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)
        words = log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
        raise BenchError(f"the controller did not start: {words[-1]}")

    async def _spawn(self, command: tuple[str, ...]) -> Process:
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, limit=_LINE_BYTES)
        self._stack.push_async_callback(_stop, process)
        return process

    def _console(self) -> HttpConsole:
        return HttpConsole(self._client, rng=random.Random(self._rng.getrandbits(64)), speed=self._speed)

    async def scans(self, *, without: str = "") -> int:
        """Scans of all antennas since the controller's start, as it counts them, those of the line ``without`` left out."""
        shown = (await self._client.get("/api/v1/devices")).json()["devices"]
        return sum(device["counters"].get("scans", 0) for device in shown if device["name"] != without)

    def stall(self, line: str) -> None:
        """From now on the devices of ``line`` take no bytes at all, as a wedged adapter."""
        terminal = self._devices.ports[line]
        if not isinstance(terminal, PseudoTerminal):
            raise TypeError(f"{line} is no pseudo-terminal")
        terminal.is_stalled = True

    async def play_hand(self) -> list[Arrival]:
        """Play one hand; what arrived at the subscriber meanwhile, in its order."""
        self._arrivals.clear()
        players: dict[int, Player] = {
            seat: RandomPlayer(random.Random(self._rng.getrandbits(64)), 0.2, 0.9) for seat in range(1, SEATS + 1)
        }
        dealer = SimulatedDealer(
            self._console(),
            self._devices.felt,
            self._devices.shoe,
            players,
            ShuffledPackets(random.Random(self._rng.getrandbits(64))),
            rng=random.Random(self._rng.getrandbits(64)),
            pace=replace(PACE, speed=self._speed),
            habits=Habits(looks_up=0.0, hurries=0.0),
            before_hand=rebuy(BUY_IN),
            set_id=SET_ID,
            max_hands=1,
        )
        await dealer.run()
        await asyncio.sleep(SETTLE_S)
        return list(self._arrivals)

    async def raw_parts(self, sizes: dict[str, int]) -> tuple[dict[str, list[int]], list[Arrival]]:
        """The raw parts, measured beside the idle table by another process, and what it published as it arrived."""
        self._arrivals.clear()
        host, port = self.address
        process = await self._spawn((*PROBE, "raw", host, str(port), str(self._folder), json.dumps(sizes)))
        output, _ = await process.communicate()
        await asyncio.sleep(SETTLE_S)
        if process.returncode != 0:
            raise BenchError("the raw parts could not be measured")
        parts: dict[str, Any] = json.loads(output)
        return parts, [arrival for arrival in self._arrivals if arrival.topic == RAW_TOPIC]


async def _stop(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_S)
        except TimeoutError:
            process.kill()
            await process.wait()
