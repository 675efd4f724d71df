"""The state of one hand. Records are named tuples: immutable, and five times faster to change than frozen dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from controller.hand.cards import Card
from controller.hand.events import SeventhPlan
from controller.hand.irregular_events import DeadCause
from controller.hand.places import Place
from controller.hand.rules import HouseRules
from controller.hand.stakes import Stakes
from controller.hand.terms import Due, Pot, SeatChips, Share, Verb
from controller.hand.variants import VARIANTS, Variant, VariantCode


class Phase(Enum):
    """Where a hand stands (rules §26)."""

    ANTES = "antes"
    DEALING = "dealing"
    SCRAMBLE = "scramble"
    BETTING = "betting"
    SHOWDOWN = "showdown"
    REDEAL = "redeal"
    ENDED = "ended"
    VOIDED = "voided"


class Status(Enum):
    """A seat's part in the hand (Q-10). All-in is live with nothing behind."""

    LIVE = "live"
    FOLDED = "folded"
    GHOST = "ghost"
    KILLED = "killed"
    REFUNDED = "refunded"


class Acted(Enum):
    """Whether a seat has acted on this street, and whether the street's bet stood by then (Q-32)."""

    NO = 0
    BEFORE_BET = 1
    AFTER_BET = 2


class SeatHand(NamedTuple):
    """A seat dealt into the hand. ``stack`` is behind, ``total`` in for the hand, ``street_chips`` in on this street.

    ``forced``: ante and bring-in, which a dead hand forfeits (Q-54);
    ``debt``: up cards that will come face down since a down card was exposed; ``exposed``: those cards, in order of exposure
    (R-EXP); ``declared``: all-in by declaration (Q-52); ``away``: the player left (R-ABS);
    ``out_on``: the street on which the hand was folded or killed.
    """

    seat: int
    stack: int
    total: int = 0
    street_chips: int = 0
    status: Status = Status.LIVE
    acted: Acted = Acted.NO
    down: tuple[Card | None, ...] = ()
    up: tuple[Card, ...] = ()
    tabled: tuple[Card, ...] | None = None
    mucked: bool = False
    won: int = 0
    ante_posted: bool = False
    ante: int = 0
    forced: int = 0
    debt: int = 0
    exposed: tuple[Card, ...] = ()
    seventh_up: bool = False
    away: bool = False
    declared: bool = False
    dead_cause: DeadCause | None = None
    out_on: int = 0

    @property
    def live(self) -> bool:
        """Not folded or dead; all-in counts."""
        return self.status is Status.LIVE

    @property
    def active(self) -> bool:
        """Live with chips behind and not declared all-in: may be asked to act (R-ANTE-03, R-ALLIN-01, Q-52)."""
        return self.status is Status.LIVE and self.stack > 0 and not self.declared

    @property
    def cards(self) -> tuple[Card | None, ...]:
        """All own cards: down on third street, up, then the seventh."""
        return self.down[:2] + self.up + self.down[2:]


class Round(NamedTuple):
    """A betting round (Q-32): ``level`` the last full level, ``match`` what must be matched, ``raises`` used of the cap."""

    opener: int
    actor: int
    post_due: bool = False
    level: int = 0
    match: int = 0
    raises: int = 0
    bet: bool = False
    big_made: bool = False
    small_only: bool = False
    pair_seats: tuple[int, ...] = ()
    uncapped: bool = False
    last_wager: int = 0
    may_fold: bool = False


class OutOfTurn(NamedTuple):
    """An action before its turn that waits for it, and the price that it faced (Q-42)."""

    seat: int
    verb: Verb
    to: int
    match: int


class Hold(NamedTuple):
    """Why play stopped."""

    code: str
    place: Place | None


class HandSetup(NamedTuple):
    """What is frozen when the hand opens (Q-04). ``last_two_in_event`` is the floor's flag of R-BET-04.

    ``rules_hash`` is the fingerprint of the rule card that was posted then.
    """

    number: int
    variant: VariantCode
    stakes: Stakes
    rules: HouseRules
    last_two_in_event: bool = False
    rules_hash: str = ""

    @property
    def game(self) -> Variant:
        """The row of the variant."""
        return VARIANTS[self.variant]


