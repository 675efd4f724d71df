"""Every state of the dealer's page, the door and a seat's page: axe finds nothing, and all can be reached, hit and read.

The tables are stories, so that a state is a call away; what devices and processes do to a page is tested beside this.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Page, expect
from support.accessible import Looker
from support.console_site import StorySite
from support.mqtt_samples import TOPICS, arrived, seat, seat_view
from support.page_site import in_browser, sign_in
from support.people_site import PeopleSite, people_file
from support.seat_views import STOPPED
from support.table_story import TableStory

from controller.hand.commands import AwardPots, TableHand, VoidHand
from controller.hand.showdown import to_show
from controller.hand.terms import Verb
from controller.mqtt.payloads import AwardLine, Option, PlayerClock, Pot, Share, TableStatus
from controller.table.inputs import CallClock, PauseTable, ReopenTable, Rule, StopPlay

pytestmark = pytest.mark.ports

LEAST: Final = (64, 52)
"""The smallest control, in pixels of the design's size (screens §12)."""
WAYS: Final = [(theme, language) for theme in ("dark", "light") for language in ("en", "fr")]


@asynccontextmanager
async def opened(site: StorySite, theme: str, language: str, path: str = "", **how: Any) -> AsyncIterator[Page]:
    """A page of ``site`` in that theme and language, without motion."""
    size = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **how}
    async with in_browser(site) as (address, browser):
        page = await (await browser.new_context(**size)).new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        for store, key in (("localStorage", "stud-table-language"), ("sessionStorage", "stud-table-seat-language")):
            await page.add_init_script(f"{store}.setItem('{key}', '{language}')")
        await page.add_init_script(f"localStorage.setItem('stud-table-theme', '{theme}')")
        await page.goto(address + path)
        yield page
        assert wrong == []


class DealerWalk:
    """The dealer's page at a story's table, from one state to the next."""

    def __init__(self, site: StorySite, page: Page) -> None:
        self.told = site.told
        self.page = page
        self.looker = Looker(page, LEAST)

    async def look(self, state: str) -> None:
        """Look, once the page shows the table as it is."""
        async with asyncio.timeout(10):
            while int(await self.page.evaluate("Number(document.body.dataset.seq)")) < self.told.state.seq:
                await asyncio.sleep(0.01)
        await self.looker.look(state)

    async def sheet(self, button: str, *inside: str, state: str) -> None:
        """Open a sheet, go on into it by what is pressed there, look, and leave it."""
        await expect(self.page.locator("#bar")).not_to_have_attribute("aria-busy", "true")  # deaf after a press
        await self.page.locator(button).click()
        await expect(self.page.locator("#sheet")).to_be_visible()
        for pressed in inside:
            before = await self.page.locator("#sheet").inner_text()
            await self.page.locator(f"#sheet {pressed}").click()
            await expect(self.page.locator("#sheet")).not_to_have_text(before, use_inner_text=True)
        await self.look(state)
        while await self.page.locator("#sheet").is_visible():
            await self.page.keyboard.press("Escape")

    async def hand(self) -> None:
        """From no deck to the last award."""
        await self.look("no deck")
        self.told.load()
        await self.look("between hands")
        self.told.start()
        await self.look("deal")
        self.told.deal()
        await self.look("bring-in")
        assert self.told.order(CallClock(self.told.hand.round.actor)) is None
        await self.look("clock")
        assert self.told.act(Verb.BRING_IN, 2) is None
        await self.look("wager with undo")

    async def sheets(self) -> None:
        """Lists, each kind of question, a preview and a refused one, and texts."""
        await self.sheet("#menu", state="menu")
        await self.sheet("#menu", ".choice >> nth=1", state="rule card")
        await self.sheet("#menu", ".choice >> nth=2", state="devices")
        await self.sheet("#menu", ".choice >> nth=3", state="keys")
        await self.sheet("#tile-3", state="seat")
        await self.sheet("#tile-8", state="empty seat")
        await self.sheet("#place-problem button", state="problem")
        await self.sheet("#place-problem button", "[data-form=expose_hole]", state="which card")
        await self.sheet("#place-problem button", "[data-form=expose_hole]", ".choice >> nth=0", state="refused preview")
        await self.sheet("#place-problem button", "[data-form=kill_hands]", state="several seats")
        await self.sheet("#place-problem button", "[data-form=misdeal]", ".choice >> nth=0", state="preview")
        await self.sheet("#place-problem button", "[data-form=void_hand]", state="words")
        await self.sheet("#tile-3", "[data-form=put_chips]", state="number")

    async def stopped(self) -> None:
        """Play that was stopped, and a card at the wrong seat."""
        assert self.told.order(Rule("stop_play", StopPlay())) is None
        await self.look("stopped by the floor")
        assert self.told.order(VoidHand("a test")) is None
        await self.look("void")
        assert self.told.order(PauseTable("a break")) is None
        await self.look("pause")
        assert self.told.order(ReopenTable()) is None
        self.told.start()
        card = self.told.draw()
        self.told.lay(card, "seat/3/down")
        await self.look("wrong seat")
        await self.sheet("#place-problem button", state="problem of a stop")
        self.told.lay(card, "seat/1/down")

    async def award(self) -> None:
        """Who shows, what each pot pays, and what stands afterwards."""
        self.told.passive()
        await self.look("showdown")
        while waiting := to_show(self.told.hand):
            assert self.told.order(TableHand(waiting[0])) is None
        await self.look("award")
        assert self.told.order(AwardPots()) is None
        await self.look("awarded")

    async def ways(self, site: StorySite) -> None:
        """As a left-handed dealer and one with a keyboard have it; as a console that watches; and when nothing comes any more."""
        await self.page.evaluate("document.body.classList.add('keys', 'mirror')")
        await self.look("keys and mirror")
        assert (await site.client.post("/api/v1/wheel", json={"console": "floor", "name": "Fay"})).status_code == 200
        await expect(self.page.locator("#bar button")).to_have_count(1)
        await self.look("watching")
        site.pages.stream.close()
        await expect(self.page.locator("body")).to_have_class("keys mirror stale", timeout=5_000)
        await self.look("stale")


