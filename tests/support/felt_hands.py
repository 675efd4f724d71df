"""A test's own hands at a simulated table at real pace: cards drawn from the shoe and laid where the test wants them.

Shoe, readers and lines take their own time, and the table has its journal. What readers could know and when is noted as their
scans come in; what the dealer's screen says and when, as she would see it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

from controller.app import TableApp
from controller.hand.events import CardDealt, HandHeld, HoldLifted
from controller.rehearsal import Play, Rehearsal, local_console, memory_rehearsal
from controller.table.loop import Table
from drivers.ports import AntennaScan, DeviceEvent
from simulators.console import LocalConsole
from simulators.felt import FULL_DECK
from simulators.rig import NINETEEN, SET_ID, seat_players
from simulators.virtual_time import run_virtual

EIGHT = {seat: (f"P{seat}", 200) for seat in range(1, 9)}
Story = Callable[["FeltHands"], Awaitable[None]]


class FeltHands:
    """The hands, the screen and a note of all scans. ``screen``: the newest snapshot; ``alarms``: when a stop came or went."""

    def __init__(self, rehearsal: Rehearsal, app: TableApp, rng: random.Random, wiring: Mapping[str, Mapping[int, str]]) -> None:
        self.rehearsal = rehearsal
        self.app = app
        self.console: LocalConsole = local_console(app, rng, 1.0)
        self.felt = rehearsal.devices.felt
        self.shoe = rehearsal.devices.shoe
        self.readers = rehearsal.devices.readers
        self.ports = rehearsal.devices.ports
        self.wiring = wiring
        self.rng = rng
        self.screen: dict[str, Any] = {}
        self.alarms: list[tuple[float, str | None]] = []
        self.readings: dict[tuple[str, str], list[float]] = {}

    def note(self, scan: AntennaScan) -> None:
        """What an antenna read, as it comes to the table."""
        place = self.wiring[scan.device][scan.antenna]
        for uid in scan.tags:
            self.readings.setdefault((uid, place), []).append(scan.at)

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def look(self) -> None:
        """Keep reading the screen."""
        self.screen = await self.console.snapshot()
        while True:
            self.screen = await self.console.changed(self.screen["seq"])
            code = None if self.screen["hold"] is None else self.screen["hold"]["code"]
            if code != (self.alarms[-1][1] if self.alarms else None):
                self.alarms.append((self.now(), code))

    async def until(self, true: Callable[[], object], *, within_s: float = 10.0) -> None:
        """Wait until ``true()``; ``TimeoutError`` after ``within_s`` of table time."""
        async with asyncio.timeout(within_s):
            while not true():
                await asyncio.sleep(0.005)

    async def start(self) -> None:
        """Load a shuffled deck and start the hand; returns when the first card may be drawn."""
        await seat_players(self.console, EIGHT)
        order = list(FULL_DECK)
        self.rng.shuffle(order)
        self.shoe.load([card.upper() for card in order], SET_ID)
        self.felt.load(order, at=self.now())
        await self.until(lambda: self.screen["step"]["kind"] == "start_hand")
        answer = await self.console.send({"type": "start_hand"}, decision=None, seq=self.screen["seq"])
        assert answer["ok"], answer
        await self.until(lambda: self.shoe.is_gate_open and self.plan())

    def plan(self) -> list[str]:
        """Where the next cards are due."""
        step = self.screen["step"]
        return [str(place) for place in step["plan"]] if step["kind"] == "deal" else []

    def draw(self) -> str:
        """A card out of the shoe, which must be open."""
        code = self.shoe.draw()
        assert code is not None, "the gate is closed"
        return self.felt.draw(at=self.now())

    def lay(self, card: str, place: str) -> None:
        """Out of her hand or from another place."""
        self.felt.move(card, place, origin=self.felt.where(card), at=self.now())

    async def deal(self, cards: int, *, gap_s: float = 0.5) -> list[str]:
        """Draw and lay so many where they are due; returns when they are dealt."""
        dealt = self.dealt() + cards
        plan, out = self.plan()[:cards], []
        for place in plan:
            await self.until(lambda: self.shoe.is_gate_open)
            out.append(self.draw())
            self.lay(out[-1], place)
            await asyncio.sleep(gap_s)
        await self.until(lambda: self.dealt() == dealt)
        return out

    def dealt(self) -> int:
        return len(self.events(CardDealt))

    def events(self, *kinds: type) -> list[Any]:
        """The journal's events of some kinds."""
        return [record.event for record in self.rehearsal.records if isinstance(record.event, kinds)]

    def stops(self) -> list[str]:
        """Codes of the stops that were told, in order."""
        return [event.code for event in self.events(HandHeld)]

    def lifted(self) -> list[str]:
        return [event.code for event in self.events(HoldLifted)]

    @property
    def hold(self) -> str | None:
        return None if self.screen["hold"] is None else str(self.screen["hold"]["code"])

    def second_reading(self, card: str, place: str, *, since: float) -> float:
        """When the antenna of ``place`` had read ``card`` twice: before, nobody can know that it is there."""
        times = [at for at in self.readings[self.rehearsal.tags[card], place] if at >= since]
        return times[1]

    def line_of(self, place: str) -> tuple[str, int]:
        """The line and address of a place."""
        return next((line, address) for line, places in self.wiring.items() for address, at in places.items() if at == place)

    def check(self) -> None:
        """Nothing lost, nothing doubled."""
        state = self.app.table.state
        assert state.chips_conserved
        assert state.cards_conserved
        dealt = [event.card for event in self.events(CardDealt)]
        assert len(set(dealt)) == len(dealt)


@asynccontextmanager
async def _at(rehearsal: Rehearsal, seed: int, wiring: Mapping[str, Mapping[int, str]]) -> AsyncIterator[FeltHands]:
    at_table: list[FeltHands] = []
    deliver = Table.deliver

    async def noted(table: Table, event: DeviceEvent) -> None:
        if isinstance(event, AntennaScan) and at_table:
            at_table[0].note(event)
        await deliver(table, event)

    with patch.object(Table, "deliver", noted):
        async with rehearsal.opened() as app:
            hands = FeltHands(rehearsal, app, random.Random(seed), wiring)
            at_table.append(hands)
            async with _looking(hands):
                yield hands


@asynccontextmanager
async def _looking(hands: FeltHands) -> AsyncIterator[None]:
    """The screen is read all the time; at the end the table is checked."""
    looking = asyncio.create_task(hands.look())
    try:
        await asyncio.sleep(1.0)
        yield
        hands.check()
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


def at_the_felt(
    story: Story,
    *,
    seed: int = 1,
    miss: float = 0.0,
    wiring: Mapping[str, Mapping[int, str]] = NINETEEN,
    max_seconds: float = 300.0,
) -> None:
    """Run ``story`` at a table of eight, real pace, virtual time; ``miss`` is the readers' share of misses."""
    rehearsal = memory_rehearsal(Play(seats=EIGHT, speed=1.0), seed=seed, wiring=wiring)
    for readers in rehearsal.devices.readers.values():
        readers.faults.miss = miss

    async def run() -> None:
        async with _at(rehearsal, seed, wiring) as hands:
            await story(hands)

    run_virtual(run(), max_seconds=max_seconds)
