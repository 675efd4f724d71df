"""One table's stream of events as the collector follows it: by the journal that its controller says it writes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from controller.floor.board.moment import Moment
from controller.floor.collector.chain_check import ChainCheck
from controller.floor.collector.mending import Mending
from controller.floor.store.rows import Chained, Difference, KeptHead, KeptHole, Source
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import PublicEvent, StatusPayload, TableStatus
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.topics import ReplyTopic, TableTopics

OVERLAP: Final = 64
"""Records before the last one kept that a new controller is asked for too: what it tells otherwise is seen by the comparison."""
HEAD_EVERY_S: Final = 60.0
"""How often the head of a journal's chain is kept at least."""

Follow = Callable[["Feed", Source, int, int], EventFollower]


class Feed:
    """``follow(feed, source, epoch, after)`` makes a reader of that controller's events behind record ``after``."""

    def __init__(self, topics: TableTopics, follow: Follow) -> None:
        self.topics = topics
        self.source: Source | None = None
        self.follower: EventFollower | None = None
        self.status: StatusPayload | None = None
        self.check: ChainCheck | None = None
        self.mending: Mending | None = None
        self.asked: list[KeptHole] = []
        """Holes that were asked for over this connection."""
        self.reader = 0
        """Number of the reader; what an older one hands on belongs nowhere."""
        self._follow = follow
        self._heard: dict[Source, int] = {}
        self._head_s: float | None = None
        self._task: asyncio.Task[None] | None = None

    def hear_status(self, heard: StatusPayload) -> bool:
        """A status. True: another than the one before, or of another controller."""
        before = self.status
        if before is not None and heard.epoch < before.epoch:
            return False
        self.status = heard
        return before is None or (before.epoch, before.status, before.dealer) != (heard.epoch, heard.status, heard.dealer)

    @property
    def is_stale(self) -> bool:
        """Whether the reader is not that of the controller that was heard last, whose journal is known."""
        status = self.status
        if status is None or status.journal is None:
            return False
        source = Source(self.topics.table, status.journal)
        return self.follower is None or self.source != source or self.follower.epoch != status.epoch

    @property
    def can_answer(self) -> bool:
        """Whether there is a controller that could be asked."""
        return self.status is not None and self.status.status not in (TableStatus.LOST, TableStatus.CLOSED)

    def start(self, chains: Mapping[Source, Chained]) -> None:
        """Read what the newest controller tells, a little before what is kept of its journal. Needs a status with a journal."""
        status = self.status
        if status is None or status.journal is None:
            return
        self.leave()
        self.source = Source(self.topics.table, status.journal)
        known = chains.get(self.source)
        self.check = ChainCheck(self.source, known)
        after = 0 if known is None else max(0, known.seq - OVERLAP)
        self.follower = self._follow(self, self.source, status.epoch, after)

    def serve(self, link: Publisher, failed: Callable[[asyncio.Task[None]], None]) -> None:
        """Let the reader ask over ``link`` while somebody can answer; ``failed`` is told of its end."""
        if self.follower is not None and self._task is None and self.can_answer:
            self._task = asyncio.create_task(self.follower.run_session(link), name=f"events of {self.topics.table}")
            self._task.add_done_callback(failed)

    def leave(self) -> None:
        """No reader from now on."""
        self.follower = None
        self.reader += 1

    def hang_up(self) -> tuple[asyncio.Task[None], ...]:
        """The connection is gone; the reader keeps its place, and holes are asked for again with the next one."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        mending, self.mending = self.mending, None
        self.asked.clear()
        ended = None if mending is None else mending.hang_up()
        return tuple(one for one in (task, ended) if one is not None)

    def on_message(self, message: Message) -> None:
        """An event, or an answer to somebody's question."""
        if self.follower is not None:
            self.follower.on_message(message)
        if self.mending is not None and isinstance(self.topics.parse(message.topic), ReplyTopic):
            self.mending.on_reply(message)

    def is_new(self, event: PublicEvent) -> bool:
        """Whether an event that the reader hands on was never handed on before."""
        if self.source is None or event.seq <= self._heard.get(self.source, 0):
            return False
        self._heard[self.source] = event.seq
        return True

    def differs(self, heard: StatusPayload) -> Difference | None:
        """Whether the newest event that was read has another link than the status tells of it."""
        source, check = self.source, self.check
        if source is None or check is None or heard.journal != source.journal or heard.last_event is None:
            return None
        link = check.newest(heard.last_event)
        return None if link is None or heard.last_link in (None, link) else Difference(source, heard.last_event, "link")

    def is_behind(self, heard: StatusPayload, chains: Mapping[Source, Chained]) -> bool:
        """Whether the table's journal ends before what is known of it: its tail is lost, or an old copy was put back. A last will
        tells where the journal was when the connection was made."""
        source = self.source
        if source is None or heard.journal != source.journal or heard.status is TableStatus.LOST:
            return False
        known = chains.get(source)
        return heard.seq < max(0 if known is None else known.seq, self._heard.get(source, 0))

    def head(self, heard: StatusPayload, now: Moment, *, due: bool) -> KeptHead | None:
        """The journal's head where it is worth keeping: when something else changed (``due``), and once in ``HEAD_EVERY_S``."""
        if heard.journal is None or heard.head is None:
            return None
        if not due and self._head_s is not None and now.s - self._head_s < HEAD_EVERY_S:
            return None
        self._head_s = now.s
        return KeptHead(Source(self.topics.table, heard.journal), heard.seq, heard.head, heard.at)
