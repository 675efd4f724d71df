"""``watch``: a seat display, or the public one, in a terminal, over MQTT; or the public events, one a line."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from pydantic import ValidationError
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from controller.displays.drawing import draw, is_live
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.compact import DISPLAY_NAME, Echo, compact_of
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import PublicEvent, PublicView, SeatView, SnapshotReply, SnapshotRequest, StatusPayload, TableStatus
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.reading import read
from controller.mqtt.topics import PublicTopic, ReplyTopic, SeatTopic, StatusTopic, TableTopics
from controller.words.catalogue import Language, text
from drivers.clock import Clock

REDRAW_S: Final = 0.25
ECHO_S: Final = 1.0
"""How often a seat's display says what it shows."""
SILENCE_S: Final = 3.0
"""Without a terminal: nothing has come for so long since the start, and it is said why."""


class Picture:
    """Handler of a display's connection: the newest view and when the table last gave a sign of life.

    Smaller epochs are dropped, and within an epoch smaller seq. What the broker had retained is shown, but it is no sign of life.
    A seat's topic is its own sign of life; the public one has the status for it.
    A display asks for a snapshot as ``name`` when it connects, and when two signs of life in a row tell of an event that its
    picture is older than: what was sent to it was lost. A seat's display says what it shows.
    """

    def __init__(self, topics: TableTopics, *, clock: Clock, name: str = "watch", seat: int | None = None) -> None:
        self._topics = topics
        self._clock = clock
        self._name = name
        self._seat = seat
        self._current_to = 0
        self._behind = 0
        self._ask = asyncio.Event()
        self._epoch = 0
        self._view: PublicView | None = None
        self._status = TableStatus.STARTING
        self._heard_at: float | None = None
        self._changed = asyncio.Event()
        self._stir = asyncio.Event()

    @property
    def view(self) -> PublicView | None:
        """The newest view; of the seat when one was chosen."""
        return self._view

    @property
    def status(self) -> TableStatus:
        """The newest status."""
        return self._status

    @property
    def is_blank(self) -> bool:
        """Whether nothing at all has come from the table."""
        return self._epoch == 0

    @property
    def age_s(self) -> float | None:
        """Seconds since the table's last sign of life, None before the first."""
        return None if self._heard_at is None else asyncio.get_running_loop().time() - self._heard_at

    def draw(self, language: Language) -> RenderableType:
        """The picture as it is now."""
        return draw(self._view, self.age_s, language, status=self._status)

    async def changed(self) -> None:
        """Wait for the next change of view or status."""
        await self._changed.wait()
        self._changed.clear()

    def subscriptions(self) -> Sequence[str]:
        """The view, the status and the answer to us."""
        view = self._topics.public if self._seat is None else self._topics.seat(self._seat)
        return (view, self._topics.status, self._topics.reply(self._name))

    def will(self) -> None:
        """A display leaves nothing behind."""

    def farewell(self) -> None:
        """A display leaves nothing behind."""

    async def run_session(self, link: Publisher) -> None:
        """Ask for the picture now and whenever it is older than the table's newest event; say what a seat's display shows, after
        each new picture and once a second while it is live."""
        self._ask.set()
        while True:
            if self._ask.is_set():
                self._ask.clear()
                request = SnapshotRequest(seq=self._current_to, epoch=self._epoch, at=self._clock.wall(), request=self._name)
                await link.publish(self._topics.request_snapshot, request.model_dump_json().encode(), retain=False, qos=1)
            echo = self._echo()
            if echo is not None:
                await link.publish(self._topics.echo(echo.seat), echo.model_dump_json().encode(), retain=False, qos=0)
            self._stir.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ECHO_S):
                    await self._stir.wait()

    def _echo(self) -> Echo | None:
        """Of the view that is drawn; a picture that is not live shows no amounts, so there is nothing to compare."""
        if not isinstance(self._view, SeatView) or not is_live(self.age_s, self._status):
            return None
        shown = compact_of(self._view)
        return Echo(seat=shown.seat, epoch=shown.epoch, seq=shown.seq, digest=shown.digest(), display=self._name[:DISPLAY_NAME])

    def on_message(self, message: Message) -> None:
        """A message that cannot be read is passed over; the age tells when nothing else comes."""
        try:
            match self._topics.parse(message.topic):
                case StatusTopic():
                    self._hear_status(read(StatusPayload, message.payload), retained=message.retain)
                case PublicTopic():
                    self._hear_view(read(PublicView, message.payload), retained=message.retain)
                case SeatTopic():
                    self._hear_view(read(SeatView, message.payload), retained=message.retain)
                case ReplyTopic():
                    self._hear_reply(read(SnapshotReply, message.payload))
                case _:
                    pass
        except ValidationError:
            return

    def _hear_status(self, heard: StatusPayload, *, retained: bool) -> None:
        if not self._current(heard.epoch):
            return
        if heard.status is not self._status:
            self._status = heard.status
            self._changed.set()
        if not retained and heard.status is not TableStatus.LOST:
            if self._seat is None:
                self._sign_of_life()
            if self._current_to < self._behind:
                self._ask.set()
                self._stir.set()
            self._behind = heard.last_event or 0

    def _hear_reply(self, heard: SnapshotReply) -> None:
        """The picture of now: ``seq`` is the newest even where the view did not change."""
        view = heard.public if self._seat is None else next((one for one in heard.seats if one.seat == self._seat), None)
        if view is not None:
            self._hear_view(view, retained=False)
        if heard.epoch == self._epoch:
            self._current_to = max(self._current_to, heard.seq)

    def _hear_view(self, heard: PublicView, *, retained: bool) -> None:
        if not self._current(heard.epoch):
            return
        before = self._view
        if before is not None and before.epoch == heard.epoch and heard.seq < before.seq:
            return
        self._current_to = max(self._current_to, heard.seq)
        if not retained:
            self._sign_of_life()
        self._view = heard
        if before is None or heard != before.model_copy(update={"seq": heard.seq, "epoch": heard.epoch, "at": heard.at}):
            self._changed.set()
            self._stir.set()

    def _current(self, epoch: int) -> bool:
        if epoch > self._epoch:
            self._epoch, self._current_to, self._behind = epoch, 0, 0
        return epoch == self._epoch

    def _sign_of_life(self) -> None:
        self._heard_at = asyncio.get_running_loop().time()


