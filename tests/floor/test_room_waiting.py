"""The waiting list: first come, first called; nobody is lost, nobody stands there twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.floor.room.waiting import (
    ENDS,
    TO_COME,
    Game,
    OpenSeat,
    Refused,
    Standing,
    Waiting,
    called,
    ended,
    games_of,
    in_line,
    joined,
    open_seats,
    put_back,
)

T0 = datetime(2026, 5, 1, 18, tzinfo=UTC)
STUD, RAZZ = Game("stud", 4, 8), Game("razz", 4, 8)


def line(*names: str, game: Game = STUD) -> list[Waiting]:
    """Who came one after the other."""
    found: list[Waiting] = []
    for number, name in enumerate(names):
        found.append(joined(f"e{number}", game, name, T0 + timedelta(minutes=number), found))
    return found


def test_who_came_first_is_first() -> None:
    """By game, whatever order they are kept in."""
    known = [*reversed(line("Ana", "Ben", "Cy")), Waiting("r", RAZZ, "Ana", T0)]
    assert [one.name for one in in_line(known, STUD)] == ["Ana", "Ben", "Cy"]
    assert [one.name for one in in_line(known, RAZZ)] == ["Ana"]
    assert games_of(known, {Game("stud", 10, 20): []}) == sorted([STUD, RAZZ, Game("stud", 10, 20)])


def test_a_name_waits_for_a_game_once() -> None:
    """Case and spaces make no other player; another game, or having left before, does not count."""
    known = line("Ana Roux")
    with pytest.raises(Refused, match="waits_already"):
        joined("x", STUD, " ana  ROUX ", T0, known)
    assert joined("x", RAZZ, "Ana Roux", T0, known).name == "Ana Roux"
    assert joined("x", STUD, "Ana Roux", T0, [ended(known[0], Standing.WITHDRAWN, T0)]).entry == "x"
    with pytest.raises(Refused, match="name_due"):
        joined("x", STUD, "  ", T0, known)


def test_a_call_has_its_minutes_and_can_be_taken_back() -> None:
    """Who is put back keeps the place in the list; who does not come leaves it."""
    ana, ben = line("Ana", "Ben")
    there = called(ana, "T4", T0 + timedelta(minutes=9))
    assert (there.is_late(T0 + timedelta(minutes=9) + TO_COME), ana.is_late(T0 + timedelta(hours=9))) == (False, False)
    assert there.is_late(T0 + timedelta(minutes=9, seconds=1) + TO_COME)
    assert in_line([ben, put_back(there)], STUD)[0].name == "Ana"
    assert ended(there, Standing.GONE, T0).standing is Standing.GONE
    for refused in (lambda: put_back(ana), lambda: ended(ana, Standing.GONE, T0)):
        with pytest.raises(Refused, match="not_called"):
            refused()


def test_who_has_left_stays_away() -> None:
    """No end has another one behind it."""
    gone = ended(line("Ana")[0], Standing.SEATED, T0, "T4")
    assert (gone.table, gone.ended_at) == ("T4", T0)
    for again in (lambda: called(gone, "T1", T0), lambda: ended(gone, Standing.WITHDRAWN, T0)):
        with pytest.raises(Refused, match="left_the_list"):
            again()


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["call", "back", "seat", "gone", "leave"])), max_size=40))
def test_nobody_is_lost_and_versions_only_grow(steps: list[tuple[int, str]]) -> None:
    """After any sequence everybody is in line or has an end, in the order of their coming."""
    known = line("A", "B", "C", "D", "E", "F")
    for who, what in steps:
        before = known[who]
        try:
            known[who] = {
                "call": lambda one: called(one, "T1", T0),
                "back": put_back,
                "seat": lambda one: ended(one, Standing.SEATED, T0, "T1"),
                "gone": lambda one: ended(one, Standing.GONE, T0),
                "leave": lambda one: ended(one, Standing.WITHDRAWN, T0),
            }[what](before)
        except Refused:
            continue
        assert known[who].version == before.version + 1
    waiting = in_line(known, STUD)
    assert [one.entry for one in waiting] == sorted(one.entry for one in known if one.standing not in ENDS)
    assert all((one.ended_at is not None) == (one.standing in ENDS) for one in known)


def test_open_seats_are_those_of_tables_that_are_heard() -> None:
    """By game; a lost table offers none, and a ghost's seat is taken."""
    seats = [{"seat": 1, "state": "empty"}, {"seat": 2, "state": "ghost"}, {"seat": 3, "state": "live"}]
    game = {"variant": "stud", "small": 4, "big": 8, "ante": 1}
    tiles = {
        "T1": {"liveness": "online", "game": game, "seats": seats},
        "T2": {"liveness": "lost", "game": game, "seats": seats},
        "T3": {"liveness": "online", "game": None, "seats": []},
    }
    assert open_seats(tiles) == {STUD: [OpenSeat("T1", 1)]}
