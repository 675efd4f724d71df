"""The reports by name: which sums each is made of, and its columns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from controller.floor.board.moment import told as moment
from controller.floor.history.csv_text import csv_text
from controller.floor.store import reports
from controller.floor.store.reports import Row
from controller.floor.store.store import FloorStore

Sums = Callable[[FloorStore, datetime, datetime], Awaitable[list[Row]]]
_COUNTED: Final = ("hands", "voided", "hours", "hands_per_hour", "seconds_per_hand", "rake")
_NAMES: Final = ("dealer", "ruled_by")


@dataclass(frozen=True, slots=True)
class Sort:
    """A kind of report. ``is_of_people``: it is about them, and nothing is left of it without their names."""

    name: str
    columns: tuple[str, ...]
    rows: Sums
    is_of_people: bool = False


def _by(what: str) -> Sums:
    async def rows(store: FloorStore, since: datetime, until: datetime) -> list[Row]:
        return await reports.hands_by(store, what, since, until)

    return rows


async def _pace(store: FloorStore, since: datetime, until: datetime) -> list[Row]:
    found = await reports.pace(store, since, until, step=1)
    return [{**row, "at": datetime.fromtimestamp(row["at"], since.tzinfo)} for row in found]


REPORTS: Final[Mapping[str, Sort]] = {
    one.name: one
    for one in (
        Sort("tables", ("table", *_COUNTED), _by("table")),
        Sort("dealers", ("dealer", *_COUNTED), _by("dealer"), is_of_people=True),
        Sort("games", ("game", *_COUNTED), _by("game")),
        Sort("pace", ("at", "hands", "table_hours", "hands_per_hour"), _pace),
        Sort("slips", ("kind", "dealer", "slips"), reports.slips),
        Sort("locked", ("table", "kind", "stops", "seconds", "longest"), reports.locked),
        Sort("misreads", ("table", "place", "device", "kind", "times"), reports.misreads),
        Sort("alarms", ("table", "hands", "alarms", "called", "called_per_100_hands"), reports.alarms),
        Sort(
            "incidents",
            ("at", "table", "journal", "hand", "kind", "place", "until", "seconds", "rulings", "ruled_by", "dealer"),
            reports.incidents,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was made."""

    name: str
    since: datetime
    until: datetime
    columns: tuple[str, ...]
    rows: Sequence[Row]

    def as_json(self) -> dict[str, Any]:
        """Columns and rows; ``cut``: there were more rows than are told."""
        said = [[_json(row[name]) for name in self.columns] for row in self.rows]
        span = {"from": moment(self.since), "to": moment(self.until)}
        return {"name": self.name, **span, "columns": self.columns, "rows": said, "cut": len(said) >= reports.MAX_ROWS}

    def csv(self) -> str:
        """The rows under their columns."""
        return csv_text(self.columns, ([row[name] for name in self.columns] for row in self.rows))


async def made(sort: Sort, store: FloorStore, since: datetime, until: datetime, *, names: bool) -> Report:
    """The report of what ended, or began, from ``since`` up to ``until``; without ``names`` nobody's stands in it."""
    if not names and sort.is_of_people:
        return Report(sort.name, since, until, sort.columns, ())
    found = await sort.rows(store, since, until)
    columns = sort.columns if names else tuple(name for name in sort.columns if name not in _NAMES)
    return Report(sort.name, since, until, columns, found if names or columns == sort.columns else _summed(found, columns))


def _summed(rows: Sequence[Row], columns: tuple[str, ...]) -> list[Row]:
    """Rows that differ in names alone, put together."""
    if "slips" not in columns:
        return list(rows)
    sums: dict[str, int] = {}
    for row in rows:
        sums[row["kind"]] = sums.get(row["kind"], 0) + row["slips"]
    return [{"kind": kind, "slips": slips} for kind, slips in sums.items()]


def _json(value: Any) -> Any:
    return moment(value) if isinstance(value, datetime) else value
