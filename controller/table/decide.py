"""What an input leads to at the table: events with everything that follows by itself. Pure; the loop makes them durable.

A command is answered once and for all: its answer is an event. Evidence is never refused.
"""

from __future__ import annotations

from typing import assert_never

from controller.hand.around import around
from controller.hand.cards import Card, parse_card
from controller.hand.commands import (
    Act,
    AwardPots,
    ExpireClock,
    ExposeHole,
    MuckHand,
    Refusal,
    TableHand,
    VoidHand,
)
from controller.hand.places import Place
from controller.hand.state import Phase, live_seats
from controller.hand.terms import Verb
from controller.table import by_hand, machine
from controller.table.access_events import FloorAsked, FloorOrdered, SignedIn, SignedOut, SignInFailed
from controller.table.betting_events import AllActed, FoldRead, LiveCardsMucked
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.deck import deck_news
from controller.table.events import (
    CardLeft,
    CardRead,
    CardReadOnce,
    CardReadTwice,
    CardSeen,
    CardUnexplained,
    CardUnseen,
    ClockStarted,
    ClockStopped,
    DealKeyDropped,
    DealKeyMade,
    DeckInShoe,
    DeviceLink,
    FeltReady,
    Resumed,
    Ruled,
    ShoeHalted,
    ShoeNoted,
    StrangerLeft,
    StrangerSeen,
    Suspended,
    TableEvent,
)
from controller.table.floor_calls import floor_call
from controller.table.floor_orders import floor_order
from controller.table.inputs import (
    AcknowledgeAlarm,
    ActAround,
    CallClock,
    ClearShoe,
    Command,
    ConfirmCards,
    CountDeck,
    FeltIsReady,
    KeyCard,
    LeftFrom,
    LockTable,
    MuckedTimeout,
    ReadOnce,
    ReadTwice,
    Resume,
    Rule,
    SeenAt,
    StepPast,
    TableInput,
    TakeShoeAgain,
    UndoConfirmation,
    UndoKeyed,
    UnexplainedTimeout,
    UnseenTimeout,
)
from controller.table.late_bets import LateAction
from controller.table.machine_events import ClockNoted, ClockStepped, DiskNoted
from controller.table.match import fold_from_muck, match_felt
from controller.table.muck import astray_in_muck, folding
from controller.table.parts import DeckTold
from controller.table.pause import PAUSED, ClockRanOut, WasPaused
from controller.table.ruling_values import ruling_values, table_values
from controller.table.rulings import hand_ruling, too_late, unauthorised
from controller.table.shoe_error_events import ShoeErrors
from controller.table.shoe_session import (
    adoption,
    clear_answered,
    clear_shoe,
    close_left_open,
    missed_cards,
    note_key,
    order_gate,
    take_shoe_again,
)
from controller.table.state import TableState, TableStatus
from controller.table.story import Story, TableDecision
from controller.table.timely import outdated
from controller.table.wheel import ReturnWheel, TakeWheel, watches, wheel_order
from controller.tracking.custody import awaited, is_astray, without_reason
from drivers.ports import (
    CardDrawn,
    CommandDone,
    DeckLoaded,
    EventKey,
    GateChanged,
    LinkChanged,
    NoticeKind,
    ShoeFound,
    ShoeNotice,
    ShoeStopped,
)


def decide(state: TableState, given: TableInput, *, elapsed_s: int = 0) -> TableDecision:
    """Events that ``given`` leads to. A known command key leads to none and gets its old answer (recovery §7). ``elapsed_s``:
    seconds that a running clock had run when it came."""
    story = Story(state)
    refusal = None
    if isinstance(given, Command):
        known = state.answers.get(given.key)
        if known is not None:
            return TableDecision((), state, _known_answer(known[0], given))
        refusal = _command(story, given)
        if refusal is not None:
            story = Story(state)
            story.tell(_answer(given, Outcome.REFUSED, refusal), *_from_floor(given))
            return story.decided(refusal)
    else:
        _evidence(story, given)
    _follow(story)
    clock = state.clock
    _stop_clock(story, clock.seconds if clock is not None and isinstance(given, ClockRanOut) else elapsed_s)
    return story.decided(None)


