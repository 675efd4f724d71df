"""The reference hand of the design, eight-handed, touch by touch: how many it takes, none while cards are dealt (screens §2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from support.console_site import StorySite
from support.table_story import TableStory

from controller.hand.cards import DECK, Card, parse_card

DOWN: Final = "2h 3h 4h Kh 5h 6h 4s 7h 6d 7c 8d Jd 8s 9d Qd 9c"
DOORS: Final = "Kd 2c 9s Jh 7d Qc As 8h"
FOURTH: Final = "3c 8c Td 6s 5s 4d"
FIFTH: Final = "4c 3s Tc Kc 7s 9h"
SIXTH: Final = "5c 2d 5d Ah"
SEVENTH: Final = "6c Qs Qh Ks"
"""What leaves the shoe, burns first: seat 2 brings in with the two of clubs, seat 7 has aces in the end."""
STACKS: Final = {1: 214, 2: 180, 3: 96, 4: 305, 5: 152, 6: 88, 7: 240, 8: 167}

THIRD: Final = [
    "main Bring-in 2",
    "main Call 2",
    "raise Complete to 4",
    "fold Fold",
    "main Call 4",
    "main Call 4",
    "fold Fold",
    "main Call 4",
    "fold Fold",
    "main Call 2",
]
BY_MUCK: Final = [
    (8, ["main Bring-in 2", "main Call 2", "raise Complete to 4", "5 8 2", "all All call 4"], 30),
    (30, ["raise Bet 4", "all All call 4"], 50),
    (50, ["raise Bet 8", "6 1", "all All call 8"], 74),
    (74, ["raise Bet 8", "all All call 8"], 98),
    (98, ["main Check", "main Check", "raise Bet 8", "3", "main Call 8"], 114),
]
"""The same with folds by the muck: seats that throw their hands in stand by themselves."""
STREETS: Final = [
    (8, THIRD, 30),
    (30, ["raise Bet 4", "all All call 4"], 50),
    (50, ["raise Bet 8", "main Call 8", "fold Fold", "main Call 8", "fold Fold"], 74),
    (74, ["raise Bet 8", "all All call 8"], 98),
    (98, ["main Check", "main Check", "raise Bet 8", "main Call 8", "fold Fold"], 114),
]


def deck() -> list[Card]:
    """The hand's cards in the order dealt, the others below."""
    first = [parse_card(card) for card in " ".join((DOWN, DOORS, FOURTH, FIFTH, SIXTH, SEVENTH)).split()]
    return [*first, *(card for card in DECK if card not in first)]


@pytest.mark.parametrize(("streets", "most"), [(STREETS, 28), (BY_MUCK, 18)], ids=["folds by touch", "folds by the muck"])
async def test_the_reference_hand_takes_eighteen_touches_and_ten_more_without_the_muck(
    streets: Sequence[tuple[int, Sequence[str], int]], most: int
) -> None:
    """Every street is dealt without a touch, and the pots are the design's."""
    at = StorySite(TableStory(STACKS))
    told = at.told
    told.load(deck())
    touches = 0

    async def touch(wanted: str) -> None:
        nonlocal touches
        place, words = wanted.split(" ", 1)
        assert at.buttons()[place][0] == words
        await at.press(place)
        touches += 1

    async with at.client:
        await touch("main Start hand")
        for before, actions, after in streets:
            told.deal()
            assert at.pages.picture()["hand"]["pot"] == before
            for action in actions:
                if action[0].isdigit():
                    for seat in action.split():
                        told.fold_cards(int(seat))
                else:
                    await touch(action)
            assert at.pages.picture()["hand"]["pot"] == after
        assert at.title() == "Seat 4 shows first"
        for wanted in ("main Seat 4 tabled", "main Seat 7 tabled", "main Award 114"):
            await touch(wanted)
    won = {entry.seat: entry.won for entry in told.hand.seats if entry.won}
    assert (touches, won) == (most, {7: 114})
