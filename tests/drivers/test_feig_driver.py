"""The FEIG line driver against simulated readers, on virtual time and over a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from drivers.clock import LoopClock, SystemClock
from drivers.feig.driver import FEW_TAGS_MS, MANY_TAGS_MS, RF_RESET_AFTER, Antenna, FeigLine
from drivers.feig.frames import Frame
from drivers.feig.messages import Control
from drivers.feig.settings import CFG_ANTICOLLISION, CFG_INTERFACE, lists_only_new, response_ms
from drivers.link.polled import REOPEN_AFTER_S
from drivers.link.serial import Parity, SerialOpener, SerialSettings
from drivers.ports import AntennaScan, DeviceEvent, LinkChanged, LinkState
from simulators.device_port import LineSpeed
from simulators.feig_reader import FeigReaders
from simulators.memory_link import MemoryLink
from simulators.ports import PseudoTerminal
from simulators.virtual_time import run_virtual

CARDS = tuple(f"E00401{number:010X}" for number in range(52))
SPEED = LineSpeed(baud=38400, parity=True)


class Line:
    """One line with readers at addresses 1 to ``count``, what lies on them, and all that the driver delivered."""

    def __init__(self, count: int = 4, *, every: int = 1, advanced: bool = False, seed: int = 1) -> None:
        self.cards: dict[int, tuple[str, ...]] = {}
        self.link = MemoryLink("felt-a", pace=SPEED)
        self.readers = FeigReaders(
            self.link,
            addresses=range(1, count + 1),
            tags=lambda address: self.cards.get(address, ()),
            rng=random.Random(seed),
        )
        self.events: list[DeviceEvent] = []
        self.driver = FeigLine(
            name="felt-a",
            opener=self.link,
            deliver=self.deliver,
            clock=LoopClock(datetime(2026, 1, 1, tzinfo=UTC)),
            rng=random.Random(seed),
            antennas=(*map(Antenna, range(1, count)), Antenna(count, every)),
            advanced=advanced,
        )

    async def deliver(self, event: DeviceEvent) -> None:
        self.events.append(event)

    def scans(self, address: int, since: int = 0) -> list[AntennaScan]:
        return [event for event in self.events[since:] if isinstance(event, AntennaScan) and event.antenna == address]

    def states(self, antenna: int) -> list[LinkState]:
        return [event.state for event in self.events if isinstance(event, LinkChanged) and event.antenna == antenna]

    def tell(self, story: Callable[[Line], Awaitable[None]], *, max_seconds: float = 300.0) -> None:
        async def main() -> None:
            running = asyncio.create_task(self.driver.run())
            try:
                await story(self)
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

        run_virtual(main(), max_seconds=max_seconds)


def test_every_antenna_is_scanned_in_turn() -> None:
    """Each antenna tells the tags that lie on it, stamped and clean; an empty one is empty and not silent."""
    line = Line()
    line.cards = {1: CARDS[:2], 2: CARDS[2:6], 4: CARDS[6:7]}

    async def story(line: Line) -> None:
        await asyncio.sleep(5)

    line.tell(story)
    for address, cards in {1: CARDS[:2], 2: CARDS[2:6], 3: (), 4: CARDS[6:7]}.items():
        scans = line.scans(address)
        assert len(scans) >= 15
        assert {scan.tags for scan in scans} == {cards}
        assert all(scan.clean and scan.device == "felt-a" for scan in scans)
        assert line.states(address) == [LinkState.UP]
    assert line.states(0) == [LinkState.OPENING, LinkState.UP]
    order = [event.antenna for event in line.events if isinstance(event, AntennaScan)][:8]
    assert order == [1, 2, 3, 4, 1, 2, 3, 4]


def test_readers_are_set_to_list_every_tag() -> None:
    """Readers come with ONT = 1 and 3 s; before the first scan both are put right, in the EEPROM too.
    The muck's reader, scanned seldom, gets the time for a whole deck."""
    line = Line(2, every=3)
    line.cards = {1: CARDS[:1]}

    async def story(line: Line) -> None:
        await asyncio.sleep(2)
        line.readers.power_cycle(1)
        await asyncio.sleep(2)

    line.tell(story)
    for address, time_ms in {1: FEW_TAGS_MS, 2: MANY_TAGS_MS}.items():
        assert not lists_only_new(line.readers.settings(address, CFG_ANTICOLLISION))
        assert response_ms(line.readers.settings(address, CFG_INTERFACE)) == time_ms
    assert {scan.tags for scan in line.scans(1)} == {CARDS[:1]}


