"""Slips of the deal and their rulings: the house rule's answer, recomputed, never typed in (R-EXP, R-MIS, R-ERR)."""

from __future__ import annotations

from controller.hand.betting import actor_without, legal_actions, open_round, take_action, withdrawn_bet
from controller.hand.cards import Card
from controller.hand.commands import (
    ChooseDoor,
    DeclareAllIn,
    DeclareMisdeal,
    DropStub,
    ExposeHole,
    ExposeSeventh,
    KeepExtraAsBurn,
    KillHands,
    LetSee,
    PrematureCards,
    RedoSeventh,
    Refusal,
    ReplaceBoxed,
    RetrieveHand,
    Role,
    ScrapCard,
)
from controller.hand.dealing import RELOAD, TO_COMMON, has_seventh, lacks_card
from controller.hand.events import DealStarted, HandEvent, RoundClosed, UncalledReturned
from controller.hand.evolve import evolve
from controller.hand.evolve_irregular import gives_all_back
from controller.hand.irregular_events import (
    AllInDeclared,
    BoxedReplaced,
    BurnedEarly,
    CardEliminated,
    CardScrapped,
    CardsReturned,
    DoorChosen,
    HandRefunded,
    HandRetrieved,
    HandSeen,
    HandsKilled,
    HoleExposed,
    MisdealCause,
    MisdealDeclared,
    Scrap,
    SeventhKept,
    SeventhRedone,
    SeventhReplaced,
    SeventhShown,
)
from controller.hand.knobs import DoorDown, HoleAndDoor, OneHole, Premature, SeventhExposed, TwoHole
from controller.hand.places import SeatPlace, Zone
from controller.hand.showdown import claimants
from controller.hand.state import HandState, Phase, SeatHand, Status, public_cards
from controller.hand.terms import Due, SeatChips, Verb
from controller.hand.windows import acts_in_turn, before_action, substantial_action

Outcome = tuple[HandEvent, ...] | Refusal


def _live(state: HandState, seat: int) -> SeatHand | None:
    index = state.index_of(seat)
    return state.seats[index] if index >= 0 and state.seats[index].live else None


def _not_live(rule: str, seat: int) -> Refusal:
    return Refusal(rule, "no_live_hand", (("seat", seat),))


def misdeal(state: HandState, given: DeclareMisdeal) -> Outcome:
    """The deal is given up before substantial action; afterwards the hand is played out (R-MIS-01 to R-MIS-04)."""
    if state.over or (state.street != 3 and not (state.street == 4 and state.dealt == 0)):
        return Refusal("R-MIS-04", "deal_is_past")
    if substantial_action(state):
        acts = acts_in_turn(state)
        return Refusal("R-MIS-04", "substantial_action", (("acts", acts),)) if acts > 1 else Refusal("R-MIS-04", "past_the_burn")
    return (MisdealDeclared(given.cause, _bets(state)),)


def _bets(state: HandState) -> tuple[SeatChips, ...]:
    """What each seat has in beyond its ante, which stays for the redeal (R-MIS-03, R-ANTE-05)."""
    return tuple(SeatChips(entry.seat, entry.total - entry.ante) for entry in state.seats if entry.total > entry.ante)


def expose_hole(state: HandState, given: ExposeHole) -> Outcome:
    """A down card exposed by the dealer, by the house rule (R-EXP-01 to R-EXP-03, Q-58, Q-59)."""
    entry = _live(state, given.seat)
    if entry is None:
        return _not_live("R-EXP-01", given.seat)
    if state.betting_over or state.street != 3:
        return Refusal("R-EXP-04", "plays_as_dealt", (("seat", given.seat),))
    if not 1 <= given.number <= len(entry.down):
        return Refusal("R-EXP-01", "no_such_card", (("seat", given.seat), ("number", given.number)))
    read = entry.down[given.number - 1]
    card = given.card if read is None else read
    if card is None:
        return Refusal("R-ERR-08", "card_to_key", (("place", str(SeatPlace(given.seat, Zone.DOWN))),))
    if read is None and card in public_cards(state):
        return Refusal("R-MIS-08", "card_is_seen")
    elsewhere = state.exposures > 0 and not entry.exposed
    late = substantial_action(state)
    answer = None if elsewhere and not late else _exposure_answer(state, entry, given.number, card, late=late)
    if given.role is not Role.FLOOR and (answer is None or entry.exposed or entry.up):
        return Refusal("R-EXP-02" if entry.exposed else "R-EXP-01", "floor_rules", (("seat", given.seat),))
    if answer is None:
        return misdeal(state, DeclareMisdeal(MisdealCause.EXPOSED_CARDS))
    return _reopened(state, answer)


