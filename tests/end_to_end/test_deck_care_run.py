"""A real controller and the care of its deck: checked at a simulated reader before play, counted, taken out of play."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.table_runs import journal_bodies, playing, started, stud_table, until

from controller.deck_care import DeckCare, load_care
from controller.demo import Demo, DemoPlan
from controller.hand.cards import DECK
from controller.rehearsal import registry_of

pytestmark = pytest.mark.ports


def care(demo: Demo) -> DeckCare:
    """What is known of the demo's deck."""
    return load_care(demo.plan.folder / "deck.care.json")


async def test_a_deck_is_checked_counted_and_taken_out_of_play(tmp_path: Path) -> None:
    """All 52 are read before the controller starts; a kill doubles no hand; with a card in quarantine no hand starts, in both
    languages, and after its release not before a new check."""
    demo = Demo(DemoPlan(tmp_path, hands=3, fast=True, seats=3))
    async with started(demo):
        passed = care(demo).passed
        assert passed is not None
        assert passed.machine == "felt-e, antenna 1"
        async with playing(demo) as play:
            await until(lambda: demo.stats.hands >= 1, within_s=60)
            demo.kill_controller()
            await demo.start_controller()
            await play
        played = await counted(demo)
        assert played == demo.stats.hands == 3

        deck = str(tmp_path / "deck.toml")
        assert stud_table("deck", "quarantine", deck, "--card", "7h", "--by", "Cleo", "--reason", "bent").returncode == 0
        answer = await start_hand(demo, until_code="deck_quarantined")
        assert "stud-table deck release" in answer["message_en"]
        assert "en quarantaine depuis" in answer["message_fr"]
        assert stud_table("deck", "release", deck, "--card", "7h", "--by", "Ann", "--agreed-by", "Ben").returncode == 0
        answer = await start_hand(demo, until_code="deck_not_checked")
        assert "n’a pas été vérifié" in answer["message_fr"]
    kinds = [body["type"] for _, body in journal_bodies(demo.data)]
    assert [kind for kind in kinds if kind.startswith("Deck") and kind != "DeckInShoe"] == [
        "DeckIntroduced",
        "DeckChecked",
        "DeckBarred",
        "DeckAdmitted",
    ]
    text = (tmp_path / "deck.care.json").read_text(encoding="utf-8") + (tmp_path / "controller.log").read_text(encoding="utf-8")
    registry = registry_of(demo._tags)
    assert not [card for card in DECK if registry.tag(card) in text.upper()]
    assert care(demo).wear == {}, "three hands are no batch"


async def counted(demo: Demo) -> int:
    """Hands in the file, once it is written."""
    await until(lambda: care(demo).hands >= demo.stats.hands, within_s=30)
    return care(demo).hands


async def start_hand(demo: Demo, *, until_code: str) -> dict[str, Any]:
    """Try to start a hand until it is refused for the reason that is awaited; the table hears of it within moments."""
    console = demo.console()
    async with asyncio.timeout(30):
        while True:
            seq = (await console.snapshot())["seq"]
            answer = await console.send({"type": "start_hand"}, decision=None, seq=seq)
            if answer["refusal"]["code"] == until_code:
                return dict(answer["refusal"])
            await asyncio.sleep(0.1)
