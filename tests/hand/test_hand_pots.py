"""Main and side pots, uncalled bets, rake, splits and odd chips (rules §13, §17, §18, Q-48 to Q-51, Q-77 to Q-81)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hand_dsl import Story, cards_of, rules_of

from controller.hand.cards import Card
from controller.hand.events import UncalledReturned
from controller.hand.knobs import OddChipDistribution, OddChipPolicy
from controller.hand.pots import award_pot, build_pots, odd_chip_order, rake_pots, split, uncalled
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, SeatHand, Status
from controller.hand.terms import Pot
from controller.hand.variants import VARIANTS, VariantCode, Wins

ONE_EACH, ALL_TO_FIRST = OddChipDistribution.ONE_EACH, OddChipDistribution.ALL_TO_FIRST
LEFT, FIVE, SEVEN = OddChipPolicy.DEALER_LEFT, OddChipPolicy.FIVE_CARD_HIGH_SUIT, OddChipPolicy.RROP_SEVEN
UNIT_1 = Stakes(1, 2, 4, 8, 1)
STRAIGHTS = {1: "9c 8d 7h 6s 5c Jd 2h", 4: "9s 8c 7d 6h 5d Qc 2c", 7: "9h 8s 7s 6c 5s Kd 3c"}
QUARTERED = {1: "9h 9c 9d 5s 5d Kc 3h", 4: "8d 6c 4s 2h Ac Kh Qd", 7: "8s 6h 4c 2d As Jc Td"}


def totals(live: dict[int, int], folded: dict[int, int] | None = None) -> HandState:
    """A state of which only what each seat has put in matters."""
    setup = HandSetup(1, VariantCode.STUD, UNIT_1, rules_of())
    out = folded or {}
    seats = tuple(
        SeatHand(seat, 0, total=chips, status=Status.FOLDED if seat in out else Status.LIVE)
        for seat, chips in sorted((live | out).items())
    )
    return HandState(setup, seats)


def pots(live: dict[int, int], folded: dict[int, int] | None = None) -> list[tuple[int, tuple[int, ...]]]:
    """Pots by totals."""
    return [tuple(pot) for pot in build_pots(totals(live, folded))]  # type: ignore[misc]


def paid(
    chips: int, hands: dict[int, str], variant: str = "stud", *, unit: int = 1, community: str = "", **knobs: str
) -> dict[int, int]:
    """What each seat gets of a pot."""
    won = dict.fromkeys(hands, 0)
    own = {seat: cards_of(text) for seat, text in hands.items()}
    for share in award_pot(chips, own, cards_of(community), VARIANTS[VariantCode(variant)], rules_of(**knobs), unit):
        won[share.seat] += share.chips
    return won


# ---------------------------------------------------------------------- layers


def test_folded_chips_stay_in_their_layers() -> None:
    """R-ALLIN-02: totals 9, 21, 45, 45 and 5 folded: 41 / 36 / 48; had seat 7 folded after 15: 45 / 42 / 48."""
    live = {1: 9, 3: 21, 4: 45, 6: 45}
    assert pots(live, {7: 5}) == [(41, (1, 3, 4, 6)), (36, (3, 4, 6)), (48, (4, 6))]
    assert pots(live, {7: 15}) == [(45, (1, 3, 4, 6)), (42, (3, 4, 6)), (48, (4, 6))]


def test_a_short_ante_makes_the_first_side_pot() -> None:
    """R-ANTE-02: ante 5; seat 3 posts his last 3: main 12 (1,2,3,4), side 6 (1,2,4)."""
    story = Story({1: 50, 2: 50, 3: 3, 4: 50}, stakes=Stakes(5, 5, 10, 20, 1), cards={1: "?? ?? 2c"})
    story.bets("1 post, 2 call, 4 call").passive(8)
    assert pots({1: 5, 2: 5, 3: 3, 4: 5}) == [(12, (1, 2, 3, 4)), (6, (1, 2, 4))]
    assert story.pots == [(12, (1, 2, 3, 4)), (6 + 15, (1, 2, 4))]


def test_antes_of_different_size_are_layered_and_the_unmatched_part_goes_back() -> None:
    """Q-08: posts 5 / 3 / 2: 2 back to seat 1, main 6 (1,2,3), side 2 (1,2)."""
    story = Story({1: 5, 2: 3, 3: 2}, stakes=Stakes(5, 5, 10, 20, 1))
    assert story.happened(UncalledReturned) == [UncalledReturned(1, 2)]
    assert story.pots == [(6, (1, 2, 3)), (2, (1, 2))]
    assert story.state.live_count == 3


def test_uncalled_is_highest_less_second_highest_of_all_seats() -> None:
    """Q-48: A all-in 50, B all-in 80, C folded with 60 in: 20 back to B; main 150, side 20 for B alone."""
    state = totals({1: 50, 2: 80}, {3: 60})
    assert uncalled(state) == (2, 20)
    assert pots({1: 50, 2: 60}, {3: 60}) == [(150, (1, 2)), (20, (2,))]


def test_nothing_is_uncalled_when_two_match() -> None:
    """Q-48: a folded seat's chips count as matching."""
    assert uncalled(totals({1: 50, 2: 50}, {3: 20})) is None
    assert uncalled(totals({1: 50}, {3: 50})) is None


