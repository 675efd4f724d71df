"""The gateway between the seats' topics and their pages: what a page shows is what was published at the broker.

It reads each seat's topic over a connection of its own, and takes what a page says that it shows back to the broker.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import ValidationError

from controller.console.seat_screen import seat_screen
from controller.console.seat_stream import Screen, SeatStream
from controller.mqtt.compact import Echo
from controller.mqtt.payloads import MAX_SEATS, SeatView
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.topics import SeatTopic, TableTopics

MAX_ECHOES: Final = 64
"""Echoes that wait for the broker, the newest of each display; one more is dropped: its page says it again a second later."""

_STAMP: Final = re.compile(rb'\{"seq":(?P<seq>\d{1,18}),"epoch":(?P<epoch>\d{1,18}),"at":"[0-9T:.+Z-]{1,40}",')
"""How the table's own messages begin. What follows is checked and drawn once, and not each second that it is sent again."""

_log = logging.getLogger("controller.console")


class SeatGateway:
    """Handler of the gateway's connection. Needs no loop until it is served."""

    def __init__(self, topics: TableTopics) -> None:
        self._topics = topics
        boot = secrets.token_hex(8)
        self.streams: Mapping[int, SeatStream] = {seat: SeatStream(boot) for seat in range(1, MAX_SEATS + 1)}
        self._newest: dict[int, tuple[int, int]] = {}
        self._bodies: dict[int, bytes] = {}
        self._echoes: dict[tuple[int, str], Echo] = {}
        self._wake = asyncio.Event()

    def subscriptions(self) -> Sequence[str]:
        """Each seat's topic, and none else."""
        return [self._topics.seat(seat) for seat in self.streams]

    def will(self) -> None:
        """A gateway leaves nothing behind."""

    def farewell(self) -> None:
        """A gateway leaves nothing behind."""

    async def run_session(self, link: Publisher) -> None:
        """Take to the broker what pages say."""
        while True:
            self._wake.clear()
            while self._echoes:
                key = next(iter(self._echoes))
                echo = self._echoes.pop(key)
                await link.publish(self._topics.echo(echo.seat), echo.model_dump_json().encode(), retain=False, qos=0)
            await self._wake.wait()

    def on_message(self, message: Message) -> None:
        """A seat's picture. What does not fit its schema or its topic is passed over: the page's age tells."""
        topic = self._topics.parse(message.topic)
        stream = self.streams.get(topic.seat) if isinstance(topic, SeatTopic) else None
        if stream is None or not isinstance(topic, SeatTopic):
            return
        if not message.payload:
            self._bodies.pop(topic.seat, None)
            stream.tell(None, epoch=0, seq=0, heard_at=None)
            return
        stamp = _STAMP.match(message.payload)
        body = message.payload[stamp.end() :] if stamp else b""
        if stamp and body == self._bodies.get(topic.seat):
            self._show(topic.seat, stream.screen, (int(stamp["epoch"]), int(stamp["seq"])), message)
            return
        try:
            view = SeatView.model_validate_json(message.payload)
        except ValidationError:
            _log.warning("a message on the topic of seat %d fits no schema and is not shown", topic.seat)
            return
        if view.seat == topic.seat and self._show(topic.seat, seat_screen(view), (view.epoch, view.seq), message):
            self._bodies[topic.seat] = body

    def _show(self, seat: int, screen: Screen | None, number: tuple[int, int], message: Message) -> bool:
        """Whether the picture of ``number``, epoch and seq, is not older than the one that is shown."""
        if number < self._newest.get(seat, (0, 0)):
            return False
        self._newest[seat] = number
        heard_at = None if message.retain else asyncio.get_running_loop().time()
        self.streams[seat].tell(screen, epoch=number[0], seq=number[1], heard_at=heard_at)
        return True

    def say(self, echo: Echo) -> None:
        """A page says what it shows; the newest of each display goes to the broker, or none while there is no connection."""
        key = (echo.seat, echo.display)
        if key in self._echoes or len(self._echoes) < MAX_ECHOES:
            self._echoes[key] = echo
            self._wake.set()

    def close(self) -> None:
        """End the streams: the server stops."""
        for stream in self.streams.values():
            stream.close()
