"""Timers for evidence that does not come: a card that only one of shoe and readers tells of, for too long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from controller.table.felt_reader import FeltReader
from controller.table.inputs import Evidence, MuckedTimeout, UnexplainedTimeout, UnseenTimeout
from controller.table.muck import astray_in_muck
from controller.table.state import TableState, TableStatus
from controller.tracking.custody import awaited, without_reason

NOT_SEEN = "card_not_seen"
"""The only stop in which the time of other cards runs on: in any other the dealer may well keep a card in her hand."""


def awaited_evidence(state: TableState, felt: FeltReader) -> dict[Evidence, float]:
    """What is to be told after so many seconds: a card that is seen before the shoe has told of it, a card that left the shoe and
    that no reader sees, though the readers of its place are in order (devices §3), and part of a live hand in the muck."""
    hand, held = state.hand, state.seen
    if hand is None or hand.over:
        return {}
    wanted: dict[Evidence, float] = {
        UnexplainedTimeout(card): felt.explain_s for card in without_reason(held) if card not in held.unexplained
    }
    if state.status is TableStatus.LIVE and (hand.hold is None or hand.hold.code == NOT_SEEN):
        dark = state.dark
        for flight in awaited(held):
            if flight.due is not None and flight.due.place not in dark and felt.sees(flight.due.place, state.links):
                wanted[UnseenTimeout(flight.draw_no)] = felt.unseen_s
        for seat in astray_in_muck(state):
            if seat not in state.mucked:
                wanted[MuckedTimeout(seat)] = felt.explain_s
    return wanted


class Waits:
    """One timer for each thing waited for. ``put`` takes what is ripe, or says that it cannot now and is asked again."""

    def __init__(self, put: Callable[[Evidence], bool], *, again_s: float) -> None:
        self._put = put
        self._again_s = again_s
        self._timers: dict[Evidence, asyncio.TimerHandle] = {}

    def watch(self, wanted: Mapping[Evidence, float]) -> None:
        """Start what is newly wanted, in seconds from now; forget what is wanted no more; let the others run."""
        for given in self._timers.keys() - wanted.keys():
            self._timers.pop(given).cancel()
        for given, seconds in wanted.items():
            if given not in self._timers:
                self._start(given, seconds)

    def stop(self) -> None:
        """Forget everything."""
        self.watch({})

    def _start(self, given: Evidence, seconds: float) -> None:
        self._timers[given] = asyncio.get_running_loop().call_later(seconds, self._ripe, given)

    def _ripe(self, given: Evidence) -> None:
        del self._timers[given]
        if not self._put(given):
            self._start(given, self._again_s)
