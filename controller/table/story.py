"""Events as they are decided at the table, with the state after each."""

from __future__ import annotations

from typing import NamedTuple

from controller.hand.commands import (
    HandInput,
    Refusal,
)
from controller.hand.decide import decide as decide_hand
from controller.hand.events import HandEnded, HandTabled, HandVoided
from controller.table.events import (
    CardsCounted,
    SeatKeyReleased,
    TableEvent,
)
from controller.table.evolve import evolve
from controller.table.state import TableState
from controller.tracking.custody import DECK_SIZE


class TableDecision(NamedTuple):
    """Events in order, the state after them, what a command is told (``None``: taken), and the state after each event."""

    events: tuple[TableEvent, ...]
    state: TableState
    refusal: Refusal | None = None
    states: tuple[TableState, ...] = ()


class Story:
    """Events as they are decided, with the state after each."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.events: list[TableEvent] = []
        self.states: list[TableState] = []

    def tell(self, *events: TableEvent) -> None:
        """Add events, in order."""
        for event in events:
            self.state = evolve(self.state, event)
            self.events.append(event)
            self.states.append(self.state)

    def decided(self, refusal: Refusal | None) -> TableDecision:
        """The story as a decision."""
        return TableDecision(tuple(self.events), self.state, refusal, tuple(self.states))

    def hand(self, given: HandInput) -> Refusal | None:
        """Give ``given`` to the hand and tell what it leads to."""
        if self.state.hand is None:
            return Refusal("R-RULE-01", "no_hand")
        decision = decide_hand(self.state.hand, given)
        if isinstance(decision, Refusal):
            return decision
        for event in decision.events:
            self.tell(event)
            if isinstance(event, HandTabled) and self.state.custody.placed_count and self.state.hand_deal == self.state.deal:
                # never a key of the next deal, nor of the one in whose place a lost key was made
                self.tell(SeatKeyReleased(self.state.deal, event.seat, ""))
            elif isinstance(event, HandEnded | HandVoided):
                held = self.state.custody
                self.tell(CardsCounted(held.in_shoe, len(held.flights), held.placed_count, DECK_SIZE))
        return None
