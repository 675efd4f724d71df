"""The demo's own parts: what its result counts, how it stops, what it keeps for the next demo in its folder."""

from __future__ import annotations

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from support.table_runs import rehearsed_bodies, started, write_journal

from controller.config import ConfigError
from controller.demo import ControllerEnded, Demo, DemoPlan
from controller.journal.errors import JournalBusy
from simulators.habits import DealerStats

Bodies = list[dict[str, Any]]


@pytest.fixture(scope="module")
def played() -> Bodies:
    return rehearsed_bodies(hands=2, seed=4)


def result_of(folder: Path, bodies: Bodies, stats: DealerStats, *, before: int = 0) -> Any:
    demo = Demo(DemoPlan(folder))
    demo._before = before
    write_journal(demo.data, bodies)
    return demo.result(stats)


def test_the_result_is_the_journals(played: Bodies, tmp_path: Path) -> None:
    """Hands, voids and holds are counted in the journal, not by the dealer; all keys that checks read are there."""
    result = result_of(tmp_path, played, DealerStats(hands=2, taps=50))
    assert result.ok
    assert (result.hands, result.voided, result.irregularities) == (2, 0, 0)
    found = result.as_json()
    keys = ("hands", "voided", "irregularities", "chips_conserved", "cards_conserved", "journal", "head", "seconds")
    assert found.keys() >= set(keys)
    assert json.loads(json.dumps(found)) == found


def test_only_hands_of_this_demo_count(played: Bodies, tmp_path: Path) -> None:
    """A folder may hold hands of an earlier demo."""
    first = next(index for index, body in enumerate(played) if body["type"] == "CardsCounted")
    assert result_of(tmp_path, played, DealerStats(hands=1), before=first + 1).hands == 1


def test_a_hand_that_the_journal_does_not_have_is_a_lost_hand(played: Bodies, tmp_path: Path) -> None:
    """The dealer saw three hands end, the journal holds two: cards are not accounted for."""
    result = result_of(tmp_path, played, DealerStats(hands=3))
    assert not result.ok
    assert not result.cards_conserved
    assert result.chips_conserved


def test_a_journal_that_does_not_hold_conserves_nothing(played: Bodies, tmp_path: Path) -> None:
    """Chips and cards are only as good as the journal that tells of them."""
    bodies = copy.deepcopy(played)
    next(body for body in bodies if body["type"] == "AntePosted")["chips"] += 1
    result = result_of(tmp_path, bodies, DealerStats(hands=2))
    assert (result.ok, result.chips_conserved, result.cards_conserved) == (False, False, False)


def test_nothing_works_before_the_start(tmp_path: Path) -> None:
    """``ConfigError`` instead of a half-started table; stopping what was never started does nothing."""
    demo = Demo(DemoPlan(tmp_path))
    for use in (lambda: demo.devices, demo.console, demo.kill_controller, lambda: demo.restart_broker(0.0)):
        with pytest.raises(ConfigError, match="not been started"):
            use()
    assert demo.stats == DealerStats()
    asyncio.run(demo.stop())


@pytest.mark.ports
def test_a_demo_that_is_stopped_at_once_deals_nothing(tmp_path: Path) -> None:
    """Stopped before the first hand: it ends by itself, and keeps the shoe's memory for the next one."""

    async def run() -> DealerStats:
        demo = Demo(DemoPlan(tmp_path, fast=True))
        async with started(demo):
            demo.stop_dealing()
            return await demo.play()

    assert asyncio.run(run()).hands == 0
    assert (tmp_path / "deck.toml").stat().st_mode & 0o777 == 0o600, "it names every card on the felt"
    assert json.loads((tmp_path / "shoe.json").read_text()) == {"boot": 1, "load": 0, "draw_no": 0, "remaining": 0}


@pytest.mark.ports
def test_a_second_demo_in_a_folder_changes_nothing_there(tmp_path: Path) -> None:
    """Two by mistake: the second one is refused before it puts its own ports and files there."""

    async def run() -> None:
        demo = Demo(DemoPlan(tmp_path, fast=True))
        async with started(demo):
            before = {path.name: str(path.readlink()) for path in tmp_path.glob("port-*")}
            written = demo.config_path.read_bytes()
            with pytest.raises(JournalBusy, match="stop it, or name another folder"):
                await Demo(DemoPlan(tmp_path, fast=True)).start()
            assert before == {path.name: str(path.readlink()) for path in tmp_path.glob("port-*")}
            assert len(before) == 6
            assert demo.config_path.read_bytes() == written
        async with started(Demo(DemoPlan(tmp_path, fast=True))):
            pass

    asyncio.run(run())


@pytest.mark.ports
def test_a_controller_that_ends_by_itself_ends_the_demo(tmp_path: Path) -> None:
    """Somebody ends the controller's process in play: ``ControllerEnded`` instead of a dealer who waits for ever."""

    async def run() -> None:
        demo = Demo(DemoPlan(tmp_path, fast=True))
        async with started(demo):
            play = asyncio.create_task(demo.play())
            await asyncio.sleep(1.0)
            controller = demo._started.controller
            assert controller is not None
            controller.terminate()
            async with asyncio.timeout(10):
                await play

    with pytest.raises(ControllerEnded, match="ended by itself"):
        asyncio.run(run())


@pytest.mark.ports
def test_a_controller_that_does_not_start_is_told(tmp_path: Path) -> None:
    """Its last words are the error's text."""

    async def run() -> None:
        demo = Demo(DemoPlan(tmp_path, fast=True))
        (tmp_path / "data" / "keys").mkdir(parents=True)
        (tmp_path / "data" / "keys" / "table.key").write_text("short")
        async with started(demo):
            raise AssertionError("it started")

    with pytest.raises(ConfigError, match="did not start: stud-table: "):
        asyncio.run(run())
