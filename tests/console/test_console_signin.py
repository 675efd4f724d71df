"""Signing in, locking, agreeing: what a browser gets, what is on record, and what nobody finds out."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from support.people_site import BADGE, PINS, PeopleSite, people_file
from support.table_story import TableStory

from controller.access.throttle import FREE
from controller.table.access_events import SignedIn, SignedOut, SignInFailed, WheelTaken
from controller.table.carried_events import CommandAnswered

ANN = {"number": "12", "pin": PINS["12"]}
PAUSE = {"type": "pause_table", "reason": "break"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hashing six people once is enough."""
    return people_file(tmp_path_factory.mktemp("people") / "people.json")


@pytest.fixture
async def site(file: Path) -> AsyncIterator[PeopleSite]:
    """A table between hands."""
    made = PeopleSite(TableStory({1: 100, 3: 100}), file)
    async with made.client:
        yield made


async def test_a_dealer_signs_in_by_pin_and_has_the_wheel_where_nobody_drives(site: PeopleSite) -> None:
    """Name and role, never a number of the file; on record in this order."""
    answer = await site.client.post("/api/v1/session", json=ANN)
    assert answer.status_code == 200
    view = answer.json()
    assert (view["person"], view["locked"], view["may"]) == ({"name": "Ann", "role": "dealer"}, False, True)
    assert (await site.client.get("/api/v1/session")).json() == view
    signed, taken = site.told.events[-3], site.told.events[-1]
    assert signed == SignedIn("Ann", "dealer", view["console"], "pin")
    assert taken == WheelTaken(view["console"], "Ann", "Ann")


async def test_the_cookie_is_for_this_table_and_its_pages_alone(site: PeopleSite) -> None:
    """No script reads it, no other site sends it, and it is no more than random."""
    answer = await site.client.post("/api/v1/session", json=ANN)
    cookie = SimpleCookie(answer.headers["set-cookie"])["stud-T1"]
    assert (cookie["httponly"], cookie["samesite"].lower(), cookie["path"], cookie["max-age"]) == (True, "strict", "/", "")
    assert len(cookie.value) >= 43
    assert cookie.value not in answer.text


async def test_over_tls_the_cookie_never_goes_in_the_clear(site: PeopleSite) -> None:
    """Behind a proxy that speaks it."""
    site.client.base_url = "https://table"  # type: ignore[assignment]
    answer = await site.client.post("/api/v1/session", json=ANN)
    assert SimpleCookie(answer.headers["set-cookie"])["stud-T1"]["secure"] is True


async def test_a_badge_alone_signs_in(site: PeopleSite) -> None:
    """As its reader types it."""
    answer = await site.client.post("/api/v1/session", json={"badge": BADGE.lower()})
    assert answer.json()["person"] == {"name": "Fay", "role": "floor"}
    assert site.told.happened(SignedIn)[-1].means == "badge"


async def test_who_only_reads_gets_no_wheel(site: PeopleSite) -> None:
    """Surveillance and engineer watch, also where nobody drives."""
    for number in ("7", "8"):
        assert (await site.client.post("/api/v1/session", json={"number": number, "pin": PINS[number]})).json()["may"] is False
    assert site.told.happened(WheelTaken) == []


BEN = {"number": "13", "pin": PINS["13"]}
FAY = {"number": "3", "pin": PINS["3"]}


async def in_anns_hand(site: PeopleSite) -> str:
    """Ann drives a hand from this console, whose name is returned."""
    console = str((await site.client.post("/api/v1/session", json=ANN)).json()["console"])
    site.told.console, site.told.person = console, "Ann"
    site.told.start().deal()
    return console


async def test_the_hand_goes_on_through_a_relief_to_which_the_floor_agrees(site: PeopleSite) -> None:
    """Locked, the console keeps wheel and picture and gives no order. Another dealer is refused there until the floor has signed
    in; then she signs in over the floor and drives on. All of it is on record."""
    console = await in_anns_hand(site)
    locked = (await site.client.post("/api/v1/session/lock")).json()
    assert (locked["locked"], locked["person"], locked["console"]) == (True, None, console)
    assert (await site.client.get("/api/v1/snapshot")).status_code == 200
    assert (await site.command(site.client, PAUSE)).status_code == 401
    refused = await site.client.post("/api/v1/session", json=BEN)
    assert (refused.status_code, refused.json()["refusal"]["code"]) == (409, "relief_needs_floor")
    assert refused.json()["refusal"]["message_en"].startswith("Ann deals this hand: a relief in it needs the floor.")
    assert refused.json()["refusal"]["message_fr"].startswith("Ann distribue ce coup\u00a0: une relève en cours de coup demande")
    assert (await site.client.get("/api/v1/session")).json()["locked"]
    assert site.told.state.wheel[0].person == "Ann"
    assert (await site.client.post("/api/v1/session", json=FAY)).json()["person"]["name"] == "Fay"
    await site.client.post("/api/v1/session/lock")
    view = (await site.client.post("/api/v1/session", json=BEN)).json()
    assert (view["console"], view["person"]["name"]) == (console, "Ben")
    assert site.told.state.wheel[0].person == "Ben"
    assert (await site.command(site.client, PAUSE)).status_code == 200
    assert [(one.person, one.cause) for one in site.told.happened(SignedOut)] == [("Ann", "locked"), ("Fay", "locked")]
    taken = [(one.person, one.agreed_by) for one in site.told.happened(CommandAnswered) if one.kind == "take_wheel"]
    assert taken == [("Ann", ""), ("Fay", ""), ("Ben", "Fay")]


