"""A PN532 as the table sees it: one antenna with room for two cards, scanned again and again, and its health (PN532 §2.3)."""

from __future__ import annotations

import asyncio
import random
from typing import Final, assert_never

from drivers.clock import Clock
from drivers.factory import ReaderDriver, ReaderSetup
from drivers.link.base import Opener
from drivers.link.exchange import LineLost
from drivers.link.meter import port_fact
from drivers.link.serial import SerialSettings
from drivers.link.supervisor import Supervisor
from drivers.pn532.messages import (
    MAX_TARGETS,
    PN532_IC,
    Answer,
    AskFirmware,
    Done,
    Echo,
    Firmware,
    ListTargets,
    Refused,
    Release,
    Request,
    RfField,
    SamConfiguration,
    SetRetries,
    Targets,
)
from drivers.pn532.session import Answered, ChipSession, Counters, GaveUp, Patience
from drivers.pn532.wire import ChipWire
from drivers.ports import AntennaReport, AntennaScan, Deliver, DeviceReport, Fact, LinkChanged, LinkState

RETRIES: Final = 1
"""Passive activations beyond the first in a poll. The chip's own default is for ever: an empty antenna would never answer."""
RETRY_FIRST_S: Final = 0.5
RETRY_CAP_S: Final = 5.0
"""A silent chip is asked again, first after about half a second, at most after five."""
REOPEN_AFTER_S: Final = 10.0
"""A chip that is silent for so long: the port is opened anew."""
REFUSALS_TO_STALE: Final = 3
"""Scans refused in a row, before the antenna counts as stale."""
SILENT_S: Final = 2.5
"""A chip from which no good frame came for so long is silent."""


class _NotReadyError(Exception):
    """The chip could not be prepared, or did not answer."""

    def __init__(self, state: LinkState, detail: str) -> None:
        super().__init__(detail)
        self.state = state
        self.detail = detail


