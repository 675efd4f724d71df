"""What the floor knows of each table: alive or not, in which order, and changes that add up to the picture."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.floor_samples import alarm, happened, merged, moment, status, view
from support.mqtt_samples import device

from controller.floor.board.alarms import BRIDGE, BROKER, COPY_DIFFERS, LOST, SILENT, STORE, natural
from controller.floor.board.board import MAX_TABLES, Board
from controller.floor.board.liveness import SILENT_AFTER_S, Liveness, liveness_of
from controller.floor.board.table import MAX_ALARMS, SETTLE_S, FloorTable
from controller.mqtt.payloads import TableStatus


def open_board(*tables: str) -> Board:
    """A board that listens, with live tables that were heard at second 0."""
    board = Board("nice")
    board.listen(moment(0), connected=True)
    for name in tables:
        board.hear_status(name, status(), moment(0))
        board.hear_public(name, view(), moment(0))
    board.changes(moment(0))
    return board


def picture(board: Board, seconds: float = 0.0) -> dict[str, Any]:
    board.changes(moment(seconds))
    return dict(board.picture(moment(seconds)))


@pytest.mark.parametrize(
    ("of", "heard", "since", "now", "found"),
    [
        (TableStatus.LIVE, 0.0, 0.0, SILENT_AFTER_S, Liveness.ONLINE),
        (TableStatus.LIVE, 0.0, 0.0, SILENT_AFTER_S + 0.1, Liveness.SILENT),
        (TableStatus.SUSPENDED, 9.0, 0.0, 10.0, Liveness.ONLINE),
        (TableStatus.CLOSED, None, 0.0, 100.0, Liveness.OFFLINE),
        (TableStatus.LOST, 0.0, 0.0, 0.1, Liveness.LOST),
        (TableStatus.LIVE, None, 0.0, 5.0, Liveness.UNKNOWN),
        (TableStatus.LIVE, None, 0.0, 5.1, Liveness.SILENT),
        (TableStatus.LIVE, 0.0, 100.0, 104.0, Liveness.ONLINE),
        (None, None, 0.0, 6.0, Liveness.SILENT),
    ],
)
def test_how_alive_a_table_is(of: TableStatus | None, heard: float | None, since: float, now: float, found: Liveness) -> None:
    """Closed in order, lost by its last will, silent after more than five seconds; after an outage everybody gets five anew."""
    assert liveness_of(of, heard, since, now) is found


def test_a_tile_says_what_is_played() -> None:
    """Game, hand, street, pot and seats as published, and no card at all."""
    tile = picture(open_board("T12"))["tables"]["T12"]
    assert (tile["state"], tile["liveness"], tile["hand"], tile["street"], tile["pot"]) == ("going", "online", 1287, 5, 58)
    assert tile["game"] == {"variant": "stud", "ante": 1, "bring_in": 2, "small": 4, "big": 8}
    assert tile["players"] == 7
    assert tile["seats"][2] == {"seat": 3, "name": "Chloé", "stack": 79, "state": "live"}


def test_what_the_broker_had_kept_is_no_sign_of_life() -> None:
    """A retained picture makes no table online; the first beat does."""
    board = Board("nice")
    board.listen(moment(0), connected=True)
    board.hear_status("T1", status(), moment(0), is_kept=True)
    board.hear_public("T1", view(), moment(0), is_kept=True)
    assert picture(board, 1)["tables"]["T1"]["liveness"] == "unknown"
    board.hear_status("T1", status(), moment(1.5))
    assert picture(board, 2)["tables"]["T1"]["liveness"] == "online"


def test_a_table_that_dies_is_an_alarm_and_silences_its_own() -> None:
    """By last will at once; its readers' alarms say nothing more, until it is back."""
    board = open_board("T1", "T2")
    board.hear_alarm("T1", "device_down_felt_a", alarm("device_down_felt_a", priority=2))
    board.hear_status("T1", status(TableStatus.LOST), moment(1))
    found = picture(board, 1)
    assert (found["tables"]["T1"]["liveness"], found["tables"]["T1"]["state"]) == ("lost", "away")
    assert list(found["alarms"]) == [f"T1/{LOST}"]
    assert found["attention"] == ["T1", "T2"]
    board.hear_status("T1", status(epoch=3), moment(2))
    assert "T1/table_lost" not in picture(board, 2)["alarms"]


