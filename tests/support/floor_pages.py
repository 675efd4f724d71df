"""The floor's pages in a real browser, on a desktop and on a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, ConsoleMessage, Page, Request, ViewportSize, async_playwright

from support.programs import CHROMIUM, program

SHOTS: Final = Path(__file__).parents[2] / "data/screenshots"
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
WIDE: Final[ViewportSize] = {"width": 1920, "height": 1080}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
SMALL: Final[ViewportSize] = {"width": 320, "height": 640}


class Screens:
    """Pages of one floor, and what went wrong on any of them."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self.address = address
        self.wrong: list[str] = []

    async def open(self, size: ViewportSize, language: str = "en", path: str = "", **how: Any) -> Page:
        """A page of that size and language on a device of its own."""
        context = await self._browser.new_context(viewport=size, **how)
        key = "stud-table-language"
        await context.add_init_script(f"localStorage.getItem('{key}') || localStorage.setItem('{key}', '{language}')")
        page = await context.new_page()
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", self._said)
        page.on("request", self._asked)
        await page.goto(self.address + path)
        return page

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "net::" not in message.text:
            self.wrong.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(self.address):
            self.wrong.append(f"asked elsewhere: {request.url}")


@asynccontextmanager
async def screens(address: str) -> AsyncIterator[Screens]:
    """A browser at ``address``; at the end nothing may have gone wrong on any page."""
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program(*CHROMIUM, package="chromium"), args=["--no-sandbox"])
        try:
            made = Screens(browser, address)
            yield made
            assert made.wrong == []
        finally:
            await browser.close()


async def shot(page: Page, name: str) -> None:
    """A picture of the page, to be looked at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHOTS / f"floor-{name}.png")


def tile(page: Page, table: str) -> Any:
    """The tile of ``table``."""
    return page.locator(f".tile[data-table='{table}']")
