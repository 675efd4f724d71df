"""From committed states and records to what the displays are sent: payloads, built from the views' allow-lists alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from controller.displays.chain import Place
from controller.displays.public_events import fields_of
from controller.displays.snapshot import Draft, Snapshot
from controller.hand import events as hand
from controller.hand.betting import legal_actions
from controller.mqtt.payloads import (
    Alarm,
    Device,
    DeviceHealth,
    Option,
    PlayerClock,
    PublicEvent,
    PublicView,
    SeatView,
    TableStatus,
    Words,
)
from controller.table.alarms import FLOOR_ASKED, HOLD, asked_alarm
from controller.table.events import TableEvent
from controller.table.faults import faults
from controller.table.loop import Record
from controller.table.machine_events import ClockTrust
from controller.table.picture import picture_of
from controller.table.state import TableState
from controller.views.picture import Picture
from controller.views.public import price_of, public_view
from controller.words.catalogue import Language, text
from controller.words.faults import fault_text
from controller.words.places import hold_text
from drivers.ports import DeviceReport, LinkState

Reports = Callable[[], Sequence[DeviceReport]]
REPORTS_S: Final = 1.0
"""Longest that a report of the devices is shown again without asking for it, while no link changes."""

_TRUSTED: Final = {ClockTrust.TRUSTED: True, ClockTrust.UNTRUSTED: False}
_HEALTH: Final[Mapping[str, DeviceHealth]] = {
    LinkState.UP.value: DeviceHealth.OK,
    LinkState.STALE.value: DeviceHealth.DEGRADED,
    LinkState.DEGRADED.value: DeviceHealth.DEGRADED,
    LinkState.OPENING.value: DeviceHealth.UNKNOWN,
    LinkState.DOWN.value: DeviceHealth.LOST,
    LinkState.QUARANTINE.value: DeviceHealth.LOST,
}


def both(key: str, **values: str | int) -> Words:
    """One text in both languages."""
    return Words(en=text(key, Language.EN, **values), fr=text(key, Language.FR, **values))


class Where(NamedTuple):
    """Hand and street that an event stands in; 0 where there is none."""

    hand: int = 0
    street: int = 0


NOWHERE: Final = Where()


def where_after(event: TableEvent, where: Where) -> Where:
    """Where ``event`` and what follows it stand, after all before it stood at ``where``."""
    match event:
        case hand.HandOpened(number=number):
            return Where(number)
        case hand.DealStarted(street=street):
            return where._replace(street=street)
        case hand.HandEnded() | hand.HandVoided():
            return where._replace(street=0)
        case _:
            return where


def hold_words(code: str, place: str | None) -> Words:
    """Why play stopped, in both languages."""
    return Words(en=hold_text(code, place, Language.EN), fr=hold_text(code, place, Language.FR))


class DisplayAdapter:
    """Snapshots for the publisher of one table. ``where`` is where the first records that it is given stand, ``place`` where the
    first public event among them does; ``reports`` tells the health of the devices. With ``now`` the devices are asked when a
    link has changed, and else once in ``REPORTS_S``."""

    def __init__(
        self,
        table: str,
        epoch: int,
        where: Where = NOWHERE,
        reports: Reports = tuple,
        *,
        place: Place | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        self._table = table
        self._epoch = epoch
        self._reports = reports
        self._now = now
        self._fields_of: dict[str, dict[str, Any]] = {}
        self._links: object = None
        self._asked_at = 0.0
        self._raised: dict[tuple[str, str, int], datetime] = {}
        self._where = where
        self._place = place or Place()

    def snapshot(self, state: TableState, records: Sequence[Record], at: datetime) -> Snapshot:
        """The snapshot of ``state`` with the public events among ``records``."""
        return self.draft(state, records, at).draw()

    def draft(self, state: TableState, records: Sequence[Record], at: datetime, head: str | None = None) -> Draft:
        """The same, its events at once and its views when they are asked for. ``head`` is the journal's after ``state``."""
        events = self.events(records)
        status = TableStatus(state.status.value)
        dealer = state.wheel[0].name if state.wheel else None
        trusted = _TRUSTED.get(state.wall_clock.trust)
        return Draft(state.seq, self._epoch, at, status, events, lambda: self._draw(state, events, at), head, dealer, trusted)

    def _draw(self, state: TableState, events: tuple[PublicEvent, ...], at: datetime) -> Snapshot:
        picture = picture_of(state, self._table)
        common = {"seq": state.seq, "epoch": self._epoch, "at": at}
        view = public_view(picture)
        view["hold"] = self._hold(view.get("hold"))
        public = PublicView.model_validate({**common, **view})
        return Snapshot(
            seq=state.seq,
            epoch=self._epoch,
            at=at,
            status=TableStatus(state.status.value),
            public=public,
            seats=self._seat_views(picture, public),
            events=events,
            alarms=self._alarms(state, at),
            devices=self._devices(state, at),
        )

    def events(self, records: Sequence[Record]) -> tuple[PublicEvent, ...]:
        """The public events among ``records``, which follow on those given before."""
        found: list[PublicEvent] = []
        for record in records:
            self._where = where_after(record.event, self._where)
            for event in self.event(record, self._where):
                hung, self._place = self._place.hang(event)
                found.append(hung)
        return tuple(found)

    def event(self, record: Record, where: Where) -> tuple[PublicEvent, ...]:
        """The public side of ``record``, none or one, before it is told what it follows on. A down card is told by its place
        alone (R-RULE-06)."""
        fields = fields_of(record.event)
        if fields is None:
            return ()
        values = {"hand": where.hand or None, "street": where.street or None, **fields}
        return (PublicEvent(seq=record.seq, epoch=self._epoch, at=datetime.fromisoformat(record.at), **values),)

    @staticmethod
    def _hold(hold: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if hold is None:
            return None
        return {**hold, "text": hold_words(hold["code"], hold["place"])}

    def _seat_views(self, picture: Picture, public: PublicView) -> dict[int, SeatView]:
        """One view a seat, an empty one too: the public one, checked already, with what is that seat's own."""
        seat, seconds = picture.clock or (0, 0)
        values: dict[str, Any] = {
            **public.__dict__,
            "seat": 1,
            "status": TableStatus(picture.status),
            "clock": PlayerClock(seat=seat, seconds=seconds) if seat else None,
        }
        common = SeatView.model_construct(**values)
        return {row.seat: common.model_copy(update=self._own(picture, public, row.seat)) for row in public.seats}

    def _own(self, picture: Picture, public: PublicView, seat: int) -> dict[str, Any]:
        state = picture.hand
        mine: dict[str, Any] = {}
        if state is not None and state.index_of(seat) >= 0:
            is_actor = public.actor == seat
            pots = tuple(number for number, pot in enumerate(public.pots) if seat in pot.seats)
            entry = state.seats[state.index_of(seat)]
            mine = {
                "put_in": entry.total,
                "returned": dict(state.returned).get(seat, 0),
                "is_actor": is_actor,
                "to_call": (price_of(state, seat) or 0) if entry.live and public.actor is not None else 0,
                "my_pots": pots,
                "can_win": sum(public.pots[number].amount for number in pots),
                "options": self._options(picture) if is_actor else (),
            }
        return {"seat": seat, "floor_asked": seat in picture.asked, **mine}

    @staticmethod
    def _options(picture: Picture) -> tuple[Option, ...]:
        if picture.hand is None:
            return ()
        return tuple(
            Option(verb=action.verb.value, to=action.to, amount=action.chips, all_in=action.all_in)
            for action in legal_actions(picture.hand)
        )

    def _alarms(self, state: TableState, at: datetime) -> dict[str, Alarm]:
        """Why play is stopped, and what is out of order; each with the time since when, and who has seen it."""
        common: dict[str, Any] = {"seq": state.seq, "epoch": self._epoch, "at": at}
        hold = None if state.hand is None or state.hand.over else state.hand.hold
        standing = faults(state)
        asked = {asked_alarm(seat): seat for seat in state.asked}
        known = {*asked, *([] if hold is None else [HOLD]), *(fault.alarm for fault in standing)}
        raised = {one.alarm: one for one in state.alarms if one.alarm in known}
        self._raised = {one[:3]: self._raised.get(one[:3], at) for one in raised.values()}
        told = {
            name: {
                **common,
                "alarm": name,
                "raised_at": self._raised[one[:3]],
                "raised_seq": one.raised_seq,
                "acknowledged_by": one.by or None,
            }
            for name, one in raised.items()
        }
        alarms = {
            fault.alarm: Alarm(
                **told[fault.alarm],
                code=fault.code,
                priority=fault.priority,
                device=fault.device or None,
                text=Words(**{language.value: fault_text(fault.code, fault.device, language) for language in Language}),
            )
            for fault in standing
        }
        for name, seat in asked.items():
            words, at_seat = both("alarm.floor_asked", n=seat), f"seat/{seat}"
            alarms[name] = Alarm(**told[name], code=FLOOR_ASKED, priority=2, place=at_seat, text=words)
        if hold is not None:
            place = None if hold.place is None else str(hold.place)
            alarms[HOLD] = Alarm(
                **told[HOLD],
                code=hold.code,
                priority=1,
                place=place,
                text=hold_words(hold.code, place),
            )
        return alarms

    def _devices(self, state: TableState, at: datetime) -> dict[str, Device]:
        """Each device as its link was journalled, with who it is and why it is not used, as known now."""
        known = self._known(state.links)
        return {
            name: Device(
                seq=state.seq,
                epoch=self._epoch,
                at=at,
                device=name,
                health=_HEALTH.get(link, DeviceHealth.UNKNOWN),
                **known.get(name, _NO_REPORT),
            )
            for (name, antenna), link in state.links.items()
            if not antenna
        }

    def _known(self, links: object) -> Mapping[str, dict[str, Any]]:
        """What the devices' reports add to their links, by device."""
        now = 0.0 if self._now is None else self._now()
        if self._now is None or links is not self._links or now - self._asked_at >= REPORTS_S:
            self._links, self._asked_at = links, now
            self._fields_of = {report.name: _device_fields(report) for report in self._reports()}
        return self._fields_of


_NO_REPORT: Final[Mapping[str, Any]] = {"kind": "device"}


def _device_fields(report: DeviceReport) -> dict[str, Any]:
    """What a report adds to a device's link: its kind, who it is, and the first reason why it, or a part of it, is not used."""
    troubles = (report.trouble, *(antenna.trouble for antenna in report.antennas))
    trouble = next((trouble for trouble in troubles if trouble is not None), None)
    words = None if trouble is None else both(f"device.{trouble.code}", **trouble.values)
    return {"kind": report.kind, "identity": report.identity or None, "text": words}
