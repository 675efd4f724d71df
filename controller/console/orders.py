"""Commands as JSON: parsed at the edge into the table's orders (recovery §7)."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from controller.console.ruling_orders import Face, PlaceText, RuleBody
from controller.hand.cards import parse_card
from controller.hand.commands import Act, AwardPots, MuckHand, TableHand, VoidHand
from controller.hand.places import parse_place
from controller.hand.stakes import Stakes
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.table.inputs import (
    AcknowledgeAlarm,
    ActAround,
    AddChips,
    AnswerSeat,
    CallClock,
    ChangeSeat,
    CloseTable,
    CollectTime,
    Command,
    ConfirmCards,
    CountDeck,
    LaidCard,
    LeaveSeat,
    Order,
    PauseTable,
    ReopenTable,
    Resume,
    SeatPlayer,
    SetGame,
    SetLastTwo,
    SetStakes,
    SitIn,
    SitOut,
    StartHand,
    UndoConfirmation,
)
from controller.table.timely import ANSWERS

Seat: TypeAlias = Annotated[StrictInt, Field(ge=1, le=8)]
Chips: TypeAlias = Annotated[StrictInt, Field(ge=0, le=10**12)]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StartHandBody(_Body):
    """Shuffle, cut and antes are attested; the hand starts. ``cut``: cards that the cut moved, if counted (R-DECK-03)."""

    type: Literal["start_hand"]
    cut: Annotated[StrictInt, Field(ge=0, le=52)] | None = None


class ResumeBody(_Body):
    """The picture after a restart is confirmed."""

    type: Literal["resume"]


class ActBody(_Body):
    """A seat acts; ``to`` is its total on the street."""

    type: Literal["act"]
    seat: Seat
    verb: Literal["bring_in", "complete", "bet", "raise", "call", "check", "fold"]
    to: Chips = 0


class ActAroundBody(_Body):
    """All check or all call: ``seats`` are everybody who is left to act, in turn; all of it is taken, or nothing."""

    type: Literal["act_around"]
    verb: Literal["check", "call"]
    seats: Annotated[tuple[Seat, ...], Field(min_length=2, max_length=8)]


class TableHandBody(_Body):
    """A seat tables its hand; ``cards``: those that nobody had read, as they lie open now."""

    type: Literal["table_hand"]
    seat: Seat
    cards: Annotated[tuple[Face, ...], Field(max_length=7)] = ()


class LaidCardBody(_Body):
    """A card laid at ``place``; ``card`` where it lies face up and no device told it."""

    place: PlaceText
    card: Face | None = None


class ConfirmCardsBody(_Body):
    """The next cards lie where they are due, where a device does not tell it (REG-47)."""

    type: Literal["confirm_cards"]
    cards: Annotated[tuple[LaidCardBody, ...], Field(min_length=1, max_length=32)]


class UndoConfirmationBody(_Body):
    """What was confirmed or keyed last was entered wrongly (R-RULE-02)."""

    type: Literal["undo_confirmation"]


class CountDeckBody(_Body):
    """Where no shoe counts: so many cards were counted, and lie in the shoe or are dealt by hand (R-DECK-01)."""

    type: Literal["count_deck"]
    cards: Annotated[StrictInt, Field(ge=1, le=52)]


class MuckHandBody(_Body):
    """A seat concedes unseen."""

    type: Literal["muck_hand"]
    seat: Seat


class AwardPotsBody(_Body):
    """The proposed awards are confirmed."""

    type: Literal["award_pots"]


By: TypeAlias = Annotated[str, Field(max_length=32)]


class FloorBody(_Body):
    """An order of the floor. Where nobody signs in, ``by`` is who gives it."""

    by: By = ""


class TwoBody(FloorBody):
    """An order of two people, who are both named where nobody signs in (R-RULE-01)."""

    agreed_by: By = ""


class VoidHandBody(TwoBody):
    """The hand is void; every chip goes back. Two people, who are named where nobody signs in (R-RULE-03)."""

    type: Literal["void_hand"]
    reason: Annotated[str, Field(min_length=1, max_length=200)]


class SeatPlayerBody(_Body):
    """A player sits down with ``stack`` chips."""

    type: Literal["seat_player"]
    seat: Seat
    name: Annotated[str, Field(min_length=1, max_length=64)]
    stack: Chips


class LeaveSeatBody(_Body):
    """A player leaves."""

    type: Literal["leave_seat"]
    seat: Seat


class AddChipsBody(_Body):
    """A player buys chips between hands."""

    type: Literal["add_chips"]
    seat: Seat
    chips: Chips


class SetGameBody(_Body):
    """The next hand is another game."""

    type: Literal["set_game"]
    variant: Literal["stud", "stud8", "razz"]


class SeatOrderBody(_Body):
    """A player sits out, comes back, is put on the clock (R-ABS-04), or asked for the floor, which has come."""

    type: Literal["sit_out", "sit_in", "call_clock", "answer_seat"]
    seat: Seat


class ChangeSeatBody(_Body):
    """A player moves to an empty seat between hands."""

    type: Literal["change_seat"]
    seat: Seat
    to: Seat


class SetStakesBody(TwoBody):
    """The next hand is played for other stakes. Two people, who are named where nobody signs in."""

    type: Literal["set_stakes"]
    ante: Chips
    bring_in: Chips
    small: Chips
    big: Chips
    unit: Annotated[StrictInt, Field(ge=1, le=10**9)] = 1


class SetLastTwoBody(FloorBody):
    """The players here are the last two of the event, or no longer: the cap between them follows the house rule (R-BET-04)."""

    type: Literal["set_last_two"]
    on: StrictBool


class PauseBody(_Body):
    """No hand is started until the table is reopened."""

    type: Literal["pause_table"]
    reason: Annotated[str, Field(min_length=1, max_length=200)]


class CloseTableBody(TwoBody):
    """The table is closed after this hand. Two people, who are named where nobody signs in."""

    type: Literal["close_table"]


class AcknowledgeAlarmBody(FloorBody):
    """Somebody has seen the alarm that stands since record ``raised_seq``, which ends nothing (REG-13)."""

    type: Literal["acknowledge_alarm"]
    alarm: Annotated[str, Field(min_length=1, max_length=64)]
    raised_seq: Annotated[StrictInt, Field(ge=0)]


class TableLifeBody(_Body):
    """The table is reopened, or pays for its time (R-RAKE-02)."""

    type: Literal["reopen_table", "collect_time"]


OrderBody: TypeAlias = Annotated[
    StartHandBody
    | ResumeBody
    | ActBody
    | ActAroundBody
    | TableHandBody
    | ConfirmCardsBody
    | UndoConfirmationBody
    | CountDeckBody
    | MuckHandBody
    | AwardPotsBody
    | VoidHandBody
    | SeatPlayerBody
    | LeaveSeatBody
    | AddChipsBody
    | SetGameBody
    | SeatOrderBody
    | ChangeSeatBody
    | SetStakesBody
    | SetLastTwoBody
    | PauseBody
    | CloseTableBody
    | AcknowledgeAlarmBody
    | TableLifeBody
    | RuleBody,
    Field(discriminator="type"),
]


_FACE: Final = re.compile(r"(?<=\")[2-9TJQKA][cdhs](?=\")")
"""A card in a command's JSON."""


