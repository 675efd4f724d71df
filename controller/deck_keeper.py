"""Keeps table and care file of its deck in step: tells the table of checks and quarantine, the file of hands and wear.

What goes into the file is taken from the durable state (the hands of a run and the check that was played on), so that it can be
written again after a crash and counts nothing twice; readings are in memory alone until they are written, all at once, after
``BATCH_HANDS`` hands (decision 0017).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from controller.deck_care import CareError, DeckCare, care_path, change_care, digest_of, load_care
from controller.hand.cards import Card
from controller.hand.events import HandEnded, HandVoided
from controller.table.deck_events import DeckChecked
from controller.table.events import CardIdentified, DeckInShoe, TableEvent
from controller.table.parts import Bar, CheckTold, DeckTold
from controller.table.state import TableState
from controller.tracking.life import ReadingTally, Wear
from controller.tracking.registry import DeckRegistry

BATCH_HANDS: Final = 50
"""Hands whose readings are told together: what one of them added cannot be taken apart again."""
LOOK_S: Final = 1.0
"""How often the file is looked at."""

_log = logging.getLogger("controller")


class DeckKeeper:
    """The care of one table's deck. ``told`` at the start, then ``run``; ``committed`` after each commit."""

    def __init__(self, deck: Path, registry: DeckRegistry, *, table: str, needs_check: bool) -> None:
        self._path = care_path(deck)
        self._registry = registry
        self._digest = digest_of(registry)
        self._table = table
        self._needs_check = needs_check
        self._tally = ReadingTally()
        self._unread: Counter[Card] = Counter()
        self._hands = 0
        self._ready: dict[Card, Wear] = {}
        self._state = TableState()
        self._journal = ""
        self._due = asyncio.Event()
        self._told: DeckTold | None = None
        self._silent = False

    def __repr__(self) -> str:
        return f"DeckKeeper({self._registry.deck_id})"

    def count(self, tally: ReadingTally, journal: str) -> None:
        """Where readings are counted, and the journal whose hands these are."""
        self._tally, self._journal = tally, journal

    def told(self) -> DeckTold:
        """What the file says now. ``CareError`` when it cannot be understood."""
        care = load_care(self._path)
        passed, barred = care.passed, care.barred
        self._told = DeckTold(
            self._registry.deck_id,
            self._registry.set_id,
            self._digest,
            self._needs_check,
            None
            if passed is None
            else CheckTold(passed.at, passed.by, passed.agreed_by, passed.machine, passed.digest, bool(passed.used)),
            None if barred is None else Bar(barred.by, barred.at, barred.reason),
        )
        return self._told

    def committed(self, state: TableState, events: Sequence[TableEvent]) -> None:
        """Note what became durable; it goes into the file soon."""
        self._state = state
        for event in events:
            match event:
                case CardIdentified(card=card) if card is not None:
                    self._unread[card] += 1
                case HandEnded() | HandVoided():
                    self._hands += 1
                    self._due.set()
                case DeckChecked() | DeckInShoe():
                    self._due.set()
                case _:
                    pass
        if self._hands >= BATCH_HANDS and not state.hand_open:
            self._take_batch()

    def _take_batch(self) -> None:
        """The readings of these hands become ready to be written, and the next ones' begin."""
        batch: dict[Card, Wear] = {}
        for uid, own in self._tally.take().items():
            card = self._registry.card(uid)
            if card is not None:
                batch[card] = own
        for card, count in self._unread.items():
            batch[card] = batch.get(card, Wear()).plus(Wear(unread=count))
        for card, own in batch.items():
            self._ready[card] = self._ready.get(card, Wear()).plus(own)
        self._unread.clear()
        self._hands = 0

    def kept(self, care: DeckCare, counted: Mapping[Card, Wear]) -> DeckCare:
        """The file's content after what the table has done."""
        state, deck = self._state, self._state.deck
        if deck is None or deck.enrolment != self._digest:
            return care
        last = state.hand_number - state.hand_open
        if last >= deck.since:
            care = care.played(f"{self._journal}/{deck.since}", last)
        passed = care.passed
        if passed is not None and passed.at == deck.checked and not passed.used:
            care = replace(care, passed=replace(passed, used=self._table))
        elif passed is not None and passed.used == self._table and not deck.checked:
            care = replace(care, passed=None)  # the deck was changed meanwhile
        return care.worn(self._digest, counted)

    async def run(self, deliver: Callable[[DeckTold], Awaitable[None]]) -> None:
        """Write what is due and tell what is new, until cancelled. A file that cannot be used is told once and tried again."""
        self._due.set()
        seen: object = None
        while True:
            try:
                if self._due.is_set():
                    await self._write()
                stamp = await asyncio.to_thread(self._stamp)
                if stamp != seen:
                    before, now = self._told, await asyncio.to_thread(self.told)
                    if now != before:
                        await deliver(now)
                    seen = stamp
                self._silent = False
            except (OSError, CareError) as error:
                if not self._silent:
                    _log.error("the care of the deck %s is not kept: %s", self._registry.deck_id, error)
                self._silent = True
                await asyncio.sleep(LOOK_S)
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._due.wait()
            except TimeoutError:
                continue

    async def _write(self) -> None:
        counted, self._ready = self._ready, {}
        self._due.clear()
        try:
            await asyncio.to_thread(change_care, self._path, lambda care: self.kept(care, counted))
        except BaseException:
            self._due.set()
            for card, own in counted.items():
                self._ready[card] = self._ready.get(card, Wear()).plus(own)
            raise

    def _stamp(self) -> object:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_ino, found.st_size
