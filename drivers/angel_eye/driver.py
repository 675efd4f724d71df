"""An Angel Eye shoe as the table sees it, read only: it says what it draws and takes no order (devices §1.2). Unverified."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from drivers.angel_eye.frames import Frame, FrameDecoder
from drivers.angel_eye.ledger import Ledger
from drivers.factory import ShoeDriver, ShoeSetup
from drivers.link.base import Link
from drivers.link.meter import Meter, port_fact
from drivers.link.serial import SerialSettings
from drivers.link.supervisor import Supervisor
from drivers.ports import CardDrawn, CommandDone, DeviceReport, DriverError, EventKey, Fact, LinkChanged, LinkState, ShoeEvent
from drivers.waiting import WaitingEvents

HOLD_AT: Final = 32
"""Waiting events at which nothing is read: the shoe's bytes wait, what came last here, the others in the system's buffers."""
GO_ON_AT: Final = 8
NO_GATE: Final = "this shoe takes no orders: nothing but its own lock holds a card back"
LOCKED: Final = "the shoe's own lock is closed: open it at the shoe"


class AngelEyeShoe:
    """``ShoePort`` that only listens. What comes while the port is closed is lost, so each opening is told as a new start.

    An order to open the gate is always done, for nothing of ours holds a card back; its answer says so where the shoe's own lock
    does. One to close it cannot be carried out.
    """

    def __init__(self, setup: ShoeSetup) -> None:
        self._name = setup.name
        self._opener = setup.opener
        self._deliver = setup.deliver
        self._clock = setup.clock
        self._decoder = FrameDecoder()
        self._ledger = Ledger(setup.name, setup.known)
        self._supervisor = Supervisor(setup.opener, self, rng=setup.rng, before_open=self._room)
        self._meter = Meter()
        self._link: Link | None = None
        self._state: LinkState | None = None
        self._adopted = 0
        self._order = 0
        self._queue = WaitingEvents()
        self._unread: deque[Frame] = deque()
        self._has_events = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._frames = 0
        self._frame_at: float | None = None
        self._card_at: float | None = None

    @property
    def name(self) -> str:
        """Name of the device."""
        return self._name

    def report(self) -> DeviceReport:
        """Health of the shoe and its port. It says nothing until a card is drawn, so a silent link is no fault."""
        now = self._clock.monotonic()
        heard, drawn = self._frame_at, self._card_at
        return DeviceReport(
            name=self._name,
            kind="shoe",
            address=self._opener.name,
            identity="Angel Eye, unverified" if heard is not None else "",
            port=port_fact(self._supervisor, now),
            link=Fact("silent" if heard is None else "ok", None if heard is None else now - heard),
            device=Fact("locked" if self._ledger.is_locked else "ok", None),
            data=Fact("none" if drawn is None else "card", None if drawn is None else now - drawn),
            counters={
                **self._meter.counters(self._supervisor),
                "frames": self._frames,
                "bad_bytes": self._decoder.skipped_bytes,
                "bad_checks": self._decoder.bad_checks,
                "repeats": self._ledger.repeats,
                "strange": self._ledger.strange,
                "gaps": self._ledger.gaps,
            },
        )

    async def run(self) -> None:
        """Keep the port open and deliver events until cancelled."""
        self._tell_link(LinkState.OPENING, f"opening {self._opener.name}")
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._delivering(), name=f"{self._name} events")
            tasks.create_task(self._supervisor.run(), name=f"{self._name} port")

    # What the table says

    def adopt(self, boot: int, accepted_seq: int) -> None:
        """The adoption of ``boot`` is durable. ``DriverError`` for a start that was never told."""
        self._ledger.accept(EventKey(boot, accepted_seq))
        self._adopted = boot
        if boot == self._ledger.boot and self._link is not None:
            self._tell_link(LinkState.UP, "the port is open; this shoe says nothing until a card is drawn")

    def renew(self, epoch_counter: int) -> None:
        """Order ids begin again; the shoe knows of no epoch, and is told as found once more."""
        del epoch_counter
        self._order = 0
        if self._link is not None:
            self._put(self._ledger.found(is_rebooted=False))

    def accept(self, key: EventKey) -> None:
        """Events up to ``key`` are durable; nothing to tell the shoe. ``DriverError`` for one that was never delivered."""
        self._ledger.accept(key)

    def order_gate(self, order: int, *, is_open: bool) -> None:
        """Answered at once. ``DriverError`` unless ids grow."""
        reason = (LOCKED if self._ledger.is_locked else "") if is_open else NO_GATE
        self._answer(order, reason, ok=is_open)

    def clear_error(self, order: int, code: str) -> None:
        """Refused at once: errors are cleared at the shoe. ``DriverError`` unless ids grow."""
        self._answer(order, f"this shoe is only listened to: clear {code} at the shoe", ok=False)

    def _answer(self, order: int, reason: str, *, ok: bool) -> None:
        if order <= self._order:
            raise DriverError(f"{self._name}: order {order} does not come after {self._order}")
        self._order = order
        self._put(CommandDone(self._name, order, ok, self._ledger.delivered, reason))

    def woken(self) -> None:
        """The process was paused: this shoe is found as when its port is opened."""
        if self._link is not None:
            self._put(self._ledger.begin())

    def sign_of_life(self) -> None:
        """Nothing: this shoe hears nothing."""

    # What the link says

    def link_opened(self, link: Link) -> None:
        """From the supervisor."""
        self._link = link
        self._decoder.reset()
        self._put(self._ledger.begin())
        self._hold_if_full()

    def data_received(self, data: bytes) -> None:
        """From the supervisor."""
        self._meter.bytes_in += len(data)
        self._unread.extend(self._decoder.feed(data))
        self._take(self._clock.monotonic())

    def _take(self, now: float) -> None:
        """Take what was read, as far as there is room for it; the rest waits, and nothing more is read."""
        while self._unread and len(self._queue) < HOLD_AT:
            frame = self._unread.popleft()
            self._frames += 1
            self._frame_at = now
            for event in self._ledger.take(frame, now):
                if isinstance(event, CardDrawn):
                    self._card_at = now
                self._put(event)
        self._hold_if_full()

    def link_lost(self, reason: str) -> None:
        """From the supervisor. What was read before is told all the same."""
        self._link = None
        self._tell_link(LinkState.DOWN, reason)

    # The queue

    def _tell_link(self, state: LinkState, detail: str) -> None:
        if state is not self._state:
            self._state = state
            self._put(LinkChanged(self._name, 0, state, detail))

    def _put(self, event: ShoeEvent) -> None:
        self._queue.put(event)
        self._has_events.set()

    def _hold_if_full(self) -> None:
        if len(self._queue) >= HOLD_AT:
            self._has_room.clear()
            if self._link is not None:
                self._link.pause_reading()

    async def _room(self) -> None:
        """No port is opened while the table does not take what is there."""
        await self._has_room.wait()

    async def _delivering(self) -> None:
        while True:
            await self._has_events.wait()
            event = self._queue.popleft()
            if not self._queue:
                self._has_events.clear()
            await self._deliver(event)
            if not self._has_room.is_set() and len(self._queue) <= GO_ON_AT:
                self._go_on()

    def _go_on(self) -> None:
        """There is room: first what was read already, then the port."""
        now = self._clock.monotonic()
        self._ledger.resumed(now)
        self._take(now)
        if len(self._queue) < HOLD_AT:
            self._has_room.set()
            if self._link is not None:
                self._link.resume_reading()


DRIVER: Final = ShoeDriver(
    "Angel Eye II-EX as public programs read it: read only, no gate, lost reports stay lost",
    AngelEyeShoe,
    SerialSettings(4800),
    has_gate=False,
    tells_load=False,
    is_verified=False,
)
