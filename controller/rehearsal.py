"""A table with simulated devices and people in one process: on virtual time with links in memory, or over real ports.

Composition alone; it knows controller and simulators, as ``app`` and ``cli`` do.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from controller.app import Outside, Serve, TableApp
from controller.config import ConfigError, TableConfig, parse_config
from controller.console.orders import CommandBody
from controller.deck_care import DeckPassed, care_path, change_care, digest_of, load_care
from controller.deck_desk import check_deck
from controller.hand.cards import parse_card
from controller.journal.writer import Commit
from controller.mqtt.ports import Handler
from controller.table.loop import Record
from controller.table.state import TableState
from controller.tracking.enrolment import DeckCheck
from controller.tracking.registry import DeckRegistry
from drivers.clock import Clock, LoopClock, SystemClock
from drivers.factory import ReaderSetup, WiredAntenna
from drivers.link.base import Opener
from drivers.link.serial import opener_for
from drivers.ports import Deliver, ReaderPort
from drivers.registry import reader_driver
from simulators.byte_faults import chunks, lines
from simulators.capture import Recorder, TappedOpener
from simulators.console import Console, LocalConsole
from simulators.dealer import SimulatedDealer
from simulators.device_port import DevicePort, LineSpeed
from simulators.faulty_port import FaultyPort
from simulators.felt import PACKET
from simulators.field import Coupling
from simulators.habits import BeforeHand, DealerStats, Habits, HoldPolicy, Pace
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.memory_link import MemoryLink
from simulators.packets import Packets
from simulators.players import Player
from simulators.rig import NINETEEN, SET_ID, SHOE_PORT, SimulatedTable, make_tags, seat_players

SHOE_BAUD: Final = 9600
READER_BAUD: Final = 38400
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
FAST: Final = 20.0
"""The stated factor of fast runs: it divides line times, presence times and the pace of simulated people."""


CHECK_S: Final = 60.0
"""Longest time for a simulated deck to be seen whole before it comes into play."""
SPREAD_AT: Final = "muck"
"""Where it is spread for that: the antenna that may hold a whole deck."""

AT_ONCE: Final = Pace(card_s=0.25, travel_s=0.15, shuffle_s=1.0, press_s=0.0, think_s=0.0)
"""Pace of people who do not think: a burst of four cards a second (devices §6.3)."""


@dataclass(frozen=True, slots=True)
class Play:
    """What is played: game, house rules, who sits where with what, and the factor of speed."""

    variant: str = "stud"
    stakes: Mapping[str, int] = field(default_factory=lambda: {"ante": 1, "bring_in": 2, "small": 4, "big": 8, "unit": 1})
    preset: str = "seeds"
    rules: Mapping[str, str] = field(default_factory=lambda: {"buyin.min": "1"})
    seats: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    speed: float = FAST
    at_once: bool = True
    """Simulated people act at once; cards still take their way."""


def registry_of(tags: Mapping[str, str], set_id: str = SET_ID) -> DeckRegistry:
    """The deck registry of simulated tags."""
    return DeckRegistry("SIM", set_id, {parse_card(card): tag for card, tag in tags.items()})


def config_for(
    play: Play,
    *,
    ports: Mapping[str, str],
    wiring: Mapping[str, Mapping[int, str]] = NINETEEN,
    table: str = "T1",
    data: str = "data",
    deck: str = "deck.toml",
    mqtt: Mapping[str, Any] | None = None,
    http_port: int = 0,
) -> dict[str, Any]:
    """A table's configuration as ``table.toml`` holds it. ``ports`` names each device's port."""
    raw: dict[str, Any] = {
        "table": {"venue": "demo", "name": table},
        "game": {"variant": play.variant, "preset": play.preset, "stakes": dict(play.stakes), "rules": dict(play.rules)},
        "data": data,
        "deck": deck,
        "access": "open",
        "shoe": {"port": ports[SHOE_PORT], "serial": "S0012345"},
        "readers": [
            {
                "name": line,
                "port": ports[line],
                "antennas": {str(address): place for address, place in addresses.items()},
                "seldom": [address for address, place in addresses.items() if place == "muck"],
            }
            for line, addresses in wiring.items()
        ],
        "http": {"port": http_port},
        "felt": {"speed": play.speed},
    }
    if mqtt is not None:
        raw["mqtt"] = dict(mqtt)
    return raw


def line_speeds(wiring: Mapping[str, Mapping[int, str]], speed: float) -> dict[str, LineSpeed]:
    """Pace of each device's line."""
    return {
        SHOE_PORT: LineSpeed(SHOE_BAUD, speed=speed),
        **{line: LineSpeed(READER_BAUD, parity=True, speed=speed) for line in wiring},
    }


