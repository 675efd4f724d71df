"""One table's page at the floor, in a real browser: what is seen there, and a ruling by two people from it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from support.accessible import Looker
from support.floor_hand import NOW, FloorHand
from support.floor_pages import DESKTOP, PHONE, SMALL, Screens, screens, shot
from support.floor_people import PeopleFloor
from support.floor_samples import happened
from support.french import english_in
from support.people_site import BADGE, PINS, people_file
from support.table_story import TableStory

from controller.demo import DemoPlan
from controller.demo_floor import FloorDemo, FloorPlan
from controller.demo_people import PEOPLE
from controller.mqtt.payloads import Device, DeviceHealth, Pot, PublicSeat, SeatState, Words

pytestmark = pytest.mark.ports

WORN = Words(en="Antenna 6 does not answer: look at its cable.", fr="L’antenne 6 ne répond pas : vérifiez son câble.")
BOARDS = {1: ("Kd", "8c"), 3: ("9s", "Td"), 4: ("Jh",), 6: ("Qc", "6s"), 7: ("As",)}


def felt(site: PeopleFloor) -> tuple[PublicSeat, ...]:
    """Fourth street: five hands live, three folded."""
    rows = site.view("T1").seats
    live = SeatState.LIVE, SeatState.FOLDED
    return tuple(
        row.model_copy(
            update={
                "up": BOARDS.get(row.seat, ()),
                "down": 2 if row.seat in BOARDS else 0,
                "state": live[row.seat not in BOARDS],
                "street_chips": 4 if row.seat in (1, 3) else 0,
            }
        )
        for row in rows
    )


class Room:
    """A floor where people sign in, table T1 stopped since 48 s, and the table itself behind the floor's orders."""

    def __init__(self, folder: Path) -> None:
        self.file = people_file(folder / "people.toml")
        self.told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
        self.floor = PeopleFloor(self.file, tables=FloorHand(self.told, people=self.file).site.transport, wall=lambda: float(NOW))
        self.floor.status("T1", dealer="Nadia B.", http="http://127.0.0.1:1/", head="ab" * 32, last_event=4)
        pots = (Pot(amount=42, seats=tuple(BOARDS)),)
        self.view = {
            "seq": self.told.state.seq,
            "seats": felt(self.floor),
            "street": 4,
            "actor": 7,
            "price": 4,
            "opener": 1,
            "pots": pots,
        }
        self.floor.stop("T1", before_s=48, **self.view)
        for name, kind, health in (("S1", "shoe", DeviceHealth.OK), ("R1", "readers", DeviceHealth.DEGRADED)):
            text = WORN if health is DeviceHealth.DEGRADED else None
            device = Device(seq=5, epoch=2, at=self.floor.now().at, device=name, kind=kind, health=health, text=text)
            self.floor.board.hear_device("T1", name, device)
        for number, (event, more) in enumerate(
            (
                ("hand_opened", {}),
                ("action_taken", {"seat": 3, "verb": "complete", "chips": 4, "to": 4, "all_in": False}),
                ("card_dealt", {"seat": 3, "street": 4, "card": "Td"}),
                ("hand_held", {"code": "wrong_place", "place": "seat/6/up"}),
            ),
            1,
        ):
            self.floor.board.hear_event("T1", happened(number, event, **more))

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Screens]:
        """A browser at the floor."""
        async with self.floor.served() as address, screens(address) as at:
            yield at


DEMO_PINS = {person.number: person.pin for person in PEOPLE}


async def sign_in(page: Page, number: str, pins: Mapping[str, str] = PINS) -> None:
    """By number and PIN, at the door."""
    await page.locator("#door input").fill(number)
    await page.keyboard.press("Enter")
    await page.locator("#door input[type=password]").fill(pins[number])
    await page.keyboard.press("Enter")


