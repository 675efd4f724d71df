"""``stud-table demo --tables N``: simulated tables at one broker, and the floor that watches them in a process of its own.

Each table is a demo as it stands alone (0013); only the broker is shared.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import httpx
import tomli_w

from controller.access.floor_key import PUBLIC, make_floor_key
from controller.config import ConfigError
from controller.demo import STOP_S, Demo, DemoPlan, DemoResult
from controller.demo_people import write_people
from controller.last_words import last_line
from controller.mqtt.broker import RunningBroker, claim_port, start_broker
from simulators.habits import DealerStats

VENUE: Final = "demo"
FLOOR_KEY: Final = "floor.key"
PEOPLE_FILE: Final = "people.json"
VARIANTS: Final = ("stud", "stud8", "razz")
"""What the tables play, one after the other, where no game is asked for."""
MAX_TABLES: Final = 64
PIT: Final = 4
"""Tables of a pit; where all stand in one there is no pit to tell."""
STARTING: Final = 2
"""Tables that start at one time: each starts a program."""
READY_S: Final = 60.0
"""Longest wait for the floor's address, on a machine that starts the tables beside it."""


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """``tables`` of them, each as ``plan`` says but for folder, name, seed and broker. ``variants`` are dealt in turn."""

    plan: DemoPlan
    tables: int
    variants: Sequence[str] = VARIANTS

    def table(self, number: int, broker: tuple[str, int]) -> DemoPlan:
        """The plan of table ``number``, from 1."""
        name = f"T{number}"
        return replace(
            self.plan,
            folder=self.plan.folder / name,
            table=name,
            seed=self.plan.seed + number - 1,
            variant=self.variants[(number - 1) % len(self.variants)],
            broker=broker,
            floor_key=(self.plan.folder / FLOOR_KEY).resolve().with_name(FLOOR_KEY + PUBLIC),
        )

    @property
    def pits(self) -> dict[str, list[str]]:
        """The tables by pit, as ``floor.toml`` names them."""
        names = [f"T{number}" for number in range(1, self.tables + 1)]
        if self.tables <= PIT:
            return {}
        return {f"Pit {first // PIT + 1}": names[first : first + PIT] for first in range(0, self.tables, PIT)}


