"""The dealer's console in Firefox: a whole hand with a finger and with keys."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from support.firefox import Firefox, firefox
from support.table_runs import started

from controller.demo import Demo, DemoPlan

pytestmark = pytest.mark.ports

SAYS = "const e = document.querySelector(arguments[0]); return Boolean(e && e.textContent.includes(arguments[1]))"
LISTENS = "return document.getElementById('bar').getAttribute('aria-busy') !== 'true'"


async def touch(page: Firefox, place: str, words: str, *, held_s: float = 0.0) -> None:
    """Touch the button at ``place`` once it says ``words`` and the bar listens."""
    await page.until(SAYS, f"#place-{place} button", words)
    await page.until(LISTENS)
    await page.finger(f"#place-{place} button", held_s=held_s)


async def in_firefox(page: Firefox) -> None:
    """Third street with a finger, and the rest in French with keys."""
    await touch(page, "main", "Start hand")
    await touch(page, "main", "Bring-in 2")
    await touch(page, "all", "All call 2")
    await page.finger("#language")
    await page.until(SAYS, "#strip-age", "En direct")
    for _ in (4, 5, 6, 7):
        await page.until(SAYS, "#place-all button", "Tous parole")
        await page.until(LISTENS)
        await page.keys("a")
        await page.until(SAYS.replace("Boolean(e &&", "!(e &&"), "#place-all button", "Tous parole")
    await page.until(SAYS, "#place-all button", "Abattus")
    await page.until(LISTENS)
    await page.keys("a", "a")
    await touch(page, "main", "Attribuer")
    await page.until(SAYS, "#place-undo button", "Défaire")
    await page.keys("?")
    await page.until(SAYS, "#sheet-title", "Touches")
    await page.keys("escape")
    await page.until("return !document.getElementById('sheet').open")


async def test_a_dealer_plays_a_hand_in_firefox(tmp_path: Path) -> None:
    """A finger that holds and presses, keys, the stream, the other language and a sheet: as in Chromium, and no script fails."""
    demo = Demo(DemoPlan(tmp_path / "demo", fast=True, seats=3, seed=5))
    async with firefox(tmp_path / "firefox") as page, started(demo), httpx.AsyncClient(base_url=demo.http) as client:
        await client.post("/api/v1/wheel", json={"console": "simulated-dealer", "name": "Simulated dealer"})
        await page.command("WebDriver:Navigate", url=f"{demo.http}/")
        await touch(page, "main", "Take over", held_s=0.8)
        await page.until(SAYS, "#spoken", "This console drives")
        playing = asyncio.create_task(demo.play())
        try:
            await in_firefox(page)
            hand = (await client.get("/api/v1/snapshot")).json()["hand"]
            assert (hand["phase"], sum(share["chips"] for share in hand["awards"])) == ("ended", 9)
        finally:
            demo.stop_dealing()
            await playing
