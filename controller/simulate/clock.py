"""Wall time that steps: timers run on, and nothing that is decided may depend on it (recovery §4, invariant 25)."""

from __future__ import annotations

from datetime import datetime, timedelta

from drivers.clock import LoopClock


class SteppingClock(LoopClock):
    """As ``LoopClock``, but that somebody sets the machine's clock."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self._step = timedelta()

    def step(self, seconds: float) -> None:
        """Set the wall clock forward, or back by a negative number."""
        self._step += timedelta(seconds=seconds)

    def wall(self) -> datetime:
        """Wall time after all steps."""
        return super().wall() + self._step
