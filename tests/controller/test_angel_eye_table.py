"""Whole hands with an Angel Eye shoe: it tells no load and has no gate, so the dealer counts, and alarms stand without a lock."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.app import TableApp
from controller.config import ShoeSection
from controller.hand.events import HandEnded, HandHeld
from controller.hand.state import Phase
from controller.rehearsal import Play, Rehearsal, line_speeds, local_console, memory_rehearsal
from controller.table.by_hand_events import DeckCounted
from controller.table.events import CardRead, CardsCounted, Suspended
from drivers.clock import SystemClock
from drivers.link.serial import SerialOpener, SerialSettings
from simulators.angel_eye import SimulatedAngelEye
from simulators.device_port import LineSpeed
from simulators.memory_link import MemoryLink
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.ports import PseudoTerminal
from simulators.rig import NINETEEN, SHOE_PORT
from simulators.virtual_time import run_virtual

SEATS = {1: ("Ann", 400), 2: ("Bob", 400), 4: ("Cleo", 400)}
HANDS = 2
SECTION = ShoeSection.model_validate({"driver": "angel-eye", "port": "memory-shoe"})


def with_angel_eye(home: Rehearsal) -> SimulatedAngelEye:
    """The same table with the other shoe on the shoe's port."""
    home.config = home.config.model_copy(update={"shoe": SECTION})
    shoe = SimulatedAngelEye(home.devices.ports[SHOE_PORT])
    home.devices.shoe = shoe  # type: ignore[assignment]
    return shoe


def memory_table(variant: str, seed: int) -> Rehearsal:
    """A table on virtual time."""
    home = memory_rehearsal(Play(seats=SEATS, variant=variant, speed=1.0), seed=seed)
    with_angel_eye(home)
    return home


def deal(home: Rehearsal, hands: int, meanwhile: Callable[[TableApp], Any] | None = None) -> None:
    """Play ``hands`` hands to their ends."""

    async def story() -> None:
        async with home.opened() as app:
            rng = random.Random(3)
            tasks = [] if meanwhile is None else [asyncio.create_task(meanwhile(app))]
            players = {seat: RandomPlayer(random.Random(seat)) for seat in SEATS}
            stats = await home.deal(app, players, ShuffledPackets(rng), hands=hands)
            await asyncio.gather(*tasks)
            assert stats.hands == hands

    run_virtual(story(), max_seconds=5_000)


def check(home: Rehearsal, hands: int) -> None:
    """Each hand ended with every chip and card accounted for, and each was dealt from a counted deck."""
    events = [record.event for record in home.records]
    assert len([event for event in events if isinstance(event, HandEnded)]) == hands
    counted = [event for event in events if isinstance(event, CardsCounted)]
    assert all(event.shoe + event.flight + event.dealt == 52 for event in counted)
    assert len([event for event in events if isinstance(event, DeckCounted)]) >= hands
    assert home.state.chips_conserved
    assert home.state.cards_conserved


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_whole_hands_are_dealt_from_a_shoe_that_tells_no_load(variant: str) -> None:
    """The dealer counts the deck instead of the shoe; everything else goes as with any other."""
    home = memory_table(variant, seed=7)
    deal(home, HANDS)
    check(home, HANDS)
    assert not [record.event for record in home.records if isinstance(record.event, HandHeld)]


def once(home: Rehearsal, when: Callable[[Rehearsal], bool], do: Callable[[], None]) -> list[bool]:
    """Do ``do`` at the first commit after which ``when`` holds; the list says that it was done."""
    done: list[bool] = []

    def look(*_: object) -> None:
        if not done and when(home):
            done.append(True)
            asyncio.get_running_loop().call_soon(do)

    home.watchers.append(look)
    return done


def in_phase(phase: Phase, street: int) -> Callable[[Rehearsal], bool]:
    """The open hand is in ``phase`` of ``street``."""

    def look(home: Rehearsal) -> bool:
        hand = home.state.hand
        return hand is not None and not hand.over and (hand.phase, hand.street) == (phase, street)

    return look


