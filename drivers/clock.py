"""Time as a value that is passed in, so that the whole controller runs on virtual time too."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds for timers, wall time for records alone."""

    def monotonic(self) -> float:
        """Seconds that never go back; the zero is arbitrary."""

    def wall(self) -> datetime:
        """Aware UTC time for records; never decides anything."""


class SystemClock:
    """The running event loop's time and the machine's wall clock."""

    def monotonic(self) -> float:
        """Seconds of the running loop."""
        return asyncio.get_running_loop().time()

    def wall(self) -> datetime:
        """UTC now."""
        return datetime.now(UTC)


class LoopClock:
    """Wall time derived from the running loop: repeatable on a virtual loop."""

    def __init__(self, start: datetime) -> None:
        self._start = start

    def monotonic(self) -> float:
        """Seconds of the running loop."""
        return asyncio.get_running_loop().time()

    def wall(self) -> datetime:
        """``start`` plus the loop's seconds."""
        return self._start + timedelta(seconds=self.monotonic())
