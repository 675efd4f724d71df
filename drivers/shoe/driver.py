"""A TSP/1 shoe as the table sees it: one port, one session, events in order through an awaitable.

Sessions and framing are pure; this module gives them a port, a timer and a queue. While the queue is long nothing is read, so
nothing is acknowledged and nothing is dropped: the shoe keeps its events and closes its gate.
"""

from __future__ import annotations

import asyncio
import math
import random
from typing import Final, assert_never

from drivers.clock import Clock
from drivers.factory import ShoeDriver, ShoeSetup
from drivers.link.base import Link, LinkOverflow, Opener
from drivers.link.meter import Meter, port_fact
from drivers.link.serial import SerialSettings
from drivers.link.supervisor import Supervisor
from drivers.ports import Deliver as DeliverEvent
from drivers.ports import DeviceReport, DriverError, EventKey, KnownShoe
from drivers.shoe.authentication import HostLock, Pair
from drivers.shoe.effects import Deliver, HangUp, Send
from drivers.shoe.host_session import HostSession
from drivers.shoe.messages import Epoch
from drivers.shoe.pairing import Paired
from drivers.waiting import WaitingEvents

HOLD_AT: Final = 32
"""Waiting events at which reading, timers and signs of life stop."""
GO_ON_AT: Final = 8
SHORTEST_TIMER_S: Final = 0.001
"""A timer that fires a hair early must not spin."""