def test_a_late_will_of_an_older_controller_is_passed_over() -> None:
    """What a replaced controller's connection leaves behind says nothing of the one that plays."""
    board = open_board("T1")
    board.hear_status("T1", status(epoch=3), moment(1))
    board.hear_status("T1", status(TableStatus.LOST, epoch=2), moment(1))
    board.hear_public("T1", view(epoch=2, seq=999, pots=()), moment(1))
    tile = picture(board, 1)["tables"]["T1"]
    assert (tile["liveness"], tile["pot"]) == ("online", 58)


def test_a_silent_table_is_called_and_a_broker_that_is_away_is_one_line() -> None:
    """One cause, one alarm: while the broker is away no table is blamed, though their pictures are stale."""
    board = open_board("T1", "T2")
    board.hear_status("T2", status(), moment(5))
    found = picture(board, 6)
    assert list(found["alarms"]) == [f"T1/{SILENT}"]
    assert found["tables"]["T1"]["heard_at"] == "2026-01-02T20:00:00.000Z"
    assert found["tables"]["T2"]["heard_at"] is None
    board = open_board("T1", "T2")
    board.listen(moment(2), connected=False)
    found = picture(board, 20)
    assert list(found["alarms"]) == [f"/{BROKER}"]
    assert {tile["liveness"] for tile in found["tables"].values()} == {"silent"}
    board.listen(moment(30), connected=True)
    assert picture(board, 34)["alarms"] == {}
    assert len(picture(board, 36)["alarms"]) == 2


def test_a_bridge_that_is_down_is_named_once() -> None:
    """The table is silent and the line is what is wrong; once mended the table has five seconds, and is blamed after them. A
    table that was closed before its machine went dark calls nobody."""
    board = open_board("T1", "T2")
    board.hear_bridge("T1", moment(1), is_up=False)
    board.hear_status("T2", status(TableStatus.CLOSED), moment(1))
    board.hear_bridge("T2", moment(2), is_up=False)
    assert alarm_keys(board, 5) == []
    tiles = picture(board, 60)["tables"]
    assert [(tiles[name]["liveness"], tiles[name]["alarms"]) for name in ("T1", "T2")] == [("silent", 1), ("offline", 0)]
    assert alarm_keys(board, 60) == [f"T1/{BRIDGE}"]
    board.hear_bridge("T1", moment(61), is_up=True)
    assert alarm_keys(board, 65) == []
    assert alarm_keys(board, 67) == [f"T1/{SILENT}"]


def alarm_keys(board: Board, seconds: float) -> list[str]:
    return [key for key in picture(board, seconds)["alarm_order"] if picture(board, seconds)["alarms"][key]["cleared_at"] is None]


def test_what_ended_while_the_broker_was_away_does_not_stand_for_ever() -> None:
    """The end of an alarm is told once. After a new connection a table tells what stands; the rest is forgotten."""
    board = open_board("T1")
    for name in ("stays", "ends"):
        board.hear_alarm("T1", name, alarm(name, priority=2))
        board.hear_device("T1", name, device(name))
    board.listen(moment(1), connected=False)
    board.listen(moment(9), connected=True)
    board.hear_alarm("T1", "stays", alarm("stays", priority=2))
    board.hear_device("T1", "stays", device("stays"))
    board.hear_status("T1", status(), moment(10))
    assert len(picture(board, 10)["alarms"]) == 2
    assert list(picture(board, 10 + SETTLE_S)["alarms"]) == ["T1/stays"]
    detail = board.detail("T1", moment(0))
    assert detail is not None
    assert [one["device"] for one in detail["devices"]] == ["stays"]


