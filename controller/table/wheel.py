"""One hand on the wheel: one console drives the table, the others watch (screens §1, principle 10; recovery §7).

Between hands any dealer relieves another one; who deals an open hand is relieved when the floor takes part, and comes back to it
alone (screens §11). Where nobody signs in nobody is known, and whoever takes over drives.

Which one is part of the state: of two that press at once the second meets what the first has done (REG-18). A start forgets it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controller.access.people import are_two
from controller.hand.commands import Refusal
from controller.table.access_events import WheelReturned, WheelTaken
from controller.table.parts import Driver

if TYPE_CHECKING:
    from controller.table.state import TableState

MAX_REMEMBERED: Final = 2
"""The console that drives, and the one that drives again when it lets go."""


@dataclass(frozen=True, slots=True)
class TakeWheel:
    """A console takes over; ``name`` is what people read, ``floor`` the floor person who takes part, empty where none does."""

    name: str
    floor: str = ""


@dataclass(frozen=True, slots=True)
class ReturnWheel:
    """The console that drives lets go; ``floor`` as above."""

    floor: str = ""


def watches(state: TableState, console: str, person: str) -> Refusal | None:
    """Why ``person`` at ``console`` may give no order: another one drives. ``None`` when it may."""
    if not state.wheel or (state.wheel[0].console == console and not are_two(state.wheel[0].person, person)):
        return None
    return Refusal("REG-38", "not_driving", (("name", state.wheel[0].name),))


def relief(state: TableState, person: str, floor: str) -> Refusal | None:
    """Why ``person`` may not go on with the hand of another one; ``None`` when it may."""
    dealing = state.wheel[0].person if state.wheel else state.let_go
    if not state.hand_open or floor or not are_two(dealing, person):
        return None
    return Refusal("REG-38", "relief_needs_floor", (("name", dealing),))


def wheel_order(
    state: TableState, order: TakeWheel | ReturnWheel, console: str, person: str
) -> tuple[WheelTaken | WheelReturned, ...] | Refusal:
    """What becomes of the wheel. Who drives already, by the same name, takes nothing."""
    if not console:
        return Refusal("REG-38", "no_console")
    if isinstance(order, ReturnWheel):
        refusal = watches(state, console, person)
        if refusal is None and state.wheel[1:]:
            refusal = relief(state, state.wheel[1].person, order.floor)
        return refusal or ((WheelReturned(console),) if state.wheel else ())
    driver = Driver(console, order.name, person)
    if state.wheel[:1] == (driver,):
        return ()
    return relief(state, person, order.floor) or (WheelTaken(console, order.name, person),)


def left_by(state: TableState) -> str:
    """Who deals the open hand when nobody drives any more; empty between hands."""
    if not state.hand_open:
        return ""
    return state.wheel[0].person if state.wheel else state.let_go


def wheel_after(wheel: tuple[Driver, ...], event: WheelTaken | WheelReturned) -> tuple[Driver, ...]:
    """Who drives first, and behind it who drove before."""
    if isinstance(event, WheelReturned):
        return wheel[1:]
    before = tuple(driver for driver in wheel if driver.console != event.console)
    return (Driver(event.console, event.name, event.person), *before)[:MAX_REMEMBERED]
