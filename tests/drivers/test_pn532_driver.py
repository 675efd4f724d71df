"""The PN532 driver against a simulated chip, on virtual time and over a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from drivers.clock import LoopClock, SystemClock
from drivers.link.polled import REOPEN_AFTER_S, NotReady
from drivers.link.serial import SerialOpener, SerialSettings
from drivers.pn532.driver import Pn532Reader
from drivers.pn532.messages import Code
from drivers.ports import AntennaScan, DeviceEvent, LinkChanged, LinkState
from simulators import pn532_chip
from simulators.device_port import LineSpeed
from simulators.memory_link import MemoryLink
from simulators.pn532 import Power, SimulatedPn532
from simulators.ports import PseudoTerminal
from simulators.virtual_time import run_virtual

ONE, TWO, THREE = "04A1B2C3D4E5F0", "04112233445566", "04112233445577"
SHORT = "11223344"


class Desk:
    """One chip, what lies on its antenna, and all that the driver delivered."""

    def __init__(self, *, seed: int = 1) -> None:
        self.cards: tuple[str, ...] = ()
        self.link = MemoryLink("desk", pace=LineSpeed(115200))
        self.chip = SimulatedPn532(self.link, tags=lambda _: self.cards, rng=random.Random(seed))
        self.events: list[DeviceEvent] = []
        self.driver = Pn532Reader(
            name="desk",
            opener=self.link,
            deliver=self.deliver,
            clock=LoopClock(datetime(2026, 1, 1, tzinfo=UTC)),
            rng=random.Random(seed),
        )

    async def deliver(self, event: DeviceEvent) -> None:
        self.events.append(event)

    def scans(self) -> list[AntennaScan]:
        return [event for event in self.events if isinstance(event, AntennaScan)]

    def states(self, antenna: int = 1) -> list[LinkState]:
        return [event.state for event in self.events if isinstance(event, LinkChanged) and event.antenna == antenna]

    def details(self) -> str:
        return " · ".join(event.detail for event in self.events if isinstance(event, LinkChanged))

    def tell(self, story: Callable[[Desk], Awaitable[None]]) -> None:
        async def main() -> None:
            running = asyncio.create_task(self.driver.run())
            try:
                await story(self)
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

        run_virtual(main(), max_seconds=300)


async def five_seconds(desk: Desk) -> None:
    await asyncio.sleep(5)


def test_a_resting_card_is_seen_in_every_scan() -> None:
    """A card of seven bytes that just lies there is in every scan, since each one lets go of it and turns the field off."""
    desk = Desk()
    desk.cards = (ONE,)
    desk.tell(five_seconds)
    scans = desk.scans()
    assert len(scans) > 30
    assert {scan.tags for scan in scans} == {(ONE,)}
    assert all(scan.clean and scan.device == "desk" and scan.antenna == 1 for scan in scans)
    assert desk.states() == [LinkState.UP]
    assert "PN532, firmware 1.6" in desk.details()


def test_every_second_poll_fails_without_the_release() -> None:
    """The simulator is no better than the chip: without release and field-off a resting card is missed every other time."""
    chip = pn532_chip.Pn532Chip()
    search = pn532_chip.Frame(pn532_chip.Direction.TO_CHIP, Code.LIST_TARGETS, b"\x02\x00")
    assert [chip.carry_out(search, (ONE,)).data[0] for _ in range(4)] == [1, 0, 1, 0]
    release = pn532_chip.Frame(pn532_chip.Direction.TO_CHIP, Code.RELEASE, b"\x00")
    assert [chip.carry_out(frame, (ONE,)).data[0] for frame in (search, release, search, release, search)] == [1, 0, 1, 0, 1]


def test_an_empty_antenna_is_empty_and_not_silent() -> None:
    """The retries are bounded first: the chip's own default would never answer."""
    desk = Desk()
    desk.tell(five_seconds)
    assert {scan.tags for scan in desk.scans()} == {()}
    assert len(desk.scans()) > 30
    assert all(scan.clean for scan in desk.scans())
    assert not desk.chip.is_field_on