async def walk_dealer(theme: str, language: str) -> None:
    site = StorySite(TableStory({1: 20, 3: 100, 5: 100}, variant="stud8", seed=4))
    async with opened(site, theme, language) as page:
        walk = DealerWalk(site, page)
        await walk.hand()
        await reached_by_tab(page)
        await walk.sheets()
        await walk.stopped()
        await walk.award()
        await walk.ways(site)
        assert walk.looker.found == []
        assert len(walk.looker.looked) == 30


async def reached_by_tab(page: Page) -> None:
    """Tab goes through every control once, what is done most first: wagers, seats from the actor on, the strip (screens §14)."""
    await page.locator("#banner").focus()
    places: list[str] = []
    for _ in range(40):
        await page.keyboard.press("Tab")
        places.append(await page.evaluate("document.activeElement.dataset.place ?? document.activeElement.id"))
        if places[-1] == "language":
            break
    actor = int(await page.evaluate("document.querySelector('.tile.actor').id.slice(5)"))
    tiles = [f"tile-{(actor + step - 1) % 8 + 1}" for step in range(8)]
    assert places == ["main", "raise", "all", "fold", "undo", "problem", *tiles, "menu", "language"]
    outline = await page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert outline == "4px"


async def test_the_dealers_page_in_french_by_daylight() -> None:
    """All its states, in the theme and the language that are looked at least."""
    await walk_dealer("light", "fr")


@pytest.mark.long
@pytest.mark.parametrize(("theme", "language"), [way for way in WAYS if way != ("light", "fr")])
async def test_the_dealers_page_in_every_theme_and_language(theme: str, language: str) -> None:
    """The same states."""
    await walk_dealer(theme, language)


async def walk_door(folder: Path, theme: str, language: str) -> None:
    site = PeopleSite(TableStory({1: 100, 3: 100, 5: 100}).start().deal(), people_file(folder / "people.json"))
    async with opened(site, theme, language) as page:
        looker = Looker(page, LEAST)
        await expect(page.locator("#door")).to_be_visible()
        await looker.look("nobody")
        for _ in range(3):  # Chromium asks a page once, and closes its dialog at the next Escape
            await page.keyboard.press("Escape")
        await expect(page.locator("#door")).to_be_visible()
        await page.keyboard.type("12")
        await page.keyboard.press("Enter")
        await expect(page.locator("#door input")).to_have_attribute("type", "password")
        await looker.look("PIN")
        await page.keyboard.type("0000")
        await page.keyboard.press("Enter")
        await expect(page.locator("#door .error")).to_be_visible()
        await looker.look("refused")
        await sign_in(page, "12")
        await expect(page.locator("#strip-person")).to_have_text("Ann")
        await looker.look("signed in")
        await page.locator("#place-problem button").click()
        await page.locator("[data-form=void_hand]").click()
        await page.locator("#sheet .choice").first.click()
        await page.locator("#sheet-apply").click()
        await expect(page.locator("#door dl")).to_be_visible()
        await looker.look("the floor agrees")
        while await page.locator("dialog[open]").count():
            await page.keyboard.press("Escape")
        await page.locator("#lock").click()
        await expect(page.locator("#door")).to_be_visible()
        await looker.look("locked")
        await sign_in(page, "7")
        await expect(page.locator("#strip-person")).to_have_text("Sue")
        await looker.look("surveillance")
        assert looker.found == []


