"""A configured table before its devices are there: simulated ones on its ports, and a dealer and players at its address.

The table itself is the program that runs a real one, started by whoever starts tables; here is what it has around it.
"""

from __future__ import annotations

import asyncio
import json
import random
import ssl
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import httpx
from pydantic import TypeAdapter

from controller.config import ConfigError, ReaderSection, TableConfig
from controller.console.screen import SIMULATED
from controller.demo_people import SIMULATED_DEALER, SignsIn
from controller.hand.cards import parse_card
from controller.rehearsal import AT_ONCE, check_simulated_deck, registry_of
from controller.serve import load_registry
from controller.tls import ClientTls, TlsError, why_failed
from controller.tracking.registry import DeckRegistry
from controller.whole_file import write_whole
from drivers.link.serial import Parity
from drivers.shoe.device_memory import ShoeMemory
from simulators.console import Console, HttpConsole, HttpWheel
from simulators.dealer import SimulatedDealer
from simulators.device_port import LineSpeed
from simulators.felt import FULL_DECK
from simulators.habits import DealerStats, Habits, Held, HoldChoice, Pace, rebuy
from simulators.packets import ShuffledPackets
from simulators.players import Player, RandomPlayer
from simulators.ports import PseudoTerminal
from simulators.rig import SET_ID, SHOE_PORT, SimulatedTable, hand_is_open, make_tags, seat_players

NAMES: Final = ("Ann", "Ben", "Cléo", "Dan", "Eva", "Fred", "Gus", "Hana")
BIG_BETS: Final = 25
"""What each player buys in for."""
MEMORY: Final = "simulated-shoe.json"
"""Beside the deck: what the shoe keeps without current. A shoe whose numbers go back is another one, and stops a table."""
ASK_S: Final = 0.2
"""How often the table is asked whether it is there."""
DECK: Final = "SIM"
"""What a simulated deck is called, and no real one."""
SHOE: Final = "tsp1"
READER: Final = "feig"


@dataclass(frozen=True, slots=True)
class DealerLogin:
    """Number and PIN by which the simulated dealer signs in."""

    number: str
    pin: str


@dataclass(frozen=True, slots=True)
class Played:
    """What the simulated dealer did: hands that ended, those of them that were void, and presses that the table refused."""

    hands: int
    voided: int
    refusals: int

    def as_json(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)


def pace_of(config: TableConfig) -> Pace:
    """How fast people are: as people, and at once where ``felt.speed`` makes all times shorter."""
    speed = config.felt.speed
    return Pace(speed=speed) if speed <= 1.0 else replace(AT_ONCE, speed=speed)


def patient(held: Held) -> HoldChoice:
    """She puts right what she laid wrong, and leaves the rest to the floor: no simulated person agrees to a void."""
    return HoldChoice.MEND if held.misplaced else HoldChoice.WAIT


def simulable(config: TableConfig) -> Mapping[str, Mapping[int, str]]:
    """Places by bus address, for each line of readers. ``ConfigError`` for a table whose devices cannot be simulated together."""
    shoe = config.shoe
    if shoe is None or not config.readers:
        raise ConfigError("a rehearsal simulates shoe and readers: the configuration needs [shoe] and [[readers]]")
    for device, driver, wanted in ((shoe.name, shoe.driver, SHOE), *((one.name, one.driver, READER) for one in config.readers)):
        if driver != wanted:
            raise ConfigError(f"{device}: driver {driver} is not simulated at a whole table: take {SHOE} and {READER} for it")
    if shoe.key_file is not None:
        raise ConfigError("shoe.key_file: the simulated shoe has no key: leave it out for a rehearsal")
    if strange := next((one.name for one in config.readers if one.multiplexer is not None), None):
        raise ConfigError(f"{strange}: multiplexer: simulated readers have none: leave it out for a rehearsal")
    return {line.name: {int(key): place for key, place in line.antennas.items()} for line in config.readers}


