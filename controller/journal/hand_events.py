"""Type tags of the hand's events, and which of their cards are not public."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from controller.hand import events as hand
from controller.hand.places import Zone
from controller.journal.codec import Codec, Secret

_CARD: Final = frozenset(("card",))


def _hidden_when_down(event: hand.CardDealt) -> Collection[str]:
    return () if event.place.zone is Zone.UP else _CARD


def _always_hidden(_: hand.GhostDealt | hand.BurnMade) -> Collection[str]:
    return _CARD


_OPEN: Final[dict[str, type]] = {
    "HandOpened": hand.HandOpened,
    "AntePosted": hand.AntePosted,
    "DealStarted": hand.DealStarted,
    "RoundOpened": hand.RoundOpened,
    "ActionTaken": hand.ActionTaken,
    "UncalledReturned": hand.UncalledReturned,
    "RoundClosed": hand.RoundClosed,
    "PotsFixed": hand.PotsFixed,
    "StubCounted": hand.StubCounted,
    "StubScrambled": hand.StubScrambled,
    "ShowdownOpened": hand.ShowdownOpened,
    "HandMucked": hand.HandMucked,
    "PotAwarded": hand.PotAwarded,
    "HandEnded": hand.HandEnded,
    "HandHeld": hand.HandHeld,
    "HoldLifted": hand.HoldLifted,
    "HandVoided": hand.HandVoided,
}
"""Events without a card, by tag. A class that is renamed keeps its tag."""


def register_hand_events(codec: Codec) -> None:
    """Register every ``HandEvent``. Down cards, ghost cards and burns are sealed; up, common and tabled cards are clear."""
    for tag, cls in _OPEN.items():
        codec.register(tag, cls)
    codec.register("CommunityDealt", hand.CommunityDealt, public=("card",))
    codec.register("HandTabled", hand.HandTabled, public=("cards",))
    codec.register("CardDealt", hand.CardDealt, secret=Secret(_CARD, _hidden_when_down))
    codec.register("GhostDealt", hand.GhostDealt, secret=Secret(_CARD, _always_hidden))
    codec.register("BurnMade", hand.BurnMade, secret=Secret(_CARD, _always_hidden))
