"""The oracle of whole-table runs: what the journal says, compared with the simulated world after each commit (recovery §12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, get_args

from controller.hand.events import (
    BurnMade,
    CardDealt,
    CommunityDealt,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandHeld,
    HandOpened,
    HandVoided,
    HoldLifted,
    PotAwarded,
)
from controller.hand.irregular_events import AwardUndone, IrregularEvent
from controller.hand.terms import Share
from controller.hand.variants import Wins
from controller.rehearsal import Rehearsal
from controller.table.carried_events import CommandAnswered
from controller.table.events import Suspended
from controller.table.loop import Record
from controller.table.state import TableState
from simulators.felt import HAND, SHOE
from simulators.habits import DealerStats
from simulators.mischief import Happened

_HAND_EVENTS: Final = get_args(HandEvent)
_IRREGULAR: Final = get_args(IrregularEvent)


class Violation(AssertionError):  # noqa: N818
    """Something that must never happen has happened. Simulated cards may be named, there are no real ones."""


class CardsDiffer(Violation):
    """The journal dealt another card than the shoe gave: an invented, a lost or a doubled card."""


@dataclass(slots=True)
class Outcome:
    """What became of a run."""

    seed: int
    stats: DealerStats = field(default_factory=DealerStats)
    hands: list[tuple[HandEvent, ...]] = field(default_factory=list)
    """The events of each hand but for its holds."""
    voided: int = 0
    holds: Counter[str] = field(default_factory=Counter)
    suspended: Counter[str] = field(default_factory=Counter)
    happened: list[Happened] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    questions: int = 0
    longest_question_s: float = 0.0
    recovered_s: float | None = None
    """Seconds from the end of the last fault to a table without a question."""


class Auditor:
    """Watches each commit: chips and cards are conserved, and every dealt card is the one that the shoe gave.

    Once a card was returned, replaced or turned by a ruling, the order of the hand is the floor's: then every dealt card must be
    one that left the shoe in this hand.
    """

    def __init__(self, rehearsal: Rehearsal) -> None:
        self._felt = rehearsal.devices.felt
        self._given: list[str] = []
        self._dealt = 0
        self._is_ruled = False
        self._seen_move = 0
        self._hand: list[HandEvent] = []
        self._awards: dict[int, Sequence[Share]] = {}
        self._answered: set[str] = set()
        self.outcome = Outcome(0)
        rehearsal.watchers.append(self.committed)

    def committed(self, state: TableState, records: Sequence[Record]) -> None:
        """One commit. ``Violation`` for what must not be."""
        if not state.chips_conserved:
            raise Violation(f"chips are not conserved at {records[-1].seq}")
        if state.hand_open and state.hand is not None and state.hand.hold is None and not state.cards_conserved:
            raise Violation(f"{state.custody.accounted} cards are accounted for at {records[-1].seq}")
        for move in self._felt.moves_after(self._seen_move):
            self._seen_move = move.number
            if move.origin == SHOE and move.target == HAND:
                self._given.append(move.card)
        for record in records:
            if isinstance(record.event, CommandAnswered):
                self.answered(record.event.key)
            self.take(record.event)

    def answered(self, key: str) -> None:
        """A command is answered: however often it comes, one key leads to one group of events (invariant 16)."""
        if key in self._answered:
            raise Violation(f"the command {key} is answered, and done, a second time")
        self._answered.add(key)

    def begin(self, given: Sequence[str] = ()) -> None:
        """A hand begins; ``given`` are the cards that the shoe gave out already."""
        self._given, self._dealt, self._hand, self._is_ruled = list(given), 0, [], False

    def take(self, event: Any) -> None:
        """One event of the journal. ``CardsDiffer`` for a card that the shoe did not give in this place of the order."""
        match event:
            case HandOpened():
                self.begin()
            case PotAwarded(pot=pot, shares=shares):
                self._award(pot, shares)
            case AwardUndone():
                self._awards.clear()
            case HandEnded():
                self._compare_awards()
            case CardDealt(card=card) | GhostDealt(card=card) | BurnMade(card=card) | CommunityDealt(card=card):
                self._deal(None if card is None else card.text)
            case HandHeld(code=code):
                self.outcome.holds[code] += 1
            case Suspended(cause=cause):
                self.outcome.suspended[cause] += 1
            case HandVoided():
                self.outcome.voided += 1
                self._awards.clear()
            case _:
                pass
        self._is_ruled |= isinstance(event, _IRREGULAR)
        if isinstance(event, _HAND_EVENTS) and not isinstance(event, HandHeld | HoldLifted):
            self._hand.append(event)
            if isinstance(event, HandEnded | HandVoided):
                self.outcome.hands.append(tuple(self._hand))
                self._hand = []

    def _award(self, pot: int, shares: Sequence[Share]) -> None:
        """Keep what a pot gave: each is settled with its own odd chips, and they are never added up (R-POT-01)."""
        self._awards[pot] = shares

    def _compare_awards(self) -> None:
        """An odd chip goes to the first winner left of the dealer, and to the high half (R-POT-04, R-POT-05)."""
        for shares in self._awards.values():
            ways: dict[Wins | None, list[int]] = {}
            for share in sorted(shares, key=attrgetter("seat")):
                ways.setdefault(share.wins, []).append(share.chips)
            for first, *rest in ways.values():
                if any(chips != rest[0] for chips in rest) or (rest and not 0 <= first - rest[0] <= len(rest)):
                    raise Violation(f"an odd chip went to another seat than the first: {shares}")
            high, low = (sum(ways.get(wins, ())) for wins in (Wins.HIGH, Wins.LOW_EIGHT))
            if low and not 0 <= high - low <= 1:
                raise Violation(f"the halves are {high} and {low}")
        self._awards.clear()

    def _deal(self, card: str | None) -> None:
        if self._is_ruled:
            if card is not None and card not in self._given:
                raise CardsDiffer(f"{card} is dealt, and the shoe did not give it in this hand")
            return
        given = self._given[self._dealt] if self._dealt < len(self._given) else None
        if card is None or given != card:
            raise CardsDiffer(f"card {self._dealt + 1} is dealt as {card}, the shoe gave {given}")
        self._dealt += 1
