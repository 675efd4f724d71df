"""What is out of order at a table now, whether a hand is open or not: shown, published and kept until it is gone (REG-11)."""

from __future__ import annotations

from typing import Final, NamedTuple

from controller.table.machine_events import ClockTrust, DiskPace, DiskRoom
from controller.table.state import TableState
from drivers.ports import LinkState

_DEAD: Final = frozenset((LinkState.DOWN.value, LinkState.QUARANTINE.value))


class Fault(NamedTuple):
    """One fault. ``device`` is the name of a device, with ``/`` and its number that of one antenna of a line."""

    code: str
    priority: int
    """1 stops play, 2 cripples it, 3 is to know."""
    device: str = ""

    @property
    def alarm(self) -> str:
        """The name of its alarm."""
        return self.code if not self.device else f"{self.code}_{self.device.replace('/', '_')}"


def faults(state: TableState) -> tuple[Fault, ...]:
    """The faults that stand, but for what is wrong on the felt, which is a hold's. A device that is set aside is no fault."""
    found = [
        Fault("device_down", 2, f"{device}/{antenna}" if antenna else device)
        for (device, antenna), link in sorted(state.links.items())
        if link in _DEAD and (device, 0) not in state.past and (device, antenna) not in state.past
        if not antenna or state.links.get((device, 0)) not in _DEAD  # one line that is gone is one fault, not nineteen
    ]
    if state.shoe_tells:
        if state.shoe.halted:
            found.append(Fault("shoe_tampered" if state.shoe.fault == "tamper" else "shoe_stopped", 1))
        if state.shoe_errors:
            found.append(Fault("shoe_error", 2))
    if state.locked:
        found.append(Fault("program_changed", 1))
    if state.disk.room is not DiskRoom.ENOUGH:
        found.append(Fault("disk_full", 1) if state.disk.room is DiskRoom.GONE else Fault("disk_short", 2))
    if state.disk.pace in (DiskPace.LATE, DiskPace.STUCK):
        found.append(Fault("disk_late", 1 if state.disk.pace is DiskPace.STUCK else 2))
    elif state.disk.pace is DiskPace.SLOW:
        found.append(Fault("disk_slow", 3))
    if state.wall_clock.trust is ClockTrust.UNTRUSTED:
        found.append(Fault("clock_untrusted", 3))
    return tuple(found)
