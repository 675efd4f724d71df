"""The life of an alarm: nothing is lost, nothing is cleared by who has seen it, a shelf ends, one cause is one alarm."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.floor_samples import START, alarm, happened, moment, status, view

from controller.floor.board import incidents as incidents_module
from controller.floor.board.alarms import COPY_DIFFERS, LOST, StandingAlarm, of_table
from controller.floor.board.board import SETTLED_S, Board
from controller.floor.board.flood import MANY_CALLS, MANY_TABLES, fold
from controller.floor.board.incident import Incident, Trail, TrailLine
from controller.floor.board.incidents import CALLED_AFTER_S, MAX_SHELVED, AlarmRefused
from controller.floor.board.table import SETTLE_S
from controller.mqtt.payloads import TableStatus


class Floor:
    """A board whose store remembers what it was given."""

    def __init__(self) -> None:
        self.kept: dict[Any, Incident] = {}
        self.lines: list[TrailLine] = []
        self.epoch: int | None = None
        self.board = self.start(0)

    def start(self, at: float) -> Board:
        """A floor that starts on what was kept."""
        board = Board("nice")
        board.listen(moment(at), connected=True)
        stories = []
        for one in self.kept.values():
            for line in self.lines:
                one = one.follows(line) if line.id == one.id else one
            stories.append(one)
        board.restore([one for one in stories if one.cleared_at is None or one.is_unseen], moment(at))
        self.board = board
        self.epoch = None
        return board

    def lose(self, at: float, *, is_kept: bool = False, epoch: int = 2) -> None:
        """The controller of T1 is gone."""
        self.epoch = None
        self.board.hear_status("T1", status(TableStatus.LOST, epoch=epoch), moment(at), is_kept=is_kept)

    def look(self, at: float) -> dict[str, Any]:
        """The picture at that second, to which T1 has lived on."""
        if self.epoch is not None:
            self.board.hear_status("T1", status(epoch=self.epoch), moment(at))
        self.board.changes(moment(at))
        incidents, lines = self.board.incidents.take()
        self.kept.update({one.id: one for one in incidents})
        self.lines += lines
        return dict(self.board.picture(moment(at)))

    def hear(self, at: float, *, epoch: int = 2, **standing: float) -> None:
        """T1 lives, and these alarms stand there since so many seconds."""
        self.epoch = epoch
        self.board.hear_status("T1", status(epoch=epoch), moment(at))
        self.board.hear_public("T1", view(epoch=epoch), moment(at))
        for name, since in standing.items():
            self.board.hear_alarm("T1", name, alarm(name, at=since, epoch=epoch, priority=1 if name == "hold" else 2))


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(AlarmRefused) as refused:
        act()
    return refused.value.code


def when(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_slip_that_is_mended_calls_nobody() -> None:
    """It is seen at once and counted; after ten seconds a person is called, and it stays until he has seen it."""
    floor = Floor()
    floor.hear(0, hold=0)
    found = floor.look(0)
    assert (found["alarm_order"], found["alarms"]["T1/hold"]["called_at"]) == (["T1/hold"], None)
    assert found["alarms"]["T1/hold"]["hand"] == 1287
    floor.board.hear_alarm("T1", "hold", None)
    assert (floor.look(CALLED_AFTER_S - 1)["alarms"], floor.look(60)["cleared"]) == ({}, [])
    assert [line.what for line in floor.lines] == [Trail.RAISED, Trail.CLEARED]
    floor.hear(100, hold=100)
    floor.look(100)
    assert floor.look(100 + CALLED_AFTER_S)["alarms"]["T1/hold"]["called_at"] == "2026-01-02T20:01:50.000Z"
    floor.board.hear_alarm("T1", "hold", None)
    found = floor.look(120)
    assert (found["alarms"], found["unseen"], found["cleared"][0]["acknowledged_by"]) == ({}, 1, None)
    assert floor.look(9_000)["unseen"] == 1
    floor.board.incidents.acknowledge("T1/hold", when(100), "M. Roux", moment(9_001))
    found = floor.look(9_001)
    assert (found["unseen"], found["cleared"][0]["acknowledged_by"]) == (0, "M. Roux")
    assert floor.look(9_001 + 3_600)["cleared"] == []


def test_what_has_stood_before_the_floor_came_calls_at_once() -> None:
    """So does whoever asks for a person."""
    floor = Floor()
    floor.hear(50, hold=0, floor_asked=50)
    assert {one["called_at"] for one in floor.look(50)["alarms"].values()} == {"2026-01-02T20:00:50.000Z"}


def test_neither_a_table_nor_a_floor_that_starts_again_clears_anything() -> None:
    """The alarm keeps its time, its hand and who has seen it; it is over when its table, heard again, does not tell it."""
    floor = Floor()
    floor.hear(0, hold=0, slow=0)
    floor.look(20)
    floor.board.incidents.acknowledge("T1/hold", START, "M. Roux", moment(21))
    before = floor.look(21)["alarms"]["T1/hold"]
    floor.start(30)
    assert floor.look(31)["alarms"]["T1/hold"] == before
    floor.hear(32, epoch=3, hold=32)  # the controller was started again too
    assert floor.look(33)["alarms"]["T1/hold"] == before
    assert sorted(floor.look(32.5 + SETTLE_S)["alarms"]) == ["T1/hold"]
    assert floor.look(40)["cleared"][0]["id"] == "T1/slow"
    floor.hear(50, epoch=4)
    assert "T1/hold" in floor.look(51)["alarms"]
    assert floor.look(50.5 + SETTLE_S)["alarms"] == {}


def test_a_table_that_dies_keeps_its_alarms() -> None:
    """They are silent while it is lost, since the loss is what calls; afterwards they stand as before."""
    floor = Floor()
    floor.hear(0, hold=0)
    floor.look(11)
    floor.lose(12)
    assert list(floor.look(12)["alarms"]) == [f"T1/{LOST}"]
    floor.start(13)
    floor.lose(13, is_kept=True)
    assert list(floor.look(13)["alarms"]) == [f"T1/{LOST}"]
    floor.hear(20, epoch=3, hold=20)
    found = floor.look(20)
    assert (list(found["alarms"]), found["alarms"]["T1/hold"]["raised_at"]) == (["T1/hold"], "2026-01-02T20:00:00.000Z")


def test_an_alarm_of_a_table_that_is_no_longer_there_is_over() -> None:
    """When the broker knows nothing of it; the trail says why, and somebody has to see it."""
    floor = Floor()
    floor.hear(0, hold=0)
    floor.look(11)
    floor.start(20)
    assert list(floor.look(20 + SETTLED_S - 1)["alarms"]) == ["T1/hold"]
    assert (floor.look(20 + SETTLED_S)["alarms"], floor.look(40)["unseen"]) == ({}, 1)
    assert [line.code for line in floor.lines if line.what is Trail.CLEARED] == ["table_gone"]


def test_what_a_named_person_ends_outlives_its_table() -> None:
    """A floor that starts again and hears nothing of the table ends its other alarms, and never one about its copy."""
    floor = Floor()
    floor.hear(0, hold=0)
    floor.board.doubt("T1", COPY_DIFFERS, START)
    floor.look(11)
    floor.start(20)
    assert list(floor.look(21 + SETTLED_S)["alarms"]) == [f"T1/{COPY_DIFFERS}"]


def test_no_table_hides_what_the_floor_found() -> None:
    """Not by an alarm of the same name and a lower rank."""
    floor = Floor()
    floor.board.doubt("T1", COPY_DIFFERS, START)
    floor.hear(0, **{COPY_DIFFERS: 0})
    found = floor.look(1)["alarms"][f"T1/{COPY_DIFFERS}"]
    assert (found["own"], found["priority"]) == (True, 1)


def test_who_acknowledges_must_mean_what_stands() -> None:
    """Another one by now, over and seen, somebody else's, none at all: nothing is done, and it is said why."""
    floor = Floor()
    floor.hear(0, hold=0)
    floor.look(11)
    acknowledge = floor.board.incidents.acknowledge
    assert refusal(lambda: acknowledge("T1/none", START, "M. Roux", moment(12))) == "unknown"
    assert refusal(lambda: acknowledge("T1/hold", when(1), "M. Roux", moment(12))) == "raised_anew"
    acknowledge("T1/hold", START, "M. Roux", moment(12))
    acknowledge("T1/hold", START, "M. Roux", moment(13))  # twice is once
    assert refusal(lambda: acknowledge("T1/hold", START, "L. Perrin", moment(13))) == "acknowledged"
    floor.board.hear_alarm("T1", "hold", None)
    floor.look(14)
    assert refusal(lambda: acknowledge("T1/hold", START, "L. Perrin", moment(15))) == "over"
    assert [line.by for line in floor.lines if line.what is Trail.ACKNOWLEDGED] == ["M. Roux"]