class TspShoe:
    """``ShoePort`` over TSP/1.

    ``epoch_counter`` (1 to FFFF) is this start of the controller, raised and durable before; its random part comes from ``rng``.
    ``known`` is what the journal knows of the shoe, None for a first meeting. ``paired_serial``, ``paired_model`` and
    ``paired_node`` None take the shoe that answers. ``controller`` is the table's name in HELLO. With ``pair`` every line is
    authenticated, and a shoe that does not is quarantined.
    """

    def __init__(
        self,
        *,
        name: str,
        opener: Opener,
        deliver: DeliverEvent,
        clock: Clock,
        rng: random.Random,
        epoch_counter: int,
        paired_serial: str | None = None,
        paired_model: str | None = None,
        paired_node: str | None = None,
        known: KnownShoe | None = None,
        controller: str = "TABLE",
        pair: Pair | None = None,
    ) -> None:
        self._name = name
        self._rng = rng
        self._deliver = deliver
        self._clock = clock
        epoch = self._epoch(epoch_counter)
        paired = Paired(paired_serial, paired_model, paired_node)
        lock = None if pair is None else HostLock(pair, rng)
        self._session = HostSession(
            device=name, epoch=epoch, rng=rng, controller=controller, paired=paired, known=known, lock=lock
        )
        self._opener = opener
        self._supervisor = Supervisor(opener, self, rng=rng, before_open=self._room)
        self._link: Link | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._queue = WaitingEvents()
        self._is_held = False
        self._has_events = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._fenced = asyncio.Event()
        self._meter = Meter()

    @property
    def name(self) -> str:
        """Name of the device."""
        return self._name

    @property
    def is_degraded(self) -> bool:
        """More than 5 bad lines in 10 s: close the gate at the end of the betting round (TSP/1 link states)."""
        return self._session.health.is_degraded

    def report(self) -> DeviceReport:
        """Health of the shoe and its port, as known now."""
        now = self._clock.monotonic()
        health = self._session.health
        link, device, data = health.facts(now)
        counters = {**self._meter.counters(self._supervisor), **health.counters()}
        port = port_fact(self._supervisor, now)
        return DeviceReport(
            self._name,
            "shoe",
            self._opener.name,
            health.identity,
            port,
            link,
            device,
            data,
            counters,
            trouble=health.trouble,
        )

    async def run(self) -> None:
        """Keep the port open and deliver events until cancelled. A fenced controller closes the port for good and only waits."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._delivering(), name=f"{self._name} events")
                opening = group.create_task(self._supervisor.run(), name=f"{self._name} port")
                await self._fenced.wait()
                opening.cancel()
        finally:
            self._cancel_timer()

    # What the table says

    def adopt(self, boot: int, accepted_seq: int) -> None:
        """The adoption of ``boot`` is durable (after ``ShoeStopped``: a person ruled so).

        ``DriverError`` for a number beyond the shoe's last event.
        """
        now = self._clock.monotonic()
        self._session.adopt(now, boot, accepted_seq)
        self._apply(now)

    def renew(self, epoch_counter: int) -> None:
        """Go on under a new epoch, whose counter is durable. ``DriverError`` unless it is 1 to FFFF."""
        now = self._clock.monotonic()
        self._session.renew(now, self._epoch(epoch_counter))
        self._apply(now)

    def _epoch(self, counter: int) -> Epoch:
        if not 0 < counter <= 0xFFFF:
            raise DriverError(f"{self._name}: start number {counter} of the controller must be 1 to 65535")
        return Epoch(counter, self._rng.randrange(0x10000))

    def accept(self, key: EventKey) -> None:
        """Events up to ``key`` are durable. ``DriverError`` for one that was never delivered."""
        now = self._clock.monotonic()
        self._session.accept(now, key)
        self._apply(now)

    def order_gate(self, order: int, *, is_open: bool) -> None:
        """Open or close the gate under id ``order``. ``DriverError`` unless ids grow."""
        now = self._clock.monotonic()
        self._session.order_gate(now, order, is_open=is_open)
        self._apply(now)

    def clear_error(self, order: int, code: str) -> None:
        """Clear the latched error ``code`` under id ``order``. ``DriverError`` unless ids grow."""
        now = self._clock.monotonic()
        self._session.clear_error(now, order, code)
        self._apply(now)

    def woken(self) -> None:
        """The process was paused: ask the shoe for its state."""
        now = self._clock.monotonic()
        self._session.woken(now)
        self._apply(now)

    def sign_of_life(self) -> None:
        """The table lives and commits keep up; does not count while events pile up."""
        if not self._is_held:
            now = self._clock.monotonic()
            self._session.sign_of_life(now)
            self._apply(now)

    # What the link says

    def link_opened(self, link: Link) -> None:
        """From the supervisor."""
        self._link = link
        if self._is_held:
            link.pause_reading()
        now = self._clock.monotonic()
        self._session.opened(now)
        self._apply(now)

    def data_received(self, data: bytes) -> None:
        """From the supervisor."""
        now = self._clock.monotonic()
        self._meter.bytes_in += len(data)
        self._session.received(now, data)
        self._apply(now)

    def link_lost(self, reason: str) -> None:
        """From the supervisor."""
        self._link = None
        now = self._clock.monotonic()
        self._session.closed(now, reason)
        self._apply(now)

    # Effects, timer and queue

    def _apply(self, now: float) -> None:
        """Do what the session wants, then wait for what it waits for."""
        for effect in self._session.drain():
            match effect:
                case Send(line):
                    self._write(line)
                case Deliver(event):
                    self._queue.put(event)
                    self._has_events.set()
                case HangUp(reason):
                    self._fenced.set()
                    if self._link is not None:
                        self._link.close(reason)
                case _:
                    assert_never(effect)
        if len(self._queue) >= HOLD_AT and not self._is_held:
            self._hold()
        self._set_timer(now)

    def _write(self, line: bytes) -> None:
        if self._link is None:
            return
        try:
            self._link.write(line)
            self._meter.bytes_out += len(line)
        except LinkOverflow as error:
            self._meter.overflows += 1
            self._link.close(str(error))

    def _set_timer(self, now: float) -> None:
        self._cancel_timer()
        is_idle = self._is_held or self._link is None
        at = math.inf if is_idle else self._session.next_at(now)
        if at < math.inf:
            self._timer = asyncio.get_running_loop().call_later(max(at - now, SHORTEST_TIMER_S), self._tick)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        self._timer = None
        now = self._clock.monotonic()
        self._session.tick(now)
        self._apply(now)

    def _hold(self) -> None:
        self._is_held = True
        self._has_room.clear()
        if self._link is not None:
            self._link.pause_reading()

    def _go_on(self) -> None:
        self._is_held = False
        self._has_room.set()
        now = self._clock.monotonic()
        self._session.resumed(now)
        if self._link is not None:
            self._link.resume_reading()
        self._apply(now)

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
            if self._is_held and len(self._queue) <= GO_ON_AT:
                self._go_on()


def _make(setup: ShoeSetup) -> TspShoe:
    return TspShoe(
        name=setup.name,
        opener=setup.opener,
        deliver=setup.deliver,
        clock=setup.clock,
        rng=setup.rng,
        epoch_counter=setup.epoch_counter,
        paired_serial=setup.paired_serial,
        paired_model=setup.paired_model,
        paired_node=setup.paired_node,
        known=setup.known,
        controller=setup.controller,
        pair=None if setup.key is None else Pair(setup.key, setup.paired_node or "", setup.paired_serial or ""),
    )


DRIVER: Final = ShoeDriver(
    "TSP/1, the open protocol of dealing shoes", _make, SerialSettings(9600), tells_identity=True, takes_key=True
)