def test_two_cards_are_told_and_a_third_may_be_there() -> None:
    """Two is all that the chip lists: such a scan is not clean, so nobody counts the third card as gone."""
    desk = Desk()
    desk.cards = (ONE, TWO)

    async def story(desk: Desk) -> None:
        await asyncio.sleep(2)
        desk.cards = (ONE, TWO, THREE)
        await asyncio.sleep(2)
        desk.cards = (SHORT,)
        await asyncio.sleep(2)

    desk.tell(story)
    assert {(scan.tags, scan.clean) for scan in desk.scans()} == {((ONE, TWO), False), ((SHORT,), True)}


def test_tags_of_another_air_interface_are_not_seen() -> None:
    """A vicinity card (ISO 15693) on this antenna is no card here."""
    desk = Desk()
    desk.cards = ("E00401009A3B7C21", ONE)
    desk.tell(five_seconds)
    assert {scan.tags for scan in desk.scans()} == {(ONE,)}


def test_a_chip_that_lost_its_power_is_woken_and_prepared_again() -> None:
    """After a loss of power the chip sleeps with the maker's retries: the driver wakes it, and no scan is invented meanwhile."""
    desk = Desk()
    desk.cards = (ONE,)

    async def story(desk: Desk) -> None:
        await asyncio.sleep(2)
        desk.chip.power_cycle()
        await asyncio.sleep(5)

    desk.tell(story)
    assert {scan.tags for scan in desk.scans()} == {(ONE,)}
    assert desk.chip.commands[Code.SAM] >= 2
    assert desk.chip.power is Power.AWAKE


def test_a_pulled_cable_and_a_silent_chip() -> None:
    """Each is told once with its reason, and scans go on when it is over; a chip that stays silent gets its port opened anew."""
    desk = Desk()
    desk.cards = (ONE,)

    async def story(desk: Desk) -> None:
        await asyncio.sleep(2)
        desk.link.unplug()
        await asyncio.sleep(1)
        desk.link.replug()
        await asyncio.sleep(8)
        desk.chip.faults.is_silent = True
        await asyncio.sleep(REOPEN_AFTER_S + 15)
        desk.chip.faults.is_silent = False
        await asyncio.sleep(15)

    desk.tell(story)
    assert desk.states() == [LinkState.UP, LinkState.DOWN, LinkState.UP, LinkState.DOWN, LinkState.UP]
    assert desk.states(0).count(LinkState.DOWN) >= 2
    assert "switches say HSU" in desk.details()
    assert "has not answered for 10 s" in desk.details()
    assert {scan.tags for scan in desk.scans()} == {(ONE,)}


@pytest.mark.parametrize("fault", ["lost", "unacknowledged", "unanswered", "garbled", "miss"])
def test_a_bad_line_invents_nothing(fault: str) -> None:
    """With a fifth of commands or answers spoilt, scans go on, and none tells a card that had not been there for 1.5 s: so long
    an answer may be under way that had to be asked for again."""
    desk = Desk()
    setattr(desk.chip.faults, fault, 0.2)
    placed: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]

    async def story(desk: Desk) -> None:
        rng = random.Random(5)
        loop = asyncio.get_running_loop()
        for _ in range(40):
            desk.cards = tuple(rng.sample((ONE, TWO, THREE), rng.randrange(3)))
            placed.append((loop.time(), desk.cards))
            await asyncio.sleep(rng.uniform(0.5, 2.5))

    desk.tell(story)
    assert len(desk.scans()) > 50
    for scan in desk.scans():
        started = max(0.0, scan.at - 1.5)
        first = max(number for number, (at, _) in enumerate(placed) if at <= started)
        lay = {card for at, cards in placed[first:] for card in cards if at <= scan.at}
        assert set(scan.tags) <= lay
    counters = desk.driver.counters
    assert (counters.retries + counters.nacks > 0) == (fault != "miss")


