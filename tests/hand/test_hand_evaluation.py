"""Reading hands and boards: the worked examples, two evaluators and PokerKit as oracles, every board of one to four cards."""

from __future__ import annotations

import random
import warnings
from itertools import combinations, pairwise

import pytest
from phevaluator import evaluate_cards
from pokerkit import EightOrBetterLowHand, RegularLowHand
from support.hand_dsl import cards_of

from controller.hand.cards import DECK, RANKS, Card
from controller.hand.evaluation import (
    Category,
    ace_low_order,
    best_high_five,
    best_low_five,
    board_value,
    high_value,
    low_eight_value,
    razz_value,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its parser of hand ranges, which is not used here
    import eval7


def category(text: str) -> Category:
    """Category of the best high five."""
    return Category(high_value(cards_of(text)) >> 20)


def sign(number: int) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)


def low_ranks(mask: int) -> str:
    """A low as its ranks, highest first: ``75321`` with the ace as 1."""
    return "".join("123456789TJQK"[bit] for bit in range(12, -1, -1) if mask >> bit & 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As Ks Qs Js Ts 2h 2d", Category.STRAIGHT_FLUSH),
        ("As 2s 3s 4s 5s Kh Kd", Category.STRAIGHT_FLUSH),
        ("Ks As 2s 3s 4s 9h 9d", Category.FLUSH),
        ("9s 9h 9d 9c 2s 2h 2d", Category.QUADS),
        ("9s 9h 9d 8c 8s 8h 2d", Category.FULL_HOUSE),
        ("9s 9h 9d 8c 8s 7h 7d", Category.FULL_HOUSE),
        ("As Ts 8s 4s 2s 9h 7d", Category.FLUSH),
        ("Ah 2c 3d 4s 5h Kd Qc", Category.STRAIGHT),
        ("Ah Kc Qd Js Th Td Tc", Category.STRAIGHT),
        ("Qh Kc Ad 2s 3h 9d 9c", Category.PAIR),
        ("9s 9h 9d 8c 6s 4h 2d", Category.TRIPS),
        ("9s 9h 8d 8c 6s 6h 2d", Category.TWO_PAIR),
        ("9s 7h 5d 3c 2s Kh Jd", Category.HIGH_CARD),
    ],
)
def test_categories_of_seven_cards(text: str, expected: Category) -> None:
    """R-EVAL-01: the wheel is the lowest straight, no straight goes round the corner, a suited straight is no plain one."""
    assert category(text) is expected


def test_sixth_and_seventh_card_break_no_tie() -> None:
    """R-EVAL-01, R-EVAL-04: both 8-8-A-K-5: the 4 against the 3 does not count."""
    assert high_value(cards_of("Ah Kd 8c 8s 5h 3d 2c")) == high_value(cards_of("Ad Kh 8d 8h 5c 4s 2s"))


def test_three_pairs_play_the_best_kicker_even_from_the_third_pair() -> None:
    """R-EVAL-01: 9-9-8-8 with a king, or with a six of the third pair when nothing is higher."""
    assert high_value(cards_of("9s 9h 8d 8c 6s 6h Kd")) > high_value(cards_of("9d 9c 8s 8h 6d 6c Qd"))
    assert high_value(cards_of("9s 9h 8d 8c 6s 6h 2d")) == high_value(cards_of("9d 9c 8s 8h 6d 3c 2c"))


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("Ah 2c 3d 5s 7h Kd Qc", "75321"),
        ("9h 9c 9d 5s 5d Kc 3h", None),
        ("Ah 2c 3d 4s 5h Kd Qc", "54321"),
        ("8h 7c 6d 5s 4h Kd Qc", "87654"),
        ("8h 7c 6d 5s 9h Kd Qc", None),
        ("Ah 2c 3d 4s 5h 6d 7c", "54321"),
        ("Ah Ac 2d 2s 3h 4d 8c", "84321"),
    ],
)
def test_eight_or_better(text: str, low: str | None) -> None:
    """R-EVAL-02: five ranks of eight or less, ace 1, straights ignored; nothing when one is missing."""
    mask = low_eight_value(cards_of(text))
    assert (None if mask is None else low_ranks(mask)) == low


def test_the_wheel_is_a_straight_and_the_best_low_at_once() -> None:
    """R-EVAL-02."""
    wheel = cards_of("Ah 2c 3d 4s 5h Kd Qc")
    assert category("Ah 2c 3d 4s 5h Kd Qc") is Category.STRAIGHT
    assert low_eight_value(wheel) == 0b11111


