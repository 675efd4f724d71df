"""The rota: everybody deals everywhere in turn, nobody at two tables at once."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.floor.room.rota import GRACE, SOON, Layout, Shift, at_table, laid_out, taken_over
from controller.floor.room.waiting import Refused

T0 = datetime(2026, 5, 1, 18, tzinfo=UTC)


def shifts(dealers: int, tables: int, pushes: int) -> list[Shift]:
    """A layout of that size, thirty minutes a push."""
    layout = Layout([f"D{n}" for n in range(dealers)], [f"T{n}" for n in range(tables)], T0, 30, pushes)
    return laid_out(layout, map(str, count()))


@given(st.integers(1, 8), st.integers(0, 4), st.integers(1, 12))
def test_every_table_has_one_dealer_and_every_dealer_one_table(tables: int, resting: int, pushes: int) -> None:
    """At any time; over a whole round everybody has dealt at every table once and rested equally."""
    dealers = tables + resting
    laid = shifts(dealers, tables, pushes)
    assert len({one.shift for one in laid}) == len(laid) == tables * pushes
    for push in range(pushes):
        starts = T0 + timedelta(minutes=30 * push)
        now = [one for one in laid if one.starts == starts]
        assert len({one.table for one in now}) == len({one.dealer for one in now}) == tables
    whole = shifts(dealers, tables, dealers)
    assert set(Counter((one.dealer, one.table) for one in whole).values()) == {1}
    assert set(Counter(one.dealer for one in whole).values()) == {tables}


def test_a_dealer_moves_one_table_on() -> None:
    """From T0 to T1, to the break, and to T0 again."""
    own = {one.starts: one.table for one in shifts(3, 2, 4) if one.dealer == "D0"}
    assert [own.get(T0 + timedelta(minutes=30 * push)) for push in range(4)] == ["T0", "T1", None, "T0"]


@pytest.mark.parametrize(
    ("layout", "code"),
    [
        (Layout(["A"], ["T1", "T2"], T0, 30, 1), "too_few_dealers"),
        (Layout(["A", "a"], ["T1"], T0, 30, 1), "dealer_twice"),
        (Layout(["A", "B"], ["T1", "T1"], T0, 30, 1), "table_twice"),
        (Layout(["A"], ["T1"], T0, 30, 2001), "too_many_shifts"),
    ],
)
def test_a_layout_that_cannot_be_is_refused(layout: Layout, code: str) -> None:
    """With what is wrong with it."""
    with pytest.raises(Refused, match=code):
        laid_out(layout, map(str, count()))


def test_a_shift_is_taken_by_who_is_free() -> None:
    """Whoever rests then may take it; whoever deals elsewhere may not."""
    laid = shifts(3, 2, 1)
    assert taken_over(laid[0], " D2 ", laid).dealer == "D2"
    with pytest.raises(Refused, match="dealer_busy"):
        taken_over(laid[0], "d1", laid)
    with pytest.raises(Refused, match="name_due"):
        taken_over(laid[0], "", laid)


def test_what_is_said_of_a_table() -> None:
    """Who deals, who comes and when; that it is soon; that another dealer than planned is there."""
    laid = shifts(2, 1, 2)
    said = at_table(laid, "T0", T0, "D0")
    assert (said["now"], said["next"], said["soon"], said["other"]) == (
        "D0",
        {"dealer": "D1", "at": T0 + timedelta(minutes=30)},
        False,
        False,
    )
    change = T0 + timedelta(minutes=30)
    assert at_table(laid, "T0", change - SOON, "D0")["soon"]
    assert not at_table(laid, "T0", change + GRACE, "D0")["other"]
    assert at_table(laid, "T0", change + GRACE + timedelta(seconds=1), "D0")["other"]
    assert not at_table(laid, "T0", change + timedelta(minutes=5), None)["other"]
    assert at_table(laid, "T9", T0, "D0") == {"now": None, "next": None, "soon": False, "other": False}
