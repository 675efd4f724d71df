"""A second person at another page of the floor: what is asked, who may agree, and that nothing is ordered by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from support.floor_hand import NOW, FloorHand, code
from support.floor_people import PeopleFloor
from support.people_site import PINS, people_file
from support.table_story import TableStory

from controller.access.sessions import APPROVAL_S
from controller.floor.orders.desk import Ordered
from controller.floor.orders.proposals import MAX_WAITING, Proposals
from controller.gate.gate import Caller
from controller.table.carried_events import CommandAnswered

VOID = {"type": "void_hand", "reason": "a card too many"}
CHANGED = "/api/tables/T1/proposals"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hashing them once is enough."""
    return people_file(tmp_path_factory.mktemp("people") / "people.json")


class Venue:
    """A floor and its table T1, whose bring-in is due."""

    def __init__(self, file: Path) -> None:
        self.table = FloorHand(TableStory({1: 100, 3: 100, 5: 100}).start().deal(), people=file)
        self.floor = PeopleFloor(file, tables=self.table.site.transport, wall=lambda: float(NOW))
        self.floor.table("T1", "Ann")

    async def propose(self, page: httpx.AsyncClient, command: dict[str, Any] = VOID) -> str:
        """That page asks for another person."""
        answer = await page.post(CHANGED, json={"command": command})
        assert (answer.status_code, answer.json()["seconds"]) == (200, APPROVAL_S)
        return str(answer.json()["id"])

    async def agree(self, page: httpx.AsyncClient, key: str, name: str) -> httpx.Response:
        """``name`` agrees at that page by PIN."""
        number = self.floor.person(name).number
        return await page.post(f"/api/proposals/{key}", json={"number": number, "pin": PINS[number]})


async def waiting(page: httpx.AsyncClient) -> list[dict[str, Any]]:
    """What waits for a person at that page."""
    found: list[dict[str, Any]] = (await page.get("/api/proposals")).json()["proposals"]
    return found


async def test_a_second_person_agrees_at_another_page_and_the_first_gives_the_order(file: Path) -> None:
    """What changes is the table's own word; nothing moves by asking or agreeing; the order bears both names."""
    venue = Venue(file)
    async with venue.floor.at_desk("Fay") as fay, venue.floor.at_desk("Kim") as kim:
        key = await venue.propose(fay)
        assert await waiting(fay) == []
        [shown] = await waiting(kim)
        assert (shown["id"], shown["table"], shown["kind"], shown["by"]) == (key, "T1", "void_hand", "Fay")
        assert {"en": "Pot", "fr": "Pot"} in [row["what"] for row in shown["changes"]]
        assert (await fay.get(f"/api/proposals/{key}")).json()["approval"] == ""
        assert (await kim.get(f"/api/proposals/{key}")).status_code == 404
        answer = await venue.agree(kim, key, "Kim")
        assert answer.json() == {"ok": True, "approval": "", "name": "Kim"}
        assert await waiting(kim) == []
        assert venue.table.told.state.hand_open
        given = (await fay.get(f"/api/proposals/{key}")).json()
        body = {"key": "press-0001", "seq": venue.table.told.state.seq, "command": VOID, "approvals": [given["approval"]]}
        assert code(await kim.post("/api/tables/T1/commands", json={**body, "key": "press-0000"})) == "approval_passed"
        assert (await fay.post("/api/tables/T1/commands", json=body)).status_code == 200
    told = venue.table.told.happened(CommandAnswered)[-1]
    assert (told.person, told.agreed_by) == ("Fay", "Kim")
    assert [(note.kind, note.person) for note in venue.floor.noted if note.kind == "agreed"] == [("agreed", "Kim")]


async def test_who_proposed_does_not_agree_and_nobody_does_after_two_minutes(file: Path) -> None:
    """Nor with what was taken back, nor without an own badge or PIN; what the table would refuse is not asked at all."""
    venue = Venue(file)
    async with venue.floor.at_desk("Fay") as fay, venue.floor.at_desk("Kim") as kim:
        key = await venue.propose(fay)
        assert code(await venue.agree(kim, key, "Fay")) == "same_person"
        wrong = await kim.post(f"/api/proposals/{key}", json={"number": "4", "pin": "000000"})
        assert (wrong.status_code, code(wrong)) == (401, "not_known")
        assert len(await waiting(kim)) == 1
        venue.floor.clock_s = APPROVAL_S + 1.0
        assert await waiting(kim) == []
        assert code(await venue.agree(kim, key, "Kim")) == "approval_passed"
        key = await venue.propose(fay)
        assert (await fay.delete("/api/proposals")).status_code == 200
        assert code(await venue.agree(kim, key, "Kim")) == "approval_passed"
        refused = await fay.post(CHANGED, json={"command": {"type": "rule", "role": "floor", "ruling": {"kind": "play_on"}}})
        assert (refused.status_code, refused.json()["ok"]) == (409, False)
        assert await waiting(kim) == []


def test_a_page_asks_for_one_thing_and_memory_is_bounded() -> None:
    """What it asked before is over."""
    proposals = Proposals(lambda: 0.0)
    ordered = Ordered(type="close_table")
    first = proposals.put("T1", ordered, (), Caller("a", "1"))
    second = proposals.put("T2", ordered, (), Caller("a", "1"))
    assert (proposals.find(first.id), proposals.find(second.id)) == (None, second)
    for number in range(MAX_WAITING):
        proposals.put("T1", ordered, (), Caller(str(number), "1"))
    assert proposals.find(second.id) is None
    assert len(proposals.waiting("")) == MAX_WAITING
