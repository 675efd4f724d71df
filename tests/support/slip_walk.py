"""Whole evenings at a table where every slip happens at any moment, and each is mended as the dealer's screen says."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from controller.hand.dealing import TO_COMMON
from controller.hand.state import HandState, Phase
from support.hand_slips import any_table
from support.hand_walk import Style
from support.slip_kinds import ErringTable


def _slips() -> dict[str, Callable[[Any], bool]]:
    found = {name: member for name, member in vars(ErringTable).items() if not name.startswith("_") and callable(member)}
    return {name: member for name, member in found.items() if member.__annotations__.get("return") == "bool"}


SLIP: Final = _slips()
SLIPS: Final = tuple(SLIP)
WEIGHT: Final = {
    **dict.fromkeys(("floor_called", "unseen"), 0.22),
    **dict.fromkeys(("declared", "sevenths_for_common"), 1e6),
    **dict.fromkeys(("out_of_turn", "clock", "wrong_amount", "wrong_opener"), 3.0),
    **dict.fromkeys(("killed", "misdealt", "voided", "shoe_restarted", "dropped_stub", "load_unasked", "absent"), 0.5),
    **dict.fromkeys(
        ("lifted", "foreign", "moved", "out_of_place", "link_lost", "card_back", "wrong_card_back", "read_twice_over"), 0.3
    ),
    **dict.fromkeys(("exposed_seventh", "kept_seventh", "laid_back"), 20.0),
    **dict.fromkeys(("wrong_and_right_in_a_load", "premature_in_a_load", "load_miscounted", "no_burn", "two_burns"), 10.0),
    **dict.fromkeys(("seen", "retrieved", "award_undone", "premature", "duplicate"), 2.0),
}
"""Slips that end a hand, or can happen at any moment, come seldom; those that have one moment come then."""
MOST_SLIPS: Final = 30
"""Slips of one hand; more would be no hand any more."""


class Evening(ErringTable):
    """An evening with slips. ``slip`` lets one happen."""

    def slip(self) -> None:
        """One slip for which there is an occasion, the rare occasions first."""
        for name in sorted(SLIPS, key=lambda name: self.dice.random() ** WEIGHT.get(name, 1.0)):
            before = self.state.seq
            if SLIP[name](self):
                self.met[name] += 1
                self.slipped[name] += 1
            if self.state.seq > before:
                self.settled()
                return


def evening(seed: int, hands: int = 3) -> Evening:
    """Play ``hands`` hands with slips, each to its end."""
    rng = random.Random(seed)
    game, crowded = any_table(rng), seed % 8 == 0
    while crowded and len(game.stacks) < 8:
        game = any_table(rng)
    table = Evening(game, seed)
    if crowded:  # all stay, so the stub does not reach (R-STUB-02)
        table.style = Style(0.0, 0.98)
    often = rng.choice((0.03, 0.1, 0.3))
    for _ in range(hands):
        _play(table, rng, often)
    while table.state.hand_open:
        table.go_on()
    table.replays()
    return table


def _asks(hand: HandState) -> bool:
    """A moment that seldom comes: a load is awaited, a common card is due, or a player may declare himself all-in."""
    common = hand.phase is Phase.DEALING and hand.street == 7 and hand.short in TO_COMMON
    return (
        common or hand.reload_due > 0 or hand.phase is Phase.SCRAMBLE or (hand.phase is Phase.BETTING and bool(hand.may_declare))
    )


def _play(table: Evening, rng: random.Random, often: float) -> None:
    """One hand, its slips before and in it, and its end."""
    number, slips, first = table.state.hand_number, 0, rng.choice((0, 0, 3, 4, 5, 6, 7))
    started = False
    most = 40 * MOST_SLIPS + 4 * 1200
    for _ in range(most):
        over = not table.state.hand_open
        started = started or table.state.hand_number > number
        if over and started and rng.random() < 0.5:
            return
        hand = table.state.hand
        asked = hand is not None and not over and _asks(hand) and rng.random() < 0.5
        ripe = over or hand is None or hand.street >= first
        if slips < MOST_SLIPS and (asked or (ripe and rng.random() < often)):
            slips += 1
            table.slip()
        elif over and table.step()["kind"] in ("start_hand", "load_deck"):
            if started:
                return
            table.prepare()
            table.go_on()
        else:
            table.go_on()
    raise AssertionError("the hand does not end")
