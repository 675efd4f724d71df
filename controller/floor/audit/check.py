"""Whether a floor's copy is what was told: by itself, and beside another record of the same events, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from controller.floor.collector.chain_check import ChainCheck, Fit
from controller.floor.store.expiry import cuts
from controller.floor.store.rows import KeptEvent, Source, digest_of, digests_in, kept_as
from controller.floor.store.store import FloorStore
from controller.floor.store.tables import DIFFERENCES, HOLES
from controller.mqtt.links import canonical
from controller.mqtt.payloads import PublicEvent
from controller.mqtt.reading import read_whole

PAGE: Final = 500
MAX_PROBLEMS: Final = 100
"""Problems of one journal that are named; further ones are counted."""


class Problem(NamedTuple):
    """What is wrong with record ``seq`` of a journal's copy, in one sentence."""

    seq: int
    said: str


@dataclass(slots=True)
class Checked:
    """What was found of one journal: events that were looked at, the newest whose link was proven, and what is wrong."""

    source: Source
    events: int = 0
    verified: int | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    more: int = 0

    def add(self, seq: int, said: str) -> None:
        """One more problem."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(seq, said))
        else:
            self.more += 1

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "table": self.source.table,
            "journal": self.source.journal,
            "events": self.events,
            "verified": self.verified,
            "notes": self.notes,
            "problems": [one._asdict() for one in self.problems],
            "more": self.more,
        }


class Told(NamedTuple):
    """An event as one record has it, without its teller; ``body`` is its text."""

    seq: int
    digest: str
    link: str | None
    body: str

    def says(self, other: Told) -> bool:
        """Whether both say the same, whatever the releases that kept them knew of its fields."""
        return self.digest == other.digest or not digests_in(self.body).isdisjoint(digests_in(other.body))


class _Holes:
    """Where events of a journal may be missing."""

    def __init__(self, rows: Sequence[dict[str, Any]], source: Source) -> None:
        mine = [row for row in rows if (row["table_name"], row["journal"]) == source]
        self._spans = [(row["after_seq"], row["next_seq"]) for row in mine if row["closed_at"] is None]

    def covers(self, after: int, seq: int) -> bool:
        """Whether what is missing between two records that are there is a hole that is known."""
        return any(start <= after and seq <= end for start, end in self._spans)

    def has(self, seq: int) -> bool:
        """Whether a record lies in one."""
        return any(start < seq < end for start, end in self._spans)

    @property
    def said(self) -> list[str]:
        """For people."""
        return [f"between records {start} and {end} events may be missing: a known hole" for start, end in self._spans]


async def check_copy(store: FloorStore, source: Source) -> Checked:
    """The copy of one journal by itself: that its rows say one thing, that every link fits, that nothing is missing but for known
    holes, that heads agree; and differences that were found when it came."""
    found, check = Checked(source), ChainCheck(source)
    holes = _Holes(await store.rows_of(HOLES), source)
    found.notes += holes.said
    for row in await store.rows_of(DIFFERENCES):
        if (row["table_name"], row["journal"]) == source:
            found.add(row["seq"], f"it was told otherwise when it came ({row['what']}, {row['found_at']:%Y-%m-%d %H:%M:%S})")
    last = 0
    if (cut := (await cuts(store)).get(source)) is not None:
        last = cut.seq
        check.begin_behind(*cut)
        found.verified = None if cut.link is None else cut.seq
        found.notes.append(f"events up to record {cut.seq} were dropped when their months were over")
    async for row in _rows(store, source, last + 1):
        found.events += 1
        _check_row(store.venue, row, last, holes, check, found)
        last = row["seq"]
    mark = (await store.chains()).get(source)
    if mark is not None and mark.seq != last:
        found.add(mark.seq, f"the copy was kept up to this record and ends at {last}")
    async for seq, head, other in _heads(store, source):
        if head != other:
            found.add(seq, "the head that a status told is not the one that the hand behind it begins from")
    return found


def _check_row(venue: str, row: dict[str, Any], last: int, holes: _Holes, check: ChainCheck, found: Checked) -> None:
    """One event of the copy, behind record ``last``."""
    seq = row["seq"]
    try:
        event = read_whole(PublicEvent, row["body"])
    except ValidationError:
        found.add(seq, "its text is no event: it was changed in the store")
        return
    if row not in kept_as(venue, KeptEvent(found.source, event)):
        found.add(seq, "its text and its columns do not say the same: it was changed in the store")
    if event.previous != last and not _may_begin(event, last) and not holes.covers(last, seq):
        found.add(seq, f"it follows on record {event.previous}, and {last} stands before it: an event is missing or too many")
    fit = check.take(event)
    if fit is Fit.BROKEN:
        found.add(seq, "its link does not fit on what stands before it")
    elif fit is Fit.PROVEN:
        found.verified = seq


def _may_begin(event: PublicEvent, last: int) -> bool:
    """Whether a copy may begin with ``event``: what was before it is not known to anybody."""
    return last == 0 and event.previous is None


async def _rows(store: FloorStore, source: Source, due: int = 0) -> AsyncIterator[dict[str, Any]]:
    while page := await store.events(source, due, PAGE):
        for row in page:
            yield row
        due = page[-1]["seq"] + 1


async def _heads(store: FloorStore, source: Source) -> AsyncIterator[tuple[int, str, str]]:
    """Each head that both a status and the beginning of a hand have told: number, the one, the other."""
    due = 0
    while page := await store.heads(source, due, PAGE):
        for seq, head in page:
            following = await store.events(source, seq + 1, 1)
            if following and following[0]["seq"] == seq + 1 and (other := head_in(following[0]["body"])) is not None:
                yield seq, head, other
        due = page[-1][0] + 1


def head_in(body: str) -> str | None:
    """The head that an event begins from, as its text has it."""
    try:
        return read_whole(PublicEvent, body).head
    except ValidationError:
        return None


async def told(store: FloorStore, source: Source) -> AsyncIterator[Told]:
    """The events of a copy, in order."""
    async for row in _rows(store, source):
        yield Told(row["seq"], row["digest"], row["link"], row["body"])


def told_of(event: PublicEvent) -> Told:
    """The same of an event."""
    return Told(event.seq, digest_of(event), event.link, canonical(event))


class Comparing:
    """A copy beside another record of the same journal, ``name`` for people, whose events are given to ``take`` in order."""

    def __init__(self, store: FloorStore, found: Checked, name: str) -> None:
        self._copy = told(store, found.source)
        self._store = store
        self._found = found
        self._name = name
        self._next: Told | None = None
        self._is_begun = False
        self._last = 0
        self._holes: _Holes | None = None
        self._ends = 0
        self._behind = 0
        self._dropped = 0

    async def take(self, events: Sequence[Told]) -> None:
        """The next events of the other record."""
        if not self._is_begun:
            self._is_begun = True
            self._holes = _Holes(await self._store.rows_of(HOLES), self._found.source)
            mark = (await self._store.chains()).get(self._found.source)
            self._ends = 0 if mark is None else mark.seq
            cut = (await cuts(self._store)).get(self._found.source)
            self._dropped = 0 if cut is None else cut.seq
            await self._step()
            while self._next is not None and self._next.seq <= self._dropped:
                await self._step()
        for event in events:
            while self._next is not None and self._next.seq < event.seq:
                self._found.add(self._next.seq, f"the copy has an event that {self._name} lacks")
                await self._step()
            if self._next is None or self._next.seq != event.seq:
                self._missing(event)
                continue
            links = self._next.link, event.link
            if not self._next.says(event):
                self._found.add(event.seq, f"it says something else in {self._name}")
            elif None not in links and len(set(links)) > 1:
                self._found.add(event.seq, f"it has another link in {self._name}: what was before it is not the same")
            await self._step()

    async def end(self) -> None:
        """The other record ends here."""
        await self.take(())
        while self._next is not None:
            self._found.add(self._next.seq, f"the copy has an event that {self._name} lacks")
            await self._step()
        if self._behind:
            self._found.notes.append(f"{self._behind} events of {self._name} are newer than the copy")

    def _missing(self, event: Told) -> None:
        if event.seq > self._ends:
            self._behind += 1
        elif event.seq > self._dropped and (self._holes is None or not self._holes.has(event.seq)):
            self._found.add(event.seq, f"the copy lacks an event that {self._name} has")

    async def _step(self) -> None:
        self._next = await anext(self._copy, None)
