"""An alarm on the floor's page, from a wrong card to its end: called, acknowledged by name, cleared by its cause alone."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from playwright.async_api import ViewportSize, expect
from support.accessible import Looker
from support.floor_pages import DESKTOP, screens, shot
from support.floor_site import FloorSite
from support.french import english_in

from controller.floor.board.flood import MANY_TABLES
from controller.mqtt.payloads import Words

pytestmark = pytest.mark.ports

WIDE, TALL = ViewportSize(width=1920, height=2400), ViewportSize(width=390, height=6000)

SLOW = Words(en="The disk of the table is slow.", fr="Le disque de la table est lent.")
DOWN = Words(en="Reader felt_a does not answer.", fr="Le lecteur felt_a ne répond pas.")


def room() -> FloorSite:
    """Six tables; a wrong card lies at T2, and the disk of T3 is slow."""
    site = FloorSite()
    for number in range(1, 7):
        site.table(f"T{number}", "Nadia")
    site.stop("T2", before_s=48)
    site.alarm("T3", "disk_slow", "disk_slow", 3, SLOW, time.time() - 60)
    return site


def card(page: Any, alarm: str) -> Any:
    return page.locator(f".alarm[data-alarm='{alarm}']")


async def test_from_a_wrong_card_to_its_end() -> None:
    """Called, acknowledged by name, which clears nothing, and over when the card lies right."""
    site = room()
    async with site.served() as address, screens(address) as at:
        page = await at.open(DESKTOP)
        wrong = card(page, "T2/hold")
        await expect(page.locator("#alarms-count")).to_have_text("2 active")
        await expect(wrong.locator(".badge")).to_have_class("badge p1 new")
        await page.wait_for_timeout(450)  # cards that have just moved take no touch
        await wrong.get_by_role("button", name="Acknowledge").click()
        await page.get_by_label("Your name").fill("M. Roux")
        await shot(page, "alarm-name")
        await page.get_by_label("Your name").press("Enter")
        await expect(wrong.locator(".trail")).to_contain_text("acknowledged: M. Roux")
        await expect(wrong.locator(".badge")).to_have_class("badge p1")
        await expect(wrong.get_by_role("button")).to_have_count(0)  # priority 1 is not shelved
        site.clear("T2")
        await expect(page.locator("#over-list")).to_contain_text("T2")
        await expect(page.locator("#alarms-count")).to_have_text("1 active")


@pytest.mark.long
async def test_the_shelf_what_nobody_saw_and_the_sound() -> None:
    """Shelved with a reason; what is over before it was seen waits for a person; a sound is turned on by a touch; while the page
    is not live it has no button."""
    site = room()
    async with site.served() as address, screens(address) as at:
        page = await at.open(DESKTOP)
        await page.evaluate("localStorage.setItem('stud-table-floor-name', JSON.stringify({name: 'M. Roux', at: Date.now()}))")
        slow = card(page, "T3/disk_slow")
        await expect(slow).to_be_visible()
        await page.wait_for_timeout(450)
        await slow.get_by_role("button", name="Acknowledge").click()
        await slow.get_by_role("button", name="Shelve").click()
        await page.get_by_label("Why it can wait").fill("big pots, two disputes")
        await shot(page, "alarm-shelve")
        await page.get_by_label("Why it can wait").press("Enter")
        await expect(page.locator("#shelf-list")).to_contain_text("M. Roux: “big pots, two disputes”")
        await expect(page.locator("#alarms-count")).to_have_text("1 active · 1 shelved")
        site.stop("T4", before_s=20)
        await expect(card(page, "T4/hold")).to_contain_text("not acknowledged")
        site.clear("T4")
        await expect(page.locator("#alarms-count")).to_have_text("1 active · 1 over, not seen · 1 shelved")
        await shot(page, "alarm-over")
        await page.wait_for_timeout(450)
        await card(page, "T4/hold").get_by_role("button", name="Acknowledge").click()
        await expect(card(page, "T4/hold")).to_have_count(0)
        await page.locator("#sound").click()
        await expect(page.locator("#sound")).to_have_attribute("aria-pressed", "true")
        site.stop("T5", before_s=20)
        await expect(card(page, "T5/hold")).to_be_visible()
        await expect(page.locator("body")).to_have_attribute("data-sounded", re.compile("[2-9]"))
        await page.evaluate("document.body.classList.add('stale')")
        await expect(page.locator(".deed").first).to_be_hidden()


@pytest.mark.long
async def test_what_was_only_to_know_and_is_over_is_one_card_a_kind() -> None:
    """It hides nothing that stands; opened, each is acknowledged by itself."""
    site = room()
    for table in ("T4", "T5"):
        site.alarm(table, "disk_slow", "disk_slow", 3, SLOW, time.time() - 60)
    async with site.served() as address, screens(address) as at:
        page = await at.open(DESKTOP)
        await page.evaluate("localStorage.setItem('stud-table-floor-name', JSON.stringify({name: 'M. Roux', at: Date.now()}))")
        await expect(page.locator("#alarms-count")).to_have_text("4 active")
        for table in ("T4", "T5"):
            site.clear(table, "disk_slow")
        past = page.locator(".alarm.flood.over")
        await expect(past).to_contain_text("2 times over, not seen; tables: 2")
        await past.get_by_role("button", name="Show them").click()
        await page.wait_for_timeout(450)
        await past.get_by_role("button", name="Acknowledge").first.click()
        await expect(page.locator("#alarms-count")).to_have_text("2 active · 1 over, not seen")
        await expect(past).to_have_count(0)


@pytest.mark.long
async def test_everybody_can_do_it_on_a_phone_in_french() -> None:
    """axe finds nothing, every control can be reached, hit and read, no English word; a flood is one card that opens."""
    site = room()
    for number in range(1, MANY_TABLES + 1):
        site.alarm(f"T{number}", "device_down_felt_a", "device_down", 2, DOWN, time.time() - 30 + number, device="felt_a")
    async with site.served() as address, screens(address) as at:
        for size, least in ((WIDE, (44, 44)), (TALL, (52, 52))):
            page = await at.open(size, "fr", reduced_motion="reduce")
            looker = Looker(page, least)
            await expect(page.locator(".flood")).to_contain_text(f"{MANY_TABLES} alarmes à {MANY_TABLES} tables")
            await shelve(page)
            await page.locator(".flood button.open").click()
            await expect(page.locator(".inside .alarm")).to_have_count(MANY_TABLES)
            await page.wait_for_timeout(450)
            await looker.look(f"alarms, {size['width']}")
            await shot(page, f"alarms-fr-{size['width']}")
            await page.evaluate(
                "localStorage.setItem('stud-table-floor-name', JSON.stringify({name: 'L. Perrin', at: Date.now()}))"
            )
            one = card(page, f"T{1 if size is WIDE else 2}/device_down_felt_a")
            await one.locator(".deed").click()
            await expect(one).to_contain_text("acquittée : L. Perrin")
            await page.wait_for_timeout(450)
            await one.locator(".deed").click()
            await looker.look(f"shelve, {size['width']}")
            await shot(page, f"shelve-fr-{size['width']}")
            await page.keyboard.press("Escape")
            assert english_in(await page.locator("body").inner_text()) == []
            assert looker.found == []


async def shelve(page: Any) -> None:
    """Whatever was not shelved yet at T3."""
    button = card(page, "T3/disk_slow").locator(".deed")
    if await button.count() == 0:
        return
    await page.wait_for_timeout(450)
    await button.click()
    await page.get_by_label("Votre nom").fill("L. Perrin")
    await page.get_by_label("Votre nom").press("Enter")
    await expect(button).to_contain_text("Mettre en sommeil")
    await page.wait_for_timeout(450)
    await button.click()
    await page.get_by_label("Pourquoi cela peut attendre").fill("deux litiges")
    await page.get_by_label("Pourquoi cela peut attendre").press("Enter")
    await expect(page.locator("#shelf-list")).to_contain_text("deux litiges")
