"""Figures of the hand state machine: the same hands at both engines, and their form; never a time."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

from controller.bench import FIGURES, BenchError
from controller.bench import hand as bench
from controller.bench.figure import figure, p95, p99
from controller.bench.hand import HANDS, SEED, measure_hand, play, play_asking
from controller.bench.pokerkit_hands import PokerKit
from controller.bench.random_hands import STACK, record_hands
from controller.cli import main
from controller.hand.commands import Act, AwardPots, CardLaid, HandInput, PostAnte
from controller.hand.state import HandState
from controller.hand.variants import VariantCode

KEYS = {"name", "value", "unit", "yardstick", "ratio"}


def test_a_figure_stands_beside_its_yardstick() -> None:
    """Numbers are rounded for reading, the ratio is taken before."""
    assert figure("x", 10.04, "us", 3.0) == {"name": "x", "value": 10.0, "unit": "us", "yardstick": 3.0, "ratio": 3.35}


def test_percentiles_need_two_values() -> None:
    """What 95 and 99 % stay below, inside the measured range."""
    assert (p95([1.0, 2.0]), p99([1.0, 2.0])) == pytest.approx((1.95, 1.99))


@pytest.mark.parametrize("variant", list(VariantCode))
def test_a_recorded_hand_is_whole_and_ends_the_same_when_played_again(variant: VariantCode) -> None:
    """Seven antes, each card, each action and the awards are inputs; no chip is lost, and both ways to play agree."""
    for hand in record_hands(variant, 5, random.Random(1)):
        kinds = [type(given) for given in hand.inputs]
        assert kinds.count(PostAnte) == 7
        assert kinds.count(CardLaid) >= 21
        assert Act in kinds
        assert kinds[-1] in (Act, AwardPots)
        assert sum(hand.result) == 7 * STACK
        assert play(hand) == play_asking(hand) == hand.result


@pytest.mark.parametrize("variant", list(VariantCode))
def test_pokerkit_ends_every_hand_that_is_timed_with_the_same_stacks(variant: VariantCode) -> None:
    """The yardstick plays the very same hands: same cards, same actions, same stacks, asked or not; none is left out."""
    engine = PokerKit(variant)
    for hand in record_hands(variant, HANDS, random.Random(SEED)):
        script = engine.script(hand)
        assert len(script.steps) == sum(not isinstance(given, PostAnte | AwardPots) for given in hand.inputs)
        assert engine.play(script) == engine.play_asking(script) == hand.result


def test_what_is_timed_counts_chips_and_cards_after_each_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-POT-11: a chip or a card that a decision loses ends the measurement."""
    (hand,) = record_hands(VariantCode.STUD, 1, random.Random(3))
    right = bench.decide
    for spoiled in ({"stub": 51}, {"seats": ()}):

        def wrong(state: HandState, given: HandInput, lost: dict[str, Any] = spoiled) -> Any:
            decision = right(state, given)
            return decision._replace(state=decision.state._replace(**lost))

        monkeypatch.setattr(bench, "decide", wrong)
        for played in (play, play_asking):
            with pytest.raises(ArithmeticError):
                played(hand)


def test_every_game_has_its_figures() -> None:
    """Hands per second with and without asking, and how many of the hands both end alike."""
    figures = measure_hand(hands=3, rounds=1)
    assert len(figures) == 3 * len(VariantCode)
    for taken in figures:
        assert taken.keys() == KEYS
        assert taken["value"] > 0
        assert taken["yardstick"] > 0
    assert {taken["unit"] for taken in figures} == {"hands/s", "hands"}


def test_without_pokerkit_there_is_one_clear_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The extra is missing: exit 2, no traceback."""
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    with pytest.raises(BenchError):
        PokerKit(VariantCode.STUD)
    assert main(["bench", "hand"]) == 2
    assert capsys.readouterr().err == "stud-table: PokerKit is not installed: pip install 'stud-table[bench]' brings it\n"


def test_the_command_knows_its_figures() -> None:
    """``stud-table bench hand latency journal tracking devices simulation floor``."""
    assert tuple(FIGURES) == ("hand", "latency", "journal", "tracking", "devices", "simulation", "floor")
