"""Forged lines on the shoe's authenticated link, through the whole controller: hold, ruling of two people, end of the hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from support.houses import House

from controller.console.orders import CommandBody
from controller.hand.state import Phase
from controller.rehearsal import Play
from controller.table.events import CardRead, Ruled, ShoeAdopted, ShoeHalted, ShoeRenewed, Suspended
from controller.table.state import TableState, TableStatus
from controller.verify import audit
from drivers.ports import LinkState
from drivers.shoe.authentication import BAD_TAGS, Pair
from drivers.shoe.lines import MAX_SIGNED_BYTES, framed
from simulators.habits import Held, HoldChoice
from simulators.virtual_time import run_virtual

PAIR = Pair(bytes(range(32)), "SH01", "S0012345")
PLAY = Play(seats={1: ("Ann", 200), 2: ("Cleo", 200)}, rules={"buyin.min": "1", "table.max_seats": "2"})
WIRING = {"felt-a": {1: "seat/1", 2: "seat/2"}, "felt-e": {1: "muck", 2: "burn", 3: "community"}}
FORGED = framed(b"1,SH01,CARD,0009,0001,AS,C,0004,48,100,00000FFF,0123456789ABCDEF", MAX_SIGNED_BYTES)


class Tampered(House):
    """A table with an authenticated shoe and somebody at its cable, in the middle of third street's cards."""

    @property
    def state(self) -> TableState:
        """The table as journalled."""
        assert self.app is not None
        return self.app.table.state

    @property
    def hold(self) -> str | None:
        """Why the deal is stopped."""
        hand = self.state.hand
        return None if hand is None or hand.hold is None else hand.hold.code

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for what the journal tells; virtual time bounds it."""
        assert self.app is not None
        while not holds():
            await self.app.table.changed(self.state.seq)

    def is_dealing(self) -> bool:
        """Some cards of third street are dealt and others are due."""
        hand = self.state.hand
        return hand is not None and hand.phase is Phase.DEALING and hand.dealt >= 2

    async def forge(self) -> None:
        """Write lines onto the cable that are not the shoe's, until the deal is stopped."""
        await self.until(self.is_dealing)
        for _ in range(BAD_TAGS):
            self.links["shoe"].write(FORGED)
        await self.until(lambda: self.hold == "shoe_tampered")
        await self.until(lambda: not self.devices.shoe.is_gate_open)

    async def take_again(self, *, agreed_by: str = "Dan") -> dict[str, Any]:
        """The ruling, as the console sends it."""
        assert self.app is not None
        ruling = {"type": "rule", "role": "floor", "by": "Fay", "agreed_by": agreed_by, "reason": "the cable was seen"}
        command = {**ruling, "ruling": {"kind": "take_shoe_again"}}
        body = {"key": f"again-{self.state.seq}", "seq": self.state.seq, "command": command}
        return await self.app.desk.send(CommandBody.model_validate(body))

    def is_back(self) -> bool:
        """The hand is dealt on."""
        return self.state.status is TableStatus.LIVE and self.state.shoe.adopted and self.hold is None


def patient(held: Held) -> HoldChoice:
    """She lays what she holds where it is due, and waits for the floor."""
    return HoldChoice.MEND if held.misplaced else HoldChoice.WAIT


def told(house: House, kind: type) -> list[Any]:
    """The durable events of ``kind``."""
    return [record.event for record in house.records if isinstance(record.event, kind)]


