"""What follows by itself: rounds open and close, streets start, pots that nobody contests are paid (rules §26)."""

from __future__ import annotations

from dataclasses import replace

from controller.hand.betting import legal_actions, open_round, take_action
from controller.hand.corrections import by_itself
from controller.hand.dealing import RELOAD, SHORT, TO_COMMON, count_stub, has_seventh, lacks_card, scrambled_count, street_due
from controller.hand.events import (
    SCRAMBLED,
    DealStarted,
    HandEnded,
    HandEvent,
    PotsFixed,
    RoundClosed,
    SeventhPlan,
    StubCounted,
    UncalledReturned,
)
from controller.hand.evolve import evolve
from controller.hand.irregular_events import DeadCause, FaceUpRequired, HandsKilled, SeventhRedone
from controller.hand.knobs import AbsentKill
from controller.hand.pots import build_pots, rake_pots, uncalled
from controller.hand.showdown import open_showdown, unseen_awards
from controller.hand.state import HandState, Phase
from controller.hand.terms import SeatChips, Verb


def consequences(state: HandState) -> tuple[HandEvent, ...]:
    """What follows by itself: rounds open and close, streets start, pots that nobody contests are paid."""
    if state.hold is not None:
        return ()
    match state.phase:
        case Phase.DEALING:
            return () if state.dealt < len(state.due) and state.contested else _after_deal(state)
        case Phase.BETTING:
            return by_itself(state) if state.round.actor else _close_round(state)
        case Phase.ANTES:
            return (_start_deal(state, 3),) if all(entry.ante_posted for entry in state.seats) else ()
        case Phase.SHOWDOWN:
            return _settle(state)
        case Phase.SCRAMBLE:
            return _after_deal(state) if state.live_count < 2 else ()  # killed while the stub is out (R-DEAL-05)
        case Phase.REDEAL | Phase.ENDED | Phase.VOIDED:
            return ()


def after_scramble(state: HandState) -> DealStarted:
    """The street for which the stub was scrambled: the next, or one that was dealt in part (R-STUB-02, R-STUB-03, Q-68)."""
    return _start_deal(state, state.counted_for)


def _unfinished(state: HandState) -> bool:
    """Some live seat still waits for its card of this street."""
    return any(entry.live and lacks_card(state, entry, state.street) for entry in state.seats)


def _start_deal(state: HandState, street: int) -> DealStarted:
    return DealStarted(street, street_due(state, street))


def _after_deal(state: HandState) -> tuple[HandEvent, ...]:
    """All cards of the street lie: betting, or none when at most one seat has chips (R-ALLIN-04)."""
    if state.live_count > 1:
        before = _before_betting(state)
        if before:
            return before
    opened = None if state.betting_over or state.live_count < 2 else open_round(state)
    if opened is not None:
        return (opened,)
    if not state.betting_over:
        back = uncalled(state)
        if back is not None:
            return (UncalledReturned(back.seat, back.chips),)
        return (_fix_pots(state),)
    return _no_drop(state) or unseen_awards(state) or _turned_up(state) or _next_street(state) or _settle(state)


def _before_betting(state: HandState) -> tuple[HandEvent, ...]:
    """Absent hands that die with the deal, and seats that still wait for their last card (R-ABS-01, R-STUB-03, Q-68)."""
    if state.street == 3 and state.setup.rules.absent_kill is AbsentKill.ON_DEAL:
        away = tuple(entry.seat for entry in state.seats if entry.live and entry.away)
        if away and len(away) < state.live_count:
            return _absent_killed(state, away)
    if state.street > 3 and _unfinished(state):
        counted = count_stub(state, state.street)
        if state.short in TO_COMMON:
            return _enough(state, 1) or (replace(counted, plan=SeventhPlan.SCRAMBLE_COMMUNITY),)
        return _enough(state, counted.live) or (replace(counted, plan=SeventhPlan.REUSE_BURNS),)
    return ()


def _absent_killed(state: HandState, away: tuple[int, ...]) -> tuple[HandEvent, ...]:
    """Absent hands are dead with the deal. The low card's owner pays the bring-in also where that leaves one hand, which takes it
    (R-ABS-01, R-BRING-10, Q-20)."""
    killed = HandsKilled(away, DeadCause.ABSENT, 0)
    opened = open_round(state) if len(away) == state.live_count - 1 else None
    if opened is None or opened.actor not in away:
        return (killed,)
    state = evolve(state, opened)
    post = next(action for action in legal_actions(state) if action.verb is Verb.BRING_IN)
    return (opened, take_action(state, post), killed)


