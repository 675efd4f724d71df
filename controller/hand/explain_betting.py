"""Why a seat brings in or opens, what an action is, and why a round is over (R-BRING, R-OPEN, R-BET)."""

from __future__ import annotations

from controller.hand.betting import WAGERS, legal_actions, wager_bar, wager_sizes
from controller.hand.cards import Card
from controller.hand.evaluation import ace_low_order, board_value
from controller.hand.events import ActionTaken, RoundClosed, RoundOpened
from controller.hand.knobs import (
    BringInTie,
    CommunityOpener,
    FourthPair,
    HalfBet,
    OpenTie,
    SeventhExposed,
    ShortBringIn,
)
from controller.hand.openers import board
from controller.hand.state import HandState, SeatHand, Status
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.hand.why import Faces, Why, Word, faces, seats_of, why

_SUITS = ("clubs", "diamonds", "hearts", "spades")


def round_opened(before: HandState, event: RoundOpened) -> tuple[Why, ...]:
    """Who is asked first and why, the big bet beside an open pair, and whether there is no cap."""
    reasons = _bring_in(before, event) if event.street == 3 else _opening(before, event)
    if event.pair_seats and before.setup.stakes.big > before.setup.stakes.small:
        reasons = (*reasons, _pair_option(before, event))
    if event.uncapped:
        reasons = (*reasons, why("uncapped", "R-BET-04", raises=before.setup.rules.max_raises))
    return reasons


def _entry(state: HandState, seat: int) -> SeatHand:
    return state.seats[state.index_of(seat)]


def _door(entry: SeatHand) -> Card:
    """The card that counts for the bring-in; of a refunded hand the first exposed one (R-EXP-02)."""
    return entry.exposed[0] if entry.status is Status.REFUNDED else entry.up[0]


def _bring_in(before: HandState, event: RoundOpened) -> tuple[Why, ...]:
    low = _entry(before, event.opener)
    card = faces(_door(low))
    order = "highest" if before.setup.game.ace_low else "lowest"
    if event.actor == event.opener:
        reason = _bring_in_card(before, low, order)
        if low.status is Status.KILLED:
            return (reason, why("bring_in.dead_posts", "R-BRING-10", seat=low.seat))
        return (reason,)
    may = "may" if event.may_fold else "must"
    if low.status is Status.REFUNDED:
        return (why("bring_in.refunded", "R-EXP-02", seat=event.actor, low=low.seat, card=card),)
    return (why(f"bring_in.all_in.{order}.{may}", "R-BRING-07", seat=event.actor, low=low.seat, card=card),)


def _bring_in_card(before: HandState, low: SeatHand, order: str) -> Why:
    """The lowest door card, in razz the highest; what decides among equal ones (R-BRING-01, R-BRING-02)."""
    door = _door(low)
    rivals = [
        entry
        for entry in before.seats
        if entry.seat != low.seat
        and entry.up
        and (entry.live or entry.status is Status.KILLED)
        and _door(entry).rank == door.rank
    ]
    if not rivals:
        return why(f"bring_in.{order}", "R-BRING-01", seat=low.seat, card=faces(door))
    if before.setup.rules.bring_in_tie is BringInTie.NEAREST_DEALER_LEFT:
        others = seats_of(entry.seat for entry in rivals)
        return why(f"bring_in.{order}.left", "R-BRING-02", seat=low.seat, card=faces(door), others=others)
    suits = sorted(_door(entry).suit for entry in rivals)
    next_suit = Word(f"suit.{_SUITS[suits[-1] if before.setup.game.ace_low else suits[0]]}")
    own = Word(f"suit.{_SUITS[door.suit]}")
    return why(f"bring_in.{order}.suit", "R-BRING-02", seat=low.seat, card=faces(door), suit=own, next_suit=next_suit)


def _opening(before: HandState, event: RoundOpened) -> tuple[Why, ...]:
    rules, setup = before.setup.rules, before.setup
    ace_low = setup.game.ace_low
    shared = before.commons if rules.community_opener is CommunityOpener.RECOMPUTE else ()
    with_seventh = rules.seventh_exposed is SeventhExposed.RROP

    def value(entry: SeatHand) -> tuple[int, ...]:
        return board_value((*board(entry, with_seventh=with_seventh), *shared), ace_low=ace_low)

    opener = _entry(before, event.opener)
    own = board(opener, with_seventh=with_seventh)
    tied = [entry for entry in before.seats if entry.live and entry is not opener and value(entry) == value(opener)]
    order = "low" if ace_low else "high"
    rule = "R-OPEN-04" if ace_low else "R-OPEN-01"
    if tied:
        others = seats_of(entry.seat for entry in tied)
        by = "suit" if rules.open_tie(setup.variant) is OpenTie.HIGH_CARD_BY_SUIT else "left"
        reason = why(
            f"open.tie.{by}", "R-OPEN-02", seat=opener.seat, board=faces(*own), others=others, card=_top(own, ace_low=ace_low)
        )
    else:
        reason = why(f"open.{order}", rule, seat=opener.seat, board=faces(*own))
    reasons: tuple[Why, ...] = (reason,)
    if before.commons:
        shared_key = "open.common.recompute" if shared else "open.common.sixth"
        reasons = (*reasons, why(shared_key, "R-STUB-05", common=faces(*before.commons)))
    if event.actor != event.opener:
        reasons = (*reasons, why("open.all_in", "R-OPEN-03", seat=event.actor, opener=event.opener))
    return reasons


