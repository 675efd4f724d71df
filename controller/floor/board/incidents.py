"""The life of every alarm: new, acknowledged, shelved, cleared; when it calls a person, and what is left to be seen (screens §9).

Nothing here clears an alarm but its cause, or a named person where no cause can be seen to end. Acknowledging clears nothing, and
neither does a table or a floor that starts again (REG-13): what the store has stands until its table has told what stands.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from controller.floor.board.alarms import AT_ONCE, BRIDGE, BROKER, LOST, SILENT, STICKY, StandingAlarm, call_rank
from controller.floor.board.flood import SPAN, fold
from controller.floor.board.incident import MAX_TRAIL, Incident, IncidentId, Trail, TrailLine
from controller.floor.board.moment import Moment, told

CALLED_AFTER_S: Final = 10.0
"""What the dealer mends within this calls nobody; to be timed at a table."""
SHELF_MINUTES: Final = (15, 30)
MAX_SHELVED: Final = 5
"""Alarms that one person may have on the shelf."""
MAX_REASON: Final = 200
"""Characters of a reason."""
SHOWN_FOR: Final = timedelta(hours=1)
"""How long an alarm that is over and was seen stays on the page."""
MAX_LEFT: Final = 4096
"""Alarms that are over and were not seen which are remembered; older ones are in the store alone."""
MAX_OVER: Final = 256
MAX_SHOWN: Final = 100
"""Alarms that are over which pages are told of, those first that nobody has seen."""
MAX_TO_KEEP: Final = 20_000
"""Lines that wait for the store."""
MAX_CALLS: Final = 4096
_SAME_CAUSE: Final = timedelta(seconds=15)
"""Two floors notice the same thing within this."""


class AlarmRefused(Exception):  # noqa: N818
    """What a person asked for is not done. ``code`` is a key of ``floor.refused.``; ``values`` fill it."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass(frozen=True, slots=True)
class Heard:
    """What a table, or with an empty ``table`` the floor itself, says now. ``is_settled``: what it does not tell is over.
    ``is_known``: whether it lives was seen. ``is_gone``: its controller is, which silences what it said."""

    table: str
    alarms: tuple[StandingAlarm, ...]
    is_settled: bool = True
    is_known: bool = True
    is_gone: bool = False
    hand: int | None = None


