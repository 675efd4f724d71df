"""Fixed-limit betting: what a seat may do and what its action changes, by the one algorithm of Q-32 (R-BET, R-BRING, R-ALLIN)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from controller.hand.dealing import has_seventh
from controller.hand.events import ActionTaken, RoundOpened
from controller.hand.knobs import FourthPair, HalfBet, HeadsUpCap, LowAllIn, ShortBringIn
from controller.hand.openers import bring_in_seat, first_active, opener_seat
from controller.hand.state import Acted, HandState, Round, SeatHand, Status
from controller.hand.terms import SeatChips, Verb
from controller.hand.variants import STREETS

WAGERS: Final = frozenset((Verb.COMPLETE, Verb.BET, Verb.RAISE))
"""What puts more in than is owed."""


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
    """Rule and code of what keeps ``entry`` from betting or raising; ``None`` when nothing does. A check does not (R-BET-07)."""
    current = state.round
    rules = state.setup.rules
    if state.street == 6 and has_seventh(state, entry):
        return ("R-ERR-02", "kept_seventh")
    if current.bet and current.raises >= rules.max_raises and not current.uncapped:
        return ("R-BET-03", "cap_reached")
    for other in state.seats:
        if other.stack > 0 and other.status is Status.LIVE and not other.declared and other is not entry:
            break
    else:
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
    actions = [_call_or_check(current, entry)]
    sizes = wager_sizes(state, entry.seat)
    if may_wager(state, entry, sizes):
        actions.extend(_wagers(state, entry, sizes))
    actions.append(_fold(current, entry))
    return tuple(actions)


def legal_action(state: HandState, verb: Verb, to: int) -> LegalAction | None:
    """The one of ``legal_actions`` that a call of ``verb`` and ``to`` means; ``None`` when there is none.

    Fold and check are meant whatever ``to`` says; bet, completion and raise are one another's names (R-BET-11).
    """
    current = state.round
    if state.hold is not None or current.actor == 0:
        return None
    entry = state.seats[state.index_of(current.actor)]
    if current.post_due:
        return _meant(_bring_in_actions(state, entry), verb, to)
    match verb:
        case Verb.FOLD:
            return _fold(current, entry)
        case Verb.CHECK | Verb.CALL:
            action = _call_or_check(current, entry)
            return action if action.verb is verb and (action.to == to or verb is Verb.CHECK) else None
        case Verb.BET | Verb.COMPLETE | Verb.RAISE:
            sizes = wager_sizes(state, entry.seat)
            return _meant(_wagers(state, entry, sizes), verb, to) if may_wager(state, entry, sizes) else None
        case Verb.BRING_IN:
            return None


def _meant(actions: Sequence[LegalAction], verb: Verb, to: int) -> LegalAction | None:
    for action in actions:
        same = action.verb is verb or (action.verb in WAGERS and verb in WAGERS)
        if same and (action.to == to or verb is Verb.CHECK or verb is Verb.FOLD):
            return action
    return None


def _call_or_check(current: Round, entry: SeatHand) -> LegalAction:
    owes = current.match - entry.street_chips
    if owes <= 0:
        return LegalAction(Verb.CHECK, entry.street_chips, 0, all_in=False, rule="R-OPEN-05")
    chips = min(owes, entry.stack)
    rule = "R-ALLIN-01" if chips < owes else "R-BET-01"
    return LegalAction(Verb.CALL, entry.street_chips + chips, chips, chips == entry.stack, rule)


def _fold(current: Round, entry: SeatHand) -> LegalAction:
    rule = "R-BET-01" if current.match > entry.street_chips else "R-DEAL-06"
    return LegalAction(Verb.FOLD, entry.street_chips, 0, all_in=False, rule=rule)


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
    fold = action.verb is Verb.FOLD
    others = state.seats[index + 1 :] + state.seats[:index]
    stays_active = not fold and entry.stack > action.chips
    if fold and state.round.post_due:
        actor = _next_poster(others)
    else:
        live = not fold and entry.live  # a dead hand may still have to post
        actor = next_actor(others, figures.match, is_live=live, is_active=live and stays_active)
    uncapped = figures.uncapped
    if not uncapped and state.setup.rules.heads_up_cap is HeadsUpCap.UNCAPPED_BEFORE_CAP:
        before = _uncaps(state, others, state.round.raises, is_active=entry.active)  # a ruling may have left two (R-POT-10, Q-52)
        uncapped = before or _uncaps(state, others, figures.raises, is_active=stays_active)
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
    """Steps 1 and 2 of Q-32; a completion is the bet, a raise only where the house counts it (R-BET-02)."""
    current = state.round
    if action.verb is Verb.BRING_IN:
        return _after_post(state, action.to)
    if action.to <= current.match or action.verb is Verb.FOLD:
        return current
    stakes = state.setup.stakes
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


def _uncaps(state: HandState, others: Sequence[SeatHand], raises: int, *, is_active: bool) -> bool:
    """``uncapped_before_cap``: two left that are not all-in while a raise is still to come (R-BET-04, Q-40)."""
    return raises < state.setup.rules.max_raises and is_active + sum(1 for entry in others if entry.active) == 2


def next_actor(others: Sequence[SeatHand], match: int, *, is_live: bool, is_active: bool) -> int:
    """The next seat that is asked, 0 when the round is over (step 4 of Q-32, R-BET-16).

    A bring-in is an action: its owner is asked again only when somebody went above it (R-BRING-05).

    ``others`` are all seats but the one that acted, clockwise from it; ``is_live`` and ``is_active`` tell what it is now.
    """
    live, active = int(is_live), int(is_active)
    first = behind = 0
    for entry in others:
        if entry.status is not Status.LIVE:
            continue
        live += 1
        if entry.stack > 0 and not entry.declared:
            active += 1
            if entry.street_chips < match:
                behind = behind or entry.seat
                first = first or entry.seat
            elif entry.acted is Acted.NO:
                first = first or entry.seat
        if first and active > 1:
            return first
    return behind if live > 1 else 0


def actor_without(state: HandState, gone: Sequence[int]) -> int:
    """Who is asked when the seats of ``gone`` drop out in the middle of the round; 0 when the round is over (R-BET-16).

    Nobody owes a bet that dies uncalled with its hand (Q-43).
    """
    current = state.round
    if not current.actor:
        return 0
    index = state.index_of(current.actor)
    seats = tuple(entry._replace(status=Status.KILLED) if entry.seat in gone else entry for entry in state.seats)
    others = seats[index + 1 :] + seats[:index]
    if current.post_due:
        if current.actor in gone:
            return _next_poster(others)
        return current.actor if any(entry.active for entry in others) else 0
    back = withdrawn_bet(state, gone)
    match = current.match - back.chips if back else current.match
    first = others if current.actor in gone else (seats[index], *others)
    return next_actor(first, match, is_live=False, is_active=False)


def withdrawn_bet(state: HandState, gone: Sequence[int]) -> SeatChips | None:
    """The uncalled bet of a hand that drops out: it goes back and the price falls by it; ante and post stay (Q-43, Q-54)."""
    owner = max((entry for entry in state.seats if entry.seat in gone), key=lambda entry: entry.street_chips)
    second = max((entry.street_chips for entry in state.seats if entry is not owner), default=0)
    excess = min(owner.street_chips - second, owner.total - owner.forced)
    return SeatChips(owner.seat, excess) if excess > 0 else None


def _next_poster(others: Sequence[SeatHand]) -> int:
    """After a fold in place of the post: the next seat with chips, unless it is the last one that has any (R-BRING-07, Q-25)."""
    able = [entry.seat for entry in others if entry.active]
    return able[0] if len(able) > 1 else 0
