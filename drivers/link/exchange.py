"""Question and answer over a link: awaitable exchanges, the timer of a session, and what happens when the port goes.

The session is pure and belongs to a device; this module gives it a port and a clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from drivers.clock import Clock
from drivers.link.base import Link, LinkOverflow
from drivers.link.meter import Meter
from drivers.ports import DriverError

EndT = TypeVar("EndT")
EndT_co = TypeVar("EndT_co", covariant=True)

_EARLY_S: Final = 1e-6
"""A loop may call a timer so much too early."""
_NEVER_OPENED: Final = "the port was never open"


class LineLost(DriverError):  # noqa: N818 - what happened, as LinkOverflow
    """The port was closed, or opened anew, since the caller last looked."""


@dataclass(frozen=True, slots=True)
class Send:
    """What a session wants: write ``data`` in one piece."""

    data: bytes = field(repr=False)


Actions: TypeAlias = Iterable[Send | EndT]


class ExchangeSession(Protocol[EndT_co]):
    """A device's session: bytes and time go in, actions come out. Whatever is no ``Send`` ends the exchange under way."""

    @property
    def busy(self) -> bool:
        """Whether an exchange is under way."""

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is due, or ``None`` while no exchange is under way."""

    @property
    def frames(self) -> int:
        """Good frames so far."""

    @property
    def skipped_bytes(self) -> int:
        """Bytes that belonged to no good frame."""

    def opened(self) -> None:
        """The port was opened anew."""

    def reset(self) -> None:
        """Forget the exchange and what is in the buffers."""

    def feed(self, data: bytes, now: float) -> Actions[EndT_co]:
        """Bytes from the line at ``now``."""

    def tick(self, now: float) -> Actions[EndT_co]:
        """``deadline`` may be reached."""


class ExchangeWire(Generic[EndT]):
    """Sink of a link that carries a session. One exchange at a time.

    Each opening of the port has a number; an exchange names the one it belongs to and fails on any other, so that a
    quick close and open never goes unnoticed.
    """

    def __init__(self, session: ExchangeSession[EndT], clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._link: Link | None = None
        self._opening = 0
        self._opened = asyncio.Event()
        self._end: asyncio.Future[EndT] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._lost_because = _NEVER_OPENED
        self.meter = Meter()
        self.frame_at: float | None = None
        """Second of the last good frame."""

    @property
    def skipped_bytes(self) -> int:
        """Bytes of the device that belonged to no good frame."""
        return self._session.skipped_bytes

    async def wait_open(self) -> int:
        """Wait until the port is open; the number of this opening."""
        await self._opened.wait()
        return self._opening

    async def wait_open_within(self, seconds: float) -> int | None:
        """The same, for so long at most; ``None`` when it is not open by then."""
        try:
            async with asyncio.timeout(seconds):
                return await self.wait_open()
        except TimeoutError:
            return None

    def check(self, opening: int) -> None:
        """``LineLost`` unless the port of ``opening`` is still the open one."""
        if self._link is None or opening != self._opening:
            raise LineLost(self._lost_because)

    async def run(self, opening: int, start: Callable[[float], Actions[EndT]]) -> EndT:
        """Begin an exchange with ``start``, which is given the time, and wait for its end. ``LineLost`` when the port of
        ``opening`` is gone."""
        self.check(opening)
        self._end = asyncio.get_running_loop().create_future()
        try:
            self._apply(start(self._clock.monotonic()))
            return await self._end
        finally:
            self._end = None
            if self._session.busy:
                self._session.reset()
            self._arm()

    def close(self, because: str) -> None:
        """Give the port back, to be opened anew."""
        if self._link is not None:
            self._link.close(because)
            self.link_lost(because)

    def link_opened(self, link: Link) -> None:
        """The port is open."""
        self._link = link
        self._opening += 1
        self._session.opened()
        self._opened.set()

    def data_received(self, data: bytes) -> None:
        """Bytes of the device."""
        if self._link is not None:
            now = self._clock.monotonic()
            frames = self._session.frames
            self.meter.bytes_in += len(data)
            actions = self._session.feed(data, now)
            if self._session.frames > frames:
                self.frame_at = now
            self._apply(actions)

    def link_lost(self, reason: str) -> None:
        """The port is gone: whoever waits for an answer hears it at once."""
        if self._link is None:
            return
        self._link = None
        self._lost_because = reason
        self._opened.clear()
        self._session.reset()
        self._arm()
        if self._end is not None and not self._end.done():
            self._end.set_exception(LineLost(reason))

    def _apply(self, actions: Actions[EndT]) -> None:
        for action in actions:
            match action:
                case Send(data):
                    self._write(data)
                case end:
                    if self._end is not None and not self._end.done():
                        self._end.set_result(end)
        self._arm()

    def _write(self, data: bytes) -> None:
        if self._link is None:
            return
        try:
            self._link.write(data)
            self.meter.bytes_out += len(data)
        except LinkOverflow as overflow:
            self.meter.overflows += 1
            self.close(str(overflow))

    def _arm(self) -> None:
        """See that the session's deadline is kept. A timer that is set for an earlier time stays: it looks again when it is due,
        so that the many exchanges that end well in time share a few timers."""
        deadline = self._session.deadline
        if deadline is None or (self._timer is not None and self._timer_at <= deadline):
            return
        if self._timer is not None:
            self._timer.cancel()
        wait_s = max(0.0, deadline - self._clock.monotonic())
        self._timer_at = deadline
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._due)

    def _due(self) -> None:
        self._timer = None
        deadline = self._session.deadline
        if deadline is None:
            return
        now = self._clock.monotonic()
        if deadline > now + _EARLY_S:
            self._arm()
        else:
            self._apply(self._session.tick(max(deadline, now)))