async def test_the_door_in_the_dark(tmp_path: Path) -> None:
    """Signing in, being refused, agreeing, a locked page, and who may only look. No Escape opens the door."""
    await walk_door(tmp_path, "dark", "en")


@pytest.mark.long
@pytest.mark.parametrize(("theme", "language"), [way for way in WAYS if way != ("dark", "en")])
async def test_the_door_in_every_theme_and_language(tmp_path: Path, theme: str, language: str) -> None:
    """The same states."""
    await walk_door(tmp_path, theme, language)


WAITS: Final[dict[str, Any]] = {"is_actor": False, "options": ()}
POTS: Final = (Pot(amount=50, seats=(1, 4, 6)), Pot(amount=8, seats=(1, 4)))
TABLED: Final = (
    seat(1, "Amara", 70, seat_view().seats[0].state, won=25, tabled=("2c", "3d", "4h", "5s", "7c", "8d", "Jc")),
    *seat_view().seats[1:],
)
AWARDS: Final = tuple(
    AwardLine(pot=pot, seat=who, chips=25, share=share) for pot in (0, 1) for who, share in ((1, Share.HIGH), (3, Share.LOW))
)
SEAT_STATES: Final[dict[str, dict[str, Any]]] = {
    "turn": {},
    "bring-in": {"options": (Option(verb="bring_in", to=2, amount=2),), "street": 3},
    "turn with a clock": {"clock": PlayerClock(seat=4, seconds=30), "rules": "0123456789abcdef", "manually_verified": True},
    "wait": {"seat": 1, "actor": 4, "put_in": 20, **WAITS},
    "all in": {"seat": 6, "pots": POTS, "my_pots": (0,), **WAITS},
    "folded": {"seat": 2, **WAITS},
    "empty": {"seat": 8, **WAITS},
    "between hands": {"hand": None, "actor": None, **WAITS},
    "stopped": {"hold": STOPPED},
    "hands off": {"hold": STOPPED.model_copy(update={"place": "seat/4/up"})},
    "showdown": {"phase": "showdown", "seats": TABLED, "community": "Qd", **WAITS},
    "over": {"phase": "ended", "seats": TABLED, "awards": AWARDS, **WAITS},
    "void": {"phase": "voided", **WAITS},
    "suspended": {"status": TableStatus.SUSPENDED},
}


@pytest.mark.parametrize("language", ["fr", pytest.param("en", marks=pytest.mark.long)])
async def test_a_seats_page_in_every_state(language: str) -> None:
    """What a seat's display can show, from waiting for the table to a table that is silent."""
    site = StorySite(TableStory({1: 100, 4: 100}))
    async with opened(site, "dark", language, "seat/4", viewport={"width": 1024, "height": 600}) as page:
        looker = Looker(page, LEAST)
        await expect(page.locator("body")).to_have_attribute("data-state", "waiting")
        await looker.look("waiting")
        for number, (state, more) in enumerate(SEAT_STATES.items(), 100):
            await show(site, page, number, more)
            await looker.look(state)
        await expect(page.locator("body")).to_have_class("stale", timeout=5_000)
        await looker.look("stale")
        assert looker.found == []


async def show(site: StorySite, page: Page, seq: int, more: dict[str, Any]) -> None:
    """Publish a picture for the page's seat and wait until it stands there. Another seat's picture moves to that place."""
    view = seat_view(seq=seq, **{**more, "seat": 4})
    if (other := more.get("seat", 4)) != 4:
        places = {4: other, other: 4}
        seats = [one.model_copy(update={"seat": places.get(one.seat, one.seat)}) for one in view.seats]
        view = view.model_copy(update={"seats": tuple(sorted(seats, key=lambda one: one.seat)), "actor": other})
    site.seats.on_message(arrived(TOPICS.seat(4), view))
    await expect(page.locator("body")).not_to_have_class("stale")
    await asyncio.sleep(0.05)
