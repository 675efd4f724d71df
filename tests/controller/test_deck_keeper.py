"""Table and care file in step: checks and quarantine reach the table, hands and wear the file, each once and none too early."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.table_story import TableStory

from controller.deck_care import DeckCare, DeckPassed, Quarantined, care_path, change_care, digest_of
from controller.deck_keeper import BATCH_HANDS, DeckKeeper
from controller.hand.cards import DECK, parse_card
from controller.hand.places import Spot
from controller.table.events import CardIdentified
from controller.table.inputs import DeckTold, StartHand
from controller.tracking.life import ReadingTally, Wear
from controller.tracking.registry import generate_registry

REGISTRY = generate_registry(random.Random(9), set_id="SET1")
AT = "2026-01-01T10:00:00.000Z"
PASSED = DeckPassed(AT, "Ann", "Ben", "desk", digest_of(REGISTRY))


class Kept:
    """A table's story whose deck is kept in a folder; ``crash`` is a controller that starts anew."""

    def __init__(self, folder: Path) -> None:
        self.deck = folder / "deck.toml"
        self.told = TableStory({2: 10_000, 5: 10_000}, seed=3)
        change_care(care_path(self.deck), lambda care: care.found(PASSED))
        self.start()

    def start(self) -> None:
        """A controller begins."""
        self.keeper = DeckKeeper(self.deck, REGISTRY, table="T1", needs_check=True)
        self.tally = ReadingTally()
        self.keeper.count(self.tally, "5f0c9a1e")
        self.told.watch = lambda state, records: self.keeper.committed(state, [record.event for record in records])
        self.told.tell(self.keeper.told())

    def crash(self) -> None:
        """Nothing of what the keeper had in memory is left."""
        self.told.restart()
        self.start()
        self.told.tell_ready()

    def written(self) -> DeckCare:
        """The file after the keeper wrote what it has."""
        counted, self.keeper._ready = self.keeper._ready, {}
        return change_care(care_path(self.deck), lambda care: self.keeper.kept(care, counted))

    def hand(self, **readings: int) -> None:
        """One hand, in which cards were read so often."""
        for name, count in readings.items():
            for _ in range(count):
                self.tally.note(REGISTRY.tag(parse_card(name)), 1)
        self.told.play_hand()


def named(text: str) -> list[str]:
    """The cards that a text names."""
    return re.findall(r"\b(?:10|[2-9TJQKA])[cdhs]\b", text)


BATCH = 6
"""Hands of a batch in these tests."""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """A checked deck at a table."""
    monkeypatch.setattr("controller.deck_keeper.BATCH_HANDS", BATCH)
    return Kept(tmp_path)


def test_a_batch_is_long_enough_that_each_card_was_dealt() -> None:
    """With fourteen cards a hand, two players' least, a card that lay there in none of them is one in a million: a figure that
    has grown says of no hand that the card was in it."""
    assert (38 / 52) ** BATCH_HANDS < 1e-6


def test_a_check_that_is_played_on_is_used(kept: Kept) -> None:
    """The file says by which table; the deck's next time at a table wants another check."""
    assert kept.told.state.deck is not None
    assert kept.told.state.deck.checked == AT
    passed = kept.written().passed
    assert passed is not None
    assert passed.used == "T1"


def test_hands_are_counted_once_across_crashes(kept: Kept) -> None:
    """Written before the crash, after it, or twice: the deck has played what the journal holds."""
    for number in range(1, 7):
        kept.hand()
        if number % 2:
            assert kept.written().hands == number
        kept.crash()
        assert kept.written().hands == number
        assert kept.written().hands == number


def test_an_open_hand_is_not_counted_yet(kept: Kept) -> None:
    """It counts when it is over, be it void."""
    kept.told.start()
    assert kept.told.state.hand_open
    assert kept.written().hands == 0
    kept.told.play_on()
    assert kept.written().hands == 1


