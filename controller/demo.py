"""``stud-table demo``: broker, simulated devices and people in this process, the controller in one of its own.

The controller is the very program that runs a real table; it can be killed and started again while the felt stays as it is.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx
import tomli_w

from controller.config import ConfigError, load_config
from controller.console.screen import SIMULATED
from controller.demo_people import SIMULATED_DEALER, AgreedConsole, SignsIn, access_of
from controller.hand.events import HandHeld, HandVoided
from controller.journal.files import JOURNAL_FILE, lock_folder
from controller.journal.verify import verify_chain
from controller.last_words import last_line, why_it_ended
from controller.mqtt.broker import RunningBroker, claim_port, start_broker
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.topics import TableTopics
from controller.rehearsal import AT_ONCE, FAST, Play, check_simulated_deck, config_for, line_speeds, registry_of
from controller.table.events import CardsCounted
from controller.verify import Audit, audit, kinds_after
from controller.whole_file import write_whole
from drivers.shoe.device_memory import ShoeMemory
from simulators.console import Console, HttpConsole, HttpWheel
from simulators.dealer import SimulatedDealer
from simulators.habits import DealerStats, Habits, Pace, rebuy
from simulators.packets import ShuffledPackets
from simulators.players import Player, RandomPlayer
from simulators.ports import PseudoTerminal
from simulators.rig import NINETEEN, SET_ID, SimulatedTable, hand_is_open, make_tags, seat_players
from simulators.seat_display import SimulatedDisplays

T = TypeVar("T")

NAMES: Final = ("Ann", "Ben", "Cléo", "Dan", "Eva", "Fred", "Gus", "Hana")
BUY_IN: Final = 200
READY_S: Final = 30.0
"""Longest wait for the controller's HTTP address."""
STOP_S: Final = 10.0
DISPLAYS: Final = "demo-displays"
"""Client id of the simulated displays, with the demo's port behind it."""
LOOK_S: Final = 0.2
"""How often the controller's process is looked at."""
THROWS: Final = 0.8
"""Chance that a player folds by throwing his cards into the muck, which its antenna tells, and not by a word and a touch."""
FAULTS: Final = {"none": (0.0, 0.0), "light": (0.02, 0.0), "heavy": (0.10, 0.01), "slips": (0.0, 0.01)}
"""Fault levels: chance that a scan misses a tag, chance that the dealer lays a card at a wrong seat."""


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """What a demo does. ``hands`` 0: until stopped; ``broker``: ``host:port`` of a running one; ``people``: they sign in;
    ``floor_key``: public half of the floor's."""

    folder: Path
    hands: int = 0
    seed: int = 1
    variant: str = "stud"
    fast: bool = False
    faults: str = "none"
    broker: tuple[str, int] | None = None
    seats: int = 6
    people: bool = False
    table: str = "T1"
    floor_key: Path | None = None


