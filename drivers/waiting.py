"""Events of a shoe that wait for the table."""

from __future__ import annotations

from collections import deque
from typing import Final

from drivers.ports import CommandDone, ShoeEvent

MOST_WAITING: Final = 128
"""Events that wait for the table, at most; reading stops long before, so above that there are answers to orders alone."""


class WaitingEvents(deque[ShoeEvent]):
    """Events in their order. An order is never refused for want of room: above ``MOST_WAITING`` the oldest answer makes room for
    a newer one, because the table acts on the answer to its last order alone. No other event is left out."""

    def put(self, event: ShoeEvent) -> None:
        """One more."""
        if len(self) >= MOST_WAITING and isinstance(event, CommandDone):
            oldest = next((waiting for waiting in self if isinstance(waiting, CommandDone)), None)
            if oldest is not None:
                self.remove(oldest)
        self.append(event)
