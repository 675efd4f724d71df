"""A reader of ``events`` that hands each public event on once and in order, across lost messages, reconnects, broker and
controller restarts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Any, Final, TypeAlias

from pydantic import ValidationError

from controller.mqtt.payloads import BackfillReply, BackfillRequest, PublicEvent, StatusPayload
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.reading import read, read_whole
from controller.mqtt.topics import EventsTopic, ReplyTopic, StatusTopic, TableTopics
from drivers.clock import Clock

Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]

ASK_AGAIN_S: Final = 1.0
MAX_EARLY: Final = 512
"""Live events that wait while older ones are fetched; beyond it they are forgotten and fetched too."""


class EventFollower:
    """Handler of a reader's connection: ``on_event`` gets every public event with ``seq > after_seq`` once, in order of seq.

    On each connect, when a new controller shows by its epoch, when an event follows on one that has not come, and when the
    status tells of an event that has not come, what is missing is asked for with ``request/backfill``; live events wait until it
    is there. What comes from a smaller epoch is dropped. ``on_hole(after, event)``: what happened between record ``after`` and
    ``event`` is no longer kept at the table.

    With ``epoch`` that one controller is listened to and no other, so that who keeps journals apart knows whose event it is.
    ``turn`` is entered for each question and left with its answer or its time: who follows many tables bounds them by it.
    """

    def __init__(
        self,
        topics: TableTopics,
        name: str,
        *,
        clock: Clock,
        on_event: Callable[[PublicEvent], None],
        after_seq: int = 0,
        on_hole: Callable[[int, PublicEvent], None] = lambda _, __: None,
        epoch: int | None = None,
        turn: Turn = nullcontext,
    ) -> None:
        self._topics = topics
        self._name = name
        self._clock = clock
        self._on_event = on_event
        self._on_hole = on_hole
        self._last_seq = after_seq
        self._only = epoch
        self._turn = turn
        self._epoch = epoch or 0
        self._early: deque[PublicEvent] = deque()
        self._missing = True
        self._asked = 0
        self._wake = asyncio.Event()

    @property
    def last_seq(self) -> int:
        """Seq of the newest event handed on."""
        return self._last_seq

    @property
    def epoch(self) -> int:
        """Of the controller that is listened to; 0 before one was heard."""
        return self._epoch

    @property
    def has_heard(self) -> bool:
        """Whether anything at all has come from the table."""
        return self._epoch > 0

    def subscriptions(self) -> Sequence[str]:
        """Events, the status for its epoch, and the replies to us."""
        return (self._topics.events, self._topics.status, f"{self._topics.root}/reply/+")

    def will(self) -> None:
        """A reader leaves nothing behind."""

    def farewell(self) -> None:
        """A reader leaves nothing behind."""

    async def run_session(self, link: Publisher) -> None:
        """Ask for what is missing until it has come; again after each reconnect."""
        self._missing = True
        self._early.clear()
        while True:
            self._wake.clear()
            if not self._missing:
                await self._wake.wait()
                continue
            async with self._turn():
                self._asked += 1
                await link.publish(self._topics.request_backfill, self._request(), retain=False, qos=1)
                with suppress(TimeoutError):
                    async with asyncio.timeout(ASK_AGAIN_S):
                        await self._wake.wait()

    def on_message(self, message: Message) -> None:
        """Anything that cannot be read is passed over."""
        try:
            match self._topics.parse(message.topic):
                case EventsTopic():
                    self._hear_event(read_whole(PublicEvent, message.payload))
                case StatusTopic():
                    self._hear_status(read(StatusPayload, message.payload))
                case ReplyTopic(request=request) if request == self._request_id:
                    self._hear_reply(read_whole(BackfillReply, message.payload))
                case _:
                    pass
        except ValidationError:
            return

    @property
    def _request_id(self) -> str:
        return f"{self._name}-{self._asked}"

    def _request(self) -> bytes:
        request = BackfillRequest(
            seq=self._last_seq,
            epoch=self._epoch,
            at=self._clock.wall(),
            request=self._request_id,
            from_seq=self._last_seq + 1,
        )
        return request.model_dump_json().encode()

    def _hear_status(self, heard: StatusPayload) -> None:
        self._hear_epoch(heard.epoch)
        if heard.epoch == self._epoch and heard.last_event is not None and heard.last_event > self._last_seq:
            self._miss()

    def _hear_epoch(self, epoch: int) -> None:
        if epoch > self._epoch and self._only is None:
            self._epoch = epoch
            self._missing = True
            self._wake.set()

    def _miss(self) -> None:
        if not self._missing:
            self._missing = True
            self._wake.set()

    def _hear_event(self, event: PublicEvent) -> None:
        self._hear_epoch(event.epoch)
        if event.epoch != self._epoch or event.seq <= self._last_seq:
            return
        if not self._missing and self._follows(event):
            self._hand_on(event)
            return
        self._miss()
        if len(self._early) < MAX_EARLY:
            self._early.append(event)

    def _hear_reply(self, reply: BackfillReply) -> None:
        if reply.epoch < self._epoch or (self._only is not None and reply.epoch > self._epoch):
            return
        if reply.from_seq > self._last_seq + 1 or not self._missing:
            return
        self._epoch = reply.epoch
        for event in reply.events:
            if event.seq > self._last_seq and not self._follows(event):
                self._on_hole(self._last_seq, event)
            self._hand_on(event)
        if reply.more:
            self._wake.set()
            return
        self._missing = len(self._early) >= MAX_EARLY
        while self._early:
            if self._early[0].seq > self._last_seq and not self._follows(self._early[0]):
                self._missing = True
                break
            self._hand_on(self._early.popleft())
        self._wake.set()

    def _follows(self, event: PublicEvent) -> bool:
        """Whether nothing is missing before ``event``."""
        return event.previous is not None and event.previous <= self._last_seq

    def _hand_on(self, event: PublicEvent) -> None:
        if event.seq > self._last_seq:
            self._last_seq = event.seq
            self._on_event(event)
