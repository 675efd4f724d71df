"""Orders from the floor to a real table's address: signed for whoever is there, passed on as they are, on record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.floor_hand import NOW, FloorHand, code
from support.floor_people import PeopleFloor
from support.people_site import PINS, people_file
from support.table_story import TableStory

from controller.access.sessions import APPROVAL_S
from controller.displays.adapter import DisplayAdapter
from controller.floor.orders.passing import MAX_ANSWER, TIMEOUT
from controller.table.access_events import AlarmAcknowledged, FloorOrdered
from controller.table.carried_events import CommandAnswered
from controller.table.inputs import Rule, StopPlay
from controller.table.wheel import TakeWheel
from drivers.ports import LinkChanged, LinkState

PAUSE = {"type": "pause_table", "reason": "break"}
VOID = {"type": "void_hand", "reason": "a card too many"}
KEYED = {"type": "rule", "ruling": {"kind": "key_card", "place": "seat/1/down", "card": "As"}, "role": "floor"}


class Venue:
    """A floor and a table, T1, whose bring-in is due and at which Ann drives; ``key`` counts the presses."""

    def __init__(self, file: Path | None, table_file: Path | None) -> None:
        told = TableStory({1: 100, 3: 100, 5: 100})
        if table_file is not None:
            told.by("one", "Ann", TakeWheel("Ann"))
        self.table = FloorHand(told.start().deal(), people=table_file)
        self.floor = PeopleFloor(file, tables=self.table.site.transport, wall=lambda: float(NOW))
        self.floor.table("T1", "Ann")
        self.floor.table("T2", "Ben")
        self.floor.status("T3")
        self.keys = 0

    def body(self, command: dict[str, Any], **more: Any) -> dict[str, Any]:
        """What a page sends."""
        self.keys += 1
        return {"key": f"press-{self.keys:04}", "seq": self.table.told.state.seq, "command": command, **more}

    async def order(self, client: httpx.AsyncClient, command: dict[str, Any], *approvals: str, at: str = "T1") -> httpx.Response:
        """Give an order."""
        return await client.post(f"/api/tables/{at}/commands", json=self.body(command, approvals=list(approvals)))

    async def agree(self, client: httpx.AsyncClient, name: str, command: dict[str, Any], at: str = "T1") -> str:
        """``name`` agrees by PIN."""
        number = self.floor.person(name).number
        body = {"number": number, "pin": PINS[number], "command": command}
        answer = await client.post(f"/api/tables/{at}/approvals", json=body)
        assert (answer.status_code, answer.json()["name"], answer.json()["seconds"]) == (200, name, APPROVAL_S)
        return str(answer.json()["approval"])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hashing them once is enough."""
    return people_file(tmp_path_factory.mktemp("people") / "people.json")


@pytest.fixture
def venue(file: Path) -> Venue:
    """People sign in at both."""
    return Venue(file, file)


async def test_an_order_goes_to_the_table_in_the_name_of_who_is_at_the_page(venue: Venue) -> None:
    """The answer is the table's; journal and trail name the same person and the same token."""
    async with venue.floor.at_desk("Fay") as fay:
        answer = await venue.order(fay, PAUSE)
    told = venue.table.told
    assert (answer.status_code, code(answer)) == (200, "")
    assert answer.json()["seq"] == told.state.answers["press-0001"][1]
    signed = told.happened(FloorOrdered)[-1]
    assert (signed.person, signed.role, signed.key) == ("Fay", "floor", "press-0001")
    [note] = venue.floor.noted
    said = json.loads(note.body)
    assert (note.kind, note.person, note.table) == ("ordered", "Fay", "T1")
    assert (said["answer"], said["seq"]) == ("taken", answer.json()["seq"])
    assert (said["token"], said["command"]) == (signed.token, PAUSE)


