"""A store in memory for virtual time, which can be away, fail in the middle and forget; and tables to follow."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from controller.displays.chain import Place, Roots
from controller.displays.lineage import Lineage
from controller.displays.publisher import DisplayPublisher
from controller.displays.snapshot import Draft
from controller.floor.board.incident import Incident, TrailLine
from controller.floor.store.rows import Batch, Chained, Difference, KeptHole, Source, digest_of
from controller.floor.store.store import StoreError
from controller.mqtt.links import ChainName
from controller.mqtt.payloads import PublicEvent, TableStatus
from controller.mqtt.topics import TableTopics
from drivers.clock import LoopClock
from support.floor_samples import JOURNAL, START, happened
from support.mqtt_samples import Journal, snapshot

VENUE = "nice"


class MemoryCopy:
    """Keeps what is written by its keys, as the real store does."""

    def __init__(self) -> None:
        self.rows: dict[tuple[Source, int], PublicEvent] = {}
        self.incidents: list[Incident] = []
        self.trail: dict[tuple[object, str], TrailLine] = {}
        self.others: list[Any] = []
        self.verified: dict[Source, int] = {}
        self.holes: dict[tuple[Source, int], KeptHole] = {}
        self.differences: list[Difference] = []
        self.left_open: tuple[Incident, ...] = ()
        self.ends: dict[str, list[datetime]] = {}
        self.is_away = False
        self.fails = 0
        self.writes = 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator[MemoryCopy]:
        if self.is_away:
            raise StoreError("the store is away")
        yield self

    async def write(self, batch: Batch) -> tuple[Difference, ...]:
        self.writes += 1
        if self.is_away or self.fails:
            self.fails = max(0, self.fails - 1)
            raise StoreError("the store is away")
        differing = []
        for kept in batch.events:
            known = self.rows.setdefault((kept.source, kept.event.seq), kept.event)
            if digest_of(known) != digest_of(kept.event):
                differing.append(Difference(kept.source, kept.event.seq))
            elif known.link is not None and kept.event.link not in (None, known.link):
                differing.append(Difference(kept.source, kept.event.seq, "link"))
            if kept.proven:
                self.verified[kept.source] = max(kept.event.seq, self.verified.get(kept.source, 0))
        for hole in batch.holes:
            self.holes[hole.source, hole.after_seq] = hole
        self.differences += [one.difference for one in batch.differences]
        self.incidents += batch.alarms
        for line in batch.trail:
            self.trail.setdefault((line.id, line.entry), line)
        self.others += [*batch.statuses, *batch.heads, *batch.holes]
        return tuple(differing)

    async def chains(self) -> Mapping[Source, Chained]:
        marks: dict[Source, int] = {}
        for source, seq in self.rows:
            marks[source] = max(seq, marks.get(source, 0))
        return {source: Chained(seq, self.rows[source, seq].link, self.verified.get(source)) for source, seq in marks.items()}

    async def open_holes(self) -> Sequence[KeptHole]:
        return [hole for _, hole in sorted(self.holes.items()) if hole.closed_at is None]

    async def open_alarms(self, now: datetime) -> Sequence[Incident]:
        del now
        return self.left_open

    async def hand_ends(self, since: datetime) -> Mapping[str, Sequence[datetime]]:
        return {table: [end for end in ends if end >= since] for table, ends in self.ends.items()}

    @property
    def alarms(self) -> Any:
        """What is read back of the alarms: every line."""
        return self

    async def lines(self, kept_since: datetime) -> Sequence[TrailLine]:
        del kept_since
        if self.is_away:
            raise StoreError("the store is away")
        return tuple(self.trail.values())

    def kept(self, table: str, journal: str = JOURNAL) -> list[int]:
        """Numbers of the events of a journal in the order in which they were kept."""
        return [seq for source, seq in self.rows if source == Source(table, journal)]


class PlayingTable:
    """A table that publishes one event a record; its controller may be another one, with the same journal or another."""

    def __init__(self, name: str, journal: str = JOURNAL) -> None:
        self.topics = TableTopics(VENUE, name)
        self.journal_id = journal
        self.journal = Journal()
        self.place = Place(roots=Roots(ChainName(name, journal), lambda seq: f"{seq:064x}"))
        """Where the next event hangs; without roots it has no link."""
        self.epoch = 1
        self.seq = 0
        self.handler = self.new_controller()

    def new_controller(self) -> DisplayPublisher:
        """The next controller of this journal."""
        self.epoch += 1
        self.handler = DisplayPublisher(
            self.topics,
            epoch=self.epoch,
            clock=LoopClock(START),
            backfill=self.journal.read,
            fenced=lambda _: None,
            lineage=Lineage(self.epoch, self.journal_id, self.seq),
        )
        if self.seq:
            self._offer(())
        return self.handler

    def _offer(self, events: tuple[PublicEvent, ...]) -> None:
        drawn = snapshot(self.seq, epoch=self.epoch, events=events)
        self.handler.offer(Draft(self.seq, self.epoch, START, TableStatus.LIVE, events, lambda: drawn, f"{self.seq:064x}"))

    def play(self, count: int, *, what: str = "burn_made") -> None:
        """Commit and publish so many events."""
        for _ in range(count):
            self.seq += 1
            event, self.place = self.place.hang(happened(self.seq, what, epoch=self.epoch, at=self.seq))
            self._offer(self.journal.commit(event))
