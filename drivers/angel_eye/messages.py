"""Reports of an Angel Eye shoe as typed values (devices §1.2), for host and simulated shoe alike. Unverified.

No ``repr`` shows a card. Codes are rank and suit as ``AS``, or ``??`` for what the shoe could not read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias, assert_never

from drivers.ports import DriverError

UNREADABLE: Final = "??"
ERRORS: Final = {
    1: "cannot read",
    2: "over-draw",
    3: "button misuse",
    4: "reverse run at the exit",
    5: "reverse run inside",
    6: "card code error",
    7: "draw time-out",
}

_MARK: Final = 0x80
_RANKS: Final = " A23456789TJQK"
_SUITS: Final = " DCSH"
_LETTER_BYTES: Final = {"S": 0, "P": 0, "D": 2, "d": 2, "R": 2, "C": 0, "E": 1, "e": 1, "L": 1, "M": 6, "G": 1}


class MessageError(DriverError):
    """A frame with a good check whose content is no report that is known."""


class Occasion(Enum):
    """In what a card was told: drawn in a game, outside one, or told again."""

    GAME = "D"
    OUTSIDE = "d"
    AGAIN = "R"


class Simple(Enum):
    """Reports without content."""

    STARTED = "S"
    STAND_BY = "P"
    CUT_CARD = "C"


@dataclass(frozen=True, slots=True)
class CardTold:
    """A card. ``target`` 0 to 7: in a game the place of a baccarat table; outside one 0 lock, 1 error, 2 setting mode."""

    occasion: Occasion
    target: int
    index: int
    code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ErrorTold:
    """An error was raised or cleared. ``stays``: the shoe is in error mode now."""

    number: int
    is_raised: bool = field(kw_only=True)
    stays: bool = field(default=False, kw_only=True)

    @property
    def meaning(self) -> str:
        """Number and what it stands for."""
        return f"{self.number} {ERRORS.get(self.number, 'which no source lists')}"


@dataclass(frozen=True, slots=True)
class LockTold:
    """The shoe's own lock."""

    is_locked: bool


@dataclass(frozen=True, slots=True)
class PresetTold:
    """A setting of the shoe was changed: two characters of address, four of value."""

    address: str
    value: str


@dataclass(frozen=True, slots=True)
class ResultTold:
    """The result of a baccarat game, not interpreted."""

    bits: int


Report: TypeAlias = Simple | CardTold | ErrorTold | LockTold | PresetTold | ResultTold


def read_report(data: bytes) -> Report:
    """The report in ``data``; ``MessageError`` when it is none that is known. Its text tells no byte of a card."""
    letter = chr(data[0]) if data else ""
    if _LETTER_BYTES.get(letter) != len(data) - 1:
        raise MessageError(f"a report {letter!r} with {len(data)} bytes is none that is known")
    if letter == "M":
        if not data.isascii():
            raise MessageError("a changed setting is told in other than ASCII")
        return PresetTold(data[1:3].decode(), data[3:7].decode())
    bits = [byte & ~_MARK for byte in data[1:] if byte & _MARK]
    if len(bits) != len(data) - 1:
        raise MessageError(f"a report {letter!r} has a byte without its mark")
    match letter:
        case "S" | "P" | "C":
            return Simple(letter)
        case "D" | "d" | "R":
            return CardTold(Occasion(letter), bits[0] >> 4, bits[0] & 0x0F, _code(bits[1]))
        case "E":
            return ErrorTold(bits[0] & 0x3F, is_raised=True, stays=bool(bits[0] & 0x40))
        case "e":
            return ErrorTold(bits[0], is_raised=False)
        case "L":
            return LockTold(is_locked=bool(bits[0] & 1))
        case _:
            return ResultTold(bits[0])


def write_report(report: Report) -> bytes:
    """The data of ``report``, as the shoe says it."""
    match report:
        case Simple():
            return report.value.encode()
        case CardTold(occasion, target, index, code):
            return occasion.value.encode() + bytes((_MARK | target << 4 | index, _MARK | _bits(code)))
        case ErrorTold(number, is_raised=is_raised, stays=stays):
            return bytes((ord("E" if is_raised else "e"), _MARK | number | (0x40 if stays else 0)))
        case LockTold(is_locked):
            return b"L" + bytes((_MARK | is_locked,))
        case PresetTold(address, value):
            return f"M{address}{value}".encode("ascii")
        case ResultTold(bits):
            return b"G" + bytes((_MARK | bits,))
        case _:
            assert_never(report)


def _code(bits: int) -> str:
    suit, rank = bits >> 4, bits & 0x0F
    if not 1 <= suit < len(_SUITS) or not 1 <= rank < len(_RANKS):
        return UNREADABLE
    return _RANKS[rank] + _SUITS[suit]


def _bits(code: str) -> int:
    return 0 if code == UNREADABLE else _SUITS.index(code[1]) << 4 | _RANKS.index(code[0])
