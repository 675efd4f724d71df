"""``stud-table floor --drop-old``: months of the copy older than ``store.keep_months`` go, when all in them is proven."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from controller.floor.audit.check import check_copy
from controller.floor.board.moment import told
from controller.floor.store.expiry import Old, drop_old, first_kept, old_events, other_venues
from controller.floor.store.months import Month
from controller.floor.store.rows import Batch, KeptNote
from controller.floor.store.store import FloorStore, StoreError, open_store
from controller.floor_config import FloorConfig


@dataclass(frozen=True, slots=True)
class Expired:
    """What lies before ``first`` (``None``: everything is kept), whether it was dropped, and what keeps it."""

    first: Month | None = None
    old: tuple[Old, ...] = ()
    is_dropped: bool = False
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Nothing keeps it."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        first = None if self.first is None else f"{self.first.year:04}-{self.first.month:02}"
        journals = [{**one.source._asdict(), "events": one.events, "seq": one.cut.seq, "link": one.cut.link} for one in self.old]
        return {"ok": self.ok, "first": first, "dropped": self.is_dropped, "journals": journals, "problems": list(self.problems)}

    def lines(self) -> list[str]:
        """For people."""
        if self.first is None:
            return [*self.problems, "Everything is kept: store.keep_months is not set."]
        month = f"{self.first.year:04}-{self.first.month:02}"
        done = "dropped" if self.is_dropped else "to drop"
        said = [f"table {one.source.table}, journal {one.source.journal}: {one.events} events" for one in self.old]
        said = [f"{one} up to record {old.cut.seq}" for one, old in zip(said, self.old, strict=True)]
        return [f"Before {month}, {done}: {len(self.old)} journals.", *(f"- {one}" for one in said), *self.problems]


async def expire_floor(config: FloorConfig, now: datetime, *, is_dry: bool) -> Expired:
    """Drop what is older, all of it or nothing: ``is_dry`` only says what would go."""
    if config.store.keep_months is None:
        return Expired()
    first = first_kept(now, config.store.keep_months)
    try:
        async with open_store(config.store.address(), config.venue) as store:
            old = await old_events(store, first)
            problems = await _kept_by(store, first, old)
            if problems or is_dry or not old:
                return Expired(first, old, problems=tuple(problems))
            await store.write(Batch(notes=(_note(first, old, now),)))
            await drop_old(store, first, old, now)
            return Expired(first, old, is_dropped=True)
    except StoreError as error:
        return Expired(first, problems=(f"store: {error}",))


async def _kept_by(store: FloorStore, first: Month, old: tuple[Old, ...]) -> list[str]:
    """Why nothing may go: what is not proven could not be told from what was changed once it is gone."""
    problems = []
    if store.is_postgresql and (others := await other_venues(store, first)):
        problems.append(f"other venues have events in these months: {', '.join(others)}; give each venue a database of its own")
    for one in old:
        named = f"table {one.source.table}, journal {one.source.journal}"
        if one.is_mixed:
            problems.append(f"{named}: its clock was set back, events of later months stand before record {one.cut.seq}")
            continue
        found = await check_copy(store, one.source)
        if found.problems:
            seq, said = found.problems[0]
            problems.append(f"{named}: record {seq}: {said}; settle it first, --verify tells all")
        elif one.cut.link is None or found.verified is None or found.verified < one.cut.seq:
            problems.append(f"{named}: its links are not proven up to record {one.cut.seq}, nor could the rest be then")
    return problems


def _note(first: Month, old: tuple[Old, ...], at: datetime) -> KeptNote:
    """For the trail: what goes, and the link at each cut."""
    cuts = [{**one.source._asdict(), "events": one.events, "seq": one.cut.seq, "link": one.cut.link} for one in old]
    entry = f"drop-{first.year:04}-{first.month:02}-{int(at.timestamp())}"
    return KeptNote(entry, at, "months_dropped", "", None, json.dumps({"before": told(first.begins), "journals": cuts}))