class ControllerEnded(Exception):  # noqa: N818
    """The controller's process ended while hands were played, or hangs; the text tells its last line, or the signal."""


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What became of a demo, from its journal and its people; ``hands`` are those of this demo alone."""

    stats: DealerStats
    audit: Audit
    hands: int
    voided: int
    irregularities: int
    seconds: float
    journal: Path
    chips_conserved: bool
    cards_conserved: bool

    @property
    def ok(self) -> bool:
        """Every chip and card is accounted for and the journal holds."""
        return self.audit.ok and self.chips_conserved and self.cards_conserved

    def as_json(self) -> dict[str, Any]:
        """The keys that checks read, and some more."""
        return {
            "hands": self.hands,
            "voided": self.voided,
            "irregularities": self.irregularities,
            "chips_conserved": self.chips_conserved,
            "cards_conserved": self.cards_conserved,
            "journal": str(self.journal),
            "head": self.audit.head,
            "seconds": round(self.seconds, 2),
            "refusals": self.stats.refusals,
            "taps": self.stats.taps,
        }


@dataclass(slots=True)
class _Parts:
    """What runs while a demo runs."""

    devices: SimulatedTable
    ports: dict[str, PseudoTerminal]
    lock: int
    broker: RunningBroker | None = None
    controller: subprocess.Popen[bytes] | None = None
    client: httpx.AsyncClient | None = None
    displays: asyncio.Task[None] | None = None


class Demo:
    """One simulated table with its controller process. ``start``, ``play``, ``stop``; the controller may be killed between."""

    def __init__(self, plan: DemoPlan) -> None:
        self.plan = plan
        self._rng = random.Random(plan.seed)
        self._speed = FAST if plan.fast else 1.0
        self._play = Play(
            variant=plan.variant,
            seats={seat: (NAMES[seat - 1], BUY_IN) for seat in range(1, plan.seats + 1)},
            speed=self._speed,
        )
        self._tags = make_tags(random.Random(plan.seed))
        self.http_port = claim_port(0)
        self.mqtt: tuple[str, int] = ("127.0.0.1", 0)
        self.displays = SimulatedDisplays(TableTopics("demo", plan.table).root, self._play.seats)
        """The simulated displays of the seats, which can be told to lie."""
        self._parts: _Parts | None = None
        self._dealer: SimulatedDealer | None = None
        self._signs_in = SignsIn() if plan.people else None
        self._stopping = asyncio.Event()
        self._before = 0
        self._killed = False
        self._began = time.monotonic()

    @property
    def config_path(self) -> Path:
        """The controller's configuration."""
        return self.plan.folder / "table.toml"

    @property
    def data(self) -> Path:
        """The controller's data folder."""
        return self.plan.folder / "data"

    @property
    def devices(self) -> SimulatedTable:
        """The simulated felt, shoe and readers; ``ConfigError`` before ``start``."""
        return self._started.devices

    @property
    def stats(self) -> DealerStats:
        """What the dealer has done so far."""
        return DealerStats() if self._dealer is None else self._dealer.stats

    @property
    def _started(self) -> _Parts:
        if self._parts is None:
            raise ConfigError("the demo has not been started")
        return self._parts

    @property
    def _shoe_path(self) -> Path:
        return self.plan.folder / "shoe.json"

    @property
    def http(self) -> str:
        """The table's HTTP address."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def seat_pages(self) -> dict[int, str]:
        """The address of each player's display, by seat."""
        return {seat: f"{self.http}/seat/{seat}" for seat in self._play.seats}

    async def start(self) -> None:
        """Start broker, devices and controller, and seat the players. Needs a running loop. ``JournalBusy``: one runs there."""
        folder = self.plan.folder
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_folder(folder)  # before a port or a file of a demo that runs there is replaced
        if (self.data / JOURNAL_FILE).exists():
            self._before = verify_chain(self.data).events
        pace = line_speeds(NINETEEN, self._speed)
        ports = {name: PseudoTerminal(folder / f"port-{name}", pace=speed) for name, speed in pace.items()}
        devices = SimulatedTable(ports, tags=self._tags, rng=self._rng, speed=self._speed, memory=self._shoe_memory())
        for readers in devices.readers.values():
            readers.faults.miss = FAULTS[self.plan.faults][0]
        parts = self._parts = _Parts(devices, ports, lock)
        if self.plan.broker is None:
            parts.broker = await asyncio.to_thread(start_broker, folder / "broker")
            self.mqtt = (parts.broker.host, parts.broker.port)
        else:
            self.mqtt = self.plan.broker
        self._write_files({name: str(port.path) for name, port in ports.items()})
        devices.start()
        self._keep_shoe_memory()
        config = load_config(self.config_path)
        await check_simulated_deck(devices, config, registry_of(self._tags))
        parts.client = httpx.AsyncClient(base_url=self.http, auth=self._signs_in)
        await self.start_controller()
        link = Connection(*self.mqtt, f"{DISPLAYS}-{self.http_port}")
        parts.displays = asyncio.create_task(MqttClient(link, self.displays, random.Random()).run(), name="seat displays")
        await self._while_it_runs(self._seat())  # before a person at the page takes over, whose console alone gives orders then

    def _shoe_memory(self) -> ShoeMemory:
        """What the shoe of an earlier demo in this folder remembers: a shoe that forgot its starts would be another one."""
        if not self._shoe_path.exists():
            return ShoeMemory()
        return ShoeMemory(**json.loads(self._shoe_path.read_text(encoding="utf-8")))

    def _keep_shoe_memory(self) -> None:
        self._shoe_path.write_text(json.dumps(asdict(self._started.devices.shoe.memory)), encoding="utf-8")

    def _write_files(self, ports: Mapping[str, str]) -> None:
        registry = registry_of(self._tags)
        write_whole(self.plan.folder / "deck.toml", registry.toml())  # of mode 0600: it names every card
        host, port = self.mqtt
        raw = config_for(
            self._play, ports=ports, table=self.plan.table, mqtt={"host": host, "port": port}, http_port=self.http_port
        )
        raw |= access_of(self.plan.folder, people=self.plan.people, floor=self.plan.floor_key)
        self.config_path.write_text(tomli_w.dumps(raw), encoding="utf-8")

    async def start_controller(self) -> None:
        """Start the controller process and wait for its HTTP address."""
        log = self._log.open("ab")
        # Own process group: a Ctrl-C in the terminal reaches the demo, which stops its people before the controller.
        with log:
            self._started.controller = subprocess.Popen(  # noqa: ASYNC220, S603 - returns at once; our own program
                [sys.executable, "-m", "controller.cli", "run", str(self.config_path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
            )
        self._killed = False
        await self._until_ready()

    async def _until_ready(self) -> None:
        client, controller = self._started.client, self._started.controller
        deadline = time.monotonic() + READY_S
        while client is not None and controller is not None and time.monotonic() < deadline:
            if controller.poll() is not None:
                break
            try:
                if (await client.get("/healthz")).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)
        code = 0 if controller is None else controller.poll()
        if code is None:
            raise ControllerEnded(f"the controller did not answer within {READY_S:.0f} s of its start: {last_line(self._log)}")
        raise ConfigError(f"the controller did not start: {why_it_ended(code, self._log)}")

    @property
    def _log(self) -> Path:
        return self.plan.folder / "controller.log"

    def restart_broker(self, away_s: float) -> None:
        """The embedded broker is gone for ``away_s`` real seconds and comes back on its port without memory. Blocks."""
        broker = self._started.broker
        if broker is None:
            raise ConfigError("the demo has no broker of its own")
        broker.stop()
        time.sleep(away_s)
        self._started.broker = start_broker(self.plan.folder / "broker", port=broker.port, kind=broker.kind)

    def kill_controller(self) -> None:
        """SIGKILL: the controller is gone at once, as when its power fails. ``start_controller`` starts it again."""
        controller = self._started.controller
        if controller is not None:
            self._killed = True
            controller.kill()
            controller.wait()

    def console(self) -> Console:
        """The dealer's console over HTTP."""
        client = self._started.client
        if client is None:
            raise ConfigError("the demo has not been started")
        if self.plan.people:
            return AgreedConsole(client, rng=random.SystemRandom(), speed=self._speed)
        # A key is used once in the life of a journal, which may be older than this demo of the same seed.
        return HttpConsole(client, rng=random.SystemRandom(), speed=self._speed, console=SIMULATED)

    def _wheel(self) -> HttpWheel:
        """The simulated dealer drives until a person takes over on the console's page."""
        client = self._started.client
        if client is None:
            raise ConfigError("the demo has not been started")
        return HttpWheel(client, SIMULATED, SIMULATED_DEALER.name, self._signs_in.console if self._signs_in else str)

    async def play(self, tell: Callable[[str], None] | None = None) -> DealerStats:
        """Deal until the wanted hands are played or ``stop_dealing``.

        ``ControllerEnded`` when the controller ends though nobody killed it.
        """
        if self._stopping.is_set():
            return DealerStats()
        return await self._while_it_runs(self._deal(tell)) or DealerStats()

    async def _while_it_runs(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Do ``work``; ``None`` when the demo was stopped before the dealer began. ``ControllerEnded`` as ``play`` says."""
        working = asyncio.create_task(work, name="people")
        stopped = asyncio.create_task(self._stopping.wait(), name="stop")
        looking = asyncio.create_task(self._look_after_controller(), name="controller's process")
        try:
            await asyncio.wait((working, stopped, looking), return_when=asyncio.FIRST_COMPLETED)
            if looking.done():
                looking.result()
            if self._dealer is None and not working.done():
                return None
            return await working
        finally:
            for task in (working, stopped, looking):
                task.cancel()
            await asyncio.gather(working, stopped, looking, return_exceptions=True)

    async def _look_after_controller(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            controller = self._started.controller
            if controller is not None and (code := controller.poll()) is not None and not self._killed:
                raise ControllerEnded(f"the controller ended by itself: {why_it_ended(code, self._log)}")

    async def _deal(self, tell: Callable[[str], None] | None) -> DealerStats:
        console = self.console()
        players: dict[int, Player] = {
            seat: RandomPlayer(
                random.Random(self._rng.getrandbits(64)),
                self._rng.uniform(0.15, 0.45),
                self._rng.uniform(0.4, 0.7),
                free_fold=0.01,
            )
            for seat in self._play.seats
        }
        self._dealer = SimulatedDealer(
            console,
            self.devices.felt,
            self.devices.shoe,
            players,
            ShuffledPackets(random.Random(self._rng.getrandbits(64))),
            rng=random.Random(self._rng.getrandbits(64)),
            pace=replace(AT_ONCE if self.plan.fast else Pace(), speed=self._speed),
            habits=Habits(slips=FAULTS[self.plan.faults][1], throws=THROWS),
            before_hand=rebuy(BUY_IN),
            set_id=SET_ID,
            max_hands=self.plan.hands or None,
            drives=self._wheel().drives,
        )
        if tell is None:
            return await self._dealer.run()
        telling = asyncio.create_task(self._tell(self._dealer.stats, tell))
        try:
            return await self._dealer.run()
        finally:
            telling.cancel()

    async def _seat(self) -> None:
        console = self.console()
        await self._give_up_old_hand(console)
        await seat_players(console, self._play.seats)

    async def _give_up_old_hand(self, console: Console) -> None:
        """A hand that an earlier demo in this folder left open is void: its cards were taken off the felt (R-RULE-03)."""
        snapshot = await console.snapshot()
        if hand_is_open(snapshot):
            people = {"by": "Simulated floor", "agreed_by": "Simulated dealer"}
            void = {"type": "void_hand", "reason": "its cards were taken off the table", **people}
            await console.send(void, decision=None, seq=snapshot["seq"])
            self._before = int((await console.snapshot())["seq"])

    async def _tell(self, stats: DealerStats, tell: Callable[[str], None]) -> None:
        told = -1
        while True:
            if stats.hands != told:
                told = stats.hands
                tell(f"hand {told}" + (f" of {self.plan.hands}" if self.plan.hands else ""))
            await asyncio.sleep(0.2)

    def stop_dealing(self) -> None:
        """Let the dealer stop after what she is doing; before she has begun, there is no dealing."""
        self._stopping.set()
        if self._dealer is not None:
            self._dealer.stop()

    async def stop(self) -> None:
        """Stop everything that was started, the controller in good order."""
        parts = self._parts
        if parts is None:
            return
        controller = parts.controller
        if controller is not None and controller.poll() is None:
            controller.terminate()
            try:
                await asyncio.to_thread(controller.wait, STOP_S)
            except subprocess.TimeoutExpired:
                controller.kill()
                controller.wait()
        if parts.displays is not None:
            parts.displays.cancel()
            await asyncio.gather(parts.displays, return_exceptions=True)
        if parts.client is not None:
            await parts.client.aclose()
        if parts.devices.shoe.memory.boot:
            self._keep_shoe_memory()
        parts.devices.stop()
        if parts.broker is not None:
            await asyncio.to_thread(parts.broker.stop)
        os.close(parts.lock)

    def result(self, stats: DealerStats) -> DemoResult:
        """What the journal says after ``stop``."""
        found = audit(self.data)
        told = kinds_after(self.data, self._before)
        hands = told[CardsCounted.__name__]
        return DemoResult(
            stats,
            found,
            hands,
            told[HandVoided.__name__],
            told[HandHeld.__name__],
            time.monotonic() - self._began,
            self.data / JOURNAL_FILE,
            chips_conserved=found.ok and found.chips_conserved,
            cards_conserved=found.ok and found.cards_conserved and hands >= stats.hands,
        )
