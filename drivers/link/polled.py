"""A reader with one antenna that is asked again and again: all of a ``ReaderPort`` but its protocol.

A driver adds how its device is prepared and how it is scanned; see ``drivers.pn532.driver`` and the how-to.
"""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from drivers.clock import Clock
from drivers.link.base import Opener
from drivers.link.exchange import ExchangeWire, LineLost
from drivers.link.meter import port_fact
from drivers.link.supervisor import UNOPENED_S, Supervisor
from drivers.ports import AntennaReport, AntennaScan, Deliver, DeviceReport, Fact, LinkChanged, LinkState

RETRY_FIRST_S: Final = 0.5
RETRY_CAP_S: Final = 5.0
"""A silent device is asked again, first after about half a second, at most after five."""
REOPEN_AFTER_S: Final = 10.0
"""A device that is silent for so long: the port is opened anew."""
REFUSALS_TO_STALE: Final = 3
"""Scans refused in a row, before the antenna counts as stale."""
SILENT_S: Final = 2.5
"""A device from which no good frame came for so long is silent."""

EndT = TypeVar("EndT")


@dataclass(frozen=True, slots=True)
class Scan:
    """What one scan told. ``clean`` is false when a tag that is not listed may be there all the same; ``refusal`` is what the
    device said instead, as part of a sentence."""

    tags: tuple[str, ...] = field(repr=False)
    clean: bool = True
    refusal: str = ""


class NotReady(Exception):  # noqa: N818 - a name of the interface
    """The device could not be prepared, or did not answer. ``state`` is what the antenna is now, ``detail`` why."""

    def __init__(self, state: LinkState, detail: str) -> None:
        super().__init__(detail)
        self.state = state
        self.detail = detail


def retry_wait_s(failures: int, rng: random.Random) -> float:
    """How long a device is left alone after ``failures`` in a row before this one, in seconds."""
    return min(RETRY_CAP_S, RETRY_FIRST_S * 2.0 ** min(failures, 8)) * rng.uniform(0.5, 1.0)


