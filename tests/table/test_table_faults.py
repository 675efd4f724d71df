"""Each fault against each place where it must be seen; what it stops; and that no start clears one that is still there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, NamedTuple

import pytest
from support.console_site import StoryTable
from support.table_story import AT, TableStory

from controller.console.desk import Desk
from controller.console.screen import screen_of
from controller.displays.adapter import DisplayAdapter
from controller.hand.commands import Act, Refusal, VoidHand
from controller.hand.terms import Verb
from controller.table.faults import faults
from controller.table.inputs import LockTable, Resume, StartHand
from controller.table.loop import Record
from controller.table.machine_events import ClockNoted, ClockTrust, DiskNoted, DiskPace, DiskRoom
from controller.table.state import TableStatus
from controller.words.catalogue import Language
from controller.words.faults import FAULTS, fault_text
from drivers.ports import LinkChanged, LinkState, NoticeKind, ShoeNotice, ShoeStopped

THREE: Final = {1: 100, 3: 100, 5: 100}
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)


def link(device: str, antenna: int, state: LinkState) -> Callable[[TableStory], object]:
    return lambda told: told.tell(LinkChanged(device, antenna, state, "cable"))


def disk(pace: DiskPace, room: DiskRoom = DiskRoom.ENOUGH) -> Callable[[TableStory], object]:
    return lambda told: told.tell(DiskNoted(pace, room))


def latched(told: TableStory) -> object:
    return told.tell(ShoeNotice("shoe", told.key(), NoticeKind.FAULT, "E2 latched"))


class Case(NamedTuple):
    """A fault, how it comes, and its alarm. ``deals``: cards are dealt on, and the next hand alone is refused; ``starts``: not
    even that."""

    comes: Callable[[TableStory], object]
    alarm: str
    deals: bool = False
    starts: bool = False


CASES: Final = {
    "shoe away": Case(link("shoe", 0, LinkState.DOWN), "device_down_shoe"),
    "another shoe": Case(link("shoe", 0, LinkState.QUARANTINE), "device_down_shoe"),
    "line of readers away": Case(link("felt-a", 0, LinkState.DOWN), "device_down_felt-a"),
    "antenna silent": Case(link("felt-a", 3, LinkState.DOWN), "device_down_felt-a_3"),
    "shoe against its protocol": Case(lambda told: told.tell(ShoeStopped("shoe", "draw_no", "why")), "shoe_stopped"),
    "strange lines": Case(lambda told: told.tell(ShoeStopped("shoe", "tamper", "why")), "shoe_tampered"),
    "error latched": Case(latched, "shoe_error"),
    "disk late": Case(disk(DiskPace.LATE), "disk_late"),
    "disk stuck": Case(disk(DiskPace.STUCK), "disk_late"),
    "disk nearly full": Case(disk(DiskPace.FAST, DiskRoom.SHORT), "disk_short", deals=True),
    "disk full": Case(disk(DiskPace.FAST, DiskRoom.GONE), "disk_full"),
    "disk slow": Case(disk(DiskPace.SLOW), "disk_slow", deals=True, starts=True),
    "clock not kept": Case(lambda told: told.tell(ClockNoted(ClockTrust.UNTRUSTED)), "clock_untrusted", deals=True, starts=True),
    "program changed": Case(lambda told: told.order(LockTable()), "program_changed", deals=True),
}


def between_hands(told: TableStory) -> None:
    told.load()


def dealing(told: TableStory) -> None:
    told.start()


def betting(told: TableStory) -> None:
    told.start().deal()


@pytest.mark.parametrize("moment", [between_hands, dealing, betting])
@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_recorded_shown_and_published_at_once(name: str, moment: Callable[[TableStory], None]) -> None:
    """REG-11: with the commit that records it, in both languages, whatever the table was doing; and gone when it is over."""
    fault, told = CASES[name], TableStory(THREE)
    desk = Desk(StoryTable(told), "T1", Language.EN)  # type: ignore[arg-type]
    adapter = DisplayAdapter("T1", 1)
    moment(told)
    assert desk.snapshot()["faults"] == []
    before = len(told.events)
    fault.comes(told)
    assert len(told.events) > before, "it is on record"
    code = next(code for code in FAULTS if fault.alarm.startswith(code))
    snapshot = desk.snapshot()
    (shown,) = snapshot["faults"]
    assert (shown["code"], shown["text_en"]) == (code, fault_text(code, shown["device"], Language.EN))
    strip = screen_of(snapshot)["strip"]["devices"]
    assert strip["wrong"]
    assert shown["device"] in strip["text"]["fr"]
    records = [Record(seq, AT, told.events[seq - 1]) for seq in range(before + 1, len(told.events) + 1)]
    alarm = adapter.snapshot(told.state, records, NOW).alarms[fault.alarm]
    assert (alarm.code, alarm.device, alarm.text.fr) == (code, shown["device"] or None, shown["text_fr"])
    assert adapter.snapshot(told.state, (), NOW.replace(hour=1)).alarms[fault.alarm].raised_at == NOW


@pytest.mark.parametrize("name", CASES)
def test_a_fault_that_touches_play_holds_it(name: str) -> None:
    """REG-12: the gate is ordered closed and no order moves the hand; where it may be played to its end, no other is started."""
    fault, told = CASES[name], TableStory(THREE)
    told.start()
    fault.comes(told)
    assert told.state.gate.is_open is fault.deals
    if not fault.deals:
        assert told.hold is not None or told.state.status is TableStatus.SUSPENDED
        for order in (Act(1, Verb.FOLD, 0), StartHand()):
            assert isinstance(told.order(order), Refusal)
        return
    told.play_on()
    told.load()
    assert (told.order(StartHand()) is None) is fault.starts


@pytest.mark.parametrize("name", ["disk late", "disk stuck", "disk nearly full", "disk full"])
def test_what_the_table_knows_by_itself_outlives_a_start(name: str) -> None:
    """REG-13: the journal tells it; what devices tell is asked of them anew, and they are waited for (``test_start``)."""
    fault, told = CASES[name], TableStory(THREE)
    told.start()
    fault.comes(told)
    before = faults(told.state)
    told.restart()
    assert faults(told.state) == before != ()
    assert told.state.status is TableStatus.RECOVERING
    assert isinstance(told.order(Resume()), Refusal)


def test_a_hand_goes_on_when_its_disk_has_room_again() -> None:
    """Under fifty hands of room a suspended hand is not resumed, only voided; few hands more, and a person has it go on."""
    told = TableStory(THREE)
    told.start()
    disk(DiskPace.FAST, DiskRoom.GONE)(told)
    assert told.state.status is TableStatus.SUSPENDED
    desk = Desk(StoryTable(told), "T1", Language.EN)  # type: ignore[arg-type]
    assert screen_of(desk.snapshot())["banner"]["title"]["en"] == "Call the floor: the disk is full"
    refusal = told.order(Resume())
    assert isinstance(refusal, Refusal)
    assert refusal.code == "disk_is_full"
    disk(DiskPace.FAST, DiskRoom.SHORT)(told)
    assert screen_of(desk.snapshot())["banner"]["title"]["en"] == "Check the table, then Resume"
    assert told.order(Resume()) is None
    assert told.state.status is TableStatus.LIVE


def test_a_hand_whose_disk_is_full_can_be_void() -> None:
    """Nobody waits for an engineer to get chips back."""
    told = TableStory(THREE)
    told.start()
    disk(DiskPace.FAST, DiskRoom.GONE)(told)
    assert told.order(VoidHand("the disk is full")) is None
    assert not told.state.hand_open
