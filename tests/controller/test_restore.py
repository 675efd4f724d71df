"""The restore drill: a copy that was made while the table played is verified elsewhere, and a table goes on with it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from support.houses import House

from controller.journal.backup import back_up
from controller.rehearsal import Play
from controller.verify import audit
from simulators.virtual_time import run_virtual

PLAY = Play(seats={1: ("Ann", 90), 3: ("Bob", 60), 4: ("Cleo", 200), 8: ("Dan", 200)})


def test_a_table_goes_on_from_its_last_copy(tmp_path: Path) -> None:
    """Copies made at any moment of two hands hold; from the last one a controller knows seats, stacks and answers, and plays."""
    house = House(tmp_path, PLAY, seed=3, rotate_after=100)
    copies: list[Path] = []

    async def copying() -> None:
        while True:
            await asyncio.sleep(0.05)
            copies.append(tmp_path / "copies" / f"{len(copies):03}")
            back_up(tmp_path / f"start{house.starts}", copies[-1])

    async def story() -> None:
        try:
            await house.evening(2, copying)
            last = tmp_path / "copies" / "last"
            made = back_up(tmp_path / "start1", last)
            before = (await house.kill()).table.state
            shutil.rmtree(tmp_path / "start2")
            shutil.copytree(last, tmp_path / "start2")
            app = await house.start()
            state = app.table.state
            assert (state.seats, state.hand_number, state.bought_in) == (before.seats, before.hand_number, before.bought_in)
            assert state.answers.keys() == before.answers.keys()
            assert app.journal.epoch == 2
            stats = await house.deal(1)
            assert stats.hands == 1
            assert audit(tmp_path / "start2", head=bytes.fromhex(made.head)).ok
        finally:
            await house.close()

    run_virtual(story(), max_seconds=3_000)
    assert len(copies) > 5
    for copy in copies[:: len(copies) // 4]:
        assert audit(copy).ok
    found = audit(tmp_path / "start2")
    assert (found.ok, found.hands, found.chips_conserved) == (True, 3, True)
