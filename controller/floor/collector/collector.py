"""The floor's one connection to the venue's broker: every table's topics go to the board, its events to the store.

Nothing is remembered by the broker for us. After a connect, a start, or a write that failed, each table is asked for what
follows on what is kept of its journal (``request/backfill``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from controller.floor.board.alarms import COPY_AHEAD, COPY_DIFFERS, COPY_HOLE
from controller.floor.board.board import MAX_TABLES, Board
from controller.floor.board.incident import Incident
from controller.floor.board.moment import Moment
from controller.floor.collector.feed import Feed
from controller.floor.collector.writer import Writer
from controller.floor.store.rows import Difference, KeptEvent, KeptHole, KeptStatus, Source
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import Alarm, Device, PublicEvent, PublicView, StatusPayload
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.topics import ROOT, TableTopics
from drivers.clock import Clock

Model = TypeVar("Model", bound=BaseModel)


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
        self._marks: dict[Source, int] = {}
        self._link: Publisher | None = None
        self._failed: asyncio.Future[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()

    def keep_with(self, writer: Writer) -> None:
        """Where events go; before the connection is made."""
        self._writer = writer

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
        return tuple(f"{root}/{part}" for part in ("status", "public", "events", "alarms/+", "devices/+", "reply/+"))

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
            await self._failed
        finally:
            self._link, self._failed = None, None
            self._board.listen(self.now(), connected=False)
            tasks = [task for feed in self._feeds.values() if (task := feed.hang_up()) is not None]
            await asyncio.gather(*tasks, *self._ending, return_exceptions=True)

    def on_message(self, message: Message) -> None:
        """Anything that does not fit its schema, or names no table, is passed over."""
        parts = message.topic.split("/")
        match parts[3:]:
            case [table, "events"] | [table, "reply", _]:
                feed = self._feeds.get(table)
                if feed is not None and feed.follower is not None and message.payload:
                    feed.follower.on_message(message)
            case [table, *rest]:
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
                if alarm is not None or not message.payload:
                    board.hear_alarm(table, name, alarm)
            case ["devices", name]:
                device = _parsed(Device, message)
                if device is not None or not message.payload:
                    board.hear_device(table, name, device)
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
        if not is_kept and feed.is_behind(heard, self._marks):
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
        feed.start(self._marks)
        if self._link is not None:
            feed.serve(self._link, self._ended)

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
        if reader != feed.reader:
            return
        if self._writer is not None:
            self._writer.add(KeptEvent(source, event))
        if feed.is_new(event):
            self._board.hear_event(source.table, event)

    def _miss(self, source: Source, _: int, event: PublicEvent) -> None:
        """What was before ``event`` is no longer at the table. What is kept here already is no hole."""
        after, now = self._marks.get(source, 0), self.now()
        if event.seq > after and self._writer is not None:
            self._board.doubt(source.table, COPY_HOLE, now.at)
            self._writer.keep(KeptHole(source, after, event.seq, now.at))

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A reader's question failed: the connection is as good as lost."""
        if not task.cancelled() and task.exception() is not None and self._failed is not None and not self._failed.done():
            self._failed.set_exception(ConnectionError(str(task.exception())))

    def _hang_up(self, feed: Feed) -> None:
        if (task := feed.hang_up()) is not None:
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    def opened(self, marks: Mapping[Source, int], alarms: Sequence[Incident], ends: Mapping[str, Sequence[datetime]]) -> None:
        """The store is there: every table is read on from what it has."""
        self._marks = dict(marks)
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
        for feed in self._feeds.values():
            self._hang_up(feed)
            feed.leave()
            self._start(feed)

    def differs(self, difference: Difference) -> None:
        """The table tells a record otherwise than the copy has it."""
        self._board.doubt(difference.source.table, COPY_DIFFERS, self.now().at)

    def wrote(self, source: Source, seq: int) -> None:
        """Everything of this journal up to ``seq`` is kept."""
        self._marks[source] = max(seq, self._marks.get(source, 0))
        self._board.note_kept(source.table, source.journal, self._marks[source])


def _parsed(model: type[Model], message: Message) -> Model | None:
    try:
        return model.model_validate_json(message.payload) if message.payload else None
    except ValidationError:
        return None
