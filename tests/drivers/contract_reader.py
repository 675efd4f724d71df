"""What every driver of readers keeps to. A driver brings a bench, its device on a line in memory, and passes all of this.

``test_reader_contract.py`` runs it over the registered drivers, ``test_add_a_driver.py`` over the example of the how-to.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol

import pytest

from drivers.clock import LoopClock
from drivers.factory import ReaderDriver, ReaderSetup, WiredAntenna
from drivers.link.supervisor import UNOPENED_S
from drivers.ports import AntennaScan, DeviceEvent, DeviceReport, DriverError, LinkChanged, LinkState, ReaderPort
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

SEEN_S = 2.0
"""A tag that is laid down or lifted is told within so long on a line without faults."""
BACK_S = 12.0
"""Scans go on so long after a fault is over: the longest wait before another attempt, an attempt, and a margin."""
WORD = frozenset("0123456789ABCDEF")


class ReaderBench(Protocol):
    """A device of one driver on a line in memory."""

    line: MemoryLink
    antennas: tuple[int, ...]
    """Addresses that the device has."""
    tags: tuple[str, ...]
    """Three UIDs that such a reader can read, as the driver tells them."""

    def lay(self, antenna: int, *tags: str) -> None:
        """Nothing but ``tags``, none or one of them, lies on ``antenna``."""

    def hush(self, *, is_silent: bool) -> None:
        """The device answers nothing, or again."""


class Subject:
    """One driver on its bench, and all that it delivered."""

    def __init__(self, driver: ReaderDriver, bench: ReaderBench) -> None:
        self.driver = driver
        self.bench = bench
        self.clock = LoopClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.events: list[DeviceEvent] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.port = self.make()

    def make(self) -> ReaderPort:
        antennas = tuple(map(WiredAntenna, self.bench.antennas))
        return self.driver.make(
            ReaderSetup(
                name="felt-x",
                opener=self.bench.line,
                deliver=self.deliver,
                clock=self.clock,
                rng=random.Random(4),
                antennas=antennas,
                baud=self.driver.line.baud,
            )
        )

    async def deliver(self, event: DeviceEvent) -> None:
        await self.gate.wait()
        self.events.append(event)

    def scans(self, antenna: int | None = None) -> list[AntennaScan]:
        return [event for event in self.events if isinstance(event, AntennaScan) and antenna in (None, event.antenna)]

    def state(self, antenna: int) -> LinkState | None:
        states = [event.state for event in self.events if isinstance(event, LinkChanged) and event.antenna == antenna]
        return states[-1] if states else None

    async def until(self, reached: Callable[[], bool], within_s: float) -> None:
        async with asyncio.timeout(within_s):
            while not reached():
                await asyncio.sleep(0.01)

    def tell(self, story: Callable[[], Awaitable[None]]) -> None:
        """Run the driver while ``story`` goes on. Its task must end with it, and give the port back."""

        async def main() -> None:
            running = asyncio.create_task(self.port.run())
            try:
                await story()
                assert not running.done(), running.exception()
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            link = await self.bench.line.open(Listener())
            link.close()
            await asyncio.sleep(0.01)

        run_virtual(main(), max_seconds=300)


class Listener:
    """Somebody else who opens the port afterwards."""

    def link_opened(self, link: object) -> None: ...

    def data_received(self, data: bytes) -> None: ...

    def link_lost(self, reason: str) -> None: ...


class ReaderContract:
    """The tests. ``subject`` is a fixture with a ``Subject``."""

    def test_it_names_itself_and_opens_nothing_by_itself(self, subject: Subject) -> None:
        """The name is the configuration's; before ``run`` the report says closed, silent, no data, and nothing was delivered."""

        async def look() -> DeviceReport:
            return subject.port.report()

        report = run_virtual(look(), max_seconds=1)
        assert subject.port.name == report.name == "felt-x"
        assert (report.kind, report.port.state, report.link.state, report.data.state) == ("readers", "closed", "silent", "none")
        assert {part.antenna for part in report.antennas} == set(subject.bench.antennas)
        assert subject.events == []

    def test_an_unknown_option_is_a_problem(self, subject: Subject) -> None:
        """The configuration is refused, with what there is."""
        (problem,) = subject.driver.problems({"no_such_option": 1}, len(subject.bench.antennas))
        assert "no option no_such_option; it has" in problem

    def test_health_is_told_before_scans(self, subject: Subject) -> None:
        """The line opens and is up, then each antenna is up, then its scans come; a state is not told twice in a row."""

        async def story() -> None:
            await subject.until(lambda: all(subject.scans(antenna) for antenna in subject.bench.antennas), SEEN_S)

        subject.tell(story)
        links = [event for event in subject.events if isinstance(event, LinkChanged)]
        assert [event.state for event in links if event.antenna == 0][:2] == [LinkState.OPENING, LinkState.UP]
        for antenna in subject.bench.antennas:
            (up,) = [event for event in links if event.antenna == antenna]
            assert up.state is LinkState.UP
            assert up.detail
            assert subject.events.index(up) < subject.events.index(subject.scans(antenna)[0])

    def test_a_tag_is_told_while_it_lies_there(self, subject: Subject) -> None:
        """Laid down it is told soon, in every scan, at its antenna alone; lifted, clean scans without it follow."""
        first, tag = subject.bench.antennas[0], subject.bench.tags[0]

        async def story() -> None:
            await subject.until(lambda: bool(subject.scans(first)), SEEN_S)
            assert subject.scans(first)[-1].tags == ()
            subject.bench.lay(first, tag)
            await subject.until(lambda: subject.scans(first)[-1].tags == (tag,), SEEN_S)
            seen = len(subject.scans())
            await asyncio.sleep(5)
            rest = subject.scans()[seen:]
            assert all(scan.tags == ((tag,) if scan.antenna == first else ()) for scan in rest)
            subject.bench.lay(first)
            await subject.until(lambda: subject.scans(first)[-1] == clean(subject.scans(first)[-1]), SEEN_S)

        subject.tell(story)

    def test_scans_are_well_formed(self, subject: Subject) -> None:
        """Known antennas, times that never go back nor lie ahead, tags in capital hexadecimal and each once; and no ``repr``,
        not of an event nor of the report, tells a tag."""
        first, tag = subject.bench.antennas[-1], subject.bench.tags[1]
        late: list[float] = []
        told: list[str] = []

        async def story() -> None:
            subject.bench.lay(first, tag)
            await asyncio.sleep(5)
            late.append(subject.clock.monotonic())
            told.append(repr(subject.port.report()))

        subject.tell(story)
        scans = subject.scans()
        assert len(scans) >= 5 * len(subject.bench.antennas)
        assert {scan.antenna for scan in scans} == set(subject.bench.antennas)
        assert [scan.at for scan in scans] == sorted(scan.at for scan in scans)
        assert scans[-1].at <= late[0]
        assert all(scan.device == "felt-x" and len(set(scan.tags)) == len(scan.tags) for scan in scans)
        assert all(tag and set(tag) <= WORD for scan in scans for tag in scan.tags)
        assert not any(tag in repr(event) for event in subject.events)
        assert tag not in told[0]

    def test_silence_is_never_an_empty_antenna(self, subject: Subject) -> None:
        """A device that answers nothing is told as not up, with a reason, and no clean scan comes until it answers again."""
        first, tag = subject.bench.antennas[0], subject.bench.tags[0]

        async def story() -> None:
            subject.bench.lay(first, tag)
            await subject.until(lambda: bool(subject.scans(first)) and subject.scans(first)[-1].tags == (tag,), SEEN_S)
            subject.bench.hush(is_silent=True)
            heard = len(subject.scans(first))
            await subject.until(lambda: subject.state(first) is not LinkState.UP, BACK_S)
            await asyncio.sleep(8)
            assert all(scan.tags or not scan.clean for scan in subject.scans(first)[heard:])
            assert subject.port.report().link.state == "silent"
            subject.bench.hush(is_silent=False)
            await subject.until(lambda: subject.state(first) is LinkState.UP, BACK_S)
            await subject.until(lambda: subject.scans(first)[-1].tags == (tag,), SEEN_S)

        subject.tell(story)

    def test_a_pulled_cable_is_told_and_mended(self, subject: Subject) -> None:
        """Line and antennas are told as down at once; plugged in again, scans go on, and what happened meanwhile is seen."""
        first, tag = subject.bench.antennas[0], subject.bench.tags[0]

        async def story() -> None:
            await subject.until(lambda: bool(subject.scans(first)), SEEN_S)
            subject.bench.line.unplug()
            await asyncio.sleep(0.1)
            assert subject.state(0) is LinkState.DOWN
            assert all(subject.state(antenna) is LinkState.DOWN for antenna in subject.bench.antennas if subject.scans(antenna))
            assert subject.port.report().port.state == "closed"
            heard = len(subject.scans())
            subject.bench.lay(first, tag)
            await asyncio.sleep(3)
            assert len(subject.scans()) == heard
            subject.bench.line.replug()
            await subject.until(lambda: subject.scans(first)[-1].tags == (tag,), BACK_S)
            assert subject.state(0) is LinkState.UP
            assert subject.port.report().port.state == "open"

        subject.tell(story)

    def test_a_port_that_is_not_there_at_the_start_is_told(self, subject: Subject) -> None:
        """As one that was lost, so that a start names it (REG-13); when it comes it is scanned."""
        subject.bench.line.unplug()

        async def story() -> None:
            await subject.until(lambda: subject.state(0) is LinkState.DOWN, UNOPENED_S + 0.1)
            subject.bench.line.replug()
            await subject.until(lambda: bool(subject.scans()), BACK_S)
            assert subject.state(0) is LinkState.UP

        subject.tell(story)

    @pytest.mark.parametrize("seed", range(3))
    def test_noise_invents_no_tag(self, subject: Subject, seed: int) -> None:
        """Random bytes between and inside answers end nothing and tell nothing that does not lie there; then all is well."""
        first, tag = subject.bench.antennas[0], subject.bench.tags[0]
        rng = random.Random(seed)

        async def story() -> None:
            subject.bench.lay(first, tag)
            for _ in range(60):
                subject.bench.line.write(rng.randbytes(rng.randrange(1, 40)))
                await asyncio.sleep(rng.uniform(0.005, 0.1))
            await asyncio.sleep(BACK_S)
            assert all(subject.state(antenna) is LinkState.UP for antenna in subject.bench.antennas)
            assert subject.scans(first)[-1].tags == (tag,)

        subject.tell(story)
        assert {uid for scan in subject.scans() for uid in scan.tags} <= {tag}

    def test_a_table_that_does_not_listen_slows_it(self, subject: Subject) -> None:
        """While an event is not taken no other one follows, and none piles up: afterwards scans go on with fresh times."""

        async def story() -> None:
            await subject.until(lambda: bool(subject.scans()), SEEN_S)
            subject.gate.clear()
            heard = len(subject.events)
            await asyncio.sleep(10)
            assert len(subject.events) == heard
            subject.gate.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0.001)
            assert len(subject.events) <= heard + 2
            await asyncio.sleep(BACK_S)
            assert subject.scans()[-1].at > subject.clock.monotonic() - SEEN_S

        subject.tell(story)

    def test_what_deliver_raises_ends_it(self, subject: Subject) -> None:
        """An error of the table is no error of the device: it comes out of ``run``, in a group."""

        async def refuse(event: DeviceEvent) -> None:
            raise OverflowError(event.device)

        subject.deliver = refuse  # type: ignore[method-assign]
        port = subject.make()
        with pytest.raises(ExceptionGroup) as caught:
            run_virtual(port.run(), max_seconds=30)
        assert caught.group_contains(OverflowError)
        assert not caught.group_contains(DriverError)


def clean(scan: AntennaScan) -> AntennaScan:
    """``scan`` as it would be with nothing there and nothing wrong."""
    return AntennaScan(scan.device, scan.antenna, (), clean=True, at=scan.at)
