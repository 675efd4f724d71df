"""What the hand is told: requests of people, which may be refused, and observations of the felt, which may not."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from controller.hand.cards import Card
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.places import Place
from controller.hand.terms import Verb


@dataclass(frozen=True, slots=True)
class PostAnte:
    """The seat posts its ante, all-in for less when it has less (R-ANTE-01, R-ANTE-02)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Act:
    """The seat acts: ``to`` is its total on the street afterwards; fold and check leave it as it is."""

    seat: int
    verb: Verb
    to: int


@dataclass(frozen=True, slots=True)
class TableHand:
    """The seat shows all its cards (R-SHOW-04). ``cards``: those of them that nobody had read, as they lie open now."""

    seat: int
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class MuckHand:
    """The seat concedes unseen (R-SHOW-04)."""

    seat: int


@dataclass(frozen=True, slots=True)
class AwardPots:
    """The dealer confirms the proposed awards (R-SHOW-05)."""


@dataclass(frozen=True, slots=True)
class VoidHand:
    """Everything goes back (R-RULE-03); ``reason`` is the floor's."""

    reason: str


@dataclass(frozen=True, slots=True)
class CardLaid:
    """Observation: shoe and reader agree that ``card`` lies at ``place``."""

    place: Place
    card: Card | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class StubReloaded:
    """Observation: the scrambled stub of ``cards`` cards is in the shoe (R-STUB-02)."""

    cards: int


@dataclass(frozen=True, slots=True)
class FeltWrong:
    """Observation: the felt disagrees with the rules; ``code`` and ``place`` say how (R-ERR-08)."""

    code: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class FeltRight:
    """Observation: what ``FeltWrong`` reported is mended."""


class Role(Enum):
    """Who asks: the dealer applies the house rule alone, the floor rules (R-RULE-01)."""

    DEALER = "dealer"
    FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class DeclareMisdeal:
    """The deal is to be given up (R-MIS-01)."""

    cause: MisdealCause
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class ExposeHole:
    """The dealer exposed the ``number``-th down card of a seat, counted in the order they lie (R-EXP-01 to R-EXP-04). ``card``:
    its face, where nobody had read it; what was read holds."""

    seat: int
    number: int
    role: Role = Role.DEALER
    card: Card | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ChooseDoor:
    """Of a seat's first three cards, mixed face down, the ``number``-th was turned up by chance (R-EXP-05)."""

    seat: int
    number: int
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class ExposeSeventh:
    """A seat's seventh card lies face up (R-EXP-06)."""

    seat: int
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class DeclareAllIn:
    """The owner of an exposed seventh plays for the pots as they stand (R-EXP-06, Q-52)."""

    seat: int
    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class KillHands:
    """Hands are ruled dead, more than one at a time when they foul each other (R-ABS-03, R-ERR-05, R-POT-10)."""

    seats: tuple[int, ...]
    cause: DeadCause
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class RetrieveHand:
    """A hand killed by mistake is given back, all its cards being identified (R-ERR-07, Q-85)."""

    seat: int
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class PrematureCards:
    """Cards left the shoe before the betting was closed (R-ERR-01). ``burned``: the first of them is the burn of the coming
    street; ``kept``: the seat that looked at its premature seventh, the last of them, or 0 (R-ERR-02)."""

    cards: tuple[Card | None, ...] = field(repr=False)
    burned: bool
    kept: int = 0
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class KeepExtraAsBurn:
    """A card too many on third street lies as the burn of fourth (R-MIS-05)."""

    card: Card | None = field(repr=False)
    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class ScrapCard:
    """A boxed card or a joker is set aside, the next card takes its place (R-MIS-06).

    ``counted``: the joker was counted when the deck was loaded; otherwise it is none of the 52 (Q-71). ``behind``: so many cards
    that left the shoe before it are not dealt yet.
    """

    scrap: Scrap
    card: Card | None = field(repr=False)
    role: Role = Role.DEALER
    counted: bool = False
    behind: int = 0


@dataclass(frozen=True, slots=True)
class ReplaceBoxed:
    """The ``number``-th card of a seat, counted as they were dealt, lay face up in the deck and was noticed when it was dealt
    already: it is set aside, and another comes after the round (R-MIS-06)."""

    seat: int
    number: int
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class RedoSeventh:
    """Sevenths were dealt although a common card was due: they come back (Q-67)."""

    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class DropStub:
    """The stub was dropped or disordered: it is shuffled, cut and loaded again (R-ERR-06)."""

    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class UndoAction:
    """The last action was entered by mistake (R-RULE-02), or the last ``count`` actions, which were one word."""

    role: Role = Role.DEALER
    count: int = 1


@dataclass(frozen=True, slots=True)
class UndoAward:
    """The award is to be taken back before the next hand (R-RULE-04, R-SHOW-10)."""

    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class NoteOutOfTurn:
    """A seat acted before its turn (R-BET-14, Q-42)."""

    seat: int
    verb: Verb
    to: int
    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class OpenedBy:
    """Another seat than the one named brought in or opened, and the next player has acted: it stands (R-BRING-09, Q-28)."""

    seat: int
    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class PutChips:
    """The actor put chips in without a word, in so many pieces (R-BET-11, R-BET-12, Q-46)."""

    seat: int
    chips: int
    pieces: int
    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class LeaveTable:
    """A player with a live hand left (R-ABS-01, R-ABS-02)."""

    seat: int
    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class ReturnToTable:
    """The player is back before the hand was killed."""

    seat: int
    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class ExpireClock:
    """The actor's time is over (R-ABS-04, R-BRING-10)."""

    seat: int
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class LetSee:
    """A mucked hand is to be seen by all (R-SHOW-09)."""

    seat: int
    role: Role = Role.FLOOR


Ruling: TypeAlias = (
    DeclareMisdeal
    | ExposeHole
    | ChooseDoor
    | ExposeSeventh
    | DeclareAllIn
    | KillHands
    | RetrieveHand
    | PrematureCards
    | KeepExtraAsBurn
    | ScrapCard
    | ReplaceBoxed
    | RedoSeventh
    | DropStub
    | UndoAction
    | UndoAward
    | NoteOutOfTurn
    | OpenedBy
    | PutChips
    | LeaveTable
    | ReturnToTable
    | ExpireClock
    | LetSee
)
Request: TypeAlias = PostAnte | Act | TableHand | MuckHand | AwardPots | VoidHand | Ruling
Observation: TypeAlias = CardLaid | StubReloaded | FeltWrong | FeltRight
HandInput: TypeAlias = Request | Observation


class Refusal(NamedTuple):
    """A request that the rules do not allow: ``rule`` is the id, ``code`` the key of its sentence, ``values`` fill it."""

    rule: str
    code: str
    values: tuple[tuple[str, int | str], ...] = ()