def _answer(given: Command, outcome: Outcome, refusal: Refusal | None = None) -> CommandAnswered:
    rule, code, told = ("", "", ()) if refusal is None else (refusal.rule, refusal.code, refusal.values)
    values = tuple((name, str(value)) for name, value in told)
    people = (given.person, given.agreed_by)
    return CommandAnswered(given.key, given.digest, given.kind, outcome, rule, code, values, *people)


def _from_floor(given: Command) -> tuple[FloorOrdered, ...]:
    return () if given.floor is None else (given.floor,)


def _known_answer(known: CommandAnswered, given: Command) -> Refusal | None:
    if known.digest != given.digest:
        return Refusal("R-RULE-01", "key_reused", (("key", given.key),))
    return None if known.outcome is Outcome.TAKEN else Refusal(known.rule, known.code, known.values)


def _command(story: Story, given: Command) -> Refusal | None:  # noqa: C901 - one line an order is the clearest table
    """Tell what an order leads to, or say why not. The answer is told first, its consequences behind it."""
    state = story.state
    order = given.order
    refusal = _unfit(state, given)
    if refusal is not None:
        return refusal
    story.tell(_answer(given, Outcome.TAKEN), *_from_floor(given))
    match order:
        case TakeWheel() | ReturnWheel():
            moved = wheel_order(state, order, given.console, given.person)
            if isinstance(moved, Refusal):
                return moved
            story.tell(*moved)
            return None
        case VoidHand():
            return too_late(state, order) or story.hand(order)
        case Act() | MuckHand() | AwardPots():
            return story.hand(order)
        case ActAround():
            return _act_around(story, order)
        case TableHand():
            return by_hand.table_hand(story, order)
        case ConfirmCards():
            return by_hand.confirm_cards(story, order)
        case UndoConfirmation():
            return by_hand.undo_confirmation(story)
        case CountDeck():
            return by_hand.count_deck(story, order)
        case Resume():
            story.tell(Resumed())
            return None
        case Rule():
            return _rule(story, order)
        case CallClock():
            return _call_clock(story, order)
        case _:
            events = floor_order(story.state, order)
            if isinstance(events, Refusal):
                return events
            story.tell(*events)
            return None


def _act_around(story: Story, order: ActAround) -> Refusal | None:
    """Everybody who is left checks or calls, all or nobody; who they are has been named (screens §3)."""
    hand = story.state.hand
    found = None if hand is None else around(hand, folding(story.state))
    if found is None or (found.verb, found.seats) != (order.verb, order.seats):
        return Refusal("R-BET-14", "decision_passed")
    story.tell(AllActed(len(found.acts)))
    for act in found.acts:
        if act.verb is Verb.FOLD:
            story.tell(FoldRead(act.seat))
        refusal = story.hand(act)
        if refusal is not None:
            return refusal
    return None


def _rule(story: Story, order: Rule) -> Refusal | None:
    """Apply a ruling: it is told first, its recomputed effects behind it."""
    refusal = unauthorised(order) or too_late(story.state, order.ruling)
    if refusal is not None:
        return refusal
    given = hand_ruling(story.state, order.ruling)
    if isinstance(given, Refusal):
        return given
    role = order.ruling.role.value
    if isinstance(order.ruling, ExposeHole):
        by_hand.exposed(story, order.ruling)
    values = table_values(order.ruling) if isinstance(order.ruling, StepPast | KeyCard | LateAction) else ruling_values(given)
    story.tell(Ruled(order.kind, role, order.by, order.agreed_by, order.reason, values))
    if given is not None:
        return story.hand(given)
    match order.ruling:
        case StepPast():
            return by_hand.step_past(story, order.ruling)
        case KeyCard():
            return by_hand.key_card(story, order.ruling)
        case UndoKeyed():
            return by_hand.undo_confirmation(story, two_people=True)
        case TakeShoeAgain():
            return take_shoe_again(story)
        case ClearShoe():
            return clear_shoe(story)
        case ruling:
            return floor_call(story, ruling)


