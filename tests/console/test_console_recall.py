"""The last ten hands can be shown again, whatever controllers did meanwhile: what is told is what was played."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.houses import House

from controller.console.story import KEPT
from controller.hand.events import HandEnded
from controller.journal.files import closed_files
from controller.rehearsal import Play
from simulators.virtual_time import run_virtual

PLAY = Play(seats={1: ("Ann", 400), 8: ("Dan", 400)})
HANDS = 13


def virtual(story: Callable[[], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        return await story()

    return run_virtual(run(), max_seconds=3_000)


async def shown(house: House) -> list[dict[str, Any]]:
    """The hands as the console shows them."""
    desk = house._there().desk
    await desk.remember()
    sheet = desk.sheet("hands", {}, None, drives=True)
    assert sheet is not None
    assert sheet["mark"] is not None
    sections = sheet["sections"]
    assert isinstance(sections, list)
    return sections


def test_the_last_ten_hands_are_shown_again_after_a_start(tmp_path: Path) -> None:
    """REG-01: twelve hands, a cut in the middle of the thirteenth; the new controller shows 13 as far as it was played and ten
    before it, from several files, line by line what the old one showed, and goes on telling the thirteenth as one hand."""
    house = House(tmp_path, PLAY, seed=3, rotate_after=200)
    seen: list[list[dict[str, Any]]] = []

    async def cut() -> None:
        while True:
            hand = None if house.app is None else house._there().table.state.hand
            if hand is not None and house._there().table.state.hand_number == HANDS and hand.street > 3 and not hand.over:
                break
            await asyncio.sleep(0.005)
        seen.append(await shown(house))
        await house.kill()
        await house.start()
        seen.append(await shown(house))
        await asyncio.Event().wait()

    async def story() -> None:
        try:
            stats = await house.evening(HANDS, cut)
            assert stats.hands == HANDS
            seen.append(await shown(house))
        finally:
            await house.close()

    virtual(story)
    before, after, ended = seen
    assert [section["title"]["en"] for section in before] == ["Hand 13, now", *(f"Hand {n}" for n in range(12, 2, -1))]
    assert len(before) == KEPT
    assert after == before
    assert ended[1:] == before[1:]
    assert ended[0]["lines"][: len(before[0]["lines"])] == before[0]["lines"]
    assert len(ended[0]["lines"]) > len(before[0]["lines"])
    assert sum(isinstance(record.event, HandEnded) for record in house.records) == HANDS
    assert all(len(section["lines"]) > 5 for section in ended)
    assert len(closed_files(tmp_path / "start2")) >= 2


def test_a_file_that_cannot_be_read_ends_the_recall_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The hands of the files after it are shown, and the log says what is missing."""
    house = House(tmp_path, PLAY, seed=4, rotate_after=100)
    seen: list[str] = []

    async def story() -> None:
        try:
            await house.evening(5)
            await house.kill()
            await house.start()
            closed = closed_files(tmp_path / "start2")
            assert len(closed) >= 2
            path = closed[0][1]
            path.write_bytes(b"\0" * path.stat().st_size)
            seen.extend(section["title"]["en"] for section in await shown(house))
        finally:
            await house.close()

    virtual(story)
    assert 1 <= len(seen) < 5
    assert seen[0] == "Hand 5, now"
    assert "cannot be shown" in caplog.text