@pytest.mark.parametrize(
    ("text", "five"),
    [
        ("Ah 2d 3c 3s 7h Kd Kc", "K 7 3 2 A"),
        ("Ah As 2d 2c 3h 3s Kd", "K 3 2 A A"),
        ("7h 5d 4c 3s Ah Ks Qd", "7 5 4 3 A"),
        ("Ah As Ad Ac 2h 2s 3d", "3 2 2 A A"),
    ],
)
def test_razz_reads_the_fewest_and_lowest_pairs(text: str, five: str) -> None:
    """R-EVAL-03: pairs are dropped; with four ranks in seven cards the aces pair."""
    chosen = best_low_five(cards_of(text))
    assert " ".join(card.text[0] for card in chosen) == five


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("7s 5h 4c 3d Ah Ks Kd", "7c 6h 4d 3s 2h Kc Kh"),
        ("As Ah 7c 6d 5h Ac Ad", "2s 2h 5c 4d 3h 2c 2d"),
        ("Ks Qh Jc Td 9h Kd Kc", "As Ah 2c 2d 3h 3c Ad"),
        ("As 2h 3c 4d 5h 5s 5d", "As 2h 3c 4d 6h 6s 6d"),
    ],
)
def test_razz_order(better: str, worse: str) -> None:
    """R-EVAL-03: any unpaired five beats any pair, A-A beats 2-2, compare from the top; less is better."""
    assert razz_value(cards_of(better)) < razz_value(cards_of(worse))


def draws(count: int, seed: int) -> list[tuple[list[Card], list[Card]]]:
    """Pairs of random seven-card hands from one deck."""
    rng = random.Random(seed)
    return [(dealt[:7], dealt[7:]) for dealt in (rng.sample(DECK, 14) for _ in range(count))]


def test_high_hands_compare_as_two_oracles_say() -> None:
    """R-EVAL-01 against phevaluator and eval7: the sign of 20,000 comparisons of random seven-card hands."""
    for one, two in draws(20_000, 1):
        ours = sign(high_value(one) - high_value(two))
        first, second = (evaluate_cards(*(card.text for card in hand)) for hand in (one, two))
        assert ours == sign(second - first)
        left, right = (eval7.evaluate([eval7.Card(card.text) for card in hand]) for hand in (one, two))
        assert ours == sign(left - right)


def test_high_hands_of_few_ranks_compare_as_an_oracle_says() -> None:
    """R-EVAL-01: 3,000 pairs of hands, which may share cards, of few ranks or suits: equal trips, quads, flushes galore."""
    rng = random.Random(2)
    pools = [
        [card for card in DECK if card.rank in (3, 4, 5, 12)],
        [card for card in DECK if card.suit == 1 or card.rank < 5],
        [card for card in DECK if card.rank in (7, 8) or card.suit < 2],
    ]
    for number in range(3_000):
        pool = pools[number % 3]
        one, two = rng.sample(pool, 7), rng.sample(pool, 7)
        first, second = (evaluate_cards(*(card.text for card in hand)) for hand in (one, two))
        assert sign(high_value(one) - high_value(two)) == sign(second - first)


@pytest.mark.long
def test_high_hands_compare_as_an_oracle_says_two_hundred_thousand_times() -> None:
    """R-EVAL-01 against phevaluator, the long way."""
    for one, two in draws(200_000, 3):
        first, second = (evaluate_cards(*(card.text for card in hand)) for hand in (one, two))
        assert sign(high_value(one) - high_value(two)) == sign(second - first)


def test_five_and_six_cards_read_like_the_seven_that_contain_nothing_better() -> None:
    """R-STUB-04: 1,500 hands of five and six cards against phevaluator."""
    rng = random.Random(4)
    for number in range(1_500):
        size = 5 + number % 2
        dealt = rng.sample(DECK, 2 * size)
        first, second = (evaluate_cards(*(card.text for card in hand)) for hand in (dealt[:size], dealt[size:]))
        assert sign(high_value(dealt[:size]) - high_value(dealt[size:])) == sign(second - first)


def test_eight_or_better_qualifies_and_compares_as_pokerkit_says() -> None:
    """R-EVAL-02: 300 pairs of random hands, half of them from low cards alone."""
    rng = random.Random(5)
    low_deck = [card for card in DECK if (card.rank + 1) % 13 < 9]
    for number in range(300):
        dealt = rng.sample(low_deck if number % 2 else DECK, 14)
        hands = (dealt[:7], dealt[7:])
        texts = ["".join(card.text for card in hand) for hand in hands]
        theirs = [EightOrBetterLowHand.from_game_or_none(text) for text in texts]
        ours = [low_eight_value(hand) for hand in hands]
        assert [value is None for value in ours] == [hand is None for hand in theirs]
        if ours[0] is not None and ours[1] is not None:
            assert (ours[0] < ours[1], ours[0] == ours[1]) == (theirs[0] > theirs[1], theirs[0] == theirs[1])


