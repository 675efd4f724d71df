"""Hands looked for and replayed in a real browser: by keys alone, in both languages, and nothing that touches a game."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect
from support.accessible import Looker
from support.floor_pages import DESKTOP, screens, shot
from support.floor_site import FloorSite
from support.french import english_in
from support.history_runs import heard
from support.slip_walk import evening

from controller.floor.store.address import parse_address
from controller.floor.store.rows import Batch, KeptEvent, Source
from controller.floor.store.store import open_store

pytestmark = pytest.mark.ports

JOURNAL = "5f0c9a1e"
LEAST = (44, 24)
"""Smallest control in pixels: what is not one of the first targets, but reached by a mouse."""


TWICE = """async () => {
    const { ask } = await import("/static/past.js");
    return (await Promise.all([ask("/api/hands"), ask("/api/hands")])).map(Boolean);
}"""
"""A question that is asked again before its answer, by a second press say: the later one is answered, and that one alone."""


async def test_a_hand_is_found_and_replayed_by_keys(tmp_path: Path) -> None:
    """From the list to the hand; steps and streets by keys, the picture with them; French; no order leaves the page."""
    events = [one.event for one in heard(evening(267, hands=1).bodies) if one.event is not None]
    async with open_store(parse_address("sqlite:///floor.sqlite3", tmp_path), "nice") as store:
        await store.write(Batch(tuple(KeptEvent(Source("T12", JOURNAL), event) for event in events)))
        site = FloorSite()
        site.table("T12", "Nadia")
        site.copy = lambda: store
        async with site.served() as address, screens(address) as at:
            page = await at.open(DESKTOP, path="hands")
            assert await page.evaluate(TWICE) == [False, True]
            await page.locator("tbody a").first.click()
            now = page.locator("#steps li.now")
            await expect(now).to_have_count(1)
            await page.locator("body").press("Home")
            await expect(now).to_have_attribute("data-step", "1")
            await page.locator("body").press("ArrowRight")
            await expect(now).to_have_attribute("data-step", "2")
            await expect(page.locator("#map .seat")).not_to_have_count(0)
            await page.locator("body").press("ArrowDown")
            third = page.locator("#steps li.street").nth(1)
            await expect(third).to_have_text("3rd street")
            await expect(third.locator("+ li")).to_have_class("now")
            await page.locator("#keys .speed").click()
            await page.keyboard.press("Space")  # plays, whatever was touched last
            await expect(page.locator("#keys .speed")).to_have_text("2×")
            await expect(page.locator("#keys .plays")).to_have_text("❚❚")
            await page.keyboard.press("Space")
            await expect(page.locator("#recall")).to_contain_text("Nothing here changes the game.")
            assert await page.locator("main form").count() == 0
            await page.locator("#language").click()
            assert english_in((await page.locator("main").inner_text()).replace("Player", "")) == []  # so the players are called
            looker = Looker(page, LEAST)
            await looker.look("replay")
            assert looker.found == []
            await shot(page, "history-replay")
