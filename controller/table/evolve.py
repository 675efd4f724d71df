"""What an event makes of the table. Decides nothing; a journal replays to the same state with or without its keys."""

from __future__ import annotations

from typing import assert_never

from controller.hand.events import (
    ActionTaken,
    AntePosted,
    BurnMade,
    CardDealt,
    CommunityDealt,
    DealStarted,
    GhostDealt,
    HandEnded,
    HandHeld,
    HandMucked,
    HandOpened,
    HandTabled,
    HandVoided,
    HoldLifted,
    PotAwarded,
    PotsFixed,
    RoundClosed,
    RoundOpened,
    ShowdownOpened,
    StubCounted,
    StubScrambled,
    UncalledReturned,
)
from controller.hand.evolve import evolve as evolve_hand
from controller.hand.places import SeatPlace, Zone
from controller.hand.rules import house_rules
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, Phase, open_state
from controller.hand.terms import Due
from controller.table.events import (
    CardLeft,
    CardRead,
    CardsCounted,
    CardSeen,
    CardUnexplained,
    ChipsAdded,
    CommandAnswered,
    ControllerStarted,
    DealKeyDropped,
    DealKeyMade,
    DeckInShoe,
    DeviceLink,
    FeltReady,
    GateOrdered,
    Resumed,
    SeatKeyReleased,
    SeatLeft,
    SeatTaken,
    ShoeAdopted,
    ShoeHalted,
    ShoeNoted,
    StrangerLeft,
    StrangerSeen,
    Suspended,
    TableConfigured,
    TableEvent,
)
from controller.table.state import MAX_ANSWERS, Game, Gate, TableSeat, TableState, TableStatus
from controller.tracking import custody as cards


def evolve(state: TableState, event: TableEvent) -> TableState:  # noqa: C901 - one line an event is the clearest table
    """The state after ``event``, its number one higher."""
    state = state._replace(seq=state.seq + 1)
    match event:
        case CardSeen() | CardLeft() | CardRead() | CardUnexplained() | StrangerSeen() | StrangerLeft():
            return _evidence(state, event)
        case HandOpened():
            return _hand_opened(state, event)
        case (
            CardDealt()
            | GhostDealt()
            | BurnMade()
            | CommunityDealt()
            | AntePosted()
            | DealStarted()
            | RoundOpened()
            | ActionTaken()
            | UncalledReturned()
            | RoundClosed()
            | PotsFixed()
            | StubCounted()
            | StubScrambled()
            | ShowdownOpened()
            | HandTabled()
            | HandMucked()
            | PotAwarded()
            | HandEnded()
            | HandHeld()
            | HoldLifted()
            | HandVoided()
        ):
            return _hand_event(state, event)
        case GateOrdered():
            return state._replace(gate=Gate(event.order, event.is_open))
        case CommandAnswered():
            return _answered(state, event)
        case ShoeNoted() | ShoeAdopted() | ShoeHalted() | DeckInShoe():
            return _shoe(state, event)
        case DeviceLink():
            return state._replace(links={**state.links, (event.device, event.antenna): event.state})
        case SeatTaken() | SeatLeft() | ChipsAdded():
            return _seats(state, event)
        case ControllerStarted():
            return state._replace(
                starts=state.starts + 1,
                status=TableStatus.RECOVERING,
                felt_ready=False,
                gate=Gate(),
                links={},
                shoe=state.shoe._replace(adopted=False, halted=False),
                custody=state.custody._replace(strangers={}),  # only cards are known again: readers tell of strangers anew
            )
        case TableConfigured():
            stakes = Stakes(event.ante, event.bring_in, event.small, event.big, event.unit)
            game = Game(event.variant, stakes, house_rules(event.preset, dict(event.knobs)), event.set_id)
            return state._replace(game=game, configured=state.configured if event.chosen else game)
        case FeltReady():
            return state._replace(felt_ready=True)
        case Suspended():
            return state._replace(status=TableStatus.SUSPENDED)
        case Resumed():
            return state._replace(status=TableStatus.LIVE)
        case DealKeyMade():
            return state._replace(deal=event.deal, sealed_count=0)
        case DealKeyDropped() | SeatKeyReleased() | CardsCounted():
            return state
        case _:
            assert_never(event)


def _evidence(
    state: TableState, event: CardSeen | CardLeft | CardRead | CardUnexplained | StrangerSeen | StrangerLeft
) -> TableState:
    held = state.custody
    match event:
        case CardSeen():
            sealed, held = 1, held if event.card is None else cards.see(held, event.card, event.place)
        case CardLeft():
            sealed, held = 1, held if event.card is None else cards.leave(held, event.card, event.place)
        case CardUnexplained():
            unexplained = held.unexplained if event.card is None else held.unexplained | {event.card}
            sealed, held = 1, held._replace(unexplained=unexplained)
        case CardRead():
            return _card_read(state, event)
        case StrangerSeen():
            sealed, held = 0, cards.stranger(held, event.place, 1)
        case StrangerLeft():
            sealed, held = 0, cards.stranger(held, event.place, -1)
        case _:
            assert_never(event)
    return state._replace(custody=held, sealed_count=state.sealed_count + sealed)


