"""Who comes in at the floor: every address × every role, sign-in and sign-out, and all of it in the trail (REG-38)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from sqlalchemy import URL
from support.floor_people import PeopleFloor
from support.people_site import PINS, people_file

from controller.access.floor_rights import FLOOR_ENDPOINTS, FLOOR_RIGHTS
from controller.access.people import Role
from controller.access.rights import LOCKED, NOBODYS, Right
from controller.access.sessions import IDLE_S
from controller.floor.http import _closing
from controller.floor.people.trail import Trail
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Batch, KeptNote
from controller.floor.store.store import open_store
from controller.floor.store.tables import TRAIL

NAMES = {Role.DEALER: "Ann", Role.FLOOR: "Fay", Role.SURVEILLANCE: "Sue", Role.ENGINEER: "Ed", Role.AUDITOR: "Ada"}
PAUSE = {"type": "pause_table", "reason": "break"}
BODIES: dict[str, Any] = {
    "POST /api/session": {"badge": "nobodys-badge"},
    "POST /api/room/waiting": {"variant": "stud", "small": 4, "big": 8, "name": "Ana"},
    "POST /api/room/waiting/{entry}": {"do": "withdrawn", "version": 1},
    "POST /api/room/rota": {"dealers": ["A"], "tables": ["T12"], "starts": "2026-05-01T18:00:00Z", "pushes": 1},
    "POST /api/room/rota/{shift}": {"dealer": "A"},
    "POST /api/tables/{table}/preview": {"command": PAUSE},
    "POST /api/tables/{table}/commands": {"command": PAUSE, "key": "matrix-0001", "seq": 1},
    "POST /api/tables/{table}/approvals": {"command": PAUSE, "badge": "nobodys-badge"},
}
TAKEN_ANYWAY = {"POST /api/session": 401, "POST /api/tables/{table}/approvals": 401}
"""Addresses that are let through and then find that the badge is nobody's."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hashing them once is enough."""
    return people_file(tmp_path_factory.mktemp("people") / "people.json")


@pytest.fixture
def floor(file: Path) -> PeopleFloor:
    """A floor with one table."""
    made = PeopleFloor(file)
    made.table("T12", "Nadia")
    made.tell()
    return made


def test_every_address_stands_in_the_table_of_rights_and_no_other(floor: PeopleFloor) -> None:
    """A new one is nobody's until it is declared in ``controller.access.floor_rights``."""
    served = {f"{method} {route.path}" for route in floor.api.routes if isinstance(route, APIRoute) for method in route.methods}
    assert served == set(FLOOR_ENDPOINTS)


@pytest.fixture(scope="module")
def one(file: Path) -> PeopleFloor:
    """One floor for all that is asked; who is let in to a stream is told that it is full, instead of reading for ever."""
    made = PeopleFloor(file)
    made.table("T12", "Nadia")
    made.tell()
    made.stream.close()
    made.tables.close()
    return made


@pytest.mark.parametrize("role", [None, "locked", "ended", *Role], ids=str)
async def test_each_role_gets_what_is_its_own_at_each_address(one: PeopleFloor, role: Role | str | None) -> None:
    """And nobody, a locked page, and one that was signed out."""
    rights = FLOOR_RIGHTS[role] if isinstance(role, Role) else LOCKED if role == "locked" else NOBODYS
    for endpoint in sorted(FLOOR_ENDPOINTS):
        client = one.at_desk(NAMES[role] if isinstance(role, Role) else "Fay") if role else one.browser()
        token = client.cookies.get(one.gate.cookie) or ""
        match role:
            case "locked":
                one.gate.sessions.lock(token)
            case "ended":
                one.gate.sessions.end(token)
        method, path = endpoint.replace("{table}", "T12").split()
        async with client:
            answer = await client.request(method, path, json=BODIES.get(endpoint))
        if FLOOR_ENDPOINTS[endpoint] is Right.WATCH:  # no session opens what goes by the address that asks
            assert answer.status_code == 200, endpoint
            continue
        if FLOOR_ENDPOINTS[endpoint] in rights:
            assert answer.status_code not in (401, 403) or answer.status_code == TAKEN_ANYWAY.get(endpoint), endpoint
            continue
        assert answer.status_code == (403 if isinstance(role, Role) else 401), endpoint
        refusal = answer.json()["refusal"]
        assert refusal["code"] == ("may_not" if isinstance(role, Role) else "sign_in_first"), endpoint
        assert refusal["message_fr"] != refusal["message_en"]
        assert "Nadia" not in answer.text, endpoint


async def test_the_page_of_nobody_shows_nothing_of_the_tables(floor: PeopleFloor) -> None:
    """It asks who is there; one that was locked still shows them, and takes no order."""
    async with floor.browser() as client:
        page = (await client.get("/")).text
    assert ("Nadia" in page, '"access": "people"' in page) == (False, True)
    async with floor.at_desk("Fay") as client:
        assert "Nadia" in (await client.get("/")).text
        floor.gate.sessions.lock(client.cookies[floor.gate.cookie])
        assert "Nadia" in (await client.get("/")).text
        view = (await client.get("/api/session")).json()
        assert (view["locked"], view["may"]) == (True, False)


