"""A page that follows one table: its detail whole, then what changes of it, and nothing of other tables."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.floor_samples import JOURNAL, alarm, happened, moment, status, view

from controller.floor.board.board import Board
from controller.floor.board.recent import EVENTS, HANDS, Recent
from controller.floor.follow import MAX_PAGES, TableStreams
from controller.floor.http import name_of
from controller.mqtt.payloads import AwardLine, RulingPeople
from controller.page_stream import HEARTBEAT_S, TooManyPages


class Room:
    """Two tables, and a clock that the test sets."""

    def __init__(self) -> None:
        self.s = 0.0
        self.asked: list[str] = []
        self.board = Board("nice")
        self.board.listen(moment(0), connected=True)
        for table in ("T1", "T2"):
            self.board.hear_status(table, status(), moment(0))
            self.board.hear_public(table, view(), moment(0))
        self.streams = TableStreams(self.detail, self.stamp, "b1", name_of("b1"), lambda: self.s)

    def stamp(self, table: str) -> object:
        self.board.changes(moment(self.s))
        return self.board.stamp(table, moment(self.s))

    def detail(self, table: str) -> Any:
        self.asked.append(table)
        self.board.changes(moment(self.s))
        return self.board.detail(table, moment(self.s))


def read(frame: bytes) -> tuple[str, dict[str, Any]]:
    """Event and data of the last event in a frame."""
    lines = dict(line.split(": ", 1) for line in frame.decode().strip().split("\n\n")[-1].split("\n"))
    return lines["event"], json.loads(lines["data"])


async def test_a_page_gets_its_table_then_its_changes_and_a_heartbeat() -> None:
    """What happens at another table is not even looked at."""
    room = Room()
    frames = room.streams.frames("T1")
    event, whole = read(await anext(frames))
    assert (event, whole["table"], whole["public"]["hand"], whole["tile"]["status"]) == ("snapshot", "T1", 1287, "live")
    room.asked.clear()
    room.board.hear_alarm("T1", "hold", alarm("hold"))
    room.board.hear_alarm("T2", "hold", alarm("hold"))
    room.streams.tell("now")
    event, change = read(await anext(frames))
    assert event == "change"
    assert [one["id"] for one in change["alarms"]] == ["T1/hold"]
    assert (change["seq"], "public" in change, set(room.asked)) == (whole["seq"] + 1, False, {"T1"})
    room.s = HEARTBEAT_S
    room.asked.clear()
    room.streams.tell("now")
    assert room.asked == []  # nothing is drawn while nothing is heard
    assert read(await anext(frames))[0] == "beat"
    await frames.aclose()
    assert room.streams.pages == 0
    room.asked.clear()
    room.streams.tell("now")
    assert room.asked == []


async def test_nobody_follows_a_table_that_is_not_there_nor_one_page_too_many() -> None:
    """Each by its own error; a server that stops ends the streams."""
    room = Room()
    with pytest.raises(KeyError):
        await anext(room.streams.frames("T9"))
    pages = [room.streams.frames("T1" if number % 2 else "T2") for number in range(MAX_PAGES)]
    for page in pages:
        await anext(page)
    with pytest.raises(TooManyPages):
        await anext(room.streams.frames("T1"))
    room.streams.close()
    with pytest.raises(StopAsyncIteration):
        await anext(pages[0])
    for page in pages:
        await page.aclose()


def test_the_last_hands_tell_who_won_what_and_a_void_pays_nobody() -> None:
    """As the awards were told; an award that was taken back counts no more; memory is bounded."""
    recent = Recent()
    lines = (AwardLine(pot=0, seat=3, chips=40), AwardLine(pot=0, seat=5, chips=20))
    for event in (
        happened(1, "hand_opened"),
        happened(2, "card_dealt", street=4, card="Td", seat=3),
        happened(3, "pot_awarded", shares=(AwardLine(pot=0, seat=7, chips=60),)),
        happened(4, "award_undone"),
        happened(5, "pot_awarded", shares=lines),
        happened(6, "hand_ended"),
        happened(7, "hand_opened", hand=2),
        happened(8, "ruled", code="misdeal", hand=2, ruling=RulingPeople(role="floor", by="Fay", agreed_by="Kim")),
        happened(9, "pot_awarded", hand=2, shares=lines),
        happened(10, "hand_voided", hand=2),
    ):
        recent.hear(event)
    first, second = recent.hands
    assert first["winners"] == [{"seat": 3, "chips": 40}, {"seat": 5, "chips": 20}]
    assert (first["hand"], first["street"], first["voided"]) == (1, 4, False)
    assert (second["hand"], second["winners"], second["voided"]) == (2, [], True)
    assert [(one["code"], one["by"], one["agreed_by"]) for one in recent.rulings] == [("misdeal", "Fay", "Kim")]
    for number in range(200):
        recent.hear(happened(11 + number, "hand_ended", hand=number + 3))
    assert (len(recent.events), len(recent.hands)) == (EVENTS, HANDS)


def test_the_journal_is_told_with_what_the_copy_has_of_it() -> None:
    """Kept of another journal is not kept of this one; a doubt is named."""
    room = Room()
    room.board.note_kept("T1", "00000000", 900)
    assert room.detail("T1")["journal"]["kept"] is None
    room.board.note_kept("T1", JOURNAL, 4)
    assert (room.detail("T1")["journal"]["kept"], room.detail("T1")["journal"]["doubts"]) == (4, [])
    room.board.doubt("T1", "copy_differs", moment(1).at)
    assert room.detail("T1")["journal"]["doubts"] == ["copy_differs"]
