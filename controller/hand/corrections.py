"""Corrections of what people did or entered: undo, out of turn, wrong opener, silent chips, absence, clock."""

from __future__ import annotations

from controller.hand.betting import WAGERS, LegalAction, actor_without, legal_actions, take_action, wager_sizes, withdrawn_bet
from controller.hand.commands import (
    ExpireClock,
    LeaveTable,
    NoteOutOfTurn,
    OpenedBy,
    PutChips,
    Refusal,
    ReturnToTable,
    Role,
    UndoAction,
    UndoAward,
)
from controller.hand.events import ActionTaken, HandEvent, UncalledReturned
from controller.hand.irregular_events import (
    ActionUndone,
    ActorMoved,
    AwardUndone,
    DeadCause,
    HandsKilled,
    OutOfTurnNoted,
    OutOfTurnReleased,
    SeatAway,
    SeatBack,
)
from controller.hand.state import Acted, HandState, OutOfTurn, Phase, Status
from controller.hand.terms import Verb
from controller.hand.windows import may_undo_action, may_undo_award

Outcome = tuple[HandEvent, ...] | Refusal


def undo_action(state: HandState, given: UndoAction) -> Outcome:
    """Everything as before the last action that somebody took, or the last ``count`` of them, or why it is too late (R-RULE-02,
    Q-84).

    What followed it by itself (a waiting action, an absent player's check) is taken back with it, since it would come again.
    """
    before = state.previous
    if before is None or not may_undo_action(state, given.role):
        floor = before is not None and before.phase is Phase.BETTING and state.phase is not Phase.VOIDED
        return Refusal("R-RULE-02", "undo_is_floors" if floor else "too_late_to_undo")
    undone = [ActionUndone(before.round.actor)]
    left = given.count - 1
    while left or by_itself(before):
        if before.previous is None or not may_undo_action(before, Role.FLOOR):
            return Refusal("R-RULE-02", "too_late_to_undo")
        left -= not by_itself(before)
        before = before.previous
        undone.append(ActionUndone(before.round.actor))
    return tuple(undone)


def undo_award(state: HandState, _: UndoAward) -> Outcome:
    """Back to the showdown (R-RULE-04)."""
    return (AwardUndone(),) if may_undo_award(state) else Refusal("R-SHOW-10", "no_award_to_undo")


def note_out_of_turn(state: HandState, given: NoteOutOfTurn) -> Outcome:
    """A fold before its turn always stands; anything else waits and binds unless the price changes (R-BET-14, Q-42, Q-43)."""
    index = state.index_of(given.seat)
    if state.phase is not Phase.BETTING or index < 0 or not state.seats[index].active:
        return Refusal("R-BET-14", "cannot_act", (("seat", given.seat),))
    if given.seat == state.round.actor:
        return Refusal("R-BET-14", "is_in_turn", (("seat", given.seat),))
    if given.verb is Verb.FOLD:  # also of a seat whose other action waits: that one is gone with the hand
        return _fold_out_of_turn(state, given.seat)
    if any(waits.seat == given.seat for waits in state.waiting):
        return Refusal("R-BET-14", "already_waits", (("seat", given.seat),))
    return (OutOfTurnNoted(given.seat, given.verb, given.to, state.round.match),)


def _fold_out_of_turn(state: HandState, seat: int) -> tuple[HandEvent, ...]:
    current, entry = state.round, state.seats[state.index_of(seat)]
    fold = ActionTaken(
        seat,
        Verb.FOLD,
        0,
        entry.street_chips,
        all_in=False,
        level=current.level,
        match=current.match,
        raises=current.raises,
        bet=current.bet,
        big_made=current.big_made,
        small_only=current.small_only,
        uncapped=current.uncapped,
        actor=actor_without(state, (seat,)),
        free_fold=current.match == 0 and not current.post_due,
    )
    back = withdrawn_bet(state, (seat,)) if fold.actor else None
    return (fold,) if back is None else (fold, UncalledReturned(back.seat, back.chips))


def waiting_action(state: HandState) -> tuple[HandEvent, ...]:
    """What a waiting action of the actor comes to at its turn: it is taken, or released since the price changed (Q-42)."""
    if not state.waiting:
        return ()
    waits = next((waits for waits in state.waiting if waits.seat == state.round.actor), None)
    if waits is None or state.round.post_due:
        return ()
    if waits.match != state.round.match:
        return (OutOfTurnReleased(waits.seat),)
    action = _bound(state, waits)
    return (OutOfTurnReleased(waits.seat),) if action is None else (take_action(state, action),)


def _bound(state: HandState, waits: OutOfTurn) -> LegalAction | None:
    """The legal action that a waiting one binds to; a raise that became illegal is a call."""
    legal = legal_actions(state)
    for action in legal:
        same = action.verb is waits.verb or (action.verb in WAGERS and waits.verb in WAGERS)
        if same and (action.to == waits.to or action.verb in (Verb.CHECK, Verb.CALL)):
            return action
    if waits.verb in WAGERS:  # of a wrong size it is put right, and where no raise is possible it is a call (R-BET-11, Q-42)
        return next((action for verbs in (WAGERS, (Verb.CALL,)) for action in legal if action.verb in verbs), None)
    return None


