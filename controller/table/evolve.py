"""What an event makes of the table. Decides nothing; a journal replays to the same state with or without its keys."""

from __future__ import annotations

from typing import Final, assert_never

from controller.hand.events import (
    ActionTaken,
    AntePosted,
    BurnMade,
    CardDealt,
    DealStarted,
    HandEnded,
    HandEvent,
    HandOpened,
    HandVoided,
    RoundClosed,
    RoundOpened,
)
from controller.hand.evolve import evolve as evolve_hand
from controller.hand.irregular_events import (
    ActionUndone,
    BoxedReplaced,
    CardScrapped,
    HandRetrieved,
    HoleExposed,
    SeventhReplaced,
    SeventhShown,
)
from controller.hand.state import HandSetup, HandState, Phase, live_seats, open_state
from controller.table.access_events import (
    AlarmAcknowledged,
    FloorAnswered,
    FloorAsked,
    FloorOrdered,
    SignedIn,
    SignedOut,
    SignInFailed,
    WheelReturned,
    WheelTaken,
)
from controller.table.alarms import bears, seen, with_alarms
from controller.table.betting_events import AllActed, FoldRead, LiveCardsMucked
from controller.table.by_hand_events import (
    CardConfirmed,
    ConfirmationUndone,
    DeckCounted,
    DeviceBack,
    DeviceSetAside,
    HandKeyed,
    ManuallyVerified,
    TableEquipped,
)
from controller.table.carried_events import CommandAnswered, JournalContinued, TableConfigured
from controller.table.carry import configured_game, restored
from controller.table.deck import with_deck, with_load
from controller.table.deck_events import DeckAdmitted, DeckBarred, DeckChecked, DeckIntroduced
from controller.table.events import (
    CardIdentified,
    CardLeft,
    CardRead,
    CardReadOnce,
    CardReadTwice,
    CardsCounted,
    CardSeen,
    CardUnexplained,
    CardUnseen,
    ChipsAdded,
    ChipsPromised,
    ClockStarted,
    ClockStopped,
    ControllerStarted,
    DealKeyDropped,
    DealKeyMade,
    DeckInShoe,
    DeviceLink,
    FeltReady,
    GateOrdered,
    LastTwoSet,
    PlayResumed,
    PlayStopped,
    Resumed,
    Ruled,
    SatIn,
    SatOut,
    SeatChanged,
    SeatKeyReleased,
    SeatLeft,
    SeatTaken,
    ShoeAdopted,
    ShoeHalted,
    ShoeNoted,
    ShoeRenewed,
    StrangerLeft,
    StrangerSeen,
    Suspended,
    TableClosed,
    TableEvent,
    TableLocked,
    TablePaused,
    TableReopened,
    TimeCollected,
)
from controller.table.evolve_by_hand import by_hand, still_keyed
from controller.table.evolve_cards import cards_after
from controller.table.evolve_seats import people_after, seats_after
from controller.table.machine_events import ClockNoted, ClockStepped, DiskNoted
from controller.table.muck import in_muck, with_muck
from controller.table.parts import Gate, ShoeClear
from controller.table.pause import PAUSED, paused
from controller.table.shoe_error_events import ShoeClearFailed, ShoeClearOrdered, ShoeErrors
from controller.table.shoe_errors import clears_failed, clears_of, clears_with, errors_after
from controller.table.state import MAX_ANSWERS, Around, Clock, TableState, TableStatus, changed, next_due
from controller.table.wheel import left_by, wheel_after
from controller.tracking import confirmed
from controller.tracking import custody as cards
from controller.tracking.custody import DECK_SIZE


def evolve(state: TableState, event: TableEvent) -> TableState:
    """The state after ``event``, its number one higher, with the alarms that stand then."""
    after = _after(changed(state, seq=state.seq + 1), event)
    return with_alarms(after) if bears(state, after) else after


