"""The seats' pages in a real browser at a simulated table: what was published is what stands there, and its age."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from playwright.async_api import ConsoleMessage, Page, Request, ViewportSize, async_playwright, expect
from support.mqtt_samples import Listener
from support.programs import CHROMIUM, program
from support.table_runs import subscribed

from controller.demo import NAMES, Demo, DemoPlan
from controller.mqtt.compact import Echo, compact_of
from controller.mqtt.payloads import Alarm, SeatView
from controller.mqtt.topics import TableTopics
from simulators.console import Console, HttpConsole

SHOTS: Final = Path(__file__).parents[2] / "data/screenshots"
TOPICS: Final = TableTopics("demo", "T1")
LARGE: Final[ViewportSize] = {"width": 1024, "height": 600}
SMALL: Final[ViewportSize] = {"width": 800, "height": 480}

pytestmark = pytest.mark.ports


class Seats:
    """Pages of the seats at a table whose dealer is the test, and everything that is published there."""

    def __init__(self, demo: Demo, heard: Listener, pages: dict[int, Page], console: Console) -> None:
        self.demo = demo
        self.console = console
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

    async def act(self, verb: str) -> int:
        """Wait for a decision, enter ``verb`` as the dealer would, and wait for the next one; the seat that is then to act."""
        console = self.console
        async with asyncio.timeout(30):
            now = await console.snapshot()
            while not _asks(now, verb):
                now = await console.changed(now["seq"])
        if verb == "start_hand":
            command: dict[str, Any] = {"type": "start_hand"}
        else:
            step = now["step"]
            action = next(action for action in step["actions"] if action["verb"] == verb)
            command = {"type": "act", "seat": step["seat"], "verb": verb, "to": action["to"]}
        answer = await console.send(command, decision=now["step"].get("decision"), seq=now["seq"])
        assert answer["ok"], answer
        async with asyncio.timeout(30):
            while (now := await console.changed(answer["seq"] - 1))["step"]["kind"] != "act":
                answer = {"seq": now["seq"] + 1}
        return int(now["step"]["seat"])

    def published(self, seat: int) -> set[str]:
        """Digests of all that was published for ``seat``."""
        views = (SeatView.model_validate_json(payload) for payload in self.heard.payloads(TOPICS.seat(seat)) if payload)
        return {compact_of(view).digest() for view in views}

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


def _asks(now: dict[str, Any], verb: str) -> bool:
    kind = now["step"]["kind"]
    return bool(kind == verb or (kind == "act" and any(action["verb"] == verb for action in now["step"]["actions"])))


@asynccontextmanager
async def at_seats(folder: Path, **plan: Any) -> AsyncIterator[Seats]:
    """A fast demo whose dealer's hands deal while the test decides, with the pages of its seats open."""
    demo = Demo(DemoPlan(folder, fast=True, **{"seats": 3, "seed": 5, **plan}))
    heard = Listener((f"{TOPICS.root}/#",))
    playing: asyncio.Task[Any] | None = None
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program(*CHROMIUM, package="chromium"), args=["--no-sandbox"])
        try:
            await demo.start()
            async with httpx.AsyncClient(base_url=demo.http) as client, subscribed(demo.mqtt, heard, "ear"):
                for console in ("simulated-dealer", "test"):
                    await client.post("/api/v1/wheel", json={"console": console, "name": console})
                pages = {seat: await browser.new_page(viewport=LARGE) for seat in (1, 2, 3)}
                seats = Seats(demo, heard, pages, HttpConsole(client, rng=random.SystemRandom(), console="test"))
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
    """What is cut off or runs out of the screen."""
    return list(await page.evaluate(CLIPPED))


