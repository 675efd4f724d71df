"""What went wrong at a table and when it was right again, read from its journal: a report of each failure (REG-34).

Times are those of the records, as the table's clock told them. A start of the controller clears no fault of a device: it lasts
until the device answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from controller.journal.canonical import Body
from controller.journal.verify import Verification, verify_chain
from controller.table.events import ControllerStarted, Suspended
from controller.table.evolve import evolve
from controller.table.faults import faults
from controller.table.records import decode, table_codec
from controller.table.state import TableState, TableStatus
from drivers.ports import LinkState

DEVICE_DOWN: Final = ("fault", "device_down")
STARTED: Final = "started"
SUSPENDED: Final = "suspended"
TOGETHER_S: Final = 1.0
"""Within this time of its line's failure an antenna's is part of it."""

_What: TypeAlias = tuple[str, str, str]
"""Kind (``fault``, ``hold`` or ``stop``), code, and device or place."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure: ``kind`` ``fault`` (something was out of order), ``hold`` (the hand was stopped) or ``stop`` (the table was
    not live). ``where``: the device or place; ``hand``: that of its beginning, 0 for none; ``ended`` empty: it stands."""

    kind: str
    code: str
    where: str
    hand: int
    began_seq: int
    began: str
    ended_seq: int = 0
    ended: str = ""

    @property
    def seconds(self) -> float | None:
        """How long it lasted by the times of its records; ``None`` while it stands."""
        return (datetime.fromisoformat(self.ended) - datetime.fromisoformat(self.began)).total_seconds() if self.ended else None

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": self.kind,
            "code": self.code,
            "where": self.where or None,
            "hand": self.hand or None,
            "began": {"seq": self.began_seq, "at": self.began},
            "ended": {"seq": self.ended_seq, "at": self.ended} if self.ended else None,
            "seconds": self.seconds,
        }


class _Watch:
    def __init__(self) -> None:
        self.found: list[Failure] = []
        self._standing: dict[_What, int] = {}
        self._state = TableState()
        self._codec = table_codec()
        self._cause = ""

    def take(self, seq: int, body: Body) -> None:
        """The next record."""
        event = decode(self._codec, body, {})
        if isinstance(event, ControllerStarted):
            self._cause = STARTED
        elif isinstance(event, Suspended):
            self._cause = f"{SUSPENDED}_{event.cause}"
        self._state = evolve(self._state, event)
        at, now = str(body["at"]), self._now()
        for what in [what for what in self._standing if what not in now]:
            number = self._standing.pop(what)
            self.found[number] = replace(self.found[number], ended_seq=seq, ended=at)
        for what in sorted(now - self._standing.keys()):
            self._standing[what] = len(self.found)
            hand = self._state.hand_number if self._state.hand_open else 0
            self.found.append(Failure(*what, hand, seq, at))

    def _now(self) -> set[_What]:
        state = self._state
        now: set[_What] = {("fault", fault.code, fault.device) for fault in faults(state)}
        told = {name for name, link in state.links.items() if link != LinkState.OPENING.value}
        heard = {f"{device}/{antenna}" if antenna else device for device, antenna in told}
        now |= {what for what in self._standing if what[:2] == DEVICE_DOWN and what[2] not in heard}  # asked anew by a start
        if state.status in (TableStatus.RECOVERING, TableStatus.SUSPENDED) and self._cause:
            now.add(("stop", self._cause, ""))
        hold = state.hand.hold if state.hand is not None and state.hand_open else None
        if hold is not None:
            now.add(("hold", hold.code, "" if hold.place is None else str(hold.place)))
        return now


def failures(path: Path) -> tuple[tuple[Failure, ...], Verification]:
    """The failures in the order in which they began, and whether the chain of the journal in ``path``, a file or its folder,
    holds so far. Needs no key. ``FileNotFoundError`` when there is no journal."""
    watch = _Watch()
    found = verify_chain(path, watch.take)
    return tuple(failure for failure in watch.found if not _is_of_its_line(failure, watch.found)), found


def _is_of_its_line(failure: Failure, found: Sequence[Failure]) -> bool:
    """An antenna that goes with its line, and comes back with it, is no failure of its own."""
    line, slash, _ = failure.where.partition("/")
    if (failure.kind, failure.code) != DEVICE_DOWN or not slash:
        return False
    return any(
        (other.kind, other.code) == DEVICE_DOWN and other.where == line and _apart_s(other, failure) <= TOGETHER_S
        for other in found
    )


def _apart_s(line: Failure, antenna: Failure) -> float:
    """Seconds from the nearer end of the line's failure to the begin of the antenna's; 0 while the line is gone."""
    began = datetime.fromisoformat(antenna.began)
    before = (datetime.fromisoformat(line.began) - began).total_seconds()
    after = (began - datetime.fromisoformat(line.ended)).total_seconds() if line.ended else 0.0
    return max(before, after, 0.0)
