"""The budget of touches: recorded hands dealt at the console with the fewest touches, folds by the muck (screens §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Final

import pytest
from support.console_site import StorySite
from support.table_story import TableStory

from controller.hand.cards import DECK, parse_card
from controller.hand.events import ActionTaken
from controller.hand.showdown import may_muck, to_show
from controller.hand.stakes import Stakes
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.replay import act_of, shown_seats
from simulators.recorded import load_hands, physical_order
from simulators.recorded_hand import Checked, Folded, RecordedHand, Wagered

REAL: Final = Path(__file__).parents[1] / "data/corpus/real.jsonl"
BUDGET: Final = 14.0
"""Touches of a mean eight-handed hand."""
Action = Wagered | Checked | Folded


class AtConsole:
    """One recorded hand at a console; ``touches`` counts what a finger does."""

    def __init__(self, recorded: RecordedHand) -> None:
        self.recorded = recorded
        stakes = recorded.stakes
        limits = Stakes(stakes.ante, stakes.bring_in, stakes.small_bet, stakes.big_bet, 1)
        rules = {"deal.ghost_cards_after_free_fold": "false"}
        self.told = TableStory(recorded.stacks, variant=recorded.variant, stakes=limits, rules=rules)
        self.at = StorySite(self.told)
        order = [parse_card(card) for card, _ in physical_order(recorded, burns=True)]
        self.told.load([*order, *(card for card in DECK if card not in order)])
        self.kinds: Counter[str] = Counter()

    @property
    def touches(self) -> int:
        return sum(self.kinds.values())

    async def touch(self, place: str, kind: str, index: int = 0) -> None:
        await self.at.press(place, index)
        self.kinds[kind] += 1

    async def play(self) -> None:
        await self.touch("main", "start")
        self.told.deal()
        streets = sorted({event.street for event in self.recorded.events if isinstance(event, Wagered | Checked | Folded)})
        for street in streets:
            on_it = [event for event in self.recorded.events if isinstance(event, Wagered | Checked | Folded)]
            await self._street([event for event in on_it if event.street == street])
            self.told.deal()
        await self._showdown()

    async def _street(self, actions: Sequence[Action]) -> None:
        for number, event in enumerate(actions):
            if self.told.hand.phase is not Phase.BETTING or self._done(actions[number:]):
                return
            if isinstance(event, Folded):
                self.told.fold_cards(event.seat)
                continue
            if await self._around(actions[number:]):
                return
            act = act_of(event, self.told.hand)
            places = self.at.screen["bar"]
            wanted = {"type": "act", "seat": act.seat, "verb": act.verb.value}
            found = [
                (place, index)
                for place, buttons in places.items()
                for index, button in enumerate(buttons)
                for given in button["commands"]
                if wanted.items() <= given["command"].items() and (act.verb is Verb.CHECK or given["command"]["to"] == act.to)
            ]
            assert found, (event, self.at.buttons())
            await self.touch(found[0][0], act.verb.value, found[0][1])

    def _done(self, rest: Sequence[Action]) -> bool:
        """Whether the table has taken all that is left by itself."""
        seats = {entry.seat for entry in self.told.hand.seats if entry.live}
        return all(isinstance(event, Folded) and event.seat not in seats for event in rest)

    async def _around(self, rest: Sequence[Action]) -> bool:
        """All check or all call, when nobody does anything else but fold; the folders throw their hands in before."""
        if any(isinstance(event, Wagered) and event.verb != "call" for event in rest):
            return False
        if len({type(event) for event in rest if not isinstance(event, Folded)}) != 1:
            return False
        callers = [event.seat for event in rest if not isinstance(event, Folded)]
        if len(callers) < 2:
            return False
        for event in rest:
            if isinstance(event, Folded):
                self.told.fold_cards(event.seat)
        named = self.at.screen["bar"]["all"]
        if not named or named[0]["commands"][0]["command"].get("seats") != callers:
            return False
        await self.touch("all", "around")
        return True

    async def _showdown(self) -> None:
        hand = self.told.hand
        shown = shown_seats(self.recorded)
        while self.told.hand.phase is Phase.SHOWDOWN and (waiting := to_show(self.told.hand)):
            conceding = [seat for seat in waiting if seat not in shown and may_muck(self.told.hand, seat)]
            if conceding:
                self.told.fold_cards(conceding[0])
            else:
                await self.touch("all" if len(waiting) > 1 else "main", "tabled")
        if not hand.over and self.told.hand.phase is Phase.SHOWDOWN:
            await self.touch("main", "award")
        assert self.told.hand.over


def eight_handed() -> list[RecordedHand]:
    return [hand for hand in load_hands(REAL) if len(hand.stacks) == 8]


async def played(recorded: RecordedHand) -> AtConsole:
    at = AtConsole(recorded)
    async with at.at.client:
        await at.play()
    return at


async def test_recorded_eight_handed_hands_take_fourteen_touches_or_fewer_on_average() -> None:
    """Each ends with the chips of the record; no touch falls while cards are dealt, no fold takes one."""
    hands = eight_handed()
    assert len(hands) == 14
    counts = []
    for recorded in hands:
        at = await played(recorded)
        assert at.kinds["fold"] == 0
        folds = [event.seat for event in at.told.happened(ActionTaken) if event.verb is Verb.FOLD]
        assert folds == [event.seat for event in recorded.events if isinstance(event, Folded)]
        won = {seat.seat: seat.stack for seat in at.told.state.seats}
        assert sum(won.values()) == sum(recorded.stacks.values())
        for seat, chips in recorded.collected.items():
            assert won[seat] >= chips - recorded.rake
        counts.append(at.touches)
    assert mean(counts) <= BUDGET, counts


REFUSED: Final = {"6923acaaacd5e51f", "9159e1e76c2d4a96"}
"""A raise and a short call that the rules refuse (R-BET-11, R-BRING-08)."""


@pytest.mark.long
async def test_all_recorded_hands_can_be_dealt_at_the_console() -> None:
    """The design counts 9.4 touches over all of them."""
    hands = [hand for hand in load_hands(REAL) if hand.hand_id not in REFUSED]
    assert mean([(await played(recorded)).touches for recorded in hands]) <= 9.4