def _reopened(state: HandState, events: tuple[HandEvent, ...]) -> tuple[HandEvent, ...]:
    """``events`` that change door cards, and the bring-in computed anew while nothing is posted (R-EXP-05)."""
    if state.phase is not Phase.BETTING or not state.round.post_due:
        return events
    for event in events:
        state = evolve(state, event)
    opened = open_round(state)
    return (*events, RoundClosed(state.street) if opened is None else opened)  # a refunded hand may leave nobody to bet


def _exposure_answer(state: HandState, entry: SeatHand, number: int, card: Card, *, late: bool) -> tuple[HandEvent, ...] | None:
    """Events of the house rule's answer; ``None`` for a misdeal. After substantial action the hand plays on (R-EXP-03, Q-58)."""
    rules = state.setup.rules
    if late or (entry.exposed and state.phase is Phase.BETTING and not state.round.post_due):
        return (HoleExposed(entry.seat, number, card, state.due, debt=entry.debt + 1),)
    if entry.exposed:
        shown = HoleExposed(entry.seat, number, card, state.due, debt=1)
        match rules.two_hole:
            case TwoHole.MISDEAL:
                return None
            case TwoHole.PLAY_ON:
                return (shown,)
            case TwoHole.DEAD_REFUND:
                return (shown, HandRefunded(entry.seat, entry.ante))
    if entry.up:
        if rules.hole_and_door is HoleAndDoor.MISDEAL:
            return None
        return (HoleExposed(entry.seat, number, card, state.due, debt=1),)
    if rules.one_hole is OneHole.MISDEAL:
        return None
    return (HoleExposed(entry.seat, number, card, _third_down(state, entry.seat), debt=0),)


def _third_down(state: HandState, seat: int) -> tuple[Due, ...]:
    """The seat's third card comes face down (R-EXP-01)."""
    down = SeatPlace(seat, Zone.DOWN)
    up = SeatPlace(seat, Zone.UP)
    return tuple(
        due._replace(place=down) if number >= state.dealt and due.place == up else due for number, due in enumerate(state.due)
    )


def choose_door(state: HandState, given: ChooseDoor) -> Outcome:
    """One of three mixed down cards is the door card (R-EXP-05)."""
    entry = _live(state, given.seat)
    if entry is None:
        return _not_live("R-EXP-05", given.seat)
    three = (*entry.down[:2], *entry.up[:1])
    dealing = state.phase is Phase.DEALING or (state.phase is Phase.BETTING and state.round.post_due)
    if state.street != 3 or not dealing or len(three) != 3 or entry.exposed:
        return Refusal("R-EXP-05", "door_is_settled", (("seat", given.seat),))
    recorded = state.setup.rules.door_down is DoorDown.RECORDED_THIRD and given.number == 3
    if given.role is not Role.FLOOR and not recorded:
        return Refusal("R-EXP-05", "floor_rules", (("seat", given.seat),))
    card = three[given.number - 1] if 1 <= given.number <= 3 else None
    if card is None:
        return Refusal("R-EXP-05", "no_such_card", (("seat", given.seat), ("number", given.number)))
    return _reopened(state, (DoorChosen(given.seat, given.number, card),))


def expose_seventh(state: HandState, given: ExposeSeventh) -> Outcome:
    """A seventh card that lies face up, by the house rule (R-EXP-06, Q-68, Q-69)."""
    entry = _live(state, given.seat)
    if entry is None:
        return _not_live("R-EXP-06", given.seat)
    dealt = state.street == 7 and state.short not in TO_COMMON and has_seventh(state, entry)
    if not dealt or entry.seventh_up or not before_action(state):
        return Refusal("R-EXP-06", "no_exposed_seventh", (("seat", given.seat),))
    card = entry.down[-1]
    if card is None:
        return Refusal("R-EXP-06", "cards_not_read", (("seat", given.seat),))
    all_in = not entry.active
    match state.setup.rules.seventh_exposed:
        case SeventhExposed.REPLACE if not state.betting_over:
            return (SeventhReplaced(given.seat, card, _with_replacement(state, given.seat)),)
        case SeventhExposed.REPLACE:
            return (SeventhShown(given.seat, card, state.due, may_declare=False),)
        case SeventhExposed.RROP:
            return (SeventhShown(given.seat, card, state.due, may_declare=not all_in and not state.betting_over),)
        case SeventhExposed.WSOP_LIVE:
            first = next(other.seat for other in state.seats if other.live)
            if given.seat == first and not all_in:
                return (SeventhShown(given.seat, card, _rest_up(state), may_declare=False),)
            return (SeventhShown(given.seat, card, state.due, may_declare=not all_in and not state.betting_over),)


def _rest_up(state: HandState) -> tuple[Due, ...]:
    """Everybody's seventh is dealt face up (R-EXP-06)."""
    return tuple(
        due._replace(place=SeatPlace(due.place.seat, Zone.UP))
        if number >= state.dealt and isinstance(due.place, SeatPlace) and not due.ghost
        else due
        for number, due in enumerate(state.due)
    )