class Incidents:
    """Every alarm that stands, and those that are over and were not seen. ``take`` gives what the store should keep."""

    def __init__(self) -> None:
        self._open: dict[str, Incident] = {}
        self._by_table: dict[str, dict[str, None]] = {}
        self._unseen: dict[IncidentId, Incident] = {}
        self._over: deque[Incident] = deque(maxlen=MAX_OVER)
        self._ended: set[str] = set()
        self._calls: deque[tuple[datetime, str]] = deque(maxlen=MAX_CALLS)
        self._changed: dict[IncidentId, Incident] = {}
        self._lines: deque[TrailLine] = deque(maxlen=MAX_TO_KEEP)
        self._entries: dict[IncidentId, set[str]] = {}
        self._is_restored = False
        self.moves = 0
        """Grows with whatever happens to an alarm."""
        self.called = 0
        """Alarms that have called a person, since the start."""

    @property
    def standing(self) -> tuple[Incident, ...]:
        """What stands and is not silenced."""
        return tuple(one for one in self._open.values() if not one.is_silenced)

    def counts(self) -> Mapping[tuple[int, str], int]:
        """How many alarms stand, by priority and by what was done about them: the first that holds of ``shelved``,
        ``acknowledged``, ``called``, ``raised``."""
        return Counter((one.alarm.priority, one.stage) for one in self.standing)

    def at_table(self, table: str) -> tuple[Incident, ...]:
        """What stands at ``table`` and is not silenced."""
        return tuple(one for key in self._by_table.get(table, ()) if not (one := self._open[key]).is_silenced)

    def of_table(self, table: str) -> tuple[StandingAlarm, ...]:
        """The alarms of ``at_table``."""
        return tuple(one.alarm for one in self.at_table(table))

    @property
    def is_busy(self) -> bool:
        """Whether another floor could have done anything to what is known here."""
        return bool(self._open or self._unseen)

    def end(self, key: str) -> None:
        """The table said that this alarm is over; it is at the next look, unless it is told anew."""
        if key in self._open:
            self._ended.add(key)

    def look(self, heard: Heard, now: Moment) -> None:
        """Take in what stands at one table."""
        standing = {alarm.key: alarm for alarm in heard.alarms}
        for alarm in standing.values():
            self._hear(alarm, heard, now)
        for key in [key for key in self._by_table.get(heard.table, ()) if key not in standing]:
            one = self._open[key]
            if key in self._ended or self._is_over(one, heard):
                self._clear(one, now.at)
            elif one.is_silenced != (heard.is_gone and not one.alarm.is_own):
                self._put(replace(one, is_silenced=heard.is_gone and not one.alarm.is_own), is_kept=False)
        self._ended = {key for key in self._ended if not key.startswith(f"{heard.table}/")}

    @staticmethod
    def _is_over(one: Incident, heard: Heard) -> bool:
        """Whether an alarm that is not told is over."""
        if one.alarm.code in (LOST, SILENT, BRIDGE, BROKER):
            return heard.is_known
        return one.alarm.code not in STICKY and (one.alarm.is_own or heard.is_settled)

    def _hear(self, alarm: StandingAlarm, heard: Heard, now: Moment) -> None:
        known = self._open.get(alarm.key)
        silenced = heard.is_gone and not alarm.is_own
        if known is not None and not _is_same(known.alarm, alarm):
            self._clear(known, now.at)
            known = None
        if known is None:
            one = Incident(alarm, now.s, heard.hand, is_silenced=silenced)
            self._add(one, one.line(Trail.RAISED, alarm.raised_at, hand=heard.hand))
            if alarm.acknowledged_by is not None:
                seen = one.seen_by(alarm.acknowledged_by, now.at)
                self._add(seen, seen.line(Trail.ACKNOWLEDGED, now.at, by=alarm.acknowledged_by))
            return
        by = known.acknowledged_by
        newest = replace(alarm, raised_at=known.alarm.raised_at, acknowledged_by=by)
        if (newest, False, silenced) != (known.alarm, known.is_restored, known.is_silenced):
            known = replace(known, alarm=newest, is_restored=False, is_silenced=silenced)
            self._put(known)
        if by is None and alarm.acknowledged_by is not None:
            self._acknowledge(known, alarm.acknowledged_by, now.at)
        if known.shelf is not None and alarm.priority == 1:
            self._end_shelf(known, now.at)

    def tick(self, now: Moment, known_tables: Collection[str], *, is_settled: bool) -> None:
        """Call for what has stood long enough, end shelves, forget what is long over. ``is_settled``: who has not been heard of
        by now is no longer at this venue, and nothing of it stands."""
        for one in tuple(self._open.values()):
            if _is_gone(one, known_tables) and is_settled:
                self._clear(one, now.at, code="table_gone")
            elif one.shelf is not None and one.shelf.until <= now.at:
                self._end_shelf(one, now.at)
            elif one.called_at is None and not one.is_silenced and _is_due(one, now):
                self._add(replace(one, called_at=now.at), one.line(Trail.CALLED, now.at, hand=one.hand))
                self._calls.append((now.at, one.alarm.table))
                self.called += 1
        while self._calls and now.at - self._calls[0][0] >= SPAN:
            self._calls.popleft()
            self.moves += 1
        while self._over and now.at - _left_at(self._over[0]) >= SHOWN_FOR:
            self._over.popleft()
            self.moves += 1

    def acknowledge(self, key: str, raised_at: datetime, by: str, now: Moment) -> Incident:
        """A named person has seen it, and with it what went before under the same name. ``AlarmRefused`` where it is another one
        by now, is over and was seen, or was acknowledged by somebody else."""
        one = self._open.get(key)
        if one is None or not _is_at(one, raised_at):
            left = next((left for left in self._unseen.values() if left.alarm.key == key and _is_at(left, raised_at)), None)
            if left is None:
                raise self._changed_meanwhile(key, one)
            return self._see(left, by, now.at)
        if one.acknowledged_by is not None and one.acknowledged_by != by:
            raise AlarmRefused("acknowledged", name=one.acknowledged_by)
        if one.acknowledged_by is None:
            self._acknowledge(one, by, now.at)
        return self._open[key]

    def shelve(self, key: str, raised_at: datetime, by: str, minutes: int, reason: str, now: Moment) -> Incident:
        """Set an alarm of priority 2 or 3 aside for 15 or 30 minutes; who does so has seen it."""
        one = self._standing(key, raised_at)
        words = " ".join(reason.split())
        if one.alarm.priority == 1:
            raise AlarmRefused("shelf_priority")
        if minutes not in SHELF_MINUTES:
            raise AlarmRefused("shelf_minutes", minutes=minutes)
        if not words or len(words) > MAX_REASON:
            raise AlarmRefused("shelf_reason", most=MAX_REASON)
        if one.shelf is not None:
            raise AlarmRefused("shelved", name=one.shelf.by)
        if sum(1 for other in self._open.values() if other.shelf is not None and other.shelf.by == by) >= MAX_SHELVED:
            raise AlarmRefused("shelf_full", most=MAX_SHELVED)
        if one.acknowledged_by is None:
            self._acknowledge(one, by, now.at)
        until = now.at + timedelta(minutes=minutes)
        line = one.line(Trail.SHELVED, now.at, by=by, reason=words, until=until)
        self._add(self._open[key].follows(line), line)
        return self._open[key]

    def unshelve(self, key: str, raised_at: datetime, by: str, now: Moment) -> Incident:
        """Take it from the shelf again."""
        one = self._standing(key, raised_at)
        if one.shelf is None:
            raise AlarmRefused("not_shelved")
        self._add(replace(one, shelf=None), one.line(Trail.UNSHELVED, now.at, by=by))
        return self._open[key]

    def clear(self, key: str, raised_at: datetime, by: str, reason: str, now: Moment) -> Incident:
        """Ended by a named person: for alarms alone whose cause nothing tells the end of."""
        one = self._standing(key, raised_at)
        words = " ".join(reason.split())
        if one.alarm.code not in STICKY:
            raise AlarmRefused("clears_itself")
        if not words or len(words) > MAX_REASON:
            raise AlarmRefused("shelf_reason", most=MAX_REASON)
        if one.acknowledged_by is None:
            self._acknowledge(one, by, now.at)
        return self._clear(self._open[key], now.at, by=by, reason=words)

    def ruled(self, table: str, at: datetime, code: str | None, hand: int | None, by: str | None = None) -> None:
        """A ruling at ``table``, ``by`` whom and with whose consent: a line of what stops play, and of what just ended by it."""
        standing = [self._open[key] for key in self._by_table.get(table, ()) if not self._open[key].alarm.is_own]
        left = [one for one in (*self._unseen.values(), *self._over) if one.alarm.table == table and _is_just_over(one, at)]
        stops = [one for one in (*standing, *left) if one.alarm.priority == 1]
        self._lines.extend(one.line(Trail.RULED, at, by=by, code=code, hand=hand) for one in stops)

    def restore(self, kept: Iterable[Incident], now: Moment) -> None:
        """What the store has and was not ended, or not seen, when the floor started; at later times what is here is newer."""
        if self._is_restored:
            return
        self._is_restored = True
        for one in kept:
            known = self._open.get(one.alarm.key)
            if one.cleared_at is not None:
                self._leave(one)
            elif known is None:
                self._put(replace(one, known_s=now.s, is_restored=True), is_kept=False)
            elif _is_same(one.alarm, known.alarm):
                self._drop(known.id)
                by = one.acknowledged_by or known.acknowledged_by
                alarm = replace(known.alarm, raised_at=one.alarm.raised_at, acknowledged_by=by)
                self._put(replace(one, alarm=alarm, known_s=known.known_s, is_silenced=known.is_silenced))
            else:
                self._clear(one, now.at)

    def follow(self, lines: Iterable[TrailLine]) -> None:
        """What other floors of this store wrote."""
        for line in sorted(lines, key=lambda one: one.at):
            one = self._named(line)
            if one is None or self._is_known(one, line):
                continue
            self._entries.setdefault(one.id, set()).add(line.entry)
            after = one.follows(line)
            if after == one:
                continue
            self.moves += 1
            if line.raised_at != one.alarm.raised_at:
                self._lines.append(replace(line, raised_at=one.alarm.raised_at))
            if one.cleared_at is not None:
                self._unseen.pop(one.id, None)
                self._entries.pop(one.id, None)
                self._over.append(after)
            elif after.cleared_at is not None:
                self._forget(one)
                self._leave(after)
            else:
                self._put(after, is_kept=False)

    def take(self) -> tuple[tuple[Incident, ...], tuple[TrailLine, ...]]:
        """What is to be kept since this was last asked. Nothing before ``restore``: its time may be another."""
        if not self._is_restored:
            return (), ()
        taken = self.waiting()
        self._changed.clear()
        self._lines.clear()
        return taken

    def waiting(self) -> tuple[tuple[Incident, ...], tuple[TrailLine, ...]]:
        """What was not taken; it stays."""
        return tuple(self._changed.values()), tuple(self._lines)

    def picture(self, now: datetime) -> Mapping[str, Any]:
        """What pages are told: docs/reference/floor-http.md."""
        standing = sorted(self.standing, key=lambda one: call_rank(one.alarm))
        active = [one for one in standing if one.shelf is None]
        times: dict[str, int] = {}
        for key, _ in self._unseen:
            times[key] = times.get(key, 0) + 1
        called = [one.alarm for one in active if one.called_at is not None]
        shown = {one.alarm.key for one in standing}
        newest = {one.alarm.key: one for one in self._unseen.values() if one.alarm.key not in shown}
        unseen = sorted(newest.values(), key=lambda one: call_rank(one.alarm))
        over = [*unseen, *reversed(self._over)]
        return {
            "alarms": {one.alarm.key: one.as_json(1 + times.get(one.alarm.key, 0)) for one in standing},
            "alarm_order": [one.alarm.key for one in active],
            "alarm_folds": [one.as_json() for one in fold(called, self._calls, now)],
            "shelved": [one.alarm.key for one in standing if one.shelf is not None],
            "unseen": len(unseen),
            "cleared": [one.as_json(times.get(one.alarm.key, 1) if one.is_unseen else 1) for one in over[:MAX_SHOWN]],
        }

    def named(self, key: str) -> Incident | None:
        """What stands under that id; else the newest that was not seen."""
        return self._open.get(key) or next((one for one in reversed(self._unseen.values()) if one.alarm.key == key), None)

    def _standing(self, key: str, raised_at: datetime) -> Incident:
        one = self._open.get(key)
        if one is None or not _is_at(one, raised_at):
            raise self._changed_meanwhile(key, one)
        return one

    def _changed_meanwhile(self, key: str, standing: Incident | None) -> AlarmRefused:
        """Why what a person pointed at is not there."""
        if standing is not None:
            return AlarmRefused("raised_anew")
        known = any(one.alarm.key == key for one in (*self._unseen.values(), *self._over))
        return AlarmRefused("over" if known else "unknown")

    def _named(self, line: TrailLine) -> Incident | None:
        """The incident of a line. What floors find themselves each of them finds at a time of its own."""
        one = self._open.get(line.id.key)
        if one is not None:
            near = one.alarm.is_own and abs(one.alarm.raised_at - line.raised_at) <= _SAME_CAUSE
            if near or one.alarm.raised_at == line.raised_at:
                return one
        return self._unseen.get(line.id)

    def _is_known(self, one: Incident, line: TrailLine) -> bool:
        """Whether a line says nothing new. Of two acknowledgements the one that the store has is true."""
        if line.what is Trail.ACKNOWLEDGED and line.id == one.id and one.acknowledged_by != line.by:
            return False
        return line.entry in self._entries.get(one.id, ())

    def _acknowledge(self, one: Incident, by: str, at: datetime) -> None:
        self._add(one.seen_by(by, at), one.line(Trail.ACKNOWLEDGED, at, by=by, hand=one.hand))
        for left in [left for left in self._unseen.values() if left.alarm.key == one.alarm.key]:
            self._see(left, by, at)

    def _see(self, left: Incident, by: str, at: datetime) -> Incident:
        """Somebody has seen what is over."""
        del self._unseen[left.id]
        seen = left.seen_by(by, at)
        self._over.append(seen)
        self._keep(seen)
        self._note(seen.line(Trail.ACKNOWLEDGED, at, by=by, hand=left.hand))
        self._entries.pop(seen.id, None)
        return seen

    def _end_shelf(self, one: Incident, at: datetime) -> None:
        if one.shelf is not None:
            line = one.line(Trail.SHELF_ENDED, at, by=one.shelf.by)
            self._add(one.follows(line), line)

    def _clear(self, one: Incident, at: datetime, **more: Any) -> Incident:
        """It is over: out of what stands, and among what is to be seen where it called and nobody has seen it."""
        self._forget(one)
        over = replace(one, shelf=None, cleared_at=at, cleared_by=more.get("by"), is_restored=False)
        self._keep(over)
        self._note(over.line(Trail.CLEARED, at, hand=one.hand, **more))
        self._leave(over)
        return over

    def _leave(self, over: Incident) -> None:
        self.moves += 1
        if over.is_unseen:
            self._unseen[over.id] = over
            if len(self._unseen) > MAX_LEFT:
                oldest = next(iter(self._unseen))
                del self._unseen[oldest]
                self._entries.pop(oldest, None)
        elif over.called_at is not None:
            self._over.append(over)
        if not over.is_unseen:
            self._entries.pop(over.id, None)

    def _add(self, one: Incident, line: TrailLine) -> None:
        self._put(one)
        self._note(line)

    def _put(self, one: Incident, *, is_kept: bool = True) -> None:
        self.moves += 1
        self._open[one.alarm.key] = one
        self._by_table.setdefault(one.alarm.table, {})[one.alarm.key] = None
        if is_kept:
            self._keep(one)

    def _keep(self, one: Incident) -> None:
        self._changed[one.id] = one
        if len(self._changed) > MAX_TO_KEEP:
            del self._changed[next(iter(self._changed))]

    def _note(self, line: TrailLine) -> None:
        entries = self._entries.setdefault(line.id, set())
        if len(entries) < MAX_TRAIL or line.what in (Trail.ACKNOWLEDGED, Trail.CLEARED):
            entries.add(line.entry)
            self._lines.append(line)

    def _forget(self, one: Incident) -> None:
        self._open.pop(one.alarm.key, None)
        self._by_table.get(one.alarm.table, {}).pop(one.alarm.key, None)

    def _drop(self, gone: IncidentId) -> None:
        """Nothing is kept under that name: the incident has an older one."""
        self._changed.pop(gone, None)
        self._entries.pop(gone, None)
        self._lines = deque((line for line in self._lines if line.id != gone), MAX_TO_KEEP)


