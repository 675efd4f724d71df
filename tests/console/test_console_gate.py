"""The gate: every address × every role, and requests that come from elsewhere (REG-38)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from support.console_site import StorySite
from support.people_site import PeopleSite, people_file
from support.table_story import TableStory

from controller.access.floor_rights import FLOOR_RIGHTS
from controller.access.people import Role
from controller.access.rights import ENDPOINTS, LOCKED, NOBODYS, RIGHTS, Right
from controller.access.roster import change_roster
from controller.access.sessions import IDLE_S
from controller.gate.gate import Gate
from controller.table.access_events import SignedOut

NAMES = {Role.DEALER: "Ann", Role.FLOOR: "Fay", Role.SURVEILLANCE: "Sue", Role.ENGINEER: "Ed", Role.AUDITOR: "Ada"}
PAUSE = {"type": "pause_table", "reason": "break"}
BODIES: dict[str, Any] = {
    "POST /api/v1/commands": {"key": "matrix-0001", "seq": 0, "command": PAUSE},
    "POST /api/v1/preview": {"command": PAUSE},
    "POST /api/v1/floor/commands": {"key": "matrix-0002", "seq": 0, "command": PAUSE},
    "POST /api/v1/floor/preview": {"command": PAUSE},
    "POST /api/v1/wheel": {"console": "one", "name": "x"},
    "POST /api/v1/wheel/return": {"console": "one"},
    "POST /api/v1/approvals": {"command": PAUSE, "badge": "nobodys-badge"},
    "POST /api/v1/session": {"badge": "nobodys-badge"},
    "POST /api/v1/seats/{seat}/echo": {},
}
TAKEN_ANYWAY = {"POST /api/v1/session": 401, "POST /api/v1/approvals": 401}
"""Addresses that are let through and then find that the badge is nobody's."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hashing six people once is enough."""
    return people_file(tmp_path_factory.mktemp("people") / "people.json")


@pytest.fixture
async def site(file: Path) -> AsyncIterator[PeopleSite]:
    """A table whose bring-in is due."""
    made = PeopleSite(TableStory({1: 100, 3: 100, 5: 100}).start().deal(), file)
    async with made.client:
        yield made
        await asyncio.sleep(0)


def served(api: Any) -> set[str]:
    """Every address that is served, those outside the description too."""
    return {f"{method} {route.path}" for route in api.routes if isinstance(route, APIRoute) for method in route.methods}


async def test_every_address_stands_in_the_table_of_rights_and_no_other(site: PeopleSite) -> None:
    """A new one is nobody's until it is declared in ``controller.access.rights``."""
    assert served(site.api) == set(ENDPOINTS)
    described = {f"{method.upper()} {path}" for path, of in site.api.openapi()["paths"].items() for method in of}
    assert described <= set(ENDPOINTS)


async def ask(client: httpx.AsyncClient, endpoint: str) -> httpx.Response:
    method, path = endpoint.replace("{seat}", "1").split()
    return await client.request(
        method, path, params={"name": "menu"} if path.endswith("sheets") else None, json=BODIES.get(endpoint)
    )


@pytest.mark.parametrize("role", [None, "locked", "ended", "forged", *Role], ids=str)
async def test_each_role_gets_what_is_its_own_at_each_address(site: PeopleSite, role: Role | str | None) -> None:
    """And nobody, a locked console, one that was signed out, and a word that was made up."""
    site.seats.close()
    site.pages.stream.close()  # one that is let in is told that it is full, instead of reading for ever
    for endpoint in sorted(ENDPOINTS):
        await gets_its_own(site, endpoint, role)


