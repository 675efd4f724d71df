"""Twin runs: the same seed once more with two cards exchanged that nobody has seen. What is told must be equal, byte for byte.

A run shows which cards stayed hidden, and until when. In its twin two of them lie in each other's place in the packet, with their
own code and tag. Everything that a reader without a right to them can see is compared until one of the two is public: messages,
answers, screens, logs, reports of devices, the clear fields and lengths of the journal, and the moment of each (recovery §12,
invariant 19). Boxes are ciphertext, and the heads of the chain run over boxes: both count by their place and length alone.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.simulate.disk import fast_folder
from controller.simulate.plan import Plan, Result
from controller.simulate.run import Simulation
from controller.table.loop import Record
from controller.table.state import TableState
from simulators.felt import FULL_DECK, HAND, SHOE
from simulators.packets import Packets
from simulators.players import Player, Snapshot, SteadyPlayer

SHOWS: Final = 0.5
"""Chance that a player shows where mucking is allowed too: never by the cards, of which the twin has others."""
_HEAD: Final = re.compile(r'"(head|before|link|last_link)": ?"[0-9a-f]{64}"')
"""Heads of the chain, in what is published and in the first record of a file that goes on, and the links that follow on it."""


class Told(NamedTuple):
    """Something that somebody could read: when, where, and the text without the head of the chain."""

    at: float
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two cards of the ``packet``-th shuffled packet, counted from 1, which lie in each other's place in the twin."""

    packet: int
    first: str
    second: str

    def of(self, order: Sequence[str]) -> list[str]:
        """The order of the twin's packet."""
        other = {self.first: self.second, self.second: self.first}
        return [other.get(card, card) for card in order]


@dataclass(frozen=True, slots=True)
class Pair:
    """What became of two twins. ``difference`` says where the first told something else than the second, if anywhere."""

    result: Result
    twin: Result | None
    exchange: Exchange | None
    until: float
    compared: int
    difference: str | None

    @property
    def ok(self) -> bool:
        """Both went well, there was something to compare, and nobody could tell one from the other."""
        return self.difference is None and self.unsound is None

    @property
    def unsound(self) -> str | None:
        """Why the pair shows nothing, if it does not."""
        for which, result in (("the first of the twins", self.result), ("the second of the twins", self.twin)):
            if result is not None and not result.ok:
                return f"{which} {'failed' if result.failure else 'is stuck'}: {result.what}"
        return None if self.compared else "nothing was told before a card was public that could be compared"


