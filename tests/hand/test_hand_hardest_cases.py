"""The cases of rules §24 that belong to ordinary play, each as a hand told from its antes; the number is the row of the table."""

from __future__ import annotations

import pytest
from support.hand_dsl import FOUR_EIGHT, Story, later, third

from controller.hand.commands import VoidHand
from controller.hand.events import PotAwarded, SeventhPlan, StubCounted, UncalledReturned
from controller.hand.stakes import Stakes
from controller.hand.state import Phase
from controller.hand.variants import Wins


def test_01_several_all_ins_with_folded_chips_spread_over_the_layers() -> None:
    """R-ALLIN-02, R-ALLIN-06: totals 9, 21, 45, 45 and 5 folded: 41/36/48; hands 1 > 4 > 3 > 6: 41 to 1, 84 to 4."""
    cards = {
        1: "As Ad | 2c 9c 7d 4h | Ac",
        3: "Jh Jd | 6s 5s Qd 7s | Qh",
        4: "Ks Kd | Kh Th 8d 3h | 2s",
        6: "9h 9d | Td 8s 6c 4s | 2h",
        7: "Qs Js | 5h 7c",
    }
    story = Story({1: 9, 3: 21, 4: 45, 6: 45, 7: 100}, cards=cards)
    story.bets("1 post 2, 3 to 4, 4 call, 6 call, 7 call, 1 call")
    story.bets("4 to 4, 6 call, 7 fold, 1 call 4, 3 call")
    story.bets("4 to 8, 6 call, 3 call", "4 to 8, 6 call, 3 call 4", "4 to 8, 6 to 16, 4 to 20, 6 call 20")
    assert {entry.seat: entry.total for entry in story.state.seats} == {1: 9, 3: 21, 4: 45, 6: 45, 7: 5}
    assert story.pots == [(41, (1, 3, 4, 6)), (36, (3, 4, 6)), (48, (4, 6))]
    assert story.showdown().won == {1: 41, 4: 84}


@pytest.mark.parametrize(
    ("behind", "options"), [(11, "call 11, raise 16, fold"), (13, "call 13, raise 21, fold"), (12, "call 12, raise 20, fold")]
)
def test_02_an_all_in_below_and_from_half_a_bet(behind: int, options: str) -> None:
    """R-BET-08: 11 over 8: complete to 16, no re-open; 13 over 8: raise to 21; exactly half counts."""
    story = later(5, {1: 90, 2: behind, 3: 90}, opens=1).bets(f"1 to 8, 2 to {behind}")
    assert story.options == options
    assert story.bets("3 call").options == (
        f"call {behind}, fold" if behind == 11 else f"call {behind}, raise {behind + 8}, fold"
    )


@pytest.mark.parametrize(
    ("knob", "options"), [("next_must_post", "post 2, complete 4"), ("next_may_fold", "post 2, complete 4, fold")]
)
def test_03_the_low_card_is_all_in_on_the_ante(knob: str, options: str) -> None:
    """R-BRING-07: the next clockwise, whatever his card."""
    cards = {2: "?? ?? 2c", 3: "?? ?? Ks"}
    story = Story({1: 50, 2: 1, 3: 50, 4: 50}, cards=cards, bring_in__low_all_in_on_ante=knob)
    assert (story.actor, story.options) == (3, options)


def test_04_the_low_card_is_short_of_the_bring_in() -> None:
    """R-BRING-08: the others owe the full 2."""
    story = third({1: 50, 5: 1, 6: 50}, low=5).bets("5 post 1")
    assert story.options == "call 2, complete 4, fold"


def test_05_the_uncalled_excess_comes_back_before_pots_and_rake() -> None:
    """R-ALLIN-03, R-RAKE-01: of 8 the caller has 5: 3 return, 10 % of 16 is 1 and not of 19."""
    story = later(7, {1: 90, 2: 5}, opens=1, rake__percent="10").bets("1 to 8, 2 call")
    assert story.happened(UncalledReturned) == [UncalledReturned(1, 3)]
    assert (story.pots, story.state.rake) == ([(16, (1, 2))], (1,))


def test_06_hi_lo_winners_are_found_per_pot() -> None:
    """R-POT-08: the side pot without a low goes all to its high hand."""
    cards = {1: "Ah 2c | 3d 5s 7h Kd | Qc", 4: "Js Jh | Jd 9c 9d Tc | 4s", 6: "Ks Kh | Td 8c 4h 2s | 9h"}
    story = Story({1: 9, 4: 100, 6: 100}, variant="stud8", cards=cards).bets("1 post 2, 4 to 4, 6 call, 1 call")
    story.passive(5).bets(f"{story.actor} to 8").passive(8).showdown()
    awards = {award.pot: award.shares for award in story.happened(PotAwarded)}
    assert [(share.seat, share.wins) for share in awards[0]] == [(4, Wins.HIGH), (1, Wins.LOW_EIGHT)]
    assert [(share.seat, share.wins) for share in awards[1]] == [(4, Wins.HIGH)]


