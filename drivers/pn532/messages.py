"""Commands and answers of the PN532 as typed values (PN532 §2.3, NXP UM0701-02 §7), for host and simulated chip alike.

Tags appear as their ISO 14443-A UIDs: 8, 14 or 20 upper-case hex digits. No ``repr`` shows one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, TypeAlias, assert_never

from drivers.pn532.frames import Direction, Frame
from drivers.ports import DriverError

MAX_TARGETS: Final = 2
"""Targets that one call can list (UM0701-02 §7.3.5)."""
PN532_IC: Final = 0x32
RETRY_FOR_EVER: Final = 0xFF
UID_BYTES: Final = (4, 7, 10)
"""Single, double and triple UIDs of ISO 14443-3."""

_RANDOM_UID_HEAD: Final = 0x08
_TYPE_A: Final = 0x00
_HAS_ATS: Final = 0x20
_STATUS_MASK: Final = 0x3F
_RECORD_HEAD_BYTES: Final = 5


class MessageError(DriverError):
    """A well-formed frame whose content is not what its command carries."""


class Code(IntEnum):
    """Command byte; an answer's is one higher."""

    DIAGNOSE = 0x00
    FIRMWARE = 0x02
    SAM = 0x14
    RF_CONFIGURATION = 0x32
    LIST_TARGETS = 0x4A
    RELEASE = 0x52


class RfItem(IntEnum):
    """What RFConfiguration sets."""

    FIELD = 0x01
    MAX_RETRIES = 0x05


@dataclass(frozen=True, slots=True)
class Diagnose:
    """00 00: the communication test; the chip says ``token`` back, which proves what it has heard."""

    token: bytes


@dataclass(frozen=True, slots=True)
class AskFirmware:
    """02: which chip, which firmware."""


@dataclass(frozen=True, slots=True)
class SamConfiguration:
    """14: mode 1 is normal, without a secure module. Ends the low-battery mode in which the chip wakes up."""

    mode: int = 0x01
    timeout: int = 0x00
    irq: int = 0x01


@dataclass(frozen=True, slots=True)
class SetRetries:
    """32 item 5: how often activations are tried again; FF is for ever, so that an empty antenna never answers."""

    passive: int
    atr: int = RETRY_FOR_EVER
    psl: int = 0x01


@dataclass(frozen=True, slots=True, kw_only=True)
class RfField:
    """32 item 1: field on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class ListTargets:
    """4A: up to two ISO 14443-A targets at 106 kbit/s."""

    limit: int = MAX_TARGETS


@dataclass(frozen=True, slots=True)
class Release:
    """52: let go of a target, 0 of all."""

    target: int = 0


Request: TypeAlias = Diagnose | AskFirmware | SamConfiguration | SetRetries | RfField | ListTargets | Release


@dataclass(frozen=True, slots=True)
class Done:
    """The command is carried out."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A status other than 00, or the error frame (``code`` 7F)."""

    code: int

    @property
    def meaning(self) -> str:
        """What went wrong, as part of a sentence."""
        return _MEANING.get(self.code, f"status {self.code:02X}, which no manual lists")


@dataclass(frozen=True, slots=True)
class Echo:
    """Answer to the communication test."""

    token: bytes


@dataclass(frozen=True, slots=True)
class Firmware:
    """Answer to 02."""

    ic: int
    version: int
    revision: int
    support: int


@dataclass(frozen=True, slots=True)
class Target:
    """One ISO 14443-A card as InListPassiveTarget tells it. ``ats`` without its length byte, of cards that have one."""

    number: int
    sens_res: int
    sel_res: int
    uid: str = field(repr=False)
    ats: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Targets:
    """Answer to 4A."""

    targets: tuple[Target, ...]


Answer: TypeAlias = Done | Refused | Echo | Firmware | Targets

SYNTAX: Final = 0x7F
_MEANING: Final = {
    0x01: "the card did not answer in time",
    0x02: "the check of a card's answer was false",
    0x03: "the parity of a card's answer was false",
    0x04: "cards answered at the same time with a wrong count of bits",
    0x05: "a frame of a card was wrong",
    0x06: "cards answered at the same time",
    0x07: "the chip's buffer is too small",
    0x09: "the chip's buffer overflowed",
    0x0A: "the other side's field did not come in time",
    0x0B: "a card broke the protocol",
    0x0D: "the chip is too hot",
    0x0E: "the chip's buffer overflowed",
    0x10: "a parameter is out of range",
    0x13: "the format of a card's answer was wrong",
    0x14: "the card refused the authentication",
    0x23: "the check byte of a UID was false",
    0x25: "the chip is in no state for the command",
    0x26: "the command is not allowed in this configuration",
    0x27: "the command is not acceptable now",
    0x29: "the target was released",
    0x2D: "too much current",
    SYNTAX: "the chip does not know the command or its parameters",
}


def is_random_uid(uid: str) -> bool:
    """Whether a card draws this UID anew each time it enters a field: four bytes, the first one 08 (ISO 14443-3)."""
    return len(uid) == 2 * UID_BYTES[0] and int(uid[:2], 16) == _RANDOM_UID_HEAD


def code_of(request: Request) -> Code:
    """The command byte of ``request``."""
    match request:
        case Diagnose():
            return Code.DIAGNOSE
        case AskFirmware():
            return Code.FIRMWARE
        case SamConfiguration():
            return Code.SAM
        case SetRetries() | RfField():
            return Code.RF_CONFIGURATION
        case ListTargets():
            return Code.LIST_TARGETS
        case Release():
            return Code.RELEASE
        case _:
            assert_never(request)