def test_refusals_make_it_stale() -> None:
    """A chip that answers every search with the error frame is stale, its scans are not clean, and it is told why."""
    desk = Desk()
    desk.cards = (ONE,)

    async def story(desk: Desk) -> None:
        await asyncio.sleep(2)
        desk.chip.faults.refused = 1.0
        await asyncio.sleep(3)
        desk.chip.faults.refused = 0.0
        await asyncio.sleep(3)

    desk.tell(story)
    assert desk.states() == [LinkState.UP, LinkState.STALE, LinkState.UP]
    assert {scan.tags for scan in desk.scans() if scan.clean} == {(ONE,)}
    assert {scan.tags for scan in desk.scans() if not scan.clean} == {()}


def test_another_chip_is_quarantined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PN533 (IC 33) speaks nearly the same, and is not what belongs here: no scan."""
    monkeypatch.setattr(pn532_chip, "FIRMWARE", pn532_chip.Firmware(0x33, 2, 7, 7))
    desk = Desk()
    desk.cards = (ONE,)
    desk.tell(five_seconds)
    assert desk.states() == [LinkState.QUARANTINE]
    assert desk.scans() == []


def test_report_tells_health_and_counts() -> None:
    """Four facts with ages, the chip's identity, and counters; no UID."""
    desk = Desk()
    desk.cards = (ONE,)
    reports = []

    async def story(desk: Desk) -> None:
        reports.append(desk.driver.report())
        await asyncio.sleep(3)
        reports.append(desk.driver.report())

    desk.tell(story)
    first, later = reports
    assert (first.port.state, first.link.state, first.data.state) == ("closed", "silent", "none")
    assert (later.port.state, later.link.state, later.device.state, later.data.state) == ("open", "ok", "ok", "scan")
    assert later.identity == "PN532, firmware 1.6"
    assert later.data.age_s is not None
    assert later.data.age_s < 0.2
    assert later.counters["scans"] == len(desk.scans())
    assert ONE not in repr(later)


@pytest.mark.ports
async def test_over_a_pseudo_terminal(tmp_path: Path) -> None:
    """The same over a real port: a card laid down is told, then gone; the cable is pulled and comes back."""
    port = PseudoTerminal(tmp_path / "pn532", pace=LineSpeed(115200))
    cards: list[str] = []
    SimulatedPn532(port, tags=lambda _: tuple(cards), rng=random.Random(1))
    scans: list[AntennaScan] = []
    told = asyncio.Event()

    async def deliver(event: DeviceEvent) -> None:
        if isinstance(event, AntennaScan):
            scans.append(event)
            told.set()

    async def until(tags: tuple[str, ...]) -> None:
        async with asyncio.timeout(20):
            while True:
                told.clear()
                await told.wait()
                if scans[-1].tags == tags:
                    return

    port.replug()
    reader = Pn532Reader(
        name="desk",
        opener=SerialOpener(str(port.path), SerialSettings(115200)),
        deliver=deliver,
        clock=SystemClock(),
        rng=random.Random(1),
    )
    running = asyncio.create_task(reader.run())
    try:
        await until(())
        cards.append(ONE)
        await until((ONE,))
        port.unplug()
        cards.clear()
        port.replug()
        await until(())
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        port.close()


def test_another_reason_for_the_quarantine_is_told() -> None:
    """Who reads the alarm must see what is wrong now; the same reason again is not told twice."""
    desk = Desk()
    reasons = iter(["no PN532", "no PN532", "takes no bound"])
    last = "takes no bound"

    async def prepare() -> str:
        raise NotReady(LinkState.QUARANTINE, next(reasons, last))

    desk.driver.prepare = prepare  # type: ignore[method-assign]

    async def story(desk: Desk) -> None:
        await asyncio.sleep(20)

    desk.tell(story)
    assert [event.detail for event in desk.events if isinstance(event, LinkChanged) and event.antenna == 1] == ["no PN532", last]
