"""The golden hands of the rule book, through the hand state machine and through simulated devices."""

from pathlib import Path

import pytest

from controller.hand.rules import house_rules
from controller.replay import through_hand
from controller.replay_devices import through_devices
from simulators.recorded import load_hands

HANDS = {hand.hand_id: hand for hand in load_hands(Path(__file__).parents[1] / "data" / "golden_hands.jsonl")}


@pytest.mark.parametrize("name", sorted(HANDS))
def test_a_golden_hand_agrees_through_the_machine(name: str) -> None:
    """G1 to G4: every seat, amount and chip is as the rule book tells it."""
    assert through_hand(HANDS[name], house_rules("seeds")) is None


@pytest.mark.parametrize("name", sorted(HANDS))
def test_a_golden_hand_agrees_through_devices(name: str) -> None:
    """G1 to G4 come out the same when shoe and readers report each card, with the scramble and the common card of G4."""
    assert through_devices(HANDS[name], house_rules("seeds")) is None


def test_a_wrong_chip_in_the_record_is_noticed() -> None:
    """A record that pays one chip less does not agree."""
    hand = HANDS["golden-1"]
    wrong = type(hand)(**{**{name: getattr(hand, name) for name in hand.__slots__}, "collected": {7: 111}})
    assert through_hand(wrong, house_rules("seeds")) is not None
