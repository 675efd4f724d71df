"""Why a ruling or correction does what it does: exposed cards, misdeals, dead hands, premature cards, undo, absence."""

from __future__ import annotations

from typing import assert_never

from controller.hand.events import HandHeld
from controller.hand.irregular_events import (
    ActionUndone,
    ActorMoved,
    AllInDeclared,
    AwardUndone,
    BoxedReplaced,
    BurnedEarly,
    CardEliminated,
    CardScrapped,
    CardsReturned,
    DeadCause,
    DoorChosen,
    FaceUpRequired,
    HandRefunded,
    HandRetrieved,
    HandSeen,
    HandsKilled,
    HoleExposed,
    IrregularEvent,
    MisdealDeclared,
    OutOfTurnNoted,
    OutOfTurnReleased,
    SeatAway,
    SeatBack,
    SeventhKept,
    SeventhRedone,
    SeventhReplaced,
    SeventhShown,
    StubReturned,
)
from controller.hand.knobs import AbsentKill, SeventhExposed
from controller.hand.places import Zone
from controller.hand.state import HandState, SeatHand
from controller.hand.terms import Due
from controller.hand.why import Why, Word, faces, seats_of, where, why

_DEAD_RULES = {
    DeadCause.WRONG_COUNT: "R-ERR-05",
    DeadCause.JOKER: "R-MIS-06",
    DeadCause.CLOCK: "R-ABS-04",
    DeadCause.ABSENT: "R-ABS-02",
    DeadCause.LEFT_BEFORE_POST: "R-BRING-10",
    DeadCause.OFF_TABLE: "R-EXP-04",
}
_HOLD_RULES = {
    "premature_card": "R-ERR-01",
    "extra_card": "R-ERR-01",
    "card_to_scramble": "R-STUB-02",
    "wrong_place": "R-ERR-04",
    "moved_card": "R-ERR-04",
    "antennas_crossed": "R-ERR-08",
    "live_card_mucked": "R-ERR-07",
    "foreign_card": "R-MIS-08",
    "duplicate_card": "R-MIS-08",
    "face_in_doubt": "R-MIS-08",
    "stub_count": "R-STUB-01",
    "reload_stub": "R-ERR-06",
    "stub_too_short": "R-STUB-06",
    "floor_called": "R-RULE-01",
}


def slip(before: HandState, event: IrregularEvent) -> tuple[Why, ...]:  # noqa: C901 - one line an event is the clearest table
    """The reasons of an event that ordinary play does not have."""
    match event:
        case HoleExposed() | DoorChosen() | SeventhShown() | SeventhReplaced() | AllInDeclared():
            return _exposed(before, event)
        case HandsKilled() | HandRefunded() | HandRetrieved() | HandSeen():
            return _dead(before, event)
        case BurnedEarly() | CardsReturned() | CardEliminated() | SeventhKept() | SeventhRedone() | CardScrapped():
            return (_astray(before, event),)
        case BoxedReplaced(seat=seat, card=card, due=due):
            key = "boxed.replaced" if len(due) > len(before.due) else "boxed.replaced.short"
            return (why(key, "R-MIS-06", seat=seat, card=faces(card)),)
        case MisdealDeclared(cause=cause, refunds=refunds):
            rest = why("misdeal.refunds", "R-MIS-03", seats=seats_of(chips.seat for chips in refunds)) if refunds else None
            declared = why("misdeal", "R-MIS-01", cause=Word(f"misdeal.{cause.value}"))
            return (declared,) if rest is None else (declared, rest)
        case StubReturned(cards=cards, whole=whole):
            return (why("stub.redeal", "R-MIS-03", cards=cards) if whole else why("stub.returned", "R-ERR-06", cards=cards),)
        case ActionUndone(seat=seat):
            return (why("undone", "R-RULE-02", seat=seat),)
        case AwardUndone():
            return (why("award_undone", "R-RULE-04"),)
        case OutOfTurnNoted(seat=seat):
            return (why("out_of_turn.noted", "R-BET-14", seat=seat, actor=before.round.actor),)
        case OutOfTurnReleased(seat=seat):
            return (why("out_of_turn.released", "R-BET-14", seat=seat),)
        case ActorMoved(seat=seat):
            third = before.street == 3
            return (why("moved.bring_in" if third else "moved.open", "R-BRING-09", seat=seat, named=before.round.actor),)
        case SeatAway(seat=seat):
            at_once = before.setup.rules.absent_kill is AbsentKill.ON_DEAL and before.street <= 3
            return (why("away.on_deal" if at_once else "away", "R-ABS-01", seat=seat),)
        case SeatBack(seat=seat):
            return (why("back", "R-ABS-01", seat=seat),)
        case FaceUpRequired(order=order):
            return (why("face_up", "R-SHOW-06", order=seats_of(order)),)
        case _:
            assert_never(event)