class CommandBody(_Body):
    """One command: ``key`` makes it happen once, ``seq`` is the journal number its sender saw, ``decision`` what it answers.

    ``expires_at`` is when it is no longer meant, by the table's own clock, which the ``Date`` of any answer tells.
    """

    key: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
    seq: Annotated[StrictInt, Field(ge=0)]
    decision: Annotated[str, Field(max_length=64)] | None = None
    expires_at: AwareDatetime | None = None
    command: OrderBody
    console: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = ""
    """Which console gives it, where nobody signs in; where people do, their session tells."""
    approvals: Annotated[tuple[Annotated[str, Field(max_length=64)], ...], Field(max_length=2)] = ()
    """Consents to this order, as `POST /api/v1/approvals` gave them."""

    @model_validator(mode="after")
    def _answers_its_decision(self) -> Self:
        if self.command.type in ANSWERS and not self.decision:
            raise PydanticCustomError("no_decision", "`decision` is missing: name the one that this command answers")
        return self

    def to_command(self) -> Command:
        """The command as the table takes it. The digest covers order and decision, not the ``seq`` seen nor the end, and of cards
        that it keys their number alone: a refused order may name one that lies face down, and 52 guesses would find it
        (recovery §10)."""
        content = f"{self.decision}|{_FACE.sub('', self.command.model_dump_json())}"
        return Command(
            self.key,
            sha256(content.encode()).hexdigest()[:32],
            self.command.type,
            order_of(self.command),
            self.decision,
            self.seq,
            self.expires_at,
        )


def order_of(body: OrderBody) -> Order:  # noqa: C901 - one line a command is the clearest table
    """The order as the table takes it."""
    match body:
        case StartHandBody():
            return StartHand(body.cut)
        case ResumeBody():
            return Resume()
        case ActBody():
            return Act(body.seat, Verb(body.verb), body.to)
        case ActAroundBody():
            return ActAround(Verb(body.verb), body.seats)
        case TableHandBody():
            return TableHand(body.seat, tuple(map(parse_card, body.cards)))
        case ConfirmCardsBody(cards=laid):
            cards = (LaidCard(parse_place(one.place), None if one.card is None else parse_card(one.card)) for one in laid)
            return ConfirmCards(tuple(cards))
        case UndoConfirmationBody():
            return UndoConfirmation()
        case CountDeckBody(cards=count):
            return CountDeck(count)
        case MuckHandBody():
            return MuckHand(body.seat)
        case AwardPotsBody():
            return AwardPots()
        case VoidHandBody():
            return VoidHand(body.reason)
        case SeatPlayerBody():
            return SeatPlayer(body.seat, body.name, body.stack)
        case LeaveSeatBody():
            return LeaveSeat(body.seat)
        case AddChipsBody():
            return AddChips(body.seat, body.chips)
        case SetGameBody():
            return SetGame(VariantCode(body.variant))
        case AcknowledgeAlarmBody(by=by):
            return AcknowledgeAlarm(body.alarm, body.raised_seq, by.strip())
        case RuleBody():
            return body.to_rule()
        case _:
            return _table_order(body)


def _table_order(
    body: SeatOrderBody | ChangeSeatBody | SetStakesBody | SetLastTwoBody | PauseBody | CloseTableBody | TableLifeBody,
) -> Order:
    match body:
        case ChangeSeatBody():
            return ChangeSeat(body.seat, body.to)
        case SetStakesBody():
            return SetStakes(Stakes(body.ante, body.bring_in, body.small, body.big, body.unit))
        case SetLastTwoBody():
            return SetLastTwo(body.on)
        case PauseBody():
            return PauseTable(body.reason)
        case SeatOrderBody(type="sit_out"):
            return SitOut(body.seat)
        case SeatOrderBody(type="sit_in"):
            return SitIn(body.seat)
        case SeatOrderBody(type="answer_seat"):
            return AnswerSeat(body.seat)
        case SeatOrderBody():
            return CallClock(body.seat)
        case TableLifeBody(type="reopen_table"):
            return ReopenTable()
        case CloseTableBody():
            return CloseTable()
        case TableLifeBody():
            return CollectTime()
