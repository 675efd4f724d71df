"""How a simulated dealer works: her pace, her slips, what she does when the table stops, and the count of what she did."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeAlias

VOID_AFTER_S: Final = 30.0
"""Table seconds that a hold may last before the default policy voids the hand."""
ENDS_BY_ITSELF_S: Final[Mapping[str, float]] = {"shoe_degraded": 90.0}
"""Holds that say when they end by themselves: table seconds that she gives them at least. A shoe's link is good again after a
minute without a bad line (TSP/1 link states)."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Table seconds of each movement; ``speed`` divides them all, ``jitter`` varies each by up to that share."""

    card_s: float = 0.7
    """From one card to the next; a dealer draws 1 to 2.5 cards a second."""
    travel_s: float = 0.4
    """From the shoe to a place, or from a place to the muck."""
    shuffle_s: float = 8.0
    """Collecting, shuffling and loading a packet; a scramble of stub and burns takes half of it."""
    press_s: float = 0.8
    """Reading the screen and pressing a button."""
    think_s: float = 2.0
    """A player's decision."""
    jitter: float = 0.3
    speed: float = 1.0

    def seconds(self, table_s: float, rng: random.Random) -> float:
        """Loop seconds of a movement that takes ``table_s`` on average."""
        return table_s * (1.0 + self.jitter * (2.0 * rng.random() - 1.0)) / self.speed


@dataclass(frozen=True, slots=True)
class Habits:
    """Chances, 0 to 1, of what a dealer does now and then."""

    looks_up: float = 0.3
    """She reads the screen between drawing a card and laying it; a dead screen then leaves the card in her hand."""
    hurries: float = 0.1
    """She draws the next card without a pause."""
    slips: float = 0.0
    """She lays a card at another seat than the one it is due at."""
    throws: float = 0.0
    """A player folds by throwing his cards into the muck, and she touches nothing unless the screen does not take it."""


class HoldChoice(Enum):
    """What to do while the table is stopped."""

    WAIT = "wait"
    MEND = "mend"
    """Put cards where they are due: those at a wrong place, and those in her hand."""
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Held:
    """A stop as the dealer sees it: ``hold`` of the snapshot, table seconds that it has lasted, and whether a card of hers is
    not where it is due."""

    hold: Mapping[str, Any]
    seconds: float
    misplaced: bool


HoldPolicy: TypeAlias = Callable[[Held], HoldChoice]


def void_after(seconds: float = VOID_AFTER_S) -> HoldPolicy:
    """Put right what can be put right, then wait; after ``seconds`` table seconds void the hand (R-RULE-03), but not before a
    hold that ends by itself has had its time."""

    def policy(held: Held) -> HoldChoice:
        if held.seconds >= max(seconds, ENDS_BY_ITSELF_S.get(str(held.hold.get("code")), 0.0)):
            return HoldChoice.VOID
        return HoldChoice.MEND if held.misplaced else HoldChoice.WAIT

    return policy


BeforeHand: TypeAlias = Callable[[Mapping[str, Any]], Sequence[Mapping[str, Any]]]
"""Commands to send between hands, from the snapshot; asked again until there are none."""


def rebuy(chips: int) -> BeforeHand:
    """Sell ``chips`` to every seated player who has none (R-SETUP-05)."""

    def commands(snapshot: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        broke = [seat["seat"] for seat in snapshot["seats"] if seat["state"] != "empty" and seat["stack"] == 0]
        return [{"type": "add_chips", "seat": seat, "chips": chips} for seat in broke]

    return commands


@dataclass(slots=True)
class DealerStats:
    """What a dealer did: finished hands (``voided`` among them), buttons pressed, refusals by code, packets and cards."""

    hands: int = 0
    voided: int = 0
    taps: int = 0
    refusals: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    loads: int = 0
    scrambles: int = 0
    cards_drawn: int = 0
    slips: int = 0
    mended: int = 0
