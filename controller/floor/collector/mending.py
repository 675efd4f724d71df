"""A hole of a table's copy, asked for again: the table may have its older files back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final, Protocol

from controller.floor.collector.chain_check import ChainCheck, Fit
from controller.floor.store.rows import KeptEvent, KeptHole
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import PublicEvent
from controller.mqtt.ports import Message, Publisher

MAX_LEFT: Final = 64
"""Holes that may be left of one; what is between more of them is not asked for."""


class Asking(Protocol):
    """Makes a reader of a table's events behind record ``after``."""

    def __call__(
        self, after: int, on_event: Callable[[PublicEvent], None], on_hole: Callable[[int, PublicEvent], None]
    ) -> EventFollower:
        """See ``EventFollower``."""


class Mending:
    """One hole. ``keep(kept, is_broken)`` is given each event that came, up to the one behind the hole; then ``mended`` is told,
    with the last of them; ``None``: nothing came, and the hole stays as it is."""

    def __init__(
        self,
        hole: KeptHole,
        asking: Asking,
        keep: Callable[[KeptEvent, bool], None],
        mended: Callable[[Mending, KeptEvent | None], None],
    ) -> None:
        self.hole = hole
        self._keep, self._mended = keep, mended
        self._check = ChainCheck(hole.source)
        self._left: list[tuple[int, int]] = []
        self._last: KeptEvent | None = None
        self._is_over = False
        self._follower = asking(hole.after_seq, self._take, self._miss)
        self._task: asyncio.Task[None] | None = None

    def serve(self, link: Publisher, failed: Callable[[asyncio.Task[None]], None]) -> None:
        """Ask over ``link``; ``failed`` is told of the end of it."""
        self._task = asyncio.create_task(self._follower.run_session(link), name=f"hole of {self.hole.source.table}")
        self._task.add_done_callback(failed)

    def hang_up(self) -> asyncio.Task[None] | None:
        """Ask no more."""
        self._is_over = True
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        return task

    def on_reply(self, message: Message) -> None:
        """An answer to somebody's question."""
        if not self._is_over:
            self._follower.on_message(message)

    def left(self, at: datetime) -> tuple[KeptHole, ...]:
        """The hole as it is now: closed, or what is still missing of it."""
        if not self._left:
            return (replace(self.hole, closed_at=at),)
        return tuple(replace(self.hole, after_seq=after, next_seq=end) for after, end in self._left)

    def _take(self, event: PublicEvent) -> None:
        if self._is_over:
            return
        fit = self._check.take(event)
        kept = self._last = KeptEvent(self.hole.source, event, fit is Fit.PROVEN)
        self._keep(kept, fit is Fit.BROKEN)
        if event.seq >= self.hole.next_seq:
            self._end()

    def _miss(self, after: int, event: PublicEvent) -> None:
        """Still missing."""
        if self._is_over:
            return
        self._left.append((after, event.seq))
        if event.seq >= self.hole.next_seq or len(self._left) >= MAX_LEFT:
            self._left[-1] = (after, self.hole.next_seq)
            self._end()

    def _end(self) -> None:
        self._is_over = True
        self._mended(self, self._last)
