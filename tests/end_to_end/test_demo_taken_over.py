"""In a demo a person takes over from the simulated dealer at any moment and deals the hand to its end, as the page offers it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from support.table_runs import started

from controller.console.screen import SIMULATED, screen_of
from controller.demo import Demo, DemoPlan
from simulators.console import HttpConsole
from simulators.dealer import SimulatedDealer

pytestmark = pytest.mark.ports

Now = Mapping[str, Any]
PERSON: Final = {"console": "person", "name": "Ines"}


def _acts(street: int) -> Callable[[Now], bool]:
    return lambda now: now["step"]["kind"] == "act" and now["hand"]["street"] == street


def _deals(street: int, after: int) -> Callable[[Now], bool]:
    return lambda now: now["step"]["kind"] == "deal" and now["hand"]["street"] == street and now["hand"]["cards"]["done"] >= after


MOMENTS: Final[dict[str, Callable[[Now], bool]]] = {
    "before the deal": lambda now: now["step"]["kind"] == "start_hand",
    "while third street is dealt": _deals(3, 4),
    "at a stop": lambda now: now["step"]["kind"] == "hold",
    "at the showdown": lambda now: now["step"]["kind"] == "table",
    "before the bring-in": _acts(3),
    "in the betting of fifth street": _acts(5),
    "while sixth street is dealt": _deals(6, 1),
    "at the award": lambda now: now["step"]["kind"] == "award",
}
SHORT: Final = 4
"""How many of them the short test takes, the first ones."""


class Evening:
    """A demo with its dealer, who is stopped at a moment so that a person takes over exactly there."""

    def __init__(self, demo: Demo, client: httpx.AsyncClient) -> None:
        self.demo = demo
        self.client = client
        self.person = HttpConsole(client, rng=random.SystemRandom(), console=PERSON["console"])
        self.holds: Callable[[Now], bool] = lambda _: False
        self.reached = asyncio.Event()
        self.taken = asyncio.Event()

    async def at_step(self, now: Now) -> None:
        """What the simulated dealer does before each step."""
        if self.holds(now) and not self.taken.is_set():
            self.reached.set()
            await self.taken.wait()

    async def misplace(self) -> None:
        """A card of the first seat slides to its neighbour while they bet."""
        async with asyncio.timeout(30):
            while (now := await self.person.snapshot())["step"]["kind"] != "act":
                await asyncio.sleep(0.01)
        assert now["hand"]["street"] >= 3
        felt = self.demo.devices.felt
        felt.move(felt.cards_at("seat/1/down")[0], "seat/2/down", origin="seat/1/down", at=0.0)

    async def take_over(self, moment: str) -> None:
        """Wait for the moment, take the wheel, play to the end of the hand, and give the wheel back."""
        self.reached.clear()
        self.taken.clear()
        if moment == "at a stop":
            self.holds = _acts(3)
            await asyncio.wait_for(self.reached.wait(), 60)
            self.reached.clear()
            await self.misplace()
            async with asyncio.timeout(30):
                while not MOMENTS[moment](await self.person.snapshot()):
                    await asyncio.sleep(0.01)
        else:
            self.holds = MOMENTS[moment]
            await asyncio.wait_for(self.reached.wait(), 60)
        now = await self.person.snapshot()
        assert MOMENTS[moment](now), moment
        assert (await self.client.post("/api/v1/wheel", json=PERSON)).status_code == 200
        taps = self.demo.stats.taps
        self.taken.set()
        over = await self.to_the_end(now)
        assert over["hand"]["phase"] == "ended", moment
        assert sum(share["chips"] for share in over["hand"]["awards"]) > 0
        assert self.demo.stats.taps == taps, f"{moment}: the dealer who was relieved pressed a button"
        assert (await self.client.post("/api/v1/wheel/return", json={"console": PERSON["console"]})).status_code == 200

    async def to_the_end(self, now: Now) -> Now:
        """Press what closes the round, or the likeliest, as the page draws it, until the hand is over."""
        hand = now["hand"]["number"] if now["hand"] and now["hand"]["phase"] not in ("ended", "voided") else None
        async with asyncio.timeout(60):
            while True:
                over = now["hand"] is not None and now["hand"]["phase"] in ("ended", "voided")
                if over and hand == now["hand"]["number"]:
                    return now
                if now["hand"] is not None and not over:
                    hand = now["hand"]["number"]
                bar = screen_of(now, {**PERSON, "can_return": True})["bar"]
                places = ("all", "main") if now["step"]["kind"] in ("act", "table") else ("main",)
                pressed = next((button for place in places for button in bar[place] if button["commands"]), None)
                for given in pressed["commands"] if pressed else ():
                    await self.person.send(given["command"], decision=given["decision"], seq=now["seq"])
                now = await self.person.snapshot() if pressed else await self.person.changed(now["seq"])


@asynccontextmanager
async def evening(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Evening]:
    """A fast demo that plays."""
    demo = Demo(DemoPlan(folder, fast=True, seats=3, seed=5))
    async with started(demo), httpx.AsyncClient(base_url=demo.http) as client:
        found = Evening(demo, client)
        step = SimulatedDealer._step

        async def at_step(dealer: SimulatedDealer, now: Now) -> float:
            await found.at_step(now)
            return await step(dealer, now)

        monkeypatch.setattr(SimulatedDealer, "_step", at_step)
        hers = {"console": SIMULATED, "name": "Simulated dealer"}  # before she has begun, so that it goes back to her
        assert (await client.post("/api/v1/wheel", json=hers)).status_code == 200
        playing = asyncio.create_task(demo.play())
        try:
            yield found
        finally:
            demo.stop_dealing()
            found.taken.set()
            stats = await playing
    result = demo.result(stats)
    assert (result.ok, result.voided) == (True, 0)


@pytest.mark.parametrize(
    "moments",
    [pytest.param([*MOMENTS][:SHORT], id="short"), pytest.param([*MOMENTS], id="all", marks=pytest.mark.long)],
)
async def test_a_person_takes_over_at_any_moment_and_deals_the_hand_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moments: list[str]
) -> None:
    """The relieved dealer presses nothing and her hands go on with the cards; chips and cards are all there at the end."""
    async with evening(tmp_path, monkeypatch) as table:
        for moment in moments:
            await table.take_over(moment)
