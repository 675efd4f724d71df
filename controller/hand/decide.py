"""What an input leads to: events, or a refusal with its rule. Pure; the caller makes events durable before acting on them."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from controller.hand.betting import WAGERS, legal_action, legal_actions, open_round, take_action, wager_bar, wager_sizes
from controller.hand.commands import (
    Act,
    AwardPots,
    CardLaid,
    FeltRight,
    FeltWrong,
    HandInput,
    MuckHand,
    PostAnte,
    Refusal,
    StubReloaded,
    TableHand,
    VoidHand,
)
from controller.hand.dealing import count_stub, street_due
from controller.hand.events import (
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
    HandTabled,
    HandVoided,
    HoldLifted,
    PotsFixed,
    RoundClosed,
    SeatChips,
    SeventhPlan,
    StubScrambled,
    UncalledReturned,
    Verb,
)
from controller.hand.evolve import evolve
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.pots import build_pots, rake_pots, uncalled
from controller.hand.showdown import may_muck, open_showdown, proposed_awards, to_show, unseen_awards
from controller.hand.state import HandState, Phase


class Decision(NamedTuple):
    """Events in order, and the state after them."""

    events: tuple[HandEvent, ...]
    state: HandState


def decide(state: HandState, given: HandInput) -> Decision | Refusal:
    """Events that ``given`` leads to, with everything that follows by itself, or the refusal of a request.

    An observation is never refused: an unexpected one puts the hand on hold (R-ERR-08).
    """
    first = _first(state, given)
    if isinstance(first, Refusal):
        return first
    events = pending = first
    while pending:  # bounded: each turn closes a street or awards a pot
        for event in pending:
            state = evolve(state, event)
        pending = _consequences(state)
        if pending:
            events = (*events, *pending)
    return Decision(events, state)


def _first(state: HandState, given: HandInput) -> tuple[HandEvent, ...] | Refusal:
    match given:
        case CardLaid():
            return _card_laid(state, given)
        case Act():
            playing = state.phase is Phase.BETTING and state.hold is None  # told apart at once: most inputs come here
            return _act(state, given) if playing else _refused_now(state, Phase.BETTING, "no_betting") or _act(state, given)
        case PostAnte():
            return _refused_now(state, Phase.ANTES, "antes_are_posted") or _post_ante(state, given)
        case TableHand():
            return _refused_now(state, Phase.SHOWDOWN, "no_showdown") or _table_hand(state, given)
        case MuckHand():
            return _refused_now(state, Phase.SHOWDOWN, "no_showdown") or _muck_hand(state, given)
        case AwardPots():
            return _refused_now(state, Phase.SHOWDOWN, "no_showdown") or _award_pots(state)
        case VoidHand():
            return _void_hand(state, given)
        case StubReloaded():
            return _stub_reloaded(state, given)
        case FeltWrong():
            return () if state.over or state.hold is not None else (HandHeld(given.code, given.place),)
        case FeltRight():
            return () if state.hold is None else (HoldLifted(state.hold.code),)
        case _:
            assert_never(given)


def _refused_now(state: HandState, phase: Phase, code: str) -> Refusal | None:
    """The refusal of a request that is out of its phase or comes during a hold (R-RULE-01)."""
    if state.over:
        return Refusal("R-BET-16", "hand_is_over", (("hand", state.setup.number),))
    if state.hold is not None:
        return Refusal("R-RULE-01", "held")
    return None if state.phase is phase else Refusal("R-DEAL-04", code, (("street", state.street),))


def _post_ante(state: HandState, given: PostAnte) -> tuple[HandEvent, ...] | Refusal:
    index = state.index_of(given.seat)
    if index < 0:
        return Refusal("R-ANTE-01", "not_in_hand", (("seat", given.seat),))
    entry = state.seats[index]
    if entry.ante_posted:
        return Refusal("R-ANTE-01", "ante_is_posted", (("seat", given.seat),))
    return (AntePosted(given.seat, min(entry.stack, state.setup.stakes.ante)),)


def _card_laid(state: HandState, given: CardLaid) -> tuple[HandEvent, ...]:
    if state.over or state.hold is not None:
        return ()
    if state.phase is not Phase.DEALING or state.dealt >= len(state.due):
        return (HandHeld("premature_card", given.place),)
    due = state.due[state.dealt]
    if due.place is not given.place and due.place != given.place:
        return (HandHeld("wrong_place", given.place),)
    if isinstance(due.place, SeatPlace):
        if given.card is None and due.place.zone is Zone.UP:  # bring-in and opener are read from it (R-OPEN-01)
            return (HandHeld("card_unknown", given.place),)
        made = GhostDealt if due.ghost else CardDealt
        return (made(state.street, due.place, given.card),)
    if due.place is Spot.BURN:
        return (BurnMade(state.street, given.card),)
    return (HandHeld("card_unknown", given.place),) if given.card is None else (CommunityDealt(given.card),)


def _act(state: HandState, given: Act) -> tuple[HandEvent, ...] | Refusal:
    if given.seat != state.round.actor:
        return Refusal("R-BET-14", "not_your_turn", (("seat", given.seat), ("actor", state.round.actor)))
    action = legal_action(state, given.verb, given.to)
    return _why_illegal(state, given) if action is None else (take_action(state, action),)


def _why_illegal(state: HandState, given: Act) -> Refusal:
    """The rule that a request breaks, with the amounts that would be right."""
    current = state.round
    entry = state.seats[state.index_of(given.seat)]
    amounts = {action.verb: action.to for action in legal_actions(state)}
    if current.post_due:
        return Refusal("R-BRING-04", "must_bring_in", (("seat", given.seat), ("to", amounts[Verb.BRING_IN])))
    owes = current.match - entry.street_chips
    match given.verb:
        case Verb.CHECK:
            return Refusal("R-BET-01", "check_facing_bet", (("seat", given.seat), ("owes", owes)))
        case Verb.CALL if owes <= 0:
            return Refusal("R-BET-01", "nothing_to_call", (("seat", given.seat),))
        case Verb.CALL:
            return Refusal("R-BET-11", "wrong_call", (("seat", given.seat), ("to", amounts[Verb.CALL]), ("given", given.to)))
        case Verb.BRING_IN:
            return Refusal("R-BRING-01", "no_bring_in_due", (("seat", given.seat),))
        case _:
            return _why_no_wager(state, given)


def _why_no_wager(state: HandState, given: Act) -> Refusal:
    entry = state.seats[state.index_of(given.seat)]
    bar = wager_bar(state, entry, wager_sizes(state, given.seat))
    if bar is not None:
        rule, code = bar
        return Refusal(rule, code, (("seat", given.seat), ("raises", state.round.raises)))
    allowed = " / ".join(str(action.to) for action in legal_actions(state) if action.verb in WAGERS)
    rule = "R-BET-05" if state.round.pair_seats else "R-BET-11"
    return Refusal(rule, "wrong_amount", (("seat", given.seat), ("given", given.to), ("allowed", allowed)))


def _table_hand(state: HandState, given: TableHand) -> tuple[HandEvent, ...] | Refusal:
    index = state.index_of(given.seat)
    if index < 0 or not state.seats[index].live or state.seats[index].mucked:
        return Refusal("R-SHOW-04", "no_hand_to_table", (("seat", given.seat),))
    entry = state.seats[index]
    if entry.tabled is not None:
        return Refusal("R-SHOW-05", "already_tabled", (("seat", given.seat),))
    cards = tuple(card for card in entry.cards if card is not None)
    if len(cards) < len(entry.cards):
        return Refusal("R-SHOW-04", "cards_not_read", (("seat", given.seat),))
    return (HandTabled(given.seat, cards),)


def _muck_hand(state: HandState, given: MuckHand) -> tuple[HandEvent, ...] | Refusal:
    if state.index_of(given.seat) < 0 or not may_muck(state, given.seat):
        return Refusal("R-POT-10", "may_not_muck", (("seat", given.seat),))
    return (HandMucked(given.seat),)


def _award_pots(state: HandState) -> tuple[HandEvent, ...] | Refusal:
    waiting = to_show(state)
    if waiting:
        return Refusal("R-SHOW-04", "hands_to_show", (("seats", " ".join(map(str, waiting))),))
    return proposed_awards(state)


def _void_hand(state: HandState, given: VoidHand) -> tuple[HandEvent, ...] | Refusal:
    if state.over:
        return Refusal("R-RULE-03", "hand_is_over", (("hand", state.setup.number),))
    refunds = tuple(SeatChips(entry.seat, entry.total) for entry in state.seats if entry.total)
    return (HandVoided(given.reason, refunds),)


def _stub_reloaded(state: HandState, given: StubReloaded) -> tuple[HandEvent, ...]:
    if state.phase is not Phase.SCRAMBLE:
        return () if state.over or state.hold is not None else (HandHeld("unexpected_load", None),)
    if given.cards != state.stub + state.burns:
        return () if state.hold is not None else (HandHeld("stub_count", None),)
    lifted: tuple[HandEvent, ...] = () if state.hold is None else (HoldLifted(state.hold.code),)
    return (*lifted, StubScrambled(given.cards))


def _consequences(state: HandState) -> tuple[HandEvent, ...]:
    """What follows by itself: rounds open and close, streets start, pots that nobody contests are paid."""
    if state.hold is not None:
        return ()
    match state.phase:
        case Phase.DEALING:
            return () if state.dealt < len(state.due) else _after_deal(state)
        case Phase.BETTING:
            return () if state.round.actor else _close_round(state)
        case Phase.ANTES:
            return (_start_deal(state, 3),) if all(entry.ante_posted for entry in state.seats) else ()
        case Phase.SHOWDOWN:
            return _settle(state)
        case Phase.SCRAMBLE:
            scrambled = state.seventh is not None and not state.burns
            return (_start_deal(state, 7),) if scrambled else ()
        case Phase.ENDED | Phase.VOIDED:
            return ()


def _start_deal(state: HandState, street: int) -> DealStarted:
    return DealStarted(street, street_due(state, street))


def _after_deal(state: HandState) -> tuple[HandEvent, ...]:
    """All cards of the street lie: betting, or none when at most one seat has chips (R-ALLIN-04)."""
    opened = None if state.betting_over else open_round(state)
    if opened is not None:
        return (opened,)
    if not state.betting_over:
        back = uncalled(state)
        if back is not None:
            return (UncalledReturned(back.seat, back.chips),)
        return (_fix_pots(state),)
    return unseen_awards(state) or _next_street(state) or _settle(state)


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


def _next_street(state: HandState) -> tuple[HandEvent, ...]:
    """The next street's deal, with the stub test before seventh (R-STUB-02); empty after seventh or with one live hand."""
    if state.live_count == 1 or state.street == 7:
        return ()
    if state.street < 6:
        return (_start_deal(state, state.street + 1),)
    counted = count_stub(state)
    if counted.plan in (SeventhPlan.REUSE_BURNS, SeventhPlan.SCRAMBLE_COMMUNITY):
        return (counted,)
    return (counted, _start_deal(evolve(state, counted), 7))


def _settle(state: HandState) -> tuple[HandEvent, ...]:
    """Pay what is decided; open the showdown; end the hand when every pot is paid (R-POT-11)."""
    unseen = unseen_awards(state)
    if unseen:
        return unseen
    if all(shares is not None for shares in state.awards):
        return (HandEnded(tuple(SeatChips(entry.seat, entry.stack) for entry in state.seats), sum(state.rake)),)
    return () if state.phase is Phase.SHOWDOWN else (open_showdown(state),)
