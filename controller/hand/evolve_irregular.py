"""What the events of slips, rulings and corrections make of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

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
    DoorChosen,
    FaceUpRequired,
    HandRefunded,
    HandRetrieved,
    HandSeen,
    HandsKilled,
    HoleExposed,
    MisdealDeclared,
    OutOfTurnNoted,
    OutOfTurnReleased,
    Scrap,
    SeatAway,
    SeatBack,
    SeventhKept,
    SeventhRedone,
    SeventhReplaced,
    SeventhShown,
    StubReturned,
)
from controller.hand.state import Acted, HandState, OutOfTurn, Phase, SeatHand, Status

if TYPE_CHECKING:
    from controller.hand.irregular_events import IrregularEvent


def evolve_irregular(state: HandState, event: IrregularEvent) -> HandState:  # noqa: C901 - one line an event is the clearest table
    """The state after an event that ordinary play does not have."""
    match event:
        case MisdealDeclared():
            return _misdealt(state, event)
        case HoleExposed():
            return _hole_exposed(state, event)
        case DoorChosen(seat=seat, number=number, card=card):
            entry = _seat(state, seat)
            three = [*entry.down[:2], *entry.up[:1]]
            del three[number - 1]
            chosen = entry._replace(up=(card, *entry.up[1:]), down=(*three, *entry.down[2:]))
            return _with(state, chosen)._replace(previous=None)  # a card is never un-seen (R-RULE-02)
        case SeventhShown():
            entry = _seat(state, event.seat)
            asked = (*state.may_declare, event.seat) if event.may_declare else state.may_declare
            shown = _with(
                state, entry._replace(down=(*entry.down[:-1], event.card), seventh_up=True)
            )  # known from here to everybody
            return shown._replace(due=event.due, may_declare=asked, previous=None)
        case SeventhReplaced():
            entry = _seat(state, event.seat)
            changed = _with(state, entry._replace(down=entry.down[:-1]))
            return changed._replace(  # the round is dealt to its end before anybody bets
                due=event.due,
                scrapped=state.scrapped + 1,
                phase=Phase.DEALING,
                round=state.round._replace(actor=0),
                previous=None,
            )
        case AllInDeclared(seat=seat, actor=actor):
            changed = _with(state, _seat(state, seat)._replace(declared=True))
            asked = tuple(other for other in state.may_declare if other != seat)
            return changed._replace(round=state.round._replace(actor=actor), may_declare=asked, previous=None)
        case HandsKilled():
            return _killed(state, event)
        case HandRefunded(seat=seat, chips=chips):
            entry = _seat(state, seat)
            refunded = entry._replace(stack=entry.stack + chips, total=entry.total - chips, status=Status.REFUNDED)
            return _with(state, refunded)
        case HandRetrieved(seat=seat) if gives_all_back(state, seat):
            return _undone(state)._replace(corrected=False, previous=None)
        case HandRetrieved(seat=seat, actor=actor):
            entry = _seat(state, seat)
            free = entry.status is not Status.LIVE and entry.street_chips >= state.round.match  # it has its turn
            back = entry._replace(
                status=Status.LIVE, dead_cause=None, mucked=False, out_on=0, acted=Acted.NO if free else entry.acted
            )
            together = tuple(other for other in state.dead_together if other != seat)
            changed = _with(state, back)._replace(round=state.round._replace(actor=actor), dead_together=together)
            return changed._replace(previous=None)
        case BurnedEarly() | CardsReturned() | CardEliminated() | SeventhKept() | SeventhRedone():
            changed = _cards_astray(state, event)
            if state.reload_due and changed.reload_due == state.reload_due:  # the stub is out, and a card less goes back
                changed = changed._replace(reload_due=changed.stub)
            return changed._replace(previous=None)  # no undo behind a ruling on cards (R-RULE-02)
        case CardScrapped(scrap=scrap, counted=counted):
            boxed = state.boxed + (scrap is Scrap.BOXED)
            gone = int(counted or scrap is not Scrap.JOKER)
            stub = state.stub - gone
            due = stub if state.reload_due else 0
            return state._replace(boxed=boxed, scrapped=state.scrapped + gone, stub=stub, reload_due=due)
        case BoxedReplaced():
            return _boxed_replaced(state, event)
        case StubReturned(cards=cards, whole=whole):
            phase = Phase.ANTES if whole else state.phase
            return state._replace(stub=cards, reload_due=0, phase=phase)
        case ActionUndone():
            return _undone(state)
        case AwardUndone():
            return state if state.previous is None else state.previous
        case OutOfTurnNoted(seat=seat, verb=verb, to=to, match=match):
            return state._replace(waiting=(*state.waiting, OutOfTurn(seat, verb, to, match)))
        case OutOfTurnReleased(seat=seat):
            return state._replace(waiting=tuple(waits for waits in state.waiting if waits.seat != seat))
        case ActorMoved(seat=seat):
            return state._replace(round=state.round._replace(actor=seat, may_fold=False), opener=seat)
        case SeatAway(seat=seat):
            return _with(state, _seat(state, seat)._replace(away=True))
        case SeatBack(seat=seat):
            return _with(state, _seat(state, seat)._replace(away=False))
        case FaceUpRequired(order=order):
            return state._replace(face_up=True, show_order=order)
        case HandSeen():
            return state
        case _:
            assert_never(event)


def _seat(state: HandState, seat: int) -> SeatHand:
    return state.seats[state.index_of(seat)]


def _with(state: HandState, entry: SeatHand) -> HandState:
    index = state.index_of(entry.seat)
    return state._replace(seats=(*state.seats[:index], entry, *state.seats[index + 1 :]))


def gives_all_back(state: HandState, seat: int) -> bool:
    """Whether a hand that is retrieved makes all as before its death: that closed the round, ended the hand, or took its uncalled
    bet out of the pot, and nothing else has happened since (R-ERR-07, Q-85)."""
    before = state.previous
    if before is None or before.phase is not Phase.BETTING:
        return False
    was, now = _seat(before, seat), _seat(state, seat)
    return was.live and not now.live and (state.phase is not Phase.BETTING or was.total > now.total)


def _misdealt(state: HandState, event: MisdealDeclared) -> HandState:
    """Same players, same antes; everything else as before the deal (R-MIS-03)."""
    refunds = dict(event.refunds)
    seats = tuple(
        SeatHand(
            entry.seat,
            entry.stack - entry.won + refunds.get(entry.seat, 0),
            total=entry.total - refunds.get(entry.seat, 0),
            ante_posted=True,
            ante=entry.ante,
            forced=entry.ante,
            away=entry.away,
            status=Status.REFUNDED if entry.status is Status.REFUNDED and not entry.total else Status.LIVE,
        )
        for entry in state.seats
    )
    fresh = HandState(state.setup, seats)
    return fresh._replace(phase=Phase.REDEAL, redeals=state.redeals + 1, reload_due=52)


def _hole_exposed(state: HandState, event: HoleExposed) -> HandState:
    entry = _seat(state, event.seat)
    down = list(entry.down)
    del down[event.number - 1]
    up = (event.card, *entry.up) if not entry.exposed else (*entry.up[:1], event.card, *entry.up[1:])
    changed = entry._replace(down=tuple(down), up=up, debt=event.debt, exposed=(*entry.exposed, event.card))
    return _with(state, changed)._replace(due=event.due, exposures=state.exposures + 1, previous=None)


def _boxed_replaced(state: HandState, event: BoxedReplaced) -> HandState:
    """The card is out; the street is dealt to its end before anybody acts."""
    entry = _seat(state, event.seat)
    number = event.number - 1
    if event.card in entry.up:
        changed = entry._replace(up=tuple(card for card in entry.up if card != event.card))
    else:
        at = number if number < 2 else len(entry.down) - 1
        seventh = number == 6
        changed = entry._replace(down=(*entry.down[:at], *entry.down[at + 1 :]), seventh_up=entry.seventh_up and not seventh)
    return _with(state, changed)._replace(
        due=event.due,
        boxed=state.boxed + 1,
        scrapped=state.scrapped + 1,
        may_declare=tuple(seat for seat in state.may_declare if seat != event.seat),
        phase=Phase.DEALING,
        round=state.round._replace(actor=0, post_due=False),
        previous=None,
    )


def _killed(state: HandState, event: HandsKilled) -> HandState:
    seats = tuple(
        entry._replace(status=Status.KILLED, dead_cause=event.cause, out_on=state.street) if entry.seat in event.seats else entry
        for entry in state.seats
    )
    together = event.seats if len(event.seats) > 1 else state.dead_together
    current = state.round._replace(actor=event.actor)
    if not event.actor:
        current = current._replace(post_due=False)
    waiting = tuple(waits for waits in state.waiting if waits.seat not in event.seats)
    previous = state if state.phase is Phase.BETTING else None
    return state._replace(seats=seats, round=current, dead_together=together, waiting=waiting, previous=previous)


def _cards_astray(
    state: HandState, event: BurnedEarly | CardsReturned | CardEliminated | SeventhKept | SeventhRedone
) -> HandState:
    match event:
        case BurnedEarly(card=card, stands=stands):
            return state._replace(
                stub=state.stub - 1,
                burns=state.burns + 1,
                burned=(*state.burned, card),
                early_burn=state.early_burn or stands,
            )
        case CardsReturned(stub=stub):
            return state._replace(reload_due=stub)
        case CardEliminated(due=due):
            return state._replace(
                dealt=state.dealt + int(due),
                stub=state.stub - 1,
                set_aside=state.set_aside + 1,
                eliminated=state.eliminated + int(not due),
            )
        case SeventhKept(seat=seat, card=card):
            entry = _seat(state, seat)
            return _with(state, entry._replace(down=(*entry.down, card)))._replace(stub=state.stub - 1)
        case SeventhRedone(stub=stub):
            kept = tuple(
                entry._replace(down=entry.down[:-1]) if len(entry.cards) + len(state.commons) > 6 else entry
                for entry in state.seats
            )
            sevenths = sum(len(before.down) - len(after.down) for before, after in zip(state.seats, kept, strict=True))
            lying = state.burns - (stub - state.stub - sevenths)
            return state._replace(seats=kept, stub=stub, burns=lying, burned=state.burned[:lying], dealt=0, reload_due=stub)
        case _:
            assert_never(event)


def _undone(state: HandState) -> HandState:
    """The hand before the last action; a burn that was made since stays the burn of the coming street (Q-84).

    What left the shoe since lies where it lies, who is away is away, and what stops play still stops it.
    """
    before = state.previous
    if before is None:
        return state
    made = state.burns - before.burns
    away = {entry.seat: entry.away for entry in state.seats}
    noted = tuple(waits for waits in state.waiting if waits not in before.waiting)
    return before._replace(
        seats=tuple(entry._replace(away=away[entry.seat]) for entry in before.seats),
        waiting=(*before.waiting, *noted),
        stub=state.stub,
        burns=state.burns,
        burned=state.burned,
        set_aside=state.set_aside,
        scrapped=state.scrapped,
        boxed=state.boxed,
        early_burn=before.early_burn or made > 0,
        hold=state.hold,
        reload_due=state.reload_due,
        previous=before.previous,
        corrected=True,
    )
