"""The table's state after events about its seats and the chips that come and go there."""

from __future__ import annotations

from typing import assert_never

from controller.table.events import ChipsAdded, ChipsPromised, SatIn, SatOut, SeatChanged, SeatLeft, SeatTaken, TimeCollected
from controller.table.parts import TableSeat
from controller.table.state import TableState


def seats_after(state: TableState, event: SeatTaken | SeatLeft | ChipsAdded) -> TableState:
    """Players come, go and buy chips."""
    match event:
        case SeatTaken():
            bank = 0 if state.game is None else state.game.rules.time_bank_s
            taken = TableSeat(event.seat, event.name, event.chips, state.hand_number, bank_s=bank)
            seats = tuple(sorted((*state.seats, taken), key=lambda seat: seat.seat))
            return state._replace(seats=seats, bought_in=state.bought_in + event.chips, last_two=False)
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


def people_after(state: TableState, event: SatOut | SatIn | SeatChanged | ChipsPromised | TimeCollected) -> TableState:
    """Players sit out, move, are promised chips and pay for their time."""

    def change(seat: TableSeat) -> TableSeat:
        if seat.seat != event.seat:
            return seat
        match event:
            case SatOut():
                return seat._replace(out=True)
            case SatIn():
                return seat._replace(out=False)
            case SeatChanged(to=to):
                return seat._replace(seat=to, after_hand=state.hand_number)  # what it did there stays at its old seat
            case ChipsPromised(chips=chips):
                return seat._replace(promised=seat.promised + chips)
            case TimeCollected(chips=chips):
                return seat._replace(stack=seat.stack - chips)
            case _:
                assert_never(event)

    seats = tuple(sorted((change(seat) for seat in state.seats), key=lambda seat: seat.seat))
    bought = event.chips if isinstance(event, ChipsPromised) else 0
    raked = event.chips if isinstance(event, TimeCollected) else 0
    return state._replace(seats=seats, bought_in=state.bought_in + bought, raked=state.raked + raked)
