"""``stud-table floor --verify``: a floor's copy by itself, beside a table's journal, or beside another floor's copy."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from controller.displays.adapter import DisplayAdapter, Where, where_after
from controller.displays.chain import Place, Roots
from controller.floor.audit.check import PAGE, Checked, Comparing, Told, check_copy, told, told_of
from controller.floor.store.rows import Source
from controller.floor.store.store import FloorStore, StoreError, open_store
from controller.floor_config import FloorConfig, load_floor_config
from controller.journal.canonical import Body
from controller.journal.codec import CodecError
from controller.journal.verify import ReplayDisagrees, read_origin, verify_chain
from controller.mqtt.links import ChainName
from controller.table.loop import Record
from controller.table.records import decode, table_codec

MAX_RECORDS: Final = 4_096
"""Records of a journal that are held at once, where few of them are public events."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What was found of each journal, and what kept it from being looked at."""

    journals: tuple[Checked, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return not self.problems and not any(one.problems for one in self.journals)

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {"ok": self.ok, "journals": [one.as_json() for one in self.journals], "problems": list(self.problems)}

    def lines(self) -> list[str]:
        """For people: a sentence for each journal, and one for each difference."""
        said = list(self.problems)
        for one in self.journals:
            verified = "no link is proven" if one.verified is None else f"verified to record {one.verified}"
            said.append(f"Table {one.source.table}, journal {one.source.journal}: {one.events} events, {verified}.")
            said += [f"  {note}" for note in one.notes]
            said += [f"  record {seq}: {what}" for seq, what in one.problems]
            said += [f"  and {one.more} more"] if one.more else []
        said.append(
            "The copy holds." if self.ok else "The copy does not hold: keep store and journals as they are, call the auditor."
        )
        return said


async def audit_floor(config: FloorConfig, table: str | None = None, against: Path | None = None) -> Audited:
    """Check the copy of every journal of ``table``, or of all tables. ``against`` is a table's journal, its folder or file, or
    the ``floor.toml`` of another floor. ``FileNotFoundError`` and ``JournalError`` come through where that cannot be read."""
    try:
        async with open_store(config.store.address(), config.venue) as store:
            sources = [source for source in sorted(await store.chains()) if table in (None, source.table)]
            if table is not None and not sources:
                return Audited(problems=(f"the copy has no events of a table {table}: see /api/board for those it knows",))
            found = {source: await check_copy(store, source) for source in sources}
            problems: list[str] = []
            if against is not None and against.suffix == ".toml":
                await _beside_floor(store, found, load_floor_config(against), table)
            elif against is not None:
                problems += await _beside_journal(store, found, against)
            return Audited(tuple(found.values()), tuple(problems))
    except StoreError as error:
        return Audited(problems=(f"store: {error}",))


async def _beside_floor(store: FloorStore, found: dict[Source, Checked], other: FloorConfig, table: str | None) -> None:
    async with open_store(other.store.address(), other.venue) as second:
        for source in sorted({*found, *(one for one in await second.chains() if table in (None, one.table))}):
            checked = found.setdefault(source, Checked(source))
            comparing = Comparing(store, checked, "the other floor's copy")
            page: list[Told] = []
            async for event in told(second, source):
                page.append(event)
                if len(page) >= PAGE:
                    await comparing.take(page)
                    page.clear()
            await comparing.take(page)
            await comparing.end()


async def _beside_journal(store: FloorStore, found: dict[Source, Checked], path: Path) -> list[str]:
    origin = read_origin(path)
    source = Source(origin.table, origin.journal)
    if source not in found:
        return [f"the copy has nothing of journal {source.journal} of table {source.table}, which lies in {path}"]
    checked, loop = found[source], asyncio.get_running_loop()
    comparing = Comparing(store, checked, "the journal")

    async def take(events: Sequence[Told], heads: dict[int, str]) -> None:
        await comparing.take(events)
        due, last = min(heads, default=0), max(heads, default=-1)
        while due <= last and (page := [one for one in await store.heads(source, due, PAGE) if one[0] <= last]):
            for seq, head in page:
                if heads.get(seq, head) != head:
                    checked.add(seq, "its status told another head than the journal has: the journal was changed")
            due = page[-1][0] + 1

    def give(events: Sequence[Told], heads: dict[int, str]) -> None:
        asyncio.run_coroutine_threadsafe(take(events, heads), loop).result()

    reading = _Reading(source, Place(0 if origin.first == 0 else None), give)
    result = await asyncio.to_thread(verify_chain, path, reading.take, on_head=reading.take_head)
    await asyncio.to_thread(reading.flush)
    await comparing.end()
    if not result.ok:
        checked.add(result.first_bad or 0, f"the journal itself does not hold there: {result.reason}")
    return []


@dataclass(slots=True)
class _Pending:
    events: list[Told] = field(default_factory=list)
    heads: dict[int, str] = field(default_factory=dict)


class _Reading:
    """Makes the public events of a journal as its records are read, and gives them on in pages."""

    def __init__(self, source: Source, place: Place, give: Any) -> None:
        self._codec = table_codec()
        self._adapter = DisplayAdapter(source.table, 1)
        self._roots = Roots(ChainName(*source), self._head_before)
        self._place = Place(place.previous, roots=self._roots)
        self._where = Where()
        self._heads: tuple[tuple[int, str], tuple[int, str]] = ((-1, ""), (-1, ""))
        self._pending = _Pending()
        self._give = give

    def take_head(self, seq: int, head: bytes) -> None:
        """The chain after record ``seq``, told before the record."""
        self._heads = (self._heads[1], (seq, head.hex()))
        self._pending.heads[seq] = head.hex()

    def take(self, seq: int, body: Body) -> None:
        """The next record."""
        try:
            event = decode(self._codec, body, {})
        except CodecError as error:
            raise ReplayDisagrees(str(error)) from None
        self._where = where_after(event, self._where)
        for one in self._adapter.event(Record(seq, str(body["at"]), event), self._where):
            hung, self._place = self._place.hang(one)
            self._pending.events.append(told_of(hung))
        if len(self._pending.events) >= PAGE or len(self._pending.heads) >= MAX_RECORDS:
            self.flush()

    def flush(self) -> None:
        """Give on what was read."""
        pending, self._pending = self._pending, _Pending()
        self._give(pending.events, pending.heads)

    def _head_before(self, seq: int) -> str | None:
        before = self._heads[0]
        return before[1] if before[0] == seq else None
