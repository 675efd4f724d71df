"""Type tags of the hand's events, and which of their cards are not public."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from controller.hand import events as hand
from controller.hand import irregular_events as slips
from controller.hand.places import Zone
from controller.journal.canonical import Body
from controller.journal.codec import Codec, Secret

_CARD: Final = frozenset(("card",))


def _hidden_when_down(event: hand.CardDealt) -> Collection[str]:
    return () if event.place.zone is Zone.UP else _CARD


def _always_hidden(_: object) -> Collection[str]:
    return _CARD


_OPEN: Final[dict[str, type]] = {
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
    "MisdealDeclared": slips.MisdealDeclared,
    "AllInDeclared": slips.AllInDeclared,
    "HandsKilled": slips.HandsKilled,
    "HandRefunded": slips.HandRefunded,
    "HandRetrieved": slips.HandRetrieved,
    "CardsReturned": slips.CardsReturned,
    "SeventhRedone": slips.SeventhRedone,
    "StubReturned": slips.StubReturned,
    "ActionUndone": slips.ActionUndone,
    "AwardUndone": slips.AwardUndone,
    "OutOfTurnNoted": slips.OutOfTurnNoted,
    "OutOfTurnReleased": slips.OutOfTurnReleased,
    "ActorMoved": slips.ActorMoved,
    "SeatAway": slips.SeatAway,
    "SeatBack": slips.SeatBack,
    "FaceUpRequired": slips.FaceUpRequired,
}
"""Events without a card, by tag. A class that is renamed keeps its tag."""


_SHOWN: Final[dict[str, type]] = {
    "HoleExposed": slips.HoleExposed,
    "DoorChosen": slips.DoorChosen,
    "SeventhShown": slips.SeventhShown,
    "BoxedReplaced": slips.BoxedReplaced,
    "SeventhReplaced": slips.SeventhReplaced,
}
"""Events of slips whose card everybody at the table has seen."""
_SEALED: Final[dict[str, type]] = {
    "BurnedEarly": slips.BurnedEarly,
    "CardEliminated": slips.CardEliminated,
    "SeventhKept": slips.SeventhKept,
}
"""Events of slips whose card nobody may know."""


def _scrapped_the_oldest(body: Body) -> Body:
    """Version 1 knew of the oldest card in flight alone."""
    return {**body, "v": 2, "behind": 0}


_OPENED_1: Final[Body] = {"stakes": None, "preset": "", "knobs": [], "last_two": False, "players": [], "dealer": ""}
"""What version 1 did not tell of a hand that opens: who sits there, and by which rules."""


def register_hand_events(codec: Codec) -> None:
    """Register every ``HandEvent``. Down cards, ghost cards and burns are sealed; up, common and tabled cards are clear."""
    for tag, cls in _OPEN.items():
        codec.register(tag, cls)
    codec.register("HandOpened", hand.HandOpened, version=2)
    codec.register_upcaster("HandOpened", 1, lambda body: {**body, **_OPENED_1, "v": 2})
    codec.register("CommunityDealt", hand.CommunityDealt, public=("card",))
    codec.register("HandTabled", hand.HandTabled, public=("cards",))
    codec.register("HandSeen", slips.HandSeen, public=("cards",))
    for tag, shown in _SHOWN.items():
        codec.register(tag, shown, public=("card",))
    codec.register("CardScrapped", slips.CardScrapped, version=2, public=("card",))
    codec.register_upcaster("CardScrapped", 1, _scrapped_the_oldest)
    for tag, sealed in _SEALED.items():
        codec.register(tag, sealed, secret=Secret(_CARD, _always_hidden))
    codec.register("CardDealt", hand.CardDealt, secret=Secret(_CARD, _hidden_when_down))
    codec.register("GhostDealt", hand.GhostDealt, secret=Secret(_CARD, _always_hidden))
    codec.register("BurnMade", hand.BurnMade, secret=Secret(_CARD, _always_hidden))