def test_razz_orders_as_pokerkit_says() -> None:
    """R-EVAL-03: 300 pairs of random hands, half of them from four ranks so that pairs must play."""
    rng = random.Random(6)
    few = [card for card in DECK if card.rank in (0, 5, 11, 12)]
    for number in range(300):
        dealt = rng.sample(few if number % 2 else DECK, 14)
        hands = (dealt[:7], dealt[7:])
        one, two = (RegularLowHand.from_game("".join(card.text for card in hand)) for hand in hands)
        ours = [razz_value(hand) for hand in hands]
        assert (ours[0] < ours[1], ours[0] == ours[1]) == (one > two, one == two)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_the_chosen_five_have_the_value_of_the_whole_hand(size: int) -> None:
    """Q-77: the best five are of the hand, worth as much, highest first, and no equal five has better suits."""
    rng = random.Random(7 + size)
    for _ in range(60):
        hand = rng.sample(DECK, size)
        high, low = best_high_five(hand), best_low_five(hand)
        assert (high_value(high), razz_value(low)) == (high_value(hand), razz_value(hand))
        assert set(high) <= set(hand)
        assert set(low) <= set(hand)
        assert list(high) == sorted(high, reverse=True)
        assert list(low) == sorted(low, key=ace_low_order, reverse=True)
        for five in combinations(sorted(hand, reverse=True), 5):
            assert high_value(five) < high_value(high) or (high_value(five) == high_value(high) and five <= high)


def _by_hand(board: tuple[Card, ...], *, ace_low: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A second reading of a board, by counting: sizes of its groups, then their ranks."""
    order = "A23456789TJQK" if ace_low else RANKS
    ranks = [order.index(card.text[0]) for card in board]
    groups = sorted(set(ranks), key=lambda rank: (-ranks.count(rank), -rank))
    return tuple(ranks.count(rank) for rank in groups), tuple(groups)


@pytest.mark.parametrize("ace_low", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_board_is_ordered_by_groups_and_then_ranks(size: int, ace_low: bool) -> None:
    """R-OPEN-01, R-OPEN-04, exhaustively over all boards of one to four cards (one of each set of equal ranks at four).

    Two readings put them into the same order with the same ties; suits never matter.
    """
    boards = list(combinations(DECK, size)) if size < 4 else _one_of_each_rank_set()
    strength = {(1,): 0, (2,): 1, (3,): 3, (4,): 4}
    strength |= {(1,) * 2: 0, (1,) * 3: 0, (1,) * 4: 0, (2, 1): 1, (2, 1, 1): 1, (2, 2): 2, (3, 1): 3}
    read: dict[tuple[int, ...], tuple[int, ...]] = {}
    for board in boards:
        sizes, ranks = _by_hand(board, ace_low=ace_low)
        key = (strength[sizes], *ranks)
        value = board_value(board, ace_low=ace_low)
        assert read.setdefault(key, value) == value
    ordered = [read[key] for key in sorted(read)]
    assert all(lower < higher for lower, higher in pairwise(ordered))


def _one_of_each_rank_set() -> list[tuple[Card, ...]]:
    seen: dict[tuple[int, ...], tuple[Card, ...]] = {}
    for board in combinations(DECK, 4):
        seen.setdefault(tuple(sorted(card.rank for card in board)), board)
    return list(seen.values())


def test_suits_never_order_boards_of_four() -> None:
    """R-OPEN-01: 2,000 random boards and the same ranks in other suits are equal."""
    rng = random.Random(8)
    for _ in range(2_000):
        board = tuple(rng.sample(DECK, 4))
        turned = tuple(Card(card - card.suit + (card.suit + 1) % 4) for card in board)
        assert board_value(board, ace_low=False) == board_value(turned, ace_low=False)
        assert board_value(board, ace_low=True) == board_value(turned, ace_low=True)


def test_a_board_of_five_is_a_whole_hand_in_stud() -> None:
    """R-STUB-05 ``recompute``: every category counts; 1,000 pairs against phevaluator."""
    rng = random.Random(9)
    for _ in range(1_000):
        dealt = rng.sample(DECK, 10)
        one, two = board_value(dealt[:5], ace_low=False), board_value(dealt[5:], ace_low=False)
        first, second = (evaluate_cards(*(card.text for card in hand)) for hand in (dealt[:5], dealt[5:]))
        assert ((one > two), (one == two)) == ((first < second), (first == second))


def test_a_board_of_five_in_razz_is_ordered_as_a_razz_hand() -> None:
    """R-STUB-05 ``recompute``, R-OPEN-04: pairs by size, no straights; 1,000 pairs, half from few ranks."""
    rng = random.Random(10)
    few = [card for card in DECK if card.rank in (0, 5, 11, 12)]
    for number in range(1_000):
        dealt = rng.sample(few if number % 2 else DECK, 10)
        one, two = board_value(dealt[:5], ace_low=True), board_value(dealt[5:], ace_low=True)
        first, second = razz_value(dealt[:5]), razz_value(dealt[5:])
        assert ((one > two), (one == two)) == ((first > second), (first == second))
