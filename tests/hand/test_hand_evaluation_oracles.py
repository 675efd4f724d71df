"""Every class of hand against its oracles: high hands against phevaluator and eval7, lows against a count of every five cards."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import combinations, combinations_with_replacement, pairwise
from typing import Any

import pytest
from phevaluator import evaluate_cards
from support import readings

from controller.hand.cards import DECK, Card
from controller.hand.evaluation import Category, high_value, low_eight_value, razz_value

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its parser of hand ranges, which is not used here
    import eval7

CLASSES = 7_462
"""Classes of equal five-card hands: 6,175 sets of ranks, and the 1,287 of them that can be of one suit."""


def of_ranks(ranks: tuple[int, ...], rng: random.Random | None = None) -> list[Card]:
    """Cards of these sorted ranks, equal ones in different suits, never five of a suit among five; random suits with ``rng``."""
    suits: dict[int, list[int]] = {rank: rng.sample(range(4), 4) if rng else list(range(4)) for rank in ranks}
    cards = [Card(4 * rank + suits[rank].pop(0 if rng else -1)) for rank in ranks]
    if not rng and len({card.suit for card in cards}) == 1:
        cards[0] = Card(4 * ranks[0] + (cards[0].suit + 1) % 4)
    return cards


def rank_sets(count: int) -> Iterator[tuple[int, ...]]:
    """Every set of ``count`` ranks that a deck holds."""
    return (ranks for ranks in combinations_with_replacement(range(13), count) if max(Counter(ranks).values()) <= 4)


def classes() -> list[list[Card]]:
    """One hand of each class."""
    plain = [of_ranks(ranks) for ranks in rank_sets(5)]
    return plain + [[Card(4 * rank + 2) for rank in ranks] for ranks in combinations(range(13), 5)]


def orders_agree(pairs: list[tuple[Any, Any]]) -> bool:
    """Whether both values of each pair put the hands into the same order, with the same ties."""
    known: dict[Hashable, Hashable] = {}
    if any(known.setdefault(one, other) != other for one, other in pairs):
        return False
    ordered = [known[one] for one in sorted(known)]
    return all(lower < higher for lower, higher in pairwise(ordered))


def test_one_hand_of_each_class_stands_in_the_same_order_with_both_oracles() -> None:
    """R-EVAL-01: all 7,462 classes of five cards, each category with its number of them, against phevaluator and eval7."""
    hands = classes()
    values = [high_value(hand) for hand in hands]
    assert len(set(values)) == len(hands) == CLASSES
    assert Counter(Category(value >> 20).name for value in values) == {
        "HIGH_CARD": 1277,
        "PAIR": 2860,
        "TWO_PAIR": 858,
        "TRIPS": 858,
        "STRAIGHT": 10,
        "FLUSH": 1277,
        "FULL_HOUSE": 156,
        "QUADS": 156,
        "STRAIGHT_FLUSH": 10,
    }
    assert orders_agree([(value, -readings.high(hand)) for value, hand in zip(values, hands, strict=True)])
    theirs = [eval7.evaluate([eval7.Card(card.text) for card in hand]) for hand in hands]
    assert orders_agree(list(zip(values, theirs, strict=True)))


def test_six_and_seven_cards_are_worth_their_best_class() -> None:
    """R-EVAL-01, R-STUB-04: each class with one or two random cards more has the very class that phevaluator gives it."""
    rng = random.Random(11)
    class_of = {high_value(hand): readings.high(hand) for hand in classes()}
    seen: Counter[Category] = Counter()
    for number, hand in enumerate(classes()):
        more = rng.sample([card for card in DECK if card not in hand], 1 + number % 2)
        value = high_value([*hand, *more])
        assert class_of[value] == evaluate_cards(*(card.text for card in (*hand, *more)))
        seen[Category(value >> 20)] += 1
    assert set(seen) == set(Category)


@pytest.mark.parametrize("count", [5, 6])
def test_lows_of_every_set_of_ranks_stand_in_the_order_of_a_count(count: int) -> None:
    """R-EVAL-02, R-EVAL-03, R-STUB-04: all sets of five ranks, and of six, as an eight-or-better low and as a razz hand."""
    compare_lows([of_ranks(ranks, random.Random(12)) for ranks in rank_sets(count)])


@pytest.mark.long
def test_lows_of_every_set_of_seven_ranks_stand_in_the_order_of_a_count() -> None:
    """R-EVAL-02, R-EVAL-03: all 49,205 sets of ranks that seven cards can have."""
    hands = [of_ranks(ranks, random.Random(13)) for ranks in rank_sets(7)]
    assert len(hands) == 49_205
    compare_lows(hands)


def test_lows_of_random_seven_cards_stand_in_the_order_of_a_count() -> None:
    """R-EVAL-02, R-EVAL-03: 3,000 hands, a third of low cards alone and a third of few ranks."""
    rng = random.Random(14)
    pools = (DECK, [card for card in DECK if readings.low_rank(card) < 9], [card for card in DECK if card.rank in (0, 5, 11, 12)])
    compare_lows([rng.sample(pools[number % 3], 7) for number in range(3_000)])


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_every_five_card_hand_has_the_class_that_an_oracle_gives_it() -> None:
    """R-EVAL-01: all 2,598,960 hands against phevaluator."""
    class_of = {high_value(hand): readings.high(hand) for hand in classes()}
    for hand in combinations(DECK, 5):
        assert class_of[high_value(hand)] == evaluate_cards(*map(int, hand))


def compare_lows(hands: list[list[Card]]) -> None:
    """Both lows of each hand, in the order of the brute-force reading."""
    assert orders_agree([(razz_value(hand), readings.razz(hand)) for hand in hands])
    lows = [(low_eight_value(hand), readings.eight(hand)) for hand in hands]
    assert [value is None for value, _ in lows] == [reading is None for _, reading in lows]
    qualified = [(value, reading) for value, reading in lows if value is not None]
    assert qualified
    assert orders_agree(qualified)