def _call_clock(story: Story, order: CallClock) -> Refusal | None:
    """The actor gets its seconds, and behind them its time bank (R-ABS-04)."""
    state = story.state
    hand = state.hand
    if hand is None or hand.phase is not Phase.BETTING or hand.round.actor != order.seat or hand.hold is not None:
        return Refusal("R-ABS-04", "no_clock_now", (("seat", order.seat),))
    if state.clock is not None:
        return Refusal("R-ABS-04", "clock_runs", (("seat", order.seat),))
    rules = hand.setup.rules
    bank = next(seat.bank_s for seat in state.seats if seat.seat == order.seat)
    story.tell(ClockStarted(order.seat, rules.clock_s + rules.clock_countdown_s + bank, bank))
    return None


def _stop_clock(story: Story, elapsed_s: int) -> None:
    """The clock stops when its seat has acted or play has stopped; what it took of the time bank is gone."""
    clock, hand = story.state.clock, story.state.hand
    if clock is None:
        return
    if hand is not None and hand.phase is Phase.BETTING and hand.round.actor == clock.seat and hand.hold is None:
        return
    used = max(0, elapsed_s - (clock.seconds - clock.bank))
    story.tell(ClockStopped(clock.seat, max(0, clock.bank - used)))


def _unfit(state: TableState, given: Command) -> Refusal | None:
    """Orders that another console's hand on the wheel, the table's status, a passed decision or a passed picture forbids."""
    if isinstance(given.order, TakeWheel | ReturnWheel):
        return None
    drives_nothing = isinstance(given.order, LockTable) or given.floor is not None
    if not drives_nothing and (refusal := watches(state, given.console, given.person)) is not None:
        return refusal
    if given.denied is not None:
        return given.denied
    if isinstance(given.order, Resume):
        waits = state.felt_ready and state.status is not TableStatus.LIVE
        refusal = machine.no_room_to_go_on(state) if waits else Refusal("R-RULE-01", "nothing_to_resume")
        return refusal or outdated(state, given)
    steps_past = isinstance(given.order, Rule) and isinstance(given.order.ruling, StepPast | TakeShoeAgain)  # what is waited for
    always = steps_past or isinstance(given.order, VoidHand | LockTable | AcknowledgeAlarm)  # REG-13, REG-22
    if state.status is not TableStatus.LIVE and not always:
        return Refusal("R-RULE-01", "suspended" if state.status is TableStatus.SUSPENDED else "recovering")
    return outdated(state, given)


