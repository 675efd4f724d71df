"""The page and its assets: nothing from elsewhere, nothing that a policy would have to allow; the wheel; sheets over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import pytest
from support.console_site import StorySite
from support.table_story import TableStory

from controller.console.site import PAGES
from controller.pages.policy import SHARED

STATIC = PAGES / "static"
ASSETS = (*STATIC.iterdir(), *SHARED.iterdir())


@pytest.fixture
async def site() -> AsyncIterator[StorySite]:
    """A table whose bring-in is due."""
    made = StorySite(TableStory({1: 100, 3: 100, 5: 100}).start().deal())
    async with made.client:
        yield made


async def test_the_page_comes_with_the_picture_in_it(site: StorySite) -> None:
    """The next step can be read before any script runs, and the first picture is the table's own."""
    page = await site.client.get("/")
    assert page.status_code == 200
    assert f'<h1 id="banner-title">{site.title()}</h1>' in page.text
    found = re.search(r'<script type="application/json" id="first">(.*?)</script>', page.text, re.DOTALL)
    assert found is not None
    assert json.loads(found[1])["seq"] == site.told.state.seq


async def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline(site: StorySite) -> None:
    """And the page needs nothing of that: no inline script, style or handler, no other address."""
    page = await site.client.get("/")
    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page.text)
    assert all('type="application/json"' in tag or "src=" in tag for tag in re.findall(r"<script[^>]*>", page.text))
    for path in ASSETS:
        if path.suffix in (".js", ".css", ".svg"):
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://|//[a-z0-9-]+\.[a-z]", text), path.name


async def test_every_asset_that_is_named_is_served(site: StorySite) -> None:
    """From the installed package, with its type."""
    page = (await site.client.get("/")).text
    named = set(re.findall(r'(?:src|href)="(/[^"]+)"', page))
    named |= {
        f"/static/{name}"
        for path in ASSETS
        if path.suffix == ".js"
        for name in re.findall(r'from "\./([^"]+)"', path.read_text())
    }
    named |= {f"/static/{name}" for name in re.findall(r'url\("([^"]+)"\)', (STATIC / "dealer.css").read_text())}
    assert len(named) > 9
    for path in sorted(named):
        answer = await site.client.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["content-type"].split(";")[0] in ("text/javascript", "text/css", "image/svg+xml", "font/woff2"), (
            path
        )


async def test_a_name_that_is_markup_stays_text() -> None:
    """A player's name is data, in the page too."""
    told = TableStory({1: 100})
    at = StorySite(told)
    async with at.client:
        body = {"type": "seat_player", "seat": 2, "name": "</script><b>x", "stack": 50}
        await at.client.post("/api/v1/commands", json={"key": "press-0001", "seq": 0, "command": body})
        page = (await at.client.get("/")).text
    assert "</script><b>x" not in page


async def test_one_console_drives_and_can_be_relieved(site: StorySite) -> None:
    """Taking over is told to everybody; letting go gives the wheel back to who had it before."""
    asked = site.client
    assert (await asked.get("/api/v1/wheel")).json() == {"driver": None}
    first, second = {"console": "one", "name": "Dealer"}, {"console": "two", "name": "Floor"}
    assert (await asked.post("/api/v1/wheel", json=first)).json()["driver"] == {**first, "can_return": False}
    assert (await asked.post("/api/v1/wheel", json=second)).json()["driver"] == {**second, "can_return": True}
    assert site.pages.picture()["wheel"]["console"] == "two"
    assert (await asked.post("/api/v1/wheel/return", json={"console": "one"})).json()["driver"]["console"] == "two"
    assert (await asked.post("/api/v1/wheel/return", json={"console": "two"})).json()["driver"] == {**first, "can_return": False}
    assert (await asked.post("/api/v1/wheel", json={"console": "a b", "name": "x"})).status_code == 422


async def test_who_takes_the_wheel_again_keeps_who_had_it_before(site: StorySite) -> None:
    """A page that says it twice loses nobody."""
    for console in ("one", "two", "two"):
        await site.client.post("/api/v1/wheel", json={"console": console, "name": console})
    assert (await site.client.post("/api/v1/wheel/return", json={"console": "two"})).json()["driver"]["console"] == "one"


async def test_who_watches_is_refused_and_gets_the_picture(site: StorySite) -> None:
    """On the server, whatever the page draws; who drives is taken."""
    await site.client.post("/api/v1/wheel", json={"console": "one", "name": "Dealer"})
    body = {"seq": 0, "command": {"type": "pause_table", "reason": "break"}}
    for number, watcher in enumerate(({}, {"console": "two"})):
        answer = await site.client.post("/api/v1/commands", json={"key": f"watcher-{number}", **body, **watcher})
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "not_driving")
        assert answer.json()["picture"]["wheel"]["console"] == "one"
        assert "Dealer" in answer.json()["refusal"]["message_fr"]
    assert (await site.client.post("/api/v1/commands", json={"key": "driver-00", **body, "console": "one"})).status_code == 200


async def test_a_full_table_of_pages_is_told(site: StorySite) -> None:
    """503 with one sentence."""
    site.pages.close()
    answer = await site.client.get("/api/v1/stream")
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (503, "too_many_pages")


async def test_a_sheet_that_is_none_is_told(site: StorySite) -> None:
    """404, in the form of a refusal."""
    for name in ("nothing", "form:nothing", "form:"):
        answer = await site.client.get("/api/v1/sheets", params={"name": name})
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (404, "no_such_sheet")