class HandState(NamedTuple):
    """One hand, whole. ``seats`` stand in seat order; ``due[dealt:]`` is still to be dealt on this street."""

    setup: HandSetup
    seats: tuple[SeatHand, ...]
    phase: Phase = Phase.ANTES
    street: int = 0
    due: tuple[Due, ...] = ()
    dealt: int = 0
    round: Round = Round(0, 0)
    stub: int = 52
    burns: int = 0
    burned: tuple[Card | None, ...] = ()
    commons: tuple[Card, ...] = ()
    short: SeventhPlan | None = None
    counted_for: int = 0
    """The street for which the stub was counted last; a scramble goes on with it (R-STUB-02)."""
    fourth_dealt: bool = False
    bring_in_seat: int = 0
    opener: int = 0
    last_raiser: int = 0
    betting_over: bool = False
    pots: tuple[Pot, ...] = ()
    rake: tuple[int, ...] = ()
    awards: tuple[tuple[Share, ...] | None, ...] = ()
    show_order: tuple[int, ...] = ()
    hold: Hold | None = None
    void_reason: str = ""
    returned: tuple[SeatChips, ...] = ()
    """What a void gave back, by seat (R-RULE-03)."""
    acts: int = 0
    """Actions on third street after the forced bet (R-MIS-02)."""
    acts_with_chips: int = 0
    declined: int = 0
    """Folds in place of the forced bet: actions in turn, but not after it (R-MIS-02, R-BRING-07)."""
    redeals: int = 0
    early_burn: bool = False
    reload_due: int = 0
    """Cards with which the shoe must be loaded before play goes on; 0 for none."""
    eliminated: int = 0
    """Premature cards taken out before the coming street (R-ERR-01 ``eliminate_round``); -1 once the round is made up."""
    set_aside: int = 0
    """Eliminated cards, a reserve for the stub test (Q-65)."""
    scrapped: int = 0
    boxed: int = 0
    exposures: int = 0
    refunded_low: bool = False
    """The first exposed card of a refunded seat would have been the low card (R-EXP-02)."""
    face_up: bool = False
    may_declare: tuple[int, ...] = ()
    waiting: tuple[OutOfTurn, ...] = ()
    dead_together: tuple[int, ...] = ()
    corrected: bool = False
    """The last thing that happened to the betting was an undo: one more is the floor's (R-RULE-02)."""
    previous: HandState | None = None
    """The hand before the last action that can be undone."""

    @property
    def community(self) -> Card | None:
        """The common card; with more than one, the last (R-STUB-04, R-STUB-06)."""
        return self.commons[-1] if self.commons else None

    def index_of(self, seat: int) -> int:
        """Index of ``seat`` in ``seats``; ``-1`` when it was not dealt in."""
        seats = self.seats
        index = seat - 1
        if 0 <= index < len(seats) and seats[index].seat == seat:  # no seat before it is empty
            return index
        index = min(seat, len(seats)) - 1  # seats stand in order: an empty one moves those behind it down, never up
        while index >= 0 and seats[index].seat > seat:
            index -= 1
        return index if index >= 0 and seats[index].seat == seat else -1

    @property
    def chips_in_play(self) -> int:
        """Stacks and what was put in and is not won yet: what was brought, at any time until the hand is over (R-POT-11)."""
        chips = 0
        for entry in self.seats:
            chips += entry.stack + entry.total - entry.won
        return chips

    @property
    def live_count(self) -> int:
        """Live hands, all-in ones included."""
        count = 0
        for entry in self.seats:
            count += entry.status is Status.LIVE
        return count

    @property
    def contested(self) -> bool:
        """More than one live hand; asked at every card, so it looks no further than the second."""
        found = False
        for entry in self.seats:
            if entry.status is Status.LIVE:
                if found:
                    return True
                found = True
        return False

    @property
    def active_count(self) -> int:
        """Live hands with chips behind."""
        count = 0
        for entry in self.seats:
            count += entry.status is Status.LIVE and entry.stack > 0 and not entry.declared
        return count

    @property
    def over(self) -> bool:
        """Ended or voided."""
        return self.phase is Phase.ENDED or self.phase is Phase.VOIDED


Fields: TypeAlias = Iterable[object]
"""The fields of a record in their order, as ``list(record)`` gives them."""

state_of: Final[Callable[[Fields], HandState]] = partial(tuple.__new__, HandState)
"""A state of its fields. A list that is changed at a few places makes the next state three times faster than ``_replace``."""
seat_of: Final[Callable[[Fields], SeatHand]] = partial(tuple.__new__, SeatHand)
"""The same for a seat."""
round_of: Final[Callable[[Fields], Round]] = partial(tuple.__new__, Round)
"""The same for a betting round."""


def live_seats(state: HandState) -> frozenset[int]:
    """The seats with live hands, all-in ones included."""
    return frozenset(entry.seat for entry in state.seats if entry.live)


def public_cards(state: HandState) -> frozenset[Card]:
    """The cards that everybody has seen: up, common, exposed and tabled ones, of hands that are out too (R-RULE-06)."""
    shown = [card for entry in state.seats for card in (*entry.up, *entry.exposed, *(entry.tabled or ()))]
    return frozenset((*shown, *state.commons))


def open_state(setup: HandSetup, stacks: tuple[tuple[int, int], ...]) -> HandState:
    """A hand before its antes. ``stacks`` are pairs of seat and chips, from the dealer's left (R-SETUP-03, R-SETUP-04)."""
    return HandState(setup, tuple(SeatHand(seat, chips) for seat, chips in stacks))
