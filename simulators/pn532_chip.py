"""What a PN532 does with each command, without time or line (NXP UM0701-02 §7): more commands than our own driver sends, since
other programs talk to the simulator too. Cards are ISO 14443-A; with a UID of seven bytes, a MIFARE Ultralight with its memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from drivers.pn532.frames import Direction, Frame
from drivers.pn532.messages import MAX_TARGETS, RETRY_FOR_EVER, UID_BYTES, Firmware, RfItem, Target, target_record

FIRMWARE: Final = Firmware(0x32, 0x01, 0x06, 0x07)
"""A PN532 with firmware 1.6 that knows ISO 14443-A, -B and ISO 18092."""
NOT_THERE: Final = 0x01
"""Status: the card did not answer in time."""
BAD_PARAMETER: Final = 0x10
NO_TARGET: Final = 0x27
AUTO_POLL_PERIOD_S: Final = 0.15
ATTEMPT_S: Final = 0.012
"""One activation on an antenna without a card."""
CARD_S: Final = 0.010
"""Anti-collision and selection of one card."""

_UNITS_FOR_EVER: Final = 0xFF
_MEMORY_BYTES: Final = 64
_PAGE_BYTES: Final = 4
_READ: Final = 0x30
_CASCADE: Final = 0x88
_RX_MODE: Final = 0x6303
_CHECKS_CRC: Final = 0x80
"""In CIU_RxMode: the chip checks a card's CRC and keeps it; else the host gets it with the data."""
_TYPE_A_POLLS: Final = {0x00: 0x10, 0x10: 0x10}
"""Poll types of InAutoPoll that find our cards, and the type as which the chip tells them."""


class ChipCode(IntEnum):
    """Commands that the chip model knows."""

    DIAGNOSE = 0x00
    FIRMWARE = 0x02
    STATUS = 0x04
    READ_REGISTER = 0x06
    WRITE_REGISTER = 0x08
    BAUD_RATE = 0x10
    PARAMETERS = 0x12
    SAM = 0x14
    POWER_DOWN = 0x16
    RF_CONFIGURATION = 0x32
    EXCHANGE = 0x40
    THRU = 0x42
    DESELECT = 0x44
    LIST_TARGETS = 0x4A
    RELEASE = 0x52
    SELECT = 0x54
    AUTO_POLL = 0x60


_RF_ITEM_BYTES: Final = {0x01: 1, 0x02: 3, 0x04: 1, 0x05: 3, 0x0A: 11, 0x0B: 8, 0x0C: 3, 0x0D: 9}


@dataclass(frozen=True, slots=True)
class Reply:
    """Content of an answer, its time on the air, and how long a poll without a card goes on before it (``None``: for ever)."""

    data: bytes = field(default=b"", repr=False)
    work_s: float = 0.0
    poll_s: float | None = 0.0


class SyntaxFault(Exception):  # noqa: N818 - what the chip calls it
    """The chip answers with the error frame."""


def is_type_a(uid: str) -> bool:
    """Whether a tag is one that this chip can read: a UID of four, seven or ten bytes."""
    return len(uid) in [2 * count for count in UID_BYTES]


