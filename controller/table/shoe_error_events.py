"""Errors that a shoe has latched, as events of the table: which there are, and what became of them (TSP/1 ERR, CLR, CLEAR)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ShoeErrors:
    """The errors that the shoe said it has latched when it was adopted, where the journal knew of others (TSP/1 HB)."""

    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShoeClearOrdered:
    """A latched error of the shoe is to be cleared, by a ruling; ``order`` is one of the ids of ``GateOrdered`` (TSP/1 CLEAR)."""

    order: int
    code: str


@dataclass(frozen=True, slots=True)
class ShoeClearFailed:
    """A latched error was not cleared by its order, for ``reason``: a person does it at the shoe, or sets the shoe aside (TSP/1
    CLEAR, RSP)."""

    code: str
    reason: str


ShoeErrorEvent: TypeAlias = ShoeErrors | ShoeClearOrdered | ShoeClearFailed