def _entry(state: HandState, seat: int) -> SeatHand:
    return state.seats[state.index_of(seat)]


def _exposed(
    before: HandState, event: HoleExposed | DoorChosen | SeventhShown | SeventhReplaced | AllInDeclared
) -> tuple[Why, ...]:
    match event:
        case HoleExposed(seat=seat, card=card):
            entry = _entry(before, seat)
            if entry.exposed:
                return (why("exposed.second", "R-EXP-02", seat=seat, card=faces(card)),)
            if entry.up:
                return (why("exposed.with_door", "R-EXP-03", seat=seat, card=faces(card)),)
            return (why("exposed.first", "R-EXP-01", seat=seat, card=faces(card)),)
        case DoorChosen(seat=seat, card=card):
            return (why("door_chosen", "R-EXP-05", seat=seat, card=faces(card)),)
        case SeventhReplaced(seat=seat, card=card, due=due):
            key = "seventh.replaced" if len(due) > len(before.due) else "seventh.replaced.short"
            return (why(key, "R-EXP-06", seat=seat, card=faces(card)),)
        case AllInDeclared(seat=seat):
            return (why("declared", "R-EXP-06", seat=seat),)
        case SeventhShown(seat=seat, card=card, due=due, may_declare=may):
            if may:
                key = "seventh.may_declare"
            elif before.setup.rules.seventh_exposed is SeventhExposed.WSOP_LIVE and _any_up(due[before.dealt :]):
                key = "seventh.all_up"
            else:
                key = "seventh.kept"
            return (why(key, "R-EXP-06", seat=seat, card=faces(card)),)
        case _:
            assert_never(event)


def _any_up(due: tuple[Due, ...]) -> bool:
    return any(getattr(card.place, "zone", None) is Zone.UP for card in due)


def _dead(before: HandState, event: HandsKilled | HandRefunded | HandRetrieved | HandSeen) -> tuple[Why, ...]:
    match event:
        case HandsKilled(seats=seats, cause=cause):
            rule = _DEAD_RULES.get(cause, "R-ABS-03")
            killed = why("killed", rule, seats=seats_of(seats), cause=Word(f"dead.{cause.value}"))
            if len(seats) > 1 and len(seats) >= before.live_count:
                return (killed, why("killed.together", "R-POT-10", seats=seats_of(seats)))
            return (killed,)
        case HandRefunded(seat=seat, chips=chips):
            return (why("refunded", "R-EXP-02", seat=seat, x=chips),)
        case HandRetrieved(seat=seat):
            return (why("retrieved", "R-ERR-07", seat=seat),)
        case HandSeen(seat=seat):
            return (why("seen", "R-SHOW-09", seat=seat),)
        case _:
            assert_never(event)


def _astray(
    before: HandState, event: BurnedEarly | CardsReturned | CardEliminated | SeventhKept | SeventhRedone | CardScrapped
) -> Why:
    match event:
        case BurnedEarly(stands=stands):
            if before.street == 3 and stands:
                return why("burn.extra", "R-MIS-05")
            return why("burn.stands" if stands else "burn.once", "R-ERR-01" if stands else "R-DEAL-03")
        case CardsReturned(returned=returned, stub=stub):
            if returned:
                return why("returned", "R-ERR-01", cards=returned, stub=stub)
            return why("stub.dropped", "R-ERR-06", stub=stub)
        case CardEliminated(due=due):
            return why("eliminated.rest" if due else "eliminated", "R-ERR-01")
        case SeventhKept(seat=seat):
            return why("seventh.seen", "R-ERR-02", seat=seat)
        case SeventhRedone(stub=stub):
            return why("seventh.redone", "R-STUB-04", stub=stub)
        case CardScrapped(scrap=scrap):
            return why(f"scrapped.{scrap.value}", "R-MIS-06")
        case _:
            assert_never(event)


def held(event: HandHeld) -> tuple[Why, ...]:
    """Why play stopped: what the felt or the shoe did, by the code of the hold (R-ERR-08)."""
    rule = _HOLD_RULES.get(event.code, "R-ERR-08")
    return (why("held", rule, reason=Word(f"hold.{event.code}"), place=where(event.place)),)
