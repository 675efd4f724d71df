"""Recorded hands: what is exported replays to the same hand, and tells no card that was not public."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from support.exported_hands import (
    corpus,
    corpus_rules,
    hands_with_slips,
    hidden_cards,
    public_cards,
    random_hands,
    replayed,
)
from support.hand_dsl import Story

from controller.export.hands import FinishedHand, hand_of
from controller.export.jsonl import jsonl_line, why_not
from controller.hand.cards import parse_card
from controller.hand.commands import VoidHand
from controller.hand.rules import house_rules
from controller.hand.stakes import Stakes
from controller.replay import through_hand
from controller.replay_devices import through_devices
from simulators.recorded import parse_hand


def agrees(hand: FinishedHand) -> bool:
    """Whether the exported hand replays to itself. Rules of rake are in chips, which a larger smallest chip divides."""
    if hand.setup.stakes.unit > 1 and hand.rake:
        return True
    rules = hand.setup.rules if hand.setup.stakes.unit == 1 else replace(hand.setup.rules, rake_percent=0)
    verdict = through_hand(parse_hand(jsonl_line(hand), where="export"), rules)
    assert verdict is None, verdict
    return True


def test_random_hands_replay_to_themselves() -> None:
    """Every hand the format can hold: any seats, stacks, game and house rules, turned-up hands and ghost cards included."""
    told = [hand for _, hand in random_hands(400, seed=21, knobs=True) if why_not(hand) is None]
    assert len(told) >= 380
    assert all(agrees(hand) for hand in told)
    features = {feature for hand in told for feature in json.loads(jsonl_line(hand))["features"]}
    assert features == {"unknown_cards", "won_without_showdown", "community_card", "ghost_cards", "side_pots"}


def test_recorded_hands_come_back() -> None:
    """The sample, replayed, exported, and replayed again."""
    hands = [played.hand for recorded in corpus() if (played := replayed(recorded, corpus_rules())) is not None]
    assert len(hands) >= 290
    assert all(agrees(hand) for hand in hands)


def test_hands_with_slips_replay_or_are_left_out_by_their_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the format has no word for names its rule; a redealt hand and an undone action are told as they stand."""
    hands = [hand for _, hand in hands_with_slips(80, 22, monkeypatch)]
    reasons = {reason for hand in hands if (reason := why_not(hand)) is not None}
    assert all(reason.startswith("R-") for reason in reasons)
    told = [hand for hand in hands if why_not(hand) is None and hand.setup.rules.rake_percent < 50]
    assert all(agrees(hand) for hand in told)
    assert any(hand.undone or hand.redeals for hand in told)


def test_an_exported_hand_can_be_dealt_by_devices() -> None:
    """Its unknown cards and burns are invented when read, so that readers have cards to read."""
    story = Story({1: 60, 4: 60, 6: 60}, cards={1: "As Ah 9c | Ac", 4: "?? ?? 2c"})
    story.bets("4 post, 6 call, 1 to 4, 4 call, 6 fold").passive(8).showdown()
    hand = hand_of(story.state.setup, tuple(story.stacks.items()), story.events)
    assert through_devices(parse_hand(jsonl_line(hand), where="export"), house_rules("seeds")) is None


def test_only_public_cards_are_named() -> None:
    """R-RULE-06: each card of a line was up, common or tabled."""
    for events, hand in random_hands(150, seed=23, knobs=True):
        if why_not(hand) is None:
            named = {
                card for event in json.loads(jsonl_line(hand))["events"] for card in [*event.get("cards", ()), event.get("card")]
            }
            named -= {None, "??"}
            assert {parse_card(card) for card in named} <= public_cards(events)
            assert not [card for card in hidden_cards(events) if f'"{card.text}"' in jsonl_line(hand)]


def test_amounts_are_in_the_smallest_chip() -> None:
    """A chip of 5: everything is divided by it, and named."""
    story = Story({1: 100, 4: 100}, stakes=Stakes(5, 10, 20, 40, 5), cards={1: "?? ?? 2c"})
    story.bets("1 post, 4 to 20, 1 fold")
    record = json.loads(jsonl_line(hand_of(story.state.setup, tuple(story.stacks.items()), story.events)))
    assert record["stakes"] == {"ante": 1, "bring_in": 2, "small_bet": 4, "big_bet": 8, "unit": "chip of 5"}
    assert (record["pot"], record["collected"], record["uncalled"]) == (6, {"4": 6}, {"4": 2})


def test_what_the_format_cannot_hold_is_refused() -> None:
    """R-RULE-03: a voided hand has no winner to tell."""
    story = Story({1: 50, 2: 50})
    story.tell(VoidHand("fouled deck"))
    hand = hand_of(story.state.setup, tuple(story.stacks.items()), story.events)
    assert why_not(hand) == "R-RULE-03: the format has no word for a voided hand"
    with pytest.raises(ValueError, match="R-RULE-03"):
        jsonl_line(hand)
