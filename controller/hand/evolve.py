"""What an event makes of the state: no rule is decided here, so a journal replays the same under changed rules."""

from __future__ import annotations

from controller.hand.events import (
    ActionTaken,
    AntePosted,
    BurnMade,
    CardDealt,
    CommunityDealt,
    DealStarted,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandHeld,
    HandMucked,
    HandOpened,
    HandTabled,
    HandVoided,
    HoldLifted,
    PotAwarded,
    PotsFixed,
    RoundClosed,
    RoundOpened,
    SeventhPlan,
    ShowdownOpened,
    StubCounted,
    StubScrambled,
    UncalledReturned,
)
from controller.hand.evolve_irregular import evolve_irregular
from controller.hand.places import Spot, Zone
from controller.hand.state import Acted, HandState, Hold, Phase, Round, SeatHand, Status
from controller.hand.terms import Verb


def _with_seat(state: HandState, seat: int, entry: SeatHand) -> tuple[SeatHand, ...]:
    index = state.index_of(seat)
    return (*state.seats[:index], entry, *state.seats[index + 1 :])


def evolve(state: HandState, event: HandEvent) -> HandState:  # noqa: C901 - one line an event is the clearest table
    """The state after ``event``. ``HandOpened`` is the caller's: it makes the first state with ``open_state``."""
    match event:
        case CardDealt():
            return _card_dealt(state, event)
        case ActionTaken():
            return _action_taken(state, event)
        case BurnMade():
            return state._replace(
                dealt=state.dealt + 1, stub=state.stub - 1, burns=state.burns + 1, burned=(*state.burned, event.card)
            )
        case AntePosted():
            return _ante_posted(state, event)
        case DealStarted():
            return _deal_started(state, event)
        case GhostDealt():
            return state._replace(dealt=state.dealt + 1, stub=state.stub - 1, previous=None)
        case CommunityDealt():
            return state._replace(dealt=state.dealt + 1, stub=state.stub - 1, commons=(*state.commons, event.card), previous=None)
        case RoundOpened():
            return _round_opened(state, event)
        case RoundClosed():
            return _round_closed(state)
        case UncalledReturned():
            entry = state.seats[state.index_of(event.seat)]
            changed = entry._replace(stack=entry.stack + event.chips, total=entry.total - event.chips)
            return state._replace(seats=_with_seat(state, event.seat, changed))
        case PotsFixed():
            return state._replace(betting_over=True, pots=event.pots, rake=event.rake, awards=(None,) * len(event.pots))
        case StubCounted():
            scramble = event.plan in (SeventhPlan.REUSE_BURNS, SeventhPlan.SCRAMBLE_COMMUNITY)
            return state._replace(short=event.plan, phase=Phase.SCRAMBLE if scramble else state.phase)
        case StubScrambled():
            return state._replace(stub=event.cards, burns=0, burned=(), set_aside=0, early_burn=False)
        case ShowdownOpened():
            return state._replace(phase=Phase.SHOWDOWN, show_order=event.order, previous=None)
        case HandTabled():
            entry = state.seats[state.index_of(event.seat)]
            return state._replace(seats=_with_seat(state, event.seat, entry._replace(tabled=event.cards)))
        case HandMucked():
            entry = state.seats[state.index_of(event.seat)]
            return state._replace(seats=_with_seat(state, event.seat, entry._replace(mucked=True)))
        case PotAwarded():
            return _pot_awarded(state, event)
        case HandEnded():
            return state._replace(phase=Phase.ENDED)
        case HandHeld():
            return state._replace(hold=Hold(event.code, event.place))
        case HoldLifted():
            return state._replace(hold=None)
        case HandVoided():
            return _voided(state, event)
        case HandOpened():
            return state
        case _:
            return evolve_irregular(state, event)


def _deal_started(state: HandState, event: DealStarted) -> HandState:
    """A street run out has no last wager (R-SHOW-03, Q-72); what was made before its time is used up (R-ERR-01)."""
    burns_due = any(due.place is Spot.BURN for due in event.due)
    return state._replace(
        street=event.street,
        due=event.due,
        dealt=0,
        phase=Phase.DEALING,
        round=state.round._replace(last_wager=0),
        early_burn=state.early_burn and burns_due,
        eliminated=0,
    )


