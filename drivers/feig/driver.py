"""A serial line of FEIG readers as the table sees it: scans of its antennas in turn, and their health (FEIG §2.2)."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import Final, assert_never

from drivers.clock import Clock
from drivers.factory import MultiplexerDriver, MultiplexerSetup, ReaderDriver, ReaderSetup
from drivers.feig.identity import DEVICE_ID_MODE, Expected
from drivers.feig.messages import (
    Answer,
    AskInfo,
    AskVersion,
    ConfigBlock,
    CpuReset,
    Done,
    Forward,
    Info,
    Inventory,
    ReadConfig,
    Refused,
    Request,
    RfReset,
    Tags,
    Version,
    WriteConfig,
)
from drivers.feig.probe import DELIVERED
from drivers.feig.second_look import SecondLook
from drivers.feig.session import PATIENCE_PER_TAG_S, Answered, Counters, GaveUp, LineSession, LineSettings
from drivers.feig.settings import CFG_ANTICOLLISION, CFG_INTERFACE, lists_only_new, with_all_listed, with_response_ms
from drivers.feig.wire import FeigWire, forward
from drivers.link.base import Opener
from drivers.link.exchange import LineLost
from drivers.link.meter import port_fact
from drivers.link.polled import REFUSALS_TO_STALE, REOPEN_AFTER_S, SILENT_S, NotReady, retry_wait_s
from drivers.link.supervisor import UNOPENED_S, Supervisor
from drivers.ports import AntennaReport, AntennaScan, Deliver, DeviceReport, DriverError, Fact, LinkChanged, LinkState, Trouble

LAST_ADDRESS: Final = 254
RESET_AFTER: Final = 3
"""Visits in a row at which a reader answers a ping and nothing else: it is started anew (63)."""
RF_RESET_AFTER: Final = 5
"""Scans in a row that were not clean: the field is switched off for a moment (69), which frees a tag that hangs."""
_INVENTORY: Final = Inventory()
IDLE_S: Final = 0.05
"""Pause of a round in which no antenna was due."""
FEW_TAGS_MS: Final = 300
MANY_TAGS_MS: Final = 600
"""TR-RESPONSE-TIME that readers get; 3 s as delivered is too long for play, and a whole deck takes 0.5 s on the air."""


@dataclass(frozen=True, slots=True)
class Antenna:
    """One reader on the line. ``every``: scanned in every n-th round, for the muck. ``response_ms``: how long the reader may
    work on a command; ``None`` is 300, or 600 for an antenna that is scanned seldom, since it may hold a whole deck."""

    address: int
    every: int = 1
    response_ms: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.address <= LAST_ADDRESS:
            raise ValueError(f"a reader has an address from 0 to {LAST_ADDRESS}, not {self.address}")
        if self.every < 1:
            raise ValueError(f"antenna {self.address} is scanned every 1st, 2nd … round, not every {self.every}")

    @property
    def reader_response_ms(self) -> int:
        """``response_ms``, or the default that fits ``every``."""
        if self.response_ms is not None:
            return self.response_ms
        return FEW_TAGS_MS if self.every == 1 else MANY_TAGS_MS


@dataclass(slots=True)
class _Health:
    prepared: bool = False
    failures: int = 0
    """Visits in a row that did not come to a scan."""
    tags: int = 0
    """Tags in the last scan."""
    refusals: int = 0
    """Scans in a row that the reader refused."""
    retry_at: float = 0.0
    silent_since: float | None = None
    """Since when the reader answers nothing at all; ``None`` once it has answered."""
    unclean: int = 0
    """Scans in a row that were not clean."""
    scanned_at: float | None = None
    """Second of the last clean scan."""
    identity: str = ""
    trouble: Trouble | None = None
    """Why the reader is quarantined, when it is not the right one."""


class FeigLine:
    """``ReaderPort`` for one line. ``run`` keeps the port open and scans until cancelled; what ``deliver`` raises ends it, in
    an ``ExceptionGroup``.

    Before its first scan each reader tells its version and is set to list every tag in every scan (ONT = 0), in its
    EEPROM too, so that a reader that lost its power does not make all cards vanish. A reader that cannot be set so is
    quarantined. ``check_settings`` off leaves the settings alone, for models with other blocks.
    """

    def __init__(
        self,
        *,
        name: str,
        opener: Opener,
        deliver: Deliver,
        clock: Clock,
        rng: random.Random,
        antennas: tuple[Antenna, ...],
        response_timeout_s: float = 0.4,
        baud: int = 38400,
        bits_per_byte: int = 11,
        round_s: float = 0.1,
        advanced: bool = False,
        check_settings: bool = True,
        expected: Expected | None = None,
        delivered: Opener | None = None,
        multiplexer: MultiplexerDriver | None = None,
    ) -> None:
        """``response_timeout_s`` is the wait for an answer beyond its time on the wire; ``round_s`` the shortest time for
        one round of all antennas; ``delivered`` opens the port at the settings as delivered, where these are others.
        With a ``multiplexer`` addresses are its antennas'. ``ValueError`` for no antenna or an address given twice."""
        addresses = [antenna.address for antenna in antennas]
        if not antennas:
            raise ValueError(f"line {name} has no antenna")
        if len(set(addresses)) != len(addresses):
            raise ValueError(f"line {name} has an address twice: {sorted(addresses)}")
        self._name = name
        self._opener = opener
        self._deliver = deliver
        self._clock = clock
        self._rng = rng
        self._antennas = antennas
        self._round_s = round_s
        self._check_settings = check_settings
        self._expected = expected if expected is not None else Expected()
        settings = LineSettings(baud=baud, bits_per_byte=bits_per_byte, response_s=response_timeout_s)
        self._wire = FeigWire(LineSession(settings, advanced=advanced), clock)
        self._health: dict[int, _Health] = {}
        self._told: dict[int, tuple[LinkState, str]] = {}
        self._opening = 0
        self._scans = self._unclean = self._remedies = 0
        self._multiplexer = None
        if multiplexer is not None:
            setup = MultiplexerSetup(name=name, antennas=tuple(addresses), clock=clock, forward=self._forward)
            self._multiplexer = multiplexer.make(setup)
        self._second_look = SecondLook(name, delivered, clock)
        self._supervisor = Supervisor(opener, self._wire, rng=rng, before_open=self._second_look.look)

    @property
    def name(self) -> str:
        """Name of the line in configuration, topics and alarms."""
        return self._name

    @property
    def counters(self) -> Counters:
        """What the line went through since the start."""
        return self._wire.counters

    def report(self) -> DeviceReport:
        """Health of the line, its readers and its port, as known now."""
        now = self._clock.monotonic()
        antennas = tuple(self._antenna_report(antenna.address, now) for antenna in self._antennas)
        up = sum(antenna.state is LinkState.UP for antenna in antennas)
        heard, scans = self._wire.frame_at, [part.scan_age_s for part in antennas if part.scan_age_s is not None]
        is_silent = heard is None or now - heard >= SILENT_S
        counted = self.counters
        return DeviceReport(
            name=self._name,
            kind="readers",
            address=self._opener.name,
            identity="; ".join(dict.fromkeys(part.identity for part in antennas if part.identity)),
            port=port_fact(self._supervisor, now),
            link=Fact("silent" if is_silent else "ok", None if heard is None else now - heard),
            device=Fact("ok" if up == len(antennas) else "impaired", None, f"{up} of {len(antennas)} antennas are scanned"),
            data=Fact("scan" if scans else "none", min(scans, default=None)),
            counters={
                **self._wire.meter.counters(self._supervisor),
                "frames": counted.frames,
                "bad_bytes": self._wire.skipped_bytes,
                "strays": counted.strays,
                "malformed": counted.malformed,
                "timeouts": counted.timeouts,
                "retries": counted.retries,
                "given_up": counted.given_up,
                "scans": self._scans,
                "unclean_scans": self._unclean,
                "resets": self._remedies,
            },
            antennas=antennas,
        )

    def _antenna_report(self, address: int, now: float) -> AntennaReport:
        state, detail = self._told.get(address, (LinkState.OPENING, "not asked yet"))
        health = self._health.get(address, _Health())
        age_s = None if health.scanned_at is None else now - health.scanned_at
        return AntennaReport(address, state, detail, health.identity, age_s, health.trouble)

    async def run(self) -> None:
        """Keep the port open, scan the antennas in turn and deliver their scans until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._supervisor.run(), name=f"{self._name} port")
            tasks.create_task(self._scan(), name=f"{self._name} scans")

    async def _scan(self) -> None:
        await self._tell(0, LinkState.OPENING, f"opening {self._opener.name}")
        while True:
            opening = await self._wire.wait_open_within(UNOPENED_S)
            if opening is None:
                await self._tell(0, LinkState.DOWN, f"{self._opener.name} is not open: {self._supervisor.trouble}")
            self._opening = await self._wire.wait_open()
            await self._tell(0, LinkState.UP, f"{self._opener.name} is open")
            try:
                await self._scan_line()
            except LineLost as lost:
                for antenna in self._antennas:
                    await self._tell(antenna.address, LinkState.DOWN, f"the line is down: {lost}")
                await self._tell(0, LinkState.DOWN, f"{self._opener.name} is closed: {lost}")

    async def _scan_line(self) -> None:
        self._health = {antenna.address: _Health() for antenna in self._antennas}
        number = 0
        while True:
            began = self._clock.monotonic()
            self._wire.check(self._opening)
            visited = False
            for antenna in self._antennas:
                if number % antenna.every == 0 and self._health[antenna.address].retry_at <= self._clock.monotonic():
                    visited = True
                    await self._visit(antenna)
            number += 1
            self._reopen_if_all_silent()
            rest_s = self._round_s - (self._clock.monotonic() - began)
            await asyncio.sleep(max(rest_s, 0.0 if visited else IDLE_S))

    async def _visit(self, antenna: Antenna) -> None:
        address = antenna.address
        health = self._health[address]
        try:
            if not health.prepared:
                await self._prepare(antenna)
                health.prepared = True
            asked_at = self._clock.monotonic()
            await self._join(address)
            answer = await self._ask(address, _INVENTORY, extra_s=health.tags * PATIENCE_PER_TAG_S)
        except NotReady as fault:
            await self._fail(address, fault)
            return
        scanned_at = self._clock.monotonic()
        took_s = scanned_at - asked_at
        health.failures = 0
        match answer:
            case Tags(uids, clean=clean):
                health.refusals = 0
                health.tags = len(uids)
                self._scans += 1
                health.unclean = 0 if clean else health.unclean + 1
                if clean:
                    health.scanned_at = scanned_at
                else:
                    self._unclean += 1
                if self._told[address][0] is not LinkState.UP:
                    await self._tell(address, LinkState.UP, f"antenna {address} is scanned again")
                await self._deliver(AntennaScan(self._name, address, uids, clean, scanned_at, took_s))
            case Refused():
                health.refusals += 1
                health.unclean += 1
                if health.refusals >= REFUSALS_TO_STALE:
                    await self._tell(address, LinkState.STALE, f"antenna {address} refuses to scan: {answer.meaning}")
                await self._deliver(AntennaScan(self._name, address, (), clean=False, at=scanned_at, took_s=took_s))
            case Done() | Version() | Info() | ConfigBlock():
                raise AssertionError(type(answer))
            case _:
                assert_never(answer)
        if health.unclean >= RF_RESET_AFTER:
            health.unclean = 0
            await self._try(address, RfReset())

    async def _try(self, address: int, request: Request) -> None:
        """Ask for a remedy; whether it helps, the next visit tells."""
        self._remedies += 1
        await self._wire.exchange(self._opening, self._reader(address), request)

    def _reader(self, antenna: int) -> int:
        return antenna if self._multiplexer is None else self._multiplexer.reader(antenna)

    async def _join(self, antenna: int) -> None:
        """Join the antenna to its reader, where a multiplexer stands between them."""
        if self._multiplexer is not None:
            try:
                await self._multiplexer.select(antenna)
            except LineLost:
                raise
            except DriverError as error:
                raise NotReady(LinkState.DOWN, f"antenna {antenna} is not joined to its reader: {error}") from None

    async def _forward(self, reader: int, control: int, data: bytes) -> bytes:
        return await forward(self._wire, self._opening, reader, Forward(control, data))

    async def _prepare(self, antenna: Antenna) -> None:
        """Ask for the version and see to the settings; ``NotReady`` says why the antenna cannot be used."""
        address = antenna.address
        version = await self._ask(address, AskVersion())
        if not isinstance(version, Version):
            raise NotReady(LinkState.QUARANTINE, f"the reader at address {address} does not tell its version")
        await self._identify(address, version)
        if self._check_settings:
            await self._list_every_tag(address)
            await self._answer_in_time(address, antenna.reader_response_ms)
        health = self._health[address]
        await self._tell(address, LinkState.UP, f"antenna {address} is read by a reader with {health.identity}")

    async def _identify(self, address: int, version: Version) -> None:
        """Find out who answers; a reader that does not belong there is not used (quarantine)."""
        health = self._health[address]
        software = f"{version.software >> 8}.{version.software & 0xFF:02d}"
        health.identity = f"software {software}, hardware {version.hardware:02X}"
        device_id = None
        if self._expected.asks_ids:
            told = await self._ask(address, AskInfo(DEVICE_ID_MODE))
            device_id = told.data.hex().upper() if isinstance(told, Info) and told.data else None
        if device_id is not None:
            health.identity += f", device id {device_id}"
        health.trouble = self._expected.judge(self._name, address, version.hardware, device_id)
        if health.trouble is not None:
            raise NotReady(LinkState.QUARANTINE, health.trouble.sentence)

    async def _list_every_tag(self, address: int) -> None:
        record = await self._config(address, CFG_ANTICOLLISION)
        if not lists_only_new(record):
            return
        await self._set_config(address, CFG_ANTICOLLISION, with_all_listed(record))
        if lists_only_new(await self._config(address, CFG_ANTICOLLISION)):
            detail = f"the reader at address {address} lists only new tags and does not take ONT = 0: set it by the maker's tool"
            raise NotReady(LinkState.QUARANTINE, detail)

    async def _answer_in_time(self, address: int, time_ms: int) -> None:
        record = await self._config(address, CFG_INTERFACE)
        wanted = with_response_ms(record, time_ms)
        if wanted != record:
            await self._set_config(address, CFG_INTERFACE, wanted)

    async def _config(self, address: int, block: int) -> bytes:
        answer = await self._ask(address, ReadConfig(block))
        if isinstance(answer, ConfigBlock):
            return answer.record
        raise NotReady(LinkState.QUARANTINE, f"the reader at address {address} does not tell its settings CFG{block}")

    async def _set_config(self, address: int, block: int, record: bytes) -> None:
        for stored in (False, True):
            answer = await self._ask(address, WriteConfig(block, record, stored=stored))
            if isinstance(answer, Refused):
                detail = f"the reader at address {address} does not take its settings CFG{block}: {answer.meaning}"
                raise NotReady(LinkState.QUARANTINE, detail)

    async def _ask(self, address: int, request: Request, *, extra_s: float = 0.0) -> Answer:
        health = self._health[address]
        probing = health.silent_since is not None
        end = await self._wire.exchange(self._opening, self._reader(address), request, probing=probing, extra_s=extra_s)
        match end:
            case Answered(answer=answer):
                health.silent_since = self._second_look.trouble = None
                return answer
            case GaveUp(reason=reason, alive=True):
                raise NotReady(LinkState.STALE, reason)
            case GaveUp(reason=reason):
                if health.silent_since is None:
                    health.silent_since = self._clock.monotonic()
                if self._second_look.trouble is None:
                    raise NotReady(LinkState.DOWN, reason)
                health.trouble = self._second_look.trouble
                raise NotReady(LinkState.QUARANTINE, health.trouble.sentence)
            case _:
                assert_never(end)

    async def _fail(self, address: int, fault: NotReady) -> None:
        """Leave the antenna out for a while, longer each time, so that it never holds up the others of its line."""
        health = self._health[address]
        wait_s = retry_wait_s(health.failures, self._rng)
        health.failures += 1
        health.prepared = False
        health.retry_at = self._clock.monotonic() + wait_s
        await self._tell(address, fault.state, fault.detail)
        if fault.state is LinkState.STALE and health.failures % RESET_AFTER == 0:
            await self._try(address, CpuReset())

    def _reopen_if_all_silent(self) -> None:
        since = [health.silent_since for health in self._health.values()]
        now = self._clock.monotonic()
        if all(silent is not None and now - silent >= REOPEN_AFTER_S for silent in since):
            self._second_look.is_due = True
            self._wire.close(f"no reader has answered for {REOPEN_AFTER_S:.0f} s")

    async def _tell(self, antenna: int, state: LinkState, detail: str) -> None:
        before, _ = told = self._told.get(antenna, (None, ""))
        if before is not state or (state is LinkState.QUARANTINE and told != (state, detail)):
            self._told[antenna] = state, detail
            await self._deliver(LinkChanged(self._name, antenna, state, detail))


SELDOM_EVERY: Final = 4
"""Antennas that may be scanned seldom are scanned in every so many rounds."""


def _make(setup: ReaderSetup) -> FeigLine:
    return FeigLine(
        name=setup.name,
        opener=setup.opener,
        deliver=setup.deliver,
        clock=setup.clock,
        rng=setup.rng,
        antennas=tuple(Antenna(wired.address, SELDOM_EVERY if wired.is_seldom else 1) for wired in setup.antennas),
        baud=setup.baud,
        round_s=setup.round_s,
        advanced=bool(setup.options.get("advanced", False)),
        check_settings=bool(setup.options.get("check_settings", True)),
        expected=Expected(setup.device_ids, setup.hardware, setup.elsewhere),
        delivered=setup.delivered,
        multiplexer=setup.multiplexer,
    )


DRIVER: Final = ReaderDriver(
    "FEIG OBID i-scan, ISO 15693, several readers on a line",
    _make,
    DELIVERED,
    options={"advanced": bool, "check_settings": bool},
    tells_identity=True,
    takes_multiplexer=True,
)
