"""A TSP/1 shoe through its driver, with a simulated shoe at the other end of a line in memory, on virtual time."""

from __future__ import annotations

import asyncio
import binascii
import random
from collections.abc import Awaitable, Callable

import pytest

from drivers.clock import SystemClock
from drivers.factory import ShoeSetup
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
from drivers.shoe.codec import format_device
from drivers.shoe.device_memory import ShoeIdentity, ShoeMemory
from drivers.shoe.driver import DRIVER, HOLD_AT, TspShoe
from drivers.shoe.lines import build_line
from drivers.shoe.messages import CardMode, CardRead, Epoch, Heartbeat, KeyPressed
from drivers.waiting import MOST_WAITING
from simulators.device_port import LineSpeed
from simulators.memory_link import MemoryLink
from simulators.shoe import SimulatedShoe
from simulators.virtual_time import run_virtual

CARDS = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


class Table:
    """A table that accepts everything at once, keeps what it took, and gives a sign of life each second."""

    def __init__(self, line: MemoryLink, *, epoch: int = 1, known: KnownShoe | None = None, gate_opens: bool = True) -> None:
        self.events: list[DeviceEvent] = []
        self.state = LinkState.DOWN
        self.gate_opens = gate_opens
        self.order = 0
        self.boot, self.accepted = (known.boot, known.accepted_seq) if known is not None else (0, 0)
        self.taking = asyncio.Event()
        self.taking.set()
        self.shoe = TspShoe(
            name="shoe",
            opener=line,
            deliver=self.deliver,
            clock=SystemClock(),
            rng=random.Random(epoch),
            epoch_counter=epoch,
            paired_serial="S0012345",
            known=known,
            controller="TABLE7",
        )

    async def deliver(self, event: DeviceEvent) -> None:
        await self.taking.wait()
        self.events.append(event)
        match event:
            case ShoeFound():
                if event.state.boot != self.boot:
                    self.boot, self.accepted = event.state.boot, 0
                self.shoe.adopt(self.boot, self.accepted)
            case LinkChanged():
                self.state = event.state
                if event.state is LinkState.UP and self.gate_opens:
                    self.open_gate()
            case CardDrawn() | DeckLoaded() | GateChanged() | ShoeNotice():
                self.accepted = event.key.seq
                self.shoe.accept(event.key)
            case _:
                pass

    def open_gate(self) -> None:
        self.order += 1
        self.shoe.order_gate(self.order, is_open=True)

    async def live(self) -> None:
        while True:
            await asyncio.sleep(1)
            self.shoe.sign_of_life()

    def cards(self) -> list[str]:
        return [event.code for event in self.events if isinstance(event, CardDrawn)]


async def run_table(table: Table, story: Callable[[], Awaitable[None]]) -> None:
    """Run driver and signs of life while ``story`` goes on."""
    tasks = [asyncio.create_task(table.shoe.run()), asyncio.create_task(table.live())]
    try:
        await story()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def draw(device: SimulatedShoe, count: int, *, every_s: float = 0.25) -> list[str]:
    """Pull ``count`` cards, each as soon as the gate lets it out."""
    drawn: list[str] = []
    while len(drawn) < count:
        card = device.draw()
        if card is not None:
            drawn.append(card)
        await asyncio.sleep(every_s)
    return drawn


def bench(pace: LineSpeed | None = None) -> tuple[MemoryLink, SimulatedShoe]:
    """A shoe with a packet, switched on."""
    line = MemoryLink("shoe-port", pace=pace or LineSpeed(9600))
    device = SimulatedShoe(line, memory=ShoeMemory(boot=0x7F39, load=0x40))
    device.start()
    device.load(CARDS, "D1")
    return line, device


def test_cards_arrive_in_order_at_four_a_second_over_9600_baud() -> None:
    """A street of 24 cards at 4 cards a second and three at once: all told, in order, once."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)
        drawn: list[str] = []

        async def deal() -> None:
            drawn.extend(await draw(device, 24))
            drawn.extend(await draw(device, 3, every_s=0.1))
            await asyncio.sleep(2)

        await run_table(table, deal)
        assert table.cards() == drawn == CARDS[:27]
        assert [event.remaining for event in table.events if isinstance(event, CardDrawn)][-1] == device.remaining == 25
        assert device.memory.draw_no == 27

    run_virtual(story(), max_seconds=120)


def test_the_driver_is_a_shoe_port() -> None:
    """Checked by type and by name."""

    async def story() -> None:
        line, _ = bench()
        port: ShoePort = Table(line).shoe
        assert port.name == "shoe"

    run_virtual(story(), max_seconds=10)


def test_unplug_and_replug_lose_no_card() -> None:
    """Pulled in the middle of a street: the gate closes, the same session is opened again, the cards in between come."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)
        drawn: list[str] = []

        async def deal() -> None:
            drawn.extend(await draw(device, 5))
            line.unplug()
            card = device.draw()
            assert card is not None, "the gate stays open for 3 s"
            drawn.append(card)
            await asyncio.sleep(6)
            assert table.state is LinkState.DOWN
            assert device.draw() is None
            assert device.holders == "T"
            line.replug()
            drawn.extend(await draw(device, 5))
            await asyncio.sleep(2)

        await run_table(table, deal)
        assert table.cards() == drawn
        assert len([event for event in table.events if isinstance(event, ShoeFound)]) == 2
        assert not any(isinstance(event, ShoeStopped) for event in table.events)

    run_virtual(story(), max_seconds=120)


