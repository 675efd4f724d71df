"""The room's desk at its address: lists and rota are kept, on record, and never changed by two at once."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from controller.floor.people.trail import Trail
from controller.floor.room import rota, waiting
from controller.floor.room.waiting import TO_COME
from controller.floor.room_desk import desk, http
from controller.floor.room_desk.desk import LEFT_FOR, RoomDesk
from controller.floor.room_desk.http import add_room
from controller.floor.store.address import parse_address
from controller.floor.store.rows import KeptNote
from controller.floor.store.store import FloorStore, open_store
from controller.gate.gate import Gate
from controller.words.catalogue import Language, catalogue

T0 = datetime(2026, 5, 1, 18, tzinfo=UTC)
STUD = {"variant": "stud", "small": 4, "big": 8}
ANA = {**STUD, "name": "Ana", "by": "M. Roux"}


@dataclass
class Room:
    """A desk over a real store; time stands until it is moved."""

    store: FloorStore
    now: datetime = T0
    notes: list[KeptNote] = field(default_factory=list)
    names: dict[str, list[str | None]] = field(default_factory=lambda: {"T1": ["Zoe", None], "T2": [None]})
    dealers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        trail = Trail("b", self.notes.append, lambda: self.now)
        self.desk = RoomDesk(lambda: self.store.room, self.tiles, trail, lambda: self.now)
        api = FastAPI()
        add_room(api, self.desk, Gate(name="floor"))
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://127.0.0.1")

    def tiles(self) -> dict[str, dict[str, Any]]:
        return {
            table: {
                "liveness": "online",
                "game": STUD,
                "dealer": None if table not in self.dealers else {"name": self.dealers[table], "since": ""},
                "seats": [
                    {"seat": seat, "name": name, "state": "live" if name else "empty"} for seat, name in enumerate(names, start=1)
                ],
            }
            for table, names in self.names.items()
        }

    async def get(self) -> dict[str, Any]:
        found: dict[str, Any] = (await self.client.get("/api/room")).json()
        return found

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self.client.post(f"/api/room/{path}", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def refused(self, path: str, body: dict[str, Any]) -> str:
        answer = await self.client.post(f"/api/room/{path}", json=body)
        assert answer.status_code == 409, answer.text
        refusal = answer.json()["refusal"]
        assert all(refusal[f"message_{language.value}"] for language in Language)
        return str(refusal["code"])


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with open_store(parse_address("sqlite:///floor.sqlite3", tmp_path), "nice") as store:
        yield Room(store)


def line(picture: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and standing of who waits for the first game."""
    return [(one["name"], one["standing"]) for one in picture["games"][0]["waiting"]]


async def test_from_the_list_to_a_seat(room: Room) -> None:
    """Joined, called to an open seat, late after five minutes, and off the list as soon as the table shows the name."""
    one = await room.post("waiting", ANA)
    picture = await room.get()
    assert line(picture) == [("Ana", "waiting")]
    assert picture["games"][0]["open"] == [{"table": "T1", "seat": 2}, {"table": "T2", "seat": 1}]
    called = await room.post(f"waiting/{one['entry']}", {"do": "call", "version": 1, "table": "T2", "by": "M. Roux"})
    assert called["version"] == 2
    assert (await room.get())["games"][0]["waiting"][0]["until"] == "2026-05-01T18:05:00.000Z"
    room.now += TO_COME + timedelta(seconds=1)
    assert (await room.get())["games"][0]["waiting"][0]["late"] is True
    room.names["T2"] = ["ANA"]
    picture = await room.get()
    assert (picture["games"][0]["waiting"], [(left["name"], left["standing"], left["table"]) for left in picture["left"]]) == (
        [],
        [("Ana", "seated", "T2")],
    )
    assert [(note.kind, note.person) for note in room.notes] == [
        ("joined_list", "M. Roux"),
        ("called_player", "M. Roux"),
        ("list_seated", ""),
    ]
    assert json.loads(room.notes[0].body) == {"game": "stud 4/8", "name": "Ana"}
    room.now += LEFT_FOR + timedelta(seconds=1)
    assert (await room.get())["left"] == []


async def test_a_namesake_takes_nobody_off_the_list(room: Room) -> None:
    """Somebody of the name at another table than the one of the call, or without a call, is told; a person says who it is."""
    one = await room.post("waiting", ANA)
    room.names["T2"] = ["Ana"]
    waiting = (await room.get())["games"][0]["waiting"]
    assert [(entry["name"], entry["standing"], entry["sits"]) for entry in waiting] == [("Ana", "waiting", "T2")]
    called = await room.post(f"waiting/{one['entry']}", {"do": "call", "version": 1, "table": "T1", "by": "M. Roux"})
    assert line(await room.get()) == [("Ana", "called")]
    seated = {"do": "seated", "version": called["version"], "table": "T2", "by": "M. Roux"}
    await room.post(f"waiting/{one['entry']}", seated)
    assert [(left["standing"], left["table"]) for left in (await room.get())["left"]] == [("seated", "T2")]
    assert [note.person for note in room.notes] == ["M. Roux"] * 3