class Rehearsal:
    """One table app with simulated devices around it, in this process.

    ``ports`` carry the devices, ``openers`` are their other ends. ``serve`` publishes to a broker. After ``play`` the records of
    the journal stand in ``records``.
    """

    def __init__(
        self,
        play: Play,
        *,
        seed: int,
        ports: Mapping[str, DevicePort],
        openers: Mapping[str, Opener],
        clock: Clock,
        serve: Serve | None = None,
        wiring: Mapping[str, Mapping[int, str]] = NINETEEN,
        habits: Habits | None = None,
        coupling: Coupling | None = None,
        table: str = "T1",
    ) -> None:
        self._rng = random.Random(seed)
        self.tags = tags = make_tags(self._rng)
        self._play = play
        self._habits = habits
        self.devices = SimulatedTable(ports, tags=tags, rng=self._rng, wiring=wiring, speed=play.speed, coupling=coupling)
        self.records: list[Record] = []
        self.watchers: list[Callable[[TableState, Sequence[Record]], None]] = []
        """Told of each commit."""
        raw = config_for(play, ports={name: f"memory-{name}" for name in ports}, wiring=wiring, table=table)
        self.config: TableConfig = parse_config(raw, "rehearsal")
        secrets = random.Random(self._rng.getrandbits(64))
        self.outside = Outside(
            openers=openers,
            registry=registry_of(tags),
            clock=clock,
            rng=random.Random(self._rng.getrandbits(64)),
            serve=serve,
            commit=Commit.INLINE,
            random_bytes=secrets.randbytes,
            watch=self._watch,
        )

    def _watch(self, state: TableState, records: Sequence[Record]) -> None:
        self.state = state
        self.records.extend(records)
        for watcher in self.watchers:
            watcher(state, records)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[TableApp]:
        """The table at work with its devices; closing it stops both. What ends the controller early ends the block and comes
        through: nobody waits for a table that is gone."""
        async with TableApp(self.config, self.outside) as app:
            self.devices.start()
            try:
                async with asyncio.TaskGroup() as tasks:
                    running = tasks.create_task(app.run(), name="controller")
                    yield app
                    running.cancel()
            except BaseExceptionGroup as group:
                raise group.exceptions[0] from None
            finally:
                self.devices.stop()

    async def deal(
        self,
        app: TableApp | None,
        players: Mapping[int, Player],
        packets: Packets,
        *,
        hands: int,
        console: Console | None = None,
        before_hand: BeforeHand | None = None,
        hold_policy: HoldPolicy | None = None,
        make_dealer: Callable[..., SimulatedDealer] = SimulatedDealer,
    ) -> DealerStats:
        """Seat the players and play ``hands`` hands, on ``console`` or one of ``app``. What a player raises comes through.

        ``make_dealer`` makes the dealer, one who errs for instance.
        """
        if console is None:
            if app is None:
                raise ValueError("a dealer needs a console, or the controller to which hers belongs")
            console = local_console(app, random.Random(self._rng.getrandbits(64)), self._play.speed)
        await seat_players(console, self._play.seats)
        dealer = make_dealer(
            console,
            self.devices.felt,
            self.devices.shoe,
            players,
            packets,
            rng=random.Random(self._rng.getrandbits(64)),
            pace=replace(AT_ONCE, speed=self._play.speed) if self._play.at_once else Pace(speed=self._play.speed),
            habits=self._habits,
            before_hand=before_hand,
            hold_policy=hold_policy,
            set_id=SET_ID,
            max_hands=hands,
        )
        return await dealer.run()


