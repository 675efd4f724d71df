"""The floor's pages over HTTP: nothing from elsewhere, every asset there, a word in both languages for all that is shown."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import httpx
import pytest
from support.floor_site import FloorSite

from controller.floor.board.alarms import PRIORITIES
from controller.floor.board.liveness import Liveness
from controller.floor.board.table import State
from controller.floor.site.site import PAGES
from controller.floor.site.words import page_words
from controller.hand.state import Phase
from controller.pages.policy import SHARED
from controller.words.catalogue import Language, catalogue
from controller.words.faults import FAULTS

STATIC = PAGES / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in (*STATIC.glob("*.js"), *SHARED.glob("*.js"))}
WORDS = page_words()["en"]


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
    found = re.search(r'<script type="application/json" id="first">(.*?)</script>', page.text, re.DOTALL)
    assert found is not None
    assert list(json.loads(found[1])["tables"]) == ["T12"]


async def test_a_table_is_opened_at_its_own_address(client: httpx.AsyncClient) -> None:
    """As its status announced it; nobody is sent on for a table that said nothing."""
    answer = await client.get("/tables/T12")
    assert (answer.status_code, answer.headers["location"]) == (307, "http://127.0.0.1:1/")
    answer = await client.get("/tables/T99")
    assert (answer.status_code, "T99" in answer.text) == (404, True)


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
    named = set(re.findall(r'(?:src|href)="(/[^"]+)"', (await client.get("/")).text))
    named |= {f"/static/{name}" for script in SCRIPTS.values() for name in re.findall(r'from "\./([^"]+)"', script)}
    named |= {"/static/inter.woff2"}
    assert len(named) > 8
    for path in sorted(named):
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache"), path


def test_every_text_that_a_script_names_exists() -> None:
    """A key that is written out is in the catalogue."""
    own = [script for name, script in SCRIPTS.items() if (STATIC / name).exists()]
    named = {key for script in own for key in re.findall(r'"(floor\.[a-z0-9_.]+[a-z0-9])"', script)}
    assert len(named) > 20
    assert sorted(named - WORDS.keys()) == []


def test_what_a_table_may_say_has_words() -> None:
    """States, phases and streets, in the keys that scripts put together."""
    wanted = [f"floor.count.{state.value}" for state in State]
    wanted += [f"floor.state.{state.value}" for state in State if state not in (State.AWAY, State.GOING)]
    wanted += [f"floor.state.{one.value}" for one in (Liveness.LOST, Liveness.SILENT, Liveness.UNKNOWN)]
    wanted += [f"floor.doing.{phase.value}" for phase in Phase]
    wanted += [f"floor.sub.street.{street}" for street in range(3, 8)]
    assert [key for key in wanted if key not in WORDS] == []


def test_every_alarm_has_a_title() -> None:
    """Those of the floor, of a table's parts and of its displays; each hold too."""
    held = {key.removeprefix("hold.") for key in catalogue(Language.EN) if key.startswith("hold.")}
    codes = {*PRIORITIES, *FAULTS, *held, "display_lost", "display_differs", "display_behind", "mqtt_command"}
    for words in page_words().values():
        assert sorted(code for code in codes if f"floor.title.{code}" not in words) == []
