"""One table as the floor knows it, from its retained topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Final

from controller.floor.board.alarms import (
    BRIDGE,
    COPY_AHEAD,
    COPY_DIFFERS,
    COPY_HOLE,
    LOST,
    SILENT,
    StandingAlarm,
    call_rank,
    of_floor,
    of_table,
)
from controller.floor.board.incident import Incident
from controller.floor.board.incidents import Heard
from controller.floor.board.liveness import Liveness, liveness_of
from controller.floor.board.moment import Moment, told
from controller.floor.board.pace import Pace
from controller.floor.board.recent import Recent
from controller.mqtt.payloads import Alarm, Device, Payload, PublicView, SeatState, StatusPayload, TableStatus

MAX_ALARMS: Final = 64
"""Alarms of one table that are kept; a table has no such number of parts."""
MAX_DEVICES: Final = 64
SETTLE_S: Final = 3.0
"""How long after a table is heard again what it has not told anew still stands: it tells everything within two seconds."""
PLAYERS_FOR_A_HAND: Final = 2
_DOUBTS: Final = (COPY_DIFFERS, COPY_AHEAD, COPY_HOLE)


class State(Enum):
    """What goes on at a table, for its tile and the heading. ``away``: lost, silent or not heard yet."""

    STOPPED = "stopped"
    GOING = "going"
    PAUSED = "paused"
    OPEN = "open"
    AWAY = "away"
    CLOSED = "closed"


class FloorTable:
    """Status, public view, devices and alarms of one table, each the newest one.

    A payload of a smaller epoch than the largest heard is dropped, and within an epoch a view of a smaller ``seq``: those are of
    a controller that was replaced, or came late.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.pace = Pace()
        self.recent = Recent()
        self.moves = 0
        """Grows with whatever is heard of the table."""
        self.status: StatusPayload | None = None
        self.public: PublicView | None = None
        self._is_ahead = False
        """The view is of a record that the table's journal has not come to: it is no view of the table's, and the next one is."""
        self._players = 0
        self.devices: dict[str, Device] = {}
        self._alarms: dict[str, Alarm] = {}
        self._own: dict[str, StandingAlarm] = {}
        self._kept: tuple[str, int, int | None] | None = None
        self._epoch = 0
        self._heard: Moment | None = None
        self._is_cut = False
        self._mended_s = 0.0
        self._settles_s: float | None = None
        self._unconfirmed: set[tuple[str, str]] = set()
        self._liveness = Liveness.UNKNOWN
        self._since: datetime | None = None
        self._dealer_since: datetime | None = None

    def hear_status(self, heard: StatusPayload, now: Moment, *, is_kept: bool) -> bool:
        """A status; ``is_kept``: the broker had it from before, so that it is no sign of life. True: the tile is another."""
        if heard.epoch < self._epoch:
            return False
        self._new_epoch(heard)
        before, self.status = self.status, heard
        self._is_ahead = self.public is not None and not is_kept and _is_older(heard, self.public)
        if not is_kept and heard.status is not TableStatus.LOST:
            self._hear(now)
        if heard.dealer != (None if before is None else before.dealer):
            self._dealer_since = None if heard.dealer is None else now.at
        return before is None or _shown(before) != _shown(heard)

    def hear_public(self, heard: PublicView, now: Moment, *, is_kept: bool) -> bool:
        """A public view. False: it was dropped."""
        if heard.epoch < self._epoch or (self.public is not None and not self._is_ahead and _is_older(heard, self.public)):
            return False
        self._new_epoch(heard)
        self.public = heard
        self._is_ahead = False
        self._players = sum(seat.state not in (SeatState.EMPTY, SeatState.GHOST) for seat in heard.seats)
        if not is_kept:
            self._hear(now)
        return True

    def hear_alarm(self, name: str, heard: Alarm | None) -> bool:
        """An alarm, or with ``None`` its end. False: it was dropped."""
        self._unconfirmed.discard(("alarm", name))
        if heard is None:
            return self._alarms.pop(name, None) is not None
        if heard.epoch < self._epoch or (name not in self._alarms and len(self._alarms) >= MAX_ALARMS):
            return False
        self._alarms[name] = heard
        return True

    def hear_device(self, name: str, heard: Device | None) -> bool:
        """A device, or with ``None`` that it is no longer there. False: it was dropped."""
        self._unconfirmed.discard(("device", name))
        if heard is None:
            return self.devices.pop(name, None) is not None
        if heard.epoch < self._epoch or (name not in self.devices and len(self.devices) >= MAX_DEVICES):
            return False
        self.devices[name] = heard
        return True

    def hear_bridge(self, now: Moment, *, is_up: bool) -> None:
        """The table's broker is bridged to the venue's, or is not: then nothing can be heard, and the table plays on."""
        if is_up and self._is_cut:
            self._mended_s = now.s
        self._is_cut = not is_up

    def set_own(self, code: str, at: datetime | None, **named: str | int) -> bool:
        """The floor's own alarm ``code`` stands since ``at``, or with ``None`` no longer. False: nothing is new."""
        if at is None:
            return self._own.pop(code, None) is not None
        if code in self._own:
            return False
        self._own[code] = of_floor(self.name, code, at, **named)
        return True

    def doubted_at(self, code: str) -> datetime | None:
        """Since when the floor's own alarm ``code`` stands."""
        one = self._own.get(code)
        return None if one is None else one.raised_at

    def listen_anew(self) -> None:
        """A new connection to the broker: what ended while there was none is not told, so everything must be told again."""
        self._settles_s = None
        self._unconfirmed = {*(("alarm", name) for name in self._alarms), *(("device", name) for name in self.devices)}

    def look(self, now: Moment, listening_since_s: float | None) -> bool:
        """How alive the table is at ``now``; ``None`` while the broker is away, when no table can be blamed. True: it changed."""
        status = None if self.status is None else self.status.status
        heard_s = None if self._heard is None else self._heard.s
        found = self._liveness
        if listening_since_s is not None:
            found = liveness_of(status, heard_s, max(listening_since_s, self._mended_s), now.s)
        elif self._liveness is Liveness.ONLINE and heard_s is not None:
            found = liveness_of(status, heard_s, heard_s, now.s)
        changed = found is not self._liveness
        if changed or self._since is None:
            self._liveness, self._since = found, now.at
        changed |= self._settle(now)
        changed |= self.set_own(LOST, now.at if found is Liveness.LOST else None)
        blamed = found is Liveness.SILENT and listening_since_s is not None
        changed |= self.set_own(BRIDGE, now.at if blamed and self._is_cut else None)
        return self.set_own(SILENT, now.at if blamed and not self._is_cut else None) or changed

    @property
    def liveness(self) -> Liveness:
        """As last looked at."""
        return self._liveness

    def heard(self, now: Moment) -> Heard:
        """Everything that stands. A dead controller silences the alarms of its devices: one cause, one alarm (screens §9)."""
        own, told = self._own.values(), (of_table(self.name, alarm) for alarm in self._alarms.values())
        return Heard(
            self.name,
            (*told, *own),  # of one name the floor's own holds: no table hides what is wrong with it
            is_settled=self._liveness is Liveness.ONLINE and self._settles_s is not None and now.s >= self._settles_s,
            is_known=self._liveness is not Liveness.UNKNOWN,
            is_gone=self._liveness in (Liveness.LOST, Liveness.OFFLINE),
            hand=None if self.public is None else self.public.hand,
        )

    @property
    def state(self) -> State:
        """What goes on."""
        if self._liveness is Liveness.OFFLINE:
            return State.CLOSED
        if self._liveness is not Liveness.ONLINE:
            return State.AWAY
        if self.public is not None and self.public.hold is not None:
            return State.STOPPED
        if self.status is None or self.status.status is not TableStatus.LIVE:
            return State.PAUSED
        if self.public is None or (self.public.hand is None and self._players < PLAYERS_FOR_A_HAND):
            return State.OPEN
        return State.GOING

    def tile(self, now: Moment, alarms: Sequence[StandingAlarm]) -> Mapping[str, Any]:
        """The table in a few lines, with what stands there. ``heard_at`` is told of a table that is not heard: of the others it
        is now."""
        status = self.status
        is_there = self._liveness is Liveness.ONLINE
        return {
            "table": self.name,
            "state": self.state.value,
            "liveness": self._liveness.value,
            "since": None if self._since is None else told(self._since),
            "heard_at": None if is_there or self._heard is None else told(self._heard.at),
            "status": None if status is None else status.status.value,
            "journal": None if status is None else status.journal,
            "priority": min((alarm.priority for alarm in alarms), default=None),
            "alarms": len(alarms),
            "pace": self.pace.hands_an_hour(now.at),
            "players": self._players,
            "dealer": self._dealer(),
            "http": None if status is None else status.http,
            **_game(self.public),
        }

    def _dealer(self) -> Mapping[str, str] | None:
        """Who drives the table, and since when the floor has heard that name."""
        if self.status is None or self.status.dealer is None or self._dealer_since is None:
            return None
        return {"name": self.status.dealer, "since": told(self._dealer_since)}

    def keep(self, journal: str, seq: int, verified: int | None) -> None:
        """Everything of ``journal`` up to ``seq`` is in the store, and its chain proven up to ``verified``."""
        self._kept = (journal, seq, verified)

    def detail(self, now: Moment, standing: Sequence[Incident]) -> Mapping[str, Any]:
        """What the table's own page shows: its tile, what stands there, what was published last, and what
        happened last. No card that is not public was ever published (R-RULE-06)."""
        return {
            "table": self.name,
            "tile": self.tile(now, [one.alarm for one in standing]),
            "public": None if self.public is None else self.public.model_dump(mode="json"),
            "devices": [_device(device) for _, device in sorted(self.devices.items())],
            "alarms": [one.as_json() for one in sorted(standing, key=lambda one: call_rank(one.alarm))],
            "events": self.recent.events,
            "hands": self.recent.hands,
            "rulings": self.recent.rulings,
            "journal": self._journal(),
        }

    def _journal(self) -> Mapping[str, Any] | None:
        """Where the table's journal is and how far the copy follows it; ``doubts`` are the floor's alarms about the copy."""
        status = self.status
        if status is None or status.journal is None:
            return None
        ours = self._kept if self._kept is not None and self._kept[0] == status.journal else None
        kept, verified = (None, None) if ours is None else ours[1:]
        return {
            "id": status.journal,
            "epoch": status.epoch,
            "seq": status.seq,
            "at": told(status.at),
            "head": status.head,
            "last_event": status.last_event,
            "kept": kept,
            "verified": verified,
            "doubts": [code for code in _DOUBTS if code in self._own],
        }

    def _settle(self, now: Moment) -> bool:
        """Forget what the table no longer tells of."""
        if not self._unconfirmed or self._settles_s is None or now.s < self._settles_s:
            return False
        for kind, name in self._unconfirmed:
            (self._alarms if kind == "alarm" else self.devices).pop(name, None)
        self._unconfirmed.clear()
        return True

    def _hear(self, now: Moment) -> None:
        self._heard = now
        if self._settles_s is None:
            self._settles_s = now.s + SETTLE_S
        self.pace.known(now.at)

    def _new_epoch(self, heard: Payload) -> None:
        """Another controller: what the one before it left behind holds no longer."""
        if heard.epoch > self._epoch:
            self._epoch = heard.epoch
            self._settles_s = None
            self._alarms = {name: alarm for name, alarm in self._alarms.items() if alarm.epoch >= heard.epoch}
            self.devices = {name: device for name, device in self.devices.items() if device.epoch >= heard.epoch}


def _shown(status: StatusPayload) -> tuple[object, ...]:
    """What of a status stands on the tile: the rest changes once a second."""
    return status.status, status.journal, status.dealer, status.http


def _device(device: Device) -> dict[str, Any]:
    """A device as it was published; ``at`` is since when it is so."""
    return {**device.model_dump(mode="json", exclude={"seq", "epoch", "at"}), "at": told(device.at)}


def _is_older(heard: Payload, known: Payload) -> bool:
    return (heard.epoch, heard.seq) < (known.epoch, known.seq)


def _game(public: PublicView | None) -> dict[str, Any]:
    """What is played, and how far the hand is."""
    if public is None:
        return {"game": None, "hand": None, "street": None, "phase": None, "actor": None, "pot": 0, "seats": [], "hold": None}
    return {
        "game": {"variant": public.variant, **public.stakes.model_dump()},
        "hand": public.hand,
        "street": public.street,
        "phase": public.phase,
        "actor": public.actor,
        "pot": sum(pot.amount for pot in public.pots),
        "seats": [
            {"seat": seat.seat, "name": seat.name, "stack": seat.stack, "state": seat.state.value} for seat in public.seats
        ],
        "hold": None if public.hold is None else public.hold.model_dump(mode="json"),
    }