async def test_two_people_rule_from_the_floor(tmp_path: Path) -> None:
    """From the alarm to the table's own sheet, what changes before anybody agrees, the second person, and the table's answer; up
    cards and counts stand on the felt, and no down card anywhere."""
    room = Room(tmp_path)
    async with room.open() as at:
        page = await at.open(DESKTOP)
        streams: list[str] = []
        page.on("request", lambda request: streams.append(request.url) if request.url.endswith("stream") else None)
        await expect(page.locator(".tile")).to_have_count(0)  # who is nobody here sees nothing
        await sign_in(page, "3")
        await expect(page.locator("#me-open")).to_have_text("Fay · floor")
        await page.locator(".alarm a", has_text="Rule").click()
        await expect(page.locator("#sheet")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#doing")).to_have_text("STOPPED · Card at the wrong place")
        await expect(page.locator("#why")).to_contain_text("Move it to its place; play goes on by itself.")
        await expect(page.locator(".seat[data-seat='3'] .face")).to_have_count(2)
        await expect(page.locator(".seat[data-seat='3'] .back")).to_have_count(2)
        await expect(page.locator(".seat[data-seat='6']")).to_have_class("seat wrong")
        await expect(page.locator("#event-list li").first).to_contain_text("STOPPED: Card at the wrong place")
        await expect(page.locator("#actions a")).to_have_attribute("rel", "noreferrer")
        assert [url.rpartition("/api/")[2] for url in streams] == ["stream", "tables/T1/stream"]  # one of each page
        await shot(page, "table")
        await page.locator("[data-act=rule]").click()
        await page.locator("[data-form=void_hand]").click()
        await page.locator("#sheet .choice").first.click()
        await expect(page.locator("#sheet dl")).to_contain_text("Pot")
        await shot(page, "ruling")
        await page.locator("#sheet-apply").click()
        await expect(page.locator("#door")).to_contain_text("Pot")  # who agrees reads what changes
        await sign_in(page, "3")
        await expect(page.locator("#sheet .error")).to_have_text("The same person cannot agree. (REG-40)")
        await expect(page.locator("#told")).to_have_text("Refused: The same person cannot agree.")
        await page.locator("#sheet-apply").click()
        await sign_in(page, "4")
        await expect(page.locator("#told")).to_contain_text("Done: Void the hand")
        assert len(at.wrong) == 1  # the browser's own note of the refusal
        assert "409" in at.wrong.pop()
        assert room.told.state.hand is None or not room.told.state.hand_open


TALL = {"width": 390, "height": 3200}


@pytest.mark.long
async def test_everybody_can_use_a_tables_page(tmp_path: Path) -> None:
    """axe finds nothing, each control can be reached, hit and read: page, sheets, door and settings, on a desktop and a phone, in
    both languages and themes."""
    room = Room(tmp_path)
    found: list[str] = []
    async with room.open() as at:
        for size, least in ((DESKTOP, (44, 44)), (TALL, (52, 52))):
            for language in ("en", "fr"):
                page = await at.open(size, language, "tables/T1", reduced_motion="reduce", color_scheme="dark")
                looker = Looker(page, least)
                state = f"{language}, {size['width']}"
                await expect(page.locator("#door input")).to_be_focused()
                await looker.look(f"{state}, door")
                await sign_in(page, "3")
                await expect(page.locator("#doing")).not_to_be_empty()
                await looker.look(state)
                await page.locator("#to-me" if size is TALL else "#me-open").click()
                await looker.look(f"{state}, me")
                await page.locator("#me [data-act='floor.me.theme']").click()
                await looker.look(f"{state}, light")
                await page.locator("[data-act=rule]").click()
                await expect(page.locator("#sheet .choice").first).to_be_visible()
                await looker.look(f"{state}, rulings")
                await page.locator("[data-form=void_hand]").click()
                await page.locator("#sheet .choice").first.click()
                await expect(page.locator("#sheet-apply")).to_be_visible()
                await looker.look(f"{state}, preview")
                await page.locator("#sheet-apply").click()
                await expect(page.locator("#door dl")).to_be_visible()
                await looker.look(f"{state}, second person")
                if language == "fr":
                    assert english_in(await page.locator("body").inner_text()) == []
                    await shot(page, f"second-{size['width']}")
            found += looker.found
    assert found == []


@pytest.mark.long
async def test_a_phone_in_french_and_a_page_that_is_not_live(tmp_path: Path) -> None:
    """Nothing runs off 320 pixels, no English word stands there, and amounts and buttons are gone once nothing is heard."""
    room = Room(tmp_path)
    async with room.open() as at:
        page = await at.open(PHONE, "fr", "tables/T1")
        await page.locator("#door input").fill(BADGE)
        await page.keyboard.press("Enter")
        await expect(page.locator("#doing")).to_have_text("ARRÊTÉE · Carte au mauvais endroit")
        await expect(page.locator("[data-act=rule]")).to_have_text("Décider")
        assert english_in(await page.locator("body").inner_text()) == []
        await shot(page, "table-phone-fr")
        await page.locator("#to-me").click()
        await page.locator("#me [data-act='ui.act.lock']").click()
        await expect(page.locator("#doing")).to_be_visible()  # locked, and readable
        await page.locator("[data-act=rule]").click()
        await expect(page.locator("#door")).to_be_visible()
        await page.keyboard.press("Escape")
        small = await at.open(SMALL, "fr", "tables/T1")
        await sign_in(small, "4")
        await expect(small.locator(".seat")).to_have_count(8)
        assert await small.evaluate("document.documentElement.scrollWidth") == SMALL["width"]
        room.floor.tables.close()
        await expect(small.locator("#notlive")).to_be_visible()
        await expect(small.locator("[data-act=rule]")).to_have_count(0)
        await expect(small.locator(".pot")).to_be_hidden()
        at.wrong.clear()  # the stream that is gone


@pytest.mark.long
async def test_where_nobody_signs_in_the_sheet_asks_for_both_names(tmp_path: Path) -> None:
    """Once for each order, as the console does; play can be frozen from the floor, and goes on again."""
    room = Room(tmp_path)
    told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
    hand = FloorHand(told)
    room.floor = PeopleFloor(None, tables=hand.site.transport, wall=lambda: float(NOW))
    room.floor.status("T1", http="http://127.0.0.1:1/")
    room.floor.board.hear_public("T1", room.floor.view("T1", **room.view), room.floor.now())
    async with room.open() as at:
        page = await at.open(PHONE, "en", "tables/T1")
        await page.locator("[data-act=freeze]").click()
        await expect(page.locator("#sheet h2")).to_contain_text("Table T1 · Freeze")
        await page.locator("#sheet-apply").click()
        await expect(page.locator("#told")).to_contain_text("Done: Freeze")
        assert hand.site.desk.document(None)["hold"]["code"] == "floor_called"
        await page.locator("[data-act=orders]").click()
        await page.locator("[data-form=void_hand]").click()
        await page.locator("#sheet .choice").first.click()
        await page.locator("#sheet-apply").click()
        await page.locator("#sheet input").fill("M. Roux")
        await page.keyboard.press("Enter")
        await page.locator("#sheet input").fill("L. Perrin")
        await page.keyboard.press("Enter")
        await expect(page.locator("#told")).to_contain_text("Done: Void the hand")
        assert not told.state.hand_open


@pytest.mark.long
async def test_the_second_person_agrees_on_a_phone_elsewhere(tmp_path: Path) -> None:
    """The phone's bar counts what waits, shows what would change, and takes the proof; the first page gives the order."""
    room = Room(tmp_path)
    async with room.open() as at:
        page = await at.open(DESKTOP, "en", "tables/T1")
        await sign_in(page, "3")
        phone = await at.open(PHONE, "fr")
        await sign_in(phone, "4")
        await expect(phone.locator("#to-approve")).to_have_text("Valider")
        await page.locator("[data-act=orders]").click()
        await page.locator("[data-form=void_hand]").click()
        await page.locator("#sheet .choice").first.click()
        await page.locator("#sheet-apply").click()
        await page.locator("#door-elsewhere").click()
        await expect(page.locator("#door [role=status]")).to_contain_text("Waits for another person")
        await expect(phone.locator("#to-approve")).to_have_text("Valider1")
        await phone.locator("#to-approve").click()
        await expect(phone.locator("#approve dl")).to_contain_text("Pot")
        await expect(phone.locator("#approve")).to_contain_text("proposé par Fay")
        looker = Looker(phone, (52, 52))
        await looker.look("approve")
        assert looker.found == []
        assert english_in(await phone.locator("#approve").inner_text()) == []
        await shot(phone, "approve-fr")
        await phone.locator("#approve .pri").click()
        await sign_in(phone, "4")
        await expect(phone.locator("#approve .agreed")).to_contain_text("Kim a validé")
        await expect(page.locator("#told")).to_contain_text("Done: Void the hand")
        assert not room.told.state.hand_open
        await expect(phone.locator("#to-approve")).to_have_text("Valider")


@pytest.mark.long
async def test_a_wrong_card_of_a_simulated_room_is_ruled_on_by_two_people(tmp_path: Path) -> None:
    """From the alarm on a phone: a card lies at another seat, Fay voids the hand, Kim agrees, and the next hand is dealt."""
    demo = FloorDemo(FloorPlan(DemoPlan(tmp_path, fast=True, people=True), 1))
    try:
        await demo.start()
        table = demo.demos[0]
        playing = asyncio.create_task(table.play())
        async with screens(f"{demo.http}/") as at:
            page = await at.open(PHONE)
            await sign_in(page, "3", DEMO_PINS)
            async with asyncio.timeout(60):
                while (await table.console().snapshot())["step"]["kind"] != "act":
                    await asyncio.sleep(0.01)
            table.stop_dealing()
            await playing
            felt = table.devices.felt
            origin, target = [place for place in felt.places if place.endswith("/up") and felt.cards_at(place)][:2]
            felt.move(felt.cards_at(origin)[-1], target, origin=origin, at=time.monotonic())
            await page.locator(".alarm a", has_text="Rule").click(timeout=30_000)
            await expect(page.locator("#doing")).to_contain_text("STOPPED")
            hand = await page.evaluate("document.querySelector('#hand').textContent")
            await page.keyboard.press("Escape")
            await page.locator("[data-act=orders]").click()
            await page.locator("[data-form=void_hand]").click()
            await page.locator("#sheet .choice").first.click()
            await page.locator("#sheet-apply").click()
            await expect(page.locator("#door dl")).to_contain_text("Pot")
            await sign_in(page, "4", DEMO_PINS)
            await expect(page.locator("#told")).to_contain_text("Done: Void the hand", timeout=10_000)
            await expect(page.locator("#doing")).not_to_contain_text("STOPPED")
            table._stopping.clear()
            playing = asyncio.create_task(table.play())
            await expect(page.locator("#hand")).not_to_have_text(hand, timeout=60_000)
            await expect(page.locator("#hand-list")).to_contain_text("void, all chips returned")
            await shot(page, "after-void")
        table.stop_dealing()
        await playing
    finally:
        await demo.stop()
