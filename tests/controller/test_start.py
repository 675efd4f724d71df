"""A start, in its order: no device is listened to before the journal holds it, nothing counts before devices and felt are known,
and what is still out of order stays so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest
from support.houses import House

from controller.console.orders import CommandBody
from controller.hand.events import CardDealt
from controller.journal.errors import JournalDamaged
from controller.rehearsal import Play
from controller.table.events import CardRead, ControllerStarted, FeltReady, Resumed, ShoeAdopted
from controller.table.state import TableStatus
from drivers.link.base import Link, LinkSink
from simulators.rig import SHOE_PORT
from simulators.virtual_time import run_virtual

PLAY: Final = Play(seats={1: ("Ann", 400), 8: ("Dan", 400)}, speed=1)
READY_S: Final = 10.0
"""Longest from the start to the picture that a person confirms, with devices that answer."""


def virtual(story: Callable[[], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        return await story()

    return run_virtual(run(), max_seconds=3_000)


async def in_deal(house: House, dealt: int) -> None:
    """So many cards of the street are dealt."""
    while True:
        hand = None if house.app is None else house.app.table.state.hand
        if hand is not None and not hand.over and hand.dealt >= dealt and len(hand.due) > hand.dealt:
            return
        await asyncio.sleep(0.01)


def watch_ports(house: House, seen: list[int]) -> None:
    """Note how many starts are on record whenever a port is opened."""
    for link in house.links.values():

        def watched(sink: LinkSink, open_it: Callable[[LinkSink], Awaitable[Link]] = link.open) -> Awaitable[Link]:
            seen.append(sum(isinstance(record.event, ControllerStarted) for record in house.records))
            return open_it(sink)

        link.open = watched  # type: ignore[method-assign, assignment]


def test_no_device_is_listened_to_before_the_start_is_done(tmp_path: Path) -> None:
    """REG-07: a shoe that goes on sending: no port is opened before the start is on record, no card is taken before the shoe is
    adopted, and none is dealt before a person has confirmed the picture. REG-08: that picture is there within its time."""
    house = House(tmp_path, PLAY, seed=5)
    opened: list[int] = []
    starts: list[float] = []
    ready: list[float] = []

    async def trouble() -> None:
        for dealt in (1, 3, 4):
            await in_deal(house, dealt)
            await house.kill()
            await asyncio.sleep(0.4)
            opened.clear()
            starts.append(asyncio.get_running_loop().time())
            app = await house.start()
            while not app.table.state.felt_ready:
                await asyncio.sleep(0.05)
            ready.append(asyncio.get_running_loop().time())
            assert opened
            assert set(opened) == {house.starts}
        await asyncio.Event().wait()

    async def story() -> None:
        watch_ports(house, opened)
        try:
            stats = await house.evening(2, trouble)
            assert (stats.hands, stats.voided) == (2, 0)
        finally:
            await house.close()

    virtual(story)
    assert len(ready) == 3
    assert all(end - begin <= READY_S for begin, end in zip(starts, ready, strict=True))
    due: set[type] = set()
    for event in (record.event for record in house.records):
        if isinstance(event, ControllerStarted):
            due = {ShoeAdopted, FeltReady, Resumed}
        due -= {type(event)}
        if isinstance(event, CardRead):
            assert ShoeAdopted not in due
        if isinstance(event, CardDealt):
            assert not due


def test_a_start_that_is_refused_opens_no_port(tmp_path: Path) -> None:
    """REG-07: a journal that does not hold ends it before anything is asked of a device."""
    house = House(tmp_path, PLAY, seed=6)
    opened: list[int] = []

    async def story() -> None:
        try:
            await house.evening(1)
            await house.kill()
            path = next((tmp_path / "start2").glob("journal.sqlite3"))
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
            watch_ports(house, opened)
            with pytest.raises(JournalDamaged):
                await house.start()
            await asyncio.sleep(20.0)
        finally:
            await house.close()

    virtual(story)
    assert opened == []


@pytest.mark.parametrize("is_shoe", [True, False], ids=["shoe", "readers"])
def test_a_start_clears_no_fault_that_is_still_there(is_shoe: bool, tmp_path: Path) -> None:
    """REG-13: unplugged in a deal, started anew: held as before, under the same words; plugged in again, it is looked at whole
    before a person may go on."""
    house = House(tmp_path, PLAY, seed=7)
    device = SHOE_PORT if is_shoe else min(set(house.links) - {SHOE_PORT})

    def faults() -> list[str]:
        assert house.app is not None
        return [fault["text_en"] for fault in house.app.desk.snapshot()["faults"] if fault["device"] == device]

    async def trouble() -> None:
        await in_deal(house, 2)
        house.links[device].unplug()
        await asyncio.sleep(10.0)
        before = faults()
        assert len(before) == 1
        await house.kill()
        app = await house.start()
        await asyncio.sleep(30.0)
        assert faults() == before
        assert app.table.state.status is TableStatus.RECOVERING
        assert app.desk.snapshot()["step"]["kind"] != "resume"
        body = {"key": "resume-too-early", "seq": app.table.state.seq, "command": {"type": "resume"}}
        assert not (await app.desk.send(CommandBody.model_validate(body)))["ok"]
        house.links[device].replug()
        while app.desk.snapshot()["step"]["kind"] != "resume":
            await asyncio.sleep(0.1)
        assert faults() == []
        await asyncio.Event().wait()

    async def story() -> None:
        try:
            stats = await house.evening(1, trouble)
            assert (stats.hands, stats.voided) == (1, 0)
        finally:
            await house.close()

    virtual(story)
