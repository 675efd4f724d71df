"""What a store of results has of a table: every public event once, in order, without a hole, and as the journal tells it.

No floor service takes part in a run: a reader who follows the topics, and asks for what it has missed, stands for its store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from controller.mqtt.payloads import PublicEvent
from controller.simulate.audit import Violation


class ResultStore:
    """Takes events from a follower; ``broken`` hears of one that is not the next (recovery §12, invariant 24)."""

    def __init__(self, broken: Callable[[Violation], None], kept: Sequence[PublicEvent] = ()) -> None:
        self._broken = broken
        self.kept = list(kept)

    @property
    def last_seq(self) -> int:
        """Number of the newest event; 0 when there is none."""
        return self.kept[-1].seq if self.kept else 0

    def take(self, event: PublicEvent) -> None:
        """The next event."""
        if event.seq <= self.last_seq:
            self._broken(Violation(f"event {event.seq} reaches the store after event {self.last_seq}"))
        if event.previous is not None and event.previous != self.last_seq:
            self._broken(Violation(f"event {event.seq} follows on {event.previous}, and the store ends at {self.last_seq}"))
        self.kept.append(event)

    def lacks(self, wanted: Sequence[PublicEvent]) -> bool:
        """Whether an event of the journal has not come yet."""
        return self.last_seq < (wanted[-1].seq if wanted else 0)

    def difference(self, wanted: Sequence[PublicEvent]) -> str | None:
        """Where the store tells another story than the journal, but for the epoch of whoever told it."""
        mine = {event.seq: _told(event) for event in self.kept}
        theirs = {event.seq: _told(event) for event in wanted}
        wrong = sorted(seq for seq in mine.keys() | theirs.keys() if mine.get(seq) != theirs.get(seq))
        return f"the store and the journal differ in events {wrong[:5]}" if wrong else None


def _told(event: PublicEvent) -> dict[str, Any]:
    return event.model_dump(exclude={"epoch"})
