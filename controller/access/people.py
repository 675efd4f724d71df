"""People of the house: a number, a name, a role, and what proves who they are. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import Final

MAX_NAME: Final = 32
"""Longest name, in characters."""
NUMBER: Final = re.compile(r"[1-9][0-9]{0,4}")
"""A staff number: shorter than any PIN or badge, so one field takes all three and none is taken for another."""
PIN: Final = re.compile(r"[0-9]{6,12}")
BADGE: Final = re.compile(r"[A-Za-z0-9:_-]{8,64}")
"""What a badge reader types, as a keyboard does."""


class Role(Enum):
    """What a person is in the house (REG-38)."""

    DEALER = "dealer"
    FLOOR = "floor"
    SURVEILLANCE = "surveillance"
    ENGINEER = "engineer"
    AUDITOR = "auditor"


class BadPerson(ValueError):  # noqa: N818 - what is wrong with a person's entry, in one sentence
    """A number, name, PIN or badge that cannot be. The sentence never holds a PIN or a badge."""


@dataclass(frozen=True, slots=True)
class Person:
    """One person. ``badge`` and ``pin`` are hashes, empty for none; neither is ever shown."""

    number: str
    name: str
    role: Role
    badge: str = field(default="", repr=False)
    pin: str = field(default="", repr=False)


def told_apart(name: str) -> str:
    """What tells one name from another: capitals, blanks, unseen signs and spellings do not."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(letter for letter in plain if letter.isprintable() and not letter.isspace())


def are_two(name: str, other: str) -> bool:
    """Whether both are names, and not of one person (R-RULE-01)."""
    one, two = told_apart(name), told_apart(other)
    return bool(one and two) and one != two


def checked_name(name: str) -> str:
    """The name without blanks around it. ``BadPerson`` for one that nobody could read."""
    plain = name.strip()
    if not plain.isprintable() or not 0 < len(plain) <= MAX_NAME or not told_apart(plain):
        raise BadPerson(f"a name has 1 to {MAX_NAME} characters that can be read")
    return plain


def checked_number(number: str) -> str:
    """The number. ``BadPerson`` for one that is none."""
    if NUMBER.fullmatch(number) is None:
        raise BadPerson(f"{number!r} is no staff number: give 1 to 5 digits, the first one no zero")
    return number


def checked_pin(pin: str) -> str:
    """The PIN. ``BadPerson`` for one that is too short, or that everybody would try first."""
    if PIN.fullmatch(pin) is None:
        raise BadPerson("a PIN has 6 to 12 digits")
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(pin)}
    if len(steps) == 1 and steps <= {0, 1, 9}:
        raise BadPerson("a PIN of one digit, or of digits in a row, is tried first: take another one")
    return pin


def checked_badge(badge: str) -> str:
    """The badge as it is hashed. ``BadPerson`` for what no reader types."""
    plain = badge.strip().upper()
    if BADGE.fullmatch(plain) is None:
        raise BadPerson("a badge has 8 to 64 letters, digits, ':', '_' or '-': hold it to the reader again")
    return plain