def _top(cards: tuple[Card, ...], *, ace_low: bool) -> Faces:
    return faces(max(cards, key=ace_low_order) if ace_low else max(cards))


def _pair_option(before: HandState, event: RoundOpened) -> Why:
    """On fourth street an open pair lets players bet big (R-BET-05, R-BET-06)."""
    stakes, variant = before.setup.stakes, before.setup.variant
    rule = "R-BET-05" if variant is VariantCode.STUD else "R-BET-06"
    holder = before.setup.rules.fourth_pair(variant) is FourthPair.PAIR_HOLDER_OPEN
    key = "pair_option.holder" if holder else "pair_option.any"
    return why(key, rule, seats=seats_of(event.pair_seats), small=stakes.small, big=stakes.big)


def action_taken(before: HandState, event: ActionTaken) -> tuple[Why, ...]:
    """What the action is under the rules, and what it ends: the cap, ghost cards, a missing cap between two."""
    reasons = [_turn(before, event), _action(before, event)]
    rules = before.setup.rules
    if event.raises > before.round.raises and event.raises >= rules.max_raises and not event.uncapped:
        reasons.append(why("cap", "R-BET-03", raises=event.raises, to=event.match))
    if event.uncapped and not before.round.uncapped:
        reasons.append(why("uncapped", "R-BET-04", raises=rules.max_raises))
    ghosts = [entry.seat for entry in before.seats if entry.status is Status.GHOST]
    if event.chips and ghosts:
        reasons.append(why("ghosts_end", "R-DEAL-06", seats=seats_of(ghosts)))
    return tuple(reason for reason in reasons if reason is not None)


def _turn(before: HandState, event: ActionTaken) -> Why | None:
    """Why this seat acts now when nobody asked it: out of turn, or away."""
    if event.seat != before.round.actor:
        return why("out_of_turn.fold", "R-BET-14", seat=event.seat, actor=before.round.actor)
    if any(waits.seat == event.seat for waits in before.waiting):
        return why("out_of_turn.binds", "R-BET-14", seat=event.seat)
    if _entry(before, event.seat).away and event.verb is Verb.CHECK:
        return why("away.checks", "R-ABS-02", seat=event.seat)
    return None


def _action(before: HandState, event: ActionTaken) -> Why:
    match event.verb:
        case Verb.BRING_IN:
            return _post(before, event)
        case Verb.CHECK:
            return why("act.check", "R-OPEN-05", seat=event.seat)
        case Verb.FOLD:
            return _fold(before, event)
        case Verb.CALL:
            owes = before.round.match - _entry(before, event.seat).street_chips
            if event.chips < owes:
                return why("act.call.short", "R-ALLIN-01", seat=event.seat, chips=event.chips, owes=owes)
            return why(
                "act.call.all_in" if event.all_in else "act.call", "R-BET-01", seat=event.seat, chips=event.chips, to=event.to
            )
        case Verb.COMPLETE | Verb.BET | Verb.RAISE:
            return _wager(before, event)


def _post(before: HandState, event: ActionTaken) -> Why:
    stakes = before.setup.stakes
    if event.to < stakes.bring_in:
        full = before.setup.rules.short_bring_in is ShortBringIn.OTHERS_OWE_FULL
        return why(f"act.post.short.{'full' if full else 'match'}", "R-BRING-08", seat=event.seat, to=event.to, owe=event.match)
    if stakes.bring_in == stakes.small:
        return why("act.post.is_bet", "R-BRING-03", seat=event.seat, to=event.to)
    return why("act.post", "R-BRING-04", seat=event.seat, to=event.to)


def _fold(before: HandState, event: ActionTaken) -> Why:
    if before.round.post_due and event.seat == before.round.actor:
        return why("act.fold.post", "R-BRING-07", seat=event.seat)
    if event.free_fold:
        ghost = before.setup.rules.ghost_cards
        return why("act.fold.ghost" if ghost else "act.fold.free", "R-DEAL-06", seat=event.seat)
    owes = before.round.match - _entry(before, event.seat).street_chips
    return why("act.fold", "R-BET-01", seat=event.seat, owes=owes)


