"""A dealer's page in a real browser at a simulated table, and what a person does on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

from controller.demo import Demo, DemoPlan
from support.french import english_in
from support.programs import CHROMIUM, program

SHOTS: Final = Path(__file__).parents[2] / "data/screenshots"
READ: Final = """() => [document.body.innerText, document.title,
  ...[...document.querySelectorAll('[aria-label]')].filter(e => e.checkVisibility()).map(e => e.getAttribute('aria-label'))]"""


class Line:
    """A line between browser and table that can freeze: what is sent meanwhile is neither lost nor carried."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open = asyncio.Event()
        self._open.set()
        self._server: asyncio.Server | None = None
        self._carrying: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """The address at this end."""
        self._server = await asyncio.start_server(self._met, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def freeze(self) -> None:
        self._open.clear()

    def thaw(self) -> None:
        self._open.set()

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        beyond_reader, beyond_writer = await asyncio.open_connection("127.0.0.1", self._to)
        for source, sink in ((reader, beyond_writer), (beyond_reader, writer)):
            task = asyncio.create_task(self._carry(source, sink))
            self._carrying.add(task)
            task.add_done_callback(self._carrying.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError):
                while told := await source.read(65536):
                    await self._open.wait()
                    sink.write(told)
                    await sink.drain()
        finally:
            sink.close()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in tuple(self._carrying):
            task.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)


class Desk:
    """A page at a demo's table, with what a person does on it."""

    def __init__(self, demo: Demo, page: Page, line: Line) -> None:
        self.demo = demo
        self.page = page
        self.line = line
        self.touches = 0
        self.seen = 0
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", self.said)

    def said(self, message: ConsoleMessage) -> None:
        """What the browser complains of, but for a controller that is away and for what the rules refuse."""
        if message.type == "error" and "net::" not in message.text and "409" not in message.text:
            self.wrong.append(message.text)

    async def snapshot(self) -> dict[str, Any]:
        async with httpx.AsyncClient(base_url=self.demo.http) as client:
            found: dict[str, Any] = (await client.get("/api/v1/snapshot")).json()
            return found

    async def until(self, holds: Callable[[Mapping[str, Any]], bool], *, seconds: float = 30) -> dict[str, Any]:
        """The table's snapshot once it holds."""
        try:
            async with asyncio.timeout(seconds):
                while not holds(snapshot := await self.snapshot()):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            said = await self.page.locator("body").inner_text()
            raise AssertionError(f"the table stays at {snapshot['step']}; the page says: {said}") from None
        self.seen = int(snapshot["seq"])
        return snapshot

    async def on_street(self, street: int) -> None:
        """Wait for the betting of ``street``."""
        await self.until(lambda now: now["step"]["kind"] == "act" and now["hand"]["street"] == street)

    def button(self, place: str, index: int = 0) -> Any:
        return self.page.locator(f"#place-{place} button").nth(index)

    async def touch(self, place: str, words: str, index: int = 0) -> None:
        """Touch the button at ``place`` once it says ``words``; one that wants it is held."""
        button = self.button(place, index)
        await self.listens()
        await expect(button).to_contain_text(words, timeout=20_000)
        self.touches += 1
        if await button.locator(".ring").count():
            await button.hover()
            await self.page.mouse.down()
            await asyncio.sleep(0.7)
            await self.page.mouse.up()
        else:
            await button.click()

    async def listens(self) -> None:
        """Wait until the page shows what was waited for, and as long as the bar is deaf after a press: a finger is slower."""
        async with asyncio.timeout(10):  # asked from here: in the page a wait would need eval, which its policy forbids
            while int(await self.page.evaluate("Number(document.body.dataset.seq)")) < self.seen:
                await asyncio.sleep(0.02)
        await expect(self.page.locator("#bar")).not_to_have_attribute("aria-busy", "true")

    async def take_over(self) -> None:
        await self.touch("main", "Take over")
        await expect(self.page.locator("#spoken")).to_contain_text("This console drives")
        self.touches = 0

    async def take_wheel_elsewhere(self) -> None:
        """Another console, beside the line, takes over."""
        async with httpx.AsyncClient(base_url=self.demo.http) as client:
            await client.post("/api/v1/wheel", json={"console": "floor-console", "name": "Fay"})

    async def shot(self, name: str) -> None:
        """A picture of the state, to be looked at; in French, no English word is on it or read out."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=SHOTS / f"{name}.png")
        if await self.page.evaluate("document.documentElement.lang") == "fr":
            english = english_in(" ".join(await self.page.evaluate(READ)))
            assert not english, f"{name}: {english}"


async def new_page(browser: Browser) -> Page:
    """A page of a browser that nobody used before, as large as a dealer's screen."""
    return await browser.new_page(viewport={"width": 1280, "height": 800})


@asynccontextmanager
async def at_table(folder: Path, **plan: Any) -> AsyncIterator[Desk]:
    """A fast demo with its simulated dealer, and a page that has just been opened at it."""
    chromium = program(*CHROMIUM, package="chromium")
    demo = Demo(DemoPlan(folder, fast=True, **{"seats": 3, "seed": 5, **plan}))
    playing: asyncio.Task[Any] | None = None
    line: Line | None = None
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            await demo.start()
            async with httpx.AsyncClient(base_url=demo.http) as client:  # the wheel is hers before she has begun
                await client.post("/api/v1/wheel", json={"console": "simulated-dealer", "name": "Simulated dealer"})
            line = Line(demo.http_port)
            address = await line.start()
            page = await new_page(browser)
            desk = Desk(demo, page, line)
            await page.goto(address + "/")
            await desk.take_over()
            playing = asyncio.create_task(demo.play())
            yield desk
            assert desk.wrong == [], desk.wrong
        finally:
            demo.stop_dealing()
            if playing is not None:
                await asyncio.wait([playing], timeout=10)
            await browser.close()
            if line is not None:
                await line.close()
            await demo.stop()