def _card_dealt(state: HandState, event: CardDealt) -> HandState:
    seat = event.place.seat
    index = state.index_of(seat)
    entry = state.seats[index]
    if event.place.zone is Zone.UP and event.street == 7:
        entry = entry._replace(down=(*entry.down, event.card), seventh_up=True)
    elif event.place.zone is Zone.UP and event.card is not None:
        entry = entry._replace(up=(*entry.up, event.card))
    elif entry.debt and 3 < event.street < 7:
        entry = entry._replace(down=(*entry.down, event.card), debt=entry.debt - 1)
    else:
        entry = entry._replace(down=(*entry.down, event.card))
    return state._replace(
        seats=(*state.seats[:index], entry, *state.seats[index + 1 :]),
        dealt=state.dealt + 1,
        stub=state.stub - 1,
        fourth_dealt=state.fourth_dealt or event.street == 4,
        previous=None,
    )


def _ante_posted(state: HandState, event: AntePosted) -> HandState:
    entry = state.seats[state.index_of(event.seat)]
    changed = entry._replace(
        stack=entry.stack - event.chips, total=event.chips, ante_posted=True, ante=event.chips, forced=event.chips
    )
    return state._replace(seats=_with_seat(state, event.seat, changed))


def _round_opened(state: HandState, event: RoundOpened) -> HandState:
    opened = Round(event.opener, event.actor, event.post_due, pair_seats=event.pair_seats, uncapped=event.uncapped)
    opened = opened._replace(may_fold=event.may_fold)
    return state._replace(phase=Phase.BETTING, round=opened, opener=event.opener)


def _action_taken(state: HandState, event: ActionTaken) -> HandState:
    index = state.index_of(event.seat)
    entry = state.seats[index]
    fold = event.verb is Verb.FOLD
    status = entry.status
    if fold:
        status = Status.GHOST if event.free_fold and state.setup.rules.ghost_cards else Status.FOLDED
    entry = entry._replace(
        stack=entry.stack - event.chips,
        total=entry.total + event.chips,
        street_chips=event.to,
        status=status,
        acted=Acted.AFTER_BET if event.bet else Acted.BEFORE_BET,
        out_on=state.street if fold else entry.out_on,
        forced=entry.forced + (event.chips if state.round.post_due else 0),
    )
    seats = (*state.seats[:index], entry, *state.seats[index + 1 :])
    wager = event.match > state.round.match and event.verb is not Verb.BRING_IN
    counts = state.street == 3 and not state.round.post_due  # the forced post is no action (R-MIS-02, Q-57)
    if event.chips:  # the first chips wagered after a free fold end its ghost cards
        seats = tuple(seat._replace(status=Status.FOLDED) if seat.status is Status.GHOST else seat for seat in seats)
    return state._replace(
        seats=seats,
        round=Round(
            state.round.opener,
            event.actor,
            state.round.post_due and fold and event.actor != 0,
            event.level,
            event.match,
            event.raises,
            event.bet,
            event.big_made,
            event.small_only,
            state.round.pair_seats,
            event.uncapped,
            event.seat if wager else state.round.last_wager,
            state.round.may_fold and state.round.post_due and fold,
        ),
        bring_in_seat=event.seat if state.round.post_due and not fold else state.bring_in_seat,
        last_raiser=event.seat if wager else state.last_raiser,
        acts=state.acts + int(counts),
        acts_with_chips=state.acts_with_chips + int(counts and event.chips > 0),
        may_declare=(),
        waiting=tuple(waits for waits in state.waiting if waits.seat != event.seat),
        corrected=False,
        previous=state,
    )


def _round_closed(state: HandState) -> HandState:
    seats = tuple(entry._replace(street_chips=0, acted=Acted.NO) for entry in state.seats)
    return state._replace(seats=seats, phase=Phase.DEALING, round=state.round._replace(actor=0, post_due=False))


def _pot_awarded(state: HandState, event: PotAwarded) -> HandState:
    seats = state.seats
    for share in event.shares:
        index = state.index_of(share.seat)
        entry = seats[index]
        entry = entry._replace(stack=entry.stack + share.chips, won=entry.won + share.chips)
        seats = (*seats[:index], entry, *seats[index + 1 :])
    awards = (*state.awards[: event.pot], event.shares, *state.awards[event.pot + 1 :])
    contested = any(share.wins is not None for share in event.shares)
    previous = state if contested and state.previous is None else state.previous
    return state._replace(seats=seats, awards=awards, previous=previous)


def _voided(state: HandState, event: HandVoided) -> HandState:
    """Stacks as they were before the hand: contributions back, awards and uncalled chips undone (R-RULE-03, Q-83)."""
    refunds = dict(event.refunds)
    seats = tuple(
        entry._replace(stack=entry.stack - entry.won + refunds.get(entry.seat, 0), total=0, street_chips=0, won=0)
        for entry in state.seats
    )
    return state._replace(
        seats=seats,
        phase=Phase.VOIDED,
        hold=None,
        void_reason=event.reason,
        round=state.round._replace(actor=0, post_due=False),
    )
