"""Fixed-limit betting: what a seat may do and what its action changes, by the one algorithm of Q-32 (R-BET, R-BRING, R-ALLIN)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from controller.hand.dealing import has_seventh
from controller.hand.events import ActionTaken, RoundOpened
from controller.hand.knobs import FourthPair, HalfBet, HeadsUpCap, LowAllIn, ShortBringIn
from controller.hand.openers import bring_in_seat, first_active, opener_seat
from controller.hand.state import Acted, HandState, Round, SeatHand, Status
from controller.hand.terms import Verb
from controller.hand.variants import STREETS


class LegalAction(NamedTuple):
    """One thing the actor may do: ``to`` is its total on the street afterwards, ``chips`` what it adds, ``rule`` why."""

    verb: Verb
    to: int
    chips: int
    all_in: bool
    rule: str


def open_round(state: HandState) -> RoundOpened | None:
    """The betting round of a street that is dealt, or ``None`` when nobody can bet (R-ANTE-04, R-ALLIN-04)."""
    if state.active_count < 2:
        return None
    street = state.street
    if street == 3:
        return _open_third(state)
    opener = opener_seat(state, street)
    return RoundOpened(
        street,
        opener,
        first_active(state, opener),
        post_due=False,
        pair_seats=_pair_seats(state),
        uncapped=_uncapped_at_start(state),
    )


def _open_third(state: HandState) -> RoundOpened:
    """The bring-in is due from the low card's owner, or in its place from the next with chips (R-BRING-07, R-EXP-02)."""
    opener = bring_in_seat(state)
    low = state.seats[state.index_of(opener)]
    if low.status is Status.KILLED and low.stack > 0:
        actor, may_fold = opener, False
    else:
        actor = first_active(state, opener)
        may_fold = actor != opener and (low.status is Status.REFUNDED or state.setup.rules.low_all_in is LowAllIn.NEXT_MAY_FOLD)
    return RoundOpened(3, opener, actor, post_due=True, pair_seats=(), uncapped=_uncapped_at_start(state), may_fold=may_fold)


def _pair_seats(state: HandState) -> tuple[int, ...]:
    """Live seats with an open pair when fourth street may be bet big (R-BET-05, R-BET-06, Q-38)."""
    if state.street != 4 or state.setup.rules.fourth_pair(state.setup.variant) is FourthPair.OFF:
        return ()
    return tuple(entry.seat for entry in state.seats if entry.live and entry.up[0].rank == entry.up[1].rank)


def _uncapped_at_start(state: HandState) -> bool:
    match state.setup.rules.heads_up_cap:
        case HeadsUpCap.CAPPED:
            return False
        case HeadsUpCap.UNCAPPED_BEFORE_CAP | HeadsUpCap.UNCAPPED_IF_ROUND_STARTS_HU:
            return state.active_count == 2
        case HeadsUpCap.UNCAPPED_LAST_TWO_IN_EVENT:
            return state.setup.last_two_in_event


def wager_sizes(state: HandState, seat: int) -> tuple[int, ...]:
    """Legal sizes of a full bet or raise for ``seat`` now, smallest first (R-SETUP-02, R-BET-05, Q-37, Q-39)."""
    stakes = state.setup.stakes
    if STREETS[state.street].big:
        return (stakes.big,)
    current = state.round
    if not current.pair_seats or stakes.small == stakes.big:
        return (stakes.small,)
    if current.big_made:
        return (stakes.big,)
    if state.setup.rules.fourth_pair(state.setup.variant) is FourthPair.PAIR_HOLDER_OPEN:
        holder_opens = not current.bet and not current.small_only and seat in current.pair_seats
        return (stakes.small, stakes.big) if holder_opens else (stakes.small,)
    return (stakes.small, stakes.big)


def may_wager(state: HandState, entry: SeatHand, sizes: Sequence[int]) -> bool:
    """Step 3 of Q-32: cap, an opponent with chips, betting open for this seat (R-BET-03, R-BET-08, R-BET-10)."""
    return wager_bar(state, entry, sizes) is None


def wager_bar(state: HandState, entry: SeatHand, sizes: Sequence[int]) -> tuple[str, str] | None:
    """Rule and code of what keeps ``entry`` from betting or raising; ``None`` when nothing does."""
    current = state.round
    rules = state.setup.rules
    if state.street == 6 and has_seventh(entry):
        return ("R-ERR-02", "kept_seventh")
    if current.bet and current.raises >= rules.max_raises and not current.uncapped:
        return ("R-BET-03", "cap_reached")
    if not any(other.active for other in state.seats if other.seat != entry.seat):
        return ("R-BET-10", "nobody_to_raise")
    if entry.acted is Acted.NO:
        return None
    if state.street == 3 and current.bet and entry.acted is Acted.BEFORE_BET:
        return None
    if _is_full(current.match - entry.street_chips, sizes[0], rules.half_bet):
        return None
    return ("R-BET-08", "not_reopened")