def _wager(before: HandState, event: ActionTaken) -> Why:
    """A full bet, completion or raise, or an all-in that counts as one or does not (R-BET-02, R-BET-03, R-BET-08, R-BET-09)."""
    current, entry = before.round, _entry(before, event.seat)
    base = current.level if current.bet else 0
    sizes = wager_sizes(before, event.seat)
    increment = event.to - base
    if increment not in sizes:
        return _odd_all_in(before, event, base, sizes[0])
    values = {"seat": event.seat, "to": event.to}
    if current.post_due:
        return why("act.open_small", "R-BRING-04", **values)
    if event.raises > current.raises and current.bet:
        return _raise(before, event, increment)
    if current.match and before.street == 3:
        counts = event.raises > current.raises
        return why("act.complete.raise" if counts else "act.complete", "R-BET-02", **values)
    if current.match:
        return why("act.complete.short", "R-BET-08", **values, level=current.match)
    if current.pair_seats and increment == before.setup.stakes.big:
        return why("act.bet.pair", "R-BET-05", **values)
    return why("act.bet", "R-BET-01" if entry.street_chips == 0 else "R-BET-08", **values)


def _raise(before: HandState, event: ActionTaken, increment: int) -> Why:
    rules = before.setup.rules
    big = bool(before.round.pair_seats) and not before.round.big_made and increment == before.setup.stakes.big
    key = "act.raise.uncapped" if event.uncapped else "act.raise.pair" if big else "act.raise"
    rule = "R-BET-04" if event.uncapped else "R-BET-05" if big else "R-BET-03"
    return why(key, rule, seat=event.seat, to=event.to, number=event.raises, most=rules.max_raises)


def _odd_all_in(before: HandState, event: ActionTaken, base: int, size: int) -> Why:
    """An all-in between the legal sizes: a raise from half a bet on, measured from the last full level (R-BET-08, R-BET-09)."""
    increment = event.to - base
    third = before.street == 3 and not before.round.bet
    counts = event.level == event.to
    share = "full" if before.setup.rules.half_bet is HalfBet.FULL else "half"
    what = "raise" if before.round.bet else "bet"
    key = f"all_in.{share}.{what}" if counts else f"all_in.{share}.none"
    next_to = event.to + size if counts else base + size
    rule = "R-BET-09" if third else "R-BET-08"
    return why(key, rule, seat=event.seat, to=event.to, increment=increment, base=base, size=size, next=next_to)


def round_closed(before: HandState, event: RoundClosed) -> tuple[Why, ...]:
    """Why nobody is asked any more (R-BET-16, R-ALLIN-04)."""
    if before.live_count <= 1:
        return (why("closed.last_hand", "R-BET-16", street=Word(f"lbl.street.{event.street}")),)
    reasons = (why("closed", "R-BET-16", street=Word(f"lbl.street.{event.street}")),)
    if before.active_count < 2 and event.street < 7:
        return (*reasons, why("betting_over", "R-ALLIN-04"))
    return reasons


def why_allowed(state: HandState) -> tuple[Why, ...]:
    """Why the actor may do each of ``legal_actions``, in their order; for an all-in, whether it is a raise."""
    reasons = []
    for action in legal_actions(state):
        entry = _entry(state, state.round.actor)
        values: dict[str, int] = {"seat": entry.seat, "to": action.to, "chips": action.chips}
        key = f"may.{action.verb.value}"
        if action.verb in WAGERS:
            base = state.round.level if state.round.bet else 0
            if action.to - base not in wager_sizes(state, entry.seat):
                key = "may.all_in.raise" if _counts(state, action.to - base) else "may.all_in.noraise"
            elif action.verb is Verb.RAISE:
                values |= {"number": state.round.raises + 1, "most": state.setup.rules.max_raises}
                key = "may.raise.uncapped" if state.round.uncapped else key
        elif action.all_in and action.verb is Verb.CALL:
            key = "may.call.all_in"
        reasons.append(why(key, action.rule, **values))
    return tuple(reasons)


def _counts(state: HandState, increment: int) -> bool:
    size = wager_sizes(state, state.round.actor)[0]
    return 2 * increment >= size if state.setup.rules.half_bet is HalfBet.HALF else increment >= size


def why_barred(state: HandState) -> Why | None:
    """Why the actor may neither bet nor raise; ``None`` when it may, when it is to post, or when nobody is asked."""
    current = state.round
    if state.hold is not None or current.actor == 0 or current.post_due:
        return None
    bar = wager_bar(state, _entry(state, current.actor), wager_sizes(state, current.actor))
    if bar is None:
        return None
    rule, code = bar
    return why(f"barred.{code}", rule, seat=current.actor, raises=current.raises)