def test_no_reading_is_told_before_a_batch_of_hands_is_over(kept: Kept) -> None:
    """What is written after each hand differs in no card's figures until ``BATCH_HANDS`` hands lie between: nobody who looks at
    the file, or keeps copies of it, learns which cards lay on the felt in one hand (R-RULE-06)."""
    for number in range(1, BATCH):
        kept.hand(Qh=number, **{"2c": 3})
        assert kept.written().wear == {}
    kept.hand(**{"7d": 1})
    wear = kept.written().wear
    qh = sum(range(1, BATCH))
    assert {card.text: own for card, own in wear.items()} == {
        "Qh": Wear(qh, qh),
        "2c": Wear(3 * (BATCH - 1), 3 * (BATCH - 1)),
        "7d": Wear(1, 1),
    }
    kept.hand(Qh=5)
    assert kept.written().wear == wear, "the next batch has begun"


def test_a_crash_loses_a_batch_and_doubles_none(kept: Kept) -> None:
    """Readings that were not written are gone with the program; those that were do not come again."""
    for _ in range(BATCH):
        kept.hand(Qh=1)
    assert kept.written().wear == {parse_card("Qh"): Wear(BATCH, BATCH)}
    before = kept.written().wear
    kept.hand(Qh=7)
    kept.crash()
    for _ in range(BATCH - 1):
        kept.hand()
    assert kept.written().wear == before


def test_cards_that_the_shoe_did_not_read_wait_for_the_batch_too(kept: Kept) -> None:
    """A card that was told by its reader counts against that card, with the batch."""
    event = CardIdentified(3, Spot.BURN, DECK[9])
    kept.keeper.committed(kept.told.state, [event])
    assert kept.written().wear == {}
    for _ in range(BATCH):
        kept.hand()
    assert kept.written().wear == {DECK[9]: Wear(unread=1)}


def test_the_file_names_no_tag_and_no_place(kept: Kept) -> None:
    """Neither in clear nor in another case; nor does any text of the keeper."""
    for _ in range(BATCH):
        kept.hand(**{card.text: 2 for card in DECK})
    kept.written()
    text = care_path(kept.deck).read_text(encoding="utf-8").upper()
    assert not [card for card in DECK if REGISTRY.tag(card) in text]
    assert "SEAT/" not in text
    assert "wear" in json.loads(text.lower())
    assert not named(repr(kept.keeper) + repr(kept.written()) + repr(kept.tally))


def test_a_deck_that_was_changed_meanwhile_loses_its_check(kept: Kept) -> None:
    """Another deck in the shoe: the check is taken from the file as well, so that ``check`` and ``deck list`` tell it."""
    kept.written()
    kept.told.set_id = "SET9"
    kept.told.load()
    assert kept.written().passed is None


async def news(kept: Kept, change: Callable[[DeckCare], DeckCare]) -> DeckTold:
    """What the running keeper tells after the file has changed."""
    told: asyncio.Queue[DeckTold] = asyncio.Queue()
    running = asyncio.create_task(kept.keeper.run(told.put))
    try:
        change_care(care_path(kept.deck), change)
        return await told.get()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_quarantine_reaches_a_running_table(kept: Kept) -> None:
    """Without a restart; the table then starts no further hand."""
    mark = Quarantined("Cleo", AT, "a bent corner")
    told = await news(kept, lambda care: care.put_aside(mark, DECK[4]))
    while told.bar is None:  # the check was marked as used before
        told = await news(kept, lambda care: care.noted(AT, "looked at"))
    kept.told.tell(told)
    kept.told.load()
    refusal = kept.told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "deck_quarantined"


async def test_a_file_that_cannot_be_used_is_told_once_and_stops_nothing(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A torn file, put back later: one line in the log, and the table hears of the next quarantine."""
    monkeypatch.setattr("controller.deck_keeper.LOOK_S", 0.01)
    whole = care_path(kept.deck).read_text(encoding="utf-8")
    care_path(kept.deck).write_text("{", encoding="utf-8")
    told: asyncio.Queue[Any] = asyncio.Queue()
    running = asyncio.create_task(kept.keeper.run(told.put))
    try:
        while not caplog.records:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert len(caplog.records) == 1
        care_path(kept.deck).write_text(whole, encoding="utf-8")
        change_care(care_path(kept.deck), lambda care: care.put_aside(Quarantined("Cleo", AT, "worn"), None))
        while (await told.get()).bar is None:
            pass
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def test_the_state_of_a_card_is_no_part_of_what_a_table_tells(kept: Kept) -> None:
    """What goes to the table names the deck, its people and its reader alone."""
    told = kept.keeper.told()
    assert not named(repr(told))
