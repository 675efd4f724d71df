"""The floor's one connection to the venue's broker: every table's topics go to the board, its events to the store.

Nothing is remembered by the broker for us. After a connect, a start, or a write that failed, each table is asked for what
follows on what is kept of its journal (``request/backfill``).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from pydantic import ValidationError

from controller.floor.board.alarms import COPY_AHEAD, COPY_DIFFERS, COPY_HOLE, PRIORITIES
from controller.floor.board.board import MAX_TABLES, Board
from controller.floor.board.incident import Incident
from controller.floor.board.moment import Moment
from controller.floor.collector.chain_check import Fit
from controller.floor.collector.feed import Feed
from controller.floor.collector.mending import Mending
from controller.floor.collector.writer import Writer
from controller.floor.store.rows import Chained, Difference, KeptDifference, KeptEvent, KeptHole, KeptStatus, Source
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import Alarm, Device, Part, PublicEvent, PublicView, StatusPayload
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.reading import read
from controller.mqtt.topics import ROOT, TableTopics, is_segment
from drivers.clock import Clock

_log = logging.getLogger("controller.floor")

PARTS: Final = ("status", "public", "events", "alarms", "devices", "reply", "bridge")
"""What a table tells of: the first part of its topics."""

Model = TypeVar("Model", bound=Part)

MAX_PAYLOAD: Final = 4 * 1024 * 1024
"""Bytes of the longest message: a page of older events, with much room."""


class Collector:
    """Handler of the floor's connection, and keeper of the store's writer.

    ``name`` is part of the requests' ids, and differs between floors of one venue.
    """

    def __init__(self, venue: str, name: str, board: Board, clock: Clock) -> None:
        self._venue = venue
        self._name = name
        self._board = board
        self._clock = clock
        self._writer: Writer | None = None
        self._feeds: dict[str, Feed] = {}
        self._chains: dict[Source, Chained] = {}
        self._holes: dict[Source, list[KeptHole]] = {}
        self._closing: list[tuple[KeptEvent, Mending]] = []
        self._mendings = 0
        self._link: Publisher | None = None
        self._failed: asyncio.Future[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self.messages = Counter[str]()
        """Messages since the start, by that one of ``PARTS`` which they tell of."""
        self.differences = 0
        """Records since the start that were told otherwise than they are kept."""

    def keep_with(self, writer: Writer) -> None:
        """Where events go; before the connection is made."""
        self._writer = writer

    @property
    def holes(self) -> int:
        """Stretches that no table could tell any more, and that are missing in the copy."""
        return sum(len(holes) for holes in self._holes.values())

    @property
    def connected(self) -> bool:
        """Whether the broker is there."""
        return self._link is not None

    def now(self) -> Moment:
        """The moment by the clock that was given."""
        return Moment(self._clock.monotonic(), self._clock.wall())

    def subscriptions(self) -> Sequence[str]:
        """What every table of the venue tells, but for its displays; and answers to us."""
        root = f"{ROOT}/{self._venue}/+"
        return tuple(f"{root}/{part}/+" if part in ("alarms", "devices", "reply") else f"{root}/{part}" for part in PARTS)

    def will(self) -> None:
        """Who only reads leaves nothing behind."""

    def farewell(self) -> None:
        """Who only reads leaves nothing behind."""

    async def run_session(self, link: Publisher) -> None:
        """Follow every table over this connection until it is lost or a question fails."""
        self._link, self._failed = link, asyncio.get_running_loop().create_future()
        self._board.listen(self.now(), connected=True)
        try:
            for feed in self._feeds.values():
                feed.serve(link, self._ended)
                self._mend(feed)
            await self._failed
        finally:
            self._link, self._failed = None, None
            self._board.listen(self.now(), connected=False)
            for feed in self._feeds.values():
                self._hang_up(feed)
            await asyncio.gather(*self._ending, return_exceptions=True)

    def on_message(self, message: Message) -> None:
        """Anything that cannot be read, names no table, or is longer than any table's message, is passed over."""
        if len(message.payload) > MAX_PAYLOAD:
            return
        parts = message.topic.split("/")
        self.messages[parts[4] if len(parts) > 4 and parts[4] in PARTS else "other"] += 1
        match parts[3:]:
            case [table, "events"] | [table, "reply", _]:
                feed = self._feeds.get(table)
                if feed is not None and message.payload:
                    feed.on_message(message)
            case [table, *rest] if is_segment(table):
                self._hear(table, rest, message)
            case _:
                pass

    def _hear(self, table: str, rest: Sequence[str], message: Message) -> None:
        now, board = self.now(), self._board
        match rest:
            case ["status"] if (status := _parsed(StatusPayload, message)) is not None:
                board.hear_status(table, status, now, is_kept=message.retain)
                self._hear_status(table, status, now, is_kept=message.retain)
            case ["public"] if (view := _parsed(PublicView, message)) is not None:
                board.hear_public(table, view, now, is_kept=message.retain)
            case ["alarms", name]:
                alarm = _parsed(Alarm, message)
                if not message.payload or (alarm is not None and _is_tables(alarm, name)):
                    board.hear_alarm(table, name, alarm)
            case ["devices", name]:
                device = _parsed(Device, message)
                if device is not None or not message.payload:
                    board.hear_device(table, name, device)
            case ["bridge"] if message.payload in (b"0", b"1"):
                board.hear_bridge(table, now, is_up=message.payload == b"1")
            case _:
                pass

    def _hear_status(self, table: str, heard: StatusPayload, now: Moment, *, is_kept: bool) -> None:
        feed = self._feed(table)
        if feed is None:
            return
        is_new = feed.hear_status(heard)
        if feed.status is not heard:
            return
        if self._writer is not None and is_new:
            self._writer.keep(KeptStatus(table, heard))
        if self._writer is not None and (head := feed.head(heard, now, due=is_new)) is not None:
            self._writer.keep(head)
        self._follow_status(feed)
        if (difference := feed.differs(heard)) is not None:
            self.differs(difference)
        if not is_kept and feed.is_behind(heard, self._chains):
            self._board.doubt(table, COPY_AHEAD, now.at)

    def _follow_status(self, feed: Feed) -> None:
        """Read what the controller that spoke last tells; one that is gone is asked nothing."""
        if feed.is_stale:
            self._start(feed)
        elif not feed.can_answer:
            self._hang_up(feed)
        elif self._link is not None:
            feed.serve(self._link, self._ended)

    def _feed(self, table: str) -> Feed | None:
        feed = self._feeds.get(table)
        if feed is None and len(self._feeds) < MAX_TABLES:
            try:
                topics = TableTopics(self._venue, table)
            except ValueError:
                return None
            feed = self._feeds[table] = Feed(topics, self._follow)
        return feed

    def _start(self, feed: Feed) -> None:
        """Read a table's events, when there is a store that knows what it has of them."""
        if self._writer is None or not self._writer.is_open:
            return
        self._hang_up(feed)
        feed.start(self._chains)
        if feed.source is not None and (known := self._chains.get(feed.source)) is not None:
            self._board.note_kept(*feed.source, known.seq, known.verified)
        if self._link is not None:
            feed.serve(self._link, self._ended)
            self._mend(feed)

    def _follow(self, feed: Feed, source: Source, epoch: int, after: int) -> EventFollower:
        assert self._writer is not None  # noqa: S101 - a feed is started with a writer alone
        return EventFollower(
            feed.topics,
            f"{self._name}-{epoch}",
            clock=self._clock,
            on_event=partial(self._take, feed, source, feed.reader),
            on_hole=partial(self._miss, source),
            after_seq=after,
            epoch=epoch,
            turn=self._writer.turn,
        )

    def _take(self, feed: Feed, source: Source, reader: int, event: PublicEvent) -> None:
        """One event, in order. What was kept before goes to the store too, which compares it. A reader that was replaced while
        it handed on what it had is not heard: between its events and those that were forgotten there would be a hole."""
        if reader != feed.reader or feed.check is None:
            return
        fit = feed.check.take(event)
        self._keep(KeptEvent(source, event, fit is Fit.PROVEN), fit is Fit.BROKEN)
        if feed.is_new(event):
            self._board.hear_event(source.table, event)

    def _miss(self, source: Source, last: int, event: PublicEvent) -> None:
        """What was between record ``last`` and ``event`` is no longer at the table. What is kept here already is no hole."""
        known, now = self._chains.get(source), self.now()
        after = max(last, 0 if known is None else known.seq)
        if event.seq > after and self._writer is not None:
            self._board.doubt(source.table, COPY_HOLE, now.at)
            hole = KeptHole(source, after, event.seq, now.at)
            self._holes.setdefault(source, []).append(hole)
            self._writer.keep(hole)

    def _keep(self, kept: KeptEvent, is_broken: bool) -> None:  # noqa: FBT001 - a reader's answer
        """What a reader told. What does not fit is kept as it was told: it is what was said."""
        if is_broken:
            self.differs(Difference(kept.source, kept.event.seq, "chain"))
        if self._writer is not None:
            self._writer.add(kept)

    def _mend(self, feed: Feed) -> None:
        """Ask a table again for what it once no longer had, one hole after another; each is asked for once a connection."""
        link, writer, source, status = self._link, self._writer, feed.source, feed.status
        if link is None or writer is None or source is None or status is None or not feed.can_answer or feed.mending is not None:
            return
        hole = next((one for one in self._holes.get(source, ()) if one not in feed.asked), None)
        if hole is None:
            return
        feed.asked.append(hole)
        self._mendings += 1

        def asking(
            after: int, on_event: Callable[[PublicEvent], None], on_hole: Callable[[int, PublicEvent], None]
        ) -> EventFollower:
            return EventFollower(
                feed.topics,
                f"{self._name}-{status.epoch}-m{self._mendings}",
                clock=self._clock,
                on_event=on_event,
                on_hole=on_hole,
                after_seq=after,
                epoch=status.epoch,
                turn=writer.turn,
            )

        feed.mending = Mending(hole, asking, self._keep, partial(self._mended, feed))
        feed.mending.serve(link, self._ended)

    def _mended(self, feed: Feed, mending: Mending, last: KeptEvent | None) -> None:
        """What came of a hole was given to the store; what is left of it is noted when it is kept."""
        if last is not None:
            self._closing.append((last, mending))
        if (task := mending.hang_up()) is not None:
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        feed.mending = None
        self._mend(feed)

    def _close(self, mending: Mending) -> None:
        hole, left = mending.hole, mending.left(self.now().at)
        if self._writer is not None:
            for one in left:
                self._writer.keep(one)
            if all(one.after_seq != hole.after_seq for one in left):
                self._writer.keep(replace(hole, closed_at=self.now().at))
        still = [one for one in self._holes.get(hole.source, ()) if one.after_seq != hole.after_seq]
        self._holes[hole.source] = [*still, *(one for one in left if one.closed_at is None)]
        if not self._holes[hole.source]:
            self._board.doubt(hole.source.table, COPY_HOLE, None)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A reader's question failed: the connection is as good as lost."""
        if not task.cancelled() and task.exception() is not None and self._failed is not None and not self._failed.done():
            self._failed.set_exception(ConnectionError(str(task.exception())))

    def _hang_up(self, feed: Feed) -> None:
        for task in feed.hang_up():
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    def opened(
        self,
        chains: Mapping[Source, Chained],
        holes: Sequence[KeptHole],
        alarms: Sequence[Incident],
        ends: Mapping[str, Sequence[datetime]],
    ) -> None:
        """The store is there: every table is read on from what it has."""
        self._chains, self._holes = dict(chains), {}
        for hole in holes:
            self._holes.setdefault(hole.source, []).append(hole)
        self._board.restore(alarms, self.now())
        self._board.keep(self.now(), stored=True)
        for table, hands in ends.items():
            self._board.remember_hands(table, hands)
        for feed in self._feeds.values():
            self._start(feed)

    def lost(self) -> None:
        """What was not kept is to be read again, now or when the store is there."""
        is_open = self._writer is not None and self._writer.is_open
        if not is_open:
            self._board.keep(self.now(), stored=False)
        self._closing.clear()
        for feed in self._feeds.values():
            self._hang_up(feed)
            feed.leave()
            self._start(feed)

    def differs(self, difference: Difference) -> None:
        """The table tells a record otherwise than the copy has it."""
        source, at = difference.source, self.now().at
        self.differences += 1
        _log.error("table %s, journal %s: record %d is not as the copy has it (%s)", *source, difference.seq, difference.what)
        self._board.doubt(source.table, COPY_DIFFERS, at, journal=source.journal, seq=difference.seq)
        if self._writer is not None:
            self._writer.keep(KeptDifference(difference, at))

    def wrote(self, kept: KeptEvent) -> None:
        """This event is kept, and everything that was given before it."""
        source, event, known = kept.source, kept.event, self._chains.get(kept.source)
        verified = None if known is None else known.verified
        if kept.proven:
            verified = max(event.seq, verified or 0)
        if known is None or event.seq > known.seq:
            known = Chained(event.seq, event.link)
        self._chains[source] = known = known._replace(verified=verified)
        self._board.note_kept(source.table, source.journal, known.seq, known.verified)
        for last, mending in self._closing:
            if last is kept:
                self._close(mending)
        self._closing = [one for one in self._closing if one[0] is not kept]


def _is_tables(alarm: Alarm, name: str) -> bool:
    """Whether a table may say so: under its own topic, and under none of the names by which the floor tells what it found."""
    return alarm.alarm == name and name not in PRIORITIES and alarm.code not in PRIORITIES


def _parsed(model: type[Model], message: Message) -> Model | None:
    try:
        return read(model, message.payload) if message.payload else None
    except ValidationError:
        return None