async def test_a_dealer_comes_back_to_her_own_hand(site: PeopleSite) -> None:
    """On her locked console, and on another one; there another dealer takes over with the floor alone."""
    console = await in_anns_hand(site)
    await site.client.post("/api/v1/session/lock")
    assert (await site.client.post("/api/v1/session", json=ANN)).status_code == 200
    async with await site.at_desk("Ben") as ben, await site.at_desk("Ann") as ann, await site.at_desk("Fay") as fay:
        body = {"console": "x", "name": "x"}
        refused = await ben.post("/api/v1/wheel", json=body)
        assert (refused.status_code, refused.json()["refusal"]["code"]) == (409, "relief_needs_floor")
        assert (await ann.post("/api/v1/wheel", json=body)).status_code == 200
        assert site.told.state.wheel[0].console != console
        assert (await fay.post("/api/v1/wheel", json=body)).json()["driver"]["name"] == "Fay"
        assert (await fay.post("/api/v1/session", json=BEN)).json()["person"]["name"] == "Ben"
        assert site.told.state.wheel[0].person == "Ben"


async def test_between_hands_any_dealer_relieves(site: PeopleSite) -> None:
    """By badge or PIN on the console that drives."""
    await site.client.post("/api/v1/session", json=ANN)
    assert (await site.client.post("/api/v1/session", json=BEN)).status_code == 200
    assert site.told.state.wheel[0].person == "Ben"


async def test_who_only_looks_on_signs_in_over_a_hand_and_drives_nothing(site: PeopleSite) -> None:
    """The wheel stays the dealer's, who comes back."""
    await in_anns_hand(site)
    assert (await site.client.post("/api/v1/session", json={"number": "7", "pin": PINS["7"]})).json()["may"] is False
    assert site.told.state.wheel[0].person == "Ann"
    assert (await site.client.post("/api/v1/session", json=BEN)).status_code == 409
    assert (await site.client.post("/api/v1/session", json=ANN)).status_code == 200


async def test_signing_out_ends_everything_at_that_console(site: PeopleSite) -> None:
    """The cookie is worth nothing, also where it was copied."""
    await site.client.post("/api/v1/session", json=ANN)
    token = site.client.cookies["stud-T1"]
    assert (await site.client.delete("/api/v1/session")).json()["person"] is None
    async with site.browser() as thief:
        thief.cookies.set("stud-T1", token)
        assert (await thief.get("/api/v1/snapshot")).status_code == 401
    assert site.told.happened(SignedOut)[-1].cause == "signed_out"


GUESSES = [{"number": "12", "pin": "482916"}, {"number": "99", "pin": PINS["12"]}, {"badge": "E0A1B2C3D5"}, {}, {"number": "12"}]


@pytest.mark.parametrize("guess", GUESSES, ids=str)
async def test_a_wrong_guess_is_told_alike_and_on_record_without_what_was_typed(site: PeopleSite, guess: dict[str, str]) -> None:
    """Nobody learns who exists; whose number it was stands in the journal alone."""
    answer = await site.client.post("/api/v1/session", json=guess)
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (401, "not_known")
    assert "set-cookie" not in answer.headers
    (failed,) = site.told.happened(SignInFailed)
    assert failed == SignInFailed("Ann" if guess.get("number") == "12" else "", "127.0.0.1", 1, 0)
    for typed in guess.values():
        assert len(typed) < 3 or typed not in json.dumps(site.told.bodies) + answer.text


async def test_guesses_are_slowed_down_and_the_wait_is_told(site: PeopleSite) -> None:
    """429 with Retry-After, also for the right PIN; what is not looked at is not on record."""
    for _ in range(FREE):
        await site.client.post("/api/v1/session", json={"number": "12", "pin": "111222"})
    answer = await site.client.post("/api/v1/session", json=ANN)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
    assert answer.json()["refusal"]["message_en"] == "Too many failed tries: wait 2 s."
    assert len(site.told.happened(SignInFailed)) == FREE
    site.now += 2
    assert (await site.client.post("/api/v1/session", json=ANN)).status_code == 200


async def test_guesses_at_a_consent_are_slowed_down_as_well(site: PeopleSite) -> None:
    """The second person's PIN is guessed at the same door."""
    async with await site.at_desk("Ann") as client:
        body = {"number": "3", "pin": "111222", "command": {"type": "void_hand", "reason": "x"}}
        for _ in range(FREE):
            assert (await client.post("/api/v1/approvals", json=body)).status_code == 401
        assert (await client.post("/api/v1/approvals", json={**body, "pin": PINS["3"]})).status_code == 429
    assert site.told.happened(SignInFailed)[-1].person == "Fay"


async def test_a_body_that_is_none_is_told_without_what_was_typed(site: PeopleSite) -> None:
    """A PIN in the wrong place comes back in no message."""
    for body in ({"number": 123456}, {"number": "482915"}, {"pin": "7" * 65}, {"badge": ["E0A1B2C3D4"]}, {"code": "482915"}):
        answer = await site.client.post("/api/v1/session", json=body)
        assert answer.status_code == 422
        for typed in ("482915", "123456", "7777777", BADGE):
            assert typed not in answer.text


async def test_a_people_file_that_cannot_be_used_is_told_without_its_path(file: Path, tmp_path: Path) -> None:
    """503: it is the table's trouble, and nobody's failure."""
    copy = tmp_path / "people.json"
    copy.write_text("{")
    site = PeopleSite(TableStory({1: 100}), copy)
    async with site.client as client:
        answer = await client.post("/api/v1/session", json=ANN)
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (503, "people_unreadable")
    assert str(tmp_path) not in answer.text
    assert site.told.happened(SignInFailed) == []