async def gets_its_own(site: PeopleSite, endpoint: str, role: Role | str | None) -> None:
    """One address, under a session of its own: an address before it may have ended the last one."""
    client = await site.at_desk(NAMES[role]) if isinstance(role, Role) else await site.at_desk("Ann") if role else site.browser()
    token = client.cookies.get(site.pages.gate.cookie) or ""
    match role:
        case "locked":
            site.pages.gate.sessions.lock(token)
        case "ended":
            site.pages.gate.sessions.end(token)
        case "forged":
            client.cookies.set(site.pages.gate.cookie, token[:-1] + ("A" if token[-1] != "A" else "B"))
    rights = RIGHTS[role] if isinstance(role, Role) else LOCKED if role == "locked" else NOBODYS
    before = len(site.told.events)
    async with client:
        answer = await ask(client, endpoint)
    if ENDPOINTS[endpoint] is Right.SIGNED:  # no session opens what takes a token of the floor
        assert (endpoint, answer.status_code, answer.json()["refusal"]["code"]) == (endpoint, 403, "no_floor")
        return
    if ENDPOINTS[endpoint] is Right.WATCH:  # nor what goes by the address that asks
        assert answer.status_code == 200
        return
    if ENDPOINTS[endpoint] in rights:
        assert answer.status_code not in (401, 403) or answer.status_code == TAKEN_ANYWAY.get(endpoint), endpoint
        return
    assert (endpoint, answer.status_code) == (endpoint, 403 if isinstance(role, Role) else 401)
    refusal = answer.json()["refusal"]
    assert (endpoint, refusal["code"]) == (endpoint, "may_not" if isinstance(role, Role) else "sign_in_first")
    assert refusal["message_fr"] != refusal["message_en"]
    assert len(site.told.events) == before
    assert "wheel" not in answer.text


async def test_the_page_of_nobody_shows_nothing_of_the_table(site: PeopleSite) -> None:
    """It asks who is there; a locked console still shows the table."""
    async with site.browser() as client:
        page = (await client.get("/")).text
    assert "Player 1" not in page
    assert '"access": "people"' in page
    async with await site.at_desk("Ann") as client:
        assert "Player 1" in (await client.get("/")).text
        site.pages.gate.sessions.lock(client.cookies[site.pages.gate.cookie])
        assert "Player 1" in (await client.get("/")).text


async def test_an_address_that_nobody_declared_is_nobodys(site: PeopleSite) -> None:
    """Also for the floor."""

    @site.api.get("/api/v1/forgotten")
    async def _forgotten() -> str:
        return "open"

    async with await site.at_desk("Fay") as client:
        assert (await client.get("/api/v1/forgotten")).status_code == 403


ELSEWHERE = [
    {"Origin": "http://evil.example"},
    {"Origin": "http://table.evil.example"},
    {"Origin": "http://table:8081"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://table"},
]


@pytest.mark.parametrize("headers", ELSEWHERE, ids=str)
@pytest.mark.parametrize("endpoint", sorted(name for name in ENDPOINTS if not name.startswith("GET")))
async def test_what_another_page_sends_changes_nothing(site: PeopleSite, endpoint: str, headers: dict[str, str]) -> None:
    """With the cookie of the floor in the same browser."""
    async with await site.at_desk("Fay") as client:
        before = len(site.told.events)
        client.headers.update(headers)
        answer = await ask(client, endpoint)
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (403, "other_origin")
        assert len(site.told.events) == before
        del client.headers["Origin" if "Origin" in headers else "Sec-Fetch-Site"]


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "http://table"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}], ids=str
)
async def test_the_tables_own_page_is_heard(site: PeopleSite, headers: dict[str, str]) -> None:
    """And a program that is no browser."""
    async with await site.at_desk("Fay") as client:
        client.headers.update(headers)
        assert (await site.command(client, PAUSE)).status_code == 200