def simulated_deck(config: TableConfig, rng: random.Random) -> DeckRegistry:
    """The deck that the configuration names, made where none is there. ``ConfigError`` for one of real cards: its check would be
    recorded, and nobody made it."""
    if not config.deck.exists():
        try:
            write_whole(config.deck, registry_of(make_tags(rng)).toml())
        except OSError as error:
            raise ConfigError(
                f"deck: {config.deck} cannot be written ({error.strerror}): make its folder, for this user"
            ) from None
    registry = load_registry(config)
    if (registry.deck_id, registry.set_id) != (DECK, SET_ID):
        raise ConfigError(
            f"deck: {config.deck} is of real cards: name a file that is not there yet, and a simulated deck is made"
        )
    return registry


def trust_of(config: TableConfig) -> ssl.SSLContext | bool:
    """By whom the table's certificate is vouched for: the broker's authority, where that is named. ``ConfigError``."""
    tls = None if config.mqtt is None else config.mqtt.tls
    if tls is None:
        return True
    try:
        return ClientTls(tls.authority).context()
    except TlsError as error:
        raise ConfigError(f"mqtt: {error}") from None


def port_of(path: str) -> Path:
    """Where a simulated device publishes its terminal. ``ConfigError`` where it cannot."""
    port = Path(path)
    if not port.is_absolute():
        raise ConfigError(f"{path} is no place for a simulated device: write a path, as /dev/stud-table/T1/shoe")
    if not port.parent.is_dir():
        raise ConfigError(f"{port} cannot be made: there is no folder {port.parent}")
    if (port.exists() and not port.is_symlink()) or port.is_char_device():
        raise ConfigError(f"{port} is a device, or a simulated one that runs: a rehearsal takes no port from another")
    return port


