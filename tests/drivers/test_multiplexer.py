"""A made-up multiplexer between one FEIG reader and three antennas: each scan is of the antenna that was joined before it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from importlib.metadata import EntryPoint

import pytest

from controller.config import parse_config
from controller.rehearsal import Play, config_for
from drivers import registry
from drivers.clock import LoopClock
from drivers.factory import MultiplexerDriver, MultiplexerSetup, ReaderSetup, WiredAntenna
from drivers.feig.frames import Frame, encode
from drivers.ports import AntennaScan, DeviceEvent, DriverError, LinkChanged, LinkState, ReaderPort
from drivers.registry import multiplexer_driver, reader_driver
from simulators.device_port import LineSpeed
from simulators.feig_reader import FeigReaders
from simulators.memory_link import MemoryLink
from simulators.rig import NINETEEN, SHOE_PORT
from simulators.virtual_time import run_virtual

CARDS = tuple(f"E00401{number:010X}" for number in range(3))
READER = 7
SELECT = 0xC0
"""The made-up command of the made-up multiplexer: one byte, the output to join."""
OK, REFUSED = b"\x00", b"\x11"


class MadeUpMultiplexer:
    """Eight outputs behind the reader at address 7."""

    def __init__(self, setup: MultiplexerSetup) -> None:
        self._setup = setup

    def reader(self, antenna: int) -> int:
        return READER

    async def select(self, antenna: int) -> None:
        await self._setup.forward(READER, SELECT, bytes((antenna,)))


DRIVER = MultiplexerDriver("eight outputs behind one reader", MadeUpMultiplexer)


class ReaderBeforeAMultiplexer(FeigReaders):
    """The reader at address 7, which scans the output that is joined, and refuses an output that is broken."""

    def __init__(self, port: MemoryLink, lying: dict[int, tuple[str, ...]]) -> None:
        self.joined = 0
        self.broken: set[int] = set()
        self.line = port
        super().__init__(port, addresses=(READER,), tags=lambda _: lying.get(self.joined, ()), rng=random.Random(1))

    def _take(self, frame: Frame) -> None:
        if frame.control != SELECT:
            super()._take(frame)
            return
        (output,) = frame.payload
        if output not in self.broken:
            self.joined = output
        self.line.write(encode(Frame(READER, SELECT, REFUSED if output in self.broken else OK)))


class Bench:
    """The line as its driver makes it, and all that it delivered."""

    def __init__(self) -> None:
        line = MemoryLink("felt-a", pace=LineSpeed(baud=38400, parity=True))
        self.lying = {1: (CARDS[0],), 2: (), 3: CARDS[1:]}
        self.device = ReaderBeforeAMultiplexer(line, self.lying)
        self.events: list[DeviceEvent] = []
        setup = ReaderSetup(
            name="felt-a",
            opener=line,
            deliver=self.deliver,
            clock=LoopClock(datetime(2026, 1, 1, tzinfo=UTC)),
            rng=random.Random(1),
            antennas=tuple(map(WiredAntenna, (1, 2, 3))),
            baud=38400,
            multiplexer=DRIVER,
        )
        self.port: ReaderPort = reader_driver("feig").make(setup)

    async def deliver(self, event: DeviceEvent) -> None:
        self.events.append(event)

    def scans(self, antenna: int) -> list[AntennaScan]:
        return [event for event in self.events if isinstance(event, AntennaScan) and event.antenna == antenna]

    def last(self, antenna: int) -> LinkChanged:
        return [event for event in self.events if isinstance(event, LinkChanged) and event.antenna == antenna][-1]

    def tell(self, story: Callable[[], Awaitable[None]]) -> None:
        async def main() -> None:
            running = asyncio.create_task(self.port.run())
            try:
                await story()
                assert not running.done()
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

        run_virtual(main(), max_seconds=100)


def test_each_antenna_is_joined_before_it_is_scanned() -> None:
    """One reader, three antennas: what lies on one is never told of another, from the first scan on."""
    bench = Bench()

    async def story() -> None:
        await asyncio.sleep(3)

    bench.tell(story)
    for antenna, tags in bench.lying.items():
        scans = bench.scans(antenna)
        assert len(scans) > 5
        assert {scan.tags for scan in scans} == {tags}


def test_an_antenna_that_cannot_be_joined_is_not_empty() -> None:
    """It is left out and told as down with the reason, while the others go on; joined again, it is scanned again."""
    bench = Bench()

    async def story() -> None:
        await asyncio.sleep(2)
        bench.device.broken = {3}
        await asyncio.sleep(3)
        scans = len(bench.scans(3))
        others = len(bench.scans(1))
        await asyncio.sleep(3)
        assert len(bench.scans(3)) == scans
        assert len(bench.scans(1)) > others
        assert bench.last(3).state is LinkState.DOWN
        assert bench.last(3).detail.startswith(
            "antenna 3 is not joined to its reader: the reader at address 7 refuses command C0"
        )
        assert {scan.tags for scan in bench.scans(3)} == {CARDS[1:]}
        bench.device.broken = set()
        await asyncio.sleep(8)
        assert bench.last(3).state is LinkState.UP
        assert len(bench.scans(3)) > scans

    bench.tell(story)


def test_a_multiplexer_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a driver; a table names it, and only where the readers can be before one."""
    with pytest.raises(
        DriverError, match="there is no driver of multiplexers named 'made-up'; there are none: install the package"
    ):
        multiplexer_driver("made-up")
    point = EntryPoint("made-up", f"{__name__}:DRIVER", registry.MULTIPLEXERS)
    own = registry.entry_points

    def entry_points(**wanted: str) -> object:
        return [point] * (wanted.get("name", point.name) == point.name) if wanted["group"] == point.group else own(**wanted)

    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert multiplexer_driver("made-up") is DRIVER
    ports = {SHOE_PORT: "/dev/shoe", **{line: f"/dev/{line}" for line in NINETEEN}}
    raw = config_for(Play(), ports=ports, wiring=NINETEEN)
    raw["readers"][0]["multiplexer"] = "made-up"
    assert parse_config(raw, "table.toml").readers[0].multiplexer == "made-up"
    for changes, says in (
        ({"multiplexer": "other"}, "felt-a: there is no driver of multiplexers named 'other'"),
        ({"identities": {"1": "AB"}}, "felt-a: a reader before a multiplexer has several antennas: take identities out"),
        ({"driver": "pn532"}, "felt-a: readers of driver pn532 take no multiplexer: take it out"),
    ):
        wrong = config_for(Play(), ports=ports, wiring=NINETEEN)
        wrong["readers"][0] |= {"multiplexer": "made-up", **changes}
        with pytest.raises(ValueError, match=says):
            parse_config(wrong, "table.toml")
