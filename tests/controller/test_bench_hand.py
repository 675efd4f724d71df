"""Figures of the hand state machine: the same hands at both engines, and their form; never a time."""

from __future__ import annotations

import random
import sys

import pytest

from controller.bench import FIGURES, BenchError
from controller.bench.figure import figure, p95, p99
from controller.bench.hand import measure_hand, play, play_asking
from controller.bench.pokerkit_hands import PokerKit
from controller.bench.random_hands import STACK, record_hands
from controller.cli import main
from controller.hand.commands import Act, AwardPots, CardLaid, PostAnte
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


def test_pokerkit_ends_the_same_hands_of_stud_with_the_same_stacks() -> None:
    """The yardstick plays the very same hands: same cards, same actions, same stacks, asked or not."""
    engine = PokerKit(VariantCode.STUD)
    for hand in record_hands(VariantCode.STUD, 5, random.Random(2)):
        script = engine.script(hand)
        assert len(script.steps) == sum(not isinstance(given, PostAnte | AwardPots) for given in hand.inputs)
        assert engine.play(script) == engine.play_asking(script) == hand.result


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
    """``stud-table bench hand latency journal``."""
    assert tuple(FIGURES) == ("hand", "latency", "journal")
