"""The hand of now and the last ten, told in the sentences of their events, for the dealer's recall (screens §10).

Kept as states and events, which are shared values, and put into words only when somebody asks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, get_args

from controller.console.said import Said, say
from controller.hand.events import AntePosted, HandEvent, HandOpened
from controller.hand.explain import explain
from controller.table.events import TableEvent
from controller.table.evolve import evolve
from controller.table.loop import Record
from controller.table.state import TableState
from controller.words.catalogue import Language
from controller.words.reasons import sentence

KEPT: Final = 11
"""The hand of now and ten before it."""
MAX_COMMITS: Final = 1000
"""Commits of one hand that are kept; later ones of a hand that never ends are left out."""

_PLAIN: Final = frozenset(("dealt.down", "burn"))
"""Cards of which there is nothing to read."""
_HAND_EVENTS: Final = get_args(HandEvent)


class HandStories:
    """Bounded memory of what happened in the last hands. It starts anew with the controller; the journal has everything."""

    def __init__(self) -> None:
        self._hands: deque[tuple[int, list[tuple[TableState, tuple[TableEvent, ...]]]]] = deque(maxlen=KEPT)

    def note(self, before: TableState, records: Sequence[Record]) -> None:
        """Take the events that followed on ``before``."""
        events = tuple(record.event for record in records)
        if not any(isinstance(event, _HAND_EVENTS) for event in events):
            return
        if any(isinstance(event, HandOpened) for event in events):
            self._hands.append((before.hand_number + 1, []))
        if self._hands and len(self._hands[-1][1]) < MAX_COMMITS:
            self._hands[-1][1].append((before, events))

    def sections(self) -> list[tuple[Said, list[Said]]]:
        """A title and the lines of each hand, the newest first."""
        newest = self._hands[-1][0] if self._hands else 0
        return [
            (say("ui.hand.now" if number == newest else "ui.hand.past", n=number), _lines(commits))
            for number, commits in reversed(self._hands)
        ]


def _lines(commits: Sequence[tuple[TableState, tuple[TableEvent, ...]]]) -> list[Said]:
    lines: list[Said] = []
    for before, events in commits:
        state = before
        for event in events:
            if isinstance(event, _HAND_EVENTS) and state.hand is not None and not isinstance(event, AntePosted | HandOpened):
                why = explain(state.hand, event)[0]
                if why.key not in _PLAIN:
                    lines.append({language.value: sentence(why, language) for language in Language})
            state = evolve(state, event)
    return lines