def _evidence(story: Story, given: TableInput) -> None:  # noqa: C901 - one line an input is the clearest table
    match given:
        case SeenAt(place=place, card=None):
            story.tell(StrangerSeen(place))
        case LeftFrom(place=place, card=None):
            story.tell(StrangerLeft(place))
        case SeenAt(place=place, card=card):
            if card is not None and _is_news(story.state, place, card, rests=given.rests):
                story.tell(CardSeen(place, card))
        case LeftFrom(place=place, card=card):
            if card is not None and story.state.custody.lying.get(card) == place:
                story.tell(CardLeft(place, card))
        case ReadTwice(place=place, other=other, card=card):
            story.tell(CardReadTwice(place, other, card))
        case ReadOnce(place=place, other=other, card=card):
            if card in story.state.custody.elsewhere:
                story.tell(CardReadOnce(place, other, card))
        case CardDrawn():
            kind, card = _card_of(given.code)
            story.tell(CardRead(given.key.boot, given.key.seq, given.draw_no, given.remaining, given.mode.value, kind, card))
        case DeckLoaded():
            _deck_loaded(story, given)
        case GateChanged():
            story.tell(ShoeNoted(given.key.boot, given.key.seq, "gate", given.holders))
            if "T" in given.holders and story.state.gate.is_open:
                _suspend(story, "silence")
        case ShoeNotice():
            story.tell(ShoeNoted(given.key.boot, given.key.seq, given.kind.value, given.detail))
        case ShoeFound():
            ruled = story.state.shoe.halted
            missed = missed_cards(story.state, given)
            story.tell(adoption(story.state, given, missed=len(missed)), *missed)
            if given.state.errors != story.state.shoe_errors:
                story.tell(ShoeErrors(given.state.errors))
            note_key(story, given)
            if given.is_rebooted or ruled:
                _suspend(story, "restarted")
            close_left_open(story, given)
        case ShoeStopped():
            story.tell(ShoeHalted(given.code, given.reason))
        case CommandDone():
            if not given.ok and given.order == story.state.gate.order and story.state.gate.is_open:
                _suspend(story, "order_failed")
            clear_answered(story, given)
        case LinkChanged():
            key = (given.device, given.antenna)
            if story.state.links.get(key) != given.state.value:
                story.tell(DeviceLink(given.device, given.antenna, given.state.value, given.detail))
        case FeltIsReady():
            if story.state.status is TableStatus.RECOVERING and not story.state.felt_ready:
                story.tell(FeltReady())
        case WasPaused():
            story.tell(Suspended(PAUSED))
        case UnexplainedTimeout():
            if given.card in without_reason(story.state.seen) and given.card not in story.state.custody.unexplained:
                story.tell(CardUnexplained(story.state.custody.lying[given.card], given.card))
        case UnseenTimeout(draw_no=draw_no):
            for flight in awaited(story.state.seen) if story.state.status is TableStatus.LIVE else ():
                if flight.draw_no == draw_no and flight.due is not None:
                    story.tell(CardUnseen(draw_no, flight.due.place))
        case MuckedTimeout(seat=seat):
            if seat in astray_in_muck(story.state) and seat not in story.state.mucked:
                story.tell(LiveCardsMucked(seat))
        case DeckTold():
            story.tell(*deck_news(story.state, given))
        case SignedIn() | SignedOut() | SignInFailed():
            story.tell(given)
        case FloorAsked(seat=seat):
            if seat not in story.state.asked:
                story.tell(given)
        case DiskNoted() | ClockStepped() | ClockNoted():
            machine.note(story, given)
        case ClockRanOut(seat=seat):
            clock = story.state.clock if story.state.status is TableStatus.LIVE else None
            if clock is not None and clock.seat == seat:
                story.hand(ExpireClock(seat))
        case Command():
            pass
        case _:
            assert_never(given)


def _is_news(state: TableState, place: Place, card: Card, *, rests: bool) -> bool:
    """Whether a card is told as seen: not twice, and where it is wrong not before it rests. It may be on its way."""
    if state.custody.lying.get(card) == place:
        return False
    hand = state.hand
    return rests or hand is None or hand.over or not is_astray(state.custody, card, place, live_seats(hand))


def _suspend(story: Story, cause: str) -> None:
    """Doubt about the gate stops an open hand: a person opens it again, never the table by itself (TSP/1 gate)."""
    if story.state.hand_open and story.state.status is TableStatus.LIVE and story.state.shoe_tells:
        story.tell(Suspended(cause))


_UNKNOWN_CODES = {"??": "unreadable", "XX": "foreign", "JK": "joker"}


def _card_of(code: str) -> tuple[str, Card | None]:
    """Kind and card of a TSP/1 code."""
    try:
        return "card", parse_card(code)
    except ValueError:
        return _UNKNOWN_CODES.get(code, "unreadable"), None


def _deck_loaded(story: Story, given: DeckLoaded) -> None:
    whole = not story.state.in_deal
    story.tell(DeckInShoe(given.key.boot, given.key.seq, given.load, given.cards, given.set_id))
    if whole:
        story.tell(*(DealKeyDropped(deal) for deal in story.state.deals_kept), DealKeyMade(story.state.deal + 1, "", ()))
        by_hand.devices_back(story, loaded=True)


def _follow(story: Story) -> None:
    """What follows by itself: resuming an idle table, the match of shoe and felt, holds, the gate."""
    if story.state.status is not TableStatus.LIVE and story.state.felt_ready and not story.state.hand_open:
        story.tell(Resumed())
    if story.state.status is TableStatus.LIVE and story.state.hand_open:
        match_felt(story)
        while fold_from_muck(story):
            match_felt(story)
    by_hand.mark(story)
    order_gate(story)


def durable_key(event: TableEvent) -> EventKey | None:
    """The shoe event that ``event`` made durable, to be acknowledged."""
    match event:
        case CardRead() | DeckInShoe() | ShoeNoted():
            return EventKey(event.boot, event.seq)
        case _:
            return None


__all__ = ["NoticeKind", "TableDecision", "decide", "durable_key"]