def test_a_reader_that_keeps_ont_is_quarantined() -> None:
    """A reader that cannot be told to list every tag delivers no scan: its 'absent' would mean nothing."""
    line = Line(2)
    set_config = line.readers._carry_out

    def stubborn(address: int, reader: object, request: object) -> object:
        answer = set_config(address, reader, request)  # type: ignore[arg-type]
        line.readers._readers[1].memory[CFG_ANTICOLLISION] = bytes(11) + b"\x01\x00\x00"
        return answer

    line.readers._carry_out = stubborn  # type: ignore[method-assign,assignment]

    async def story(line: Line) -> None:
        await asyncio.sleep(5)

    line.tell(story)
    assert line.states(1) == [LinkState.QUARANTINE]
    assert line.scans(1) == []
    assert len(line.scans(2)) > 10


def test_muck_is_scanned_every_third_round() -> None:
    """An antenna with ``every=3`` is scanned a third as often."""
    line = Line(3, every=3)

    async def story(line: Line) -> None:
        await asyncio.sleep(10)

    line.tell(story)
    assert abs(len(line.scans(1)) - 3 * len(line.scans(3))) <= 3


@pytest.mark.parametrize("advanced", [False, True])
def test_a_whole_deck_in_the_muck_is_one_scan(advanced: bool) -> None:
    """52 tags need three answers and come as one scan, in standard and advanced frames. The first scan, for which nobody
    expected so many, may take repeats and is not clean then; no later one needs any."""
    line = Line(1, advanced=advanced)

    async def story(line: Line) -> None:
        await asyncio.sleep(2)
        line.cards = {1: CARDS}
        await asyncio.sleep(4)
        retries.append(line.driver.counters.retries)
        await asyncio.sleep(10)

    retries: list[int] = []
    line.tell(story)
    assert {scan.tags for scan in line.scans(1) if scan.clean} == {(), CARDS}
    assert len([scan for scan in line.scans(1) if not scan.clean]) <= 1
    assert retries[0] <= 2
    assert line.driver.counters.retries == retries[0]


def test_a_silent_antenna_never_blocks_the_others() -> None:
    """One dead reader: told down once, the others wait once for less than 2 s and after that never for 0.5 s,
    and it comes back by itself."""
    line = Line(4)
    marks: list[int] = []

    async def story(line: Line) -> None:
        await asyncio.sleep(10)
        marks.append(len(line.scans(1)))
        line.readers.faults.silent.add(2)
        await asyncio.sleep(10)
        marks.append(len(line.scans(1)))
        line.readers.faults.silent.clear()
        await asyncio.sleep(7)

    line.tell(story)
    before, during = marks[0], marks[1] - marks[0]
    assert during > 0.75 * before
    assert line.states(2) == [LinkState.UP, LinkState.DOWN, LinkState.UP]
    assert line.states(1) == line.states(3) == line.states(4) == [LinkState.UP]
    assert [scan.at for scan in line.scans(2) if 12 < scan.at < 20] == []
    gaps_s = [after.at - before.at for before, after in pairwise(line.scans(1))]
    assert max(gaps_s) < 2.0
    assert max(gap_s for gap_s, scan in zip(gaps_s, line.scans(1), strict=False) if scan.at > 13) < 0.5


def test_rf_errors_are_scans_that_are_not_clean() -> None:
    """83 and 84 deliver what was read, not clean; nothing goes down."""
    line = Line(1)
    line.cards = {1: CARDS[:4]}
    line.readers.faults.rf_error = 0.3
    line.readers.faults.rf_warning = 0.3

    async def story(line: Line) -> None:
        await asyncio.sleep(10)

    line.tell(story)
    scans = line.scans(1)
    assert {scan.clean for scan in scans} == {True, False}
    assert all(scan.tags == CARDS[:4] for scan in scans if scan.clean)
    assert all(set(scan.tags) <= set(CARDS[:4]) for scan in scans)
    assert line.states(1) == [LinkState.UP]