def _after(state: TableState, event: TableEvent) -> TableState:  # noqa: C901 - one line an event is the clearest table
    match event:
        case CardSeen() | CardLeft() | CardRead() | CardUnexplained() | CardIdentified() | StrangerSeen() | StrangerLeft():
            return _evidence(state, event)
        case CardReadTwice() | CardReadOnce() | CardUnseen():
            return _doubt(state, event)
        case HandOpened():
            return _hand_opened(state, event)
        case CardDealt() | ActionTaken() | BurnMade() | AntePosted() | DealStarted() | RoundOpened() | RoundClosed():
            return _hand_event(state, event)  # most of what happens
        case GateOrdered():
            return changed(state, gate=Gate(event.order, event.is_open))
        case ShoeClearOrdered():
            clears = clears_with(state.shoe_clears, ShoeClear(event.order, event.code))
            return state._replace(gate=state.gate._replace(order=event.order), shoe_clears=clears)
        case ShoeClearFailed():
            return state._replace(shoe_clears=clears_failed(state.shoe_clears, event.code))
        case ShoeErrors():
            return state._replace(shoe_errors=event.codes, shoe_clears=clears_of(state.shoe_clears, event.codes))
        case CommandAnswered():
            return _answered(state, event)
        case ShoeNoted() | ShoeAdopted() | ShoeHalted() | ShoeRenewed() | DeckInShoe():
            return _shoe(state, event)
        case DeviceLink():
            return state._replace(links={**state.links, (event.device, event.antenna): event.state})
        case SeatTaken() | SeatLeft() | ChipsAdded():
            return seats_after(state, event)
        case ControllerStarted():
            return state._replace(
                starts=state.starts + 1,
                status=TableStatus.RECOVERING,
                felt_ready=False,
                locked=False,
                gate=Gate(),
                shoe_clears=(),
                links={},
                wheel=(),
                let_go=left_by(state),
                shoe=state.shoe._replace(adopted=False, halted=False, fault=""),
                custody=state.custody._replace(strangers={}, elsewhere={}),  # readers tell of strangers and doubts anew
            )
        case JournalContinued():
            return restored(event)
        case TableConfigured():
            game = configured_game(event)
            return state._replace(game=game, configured=state.configured if event.chosen else game)
        case FeltReady():
            return state._replace(felt_ready=True)
        case Suspended(cause=cause):
            return paused(state) if cause == PAUSED else state._replace(status=TableStatus.SUSPENDED)
        case Resumed():
            return state._replace(status=TableStatus.LIVE)
        case DealKeyMade():
            return state._replace(deal=event.deal, hand_deal=state.hand_deal if state.in_deal else event.deal, sealed_count=0)
        case (
            DealKeyDropped()
            | SeatKeyReleased()
            | CardsCounted()
            | Ruled()
            | SignedIn()
            | SignedOut()
            | SignInFailed()
            | FloorOrdered()
            | FoldRead()
            | ClockStepped()
        ):
            return state
        case DiskNoted():
            return state._replace(disk=event)
        case ClockNoted():
            return state._replace(wall_clock=event)
        case WheelTaken() | WheelReturned():
            wheel = wheel_after(state.wheel, event)
            return state._replace(wheel=wheel, let_go="" if wheel else left_by(state))
        case AllActed(acts=acts):
            return state._replace(around=Around(acts, acts))
        case LiveCardsMucked(seat=seat):
            return state._replace(mucked=state.mucked | {seat})
        case SatOut() | SatIn() | SeatChanged() | ChipsPromised() | TimeCollected():
            return people_after(state, event)
        case PlayStopped() | PlayResumed():
            return state._replace(stopped=isinstance(event, PlayStopped))
        case FloorAsked(seat=seat):
            return state._replace(asked=(*state.asked, seat))
        case FloorAnswered(seat=seat):
            return state._replace(asked=tuple(other for other in state.asked if other != seat))
        case AlarmAcknowledged():
            return seen(state, event)
        case LastTwoSet(on=on):
            return state._replace(last_two=on)
        case TablePaused(reason=reason):
            return state._replace(paused=reason)
        case TableReopened():
            return state._replace(paused="", closed=False)
        case TableLocked():
            return state._replace(locked=True)
        case TableClosed():
            return state._replace(closed=True)
        case ClockStarted(seat=seat, seconds=seconds, bank=bank):
            return state._replace(clock=Clock(seat, seconds, bank))
        case ClockStopped(seat=seat, bank=bank):
            seats = tuple(entry._replace(bank_s=bank) if entry.seat == seat else entry for entry in state.seats)
            return state._replace(clock=None, seats=seats)
        case CardConfirmed() | HandKeyed() | ConfirmationUndone() | DeckCounted() | DeviceSetAside() | DeviceBack():
            return by_hand(state, event)
        case TableEquipped() | ManuallyVerified():
            return by_hand(state, event)
        case DeckIntroduced() | DeckChecked() | DeckBarred() | DeckAdmitted():
            return with_deck(state, event)
        case _:
            return _hand_event(state, event)