class Pn532Reader:
    """``ReaderPort`` for one chip. ``run`` keeps the port open and scans until cancelled; what ``deliver`` raises ends it, in an
    ``ExceptionGroup``.

    A card that stays selected misses every second poll, so each scan ends with the release of all cards and the field off.
    The chip lists two cards at most: a scan with two is not clean, since a third card may lie there unseen.
    """

    def __init__(
        self,
        *,
        name: str,
        opener: Opener,
        deliver: Deliver,
        clock: Clock,
        rng: random.Random,
        antenna: int = 1,
        baud: int = 115200,
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
        self._wire = ChipWire(ChipSession(Patience(baud=baud)), clock)
        self._supervisor = Supervisor(opener, self._wire, rng=rng)
        self._told: dict[int, tuple[LinkState, str]] = {}
        self._opening = 0
        self._is_prepared = False
        self._failures = 0
        self._refusals = 0
        self._silent_since: float | None = None
        self._scanned_at: float | None = None
        self._scans = self._unclean = 0
        self._identity = ""

    @property
    def name(self) -> str:
        """Name of the line in configuration, topics and alarms."""
        return self._name

    @property
    def counters(self) -> Counters:
        """What the line went through since the start."""
        return self._wire.counters

    def report(self) -> DeviceReport:
        """Health of the chip and its port, as known now."""
        now = self._clock.monotonic()
        heard, scanned = self._wire.frame_at, self._scanned_at
        is_silent = heard is None or now - heard >= SILENT_S
        state, detail = self._told.get(self._antenna, (LinkState.OPENING, "not asked yet"))
        scan_age_s = None if scanned is None else now - scanned
        counted = self.counters
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
                **self._wire.meter.counters(self._supervisor),
                "frames": counted.frames,
                "bad_bytes": self._wire.skipped_bytes,
                "strays": counted.strays,
                "malformed": counted.malformed,
                "timeouts": counted.timeouts,
                "retries": counted.retries,
                "nacks": counted.nacks,
                "given_up": counted.given_up,
                "scans": self._scans,
                "unclean_scans": self._unclean,
            },
            antennas=(AntennaReport(self._antenna, state, detail, self._identity, scan_age_s),),
        )

    async def run(self) -> None:
        """Keep the port open, scan and deliver the scans until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._supervisor.run(), name=f"{self._name} port")
            tasks.create_task(self._scan(), name=f"{self._name} scans")

    async def _scan(self) -> None:
        await self._tell(0, LinkState.OPENING, f"opening {self._opener.name}")
        while True:
            self._opening = await self._wire.wait_open()
            await self._tell(0, LinkState.UP, f"{self._opener.name} is open")
            try:
                await self._scan_chip()
            except LineLost as lost:
                await self._tell(self._antenna, LinkState.DOWN, f"the line is down: {lost}")
                await self._tell(0, LinkState.DOWN, f"{self._opener.name} is closed: {lost}")

    async def _scan_chip(self) -> None:
        self._is_prepared = False
        self._failures = self._refusals = 0
        self._silent_since = None
        while True:
            began = self._clock.monotonic()
            self._wire.check(self._opening)
            try:
                await self._visit()
            except _NotReadyError as fault:
                await self._fail(fault)
            else:
                await asyncio.sleep(max(self._round_s - (self._clock.monotonic() - began), 0.0))

    async def _visit(self) -> None:
        if not self._is_prepared:
            await self._prepare()
            self._is_prepared = True
        answer = await self._ask(ListTargets())
        scanned_at = self._clock.monotonic()
        self._failures = 0
        match answer:
            case Targets(targets):
                self._refusals = 0
                uids = tuple(dict.fromkeys(target.uid for target in targets))
                clean = len(targets) < MAX_TARGETS
                self._scans += 1
                if clean:
                    self._scanned_at = scanned_at
                else:
                    self._unclean += 1
                await self._tell(self._antenna, LinkState.UP, f"antenna {self._antenna} is scanned again")
                await self._deliver(AntennaScan(self._name, self._antenna, uids, clean, scanned_at))
            case Refused():
                self._refusals += 1
                if self._refusals >= REFUSALS_TO_STALE:
                    detail = f"antenna {self._antenna} refuses to scan: {answer.meaning}"
                    await self._tell(self._antenna, LinkState.STALE, detail)
                await self._deliver(AntennaScan(self._name, self._antenna, (), clean=False, at=scanned_at))
            case Done() | Echo() | Firmware():
                raise AssertionError(type(answer))
            case _:
                assert_never(answer)
        await self._ask(Release())
        await self._ask(RfField(on=False))

    async def _prepare(self) -> None:
        """Wake the chip up, see that it is a PN532, and bound its patience; ``_NotReadyError`` says why it cannot be used."""
        if isinstance(await self._ask(SamConfiguration()), Refused):
            raise _NotReadyError(LinkState.QUARANTINE, "the chip refuses SAMConfiguration: it is no PN532")
        firmware = await self._ask(AskFirmware())
        if not isinstance(firmware, Firmware) or firmware.ic != PN532_IC:
            raise _NotReadyError(
                LinkState.QUARANTINE, "the chip does not say that it is a PN532: connect the reader that belongs here"
            )
        if isinstance(await self._ask(SetRetries(RETRIES)), Refused):
            raise _NotReadyError(
                LinkState.QUARANTINE, "the chip does not take a bound for its retries: an empty antenna would block it"
            )
        self._identity = f"PN532, firmware {firmware.version}.{firmware.revision}"
        await self._tell(self._antenna, LinkState.UP, f"antenna {self._antenna} is read by a {self._identity}")

    async def _ask(self, request: Request) -> Answer:
        end = await self._wire.exchange(self._opening, request)
        match end:
            case Answered(answer=answer):
                self._silent_since = None
                return answer
            case GaveUp(reason=reason, alive=alive):
                raise _NotReadyError(LinkState.STALE if alive else LinkState.DOWN, reason)
            case _:
                assert_never(end)

    async def _fail(self, fault: _NotReadyError) -> None:
        """Leave the chip alone for a while, longer each time, and begin with its wake-up; silent too long, open the port anew."""
        now = self._clock.monotonic()
        wait_s = min(RETRY_CAP_S, RETRY_FIRST_S * 2.0 ** min(self._failures, 8))
        self._failures += 1
        self._is_prepared = False
        if fault.state is LinkState.DOWN and self._silent_since is None:
            self._silent_since = now
        await self._tell(self._antenna, fault.state, fault.detail)
        if self._silent_since is not None and now - self._silent_since >= REOPEN_AFTER_S:
            self._wire.close(f"the chip has not answered for {REOPEN_AFTER_S:.0f} s")
        await asyncio.sleep(wait_s * self._rng.uniform(0.5, 1.0))

    async def _tell(self, antenna: int, state: LinkState, detail: str) -> None:
        if self._told.get(antenna, (None, ""))[0] is not state:
            self._told[antenna] = state, detail
            await self._deliver(LinkChanged(self._name, antenna, state, detail))


def _make(setup: ReaderSetup) -> Pn532Reader:
    (wired,) = setup.antennas
    return Pn532Reader(
        name=setup.name,
        opener=setup.opener,
        deliver=setup.deliver,
        clock=setup.clock,
        rng=setup.rng,
        antenna=wired.address,
        baud=setup.baud,
        round_s=setup.round_s,
    )


DRIVER: Final = ReaderDriver(
    "NXP PN532 on its UART, ISO 14443-A, one antenna for two cards at most", _make, SerialSettings(115200), most_antennas=1
)