def test_a_new_controller_goes_on_where_the_old_one_died() -> None:
    """Killed with cards drawn and not accepted: the next start gets them from the shoe, once."""

    async def story() -> None:
        line, device = bench()
        first = Table(line)
        drawn: list[str] = []
        kept: list[str] = []

        async def deal() -> None:
            drawn.extend(await draw(device, 4))
            await asyncio.sleep(1)
            first.taking.clear()
            kept.extend(first.cards())
            drawn.extend(await draw(device, 2))

        await run_table(first, deal)
        second = Table(line, epoch=2, known=KnownShoe(first.boot, first.accepted, 0x41, len(kept)))
        await run_table(second, lambda: asyncio.sleep(5))
        assert kept + second.cards() == drawn
        assert len(second.cards()) == 2

    run_virtual(story(), max_seconds=120)


def test_a_shoe_that_restarts_is_told_as_rebooted_and_its_gate_is_closed() -> None:
    """A new start, no order repeated, the counters in the finding."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)

        async def deal() -> None:
            await draw(device, 3)
            await asyncio.sleep(1)
            table.gate_opens = False
            device.restart()
            await asyncio.sleep(3)
            assert not device.is_gate_open

        await run_table(table, deal)
        found = [event for event in table.events if isinstance(event, ShoeFound)]
        assert [event.is_rebooted for event in found] == [False, True]
        assert (found[1].state.draw_no, found[1].state.remaining, found[1].state.boot) == (3, 49, 0x7F3B)

    run_virtual(story(), max_seconds=120)


def test_a_table_that_takes_nothing_stops_the_reading_and_loses_nothing() -> None:
    """The queue is bounded; the gate closes; when the table goes on, every card comes."""

    async def story() -> None:
        line, device = bench(LineSpeed(115200))
        table = Table(line)
        drawn: list[str] = []

        async def deal() -> None:
            drawn.extend(await draw(device, 2))
            table.taking.clear()
            for _ in range(300):
                card = device.draw()
                drawn.extend([card] if card is not None else [])
                device.button("HELP")
                await asyncio.sleep(0.05)
            assert len(table.shoe._queue) <= HOLD_AT + 32
            await asyncio.sleep(10)
            assert not device.is_gate_open
            table.taking.set()
            await asyncio.sleep(30)

        await run_table(table, deal)
        assert table.cards() == drawn

    run_virtual(story(), max_seconds=200)


def _flood_line(kind: str, seq: int) -> bytes:
    match kind:
        case "CARD":
            return format_device("SH01", CardRead(0x7F3A, seq, "??", CardMode.NO_CONFIDENCE, seq, -1, 0))
        case "KEY":
            return format_device("SH01", KeyPressed(0x7F3A, seq, "HELP"))
        case "WHAT":
            return build_line("SH01", "WHAT", seq, 0x7F3A)
        case "HB":
            beat = Heartbeat(0x7F3A + seq, 0, "READY", (), 52, 12, 0x41, 0, "", 1, 0, Epoch(1, 1), 0, 0)
            return format_device("SH01", beat)
        case _:
            body = b"2,SH01,CARD,%04X,7F3A" % seq
            return b"$%b*%04X\r\n" % (body, binascii.crc_hqx(body, 0xFFFF))


@pytest.mark.parametrize("kind", ["CARD", "KEY", "WHAT", "HB", "version"])
def test_a_flood_in_one_piece_is_bounded(kind: str) -> None:
    """Thousands of valid lines at one moment, at a table that takes nothing: no more events wait than may; the shoe keeps the
    others and tells them once there is room."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)
        most = 0

        async def deal() -> None:
            nonlocal most
            await asyncio.sleep(2)
            table.taking.clear()
            lines = b"".join(_flood_line(kind, seq) for seq in range(table.accepted + 1, table.accepted + 2000))
            table.shoe.data_received(lines)
            most = len(table.shoe._queue)
            await asyncio.sleep(1)
            most = max(most, len(table.shoe._queue))
            table.taking.set()
            await asyncio.sleep(5)
            assert len(table.shoe._queue) == 0

        await run_table(table, deal)
        assert 0 < most <= MOST_WAITING
        assert device.remaining == 52

    run_virtual(story(), max_seconds=60)


