"""The room's page in a real browser: from the waiting list to a seat, and who deals where."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from support.accessible import Looker
from support.floor_hand import NOW, FloorHand
from support.floor_pages import DESKTOP, PHONE, SMALL, WIDE, shot
from support.floor_site import no_store
from support.french import english_in
from support.people_site import PINS, people_file
from support.room_page import RoomFloor
from support.table_story import TableStory

from controller.floor.room.waiting import Standing

pytestmark = pytest.mark.ports

TALL = {"width": 390, "height": 3600}
STUD = ".column[data-game='stud 4/8']"
SOON_MS = 6000
"""The page asks every two seconds."""


async def text(page: Page, selector: str) -> str:
    """What stands there."""
    found: str = await page.locator(selector).inner_text()
    return found


async def as_ruth(page: Page) -> None:
    """Somebody has said here before who orders."""
    await page.evaluate("localStorage.setItem('stud-table-floor-name', JSON.stringify({name: 'Ruth', at: Date.now()}))")


async def test_from_the_list_to_a_seat_in_french(tmp_path: Path) -> None:
    """By keys alone: inscribed with the name of who orders, called to a table with an open seat, and gone from the list as
    soon as the table shows the name; what is being typed meanwhile stays."""
    floor = RoomFloor()
    async with floor.open(tmp_path) as at:
        page = await at.open(PHONE, "fr", "room")
        await expect(page.locator(".column")).to_have_count(2)
        await page.locator("#add-game").select_option("stud 4/8")
        await page.locator("#add-name").fill("Zoé")
        await page.keyboard.press("Enter")
        await page.keyboard.type("M. Roux")  # nobody signs in: who orders is asked once
        await page.keyboard.press("Enter")
        await expect(page.locator(".entry .name")).to_have_text("Zoé")
        await expect(page.locator("#told")).to_have_text("Zoé attend : Stud 4/8.")
        await page.locator("#add-name").fill("Yv")
        await page.locator("[data-key$=' call']").press("Enter")
        await expect(page.locator("#ask .choice")).to_have_text(["Table T1libres : 7, 8", "Table T2libres : 8"])
        await page.locator("#ask [type=submit]").press("Enter")
        await expect(page.locator(".entry.called")).to_contain_text("Appel vers T1 encore 4:")
        await expect(page.locator(".summons a").first).to_have_attribute("href", "/tables/T1#seat=7&name=Zo%C3%A9")
        assert english_in(await text(page, "body")) == []
        floor.sit("T1", 7, "Zoé")
        await expect(page.locator("#left-list")).to_contain_text("Zoé · à la table T1", timeout=SOON_MS)
        await expect(page.locator(".entry")).to_have_count(0)
        assert await page.locator("#add-name").input_value() == "Yv"
        assert [note.person for note in floor.noted] == ["M. Roux", "M. Roux", ""]
        await shot(page, "room-phone-fr")


async def crowd(floor: RoomFloor) -> None:
    """Three wait for stud, two of them called, one long ago; one waits for razz, one has gone; a rota with a change to come."""
    late, called, *_ = await floor.wait("Ana", "Ben", "Cléo", minutes=40)
    await floor.wait("Dora", game="razz")
    gone = (await floor.wait("Emil", minutes=50))[0]
    await floor.room.end(gone.entry, gone.version, Standing.WITHDRAWN, None, "M. Roux")
    await floor.room.call(called.entry, called.version, "T2", "M. Roux")
    floor.behind = timedelta(minutes=6)
    await floor.room.call(late.entry, late.version, "T1", "M. Roux")
    floor.behind = timedelta()
    await floor.lay("Nadia", "Ira", "Jo", before=27)


@pytest.mark.long
async def test_who_is_late_and_who_deals_next(tmp_path: Path) -> None:
    """A call that is over says LATE; another dealer than planned and a near change are marked; of two changes one is refused."""
    floor = RoomFloor()
    async with floor.open(tmp_path) as at:
        await crowd(floor)
        page = await at.open(DESKTOP, "en", "room")
        await as_ruth(page)
        await expect(page.locator(f"{STUD} .entry >> nth=0")).to_contain_text("Called to T1 LATE")
        await expect(page.locator(f"{STUD} .entry >> nth=1")).to_contain_text("Called to T2 4:")
        await expect(page.locator(f"{STUD} .entry >> nth=2")).to_contain_text("Cléo40 min")
        await expect(page.locator(".turn[data-table=T1] .soon")).to_have_text("in 2 min")
        await expect(page.locator(".turn[data-table=T2]")).to_have_class("turn other")
        await expect(page.locator(".turn[data-table=T2] .signed")).to_have_text("Bo is signed in, not as planned")
        await expect(page.locator(".turn[data-table=T3]")).to_contain_text("nobody is signed in")
        await shot(page, "room")
        kept = page.locator(f"{STUD} [data-key$=' gone'] >> nth=1")
        await kept.focus()
        await floor.wait("Gil")
        await expect(page.locator(f"{STUD} .entry")).to_have_count(4, timeout=SOON_MS)
        await expect(kept).to_be_focused()  # in a list that was drawn anew
        await page.locator(f"{STUD} [data-key$=' back']").first.click()
        await expect(page.locator(".entry.called")).to_have_count(1)
        await page.locator("[data-key$=' gone']").first.click()
        await shot(page, "room-gone")
        await page.locator("#ask [type=submit]").click()
        await expect(page.locator("#left-list li")).to_have_count(2)
        await expect(page.locator("#left-list")).to_contain_text("Ben · did not come")
        other = await at.open(WIDE, "en", "room")
        await as_ruth(other)
        await expect(other.locator(".entry")).to_have_count(4)
        await other.route("**/api/room", lambda route: route.abort())  # it sees nothing new
        entry = (await floor.room.picture())["games"][-1]["waiting"][0]
        await floor.room.call(entry["entry"], entry["version"], "T1", "M. Roux")
        await other.locator(f".entry[data-entry='{entry['entry']}'] [data-key$=' withdraw']").click()
        await other.locator("#ask [type=submit]").click()
        await expect(other.locator("#ask .error")).to_contain_text("meanwhile")
        await other.keyboard.press("Escape")
        await other.unroute("**/api/room")
        at.wrong.clear()  # the browser's own note of the refusal


@pytest.mark.long
async def test_a_rota_is_seen_before_it_is_laid_out(tmp_path: Path) -> None:
    """What the grid shows is what the floor keeps; what cannot be is refused with its sentence; one shift is given to another."""
    floor = RoomFloor()
    async with floor.open(tmp_path) as at:
        page = await at.open(DESKTOP, "en", "room")
        await as_ruth(page)
        await expect(page.locator("#rota-none")).to_have_text("No rota is laid out.")
        await page.locator("#lay").click()
        await page.locator("[name=dealers]").fill("Nadia\n Ira  May \nJo\nKim")
        await expect(page.locator(".preview")).to_have_text("Fill everything in to see who deals where.")
        await page.locator("#ask .pick", has_text="A").click()
        await page.locator("[name=pushes]").fill("6")
        await expect(page.locator(".preview tbody tr")).to_have_count(6)
        await shot(page, "room-layout")
        seen = await page.locator(".preview tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.children].slice(0, 3).map(cell => cell.textContent))"
        )
        await page.locator("#ask [type=submit]").click()
        await expect(page.locator(".turn[data-table=T1] .next")).to_contain_text("Nadia")
        shifts = (await floor.room.picture())["shifts"]
        kept = [
            [one["dealer"] for one in shifts if one["starts"] == start]
            for start in dict.fromkeys(one["starts"] for one in shifts)
        ]
        assert [row[1:] for row in seen] == kept
        first = datetime.fromisoformat(shifts[0]["starts"]).astimezone()
        assert seen[0][0] == f"{first:%H:%M}"
        await page.locator("[data-key='T1 change']").click()
        await page.locator("#ask [name=dealer]").fill(kept[0][1])
        await page.locator("#ask [type=submit]").click()
        await expect(page.locator("#ask .error")).to_have_text(f"{kept[0][1]} deals at table T2 then.")
        await page.locator("#ask [name=dealer]").fill("Lou")
        await shot(page, "room-shift")
        await page.locator("#ask [type=submit]").click()
        await expect(page.locator(".turn[data-table=T1] .next")).to_contain_text("Lou")
        at.wrong.clear()  # the browser's own note of the refusal


@pytest.mark.long
async def test_an_open_seat_leads_to_the_tables_own_sheet(tmp_path: Path) -> None:
    """As soon as the hand is over, with seat and name filled in; the table seats the player."""
    told = TableStory({1: 100, 3: 100})
    floor = RoomFloor(tables=FloorHand(told).site.transport, wall=lambda: float(NOW))
    async with floor.open(tmp_path) as at:
        one = (await floor.wait("Ana Sol"))[0]
        await floor.room.call(one.entry, one.version, "T1", "M. Roux")
        page = await at.open(DESKTOP, "en", "room")
        await page.locator(".summons a").first.click()
        await expect(page.locator("#told")).to_have_text("Seat 7 (Ana Sol): the sheet opens when this hand is over.")
        over = floor.view("T1", taken=6, phase="ended", actor=None)  # a table between hands still names the last one
        floor.board.hear_public("T1", over, floor.now())
        await expect(page.locator("#sheet input")).to_have_value("Ana Sol")
        await shot(page, "room-seat")
        await page.keyboard.press("Enter")
        await page.locator("#sheet input").fill("200")
        await page.keyboard.press("Enter")
        await page.locator("#sheet-apply").click()
        await expect(page.locator("#told")).to_contain_text("Done: New player")
        assert [(seat.name, seat.stack) for seat in told.state.seats if seat.seat == 7] == [("Ana Sol", 200)]
        await page.locator("#to-room").click()
        await expect(page.locator(".column")).to_have_count(2)


@pytest.mark.long
async def test_who_may_not_order_sees_no_button_and_a_page_that_is_not_live_has_none(tmp_path: Path) -> None:
    """A dealer reads; nobody sees nothing; while the store is away the page says so and since when."""
    floor = RoomFloor(people_file(tmp_path / "people.json"))
    async with floor.open(tmp_path) as at:
        await crowd(floor)
        page = await at.open(DESKTOP, "en", "room")
        await expect(page.locator("#door")).to_be_visible()
        await expect(page.locator(".column")).to_have_count(0)
        await sign_in(page, "12")
        await expect(page.locator(".entry")).to_have_count(4)
        assert await page.locator("#add:visible, #lay:visible, .entry button, .turn button, a.seat").count() == 0
        page = await at.open(DESKTOP, "en", "room")
        await sign_in(page, "3")
        await page.locator("[data-key$=' call']").first.click()
        await page.locator("#ask [type=submit]").click()
        await expect(page.locator(".entry.called")).to_have_count(3)
        assert floor.noted[-1].person == "Fay"
        floor.copy = no_store
        await expect(page.locator("#trouble")).to_contain_text("store")
        await expect(page.locator("#notlive")).to_contain_text("This page is not live since", timeout=10_000)
        assert await page.locator("#add:visible, #lay:visible, .entry button, .turn button").count() == 0
        await shot(page, "room-away")
        at.wrong.clear()  # the browser's own notes of what was refused


@pytest.mark.long
async def test_everybody_can_use_the_rooms_page(tmp_path: Path) -> None:
    """axe finds nothing, each control can be reached, hit and read: page and dialogs, on a desktop and a phone, in both languages
    and themes; nothing runs off 320 pixels."""
    floor = RoomFloor()
    found: list[str] = []
    async with floor.open(tmp_path) as at:
        await crowd(floor)
        for size, least in ((DESKTOP, (44, 44)), (TALL, (52, 52))):
            for language in ("en", "fr"):
                page = await at.open(size, language, "room", reduced_motion="reduce", color_scheme="dark")
                looker = Looker(page, least)
                state = f"{language}, {size['width']}"
                await expect(page.locator(".entry")).to_have_count(4)
                await looker.look(state)
                await page.locator("#to-me" if size is TALL else "#me-open").click()
                await page.locator("#me [data-act='floor.me.theme']").click()
                await looker.look(f"{state}, light")
                await shot(page, f"room-light-{language}-{size['width']}")
                for button in ("[data-key$=' call']", "[data-key$=' gone']", "[data-key='T1 change']", "#lay"):
                    await page.locator(button).first.click()
                    await expect(page.locator("#ask")).to_be_visible()
                    if button == "#lay":
                        await page.locator("#ask .pick", has_text="A").click()
                        await shot(page, f"room-layout-{language}-{size['width']}")
                    await looker.look(f"{state}, {button}")
                    assert language == "en" or english_in(await text(page, "body")) == []
                    await page.keyboard.press("Escape")
            found += looker.found
        small = await at.open(SMALL, "fr")
        await small.locator("#to-me").click()
        await small.locator("#me [data-act='floor.page.room']").click()
        await expect(small.locator(".entry")).to_have_count(4)
        assert await small.evaluate("document.documentElement.scrollWidth") == SMALL["width"]
        await shot(small, "room-small-fr")
    assert found == []


async def sign_in(page: Page, number: str) -> None:
    """By number and PIN, at the door."""
    await page.locator("#door input").fill(number)
    await page.keyboard.press("Enter")
    await page.locator("#door input[type=password]").fill(PINS[number])
    await page.keyboard.press("Enter")
