"""What goes wrong at the dealer's console, in a real browser, in French: rulings, a frozen network, a second console."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, expect
from support.dealer_desk import Desk, at_table, new_page

pytestmark = pytest.mark.ports


async def choose(desk: Desk, selector: str) -> None:
    """One touch inside a sheet."""
    await desk.page.locator(f"#sheet {selector}").click()
    desk.touches += 1


async def leave(page: Page) -> None:
    """Back until no sheet is open."""
    while await page.locator("#sheet").is_visible():
        await page.keyboard.press("Escape")
        await asyncio.sleep(0.05)


async def exposed_card(desk: Desk) -> None:
    """Three touches to the preview, which shows no face and changes nothing."""
    before = await desk.snapshot()
    desk.touches = 0
    await desk.touch("problem", "Problème")
    await choose(desk, "[data-form=expose_hole]")
    await desk.shot("exposed-which-fr")
    await choose(desk, "[data-value='1-1']")
    await expect(desk.page.locator("#sheet-title")).to_contain_text("Carte fermée exposée · R-EXP-01")
    await expect(desk.page.locator("#sheet dl, #sheet .error").first).to_be_visible()
    await desk.shot("exposed-preview-fr")
    assert desk.touches == 3
    assert await desk.page.locator("#sheet .face").count() == 0
    assert (await desk.snapshot())["seq"] == before["seq"]


async def by_the_seat(desk: Desk) -> None:
    """An act before its turn: the tile, the ruling, and beside the preview what the seat did; chips without a word in three."""
    desk.touches = 0
    await desk.page.locator("#tile-3").click()
    await choose(desk, "[data-form=out_of_turn]")
    await expect(desk.page.locator("#sheet .pick[aria-pressed=true]")).to_contain_text("Suivre 2")
    await choose(desk, ".pick[data-value='complete-4']")
    await expect(desk.page.locator("#sheet .pick[aria-pressed=true]")).to_contain_text("Compléter à 4")
    await expect(desk.page.locator("#sheet dl")).to_be_visible()
    await desk.shot("out-of-turn-fr")
    assert desk.touches + 1 == 3
    await leave(desk.page)
    desk.touches = 0
    await desk.touch("problem", "Problème")
    await choose(desk, "[data-form=put_chips]")
    await desk.shot("silent-chips-which-fr")
    await choose(desk, "[data-value='5-1']")
    await expect(desk.page.locator("#sheet dl")).to_contain_text("mise 0 → 2")
    await desk.shot("silent-chips-fr")
    assert desk.touches == 3
    await choose(desk, ".pick[data-value='null']")
    await desk.page.locator("#sheet input").fill("3")
    await desk.page.keyboard.press("Enter")
    await desk.page.locator("#sheet input").fill("3")
    await desk.page.keyboard.press("Enter")
    await expect(desk.page.locator("#sheet dl")).to_be_visible()
    await leave(desk.page)


STALE = """() => {
    const told = { times: 0 };
    const look = () => (told.times += document.body.classList.contains("stale") ? 1 : 0);
    new MutationObserver(look).observe(document.body, { attributeFilter: ["class"] });
    window.staleTold = told;
}"""
"""Counts from now on how often the page said that it is not live: it closes its sheets then, and gives no order."""


async def misdeal(desk: Desk) -> None:
    """Three touches to the preview; behind it the floor's name, and only then are the antes' hand and cards given up. Where the
    machine is so busy that the page was not live meanwhile, what it closed is begun again."""
    await desk.page.evaluate(STALE)
    for seen in range(3):
        try:
            await given_up(desk)
        except (AssertionError, PlaywrightError):
            if await desk.page.evaluate("window.staleTold.times") <= seen:
                raise
            await leave(desk.page)
        else:
            break
    await desk.shot("misdeal-done-fr")


async def given_up(desk: Desk) -> None:
    """The ruling, from the first touch until the table has it."""
    desk.touches = 0
    await desk.touch("problem", "Problème")
    await choose(desk, "[data-form=misdeal]")
    await desk.shot("misdeal-cause-fr")
    await choose(desk, "[data-value] >> nth=0")
    await expect(desk.page.locator("#sheet dl")).to_be_visible()
    await desk.shot("misdeal-preview-fr")
    assert desk.touches == 3
    assert (await desk.snapshot())["hand"]["phase"] == "betting"
    await desk.page.locator("#sheet-apply").click()
    await desk.page.locator("#sheet input").fill("Fay")
    await desk.shot("misdeal-floor-fr")
    await desk.page.keyboard.press("Enter")
    await expect(desk.page.locator("#sheet")).not_to_be_visible()
    await desk.until(lambda now: now["step"]["kind"] != "act", seconds=15)


async def frozen(desk: Desk) -> None:
    """Five seconds without a byte: age, veil, no button; back by itself, with what happened meanwhile."""
    page = desk.page
    desk.line.freeze()
    began = asyncio.get_running_loop().time()
    await expect(page.locator("body")).to_have_class("stale", timeout=4_000)
    await expect(page.locator("#strip-age")).to_contain_text("Figé depuis")
    await expect(page.locator("#banner-title")).to_contain_text("Plus en direct depuis")
    for veiled in (".chips >> nth=0", ".pot", ".lines"):
        await expect(page.locator(f"#map {veiled}")).not_to_be_visible()
    assert await page.locator("#bar button").count() == 0
    await desk.shot("frozen-fr")
    await desk.take_wheel_elsewhere()
    await asyncio.sleep(max(0.0, began + 5.0 - asyncio.get_running_loop().time()))
    desk.line.thaw()
    await expect(page.locator("body")).not_to_have_class("stale", timeout=10_000)
    await expect(page.locator("#map .pot")).to_be_visible()


async def two_consoles(desk: Desk) -> None:
    """One drives, the other sees the same table and may do nothing but take over; then the first one watches."""
    first = desk.page
    assert first.context.browser is not None
    second = await new_page(first.context.browser)
    await second.goto(first.url)
    await second.locator("#language").click()
    watching = Desk(desk.demo, second, desk.line)
    await expect(second.locator("#note")).to_have_text("Lecture seule. Console dirige.")
    await expect(second.locator("#note")).to_be_visible()
    assert await second.locator("#bar button").count() == 1
    await expect(second.locator("#banner-title")).to_have_text(await first.locator("#banner-title").inner_text())
    await watching.shot("watching-fr")
    await watching.touch("main", "Prendre la main")
    await expect(watching.button("main")).to_contain_text("Suivre 2")
    await expect(desk.button("main")).to_contain_text("Prendre la main")
    assert await first.locator("#bar button").count() == 1
    await desk.shot("taken-fr")
    await watching.touch("main", "Suivre 2")
    await expect(first.locator("#tile-3")).to_have_class("tile actor")
    await desk.touch("main", "Prendre la main")
    await expect(desk.button("main")).to_contain_text("Suivre 2")
    assert watching.wrong == []
    await second.close()


@pytest.mark.timeout(240)
async def test_rulings_two_consoles_and_a_frozen_network_in_french(tmp_path: Path) -> None:
    """A hand in which a card is exposed, another console takes over, nothing comes for five seconds, and the deal is given up."""
    async with at_table(tmp_path) as desk:
        await desk.page.locator("#language").click()
        await desk.shot("start-fr")
        await desk.touch("main", "Commencer")
        await desk.touch("main", "Bring-in 2")
        await expect(desk.button("main")).to_contain_text("Suivre 2", timeout=20_000)
        await exposed_card(desk)
        await leave(desk.page)
        await by_the_seat(desk)
        await two_consoles(desk)
        await frozen(desk)
        await desk.shot("frozen-back-fr")
        await desk.touch("main", "Prendre la main")
        await misdeal(desk)