def test_alarms_come_in_the_order_in_which_they_call() -> None:
    """Priority, then what nobody has acknowledged, then the older one; the floor's own among them."""
    board = open_board("T2", "T10", "T3")
    board.hear_alarm("T2", "c", alarm("c", priority=2, at=0))
    board.hear_alarm("T10", "b", alarm("b", priority=1, at=3))
    board.hear_alarm("T3", "a", alarm("a", priority=1, at=1, by="M. Roux"))
    board.hear_alarm("T3", "d", alarm("d", priority=1, at=4))
    board.doubt("T2", COPY_DIFFERS, moment(9).at)
    found = picture(board)
    assert found["alarm_order"] == ["T10/b", "T3/d", f"T2/{COPY_DIFFERS}", "T3/a", "T2/c"]
    assert found["attention"] == ["T10", "T3", "T2"]
    assert found["tables"]["T2"]["priority"] == 1


def test_without_alarms_tables_come_by_what_goes_on_and_then_by_name() -> None:
    """Stopped, away, paused, waiting for players, playing, closed."""
    board = open_board("T10", "T9", "T1", "T2", "T3", "T4")
    board.hear_status("T1", status(TableStatus.CLOSED), moment(0))
    board.hear_status("T2", status(TableStatus.SUSPENDED), moment(0))
    board.hear_public("T3", view(seq=124, hold="wrong_seat"), moment(0))
    board.hear_public("T4", view(seq=124, hand=None, street=None, phase=None, actor=None, seats=()), moment(0))
    found = picture(board)
    assert found["attention"] == ["T3", "T2", "T4", "T9", "T10", "T1"]
    expected = {"stopped": 1, "going": 2, "paused": 1, "open": 1, "away": 0, "closed": 1, "players": 28}
    assert found["totals"] == expected


def test_the_store_that_is_away_is_told() -> None:
    """One line, and its end."""
    board = open_board("T1")
    board.keep(moment(1), stored=False)
    assert (picture(board, 1)["store"], list(picture(board, 1)["alarms"])) == ({"stored": False}, [f"/{STORE}"])
    board.keep(moment(2), stored=True)
    assert (picture(board, 2)["store"], picture(board, 2)["alarms"]) == ({"stored": True}, {})


def test_hands_an_hour_stand_on_the_tile() -> None:
    """Counted from the events, at the time the table says; none while little is known."""
    board = open_board("T1")
    for number in range(10):
        board.hear_event("T1", happened(number + 1, "hand_ended", at=120.0 * number))
        board.hear_status("T1", status(), moment(120.0 * number))
    assert picture(board, 60.0)["tables"]["T1"]["pace"] is None
    assert picture(board, 1200.0)["tables"]["T1"]["pace"] == 30


def test_strangers_fill_no_memory() -> None:
    """Names of tables and alarms beyond the bounds are passed over."""
    board = Board("nice")
    for number in range(MAX_TABLES + 5):
        board.hear_status(f"X{number}", status(), moment(0))
    assert len(board.tables) == MAX_TABLES
    board = open_board("T1")
    for number in range(MAX_ALARMS + 5):
        board.hear_alarm("T1", f"a{number}", alarm(f"a{number}"))
    assert len(picture(board)["alarms"]) == MAX_ALARMS


def test_nothing_new_is_no_change() -> None:
    """A beat of every table a second would be a thousand lines that say nothing."""
    board = open_board("T1", "T2")
    seq = board.seq
    for second in range(1, 5):
        board.hear_status("T1", status(seq=100 + second), moment(second))
        board.hear_status("T2", status(seq=100 + second), moment(second))
        assert board.changes(moment(second)) is None
    assert board.seq == seq


