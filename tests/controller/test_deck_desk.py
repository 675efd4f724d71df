"""The enrolment desk with a real driver and a simulated reader on virtual time; its file is written whole or not at all."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.deck_desk import EnrolmentDesk, check_deck, enrol, with_new_tag, write_deck
from controller.hand.cards import DECK, parse_card
from controller.tracking.enrolment import DeckCheck, Enrolment, Said
from controller.tracking.registry import DeckRegistry, generate_registry, parse_registry_toml
from drivers.clock import LoopClock
from drivers.factory import ReaderSetup, WiredAntenna
from drivers.ports import Deliver, ReaderPort
from drivers.registry import reader_driver
from simulators.device_port import LineSpeed
from simulators.feig_reader import FeigReaders
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

REGISTRY = generate_registry(random.Random(5))


class Desk:
    """A FEIG reader on a line in memory, and what lies on it."""

    def __init__(self) -> None:
        self.lying: tuple[str, ...] = ()
        self.line = MemoryLink("desk", pace=LineSpeed(38400, parity=True))
        self.reader = FeigReaders(self.line, addresses=(1,), tags=lambda _: self.lying, rng=random.Random(1))
        self.told: list[Said] = []

    def make(self, deliver: Deliver) -> ReaderPort:
        """The reader as the desk drives it."""
        clock = LoopClock(datetime(2026, 1, 1, tzinfo=UTC))
        return reader_driver("feig").make(
            ReaderSetup(
                name="desk",
                opener=self.line,
                deliver=deliver,
                clock=clock,
                rng=random.Random(2),
                antennas=(WiredAntenna(1),),
                baud=38400,
            )
        )

    async def lay(self, *tags: str, until: str) -> None:
        """Lay cards until ``until`` is told, then lift them."""
        self.lying, before = tags, len(self.told)
        while until not in {said.code for said in self.told[before:]}:
            await asyncio.sleep(0.1)
        self.lying = ()
        await asyncio.sleep(1.0)


def test_a_whole_deck_is_enrolled_at_a_reader() -> None:
    """52 of 52, in two languages' keys alone; the deck that comes out is the one that lay there."""

    async def story() -> None:
        desk = Desk()
        desk.line.replug()
        enrolment = Enrolment()
        running = asyncio.create_task(enrol(desk.make, enrolment, desk.told.append))
        for card in DECK:
            await desk.lay(REGISTRY.tag(card), until="deck.taken")
        await running
        assert enrolment.registry("SIM", "SIM").data() == REGISTRY.data()
        assert [said.code for said in desk.told[:3]] == ["deck.next", "deck.taken", "deck.next"]
        assert desk.told[-1] == Said("deck.taken", {"card": DECK[-1].text, "done": 52, "total": 52})

    run_virtual(story(), max_seconds=3_000)


def test_a_reader_that_falls_out_is_told_and_waited_for() -> None:
    """The cable is pulled and put back: the card that lies there is taken then."""

    async def story() -> None:
        desk = Desk()
        desk.line.replug()
        enrolment = with_new_tag(REGISTRY, parse_card("As"))
        running = asyncio.create_task(enrol(desk.make, enrolment, desk.told.append))
        await asyncio.sleep(1.0)
        desk.line.unplug()
        await desk.lay(until="deck.reader_lost")
        desk.line.replug()
        desk.lying = ("E0040199AABBCCDD",)
        await running
        assert [said.code for said in desk.told] == ["deck.next", "deck.reader_lost", "deck.taken"]

    run_virtual(story(), max_seconds=600)


def test_a_deck_is_checked_at_a_reader() -> None:
    """Two packets over the antenna: whole; with a card missing the time runs out and it is named."""

    async def story(tags: list[str]) -> DeckCheck:
        desk = Desk()
        desk.line.replug()
        check = DeckCheck(REGISTRY)
        running = asyncio.create_task(check_deck(desk.make, check, desk.told.append, seconds=30))
        for packet in (tags[:26], tags[26:]):
            desk.lying = tuple(packet)
            await asyncio.sleep(5.0)
        await running
        return check

    tags = [REGISTRY.tag(card) for card in DECK]
    assert run_virtual(story(tags), max_seconds=300).whole
    short = run_virtual(story(tags[1:]), max_seconds=300)
    assert short.missing == (DECK[0],)


def test_the_last_card_is_taken_back_at_the_desk() -> None:
    """And asked for again."""
    told: list[Said] = []
    desk = EnrolmentDesk(Enrolment(), told.append)
    desk.ask()
    desk.back()
    assert [said.code for said in told] == ["deck.next", "deck.nothing_taken", "deck.next"]


def test_the_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mode 0600; a disk that fails leaves the old deck and nothing beside it."""
    path = tmp_path / "deck.toml"
    write_deck(path, REGISTRY)
    assert parse_registry_toml(path.read_text(encoding="utf-8")).data() == REGISTRY.data()
    assert path.stat().st_mode & 0o777 == 0o600

    def fails(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    other = DeckRegistry("D2", "S2", {card: REGISTRY.tag(card) for card in DECK})
    with pytest.raises(OSError, match="No space"):
        write_deck(path, other)
    assert parse_registry_toml(path.read_text(encoding="utf-8")).deck_id == REGISTRY.deck_id
    assert [entry.name for entry in tmp_path.iterdir()] == ["deck.toml"]