def evening(folder: Path, meanwhile: Callable[[Tampered], Coroutine[Any, Any, None]]) -> Tampered:
    """One hand with ``meanwhile`` beside it, which must have come to its end; nothing lost or doubled in what is left."""
    house = Tampered(folder, PLAY, seed=5, wiring=WIRING, pair=PAIR)
    house.hold_policy = patient
    done = False

    async def beside() -> None:
        nonlocal done
        await meanwhile(house)
        done = True

    async def story() -> None:
        try:
            stats = await house.evening(1, beside)
            assert (stats.hands, stats.voided) == (1, 0)
            assert house.state.chips_conserved
            assert house.state.cards_conserved
        finally:
            await house.close()

    run_virtual(story(), max_seconds=2_000)
    assert done
    draws = [event.draw_no for event in told(house, CardRead)]
    assert draws == list(range(1, len(draws) + 1))
    found = audit(folder / "start1")
    assert (found.ok, found.hands, found.chips_conserved) == (True, 1, True)
    return house


def test_forged_lines_stop_the_deal_until_two_people_take_the_shoe_again(tmp_path: Path) -> None:
    """The gate closes and one person is refused. After the ruling the shoe's counts agree, the dealer confirms the picture once,
    and the hand is played to its end with every card told once; no forged one is among them."""

    async def meanwhile(house: Tampered) -> None:
        await house.forge()
        assert house.devices.shoe.draw() is None
        assert (await house.take_again(agreed_by="Fay"))["refusal"]["code"] == "two_people"
        await asyncio.sleep(3)
        assert house.hold == "shoe_tampered"
        assert (await house.take_again())["ok"]
        await house.until(house.is_back)

    house = evening(tmp_path, meanwhile)
    assert [event.code for event in told(house, ShoeHalted)] == ["tamper"]
    assert [event.kind for event in told(house, Ruled)] == ["take_shoe_again"]
    assert told(house, ShoeRenewed) == [ShoeRenewed(1)]
    assert [event.counts_agree for event in told(house, ShoeAdopted)] == [True, True]
    assert told(house, Suspended) == [Suspended("restarted")]


@pytest.mark.parametrize("pulled", ["before the ruling", "in the ruling", "after the ruling"])
def test_the_cable_is_pulled_and_plugged_again_while_a_tampered_shoe_is_taken_again(tmp_path: Path, pulled: str) -> None:
    """Whoever looks at the cable pulls it: the ruling waits for it, the session is opened with the shoe that comes back, and the
    hand goes on with nothing lost."""

    async def meanwhile(house: Tampered) -> None:
        line = house.links["shoe"]

        def is_down() -> bool:
            return house.state.links.get(("shoe", 0)) == LinkState.DOWN.value

        await house.forge()
        if pulled == "before the ruling":
            line.unplug()
            await house.until(is_down)
            line.replug()
            await house.until(lambda: not is_down())
            assert house.state.shoe.halted
            assert (await house.take_again())["ok"]
        elif pulled == "in the ruling":
            line.unplug()
            await house.until(is_down)
            assert (await house.take_again())["ok"]
            assert not house.state.shoe.adopted
            line.replug()
        else:
            assert (await house.take_again())["ok"]
            line.unplug()
            await house.until(is_down)
            line.replug()
        await house.until(house.is_back)

    house = evening(tmp_path, meanwhile)
    assert [event.code for event in told(house, ShoeHalted)] == ["tamper"]
    assert told(house, ShoeRenewed) == [ShoeRenewed(1)]
    assert [event.counts_agree for event in told(house, ShoeAdopted)][-1]


def test_a_shoe_taken_again_is_stopped_again_by_the_next_forged_lines(tmp_path: Path) -> None:
    """The ruling trusts the cable of now, it does not end the watch; and each time two people are asked."""

    async def meanwhile(house: Tampered) -> None:
        for number in (1, 2):
            await house.forge()
            await asyncio.sleep(1)  # until the last forged line is through: each one stops the deal anew
            assert (await house.take_again(agreed_by=f"Dan {number}"))["ok"]
            await house.until(house.is_back)

    house = evening(tmp_path, meanwhile)
    assert {event.code for event in told(house, ShoeHalted)} == {"tamper"}
    assert told(house, ShoeRenewed) == [ShoeRenewed(1), ShoeRenewed(2)]