def _enough(state: HandState, cards: int) -> tuple[HandEvent, ...]:
    """Play stops for the floor when even with the burns the stub does not reach for ``cards`` (R-STUB-06)."""
    return () if scrambled_count(state) >= cards else (SHORT,)


def _turned_up(state: HandState) -> tuple[HandEvent, ...]:
    """Where the house wants it, all live hands are turned up once no more betting is possible (R-SHOW-06)."""
    if state.live_count < 2 or not state.setup.rules.face_up_when_all_in or state.street == 7 or state.face_up:
        return ()
    return (FaceUpRequired(open_showdown(state._replace(face_up=True)).order),)


def _close_round(state: HandState) -> tuple[HandEvent, ...]:
    back = uncalled(state)
    closed: tuple[HandEvent, ...] = (RoundClosed(state.street),)
    if back is not None:
        returned = UncalledReturned(back.seat, back.chips)
        closed = (returned, *closed)
        state = evolve(state, returned)
    if state.live_count == 1 or state.active_count < 2 or state.street == 7:
        return (*closed, _fix_pots(state))
    return (*closed, *_next_street(state))


def _fix_pots(state: HandState) -> PotsFixed:
    pots = build_pots(state)
    runs_out = state.live_count > 1  # a hand that is run out sees fourth street
    rake = rake_pots(pots, state.setup.rules, state.setup.stakes, fourth_dealt=state.fourth_dealt or runs_out)
    return PotsFixed(pots, rake)


def _no_drop(state: HandState) -> tuple[HandEvent, ...]:
    """No rake is taken when a hand that was to be run out ends before fourth street after all (R-RAKE-01, Q-81)."""
    untouched = all(shares is None for shares in state.awards)
    if state.live_count > 1 or state.fourth_dealt or not sum(state.rake) or not untouched:
        return ()
    rake = rake_pots(state.pots, state.setup.rules, state.setup.stakes, fourth_dealt=False)
    return () if rake == state.rake else (PotsFixed(state.pots, rake),)


def _next_street(state: HandState) -> tuple[HandEvent, ...]:
    """The next street's deal, with the stub test; empty after seventh, with one live hand, or while hands are to be turned up."""
    if state.live_count <= 1 or state.street == 7:
        return ()
    if state.face_up and any(entry.live and entry.tabled is None for entry in state.seats):
        return ()
    street = state.street + 1
    counted = count_stub(state, street)
    if counted.plan in TO_COMMON and any(entry.live and has_seventh(state, entry) for entry in state.seats):
        return _sevenths_back(state)
    if street < 7 and counted.plan is SeventhPlan.NORMAL and state.short is None:
        return (_start_deal(state, street),)
    if counted.plan in SCRAMBLED:
        return _enough(state, 1) or (counted,)
    return (counted, _start_deal(evolve(state, counted), street))


def _sevenths_back(state: HandState) -> tuple[HandEvent, ...]:
    """A kept seventh goes back when a common card is due: nobody may own a seventh while others have none (Q-67)."""
    kept = sum(1 for entry in state.seats if entry.live and has_seventh(state, entry))
    redone = SeventhRedone(state.stub + kept)
    state = evolve(state, redone)
    going_on = _next_street(state)
    scrambled = any(isinstance(event, StubCounted) and event.plan in SCRAMBLED for event in going_on)
    return (redone, *going_on) if scrambled else (redone, *going_on, RELOAD)


def _settle(state: HandState) -> tuple[HandEvent, ...]:
    """Pay what is decided; open the showdown; end the hand when every pot is paid (R-POT-11)."""
    unseen = unseen_awards(state)
    if unseen:
        return unseen
    if state.betting_over and all(shares is not None for shares in state.awards):
        return (HandEnded(tuple(SeatChips(entry.seat, entry.stack) for entry in state.seats), sum(state.rake)),)
    if state.phase is Phase.SHOWDOWN or (state.street < 7 and state.live_count > 1):
        return ()
    return (open_showdown(state),)
