"""Driver and simulated shoe over a real pseudo-terminal: cards arrive, a pulled cable recovers, a stuck device blocks nothing."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from drivers.clock import SystemClock
from drivers.link.serial import SerialOpener, SerialSettings
from drivers.ports import (
    CardDrawn,
    DeckLoaded,
    DeviceEvent,
    GateChanged,
    LinkChanged,
    LinkState,
    ShoeFound,
    ShoeNotice,
    ShoeStopped,
)
from drivers.shoe.driver import TspShoe
from simulators.device_port import LineSpeed
from simulators.ports import PseudoTerminal
from simulators.shoe import SimulatedShoe

CARDS = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


class Table:
    """Accepts at once and opens the gate whenever the link comes up."""

    def __init__(self, path: Path) -> None:
        self.cards: list[str] = []
        self.links: list[LinkState] = []
        self.stops: list[str] = []
        self.accepted = 0
        self.order = 0
        self.shoe = TspShoe(
            name="shoe",
            opener=SerialOpener(str(path), SerialSettings(9600)),
            deliver=self.deliver,
            clock=SystemClock(),
            rng=random.Random(1),
            epoch_counter=1,
        )

    async def deliver(self, event: DeviceEvent) -> None:
        match event:
            case ShoeFound():
                self.shoe.adopt(event.state.boot, self.accepted)
            case LinkChanged():
                self.links.append(event.state)
                if event.state is LinkState.UP:
                    self.order += 1
                    self.shoe.order_gate(self.order, is_open=True)
            case ShoeStopped():
                self.stops.append(event.code)
            case CardDrawn() | DeckLoaded() | GateChanged() | ShoeNotice():
                self.cards += [event.code] if isinstance(event, CardDrawn) else []
                self.accepted = event.key.seq
                self.shoe.accept(event.key)
            case _:
                pass

    async def live(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            self.shoe.sign_of_life()


async def until(condition: Callable[[], bool], *, seconds: float = 10.0) -> None:
    """Wait for ``condition``, on the loop, at most ``seconds``."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.ports
async def test_cards_arrive_and_a_pulled_cable_recovers(tmp_path: Path) -> None:
    """Cards before, during and after the cable was out are told in order, once; a device that does not read blocks nothing."""
    port = PseudoTerminal(tmp_path / "shoe", pace=LineSpeed(9600, speed=20))
    device = SimulatedShoe(port)
    table = Table(port.path)
    port.replug()
    device.start()
    device.load(CARDS, "D1")
    tasks = [asyncio.create_task(table.shoe.run()), asyncio.create_task(table.live())]
    drawn: list[str | None] = []
    try:
        await until(lambda: device.is_gate_open)
        drawn += [device.draw() for _ in range(8)]
        await until(lambda: len(table.cards) == 8)
        port.unplug()
        drawn.append(device.draw())
        await until(lambda: table.links[-1] is LinkState.DOWN)
        port.replug()
        await until(lambda: table.links[-1] is LinkState.UP)
        await until(lambda: len(table.cards) == 9)
        port.is_stalled = True
        async with asyncio.timeout(5):
            while table.links[-1] is LinkState.UP:
                for _ in range(50):
                    table.shoe._session._send_status(0.0)
                    table.shoe.sign_of_life()
                await asyncio.sleep(0)
        port.is_stalled = False
        await until(lambda: table.links[-1] is LinkState.UP)
        drawn += [device.draw() for _ in range(3)]
        await until(lambda: len(table.cards) == 12)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        device.stop()
        port.close()
    assert table.cards == drawn == CARDS[:12]
    assert table.stops == []
