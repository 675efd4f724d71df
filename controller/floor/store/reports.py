"""Sums over the copy, made by the database: no event is read for them. Hours are counted from 1970, in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import and_, case, func, select

from controller.floor.store.hand_rows import HOUR_S, STOP
from controller.floor.store.store import FloorStore
from controller.floor.store.tables import ALARMS, HANDS, RULINGS, SLIPS

MAX_ROWS: Final = 2_000
"""Rows of a report, and incidents that are told; the newest or the most."""
PER: Final = 100
MISREADS: Final = (
    "unreadable_card",
    "foreign_card",
    "unexplained_card",
    "duplicate_card",
    "face_in_doubt",
    "antennas_crossed",
    "moved_card",
    "wrong_place",
)
"""Stops that a shoe or a reader told."""

Row = dict[str, Any]
BY: Final[Mapping[str, str]] = {"table": "table_name", "dealer": "dealer", "game": "variant"}


def _within(store: FloorStore, since: datetime, until: datetime) -> Any:
    hours = (int(since.timestamp()) // HOUR_S, -(-int(until.timestamp()) // HOUR_S))
    return and_(HANDS.c.venue == store.venue, HANDS.c.hour >= hours[0], HANDS.c.hour < hours[1])


async def hands_by(store: FloorStore, by: str, since: datetime, until: datetime) -> list[Row]:
    """Hands of each table, dealer or game in whole hours: how many, void ones, hours in which it played, mean length, rake."""
    finest = (HANDS.c.hour, HANDS.c.table_name, HANDS.c.variant, HANDS.c.dealer)  # as the index has them: nothing is sorted
    of_each = (
        select(
            *finest,
            func.count().label("hands"),
            func.sum(case((HANDS.c.outcome == "hand_voided", 1), else_=0)).label("void"),
            func.sum(HANDS.c.seconds).label("seconds"),
            func.sum(HANDS.c.rake).label("rake"),
        )
        .where(_within(store, since, until))
        .group_by(*finest)
        .subquery()
    )
    name = of_each.c[BY[by]]
    parts = ("hands", "void", "seconds", "rake")
    each = (
        select(name.label("of"), *(func.sum(of_each.c[part]).label(part) for part in parts))
        .group_by(name, of_each.c.table_name, of_each.c.hour)
        .subquery()
    )
    sums = (func.sum(each.c[part]).label(part) for part in parts)
    wanted = select(each.c.of, func.count().label("hours"), *sums).group_by(each.c.of)
    found = await store.read(wanted.order_by(func.sum(each.c.hands).desc()).limit(MAX_ROWS))
    return [
        {
            by: row["of"] or "",
            "hands": int(row["hands"]),
            "voided": int(row["void"]),
            "hours": row["hours"],
            "hands_per_hour": round(int(row["hands"]) / row["hours"], 1),
            "seconds_per_hand": None if row["seconds"] is None else round(int(row["seconds"]) / int(row["hands"])),
            "rake": int(row["rake"] or 0),
        }
        for row in found
    ]


async def pace(store: FloorStore, since: datetime, until: datetime, *, step: int) -> list[Row]:
    """Hands that ended in each ``step`` hours, and at how many tables: what a plot is made of."""
    each = (
        select(HANDS.c.hour.label("hour"), HANDS.c.table_name.label("of"), func.count().label("hands"))
        .where(_within(store, since, until))
        .group_by(HANDS.c.hour, HANDS.c.table_name)
        .subquery()
    )
    wanted = select(each.c.hour, func.count().label("tables"), func.sum(each.c.hands).label("hands")).group_by(each.c.hour)
    sums: dict[int, list[int]] = {}
    for row in await store.read(wanted.order_by(each.c.hour)):
        of = sums.setdefault(row["hour"] // step * step, [0, 0])
        of[0], of[1] = of[0] + int(row["hands"]), of[1] + row["tables"]
    return [
        {"at": hour * HOUR_S, "hands": hands, "table_hours": tables, "hands_per_hour": round(hands / tables, 1)}
        for hour, (hands, tables) in sums.items()
    ]


_OF_HAND: Final = and_(
    *(HANDS.c[name] == SLIPS.c[name] for name in ("venue", "table_name", "journal", "hand")),
)


def _slips_within(store: FloorStore, since: datetime, until: datetime) -> Any:
    return and_(SLIPS.c.venue == store.venue, SLIPS.c.at >= since, SLIPS.c.at < until)


async def slips(store: FloorStore, since: datetime, until: datetime) -> list[Row]:
    """Slips of each kind and dealer."""
    wanted = (
        select(SLIPS.c.code.label("kind"), HANDS.c.dealer, func.count().label("slips"))
        .select_from(SLIPS.outerjoin(HANDS, _OF_HAND))
        .where(_slips_within(store, since, until))
        .group_by(SLIPS.c.code, HANDS.c.dealer)
        .order_by(func.count().desc(), SLIPS.c.code)
        .limit(MAX_ROWS)
    )
    return [{**row, "dealer": row["dealer"] or ""} for row in await store.read(wanted)]


async def locked(store: FloorStore, since: datetime, until: datetime) -> list[Row]:
    """How long play was stopped at each table and for what, in seconds; what is still stopped counts without a time."""
    wanted = (
        select(
            SLIPS.c.table_name.label("table"),
            SLIPS.c.code.label("kind"),
            func.count().label("stops"),
            func.sum(SLIPS.c.seconds).label("seconds"),
            func.max(SLIPS.c.seconds).label("longest"),
        )
        .where(_slips_within(store, since, until), SLIPS.c.event == STOP)
        .group_by(SLIPS.c.table_name, SLIPS.c.code)
        .order_by(func.coalesce(func.sum(SLIPS.c.seconds), 0).desc())
        .limit(MAX_ROWS)
    )
    found = await store.read(wanted)
    return [{**row, "seconds": _whole(row["seconds"]), "longest": _whole(row["longest"])} for row in found]


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else round(float(seconds))


async def misreads(store: FloorStore, since: datetime, until: datetime) -> list[Row]:
    """What shoe and readers told wrong, by table, place and kind; and alarms of devices, by table and device."""
    stops = (
        select(SLIPS.c.table_name.label("table"), SLIPS.c.place, SLIPS.c.code.label("kind"), func.count().label("times"))
        .where(_slips_within(store, since, until), SLIPS.c.event == STOP, SLIPS.c.code.in_(MISREADS))
        .group_by(SLIPS.c.table_name, SLIPS.c.place, SLIPS.c.code)
        .limit(MAX_ROWS)
    )
    alarms = (
        select(ALARMS.c.table_name.label("table"), ALARMS.c.device, ALARMS.c.code.label("kind"), func.count().label("times"))
        .where(_alarms_within(store, since, until), ALARMS.c.device.is_not(None))
        .group_by(ALARMS.c.table_name, ALARMS.c.device, ALARMS.c.code)
        .limit(MAX_ROWS)
    )
    found = [{"table": row["table"], "device": "", **_but(row, "table")} for row in await store.read(stops)]
    found += [
        {"table": row["table"], "device": row["device"], "place": None, **_but(row, "table", "device")}
        for row in await store.read(alarms)
    ]
    return sorted(found, key=lambda row: (-row["times"], row["table"], row["kind"]))


def _but(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _alarms_within(store: FloorStore, since: datetime, until: datetime) -> Any:
    return and_(ALARMS.c.venue == store.venue, ALARMS.c.raised_at >= since, ALARMS.c.raised_at < until)


async def alarms(store: FloorStore, since: datetime, until: datetime) -> list[Row]:
    """Alarms of each table, those that called somebody, and these on a hundred hands (aim: at most one)."""
    wanted = (
        select(
            ALARMS.c.table_name.label("table"),
            func.count().label("alarms"),
            func.sum(case((ALARMS.c.called_at.is_not(None), 1), else_=0)).label("called"),
        )
        .where(_alarms_within(store, since, until))
        .group_by(ALARMS.c.table_name)
        .limit(MAX_ROWS)
    )
    raised = {row["table"]: row for row in await store.read(wanted)}
    hands = {row["table"]: row["hands"] for row in await hands_by(store, "table", since, until)}
    found = []
    for table in sorted(raised.keys() | hands.keys()):
        row, played = raised.get(table, {"alarms": 0, "called": 0}), hands.get(table, 0)
        called = int(row["called"])
        per = round(called * PER / played, 2) if played else None
        found.append({"table": table, "hands": played, "alarms": row["alarms"], "called": called, "called_per_100_hands": per})
    return sorted(found, key=lambda row: (-(row["called_per_100_hands"] or 0), row["table"]))


async def incidents(store: FloorStore, since: datetime, until: datetime) -> list[Row]:
    """Each stop from lock to release, the newest first: what, where, in which hand, how long, and what was ruled meanwhile."""
    wanted = (
        select(SLIPS, HANDS.c.dealer)
        .select_from(SLIPS.outerjoin(HANDS, _OF_HAND))
        .where(_slips_within(store, since, until), SLIPS.c.event == STOP)
        .order_by(SLIPS.c.at.desc())
        .limit(MAX_ROWS)
    )
    stops = await store.read(wanted)
    oldest = min((row["at"] for row in stops), default=until)
    ruled = select(RULINGS).where(RULINGS.c.venue == store.venue, RULINGS.c.at >= oldest, RULINGS.c.at < until)
    rulings: dict[tuple[str, str], list[Row]] = {}
    for row in await store.read(ruled.order_by(RULINGS.c.seq).limit(MAX_ROWS * 2)):
        rulings.setdefault((row["table_name"], row["journal"]), []).append(row)
    return [_incident(stop, rulings.get((stop["table_name"], stop["journal"]), [])) for stop in stops]


def _incident(stop: Row, rulings: list[Row]) -> Row:
    until = stop["until_seq"]
    meanwhile = [one for one in rulings if stop["seq"] < one["seq"] and (until is None or one["seq"] <= until)]
    people = [name for one in meanwhile for name in (one["person"], one["agreed_by"]) if name]
    return {
        "at": stop["at"],
        "table": stop["table_name"],
        "journal": stop["journal"],
        "hand": stop["hand"],
        "kind": stop["code"],
        "place": stop["place"],
        "until": stop["until_at"],
        "seconds": _whole(stop["seconds"]),
        "rulings": " ".join(one["code"] for one in meanwhile),
        "ruled_by": ", ".join(dict.fromkeys(people)),
        "dealer": stop["dealer"] or "",
    }