class RehearsedTable:
    """Devices, dealer and players of one configured table. ``start``, ``play``, ``stop``; needs a running loop."""

    def __init__(self, config: TableConfig, *, login: DealerLogin | None, players: int, rng: random.Random) -> None:
        if config.access == "people" and login is None:
            raise ConfigError("people sign in at this table: say as whom the simulated dealer does, with --number and --pin-file")
        self._config = config
        self._rng = rng
        self._speed = config.felt.speed
        self._kept: ShoeMemory | None = None
        self._trust = trust_of(config)
        wiring = simulable(config)
        registry = self._registry = simulated_deck(config, rng)
        ports = {line.name: PseudoTerminal(port_of(line.port), pace=self._pace(line)) for line in config.readers}
        shoe = config.shoe
        assert shoe is not None  # simulable has said so  # noqa: S101
        ports[SHOE_PORT] = PseudoTerminal(port_of(shoe.port), pace=LineSpeed(shoe.baud, speed=self._speed))
        tags = {card: registry.tag(parse_card(card)) for card in FULL_DECK}
        self._devices = SimulatedTable(ports, tags=tags, rng=rng, wiring=wiring, speed=self._speed, memory=self._memory())
        self._devices.shoe.on_change = self._keep_memory
        chips = BIG_BETS * config.game.stakes.big
        self._seats = {seat: (NAMES[seat - 1], chips) for seat in range(1, players + 1)}
        self._signs_in = None if login is None else SignsIn(login.number, login.pin)
        self._dealer: SimulatedDealer | None = None
        self._stopping = asyncio.Event()

    def _pace(self, line: ReaderSection) -> LineSpeed:
        return LineSpeed(line.baud, parity=line.settings().parity is not Parity.NONE, speed=self._speed)

    def _memory(self) -> ShoeMemory:
        path = self._config.deck.with_name(MEMORY)
        if not path.exists():
            return ShoeMemory()
        try:
            return TypeAdapter(ShoeMemory).validate_json(path.read_bytes(), strict=True)
        except OSError as error:
            raise ConfigError(f"{path} cannot be read ({error.strerror}): give it to this user") from None
        except (ValueError, TypeError):
            raise ConfigError(f"{path} is no memory of a simulated shoe: take it away, and the journal with it") from None

    def _keep_memory(self) -> None:
        memory = self._devices.shoe.memory
        if memory != self._kept:
            self._kept = replace(memory)
            write_whole(self._config.deck.with_name(MEMORY), json.dumps(asdict(memory)))

    @property
    def address(self) -> str:
        """Where the table is asked: where it announces itself, else on this machine."""
        http = self._config.http
        return http.address or f"{http.scheme}://127.0.0.1:{http.port}/"

    async def start(self) -> None:
        """Plug the devices in, and check the simulated deck before it comes into play. ``ConfigError`` when it does not pass."""
        try:
            self._devices.start()
        except OSError as error:
            port = Path(str(error.filename2 or error.filename)).parent
            raise ConfigError(f"no port can be made in {port} ({error.strerror}): give the folder to this user") from None
        self._keep_memory()
        await check_simulated_deck(self._devices, self._config, self._registry)

    async def play(self, *, hands: int, tell: Callable[[str], None]) -> Played:
        """Wait for the table, seat the players where nobody sits, and deal ``hands`` hands, 0 until ``stop_dealing``.

        ``tell`` hears what it waits for. ``ConfigError`` when the table does not know the dealer, ``DealerStuck`` when she cannot
        go on.
        """
        stopping = asyncio.create_task(self._stopping.wait(), name="stop")
        playing = asyncio.create_task(self._play(hands, tell), name="people")
        try:
            await asyncio.wait((stopping, playing), return_when=asyncio.FIRST_COMPLETED)
            if self._dealer is None and not playing.done():
                return Played(0, 0, 0)
            return await playing
        finally:
            for task in (stopping, playing):
                task.cancel()
            await asyncio.gather(stopping, playing, return_exceptions=True)

    async def _play(self, hands: int, tell: Callable[[str], None]) -> Played:
        async with httpx.AsyncClient(base_url=self.address, auth=self._signs_in, verify=self._trust, trust_env=False) as client:
            await self._until_there(client, tell)
            console = self._console(client)
            tell(f"{self.address} is there")
            if hand_is_open(await console.snapshot()):
                tell("a hand is open whose cards are not on this felt: take over at the console, void it, and hand back")
            await seat_players(console, self._seats)
            stats = await self._deal(console, client, hands)
        return Played(stats.hands, stats.voided, stats.refusals)

    def _console(self, client: httpx.AsyncClient) -> Console:
        word = SIMULATED if self._signs_in is None else ""
        return HttpConsole(client, rng=random.SystemRandom(), speed=self._speed, console=word)

    async def _until_there(self, client: httpx.AsyncClient, tell: Callable[[str], None]) -> None:
        told = ""
        while True:
            try:
                answer = await client.get("/api/v1/snapshot")
            except httpx.TransportError as error:
                why = why_failed(error) or "it does not answer yet"
            else:
                if answer.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
                    raise ConfigError(f"{self.address} does not let the simulated dealer in: are her number and PIN in people?")
                if answer.status_code == httpx.codes.OK:
                    return
                why = f"it answers {answer.status_code}"
            if why != told:
                told = why
                tell(f"waiting for {self.address}: {why}")
            await asyncio.sleep(ASK_S)

    async def _deal(self, console: Console, client: httpx.AsyncClient, hands: int) -> DealerStats:
        players: dict[int, Player] = {
            seat: RandomPlayer(
                random.Random(self._rng.getrandbits(64)), self._rng.uniform(0.15, 0.45), self._rng.uniform(0.4, 0.7)
            )
            for seat in self._seats
        }
        session = str if self._signs_in is None else self._signs_in.console
        self._dealer = SimulatedDealer(
            console,
            self._devices.felt,
            self._devices.shoe,
            players,
            ShuffledPackets(random.Random(self._rng.getrandbits(64))),
            rng=random.Random(self._rng.getrandbits(64)),
            pace=pace_of(self._config),
            habits=Habits(),
            hold_policy=patient,
            before_hand=rebuy(BIG_BETS * self._config.game.stakes.big),
            set_id=SET_ID,
            max_hands=hands or None,
            drives=HttpWheel(client, SIMULATED, SIMULATED_DEALER.name, session).drives,
        )
        return await self._dealer.run()

    def stop_dealing(self) -> None:
        """Let the dealer stop after what she is doing."""
        self._stopping.set()
        if self._dealer is not None:
            self._dealer.stop()

    def stop(self) -> None:
        """Take the devices away."""
        self._devices.stop()
