"""The dealer's console in a real browser, at a simulated table: whole hands by touch and by keyboard, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect
from support.dealer_desk import Desk, at_table

pytestmark = pytest.mark.ports


NOTES_TITLES = """() => {
  window.titles = [];
  const note = () => window.titles.push(document.getElementById("banner-title").textContent);
  new MutationObserver(note).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""
"""What the banner says is noted in the page: a fast deal is over between two looks."""


async def by_touch(desk: Desk) -> None:
    """A hand from its start to its award with a finger."""
    await desk.page.evaluate(NOTES_TITLES)
    await desk.touch("main", "Start hand")
    await desk.shot("deal")
    await desk.touch("main", "Bring-in 2")
    titles = await desk.page.evaluate("window.titles")
    assert any("Deal to seat" in title for title in titles), titles
    await expect(desk.button("all")).to_contain_text("All call 2")
    await desk.shot("action")
    await desk.touch("all", "All call 2")
    for street in (4, 5, 6, 7):
        await desk.on_street(street)
        await desk.touch("all", "All check")
    await desk.until(lambda now: now["step"]["kind"] == "table")
    await desk.shot("showdown")
    await desk.touch("all", "All tabled")
    await expect(desk.button("main")).to_contain_text("Award 9")
    await desk.shot("award")
    await desk.touch("main", "Award 9")


async def by_keyboard(desk: Desk) -> None:
    """A hand with its keys alone, one action taken back and one fold in it."""
    keys = desk.page.keyboard

    async def press(key: str, place: str, words: str, times: int = 1) -> None:
        await desk.listens()
        await expect(desk.button(place)).to_contain_text(words, timeout=20_000)
        for _ in range(times):
            await keys.press(key)

    await press("Control+s", "main", "Start hand")
    await desk.until(lambda now: now["step"]["kind"] == "act")
    before = await desk.snapshot()
    await desk.page.locator("body").press("Enter")
    await press("c", "main", "Bring-in 2")
    await desk.until(lambda now: now["seq"] > before["seq"] and now["step"].get("around"))
    await press("r", "raise", "Complete to 4")
    await press("u", "undo", "complete 4")
    await desk.until(lambda now: now["step"]["kind"] == "act" and now["undo"] is None)
    await press("f", "fold", "Fold")
    await press("c", "main", "Call 2")
    for street in (4, 5, 6, 7):
        await desk.on_street(street)
        await press("a", "all", "All check")
    await desk.shot("keyboard")
    await press("a", "all", "All tabled", 2)
    await press("c", "main", "Award")
    await desk.until(lambda now: now["hand"]["phase"] == "ended")
    await keys.press("?")
    await expect(desk.page.locator("#sheet-title")).to_have_text("Keys")
    await keys.press("Escape")
    await expect(desk.page.locator("#sheet")).not_to_be_visible()


async def test_a_dealer_plays_whole_hands_by_touch_and_by_keyboard(tmp_path: Path) -> None:
    """No touch while cards are dealt; each round with one; the pots go to who won them; what a finger holds, a key presses
    twice; Enter on nothing moves nothing. The simulated dealer, who was relieved, presses nothing and deals on."""
    async with at_table(tmp_path) as desk:
        await by_touch(desk)
        snapshot = await desk.until(lambda now: now["hand"]["phase"] == "ended")
        assert sum(share["chips"] for share in snapshot["hand"]["awards"]) == 9
        assert desk.touches == 9
        await desk.shot("between")
        await by_keyboard(desk)
        assert desk.demo.stats.taps == 0


async def in_french(desk: Desk) -> None:
    """The same moment in the other language and the other theme."""
    page = desk.page
    await expect(desk.button("main")).to_contain_text("Call 2")
    await page.locator("#language").click()
    await expect(desk.button("main")).to_contain_text("Suivre 2")
    await expect(page.locator("#banner-title")).to_contain_text("compléter à 4 ou se coucher")
    assert await page.evaluate("document.documentElement.lang") == "fr"
    await desk.shot("action-fr")
    await page.evaluate("document.documentElement.dataset.theme = 'light'")
    await desk.shot("action-light")
    await desk.touch("problem", "Problème")
    await expect(page.locator("#sheet-title")).to_have_text("Problème")
    await desk.shot("problem-fr")
    await page.keyboard.press("Escape")
    await page.evaluate("document.documentElement.dataset.theme = 'dark'")


async def targets_are_large(desk: Desk) -> None:
    """As large as the design says, none smaller than 64 by 52."""
    wide = {"undo": 168, "fold": 168, "main": 268, "raise": 228, "all": 228, "problem": 116}
    for place, width in wide.items():
        box = await desk.button(place).bounding_box()
        assert box["height"] >= 130, place
        assert box["width"] >= width, place
    for target in await desk.page.locator("button:visible").all():
        box = await target.bounding_box()
        assert box is not None
        assert (box["height"] >= 52, box["width"] >= 64) == (True, True), await target.inner_text()
        clipped = await target.evaluate("e => e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth + 2")
        assert not clipped, await target.inner_text()


async def wrong_seat(desk: Desk) -> None:
    """Red with the way out; clears by itself when the card lies right again."""
    page = desk.page
    desk.demo.stop_dealing()  # or her hands would put it right at once
    felt = desk.demo.devices.felt
    down, other = felt.cards_at("seat/1/down"), "seat/2/down"
    felt.move(down[0], other, origin="seat/1/down", at=0.0)
    await expect(page.locator("#banner")).to_have_class("banner alarm-1", timeout=10_000)
    await expect(page.locator("#alarm")).to_contain_text("STOP")
    await desk.shot("irregularity")
    felt.move(down[0], "seat/1/down", origin=other, at=0.0)
    await expect(page.locator("#banner")).to_have_class("banner alarm-0", timeout=10_000)


async def killed(desk: Desk) -> None:
    """Stale within two seconds and without buttons; back by itself with the whole picture, and this console still drives."""
    page = desk.page
    desk.demo.kill_controller()
    await expect(page.locator("body")).to_have_class("stale", timeout=4_000)
    await expect(page.locator("#banner-title")).to_contain_text("Plus en direct depuis")
    assert await page.locator("#bar button").count() == 0
    await desk.shot("stale")
    await desk.demo.start_controller()
    await expect(page.locator("body")).not_to_have_class("stale", timeout=10_000)
    await desk.until(lambda now: now["step"]["kind"] == "resume")
    await desk.shot("restarted")
    await desk.touch("main", "Reprendre")
    await desk.until(lambda now: now["status"] == "live")


async def void(desk: Desk) -> None:
    """A ruling in steps: its reason, what it changes, another reason, the names of two people, and only then is it done."""
    page = desk.page
    await desk.touch("problem", "Problème")
    await page.locator("[data-form=void_hand]").click()
    await page.locator("#sheet .choice", has_text="Appareils en panne").click()
    await expect(page.locator("#sheet dl")).to_contain_text("Somme rendue")
    await desk.shot("ruling-named")
    await page.locator("#sheet .pick", has_text="Autre motif").click()
    await page.locator("#sheet input").fill("essai")
    await page.keyboard.press("Enter")
    await expect(page.locator("#sheet dl")).to_contain_text("Somme rendue")
    await expect(page.locator("#sheet .pick[aria-pressed=true]")).to_have_text("Autre motif…")
    await desk.shot("ruling")
    assert (await desk.snapshot())["hand"]["phase"] != "voided"
    await page.locator("#sheet-apply").click()
    await expect(page.locator("#sheet .hint")).to_have_text("Chef de partie : qui décide ?")
    await page.locator("#sheet input").fill("Fay")
    await page.keyboard.press("Enter")
    await expect(page.locator("#sheet .hint")).to_have_text("Qui valide ? Une autre personne")
    await page.locator("#sheet input").fill("fay")
    await page.keyboard.press("Enter")
    await expect(page.locator("#sheet .error")).to_contain_text("deux personnes différentes")
    await page.locator("#sheet input").fill("Ann")
    await page.keyboard.press("Enter")
    await desk.until(lambda now: now["hand"]["phase"] == "voided")


async def test_alarms_rulings_and_a_killed_controller_in_french(tmp_path: Path) -> None:
    """A hand in which things go wrong: a card is moved, the controller dies, the hand is void."""
    async with at_table(tmp_path) as desk:
        await desk.touch("main", "Start hand")
        await desk.touch("main", "Bring-in 2")
        await in_french(desk)
        await targets_are_large(desk)
        await wrong_seat(desk)
        await killed(desk)
        await void(desk)