class PolledReader(ABC, Generic[EndT]):
    """``run`` keeps the port open and scans until cancelled; what ``deliver`` raises ends it, in an ``ExceptionGroup``."""

    def __init__(
        self,
        *,
        name: str,
        opener: Opener,
        deliver: Deliver,
        clock: Clock,
        rng: random.Random,
        wire: ExchangeWire[EndT],
        antenna: int = 1,
        round_s: float = 0.1,
    ) -> None:
        """``antenna`` is the number that scans and link states bear; ``round_s`` the shortest time from scan to scan."""
        self._name = name
        self._opener = opener
        self._deliver = deliver
        self._clock = clock
        self._rng = rng
        self._antenna = antenna
        self._round_s = round_s
        self._line = wire
        self._supervisor = Supervisor(opener, wire, rng=rng)
        self._told: dict[int, tuple[LinkState, str]] = {}
        self._is_prepared = False
        self._failures = 0
        self._refusals = 0
        self._silent_since: float | None = None
        self._scanned_at: float | None = None
        self._scans = self._unclean = 0
        self._identity = ""
        self.opening = 0
        """Number of the port's opening, which an exchange names."""

    # What a driver adds

    @abstractmethod
    async def prepare(self) -> str:
        """Make the device ready after an opening or a failure; what it is, for people. ``NotReady``: why it cannot be used."""

    @abstractmethod
    async def scan(self) -> Scan:
        """One inventory. ``NotReady`` when nothing answers: silence is never an empty antenna."""

    @abstractmethod
    def counted(self) -> Mapping[str, int]:
        """The session's counters, for the report."""

    # The port

    @property
    def name(self) -> str:
        """Name of the line in configuration, topics and alarms."""
        return self._name

    def report(self) -> DeviceReport:
        """Health of the device and its port, as known now."""
        now = self._clock.monotonic()
        heard, scanned = self._line.frame_at, self._scanned_at
        is_silent = heard is None or now - heard >= SILENT_S
        state, detail = self._told.get(self._antenna, (LinkState.OPENING, "not asked yet"))
        scan_age_s = None if scanned is None else now - scanned
        return DeviceReport(
            name=self._name,
            kind="readers",
            address=self._opener.name,
            identity=self._identity,
            port=port_fact(self._supervisor, now),
            link=Fact("silent" if is_silent else "ok", None if heard is None else now - heard),
            device=Fact("ok" if state is LinkState.UP else "impaired", None, detail),
            data=Fact("none" if scanned is None else "scan", scan_age_s),
            counters={
                **self._line.meter.counters(self._supervisor),
                "bad_bytes": self._line.skipped_bytes,
                **self.counted(),
                "scans": self._scans,
                "unclean_scans": self._unclean,
            },
            antennas=(AntennaReport(self._antenna, state, detail, self._identity, scan_age_s),),
        )

    async def run(self) -> None:
        """Keep the port open, scan and deliver the scans until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._supervisor.run(), name=f"{self._name} port")
            tasks.create_task(self._scanning(), name=f"{self._name} scans")

    async def _scanning(self) -> None:
        await self._tell(0, LinkState.OPENING, f"opening {self._opener.name}")
        while True:
            opening = await self._line.wait_open_within(UNOPENED_S)
            if opening is None:
                await self._tell(0, LinkState.DOWN, f"{self._opener.name} is not open: {self._supervisor.trouble}")
            self.opening = await self._line.wait_open()
            await self._tell(0, LinkState.UP, f"{self._opener.name} is open")
            try:
                await self._scan_device()
            except LineLost as lost:
                await self._tell(self._antenna, LinkState.DOWN, f"the line is down: {lost}")
                await self._tell(0, LinkState.DOWN, f"{self._opener.name} is closed: {lost}")

    async def _scan_device(self) -> None:
        self._is_prepared = False
        self._failures = self._refusals = 0
        self._silent_since = None
        while True:
            began = self._clock.monotonic()
            self._line.check(self.opening)
            try:
                await self._visit()
            except NotReady as fault:
                await self._fail(fault)
            else:
                await asyncio.sleep(max(self._round_s - (self._clock.monotonic() - began), 0.0))

    async def _visit(self) -> None:
        if not self._is_prepared:
            self._identity = await self.prepare()
            self._is_prepared = True
            self._silent_since = None
            await self._tell(self._antenna, LinkState.UP, f"antenna {self._antenna} is read by a {self._identity}")
        asked_at = self._clock.monotonic()
        scan = await self.scan()
        scanned_at = self._clock.monotonic()
        took_s = scanned_at - asked_at
        self._failures = 0
        self._silent_since = None
        self._scans += 1
        if scan.clean and not scan.refusal:
            self._scanned_at = scanned_at
        else:
            self._unclean += 1
        if scan.refusal:
            self._refusals += 1
            if self._refusals >= REFUSALS_TO_STALE:
                await self._tell(self._antenna, LinkState.STALE, f"antenna {self._antenna} refuses to scan: {scan.refusal}")
            await self._deliver(AntennaScan(self._name, self._antenna, (), clean=False, at=scanned_at, took_s=took_s))
            return
        self._refusals = 0
        await self._tell(self._antenna, LinkState.UP, f"antenna {self._antenna} is scanned again")
        tags = tuple(dict.fromkeys(scan.tags))
        await self._deliver(AntennaScan(self._name, self._antenna, tags, scan.clean, scanned_at, took_s))

    async def _fail(self, fault: NotReady) -> None:
        """Leave the device alone for a while, longer each time, and prepare it anew; silent too long, open the port anew."""
        now = self._clock.monotonic()
        wait_s = retry_wait_s(self._failures, self._rng)
        self._failures += 1
        self._is_prepared = False
        if fault.state is LinkState.DOWN and self._silent_since is None:
            self._silent_since = now
        await self._tell(self._antenna, fault.state, fault.detail)
        if self._silent_since is not None and now - self._silent_since >= REOPEN_AFTER_S:
            self._line.close(f"the device has not answered for {REOPEN_AFTER_S:.0f} s")
        await asyncio.sleep(wait_s)

    async def _tell(self, antenna: int, state: LinkState, detail: str) -> None:
        before, _ = told = self._told.get(antenna, (None, ""))
        if before is not state or (state is LinkState.QUARANTINE and told != (state, detail)):
            self._told[antenna] = state, detail
            await self._deliver(LinkChanged(self._name, antenna, state, detail))
