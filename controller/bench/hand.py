"""Hands per second of the pure hand state machine, beside PokerKit playing the very same hands in the same run."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Final

from controller.bench.figure import BenchError, Figure, figure
from controller.bench.pokerkit_hands import PokerKit, Script
from controller.bench.random_hands import SEATS, STACK, RecordedHand, record_hands
from controller.hand.betting import legal_actions
from controller.hand.cards import DECK
from controller.hand.commands import Act, Refusal
from controller.hand.decide import decide
from controller.hand.state import HandState, open_state
from controller.hand.variants import VariantCode

HANDS: Final = 40
"""Hands of each game, all played in each round."""
ROUNDS: Final = 9
"""Rounds of each player, by turns; their medians are told."""
SEED: Final = 20260101


def measure_hand(*, hands: int = HANDS, rounds: int = ROUNDS, seed: int = SEED) -> list[Figure]:
    """Figures of all three games; ``BenchError`` without PokerKit. Takes some ten seconds."""
    return [taken for variant in VariantCode for taken in _measure_game(variant, hands, rounds, random.Random(seed))]


def _measure_game(variant: VariantCode, count: int, rounds: int, rng: random.Random) -> list[Figure]:
    yardstick = PokerKit(variant)
    hands = record_hands(variant, count, rng)
    scripts = [yardstick.script(hand) for hand in hands]
    pairs = [(hand, script) for hand, script in zip(hands, scripts, strict=True) if _same_end(yardstick, hand, script)]
    if not pairs:
        raise BenchError(f"PokerKit ends none of {count} hands of {variant.value} as this program does: is it release 0.7.7?")
    agreed, scripts = [hand for hand, _ in pairs], [script for _, script in pairs]
    name = f"hands of {variant.value}, seven seats"
    own, other = _by_turns(lambda: _each(play, agreed), lambda: _each(yardstick.play, scripts), rounds)
    own_asking, other_asking = _by_turns(
        lambda: _each(play_asking, agreed), lambda: _each(yardstick.play_asking, scripts), rounds
    )
    return [
        figure(f"{name}, beside PokerKit", len(agreed) / own, "hands/s", len(agreed) / other),
        figure(
            f"{name}, legal actions asked at each turn, beside PokerKit",
            len(agreed) / own_asking,
            "hands/s",
            len(agreed) / other_asking,
        ),
        figure(f"{name}, that end with the same stacks in PokerKit", len(agreed), "hands", count),
    ]


def play(hand: RecordedHand) -> tuple[int, ...]:
    """Give a recorded hand's inputs to ``decide`` one by one; the stacks by seat at its end.

    After each input chips and cards are counted, as the table counts its chips (R-POT-11).
    """
    state = open_state(hand.setup, hand.stacks)
    for given in hand.inputs:
        decision = decide(state, given)
        if isinstance(decision, Refusal):
            raise TypeError(f"a recorded input was refused: {decision.code}")
        state = decision.state
        _require_whole(state)
    return tuple(entry.stack for entry in state.seats)


def play_asking(hand: RecordedHand) -> tuple[int, ...]:
    """The same, and ask before each decision what is allowed, as a table must."""
    state = open_state(hand.setup, hand.stacks)
    for given in hand.inputs:
        if isinstance(given, Act):
            legal_actions(state)
        decision = decide(state, given)
        if isinstance(decision, Refusal):
            raise TypeError(f"a recorded input was refused: {decision.code}")
        state = decision.state
        _require_whole(state)
    return tuple(entry.stack for entry in state.seats)


def _require_whole(state: HandState) -> None:
    """No chip is lost or doubled, and each of the 52 cards is in stub, burns or hands; the recorded hands have no other place."""
    cards = state.stub + state.burns + len(state.commons)
    for entry in state.seats:
        cards += len(entry.down) + len(entry.up)
    if state.chips_in_play != STACK * SEATS or cards != len(DECK):
        raise ArithmeticError(f"{state.chips_in_play} chips and {cards} cards")


def _same_end(yardstick: PokerKit, hand: RecordedHand, script: Script) -> bool:
    try:
        return yardstick.play(script) == hand.result
    except ValueError:  # it would have asked another seat, or allows another amount
        return False


def _each(play_one: Callable[..., object], hands: Sequence[object]) -> None:
    for hand in hands:
        play_one(hand)


def _by_turns(own: Callable[[], None], other: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Median seconds of each, taken by turns, so that a busy machine slows both."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for taken, run in zip(seconds, (own, other), strict=True):
            gc.collect()
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])
