"""Requests and answers of the FEIG host protocol as typed values (FEIG §2.2), for host and simulated reader alike.

Tags appear as canonical UIDs: sixteen upper-case hex digits, ``E0`` first. No ``repr`` shows one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, TypeAlias, assert_never

from drivers.feig.frames import Frame
from drivers.feig.status import Status, meaning_of
from drivers.ports import DriverError

TAGS_PER_ANSWER: Final = 24
"""Tags that a standard frame holds; the rest follows on status 94 and MORE."""
CONFIG_BYTES: Final = 14

_UID_BYTES: Final = 8
_RECORD_BYTES: Final = 10
_ISO_15693: Final = 0x03
_UID_HEAD: Final = 0xE0
_INVENTORY: Final = 0x01
_MORE: Final = 0x80
_EEPROM: Final = 0x80


class MessageError(DriverError):
    """A well-formed frame whose content is not what its command carries."""


class Control(IntEnum):
    """Command byte; an answer echoes it."""

    PING = 0x52
    CPU_RESET = 0x63
    VERSION = 0x65
    INFO = 0x66
    RF_RESET = 0x69
    RF_POWER = 0x6A
    READ_CONFIG = 0x80
    WRITE_CONFIG = 0x81
    ISO_15693 = 0xB0


@dataclass(frozen=True, slots=True)
class Ping:
    """52: is anybody there at this speed and parity?"""


@dataclass(frozen=True, slots=True)
class CpuReset:
    """63: start the reader anew."""


@dataclass(frozen=True, slots=True)
class AskVersion:
    """65: software and hardware."""


@dataclass(frozen=True, slots=True)
class AskInfo:
    """66: facts about the reader; mode 00 adds its buffer sizes, 80 is the device id."""

    mode: int = 0x00


@dataclass(frozen=True, slots=True)
class RfReset:
    """69: field off for 15 ms; the answer comes after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RfPower:
    """6A: field on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """80: one block of 14 bytes, from working memory or, ``stored``, from the EEPROM."""

    block: int
    stored: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class WriteConfig:
    """81: one block of 14 bytes, to working memory or, ``stored``, to the EEPROM."""

    block: int
    record: bytes
    stored: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """B0 01: the tags on the antenna, or with ``more`` those that the last answer did not hold."""

    more: bool = False


@dataclass(frozen=True, slots=True)
class Forward:
    """A command that is none of ours, for what is addressed through a reader, as a multiplexer; its answer is an ``Info``."""

    control: int
    data: bytes = field(default=b"", repr=False)


Request: TypeAlias = Ping | CpuReset | AskVersion | AskInfo | RfReset | RfPower | ReadConfig | WriteConfig | Inventory | Forward


@dataclass(frozen=True, slots=True)
class Done:
    """Status 00 without data."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A status that carries nothing usable. ``code`` may be one that is in no manual."""

    code: int

    @property
    def meaning(self) -> str:
        """What went wrong, as part of a sentence."""
        return meaning_of(self.code)


@dataclass(frozen=True, slots=True)
class Version:
    """Answer to 65."""

    software: int
    development: int
    hardware: int
    software_type: int
    tag_types: int


@dataclass(frozen=True, slots=True)
class Info:
    """Answer to 66, not interpreted."""

    data: bytes