def test_an_all_in_call_returns_the_rest_of_the_bet() -> None:
    """R-ALLIN-03: both have 20 in, seat 1 folded with 5; 4 bets 8, 6 calls 5 all-in: 3 back, pot 55."""
    state = totals({4: 28, 6: 25}, {1: 5})
    assert uncalled(state) == (4, 3)
    assert pots({4: 25, 6: 25}, {1: 5}) == [(55, (4, 6))]


def test_a_dead_bettors_uncalled_chips_are_his_too() -> None:
    """Q-43: totals 20 (mucked), 12, 12: 8 back to him, pot 36 for the others."""
    assert uncalled(totals({1: 12, 2: 12}, {3: 20})) == (3, 8)
    assert pots({1: 12, 2: 12}, {3: 12}) == [(36, (1, 2))]


def test_pots_that_come_to_have_the_same_seats_are_one() -> None:
    """Q-50: a folder between two all-ins leaves no layer of its own."""
    assert pots({1: 9, 2: 45, 3: 45}, {4: 21}) == [(36, (1, 2, 3)), (84, (2, 3))]


@given(st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=2, max_size=8))
def test_pots_hold_every_chip_and_narrow_from_layer_to_layer(seats: list[tuple[int, bool]]) -> None:
    """R-ALLIN-02, R-POT-11, Q-51: sums equal, seats of a later pot are a true part of the earlier pot's."""
    live = {number: chips for number, (chips, is_live) in enumerate(seats, 1) if is_live}
    folded = {number: chips for number, (chips, is_live) in enumerate(seats, 1) if not is_live}
    if not live:
        return
    found = build_pots(totals(live, folded))
    assert sum(pot.chips for pot in found) == sum(chips for chips, _ in seats)
    assert found[0].seats == tuple(sorted(live))
    assert all(set(later.seats) < set(earlier.seats) for earlier, later in pairwise(found))
    below = 0
    for pot in found[:-1]:
        level = min(live[seat] for seat in pot.seats)
        expected = sum(min(chips, level) - min(chips, below) for chips, _ in seats)
        assert pot.chips == expected
        below = level


# ---------------------------------------------------------------------- splits and odd chips


@pytest.mark.parametrize(
    ("chips", "unit", "distribution", "shares"),
    [
        (100, 1, ONE_EACH, (34, 33, 33)),
        (100, 1, ALL_TO_FIRST, (34, 33, 33)),
        (101, 1, ONE_EACH, (34, 34, 33)),
        (101, 1, ALL_TO_FIRST, (35, 33, 33)),
        (100, 5, ONE_EACH, (35, 35, 30)),
        (100, 5, ALL_TO_FIRST, (40, 30, 30)),
        (95, 5, ONE_EACH, (35, 30, 30)),
        (105, 5, ONE_EACH, (35, 35, 35)),
        (103, 5, ONE_EACH, (38, 35, 30)),
        (103, 5, ALL_TO_FIRST, (43, 30, 30)),
        (2, 5, ONE_EACH, (2, 0, 0)),
        (0, 1, ONE_EACH, (0, 0, 0)),
    ],
)
def test_a_pot_is_split_to_the_unit(chips: int, unit: int, distribution: OddChipDistribution, shares: tuple[int, ...]) -> None:
    """R-POT-02 to R-POT-04: odd units one each or all to the first; less than a unit stays with the first."""
    assert tuple(split(chips, (4, 1, 7), unit, distribution).values()) == shares


