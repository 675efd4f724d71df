"""Orders between hands: starting one, players coming, going and buying chips, another game (R-SETUP, R-DECK, R-ANTE)."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, assert_never

from controller.hand.commands import LeaveTable, PostAnte, Refusal
from controller.hand.decide import decide as decide_hand
from controller.hand.events import HandOpened
from controller.hand.knobs import GameType, HeadsUpCap
from controller.hand.rules import house_rules, knob_values, rules_problems
from controller.hand.stakes import stakes_problems
from controller.hand.state import open_state
from controller.hand.terms import Player, SeatChips
from controller.table.access_events import AlarmAcknowledged, FloorAnswered
from controller.table.carried_events import TableConfigured
from controller.table.carry import configured
from controller.table.deck import deck_refusal
from controller.table.events import (
    ChipsAdded,
    ChipsPromised,
    LastTwoSet,
    SatIn,
    SatOut,
    SeatChanged,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableEvent,
    TableLocked,
    TablePaused,
    TableReopened,
    TimeCollected,
)
from controller.table.inputs import (
    AcknowledgeAlarm,
    AddChips,
    AnswerSeat,
    ChangeSeat,
    CloseTable,
    CollectTime,
    LeaveSeat,
    LockTable,
    PauseTable,
    ReopenTable,
    SeatPlayer,
    SetGame,
    SetLastTwo,
    SetStakes,
    SitIn,
    SitOut,
    StartHand,
)
from controller.table.machine import no_room
from controller.table.parts import TableSeat
from controller.table.state import Game, TableState
from controller.tracking.custody import DECK_SIZE, Custody

MAX_NAME = 32
"""Longest player name, in characters."""
OPEN = "open"
"""Role of who has seen an alarm where nobody signs in."""
UNNAMED = "dealer"
"""Name of who has seen it and gave none."""
MAX_CHIPS = 1_000_000_000
"""Largest buy-in, in chips."""


FloorOrder: TypeAlias = (
    StartHand
    | SeatPlayer
    | LeaveSeat
    | AddChips
    | SetGame
    | SetStakes
    | SetLastTwo
    | AnswerSeat
    | AcknowledgeAlarm
    | SitOut
    | SitIn
    | ChangeSeat
    | CollectTime
    | PauseTable
    | LockTable
    | ReopenTable
    | CloseTable
)
Outcome: TypeAlias = tuple[TableEvent, ...] | Refusal


def floor_order(state: TableState, order: FloorOrder) -> Outcome:
    """What an order about hands to come leads to, or why not. Seats, stacks and game are frozen while a hand is open (Q-04)."""
    match order:
        case AddChips():
            return _add_chips(state, order)
        case SitOut() | SitIn():
            return _sit(state, order)
        case AnswerSeat(seat=seat):
            asks = seat in state.asked
            return (FloorAnswered(seat),) if asks else Refusal("R-RULE-01", "seat_asks_nothing", (("seat", seat),))
        case AcknowledgeAlarm():
            return _acknowledge(state, order)
        case PauseTable(reason=reason):
            return (TablePaused(reason),) if not state.paused else Refusal("R-SETUP-07", "table_is_paused")
        case LockTable():
            return () if state.locked else (TableLocked(),)
        case ReopenTable():
            return (TableReopened(),) if state.paused or state.closed else Refusal("R-SETUP-07", "table_is_open")
        case CloseTable():
            return (TableClosed(),) if not state.closed else Refusal("R-SETUP-07", "table_is_closed")
        case _:
            return _between_hands(state, order)


def _acknowledge(state: TableState, order: AcknowledgeAlarm) -> Outcome:
    """Somebody has seen an alarm: on record once, whoever says so again. Refused where it is over, or another one stands."""
    one = next((one for one in state.alarms if (one.alarm, one.raised_seq) == (order.alarm, order.raised_seq)), None)
    if one is None:
        return Refusal("REG-13", "alarm_passed")
    return () if one.by else (AlarmAcknowledged(one.alarm, one.raised_seq, order.by or UNNAMED, order.role or OPEN),)


def _between_hands(
    state: TableState,
    order: StartHand | SeatPlayer | LeaveSeat | SetGame | SetStakes | SetLastTwo | ChangeSeat | CollectTime,
) -> Outcome:
    if state.hand_open:
        return Refusal("R-SETUP-07", "hand_is_open", (("hand", state.hand_number),))
    match order:
        case StartHand():
            return _start_hand(state, order)
        case SeatPlayer():
            return _seat_player(state, order)
        case LeaveSeat():
            seat = _seat(state, order.seat)
            return _empty(order.seat) if seat is None else (SeatLeft(seat.seat, seat.stack),)
        case SetGame():
            return _set_game(state, order)
        case SetStakes():
            return _set_stakes(state, order)
        case SetLastTwo():
            return _set_last_two(state, order)
        case ChangeSeat():
            return _change_seat(state, order)
        case CollectTime():
            return _collect_time(state)
        case _:
            assert_never(order)


def _seat(state: TableState, number: int) -> TableSeat | None:
    return next((seat for seat in state.seats if seat.seat == number), None)


def _empty(seat: int) -> Refusal:
    return Refusal("R-SETUP-07", "seat_is_empty", (("seat", seat),))


def _not_now(state: TableState, order: StartHand) -> Refusal | None:
    """Why no hand may start: table life, deck, felt, cut (R-DECK-01 to R-DECK-03, R-MIS-07)."""
    if state.game is None:
        return Refusal("R-SETUP-02", "no_game")
    if state.locked:
        return Refusal("R-SETUP-07", "program_changed")
    if state.closed or state.paused:
        return Refusal("R-SETUP-07", "table_is_closed" if state.closed else "table_is_paused")
    refusal = no_room(state) or deck_refusal(state)
    if refusal is not None:
        return refusal
    held = state.seen
    if held.loaded != DECK_SIZE or held.in_shoe != DECK_SIZE or held.flights or held.fault:
        return Refusal("R-DECK-01", "deck_not_loaded", (("cards", held.in_shoe),))
    if held.awaits_load >= 0:  # a hand that was to be dealt again, or whose stub fell, was void before the load came
        return Refusal("R-DECK-01", "load_awaited")
    if held.lying or held.strangers:
        cards = len(held.lying) + sum(held.strangers.values())
        return Refusal("R-DECK-01", "felt_not_clear", (("cards", cards), ("places", _read_at(held))))
    least = state.game.rules.cut_min_cards
    if order.cut is not None and not least <= order.cut <= DECK_SIZE - 4:
        return Refusal("R-DECK-03", "cut_too_thin", (("cut", order.cut), ("least", least)))
    return None


def _read_at(held: Custody) -> str:
    """Where readers see tags, each place once by its name: no order that tells of a card, and no tag, which would."""
    return " ".join(sorted({str(place) for place in (*held.lying.values(), *held.strangers)}))


def next_players(state: TableState) -> tuple[SeatChips, ...]:
    """Who would be dealt into a hand that is started now, and with how many chips."""
    if state.game is None:
        return ()
    unit = state.game.stakes.unit
    all_play = state.game.rules.game_type is GameType.TOURNAMENT
    return tuple(
        SeatChips(seat.seat, seat.stack - seat.stack % unit)
        for seat in state.seats
        if seat.stack >= unit and (all_play or not seat.out)
    )


def _start_hand(state: TableState, order: StartHand) -> Outcome:
    """Open the hand and post all antes (R-SETUP-01, R-DECK-01, R-ANTE-01, Q-05).

    Of a stack plays what the smallest chip divides (R-SETUP-06). Who sits out is not dealt in at cash; in a tournament it antes,
    is dealt in, and its hand is an absent player's (R-ABS-01).
    """
    refusal = _not_now(state, order)
    if refusal is not None or state.game is None:
        return refusal or Refusal("R-SETUP-02", "no_game")
    seats = next_players(state)
    if len(seats) < state.game.rules.min_players:
        return Refusal("R-SETUP-01", "too_few_players", (("players", len(seats)), ("least", state.game.rules.min_players)))
    setup = state.setup()
    events: list[TableEvent] = [hand_opened(state, seats)]
    hand = open_state(setup, tuple(seats))
    dealt_in = {seat.seat for seat in seats}
    antes: list[PostAnte | LeaveTable] = [PostAnte(seat.seat) for seat in seats]
    for given in (*antes, *(LeaveTable(seat.seat) for seat in state.seats if seat.out and seat.seat in dealt_in)):
        decision = decide_hand(hand, given)
        if isinstance(decision, Refusal):
            return decision
        events.extend(decision.events)
        hand = decision.state
    return tuple(events)


def hand_opened(state: TableState, seats: tuple[SeatChips, ...]) -> HandOpened:
    """The event that opens the next hand of ``seats``, with all that it is played by. Only with a game configured."""
    setup = state.setup()
    posted = knob_values(house_rules(setup.rules.preset))
    return HandOpened(
        setup.number,
        setup.variant,
        seats,
        setup.rules_hash,
        setup.stakes,
        setup.rules.preset,
        tuple(sorted(knob_values(setup.rules).items() - posted.items())),
        setup.last_two_in_event,
        tuple(sorted(Player(seat.seat, seat.name, seat.stack) for seat in state.seats)),
        state.wheel[0].name if state.wheel else "",
    )


def _seat_player(state: TableState, order: SeatPlayer) -> tuple[TableEvent, ...] | Refusal:
    most = 8 if state.game is None else state.game.rules.max_seats
    if not 1 <= order.seat <= most:
        return Refusal("R-SETUP-01", "no_such_seat", (("seat", order.seat), ("most", most)))
    if any(seat.seat == order.seat for seat in state.seats):
        return Refusal("R-SETUP-07", "seat_is_taken", (("seat", order.seat),))
    if not order.name.isprintable() or not 0 < len(order.name.strip()) <= MAX_NAME:
        return Refusal("R-SETUP-07", "bad_name", (("most", MAX_NAME),))
    return (
        _bad_chips(state, order.chips)
        or _below_buy_in(state, order.chips)
        or (SeatTaken(order.seat, order.name.strip(), order.chips),)
    )


def _below_buy_in(state: TableState, chips: int) -> Refusal | None:
    """A new player buys in for the posted minimum at least (R-SETUP-05)."""
    if state.game is None:
        return None
    least = state.game.rules.buy_in_min or 10 * state.game.stakes.big
    return Refusal("R-SETUP-05", "buy_in_too_small", (("chips", chips), ("least", least))) if chips < least else None


def _add_chips(state: TableState, order: AddChips) -> Outcome:
    """Chips play from the next hand on; bought during one, they wait for its end (R-SETUP-03)."""
    if _seat(state, order.seat) is None:
        return _empty(order.seat)
    added = ChipsPromised if state.hand_open else ChipsAdded
    return _bad_chips(state, order.chips) or (added(order.seat, order.chips),)


def _sit(state: TableState, order: SitOut | SitIn) -> Outcome:
    """In or out from the next hand on (Q-05)."""
    seat = _seat(state, order.seat)
    if seat is None:
        return _empty(order.seat)
    out = isinstance(order, SitOut)
    if seat.out is out:
        return Refusal("R-ABS-01", "sits_out" if out else "sits_in", (("seat", order.seat),))
    return (SatOut(order.seat),) if out else (SatIn(order.seat),)


def _change_seat(state: TableState, order: ChangeSeat) -> Outcome:
    most = 8 if state.game is None else state.game.rules.max_seats
    if _seat(state, order.seat) is None:
        return _empty(order.seat)
    if not 1 <= order.to <= most:
        return Refusal("R-SETUP-01", "no_such_seat", (("seat", order.to), ("most", most)))
    if _seat(state, order.to) is not None:
        return Refusal("R-SETUP-07", "seat_is_taken", (("seat", order.to),))
    return (SeatChanged(order.seat, order.to),)


def _collect_time(state: TableState) -> Outcome:
    """The half hour's fee from each seat that has it (R-RAKE-02)."""
    fee = 0 if state.game is None else state.game.rules.time_collection
    if not fee:
        return Refusal("R-RAKE-02", "no_time_collection")
    return tuple(TimeCollected(seat.seat, min(fee, seat.stack)) for seat in state.seats if seat.stack)


