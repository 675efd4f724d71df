"""An auditor's check of a journal: the hash chain, and that replaying it gives the state it claims. Needs no key.

Beside the chain it proves: every event decodes and follows the one before, each event of a hand is what the rules make of the
one that began it, chips and cards are conserved, stacks are what the events lead to, no nonce seals twice, and a tabled hand is
what was sealed when it was dealt (the seat's key is in the journal by then).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from controller.journal.verify import verify_chain
from controller.verify.closed import Held, check_closed
from controller.verify.replay import Replay

__all__ = ["Audit", "audit", "kinds_after"]


@dataclass(frozen=True, slots=True)
class Audit:
    """Outcome of a check; ``first_bad`` is the number of the first event that does not hold, 0 for the file itself."""

    ok: bool
    events: int
    hands: int
    head: str
    first_bad: int | None
    reason: str | None
    chips_conserved: bool = True
    cards_conserved: bool = True

    def as_json(self) -> dict[str, Any]:
        """The keys that checks read, and ``reason``."""
        return {
            "ok": self.ok,
            "events": self.events,
            "hands": self.hands,
            "head": self.head,
            "first_bad": self.first_bad,
            "reason": self.reason,
        }


def audit(path: Path, *, head: bytes | None = None, jobs: int = 1) -> Audit:
    """Check the journal in ``path``, a file or its folder, which must hold a record with the ``head`` that was noted elsewhere.

    Closed files of a folder are checked ``jobs`` at once, each in a process of its own; the outcome is the same for any number.
    ``FileNotFoundError`` when there is no journal.
    """
    older: Held | None = check_closed(path, head=head, jobs=jobs)
    replay = Replay(None if older is None else older.ending)
    found = verify_chain(path, replay.take, head=head, after=None if older is None else older.found)
    if found.ok and replay.unfinished:
        found = replace(found, first_bad=found.events, reason="what it leads to is missing behind it")
    end = replay.state
    return Audit(
        found.ok,
        found.events,
        replay.hands,
        found.head.hex(),
        found.first_bad,
        found.reason,
        chips_conserved=end.chips_conserved,
        cards_conserved=end.cards_conserved,
    )


def kinds_after(journal: Path, before: int) -> Counter[str]:
    """How often each kind of record stands in a journal after number ``before``."""
    counts: Counter[str] = Counter()

    def count(seq: int, body: Mapping[str, Any]) -> None:
        if seq > before:
            counts[str(body["type"])] += 1

    verify_chain(journal, count)
    return counts
