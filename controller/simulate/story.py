"""What happened in a run, in words: faults, presses and the journal's events, in the order of the run's clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from re import sub
from typing import Any, Final

from controller.hand.cards import Card
from controller.table.loop import Record

LINES: Final = 60
"""Newest lines of a story; what came before seldom matters."""
_QUIET: Final = frozenset({"CommandAnswered", "CardSeen", "CardLeft", "CardRead"})
"""Events whose consequence is told by the next one."""
_WORDS_OF_ITEM: Final = 6


def tell(
    notes: Iterable[tuple[float, str]], records: Iterable[tuple[float, Record]], presses: Iterable[tuple[float, str, bool]]
) -> tuple[str, ...]:
    """The story's newest lines, oldest first. Simulated cards are named."""
    lines = [(at, 1, f"{at:9.2f} s  {text}") for at, text in notes]
    lines += [(at, 0, f"{at:9.2f} s  dealer: {text}{'' if ok else ' – refused'}") for at, text, ok in presses]
    for at, record in records:
        if type(record.event).__name__ not in _QUIET:
            lines.append((at, 0, f"{at:9.2f} s  {record.seq:5}  {sentence(record.event)}"))
    lines.sort(key=lambda line: line[:2])
    return tuple(text for _, _, text in lines[-LINES:])


def sentence(event: Any) -> str:
    """An event in words: its name, then its fields."""
    name = sub(r"(?<=[a-z])(?=[A-Z])", " ", type(event).__name__).lower()
    shown = [f"{field.name} {_words(getattr(event, field.name))}" for field in fields(event)]
    return f"{name}: {', '.join(shown)}"[:240] if shown else name


def _words(value: Any) -> str:
    match value:
        case Card():
            return value.text
        case Enum():
            return str(value.value)
        case str() | int() | float() | None:
            return str(value)
        case _ if is_dataclass(value) or not isinstance(value, Sequence):
            return str(value)
        case _:
            more = " …" if len(value) > _WORDS_OF_ITEM else ""
            return f"({' '.join(_words(item) for item in islice(value, _WORDS_OF_ITEM))}{more})"
