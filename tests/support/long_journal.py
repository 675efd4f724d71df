"""A journal of very many hands: those of one evening again and again, each with its own numbers, keys and boxes.

What takes time at a table, cards that travel and people who think, is played once. From then on each record is made as the table
makes it: sealed by the keyring under a new key of its deal, put into canonical form and chained by the store, and another file is
begun where the table would begin one, with the state that the table would carry. The disk alone is not waited for.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from controller.hand.events import HandOpened
from controller.journal.canonical import Body
from controller.journal.sealing import TABLE_KEY, load_or_create_table_key
from controller.journal.store import JournalStore, KeyChange
from controller.rehearsal import Play, memory_rehearsal
from controller.table.carried_events import CommandAnswered
from controller.table.carry import carriable, carried
from controller.table.events import (
    CardRead,
    ChipsAdded,
    DealKeyDropped,
    DealKeyMade,
    DeckInShoe,
    GateOrdered,
    SeatKeyReleased,
    SeatLeft,
    SeatTaken,
    ShoeNoted,
    TableEvent,
)
from controller.table.evolve import evolve
from controller.table.keyring import Keyring
from controller.table.loop import Record
from controller.table.records import hex_commitments, table_codec
from controller.table.state import TableState
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.virtual_time import run_virtual

STACK: Final = 500
JOURNAL_ID: Final = "0badcafe"
_SHOE_SEQ: Final = 0xFFE0
"""Numbers of a shoe's events before it begins another epoch."""


def play(seats: int) -> Play:
    """The table of such an evening."""
    return Play(seats={seat: (f"Player {seat}", STACK) for seat in range(1, seats + 1)})


def play_evening(hands: int, *, seats: int = 6, seed: int = 4) -> list[Record]:
    """What the table recorded of ``hands`` hands, with simulated devices and people on virtual time."""
    rehearsal = memory_rehearsal(play(seats), seed=seed)
    players = {seat: RandomPlayer(random.Random(100 * seed + seat), looseness=0.6) for seat in range(1, seats + 1)}

    async def run() -> list[Record]:
        async with rehearsal.opened() as app:
            await rehearsal.deal(app, players, ShuffledPackets(random.Random(seed)), hands=hands)
        return rehearsal.records

    return run_virtual(run(), max_seconds=3600.0)


class LongJournal:
    """Writes the journal into ``folder``, its table key into ``keys``. ``hands`` are those that it has."""

    def __init__(self, folder: Path, keys: Path, *, evening: Sequence[Record]) -> None:
        """``evening`` needs two hands; the first stays alone, the second to the last but one are what is repeated."""
        keys.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._store = JournalStore.open(folder, table="T1", journal_id=JOURNAL_ID, created="2026-01-01T00:00:00Z")
        self._store.raise_epoch()
        self._hurry()
        self._keyring = Keyring(load_or_create_table_key(keys / TABLE_KEY), table="T1", journal_id=JOURNAL_ID)
        self._codec = table_codec()
        self._state = TableState()
        self._keys = 0
        self.hands = 0
        events = [record.event for record in evening]
        cuts = [number - 1 for number, event in enumerate(events) if isinstance(event, HandOpened)]
        self._parts = [events[start:end] for start, end in pairwise(cuts[1:])]
        self._write(events[: cuts[1]])
        self.hands = 1

    def grow(self, hands: int) -> None:
        """Go on until there are ``hands`` hands."""
        for part in self._again():
            if self.hands >= hands:
                return
            self._write(part)
            self.hands += 1

    def settle(self) -> None:
        """Bring what was written out of the log, so that the files can be copied."""
        self._store._erase()

    def close(self) -> None:
        """Close the journal, synced."""
        self._store.close()

    def _again(self) -> Iterator[list[TableEvent]]:
        while True:
            for number, part in enumerate(self._parts):
                yield [*self._as_before(), *part] if number == 0 else part

    def _as_before(self) -> list[TableEvent]:
        """Everybody has what it had when these hands were played: who won goes and comes again, who lost buys chips."""
        due = {entry.seat: entry.chips for event in self._parts[0] if isinstance(event, HandOpened) for entry in event.seats}
        told: list[TableEvent] = []
        for seat in self._state.seats:
            more = due[seat.seat] - seat.stack
            if more > 0:
                told.append(ChipsAdded(seat.seat, more))
            elif more < 0:
                told += [SeatLeft(seat.seat, seat.stack), SeatTaken(seat.seat, seat.name, due[seat.seat])]
        return told

    def _hurry(self) -> None:
        self._store._connection.execute("PRAGMA synchronous = OFF")

    def _write(self, events: Sequence[TableEvent]) -> None:
        """One commit, after another file was begun where that was due."""
        if self._store.rotation_due and any(isinstance(event, HandOpened) for event in events):
            before = next(number for number, event in enumerate(events) if isinstance(event, HandOpened)) - 1
            self._append(events[:before])
            self._rotate()
            events = events[before:]
        self._append(events)

    def _append(self, events: Sequence[TableEvent]) -> None:
        bodies: list[Body] = []
        keys: list[KeyChange] = []
        for event in events:
            ready, key = self._keyring.ready(self._renumbered(event))
            if key is not None:
                keys.append(key)
            bodies.append(self._keyring.encode(self._codec, ready, self._state, epoch=self._store.epoch, at=self._now()))
            self._state = evolve(self._state, ready)
        if bodies:
            (appended,) = self._store.commit([self._store.prepare(bodies, keys)])
            assert appended.last_seq == self._state.seq

    def _now(self) -> str:
        seconds = self._state.seq // 4
        return f"2026-{1 + seconds // 2_419_200 % 12:02}-{1 + seconds // 86_400 % 28:02}T{seconds // 3600 % 24:02}:00:00.000Z"

    def _renumbered(self, event: TableEvent) -> TableEvent:
        state = self._state
        match event:
            case CardRead() | ShoeNoted():
                return replace(event, seq=state.shoe.accepted_seq % _SHOE_SEQ + 1)
            case DeckInShoe():
                return replace(event, seq=state.shoe.accepted_seq % _SHOE_SEQ + 1, load=state.shoe.load % _SHOE_SEQ + 1)
            case GateOrdered():
                return replace(event, order=state.gate.order + 1)
            case CommandAnswered():
                self._keys += 1
                return replace(event, key=f"{self._keys:032x}")
            case HandOpened():
                return replace(event, number=state.hand_number + 1)
            case DealKeyMade():
                return DealKeyMade(state.deal + 1, "", ())
            case DealKeyDropped():
                return DealKeyDropped(state.deal)
            case SeatKeyReleased():
                return replace(event, deal=state.deal)
            case _:
                return event

    def _rotate(self) -> None:
        state = self._state
        assert carriable(state)
        origin = self._store.continuation(self._now())
        sealer = self._keyring.sealers[state.deal]
        event = carried(state, origin, sealer.kid, hex_commitments(sealer))
        body = self._keyring.encode(self._codec, event, state, epoch=self._store.epoch, at=self._now())
        assert self._store.prepare_next(body, origin) is not None
        assert self._store.switch() is not None
        self._hurry()
        self._state = evolve(state, event)
