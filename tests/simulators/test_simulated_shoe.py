"""The simulated shoe is a physical thing: no card through a closed gate, none twice, and counters that survive its power."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from drivers.shoe.codec import format_host, parse_device
from drivers.shoe.device_memory import ShoeMemory
from drivers.shoe.lines import LineFramer, parse_line
from drivers.shoe.messages import Ack, CardMode, CardRead, Command, DeviceMessage, Epoch, HostHello, Verb
from simulators.device_port import DeviceSink, LineSpeed
from simulators.shoe import MAX_CARDS, SimulatedShoe
from simulators.virtual_time import run_virtual

OURS = Epoch(7, 1)


class Bench:
    """A port that writes down what the shoe says, at 9600 baud."""

    def __init__(self) -> None:
        self.sink: DeviceSink | None = None
        self.framer = LineFramer()
        self.heard: list[DeviceMessage] = []
        self.busy_until = 0.0
        self.changes = 0
        self.shoe = SimulatedShoe(self, memory=ShoeMemory(boot=9, load=0), on_change=self.changed)

    def changed(self) -> None:
        self.changes += 1

    def attach(self, sink: DeviceSink) -> None:
        self.sink = sink

    def write(self, data: bytes) -> float:
        now = asyncio.get_running_loop().time()
        assert now >= self.busy_until - 1e-9, "a line was given to a UART that was not idle"
        wait_s = len(data) * LineSpeed(9600).char_s
        self.busy_until = now + wait_s
        self.heard += [parse_device(parse_line(body)) for body in self.framer.feed(data)]
        return wait_s

    def unplug(self) -> None: ...

    def replug(self) -> None: ...

    def close(self) -> None: ...

    def open_gate(self, boot: int, order: int = 1) -> None:
        assert self.sink is not None
        self.sink.host_data(format_host(HostHello(boot, 0, OURS, "TABLE7", 1)))
        self.sink.host_data(format_host(Command(boot, order, OURS, Verb.LOCK, "0")))


def run(story: Coroutine[Any, Any, None]) -> None:
    run_virtual(story, max_seconds=600)


def test_no_card_leaves_a_closed_gate_an_empty_shoe_or_a_shoe_without_current() -> None:
    """draw() gives None then, and nothing is counted."""

    async def story() -> None:
        bench = Bench()
        assert bench.shoe.draw() is None
        with pytest.raises(RuntimeError):
            bench.shoe.load(["AS"], "D1")
        bench.shoe.start()
        bench.shoe.load(["AS", "KH"], "D1")
        assert bench.shoe.draw() is None
        bench.open_gate(10)
        assert [bench.shoe.draw(), bench.shoe.draw(), bench.shoe.draw()] == ["AS", "KH", None]
        assert (bench.shoe.remaining, bench.shoe.memory.draw_no, bench.shoe.memory.remaining) == (0, 2, 0)
        bench.shoe.stop()
        assert bench.shoe.draw() is None

    run(story())


def test_cards_and_counters_survive_a_loss_of_power_and_the_gate_does_not() -> None:
    """A restart has the next number, a closed gate, the same cards and counters."""

    async def story() -> None:
        bench = Bench()
        bench.shoe.start()
        bench.shoe.load(["AS", "KH", "QD"], "D1")
        bench.open_gate(10)
        bench.shoe.draw()
        bench.busy_until = 0.0  # the loss of power ends the line
        bench.shoe.restart()
        assert bench.shoe.memory == ShoeMemory(boot=11, load=1, draw_no=1, remaining=2)
        assert not bench.shoe.is_gate_open
        assert bench.shoe.draw() is None
        bench.open_gate(11)
        assert bench.shoe.draw() == "KH"

    run(story())


def test_silence_of_the_host_closes_the_gate_and_tells_the_owner() -> None:
    """After 3 s the gate is closed by T; ``on_change`` is called without anybody touching the shoe."""

    async def story() -> None:
        bench = Bench()
        bench.shoe.start()
        bench.shoe.load(["AS"], "D1")
        bench.open_gate(10)
        assert bench.shoe.is_gate_open
        before = bench.changes
        await asyncio.sleep(3.5)
        assert bench.shoe.holders == "T"
        assert bench.changes > before
        assert bench.shoe.draw() is None

    run(story())


def test_a_misread_is_told_and_the_true_card_is_in_the_hand() -> None:
    """What the hand holds and what the shoe says may differ."""

    async def story() -> None:
        bench = Bench()
        bench.shoe.start()
        bench.shoe.load(["AS", "KH"], "D1")
        bench.open_gate(10)
        assert bench.shoe.draw(mode=CardMode.NO_CONFIDENCE, told="??") == "AS"
        await asyncio.sleep(2)
        cards = [m for m in bench.heard if isinstance(m, CardRead)]
        assert {(card.code, card.mode) for card in cards} == {("??", CardMode.NO_CONFIDENCE)}

    run(story())


def test_a_card_that_goes_back_is_the_next_one_out() -> None:
    """The last card out goes in first; with none out nothing happens."""

    async def story() -> None:
        bench = Bench()
        bench.shoe.start()
        bench.shoe.load(["AS", "KH"], "D1")
        assert bench.shoe.reinsert() is None
        bench.open_gate(10)
        bench.shoe.draw()
        assert bench.shoe.reinsert() == "AS"
        assert bench.shoe.remaining == 2
        assert bench.shoe.draw() == "AS"
        assert bench.shoe.memory.draw_no == 2

    run(story())


def test_lines_leave_one_after_the_other() -> None:
    """The UART never gets a line before the last one has left it, whatever happens at once."""

    async def story() -> None:
        bench = Bench()
        bench.shoe.start()
        bench.shoe.load(["AS"] * 20, "D1")
        bench.open_gate(10)
        for _ in range(5):
            bench.shoe.draw()
            bench.shoe.button("HELP")
            assert bench.sink is not None
            bench.sink.host_data(format_host(Command(0, 5, OURS, Verb.STATUS)))
            bench.sink.host_data(format_host(Ack(10, 1, OURS)))
        await asyncio.sleep(5)
        assert len(bench.heard) > 20

    run(story())


def test_a_shoe_holds_eight_decks_and_not_one_card_more() -> None:
    """416 cards fit."""

    async def story() -> None:
        bench = Bench()
        bench.shoe.start()
        bench.shoe.load(["AS"] * MAX_CARDS, "D1")
        with pytest.raises(ValueError, match="417 cards"):
            bench.shoe.load(["AS"] * (MAX_CARDS + 1), "D1")

    run(story())
