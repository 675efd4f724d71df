"""What an input leads to: events, or a refusal with its rule. Pure; the caller makes events durable before acting on them."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from controller.hand.commands import (
    Act,
    AwardPots,
    CardLaid,
    ChooseDoor,
    DeclareAllIn,
    DeclareMisdeal,
    DropStub,
    ExpireClock,
    ExposeHole,
    ExposeSeventh,
    FeltRight,
    FeltWrong,
    HandInput,
    KeepExtraAsBurn,
    KillHands,
    LeaveTable,
    LetSee,
    MuckHand,
    NoteOutOfTurn,
    OpenedBy,
    PostAnte,
    PrematureCards,
    PutChips,
    RedoSeventh,
    Refusal,
    ReplaceBoxed,
    RetrieveHand,
    ReturnToTable,
    Ruling,
    ScrapCard,
    StubReloaded,
    TableHand,
    UndoAction,
    UndoAward,
    VoidHand,
)
from controller.hand.corrections import (
    expire_clock,
    leave_table,
    note_out_of_turn,
    opened_by,
    put_chips,
    return_to_table,
    undo_action,
    undo_award,
)
from controller.hand.dealing import RELOAD, SHORT, scrambled_count
from controller.hand.events import BurnMade, CardDealt, CommunityDealt, GhostDealt, HandEvent, HandHeld, HoldLifted, StubScrambled
from controller.hand.evolve import evolve
from controller.hand.irregular_events import CardEliminated, StubReturned
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.progress import after_scramble, consequences
from controller.hand.requests import act, award_pots, muck_hand, post_ante, refused_now, table_hand, void_hand
from controller.hand.rulings import (
    choose_door,
    declare_all_in,
    drop_stub,
    expose_hole,
    expose_seventh,
    keep_extra,
    kill_hands,
    let_see,
    misdeal,
    premature_cards,
    redo_seventh,
    replace_boxed,
    retrieve_hand,
    scrap_card,
)
from controller.hand.state import HandState, Hold, Phase


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
        pending = consequences(state)
        if pending:
            events = (*events, *pending)
    return Decision(events, state)


def _first(state: HandState, given: HandInput) -> tuple[HandEvent, ...] | Refusal:
    match given:
        case CardLaid():
            return _card_laid(state, given)
        case Act():
            playing = state.phase is Phase.BETTING and state.hold is None  # told apart at once: most inputs come here
            return act(state, given) if playing else refused_now(state, Phase.BETTING, "no_betting") or act(state, given)
        case PostAnte():
            return refused_now(state, Phase.ANTES, "antes_are_posted") or post_ante(state, given)
        case TableHand():
            face_up = state.face_up and state.phase is Phase.DEALING
            refused = None if face_up and state.hold is None else refused_now(state, Phase.SHOWDOWN, "no_showdown")
            return refused or table_hand(state, given)
        case MuckHand():
            return refused_now(state, Phase.SHOWDOWN, "no_showdown") or muck_hand(state, given)
        case AwardPots():
            return refused_now(state, Phase.SHOWDOWN, "no_showdown") or award_pots(state)
        case VoidHand():
            return void_hand(state, given)
        case StubReloaded():
            return _stub_reloaded(state, given)
        case FeltWrong():
            miscounted = given.code == "stub_count" and state.hold == Hold(RELOAD.code, RELOAD.place)
            told = state.hold is not None and not miscounted  # a stub that came back short is told, though it is awaited
            return () if state.over or told else (HandHeld(given.code, given.place),)
        case FeltRight():
            mended = state.hold is not None and not _needs_load(state, state.hold)
            return (HoldLifted(state.hold.code),) if mended and state.hold is not None else ()
        case _:
            return _ruling(state, given)


def _ruling(state: HandState, given: Ruling) -> tuple[HandEvent, ...] | Refusal:  # noqa: C901 - one line a ruling
    """Rulings are given during a hold too: they are the way out of it (R-RULE-01)."""
    match given:
        case DeclareMisdeal():
            return misdeal(state, given)
        case ExposeHole():
            return expose_hole(state, given)
        case ChooseDoor():
            return choose_door(state, given)
        case ExposeSeventh():
            return expose_seventh(state, given)
        case DeclareAllIn():
            return declare_all_in(state, given)
        case KillHands():
            return kill_hands(state, given)
        case RetrieveHand():
            return retrieve_hand(state, given)
        case PrematureCards():
            return premature_cards(state, given)
        case KeepExtraAsBurn():
            return keep_extra(state, given)
        case ScrapCard():
            return scrap_card(state, given)
        case ReplaceBoxed():
            return replace_boxed(state, given)
        case RedoSeventh():
            return redo_seventh(state, given)
        case DropStub():
            return drop_stub(state, given)
        case LetSee():
            return let_see(state, given)
        case UndoAction():
            return undo_action(state, given)
        case UndoAward():
            return undo_award(state, given)
        case NoteOutOfTurn():
            return note_out_of_turn(state, given)
        case OpenedBy():
            return opened_by(state, given)
        case PutChips():
            return refused_now(state, Phase.BETTING, "no_betting") or put_chips(state, given)
        case LeaveTable():
            return leave_table(state, given)
        case ReturnToTable():
            return return_to_table(state, given)
        case ExpireClock():
            return refused_now(state, Phase.BETTING, "no_betting") or expire_clock(state, given)
        case _:
            assert_never(given)


def _needs_load(state: HandState, hold: Hold) -> bool:
    """Whether a load alone ends the hold, or nothing: not so a fault of the felt or a device while a redeal is awaited."""
    awaited = state.reload_due > 0 and (state.phase is not Phase.REDEAL or hold.code == "stub_count")
    return awaited or hold.code == SHORT.code


def _card_laid(state: HandState, given: CardLaid) -> tuple[HandEvent, ...]:
    if state.over or state.hold is not None:
        return ()
    if state.phase is not Phase.DEALING or state.dealt >= len(state.due):
        return (HandHeld("premature_card", given.place),)
    due = state.due[state.dealt]
    if due.place is not given.place and due.place != given.place:
        return (HandHeld("wrong_place", given.place),)
    if due.place is Spot.MUCK:
        return (CardEliminated(state.street, given.card, due=True),)
    if isinstance(due.place, SeatPlace):
        if given.card is None and due.place.zone is Zone.UP:  # bring-in and opener are read from it (R-OPEN-01)
            return (HandHeld("card_unknown", given.place),)
        made = GhostDealt if due.ghost else CardDealt
        return (made(state.street, due.place, given.card),)
    if due.place is Spot.BURN:
        return (BurnMade(state.street, given.card),)
    return (HandHeld("card_unknown", given.place),) if given.card is None else (CommunityDealt(given.card),)


def _stub_reloaded(state: HandState, given: StubReloaded) -> tuple[HandEvent, ...]:
    """The shoe was loaded with the stub, or with the deck of a redeal (R-STUB-02, R-ERR-01, R-MIS-03)."""
    if state.over:
        return ()
    if state.phase is not Phase.SCRAMBLE and not state.reload_due:
        return () if state.hold is not None else (HandHeld("unexpected_load", None),)
    wanted = state.reload_due or scrambled_count(state)
    if given.cards != wanted:
        return () if state.hold is not None else (HandHeld("stub_count", None),)
    lifted: tuple[HandEvent, ...] = () if state.hold is None else (HoldLifted(state.hold.code),)
    if state.reload_due:
        return (*lifted, StubReturned(given.cards, whole=state.phase is Phase.REDEAL))
    scrambled = StubScrambled(given.cards)
    return (*lifted, scrambled, after_scramble(evolve(state, scrambled)))