def _with_replacement(state: HandState, seat: int) -> tuple[Due, ...]:
    """The round is finished, then the next card of the stub goes to the seat, unless only the last card is left (Q-68)."""
    left = state.stub - (len(state.due) - state.dealt)
    return (*state.due, Due(SeatPlace(seat, Zone.DOWN))) if left >= 2 else state.due


def declare_all_in(state: HandState, given: DeclareAllIn) -> Outcome:
    """All-in for the pots as they stand, before any action on seventh street (R-EXP-06, Q-52)."""
    if given.seat not in state.may_declare or state.phase is not Phase.BETTING:
        return Refusal("R-EXP-06", "may_not_declare", (("seat", given.seat),))
    return (AllInDeclared(given.seat, actor_without(state, (given.seat,))),)


def kill_hands(state: HandState, given: KillHands) -> Outcome:
    """Hands are dead; a forced post is paid first, and the last claim on a pot cannot be killed away (Q-23, Q-54, R-POT-10)."""
    for seat in given.seats:
        if _live(state, seat) is None:
            return _not_live("R-ABS-03", seat)
    if state.over or not given.seats:
        return Refusal("R-ABS-03", "hand_is_over", (("hand", state.setup.number),))
    if len(given.seats) == 1 and _is_last_claim(state, given.seats[0]):
        return Refusal("R-POT-10", "last_hand", (("seat", given.seats[0]),))
    actor = state.round.actor if state.phase is Phase.BETTING else 0
    if actor in given.seats and state.round.post_due and not state.round.may_fold:
        post = next(action for action in legal_actions(state._replace(hold=None)) if action.verb is Verb.BRING_IN)
        posted = take_action(state, post)
        killed = HandsKilled(given.seats, given.cause, actor_without(evolve(state, posted), given.seats))
        return (posted, killed)
    killed = HandsKilled(given.seats, given.cause, actor_without(state, given.seats) if actor else 0)
    back = withdrawn_bet(state, given.seats) if killed.actor else None
    return (killed,) if back is None else (killed, UncalledReturned(back.seat, back.chips))


def _is_last_claim(state: HandState, seat: int) -> bool:
    if state.live_count == 1:
        return True
    return any(shares is None and claimants(state, number) == (seat,) for number, shares in enumerate(state.awards))


def retrieve_hand(state: HandState, given: RetrieveHand) -> Outcome:
    """A hand killed by mistake plays again before the next card is dealt or the pot is pushed (R-ERR-07, Q-85).

    Where its death closed the round, ended the hand or sent its uncalled bet back, all is as before it.
    """
    index = state.index_of(given.seat)
    entry = state.seats[index] if index >= 0 else None
    gone = (Status.FOLDED, Status.KILLED, Status.GHOST)
    if entry is None or state.phase is Phase.VOIDED or not (entry.status in gone or entry.mucked):
        return Refusal("R-ERR-07", "nothing_to_retrieve", (("seat", given.seat),))
    if gives_all_back(state, given.seat):
        return (HandRetrieved(given.seat, 0 if state.previous is None else state.previous.round.actor),)
    contests = any(given.seat in pot.seats for pot in state.pots)  # killed at the showdown
    same_street = entry.mucked or (entry.out_on == state.street and (state.phase is Phase.BETTING or contests))
    if state.over or lacks_card(state, entry, state.street):  # dealt past while it was out (R-ERR-05)
        same_street = False
    if not same_street or state.betting_over != (state.phase is Phase.SHOWDOWN) or None in entry.cards:
        return Refusal("R-ERR-07", "too_late_to_retrieve", (("seat", given.seat),))
    return (HandRetrieved(given.seat, state.round.actor),)


def premature_cards(state: HandState, given: PrematureCards) -> Outcome:
    """Cards dealt too early go back to be shuffled, or out of play, by the house rule (R-ERR-01, R-ERR-02, Q-60, Q-61).

    At the showdown no card is dealt any more: what left the shoe lies with the burns.
    """
    if state.phase is Phase.SHOWDOWN and given.cards and not given.kept:
        return tuple(BurnedEarly(card, stands=False) for card in given.cards)
    if state.phase is not Phase.BETTING or not given.cards:
        return Refusal("R-ERR-01", "nothing_premature")
    if given.burned and state.early_burn:
        return Refusal("R-DEAL-03", "burned_already")
    burned = int(given.burned)
    kept: tuple[HandEvent, ...] = ()
    if given.kept:
        keeper = _live(state, given.kept)
        if state.street != 6 or keeper is None or has_seventh(state, keeper) or len(given.cards) <= burned:
            return Refusal("R-ERR-02", "keeps_no_card", (("seat", given.kept),))
        kept = (SeventhKept(given.kept, given.cards[-1]),)
    eliminate = state.setup.rules.premature is Premature.ELIMINATE_ROUND
    rest = given.cards[burned : len(given.cards) - len(kept)]
    burn = (BurnedEarly(given.cards[0], stands=not (eliminate and rest)),) if given.burned else ()
    if eliminate:
        return (*burn, *kept, *(CardEliminated(state.street + 1, card, due=False) for card in rest))
    if not rest:
        return (*burn, *kept)
    return (*burn, *kept, CardsReturned(len(rest), state.stub - burned - len(kept)), RELOAD)