@given(st.integers(0, 5_000), st.integers(1, 8), st.sampled_from([1, 5, 25]), st.sampled_from(list(OddChipDistribution)))
def test_a_split_loses_no_chip_and_favours_nobody_by_more_than_the_rule(
    chips: int, winners: int, unit: int, distribution: OddChipDistribution
) -> None:
    """R-POT-03, R-POT-11."""
    shares = list(split(chips, range(1, winners + 1), unit, distribution).values())
    assert sum(shares) == chips
    assert all(share % unit == 0 for share in shares[1:])
    if distribution is ONE_EACH and chips % unit == 0:
        assert max(shares) - min(shares) <= unit
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("policy", "of_100", "one_each_101", "all_to_first_101"),
    [
        ("dealer_left", (34, 33, 33), (34, 34, 33), (35, 33, 33)),
        ("five_card_high_suit", (33, 34, 33), (33, 34, 34), (33, 35, 33)),
        ("rrop_seven", (33, 33, 34), (33, 34, 34), (33, 33, 35)),
    ],
)
def test_three_straights_to_the_nine(
    policy: str, of_100: tuple[int, ...], one_each_101: tuple[int, ...], all_to_first_101: tuple[int, ...]
) -> None:
    """R-POT-03: seats 1, 4, 7 tie; pots 100 and 101 under three policies and two distributions."""
    for distribution in ("one_each", "all_to_first"):
        knobs = {"odd_chip__policy": policy, "odd_chip__distribution": distribution}
        assert tuple(paid(100, STRAIGHTS, **knobs).values()) == of_100
        expected = one_each_101 if distribution == "one_each" else all_to_first_101
        assert tuple(paid(101, STRAIGHTS, **knobs).values()) == expected
        fives = tuple(paid(500, STRAIGHTS, unit=5, **knobs).values())
        assert fives == tuple(5 * share for share in of_100)
        assert tuple(paid(505, STRAIGHTS, unit=5, **knobs).values()) == tuple(5 * share for share in expected)


@pytest.mark.parametrize(
    ("policy", "shares"), [("dealer_left", (21, 20)), ("rrop_seven", (21, 20)), ("five_card_high_suit", (20, 21))]
)
def test_two_razz_hands_tie(policy: str, shares: tuple[int, int]) -> None:
    """R-POT-03 (razz): pot 41: dealer_left and rrop (2h < 2s) seat 2; five cards (7h > 7c) seat 5."""
    hands = {2: "7c 5c 4d 3s 2h Kc Qd", 5: "7h 5s 4h 3c 2s Js Jh"}
    assert tuple(paid(41, hands, "razz", odd_chip__policy=policy).values()) == shares


@pytest.mark.parametrize(("unit", "halves"), [(1, (38, 37)), (5, (40, 35))])
def test_the_odd_unit_of_a_pot_goes_to_the_high_half(unit: int, halves: tuple[int, int]) -> None:
    """R-POT-04, R-POT-05: pot 75: 38/37 by 1, 40/35 by 5."""
    assert tuple(paid(75, {1: QUARTERED[1], 4: QUARTERED[4]}, "stud8", unit=unit).values()) == halves


def test_without_a_qualifier_high_takes_it_all() -> None:
    """R-POT-05."""
    assert paid(75, {1: QUARTERED[1], 2: "Ks Kh Td 8c 4h 2s 9h"}, "stud8") == {1: 75, 2: 0}