async def check_simulated_deck(devices: SimulatedTable, config: TableConfig, registry: DeckRegistry) -> None:
    """Before the deck comes into play it is spread over the muck's antenna, and each card read there (R-DECK-01, REG-41).

    The controller must not have that line yet. A check that is recorded already stands; ``ConfigError`` when a card is missing.
    """
    care, digest = care_path(config.deck), digest_of(registry)
    known = load_care(care).passed
    if known is not None and known.digest == digest:
        return
    clock, at = SystemClock(), asyncio.get_running_loop().time()
    line, address = next(
        (line, int(key)) for line in config.readers for key, place in line.antennas.items() if place == SPREAD_AT
    )

    def reader(deliver: Deliver) -> ReaderPort:
        setup = ReaderSetup(
            name=line.name,
            opener=opener_for(line.port, line.settings()),
            deliver=deliver,
            clock=clock,
            rng=random.Random(0),
            antennas=(WiredAntenna(address),),
            baud=round(line.baud * config.felt.speed),
            round_s=config.felt.round_s / config.felt.speed,
        )
        return reader_driver(line.driver).make(setup)

    check = DeckCheck(registry)
    devices.felt.gather((PACKET,), SPREAD_AT, at=at)
    await check_deck(reader, check, lambda _: None, seconds=CHECK_S)
    devices.felt.gather((SPREAD_AT,), PACKET, at=at)
    if not check.whole:
        raise ConfigError(
            f"the simulated deck did not pass its check: {check.seen} of 52 cards seen, {check.foreign} foreign tags"
        )
    now = clock.wall().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    passed = DeckPassed(now, "simulated dealer", "simulated supervisor", f"{line.name}, antenna {address}", digest)
    change_care(care, lambda before: before.found(passed))


def local_console(app: TableApp, rng: random.Random, speed: float) -> LocalConsole:
    """The dealer's console of a controller in this process."""

    async def fetch(after: int | None) -> dict[str, Any]:
        return app.desk.snapshot() if after is None else await app.desk.changed(after)

    async def submit(body: Mapping[str, Any]) -> dict[str, Any]:
        return await app.desk.send(CommandBody.model_validate(body))

    return LocalConsole(fetch, submit, rng=rng, speed=speed)


def memory_rehearsal(
    play: Play,
    *,
    seed: int,
    wiring: Mapping[str, Mapping[int, str]] = NINETEEN,
    broker: MemoryBroker | None = None,
    habits: Habits | None = None,
    coupling: Coupling | None = None,
    faults_seed: int | None = None,
    recorder: Recorder | None = None,
    table: str = "T1",
) -> Rehearsal:
    """A rehearsal with links in memory, for the virtual loop; ``broker`` takes what is published.

    With ``faults_seed`` the lines are ``FaultyPort``s, whose faults are drawn from it. ``recorder`` gets the traffic.
    """
    links = {name: MemoryLink(name, pace=pace) for name, pace in line_speeds(wiring, play.speed).items()}
    ports: dict[str, DevicePort] = dict(links)
    if faults_seed is not None:
        ports = faulty_ports(ports, random.Random(faults_seed))

    async def serve(handler: Handler) -> None:
        if broker is not None:
            await MemoryClient(broker, f"table-{table}", handler).run()

    return Rehearsal(
        play,
        seed=seed,
        ports=ports,
        openers=links if recorder is None else {name: TappedOpener(link, recorder, port=name) for name, link in links.items()},
        clock=LoopClock(START),
        serve=serve if broker is not None else None,
        wiring=wiring,
        habits=habits,
        coupling=coupling,
        table=table,
    )


def faulty_ports(ports: Mapping[str, DevicePort], rng: random.Random) -> dict[str, DevicePort]:
    """The same ports with a ``FaultyPort`` before each; the shoe's frames are lines."""
    return {name: FaultyPort(port, rng=rng, cut=lines if name == SHOE_PORT else chunks) for name, port in ports.items()}
