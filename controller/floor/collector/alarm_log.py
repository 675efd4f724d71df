"""What changed among the alarms that stand, for the store."""

from __future__ import annotations

from collections.abc import Iterable

from controller.floor.board.alarms import StandingAlarm
from controller.floor.board.moment import Moment
from controller.floor.store.rows import KeptAlarm


class AlarmLog:
    """The alarms as they were noted last."""

    def __init__(self) -> None:
        self._known: dict[str, StandingAlarm] = {}

    def remember(self, alarms: Iterable[StandingAlarm]) -> None:
        """Alarms that an earlier process of the floor has left without an end; what is known better stays."""
        self._known = {alarm.key: alarm for alarm in alarms} | self._known

    def note(self, standing: Iterable[StandingAlarm], now: Moment) -> tuple[KeptAlarm, ...]:
        """What is to be written now that these stand: raised, told otherwise, ended."""
        now_known = {alarm.key: alarm for alarm in standing}
        before, self._known = self._known, now_known
        ended = [
            KeptAlarm(alarm, now.at)
            for key, alarm in before.items()
            if key not in now_known or now_known[key].raised_at != alarm.raised_at
        ]
        return (*ended, *(KeptAlarm(alarm) for key, alarm in now_known.items() if before.get(key) != alarm))
