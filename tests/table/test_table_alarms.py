"""An alarm from its raise to its end at the table: who has seen it, that this ends nothing, and that no start forgets it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from support.table_story import TableStory

from controller.console.banner import banner
from controller.displays.adapter import DisplayAdapter
from controller.hand.commands import Refusal
from controller.journal.schema import Origin
from controller.table.access_events import AlarmAcknowledged, FloorAsked
from controller.table.alarms import device_of
from controller.table.carry import carried, restored
from controller.table.faults import faults
from controller.table.inputs import AcknowledgeAlarm, AnswerSeat, LockTable, Rule, StopPlay
from controller.table.machine_events import ClockNoted, ClockTrust, DiskNoted, DiskPace, DiskRoom
from controller.table.parts import Raised
from controller.table.picture import picture_of
from controller.table.state import TableStatus
from controller.views.dealer import dealer_view
from drivers.ports import LinkChanged, LinkState

THREE = {1: 100, 3: 100, 5: 100}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PASSED = Refusal("REG-13", "alarm_passed")

_keys = itertools.count()


def link(device: str, antenna: int, state: LinkState) -> LinkChanged:
    return LinkChanged(device, antenna, state, "cable")


def see(told: TableStory, alarm: str, by: str = "Ann", role: str = "dealer") -> Refusal | None:
    """Acknowledge the one of that name that stands."""
    one = next(one for one in told.state.alarms if one.alarm == alarm)
    return told.order(AcknowledgeAlarm(alarm, one.raised_seq, by, role), key=f"see-{next(_keys):06}")


def names(told: TableStory) -> dict[str, str]:
    """Who has seen what stands."""
    return {one.alarm: one.by for one in told.state.alarms}


def stopped() -> TableStory:
    """Play is stopped for the floor."""
    told = TableStory(THREE).start()
    assert told.order(Rule("stop_play", StopPlay())) is None
    return told


RAISES: dict[str, Callable[[TableStory], object]] = {
    "hold": lambda told: told.start().order(Rule("stop_play", StopPlay())),
    "floor_asked_3": lambda told: told.tell(FloorAsked(3)),
    "device_down_felt-a_3": lambda told: told.tell(link("felt-a", 3, LinkState.DOWN)),
    "disk_slow": lambda told: told.tell(DiskNoted(DiskPace.SLOW, DiskRoom.ENOUGH)),
    "clock_untrusted": lambda told: told.tell(ClockNoted(ClockTrust.UNTRUSTED)),
    "program_changed": lambda told: told.order(LockTable()),
}


@pytest.mark.parametrize("name", RAISES)
def test_to_acknowledge_says_who_has_seen_it_and_ends_nothing(name: str) -> None:
    """REG-13: it stands on, is published on with the name under its old time, and nothing but the alarm has changed."""
    told, adapter = TableStory(THREE), DisplayAdapter("T1", 1)
    RAISES[name](told)
    before, state = adapter.snapshot(told.state, (), NOW).alarms[name], told.state
    assert (before.acknowledged_by, before.raised_seq) == (None, next(one.raised_seq for one in state.alarms))
    assert see(told, name) is None
    after = adapter.snapshot(told.state, (), NOW + timedelta(hours=1)).alarms[name]
    assert (after.acknowledged_by, after.raised_at, after.raised_seq) == ("Ann", NOW, before.raised_seq)
    assert told.state._replace(alarms=state.alarms, seq=state.seq, answers=state.answers) == state
    assert (faults(told.state), told.hold) == (faults(state), None if state.hand is None else told.hold)


def test_twice_is_once() -> None:
    """Whoever comes second gets the same answer, and the record bears the first."""
    told = stopped()
    assert [see(told, "hold"), see(told, "hold"), see(told, "hold", "Fay", "floor")] == [None] * 3
    (record,) = told.happened(AlarmAcknowledged)
    assert (record.by, record.role, names(told)) == ("Ann", "dealer", {"hold": "Ann"})


def test_what_is_over_or_another_one_is_refused_in_one_way() -> None:
    """By its record: one of the same name that is raised anew is another, and nobody has seen it."""
    told = TableStory(THREE)
    told.tell(FloorAsked(3))
    first = told.state.alarms[0]
    assert see(told, "floor_asked_3") is None
    assert told.order(AnswerSeat(3)) is None
    assert told.state.alarms == ()
    order = AcknowledgeAlarm(first.alarm, first.raised_seq, "Ann")
    assert told.order(order) == PASSED
    told.tell(FloorAsked(3))
    assert (told.order(order), names(told)) == (PASSED, {"floor_asked_3": ""})
    assert told.order(AcknowledgeAlarm("mqtt_command", 0)) == PASSED
    assert len(told.happened(AlarmAcknowledged)) == 1


def test_another_reason_to_stop_is_another_alarm() -> None:
    """The one stop's name says nothing of the next one's, though both are published as `hold`."""
    told = stopped()
    assert see(told, "hold") is None
    told.tell(link("shoe", 0, LinkState.DOWN))
    held = next(one for one in told.state.alarms if one.alarm == "hold")
    assert (held.code, held.by) == ("device_down", "")


@pytest.mark.parametrize("antenna", [0, 3])
def test_a_start_forgets_nobody_who_has_seen_it(antenna: int) -> None:
    """REG-13: until its device has told how it is, the alarm is kept; told again it is the same one, and told to be well it is
    over."""
    told = TableStory(THREE)
    told.tell(link("felt-a", antenna, LinkState.DOWN))
    (alarm,) = names(told)
    assert see(told, alarm) is None
    stood = told.state.alarms
    told.restart()
    assert (told.state.status, faults(told.state), told.state.alarms) == (TableStatus.RECOVERING, (), stood)
    told.tell(link("felt-a", antenna, LinkState.OPENING))
    assert told.state.alarms == stood
    told.tell(link("felt-a", antenna, LinkState.DOWN))
    assert told.state.alarms == stood
    assert DisplayAdapter("T1", 2).snapshot(told.state, (), NOW).alarms[alarm].acknowledged_by == "Ann"
    told.tell(link("felt-a", antenna, LinkState.UP))
    assert told.state.alarms == ()
    told.tell(link("felt-a", antenna, LinkState.DOWN))
    assert names(told) == {alarm: ""}


def test_an_alarm_is_acknowledged_while_the_table_waits_for_its_devices() -> None:
    """Between a start and the first word of them too."""
    told = TableStory(THREE)
    told.restart()
    told.tell(link("felt-a", 0, LinkState.DOWN))
    assert told.state.status is TableStatus.RECOVERING
    assert see(told, "device_down_felt-a") is None
    assert names(told) == {"device_down_felt-a": "Ann"}


def test_who_has_seen_it_goes_into_the_next_file_of_the_journal() -> None:
    """A device that is away and a slow disk stand over a rotation, with their names."""
    told = TableStory(THREE)
    told.tell(link("felt-a", 3, LinkState.DOWN))
    told.tell(DiskNoted(DiskPace.SLOW, DiskRoom.ENOUGH))
    for name in tuple(names(told)):
        assert see(told, name, role="") is None
    origin = Origin("T1", "b", "2026-01-02T00:00:00Z", told.state.seq, bytes(32))
    back = restored(carried(told.state, origin, "T1/0/1", ()))
    assert back.alarms == told.state.alarms
    assert {(one.by, one.role) for one in back.alarms} == {("Ann", "open")}
    assert faults(back) == faults(told.state) != ()


def test_the_banner_asks_until_somebody_has_seen_it() -> None:
    """One touch, which names the alarm of now; then the name, and nothing to touch (screens §9)."""
    told = stopped()

    def now() -> dict[str, object]:
        snapshot = {**dealer_view(picture_of(told.state, "T1")), "wheel": None}
        snapshot["hold"] |= {"reason_en": "a", "reason_fr": "b"}
        return banner(snapshot)

    see_it = now()["see"]
    assert isinstance(see_it, dict)
    (given,) = see_it["commands"]
    one = told.state.alarms[0]
    assert given["command"] == {"type": "acknowledge_alarm", "alarm": "hold", "raised_seq": one.raised_seq}
    assert now()["seen"] is None
    assert see(told, "hold") is None
    assert (now()["see"], now()["seen"]) == (None, {"en": "Seen by Ann", "fr": "Vu par Ann"})
    assert now()["level"] == 2


def test_whose_device_an_alarm_is() -> None:
    """By which an engineer may acknowledge it."""
    told = stopped()
    told.tell(link("felt-a", 3, LinkState.DOWN))
    assert [one.code for one in told.state.alarms if one.alarm == "hold"] == ["device_down"]
    assert device_of(told.state, "device_down_felt-a_3") == "felt-a_3"
    assert (device_of(told.state, "hold"), device_of(told.state, "device_down_shoe")) == (None, None)
    assert isinstance(told.state.alarms[0], Raised)
