"""What happened in a hand: past tense, with the amounts that were derived then, so that an old journal survives a changed rule.

Seats are 1-based, money is whole chips. ``CardDealt`` to a down zone, ``BurnMade`` and ``GhostDealt`` carry cards that are not
public: the journal seals them, and a hand whose key is gone carries ``None`` there (R-RULE-06).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from controller.hand.cards import Card
from controller.hand.irregular_events import IrregularEvent
from controller.hand.places import Place, SeatPlace
from controller.hand.stakes import Stakes
from controller.hand.terms import Due, Player, Pot, SeatChips, Share, Verb
from controller.hand.variants import VariantCode


@dataclass(frozen=True, slots=True)
class HandOpened:
    """Roster, stacks, game and rules are frozen (Q-04). ``seats`` holds the stacks before the ante, lowest seat first.

    ``rules_hash`` is the fingerprint of the posted rule card: knobs, stakes and game. The rest is there so that the hand can be
    read by itself: ``stakes`` (``None`` in an old journal), ``preset`` with the ``knobs`` that differ from it as pairs of name
    and value, ``last_two`` the floor's flag of R-BET-04, all ``players`` of the table with their whole stacks, lowest seat first,
    and the name of who drives the table as ``dealer``.
    """

    number: int
    variant: VariantCode
    seats: tuple[SeatChips, ...]
    rules_hash: str = ""
    stakes: Stakes | None = None
    preset: str = ""
    knobs: tuple[tuple[str, str], ...] = ()
    last_two: bool = False
    players: tuple[Player, ...] = ()
    dealer: str = ""


@dataclass(frozen=True, slots=True)
class AntePosted:
    """A seat has paid its ante, or all it had (R-ANTE-01, R-ANTE-02)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A street may be dealt: every card that is due, in the order of dealing (R-DEAL-01 to R-DEAL-04)."""

    street: int
    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A card lies at a live seat; its zone says whether it lies up."""

    street: int
    place: SeatPlace
    card: Card | None


@dataclass(frozen=True, slots=True)
class GhostDealt:
    """A dead card went, face down, to a seat that folded free (R-DEAL-06, Q-11)."""

    street: int
    place: SeatPlace
    card: Card | None


@dataclass(frozen=True, slots=True)
class BurnMade:
    """A card was burned (R-DEAL-03)."""

    street: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class CommunityDealt:
    """The common card lies face up in the centre (R-STUB-04)."""

    card: Card


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """A betting round is open.

    ``opener`` holds the low or high board, ``actor`` is asked first (R-OPEN-03); ``post_due``: the bring-in is still to be
    posted; ``match`` is what the round costs already; ``pair_seats``: live seats with an open pair when the big bet is
    optional on fourth street (R-BET-05); ``uncapped``: no cap on raises (R-BET-04).
    """

    street: int
    opener: int
    actor: int
    post_due: bool
    pair_seats: tuple[int, ...]
    uncapped: bool
    may_fold: bool = False
    """The seat that is asked for the post may fold instead (R-BRING-07, R-EXP-02)."""


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """A seat acted. ``chips`` were added by it, ``to`` is its total on the street.

    ``level``, ``match``, ``raises``, ``bet``, ``big_made``, ``small_only``, ``uncapped`` are the round's figures after it (Q-32);
    ``actor`` is asked next, 0 when the round is over.
    """

    seat: int
    verb: Verb
    chips: int
    to: int
    all_in: bool
    level: int
    match: int
    raises: int
    bet: bool
    big_made: bool
    small_only: bool
    uncapped: bool
    actor: int
    free_fold: bool = False


@dataclass(frozen=True, slots=True)
class UncalledReturned:
    """The part of the highest total that nobody matched went back (R-ALLIN-03, Q-48)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """The betting round is over; its chips are in the pots (R-BET-16)."""

    street: int


@dataclass(frozen=True, slots=True)
class PotsFixed:
    """Betting is over for the hand: these are its pots, main pot first (Q-50), and the rake of each (R-RAKE-01)."""

    pots: tuple[Pot, ...]
    rake: tuple[int, ...]


class SeventhPlan(Enum):
    """How the cards of a street are dealt when the stub may run short (R-STUB-02, R-STUB-03)."""

    NORMAL = "normal"
    REUSE_BURNS = "reuse_burns"
    COMMUNITY = "community"
    SCRAMBLE_COMMUNITY = "scramble_community"
    DEAL_THEN_SCRAMBLE = "deal_then_scramble"


SCRAMBLED: Final = (SeventhPlan.REUSE_BURNS, SeventhPlan.SCRAMBLE_COMMUNITY)
"""Plans for which stub and burns are loaded together before a card is dealt."""


@dataclass(frozen=True, slots=True)
class StubCounted:
    """Before seventh street the stub was counted and the way to deal decided (R-STUB-01, R-STUB-02, Q-65)."""

    stub: int
    burns: int
    live: int
    plan: SeventhPlan
    street: int = 7


@dataclass(frozen=True, slots=True)
class StubScrambled:
    """The burns went back into the stub, which was shuffled and cut; it now holds ``cards`` (R-STUB-02, Q-66)."""

    cards: int


@dataclass(frozen=True, slots=True)
class ShowdownOpened:
    """At least two live hands remain; they show in this order (R-SHOW-01, Q-72)."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandTabled:
    """A seat showed all its cards: they are public now (R-SHOW-04, R-SHOW-05)."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class HandMucked:
    """A seat conceded unseen and lost all claim (R-SHOW-04)."""

    seat: int


@dataclass(frozen=True, slots=True)
class PotAwarded:
    """A pot went to its winners; ``pot`` counts from 0, the main pot (R-POT-01 to R-POT-09)."""

    pot: int
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class HandEnded:
    """Every pot is awarded; the stacks after the hand (R-POT-11)."""

    stacks: tuple[SeatChips, ...]
    rake: int


@dataclass(frozen=True, slots=True)
class HandHeld:
    """Play stopped: the felt disagrees with the rules. ``code`` names what is wrong, ``place`` where it lies; never a card."""

    code: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class HoldLifted:
    """The felt agrees with the rules again; play goes on."""

    code: str


@dataclass(frozen=True, slots=True)
class HandVoided:
    """Every contribution went back to its contributor, antes included; no rake (R-RULE-03)."""

    reason: str
    refunds: tuple[SeatChips, ...]


HandEvent: TypeAlias = (
    HandOpened
    | AntePosted
    | DealStarted
    | CardDealt
    | GhostDealt
    | BurnMade
    | CommunityDealt
    | RoundOpened
    | ActionTaken
    | UncalledReturned
    | RoundClosed
    | PotsFixed
    | StubCounted
    | StubScrambled
    | ShowdownOpened
    | HandTabled
    | HandMucked
    | PotAwarded
    | HandEnded
    | HandHeld
    | HoldLifted
    | HandVoided
    | IrregularEvent
)
