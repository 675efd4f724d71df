"""Every table of the venue: what is heard goes in, a picture and what has changed of it come out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from controller.floor.board.alarms import BROKER, STICKY, STORE, WEBHOOK, StandingAlarm, in_order, natural, of_floor
from controller.floor.board.incident import Incident, Trail, TrailLine
from controller.floor.board.incidents import Heard, Incidents
from controller.floor.board.liveness import Liveness
from controller.floor.board.moment import Moment, told
from controller.floor.board.table import FloorTable, State
from controller.mqtt.payloads import Alarm, Device, PublicEvent, PublicView, StatusPayload

MAX_TABLES: Final = 4096
"""Tables of one venue; names beyond them are passed over, so that a stranger at the broker cannot fill the memory."""
PACE_EVERY_S: Final = 1.0
"""How often what changes without an event is looked at: the pace of every table, and what is long over."""
SETTLED_S: Final = 10.0
"""How long after a connection a table that the broker knows nothing of is waited for."""
MAX_PEOPLE: Final = 64
"""Characters of the names of who ruled that a trail keeps."""
_ENDED: Final = ("hand_ended", "hand_voided")
_RANK: Final = {state: rank for rank, state in enumerate((State.STOPPED, State.AWAY, State.PAUSED, State.OPEN, State.GOING))}
_CLOSED_RANK: Final = len(_RANK)


class Board:
    """All tables of ``venue``, which stand in ``pits``. Nothing here waits, asks or reads a clock: calls are told ``now``.

    ``changes`` gives what is another since it was asked last, under a number that grows by one.
    """

    def __init__(self, venue: str, pits: Mapping[str, Sequence[str]] | None = None) -> None:
        self.venue = venue
        self._pits = {pit: list(tables) for pit, tables in (pits or {}).items()}
        self._tables: dict[str, FloorTable] = {}
        self._touched: set[str] = set()
        self._listening_s: float | None = None
        self._own: dict[str, StandingAlarm] = {}
        self._seq = 0
        self._tiles: dict[str, Mapping[str, Any]] = {}
        self.incidents = Incidents()
        self._told_moves = -1
        self._rest: Mapping[str, Any] = {"alarms": {}}
        self._moved = True
        self._paced_s = 0.0
        self._aged_s = 0.0
        self._turn = 0

    @property
    def seq(self) -> int:
        """Number of the newest picture."""
        return self._seq

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table that was ever heard of, in natural order."""
        return tuple(sorted(self._tables, key=natural))

    def hear_status(self, table: str, heard: StatusPayload, now: Moment, *, is_kept: bool = False) -> None:
        """``status`` of a table; ``is_kept``: the broker had it from before."""
        if (one := self._table(table)) is not None and one.hear_status(heard, now, is_kept=is_kept):
            self._touched.add(table)

    def hear_public(self, table: str, heard: PublicView, now: Moment, *, is_kept: bool = False) -> None:
        """``public`` of a table."""
        if (one := self._table(table)) is not None and one.hear_public(heard, now, is_kept=is_kept):
            self._touched.add(table)

    def hear_alarm(self, table: str, name: str, heard: Alarm | None) -> None:
        """``alarms/<name>`` of a table; ``None``: it is over."""
        if (one := self._table(table)) is not None and one.hear_alarm(name, heard):
            self._touched.add(table)
        if heard is None:
            self.incidents.end(f"{table}/{name}")
            if table in self._tables:
                self._touched.add(table)

    def hear_device(self, table: str, name: str, heard: Device | None) -> None:
        """``devices/<name>`` of a table; ``None``: it is no longer there."""
        if (one := self._table(table)) is not None:
            one.hear_device(name, heard)

    def hear_bridge(self, table: str, now: Moment, *, is_up: bool) -> None:
        """``bridge`` of a table: whether its broker is bridged to the venue's."""
        if (one := self._table(table)) is not None:
            one.hear_bridge(now, is_up=is_up)

    def hear_event(self, table: str, heard: PublicEvent) -> None:
        """A public event, each once and in order."""
        if (one := self._table(table)) is None:
            return
        one.recent.hear(heard)
        if heard.event == "ruled":
            self.incidents.ruled(table, heard.at, heard.code, heard.hand, _by(heard))
        if heard.event in _ENDED:
            one.pace.ended(heard.at)
            self._touched.add(table)

    def note_kept(self, table: str, journal: str, seq: int, verified: int | None = None) -> None:
        """The store has everything of that journal up to ``seq``, and its chain was proven up to ``verified``."""
        if (one := self._table(table)) is not None:
            one.keep(journal, seq, verified)

    def remember_hands(self, table: str, ends: Iterable[datetime]) -> None:
        """When hands of the last hour ended, as the store has them."""
        if (one := self._table(table)) is not None:
            one.pace.remember(ends)
            self._touched.add(table)

    def listen(self, now: Moment, *, connected: bool) -> None:
        """The broker is there, or is gone: one alarm for all tables (screens §9)."""
        if connected and self._listening_s is None:
            self._listening_s = now.s
            for table in self._tables.values():
                table.listen_anew()
        elif not connected:
            self._listening_s = None
        self._set_own(BROKER, None if connected else now.at)

    def keep(self, now: Moment, *, stored: bool) -> None:
        """The store takes what is told, or does not."""
        self._set_own(STORE, None if stored else now.at)

    def reach(self, now: Moment, *, reached: bool) -> None:
        """Every other program that is told of alarms takes what it is sent, or one does not."""
        self._set_own(WEBHOOK, None if reached else now.at)

    def doubt(self, table: str, code: str, at: datetime | None, **named: str | int) -> None:
        """The floor's own alarm about one table's copy, or with ``None`` its end; codes of ``controller.floor.board.alarms``,
        which also say what may be ``named``."""
        if (one := self._table(table)) is not None and one.set_own(code, at, **named):
            self._touched.add(table)

    def restore(self, kept: Iterable[Incident], now: Moment) -> None:
        """What the store has of alarms, when the floor starts. What is wrong with a copy is remembered at its table too."""
        self.incidents.restore(kept, now)
        for table in self._tables.values():
            self._remember_doubts(table)

    def follow(self, lines: Iterable[TrailLine]) -> None:
        """What other floors of this store did about alarms."""
        lines = tuple(lines)
        self.incidents.follow(lines)
        for line in lines:
            if line.what is Trail.CLEARED and line.by is not None:
                self._forget_doubt(line.table, line.alarm, line.raised_at)

    def clear(self, key: str, raised_at: datetime, by: str, reason: str, now: Moment) -> Incident:
        """A named person ends an alarm whose end nothing tells; see ``Incidents.clear``."""
        over = self.incidents.clear(key, raised_at, by, reason, now)
        self._forget_doubt(over.alarm.table, over.alarm.alarm, raised_at)
        return over

    def _forget_doubt(self, table: str, code: str, raised_at: datetime) -> None:
        one = self._tables.get(table)
        if one is not None and code in STICKY and one.doubted_at(code) == raised_at and one.set_own(code, None):
            self._touched.add(table)

    def _remember_doubts(self, table: FloorTable) -> None:
        for one in self.incidents.at_table(table.name):
            if one.alarm.code in STICKY:
                table.set_own(one.alarm.code, one.alarm.raised_at)

    def changes(self, now: Moment) -> Mapping[str, Any] | None:
        """What is another than when this was last asked: see docs/reference/floor-http.md. ``None``: nothing."""
        for name, table in self._tables.items():
            if table.look(now, self._listening_s):
                self._touched.add(name)
        self._pace(now)
        self._look(now)
        tiles = {name: different for name in sorted(self._touched) if (different := self._retile(name, now))}
        moved = self._moved or self.incidents.moves != self._told_moves
        self._told_moves = self.incidents.moves
        rest = self._remainder(now) if self._touched or moved else self._rest
        self._touched.clear()
        self._moved = False
        alarms = {key: rest["alarms"].get(key) for key in _different(self._rest["alarms"], rest["alarms"])}
        changed = {key: value for key, value in rest.items() if key != "alarms" and self._rest.get(key) != value}
        self._rest = rest
        if not tiles and not alarms and not changed:
            return None
        self._seq += 1
        parts = {"tables": tiles, "alarms": alarms}
        return {"seq": self._seq, "now": told(now.at), **{key: part for key, part in parts.items() if part}, **changed}

    def _pace(self, now: Moment) -> None:
        """Look at what time alone has changed: once in ``PACE_EVERY_S`` at each table, so that no call waits for all."""
        names = list(self._tables)
        due = math.ceil(len(names) * (now.s - self._paced_s) / PACE_EVERY_S)
        self._paced_s = now.s
        for _ in range(min(due, len(names))):
            self._turn = (self._turn + 1) % len(names)
            if self._moves_by_itself(self._tables[names[self._turn]], now):
                self._touched.add(names[self._turn])
        if now.s - self._aged_s >= PACE_EVERY_S:
            self._aged_s = now.s
            self._moved = True

    def _moves_by_itself(self, table: FloorTable, now: Moment) -> bool:
        """Whether time alone may make another tile: by the table's pace, or by what stands there."""
        tile = self._tiles.get(table.name)
        paced = tile is None or tile["pace"] != table.pace.hands_an_hour(now.at)
        return paced or bool(self.incidents.at_table(table.name))

    def _look(self, now: Moment) -> None:
        """Take in what stands now, and call for what has stood long enough."""
        for name in sorted(self._touched):
            self.incidents.look(self._tables[name].heard(now), now)
        is_known = self._listening_s is not None or BROKER in self._own
        self.incidents.look(Heard("", tuple(self._own.values()), is_known=is_known), now)
        is_settled = self._listening_s is not None and now.s - self._listening_s >= SETTLED_S
        self.incidents.tick(now, self._tables.keys(), is_settled=is_settled)

    def _retile(self, name: str, now: Moment) -> dict[str, Any]:
        """Draw one tile anew; what is another on it."""
        before, after = self._tiles.get(name), self._tables[name].tile(now, self.incidents.of_table(name))
        self._tiles[name] = after
        return {key: value for key, value in after.items() if before is None or before[key] != value}

    def picture(self, now: Moment) -> Mapping[str, Any]:
        """All of it as the changes so far have made it; ask ``changes`` before."""
        return {
            "seq": self._seq,
            "now": told(now.at),
            "venue": self.venue,
            "pits": self._pits,
            "tables": self._tiles,
            **self._rest,
        }

    @property
    def states(self) -> Mapping[tuple[str, str], int]:
        """How many tables there are by what goes on there, and by whether they are heard."""
        return Counter((table.state.value, table.liveness.value) for table in self._tables.values())

    @property
    def standing(self) -> tuple[StandingAlarm, ...]:
        """Every alarm that stands, of the tables and of the floor."""
        return tuple(one.alarm for one in self.incidents.standing)

    def detail(self, table: str, now: Moment) -> Mapping[str, Any] | None:
        """What a table's own page shows; ``None`` when nobody knows the table."""
        one = self._tables.get(table)
        if one is None:
            return None
        heard = {"broker": {"connected": self._listening_s is not None}, "store": {"stored": STORE not in self._own}}
        return {"now": told(now.at), "venue": self.venue, **heard, **one.detail(now, self.incidents.at_table(table))}

    def stamp(self, table: str, now: Moment) -> object:
        """What is another whenever ``detail`` may be, at the least once a second: cheap to compare."""
        one = self._tables.get(table)
        if one is None:
            return None
        floor = (self.incidents.moves, self._listening_s is None, STORE in self._own)
        return one.moves, one.liveness, int(now.s), floor

    def _remainder(self, now: Moment) -> Mapping[str, Any]:
        """Alarms in their order, tables in theirs, and the numbers of the heading."""
        standing = {name: in_order(self.incidents.of_table(name)) for name in self._tables}
        order = sorted(self._tables.values(), key=lambda table: attention(table, standing[table.name]))
        states = Counter(table.state.value for table in self._tables.values())
        players = sum(tile["players"] for name, tile in self._tiles.items() if self._tables[name].state is not State.CLOSED)
        return {
            **self.incidents.picture(now.at),
            "attention": [table.name for table in order],
            "totals": {**{state.value: states[state.value] for state in State}, "players": players},
            "broker": {"connected": self._listening_s is not None},
            "store": {"stored": STORE not in self._own},
        }

    def _set_own(self, code: str, at: datetime | None) -> None:
        self._moved = True
        if at is None:
            self._own.pop(code, None)
        elif code not in self._own:
            self._own[code] = of_floor("", code, at)

    def _table(self, name: str) -> FloorTable | None:
        found = self._tables.get(name)
        if found is None and len(self._tables) < MAX_TABLES:
            found = self._tables[name] = FloorTable(name)
            self._remember_doubts(found)
            self._touched.add(name)
        if found is not None:
            found.moves += 1
        return found


def attention(table: FloorTable, standing: Iterable[StandingAlarm]) -> tuple[Any, ...]:
    """Sort key of *attention first*: by the alarm that comes first at the table, then by what goes on there, then by name."""
    worst = next(iter(standing), None)
    rank = _CLOSED_RANK if table.liveness is Liveness.OFFLINE else _RANK[table.state]
    if worst is None:
        return True, 0, False, rank, natural(table.name)
    return False, worst.priority, worst.acknowledged_by is not None, worst.raised_at, natural(table.name)


def _different(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Keys whose values are not the same on both sides, in a fixed order."""
    return [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]


def _by(ruled: PublicEvent) -> str | None:
    """Who ruled, and who agreed; ``None`` where the table names nobody."""
    people = () if ruled.ruling is None else (ruled.ruling.by, ruled.ruling.agreed_by)
    return ", ".join(name for name in people if name)[:MAX_PEOPLE] or None