def request_frame(request: Request) -> Frame:
    """``request`` as the host sends it."""
    return Frame(Direction.TO_CHIP, code_of(request), _request_data(request))


def _request_data(request: Request) -> bytes:
    match request:
        case Diagnose(token):
            return b"\x00" + token
        case AskFirmware():
            return b""
        case SamConfiguration(mode, timeout, irq):
            return bytes((mode, timeout, irq))
        case SetRetries(passive, atr, psl):
            return bytes((RfItem.MAX_RETRIES, atr, psl, passive))
        case RfField(on=on):
            return bytes((RfItem.FIELD, on))
        case ListTargets(limit):
            return bytes((limit, _TYPE_A))
        case Release(target):
            return bytes((target,))
        case _:
            assert_never(request)


def read_request(frame: Frame) -> Request:
    """The request in ``frame``, as a chip takes it; ``MessageError`` when it is none that stands here."""
    data = frame.data
    match frame.code, len(data):
        case Code.DIAGNOSE, length if length >= 1 and data[0] == 0:
            return Diagnose(data[1:])
        case Code.FIRMWARE, 0:
            return AskFirmware()
        case Code.SAM, 1 | 2 | 3:
            return SamConfiguration(*data)
        case Code.RF_CONFIGURATION, 4 if data[0] == RfItem.MAX_RETRIES:
            return SetRetries(data[3], data[1], data[2])
        case Code.RF_CONFIGURATION, 2 if data[0] == RfItem.FIELD:
            return RfField(on=bool(data[1] & 1))
        case Code.LIST_TARGETS, length if length >= 2 and data[1] == _TYPE_A and 1 <= data[0] <= MAX_TARGETS:
            return ListTargets(data[0])
        case Code.RELEASE, 1 if data[0] <= MAX_TARGETS:
            return Release(data[0])
    raise MessageError(f"command {frame.code:02X} with {len(data)} bytes is none that is known here")


def answer_frame(answer: Answer, code: int) -> Frame:
    """``answer`` of the chip to a command with ``code``; ``ValueError`` for a refusal of a command that tells no status."""
    return Frame(Direction.TO_HOST, code + 1, _answer_data(answer, code))


def _answer_data(answer: Answer, code: int) -> bytes:
    match answer:
        case Done():
            return b"\x00" if code == Code.RELEASE else b""
        case Refused(status):
            if code != Code.RELEASE:
                raise ValueError(f"command {code:02X} tells no status: answer it with the error frame")
            return bytes((status,))
        case Echo(token):
            return b"\x00" + token
        case Firmware(ic, version, revision, support):
            return bytes((ic, version, revision, support))
        case Targets(targets):
            return bytes((len(targets),)) + b"".join(map(target_record, targets))
        case _:
            assert_never(answer)


def target_record(target: Target) -> bytes:
    """Tg, SENS_RES, SEL_RES, NFCIDLength, NFCID and, of cards that have one, the ATS with its length."""
    uid = bytes.fromhex(target.uid)
    ats = bytes((len(target.ats) + 1,)) + target.ats if target.sel_res & _HAS_ATS else b""
    return bytes((target.number,)) + target.sens_res.to_bytes(2, "big") + bytes((target.sel_res, len(uid))) + uid + ats


def read_answer(frame: Frame, request: Request) -> Answer:
    """The answer to ``request`` in ``frame``; ``MessageError`` when its length or content does not fit the command."""
    data = frame.data
    match request:
        case Diagnose():
            if data[:1] != b"\x00":
                raise MessageError("the answer to the communication test does not begin with the number of the test")
            return Echo(data[1:])
        case AskFirmware():
            _need(request, data, 4)
            return Firmware(*data)
        case SamConfiguration() | SetRetries() | RfField():
            _need(request, data, 0)
            return Done()
        case Release():
            _need(request, data, 1)
            status = data[0] & _STATUS_MASK
            return Refused(status) if status else Done()
        case ListTargets():
            return Targets(_read_targets(data))
        case _:
            assert_never(request)


def _need(request: Request, data: bytes, count: int) -> None:
    if len(data) != count:
        raise MessageError(f"the answer to {code_of(request):02X} has {len(data)} bytes of data where {count} are due")


def _read_targets(data: bytes) -> tuple[Target, ...]:
    if not data:
        raise MessageError("a list of targets does not say how many")
    count, rest = data[0], data[1:]
    if count > MAX_TARGETS:
        raise MessageError(f"a list announces {count} targets where at most {MAX_TARGETS} are possible")
    targets: list[Target] = []
    for _ in range(count):
        target, rest = _read_target(rest)
        targets.append(target)
    if rest:
        raise MessageError(f"a list of {count} targets has {len(rest)} bytes too many")
    return tuple(targets)


def _read_target(data: bytes) -> tuple[Target, bytes]:
    """The first record of ``data``, and what stands behind it."""
    length = data[_RECORD_HEAD_BYTES - 1] if len(data) >= _RECORD_HEAD_BYTES else 0
    end = _RECORD_HEAD_BYTES + length
    if length not in UID_BYTES or len(data) < end:
        raise MessageError(f"a target's record with {len(data)} bytes holds no UID of 4, 7 or 10 bytes")
    uid = data[_RECORD_HEAD_BYTES:end].hex().upper()
    ats = b""
    if data[3] & _HAS_ATS:
        size = data[end] if len(data) > end else 0
        if size == 0 or len(data) < end + size:
            raise MessageError(f"a target's record with {len(data)} bytes ends inside its ATS")
        ats = data[end + 1 : end + size]
        end += size
    return Target(data[0], int.from_bytes(data[1:3], "big"), data[3], uid, ats), data[end:]
