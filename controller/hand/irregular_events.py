"""What happened in a hand that ordinary play does not have: slips, rulings, corrections. As in ``events``, past tense."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from controller.hand.cards import Card
from controller.hand.terms import Due, SeatChips, Verb


class MisdealCause(Enum):
    """Why a deal is given up (R-MIS-01)."""

    FIRST_CARD_WRONG_SEAT = "first_card_wrong_seat"
    CARD_TO_EMPTY_SEAT = "card_to_empty_seat"
    SEAT_LEFT_OUT = "seat_left_out"
    WRONG_COUNT = "wrong_count"
    EXTRA_CARDS = "extra_cards"
    BOXED_CARDS = "boxed_cards"
    EXPOSED_CARDS = "exposed_cards"
    OUT_OF_SEQUENCE = "out_of_sequence"


class DeadCause(Enum):
    """Why a hand is dead (R-ABS-03, R-ERR-05, R-MIS-04)."""

    FOLDED_BY_HAND = "folded_by_hand"
    UPCARDS_LIFTED = "upcards_lifted"
    WRONG_COUNT = "wrong_count"
    JOKER = "joker"
    CLOCK = "clock"
    ABSENT = "absent"
    IN_MUCK = "in_muck"
    MIXED = "mixed"
    OFF_TABLE = "off_table"
    LEFT_BEFORE_POST = "left_before_post"
    PENALTY = "penalty"


class Scrap(Enum):
    """A card that is set aside and replaced (R-MIS-06)."""

    BOXED = "boxed"
    JOKER = "joker"


@dataclass(frozen=True, slots=True)
class MisdealDeclared:
    """The deal is given up: bets go back, antes stay for the redeal (R-MIS-01 to R-MIS-03)."""

    cause: MisdealCause
    refunds: tuple[SeatChips, ...]


@dataclass(frozen=True, slots=True)
class HoleExposed:
    """The dealer exposed a down card, which becomes an up card; ``due`` is what is still to be dealt (R-EXP-01 to R-EXP-03).

    ``debt`` up cards of the seat are still to come face down.
    """

    seat: int
    number: int
    card: Card
    due: tuple[Due, ...]
    debt: int


@dataclass(frozen=True, slots=True)
class DoorChosen:
    """Of three down cards the ``number``-th was turned up as the door card (R-EXP-05)."""

    seat: int
    number: int
    card: Card


@dataclass(frozen=True, slots=True)
class SeventhShown:
    """A seventh card lies face up; ``due`` is what is still to be dealt, ``may_declare`` that its owner is asked (R-EXP-06)."""

    seat: int
    card: Card
    due: tuple[Due, ...]
    may_declare: bool


@dataclass(frozen=True, slots=True)
class SeventhReplaced:
    """The exposed seventh card is dead and is replaced from the stub; ``due`` ends with the new one (Q-68)."""

    seat: int
    card: Card
    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class AllInDeclared:
    """The owner of an exposed seventh plays for the pots as they stand; its chips stay behind (R-EXP-06, Q-52)."""

    seat: int
    actor: int


@dataclass(frozen=True, slots=True)
class HandsKilled:
    """Hands are dead; called money stays, the next to act is ``actor`` (R-ABS-03, Q-54). ``together`` shares what they leave."""

    seats: tuple[int, ...]
    cause: DeadCause
    actor: int


@dataclass(frozen=True, slots=True)
class HandRefunded:
    """The hand is dead and its ante went back (R-EXP-02, Q-59)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class HandRetrieved:
    """A hand killed by mistake plays again (R-ERR-07, Q-85)."""

    seat: int
    actor: int


@dataclass(frozen=True, slots=True)
class BurnedEarly:
    """A card lies as a burn before its street; ``stands``: it is the burn of the coming street (R-ERR-01, R-MIS-05)."""

    card: Card | None
    stands: bool


@dataclass(frozen=True, slots=True)
class CardsReturned:
    """``returned`` cards went back for a shuffle: the shoe must be loaded with ``stub`` cards (R-ERR-01, R-ERR-06)."""

    returned: int
    stub: int


@dataclass(frozen=True, slots=True)
class CardEliminated:
    """A card went out of play; ``due``: it makes up the round, so that later streets fall as they would have (R-ERR-01)."""

    street: int
    card: Card | None
    due: bool


@dataclass(frozen=True, slots=True)
class SeventhKept:
    """A premature seventh that was looked at stays with its seat, which may not bet or raise on sixth (R-ERR-02, Q-61)."""

    seat: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class SeventhRedone:
    """Sevenths were dealt although a common card was due: they and the burn go back, the stub is ``stub`` cards (Q-67)."""

    stub: int


@dataclass(frozen=True, slots=True)
class CardScrapped:
    """A boxed card or joker was set aside; the next card takes its place (R-MIS-06).

    ``counted``: the joker was among the 52 cards that were loaded, so the stub is one card shorter (Q-71). ``behind``: so many
    cards that had left the shoe before it were not dealt yet; of several jokers that the shoe named the first is meant.
    """

    scrap: Scrap
    card: Card | None
    counted: bool = False
    behind: int = 0


@dataclass(frozen=True, slots=True)
class BoxedReplaced:
    """A boxed card that was dealt to a seat is set aside; the seat's other card stands at the end of ``due`` (R-MIS-06)."""

    seat: int
    number: int
    card: Card
    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class StubReturned:
    """The shuffled stub of ``cards`` cards is back in the shoe; ``whole``: the deck for a redeal."""

    cards: int
    whole: bool


@dataclass(frozen=True, slots=True)
class ActionUndone:
    """The last action was entered by mistake: everything is as before it (R-RULE-02, Q-84)."""

    seat: int


@dataclass(frozen=True, slots=True)
class AwardUndone:
    """The award is taken back; the hand stands at its showdown again (R-RULE-04, R-SHOW-10)."""


@dataclass(frozen=True, slots=True)
class OutOfTurnNoted:
    """A seat acted before its turn; the action waits (R-BET-14, Q-42). ``match`` is the price it faced."""

    seat: int
    verb: Verb
    to: int
    match: int


@dataclass(frozen=True, slots=True)
class OutOfTurnReleased:
    """The price changed, so the action out of turn no longer binds: chips back, all options (R-BET-14)."""

    seat: int


@dataclass(frozen=True, slots=True)
class ActorMoved:
    """Action stands from a seat that was not to open: the true one acts when it is reached (R-BRING-09, Q-28)."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatAway:
    """A player left the table with a live hand (R-ABS-01, R-ABS-02)."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatBack:
    """The player is back."""

    seat: int


@dataclass(frozen=True, slots=True)
class FaceUpRequired:
    """No more betting is possible: all live hands are turned up, in this order (R-SHOW-06)."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandSeen:
    """The floor let a mucked hand be seen by all; it wins nothing (R-SHOW-09)."""

    seat: int
    cards: tuple[Card, ...]


IrregularEvent: TypeAlias = (
    MisdealDeclared
    | HoleExposed
    | DoorChosen
    | SeventhShown
    | SeventhReplaced
    | AllInDeclared
    | HandsKilled
    | HandRefunded
    | HandRetrieved
    | BurnedEarly
    | CardsReturned
    | CardEliminated
    | SeventhKept
    | SeventhRedone
    | CardScrapped
    | BoxedReplaced
    | StubReturned
    | ActionUndone
    | AwardUndone
    | OutOfTurnNoted
    | OutOfTurnReleased
    | ActorMoved
    | SeatAway
    | SeatBack
    | FaceUpRequired
    | HandSeen
)
