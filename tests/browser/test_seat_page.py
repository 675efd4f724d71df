"""The seats' pages in a real browser at a simulated table: what was published is what stands there, and its age."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import ConsoleMessage, Page, Request, async_playwright, expect
from support.mqtt_samples import Listener
from support.programs import CHROMIUM, program
from support.table_runs import subscribed

from controller.demo import Demo, DemoPlan
from controller.mqtt.compact import Echo, compact_of
from controller.mqtt.payloads import Alarm, SeatView
from controller.mqtt.topics import TableTopics

SHOTS: Final = Path(__file__).parents[2] / "data/screenshots"
TOPICS: Final = TableTopics("demo", "T1")
LARGE: Final = {"width": 1024, "height": 600}
SMALL: Final = {"width": 800, "height": 480}

pytestmark = pytest.mark.ports


class Seats:
    """Pages of seats 1 and 2 at a table whose dealer is the test, and everything that is published there."""

    def __init__(self, demo: Demo, heard: Listener, pages: dict[int, Page]) -> None:
        self.demo = demo
        self.heard = heard
        self.pages = pages
        self.wrong: list[str] = []
        self.elsewhere: list[str] = []
        for page in pages.values():
            page.on("pageerror", lambda error: self.wrong.append(str(error)))
            page.on("console", self.said)
            page.on("request", self.asked)

    def said(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "net::" not in message.text:
            self.wrong.append(message.text)

    def asked(self, request: Request) -> None:
        if not request.url.startswith(self.demo.http):
            self.elsewhere.append(request.url)

    async def shot(self, seat: int, name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        await self.pages[seat].screenshot(path=SHOTS / f"seat-{name}.png")

    async def order(self, **command: Any) -> None:
        """Enter what the dealer would, on the decision of now."""
        async with httpx.AsyncClient(base_url=self.demo.http) as client:
            now = (await client.get("/api/v1/snapshot")).json()
            body = {"key": f"t-{now['seq']}", "seq": now["seq"], "decision": now["step"].get("decision"), "command": command}
            answer = await client.post("/api/v1/commands", json=body)
            assert answer.status_code == 200, answer.text

    def newest(self, seat: int) -> SeatView:
        return SeatView.model_validate_json(self.heard.payloads(TOPICS.seat(seat))[-1])

    def alarms(self) -> list[str]:
        """Alarms that stand, by what the broker told."""
        told = {topic: payload for topic, payload, _ in self.heard.heard if topic.startswith(f"{TOPICS.root}/alarms/")}
        return [Alarm.model_validate_json(payload).code for payload in told.values() if payload]

    def echoes(self, seat: int) -> list[Echo]:
        found = (Echo.model_validate_json(payload) for payload in self.heard.payloads(TOPICS.echo(seat)))
        return [echo for echo in found if echo.display.startswith("page-")]

    async def until(self, true: Callable[[], object], within_s: float = 15.0) -> None:
        async with asyncio.timeout(within_s):
            while not true():
                await asyncio.sleep(0.05)


@asynccontextmanager
async def at_seats(folder: Path, **plan: Any) -> AsyncIterator[Seats]:
    """A demo that deals by itself, with the pages of seats 1 and 2 open."""
    demo = Demo(DemoPlan(folder, **{"seats": 3, "seed": 5, **plan}))
    heard = Listener((f"{TOPICS.root}/#",))
    playing: asyncio.Task[Any] | None = None
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program(*CHROMIUM, package="chromium"), args=["--no-sandbox"])
        try:
            await demo.start()
            async with subscribed(demo.mqtt, heard, "ear"):
                pages = {seat: await browser.new_page(viewport=LARGE) for seat in (1, 2)}  # type: ignore[arg-type]
                seats = Seats(demo, heard, pages)
                for seat, page in pages.items():
                    await page.goto(demo.seat_pages[seat])
                playing = asyncio.create_task(demo.play())
                yield seats
                assert seats.wrong == []
                assert seats.elsewhere == []
        finally:
            demo.stop_dealing()
            if playing is not None:
                await asyncio.wait([playing], timeout=10)
            await demo.stop()
            await browser.close()


async def states(page: Page, wanted: str, within_ms: float = 30_000) -> None:
    await expect(page.locator("body")).to_have_attribute("data-state", wanted, timeout=within_ms)


CLIPPED: Final = """() => [...document.querySelectorAll(
    'h1, .lines p, .options b, .options span, .note, .amount, .who, .age, button, .boards li, .pots li')]
    .filter(e => e.offsetParent).filter(e => {
        const box = e.getBoundingClientRect();
        const cut = e.scrollWidth > e.clientWidth + 2 || e.scrollHeight > e.clientHeight + 6;
        return cut || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
    }).map(e => `${e.className || e.id || e.tagName}: ${e.textContent}`)"""


async def clean(page: Page) -> list[str]:
    """What axe finds, and what is cut off or runs out of the screen."""
    found = [violation["id"] for violation in (await Axe().run(page)).response["violations"]]
    return found + list(await page.evaluate(CLIPPED))


async def test_pages_show_their_own_seat_and_say_so(tmp_path: Path) -> None:
    """Whole hands in real time: each page has its own name, stack and turn, and echoes what was published."""
    async with at_seats(tmp_path) as seats:
        one, two = seats.pages[1], seats.pages[2]
        await states(one, "turn", 90_000)
        await seats.shot(1, "turn")
        await expect(one.locator("#title")).to_contain_text("YOUR TURN")
        await expect(one.locator("#seat-name")).to_contain_text("Ann")
        await expect(two.locator("#seat-name")).to_contain_text("Ben")
        await seats.shot(2, "wait")
        assert await clean(one) == []
        assert await clean(two) == []
        await one.set_viewport_size(SMALL)  # type: ignore[arg-type]
        await seats.shot(1, "small")
        assert await clean(one) == []
        await one.set_viewport_size(LARGE)  # type: ignore[arg-type]
        await one.keyboard.press("Tab")
        await one.keyboard.press("Enter")
        await expect(one.locator("html")).to_have_attribute("lang", "fr")
        await seats.shot(1, "fr")
        assert await clean(one) == []
        await expect(one.locator("#word-stack")).to_have_text("Vos jetons")
        await expect(two.locator("#word-stack")).to_have_text("Your stack")
        await seats.until(lambda: len(seats.echoes(1)) > 5 and len(seats.echoes(2)) > 5)
        for seat in (1, 2):
            sent = {compact_of(SeatView.model_validate_json(p)).digest() for p in seats.heard.payloads(TOPICS.seat(seat)) if p}
            assert {echo.digest for echo in seats.echoes(seat)} <= sent
        assert seats.alarms() == []


async def test_silence_a_page_that_draws_something_else_and_a_new_start(tmp_path: Path) -> None:
    """Not live two seconds after the topic falls silent, though its stream stands; live again by itself. A page that shows
    another amount than was published raises the alarm of its seat, which ends when it is right again."""
    async with at_seats(tmp_path) as seats:
        page, demo = seats.pages[2], seats.demo
        await expect(page.locator("body")).not_to_have_class("stale", timeout=30_000)
        await expect(page.locator("#stack")).to_have_text("195", timeout=60_000)
        await page.evaluate("""() => {
            const stack = document.getElementById('stack');
            new MutationObserver(() => { if (stack.textContent !== '999') stack.textContent = '999'; })
                .observe(stack, {childList: true, characterData: true, subtree: true});
            stack.textContent = '999';
            window.lying = true;
        }""")
        await seats.until(lambda: "display_differs" in seats.alarms())
        await page.reload()
        await seats.until(lambda: seats.alarms() == [])
        await asyncio.to_thread(demo.restart_broker, 4.0)
        await seats.until(lambda: seats.heard.link is not None)
        await expect(page.locator("body")).not_to_have_class("stale", timeout=15_000)
        demo.kill_controller()
        await expect(page.locator("body")).to_have_class("stale", timeout=4_000)
        await expect(page.locator("#title")).to_have_text("Not live: ask the dealer")
        assert await page.locator(".amount").all_inner_texts() == ["–"] * 4
        assert await page.locator("#options li").count() == 0
        await seats.shot(2, "stale")
        assert await clean(page) == []
        await demo.start_controller()
        await expect(page.locator("body")).not_to_have_class("stale", timeout=15_000)