def test_a_busy_reader_goes_stale_and_comes_back() -> None:
    """0F for ever: scans that are not clean, stale after three, up again with the first good one."""
    line = Line(1)

    async def story(line: Line) -> None:
        await asyncio.sleep(2)
        line.readers.faults.busy = 1.0
        await asyncio.sleep(5)
        line.readers.faults.busy = 0.0
        await asyncio.sleep(1)

    line.tell(story)
    assert line.states(1) == [LinkState.UP, LinkState.STALE, LinkState.UP]
    assert all(scan.tags == () for scan in line.scans(1) if not scan.clean)


def test_lost_requests_cost_repeats_and_nothing_else() -> None:
    """One request in ten lost, tags shuffled: every clean scan is whole, and no late answer is mixed up."""
    line = Line(2, seed=3)
    line.cards = {1: CARDS[:3], 2: CARDS[3:6]}
    line.readers.faults.lost = 0.1
    line.readers.faults.shuffled = True

    async def story(line: Line) -> None:
        await asyncio.sleep(60)

    line.tell(story)
    for address, cards in line.cards.items():
        assert {frozenset(scan.tags) for scan in line.scans(address) if scan.clean} == {frozenset(cards)}
    assert line.driver.counters.retries > 5


def test_a_slow_reader_is_never_a_step_behind() -> None:
    """A reader whose answers come after the time-out: a scan never shows what lay there before its request."""
    line = Line(1)
    line.readers.faults.delay_s[1] = 0.45
    stamps: dict[str, float] = {}

    async def story(line: Line) -> None:
        for number in range(40):
            line.cards = {1: (CARDS[number],)}
            stamps[CARDS[number]] = asyncio.get_running_loop().time()
            await asyncio.sleep(1.7)

    line.tell(story)
    ended = {uid: stamps.get(after, 1e9) for uid, after in pairwise(CARDS)}
    scans = line.scans(1)
    assert len(scans) > 5
    assert all(scan.at - ended[uid] < 0.1 for scan in scans for uid in scan.tags)


def test_port_lost_and_found() -> None:
    """The cable is pulled: line and antennas are told down at once, and up again when it is back."""
    line = Line(2)
    line.cards = {1: CARDS[:1]}

    async def story(line: Line) -> None:
        await asyncio.sleep(2)
        line.link.unplug()
        await asyncio.sleep(0.2)
        assert line.states(0)[-1] is LinkState.DOWN
        marks.append(len(line.events))
        await asyncio.sleep(3)
        assert len(line.events) == marks[0]
        line.link.replug()
        await asyncio.sleep(8)

    marks: list[int] = []
    line.tell(story)
    assert line.states(0) == [LinkState.OPENING, LinkState.UP, LinkState.DOWN, LinkState.UP]
    assert line.states(1) == line.states(2) == [LinkState.UP, LinkState.DOWN, LinkState.UP]
    assert len(line.scans(1, marks[0])) > 5


def test_a_dead_line_is_opened_anew() -> None:
    """No reader answers for ten seconds: the port is closed and opened again, which cures a stuck adapter."""
    line = Line(2)
    line.readers.faults.silent |= {1, 2}

    async def story(line: Line) -> None:
        await asyncio.sleep(REOPEN_AFTER_S + 12)
        line.readers.faults.silent.clear()
        await asyncio.sleep(8)

    line.tell(story)
    assert line.states(0)[:4] == [LinkState.OPENING, LinkState.UP, LinkState.DOWN, LinkState.UP]
    assert line.states(1)[-1] is LinkState.UP
    assert line.scans(1)


def test_a_device_that_takes_no_bytes_is_closed() -> None:
    """A port whose device stops reading overflows its bounded buffer and is opened anew; the loop never hangs."""
    line = Line(2)

    async def story(line: Line) -> None:
        await asyncio.sleep(1)
        line.link.stalled = True
        await asyncio.sleep(30)
        line.link.stalled = False
        await asyncio.sleep(20)

    line.tell(story)
    assert LinkState.DOWN in line.states(0)
    assert line.states(1)[-1] is LinkState.UP


def test_deliver_slows_the_scans() -> None:
    """A table that takes its time gets fewer scans, never a queue of old ones."""
    line = Line(2)

    async def slow(event: DeviceEvent) -> None:
        line.events.append(event)
        await asyncio.sleep(1.0)

    line.driver._deliver = slow

    async def story(line: Line) -> None:
        await asyncio.sleep(20)

    line.tell(story)
    assert len(line.scans(1)) + len(line.scans(2)) <= 18


