"""Time as a value that is passed in, so that the whole controller runs on virtual time too."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

PAUSED_S: Final = 2.0
"""A gap in our own ticks of more than this was a pause: of the process, or of the machine's attention to it (recovery §4)."""


class Clock(Protocol):
    """Monotonic seconds for timers, wall time for records alone."""

    def monotonic(self) -> float:
        """Seconds that never go back; the zero is arbitrary."""

    def wall(self) -> datetime:
        """Aware UTC time for records; never decides anything."""


class _LoopTime:
    """The running event loop's time. The loop is looked up once for as long as it runs: the look-up costs more than the time."""

    _loop: asyncio.AbstractEventLoop | None = None

    def monotonic(self) -> float:
        """Seconds of the running loop."""
        loop = self._loop
        if loop is None or not loop.is_running():
            loop = self._loop = asyncio.get_running_loop()
        return loop.time()


class SystemClock(_LoopTime):
    """The running event loop's time and the machine's wall clock."""

    def wall(self) -> datetime:
        """UTC now."""
        return datetime.now(UTC)


class LoopClock(_LoopTime):
    """Wall time derived from the running loop: repeatable on a virtual loop."""

    def __init__(self, start: datetime) -> None:
        self._start = start

    def wall(self) -> datetime:
        """``start`` plus the loop's seconds."""
        return self._start + timedelta(seconds=self.monotonic())


class Pulse:
    """Notices that this process was paused: nothing of it ran for more than ``PAUSED_S``."""

    def __init__(self, now: float) -> None:
        self._at = now

    def beat(self, now: float) -> float:
        """To be called at every tick: the seconds of the pause that has just ended, 0 where there was none."""
        gap, self._at = now - self._at, now
        return gap if gap > PAUSED_S else 0.0