async def test_two_people_give_what_takes_two(venue: Venue) -> None:
    """The second by PIN at the same page; alone it is refused by the table, and both answers are in the trail."""
    async with venue.floor.at_desk("Fay") as fay:
        assert code(await venue.order(fay, VOID)) == "two_approvals_due"
        assert code(await venue.order(fay, VOID, await venue.agree(fay, "Fay", VOID))) == "same_person"
        assert code(await venue.order(fay, VOID, await venue.agree(fay, "Sue", VOID))) == "two_approvals_due"
        assert code(await venue.order(fay, VOID, await venue.agree(fay, "Kim", VOID))) == ""
    told = venue.table.told.happened(CommandAnswered)[-1]
    assert (told.person, told.agreed_by) == ("Fay", "Kim")
    kinds = [(note.kind, note.person) for note in venue.floor.noted]
    assert kinds == [
        ("ordered", "Fay"),
        *[one for name in ("Fay", "Sue", "Kim") for one in (("agreed", name), ("ordered", "Fay"))],
    ]
    assert [json.loads(note.body)["agreed"] for note in venue.floor.noted if note.kind == "ordered"] == [
        None, ["Fay", "floor"], ["Sue", "surveillance"], ["Kim", "floor"]
    ]  # fmt: skip
    assert not any(pin in repr(venue.floor.noted) for pin in PINS.values())


async def test_a_consent_is_for_one_order_at_one_table_in_one_hand_and_for_two_minutes(venue: Venue) -> None:
    """Anything else is refused at the floor, and nothing goes to the table."""
    before = len(venue.table.told.events)
    async with venue.floor.at_desk("Fay") as fay:
        given = await venue.agree(fay, "Kim", VOID)
        assert code(await venue.order(fay, {**VOID, "reason": "another"}, given)) == "approval_passed"
        assert code(await venue.order(fay, VOID, given, at="T2")) == "approval_passed"
        async with venue.floor.at_desk("Kim") as kim:
            assert code(await venue.order(kim, VOID, given)) == "approval_passed"
        venue.floor.table("T1", "Ann", hand=1288)
        assert code(await venue.order(fay, VOID, given)) == "approval_passed"
        venue.floor.table("T1", "Ann", hand=1287)
        venue.floor.clock_s += APPROVAL_S
        assert code(await venue.order(fay, VOID, given)) == "approval_passed"
        answer = await fay.post("/api/tables/T1/approvals", json={"command": VOID, "number": "4", "pin": "000000"})
        assert (answer.status_code, code(answer)) == (401, "not_known")
    assert len(venue.table.told.events) == before


async def test_a_press_that_is_sent_again_gets_the_same_answer(venue: Venue) -> None:
    """With its consent too: the page heard nothing, and the table did it once."""
    async with venue.floor.at_desk("Fay") as fay:
        body = venue.body(VOID, approvals=[await venue.agree(fay, "Kim", VOID)])
        first = await fay.post("/api/tables/T1/commands", json=body)
        before = len(venue.table.told.events)
        again = await fay.post("/api/tables/T1/commands", json=body)
    assert first.json() == again.json()
    assert len(venue.table.told.events) == before


async def test_sheets_and_previews_are_the_tables(venue: Venue) -> None:
    """Who surveys reads how devices are, and gets no form; a locked page asks for a sign-in."""
    async with venue.floor.at_desk("Fay") as fay, venue.floor.at_desk("Ed") as ed:
        form = (await fay.get("/api/tables/T1/sheets", params={"name": "form:sit_out", "seat": 3})).json()
        assert (form["command"]["seat"], form["seq"]) == (3, venue.table.told.state.seq)
        preview = await fay.post("/api/tables/T1/preview", json={"command": VOID})
        assert preview.json()["changes"]
        assert (await ed.get("/api/tables/T1/sheets", params={"name": "devices"})).status_code == 200
        assert code(await ed.get("/api/tables/T1/sheets", params={"name": "menu"})) == "may_not"
        venue.floor.gate.sessions.lock(fay.cookies[venue.floor.gate.cookie])
        assert code(await fay.get("/api/tables/T1/sheets", params={"name": "menu"})) == "sign_in_first"


async def test_no_face_that_was_keyed_stands_in_the_trail(venue: Venue) -> None:
    """It may lie face down."""
    async with venue.floor.at_desk("Fay") as fay:
        await venue.order(fay, KEYED)
    said = json.loads(venue.floor.noted[-1].body)
    assert (said["command"]["ruling"]["place"], said["command"]["ruling"]["card"]) == ("seat/1/down", "")