@pytest.mark.parametrize(
    ("policy", "shares"),
    [("dealer_left", (52, 26, 25)), ("five_card_high_suit", (52, 25, 26)), ("rrop_seven", (52, 26, 25))],
)
def test_a_quartered_low_of_103(policy: str, shares: tuple[int, ...]) -> None:
    """R-POT-06: high 52; low 51 as 26/25: left seat 4, five cards (8s) seat 7, seven cards (Ac lowest) seat 4."""
    assert tuple(paid(103, QUARTERED, "stud8", odd_chip__policy=policy).values()) == shares


def test_a_quartered_low_of_101() -> None:
    """R-POT-06: 51, 25, 25."""
    assert paid(101, QUARTERED, "stud8") == {1: 51, 4: 25, 7: 25}


def test_three_quarters_of_a_pot() -> None:
    """R-POT-06: pot 100, seat 2 wins low and ties high with seat 5: 75/25."""
    hands = {2: "Ks Kd Ac 8c 7d 4s 2h", 5: "Kc Kh As 8d 7s 6h 3c"}
    assert paid(100, hands, "stud8") == {2: 75, 5: 25}


WHEELS = {3: "Ah 2c 3d 4s 5h Kd Qc", 6: "Ac 2d 3s 4h 5c Kh Qs"}


@pytest.mark.parametrize(
    ("chips", "rule", "shares"),
    [
        (42, "split_as_one_pot", (21, 21)),
        (43, "split_as_one_pot", (22, 21)),
        (42, "two_step", (22, 20)),
        (22, "split_as_one_pot", (11, 11)),
        (22, "two_step", (12, 10)),
    ],
)
def test_the_same_two_seats_tie_both_ways(chips: int, rule: str, shares: tuple[int, int]) -> None:
    """R-POT-07, Q-79: one split of 42 and 43; the two-step division gives 22/20 and 12/10."""
    assert tuple(paid(chips, WHEELS, "stud8", hilo__same_winners_both_ways=rule).values()) == shares


@pytest.mark.parametrize(("rule", "shares"), [("split_as_one_pot", (605, 605, 605)), ("two_step", (605, 606, 604))])
def test_the_same_three_seats_tie_both_ways(rule: str, shares: tuple[int, ...]) -> None:
    """Q-79: pot 1815: 605 each; two-step 908 and 907, orders 1-3-7 for high and 3-1-7 for low: 605 / 606 / 604."""
    hands = {1: "5h 4s 3c 2h As Kh Qd", 3: "5s 4h 3s 2c Ah Ks Qh", 7: "5c 4c 3h 2d Ac Kc Qs"}
    own = {seat: cards_of(text) for seat, text in hands.items()}
    assert odd_chip_order(own, (), Wins.HIGH, FIVE) == [1, 3, 7]
    assert odd_chip_order(own, (), Wins.LOW_EIGHT, FIVE) == [3, 1, 7]
    knobs = {"odd_chip__policy": "five_card_high_suit", "odd_chip__distribution": "one_each"}
    assert tuple(paid(1815, hands, "stud8", hilo__same_winners_both_ways=rule, **knobs).values()) == shares


@pytest.mark.parametrize(("distribution", "shares"), [("one_each", (17, 17, 16)), ("all_to_first", (18, 16, 16))])
def test_a_low_half_of_50_with_three_tied_lows(distribution: str, shares: tuple[int, ...]) -> None:
    """Q-78: each half on its own."""
    hands = {
        1: "8d 6c 4s 2h Ac Kh Qd",
        2: "8s 6h 4c 2d As Jc Td",
        3: "8h 6d 4h 2s Ad Th 9d",
        4: "Qs Qh Qc 9s 9c Js 5d",
    }
    won = paid(100, hands, "stud8", odd_chip__distribution=distribution)
    assert (won[4], won[1], won[2], won[3]) == (50, *shares)


