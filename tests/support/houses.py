"""Simulated devices and people that live on while controllers die and start again on one folder, on virtual time."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.app import Outside, TableApp
from controller.config import parse_config
from controller.console.orders import CommandBody
from controller.journal.store import ROTATE_AFTER
from controller.journal.writer import Commit
from controller.mqtt.ports import Handler
from controller.rehearsal import AT_ONCE, START, Play, config_for, line_speeds, registry_of
from controller.table.loop import Record
from controller.table.machine import IsSynchronised
from controller.table.state import TableState
from drivers.clock import LoopClock
from drivers.shoe.authentication import Pair
from drivers.shoe.device_memory import ShoeMemory
from simulators.console import LocalConsole
from simulators.dealer import SimulatedDealer
from simulators.habits import DealerStats, Habits, HoldPolicy
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.memory_link import MemoryLink
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.rig import NINETEEN, SET_ID, SimulatedTable, make_tags, seat_players


class House:
    """Devices, dealer, players and broker of one table; ``app`` is the controller of now, if there is one."""

    def __init__(
        self,
        folder: Path,
        play: Play,
        *,
        seed: int,
        wiring: Mapping[str, Mapping[int, str]] = NINETEEN,
        rotate_after: int = ROTATE_AFTER,
        pair: Pair | None = None,
        memory: ShoeMemory | None = None,
    ) -> None:
        """With ``pair`` shoe and controller authenticate their line. ``memory``: what the shoe kept from before."""
        self.rotate_after = rotate_after
        self.rng = random.Random(seed)
        self.play = play
        self.folder = folder
        self.tags = make_tags(self.rng)
        self.links = {name: MemoryLink(name, pace=pace) for name, pace in line_speeds(wiring, play.speed).items()}
        self.devices = SimulatedTable(
            self.links, tags=self.tags, rng=self.rng, wiring=wiring, speed=play.speed, pair=pair, memory=memory
        )
        raw = config_for(play, ports={name: f"memory-{name}" for name in self.links}, wiring=wiring)
        if pair is not None:
            key_file = folder / "shoe.key"
            key_file.write_text(pair.key.hex(), encoding="ascii")
            raw["shoe"] |= {"serial": pair.serial, "node": pair.node, "key_file": str(key_file)}
        self.config = parse_config(raw, "house")
        self.broker = MemoryBroker()
        self.habits: Habits | None = None
        self.hold_policy: HoldPolicy | None = None
        self.is_synchronised: IsSynchronised | None = None
        self.app: TableApp | None = None
        self.starts = 0
        self.records: list[Record] = []
        self._running: asyncio.Task[None] | None = None
        self._dead: list[TableApp] = []

    def _watch(self, _: TableState, records: Sequence[Record]) -> None:
        self.records.extend(records)

    async def _serve(self, handler: Handler) -> None:
        await MemoryClient(self.broker, "table", handler).run()

    # ------------------------------------------------------------------ controllers

    async def start(self) -> TableApp:
        """A controller on what lies in the folder of now."""
        self.starts += 1
        outside = Outside(
            openers=self.links,
            registry=registry_of(self.tags),
            clock=LoopClock(START),
            rng=random.Random(self.rng.getrandbits(64)),
            serve=self._serve,
            folder=self.folder / f"start{self.starts}",
            key_folder=self.folder / "keys",
            commit=Commit.INLINE,
            random_bytes=random.Random(self.rng.getrandbits(64)).randbytes,
            watch=self._watch,
            rotate_after=self.rotate_after,
            is_synchronised=self.is_synchronised,
        )
        app = TableApp(self.config, outside)
        await app.__aenter__()
        self.app = app
        self._running = asyncio.create_task(app.run(), name=f"controller {self.starts}")
        return app

    @property
    def running(self) -> asyncio.Task[None] | None:
        """The controller of now at work."""
        return self._running

    async def kill(self) -> TableApp:
        """The controller is gone between two steps of its loop; what its disk holds then is what the next one finds."""
        app, running = self.app, self._running
        assert app is not None
        assert running is not None
        here = self.folder / f"start{self.starts}"
        if here.exists():
            shutil.copytree(here, self.folder / f"start{self.starts + 1}")
        self.app = self._running = None
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        self._dead.append(app)
        return app

    async def close(self) -> None:
        """Everything ends."""
        if self.app is not None:
            await self.kill()
        self.devices.stop()
        for app in self._dead:
            await app.journal.close()

    # ------------------------------------------------------------------ people

    def console(self) -> LocalConsole:
        """The dealer's console: it finds the controller of now, or none."""

        async def fetch(after: int | None) -> dict[str, Any]:
            app = self._there()
            return app.desk.snapshot() if after is None else await app.desk.changed(after)

        async def submit(body: Mapping[str, Any]) -> dict[str, Any]:
            return await self._there().desk.send(CommandBody.model_validate(body))

        return LocalConsole(fetch, submit, rng=random.Random(self.rng.getrandbits(64)), speed=self.play.speed)

    def _there(self) -> TableApp:
        if self.app is None:
            raise ConnectionRefusedError("no controller")
        return self.app

    async def deal(self, hands: int) -> DealerStats:
        """Seat the players and deal."""
        console = self.console()
        await seat_players(console, self.play.seats)
        dealer = SimulatedDealer(
            console,
            self.devices.felt,
            self.devices.shoe,
            {seat: RandomPlayer(random.Random(self.rng.getrandbits(64))) for seat in range(1, 9)},
            ShuffledPackets(random.Random(self.rng.getrandbits(64))),
            rng=random.Random(self.rng.getrandbits(64)),
            pace=replace(AT_ONCE, speed=self.play.speed),
            habits=self.habits,
            hold_policy=self.hold_policy,
            set_id=SET_ID,
            max_hands=hands,
        )
        return await dealer.run()

    async def evening(self, hands: int, meanwhile: Callable[[], Coroutine[Any, Any, None]] | None = None) -> DealerStats:
        """Devices on, a controller, ``hands`` hands, and ``meanwhile`` beside them."""
        self.devices.start()
        await self.start()
        async with asyncio.TaskGroup() as tasks:
            beside = tasks.create_task((meanwhile or _nothing)(), name="meanwhile")
            stats = await self.deal(hands)
            beside.cancel()
        return stats


async def _nothing() -> None:
    """Beside the dealing."""
