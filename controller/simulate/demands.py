"""What a table owes its people at any time: the next step, a stop where a device fails, queues within their bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from controller.app import TableApp
from controller.hand.state import Phase
from controller.simulate.audit import Violation
from controller.table.loop import MAX_INBOX
from controller.table.state import TableState, TableStatus
from drivers.ports import LinkState

ASKED_S: Final = 5.0
"""Seconds after which cards are no longer dealt past a device that is known to be down, without a stop that says so."""
_DEAD: Final = frozenset((LinkState.DOWN.value, LinkState.QUARANTINE.value))
_NAMED_BY: Final[Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], object]]] = {
    "act": lambda step, _: step["seat"] and step["actions"],
    "deal": lambda step, _: step["plan"] or step["in_flight"],
    "table": lambda step, _: step["order"],
    "award": lambda step, _: step["proposals"],
    "hold": lambda _, snapshot: snapshot["hold"] is None or (snapshot["hold"]["reason_en"] and snapshot["hold"]["reason_fr"]),
    "wait": lambda _, snapshot: snapshot["status"] != "live",
    "scramble": lambda step, _: step["cards"],
    "load_deck": lambda *_: True,
    "start_hand": lambda *_: True,
    "resume": lambda *_: True,
}
"""By kind of step: what must be there for somebody to take it. To wait is a step only while the table is not live."""


def require_next_step(snapshot: Mapping[str, Any]) -> None:
    """``Violation`` for a screen that names neither a step that can be taken nor a wait (recovery §12, invariant 27)."""
    step = snapshot["step"]
    named = _NAMED_BY.get(step["kind"])
    if named is None or not named(step, snapshot):
        raise Violation(f"the screen asks for {step['kind']} at {snapshot['seq']}, and nobody can do that: {step}")


class FaultWatch:
    """A device that is down while cards are dealt stops the deal within ``ASKED_S`` (invariant 26); queues have room (28)."""

    def __init__(self) -> None:
        self._unasked_since: float | None = None

    def look(self, app: TableApp, now: float) -> None:
        """To be called a few times a second. ``Violation`` when nobody was asked in time, or a queue is beyond its bound."""
        if app.table.waiting > MAX_INBOX:
            raise Violation(f"{app.table.waiting} inputs wait for the table, its bound is {MAX_INBOX}")
        if not _deals_past_a_fault(app.table.state):
            self._unasked_since = None
        elif self._unasked_since is None:
            self._unasked_since = now
        elif now - self._unasked_since > ASKED_S:
            raise Violation(f"a device is down for {now - self._unasked_since:.1f} s while cards are dealt, and nobody is asked")


def _deals_past_a_fault(state: TableState) -> bool:
    hand, past = state.hand, state.past
    if hand is None or hand.phase is not Phase.DEALING or hand.hold is not None or state.status is not TableStatus.LIVE:
        return False
    return any(
        link in _DEAD and (device, 0) not in past and (device, antenna) not in past
        for (device, antenna), link in state.links.items()
    )
