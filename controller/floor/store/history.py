"""What is asked of the copy about hands: which there were, page by page, and everything that was told of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import and_, literal, or_, select, tuple_

from controller.floor.store.hand_rows import name_key
from controller.floor.store.store import FloorStore
from controller.floor.store.tables import EVENTS, HANDS, PLAYERS

MAX_HAND_EVENTS: Final = 4_000
"""Events of one hand that are read: twenty times as many as a hand with slips has."""


class HandKey(NamedTuple):
    """Names a hand of the venue."""

    table: str
    journal: str
    hand: int


class Cursor(NamedTuple):
    """Where a page of hands ended: the next one begins behind it."""

    ended_at: datetime
    table: str
    journal: str
    hand: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which hands are looked for; ``None`` is any. Times are of the hand's end, ``until`` excluded."""

    table: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    player: str | None = None
    dealer: str | None = None
    variant: str | None = None
    outcome: str | None = None
    min_pot: int | None = None


_KEY: Final = ("table_name", "journal", "hand")
_ASK: Final = 200
"""Hands whose players are looked up in one statement, each by its key: a list of keys makes SQLite read every row."""


async def find_hands(store: FloorStore, wanted: Wanted, limit: int, behind: Cursor | None = None) -> list[dict[str, Any]]:
    """The first ``limit`` hands that are over and fit, the newest first, each with the names of its ``seats``."""
    order = [HANDS.c[name].desc() for name in ("ended_at", *_KEY)]
    conditions = [HANDS.c.venue == store.venue, HANDS.c.ended_at.is_not(None), *_conditions(store.venue, wanted)]
    if behind is not None:
        place = tuple_(HANDS.c.ended_at, *(HANDS.c[name] for name in _KEY))
        given = (literal(behind.ended_at, HANDS.c.ended_at.type), *(literal(part) for part in behind[1:]))
        conditions += [place < tuple_(*given), HANDS.c.ended_at <= behind.ended_at]
    found = await store.read(select(HANDS).where(*conditions).order_by(*order).limit(limit))
    names = await _names(store, found)
    return [{**row, "seats": names.get(HandKey(*(row[name] for name in _KEY)), [])} for row in found]


def _conditions(venue: str, wanted: Wanted) -> list[Any]:
    hands = HANDS.c
    tests: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
        (wanted.table, lambda table: hands.table_name == table),
        (wanted.since, lambda since: hands.ended_at >= since),
        (wanted.until, lambda until: hands.ended_at < until),
        (wanted.dealer, lambda dealer: hands.dealer == dealer),
        (wanted.variant, lambda variant: hands.variant == variant),
        (wanted.outcome, lambda outcome: hands.outcome == outcome),
        (wanted.min_pot, lambda pot: hands.pot >= pot),
    )
    conditions: list[Any] = [test(value) for value, test in tests if value is not None]
    if wanted.player is not None:
        played = select(*(PLAYERS.c[name] for name in _KEY)).where(
            PLAYERS.c.venue == venue, PLAYERS.c.name_key == name_key(wanted.player)
        )
        if wanted.until is not None:
            played = played.where(PLAYERS.c.at < wanted.until)
        conditions.append(tuple_(*(hands[name] for name in _KEY)).in_(played))
    return conditions


async def _names(store: FloorStore, found: Sequence[dict[str, Any]]) -> dict[HandKey, list[dict[str, Any]]]:
    if not found:
        return {}
    names: dict[HandKey, list[dict[str, Any]]] = {}
    for start in range(0, len(found), _ASK):
        these = (and_(*(PLAYERS.c[name] == row[name] for name in _KEY)) for row in found[start : start + _ASK])
        wanted = select(PLAYERS).where(PLAYERS.c.venue == store.venue, or_(*these)).order_by(PLAYERS.c.seat)
        for row in await store.read(wanted):
            names.setdefault(HandKey(*(row[name] for name in _KEY)), []).append({"seat": row["seat"], "name": row["name"]})
    return names


async def read_hand(store: FloorStore, key: HandKey) -> tuple[dict[str, Any] | None, list[str]]:
    """The row of one hand, and its events as JSON in order, what was told of it after its end too."""
    same = and_(HANDS.c.venue == store.venue, HANDS.c.table_name == key.table, HANDS.c.journal == key.journal)
    found = await store.read(select(HANDS).where(same, HANDS.c.hand == key.hand))
    if not found:
        return None, []
    of_it = (EVENTS.c.venue == store.venue, EVENTS.c.table_name == key.table, EVENTS.c.journal == key.journal)
    events = select(EVENTS.c.body).where(*of_it, EVENTS.c.hand == key.hand).order_by(EVENTS.c.seq).limit(MAX_HAND_EVENTS)
    return found[0], [row["body"] for row in await store.read(events)]