@pytest.mark.parametrize(
    ("error", "status", "refused"),
    [
        (httpx.ConnectError("no"), 502, "table_unreachable"),
        (httpx.ConnectTimeout("no"), 502, "table_unreachable"),
        (httpx.ReadTimeout("no"), 504, "table_unanswered"),
        (httpx.RemoteProtocolError("no"), 504, "table_unanswered"),
        (b"<html>", 502, "table_answers_otherwise"),
        (b"[]", 502, "table_answers_otherwise"),
        (b'"' + b"x" * MAX_ANSWER + b'"', 502, "table_answers_otherwise"),
    ],
    ids=lambda one: str(one)[:24],
)
async def test_a_table_that_does_not_answer_is_one_clear_sentence(
    file: Path, error: Exception | bytes, status: int, refused: str
) -> None:
    """And stands in the trail, for whether the order was done is not known."""

    def answer(_: httpx.Request) -> httpx.Response:
        if isinstance(error, Exception):
            raise error
        return httpx.Response(200, content=error)

    floor = PeopleFloor(file, tables=httpx.MockTransport(answer))
    floor.table("T1", "Ann")
    async with floor.at_desk("Fay") as fay:
        told = await fay.post("/api/tables/T1/commands", json={"key": "press-0001", "seq": 1, "command": PAUSE})
    assert (told.status_code, code(told)) == (status, refused)
    refusal = told.json()["refusal"]
    assert "T1" in refusal["message_en"]
    assert refusal["message_fr"] != refusal["message_en"]
    assert json.loads(floor.noted[-1].body)["answer"] == refused


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999", "http://[::1", f"http://{'a' * 70}.example"])
async def test_an_address_that_is_none_is_a_table_that_cannot_be_reached(file: Path, address: str) -> None:
    """Whatever a table announces: who ordered is told, and the trail has it."""
    floor = PeopleFloor(file, tables=httpx.AsyncHTTPTransport())
    floor.status("T1", http=address)
    async with floor.at_desk("Fay") as fay:
        told = await fay.post("/api/tables/T1/commands", json={"key": "press-0001", "seq": 1, "command": PAUSE})
    assert (told.status_code, code(told)) == (502, "table_unreachable")
    assert json.loads(floor.noted[-1].body)["answer"] == "table_unreachable"


async def test_a_table_that_nobody_heard_of_or_that_told_no_address(venue: Venue) -> None:
    """Each in one sentence."""
    async with venue.floor.at_desk("Fay") as fay:
        assert code(await venue.order(fay, PAUSE, at="T99")) == "no_such_table"
        assert code(await venue.order(fay, PAUSE, at="T3")) == "table_no_address"
        assert (await fay.post("/api/tables/T1/commands", json={"command": PAUSE})).status_code == 422


@pytest.mark.parametrize("reason", [b'"\\ud800"', b"[" * 300 + b"]" * 300])
async def test_what_no_text_carries_is_signed_for_nobody(venue: Venue, reason: bytes) -> None:
    """Half a sign and endless nesting are refused at the floor as what cannot be read."""
    body = b'{"key": "press-0009", "seq": 0, "command": {"type": "pause_table", "reason": ' + reason + b"}}"
    async with venue.floor.at_desk("Fay") as fay:
        headers = {"Content-Type": "application/json"}
        answer = await fay.post("/api/tables/T1/commands", content=body, headers=headers)
    assert (answer.status_code, code(answer), venue.floor.noted) == (422, "unreadable", [])


async def test_an_order_signed_for_one_table_does_nothing_at_another(venue: Venue) -> None:
    """The broker lied about an address: T2's orders come to T1, which refuses them."""
    before = len(venue.table.told.events)
    async with venue.floor.at_desk("Fay") as fay:
        assert code(await venue.order(fay, PAUSE, at="T2")) == "token_other_table"
    assert len(venue.table.told.events) == before


async def test_an_open_floor_orders_by_the_names_in_the_order() -> None:
    """At an open table; one where people sign in takes none of it."""
    venue = Venue(None, None)
    async with venue.floor.browser() as page:
        assert code(await venue.order(page, PAUSE)) == ""
        assert code(await venue.order(page, VOID)) == "two_names_due"
        assert code(await venue.order(page, {**VOID, "by": "Fay", "agreed_by": "Kim"})) == ""
        answer = await page.post("/api/tables/T1/approvals", json={"command": VOID, "number": "4", "pin": PINS["4"]})
        assert code(answer) == "nobody_signs_in"
    assert venue.table.told.happened(FloorOrdered)[-1].person == "Fay"