def _is_full(increment: int, size: int, half_bet: HalfBet) -> bool:
    """Whether an increment counts as a whole bet; halves are compared without rounding (R-BET-08, Q-32)."""
    return 2 * increment >= size if half_bet is HalfBet.HALF else increment >= size


def legal_actions(state: HandState) -> tuple[LegalAction, ...]:
    """Everything the seat to act may do, with amounts and the rule; empty when no seat is asked.

    At most one fold, check or call, and a bet, completion or raise of each legal size or all-in.
    """
    current = state.round
    if state.hold is not None or current.actor == 0:
        return ()
    entry = state.seats[state.index_of(current.actor)]
    if current.post_due:
        return _bring_in_actions(state, entry)
    owes = current.match - entry.street_chips
    actions: list[LegalAction] = []
    if owes > 0:
        chips = min(owes, entry.stack)
        all_in = chips == entry.stack
        actions.append(
            LegalAction(Verb.CALL, entry.street_chips + chips, chips, all_in, "R-ALLIN-01" if chips < owes else "R-BET-01")
        )
    else:
        actions.append(LegalAction(Verb.CHECK, entry.street_chips, 0, all_in=False, rule="R-OPEN-05"))
    sizes = wager_sizes(state, entry.seat)
    if may_wager(state, entry, sizes):
        actions.extend(_wagers(state, entry, sizes))
    actions.append(LegalAction(Verb.FOLD, entry.street_chips, 0, all_in=False, rule="R-BET-01" if owes > 0 else "R-DEAL-06"))
    return tuple(actions)


def _wagers(state: HandState, entry: SeatHand, sizes: Sequence[int]) -> list[LegalAction]:
    current = state.round
    base = current.level if current.bet else 0
    reach = entry.street_chips + entry.stack
    if current.bet:
        verb, rule = Verb.RAISE, "R-BET-03"
    elif current.match:
        verb, rule = Verb.COMPLETE, "R-BRING-06" if state.street == 3 else "R-BET-08"
    else:
        verb, rule = Verb.BET, "R-BET-01"
    actions = [
        LegalAction(
            verb,
            base + size,
            base + size - entry.street_chips,
            base + size == reach,
            "R-BET-05" if current.pair_seats and size == state.setup.stakes.big else rule,
        )
        for size in sizes
        if base + size <= reach
    ]
    if current.match < reach < base + sizes[-1] and reach not in [action.to for action in actions]:
        actions.append(LegalAction(verb, reach, entry.stack, all_in=True, rule="R-BET-09" if state.street == 3 else "R-BET-08"))
    return actions


def _bring_in_actions(state: HandState, entry: SeatHand) -> tuple[LegalAction, ...]:
    """Post or open for small; a short stack posts all it has (R-BRING-04, R-BRING-08, Q-15)."""
    stakes = state.setup.stakes
    post = min(stakes.bring_in, entry.stack)
    rule = "R-BRING-08" if post < stakes.bring_in else "R-BRING-04"
    actions = [LegalAction(Verb.BRING_IN, post, post, post == entry.stack, rule)]
    if entry.stack > stakes.bring_in and stakes.bring_in < stakes.small:
        to = min(stakes.small, entry.stack)
        actions.append(LegalAction(Verb.COMPLETE, to, to, to == entry.stack, "R-BRING-04" if to == stakes.small else "R-BET-09"))
    if state.round.may_fold:
        actions.append(LegalAction(Verb.FOLD, 0, 0, all_in=False, rule="R-BRING-07"))
    return tuple(actions)