def _evidence(
    state: TableState,
    event: CardSeen | CardLeft | CardRead | CardUnexplained | CardIdentified | StrangerSeen | StrangerLeft,
) -> TableState:
    held = state.custody
    match event:
        case CardSeen():
            sealed, held = 1, held if event.card is None else cards.see(held, event.card, event.place)
        case CardLeft():
            sealed, held = 1, held if event.card is None else cards.leave(held, event.card, event.place)
        case CardUnexplained():
            sealed, held = 1, held if event.card is None else cards.unexplained(held, event.card)
        case CardIdentified(draw_no=draw_no, card=card):
            sealed, held = 1, held if card is None else confirmed.identify(held, draw_no, card)
        case CardRead():
            return _card_read(state, event)
        case StrangerSeen():
            sealed, held = 0, cards.stranger(held, event.place, 1)
        case StrangerLeft():
            sealed, held = 0, cards.stranger(held, event.place, -1)
        case _:
            assert_never(event)
    return with_muck(changed(state, custody=held, sealed_count=state.sealed_count + sealed))


def _doubt(state: TableState, event: CardReadTwice | CardReadOnce | CardUnseen) -> TableState:
    held = state.custody
    match event:
        case CardReadTwice(other=other, card=card):
            sealed, held = 1, held if card is None else cards.read_twice(held, card, other)
        case CardReadOnce(card=card):
            sealed, held = 1, held if card is None else cards.read_once(held, card)
        case CardUnseen(draw_no=draw_no):
            sealed, held = 0, cards.overdue(held, draw_no)
        case _:
            assert_never(event)
    return state._replace(custody=held, sealed_count=state.sealed_count + sealed)


def _card_read(state: TableState, event: CardRead) -> TableState:
    if not state.shoe_tells:  # what a shoe tells late that was set aside, people have dealt by now
        shoe = state.shoe._replace(accepted_seq=event.seq, draw_no=event.draw_no)
        return state._replace(shoe=shoe, sealed_count=state.sealed_count + 1)
    if event.mode == "R":
        held = cards.put_back(state.custody, event.draw_no, event.card, event.remaining)
    else:
        held = cards.draw(state.custody, event.draw_no, event.card, next_due(state), event.remaining, event.kind)
    shoe = state.shoe._replace(accepted_seq=event.seq, draw_no=event.draw_no)
    return changed(state, custody=held, shoe=shoe, sealed_count=state.sealed_count + 1, keyed=())


def _hand_opened(state: TableState, event: HandOpened) -> TableState:
    if state.game is None:
        raise ValueError("a hand opened before a game was configured")
    setup = HandSetup(event.number, event.variant, state.game.stakes, state.game.rules, state.last_two, event.rules_hash)
    hand = open_state(setup, tuple(event.seats))
    state = state._replace(hand=hand, hand_number=event.number, hand_deal=state.deal, stopped=False)
    state = state._replace(mucked=frozenset(), revived=frozenset())
    return state._replace(keyed=(), by_hand=(), cards_keyed=False)


def _hand_event(state: TableState, event: HandEvent) -> TableState:
    if state.hand is None:
        raise ValueError("a hand event came without a hand")
    before = state.hand
    hand = evolve_hand(before, event)
    if state.keyed and not still_keyed(state, event):
        state = state._replace(keyed=())
    if before.over and (not hand.over or isinstance(event, HandVoided)):
        state = _reopened(state, before)
    match event:
        case HandEnded() | HandVoided():
            return _hand_over(state, hand, event)
        case CardDealt() | ActionTaken() | BurnMade():  # they leave what is due as it is
            held, sealed = cards_after(state.custody, event, before, state.shoe.load)
        case _:
            held, sealed = cards_after(state.custody, event, before, state.shoe.load)
            if state.keyed and isinstance(event, HoleExposed):
                held = confirmed.expose(held, event.seat, event.card)
            if held.flights and isinstance(event, _OTHER_DUE):
                held = cards.redirect(held, hand.due[hand.dealt :] if hand.phase is Phase.DEALING else ())
    state = changed(state, hand=hand, custody=held, sealed_count=state.sealed_count + sealed)
    match event:
        case ActionTaken() if state.around.acts:
            acts, left = state.around
            return with_muck(state._replace(around=Around(acts, left - 1) if left else Around()))
        case ActionUndone():  # a fold further back waits again for its turn; the one that is taken back, for its cards
            back = {hand.round.actor} | (live_seats(hand) - live_seats(before))
            return state._replace(revived=in_muck(state) & back, around=Around())
        case HandRetrieved(seat=seat):
            return state._replace(revived=state.revived | (in_muck(state) & {seat}))
        case _:
            return with_muck(state)


_OTHER_DUE: Final = (
    ActionUndone,
    HandRetrieved,
    HoleExposed,
    SeventhShown,
    SeventhReplaced,
    BoxedReplaced,
    CardScrapped,
    DealStarted,
)
"""After these the cards in flight are for other places than when they left the shoe, or for none."""