async def test_pages_show_their_own_seat_and_say_so(tmp_path: Path) -> None:
    """Each page has its own name, stack and turn, and echoes the digest of what was published; in both languages and sizes."""
    async with at_seats(tmp_path) as seats:
        await seats.act("start_hand")
        seats.demo.stop_dealing()  # or who folds is thrown into the muck by her hands
        actor = await seats.act("bring_in")
        page, other = seats.pages[actor], seats.pages[actor % 3 + 1]
        await states(page, "turn")
        await expect(page.locator("#options b").first).to_have_text("Call 2")
        await expect(page.locator("#title")).to_contain_text("YOUR TURN")
        await expect(page.locator("#seat-name")).to_contain_text(NAMES[actor - 1])
        await expect(other.locator("#seat-name")).to_contain_text(NAMES[actor % 3])
        await expect(other.locator("#title")).to_have_text(f"Seat {actor} to act")
        await seats.shot(actor, "turn")
        assert await clean(page) == []
        assert await clean(other) == []
        await other.locator("#rules-open").click()
        await expect(other.locator("#sheet-title")).to_have_text("Stud high: the rules of this table")
        await expect(other.locator("#sheet-text li", has_text="Fingerprint of these rules")).to_be_visible()
        await expect(other.locator("#sheet-differ")).to_be_hidden()
        await seats.shot(actor % 3 + 1, "rules")
        assert await clean(other) == []
        await other.locator("#sheet-close").click()
        await expect(other.locator("#sheet")).to_be_hidden()
        await page.set_viewport_size(SMALL)
        await seats.shot(actor, "small")
        assert await clean(page) == []
        await page.set_viewport_size(LARGE)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator("html")).to_have_attribute("lang", "fr")
        await expect(page.locator("#word-stack")).to_have_text("Vos jetons")
        await expect(other.locator("#word-stack")).to_have_text("Your stack")
        await seats.shot(actor, "fr")
        assert await clean(page) == []
        await page.goto(f"{seats.demo.seat_pages[actor]}?theme=light")
        await states(page, "turn")
        await seats.shot(actor, "light")
        assert await clean(page) == []
        await page.locator("#rules-open").click()
        await expect(page.locator("#sheet-title")).to_have_text("Stud high\u00a0: les règles de cette table")
        await seats.shot(actor, "rules-light-fr")
        assert await clean(page) == []
        await seats.until(lambda: any(echo.seat == actor for echo in seats.echoes(actor)[-1:]))
        await other.locator("#rules-open").click()
        await expect(other.locator("#sheet")).to_be_visible()
        await seats.act("complete")
        await states(page, "wait")
        await states(other, "turn")
        await expect(other.locator("#sheet")).to_be_hidden()  # nobody misses a turn behind it
        await seats.shot(actor, "wait")
        await seats.until(lambda: all(len(seats.echoes(seat)) > 3 for seat in seats.pages))
        for seat in seats.pages:
            assert {echo.digest for echo in seats.echoes(seat)} <= seats.published(seat)
        assert seats.alarms() == []


async def test_silence_a_page_that_draws_something_else_and_a_new_start(tmp_path: Path) -> None:
    """Not live two seconds after the topic falls silent, though its stream stands; live again by itself. A page that shows
    another amount than was published raises the alarm of its seat, which ends when it is right again."""
    async with at_seats(tmp_path) as seats:
        page, demo = seats.pages[2], seats.demo
        await seats.act("start_hand")
        await states(page, "wait")
        await page.evaluate("""() => {
            const stack = document.getElementById('stack');
            new MutationObserver(() => { if (stack.textContent !== '999') stack.textContent = '999'; })
                .observe(stack, {childList: true, characterData: true, subtree: true});
            stack.textContent = '999';
        }""")
        await seats.until(lambda: "display_differs" in seats.alarms())
        await page.reload()
        await seats.until(lambda: seats.alarms() == [])
        silent = asyncio.create_task(asyncio.to_thread(demo.restart_broker, 5.0))
        await expect(page.locator("body")).to_have_class("stale", timeout=4_000)
        for _ in range(10):  # a stream that is asked for anew brings a picture, and no sign of life
            assert await page.locator("body").get_attribute("class") == "stale"
            await asyncio.sleep(0.1)
        await silent
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