def take_action(state: HandState, action: LegalAction) -> ActionTaken:
    """What a legal ``action`` of the actor changes: figures of the round and who is asked next (steps 1, 2 and 4 of Q-32)."""
    index = state.index_of(state.round.actor)
    entry = state.seats[index]
    figures = _figures_after(state, entry, action)
    acted = Acted.AFTER_BET if figures.bet else Acted.BEFORE_BET
    changed = entry._replace(
        stack=entry.stack - action.chips,
        street_chips=action.to,
        acted=acted,
        status=Status.FOLDED if action.verb is Verb.FOLD else entry.status,
    )
    seats = (*state.seats[:index], changed, *state.seats[index + 1 :])
    if action.verb is Verb.FOLD and state.round.post_due:
        actor = _next_poster(seats, index)
    else:
        actor = next_actor(seats, index, figures.match)
    uncapped = figures.uncapped or _uncaps(state, seats, figures.raises)
    return ActionTaken(
        entry.seat,
        action.verb,
        action.chips,
        action.to,
        action.all_in,
        figures.level,
        figures.match,
        figures.raises,
        figures.bet,
        figures.big_made,
        figures.small_only,
        uncapped,
        actor,
        free_fold=action.verb is Verb.FOLD and figures.match == entry.street_chips and not state.round.post_due,
    )


def _figures_after(state: HandState, entry: SeatHand, action: LegalAction) -> Round:
    current = state.round
    stakes = state.setup.stakes
    if action.verb is Verb.BRING_IN:
        return _after_post(state, action.to)
    if action.to <= current.match or action.verb is Verb.FOLD:
        return current
    sizes = wager_sizes(state, entry.seat)
    base = current.level if current.bet else 0
    increment = action.to - base
    if not _is_full(increment, sizes[0], state.setup.rules.half_bet):
        return current._replace(match=action.to)
    over_post = not current.bet and current.match > 0 and state.street == 3 and not current.post_due
    counts = current.bet or (over_post and state.setup.rules.completion_is_raise)
    pair = bool(current.pair_seats) and stakes.big > stakes.small
    return current._replace(
        level=action.to,
        match=action.to,
        raises=current.raises + (1 if counts else 0),
        bet=True,
        big_made=current.big_made or (pair and increment >= stakes.big),
        small_only=current.small_only or (pair and not current.bet and increment < stakes.big),
    )


def _after_post(state: HandState, post: int) -> Round:
    """Figures after the bring-in: a forced post is never a bet unless it is the small bet itself (R-BET-09, Q-16, Q-21)."""
    stakes = state.setup.stakes
    current = state.round
    match = stakes.bring_in
    if post < match and state.setup.rules.short_bring_in is ShortBringIn.MATCH_SHORT:
        match = post
    if stakes.bring_in == stakes.small:
        return current._replace(level=stakes.small, match=match, bet=True)
    return current._replace(match=match)


def _uncaps(state: HandState, seats: Sequence[SeatHand], raises: int) -> bool:
    """``uncapped_before_cap``: two left that are not all-in while a raise is still to come (R-BET-04, Q-40)."""
    rules = state.setup.rules
    if rules.heads_up_cap is not HeadsUpCap.UNCAPPED_BEFORE_CAP or raises >= rules.max_raises:
        return False
    return sum(1 for entry in seats if entry.active) == 2


def next_actor(seats: Sequence[SeatHand], index: int, match: int) -> int:
    """The next seat clockwise from ``index`` that is asked, 0 when the round is over (step 4 of Q-32, R-BET-16)."""
    live = active = 0
    for entry in seats:
        if entry.status is Status.LIVE:
            live += 1
            if entry.active:
                active += 1
    if live < 2 or active == 0:
        return 0
    count = len(seats)
    for step in range(1, count):
        entry = seats[(index + step) % count]
        if entry.active:
            if entry.street_chips < match:
                return entry.seat
            if entry.acted is Acted.NO and active > 1:
                return entry.seat
    return 0


def actor_without(state: HandState, gone: Sequence[int]) -> int:
    """Who is asked when the seats of ``gone`` drop out in the middle of the round; 0 when the round is over (R-BET-16)."""
    current = state.round
    if not current.actor:
        return 0
    seats = [entry._replace(status=Status.KILLED) if entry.seat in gone else entry for entry in state.seats]
    index = state.index_of(current.actor)
    if current.post_due:
        return current.actor if current.actor not in gone else _next_poster(seats, index)
    if current.actor not in gone:
        if sum(1 for entry in seats if entry.live) < 2:
            return 0
        index = (index - 1) % len(seats)
    return next_actor(seats, index, current.match)


def _next_poster(seats: Sequence[SeatHand], index: int) -> int:
    """After a fold in place of the post: the next seat with chips, unless it is the last one that has any (R-BRING-07, Q-25)."""
    if sum(1 for entry in seats if entry.active) < 2:
        return 0
    count = len(seats)
    for step in range(1, count):
        entry = seats[(index + step) % count]
        if entry.active:
            return entry.seat
    return 0
