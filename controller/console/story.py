"""The hand of now and the last ten, told in the sentences of their events, for the dealer's recall (screens §10).

Kept as states and events, which are shared values, and put into words only when somebody asks. Hands of before the controller's
start come from ``recall``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple, get_args

from controller.hand.events import AntePosted, HandEvent, HandOpened
from controller.hand.explain import explain
from controller.table.events import TableEvent
from controller.table.evolve import evolve
from controller.table.loop import Record
from controller.table.state import TableState
from controller.words.catalogue import Language
from controller.words.reasons import sentence
from controller.words.said import Said, say

KEPT: Final = 11
"""The hand of now and ten before it."""
MAX_COMMITS: Final = 2000
"""Commits of one hand that are kept, ten times a long hand's; the story of one that never ends says that more came (REG-02)."""

_PLAIN: Final = frozenset(("dealt.down", "burn"))
"""Cards of which there is nothing to read."""
_HAND_EVENTS: Final = get_args(HandEvent)


class Told(NamedTuple):
    """A hand's number, and its events with the state before them, commit by commit."""

    number: int
    commits: list[tuple[TableState, tuple[TableEvent, ...]]]


class HandStories:
    """Bounded memory of what happened in the last hands since the controller's start."""

    def __init__(self) -> None:
        self._hands: deque[Told] = deque(maxlen=KEPT)

    def note(self, before: TableState, records: Sequence[Record]) -> None:
        """Take the events that followed on ``before``."""
        events = tuple(record.event for record in records)
        if not any(isinstance(event, _HAND_EVENTS) for event in events):
            return
        if any(isinstance(event, HandOpened) for event in events):
            self._hands.append(Told(before.hand_number + 1, []))
        elif not self._hands:  # a hand that was open at the start
            self._hands.append(Told(before.hand_number, []))
        if len(self._hands[-1].commits) <= MAX_COMMITS:
            self._hands[-1].commits.append((before, events))

    @property
    def told(self) -> Sequence[Told]:
        """The hands, oldest first."""
        return tuple(self._hands)

    def sections(self, earlier: Sequence[Told] = ()) -> list[tuple[Said, list[Said]]]:
        """A title and the lines of each hand, the newest first; ``earlier`` are those of before the start."""
        hands = [Told(number, list(commits)) for number, commits in earlier]
        for number, commits in self._hands:
            if hands and hands[-1].number == number:  # it was open at the start
                hands[-1].commits.extend(commits)
            else:
                hands.append(Told(number, commits))
        newest = hands[-1].number if hands else 0
        return [
            (say("ui.hand.now" if number == newest else "ui.hand.past", n=number), _told_lines(commits))
            for number, commits in reversed(hands[-KEPT:])
        ]


def _told_lines(commits: Sequence[tuple[TableState, tuple[TableEvent, ...]]]) -> list[Said]:
    lines = _lines(commits[:MAX_COMMITS])
    return lines if len(commits) <= MAX_COMMITS else [*lines, say("ui.recall.more")]


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
