"""Signing in at the console in a real browser: who is there, a lock between dealers, two people for a void, and a watcher."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect
from support.page_site import in_browser, sign_in
from support.people_site import PeopleSite, people_file
from support.table_story import TableStory

from controller.table.carried_events import CommandAnswered, Outcome

SHOTS: Final = Path(__file__).parents[2] / "data/screenshots"

pytestmark = pytest.mark.ports


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[PeopleSite, str, Browser]]:
    """A story's table in a hand, at an address, with a browser."""
    site = PeopleSite(TableStory({1: 100, 3: 100, 5: 100}).start().deal(), people_file(folder / "people.json"))
    async with in_browser(site) as (address, browser):
        yield site, address, browser


async def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png")


async def test_people_sign_in_are_relieved_and_agree(tmp_path: Path) -> None:
    """Nothing is shown to nobody; a dealer drives; locked, alarms stay and no button acts; a void takes floor and another one."""
    async with served(tmp_path) as (site, address, browser):
        page = await browser.new_page(viewport={"width": 1280, "height": 800})
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto(address)
        await expect(page.locator("#door-title")).to_have_text("Who is there?")
        await expect(page.locator("body")).not_to_contain_text("Player 1")
        await shot(page, "people-nobody")
        await page.keyboard.type("99999")
        await page.keyboard.press("Enter")
        await page.keyboard.type("482915")
        await page.keyboard.press("Enter")
        await expect(page.locator("#door .error")).to_contain_text("not known")
        await sign_in(page, "12")
        await expect(page.locator("#strip-person")).to_have_text("Ann")
        await expect(page.locator("#place-main button")).to_contain_text("Bring-in 2")
        await shot(page, "people-dealer")
        await page.locator("#lock").click()
        await expect(page.locator("#door")).to_contain_text("Locked")
        await expect(page.locator("#banner-title")).to_contain_text("bring-in 2")
        await expect(page.locator("#place-main button")).to_have_count(0)
        await shot(page, "people-locked")
        await sign_in(page, "13")
        await expect(page.locator("#door .error")).to_contain_text("a relief in it needs the floor")
        await shot(page, "people-relief")
        await sign_in(page, "3")
        await expect(page.locator("#strip-person")).to_have_text("Fay")
        await page.locator("#lock").click()
        await sign_in(page, "13")
        await expect(page.locator("#strip-person")).to_have_text("Ben")
        assert site.told.state.wheel[0].person == "Ben"
        await page.locator("#place-problem button").click()
        await page.locator("[data-form=void_hand]").click()
        await page.locator("#sheet .choice", has_text="Dealing error").click()
        await page.locator("#sheet .pick", has_text="Add words").click()
        await page.locator("#sheet input").fill("a card too many")
        await page.keyboard.press("Enter")
        await page.locator("#sheet-apply").click()
        await expect(page.locator("#door")).to_contain_text("The floor agrees")
        await expect(page.locator("#door dl")).to_contain_text("chips 99 → 100")  # who agrees reads what would change
        await shot(page, "people-agree")
        await sign_in(page, "3")
        await expect(page.locator("#door")).to_contain_text("A second person agrees")
        await sign_in(page, "12")
        await expect(page.locator("#door")).not_to_be_visible()
        await expect(page.locator("#sheet")).not_to_be_visible()
        assert site.told.hand.over
        watcher = await (await browser.new_context(locale="fr")).new_page()
        await watcher.goto(address)
        await sign_in(watcher, "7")
        await expect(watcher.locator("#strip-person")).to_have_text("Sue")
        assert await watcher.locator("#bar button").count() == 0
        await shot(watcher, "people-surveillance")
        assert wrong == []


READER: Final = """(keys) => {
  const there = document.activeElement;
  for (const key of keys) {
    const stays = there.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    if (stays && key === "Enter") there.click();  // as a browser does
  }
}"""


def taken(site: PeopleSite) -> int:
    """How many orders the table has taken."""
    return sum(1 for one in site.told.happened(CommandAnswered) if one.outcome is Outcome.TAKEN)


BAR: Final = """async () => {
  const { Bar } = await import("/static/bar.js");
  const said = { pressed: 0, changed: 0 };
  const bar = new Bar(async () => { said.pressed += 1; }, () => { said.changed += 1; });
  const fixed = { text: { en: "Check" }, sub: null, look: "pri", keys: [], opens: null };
  const made = (to, hold) => ({ ...fixed, hold, commands: [{ command: { to }, decision: "d" }] });
  const place = document.getElementById("place-main");
  const touch = (name, detail) => place.firstChild.dispatchEvent(
    name === "click" ? new MouseEvent(name, { detail }) : new PointerEvent(name, { button: 0 }));
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  bar.draw({ main: [made(1, false)] }, "");
  touch("pointerdown"); touch("click", 1);
  await wait(0);
  bar.draw({ main: [made(2, false)] }, "");
  touch("pointerdown");  // the second touch of two begins at once, on what is asked of the next player, and ends late
  await wait(400);
  touch("click", 2);
  await wait(400);
  const twice = { ...said };
  bar.draw({ main: [made(3, true)] }, "");
  touch("pointerdown");  // a hold whose button is gone before it is full
  await wait(100);
  bar.draw({ main: [made(4, true)] }, "");
  await wait(800);
  return [twice, said];
}"""


async def test_no_order_is_given_by_what_nobody_meant(tmp_path: Path) -> None:
    """A badge at a page that asks for none, a key that is held, the end of a double touch, a hold whose button has changed; and a
    table that nobody drives is shown to who may only read."""
    async with served(tmp_path) as (site, address, browser):
        page = await browser.new_page(viewport={"width": 1280, "height": 800})
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto(address)
        await sign_in(page, "7")
        await expect(page.locator("#strip-person")).to_have_text("Sue")
        await expect(page.locator("#note")).to_have_text("Nobody drives this table.")
        await expect(page.locator("#strip-age")).to_contain_text("Live")
        assert await page.locator("#bar button").count() == 0
        await page.locator("#lock").click()
        await sign_in(page, "12")
        await expect(page.locator("#place-main button")).to_contain_text("Bring-in 2")
        before = taken(site)
        await page.locator("#place-main button").focus()
        await page.evaluate(READER, ["C", "5", "F", "A", "0", "4", "R", "2", "B", "9", "Enter"])
        await asyncio.sleep(0.3)
        assert taken(site) == before
        await page.keyboard.down("c")
        await expect(page.locator("#place-main button")).to_contain_text("Call 2")
        await asyncio.sleep(0.5)
        for _ in range(3):
            await page.keyboard.down("c")  # as a key that is held does
        await page.keyboard.up("c")
        await asyncio.sleep(0.3)
        assert taken(site) == before + 1
        assert await page.evaluate(BAR) == [{"pressed": 1, "changed": 0}, {"pressed": 1, "changed": 1}]
        assert wrong == []