def keep_extra(state: HandState, given: KeepExtraAsBurn) -> Outcome:
    """A card too many is the burn of the next street (R-MIS-05, R-ERR-03)."""
    burned_next = 3 <= state.street < 7 and state.setup.rules.burns_before(state.street + 1)
    if not burned_next or state.phase is not Phase.BETTING or not before_action(state) or state.early_burn or not state.stub:
        return Refusal("R-MIS-05", "no_extra_card")
    return (BurnedEarly(given.card, stands=True),)


def scrap_card(state: HandState, given: ScrapCard) -> Outcome:
    """A boxed card or joker is set aside; a second boxed card on the initial deal is a misdeal (R-MIS-06)."""
    if state.phase is not Phase.DEALING or state.dealt >= len(state.due):
        return Refusal("R-MIS-06", "no_card_is_due")
    if given.scrap is Scrap.BOXED and state.boxed and state.street == 3:
        if given.role is not Role.FLOOR:
            return Refusal("R-MIS-06", "floor_rules")
        return misdeal(state, DeclareMisdeal(MisdealCause.BOXED_CARDS))
    scrapped = CardScrapped(given.scrap, given.card, given.counted, given.behind)
    waiting = state.due[state.dealt :]
    left = state.stub - (given.counted or given.scrap is not Scrap.JOKER)
    if len(waiting) <= left:
        return (scrapped,)
    return (scrapped, DealStarted(state.street, waiting[: max(0, left - 1)]))  # the last card is not dealt (R-STUB-02)


def replace_boxed(state: HandState, given: ReplaceBoxed) -> Outcome:
    """A boxed card that was dealt already is replaced after the round, before any action; a second one on the initial deal is a
    misdeal (R-MIS-06)."""
    entry = _live(state, given.seat)
    if entry is None:
        return _not_live("R-MIS-06", given.seat)
    posted = state.street == 3 and state.phase is Phase.BETTING and not state.round.post_due
    if not before_action(state) or posted or entry.exposed or entry.tabled is not None:
        return Refusal("R-MIS-06", "no_longer_replaced", (("seat", given.seat),))
    first = 1 if state.street == 3 else state.street
    if not first <= given.number <= len(entry.cards) or (card := entry.cards[given.number - 1]) is None:
        return Refusal("R-MIS-06", "no_such_card", (("seat", given.seat), ("number", given.number)))
    if state.boxed and state.street == 3:
        return misdeal(state, DeclareMisdeal(MisdealCause.BOXED_CARDS))
    zone = Zone.UP if card in entry.up else Zone.DOWN
    left = state.stub - (len(state.due) - state.dealt)
    due = (*state.due, Due(SeatPlace(given.seat, zone))) if left >= 2 else state.due  # else the burns come in (R-STUB-02)
    return (BoxedReplaced(given.seat, given.number, card, due),)


def redo_seventh(state: HandState, _: RedoSeventh) -> Outcome:
    """Sevenths dealt in place of the common card come back with the burn and are shuffled into the stub (Q-67)."""
    if state.street != 7 or state.short not in TO_COMMON or state.commons or state.phase is not Phase.DEALING:
        return Refusal("R-STUB-04", "no_common_card_due")
    burned = int(state.dealt > 0)
    return (SeventhRedone(state.stub + burned), RELOAD)


def drop_stub(state: HandState, _: DropStub) -> Outcome:
    """A disordered stub is shuffled, cut and loaded again (R-ERR-06)."""
    if state.over or state.phase in (Phase.ANTES, Phase.REDEAL, Phase.SHOWDOWN) or state.reload_due or not state.stub:
        return Refusal("R-ERR-06", "no_stub")
    return () if state.phase is Phase.SCRAMBLE else (CardsReturned(0, state.stub), RELOAD)


def let_see(state: HandState, given: LetSee) -> Outcome:
    """A mucked hand is seen by all; it wins nothing (R-SHOW-09)."""
    index = state.index_of(given.seat)
    entry = state.seats[index] if index >= 0 else None
    if entry is None or not entry.mucked or any(card is None for card in entry.cards):
        return Refusal("R-SHOW-09", "no_hand_to_see", (("seat", given.seat),))
    return (HandSeen(given.seat, tuple(card for card in entry.cards if card is not None)),)