async def test_of_two_at_once_one_is_refused(room: Room) -> None:
    """The second names a version that has passed; the list is as the first one made it, in another process too."""
    entry = (await room.post("waiting", ANA))["entry"]
    call = {"do": "call", "version": 1, "table": "T1", "by": "A"}
    await room.post(f"waiting/{entry}", call)
    assert await room.refused(f"waiting/{entry}", {**call, "table": "T2", "by": "B"}) == "changed_meanwhile"
    stale = await room.store.room.entry(entry)
    assert stale is not None
    assert not await room.store.room.change(stale)  # its version is the one that is kept, not the next
    picture = await Room(room.store).get()
    assert picture["games"][0]["waiting"][0]["table"] == "T1"


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("waiting", {**ANA, "by": ""}, "by_due"),
        (
            "rota",
            {"dealers": ["A"], "tables": ["T1"], "starts": "1990-01-01T18:00:00Z", "pushes": 1, "by": "A"},
            "starts_past",
        ),
        ("waiting/none", {"do": "withdrawn", "version": 1, "by": "A"}, "no_such_entry"),
        ("rota/none", {"dealer": "A", "by": "A"}, "no_such_shift"),
        (
            "rota",
            {"dealers": ["A"], "tables": ["T9"], "starts": T0.isoformat(), "pushes": 1, "by": "A"},
            "no_such_table",
        ),
    ],
)
async def test_what_cannot_be_is_refused(room: Room, path: str, body: dict[str, Any], code: str) -> None:
    """With its sentence in both languages, and nothing on record."""
    assert await room.refused(path, body) == code
    assert room.notes == []


async def test_a_name_stands_on_one_line(room: Room) -> None:
    """Signs that turn or break a line are refused: a name is read on a screen and called out."""
    for name in ("Ana\nB.", "\u202eAna", "A\0"):
        assert (await room.client.post("/api/room/waiting", json={**ANA, "name": name})).status_code == 422
    assert room.notes == []


async def test_a_list_refuses_what_its_rules_refuse(room: Room) -> None:
    """Twice the same name, or one that sits in that game; a call without a table, or to none; gone without a call."""
    entry = (await room.post("waiting", ANA))["entry"]
    assert await room.refused("waiting", {**ANA, "name": "ana"}) == "waits_already"
    assert await room.refused("waiting", {**ANA, "name": "ZOE"}) == "sits_already"  # or the list would take her for seated
    assert (await room.post("waiting", {**ANA, "name": "Zoe", "small": 8, "big": 16}))["version"] == 1  # for another game she may
    for body, code in (
        ({"do": "call"}, "table_due"),
        ({"do": "call", "table": "T9"}, "no_such_table"),
        ({"do": "gone"}, "not_called"),
        ({"do": "back"}, "not_called"),
    ):
        assert await room.refused(f"waiting/{entry}", {**body, "version": 1, "by": "A"}) == code


async def test_the_rota_is_laid_out_changed_and_compared(room: Room) -> None:
    """Three dealers over two tables; who rests takes a shift; another dealer than planned is said."""
    plan = {"dealers": ["A", "B", "C"], "tables": ["T1", "T2"], "starts": T0.isoformat(), "minutes": 30, "pushes": 3, "by": "M"}
    assert (await room.post("rota", plan))["shifts"] == 6
    room.now += timedelta(minutes=26)
    room.dealers = {"T1": "A", "T2": "X"}
    tables = (await room.get())["tables"]
    change = "2026-05-01T18:30:00.000Z"
    assert tables["T1"] == {"now": "A", "next": {"dealer": "C", "at": change}, "soon": True, "other": False, "signed_in": "A"}
    assert tables["T2"] == {"now": "B", "next": {"dealer": "A", "at": change}, "soon": True, "other": True, "signed_in": "X"}
    shift = next(one for one in (await room.get())["shifts"] if one["table"] == "T1")
    assert await room.refused(f"rota/{shift['shift']}", {"dealer": "B", "by": "M"}) == "dealer_busy"
    await room.post(f"rota/{shift['shift']}", {"dealer": "C", "by": "M"})
    assert (await room.get())["tables"]["T1"]["now"] == "C"
    assert [note.kind for note in room.notes] == ["laid_rota", "took_shift"]


async def test_a_new_layout_replaces_what_is_to_come_alone(room: Room) -> None:
    """What has begun ends where the new one begins; other tables keep theirs, and their dealers are not taken from them."""
    first = {"tables": ["T1"], "dealers": ["A"], "starts": T0.isoformat(), "minutes": 60, "pushes": 2, "by": "M"}
    await room.post("rota", first)
    await room.post("rota", {**first, "tables": ["T2"], "dealers": ["B"]})
    later = (T0 + timedelta(minutes=30)).isoformat()
    assert await room.refused("rota", {**first, "dealers": ["B"], "starts": later}) == "dealer_busy"
    await room.post("rota", {**first, "dealers": ["C"], "starts": later, "pushes": 1})
    shifts = [(one["table"], one["dealer"], one["starts"][11:16], one["ends"][11:16]) for one in (await room.get())["shifts"]]
    assert shifts == [
        ("T1", "A", "18:00", "18:30"),
        ("T2", "B", "18:00", "19:00"),
        ("T1", "C", "18:30", "19:30"),
        ("T2", "B", "19:00", "20:00"),
    ]


def test_every_refusal_has_its_sentence() -> None:
    """In both languages, for each code that the desk may give."""
    sources = [Path(module.__file__ or "").read_text(encoding="utf-8") for module in (rota, waiting, desk, http)]
    codes = {code for text in sources for code in re.findall(r'Refused\("(\w+)"', text)} | {"dealer_twice", "table_twice"}
    assert len(codes) > 10
    for language in Language:
        assert {f"refusal.{code}" for code in codes} <= set(catalogue(language))