class OpenHanded(SteadyPlayer):
    """Shows or mucks without a look at its cards."""

    def __init__(self, seed: int, *, looseness: float) -> None:
        super().__init__(seed, looseness=looseness)
        self._of = seed

    def shows(self, snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
        """Drawn for this hand, whatever the cards."""
        del cards
        hand = snapshot["hand"] or {}
        return random.Random(f"{self._of} {seat} {hand.get('number')} shows").random() < SHOWS


class _Exchanged:
    """Packets of which one has two cards exchanged."""

    def __init__(self, packets: Packets, exchange: Exchange | None, begun: Callable[[], None]) -> None:
        self._packets = packets
        self._exchange = exchange
        self._begun = begun
        self._number = 0

    def fresh(self) -> Sequence[str] | None:
        """The next packet."""
        self._begun()
        self._number += 1
        order = self._packets.fresh()
        if order is None or self._exchange is None or self._exchange.packet != self._number:
            return order
        return self._exchange.of(order)

    def scrambled(self, cards: Sequence[str], *, drawn: int) -> Sequence[str]:
        """As they lie: the exchanged cards are in each other's place already."""
        return self._packets.scrambled(cards, drawn=drawn)


class TwinRun(Simulation):
    """A run whose every word is kept. ``exchange`` makes it the twin of the one without."""

    def __init__(self, plan: Plan, folder: Path, exchange: Exchange | None = None) -> None:
        super().__init__(plan, folder)
        self._exchange = exchange
        self.told: list[Told] = []
        self._begun: list[tuple[int, float]] = []
        """By packet: how many whole packets had been loaded when it was shuffled, and when that was."""
        self.watch.ears.append(self._hear)
        self.rehearsal.watchers.append(self._committed)

    def player(self) -> Player:
        """One who decides nothing by its cards."""
        return OpenHanded(self.plan.seed, looseness=self.drawn.looseness)

    def packets(self, rng: random.Random) -> Packets:
        """Those of the seed, with the exchange."""
        return _Exchanged(super().packets(rng), self._exchange, self._begin)

    def _begin(self) -> None:
        self._begun.append((self.watch.truth.deals, asyncio.get_running_loop().time()))

    def _hear(self, where: str, text: bytes | str) -> None:
        self._tell(where, text.decode() if isinstance(text, bytes) else text)

    def _tell(self, where: str, text: str) -> None:
        self.told.append(Told(asyncio.get_running_loop().time(), where, _HEAD.sub(r'"\1":"of the chain"', text)))

    def _committed(self, state: TableState, records: Sequence[Record]) -> None:
        """The journal's clear fields, and what screens and devices say now."""
        app = self._app
        if app is None:
            return
        journal = app.journal
        for seq, body in journal.read(records[0].seq):
            if seq <= records[-1].seq:
                self._tell("journal", _clear(body))
        self._tell("screen", json.dumps(app.desk.document(None), ensure_ascii=False))
        self._tell("sheet hands", json.dumps(app.desk.sheet("hands", {}, None, drives=True), ensure_ascii=False))
        self._tell("reports", repr(app.reports()))
        self._tell("readiness", repr(app.readiness()))
        self._tell("sizes", repr(sorted((path.name, path.stat().st_size) for path in self.disk.folder.iterdir())))

    # Which cards may be exchanged

    def hidden(self) -> list[dict[str, float]]:
        """By packet: each card that left the shoe of it, and when it became public; never is infinite."""
        truth, moves = self.watch.truth, self.rehearsal.devices.felt.moves
        found: list[dict[str, float]] = []
        for (first, began), (last, ended) in pairwise((*self._begun, (truth.deals, math.inf))):
            drawn = {
                move.card: math.inf for move in moves if began <= move.at < ended and (move.origin, move.target) == (SHOE, HAND)
            }
            for deal in range(first + 1, last + 1):
                for card, since in truth.since(deal).items():
                    drawn[card] = min(since, drawn.get(card, since))
            found.append(drawn)
        return found


def choose(hidden: Sequence[Mapping[str, float]], rng: random.Random) -> tuple[Exchange, float] | None:
    """Two cards of one packet, one of which at least was drawn, and until when both were hidden. ``None`` where none was drawn.

    Every other time both are hidden for ever, if there are such cards.
    """
    packets = [number for number, cards in enumerate(hidden, 1) if cards]
    if not packets:
        return None
    number = rng.choice(packets)
    public = hidden[number - 1]
    drawn = sorted(public)
    if rng.random() < 0.5:
        drawn = [card for card in drawn if public[card] == math.inf] or drawn
    first = rng.choice(drawn)
    others = [card for card in (drawn if rng.random() < 0.8 else FULL_DECK) if card != first]
    second = rng.choice(others or [card for card in FULL_DECK if card != first])
    return Exchange(number, first, second), min(public[first], public.get(second, math.inf))


def difference(one: Sequence[Told], other: Sequence[Told], until: float) -> str | None:
    """Where the two differ before ``until``, in words; ``None`` when they are equal byte for byte."""
    for first, second in zip_longest(_before(one, until), _before(other, until)):
        if first != second:
            return f"{_words(first)}\n and in the twin {_words(second)}"
    return None


def _before(told: Sequence[Told], until: float) -> list[Told]:
    return [each for each in told if each.at < until]


def _words(told: Told | None) -> str:
    return "nothing more" if told is None else f"at {told.at:.3f} {told.where}: {told.text}"


def _clear(body: Mapping[str, Any]) -> str:
    """A record as it stands in the journal, its box by the length alone."""
    box = body.get("sealed")
    return json.dumps(body if box is None else {**body, "sealed": len(str(box))}, sort_keys=True, ensure_ascii=False)


def play_twins(plan: Plan) -> Pair:
    """Play a run and its twin, and compare what they tell."""
    first, result = _played(plan, None)
    chosen = choose(first.hidden(), random.Random(f"stud-table twins {plan.seed}"))
    if chosen is None:
        return Pair(result, None, None, 0.0, 0, None)
    exchange, until = chosen
    second, twin = _played(plan, exchange)
    return Pair(result, twin, exchange, until, len(_before(first.told, until)), difference(first.told, second.told, until))


def _played(plan: Plan, exchange: Exchange | None) -> tuple[TwinRun, Result]:
    with tempfile.TemporaryDirectory(prefix="stud-simulate-", dir=fast_folder()) as folder:
        run = TwinRun(plan, Path(folder), exchange)
        return run, run.play()
