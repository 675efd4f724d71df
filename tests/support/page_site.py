"""A story's pages at an address of this machine, for a real browser."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from playwright.async_api import Browser, Page, async_playwright, expect

from support.console_site import StorySite
from support.people_site import PINS
from support.programs import CHROMIUM, program


class _Server(uvicorn.Server):
    """Without signal handlers."""

    def capture_signals(self) -> Any:
        return threading.Lock()


@asynccontextmanager
async def served(site: StorySite) -> AsyncIterator[str]:
    """The address at which ``site`` answers, until the end of the block."""
    server = _Server(uvicorn.Config(site.api, port=0, log_level="warning", lifespan="off", timeout_graceful_shutdown=1))
    running = asyncio.create_task(server.serve())
    async with site.client:
        try:
            while not server.started:
                await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            yield f"http://127.0.0.1:{port}/"
        finally:
            site.pages.close()
            site.seats.close()
            server.should_exit = True
            await running


@asynccontextmanager
async def in_browser(site: StorySite) -> AsyncIterator[tuple[str, Browser]]:
    """The address of ``site``, and a browser."""
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program(*CHROMIUM, package="chromium"), args=["--no-sandbox"])
        try:
            async with served(site) as address:
                yield address, browser
        finally:
            await browser.close()


async def sign_in(page: Page, number: str, pins: Mapping[str, str] = PINS) -> None:
    """By number and PIN, with keys alone."""
    await expect(page.locator("#door")).to_be_visible()
    await page.keyboard.type(number)
    await page.keyboard.press("Enter")
    await expect(page.locator("#door input")).to_have_attribute("type", "password")
    await page.keyboard.type(pins[number])
    await page.keyboard.press("Enter")
