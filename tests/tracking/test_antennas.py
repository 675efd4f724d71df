"""Antenna map: no place twice, seats whole, gaps told."""

from __future__ import annotations

import pytest

from controller.hand.places import SeatPlace, Spot, Zone
from controller.tracking.antennas import AntennaError, AntennaMap, parse_antennas, sample_nineteen


def test_sample_table_has_nineteen() -> None:
    """Eight seats with two antennas, muck, burn and community on five lines; nothing is missing."""
    sample = sample_nineteen()
    assert len(sample) == 19
    assert sample.lines == {**{f"felt-{name}": (1, 2, 3, 4) for name in "abcd"}, "felt-e": (1, 2, 3)}
    assert sample.place("felt-b", 2) == SeatPlace(3, Zone.UP)
    assert sample.place("felt-e", 1) is Spot.MUCK
    assert sample.place("felt-e", 4) is None
    assert sample.antenna(SeatPlace(8, Zone.DOWN)) == ("felt-d", 3)
    assert sample.seats == (1, 2, 3, 4, 5, 6, 7, 8)
    assert sample.missing(8) == ()


def test_one_antenna_per_seat_works() -> None:
    """A seat may have one antenna for all its cards, and what the table lacks is told, not refused."""
    small = parse_antennas({"felt": {"1": "seat/1", "2": "seat/2", "3": "muck"}})
    assert small.places == (SeatPlace(1, Zone.ANY), SeatPlace(2, Zone.ANY), Spot.MUCK)
    assert small.missing(3) == ("seat/3", "burn", "community")
    assert small.antenna(Spot.BURN) is None


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        ({"a": {"1": "seat/1", "2": "seat/1"}}, "seat/1/any has 2 antennas: a address 1, a address 2"),
        ({"a": {"1": "seat/1"}, "b": {"1": "muck", "2": "muck"}}, "muck has 2 antennas: b address 1, b address 2"),
        ({"a": {"1": "seat/3/up"}}, "seat 3 has an antenna for up cards and none for down cards"),
        ({"a": {"1": "seat/3/up", "2": "seat/3"}}, "seat 3 has an antenna for all its cards and another for some"),
        ({"a": {"255": "seat/1"}}, "line a has a reader at address 255: addresses are 0 to 254"),
        ({"a": {"1": "muck"}}, "no seat has an antenna"),
        ({"a": {"1": "seat/9"}}, "line a, address '1': 'seat/9' is no place"),
        ({"a": {"one": "seat/1"}}, "an address is a number"),
        ({"a": {"1": 7}}, "a place is a text"),
        ({"a": {"1": "seat/1", "01": "seat/2"}}, "the address is given twice"),
    ],
)
def test_impossible_maps_are_refused(lines: dict[str, dict[str, object]], match: str) -> None:
    """Each fault is refused with the line, the address and the place."""
    with pytest.raises(AntennaError, match=match):
        parse_antennas(lines)


def test_all_faults_are_told_at_once() -> None:
    """Whoever mends the configuration sees every fault in one go."""
    with pytest.raises(AntennaError, match=r"muck has 2 antennas.*; seat 2 has an antenna for down cards"):
        AntennaMap({("a", 1): Spot.MUCK, ("a", 2): Spot.MUCK, ("a", 3): SeatPlace(2, Zone.DOWN)})