async def test_where_nobody_signs_in_everything_is_let_through_from_its_own_page_alone() -> None:
    """Open mode is for a floor that this machine alone reaches."""
    floor = PeopleFloor(None)
    async with floor.browser() as client:
        assert (await client.get("/api/board")).status_code == 200
        view = (await client.get("/api/session")).json()
        assert (view["access"], view["person"], view["may"]) == ("open", None, True)
        answer = await client.post("/api/session", json={"number": "3", "pin": PINS["3"]})
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "nobody_signs_in")
        evil = await client.post("/api/session/lock", headers={"Origin": "http://evil.example"})
        assert (evil.status_code, evil.json()["refusal"]["code"]) == (403, "other_origin")


async def test_who_comes_and_goes_is_in_the_trail_and_what_was_typed_is_not(floor: PeopleFloor) -> None:
    """Signing in by PIN, a PIN that is wrong, a lock, and an end."""
    async with floor.browser() as client:
        answer = await client.post("/api/session", json={"number": "3", "pin": "117711"})
        assert answer.json()["refusal"]["code"] == "not_known"
        answer = await client.post("/api/session", json={"number": "3", "pin": PINS["3"]})
        assert answer.json()["person"] == {"name": "Fay", "role": "floor"}
        assert (await client.post("/api/session/lock")).json()["locked"]
        await client.post("/api/session", json={"number": "3", "pin": PINS["3"]})
        assert (await client.delete("/api/session")).json()["person"] is None
    told = [(note.kind, note.person) for note in floor.noted]
    assert told == [("sign_in_failed", "Fay"), *[("signed_in", "Fay"), ("signed_out", "Fay")] * 2]
    assert json.loads(floor.noted[1].body)["means"] == "pin"
    assert json.loads(floor.noted[2].body)["cause"] == "locked"
    assert not any(secret in repr(floor.noted) for secret in ("117711", PINS["3"]))
    assert len({note.entry for note in floor.noted}) == len(floor.noted)


async def test_an_unreadable_body_is_refused_in_both_languages(floor: PeopleFloor) -> None:
    """And does not repeat what was in it."""
    async with floor.browser() as client:
        answer = await client.post("/api/session", json={"pin": "123456", "word": "secret"})
    refusal = answer.json()["refusal"]
    assert (answer.status_code, refusal["code"], "word" in refusal["message_en"]) == (422, "unreadable", True)
    assert "secret" not in answer.text


async def test_a_stream_ends_with_its_session(floor: PeopleFloor) -> None:
    """A page whose person signed out reads no longer, though it never asked again; a locked one goes on reading."""
    async with floor.at_desk("Sue") as client:
        token = client.cookies[floor.gate.cookie]
    frames = _closing(floor.stream.frames(), floor.gate, token)
    assert b"snapshot" in await anext(frames)
    floor.gate.sessions.lock(token)
    floor.stream.beat({"now": "1"})
    assert await anext(frames)
    floor.gate.sessions.end(token)
    floor.stream.beat({"now": "2"})
    with pytest.raises(StopAsyncIteration):
        await anext(frames)


async def test_an_idle_floor_person_is_locked_on_record(floor: PeopleFloor) -> None:
    """Ten minutes; who surveys only looks, and stays."""
    async with floor.at_desk("Fay"), floor.at_desk("Sue") as sue:
        floor.clock_s = IDLE_S[Role.FLOOR]
        await floor.gate.look()
        assert [(note.kind, note.person) for note in floor.noted] == [("signed_out", "Fay")]
        assert (await sue.get("/api/session")).json()["person"]["name"] == "Sue"


@pytest.fixture
def url(tmp_path: Path) -> URL:
    """An empty store."""
    return parse_address("sqlite:///floor.sqlite3", tmp_path)


async def test_the_trail_is_kept_once_and_comes_back(url: URL, floor: PeopleFloor) -> None:
    """A write that is repeated after a failure changes nothing."""
    kept: list[KeptNote] = []
    trail = Trail("b2", kept.append, lambda: floor.now().at)
    trail.note("ordered", "Fay", table="T12", command="void_hand", answer="taken")
    async with open_store(url, "nice") as store:
        for _ in range(2):
            await store.write(Batch(notes=tuple(kept)))
        [row] = await store.rows_of(TRAIL)
    assert (row["kind"], row["person"], row["table_name"], row["at"]) == ("ordered", "Fay", "T12", kept[0].at)
    assert json.loads(row["body"]) == {"command": "void_hand", "answer": "taken"}


async def test_a_page_of_another_name_reads_nothing(floor: PeopleFloor) -> None:
    """A page elsewhere whose name leads to this machine (DNS rebinding), where the floor is for this machine alone."""
    floor.gate._hosts = frozenset(("127.0.0.1",))
    async with httpx.AsyncClient(transport=floor.transport, base_url="http://evil.example") as client:
        answer = await client.get("/healthz")
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (403, "other_host")