def test_what_deliver_raises_ends_the_run() -> None:
    """An error of the table is not swallowed by the driver."""
    line = Line(1)

    async def broken(event: DeviceEvent) -> None:
        raise RuntimeError("no room")

    line.driver._deliver = broken
    with pytest.raises(ExceptionGroup) as group:
        run_virtual(line.driver.run(), max_seconds=10)
    assert group.group_contains(RuntimeError, match="no room")


@pytest.mark.parametrize(
    ("antennas", "match"),
    [((), "felt-a has no antenna"), ((Antenna(1), Antenna(1)), r"felt-a has an address twice: \[1, 1\]")],
)
def test_impossible_lines_are_refused(antennas: tuple[Antenna, ...], match: str) -> None:
    """No antenna, or an address given twice, is no line."""
    line = Line(1)
    with pytest.raises(ValueError, match=match):
        FeigLine(
            name="felt-a",
            opener=line.link,
            deliver=line.deliver,
            clock=LoopClock(datetime(2026, 1, 1, tzinfo=UTC)),
            rng=random.Random(1),
            antennas=antennas,
        )


def test_impossible_antennas_are_refused() -> None:
    """Addresses are 0 to 254, and an antenna is scanned every first, second … round."""
    with pytest.raises(ValueError, match="from 0 to 254, not 255"):
        Antenna(255)
    with pytest.raises(ValueError, match="not every 0"):
        Antenna(1, every=0)


@pytest.mark.ports
async def test_four_readers_on_a_pseudo_terminal(tmp_path: Path) -> None:
    """Four addresses on a real port at 38400 8E1: all scanned, the cable pulled and put back, all scanned again."""
    cards = {1: CARDS[:2], 2: CARDS[2:6], 3: (), 4: CARDS[6:13]}
    port = PseudoTerminal(tmp_path / "felt-a", pace=SPEED)
    FeigReaders(port, addresses=cards, tags=lambda address: cards[address], rng=random.Random(1))
    seen: dict[int, set[tuple[str, ...]]] = {}
    all_seen, went_down = asyncio.Event(), asyncio.Event()

    async def deliver(event: DeviceEvent) -> None:
        match event:
            case AntennaScan(antenna=antenna, tags=tags, clean=True):
                seen.setdefault(antenna, set()).add(tags)
                if len(seen) == len(cards):
                    all_seen.set()
            case LinkChanged(antenna=0, state=LinkState.DOWN):
                went_down.set()
            case _:
                pass

    line = FeigLine(
        name="felt-a",
        opener=SerialOpener(str(port.path), SerialSettings(baud=38400, parity=Parity.EVEN)),
        deliver=deliver,
        clock=SystemClock(),
        rng=random.Random(1),
        antennas=tuple(map(Antenna, cards)),
    )
    port.replug()
    running = asyncio.create_task(line.run())
    try:
        async with asyncio.timeout(20):
            await all_seen.wait()
            assert seen == {address: {tags} for address, tags in cards.items()}
            port.unplug()
            await went_down.wait()
            seen.clear()
            all_seen.clear()
            port.replug()
            await all_seen.wait()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        port.close()
    assert seen == {address: {tags} for address, tags in cards.items()}


def test_a_line_reports_four_facts_that_fail_apart() -> None:
    """All well; one reader silent; all silent with the port open; port gone: port, link, device and data each say their own."""
    line = Line(2)
    line.cards = {1: CARDS[:2]}

    async def story(line: Line) -> None:
        before = line.driver.report()
        assert (before.port.state, before.link.state, before.data.state) == ("closed", "silent", "none")
        assert before.port.age_s is None
        await asyncio.sleep(5)
        well = line.driver.report()
        assert (well.port.state, well.link.state, well.device.state, well.data.state) == ("open", "ok", "ok", "scan")
        assert well.port.age_s == pytest.approx(5.0, abs=0.5)
        assert well.data.age_s is not None
        assert well.data.age_s < 1
        assert "software 3.03" in well.identity
        assert well.counters["scans"] > 20
        assert well.counters["bytes_in"] > 0 < well.counters["bytes_out"]
        line.readers.faults.silent = {2}
        await asyncio.sleep(5)
        half = line.driver.report()
        assert (half.link.state, half.device.state, half.device.detail) == ("ok", "impaired", "1 of 2 antennas are scanned")
        assert [part.state for part in half.antennas] == [LinkState.UP, LinkState.DOWN]
        line.readers.faults.silent = {1, 2}
        await asyncio.sleep(4)
        dumb = line.driver.report()
        assert (dumb.port.state, dumb.link.state, dumb.data.state) == ("open", "silent", "scan")
        assert dumb.counters["timeouts"] > half.counters["timeouts"]
        line.readers.faults.silent = set()
        line.link.unplug()
        await asyncio.sleep(1)
        gone = line.driver.report()
        assert gone.port.state == "closed"
        assert "is not there: plug the device in" in gone.port.detail
        line.link.replug()
        await asyncio.sleep(6)
        assert line.driver.report().counters["reopens"] >= 1
        assert not any(card in repr(line.driver.report()) for card in CARDS)

    line.tell(story)


