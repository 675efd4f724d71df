"""One hand on the wheel: one console drives the table, the others watch (screens §1, principle 10; recovery §7).

Which one is part of the state: of two that press at once the second meets what the first has done (REG-18). A start forgets it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controller.hand.commands import Refusal
from controller.table.access_events import WheelReturned, WheelTaken
from controller.table.parts import Driver

if TYPE_CHECKING:
    from controller.table.state import TableState

MAX_REMEMBERED: Final = 2
"""The console that drives, and the one that drives again when it lets go."""


@dataclass(frozen=True, slots=True)
class TakeWheel:
    """A console takes over, from whomever it may be; ``name`` is what people read."""

    name: str


@dataclass(frozen=True, slots=True)
class ReturnWheel:
    """The console that drives lets go."""


def watches(state: TableState, console: str) -> Refusal | None:
    """Why ``console`` may give no order: another one drives. ``None`` when it may."""
    if not state.wheel or state.wheel[0].console == console:
        return None
    return Refusal("REG-38", "not_driving", (("name", state.wheel[0].name),))


def wheel_order(
    state: TableState, order: TakeWheel | ReturnWheel, console: str, person: str
) -> tuple[WheelTaken | WheelReturned, ...] | Refusal:
    """What becomes of the wheel. Who drives already, by the same name, takes nothing."""
    if not console:
        return Refusal("REG-38", "no_console")
    if isinstance(order, ReturnWheel):
        return watches(state, console) or ((WheelReturned(console),) if state.wheel else ())
    driver = Driver(console, order.name, person)
    return () if state.wheel[:1] == (driver,) else (WheelTaken(console, order.name, person),)


def wheel_after(wheel: tuple[Driver, ...], event: WheelTaken | WheelReturned) -> tuple[Driver, ...]:
    """Who drives first, and behind it who drove before."""
    if isinstance(event, WheelReturned):
        return wheel[1:]
    before = tuple(driver for driver in wheel if driver.console != event.console)
    return (Driver(event.console, event.name, event.person), *before)[:MAX_REMEMBERED]