def test_hi_lo_winners_are_found_pot_by_pot() -> None:
    """R-POT-08: main 40 (1,4,6), side 30 (4,6): totals 20/50/0, or 20/35/15 when seat 6 has a low."""
    hands = {1: "Ah 2c 3d 5s 7h Kd Qc", 4: "Js Jh Jd 9c 9d Tc 4s", 6: "Ks Kh Td 8c 4h 2s 9h"}
    side = {seat: hands[seat] for seat in (4, 6)}
    assert paid(40, hands, "stud8") == {1: 20, 4: 20, 6: 0}
    assert paid(30, side, "stud8") == {4: 30, 6: 0}
    hands[6] = side[6] = "As 2s 4h 6d 8c Kh Qd"
    assert paid(40, hands, "stud8") == {1: 20, 4: 20, 6: 0}
    assert paid(30, side, "stud8") == {4: 15, 6: 15}


def test_the_all_in_hand_wins_the_main_pot_and_the_next_best_the_sides() -> None:
    """R-ALLIN-06: 41/36/48, hands 1 > 4 > 3 > 6: seat 1 gets 41, seat 4 gets 84."""
    hands = {1: "As Ad Ac 2c 3d 9h Jh", 3: "Qs Qd 2h 3c 4d 8h 9s", 4: "Ks Kd 2s 3h 4c 8s 9c", 6: "Js Jd 2d 3s 5h 8d 9d"}
    won = dict.fromkeys(hands, 0)
    for chips, seats in ((41, (1, 3, 4, 6)), (36, (3, 4, 6)), (48, (4, 6))):
        for seat, share in paid(chips, {seat: hands[seat] for seat in seats}).items():
            won[seat] += share
    assert won == {1: 41, 3: 0, 4: 84, 6: 0}


def test_a_community_card_is_everybodys_seventh() -> None:
    """R-STUB-04: kings over nines with the common 9d beats kings over fives; a common card makes both tie."""
    assert paid(10, {1: "Kh Kc 5d 4s 9c 2h", 2: "Ks Kd 5h 4c 8c 2d"}, community="9d") == {1: 10, 2: 0}


def test_the_common_card_decides_no_odd_chip() -> None:
    """Q-77: both A-K-Q-J-T; As is common, Ks over Kh: the second."""
    hands = {1: "Kh Qd Jc Td 3c 4s", 2: "Ks Qc Jh Th 2d 6c"}
    assert paid(41, hands, community="As", odd_chip__policy="five_card_high_suit") == {1: 20, 2: 21}


def test_the_best_suits_of_the_equal_best_fives_decide() -> None:
    """Q-77: 9s 9c 8d 7h 6s 5c 2d plays the 9s: over the 9h of another straight."""
    own: dict[int, tuple[Card, ...]] = {1: cards_of("9h 8c 7d 6h 5d Ac 2c"), 2: cards_of("9s 9c 8d 7h 6s 5c 2d")}
    assert odd_chip_order(own, (), Wins.HIGH, FIVE) == [2, 1]
    assert odd_chip_order(own, (), Wins.HIGH, LEFT) == [1, 2]


def test_rank_comes_before_the_pair_when_an_odd_chip_is_decided() -> None:
    """Q-77: of A-K-8-8 hands the highest card by suit is the ace, not an eight."""
    own = {1: cards_of("8s 8h Ac Kd 5h 3d 2c"), 2: cards_of("8d 8c As Kh 5c 4s 2s")}
    assert odd_chip_order(own, (), Wins.HIGH, FIVE) == [2, 1]


# ---------------------------------------------------------------------- rake


def raked(pots_of: tuple[int, ...], *, fourth: bool = True, unit: int = 1, **knobs: str) -> tuple[int, ...]:
    """Rake of pots of these sizes."""
    stakes = Stakes(unit, unit, 2 * unit, 4 * unit, unit)
    return rake_pots([Pot(chips, (1, 2)) for chips in pots_of], rules_of(**knobs), stakes, fourth_dealt=fourth)


TEN_SIX = {"rake__percent": "10", "rake__cap": "6"}