def test_a_card_drawn_too_early_is_an_alarm_though_the_shoe_cannot_be_locked() -> None:
    """Nothing holds it back: the hand is held as at once as with a lock, and the dealer's screen says why she must take care."""
    home = memory_table("stud", seed=7)
    screens: list[dict[str, Any]] = []

    def draw_early() -> None:
        assert home.devices.shoe.draw() is not None
        home.devices.felt.draw(at=asyncio.get_running_loop().time())

    done = once(home, in_phase(Phase.BETTING, 4), draw_early)

    async def watch(app: TableApp) -> None:
        console = local_console(app, random.Random(1), 1.0)
        screens.append(await console.snapshot())

    deal(home, 1, watch)
    assert done
    held = [record.event for record in home.records if isinstance(record.event, HandHeld)]
    assert [event.code for event in held] == ["premature_card"]
    assert not screens[0]["shoe"]["locks"]
    assert "cannot be locked" in screens[0]["shoe"]["text_en"]
    assert "ne se verrouille pas" in screens[0]["shoe"]["text_fr"]


def test_a_cable_that_is_pulled_in_a_hand_is_one_question_to_the_dealer() -> None:
    """What was drawn meanwhile nobody heard: she confirms the picture, readers compare, and the hand goes on to its end."""
    home = memory_table("stud", seed=7)
    port = home.devices.ports[SHOE_PORT]

    def pull() -> None:
        port.unplug()
        asyncio.get_running_loop().call_later(2.0, port.replug)

    done = once(home, in_phase(Phase.BETTING, 4), pull)
    deal(home, HANDS)
    assert done
    check(home, HANDS)
    causes = [record.event.cause for record in home.records if isinstance(record.event, Suspended)]
    assert causes == ["restarted"]


def test_the_shoes_own_lock_stops_the_deal_until_it_is_opened() -> None:
    """Locked at the shoe before a street: no card comes, nothing is asked, and the hand goes on when it is open."""
    home = memory_table("stud", seed=7)
    shoe = home.devices.shoe
    assert isinstance(shoe, SimulatedAngelEye)

    def lock() -> None:
        shoe.lock(is_locked=True)
        asyncio.get_running_loop().call_later(20.0, lambda: shoe.lock(is_locked=False))

    done = once(home, in_phase(Phase.BETTING, 3), lock)
    deal(home, 1)
    assert done
    check(home, 1)
    assert not [record for record in home.records if isinstance(record.event, Suspended)]


@pytest.mark.ports
def test_a_hand_over_a_pseudo_terminal(tmp_path: Path) -> None:
    """The shoe on a real port at 4800 baud, in real time: one hand from the counted deck to the award."""
    play = Play(seats={1: ("Ann", 400), 2: ("Bob", 400)}, speed=4.0)
    speeds = line_speeds(NINETEEN, play.speed)

    async def story() -> Rehearsal:
        links = {name: MemoryLink(name, pace=pace) for name, pace in speeds.items() if name != SHOE_PORT}
        terminal = PseudoTerminal(tmp_path / "shoe", pace=LineSpeed(4800))
        opener = SerialOpener(str(terminal.path), SerialSettings(4800))
        home = Rehearsal(
            play, seed=3, ports={SHOE_PORT: terminal, **links}, openers={SHOE_PORT: opener, **links}, clock=SystemClock()
        )
        with_angel_eye(home)
        async with home.opened() as app:
            rng = random.Random(3)
            players = {seat: RandomPlayer(random.Random(seat), looseness=1.0) for seat in play.seats}
            await home.deal(app, players, ShuffledPackets(rng), hands=1)
        return home

    home = asyncio.run(story())
    check(home, 1)
    drawn = [record for record in home.records if isinstance(record.event, CardRead)]
    assert len(drawn) == 52 - home.devices.shoe.remaining
