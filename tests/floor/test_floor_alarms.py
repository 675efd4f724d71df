"""What persons do about alarms at the floor's address: who may, what is refused, what is on record, and the figures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.floor_alarms import KeptList, KeptStore
from support.floor_people import PeopleFloor
from support.floor_samples import START, alarm, happened, moment, status, view
from support.people_site import people_file

from controller.floor.alarms.desk import AlarmDesk
from controller.floor.alarms.http import add_alarms
from controller.floor.alarms.summary import summary
from controller.floor.board.board import Board
from controller.floor.board.moment import told
from controller.floor.http import make_floor_api, name_of
from controller.floor.store.address import parse_address
from controller.floor.store.alarm_reads import AlarmCount
from controller.floor.store.rows import Batch, KeptEvent, Source
from controller.floor.store.store import FloorStore, open_store
from controller.page_stream import PageStream

RULED = {"role": "floor", "by": "Fay", "agreed_by": "Kim"}


class Desk:
    """A floor with an alarm of each kind at T1, eleven seconds old, over ``kept``."""

    def __init__(self, kept: KeptList) -> None:
        self.s = 0.0
        self.board = Board("nice")
        self.desk = AlarmDesk(self.board, kept, lambda: moment(self.s))
        stream = PageStream(lambda: self.board.picture(moment(self.s)), lambda: self.board.seq, "b1", name=name_of("b1"))
        self.api = make_floor_api(stream, None, dict, lambda _: None, dict, "0")  # type: ignore[arg-type]
        add_alarms(self.api, self.desk)
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(self.api), base_url="http://floor")
        self.board.listen(moment(0), connected=True)
        self.board.restore((), moment(0))
        self.hear(hold=1, slow=2)
        self.look(11)

    def hear(self, **priorities: int) -> None:
        self.board.hear_status("T1", status(), moment(self.s))
        self.board.hear_public("T1", view(), moment(self.s))
        for name, priority in priorities.items():
            self.board.hear_alarm("T1", name, alarm(name, priority=priority, at=self.s))

    def look(self, at: float) -> dict[str, Any]:
        self.s = at
        self.board.hear_status("T1", status(), moment(at))
        self.board.changes(moment(at))
        self.desk.note()
        return dict(self.board.picture(moment(at)))

    async def post(self, what: str, name: str = "hold", **more: Any) -> httpx.Response:
        body = {"id": f"T1/{name}", "raised_at": told(START), "by": "M. Roux", **more}
        return await self.client.post(f"/api/alarms/{what}", json={key: one for key, one in body.items() if one is not None})


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FloorStore]:
    async with open_store(parse_address("sqlite:///floor.sqlite3", tmp_path), "nice") as opened:
        yield opened


async def test_an_alarm_from_its_raise_to_its_end(store: FloorStore) -> None:
    """Acknowledged by name, which clears nothing; over when its cause is; each line of it is on record, with the hand."""
    desk = Desk(KeptStore(store))
    desk.s = 12
    answer = (await desk.post("acknowledge")).json()
    assert (answer["ok"], answer["stored"], answer["alarm"]["acknowledged_by"]) == (True, True, "M. Roux")
    found = desk.look(13)
    assert found["alarms"]["T1/hold"]["acknowledged_at"] == "2026-01-02T20:00:12.000Z"
    assert (await desk.post("shelve", "slow", minutes=30, reason="parts ordered")).json()["ok"]
    assert (await desk.post("unshelve", "slow", by="L. Perrin")).json()["alarm"]["shelved"] is None
    desk.board.hear_event("T1", happened(9, "ruled", at=14, code="misdeal", ruling=RULED))
    desk.board.hear_alarm("T1", "hold", None)
    desk.look(15)
    await desk.desk._keeping.drained()
    history = (await desk.client.get("/api/alarms", params={"since": told(START)})).json()["alarms"]
    hold = next(one for one in history if one["alarm"] == "hold")
    assert [(line["what"], line.get("by")) for line in hold["trail"]] == [
        ("raised", None),
        ("called", None),
        ("acknowledged", "M. Roux"),
        ("ruled", "Fay, Kim"),
        ("cleared", None),
    ]
    assert (hold["took_s"], hold["trail"][0]["hand"]) == ({"acknowledged": 12.0, "cleared": 15.0}, 1287)
    slow = next(one for one in history if one["alarm"] == "slow")
    assert [line["what"] for line in slow["trail"]] == ["raised", "called", "acknowledged", "shelved", "unshelved"]
    await store.write(Batch(tuple(KeptEvent(Source("T1", "5f0c9a1e"), happened(n, "hand_ended", hand=n)) for n in range(1, 51))))
    figures = (await desk.client.get("/api/alarms/summary", params={"since": told(START)})).json()
    assert (figures["all"]["called"], figures["tables"]["T1"]["per_100_hands"], figures["all"]["over_budget"]) == (2, 4.0, True)


async def test_what_has_changed_meanwhile_is_refused_in_words() -> None:
    """409 with the reason in both languages, and nothing is done; 404 for what never was; 422 for what is no request."""
    desk = Desk(KeptList())
    desk.board.hear_alarm("T1", "hold", None)
    desk.look(12)
    desk.hear(hold=1)
    desk.look(13)
    answer = await desk.post("acknowledge", raised_at=told(moment(5).at))
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "raised_anew")
    assert "look at the card again" in answer.json()["refusal"]["message_en"]
    assert (await desk.post("acknowledge", "none")).status_code == 404
    assert (await desk.post("acknowledge", by=" ")).json()["refusal"]["code"] == "nobody"
    assert (await desk.post("acknowledge", by=None)).status_code == 422
    assert (await desk.post("acknowledge", by="x" * 65)).status_code == 422
    assert (await desk.post("shelve", "slow", minutes=20, reason="x")).status_code == 422
    assert (await desk.post("shelve", "slow", minutes=15, reason=" ")).json()["refusal"]["code"] == "shelf_reason"
    assert (await desk.post("shelve", "hold", raised_at=told(moment(12).at), minutes=15, reason="x")).status_code == 409
    assert (await desk.post("clear", "slow", reason="x")).json()["refusal"]["code"] == "clears_itself"
    assert (await desk.client.get("/api/alarms")).json()["refusal"]["code"] == "store_away"
    assert desk.look(14)["alarms"]["T1/slow"]["acknowledged_by"] is None


async def test_a_store_that_is_away_keeps_nobody_from_acknowledging() -> None:
    """It is done, and the answer says that it is not kept yet."""
    kept = KeptList()
    kept.is_open = False
    desk = Desk(kept)
    assert (await desk.post("acknowledge")).json()["stored"] is False
    assert desk.look(12)["alarms"]["T1/hold"]["acknowledged_by"] == "M. Roux"


async def test_who_signs_in_acknowledges_by_his_own_name(tmp_path: Path) -> None:
    """Whatever name the body gives. An engineer takes alarms of devices alone."""
    floor = PeopleFloor(people_file(tmp_path / "people.json"))
    floor.table("T1")
    for name, device in (("hold", None), ("device_down_a", "a")):
        told_ = alarm(name).model_copy(update={"device": device})
        floor.board.hear_alarm("T1", name, told_)
    floor.tell()

    async def acknowledge(person: str, name: str) -> tuple[int, str | None]:
        async with floor.at_desk(person) as client:
            body = {"id": f"T1/{name}", "raised_at": told(START), "by": "Nobody"}
            answer = await client.post("/api/alarms/acknowledge", json=body)
        return answer.status_code, answer.json().get("alarm", {}).get("acknowledged_by")

    assert await acknowledge("Ed", "hold") == (403, None)
    assert await acknowledge("Sue", "device_down_a") == (403, None)
    assert await acknowledge("Ed", "device_down_a") == (200, "Ed")
    assert await acknowledge("Fay", "hold") == (200, "Fay")


async def test_two_floors_of_one_store(store: FloorStore) -> None:
    """What is acknowledged at one is known at the other after its next look, and its page is told."""
    first, second = Desk(KeptStore(store)), Desk(KeptStore(store))
    await first.post("acknowledge")
    second.board.follow(await store.alarms.lines(moment(0).at))
    assert second.look(12)["alarms"]["T1/hold"]["acknowledged_by"] == "M. Roux"
    answer = await second.post("acknowledge", by="L. Perrin")
    assert "M. Roux has acknowledged it already" in answer.json()["refusal"]["message_en"]


def test_figures_name_what_calls_most() -> None:
    """Called against hands; what was mended in time counts beside it; a room without hands has no rate."""
    counts = [
        AlarmCount("T1", "wrong_place", None, 1, 5, 1),
        AlarmCount("T2", "device_down", "felt_a", 2, 4, 4),
        AlarmCount("", "broker_away", None, 1, 1, 1),
    ]
    found = summary(counts, {"T1": 200, "T2": 100, "T3": 50})
    assert found["all"] == {
        "hands": 350,
        "raised": 10,
        "called": 6,
        "mended": 4,
        "by_priority": {"1": 2, "2": 4, "3": 0},
        "per_100_hands": 1.71,
        "over_budget": True,
    }
    assert [(name, one["per_100_hands"]) for name, one in found["tables"].items()] == [("T1", 0.5), ("T2", 4.0), ("T3", 0.0)]
    assert found["causes"][0] == {"table": "T2", "code": "device_down", "device": "felt_a", "priority": 2, "called": 4}
    assert summary(counts, {})["all"]["per_100_hands"] is None
