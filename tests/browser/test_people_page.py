"""Signing in at the console in a real browser: who is there, a lock between dealers, two people for a void, and a watcher."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import uvicorn
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, async_playwright, expect
from support.people_site import PINS, PeopleSite, people_file
from support.table_story import TableStory

CHROMIUM: Final = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
SHOTS: Final = Path(__file__).parents[2] / "data/screenshots"

pytestmark = pytest.mark.ports


class _Server(uvicorn.Server):
    """Without signal handlers."""

    def capture_signals(self) -> Any:
        return threading.Lock()


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[PeopleSite, str, Browser]]:
    """A story's table in a hand, at an address, with a browser."""
    site = PeopleSite(TableStory({1: 100, 3: 100, 5: 100}).start().deal(), people_file(folder / "people.json"))
    server = _Server(uvicorn.Config(site.api, port=0, log_level="warning", lifespan="off", timeout_graceful_shutdown=1))
    running = asyncio.create_task(server.serve())
    async with async_playwright() as driver, site.client:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            while not server.started:
                await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            yield site, f"http://127.0.0.1:{port}/", browser
        finally:
            await browser.close()
            site.pages.close()
            site.seats.close()
            server.should_exit = True
            await running


async def sign_in(page: Page, number: str) -> None:
    """By number and PIN, with keys alone."""
    await expect(page.locator("#door")).to_be_visible()
    await page.keyboard.type(number)
    await page.keyboard.press("Enter")
    await expect(page.locator("#door input")).to_have_attribute("type", "password")
    await page.keyboard.type(PINS[number])
    await page.keyboard.press("Enter")


async def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png")


async def clean(page: Page) -> None:
    """axe finds nothing."""
    found = (await Axe().run(page)).response["violations"]
    assert [one["id"] for one in found] == []


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
        await clean(page)
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
        await clean(page)
        await sign_in(page, "13")
        await expect(page.locator("#strip-person")).to_have_text("Ben")
        assert site.told.state.wheel[0].person == "Ben"
        await page.locator("#place-problem button").click()
        await page.locator("[data-form=void_hand]").click()
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