async def watch(
    connection: Connection,
    topics: TableTopics,
    console: Console,
    random: Random,
    *,
    seat: int | None,
    language: Language,
    clock: Clock,
    below: str = "",
) -> None:
    """Draw the table until cancelled; where ``console`` is no terminal, print each change once.

    ``below`` stands under the picture on a terminal, which has the whole screen and hides what was written before it.
    """
    picture = Picture(topics, clock=clock, name=connection.client_id, seat=seat)
    client = MqttClient(connection, picture, random)
    async with asyncio.TaskGroup() as group:
        group.create_task(client.run())
        if console.is_terminal:
            group.create_task(_redraw(picture, console, language, Text(below, style="dim")))
        else:
            group.create_task(_print(picture, console, language))
            group.create_task(_tell_silence(lambda: picture.is_blank, client, connection, topics, language))


async def _redraw(picture: Picture, console: Console, language: Language, below: Text) -> None:
    def screenful() -> RenderableType:
        return Group(picture.draw(language), below)

    with Live(screenful(), console=console, auto_refresh=False, screen=True) as screen:
        while True:
            await asyncio.sleep(REDRAW_S)
            screen.update(screenful(), refresh=True)


async def _print(picture: Picture, console: Console, language: Language) -> None:
    while True:
        await picture.changed()
        console.print(picture.draw(language))


async def _tell_silence(
    is_blank: Callable[[], bool], client: MqttClient, to: Connection, topics: TableTopics, language: Language
) -> None:
    """Say once, on standard error, why nothing is printed: no broker, or no table on it."""
    await asyncio.sleep(SILENCE_S)
    if is_blank():
        code = "watch.no_table" if client.connected else "watch.no_broker"
        said = text(code, language, host=to.host, port=to.port, venue=topics.venue, table=topics.table)
        sys.stderr.write(f"stud-table: {said}\n")


async def watch_events(
    connection: Connection,
    topics: TableTopics,
    random: Random,
    clock: Clock,
    write: Callable[[str], object],
    *,
    after_seq: int,
    language: Language,
) -> None:
    """Write every public event behind ``after_seq`` as one line of JSON, once and in order, until cancelled."""
    lines: asyncio.Queue[str] = asyncio.Queue()

    def hole(after: int, event: PublicEvent) -> None:
        sys.stderr.write(f"stud-table: {text('watch.hole', language, after=after, seq=event.seq)}\n")

    follower = EventFollower(
        topics,
        connection.client_id,
        clock=clock,
        on_event=lambda event: lines.put_nowait(event.model_dump_json(exclude_none=True)),
        after_seq=after_seq,
        on_hole=hole,
    )
    async with asyncio.TaskGroup() as group:
        client = MqttClient(connection, follower, random)
        group.create_task(client.run())
        group.create_task(_tell_silence(lambda: not follower.has_heard, client, connection, topics, language))
        while True:
            write(await lines.get() + "\n")
