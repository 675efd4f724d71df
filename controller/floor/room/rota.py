"""The dealers' rota: who deals where from when to when, laid out by moving everybody one table on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from controller.floor.room.waiting import Refused

SOON: Final = timedelta(minutes=5)
"""How long before a change of dealers the page begins to say so."""
GRACE: Final = timedelta(minutes=2)
"""How long after it another dealer at the table is no news: the hand is dealt to its end."""
MAX_SHIFTS: Final = 2000
"""Shifts of one layout; more are refused."""


@dataclass(frozen=True, slots=True)
class Shift:
    """``dealer`` deals at ``table`` from ``starts`` until ``ends``, UTC."""

    shift: str
    table: str
    dealer: str
    starts: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class Layout:
    """``dealers`` in their order move one table on with each push; those without a table rest before the first one."""

    dealers: Sequence[str]
    tables: Sequence[str]
    starts: datetime
    minutes: int
    pushes: int


def laid_out(layout: Layout, names: Iterable[str]) -> list[Shift]:
    """The shifts of ``layout``; each takes its key from ``names``. ``Refused`` for a layout that cannot be.

    Push ``k`` has the dealer at place ``i`` at the table ``(i + k) mod dealers``; places beyond the tables are the break. So
    everybody deals at every table in turn and rests as often as everybody else.
    """
    _check(layout)
    keys = iter(names)
    found: list[Shift] = []
    for push in range(layout.pushes):
        starts = layout.starts + timedelta(minutes=push * layout.minutes)
        ends = starts + timedelta(minutes=layout.minutes)
        for place, dealer in enumerate(layout.dealers):
            at = (place + push) % len(layout.dealers)
            if at < len(layout.tables):
                found.append(Shift(next(keys), layout.tables[at], dealer, starts, ends))
    return found


def _check(layout: Layout) -> None:
    for name, given in (("dealer", layout.dealers), ("table", layout.tables)):
        plain = [one.casefold() for one in given]
        twice = next((one for one in given if plain.count(one.casefold()) > 1), None)
        if twice is not None:
            raise Refused(f"{name}_twice", name=twice)
    if len(layout.dealers) < len(layout.tables):
        raise Refused("too_few_dealers", dealers=len(layout.dealers), tables=len(layout.tables))
    if len(layout.tables) * layout.pushes > MAX_SHIFTS:
        raise Refused("too_many_shifts", count=len(layout.tables) * layout.pushes, most=MAX_SHIFTS)


def taken_over(shift: Shift, dealer: str, others: Iterable[Shift]) -> Shift:
    """``dealer`` takes ``shift``; ``Refused`` when the dealer has another table then."""
    dealer = " ".join(dealer.split())
    if not dealer:
        raise Refused("name_due")
    busy = next((one for one in others if one.shift != shift.shift and _same(one.dealer, dealer) and _overlap(one, shift)), None)
    if busy is not None:
        raise Refused("dealer_busy", name=dealer, table=busy.table)
    return Shift(shift.shift, shift.table, dealer, shift.starts, shift.ends)


def at_table(shifts: Iterable[Shift], table: str, now: datetime, signed_in: str | None) -> Mapping[str, Any]:
    """What the rota says of ``table``: who deals ``now`` and who comes next, whether the change is near, and whether somebody
    else than planned is signed in there."""
    own = sorted((one for one in shifts if one.table == table and one.ends > now), key=lambda one: one.starts)
    present = next((one for one in own if one.starts <= now), None)
    after = next((one for one in own if one.starts > now), None)
    settled = present is not None and now - present.starts > GRACE
    return {
        "now": None if present is None else present.dealer,
        "next": None if after is None else {"dealer": after.dealer, "at": after.starts},
        "soon": after is not None and after.starts - now <= SOON,
        "other": settled and signed_in is not None and present is not None and not _same(signed_in, present.dealer),
    }


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _overlap(one: Shift, other: Shift) -> bool:
    return one.starts < other.ends and other.starts < one.ends
