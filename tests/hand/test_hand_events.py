"""Events are immutable, closed under ``evolve``, and tell no card in their text (R-RULE-06)."""

from __future__ import annotations

import typing
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest
from support.hand_dsl import Story

from controller.hand import events, irregular_events
from controller.hand.cards import parse_card
from controller.hand.events import BurnMade, CardDealt, CommunityDealt, GhostDealt, HandEvent, HandTabled
from controller.hand.places import SeatPlace, Zone

KINDS = typing.get_args(HandEvent)


def test_every_event_class_of_the_module_is_in_the_union() -> None:
    """Closed: what is not in ``HandEvent`` could not be replayed."""
    made = {
        kind
        for module in (events, irregular_events)
        for kind in vars(module).values()
        if is_dataclass(kind) and kind.__module__ == module.__name__
    }
    assert made == set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_events_are_frozen_and_have_no_dictionary(kind: type) -> None:
    """What happened does not change."""
    event = kind.__new__(kind)
    assert not hasattr(event, "__dict__")
    name = fields(kind)[0].name if fields(kind) else "anything"
    with pytest.raises((FrozenInstanceError, TypeError)):  # a TypeError from a class without fields
        setattr(event, name, None)


def test_no_event_tells_a_card_in_its_text() -> None:
    """R-RULE-06: up cards too: a traceback must not need to know which are public."""
    card = parse_card("Td")
    place = SeatPlace(1, Zone.DOWN)
    told = [
        CardDealt(3, place, card),
        GhostDealt(4, place, card),
        BurnMade(4, card),
        CommunityDealt(card),
        HandTabled(1, (card,)),
    ]
    assert not any("Td" in repr(event) or "card=33" in repr(event) for event in told)


def test_no_state_of_a_whole_hand_tells_a_card_in_its_text() -> None:
    """R-RULE-06."""
    story = Story({1: 50, 2: 50}, cards={1: "As Ks | 2c"}, burns="Qd").passive(8).showdown()
    text = repr(story.state) + repr(story.events)
    assert not any(card.text in text for _, card in story.laid)
