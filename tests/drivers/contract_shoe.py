"""What every driver of shoes keeps to. A driver brings a bench, its device on a line in memory, and passes all of this.

``test_shoe_contract.py`` runs it over the registered drivers.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol

import pytest

from drivers.clock import LoopClock
from drivers.factory import ShoeDriver, ShoeSetup
from drivers.ports import (
    CardDrawn,
    CommandDone,
    DeckLoaded,
    DeviceEvent,
    DriverError,
    EventKey,
    GateChanged,
    KnownShoe,
    LinkChanged,
    LinkState,
    ShoeFound,
    ShoeNotice,
    ShoePort,
    ShoeStopped,
)
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

CARDS = tuple(rank + suit for suit in "CDHS" for rank in "A23456789TJQK")
SOON_S = 3.0
"""A card, an order or an opening is told within so long on a line without faults."""
BACK_S = 12.0


class ShoeBench(Protocol):
    """A shoe of one driver on a line in memory, with the current off and ``CARDS`` in it."""

    line: MemoryLink
    has_gate: bool
    """Whether it obeys orders to close the gate."""
    keeps_events: bool
    """Whether it tells again what nobody heard."""

    def start(self) -> None:
        """Current on; a later call is a restart with the same cards in it."""

    def draw(self, *, told: str | None = None) -> str | None:
        """Pull a card: its code, or None when the gate holds it. ``told``: what the shoe tells instead."""


class Subject:
    """One driver on its bench, at a table that makes everything durable at once and gives a sign of life each second."""

    def __init__(self, driver: ShoeDriver, bench: ShoeBench) -> None:
        self.driver = driver
        self.bench = bench
        self.clock = LoopClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.events: list[DeviceEvent] = []
        self.order = 0
        self.boot = self.accepted = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.adopts = True
        self.port: ShoePort = self.make(1)

    def make(self, epoch: int, known: KnownShoe | None = None) -> ShoePort:
        return self.driver.make(
            ShoeSetup(
                name="shoe-x",
                opener=self.bench.line,
                deliver=self.deliver,
                clock=self.clock,
                rng=random.Random(4),
                epoch_counter=epoch,
                known=known,
            )
        )

    async def deliver(self, event: DeviceEvent) -> None:
        await self.gate.wait()
        self.events.append(event)
        match event:
            case ShoeFound() if self.adopts:
                if event.state.boot != self.boot:
                    self.boot, self.accepted = event.state.boot, 0
                self.port.adopt(self.boot, self.accepted)
            case LinkChanged(state=LinkState.UP):
                self.open_gate()
            case CardDrawn() | DeckLoaded() | GateChanged() | ShoeNotice():
                self.accepted = event.key.seq
                self.port.accept(event.key)
            case _:
                pass

    def open_gate(self) -> None:
        self.order += 1
        self.port.order_gate(self.order, is_open=True)

    def all(self, kind: type) -> list[DeviceEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def codes(self) -> list[str]:
        return [event.code for event in self.events if isinstance(event, CardDrawn)]

    @property
    def state(self) -> LinkState | None:
        states = [event.state for event in self.events if isinstance(event, LinkChanged)]
        return states[-1] if states else None

    async def until(self, reached: Callable[[], bool], within_s: float = SOON_S) -> None:
        async with asyncio.timeout(within_s):
            while not reached():
                await asyncio.sleep(0.01)

    async def ready(self) -> None:
        """The link is up and the last order to open the gate is done."""

        def is_ready() -> bool:
            done = [event for event in self.events if isinstance(event, CommandDone)]
            return self.state is LinkState.UP and bool(done) and done[-1].order == self.order and done[-1].ok

        await self.until(is_ready, BACK_S)

    async def draw(self, count: int, *, each_s: float = 0.25) -> list[str]:
        drawn = []
        for _ in range(count):
            code = self.bench.draw()
            assert code is not None
            drawn.append(code)
            await asyncio.sleep(each_s)
        return drawn

    def tell(self, story: Callable[[], Awaitable[None]]) -> None:
        """Run the driver while ``story`` goes on. Its task must end with it, and give the port back."""

        async def main() -> None:
            self.bench.start()
            running = asyncio.create_task(self.port.run())
            living = asyncio.create_task(self._live())
            try:
                await story()
                assert not running.done(), running.exception()
            finally:
                running.cancel()
                living.cancel()
                await asyncio.gather(running, living, return_exceptions=True)
            link = await self.bench.line.open(Listener())
            link.close()
            await asyncio.sleep(0.01)

        run_virtual(main(), max_seconds=300)

    async def _live(self) -> None:
        while True:
            self.port.sign_of_life()
            await asyncio.sleep(1)


class Listener:
    """Somebody else who opens the port afterwards."""

    def link_opened(self, link: object) -> None: ...

    def data_received(self, data: bytes) -> None: ...

    def link_lost(self, reason: str) -> None: ...


class ShoeContract:
    """The tests. ``subject`` is a fixture with a ``Subject``."""

    def test_it_names_itself_and_takes_no_unknown_option(self, subject: Subject) -> None:
        """Name and kind are right before ``run``, nothing was delivered, and a strange option is a problem."""

        async def look() -> None:
            report = subject.port.report()
            assert subject.port.name == report.name == "shoe-x"
            assert (report.kind, report.port.state) == ("shoe", "closed")

        run_virtual(look(), max_seconds=1)
        assert subject.events == []
        (problem,) = subject.driver.problems({"no_such_option": 1})
        assert "no option no_such_option; it has" in problem

    def test_a_shoe_is_found_before_anything_counts(self, subject: Subject) -> None:
        """First the shoe with its start counter, then, once that is adopted, the link as up; no card before."""
        subject.adopts = False

        async def story() -> None:
            await subject.until(lambda: bool(subject.all(ShoeFound)), BACK_S)
            await asyncio.sleep(3)
            assert subject.state is not LinkState.UP
            first, found = subject.all(ShoeFound)[0], subject.all(ShoeFound)[-1]
            assert isinstance(first, ShoeFound)
            assert isinstance(found, ShoeFound)
            assert first.state.boot > 0
            assert not first.is_rebooted
            subject.boot = found.state.boot
            subject.port.adopt(found.state.boot, 0)
            await subject.ready()
            assert subject.codes == []

        subject.tell(story)

    def test_cards_come_once_in_order(self, subject: Subject) -> None:
        """A street at four cards a second: every card once, in order, under keys and draw numbers that only grow."""

        async def story() -> None:
            await subject.ready()
            drawn = await subject.draw(24)
            await subject.until(lambda: len(subject.codes) == 24)
            await asyncio.sleep(3)
            assert subject.codes == drawn == list(CARDS[:24])

        subject.tell(story)
        cards = [event for event in subject.events if isinstance(event, CardDrawn)]
        keys = [(card.key.boot, card.key.seq) for card in cards]
        assert keys == sorted(set(keys))
        assert [card.draw_no for card in cards] == list(range(cards[0].draw_no, cards[0].draw_no + 24))
        assert all(200 <= card.gap_ms <= 350 for card in cards[1:])
        assert not any(card.code in repr(card) for card in cards)
        assert subject.all(ShoeStopped) == []

    def test_three_cards_at_once(self, subject: Subject) -> None:
        """Three cards within 300 ms are told in order."""

        async def story() -> None:
            await subject.ready()
            drawn = await subject.draw(3, each_s=0.1)
            await subject.until(lambda: len(subject.codes) == 3)
            assert subject.codes == drawn

        subject.tell(story)

    def test_an_unreadable_card_is_told_as_such(self, subject: Subject) -> None:
        """It left the shoe and nobody knows which it is: ``??``, in its place among the others."""

        async def story() -> None:
            await subject.ready()
            subject.bench.draw()
            await asyncio.sleep(0.3)
            subject.bench.draw(told="??")
            await asyncio.sleep(0.3)
            subject.bench.draw()
            await subject.until(lambda: len(subject.codes) == 3)

        subject.tell(story)
        assert subject.codes == [CARDS[0], "??", CARDS[2]]

    def test_gate_orders_are_answered_once_and_never_lie(self, subject: Subject) -> None:
        """Each order has one answer under its id. ``ok`` to closing means that no card comes; a shoe without a gate says no."""

        async def story() -> None:
            await subject.ready()
            subject.order += 1
            subject.port.order_gate(subject.order, is_open=False)
            await subject.until(lambda: any(done.order == subject.order for done in subject.all(CommandDone)))  # type: ignore[attr-defined]
            (done,) = [done for done in subject.all(CommandDone) if done.order == subject.order]  # type: ignore[attr-defined]
            assert isinstance(done, CommandDone)
            assert done.ok == subject.bench.has_gate == subject.driver.has_gate
            assert done.ok or done.reason
            assert not done.ok or subject.bench.draw() is None
            with pytest.raises(DriverError):
                subject.port.order_gate(subject.order, is_open=True)
            subject.open_gate()
            await subject.ready()
            assert subject.bench.draw() is not None

        subject.tell(story)
        orders = [done.order for done in subject.all(CommandDone)]  # type: ignore[attr-defined]
        assert orders == sorted(set(orders))

    def test_a_pulled_cable_loses_no_card_in_silence(self, subject: Subject) -> None:
        """The link is told as down. Afterwards the card that was drawn meanwhile is told, or the table is told to compare."""

        async def story() -> None:
            await subject.ready()
            await subject.draw(2)
            await subject.until(lambda: len(subject.codes) == 2)
            subject.bench.line.unplug()
            await subject.until(lambda: subject.state is LinkState.DOWN, BACK_S)
            found = len(subject.all(ShoeFound))
            missed = subject.bench.draw()
            await asyncio.sleep(1)
            subject.bench.line.replug()
            await subject.ready()
            await subject.draw(1)
            if subject.bench.keeps_events:
                expected = CARDS[: 4 if missed else 3]
                await subject.until(lambda: subject.codes == list(expected), BACK_S)
            else:
                await subject.until(lambda: subject.codes == [*CARDS[:2], CARDS[3 if missed else 2]])
                again = subject.all(ShoeFound)[found]
                assert isinstance(again, ShoeFound)
                assert again.is_rebooted

        subject.tell(story)

    def test_a_restart_is_told_before_its_cards(self, subject: Subject) -> None:
        """A shoe that started anew has a larger start counter and is told as restarted; its cards come under that counter."""

        async def story() -> None:
            await subject.ready()
            await subject.draw(2)
            await subject.until(lambda: len(subject.codes) == 2)
            before = subject.boot
            subject.bench.start()
            await subject.until(lambda: subject.boot > before, BACK_S)
            await subject.ready()
            if subject.state is LinkState.UP and subject.bench.has_gate:
                subject.open_gate()
                await subject.ready()
            await subject.draw(1)
            await subject.until(lambda: len(subject.codes) == 3)

        subject.tell(story)
        found = subject.all(ShoeFound)[-1]
        assert isinstance(found, ShoeFound)
        assert found.is_rebooted
        last = subject.all(CardDrawn)[-1]
        assert isinstance(last, CardDrawn)
        assert last.key.boot == found.state.boot
        assert subject.events.index(found) < subject.events.index(last)

    def test_a_known_shoe_is_not_met_for_the_first_time(self, subject: Subject) -> None:
        """A controller that starts again with what its journal knows goes on behind it, or says that it has to compare."""

        async def first() -> None:
            await subject.ready()
            await subject.draw(2)
            await subject.until(lambda: len(subject.codes) == 2)

        subject.tell(first)
        known = KnownShoe(subject.boot, subject.accepted, 0, 2)
        heard, subject.events = subject.events, []
        subject.order = 0
        subject.port = subject.make(2, known)

        async def second() -> None:
            running = asyncio.create_task(subject.port.run())
            await subject.until(lambda: bool(subject.all(ShoeFound)), BACK_S)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

        run_virtual(second(), max_seconds=60)
        (found, *_) = subject.all(ShoeFound)
        assert isinstance(found, ShoeFound)
        assert found.state.boot >= known.boot
        assert found.is_rebooted or found.state.boot == known.boot
        assert len(heard) > 2

    @pytest.mark.parametrize("seed", range(3))
    def test_noise_invents_no_card(self, subject: Subject, seed: int) -> None:
        """Random bytes between and inside reports end nothing and tell no card that was not drawn; none is told twice."""
        rng = random.Random(seed)
        drawn: list[str] = []

        async def story() -> None:
            await subject.ready()
            for _ in range(40):
                subject.bench.line.write(rng.randbytes(rng.randrange(1, 30)))
                code = subject.bench.draw() if rng.random() < 0.3 else None
                drawn.extend([code] if code else [])
                await asyncio.sleep(rng.uniform(0.05, 0.4))
            await asyncio.sleep(10)

        subject.tell(story)
        assert len(set(subject.codes)) == len(subject.codes)
        assert set(subject.codes) <= set(drawn)
        if subject.bench.keeps_events:
            assert subject.codes == drawn

    def test_what_was_never_delivered_cannot_be_accepted(self, subject: Subject) -> None:
        """An acceptance beyond the last event is a mistake of the table, and named as such."""

        async def story() -> None:
            await subject.ready()
            with pytest.raises(DriverError, match="never delivered"):
                subject.port.accept(EventKey(subject.boot, subject.accepted + 50))

        subject.tell(story)

    def test_a_table_that_does_not_listen_slows_it(self, subject: Subject) -> None:
        """While an event is not taken none follows; afterwards all cards are there, in order."""

        async def story() -> None:
            await subject.ready()
            subject.gate.clear()
            drawn = await subject.draw(8)
            assert subject.codes == []
            subject.gate.set()
            await subject.until(lambda: subject.codes == drawn, BACK_S)

        subject.tell(story)

    def test_health_is_told(self, subject: Subject) -> None:
        """The report has the port's state, the age of the last card, and no card in its text."""

        async def story() -> None:
            await subject.ready()
            drawn = await subject.draw(1)
            await subject.until(lambda: len(subject.codes) == 1)
            report = subject.port.report()
            assert (report.port.state, report.link.state) == ("open", "ok")
            assert report.data.age_s is not None
            assert report.data.age_s < SOON_S
            assert report.counters["bytes_in"] > 0
            assert drawn[0] not in repr(report)

        subject.tell(story)

    def test_what_deliver_raises_ends_it(self, subject: Subject) -> None:
        """An error of the table is no error of the device: it comes out of ``run``, in a group."""

        async def refuse(event: DeviceEvent) -> None:
            raise OverflowError(event.device)

        subject.deliver = refuse  # type: ignore[method-assign]
        port = subject.make(1)

        async def main() -> None:
            subject.bench.start()
            await port.run()

        with pytest.raises(ExceptionGroup) as caught:
            run_virtual(main(), max_seconds=30)
        assert caught.group_contains(OverflowError)
