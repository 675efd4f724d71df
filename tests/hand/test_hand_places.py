"""Places: one text form, read back to the same place (R-ERR-08)."""

from __future__ import annotations

import pytest

from controller.hand.places import Place, SeatPlace, Spot, Zone, covers, parse_place

EVERY: list[Place] = [*Spot, *(SeatPlace(seat, zone) for seat in range(1, 9) for zone in Zone)]


@pytest.mark.parametrize("place", EVERY, ids=str)
def test_a_place_reads_back(place: Place) -> None:
    """Text and place are one to one."""
    assert parse_place(str(place)) == place


def test_a_seat_alone_is_its_one_antenna() -> None:
    """A table with one antenna a seat."""
    assert parse_place("seat/3") == SeatPlace(3, Zone.ANY)


@pytest.mark.parametrize("text", ["", "seat", "seat/0", "seat/9/up", "seat/x/up", "seat/3/side", "seat/3/up/1", "stub", "Burn"])
def test_what_is_no_place_is_refused(text: str) -> None:
    """The message says how to write one."""
    with pytest.raises(ValueError, match="is no place"):
        parse_place(text)


@pytest.mark.parametrize("antenna", EVERY, ids=str)
def test_an_antenna_covers_its_own_place_and_a_single_one_the_whole_seat(antenna: Place) -> None:
    """R-ERR-08: no other seat, no other zone, no spot of the dealer."""
    for due in EVERY:
        same_seat = isinstance(antenna, SeatPlace) and isinstance(due, SeatPlace) and antenna.seat == due.seat
        single = same_seat and (antenna == SeatPlace(antenna.seat, Zone.ANY) or str(due).endswith("any"))  # type: ignore[union-attr]
        assert covers(antenna, due) is (antenna == due or single)