def test_a_shoe_that_takes_no_bytes_costs_the_link_and_not_the_loop() -> None:
    """A full write buffer closes the port; it is opened again."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)

        async def deal() -> None:
            await asyncio.sleep(2)
            assert table.state is LinkState.UP
            line.stalled = True
            for _ in range(200):
                table.shoe.accept(EventKey(table.boot, table.accepted))
                table.shoe.sign_of_life()
                await asyncio.sleep(1)
            line.stalled = False
            await asyncio.sleep(10)
            assert table.state is LinkState.UP

        await run_table(table, deal)
        details = [event.detail for event in table.events if isinstance(event, LinkChanged)]
        assert any("takes no bytes" in detail for detail in details)
        assert device.remaining == 52

    run_virtual(story(), max_seconds=400)


def test_a_fenced_driver_closes_the_port_for_good() -> None:
    """A newer controller took the shoe while this one's cable was out: it stops, and leaves the port alone."""

    async def story() -> None:
        line, device = bench()
        old = Table(line)

        async def newer_controller() -> None:
            await asyncio.sleep(2)
            line.unplug()
            await asyncio.sleep(0.01)
            line.replug()
            new = Table(line, epoch=2, known=KnownShoe(old.boot, old.accepted, 0x41, 0))
            await run_table(new, lambda: asyncio.sleep(3))
            await asyncio.sleep(20)

        await run_table(old, newer_controller)
        assert [event.code for event in old.events if isinstance(event, ShoeStopped)] == ["fenced"]
        assert old.state is LinkState.DOWN
        old.shoe.order_gate(99, is_open=True)
        assert not device.is_gate_open
        assert line._ends == []

    run_virtual(story(), max_seconds=200)


def test_an_error_is_cleared_once_by_an_order_of_its_own() -> None:
    """The gate's newer order does not replace it; the shoe tells that the error is gone and opens only at LOCK 0."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)

        async def deal() -> None:
            await asyncio.sleep(2)
            device.error("E2", is_latched=True)
            await asyncio.sleep(0.5)
            assert device.holders == "E"
            table.shoe.order_gate(2, is_open=False)
            table.shoe.clear_error(3, "E2")
            table.shoe.order_gate(4, is_open=True)
            await asyncio.sleep(1)
            assert device.is_gate_open
            table.shoe.clear_error(5, "E2")
            await asyncio.sleep(1)
            assert device.is_gate_open

        await run_table(table, deal)
        done = [(e.order, e.ok) for e in table.events if isinstance(e, CommandDone)]
        assert done == [(1, True), (2, True), (3, True), (4, True), (5, False)]
        notices = [(e.kind.value, e.detail) for e in table.events if isinstance(e, ShoeNotice)]
        assert notices == [("fault", "E2 latched"), ("cleared", "E2")]

    run_virtual(story(), max_seconds=60)


def test_orders_are_answered() -> None:
    """Each order ends as done or not; the gate's letters come as events."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)

        async def deal() -> None:
            await asyncio.sleep(2)
            assert device.is_gate_open
            table.order += 1
            table.shoe.order_gate(table.order, is_open=False)
            await asyncio.sleep(1)
            assert not device.is_gate_open

        await run_table(table, deal)
        assert [(e.order, e.ok) for e in table.events if isinstance(e, CommandDone)] == [(1, True), (2, True)]
        assert [e.holders for e in table.events if isinstance(e, GateChanged)] == ["", "H"]

    run_virtual(story(), max_seconds=60)


@pytest.mark.parametrize("counter", [0, 0x10000])
def test_the_start_number_has_four_hex_digits(counter: int) -> None:
    """0 is no controller, and more does not fit the line."""
    line, *_ = MemoryLink(), None
    with pytest.raises(DriverError):
        Table(line, epoch=counter)