def test_the_same_thing_again_and_again_is_one_line() -> None:
    """With its number; who has seen the newest has seen those before."""
    floor = Floor()
    for start in (0, 100, 200):
        floor.hear(start, hold=start)
        floor.look(start)
        floor.look(start + 11)
        floor.board.hear_alarm("T1", "hold", None)
        floor.look(start + 20)
    floor.hear(300, hold=300)
    found = floor.look(311)
    assert (found["alarms"]["T1/hold"]["times"], found["cleared"]) == (4, [])
    floor.board.incidents.acknowledge("T1/hold", when(300), "M. Roux", moment(312))
    assert (floor.look(312)["alarms"]["T1/hold"]["times"], floor.look(312)["unseen"]) == (1, 0)


def test_a_shelf_has_an_end_a_reason_and_five_places() -> None:
    """Priority 1 is never shelved; a shelf is counted, ends by itself, and is told as ended; who shelves has seen it."""
    floor, names = Floor(), [f"slow{number}" for number in range(MAX_SHELVED + 1)]
    floor.hear(0, hold=0, **dict.fromkeys(names, 0.0))
    floor.look(11)
    shelve = floor.board.incidents.shelve
    assert refusal(lambda: shelve("T1/hold", START, "M. Roux", 15, "later", moment(12))) == "shelf_priority"
    assert refusal(lambda: shelve("T1/slow0", START, "M. Roux", 16, "later", moment(12))) == "shelf_minutes"
    assert refusal(lambda: shelve("T1/slow0", START, "M. Roux", 15, " \n", moment(12))) == "shelf_reason"
    assert refusal(lambda: shelve("T1/slow0", START, "M. Roux", 15, "x" * 201, moment(12))) == "shelf_reason"
    for name in names[:MAX_SHELVED]:
        shelve(f"T1/{name}", START, "M. Roux", 15, "big pots,\ntwo disputes", moment(12))
    assert refusal(lambda: shelve("T1/slow5", START, "M. Roux", 15, "later", moment(12))) == "shelf_full"
    shelve("T1/slow5", START, "L. Perrin", 30, "later", moment(12))
    found = floor.look(12)
    assert (found["alarm_order"], len(found["shelved"])) == (["T1/hold"], MAX_SHELVED + 1)
    assert found["alarms"]["T1/slow0"]["shelved"]["reason"] == "big pots, two disputes"
    assert found["alarms"]["T1/slow0"]["acknowledged_by"] == "M. Roux"
    floor.board.incidents.unshelve("T1/slow1", START, "L. Perrin", moment(13))
    assert refusal(lambda: floor.board.incidents.unshelve("T1/slow1", START, "L. Perrin", moment(13))) == "not_shelved"
    floor.look(13)
    floor.start(100)  # a shelf outlives the floor's process
    floor.hear(100, hold=0, **dict.fromkeys(names, 0.0))
    assert len(floor.look(100)["shelved"]) == MAX_SHELVED
    found = floor.look(12 + 15 * 60)
    assert (found["shelved"], found["alarms"]["T1/slow0"]["shelf_ended_at"]) == (["T1/slow5"], "2026-01-02T20:15:12.000Z")


