"""Hands of before this controller's start, read from the journal when somebody asks for them (REG-01, screens §10).

A start does not read them: it would take as long as the start itself, for something that is seldom asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from controller.console.story import KEPT, HandStories, Told
from controller.journal.canonical import Body
from controller.journal.codec import CodecError
from controller.journal.errors import JournalDamaged
from controller.table.events import TableEvent
from controller.table.evolve import evolve
from controller.table.loop import Record
from controller.table.state import TableState

BREATH: Final = 32
"""Records that are read between two moments for others: a card that comes meanwhile waits for no more."""

Read: TypeAlias = Callable[[int, int | None], Iterator[tuple[int, Body]]]
"""Number and body of the journal's records from the first to the last one, in order, as far as they are kept."""

_log = logging.getLogger(__name__)


class Recall:
    """The last hands up to record ``last_seq``. ``decode`` needs no key: what a hand's story tells is in clear.

    ``first_seqs`` gives the first record of each file that is kept, oldest first; each begins with the whole state.
    """

    def __init__(
        self, read: Read, decode: Callable[[Body], TableEvent], first_seqs: Callable[[], Sequence[int]], last_seq: int
    ) -> None:
        self._read = read
        self._decode = decode
        self._first_seqs = first_seqs
        self._last_seq = last_seq
        self._told: Sequence[Told] | None = None
        self._lock = asyncio.Lock()

    async def hands(self) -> Sequence[Told]:
        """The hands with their commits, oldest first; read once. A file that cannot be read is logged and ends it there."""
        async with self._lock:
            if self._told is None:
                self._told = await self._from_files()
            return self._told

    async def _from_files(self) -> Sequence[Told]:
        """File by file backwards, until there are enough hands: none lies in two files."""
        told: list[Told] = []
        last = self._last_seq
        for first in reversed([seq for seq in self._first_seqs() if seq <= last]):
            try:
                told = [*await self._from_file(first, last), *told]
            except (JournalDamaged, CodecError) as error:
                _log.error("hands before record %d cannot be shown: %s", last + 1, error)
                break
            if len(told) >= KEPT:
                break
            last = first - 1
        return told[-KEPT:]

    async def _from_file(self, first: int, last: int) -> Sequence[Told]:
        state, stories = TableState(), HandStories()
        for seq, body in self._read(first, last):
            event = self._decode(body)
            stories.note(state, (Record(seq, str(body["at"]), event),))
            state = evolve(state, event)
            if not seq % BREATH:
                await asyncio.sleep(0)
        return stories.told