@pytest.mark.parametrize(
    ("pots_of", "knobs", "rake"),
    [
        ((41,), TEN_SIX, (4,)),
        ((90,), TEN_SIX, (6,)),
        ((45, 42, 48), TEN_SIX, (6, 0, 0)),
        ((120,), {"rake__percent": "4", "rake__cap": "0"}, (4,)),
        ((4, 100), TEN_SIX, (4, 2)),
        ((4, 100), TEN_SIX | {"rake__allocation": "pro_rata"}, (0, 6)),
        ((41,), {"rake__percent": "0"}, (0,)),
    ],
)
def test_rake_is_a_percentage_with_a_cap(pots_of: tuple[int, ...], knobs: dict[str, str], rake: tuple[int, ...]) -> None:
    """R-RAKE-01, Q-81: 41 → 4, 90 → 6, 45/42/48 → 6 from the main; 4 %: 120 → 4; main first 4 + 2, pro rata 0 + 6."""
    assert raked(pots_of, **knobs) == rake


def test_no_fourth_street_no_drop() -> None:
    """R-RAKE-01: nothing is taken when the hand ends on third, unless the house says so."""
    assert raked((41,), fourth=False, **TEN_SIX) == (0,)
    assert raked((41,), fourth=False, rake__no_fourth_no_drop="false", **TEN_SIX) == (4,)


def test_percentage_and_cap_are_rounded_down_to_the_rake_unit() -> None:
    """R-RAKE-01: 10 % of 85 by 5 is 5; a cap of 6 is 5 too, since 6 cannot be paid in chips of 5."""
    assert raked((85,), unit=5, rake__percent="10", rake__cap="20") == (5,)
    assert raked((205,), unit=5, rake__percent="10", rake__cap="6") == (5,)
    assert raked((205,), rake__percent="10", rake__cap="0", rake__unit="7") == (14,)


def test_the_largest_pot_pays_the_rounding_only_as_far_as_it_reaches() -> None:
    """Q-81 ``pro_rata``: rake 10 of pots 8 and 2 by 5: 5 and 0 by size, the rest takes 8 and 2, never more than is there."""
    assert raked((8, 2), rake__percent="100", rake__cap="0", rake__unit="5", rake__allocation="pro_rata") == (8, 2)


@given(
    st.lists(st.integers(1, 900), min_size=1, max_size=5),
    st.integers(0, 100),
    st.integers(0, 30),
    st.sampled_from(["1", "5"]),
    st.sampled_from(["main_first", "pro_rata"]),
)
def test_no_pot_is_raked_below_nothing(sizes: list[int], percent: int, cap: int, unit: str, allocation: str) -> None:
    """R-RAKE-01, Q-81: each part between 0 and its pot, the sum by the formula and never above the cap."""
    knobs = {"rake__percent": str(percent), "rake__cap": str(cap), "rake__unit": unit, "rake__allocation": allocation}
    parts = raked(tuple(sizes), **knobs)
    whole = sum(sizes) * percent // 100
    expected = (min(whole, cap) if cap else whole) // int(unit) * int(unit)
    assert sum(parts) == expected
    assert all(0 <= part <= size for part, size in zip(parts, sizes, strict=True))


def test_rake_comes_before_the_halves() -> None:
    """Q-80: 10 %: pot 41, rake 4: 37 as high 19 and low 18; two tied lows 9/9."""
    assert paid(37, {1: QUARTERED[1], 4: QUARTERED[4]}, "stud8") == {1: 19, 4: 18}
    assert paid(37, QUARTERED, "stud8") == {1: 19, 4: 9, 7: 9}


def test_a_hand_run_out_from_the_antes_is_raked_and_one_that_ends_on_third_is_not() -> None:
    """Q-81: "no fourth street" means that no 4th-street card reached a live seat."""
    stakes = Stakes(20, 20, 40, 80, 1)
    assert Story({1: 20, 2: 20}, stakes=stakes, **TEN_SIX).state.rake == (4,)
    story = Story({1: 90, 2: 90}, stakes=stakes, cards={1: "?? ?? 2c"}, **TEN_SIX).bets("1 post, 2 fold")
    assert (story.state.rake, story.ends) == ((0,), {1: 110, 2: 70})
    story = Story({1: 90, 2: 90}, stakes=stakes, cards={1: "?? ?? 2c Ah"}, **TEN_SIX).bets("1 post, 2 call, 1 fold")
    assert (story.state.rake, story.ends) == ((6,), {1: 50, 2: 124})
