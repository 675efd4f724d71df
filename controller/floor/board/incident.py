"""One alarm from its beginning to its end, and the lines of its trail (screens §9, REG-13, REG-34)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, Final, NamedTuple

from controller.floor.board.alarms import StandingAlarm
from controller.floor.board.moment import told

MAX_TRAIL: Final = 64
"""Lines of one incident that are kept; a person has had it in his hands often enough by then."""


class IncidentId(NamedTuple):
    """``key`` is ``<table>/<alarm>``; the same alarm that is raised again is another incident."""

    key: str
    raised_at: datetime


class Trail(Enum):
    """What a line of the trail says."""

    RAISED = "raised"
    CALLED = "called"
    ACKNOWLEDGED = "acknowledged"
    SHELVED = "shelved"
    UNSHELVED = "unshelved"
    SHELF_ENDED = "shelf_ended"
    RULED = "ruled"
    CLEARED = "cleared"


STAGES: Final = ("raised", "called", "acknowledged", "shelved")
"""How far persons have come with an alarm that stands."""
_ONCE: Final = frozenset((Trail.RAISED, Trail.CALLED, Trail.ACKNOWLEDGED, Trail.CLEARED))
"""What happens to an incident once: of two floors that tell it, the first one's line is kept."""


@dataclass(frozen=True, slots=True)
class TrailLine:
    """One line. ``by``: the person; ``reason`` and ``until`` of a shelf; ``code`` of a ruling or of an end that nobody saw."""

    table: str
    alarm: str
    raised_at: datetime
    what: Trail
    at: datetime
    by: str | None = None
    reason: str | None = None
    until: datetime | None = None
    code: str | None = None
    hand: int | None = None

    @property
    def id(self) -> IncidentId:
        """Whose line it is."""
        return IncidentId(f"{self.table}/{self.alarm}", self.raised_at)

    @property
    def entry(self) -> str:
        """Its name within the incident, the same whoever writes it."""
        return self.what.value if self.what in _ONCE else f"{self.what.value} {told(self.at)}"

    def as_json(self) -> dict[str, Any]:
        """As the history tells it; what does not belong to the line is left out."""
        said = {
            "by": self.by,
            "reason": self.reason,
            "until": self.until and told(self.until),
            "code": self.code,
            "hand": self.hand,
        }
        return {"what": self.what.value, "at": told(self.at), **{key: value for key, value in said.items() if value is not None}}


@dataclass(frozen=True, slots=True)
class Shelf:
    """Set aside by a person for a time, with the reason in his words."""

    by: str
    at: datetime
    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Incident:
    """An alarm as it was told last, under the time at which it was raised first, and what persons did about it.

    ``known_s``: since when this floor knows it, monotonic. ``is_restored``: the store has it and its table has not spoken yet.
    ``is_silenced``: its table is gone, which is the one alarm that calls. ``hand``: during which it was raised.
    """

    alarm: StandingAlarm
    known_s: float = 0.0
    hand: int | None = None
    called_at: datetime | None = None
    acknowledged_at: datetime | None = None
    shelf: Shelf | None = None
    shelf_ended_at: datetime | None = None
    cleared_at: datetime | None = None
    cleared_by: str | None = None
    is_restored: bool = False
    is_silenced: bool = False

    @property
    def id(self) -> IncidentId:
        """Its name on the floor."""
        return IncidentId(self.alarm.key, self.alarm.raised_at)

    @property
    def acknowledged_by(self) -> str | None:
        """The person who has seen it."""
        return self.alarm.acknowledged_by

    @property
    def stage(self) -> str:
        """What was done about it while it stands: one of ``STAGES``."""
        if self.shelf is not None:
            return "shelved"
        if self.acknowledged_by is not None:
            return "acknowledged"
        return "raised" if self.called_at is None else "called"

    @property
    def is_unseen(self) -> bool:
        """It called a person, is over, and nobody has seen it."""
        return self.cleared_at is not None and self.called_at is not None and self.acknowledged_by is None

    def line(self, what: Trail, at: datetime, **more: Any) -> TrailLine:
        """A line of its trail."""
        return TrailLine(self.alarm.table, self.alarm.alarm, self.alarm.raised_at, what, at, **more)

    def seen_by(self, person: str, at: datetime) -> Incident:
        """Acknowledged, which ends nothing."""
        return replace(self, alarm=replace(self.alarm, acknowledged_by=person), acknowledged_at=at)

    def follows(self, line: TrailLine) -> Incident:
        """As a line that somebody else wrote leaves it."""
        match line.what:
            case Trail.ACKNOWLEDGED if line.by is not None:
                return self.seen_by(line.by, line.at)
            case Trail.SHELVED if line.by is not None and line.until is not None:
                return replace(self, shelf=Shelf(line.by, line.at, line.until, line.reason or ""), shelf_ended_at=None)
            case Trail.UNSHELVED:
                return replace(self, shelf=None)
            case Trail.SHELF_ENDED:
                return replace(self, shelf=None, shelf_ended_at=line.at)
            case Trail.CLEARED if line.by is not None:
                return replace(self, shelf=None, cleared_at=line.at, cleared_by=line.by)
            case _:
                return self

    def as_json(self, times: int = 1) -> dict[str, Any]:
        """As pages are told it; ``times``: it and those before it that nobody has seen."""
        shelf = self.shelf
        return {
            **self.alarm.as_json(),
            "hand": self.hand,
            "called_at": self.called_at and told(self.called_at),
            "acknowledged_at": self.acknowledged_at and told(self.acknowledged_at),
            "shelved": shelf and {"by": shelf.by, "at": told(shelf.at), "until": told(shelf.until), "reason": shelf.reason},
            "shelf_ended_at": self.shelf_ended_at and told(self.shelf_ended_at),
            "cleared_at": self.cleared_at and told(self.cleared_at),
            "cleared_by": self.cleared_by,
            "times": times,
        }