@dataclass(frozen=True, slots=True)
class ConfigBlock:
    """Answer to 80: 14 bytes."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Tags:
    """Answer to an inventory. ``clean`` is false when a tag that is not listed may be there all the same."""

    uids: tuple[str, ...] = field(repr=False)
    clean: bool = field(default=True, kw_only=True)
    more: bool = field(default=False, kw_only=True)


Answer: TypeAlias = Done | Refused | Version | Info | ConfigBlock | Tags


def canonical_uid(raw: bytes) -> str | None:
    """Eight bytes in either order as upper-case hex with E0 first; ``None`` if they are no ISO 15693 UID."""
    if len(raw) != _UID_BYTES:
        return None
    if raw[0] == _UID_HEAD:
        return raw.hex().upper()
    return raw[::-1].hex().upper() if raw[-1] == _UID_HEAD else None


def control_of(request: Request) -> int:
    """The command byte of ``request``."""
    match request:
        case Ping():
            return Control.PING
        case CpuReset():
            return Control.CPU_RESET
        case AskVersion():
            return Control.VERSION
        case AskInfo():
            return Control.INFO
        case RfReset():
            return Control.RF_RESET
        case RfPower():
            return Control.RF_POWER
        case ReadConfig():
            return Control.READ_CONFIG
        case WriteConfig():
            return Control.WRITE_CONFIG
        case Inventory():
            return Control.ISO_15693
        case Forward(control):
            return control
        case _:
            assert_never(request)


def request_frame(request: Request, address: int, *, advanced: bool = False) -> Frame:
    """``request`` to the reader at ``address`` (0–254, FF any)."""
    return Frame(address, control_of(request), _request_data(request), advanced=advanced)


def _request_data(request: Request) -> bytes:
    match request:
        case CpuReset() | AskVersion() | RfReset():
            return b""
        case Ping():
            return b"\x00"
        case AskInfo(mode):
            return bytes((mode,))
        case RfPower(on=on):
            return bytes((on,))
        case ReadConfig(block, stored=stored):
            return bytes((block | (_EEPROM if stored else 0),))
        case WriteConfig(block, record, stored=stored):
            if len(record) != CONFIG_BYTES:
                raise ValueError(f"a configuration block has {CONFIG_BYTES} bytes, not {len(record)}")
            return bytes((block | (_EEPROM if stored else 0),)) + record
        case Inventory(more=more):
            return bytes((_INVENTORY, _MORE if more else 0x00))
        case Forward(data=data):
            return data
        case _:
            assert_never(request)


def read_request(frame: Frame) -> Request:
    """The request in ``frame``, as a reader takes it; ``MessageError`` when it is none of ours."""
    data = frame.payload
    match frame.control, len(data):
        case Control.PING, 1:
            return Ping()
        case Control.CPU_RESET, 0:
            return CpuReset()
        case Control.VERSION, 0:
            return AskVersion()
        case Control.INFO, 1:
            return AskInfo(data[0])
        case Control.RF_RESET, 0:
            return RfReset()
        case Control.RF_POWER, 1:
            return RfPower(on=bool(data[0]))
        case Control.READ_CONFIG, 1:
            return ReadConfig(data[0] & ~_EEPROM, stored=bool(data[0] & _EEPROM))
        case Control.WRITE_CONFIG, length if length == 1 + CONFIG_BYTES:
            return WriteConfig(data[0] & ~_EEPROM, data[1:], stored=bool(data[0] & _EEPROM))
        case Control.ISO_15693, 2 if data[0] == _INVENTORY:
            return Inventory(more=bool(data[1] & _MORE))
    raise MessageError(f"command {frame.control:02X} with {len(data)} bytes is none that is known here")


def answer_frame(answer: Answer, control: Control, address: int, *, advanced: bool = False) -> Frame:
    """``answer`` of the reader at ``address`` to a request with ``control``."""
    return Frame(address, control, _answer_payload(answer), advanced=advanced)


def _answer_payload(answer: Answer) -> bytes:
    match answer:
        case Done():
            return bytes((Status.OK,))
        case Refused(code):
            return bytes((code,))
        case Version(software, development, hardware, software_type, tag_types):
            fields = (development, hardware, software_type)
            return bytes((Status.OK,)) + software.to_bytes(2, "big") + bytes(fields) + tag_types.to_bytes(2, "big")
        case Info(data):
            return bytes((Status.OK,)) + data
        case ConfigBlock(record):
            return bytes((Status.OK,)) + record
        case Tags(uids, clean=clean, more=more):
            return _tags_payload(uids, clean=clean, more=more)
        case _:
            assert_never(answer)


def _tags_payload(uids: tuple[str, ...], *, clean: bool, more: bool) -> bytes:
    if not uids and clean and not more:
        return bytes((Status.NO_TRANSPONDER,))
    status = Status.MORE_DATA if more else Status.OK if clean else Status.RF_ERROR
    records = b"".join(bytes((_ISO_15693, 0x00)) + bytes.fromhex(uid) for uid in uids)
    return bytes((status, len(uids))) + records


def read_answer(frame: Frame, request: Request) -> Answer:
    """The answer to ``request`` in ``frame``; ``MessageError`` when its length does not fit the command."""
    status, data = frame.payload[0], frame.payload[1:]
    if isinstance(request, Inventory):
        return _read_tags(status, data)
    if status != Status.OK:
        return Refused(status)
    match request:
        case AskVersion():
            _need(request, data, 7)
            return Version(int.from_bytes(data[:2], "big"), data[2], data[3], data[4], int.from_bytes(data[5:7], "big"))
        case ReadConfig():
            _need(request, data, CONFIG_BYTES)
            return ConfigBlock(data)
        case AskInfo() | Forward():
            return Info(data)
        case Ping() | CpuReset() | RfReset() | RfPower() | WriteConfig():
            return Done()
        case _:
            assert_never(request)


def _need(request: Request, data: bytes, count: int) -> None:
    if len(data) != count:
        raise MessageError(f"the answer to {control_of(request):02X} has {len(data)} bytes of data where {count} are due")


def _read_tags(status: int, data: bytes) -> Answer:
    match status:
        case Status.NO_TRANSPONDER:
            return Tags(())
        case Status.OK | Status.MORE_DATA:
            uids, clean = _read_records(data)
            return Tags(uids, clean=clean, more=status == Status.MORE_DATA)
        case Status.OVERFLOW if not data:
            return Refused(status)
        case Status.RF_ERROR | Status.RF_WARNING | Status.OVERFLOW:
            uids, _ = _read_records(data) if data else ((), False)
            return Tags(uids, clean=False)
        case _:
            return Refused(status)


def _read_records(data: bytes) -> tuple[tuple[str, ...], bool]:
    """UIDs, each once, and whether every record could be read. A record of a foreign air interface has another
    length, so what follows it is not read; a UID without E0 is garbled. Both leave the scan not clean."""
    if not data:
        raise MessageError("an inventory with tags does not say how many")
    records = data[1:]
    uids: dict[str, None] = {}
    clean = True
    for number in range(data[0]):
        record = records[number * _RECORD_BYTES : (number + 1) * _RECORD_BYTES]
        if record[:1] != bytes((_ISO_15693,)):
            if not record:
                raise MessageError(f"an inventory announces {data[0]} tags and holds {number}")
            return tuple(uids), False
        if len(record) < _RECORD_BYTES:
            raise MessageError(f"an inventory announces {data[0]} tags and ends inside number {number + 1}")
        uid = canonical_uid(record[2:])
        if uid is None:
            clean = False
        else:
            uids[uid] = None
    if len(records) != data[0] * _RECORD_BYTES:
        raise MessageError(f"an inventory announces {data[0]} tags and holds {len(records)} bytes of them")
    return tuple(uids), clean