@pytest.mark.parametrize(
    ("host", "taken"),
    [("127.0.0.1:8080", True), ("localhost", True), ("[::1]:8080", True), ("LOCALHOST:1", True), ("evil.example:8080", False),
     ("127.0.0.1.evil.example", False), ("", False), ("[::2]", False)],
)  # fmt: skip
async def test_a_name_that_is_not_the_tables_is_not_answered(host: str, taken: bool) -> None:
    """A page elsewhere whose name leads to this machine reads nothing (DNS rebinding), also where nobody signs in."""
    local = frozenset(("127.0.0.1", "localhost", "::1"))
    site = StorySite(TableStory({1: 100, 2: 100}), lambda _desk: Gate(hosts=local))
    async with site.client as client:
        answer = await client.get("/api/v1/snapshot", headers={"Host": host})
    assert answer.status_code == (200 if taken else 403)


async def test_where_nobody_signs_in_everything_is_let_through_from_its_own_page_alone() -> None:
    """Open mode is for a table that this machine alone reaches."""
    site = StorySite(TableStory({1: 100, 2: 100}))
    async with site.client as client:
        body = {"key": "press-0001", "seq": 0, "command": PAUSE}
        evil = await client.post("/api/v1/commands", json=body, headers={"Origin": "http://evil.example"})
        assert evil.status_code == 403
        assert (await client.post("/api/v1/commands", json=body)).status_code == 200
        view = (await client.get("/api/v1/session")).json()
        assert (view["access"], view["person"], view["may"]) == ("open", None, True)
        answer = await client.post("/api/v1/session", json={"number": "12", "pin": "482915"})
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "nobody_signs_in")


async def test_a_look_locks_the_idle_and_ends_who_was_struck_off(site: PeopleSite, file: Path, tmp_path: Path) -> None:
    """On record, though nobody asks for anything."""
    site.pages.gate.door._path = copy = people_copy(file, tmp_path)  # type: ignore[union-attr]
    fay, ann = await site.at_desk("Fay"), await site.at_desk("Ann")
    await site.pages.gate.look()
    change_roster(copy, lambda roster: roster.without("12"))
    site.now = IDLE_S[Role.FLOOR]
    await site.pages.gate.look()
    left = [(one.person, one.cause) for one in site.told.happened(SignedOut)]
    assert sorted(left) == [("Ann", "struck_off")]  # Fay drives an open hand: her console is not locked in it
    async with fay, ann:
        assert (await ann.get("/api/v1/snapshot")).status_code == 401
        assert (await fay.get("/api/v1/snapshot")).status_code == 200


def people_copy(file: Path, folder: Path) -> Path:
    copy = folder / "people.json"
    copy.write_bytes(file.read_bytes())
    copy.chmod(0o600)
    return copy


async def test_what_anybody_may_do_keeps_nobody_signed_in(site: PeopleSite) -> None:
    """A seat's page in the same browser says every second what it shows; its cookie is that of the floor, who has gone."""
    echo = {"epoch": 1, "seq": 1, "digest": "00000000", "display": "page-1"}
    ann, fay = await site.at_desk("Ann"), await site.at_desk("Fay")
    async with fay, ann:
        for _ in range(3):
            site.now += IDLE_S[Role.FLOOR] / 2
            assert (await fay.post("/api/v1/seats/1/echo", json=echo)).status_code == 202
        assert (await fay.get("/api/v1/session")).json()["locked"]


async def test_a_stream_ends_with_its_session(site: PeopleSite) -> None:
    """A page whose person signed out reads no longer, though it never asked again; a locked one goes on reading."""
    from controller.console.site import _frames

    async with await site.at_desk("Ann") as client:
        token = client.cookies[site.pages.gate.cookie]
    frames = _frames(site.pages, None, token)
    assert b"snapshot" in await anext(frames)
    site.pages.gate.sessions.lock(token)
    assert await anext(frames)
    site.pages.gate.sessions.end(token)
    with pytest.raises(StopAsyncIteration):
        await anext(frames)
    site.pages.close()


def test_the_rights_are_what_they_are() -> None:
    """Every right is somebody's, at the table or at the floor."""
    given = {right for rights in (*RIGHTS.values(), *FLOOR_RIGHTS.values()) for right in rights}
    assert given == set(Right) - {Right.SIGNED, Right.WATCH}