def test_a_shoe_reports_four_facts_that_fail_apart() -> None:
    """Well; dumb on an open port; unplugged: port, link, device and data each say their own, and no card is in the report."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)

        async def deal() -> None:
            await draw(device, 3)
            await asyncio.sleep(1)
            well = table.shoe.report()
            assert (well.port.state, well.link.state, well.data.state) == ("open", "ok", "event")
            assert well.device.state == "ready"
            assert "49 cards left" in well.device.detail
            assert well.identity == "SIMSHOE 1.0.0, serial number S0012345, node SH01"
            assert well.counters["events"] >= 5
            assert well.counters["bad_frames"] == 0
            assert well.counters["bytes_in"] > 0 < well.counters["bytes_out"]
            device.stop()
            await asyncio.sleep(4)
            dumb = table.shoe.report()
            assert (dumb.port.state, dumb.link.state, dumb.device.state) == ("open", "silent", "ready")
            assert dumb.device.age_s is not None
            assert dumb.device.age_s > 3
            line.unplug()
            await asyncio.sleep(1)
            gone = table.shoe.report()
            assert gone.port.state == "closed"
            assert "is not there: plug the device in" in gone.port.detail
            assert not any(f"'{card}'" in repr(gone) for card in CARDS)

        await run_table(table, deal)

    run_virtual(story(), max_seconds=120)


def test_a_shoe_of_another_node_is_quarantined() -> None:
    """``shoe.node`` of the configuration holds with and without a key: another name on the line is another shoe."""

    async def story() -> None:
        line, _ = bench()
        table = Table(line)
        setup = ShoeSetup(
            name="shoe", opener=line, deliver=table.deliver, clock=SystemClock(), rng=random.Random(1), paired_node="SH02"
        )
        made = DRIVER.make(setup)
        assert isinstance(made, TspShoe)
        table.shoe = made

        async def look() -> None:
            await asyncio.sleep(4)
            assert table.state is LinkState.QUARANTINE
            assert not any(isinstance(event, ShoeFound) for event in table.events)

        await run_table(table, look)

    run_virtual(story(), max_seconds=60)


def test_the_right_shoe_is_taken_when_it_comes_back_to_an_open_port() -> None:
    """Its plug is at an adapter or a serial server, so the port never closes. The stranger had a larger boot: no matter."""

    async def story() -> None:
        line = MemoryLink("shoe")
        stranger = SimulatedShoe(line, memory=ShoeMemory(boot=9), identity=ShoeIdentity(serial="S7777777"))
        stranger.start()
        table = Table(line)

        async def put_back() -> None:
            await asyncio.sleep(4)
            assert table.shoe.report().link.state == "quarantine"
            stranger.stop()
            SimulatedShoe(line, memory=ShoeMemory(boot=2)).start()
            await asyncio.sleep(4)
            assert table.state is LinkState.UP
            assert table.shoe.report().trouble is None
            assert table.shoe.report().counters["reopens"] == 0

        await run_table(table, put_back)

    run_virtual(story(), max_seconds=60)


@pytest.mark.parametrize("lie", ["same_key", "draw_no"])
def test_a_shoe_that_stopped_is_taken_again_without_a_new_start_of_the_controller(lie: str) -> None:
    """A line that cannot be true stops the session. After the ruling it begins anew under a larger epoch: the shoe is found, what
    was not accepted comes again, orders are obeyed from id 1, and every card is told once."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)
        drawn: list[str] = []

        async def deal() -> None:
            drawn.extend(await draw(device, 3))
            await asyncio.sleep(1)
            seq = table.accepted
            lies = {
                "same_key": format_device("SH01", KeyPressed(0x7F3A, seq, "OTHER")),
                "draw_no": format_device("SH01", CardRead(0x7F3A, seq + 1, "??", CardMode.COUNTED, 40, 9, 0)),
            }
            table.shoe.data_received(lies[lie])
            await asyncio.sleep(0.1)
            assert [event.code for event in table.events if isinstance(event, ShoeStopped)] == [lie]
            table.order = 0
            table.shoe.renew(2)
            await asyncio.sleep(2)
            assert table.state is LinkState.UP
            drawn.extend(await draw(device, 3))
            await asyncio.sleep(2)

        await run_table(table, deal)
        found = [event for event in table.events if isinstance(event, ShoeFound)]
        assert len(found) == 2
        assert table.cards() == drawn
        assert len([event for event in table.events if isinstance(event, ShoeStopped)]) == 1

    run_virtual(story(), max_seconds=120)


def test_a_new_epoch_in_a_running_session_loses_and_doubles_no_card() -> None:
    """Amid a fast street, with events under way and untaken ones waiting: ids of orders begin again, nothing is told twice."""

    async def story() -> None:
        line, device = bench()
        table = Table(line)
        drawn: list[str] = []

        async def renewing() -> None:
            for epoch in range(2, 8):
                await asyncio.sleep(1.3)
                table.taking.clear()
                await asyncio.sleep(0.3)
                table.order = 0
                table.shoe.renew(epoch)
                table.taking.set()

        async def deal() -> None:
            task = asyncio.create_task(renewing())
            drawn.extend(await draw(device, 40))
            await task
            await asyncio.sleep(3)

        await run_table(table, deal)
        assert table.cards() == drawn == CARDS[:40]
        assert not any(isinstance(event, ShoeStopped) for event in table.events)
        assert not any(event.is_rebooted for event in table.events if isinstance(event, ShoeFound))
        with pytest.raises(DriverError, match="must be 1 to 65535"):
            table.shoe.renew(0x10000)

    run_virtual(story(), max_seconds=200)