def opened_by(state: HandState, given: OpenedBy) -> Outcome:
    """A wrong bring-in or opening that stands, since the next player has acted on it (R-BRING-09, Q-28)."""
    index = state.index_of(given.seat)
    untouched = all(entry.acted is Acted.NO for entry in state.seats if entry.live)
    if state.phase is not Phase.BETTING or not untouched:
        return Refusal("R-BRING-09", "round_is_under_way")
    if index < 0 or not state.seats[index].active or given.seat == state.round.actor:
        return Refusal("R-BRING-09", "cannot_open", (("seat", given.seat),))
    return (ActorMoved(given.seat),)


def put_chips(state: HandState, given: PutChips) -> Outcome:
    """What chips without a word mean (R-BET-12): at least half a bet more in several pieces is a raise, less is a call."""
    if state.phase is not Phase.BETTING or given.seat != state.round.actor:
        return Refusal("R-BET-14", "not_your_turn", (("seat", given.seat), ("actor", state.round.actor)))
    action = read_chips(state, given.chips, given.pieces)
    if action is None:
        return Refusal("R-BET-12", "ask_the_player", (("seat", given.seat), ("chips", given.chips)))
    return (take_action(state, action),)


def read_chips(state: HandState, chips: int, pieces: int) -> LegalAction | None:
    """The legal action that ``chips`` in ``pieces`` stand for; ``None`` when the dealer must ask (R-BET-11, R-BET-12, Q-46)."""
    legal = legal_actions(state)
    by_verb = {action.verb: action for action in legal}
    wagers = [action for action in legal if action.verb in WAGERS]
    if Verb.BRING_IN in by_verb:
        return by_verb[Verb.BRING_IN] if chips <= by_verb[Verb.BRING_IN].chips or not wagers else wagers[0]
    call = by_verb.get(Verb.CALL)
    if call is None:
        return _opening(chips, pieces, wagers)
    if pieces == 1 or not wagers or chips <= call.chips:
        return call
    exact = next((action for action in wagers if action.chips == chips), None)
    if exact is not None:
        return exact
    size = wager_sizes(state, state.round.actor)[0]
    return wagers[0] if 2 * (chips - call.chips) >= size else call


def _opening(chips: int, pieces: int, wagers: list[LegalAction]) -> LegalAction | None:
    """Silent chips with no bet to call: the legal bet; with an open pair one piece of the big bet is big (Q-46)."""
    if len(wagers) < 2:
        return wagers[0] if wagers else None
    small, big = wagers[0], wagers[-1]
    if pieces == 1 and chips >= big.chips:
        return big
    return small if chips == small.chips else None


def leave_table(state: HandState, given: LeaveTable) -> Outcome:
    """The player is away; what follows depends on whether a bet is faced (R-ABS-01, R-ABS-02)."""
    index = state.index_of(given.seat)
    if state.over or index < 0 or not state.seats[index].live or state.seats[index].away:
        return Refusal("R-ABS-01", "not_at_table", (("seat", given.seat),))
    return (SeatAway(given.seat),)


def return_to_table(state: HandState, given: ReturnToTable) -> Outcome:
    """The player is back."""
    index = state.index_of(given.seat)
    if state.over or index < 0 or not state.seats[index].away:
        return Refusal("R-ABS-01", "not_away", (("seat", given.seat),))
    return (SeatBack(given.seat),)


def expire_clock(state: HandState, given: ExpireClock) -> Outcome:
    """Facing a bet the hand is dead, otherwise the seat checks; a bring-in is posted (R-ABS-04, R-BRING-10)."""
    if state.phase is not Phase.BETTING or given.seat != state.round.actor:
        return Refusal("R-ABS-04", "not_your_turn", (("seat", given.seat), ("actor", state.round.actor)))
    return forced_action(state, DeadCause.CLOCK)


def forced_action(state: HandState, cause: DeadCause) -> tuple[HandEvent, ...]:
    """What an absent or silent actor does: posts, checks, or is dead facing a bet (R-ABS-02, R-ABS-04, R-BRING-10)."""
    by_verb = {action.verb: action for action in legal_actions(state)}
    for verb in (Verb.BRING_IN, Verb.CHECK):
        if verb in by_verb:
            return (take_action(state, by_verb[verb]),)
    actor = state.round.actor
    return (HandsKilled((actor,), cause, actor_without(state, (actor,))),)


def by_itself(state: HandState) -> tuple[HandEvent, ...]:
    """What the actor's turn comes to without a word: a waiting action, an absent player, a dead hand that must post."""
    waiting = waiting_action(state)
    if waiting:
        return waiting
    entry = state.seats[state.index_of(state.round.actor)]
    if entry.away:
        return forced_action(state, DeadCause.ABSENT)
    if entry.status is Status.KILLED and state.round.post_due:
        return forced_action(state, DeadCause.PENALTY)
    return ()