def _is_gone(one: Incident, known_tables: Collection[str]) -> bool:
    """Whether it was left by a table of which nothing is heard any more. What a named person alone ends waits for one."""
    if not one.is_restored or one.alarm.code in STICKY:
        return False
    return bool(one.alarm.table) and one.alarm.table not in known_tables


def _is_same(known: StandingAlarm, heard: StandingAlarm) -> bool:
    """Whether ``heard`` is what stood before, be it told by a controller that was started again."""
    if known.code != heard.code:
        return False
    return known.is_own or known.epoch != heard.epoch or known.told_at == heard.told_at


def _is_due(one: Incident, now: Moment) -> bool:
    """Whether it calls by now: by this floor's own count, or by the table's time where the floor came later."""
    if one.alarm.is_own or one.alarm.code in AT_ONCE:
        return True
    return now.s - one.known_s >= CALLED_AFTER_S or now.at - one.alarm.raised_at >= timedelta(seconds=CALLED_AFTER_S)


def _is_just_over(one: Incident, at: datetime) -> bool:
    return one.cleared_at is not None and not one.alarm.is_own and abs(at - one.cleared_at) <= timedelta(seconds=2)


def _is_at(one: Incident, raised_at: datetime) -> bool:
    """Whether it was raised at a time as pages are told it, in milliseconds."""
    return told(one.alarm.raised_at) == told(raised_at)


def _left_at(over: Incident) -> datetime:
    """When nothing more was to be done about it."""
    return max(at for at in (over.alarm.raised_at, over.cleared_at, over.acknowledged_at) if at is not None)
