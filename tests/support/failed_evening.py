"""An evening on which something goes wrong, and its journal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from controller.rehearsal import Play
from simulators.rig import SHOE_PORT
from simulators.virtual_time import run_virtual
from support.houses import House

PLAY: Final = Play(seats={1: ("Ann", 400), 8: ("Dan", 400)}, speed=1)


def unplugged_evening(folder: Path) -> Path:
    """The journal of a hand in which a line of readers is unplugged in a deal for 20 s, with a start in the middle of it."""
    house = House(folder, PLAY, seed=7)
    line = min(set(house.links) - {SHOE_PORT})

    async def trouble() -> None:
        while house.app is None or (hand := house.app.table.state.hand) is None or hand.dealt < 2:
            await asyncio.sleep(0.01)
        house.links[line].unplug()
        await asyncio.sleep(10.0)
        await house.kill()
        await house.start()
        await asyncio.sleep(10.0)
        house.links[line].replug()
        await asyncio.Event().wait()

    async def story() -> None:
        try:
            stats = await house.evening(1, trouble)
            assert (stats.hands, stats.voided) == (1, 0)
        finally:
            await house.close()

    run_virtual(story(), max_seconds=3_000)
    return house.folder / "start2"