def target_of(uid: str, number: int) -> Target:
    """The record of a card without a protocol of its own; SENS_RES tells the length of the UID (ISO 14443-3)."""
    size = UID_BYTES.index(len(uid) // 2)
    return Target(number, size << 6 | 0x04, 0x00, uid)


def memory_of(uid: str) -> bytes:
    """64 bytes of a fresh MIFARE Ultralight: UID with its check bytes, locks, capability container, an empty message."""
    raw = bytes.fromhex(uid)
    first, second = raw[:3], raw[3:7]
    check_1 = _CASCADE ^ first[0] ^ first[1] ^ first[2]
    check_2 = second[0] ^ second[1] ^ second[2] ^ second[3]
    head = first + bytes((check_1,)) + second + bytes((check_2, 0x48, 0x00, 0x00)) + bytes.fromhex("E1 10 06 00 03 00 FE 00")
    return head.ljust(_MEMORY_BYTES, b"\x00")


def crc_a(data: bytes) -> bytes:
    """CRC_A of ISO 14443-3 as it goes over the air: polynomial 8408 reflected, start 6363, low byte first."""
    value = 0x6363
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
    return value.to_bytes(2, "little")


class Pn532Chip:
    """State of one chip: settings, field, and which cards it has selected.

    A card that is selected does not answer the next search while the field stays on and nobody released it: every second poll
    of a resting card fails, as installations report.
    """

    def __init__(self) -> None:
        self.is_field_on = False
        self.passive_retries = RETRY_FOR_EVER
        self.searches = 0
        """Searches for cards that were answered."""
        self._targets: dict[int, str] = {}
        self._silent: frozenset[str] = frozenset()
        self._registers: dict[int, int] = {}

    def reset(self) -> None:
        """Power went, or the chip sleeps: field off, cards forgotten."""
        self.is_field_on = False
        self._forget()

    def _forget(self) -> None:
        self._targets = {}
        self._silent = frozenset()

    def carry_out(self, frame: Frame, seen: Sequence[str]) -> Reply:
        """What the chip answers while ``seen`` are the UIDs that can be read; ``SyntaxFault`` for what it does not know.

        A search that finds nothing has ``poll_s`` other than 0: ask again with what lies there later, until then.
        """
        try:
            code = ChipCode(frame.code)
        except ValueError:
            raise SyntaxFault from None
        try:
            return self._do(code, frame.data, seen)
        except IndexError:
            raise SyntaxFault from None

    def _do(self, code: ChipCode, data: bytes, seen: Sequence[str]) -> Reply:  # noqa: C901 - one row a command
        match code:
            case ChipCode.DIAGNOSE:
                return self._diagnose(data, seen)
            case ChipCode.FIRMWARE:
                return Reply(bytes((FIRMWARE.ic, FIRMWARE.version, FIRMWARE.revision, FIRMWARE.support)))
            case ChipCode.STATUS:
                return Reply(self._status())
            case ChipCode.READ_REGISTER:
                return Reply(bytes(self._registers.get(address, 0) for address in _words(data)))
            case ChipCode.WRITE_REGISTER:
                self._registers |= {data[at] << 8 | data[at + 1]: data[at + 2] for at in range(0, len(data), 3)}
                return Reply()
            case ChipCode.BAUD_RATE | ChipCode.PARAMETERS | ChipCode.SAM:
                if not data:
                    raise SyntaxFault
                return Reply()
            case ChipCode.POWER_DOWN:
                return Reply(b"\x00")
            case ChipCode.RF_CONFIGURATION:
                return self._configure(data)
            case ChipCode.EXCHANGE:
                return self._exchange(data[0] & 0x0F, data[1:], seen)
            case ChipCode.THRU:
                return self._thru(data, seen)
            case ChipCode.DESELECT | ChipCode.SELECT:
                return Reply(bytes((0x00 if data[0] in self._targets or data[0] == 0 else NO_TARGET,)))
            case ChipCode.RELEASE:
                return self._release(data[0])
            case ChipCode.LIST_TARGETS:
                return self._list(data, seen)
            case ChipCode.AUTO_POLL:
                return self._auto_poll(data, seen)

    def _diagnose(self, data: bytes, seen: Sequence[str]) -> Reply:
        match data[0]:
            case 0x00:
                return Reply(data)
            case 0x01 | 0x02:  # ROM, RAM
                return Reply(b"\x00")
            case 0x06:  # presence of a card
                is_there = any(uid in seen for uid in self._targets.values())
                return Reply(bytes((0x00 if is_there else NOT_THERE,)), CARD_S)
            case _:
                raise SyntaxFault

    def _status(self) -> bytes:
        targets = b"".join(bytes((number, 0, 0, 0x10)) for number in self._targets)
        return bytes((0, self.is_field_on, len(self._targets))) + targets + b"\x00"

    def _configure(self, data: bytes) -> Reply:
        if _RF_ITEM_BYTES.get(data[0]) != len(data) - 1:
            raise SyntaxFault
        match data[0]:
            case RfItem.FIELD:
                self.is_field_on = bool(data[1] & 1)
                if not self.is_field_on:
                    self._forget()
            case RfItem.MAX_RETRIES:
                self.passive_retries = data[3]
            case _:  # time-outs and analogue settings make no difference to a model of cards
                pass
        return Reply()

    def _release(self, number: int) -> Reply:
        if number > MAX_TARGETS:
            return Reply(bytes((BAD_PARAMETER,)))
        gone = [uid for target, uid in self._targets.items() if number in (0, target)]
        self._silent -= frozenset(gone)
        self._targets = {target: uid for target, uid in self._targets.items() if uid not in gone}
        return Reply(b"\x00")

    def _exchange(self, number: int, data: bytes, seen: Sequence[str]) -> Reply:
        uid = self._targets.get(number)
        if uid is None:
            return Reply(bytes((NO_TARGET,)))
        double = 2 * UID_BYTES[1]
        if uid not in seen or len(uid) != double or len(data) < 2 or data[0] != _READ:
            return Reply(bytes((NOT_THERE,)), CARD_S)
        start = data[1] % (_MEMORY_BYTES // _PAGE_BYTES) * _PAGE_BYTES
        return Reply(b"\x00" + (memory_of(uid) * 2)[start : start + 4 * _PAGE_BYTES], CARD_S)

    def _thru(self, data: bytes, seen: Sequence[str]) -> Reply:
        """InCommunicateThru: to the first card, and the CRC of its answer too if the host has said so."""
        reply = self._exchange(min(self._targets, default=0), data, seen)
        if reply.data[0] or self._registers.get(_RX_MODE, _CHECKS_CRC) & _CHECKS_CRC:
            return reply
        return Reply(reply.data + crc_a(reply.data[1:]), reply.work_s)

    def _list(self, data: bytes, seen: Sequence[str]) -> Reply:
        limit, kind, wanted = data[0], data[1], data[2:].replace(bytes((_CASCADE,)), b"")
        if not 1 <= limit <= MAX_TARGETS:
            raise SyntaxFault
        cards = [uid for uid in self._answering(seen) if bytes.fromhex(uid).startswith(wanted)] if kind == 0 else []
        found = self._select(cards[:limit])
        return Reply(_count_and(found), ATTEMPT_S + CARD_S * len(found), 0.0 if found else self._retry_s())

    def _auto_poll(self, data: bytes, seen: Sequence[str]) -> Reply:
        """InAutoPoll tells each card as type, length and record (UM0701-02 §7.3.13)."""
        rounds, period, kinds = data[0], data[1], data[2:]
        told = next((_TYPE_A_POLLS[kind] for kind in kinds if kind in _TYPE_A_POLLS), None)
        found = self._select(self._answering(seen)[:MAX_TARGETS] if told is not None else [])
        records = [bytes((told or 0, len(record))) + record for record in found]
        for_ever = rounds == _UNITS_FOR_EVER
        poll_s = None if for_ever else max(1, rounds) * len(kinds) * period * AUTO_POLL_PERIOD_S
        return Reply(_count_and(records), ATTEMPT_S + CARD_S * len(found), 0.0 if found else poll_s)

    def _answering(self, seen: Sequence[str]) -> list[str]:
        """Cards that answer a search now. Those that were silent answer the next one."""
        self.searches += 1
        self.is_field_on = True
        cards = [uid for uid in dict.fromkeys(seen) if is_type_a(uid) and uid not in self._silent]
        self._silent = frozenset()
        return cards

    def _select(self, cards: Sequence[str]) -> list[bytes]:
        self._registers.pop(_RX_MODE, None)
        self._targets = dict(enumerate(cards, 1))
        self._silent = frozenset(cards)
        return [target_record(target_of(uid, number)) for number, uid in self._targets.items()]

    def _retry_s(self) -> float | None:
        return None if self.passive_retries == RETRY_FOR_EVER else self.passive_retries * ATTEMPT_S


def _count_and(records: Sequence[bytes]) -> bytes:
    return bytes((len(records),)) + b"".join(records)


def _words(data: bytes) -> list[int]:
    return [data[at] << 8 | data[at + 1] for at in range(0, len(data), 2)]


def answer(frame: Frame, reply: Reply) -> Frame:
    """The answer to ``frame`` with the content of ``reply``."""
    return Frame(Direction.TO_HOST, frame.code + 1, reply.data)
