"""Orders between hands: starting one, players coming, going and buying chips, another game (R-SETUP, R-DECK, R-ANTE)."""

from __future__ import annotations

from typing import assert_never

from controller.hand.commands import PostAnte, Refusal
from controller.hand.decide import decide as decide_hand
from controller.hand.events import HandOpened
from controller.hand.rules import knob_values
from controller.hand.state import open_state
from controller.hand.terms import SeatChips
from controller.table.events import ChipsAdded, SeatLeft, SeatTaken, TableConfigured, TableEvent
from controller.table.inputs import AddChips, LeaveSeat, SeatPlayer, SetGame, StartHand
from controller.table.state import TableState
from controller.tracking.custody import DECK_SIZE

MAX_NAME = 32
"""Longest player name, in characters."""
MAX_CHIPS = 1_000_000_000
"""Largest buy-in, in chips."""


def floor_order(
    state: TableState, order: StartHand | SeatPlayer | LeaveSeat | AddChips | SetGame
) -> tuple[TableEvent, ...] | Refusal:
    """What an order between hands leads to, or why not. Seats, stacks and game are frozen while a hand is open (Q-04)."""
    if state.hand_open:
        return Refusal("R-SETUP-07", "hand_is_open", (("hand", state.hand_number),))
    match order:
        case StartHand():
            return _start_hand(state)
        case SeatPlayer():
            return _seat_player(state, order)
        case LeaveSeat():
            seat = next((seat for seat in state.seats if seat.seat == order.seat), None)
            return (
                Refusal("R-SETUP-07", "seat_is_empty", (("seat", order.seat),))
                if seat is None
                else (SeatLeft(seat.seat, seat.stack),)
            )
        case AddChips():
            return _add_chips(state, order)
        case SetGame():
            return _set_game(state, order)
        case _:
            assert_never(order)


def _start_hand(state: TableState) -> tuple[TableEvent, ...] | Refusal:
    """Open the hand and post all antes (R-SETUP-01, R-DECK-01, R-ANTE-01, Q-05)."""
    if state.game is None:
        return Refusal("R-SETUP-02", "no_game")
    held = state.custody
    if held.loaded != DECK_SIZE or held.in_shoe != DECK_SIZE or held.flights or held.fault:
        return Refusal("R-DECK-01", "deck_not_loaded", (("cards", held.in_shoe),))
    if held.lying or held.strangers:
        return Refusal("R-DECK-01", "felt_not_clear", (("cards", len(held.lying) + sum(held.strangers.values())),))
    seats = tuple(SeatChips(seat.seat, seat.stack) for seat in state.seats if seat.stack >= state.game.stakes.unit)
    if len(seats) < state.game.rules.min_players:
        return Refusal("R-SETUP-01", "too_few_players", (("players", len(seats)), ("least", state.game.rules.min_players)))
    setup = state.setup()
    events: list[TableEvent] = [HandOpened(setup.number, setup.variant, seats)]
    hand = open_state(setup, tuple(seats))
    for seat in seats:
        decision = decide_hand(hand, PostAnte(seat.seat))
        if isinstance(decision, Refusal):
            return decision
        events.extend(decision.events)
        hand = decision.state
    return tuple(events)


def _seat_player(state: TableState, order: SeatPlayer) -> tuple[TableEvent, ...] | Refusal:
    most = 8 if state.game is None else state.game.rules.max_seats
    if not 1 <= order.seat <= most:
        return Refusal("R-SETUP-01", "no_such_seat", (("seat", order.seat), ("most", most)))
    if any(seat.seat == order.seat for seat in state.seats):
        return Refusal("R-SETUP-07", "seat_is_taken", (("seat", order.seat),))
    if not order.name.isprintable() or not 0 < len(order.name.strip()) <= MAX_NAME:
        return Refusal("R-SETUP-07", "bad_name", (("most", MAX_NAME),))
    return _bad_chips(state, order.chips) or (SeatTaken(order.seat, order.name.strip(), order.chips),)


def _add_chips(state: TableState, order: AddChips) -> tuple[TableEvent, ...] | Refusal:
    if all(seat.seat != order.seat for seat in state.seats):
        return Refusal("R-SETUP-07", "seat_is_empty", (("seat", order.seat),))
    return _bad_chips(state, order.chips) or (ChipsAdded(order.seat, order.chips),)


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
    stakes, rules = state.game.stakes, state.game.rules
    knobs = tuple(knob_values(rules).items())
    return (TableConfigured(order.variant, *stakes, preset=rules.preset, knobs=knobs, set_id=state.game.set_id, chosen=True),)
