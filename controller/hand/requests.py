"""Requests of ordinary play: antes, actions, tabling, awards, void; each leads to events or is refused with its rule."""

from __future__ import annotations

from controller.hand.betting import WAGERS, legal_action, legal_actions, take_action, wager_bar, wager_sizes
from controller.hand.commands import Act, MuckHand, PostAnte, Refusal, TableHand, VoidHand
from controller.hand.events import AntePosted, HandEvent, HandMucked, HandTabled, HandVoided
from controller.hand.showdown import all_tabled, may_muck, proposed_awards, to_show
from controller.hand.state import HandState, Phase, public_cards
from controller.hand.terms import SeatChips, Verb


def refused_now(state: HandState, phase: Phase, code: str) -> Refusal | None:
    """The refusal of a request that is out of its phase or comes during a hold (R-RULE-01)."""
    if state.over:
        return Refusal("R-BET-16", "hand_is_over", (("hand", state.setup.number),))
    if state.hold is not None:
        return Refusal("R-RULE-01", "held")
    return None if state.phase is phase else Refusal("R-DEAL-04", code, (("street", state.street),))


def post_ante(state: HandState, given: PostAnte) -> tuple[HandEvent, ...] | Refusal:
    """The ante, or all that the seat has (R-ANTE-01, R-ANTE-02)."""
    index = state.index_of(given.seat)
    if index < 0:
        return Refusal("R-ANTE-01", "not_in_hand", (("seat", given.seat),))
    entry = state.seats[index]
    if entry.ante_posted:
        return Refusal("R-ANTE-01", "ante_is_posted", (("seat", given.seat),))
    return (AntePosted(given.seat, min(entry.stack, state.setup.stakes.ante)),)


def act(state: HandState, given: Act) -> tuple[HandEvent, ...] | Refusal:
    """The actor acts as the rules allow, or is refused by the rule it breaks (R-BET-01, R-BET-14)."""
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


def table_hand(state: HandState, given: TableHand) -> tuple[HandEvent, ...] | Refusal:
    """Every card of a live hand becomes public (R-SHOW-04, R-SHOW-05)."""
    index = state.index_of(given.seat)
    if index < 0 or not state.seats[index].live or state.seats[index].mucked:
        return Refusal("R-SHOW-04", "no_hand_to_table", (("seat", given.seat),))
    entry = state.seats[index]
    if all_tabled(entry):
        return Refusal("R-SHOW-05", "already_tabled", (("seat", given.seat),))
    unread = entry.cards.count(None)
    if len(given.cards) != unread:
        return Refusal("R-SHOW-04", "cards_to_key", (("seat", given.seat), ("cards", unread)))
    if len({*given.cards}) < unread or public_cards(state) & {*given.cards}:
        return Refusal("R-MIS-08", "card_is_seen")
    keyed = iter(given.cards)
    cards = tuple(next(keyed) if card is None else card for card in entry.cards)
    return (HandTabled(given.seat, cards),) if len({*cards}) == len(cards) else Refusal("R-MIS-08", "card_is_seen")


def muck_hand(state: HandState, given: MuckHand) -> tuple[HandEvent, ...] | Refusal:
    """A live hand is conceded unseen (R-SHOW-04)."""
    if state.index_of(given.seat) < 0 or not may_muck(state, given.seat):
        return Refusal("R-POT-10", "may_not_muck", (("seat", given.seat),))
    return (HandMucked(given.seat),)


def award_pots(state: HandState) -> tuple[HandEvent, ...] | Refusal:
    """What the tabled cards win, once everybody has shown who must (R-SHOW-05)."""
    waiting = to_show(state)
    if waiting:
        return Refusal("R-SHOW-04", "hands_to_show", (("seats", " ".join(map(str, waiting))),))
    return proposed_awards(state)


def void_hand(state: HandState, given: VoidHand) -> tuple[HandEvent, ...] | Refusal:
    """Every contribution goes back, antes included (R-RULE-03, R-ANTE-05)."""
    if state.phase is Phase.VOIDED:  # a hand that ended can be void until the next one starts (R-MIS-08)
        return Refusal("R-RULE-03", "hand_is_over", (("hand", state.setup.number),))
    refunds = tuple(SeatChips(entry.seat, entry.total) for entry in state.seats if entry.total)
    return (HandVoided(given.reason, refunds),)
