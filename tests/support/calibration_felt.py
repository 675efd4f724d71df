"""A small simulated table whose antennas are calibrated, and somebody who lays cards where the guide asks for them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from controller.calibration.desk import Desk, make_record
from controller.calibration.figures import Calibration
from controller.calibration.guide import Plan, Step
from controller.config import TableConfig, parse_config
from controller.rehearsal import Play, config_for, line_speeds, registry_of
from controller.tracking.antennas import AntennaId
from controller.tracking.enrolment import Said
from drivers.clock import LoopClock
from simulators.device_port import DevicePort
from simulators.felt import HAND, PACKET
from simulators.memory_link import MemoryLink
from simulators.rig import SHOE_PORT, SimulatedTable, make_tags
from simulators.virtual_time import run_virtual

TWO_SEATS: Final[Mapping[str, Mapping[int, str]]] = {
    "felt-a": {1: "seat/1/down", 2: "seat/1/up", 3: "seat/2/down", 4: "seat/2/up"},
    "felt-e": {1: "muck", 2: "burn", 3: "community"},
}
PLACES: Final = tuple(place for line in TWO_SEATS.values() for place in line.values())
CARDS: Final = ("As", "Kd", "7c")
AT: Final = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def configuration(ports: Mapping[str, str], **felt: Any) -> dict[str, Any]:
    """``table.toml`` of the small table."""
    play = Play(speed=1.0, rules={"buyin.min": "1", "table.max_seats": "2"})
    raw = config_for(play, ports=ports, wiring=TWO_SEATS)
    raw["felt"] |= felt
    return raw


class Person:
    """Lays three cards where ``told`` asks for them, a second later; ``misplaced`` sends those for one place to another."""

    def __init__(self, devices: SimulatedTable, *, dawdle_s: float = 1.0, slides: bool = False) -> None:
        self.devices = devices
        self.dawdle_s = dawdle_s
        self.slides = slides
        self.misplaced: dict[str, str] = {}
        self.lazy: set[str] = set()
        self.told: list[Said] = []
        self.where = PACKET
        self._tasks: set[asyncio.Task[None]] = set()

    def tell(self, said: Said) -> None:
        """What the guide says."""
        self.told.append(said)
        if said.code in ("calibrate.lay", "calibrate.stack", "calibrate.lift", "calibrate.clear"):
            self.do(self._lay(PACKET if said.code == "calibrate.clear" else str(said.values["place"])))

    def do(self, work: Any) -> None:
        """Begin something with the hands."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _lay(self, place: str) -> None:
        if place in self.lazy:
            return
        place = self.misplaced.get(place, place)
        await asyncio.sleep(self.dawdle_s)
        if not self.slides:
            self.move(HAND)
            await asyncio.sleep(1.5)
        self.move(place)

    def move(self, target: str) -> None:
        """All cards at once."""
        for card in CARDS:
            self.devices.felt.move(card, target, origin=self.where, at=0.0)
        self.where = target

    @property
    def codes(self) -> list[str]:
        """What was told, as codes."""
        return [said.code for said in self.told]


class Bench:
    """The table's devices in memory, and one calibration after the other."""

    def __init__(self, *, seed: int = 1, coupling: Mapping[str, Mapping[str, float]] | None = None, **felt: Any) -> None:
        rng = random.Random(seed)
        self.tags = make_tags(rng)
        self.registry = registry_of(self.tags)
        self.links = {name: MemoryLink(name, pace=pace) for name, pace in line_speeds(TWO_SEATS, 1.0).items()}
        ports: dict[str, DevicePort] = dict(self.links)
        self.devices = SimulatedTable(ports, tags=self.tags, rng=rng, wiring=TWO_SEATS, coupling=coupling)
        self.config: TableConfig = parse_config(configuration({name: name for name in (SHOE_PORT, *TWO_SEATS)}, **felt), "bench")
        self.person = Person(self.devices)
        self.watched: list[Said | None] = []
        self.desk: Desk

    def plan(self, *only: str, stacked: bool = False, **numbers: Any) -> Plan:
        """What is measured: all antennas, or ``only`` some."""
        antennas = self.config.antennas()
        wired: dict[AntennaId, Any] = {
            (line, address): antennas.place(line, address) for line in TWO_SEATS for address in TWO_SEATS[line]
        }
        steps = [
            Step(antenna, kind)
            for antenna, place in wired.items()
            if not only or str(place) in only
            for kind in ((False, True) if stacked else (False,))
        ]
        return Plan(antennas=wired, steps=steps, **{"noise_scans": 60, "scans": 100, "wait_s": 30.0, **numbers})

    def calibrate(
        self,
        plan: Plan,
        before: Calibration | None = None,
        *,
        during: Callable[[Bench], Any] | None = None,
        at: datetime = AT,
    ) -> Calibration:
        """One whole calibration on virtual time. ``during`` is a coroutine function that runs beside it."""

        async def story() -> Calibration:
            self.devices.start()
            clock = LoopClock(at)
            self.desk = Desk(
                self.config,
                self.registry,
                plan,
                self.person.tell,
                clock=clock,
                rng=random.Random(2),
                opener=lambda url, _: self.links[url],
                watch=self.watched.append,
            )
            if during is not None:
                self.person.do(during(self))
            try:
                await self.desk.run()
            finally:
                self.devices.stop()
            return make_record(self.config, self.registry, plan, self.desk.guide, at=at, before=before)

        return run_virtual(story(), max_seconds=6_000)
