"""The whole controller without some of its devices, on virtual time: real drivers and simulated devices, and a dealer by hand."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from controller.app import TableApp
from controller.hand.events import HandEnded
from controller.rehearsal import Play, Rehearsal, local_console, memory_rehearsal
from controller.table.by_hand_events import DeviceSetAside, ManuallyVerified
from controller.table.events import CardsCounted
from simulators.felt import FULL_DECK, HAND, PACKET, SHOE
from simulators.rig import SET_ID, seat_players
from simulators.virtual_time import run_virtual

PLAY = Play(seats={1: ("Ann", 200), 2: ("Bob", 200), 4: ("Cleo", 200)}, speed=1.0)
STEPS = 600
"""Movements and presses within which a hand ends, or she is stuck."""


class HandDealer:
    """Deals one hand as the snapshot asks; ``trouble`` is called before each step. She keys what truly lies there."""

    def __init__(self, home: Rehearsal, app: TableApp, trouble: Callable[[dict[str, Any]], None]) -> None:
        self._console = local_console(app, random.Random(1), 1.0)
        self._app = app
        self._felt, self._shoe = home.devices.felt, home.devices.shoe
        self._rng = random.Random(2)
        self._trouble = trouble
        self._stub: list[str] = []
        self._due: list[str] = []
        self.keyed = 0

    def now(self) -> float:
        """Virtual seconds."""
        return asyncio.get_running_loop().time()

    async def press(self, command: dict[str, Any], screen: dict[str, Any], decision: str | None = None) -> None:
        """Press; nothing she presses is refused."""
        answer = await self._console.send(command, decision=decision, seq=screen["seq"])
        assert answer["ok"], answer["refusal"]["message"]

    async def play(self) -> dict[str, Any]:
        """Until the hand is over; its last snapshot."""
        await seat_players(self._console, PLAY.seats)
        started = False
        for _ in range(STEPS):
            screen = await self._console.snapshot()
            if started and screen["hand"]["phase"] in ("ended", "voided"):
                return screen
            self._trouble(screen)
            started |= screen["step"]["kind"] == "deal"
            await self._step(screen)
            await asyncio.sleep(0.3)
        raise AssertionError(f"stuck at {screen['step']} {screen['hold']}")

    async def _step(self, screen: dict[str, Any]) -> None:
        step, by_hand = screen["step"], screen["by_hand"]
        match step["kind"]:
            case "load_deck":
                await self._load(screen)
            case "start_hand":
                await self.press({"type": "start_hand"}, screen)
            case "deal":
                await self._deal(screen)
            case "hold" if screen["hold"]["code"] == "device_down":
                down = next(name for name, link in screen["devices"].items() if link == "down")
                ruling = {"kind": "step_past", "device": down}
                said = {"role": "floor", "by": "Fay", "agreed_by": "Dan", "reason": "cable"}
                await self.press({"type": "rule", "ruling": ruling, **said}, screen)
            case "resume":
                await self.press({"type": "resume"}, screen)
            case "act":
                action = next(action for action in step["actions"] if action["verb"] in ("check", "call", "bring_in"))
                command = {"type": "act", "seat": step["seat"], "verb": action["verb"], "to": action["to"]}
                await self.press(command, screen, step["decision"])
            case "table":
                seat = step["order"][0]
                asked = next((row["numbers"] for row in by_hand["to_key"] if row["seat"] == seat), [])
                down = self._felt.cards_at(f"seat/{seat}/down")
                self.keyed += len(asked)
                tabled = {"type": "table_hand", "seat": seat, "cards": [down[number - 1] for number in asked]}
                await self.press(tabled, screen, step["decision"])
            case "award":
                await self.press({"type": "award_pots"}, screen, step["decision"])
            case _:
                pass

    async def _load(self, screen: dict[str, Any]) -> None:
        if self._stub or self._felt.count(SHOE):
            return
        order = self._rng.sample(FULL_DECK, 52)
        if screen["by_hand"]["count_deck"]:
            self._stub = order
            await self.press({"type": "count_deck", "cards": 52}, screen)
        else:
            self._felt.load(order, at=self.now())
            self._shoe.load([card.upper() for card in order], SET_ID)

    async def _deal(self, screen: dict[str, Any]) -> None:
        step, by_hand = screen["step"], screen["by_hand"]
        if self._due and by_hand["confirm"] and by_hand["confirm"][0]["place"] == self._due[0]:
            place, key = self._due.pop(0), by_hand["confirm"][0]["key"]
            card = self._felt.cards_at(place)[-1] if key else None
            self.keyed += key
            await self.press({"type": "confirm_cards", "cards": [{"place": place, "card": card}]}, screen)
            return
        awaited = [*step["in_flight"], *step["plan"]]
        self._due = self._due if self._due and awaited[:1] == self._due[:1] else []
        if self._due or not step["plan"] or step["in_flight"]:
            return  # a reader is still to see the last one
        place = step["plan"][0]
        if "shoe" in by_hand["set_aside"] or self._stub:
            origin, card = self._off_the_stub()
        else:
            if self._shoe.draw() is None:
                return
            origin, card = HAND, self._felt.draw(at=self.now())
        self._felt.move(card, place, origin=origin, at=self.now())
        self._due = [place]

    def _off_the_stub(self) -> tuple[str, str]:
        """The next card of the deck in her hand, which she took out of the shoe where there was one."""
        if self._stub:
            return PACKET, self._stub.pop(0)
        return SHOE, self._felt.cards_at(SHOE)[0]


def played(home: Rehearsal, trouble: Callable[[dict[str, Any]], None] = lambda screen: None) -> tuple[dict[str, Any], HandDealer]:
    """One hand to its end."""

    async def story() -> tuple[dict[str, Any], HandDealer]:
        async with home.opened() as app:
            dealer = HandDealer(home, app, trouble)
            return await dealer.play(), dealer

    return run_virtual(story(), max_seconds=3_000)


def check(home: Rehearsal, screen: dict[str, Any]) -> None:
    """The hand ended with every chip and card accounted for, and is marked."""
    events = [record.event for record in home.records]
    assert screen["hand"]["phase"] == "ended"
    assert sum(row.get("stack", 0) for row in screen["seats"]) == 600
    counted = [event for event in events if isinstance(event, CardsCounted)][-1]
    assert counted.shoe + counted.flight + counted.dealt == 52
    assert home.state.chips_conserved
    assert home.state.cards_conserved
    assert len([event for event in events if isinstance(event, HandEnded)]) == 1
    assert [event for event in events if isinstance(event, ManuallyVerified)]
    assert screen["by_hand"]["manually_verified"]


@pytest.mark.parametrize("gone", [{"shoe"}, {"readers"}, {"shoe", "readers"}], ids=lambda gone: " and ".join(sorted(gone)))
def test_a_table_that_is_configured_without_devices_plays_a_hand(gone: set[str]) -> None:
    """No shoe, no readers, neither: the table goes live by itself, and a hand is dealt, bet, tabled and paid."""
    home = memory_rehearsal(PLAY, seed=3)
    home.config = home.config.model_copy(update={"shoe": None, "readers": home.config.readers} if "shoe" in gone else {})
    if "readers" in gone:
        home.config = home.config.model_copy(update={"readers": ()})
    screen, dealer = played(home)
    check(home, screen)
    assert ("shoe" in screen["by_hand"]["without"]) is ("shoe" in gone)
    assert ("seat/1/up" in screen["by_hand"]["without"]) is ("readers" in gone)
    assert (dealer.keyed > 0) is (gone == {"shoe", "readers"})


@pytest.mark.parametrize("street", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("device", ["felt-a", "shoe"])
def test_a_cable_that_is_pulled_in_a_street_ends_no_hand(device: str, street: int) -> None:
    """The line of seats 1 and 2, or the shoe, pulled for good amid a street's cards: two people set it aside, the hand ends."""
    home = memory_rehearsal(PLAY, seed=5)
    pulled = False

    def pull(screen: dict[str, Any]) -> None:
        nonlocal pulled
        hand = screen["hand"]
        if (
            not pulled
            and hand
            and hand["phase"] == "dealing"
            and hand["street"] == street
            and len(screen["step"].get("plan", [])) == 2
        ):
            home.devices.ports[device].unplug()
            pulled = True

    screen, _ = played(home, pull)
    check(home, screen)
    assert pulled
    aside = [record.event for record in home.records if isinstance(record.event, DeviceSetAside)]
    assert aside == [DeviceSetAside(device, 0)]