def _reopened(state: TableState, before: HandState) -> TableState:
    """A hand that was over is played on or void: no rake, and chips bought since then wait again (R-RULE-02 to R-RULE-04)."""
    ended = {entry.seat: entry.stack for entry in before.seats}
    unit = before.setup.stakes.unit
    seats = tuple(
        seat._replace(promised=seat.stack - seat.stack % unit - ended[seat.seat])
        if seat.seat in ended and seat.after_hand < before.setup.number
        else seat
        for seat in state.seats
    )
    return state._replace(seats=seats, raked=state.raked - sum(before.rake))


def _hand_over(state: TableState, hand: HandState, event: HandEnded | HandVoided) -> TableState:
    stacks = {entry.seat: entry.stack for entry in hand.seats}
    seats = tuple(
        seat._replace(stack=_with_odd_chips(seat.stack, stacks.get(seat.seat), hand) + seat.promised, promised=0)
        if seat.after_hand < hand.setup.number
        else seat
        for seat in state.seats
    )
    rake = event.rake if isinstance(event, HandEnded) else 0
    return state._replace(hand=hand, seats=seats, raked=state.raked + rake, stopped=False, faces_back=0)


def _with_odd_chips(lay: int, won: int | None, hand: HandState) -> int:
    """The stack after the hand: what was too small to play still lies there (R-SETUP-06). ``won``: ``None`` outside the hand."""
    return lay if won is None else won + lay % hand.setup.stakes.unit


def _answered(state: TableState, event: CommandAnswered) -> TableState:
    answers = {**state.answers, event.key: (event, state.seq)} if len(state.answers) < MAX_ANSWERS else None
    if answers is None:
        kept = list(state.answers.items())[MAX_ANSWERS // 2 :]
        answers = {**dict(kept), event.key: (event, state.seq)}
    return changed(state, answers=answers)


def _shoe(state: TableState, event: ShoeNoted | ShoeAdopted | ShoeHalted | ShoeRenewed | DeckInShoe) -> TableState:
    match event:
        case ShoeNoted():
            holders = event.detail if event.kind == "gate" else state.shoe.holders
            errors = errors_after(state.shoe_errors, event.kind, event.detail)
            shoe = state.shoe._replace(accepted_seq=event.seq, holders=holders)
            return state._replace(shoe=shoe, shoe_errors=errors, shoe_clears=clears_of(state.shoe_clears, errors))
        case ShoeHalted():
            return state._replace(shoe=state.shoe._replace(halted=True, fault=event.code))
        case ShoeRenewed():
            return state._replace(shoe=state.shoe._replace(adopted=False, renewals=event.renewal), gate=Gate(), shoe_clears=())
        case ShoeAdopted():
            known = state.shoe._replace(
                boot=event.boot,
                accepted_seq=event.accepted_seq,
                load=event.load,
                draw_no=event.draw_no,
                adopted=True,
                halted=False,
                fault="",
                restarted=not event.counts_agree,
            )
            first = state.shoe.boot == 0
            return state._replace(shoe=known, custody=_custody_of(state, event, is_first=first))
        case DeckInShoe():
            return _deck_in_shoe(state, event)
        case _:
            assert_never(event)


def _custody_of(state: TableState, event: ShoeAdopted, *, is_first: bool) -> cards.Custody:
    """A first shoe's count is believed. Where a shoe does not count, what left it unheard between hands is unknown: the deck is
    to be counted again."""
    held = state.custody
    if not state.shoe_tells:
        return held
    if not state.shoe_counts:
        return held if state.hand_open or event.boot == state.shoe.boot else held._replace(loaded=0)
    return held._replace(in_shoe=event.remaining) if is_first else held


def _deck_in_shoe(state: TableState, event: DeckInShoe) -> TableState:
    loaded = state.shoe.load
    shoe = state.shoe._replace(accepted_seq=event.seq, load=event.load, draw_no=0, restarted=False)
    state = with_load(state, event)._replace(shoe=shoe, keyed=())
    hand = state.hand
    if hand is None or hand.over or hand.phase is Phase.REDEAL:
        return state._replace(custody=cards.load(state.seen, event.cards))
    if not state.shoe_tells:
        return state
    if hand.phase is Phase.SHOWDOWN:  # no card is dealt any more: she loads for the next hand, and the book of this one stands
        return state._replace(custody=state.custody._replace(awaits_load=loaded))
    if hand.phase is Phase.SCRAMBLE or hand.reload_due:
        held = cards.reload_stub(state.custody, event.cards)
    elif event.cards == DECK_SIZE and cards.is_untouched(state.custody):  # loaded twice, or cut anew (R-DECK-03)
        held = cards.load(state.custody, event.cards)
    else:
        held = cards.reload_stub(state.custody, event.cards)._replace(flights=state.custody.flights, fault="unexpected_load")
    return state._replace(custody=held)
