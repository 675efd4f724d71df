"""The Angel Eye driver beyond the contract: it never writes, says honestly what it cannot do, and survives a fast shoe."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from drivers.angel_eye.driver import DRIVER, HOLD_AT, LOCKED, NO_GATE, AngelEyeShoe
from drivers.angel_eye.frames import Frame, encode
from drivers.angel_eye.messages import CardTold, Occasion, write_report
from drivers.clock import SystemClock
from drivers.factory import ShoeSetup
from drivers.ports import CardDrawn, CommandDone, DeviceEvent, LinkChanged, ShoeFound
from drivers.waiting import MOST_WAITING
from simulators.angel_eye import SimulatedAngelEye
from simulators.device_port import LineSpeed
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

CARDS = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


class Table:
    """A shoe on its line, and a table that adopts at once."""

    def __init__(self) -> None:
        self.line = MemoryLink("shoe", pace=LineSpeed(4800))
        self.shoe = SimulatedAngelEye(self.line)
        self.shoe.load(CARDS)
        self.events: list[DeviceEvent] = []
        self.taking = asyncio.Event()
        self.taking.set()
        self.heard: list[bytes] = []
        self.shoe.host_data = self.heard.append  # type: ignore[method-assign]
        setup = ShoeSetup(name="shoe", opener=self.line, deliver=self.deliver, clock=SystemClock(), rng=random.Random(1))
        self.port = AngelEyeShoe(setup)

    async def deliver(self, event: DeviceEvent) -> None:
        await self.taking.wait()
        self.events.append(event)
        if isinstance(event, ShoeFound):
            self.port.adopt(event.state.boot, 0)

    def done(self) -> CommandDone:
        return [event for event in self.events if isinstance(event, CommandDone)][-1]

    def codes(self) -> list[str]:
        return [event.code for event in self.events if isinstance(event, CardDrawn)]

    def tell(self, story: Callable[[], Awaitable[None]]) -> None:
        async def main() -> None:
            running = asyncio.create_task(self.port.run())
            self.shoe.start()
            try:
                await asyncio.sleep(1)
                await story()
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
                self.shoe.stop()

        run_virtual(main(), max_seconds=120)


def test_it_is_marked_unverified() -> None:
    """Who lists the drivers can see that nobody has met the device."""
    assert not DRIVER.is_verified


def test_it_never_writes_a_byte() -> None:
    """Opening, orders, signs of life, acceptances: the shoe hears nothing."""
    table = Table()

    async def story() -> None:
        table.port.order_gate(1, is_open=True)
        table.port.order_gate(2, is_open=False)
        table.port.sign_of_life()
        table.shoe.draw()
        await asyncio.sleep(2)
        assert table.codes() == CARDS[:1]

    table.tell(story)
    assert table.heard == []


def test_orders_say_what_is_true() -> None:
    """Open is done, also while the shoe's own lock holds cards back, which the answer says; closing is never done."""
    table = Table()

    async def order(number: int, *, is_open: bool) -> CommandDone:
        table.port.order_gate(number, is_open=is_open)
        await asyncio.sleep(0.5)
        return table.done()

    async def story() -> None:
        assert (await order(1, is_open=True)).ok
        refused = await order(2, is_open=False)
        assert (refused.order, refused.ok, refused.reason) == (2, False, NO_GATE)
        table.shoe.lock(is_locked=True)
        await asyncio.sleep(0.5)
        done = await order(3, is_open=True)
        assert (done.ok, done.reason) == (True, LOCKED)
        assert table.port.report().device.state == "locked"
        table.shoe.lock(is_locked=False)
        await asyncio.sleep(0.5)
        assert (await order(4, is_open=True)).ok

    table.tell(story)


def test_a_table_that_stands_still_bounds_the_queue() -> None:
    """Forty cards while nothing is taken: the port is read no further, above a bound only the newest orders are answered, and
    what the system's buffers kept comes in order afterwards."""
    table = Table()

    async def story() -> None:
        table.taking.clear()
        drawn = []
        for _ in range(HOLD_AT + 8):
            drawn.append(table.shoe.draw())
            await asyncio.sleep(0.3)
        assert len(table.port._queue) <= HOLD_AT + 1
        for number in range(1, 2 * MOST_WAITING):
            table.port.order_gate(number, is_open=True)
        assert len(table.port._queue) == MOST_WAITING
        table.taking.set()
        await asyncio.sleep(5)
        assert table.codes() == drawn
        assert [event.order for event in table.events if isinstance(event, CommandDone)][-1] == 2 * MOST_WAITING - 1

    table.tell(story)


def test_a_flood_in_one_piece_is_bounded_and_told_whole() -> None:
    """Thousands of reports arrive at one moment: no more events wait than may, and each report is told once, in order."""
    table = Table()
    most = 0
    codes = [CARDS[number % len(CARDS)] for number in range(2000)]

    async def story() -> None:
        nonlocal most
        table.taking.clear()
        flood = b"".join(
            encode(Frame(ord("1") + number % 9, write_report(CardTold(Occasion.GAME, 0, 1, code))))
            for number, code in enumerate(codes)
        )
        table.port.data_received(flood)
        most = len(table.port._queue)
        table.taking.set()
        while len(table.codes()) < len(codes):
            most = max(most, len(table.port._queue))
            await asyncio.sleep(0)

    table.tell(story)
    assert table.codes() == codes
    assert most <= HOLD_AT + 1 < MOST_WAITING


def test_the_link_is_told_with_what_silence_means() -> None:
    """A shoe that says nothing is no fault, and the link's text says so."""
    table = Table()

    async def story() -> None:
        await asyncio.sleep(30)

    table.tell(story)
    details = [event.detail for event in table.events if isinstance(event, LinkChanged)]
    assert details[-1] == "the port is open; this shoe says nothing until a card is drawn"
