"""The hand's events in the journal: all registered, tags for good, hidden cards sealed."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from controller.hand.cards import parse_card
from controller.hand.events import ActionTaken, BurnMade, CardDealt, CommunityDealt, GhostDealt, HandEvent, HandTabled, PotAwarded
from controller.hand.irregular_events import BurnedEarly, CardEliminated, HandSeen, HoleExposed, SeventhKept
from controller.hand.places import SeatPlace, Zone
from controller.hand.terms import SeatChips, Share, Verb
from controller.journal.codec import Codec, CodecError
from controller.journal.hand_events import register_hand_events

TAGS = (
    "HandOpened",
    "AntePosted",
    "DealStarted",
    "CardDealt",
    "GhostDealt",
    "BurnMade",
    "CommunityDealt",
    "RoundOpened",
    "ActionTaken",
    "UncalledReturned",
    "RoundClosed",
    "PotsFixed",
    "StubCounted",
    "StubScrambled",
    "ShowdownOpened",
    "HandTabled",
    "HandMucked",
    "PotAwarded",
    "HandEnded",
    "HandHeld",
    "HoldLifted",
    "HandVoided",
    "MisdealDeclared",
    "HoleExposed",
    "DoorChosen",
    "SeventhShown",
    "SeventhReplaced",
    "BoxedReplaced",
    "AllInDeclared",
    "HandsKilled",
    "HandRefunded",
    "HandRetrieved",
    "BurnedEarly",
    "CardsReturned",
    "CardEliminated",
    "SeventhKept",
    "SeventhRedone",
    "CardScrapped",
    "StubReturned",
    "ActionUndone",
    "AwardUndone",
    "OutOfTurnNoted",
    "OutOfTurnReleased",
    "ActorMoved",
    "SeatAway",
    "SeatBack",
    "FaceUpRequired",
    "HandSeen",
)


@pytest.fixture
def codec() -> Codec:
    """A codec of the hand's events."""
    codec = Codec()
    register_hand_events(codec)
    return codec


def test_every_hand_event_has_its_tag(codec: Codec) -> None:
    """Each member of the union is registered, under the name it had when it was first written."""
    assert {codec.tag_of(cls) for cls in get_args(HandEvent)} == set(TAGS)


@pytest.mark.parametrize(
    "event",
    [
        ActionTaken(
            seat=3,
            verb=Verb.COMPLETE,
            chips=4,
            to=4,
            all_in=False,
            level=1,
            match=4,
            raises=1,
            bet=True,
            big_made=False,
            small_only=False,
            uncapped=False,
            actor=5,
        ),
        CommunityDealt(parse_card("9d")),
        HandTabled(2, (parse_card("As"), parse_card("Kd"))),
        PotAwarded(0, (Share(2, 31, None),)),
        CardDealt(4, SeatPlace(2, Zone.UP), parse_card("Qh")),
        HoleExposed(2, 1, parse_card("Qh"), (), 1),
        HandSeen(2, (parse_card("As"), parse_card("Kd"))),
    ],
)
def test_a_public_event_comes_back_without_a_key(codec: Codec, event: object) -> None:
    """Up, common, tabled and exposed cards are in clear."""
    assert codec.decode(codec.encode(event)) == event


@pytest.mark.parametrize(
    "event",
    [
        CardDealt(3, SeatPlace(2, Zone.DOWN), parse_card("Qh")),
        CardDealt(3, SeatPlace(2, Zone.ANY), parse_card("Qh")),
        GhostDealt(3, SeatPlace(2, Zone.DOWN), parse_card("Qh")),
        BurnMade(4, parse_card("Qh")),
        BurnMade(4, None),
        BurnedEarly(parse_card("Qh"), True),
        CardEliminated(4, parse_card("Qh"), False),
        SeventhKept(2, parse_card("Qh")),
    ],
)
def test_a_card_that_is_not_public_is_sealed(codec: Codec, event: Any) -> None:
    """It never stands in clear, whether the device could read it or not."""
    with pytest.raises(CodecError, match="hides card"):
        codec.encode(event)
    body = codec.encode(event, seal=lambda *_: bytes(44))
    assert "card" not in body
    assert codec.decode(body, unseal=lambda *_: {"card": event.card}) == event


def test_chips_of_a_seat_stand_as_an_object() -> None:
    """A named pair says what its numbers are."""
    codec = Codec()
    register_hand_events(codec)
    assert codec.encode(PotAwarded(1, (Share(*SeatChips(4, 9), None),)))["shares"] == [{"seat": 4, "chips": 9, "wins": None}]