def test_07_eight_hands_to_the_river() -> None:
    """R-STUB-02: S = 1: scramble four, burn one, a common card."""
    story = Story(dict.fromkeys(range(1, 9), 50)).passive(7)
    assert story.happened(StubCounted) == [StubCounted(1, 3, 8, SeventhPlan.SCRAMBLE_COMMUNITY)]


def test_08_a_common_card_although_only_three_remain() -> None:
    """R-STUB-03 ``plus_two``: 8 dealt, five fold on 6th: R = 3, S = 1: 4 < 5."""
    story = Story(dict.fromkeys(range(1, 9), 50), cards={1: "?? ?? Ah"}).passive(6)
    story.bets("1 to 8, 2 fold, 3 fold, 4 fold, 5 fold, 6 fold, 7 call, 8 call")
    assert story.happened(StubCounted) == [StubCounted(1, 3, 3, SeventhPlan.SCRAMBLE_COMMUNITY)]
    assert story.state.community is not None


def test_09_no_small_raise_after_a_big_wager_on_fourth() -> None:
    """R-BET-05: 4→12→20→28; 16 after 12 is refused."""
    story = Story({2: 90, 5: 90, 7: 90}, cards={2: "?? ?? 9h 9c"}).passive(4).bets("2 to 4, 5 to 12")
    assert story.refused_rule("7 to 16") == "R-BET-05"
    assert story.bets("7 to 20, 2 to 28").options == "call 28, fold"


@pytest.mark.parametrize("line", ["2 check, 5 check", "2 fold, 5 check"])
def test_10_everybody_may_use_the_open_pair_after_its_owner_checked_or_folded(line: str) -> None:
    """R-BET-05, Q-38."""
    story = Story({2: 90, 5: 90, 7: 90}, cards={2: "?? ?? 9h 9c"}).passive(4).bets(line)
    assert (story.actor, story.options) == (7, "check, bet 4, bet 8, fold")


def test_11_a_completion_is_no_raise() -> None:
    """R-BET-02: 2-4-8-12-16."""
    assert third({1: 90, 2: 90}, low=1).bets("1 post 2, 2 to 4, 1 to 8, 2 to 12").options == "call 12, raise 16, fold"


def test_12_the_bring_in_has_no_second_option() -> None:
    """R-BRING-05."""
    assert third({1: 50, 2: 50, 3: 50}, low=1).bets("1 post 2, 2 call, 3 call").state.street == 4


@pytest.mark.parametrize(("distribution", "shares"), [("one_each", (34, 34, 33)), ("all_to_first", (35, 33, 33))])
def test_13_three_way_odd_chips(distribution: str, shares: tuple[int, ...]) -> None:
    """R-POT-03: pot 101 among three straights to the nine."""
    cards = {1: "9c 8d 7h 6s 5c Jd 2h", 4: "9s 8c 7d 6h 5d Qc 2c", 7: "9h 8s 7s 6c 5s Kd 3c", 8: "?? ?? 2d"}
    stakes = Stakes(10, 1, 20, 40, 1)
    story = Story(dict.fromkeys((1, 4, 7, 8), 500), cards=cards, stakes=stakes, odd_chip__distribution=distribution)
    story.bets("8 post 1, 1 to 20, 4 call, 7 call, 8 fold").passive(8)
    assert story.pots == [(101, (1, 4, 7))]
    assert tuple(story.showdown().won.values()) == shares


def test_14_the_same_two_players_tie_both_ways() -> None:
    """R-POT-07: pot 42: 21/21."""
    cards = {3: "Ah 2c | 3d 4s 5h Kd | Qc", 6: "Ac 2d | 3s 4h 5c Kh | Qs"}
    story = Story({3: 21, 6: 21}, variant="stud8", cards=cards, stakes=Stakes(21, 21, 42, 84, 1))
    assert story.pots == [(42, (3, 6))]
    assert story.showdown().won == {3: 21, 6: 21}


@pytest.mark.parametrize(
    ("variant", "doors", "seat"),
    [("stud", {2: "2h", 5: "2c", 6: "Ah", 8: "Kd"}, 5), ("razz", {1: "Ac", 2: "Kd", 3: "Ks", 4: "Qs"}, 3)],
)
def test_15_bring_in_by_suit_and_reversed_in_razz(variant: str, doors: dict[int, str], seat: int) -> None:
    """R-BRING-01, R-BRING-02."""
    cards = {at: f"?? ?? {door}" for at, door in doors.items()}
    assert Story(dict.fromkeys(doors, 50), variant=variant, cards=cards).actor == seat


