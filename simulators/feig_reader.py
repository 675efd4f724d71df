"""Simulated FEIG readers on one line, in the device's role: they answer what ``drivers.feig`` asks, in a reader's time.

What lies on an antenna comes from the table world through ``tags(address)``, and through ``reads(address)`` what one scan reads
of it. Nothing here knows a card.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final

from drivers.feig.frames import ANY_ADDRESS, MAX_ADVANCED_BYTES, Frame, FrameDecoder, Role, encode
from drivers.feig.identity import DEVICE_ID_MODE
from drivers.feig.messages import (
    CONFIG_BYTES,
    TAGS_PER_ANSWER,
    Answer,
    AskInfo,
    AskVersion,
    ConfigBlock,
    Control,
    CpuReset,
    Done,
    Forward,
    Info,
    Inventory,
    MessageError,
    Ping,
    ReadConfig,
    Refused,
    Request,
    RfPower,
    RfReset,
    Tags,
    Version,
    WriteConfig,
    answer_frame,
    read_request,
)
from drivers.feig.settings import CFG_ANTICOLLISION, CFG_INTERFACE, lists_only_new
from drivers.feig.status import Status
from simulators.device_port import DevicePort

PENDING_ANSWERS: Final = 8
"""Requests that a line of readers works on at once; a ninth is lost, as in a reader that is busy."""
RF_RESET_S: Final = 0.015
COMMAND_S: Final = 0.005
"""A host command without any work on the air, FEIG's own minimum."""
OVERHEAD_S: Final = 0.010
SIMULATED_GAP_S: Final = 0.05
"""A simulated reader allows this gap inside a request, since the machine's timers are no UART."""
AIR_MS: Final = (
    (0, 9.8),
    (1, 13.9),
    (2, 18.9),
    (3, 24.8),
    (4, 31.3),
    (5, 38.6),
    (6, 46.3),
    (7, 54.5),
    (8, 63.3),
    (10, 81.6),
    (20, 183.0),
    (52, 482.0),
)
"""Mean time on the air of an ISO 15693 inventory by number of tags, milliseconds."""
DEFAULT_SETTINGS: Final = {
    CFG_INTERFACE: bytes.fromhex("00 00 08 01 00 00 00 1E 00 00 00 00 00 00"),
    CFG_ANTICOLLISION: bytes.fromhex("02 00 00 00 00 00 00 00 00 00 00 01 00 00"),
}
"""As delivered: 38400 baud, even parity, 3 s response time, ONT = 1."""
VERSION: Final = Version(0x0303, 0x00, 0x44, 0x53, 0x0D30)


@lru_cache(maxsize=64)
def air_s(count: int) -> float:
    """Mean seconds on the air for ``count`` tags, between the rows of ``AIR_MS`` in proportion, beyond 52 in the last slope."""
    rows = AIR_MS
    for (few, few_ms), (many, many_ms) in pairwise(rows):
        if count <= many or many == rows[-1][0]:
            return (few_ms + (many_ms - few_ms) * (count - few) / (many - few)) / 1000
    raise AssertionError(rows)


def _request_in(frame: Frame) -> Request | None:
    return _request_of(frame.control, frame.payload)


@lru_cache(maxsize=256)
def _request_of(control: int, payload: bytes) -> Request | None:
    try:
        return read_request(Frame(0, control, payload))
    except MessageError:
        return None


@lru_cache(maxsize=4096)
def _reply(answer: Answer, control: int, address: int, advanced: bool, warns: bool) -> bytes:  # noqa: FBT001
    """The bytes of a reader's answer: with few cards moving it says the same again and again."""
    payload = answer_frame(answer, Control.PING, address).payload
    if warns:
        payload = bytes((Status.RF_WARNING,)) + payload[1:]
    return encode(Frame(address, control, payload, advanced=advanced))