def test_what_becomes_worse_comes_off_the_shelf() -> None:
    """Priority 1 is not shelved, not even by growing into it."""
    floor = Floor()
    floor.hear(0, slow=0)
    floor.look(11)
    floor.board.incidents.shelve("T1/slow", START, "M. Roux", 30, "later", moment(12))
    floor.board.hear_alarm("T1", "slow", alarm("slow", priority=1))
    assert floor.look(13)["shelved"] == []


def test_what_nothing_ends_is_ended_by_a_named_person() -> None:
    """A difference between table and copy; whatever a table tells of itself is not, and a restart does not end it."""
    floor = Floor()
    floor.hear(0, hold=0)
    floor.board.doubt("T1", COPY_DIFFERS, START)
    floor.look(1)
    floor.start(5)
    floor.hear(5, hold=0)
    assert f"T1/{COPY_DIFFERS}" in floor.look(20)["alarms"]
    assert refusal(lambda: floor.board.clear("T1/hold", START, "M. Roux", "seen", moment(21))) == "clears_itself"
    assert refusal(lambda: floor.board.clear(f"T1/{COPY_DIFFERS}", START, "M. Roux", " ", moment(21))) == "shelf_reason"
    floor.board.clear(f"T1/{COPY_DIFFERS}", START, "M. Roux", "an old copy was put back", moment(21))
    found = floor.look(22)
    assert (list(found["alarms"]), found["cleared"][0]["cleared_by"]) == (["T1/hold"], "M. Roux")
    floor.board.doubt("T1", COPY_DIFFERS, when(30))
    assert f"T1/{COPY_DIFFERS}" in floor.look(31)["alarms"]


