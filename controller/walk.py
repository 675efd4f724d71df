"""The last hands of a journal step by step, for an inspector: what everybody at the table could see, and nothing else (REG-01).

Read from a copy or beside a running table, without any key: a down card is told only from the step on at which its hand was
tabled (R-RULE-06), and players and staff by name only to whom names are allowed. It writes nothing.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from controller.displays.adapter import DisplayAdapter
from controller.floor.history.answers import hand_json, nameless
from controller.floor.history.steps import Told, told
from controller.journal.canonical import Body
from controller.journal.codec import CodecError
from controller.journal.verify import ReplayDisagrees, Verification, read_origin, verify_chain
from controller.mqtt.payloads import PublicEvent
from controller.table.loop import Record
from controller.table.records import decode, table_codec

RECALLED: Final = 10
"""Hands that a regulator asks to see again (REG-01)."""
_ENDS: Final = ("hand_ended", "hand_voided")
_EPOCH: Final = 1
"""Of the teller; it says who tells an event, and not what happened."""


@dataclass(frozen=True, slots=True)
class WalkedHand:
    """One hand: ``first`` and ``last`` are its records in the journal, ``outcome`` is empty while it is not over."""

    table: str
    journal: str
    number: int
    events: tuple[PublicEvent, ...]

    @property
    def outcome(self) -> str:
        """``hand_ended`` or ``hand_voided``: what stands at last, for an award may be taken back."""
        return next((event.event for event in reversed(self.events) if event.event in _ENDS), "")

    @property
    def first(self) -> int:
        """The record that opened it."""
        return self.events[0].seq

    @property
    def last(self) -> int:
        """The last record that tells something of it."""
        return self.events[-1].seq

    def told(self) -> Told:
        """Its steps: sentence, rule, evidence, pot, and the public view after each."""
        return told(self.table, self.journal, self.events)

    def as_json(self) -> dict[str, Any]:
        """As the floor tells a hand over HTTP, without a verdict on links: the journal's own chain stands for it. Names are those
        that the walk was asked for."""
        found = self.told()
        opening, ended = self.events[0].opening, self._ended_at()
        row = {
            "table_name": self.table,
            "journal": self.journal,
            "hand": self.number,
            "opened_at": self.events[0].at,
            "ended_at": ended,
            "outcome": self.outcome,
            "variant": None if opening is None else opening.variant,
            "dealer": None if opening is None else opening.dealer,
            "pot": next((step.pot for step in reversed(found.steps) if step.pot is not None), None),
            "rake": self._rake(),
            "seconds": None if ended is None else round((ended - self.events[0].at).total_seconds()),
        }
        said = hand_json(row, found, names=True)
        return {**{name: value for name, value in said.items() if name != "links"}, "first": self.first, "last": self.last}

    def _ended_at(self) -> datetime | None:
        return next((event.at for event in reversed(self.events) if event.event in _ENDS), None)

    def _rake(self) -> int | None:
        ended = next((event for event in reversed(self.events) if event.event == "hand_ended"), None)
        return None if ended is None or not ended.rake else sum(ended.rake)


@dataclass(frozen=True, slots=True)
class Walk:
    """Hands, oldest first, and whether the chain that they stand in holds."""

    hands: tuple[WalkedHand, ...]
    chain: Verification
    table: str
    journal: str


class _Reader:
    """Keeps the public events of the last hands, those of a hand until the next one opens."""

    def __init__(self, table: str, journal: str, hands: int, only: int) -> None:
        self._codec = table_codec()
        self._adapter = DisplayAdapter(table, _EPOCH)
        self._only = only
        self._kept: deque[tuple[int, list[PublicEvent]]] = deque(maxlen=min(hands, sys.maxsize))
        self._table, self._journal = table, journal
        self._is_kept = False

    def take(self, seq: int, body: Body) -> None:
        """The next record; ``ReplayDisagrees`` where it cannot be read."""
        try:
            event = decode(self._codec, body, {})
            told = self._adapter.events((Record(seq, str(body.get("at", "")), event),))
        except (CodecError, ValueError, KeyError) as error:
            raise ReplayDisagrees(f"{body.get('type')} cannot be read: {type(error).__name__}") from None
        for one in told:
            if one.event == "hand_opened":
                self._is_kept = self._only in (0, one.hand)
                if self._is_kept:
                    self._kept.append((one.hand or 0, []))
            if self._is_kept:
                self._kept[-1][1].append(one)

    def hands(self, *, names: bool) -> tuple[WalkedHand, ...]:
        """What was kept; what happened at the table after a hand's end is none of its steps."""
        return tuple(
            WalkedHand(self._table, self._journal, number, tuple(_of_hand(events if names else nameless(events))))
            for number, events in self._kept
        )


def _of_hand(events: Sequence[PublicEvent]) -> Sequence[PublicEvent]:
    ends = [number for number, event in enumerate(events, 1) if event.event in _ENDS]
    return events[: ends[-1]] if ends else events


def walk(path: Path, *, hands: int = RECALLED, only: int = 0, names: bool = False, head: bytes | None = None) -> Walk:
    """The last ``hands`` of the journal ``path``, its folder or one file, the one in play included; or hand number ``only``.

    ``head``, noted elsewhere, must be in the chain. ``FileNotFoundError`` when there is no journal, ``JournalDamaged`` when it is
    none; where a record does not hold, the hands until then are told, and ``chain`` says which.
    """
    origin = read_origin(path)
    reader = _Reader(origin.table, origin.journal, hands, only)
    chain = verify_chain(path, reader.take, head=head)
    return Walk(reader.hands(names=names), chain, origin.table, origin.journal)
