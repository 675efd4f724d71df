"""The console of ``stud-table run`` with people: a hand that one dealer begins and another ends, to which the floor agrees."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright, expect
from support.dealer_desk import new_page
from support.page_site import sign_in
from support.programs import CHROMIUM, program
from support.table_runs import journal_bodies, started

from controller.demo import Demo, DemoPlan
from controller.demo_people import PEOPLE

pytestmark = pytest.mark.ports

PINS = {person.number: person.pin for person in PEOPLE}


async def press(page: Page, place: str, words: str) -> None:
    """Touch the button at ``place`` once it says ``words``; one that wants it is held."""
    button = page.locator(f"#place-{place} button").first
    await expect(page.locator("#bar")).not_to_have_attribute("aria-busy", "true")
    await expect(button).to_contain_text(words, timeout=20_000)
    if await button.locator(".ring").count():
        await button.hover()
        await page.mouse.down()
        await asyncio.sleep(0.7)
        await page.mouse.up()
    else:
        await button.click()


async def relieved(page: Page) -> None:
    """Ines starts a hand and locks the page in its midst. Paul is refused there until the floor has signed in; then he signs in
    over the floor and deals it to its end."""
    await press(page, "main", "Start hand")
    await press(page, "main", "Bring-in 2")
    await press(page, "all", "All call 2")
    await expect(page.locator("#place-all button")).to_contain_text("All check", timeout=20_000)
    await page.locator("#lock").click()
    await expect(page.locator("#door")).to_contain_text("Locked")
    await expect(page.locator("#bar button")).to_have_count(0)
    await expect(page.locator("#map .pot")).to_have_text("9")
    await sign_in(page, "13", PINS)
    await expect(page.locator("#door .error")).to_contain_text("Ines deals this hand: a relief in it needs the floor")
    await expect(page.locator("#door .error")).to_contain_text("wait for the end of the hand")
    await sign_in(page, "3", PINS)
    await expect(page.locator("#strip-person")).to_have_text("Fay")
    await page.locator("#lock").click()
    await expect(page.locator("#door")).to_contain_text("Locked")
    await sign_in(page, "13", PINS)
    await expect(page.locator("#strip-person")).to_have_text("Paul")
    for street in ("4th", "5th", "6th", "7th"):
        await expect(page.locator("#middle [aria-current]")).to_have_text(street, timeout=20_000)
        await press(page, "all", "All check")
    await press(page, "all", "All tabled")
    await press(page, "main", "Award 9")
    await expect(page.locator("#place-undo button")).to_contain_text("award")


async def test_two_dealers_share_a_hand_at_a_table_that_runs(tmp_path: Path) -> None:
    """The very program of a table, its address and its people file; each wager is in the journal with who gave it."""
    demo = Demo(DemoPlan(tmp_path, fast=True, seats=3, seed=5, people=True))
    wrong: list[str] = []
    async with started(demo), async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program(*CHROMIUM, package="chromium"), args=["--no-sandbox"])
        page = await new_page(browser)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto(f"{demo.http}/")
        await expect(page.locator("body")).not_to_contain_text("Ann")
        await sign_in(page, "12", PINS)
        await expect(page.locator("#strip-person")).to_have_text("Ines")
        await press(page, "main", "Take over")
        playing: asyncio.Task[Any] = asyncio.create_task(demo.play())
        try:
            await relieved(page)
        finally:
            demo.stop_dealing()
            await playing
            await browser.close()
    assert wrong == []
    answered = [body for _, body in journal_bodies(demo.data) if body["type"] == "CommandAnswered"]
    given = [
        (one["person"], one["kind"]) for one in answered if one["person"] in ("Ines", "Paul") and one["kind"] != "take_wheel"
    ]
    assert [person for person, _ in given] == ["Ines"] * 3 + ["Paul"] * (len(given) - 3)
    assert (given[0], given[-1]) == (("Ines", "start_hand"), ("Paul", "award_pots"))