def _card_read(state: TableState, event: CardRead) -> TableState:
    if event.mode == "R":
        held = cards.put_back(state.custody, event.draw_no, event.card, event.remaining)
    else:
        held = cards.draw(state.custody, event.draw_no, event.card, _next_due(state), event.remaining)
    shoe = state.shoe._replace(accepted_seq=event.seq, draw_no=event.draw_no)
    return state._replace(custody=held, shoe=shoe, sealed_count=state.sealed_count + 1)


def _next_due(state: TableState) -> Due | None:
    """What the next card out of the shoe is for; ``None`` when no card is due (R-ERR-01)."""
    hand = state.hand
    if hand is None or hand.over:
        return None
    index = hand.dealt + len(state.custody.flights)
    return hand.due[index] if hand.street and index < len(hand.due) else None


def _hand_opened(state: TableState, event: HandOpened) -> TableState:
    if state.game is None:
        raise ValueError("a hand opened before a game was configured")
    setup = HandSetup(event.number, event.variant, state.game.stakes, state.game.rules)
    return state._replace(hand=open_state(setup, tuple(event.seats)), hand_number=event.number)


def _hand_event(state: TableState, event: TableEvent) -> TableState:
    hand = state.hand
    if hand is None:
        raise ValueError("a hand event came without a hand")
    hand = evolve_hand(hand, event)  # type: ignore[arg-type]
    held = state.custody
    sealed = 0
    match event:
        case CardDealt(place=SeatPlace(zone=zone)):
            held, sealed = cards.deal_head(held), int(zone is Zone.DOWN)
        case GhostDealt() | BurnMade():
            held, sealed = cards.deal_head(held), 1
        case CommunityDealt():
            held = cards.deal_head(held)
        case HandEnded() | HandVoided():
            return _hand_over(state, hand, event)
        case _:
            pass
    return state._replace(hand=hand, custody=held, sealed_count=state.sealed_count + sealed)


def _hand_over(state: TableState, hand: HandState, event: HandEnded | HandVoided) -> TableState:
    stacks = {entry.seat: entry.stack for entry in hand.seats}
    seats = tuple(seat._replace(stack=stacks.get(seat.seat, seat.stack)) for seat in state.seats)
    rake = event.rake if isinstance(event, HandEnded) else 0
    return state._replace(hand=hand, seats=seats, raked=state.raked + rake)


def _answered(state: TableState, event: CommandAnswered) -> TableState:
    answers = {**state.answers, event.key: (event, state.seq)} if len(state.answers) < MAX_ANSWERS else None
    if answers is None:
        kept = list(state.answers.items())[MAX_ANSWERS // 2 :]
        answers = {**dict(kept), event.key: (event, state.seq)}
    return state._replace(answers=answers)


def _shoe(state: TableState, event: ShoeNoted | ShoeAdopted | ShoeHalted | DeckInShoe) -> TableState:
    match event:
        case ShoeNoted():
            holders = event.detail if event.kind == "gate" else state.shoe.holders
            return state._replace(shoe=state.shoe._replace(accepted_seq=event.seq, holders=holders))
        case ShoeHalted():
            return state._replace(shoe=state.shoe._replace(halted=True))
        case ShoeAdopted():
            known = state.shoe._replace(
                boot=event.boot,
                accepted_seq=event.accepted_seq,
                load=event.load,
                draw_no=event.draw_no,
                adopted=True,
                halted=False,
                restarted=not event.counts_agree,
            )
            first = state.shoe.boot == 0
            held = state.custody._replace(in_shoe=event.remaining) if first else state.custody
            return state._replace(shoe=known, custody=held)
        case DeckInShoe():
            return _deck_in_shoe(state, event)
        case _:
            assert_never(event)


def _deck_in_shoe(state: TableState, event: DeckInShoe) -> TableState:
    shoe = state.shoe._replace(accepted_seq=event.seq, load=event.load, draw_no=0, restarted=False)
    if not state.hand_open:
        return state._replace(shoe=shoe, custody=cards.load(state.custody, event.cards))
    held = cards.reload_stub(state.custody, event.cards)
    if state.hand is not None and state.hand.phase is not Phase.SCRAMBLE:
        held = held._replace(fault="unexpected_load")
    return state._replace(shoe=shoe, custody=held)


def _seats(state: TableState, event: SeatTaken | SeatLeft | ChipsAdded) -> TableState:
    match event:
        case SeatTaken():
            taken = TableSeat(event.seat, event.name, event.chips, state.hand_number)
            seats = tuple(sorted((*state.seats, taken), key=lambda seat: seat.seat))
            return state._replace(seats=seats, bought_in=state.bought_in + event.chips)
        case SeatLeft():
            seats = tuple(seat for seat in state.seats if seat.seat != event.seat)
            return state._replace(seats=seats, cashed_out=state.cashed_out + event.chips)
        case ChipsAdded():
            seats = tuple(
                seat._replace(stack=seat.stack + event.chips) if seat.seat == event.seat else seat for seat in state.seats
            )
            return state._replace(seats=seats, bought_in=state.bought_in + event.chips)
        case _:
            assert_never(event)