def test_a_ruling_is_a_line_of_what_stands() -> None:
    """With its code and hand; of an alarm that the ruling has just ended as well."""
    floor = Floor()
    floor.hear(0, hold=0)
    floor.look(11)
    floor.board.hear_event("T1", happened(9, "ruled", at=12, code="misdeal"))
    floor.board.hear_alarm("T1", "hold", None)
    floor.look(12)
    floor.board.hear_event("T1", happened(10, "ruled", at=13, code="void"))
    floor.look(13)
    assert [(line.code, line.hand) for line in floor.lines if line.what is Trail.RULED] == [("misdeal", 1), ("void", 1)]


def test_two_floors_of_one_store_know_the_same() -> None:
    """Who acknowledges at one is read at the other; of two at once the one that the store took first is true at both."""
    floors = [Floor(), Floor()]
    for one in floors:
        one.hear(0, hold=0, slow=0)
        one.board.hear_status("T2", status(TableStatus.LOST), moment(0))
        one.look(11)
    first, second = (one.board.incidents for one in floors)
    first.shelve("T1/slow", START, "M. Roux", 15, "later", moment(12))
    first.acknowledge("T1/hold", START, "M. Roux", moment(12))
    second.acknowledge("T1/hold", START, "L. Perrin", moment(12.5))
    own = next(one for one in first.standing if one.alarm.code == LOST)
    first.acknowledge(own.alarm.key, own.alarm.raised_at, "M. Roux", moment(12))
    _, lines = first.take()
    for _ in range(2):
        floors[1].board.follow(lines)
    found = floors[1].look(13)
    assert {one["acknowledged_by"] for one in found["alarms"].values()} == {"M. Roux"}
    assert found["shelved"] == ["T1/slow"]
    moves = second.moves
    floors[1].board.follow(lines)
    assert second.moves == moves