async def test_an_open_floor_orders_nothing_where_people_sign_in(file: Path) -> None:
    """Names are anybody's to write."""
    venue = Venue(None, file)
    async with venue.floor.browser() as page:
        assert code(await venue.order(page, {**VOID, "by": "Fay", "agreed_by": "Kim"})) == "floor_is_open"
    assert venue.table.told.state.hand_open


def test_a_pages_wait_for_a_table_is_short() -> None:
    """A page that hears nothing cannot say so."""
    assert max(TIMEOUT.as_dict().values()) <= 5


@pytest.mark.parametrize("open_floor", [False, True], ids=["people", "open"])
async def test_who_acknowledges_at_the_floor_is_named_at_the_table(venue: Venue, *, open_floor: bool) -> None:
    """By a signed order; what the table publishes of it then changes nothing at the floor, and asks nothing of the table."""
    venue = Venue(None, None) if open_floor else venue
    told, board = venue.table.told, venue.floor.board
    told.by("one", "Ann", Rule("stop_play", StopPlay()))
    told.tell(LinkChanged("shoe", 0, LinkState.DOWN, ""))
    adapter = DisplayAdapter("T1", 2)

    def publish() -> None:
        for name, alarm in adapter.snapshot(told.state, (), venue.floor.now().at).alarms.items():
            board.hear_alarm("T1", name, alarm)
        board.changes(venue.floor.now())

    publish()
    who = "M. Roux" if open_floor else "Fay"
    async with venue.floor.browser() if open_floor else venue.floor.at_desk("Fay") as page:
        for name, named in (("hold", None), ("device_down_shoe", None), ("hold", who)):
            raised_at = venue.floor.picture()["alarms"][f"T1/{name}"]["raised_at"]
            body = {"id": f"T1/{name}", "raised_at": raised_at, "by": who if open_floor else ""}
            assert venue.floor.picture()["alarms"][f"T1/{name}"]["acknowledged_by"] == named
            answer = (await page.post("/api/alarms/acknowledge", json=body)).json()
            assert (answer["ok"], answer["table_told"], answer["alarm"]["acknowledged_by"]) == (True, True, who)
            publish()
    assert [(one.alarm, one.by) for one in told.happened(AlarmAcknowledged)] == [("hold", who), ("device_down_shoe", who)]
    assert {one.by for one in told.state.alarms} == {who}
    assert told.hold == "floor_called"
    ordered = len(told.happened(FloorOrdered))
    publish()
    assert len(told.happened(FloorOrdered)) == ordered == 3


async def test_what_the_floor_has_on_record_stands_though_its_table_is_not_told(venue: Venue) -> None:
    """An engineer's word goes as far as his right; a table that is gone, or has moved on, was not told, and the page says so."""
    told, board = venue.table.told, venue.floor.board
    told.by("one", "Ann", Rule("stop_play", StopPlay()))
    told.tell(LinkChanged("shoe", 0, LinkState.DOWN, ""))
    alarms = DisplayAdapter("T1", 2).snapshot(told.state, (), venue.floor.now().at).alarms
    for name, alarm in alarms.items():
        board.hear_alarm("T1", name, alarm)
        board.hear_alarm("T3", name, alarm)
    board.changes(venue.floor.now())
    told.tell(LinkChanged("shoe", 0, LinkState.UP, ""))

    async def acknowledge(page: httpx.AsyncClient, key: str) -> dict[str, Any]:
        raised_at = venue.floor.picture()["alarms"][key]["raised_at"]
        return dict((await page.post("/api/alarms/acknowledge", json={"id": key, "raised_at": raised_at})).json())

    async with venue.floor.at_desk("Fay") as fay, venue.floor.at_desk("Ed") as ed:
        assert (await acknowledge(ed, "T1/hold"))["refusal"]["code"] == "may_not"
        answers = [await acknowledge(ed, "T1/device_down_shoe"), await acknowledge(fay, "T3/hold")]
    assert [(one["ok"], one["table_told"]) for one in answers] == [(True, False)] * 2
    assert told.happened(AlarmAcknowledged) == []
    assert {json.loads(note.body)["answer"] for note in venue.floor.noted} == {"may_not", "table_no_address"}