def test_16_open_boards_know_no_straights_and_flushes() -> None:
    """R-OPEN-01: K-9-4-2 opens before 5-6-7-8 suited."""
    cards = {1: "?? ?? 5h 6h 7h 8h", 2: "?? ?? Kc 9d 4s 2h"}
    assert Story({1: 50, 2: 50}, cards=cards).passive(6).actor == 2


def test_17_an_all_in_opener_passes_the_action_clockwise() -> None:
    """R-OPEN-03: seat 6 with queens is all-in: seat 1 with A-K acts, not seat 3 with fours."""
    cards = {6: "?? ?? Qs Qh", 1: "?? ?? Ah Kd", 3: "?? ?? 4c 4s"}
    assert Story({1: 50, 3: 50, 6: 1}, cards=cards).passive(4).actor == 1


@pytest.mark.parametrize(("knob", "seat"), [("nearest_dealer_left", 2), ("high_card_by_suit", 6)])
def test_18_a_tie_of_boards(knob: str, seat: int) -> None:
    """R-OPEN-02: K-9 against K-9."""
    cards = {2: "?? ?? Kh 9d", 6: "?? ?? Ks 9c", 7: "?? ?? 2c 3d"}
    assert Story({2: 50, 6: 50, 7: 50}, cards=cards, open__tie__stud=knob).passive(4).actor == seat


def test_19_a_pair_of_aces_is_no_low_board() -> None:
    """R-OPEN-04: K-Q opens before A-A in razz."""
    cards = {1: "?? ?? As Ac", 2: "?? ?? Kh Qd"}
    assert Story({1: 50, 2: 50}, variant="razz", cards=cards).passive(4).actor == 2


def test_20_four_ranks_in_seven_cards_in_razz() -> None:
    """R-EVAL-03: A-A-K-3-2 beats 2-2-K-4-3."""
    cards = {1: "2h 2s | 4c 4d 3h 3c | Kc", 2: "Ah As | 2d 2c Kd 3d | 3s"}
    assert Story({1: 50, 2: 50}, variant="razz", cards=cards).passive(8).showdown().won == {2: 6}


def test_27_seventh_checked_is_shown_from_the_first_to_act() -> None:
    """R-SHOW-03: not from the last raiser of 6th."""
    story = later(6, {2: 90, 5: 90, 7: 90}, opens=5).bets("5 to 8, 7 to 16, 2 call, 5 call, 5 check, 7 check, 2 check")
    assert story.state.show_order == (5, 7, 2)


def test_28_the_chip_unit_rules_halves() -> None:
    """R-POT-04: pot 75 by 5: 40/35."""
    cards = {1: "9h 9c | 9d 5s 5d Kc | 3h", 4: "8d 6c | 4s 2h Ac Kh | Qd", 8: "?? ?? 2c"}
    stakes = Stakes(25, 25, 50, 100, 5)
    story = Story(dict.fromkeys((1, 4, 8), 25), variant="stud8", cards=cards, stakes=stakes)
    assert story.pots == [(75, (1, 4, 8))]
    assert story.showdown().won == {1: 40, 4: 35}


def test_29_a_free_fold_is_dealt_to_until_a_bet() -> None:
    """R-DEAL-06: seat 2's place gets a card face down on 5th and, after a bet, none on 6th."""
    story = later(4, {2: 50, 5: 50, 7: 50}, opens=2).bets("2 fold, 5 check, 7 check")
    assert [place for place, _ in story.laid[-4:]] == ["burn", "seat/2/down ghost", "seat/5/up", "seat/7/up"]
    story.bets(f"{story.actor} to 8", f"{12 - story.actor} call")
    assert [place for place, _ in story.laid[-3:]] == ["burn", "seat/5/up", "seat/7/up"]


def test_30_a_void_returns_everything_even_late() -> None:
    """R-MIS-08: contributions 29 / 29 / 5 on 6th: refunds 29, 29, 5, antes included, no rake."""
    cards = {1: "?? ?? 2c 5d", 4: "?? ?? Ah Kd"}
    story = Story({1: 100, 4: 100, 6: 100}, cards=cards, stakes=FOUR_EIGHT, preset="live_cash")
    story.bets("1 post 2, 4 to 4, 6 call, 1 call", "4 to 4, 6 fold, 1 to 8, 4 call", "4 to 8, 1 to 16, 4 call")
    assert story.state.street == 6
    assert {entry.seat: entry.total for entry in story.state.seats} == {1: 29, 4: 29, 6: 5}
    story.tell(VoidHand("fouled deck"))
    assert (story.ends, story.state.phase) == ({1: 100, 4: 100, 6: 100}, Phase.VOIDED)