def test_a_flood_is_one_card() -> None:
    """The same thing at many tables, or one table that calls again and again; what calls most comes first, none is missing."""
    many = [of_table(f"T{number}", alarm("slow", priority=2, at=number)) for number in range(1, MANY_TABLES + 1)]
    assert [(one.kind, one.name, one.ids) for one in fold(many, [], START)] == [
        ("code", "slow", tuple(f"T{number}/slow" for number in range(1, MANY_TABLES + 1)))
    ]
    assert fold(many[1:], [], START) == ()
    calls = [(START, "T1")] * MANY_CALLS
    two = [*many[:1], of_table("T1", alarm("hold"))]
    assert fold(two, calls, START) == ()
    [folded] = fold(two, [*calls, (START, "T1")], START)
    assert (folded.kind, folded.name, folded.priority, len(folded.ids)) == ("table", "T1", 1, 2)
    assert fold(two, [*calls, (START, "T1")], when(601)) == ()


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is over and unseen, lines that wait for a store that is away, lines of one alarm, and what pages are told."""
    for name, most in (("MAX_LEFT", 3), ("MAX_TO_KEEP", 20), ("MAX_TRAIL", 8), ("MAX_SHOWN", 2)):
        monkeypatch.setattr(incidents_module, name, most)
    floor = Floor()
    names = [f"a{number}" for number in range(4)]
    floor.hear(0, **dict.fromkeys(names, 0.0))
    floor.board.changes(moment(11))
    for name in names:
        floor.board.hear_alarm("T1", name, None)
    floor.hear(12)
    floor.board.changes(moment(12))
    found = floor.board.picture(moment(12))
    assert (found["unseen"], len(found["cleared"])) == (3, 2)
    floor.look(12)
    floor.hear(13, slow=13)
    floor.look(24)
    for number in range(12):
        floor.board.incidents.shelve("T1/slow", when(13), "M. Roux", 15, "x", moment(24 + number))
        floor.board.incidents.unshelve("T1/slow", when(13), "M. Roux", moment(24.5 + number))
    floor.look(60)
    assert len([line for line in floor.lines if line.alarm == "slow"]) == 8
    for number in range(50):
        floor.hear(100 + number, slow=100 + number)
        floor.board.changes(moment(100 + number))
    kept, lines = floor.board.incidents.take()
    assert (len(kept), len(lines)) == (20, 20)
    assert lines[-1].raised_at == when(149)
    floor.board.incidents.acknowledge("T1/slow", when(149), "M. Roux", moment(150))
    known = floor.board.incidents
    assert set(known._entries) == {*known._unseen, *(one.id for one in known._open.values())}


STEPS = st.one_of(
    st.tuples(st.just("raise"), st.sampled_from("abc"), st.integers(1, 3)),
    st.tuples(st.just("clear"), st.sampled_from("abc")),
    st.tuples(st.just("acknowledge"), st.sampled_from("abc"), st.sampled_from(("M. Roux", "L. Perrin"))),
    st.tuples(st.just("shelve"), st.sampled_from("abc"), st.sampled_from((15, 30))),
    st.tuples(st.just("lose")),
    st.tuples(st.just("controller")),
    st.tuples(st.just("floor")),
    st.tuples(st.just("wait"), st.floats(0.2, 1000)),
)


@given(st.lists(STEPS, max_size=30))
def test_no_alarm_is_lost(story: list[tuple[Any, ...]]) -> None:
    """Whatever happens in which order: what stands at a table that lives stands on the floor; each that called and is over is
    seen by a named person or still asks for one; nothing is cleared but by its table; no shelf outlives its time; of two
    alarms that nobody touches the order stays."""
    floor, now, epoch = Floor(), 0.0, 2
    standing: dict[str, StandingAlarm] = {}
    cleared_by_table: set[str] = set()
    order: list[str] = []
    floor.look(now)
    for what, *given_ in story:
        now += 0.1
        match what, given_:
            case "raise", [name, priority] if name not in standing:
                standing[name] = of_table("T1", alarm(name, priority=priority, at=now, epoch=epoch))
            case "clear", [name]:
                standing.pop(name, None)
                cleared_by_table.add(name)
                floor.board.hear_alarm("T1", name, None)
            case "acknowledge", [name, by]:
                with suppress(AlarmRefused):
                    floor.board.incidents.acknowledge(f"T1/{name}", _raised(floor, name), by, moment(now))
            case "shelve", [name, minutes]:
                with suppress(AlarmRefused):
                    floor.board.incidents.shelve(f"T1/{name}", _raised(floor, name), "M. Roux", minutes, "x", moment(now))
            case "lose", []:
                floor.lose(now, epoch=epoch)
                floor.look(now)
                now += 1
            case "controller", []:
                epoch += 1
                standing = {name: replace(one, raised_at=when(now)) for name, one in standing.items()}
            case "floor", []:
                floor.look(now)
                floor.start(now)
                floor.look(now)
            case "wait", [seconds]:
                now += seconds
            case _:
                pass
        floor.epoch = epoch
        floor.board.hear_status("T1", status(epoch=epoch), moment(now))
        for name, one in standing.items():
            told = alarm(name, priority=one.priority, at=(one.raised_at - START).total_seconds(), epoch=epoch)
            floor.board.hear_alarm("T1", name, told)
        found = floor.look(now)
        keys = [f"T1/{name}" for name in standing]
        assert set(keys) <= set(found["alarms"])
        assert sorted(found["alarms"]) == sorted([*found["alarm_order"], *found["shelved"]])
        for key in found["shelved"]:
            assert found["alarms"][key]["shelved"]["until"] > found["now"]
            assert found["alarms"][key]["priority"] > 1
        both = [key for key in order if key in found["alarm_order"]]
        if what not in ("acknowledge", "raise", "clear", "controller", "shelve"):
            assert [key for key in found["alarm_order"] if key in both] == both
        order = found["alarm_order"]
    found = floor.look(now + SETTLED_S)
    asked = {one["id"] for one in found["cleared"] if one["acknowledged_by"] is None}
    called = {line.id: None for line in floor.lines if line.what is Trail.CALLED}
    seen = {line.id for line in floor.lines if line.what is Trail.ACKNOWLEDGED}
    for key in [one for one in called if one not in seen]:
        assert key.key in asked or key.key in found["alarms"] or key.key == f"T1/{LOST}"
    ends = [line for line in floor.lines if line.what is Trail.CLEARED]
    assert {line.alarm for line in ends} <= cleared_by_table | {LOST}
    assert len({(line.id, line.entry) for line in ends}) == len(ends)


def _raised(floor: Floor, name: str) -> datetime:
    """When the floor knows that alarm to have been raised, or last was."""
    found = floor.board.picture(moment(0))
    one = found["alarms"].get(f"T1/{name}") or next((one for one in found["cleared"] if one["alarm"] == name), None)
    return START if one is None else datetime.fromisoformat(one["raised_at"])
