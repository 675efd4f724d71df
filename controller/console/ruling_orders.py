"""Rulings as JSON: one body a kind, parsed at the edge (screens §7)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, assert_never

from pydantic import BaseModel, ConfigDict, Field, StrictInt

from controller.hand.cards import parse_card
from controller.hand.commands import (
    ChooseDoor,
    DeclareAllIn,
    DeclareMisdeal,
    DropStub,
    ExpireClock,
    ExposeHole,
    ExposeSeventh,
    KillHands,
    LeaveTable,
    LetSee,
    NoteOutOfTurn,
    OpenedBy,
    PutChips,
    RedoSeventh,
    ReplaceBoxed,
    RetrieveHand,
    ReturnToTable,
    Role,
    UndoAction,
    UndoAward,
)
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.places import parse_place
from controller.hand.terms import Verb
from controller.table.inputs import (
    BurnExtra,
    ClearShoe,
    KeyCard,
    PlayOn,
    Rule,
    SetAside,
    StepPast,
    StopPlay,
    TableRuling,
    TakeBackPremature,
    TakeShoeAgain,
    TrustReader,
    UndoKeyed,
)
from controller.table.late_bets import LateAction

Seat: TypeAlias = Annotated[StrictInt, Field(ge=1, le=8)]
Number: TypeAlias = Annotated[StrictInt, Field(ge=1, le=3)]
Chips: TypeAlias = Annotated[StrictInt, Field(ge=0, le=10**12)]


Face: TypeAlias = Annotated[str, Field(pattern=r"^[2-9TJQKA][cdhs]$")]
PlaceText: TypeAlias = Annotated[str, Field(pattern=r"^(seat/[1-8]/(down|up)|burn|muck|community)$")]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MisdealBody(_Body):
    """The deal is given up; antes stay (R-MIS-01)."""

    kind: Literal["misdeal"]
    cause: MisdealCause


class SeatBody(_Body):
    """A ruling about one seat."""

    kind: Literal[
        "expose_seventh",
        "declare_all_in",
        "retrieve_hand",
        "opened_by",
        "leave_table",
        "return_to_table",
        "expire_clock",
        "let_see",
    ]
    seat: Seat


class CardBody(_Body):
    """A ruling about one card of a seat, counted as they lie (R-EXP-05)."""

    kind: Literal["choose_door"]
    seat: Seat
    number: Number


class ExposeBody(_Body):
    """A down card of a seat was exposed, counted as they lie (R-EXP-01); ``card``: its face, where nobody had read it."""

    kind: Literal["expose_hole"]
    seat: Seat
    number: Number
    card: Face | None = None


class BoxedBody(_Body):
    """A card that lay face up in the deck and was dealt already, counted as the seat got them (R-MIS-06)."""

    kind: Literal["replace_boxed"]
    seat: Seat
    number: Annotated[StrictInt, Field(ge=1, le=7)]


class KillBody(_Body):
    """Hands are dead (R-ABS-03)."""

    kind: Literal["kill_hands"]
    seats: Annotated[tuple[Seat, ...], Field(min_length=1, max_length=8)]
    cause: DeadCause


class PlainBody(_Body):
    """A ruling that needs no more than its kind."""

    kind: Literal[
        "burn_extra",
        "redo_seventh",
        "drop_stub",
        "undo_action",
        "undo_award",
        "trust_reader",
        "take_shoe_again",
        "clear_shoe",
        "stop_play",
        "play_on",
        "undo_keyed",
    ]


class PrematureBody(_Body):
    """Cards were dealt too early (R-ERR-01); ``kept``: the seat that looked at its seventh (R-ERR-02)."""

    kind: Literal["premature"]
    kept: Annotated[StrictInt, Field(ge=0, le=8)] = 0


class ScrapBody(_Body):
    """A card in flight is boxed or a joker (R-MIS-06); ``number``: which of those that are out, the oldest being 1; 0 leaves it
    to the readers, and where they cannot tell it is asked for."""

    kind: Literal["set_aside"]
    scrap: Scrap
    number: Annotated[StrictInt, Field(ge=0, le=24)] = 0


class LateActionBody(_Body):
    """The actor had acted before the cards of the next street came (R-ERR-01)."""

    kind: Literal["late_action"]
    seat: Seat
    verb: Verb
    to: Chips = 0


class OutOfTurnBody(_Body):
    """A seat acted before its turn (R-BET-14)."""

    kind: Literal["out_of_turn"]
    seat: Seat
    verb: Verb
    to: Chips = 0


class PutChipsBody(_Body):
    """The actor put chips in without a word (R-BET-12)."""

    kind: Literal["put_chips"]
    seat: Seat
    chips: Annotated[StrictInt, Field(ge=1, le=10**12)]
    pieces: Annotated[StrictInt, Field(ge=1, le=1000)]


class StepPastBody(_Body):
    """Play goes on without a device that does not answer; ``antenna`` 0 is all of it (REG-47)."""

    kind: Literal["step_past"]
    device: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
    antenna: Annotated[StrictInt, Field(ge=0, le=254)] = 0


class KeyCardBody(_Body):
    """The card due next lies at ``place`` though a working device does not tell it, or tells another one (R-ERR-08)."""

    kind: Literal["key_card"]
    place: PlaceText
    card: Face | None = None


RulingBody: TypeAlias = Annotated[
    StepPastBody
    | KeyCardBody
    | MisdealBody
    | SeatBody
    | CardBody
    | ExposeBody
    | BoxedBody
    | KillBody
    | PlainBody
    | PrematureBody
    | ScrapBody
    | LateActionBody
    | OutOfTurnBody
    | PutChipsBody,
    Field(discriminator="kind"),
]


class RuleBody(_Body):
    """A ruling with who gives it, who agrees, and why (R-RULE-01)."""

    type: Literal["rule"]
    ruling: RulingBody
    role: Role
    by: Annotated[str, Field(max_length=32)] = ""
    agreed_by: Annotated[str, Field(max_length=32)] = ""
    reason: Annotated[str, Field(max_length=200)] = ""

    def to_rule(self) -> Rule:
        """The ruling as the table takes it."""
        return Rule(self.ruling.kind, _ruling(self.ruling, self.role), self.by, self.agreed_by, self.reason)


def _ruling(body: RulingBody, role: Role) -> TableRuling:  # noqa: C901 - one line a kind is the clearest table
    match body:
        case MisdealBody(cause=cause):
            return DeclareMisdeal(cause, role)
        case SeatBody():
            return _of_seat(body, role)
        case ExposeBody(seat=seat, number=number, card=card):
            return ExposeHole(seat, number, role, None if card is None else parse_card(card))
        case CardBody(seat=seat, number=number):
            return ChooseDoor(seat, number, role)
        case BoxedBody(seat=seat, number=number):
            return ReplaceBoxed(seat, number, role)
        case KillBody(seats=seats, cause=cause):
            return KillHands(seats, cause, role)
        case PlainBody():
            return _plain(body, role)
        case PrematureBody(kept=kept):
            return TakeBackPremature(kept, role)
        case ScrapBody(scrap=scrap, number=number):
            return SetAside(scrap, role, number)
        case LateActionBody(seat=seat, verb=verb, to=to):
            return LateAction(seat, verb, to, role)
        case OutOfTurnBody(seat=seat, verb=verb, to=to):
            return NoteOutOfTurn(seat, verb, to, role)
        case PutChipsBody(seat=seat, chips=chips, pieces=pieces):
            return PutChips(seat, chips, pieces, role)
        case StepPastBody() | KeyCardBody():
            return _of_device(body, role)
        case _:
            assert_never(body)


def _of_device(body: StepPastBody | KeyCardBody, role: Role) -> TableRuling:
    match body:
        case StepPastBody(device=device, antenna=antenna):
            return StepPast(device, antenna, role)
        case KeyCardBody(place=place, card=card):
            return KeyCard(parse_place(place), None if card is None else parse_card(card), role)


def _of_seat(body: SeatBody, role: Role) -> TableRuling:
    match body.kind:
        case "expose_seventh":
            return ExposeSeventh(body.seat, role)
        case "declare_all_in":
            return DeclareAllIn(body.seat, role)
        case "retrieve_hand":
            return RetrieveHand(body.seat, role)
        case "opened_by":
            return OpenedBy(body.seat, role)
        case "leave_table":
            return LeaveTable(body.seat, role)
        case "return_to_table":
            return ReturnToTable(body.seat, role)
        case "expire_clock":
            return ExpireClock(body.seat, role)
        case "let_see":
            return LetSee(body.seat, role)


def _plain(body: PlainBody, role: Role) -> TableRuling:
    match body.kind:
        case "burn_extra":
            return BurnExtra(role)
        case "redo_seventh":
            return RedoSeventh(role)
        case "drop_stub":
            return DropStub(role)
        case "undo_action":
            return UndoAction(role)
        case "undo_award":
            return UndoAward(role)
        case "trust_reader":
            return TrustReader(role)
        case "take_shoe_again":
            return TakeShoeAgain(role)
        case "clear_shoe":
            return ClearShoe(role)
        case "stop_play":
            return StopPlay(role)
        case "play_on":
            return PlayOn(role)
        case "undo_keyed":
            return UndoKeyed(role)
