"""Which alarms of a table stand, since which record, and who has seen them (screens §9, REG-11, REG-13).

To acknowledge ends nothing: an alarm is over when its cause is. A start forgets what its devices told, not who has seen it: until
a device has told again how it is, its alarm is kept.
"""

from __future__ import annotations

from typing import Final

from controller.table.access_events import AlarmAcknowledged
from controller.table.faults import Fault, faults
from controller.table.parts import Raised
from controller.table.state import TableState
from drivers.ports import LinkState

HOLD: Final = "hold"
"""Name of the alarm by which play is stopped."""
FLOOR_ASKED: Final = "floor_asked"

_UNTOLD: Final = frozenset((LinkState.OPENING.value,))
_OF_SHOE: Final = frozenset(("shoe_stopped", "shoe_tampered"))
_DOWN: Final = "device_down"


def bears(before: TableState, after: TableState) -> bool:
    """Whether what made ``after`` of ``before`` can have raised or ended an alarm: asked of each event."""
    if before.hand is not after.hand and _held(before) != _held(after):
        return True
    if before.links is not after.links or before.shoe_errors is not after.shoe_errors or before.disk is not after.disk:
        return True
    if before.asked is not after.asked or before.locked is not after.locked or before.felt_ready is not after.felt_ready:
        return True
    if before.wall_clock is not after.wall_clock:
        return True
    if before.past is not after.past or before.equipment is not after.equipment:
        return True
    one, other = before.shoe, after.shoe
    return one is not other and (one.halted, one.fault, one.adopted) != (other.halted, other.fault, other.adopted)


def with_alarms(state: TableState) -> TableState:
    """``state`` with the alarms that stand in it. One that stood keeps its number, and who has seen it."""
    known = {(one.alarm, one.code): one for one in state.alarms}
    now = dict.fromkeys(_standing(state))
    kept = [one for key, one in known.items() if key not in now and _is_untold(state, one)]
    alarms = (*kept, *(known.get(key) or Raised(*key, state.seq) for key in now))
    return state if alarms == state.alarms else state._replace(alarms=alarms)


def _standing(state: TableState) -> list[tuple[str, str]]:
    """Names and codes of what stands."""
    found = [(fault.alarm, fault.code) for fault in faults(state)]
    found += [(asked_alarm(seat), FLOOR_ASKED) for seat in state.asked]
    code = _held(state)
    return [*found, (HOLD, code)] if code else found


def asked_alarm(seat: int) -> str:
    """Name of the alarm by which a seat asks for the floor."""
    return f"{FLOOR_ASKED}_{seat}"


def _held(state: TableState) -> str:
    """Code of what holds the open hand; empty for nothing."""
    hand = state.hand
    return "" if hand is None or hand.hold is None or hand.over else hand.hold.code


def _is_untold(state: TableState, one: Raised) -> bool:
    """Whether it stood before a start, and its device has not told since whether it still does."""
    if state.felt_ready or one.alarm == HOLD:  # a hold stands in the journal
        return False
    if one.code in _OF_SHOE:
        return state.shoe_tells and not state.shoe.adopted
    told = (key for key, link in state.links.items() if link not in _UNTOLD)
    return one.code == _DOWN and one.alarm not in {down_alarm(*key) for key in (*told, *state.past)}


def down_alarm(device: str, antenna: int = 0) -> str:
    """Name of the alarm of a device, or of one antenna of a line, that does not answer."""
    return Fault(_DOWN, 2, f"{device}/{antenna}" if antenna else device).alarm


def seen(state: TableState, event: AlarmAcknowledged) -> TableState:
    """It stands on, with who has seen it."""
    alarms = tuple(
        one._replace(by=event.by, role=event.role) if (one.alarm, one.raised_seq) == (event.alarm, event.raised_seq) else one
        for one in state.alarms
    )
    return state._replace(alarms=alarms)


def device_of(state: TableState, alarm: str) -> str | None:
    """The device that a standing alarm is of; ``None`` for one of no device, and for none."""
    if alarm != HOLD and any(one.alarm == alarm and one.code == _DOWN for one in state.alarms):
        return alarm.removeprefix(f"{_DOWN}_")
    return None
