#!/usr/bin/env python3
"""From the last byte of a card on the wire to the pixel on the console: ``python benchmarks/screen.py`` in the repository.

The table of ``bench latency`` (``controller.bench.live_table``) with a real browser that looks on: Debian's Chromium, headless,
1280 by 800, whose frames come 60 times a second. A card's way is cut where it can be stamped: the byte that completes its
evidence on the reader's line, its message in the page, the page's picture changed, and the first task after the frame that holds
it. Prints one JSON object, milliseconds, with the load of the machine and how well the two clocks were laid beside each other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Any

from playwright.async_api import Page, async_playwright

from controller.bench.figure import p99
from controller.bench.live_table import LiveTable

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TRIES = 200
"""Readings of the page's clock, of which the quickest counts."""
STAMPS = """
  window.stamps = { came: [], drawn: [], shown: [] };
  const Plain = window.EventSource;
  window.EventSource = class extends Plain {
    constructor(address) {
      super(address);
      this.addEventListener("change", (event) => stamps.came.push([Number(event.lastEventId), performance.now()]));
    }
  };
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(() => {
      const seq = Number(document.body.dataset.seq);
      stamps.drawn.push([seq, performance.now()]);
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => stamps.shown.push([seq, performance.now()]);
        after.port2.postMessage(null);
      });
    }).observe(document.body, { attributeFilter: ["data-seq"] });
  });
"""
PARTS = ("event", "came", "drawn", "shown")


async def page_clock(page: Page) -> tuple[float, float]:
    """What to add to the page's milliseconds for those of the monotonic clock, and how far off that may be."""
    found = []
    for _ in range(TRIES):
        before = time.monotonic_ns() / 1e6
        there = await page.evaluate("performance.now()")
        after = time.monotonic_ns() / 1e6
        found.append(((after - before) / 2, (before + after) / 2 - there))
    off, ahead = min(found)
    return ahead, off


def first_since(stamps: Sequence[Sequence[float]], seq: int) -> float:
    """When the page first had number ``seq`` or a later one."""
    return next(at for number, at in stamps if number >= seq)


async def take_hand(table: LiveTable, page: Page, taken: dict[str, list[float]]) -> float:
    """A hand's cards, each part in milliseconds since its byte; how far off the clocks may be."""
    for clock in table.clocks.values():
        clock.clear()
    await page.evaluate("for (const list of Object.values(stamps)) list.length = 0")
    arrivals = await table.play_hand()
    ahead, off = await page_clock(page)
    stamps: dict[str, list[list[float]]] = await page.evaluate("stamps")
    times = {place: queue for clock in table.clocks.values() for place, queue in clock.times.items()}
    for arrival in arrivals:
        if arrival.topic != table.topics.events or '"card_dealt"' not in arrival.payload:
            continue
        event: dict[str, Any] = json.loads(arrival.payload)
        began = times[event["place"]].popleft() / 1e6
        taken["event"].append(arrival.at_ns / 1e6 - began)
        for part in ("came", "drawn", "shown"):
            taken[part].append(first_since(stamps[part], event["seq"]) + ahead - began)
    return off


async def measure(cards: int, speed: float, seed: int) -> dict[str, Any]:
    """The figures over at least ``cards`` cards."""
    taken: dict[str, list[float]] = {part: [] for part in PARTS}
    off, load = 0.0, [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory(prefix="stud-bench-") as folder:
        async with LiveTable(Path(folder), speed=speed, seed=seed) as table, async_playwright() as driver:
            browser = await driver.chromium.launch(
                executable_path=next(path for name in BROWSERS if (path := which(name))), args=["--no-sandbox"]
            )
            page = await browser.new_page(viewport={"width": 1280, "height": 800})
            await page.add_init_script(STAMPS)
            await page.goto(table.http)
            while len(taken["event"]) < cards:
                off = max(off, await take_hand(table, page, taken))
                load.append(os.getloadavg()[0])
            await browser.close()
    ways = {
        "card to pixel": taken["shown"],
        "card to event at a subscriber": taken["event"],
        "card to message in the page": taken["came"],
        "message to picture changed": [b - a for a, b in zip(taken["came"], taken["drawn"], strict=True)],
        "picture changed to pixel": [b - a for a, b in zip(taken["drawn"], taken["shown"], strict=True)],
    }
    return {
        "cards": len(taken["event"]),
        "load": [round(min(load), 1), round(max(load), 1)],
        "clocks_off_ms": round(off, 2),
        **{name: {"p50": round(statistics.median(way), 1), "p99": round(p99(way), 1)} for name, way in ways.items()},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--cards", type=int, default=200)
    parser.add_argument(
        "--speed", type=float, default=4.0, help="lines, presence and dealer; what is measured takes its own time"
    )
    parser.add_argument("--seed", type=int, default=20260101)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options.cards, options.speed, options.seed)), indent=1))


if __name__ == "__main__":
    main()
