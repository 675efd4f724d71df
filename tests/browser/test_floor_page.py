"""All tables on one page, in a real browser: which table needs a person and why, on a desktop and on a phone."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from support.accessible import Looker
from support.dealer_desk import Line
from support.floor_pages import DESKTOP, PHONE, SMALL, screens, shot, tile
from support.floor_site import FloorSite
from support.french import english_in

from controller.demo import DemoPlan
from controller.demo_floor import FloorDemo, FloorPlan
from controller.mqtt.payloads import TableStatus, Words

pytestmark = pytest.mark.ports

TALL = {"width": 390, "height": 2400}
SLOW = Words(en="The disk of the table is slow.", fr="Le disque de la table est lent.")


def room() -> FloorSite:
    """Ten tables: one stopped for 48 s, one just now, one lost, one with a slow disk, one closed; the rest play."""
    site = FloorSite()
    for number in range(1, 10):
        variant = ("stud", "stud8", "razz")[number % 3]
        site.table(f"T{number}", "Nadia" if number == 7 else None, variant=variant, taken=6 if number == 4 else 8)
    site.status("T10", TableStatus.CLOSED)
    site.stop("T7", before_s=48)
    site.stop("T4", before_s=-60)  # however slow this machine is, it was just now
    site.alarm("T2", "disk_slow", "disk_slow", 3, SLOW, time.time() - 60, acknowledged_by="L. Perrin")
    site.status("T9", TableStatus.LOST, seq=6)
    return site


async def names(page: Page) -> list[str]:
    """Tables in the order in which they stand on the page."""
    found: list[str] = await page.locator(".tile").evaluate_all("tiles => tiles.map(tile => tile.dataset.table)")
    return found


async def order_and_search(page: Page) -> None:
    """By number, so that a table keeps its place; attention first on request; found by table, game, dealer and player."""
    assert await names(page) == [f"T{number}" for number in range(1, 11)]
    await page.keyboard.press("Alt+a")
    assert (await names(page))[:4] == ["T7", "T9", "T4", "T2"]
    await page.locator("[data-order=number]").click()
    assert (await names(page))[0] == "T1"
    await page.keyboard.press("/")
    await page.keyboard.type("nadia")
    assert await names(page) == ["T7"]
    await page.locator("#search").fill("chloe")
    assert len(await names(page)) == 9
    await page.locator("#search").fill("T10")
    assert await names(page) == ["T10"]
    await page.keyboard.press("Escape")
    assert len(await names(page)) == 10


async def keys(page: Page) -> None:
    """Every tile by keys alone, as they lie on the screen."""
    await tile(page, "T1").focus()
    await page.keyboard.press("ArrowRight")
    await expect(tile(page, "T2")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    columns = int(await page.evaluate("getComputedStyle(document.querySelector('.tiles')).gridTemplateColumns.split(' ').length"))
    await expect(tile(page, f"T{2 + columns}")).to_be_focused()


async def test_which_table_needs_a_person_and_why() -> None:
    """The alarm with cause and remedy stands beside the tables, never over them; what was stopped just now calls nobody."""
    site = room()
    async with site.served() as address, screens(address) as at:
        page = await at.open(DESKTOP)
        site.stop("T4", before_s=-60)  # just now, however long the page took to open
        await expect(page.locator(".alarm")).to_have_count(3)
        await expect(page.locator(".alarm").first).to_contain_text("Table T7")
        await expect(page.locator(".alarm").first).to_contain_text("Card at the wrong place")
        await expect(page.locator(".alarm").first).to_contain_text("Move it to its place; play goes on by itself.")
        await expect(page.locator(".alarm >> nth=2")).to_contain_text("acknowledged: L. Perrin")
        await expect(tile(page, "T7")).to_contain_text("STOPPED")
        await expect(tile(page, "T4")).to_contain_text("STOPPED")
        await expect(tile(page, "T9")).to_contain_text("Lost")
        await expect(tile(page, "T9")).to_have_class("tile away stale p1")
        await expect(page.locator("#totals")).to_have_text("2 stopped1 not heard6 going1 closed72 players")
        tables, alarms = await page.locator("#tables").bounding_box(), await page.locator("#alarms").bounding_box()
        assert tables is not None
        assert alarms is not None
        assert tables["x"] + tables["width"] <= alarms["x"]
        await order_and_search(page)
        await keys(page)
        await shot(page, "desktop")
        site.clear("T7")
        await expect(tile(page, "T7")).to_contain_text("Betting")
        await expect(page.locator(".alarm").first).to_contain_text("Table T9")
        site.silence("T1")
        await expect(tile(page, "T1")).to_contain_text("Silent", timeout=10_000)
        await expect(tile(page, "T1")).to_contain_text("heard 0:0")


async def test_a_phone_shows_alarms_first_in_french() -> None:
    """Then the tables, attention first; no English word; the bottom bar leads to either. Nothing runs off 320 pixels."""
    site = room()
    async with site.served() as address, screens(address) as at:
        page = await at.open(PHONE, "fr")
        site.stop("T4", before_s=-60)  # just now, however long the page took to open
        await expect(page.locator(".alarm").first).to_contain_text("Carte au mauvais endroit")
        await expect(page.locator("#to-alarms")).to_have_text("Alarmes3")
        assert (await names(page))[:4] == ["T7", "T9", "T4", "T2"]
        await expect(tile(page, "T9")).to_contain_text("Perdue")
        assert english_in(await page.locator("body").inner_text()) == []
        await shot(page, "phone-fr")
        await page.locator("#to-tables").click()
        await expect(page.locator("#tables-title")).to_be_in_viewport()
        await shot(page, "phone-tables-fr")
        await expect(page.locator("#language")).to_have_text("FR")  # the language that stands there, as on every page
        await page.locator("#language").click()
        await expect(tile(page, "T9")).to_contain_text("Lost")
        small = await at.open(SMALL, "fr")
        await expect(small.locator(".alarm")).to_have_count(3)
        assert await small.evaluate("document.documentElement.scrollWidth") == SMALL["width"]


async def test_everybody_can_use_it() -> None:
    """axe finds nothing, each control can be reached, hit and read: on a desktop and a phone, in both languages."""
    site = room()
    site.clear("T4")
    async with site.served() as address, screens(address) as at:
        found: list[str] = []
        for size, least in ((DESKTOP, (44, 44)), (TALL, (52, 52))):
            page = await at.open(size, reduced_motion="reduce")
            await expect(page.locator(".alarm")).to_have_count(3)
            looker = Looker(page, least)
            for language in ("en", "fr"):
                await looker.look(f"{language}, {size['width']}")
                await page.locator("#search").fill("nothing like this")
                await looker.look(f"{language}, {size['width']}, nothing found")
                await page.locator("#search").fill("")
                await page.keyboard.press("Alt+l")
                await expect(page.locator("html")).to_have_attribute("lang", "fr" if language == "en" else "en")
            found += looker.found
        assert found == []


async def test_a_frozen_network_is_not_mistaken_for_calm() -> None:
    """The page says since when it is not live; its lists stay readable; it comes back by itself with what happened meanwhile."""
    site = room()
    async with site.served() as address:
        line = Line(int(address.rstrip("/").rsplit(":", 1)[1]))
        try:
            async with screens(f"{await line.start()}/") as at:
                page = await at.open(DESKTOP)
                await expect(tile(page, "T7")).to_contain_text("STOPPED")
                line.freeze()
                site.clear("T7")
                await expect(page.locator("#notlive")).to_contain_text("This page is not live since", timeout=10_000)
                await expect(page.locator("#age")).to_have_text("")
                await expect(tile(page, "T7")).to_contain_text("STOPPED")
                await shot(page, "not-live")
                looker = Looker(page, (44, 44))
                await looker.look("not live")
                assert looker.found == []
                line.thaw()
                await expect(page.locator("#notlive")).to_be_hidden(timeout=10_000)
                await expect(tile(page, "T7")).to_contain_text("Betting")
        finally:
            await line.close()


async def test_a_slip_and_a_dead_table_of_a_simulated_room(tmp_path: Path) -> None:
    """A card moved to another seat stops its table on the floor too, and clears by itself; a killed controller is lost."""
    demo = FloorDemo(FloorPlan(DemoPlan(tmp_path, fast=True), 2))
    try:
        await demo.start()
        table = demo.demos[0]
        playing = asyncio.create_task(table.play())
        async with screens(f"{demo.http}/") as at:
            page = await at.open(PHONE)
            async with asyncio.timeout(60):
                while (await table.console().snapshot())["step"]["kind"] != "act":
                    await asyncio.sleep(0.01)
            table.stop_dealing()
            await playing
            await expect(tile(page, "T1")).to_contain_text(re.compile("Betting|Dealing"))  # wherever the dealer had come to
            felt = table.devices.felt
            origin, target = [place for place in felt.places if place.endswith("/up") and felt.cards_at(place)][:2]
            card = felt.cards_at(origin)[-1]
            felt.move(card, target, origin=origin, at=time.monotonic())
            await expect(tile(page, "T1")).to_contain_text("STOPPED")
            await shot(page, "slip")
            demo.demos[1].kill_controller()
            await expect(page.locator(".alarm").first).to_contain_text("The table is lost")
            await expect(tile(page, "T2")).to_have_class("tile away stale p1")
            felt.move(card, origin, origin=target, at=time.monotonic())
            await expect(tile(page, "T1")).not_to_contain_text("STOPPED")
    finally:
        await demo.stop()
