"""What an earlier release left is taken over by this one, and what this one writes that one reads: upgrade and roll-back.

The drill with the very programs of both is ``make drill FROM=<tag>``.
"""

from __future__ import annotations

import asyncio
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from support.release_data import HANDS, PEOPLE, RELEASES, STORE, VENUE, house_on, is_tagged

from controller.access.roster import load_roster
from controller.config import parse_config
from controller.demo_people import FLOOR
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Source
from controller.floor.store.store import open_store
from controller.floor_config import parse_floor_config
from controller.formats import load_formats, own_formats, readable
from controller.journal.verify import read_origin
from controller.verify import audit
from simulators.virtual_time import run_virtual

WRITTEN: Final = sorted(path for path in RELEASES.iterdir() if path.is_dir())
NO_WAY_BACK: Final[Mapping[str, str]] = {}
"""Releases that cannot go on with what this one writes, each with the reason that the changelog tells."""


def test_there_is_a_release_to_come_from() -> None:
    """``python -m support.release_data`` writes it."""
    assert WRITTEN


@pytest.mark.parametrize("release", WRITTEN, ids=lambda path: path.name)
def test_a_table_goes_on_and_the_release_before_could(release: Path, tmp_path: Path) -> None:
    """The old journal holds, a controller of today plays a hand on it, every chip and card is there, and the old release reads
    the whole of it: otherwise the changelog says that there is no way back."""
    before = audit(release / "journal")
    assert (before.ok, before.hands) == (True, HANDS)
    assert readable(release / "journal", own_formats()).ok
    house = house_on(release, tmp_path)

    async def story() -> None:
        try:
            await house.evening(1)
        finally:
            await house.close()

    run_virtual(story(), max_seconds=3_000)
    after = audit(tmp_path / "start1", head=bytes.fromhex(before.head))
    assert (after.ok, after.hands, after.chips_conserved, after.cards_conserved) == (True, HANDS + 1, True, True)
    back = readable(tmp_path / "start1", load_formats(release / "formats.json"))
    if not is_tagged(release):  # its formats are still those of whoever writes it
        return
    if release.name in NO_WAY_BACK:
        assert not back.ok, f"{release.name} reads it after all: take it out of NO_WAY_BACK"
    else:
        assert back.ok, f"{back.problems}: keep the old form too, or name {release.name} in NO_WAY_BACK and in the changelog"


@pytest.mark.parametrize("release", WRITTEN, ids=lambda path: path.name)
def test_configurations_and_the_floors_copy_are_taken_over(release: Path, tmp_path: Path) -> None:
    """Both files load as they are, people sign in with their PINs, and the store is brought up to date and tells what it told."""
    assert parse_config(tomllib.loads((release / "table.toml").read_text(encoding="utf-8")), "table.toml").production
    assert parse_floor_config(tomllib.loads((release / "floor.toml").read_text(encoding="utf-8")), Path("floor.toml")).production
    shutil.copy(release / PEOPLE, tmp_path / PEOPLE)
    (tmp_path / PEOPLE).chmod(0o600)
    found = load_roster(tmp_path / PEOPLE).by_pin(FLOOR.number, FLOOR.pin)
    assert found is not None
    assert (found.name, found.role) == (FLOOR.name, FLOOR.role)
    shutil.copy(release / STORE, tmp_path / STORE)
    source = Source("T1", read_origin(release / "journal").journal)

    async def kept() -> list[str]:
        async with open_store(parse_address(f"sqlite:///{STORE}", tmp_path), VENUE) as store:
            return [row["event"] for row in await store.events(source, 1, 1000)]

    kinds = asyncio.run(kept())
    assert kinds.count("hand_opened") == HANDS
    assert kinds.count("hand_ended") == HANDS
