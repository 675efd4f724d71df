"""The floor's pages over HTTP: nothing from elsewhere, every asset there, a word in both languages for all that is shown."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.floor_people import PeopleFloor
from support.floor_site import FloorSite

from controller.access.people import Role
from controller.console.forms import RULINGS
from controller.displays import public_events
from controller.floor.board.alarms import PRIORITIES
from controller.floor.board.liveness import Liveness
from controller.floor.board.table import State
from controller.floor.site.site import PAGES
from controller.floor.site.words import page_words
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.mqtt.payloads import DeviceHealth, SeatState
from controller.pages.policy import SHARED
from controller.pages.shared_words import SHARED_WORDS
from controller.words.catalogue import Language, catalogue
from controller.words.faults import FAULTS

STATIC = PAGES / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in (*STATIC.glob("*.js"), *SHARED.glob("*.js"))}
WORDS = page_words()["en"]
RANKS, SUITS = "AKQJT98765432", "cdhs"
WHO_SAYS = {"ui.auth.title", "ui.auth.locked", "ui.act.lock", "ui.act.signin", "ui.act.signout", "ui.act.agree"}
"""Said by the pages that use the door, not by the shared scripts."""


def first_of(page: str) -> dict[str, Any]:
    """The picture in a page."""
    found = re.search(r'<script type="application/json" id="first">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    shown: dict[str, Any] = json.loads(found[1])
    return shown


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """A floor with one table."""
    site = FloorSite()
    site.table("T12", "Nadia")
    site.tell()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(site.api), base_url="http://127.0.0.1") as made:
        yield made


async def test_the_page_comes_with_the_picture_in_it(client: httpx.AsyncClient) -> None:
    """The first picture needs no second request, and what a table says cannot become markup."""
    page = await client.get("/")
    assert page.status_code == 200
    assert list(first_of(page.text)["tables"]) == ["T12"]


async def test_a_tables_own_page_comes_with_its_picture(client: httpx.AsyncClient) -> None:
    """Its view and the address of its console; there is no page of a table that nobody heard of."""
    found = first_of((await client.get("/tables/T12")).text)
    assert (found["table"], found["public"]["hand"], found["tile"]["http"]) == ("T12", 1287, "http://127.0.0.1:1/")
    answer = await client.get("/tables/T99")
    assert (answer.status_code, "T99" in answer.text) == (404, True)


async def test_a_floor_that_passes_no_order_on_has_no_button_for_one() -> None:
    """What the page is told follows from the routes that are there."""
    for site in (FloorSite(), PeopleFloor(None)):
        orders = isinstance(site, PeopleFloor)
        site.table("T12")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(site.api), base_url="http://127.0.0.1") as client:
            for path in ("/", "/tables/T12"):
                assert ('data-orders="yes"' in (await client.get(path)).text) is orders


async def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline(client: httpx.AsyncClient) -> None:
    """And the page needs nothing of that."""
    page = await client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page.text)
    assert all('type="application/json"' in tag or "src=" in tag for tag in re.findall(r"<script[^>]*>", page.text))
    for path in STATIC.iterdir():
        assert not re.search(r"https?://|//[a-z0-9-]+\.[a-z]", path.read_text(encoding="utf-8")), path.name


async def test_every_asset_that_is_named_is_served(client: httpx.AsyncClient) -> None:
    """And asked for anew, so that no upgraded floor is drawn by yesterday's page."""
    pages = (await client.get("/")).text + (await client.get("/tables/T12")).text + (await client.get("/room")).text
    named = {path for path in re.findall(r'(?:src|href)="(/[^"]+)"', pages) if path.startswith(("/static/", "/tokens"))}
    named |= {f"/static/{name}" for script in SCRIPTS.values() for name in re.findall(r'from "\./([^"]+)"', script)}
    named |= {"/static/inter.woff2"}
    assert len(named) > 8
    for path in sorted(named):
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache"), path


def test_every_text_that_a_script_names_exists() -> None:
    """A key that is written out is in the catalogue."""
    own = [script for name, script in SCRIPTS.items() if (STATIC / name).exists()]
    named = {key for script in own for key in re.findall(r'"((?:floor|ui)\.[a-z0-9_.]+[a-z0-9])"', script)}
    assert len(named) > 20
    assert sorted(named - WORDS.keys()) == []


def test_what_a_table_may_say_has_words() -> None:
    """States, phases and streets, in the keys that scripts put together."""
    wanted = [f"floor.count.{state.value}" for state in State]
    wanted += [f"floor.state.{state.value}" for state in State if state not in (State.AWAY, State.GOING)]
    wanted += [f"floor.state.{one.value}" for one in (Liveness.LOST, Liveness.SILENT, Liveness.UNKNOWN)]
    wanted += [f"floor.doing.{phase.value}" for phase in Phase]
    wanted += [f"floor.sub.street.{street}" for street in range(3, 8)]
    wanted += [f"floor.health.{health.value}" for health in DeviceHealth]
    wanted += [f"floor.seat.{state.value}" for state in SeatState]
    wanted += [f"floor.role.{role.value}" for role in Role]
    wanted += [f"floor.card.{letter}" for letter in RANKS + SUITS]
    wanted += [f"floor.event.act.{verb.value}" for verb in Verb]
    wanted += [f"floor.event.{name}" for name in told_events()]
    wanted += [f"floor.ruling.{kind}" for kind in RULINGS]
    assert [key for key in wanted if key not in WORDS] == []


def told_events() -> list[str]:
    """Every event that a table tells, as it writes it; a card that is dealt has words of its own for up and down."""
    text = Path(public_events.__file__).read_text(encoding="utf-8")
    found = set(re.findall(r'"event": "([a-z_]+)"', text)) - {"action_taken", "card_dealt"}
    assert len(found) > 30
    return [*sorted(found), "card_dealt.up", "card_dealt.down"]


def test_the_shared_scripts_say_nothing_that_a_page_does_not_serve() -> None:
    """Sheets, door and the sending of orders, in both languages."""
    named = {key for path in SHARED.glob("*.js") for key in re.findall(r'"(ui\.[a-z0-9_.]+)"', path.read_text(encoding="utf-8"))}
    assert len(named) > 12
    for words in page_words().values():
        assert sorted(named - words.keys()) == []
    assert sorted(set(SHARED_WORDS) - {*named, *WHO_SAYS}) == []


def test_every_alarm_has_a_title() -> None:
    """Those of the floor, of a table's parts and of its displays; each hold too."""
    held = {key.removeprefix("hold.") for key in catalogue(Language.EN) if key.startswith("hold.")}
    codes = {*PRIORITIES, *FAULTS, *held, "display_lost", "display_differs", "display_behind", "mqtt_command"}
    for words in page_words().values():
        assert sorted(code for code in codes if f"floor.title.{code}" not in words) == []
