"""Seats and chips between hands, as events change them: every chip that comes or goes is booked (R-POT-11)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controller.table.events import ChipsAdded, ChipsPromised, SatIn, SatOut, SeatChanged, SeatLeft, SeatTaken, TimeCollected
from controller.table.evolve import evolve
from controller.table.state import TableState


def seated(*seats: int) -> TableState:
    state = TableState()
    for seat in seats:
        state = evolve(state, SeatTaken(seat, f"P{seat}", 100))
    return state


def test_a_player_who_moves_takes_chips_and_name_with_him_and_seats_stay_in_order() -> None:
    state = evolve(seated(5, 2), SeatChanged(2, 7))
    assert [(seat.seat, seat.name, seat.stack) for seat in state.seats] == [(5, "P5", 100), (7, "P2", 100)]


def test_who_sits_out_keeps_his_chips() -> None:
    state = evolve(seated(2), SatOut(2))
    assert (state.seats[0].out, state.seats[0].stack) == (True, 100)
    assert not evolve(state, SatIn(2)).seats[0].out


@given(st.lists(st.tuples(st.sampled_from(["add", "promise", "time", "leave", "take"]), st.integers(1, 8), st.integers(1, 50))))
def test_every_chip_that_comes_or_goes_is_booked(steps: list[tuple[str, int, int]]) -> None:
    state = seated(1, 2, 3)
    for kind, seat, chips in steps:
        there = {entry.seat: entry for entry in state.seats}
        if kind == "take" and seat not in there:
            state = evolve(state, SeatTaken(seat, "N", chips))
        elif seat not in there:
            continue
        elif kind == "add":
            state = evolve(state, ChipsAdded(seat, chips))
        elif kind == "promise":
            state = evolve(state, ChipsPromised(seat, chips))
        elif kind == "time":
            state = evolve(state, TimeCollected(seat, min(chips, there[seat].stack)))
        elif kind == "leave" and not there[seat].promised:
            state = evolve(state, SeatLeft(seat, there[seat].stack))
        assert state.chips_conserved