def test_a_reader_that_answers_a_ping_alone_is_started_anew() -> None:
    """It hangs at every inventory until it is reset (63): the driver does that, and its neighbour is scanned meanwhile."""
    line = Line(2)
    line.cards = {1: CARDS[:2]}
    take = line.readers._take
    hangs = False
    resets = 0

    def hanging(frame: Frame) -> None:
        nonlocal hangs, resets
        if frame.address == 1 and frame.control == Control.CPU_RESET:
            hangs, resets = False, resets + 1
        if not (hangs and frame.address == 1 and frame.control != Control.PING):
            take(frame)

    line.readers._take = hanging  # type: ignore[method-assign]

    async def story(line: Line) -> None:
        nonlocal hangs
        await asyncio.sleep(3)
        hangs = True
        since = len(line.events)
        await asyncio.sleep(25)
        assert resets == 1
        assert line.states(1)[-1] is LinkState.UP
        assert len(line.scans(2, since)) > 50
        assert line.driver.report().counters["resets"] == 1

    line.tell(story)


def test_a_field_that_stays_disturbed_is_switched_off_for_a_moment() -> None:
    """Five scans in a row with status 83: one RF reset (69), and again after five more; clean scans need none."""
    line = Line(1)
    line.cards = {1: CARDS[:2]}

    async def story(line: Line) -> None:
        await asyncio.sleep(3)
        assert line.driver.report().counters["resets"] == 0
        line.readers.faults.rf_error = 1.0
        before = len(line.scans(1))
        while len(line.scans(1)) < before + 3 * RF_RESET_AFTER:
            await asyncio.sleep(0.05)
        assert 2 <= line.driver.report().counters["resets"] <= 3
        line.readers.faults.rf_error = 0.0
        await asyncio.sleep(2)
        assert line.scans(1)[-1].clean

    line.tell(story)


def test_readers_that_answer_as_delivered_are_named() -> None:
    """All silent at the configured speed: before the port is opened again they are asked at the settings of delivery, and what is
    wrong is told with its remedy. Once they are set right the line is as any other."""
    line = Line(2)
    delivered = MemoryLink("felt-a", pace=SPEED)
    FeigReaders(delivered, addresses=(1, 2), tags=lambda _: (), rng=random.Random(1))
    line.driver = FeigLine(
        name="felt-a",
        opener=line.link,
        deliver=line.deliver,
        clock=LoopClock(datetime(2026, 1, 1, tzinfo=UTC)),
        rng=random.Random(1),
        antennas=(Antenna(1), Antenna(2)),
        delivered=delivered,
    )
    line.readers.faults.silent = {1, 2}

    async def story(line: Line) -> None:
        await asyncio.sleep(REOPEN_AFTER_S + 10)
        told = [event for event in line.events if isinstance(event, LinkChanged) and event.antenna == 2]
        assert told[-1].state is LinkState.QUARANTINE
        assert told[-1].detail == (
            "felt-a: the readers answer at 38400 8E1, not at the line speed in the configuration: "
            "correct baud and parity there, or set the readers (CFG1)"
        )
        assert {part.trouble and part.trouble.code for part in line.driver.report().antennas} == {"line_speed"}
        line.readers.faults.silent = set()
        await asyncio.sleep(8)
        assert [part.trouble for part in line.driver.report().antennas] == [None, None]
        assert line.states(2)[-1] is LinkState.UP
        line.readers.faults.silent = {2}
        await asyncio.sleep(8)
        assert line.states(2)[-1] is LinkState.DOWN, "one that falls silent later is just silent"

    line.tell(story)
