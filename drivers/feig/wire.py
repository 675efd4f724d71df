"""One line's session on a real link: awaitable exchanges, the timer of the session, and what happens when the port goes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from drivers.clock import Clock
from drivers.feig.messages import Request
from drivers.feig.session import Action, Answered, Counters, GaveUp, LineSession, Send
from drivers.link.base import Link, LinkOverflow
from drivers.link.meter import Meter
from drivers.ports import DriverError

_NEVER_OPENED: Final = "the port was never open"


class LineLost(DriverError):  # noqa: N818 - what happened, as LinkOverflow
    """The port was closed, or opened anew, since the caller last looked."""


class FeigWire:
    """Sink of a link that carries a ``LineSession``. One exchange at a time.

    Each opening of the port has a number; an exchange names the one it belongs to and fails on any other, so that a
    quick close and open never goes unnoticed.
    """

    def __init__(self, session: LineSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._link: Link | None = None
        self._opening = 0
        self._opened = asyncio.Event()
        self._answer: asyncio.Future[Answered | GaveUp] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._lost_because = _NEVER_OPENED
        self.meter = Meter()
        self.frame_at: float | None = None
        """Second of the last good frame."""

    @property
    def skipped_bytes(self) -> int:
        """Bytes of readers that belonged to no good frame."""
        return self._session.skipped_bytes

    @property
    def counters(self) -> Counters:
        """What the line went through."""
        return self._session.counters

    async def wait_open(self) -> int:
        """Wait until the port is open; the number of this opening."""
        await self._opened.wait()
        return self._opening

    def check(self, opening: int) -> None:
        """``LineLost`` unless the port of ``opening`` is still the open one."""
        if self._link is None or opening != self._opening:
            raise LineLost(self._lost_because)

    async def exchange(
        self, opening: int, address: int, request: Request, *, probing: bool = False, extra_s: float = 0.0
    ) -> Answered | GaveUp:
        """Ask and wait for the end of the exchange (``LineSession.start``). ``LineLost`` when the port of ``opening`` is gone."""
        self.check(opening)
        self._answer = asyncio.get_running_loop().create_future()
        try:
            now = self._clock.monotonic()
            self._apply(self._session.start(address, request, now, probing=probing, extra_s=extra_s))
            return await self._answer
        finally:
            self._answer = None
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
        self._session.reset()
        self._opened.set()

    def data_received(self, data: bytes) -> None:
        """Bytes of the readers."""
        if self._link is not None:
            now = self._clock.monotonic()
            frames = self.counters.frames
            self.meter.bytes_in += len(data)
            actions = self._session.feed(data, now)
            if self.counters.frames > frames:
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
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(LineLost(reason))

    def _apply(self, actions: Iterable[Action]) -> None:
        for action in actions:
            match action:
                case Send(data):
                    self._write(data)
                case Answered() | GaveUp():
                    if self._answer is not None and not self._answer.done():
                        self._answer.set_result(action)
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
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._session.deadline
        if deadline is not None:
            wait_s = max(0.0, deadline - self._clock.monotonic())
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._due, deadline)

    def _due(self, deadline: float) -> None:
        self._timer = None
        self._apply(self._session.tick(max(deadline, self._clock.monotonic())))