def _set_stakes(state: TableState, order: SetStakes) -> Outcome:
    """Other stakes from the next hand on (Q-03, Q-04)."""
    if state.game is None:
        return Refusal("R-SETUP-02", "no_game")
    problems = stakes_problems(order.stakes) or rules_problems(state.game.rules, order.stakes)
    if problems:
        return Refusal("R-SETUP-02", "bad_stakes", (("problem", problems[0]),))
    return (_chosen(state.game._replace(stakes=order.stakes)),)


def _set_last_two(state: TableState, order: SetLastTwo) -> Outcome:
    """The floor's flag that lifts the cap between the last two players of an event (R-BET-04, Q-40)."""
    if state.game is None:
        return Refusal("R-SETUP-02", "no_game")
    if order.on is state.last_two:
        return ()
    if order.on and state.game.rules.heads_up_cap is not HeadsUpCap.UNCAPPED_LAST_TWO_IN_EVENT:
        return Refusal("R-BET-04", "last_two_not_played")
    players = sum(1 for seat in state.seats if seat.stack)
    if order.on and players != 2:
        return Refusal("R-BET-04", "not_two_players", (("players", players),))
    return (LastTwoSet(order.on),)


def _chosen(game: Game) -> TableConfigured:
    """``game`` is played from the next hand on, by the floor's word."""
    return replace(configured(game), chosen=True)


def _bad_chips(state: TableState, chips: int) -> Refusal | None:
    unit = 1 if state.game is None else state.game.stakes.unit
    if 0 < chips <= MAX_CHIPS and chips % unit == 0:
        return None
    return Refusal("R-SETUP-06", "bad_chips", (("chips", chips), ("unit", unit)))


def _set_game(state: TableState, order: SetGame) -> tuple[TableEvent, ...] | Refusal:
    if state.game is None:
        return Refusal("R-SETUP-02", "no_game")
    if order.variant is state.game.variant:
        return ()
    return (_chosen(state.game._replace(variant=order.variant)),)