@dataclass(slots=True)
class ReaderFaults:
    """What may go wrong. All fields may be set at any time; chances are 0 to 1 and drawn from the readers' own ``Random``."""

    miss: float = 0.0
    """Chance that a tag on the antenna is not read in a scan."""
    miss_at: dict[int, float] = field(default_factory=dict)
    """The same for one address, instead of ``miss``."""
    bleed: float = 0.0
    """Chance that a tag of a neighbouring antenna is read too."""
    neighbours: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Which addresses bleed into an address; without an entry, the addresses one below and one above."""
    extra: dict[int, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """UIDs that an address reads besides the true ones: foreign cards, a second deck, a tag that is stuck."""
    rf_error: float = 0.0
    """Chance of status 83: the anti-collision stopped half way, some tags are told."""
    rf_warning: float = 0.0
    """Chance of status 84 with the tags."""
    busy: float = 0.0
    """Chance of status 0F instead of doing what was asked."""
    lost: float = 0.0
    """Chance that a request is not answered."""
    silent: set[int] = field(default_factory=set)
    """Addresses that answer nothing."""
    delay_s: dict[int, float] = field(default_factory=dict)
    """Seconds that an address takes longer for each answer."""
    shuffled: bool = False
    """Tags are told in another order each time."""


@dataclass(slots=True)
class _Reader:
    memory: dict[int, bytes] = field(default_factory=lambda: dict(DEFAULT_SETTINGS))
    stored: dict[int, bytes] = field(default_factory=lambda: dict(DEFAULT_SETTINGS))
    rest: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()
    powered: bool = True
    free_at: float = 0.0


class FeigReaders:
    """The readers of one line. ``speed`` > 1 divides their answer times; the port paces the bytes.

    ``tags`` says what lies there and so how long a scan takes; ``reads``, where given, what a scan reads of it.
    """

    def __init__(
        self,
        port: DevicePort,
        *,
        addresses: Iterable[int],
        tags: Callable[[int], Sequence[str]],
        rng: random.Random,
        speed: float = 1.0,
        reads: Callable[[int], Sequence[str]] | None = None,
        device_ids: Mapping[int, bytes] | None = None,
    ) -> None:
        """``device_ids`` is what each reader says of itself; without it each says its address."""
        self.device_ids = dict(device_ids) if device_ids is not None else {}
        self._port = port
        self._tags = tags
        self._reads = tags if reads is None else reads
        self._rng = rng
        self._speed = speed
        self._readers = {address: _Reader() for address in addresses}
        self._decoder = FrameDecoder(Role.READER, gap_s=SIMULATED_GAP_S)
        self._pending: dict[int, asyncio.TimerHandle] = {}
        self._number = 0
        self.faults = ReaderFaults()
        self.inventories = 0
        """Inventories answered, MORE not counted."""
        port.attach(self)

    @property
    def addresses(self) -> tuple[int, ...]:
        """The bus addresses of the line."""
        return tuple(self._readers)

    def heal(self) -> None:
        """No faults any more."""
        self.faults = ReaderFaults()

    def power_cycle(self, address: int) -> None:
        """The reader at ``address`` loses its power: settings that were not stored are gone."""
        reader = self._readers[address]
        self._readers[address] = _Reader(memory=dict(reader.stored), stored=reader.stored)

    def settings(self, address: int, block: int) -> bytes:
        """The configuration block of a reader as it works by it."""
        return self._readers[address].memory[block]

    def host_connected(self) -> None:
        """A host opened the line."""
        self._decoder.reset()

    def host_gone(self) -> None:
        """The host closed the line: what was under way is not sent."""
        self._decoder.reset()
        for handle in self._pending.values():
            handle.cancel()
        self._pending.clear()

    def host_data(self, data: bytes) -> None:
        """Bytes of the host. A bad request gets no answer (FEIG §2.2)."""
        for frame in self._decoder.feed(data, asyncio.get_running_loop().time()):
            self._take(frame)

    def _take(self, frame: Frame) -> None:
        address = frame.address
        if address == ANY_ADDRESS:  # all would answer at once; the first one wins the line
            address = next(iter(self._readers), ANY_ADDRESS)
        reader = self._readers.get(address)
        if reader is None or address in self.faults.silent or self._happens(self.faults.lost):
            return
        self._schedule(address, reader, _request_in(frame), frame)

    def _schedule(self, address: int, reader: _Reader, request: Request | None, frame: Frame) -> None:
        if len(self._pending) >= PENDING_ANSWERS:
            return
        loop = asyncio.get_running_loop()
        work_s = self._work_s(address, request) / self._speed + self.faults.delay_s.get(address, 0.0)
        reader.free_at = max(reader.free_at, loop.time()) + work_s
        self._number += 1
        self._pending[self._number] = loop.call_at(reader.free_at, self._ready, self._number, address, reader, request, frame)

    def _ready(self, number: int, address: int, reader: _Reader, request: Request | None, frame: Frame) -> None:
        del self._pending[number]
        self._answer(address, reader, request, frame)

    def _work_s(self, address: int, request: Request | None) -> float:
        match request:
            case Inventory(more=False):
                return RF_RESET_S + air_s(len(self._tags(address))) + OVERHEAD_S
            case RfReset():
                return RF_RESET_S + COMMAND_S
            case _:
                return COMMAND_S

    def _answer(self, address: int, reader: _Reader, request: Request | None, frame: Frame) -> None:
        if request is None:
            answer: Answer = Refused(Status.UNKNOWN_COMMAND)
        elif self._happens(self.faults.busy):
            answer = Refused(Status.BUSY)
        else:
            answer = self._carry_out(address, reader, request)
        warns = isinstance(answer, Tags) and bool(answer.uids) and answer.clean and self._happens(self.faults.rf_warning)
        self._port.write(_reply(answer, frame.control, address, frame.advanced, warns))

    def _carry_out(self, address: int, reader: _Reader, request: Request) -> Answer:
        match request:
            case Inventory(more=more):
                return self._inventory(address, reader, more=more)
            case ReadConfig(block, stored=stored):
                record = (reader.stored if stored else reader.memory).get(block)
                return Refused(Status.READ_PROTECT) if record is None else ConfigBlock(record)
            case WriteConfig():
                return self._write(reader, request)
            case AskVersion():
                return VERSION
            case AskInfo(mode) if mode == DEVICE_ID_MODE:
                return Info(self.device_ids.get(address, bytes(3) + bytes((address,))))
            case AskInfo():
                return Info(MAX_ADVANCED_BYTES.to_bytes(2, "big") * 2)
            case CpuReset():
                self.power_cycle(address)
                return Done()
            case RfPower(on=on):
                reader.powered = on
                reader.told = frozenset()  # a tag that lost its power is a new one, whatever ONT says
                return Done()
            case RfReset():
                reader.told = frozenset()
                return Done()
            case Ping():
                return Done()
            case Forward():
                return Refused(Status.UNKNOWN_COMMAND)

    @staticmethod
    def _write(reader: _Reader, request: WriteConfig) -> Answer:
        if request.block not in DEFAULT_SETTINGS or len(request.record) != CONFIG_BYTES:
            return Refused(Status.WRITE_PROTECT)
        (reader.stored if request.stored else reader.memory)[request.block] = request.record
        return Done()

    def _inventory(self, address: int, reader: _Reader, *, more: bool) -> Answer:
        if more and not reader.rest:
            return Refused(Status.NO_VALID_DATA)
        if not more:
            self.inventories += 1
            reader.rest = self._read(address) if reader.powered else ()
            if lists_only_new(reader.memory[CFG_ANTICOLLISION]):
                present = frozenset(reader.rest)
                reader.rest = tuple(uid for uid in reader.rest if uid not in reader.told)
                reader.told = present
        uids, reader.rest = reader.rest[:TAGS_PER_ANSWER], reader.rest[TAGS_PER_ANSWER:]
        if self._happens(self.faults.rf_error):
            reader.rest = ()
            return Tags(tuple(uid for uid in uids if self._happens(0.5)), clean=False)
        return Tags(uids, more=bool(reader.rest))

    def _read(self, address: int) -> tuple[str, ...]:
        faults = self.faults
        miss = faults.miss_at.get(address, faults.miss)
        seen = [uid for uid in self._reads(address) if not self._happens(miss)]
        for neighbour in faults.neighbours.get(address, (address - 1, address + 1)) if faults.bleed else ():
            if neighbour in self._readers:
                seen += [uid for uid in self._tags(neighbour) if self._happens(faults.bleed)]
        seen += faults.extra.get(address, ())
        if faults.shuffled:
            self._rng.shuffle(seen)
        return tuple(dict.fromkeys(seen))

    def _happens(self, chance: float) -> bool:
        return chance > 0 and self._rng.random() < chance