class FloorDemo:
    """The tables and their floor. ``start``, ``play``, ``stop``, as of one table."""

    def __init__(self, plan: FloorPlan) -> None:
        if not 1 <= plan.tables <= MAX_TABLES:
            raise ConfigError(f"{plan.tables} tables: a demo has 1 to {MAX_TABLES}")
        self._plan = plan
        self._broker: RunningBroker | None = None
        self._floor: subprocess.Popen[bytes] | None = None
        self._stopping = False
        self._began = time.monotonic()
        self.http_port = claim_port(0)
        self.demos: list[Demo] = []

    @property
    def folder(self) -> Path:
        """Where everything of this demo lies."""
        return self._plan.plan.folder

    @property
    def config_path(self) -> Path:
        """The floor's configuration."""
        return self.folder / "floor.toml"

    @property
    def key_path(self) -> Path:
        """The key that signs the floor's orders; every table has its public half."""
        return self.folder / FLOOR_KEY

    @property
    def http(self) -> str:
        """The floor's HTTP address."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def _log(self) -> Path:
        return self.folder / "floor.log"

    async def start(self) -> None:
        """Start broker, floor and tables. What a table or the floor says against it comes through; ``stop`` ends the rest."""
        self.folder.mkdir(parents=True, exist_ok=True)
        broker = self._plan.plan.broker
        if broker is None:
            self._broker = await asyncio.to_thread(start_broker, self.folder / "broker")
            broker = (self._broker.host, self._broker.port)
        raw: dict[str, Any] = {"venue": VENUE, "mqtt": {"host": broker[0], "port": broker[1]}, "http": {"port": self.http_port}}
        if self._plan.pits:
            raw["pits"] = self._plan.pits
        if self._plan.plan.people:
            write_people(self.folder / PEOPLE_FILE)
            raw["people"] = PEOPLE_FILE
        if not self.key_path.exists():
            make_floor_key(self.key_path)
        self.config_path.write_text(tomli_w.dumps(raw), encoding="utf-8")
        self.start_floor()
        turns = asyncio.Semaphore(STARTING)

        async def start_table(demo: Demo) -> None:
            async with turns:
                if not self._stopping:
                    await demo.start()

        self.demos = [Demo(self._plan.table(number, broker)) for number in range(1, self._plan.tables + 1)]
        starting = [asyncio.create_task(start_table(demo)) for demo in self.demos]
        try:
            await asyncio.gather(*starting)
        finally:
            for task in starting:
                task.cancel()
            await asyncio.gather(*starting, return_exceptions=True)
        await self._until_ready()

    def start_floor(self) -> None:
        """Start the floor's process; after ``kill_floor`` again, on the same copy."""
        with self._log.open("ab") as log:
            self._floor = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "controller.cli", "floor", str(self.config_path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
            )

    def kill_floor(self) -> None:
        """SIGKILL: the floor is gone at once."""
        if self._floor is not None:
            self._floor.kill()
            self._floor.wait()

    async def _until_ready(self) -> None:
        deadline = time.monotonic() + READY_S
        async with httpx.AsyncClient(base_url=self.http) as client:
            while self._floor is not None and self._floor.poll() is None and time.monotonic() < deadline:
                try:
                    if (await client.get("/readyz")).status_code == httpx.codes.OK:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)
        raise ConfigError(f"the floor did not start: {last_line(self._log)}")

    async def play(self) -> list[DealerStats]:
        """Deal at every table until its hands are played or ``stop_dealing``; the first that fails ends all."""
        playing = [asyncio.create_task(demo.play(), name=f"play {demo.plan.table}") for demo in self.demos]
        try:
            return list(await asyncio.gather(*playing))
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)

    def stop_dealing(self) -> None:
        """Let every dealer stop after what she is doing; tables that have not started will not."""
        self._stopping = True
        for demo in self.demos:
            demo.stop_dealing()

    async def stop(self) -> None:
        """Stop everything that was started: the tables, then the floor, which has heard their good-bye, then the broker."""
        await asyncio.gather(*(demo.stop() for demo in self.demos), return_exceptions=True)
        floor = self._floor
        if floor is not None and floor.poll() is None:
            floor.terminate()
            try:
                await asyncio.to_thread(floor.wait, STOP_S)
            except subprocess.TimeoutExpired:
                floor.kill()
                floor.wait()
        if self._broker is not None:
            await asyncio.to_thread(self._broker.stop)

    def result(self, stats: Sequence[DealerStats]) -> FloorResult:
        """What the tables' journals say after ``stop``."""
        found = {demo.plan.table: demo.result(one) for demo, one in zip(self.demos, stats, strict=True)}
        return FloorResult(found, time.monotonic() - self._began)


@dataclass(frozen=True, slots=True)
class FloorResult:
    """What became of each table, by name."""

    tables: dict[str, DemoResult]
    seconds: float

    @property
    def ok(self) -> bool:
        """Every chip and card of every table is accounted for."""
        return all(result.ok for result in self.tables.values())

    def as_json(self) -> dict[str, Any]:
        """The sums, and each table as it would tell it alone."""
        results = self.tables.values()
        return {
            "hands": sum(result.hands for result in results),
            "voided": sum(result.voided for result in results),
            "irregularities": sum(result.irregularities for result in results),
            "chips_conserved": all(result.chips_conserved for result in results),
            "cards_conserved": all(result.cards_conserved for result in results),
            "seconds": round(self.seconds, 2),
            "tables": {name: result.as_json() for name, result in self.tables.items()},
        }
