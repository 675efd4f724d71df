"""Time as evidence: a clock that ran out, and a pause of this very process (SIGSTOP, a machine that swapped), which to the table
is an outage (recovery §4). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controller.table.state import TableStatus

if TYPE_CHECKING:
    from controller.table.state import TableState

PAUSED: Final = "paused"
"""Cause of the ``Suspended`` that follows a pause."""


@dataclass(frozen=True, slots=True)
class WasPaused:
    """Nothing of this controller ran for a while; it comes before anything that waited meanwhile."""


@dataclass(frozen=True, slots=True)
class ClockRanOut:
    """The time of the seat on the clock is over, its time bank too (R-ABS-04)."""

    seat: int


def paused(state: TableState) -> TableState:
    """What devices and felt are is unknown until they have told, and a person confirms the picture."""
    return state._replace(status=TableStatus.RECOVERING, felt_ready=False, shoe=state.shoe._replace(adopted=False))