def test_what_is_not_another_is_not_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand tables those are drawn of which something new was heard; not all of them each second."""
    board = open_board("T1", "T2", "T3")
    picture(board, 1)
    drawn: list[str] = []
    tile = FloorTable.tile
    monkeypatch.setattr(FloorTable, "tile", lambda self, *now: drawn.append(self.name) or tile(self, *now))
    for seconds in range(2, 6):
        for name in board.tables:
            board.hear_status(name, status(), moment(seconds))
        board.hear_public("T2", view(seq=200 + seconds), moment(seconds))
        board.changes(moment(seconds))
    assert drawn == ["T2"] * 4


def test_who_deals_and_since_when() -> None:
    """The name as the table tells it, since the floor has heard it; nobody, where nobody drives."""
    board = open_board("T1")
    assert picture(board)["tables"]["T1"]["dealer"] is None
    for second, name in ((1, "Nadia B."), (2, "Nadia B."), (9, "Max J.")):
        board.hear_status("T1", status(dealer=name, http="http://10.0.0.7:8080/"), moment(second))
        tile = picture(board, second)["tables"]["T1"]
        since = "2026-01-02T20:00:09.000Z" if second == 9 else "2026-01-02T20:00:01.000Z"
        assert (tile["dealer"], tile["http"]) == ({"name": name, "since": since}, "http://10.0.0.7:8080/")
    board.hear_status("T1", status(), moment(10))
    assert picture(board, 10)["tables"]["T1"]["dealer"] is None


TABLES = st.sampled_from(("T1", "T2", "T10"))
HAPPENINGS = st.one_of(
    st.tuples(st.just("status"), TABLES, st.sampled_from(TableStatus), st.integers(1, 3), st.booleans()),
    st.tuples(st.just("public"), TABLES, st.integers(1, 9), st.integers(1, 3), st.sampled_from((None, "wrong_seat"))),
    st.tuples(st.just("alarm"), TABLES, st.sampled_from("abc"), st.integers(1, 3), st.booleans()),
    st.tuples(st.just("clear"), TABLES, st.sampled_from("abc")),
    st.tuples(st.just("event"), TABLES, st.integers(0, 4000)),
    st.tuples(st.just("broker"), st.booleans()),
    st.tuples(st.just("store"), st.booleans()),
    st.tuples(st.just("wait"), st.floats(0, 2000)),
    st.tuples(st.just("tell")),
)


@given(st.lists(HAPPENINGS, max_size=40))
def test_changes_add_up_to_the_picture(story: list[tuple[Any, ...]]) -> None:
    """Whatever is heard: a page that has the first picture and every change has the newest picture; numbers grow by one, no
    table and no alarm is missing in the orders, and none stands there twice."""
    board, now = Board("nice"), 0.0
    page = merged(board.picture(moment(0)), None)
    for what, *given_ in story:
        match what, given_:
            case "status", [table, of, epoch, kept]:
                board.hear_status(table, status(of, epoch=epoch), moment(now), is_kept=kept)
            case "public", [table, seq, epoch, hold]:
                board.hear_public(table, view(seq=seq, epoch=epoch, hold=hold), moment(now))
            case "alarm", [table, name, priority, seen]:
                board.hear_alarm(table, name, alarm(name, priority=priority, at=now, by="M. Roux" if seen else None))
            case "clear", [table, name]:
                board.hear_alarm(table, name, None)
            case "event", [table, at]:
                board.hear_event(table, happened(1, "hand_ended", at=at))
            case "broker", [connected]:
                board.listen(moment(now), connected=connected)
            case "store", [stored]:
                board.keep(moment(now), stored=stored)
            case "wait", [seconds]:
                now += seconds
            case _:
                page = _told(board, page, now)
    page = _told(board, page, now)
    assert sorted(page["attention"], key=natural) == list(board.tables)
    assert sorted(page["alarm_order"]) == sorted(page["alarms"])
    ranks = [(one["priority"], one["acknowledged_by"] is not None) for one in map(page["alarms"].get, page["alarm_order"])]
    assert ranks == sorted(ranks)


def _told(board: Board, page: dict[str, Any], now: float) -> dict[str, Any]:
    change = board.changes(moment(now))
    assert change is None or change["seq"] == page["seq"] + 1
    page = merged(page, change)
    whole = dict(board.picture(moment(now)))
    assert {**page, "now": ""} == {**whole, "now": ""}
    return page


def test_what_time_changes_is_looked_at_at_each_table_once_a_second_and_never_at_all_of_them_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In eighths of a second thirteen of a hundred tables a call, every one of them in its turn."""
    board = Board("nice")
    for number in range(100):
        board.hear_status(f"T{number}", status(), moment(0))
    board.changes(moment(0))
    looked: list[str] = []
    monkeypatch.setattr(board, "_moves_by_itself", lambda table, _: bool(looked.append(table.name)))
    counts = []
    for eighth in range(1, 11):
        before = len(looked)
        board.changes(moment(eighth / 8))
        counts.append(len(looked) - before)
    assert max(counts) == 13
    assert set(looked[:100]) == set(board.tables)
