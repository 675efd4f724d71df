"""The table between and during hands, as one value made from its journal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from controller.hand.rules import HouseRules
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, Phase
from controller.hand.variants import VariantCode
from controller.table.carried_events import CommandAnswered
from controller.table.parts import Gate, ShoeKnown, TableSeat
from controller.tracking.custody import DECK_SIZE, Custody
from controller.words.rule_card import rules_hash


class TableStatus(Enum):
    """Whether hands are played: ``recovering`` until shoe and felt are known again and a person confirmed an open hand;
    ``suspended`` when the shoe fell out in a hand, until a person confirms it."""

    RECOVERING = "recovering"
    SUSPENDED = "suspended"
    LIVE = "live"


class Clock(NamedTuple):
    """A running clock: the seat, its seconds, and how many of them are its time bank's."""

    seat: int
    seconds: int
    bank: int


class Game(NamedTuple):
    """What the next hand is played by."""

    variant: VariantCode
    stakes: Stakes
    rules: HouseRules
    set_id: str


PROGRAM_CHANGED = "program_changed"
"""Why a table is paused whose installed files are no longer the release's: only a new start, which checks them, ends it."""
MAX_ANSWERS = 10_000
"""Answers kept for repeated commands; the oldest go first."""


class TableState(NamedTuple):
    """The table, whole. ``game`` is the next hand's, ``configured`` the configuration's. ``answers`` holds what became of
    commands by key, oldest first."""

    game: Game | None = None
    configured: Game | None = None
    status: TableStatus = TableStatus.RECOVERING
    starts: int = 0
    felt_ready: bool = False
    seats: tuple[TableSeat, ...] = ()
    hand: HandState | None = None
    hand_number: int = 0
    deal: int = 0
    sealed_count: int = 0
    custody: Custody = Custody()
    shoe: ShoeKnown = ShoeKnown()
    gate: Gate = Gate()
    links: Mapping[tuple[str, int], str] = {}
    answers: Mapping[str, tuple[CommandAnswered, int]] = {}
    bought_in: int = 0
    cashed_out: int = 0
    raked: int = 0
    paused: str = ""
    closed: bool = False
    clock: Clock | None = None
    stopped: bool = False
    """Play is stopped for a floor call (R-RULE-01)."""
    last_two: bool = False
    """The floor's flag: the players here are the last two of the event (R-BET-04)."""
    seq: int = 0

    @property
    def hand_open(self) -> bool:
        """A hand is being played."""
        return self.hand is not None and not self.hand.over

    @property
    def chips_on_table(self) -> int:
        """All chips of seats and pots; equals bought in less cashed out less rake at any time (R-POT-11)."""
        stacks = sum(seat.stack + seat.promised for seat in self.seats)
        if self.hand is None or self.hand.over:
            return stacks
        sat_since = {seat.seat for seat in self.seats if seat.after_hand >= self.hand.setup.number}
        in_hand = {entry.seat for entry in self.hand.seats} - sat_since
        unit = self.hand.setup.stakes.unit  # what is less than a chip of the game lies there and does not play (R-SETUP-06)
        outside = sum(seat.promised + (seat.stack % unit if seat.seat in in_hand else seat.stack) for seat in self.seats)
        paid = sum(entry.total for entry in self.hand.seats)
        won = sum(entry.won for entry in self.hand.seats)
        return outside + sum(entry.stack for entry in self.hand.seats) + paid - won

    @property
    def chips_conserved(self) -> bool:
        """No chip is lost or doubled (R-POT-11)."""
        raked = self.raked
        return self.chips_on_table == self.bought_in - self.cashed_out - raked

    @property
    def cards_conserved(self) -> bool:
        """Each of the 52 cards of the load is in the shoe, in flight or dealt."""
        return not self.custody.loaded or self.custody.accounted == DECK_SIZE

    def setup(self) -> HandSetup:
        """What the next hand freezes (Q-04). Only with a game configured."""
        if self.game is None:
            raise ValueError("no game is configured")
        game = self.game
        posted = rules_hash(game.rules, game.stakes, game.variant)
        return HandSetup(self.hand_number + 1, game.variant, game.stakes, game.rules, self.last_two, posted)


def draws_due(state: TableState) -> int:
    """Cards that may leave the shoe now: due on this street and not drawn yet (R-DEAL-04)."""
    hand = state.hand
    if hand is None or hand.phase is not Phase.DEALING or hand.hold is not None:
        return 0
    return max(0, len(hand.due) - hand.dealt - len(state.custody.flights))


def decision_id(hand: HandState) -> str:
    """Name of the present decision: hand, street, actor, price, raises; or the step of the showdown."""
    if hand.phase is Phase.BETTING:
        return f"{hand.setup.number}-{hand.street}-{hand.round.actor}-{hand.round.match}-{hand.round.raises}"
    return f"{hand.setup.number}-{hand.phase.value}"
