"""The thirty hardest cases of rules §24, each told from its antes under all three presets; the number is the row of the table.

Where the right answer depends on a preset's house rule, the table of the test says which; elsewhere all three must agree.
"""

from __future__ import annotations

import pytest
from support.hand_dsl import FOUR_EIGHT, Story, later, third
from support.slips_dsl import Hand

from controller.hand.commands import VoidHand
from controller.hand.events import PotAwarded, SeventhPlan, StubCounted, UncalledReturned
from controller.hand.irregular_events import FaceUpRequired
from controller.hand.stakes import Stakes
from controller.hand.state import Phase
from controller.hand.variants import Wins

PRESETS = ("seeds", "live_cash", "tournament")
every_preset = pytest.mark.parametrize("preset", PRESETS)
NO_RAKE = {"rake__percent": "0", "rake__cap": "0"}
"""For cases about splits: the rake of ``live_cash`` would change the pot."""


def by_preset(names: str, *values: object) -> pytest.MarkDecorator:
    """One row a preset: seeds, live cash, tournament."""
    rows = [(preset, *(value if isinstance(value, tuple) else (value,))) for preset, value in zip(PRESETS, values, strict=True)]
    return pytest.mark.parametrize(f"preset, {names}", rows)


@by_preset("main", 41, 35, 41)
def test_01_several_all_ins_with_folded_chips_spread_over_the_layers(preset: str, main: int) -> None:
    """R-ALLIN-02, R-ALLIN-06: totals 9, 21, 45, 45 and 5 folded: 41/36/48; hands 1 > 4 > 3 > 6: 41 to 1, 84 to 4; the rake of
    live cash, 6, comes from the main pot (R-RAKE-01)."""
    cards = {
        1: "As Ad | 2c 9c 7d 4h | Ac",
        3: "Jh Jd | 6s 5s Qd 7s | Qh",
        4: "Ks Kd | Kh Th 8d 3h | 2s",
        6: "9h 9d | Td 8s 6c 4s | 2h",
        7: "Qs Js | 5h 7c",
    }
    story = Story({1: 9, 3: 21, 4: 45, 6: 45, 7: 100}, cards=cards, preset=preset)
    story.bets("1 post 2, 3 to 4, 4 call, 6 call, 7 call, 1 call")
    story.bets("4 to 4, 6 call, 7 fold, 1 call 4, 3 call")
    story.bets("4 to 8, 6 call, 3 call", "4 to 8, 6 call, 3 call 4", "4 to 8, 6 to 16, 4 to 20, 6 call 20")
    assert {entry.seat: entry.total for entry in story.state.seats} == {1: 9, 3: 21, 4: 45, 6: 45, 7: 5}
    assert story.pots == [(41, (1, 3, 4, 6)), (36, (3, 4, 6)), (48, (4, 6))]
    assert story.showdown().won == {1: main, 4: 84}


@every_preset
@pytest.mark.parametrize(
    ("behind", "options"), [(11, "call 11, raise 16, fold"), (13, "call 13, raise 21, fold"), (12, "call 12, raise 20, fold")]
)
def test_02_an_all_in_below_and_from_half_a_bet(behind: int, options: str, preset: str) -> None:
    """R-BET-08: 11 over 8: complete to 16, no re-open; 13 over 8: raise to 21; exactly half counts."""
    story = later(5, {1: 90, 2: behind, 3: 90}, opens=1, preset=preset).bets(f"1 to 8, 2 to {behind}")
    assert story.options == options
    assert story.bets("3 call").options == (
        f"call {behind}, fold" if behind == 11 else f"call {behind}, raise {behind + 8}, fold"
    )


@by_preset("options", "post 2, complete 4", "post 2, complete 4, fold", "post 2, complete 4, fold")
def test_03_the_low_card_is_all_in_on_the_ante(preset: str, options: str) -> None:
    """R-BRING-07: the next clockwise, whatever his card; he must post, or may fold too."""
    cards = {2: "?? ?? 2c", 3: "?? ?? Ks"}
    story = Story({1: 50, 2: 1, 3: 50, 4: 50}, cards=cards, preset=preset)
    assert (story.actor, story.options) == (3, options)


@every_preset
def test_04_the_low_card_is_short_of_the_bring_in(preset: str) -> None:
    """R-BRING-08: the others owe the full 2."""
    story = third({1: 50, 5: 1, 6: 50}, low=5, preset=preset).bets("5 post 1")
    assert story.options == "call 2, complete 4, fold"


@every_preset
def test_05_the_uncalled_excess_comes_back_before_pots_and_rake(preset: str) -> None:
    """R-ALLIN-03, R-RAKE-01: of 8 the caller has 5: 3 return, 10 % of 16 is 1 and not of 19."""
    story = later(7, {1: 90, 2: 5}, opens=1, preset=preset, rake__percent="10").bets("1 to 8, 2 call")
    assert story.happened(UncalledReturned) == [UncalledReturned(1, 3)]
    assert (story.pots, story.state.rake) == ([(16, (1, 2))], (1,))


@every_preset
def test_06_hi_lo_winners_are_found_per_pot(preset: str) -> None:
    """R-POT-08: the side pot without a low goes all to its high hand."""
    cards = {1: "Ah 2c | 3d 5s 7h Kd | Qc", 4: "Js Jh | Jd 9c 9d Tc | 4s", 6: "Ks Kh | Td 8c 4h 2s | 9h"}
    story = Story({1: 9, 4: 100, 6: 100}, variant="stud8", cards=cards, preset=preset).bets("1 post 2, 4 to 4, 6 call, 1 call")
    story.passive(5).bets(f"{story.actor} to 8").passive(8).showdown()
    awards = {award.pot: award.shares for award in story.happened(PotAwarded)}
    assert [(share.seat, share.wins) for share in awards[0]] == [(4, Wins.HIGH), (1, Wins.LOW_EIGHT)]
    assert [(share.seat, share.wins) for share in awards[1]] == [(4, Wins.HIGH)]


@every_preset
def test_07_eight_hands_to_the_river(preset: str) -> None:
    """R-STUB-02: S = 1: scramble four, burn one, a common card."""
    story = Story(dict.fromkeys(range(1, 9), 50), preset=preset).passive(7)
    assert story.happened(StubCounted) == [StubCounted(1, 3, 8, SeventhPlan.SCRAMBLE_COMMUNITY)]


@every_preset
def test_08_a_common_card_although_only_three_remain(preset: str) -> None:
    """R-STUB-03 ``plus_two``: 8 dealt, five fold on 6th: R = 3, S = 1: 4 < 5."""
    story = Story(dict.fromkeys(range(1, 9), 50), cards={1: "?? ?? Ah"}, preset=preset).passive(6)
    story.bets("1 to 8, 2 fold, 3 fold, 4 fold, 5 fold, 6 fold, 7 call, 8 call")
    assert story.happened(StubCounted) == [StubCounted(1, 3, 3, SeventhPlan.SCRAMBLE_COMMUNITY)]
    assert story.state.community is not None


@by_preset("pair", True, True, False)
def test_09_no_small_raise_after_a_big_wager_on_fourth(preset: str, pair: bool) -> None:
    """R-BET-05: 4→12→20→28; 16 after 12 is refused; a tournament knows no big bet on fourth street."""
    story = Story({2: 90, 5: 90, 7: 90}, cards={2: "?? ?? 9h 9c"}, preset=preset).passive(4).bets("2 to 4")
    if not pair:
        assert (story.options, story.refused_rule("5 to 12")) == ("call 4, raise 8, fold", "R-BET-11")
        return
    assert story.options == "call 4, raise 8, raise 12, fold"
    assert story.bets("5 to 12").refused_rule("7 to 16") == "R-BET-05"
    assert story.bets("7 to 20, 2 to 28").options == "call 28, fold"


@by_preset("options", "check, bet 4, bet 8, fold", "check, bet 4, bet 8, fold", "check, bet 4, fold")
@pytest.mark.parametrize("line", ["2 check, 5 check", "2 fold, 5 check"])
def test_10_everybody_may_use_the_open_pair_after_its_owner_checked_or_folded(line: str, preset: str, options: str) -> None:
    """R-BET-05, Q-38; where the house has the option at all."""
    story = Story({2: 90, 5: 90, 7: 90}, cards={2: "?? ?? 9h 9c"}, preset=preset).passive(4).bets(line)
    assert (story.actor, story.options) == (7, options)


@by_preset("options", "call 16, fold", "call 16, fold", "call 16, raise 20, fold")
def test_11_a_completion_is_no_raise(preset: str, options: str) -> None:
    """R-BET-02, R-BET-03: 2-4-8-12-16 is the bet and three raises; a tournament has a fourth."""
    story = third({1: 90, 2: 90, 3: 90}, low=1, preset=preset).bets("1 post 2, 2 to 4, 3 to 8, 1 to 12")
    assert story.options == "call 12, raise 16, fold"
    assert story.bets("2 to 16").options == options


@every_preset
def test_12_the_bring_in_has_no_second_option(preset: str) -> None:
    """R-BRING-05."""
    assert third({1: 50, 2: 50, 3: 50}, low=1, preset=preset).bets("1 post 2, 2 call, 3 call").state.street == 4


@by_preset("shares", ((35, 33, 33),), ((33, 34, 34),), ((33, 34, 34),))
def test_13_three_way_odd_chips(preset: str, shares: tuple[int, ...]) -> None:
    """R-POT-03: pot 101 among three straights to the nine: S0 gives all to the first at the dealer's left, else one each by the
    suit of the nine (9s, 9h before 9c)."""
    cards = {1: "9c 8d 7h 6s 5c Jd 2h", 4: "9s 8c 7d 6h 5d Qc 2c", 7: "9h 8s 7s 6c 5s Kd 3c", 8: "?? ?? 2d"}
    stakes = Stakes(10, 1, 20, 40, 1)
    story = Story(dict.fromkeys((1, 4, 7, 8), 500), cards=cards, stakes=stakes, preset=preset, **NO_RAKE)
    story.bets("8 post 1, 1 to 20, 4 call, 7 call, 8 fold").passive(8)
    assert story.pots == [(101, (1, 4, 7))]
    assert tuple(story.showdown().won.values()) == shares


@every_preset
def test_14_the_same_two_players_tie_both_ways(preset: str) -> None:
    """R-POT-07: pot 42: 21/21."""
    cards = {3: "Ah 2c | 3d 4s 5h Kd | Qc", 6: "Ac 2d | 3s 4h 5c Kh | Qs"}
    stakes = Stakes(21, 21, 42, 84, 1)
    story = Story({3: 21, 6: 21}, variant="stud8", cards=cards, stakes=stakes, preset=preset, **NO_RAKE)
    assert story.pots == [(42, (3, 6))]
    assert story.showdown().won == {3: 21, 6: 21}


@every_preset
@pytest.mark.parametrize(
    ("variant", "doors", "seat"),
    [("stud", {2: "2h", 5: "2c", 6: "Ah", 8: "Kd"}, 5), ("razz", {1: "Ac", 2: "Kd", 3: "Ks", 4: "Qs"}, 3)],
)
def test_15_bring_in_by_suit_and_reversed_in_razz(variant: str, doors: dict[int, str], seat: int, preset: str) -> None:
    """R-BRING-01, R-BRING-02."""
    cards = {at: f"?? ?? {door}" for at, door in doors.items()}
    assert Story(dict.fromkeys(doors, 50), variant=variant, cards=cards, preset=preset).actor == seat


@every_preset
def test_16_open_boards_know_no_straights_and_flushes(preset: str) -> None:
    """R-OPEN-01: K-9-4-2 opens before 5-6-7-8 suited."""
    cards = {1: "?? ?? 5h 6h 7h 8h", 2: "?? ?? Kc 9d 4s 2h"}
    assert Story({1: 50, 2: 50}, cards=cards, preset=preset).passive(6).actor == 2


@every_preset
def test_17_an_all_in_opener_passes_the_action_clockwise(preset: str) -> None:
    """R-OPEN-03: seat 6 with queens is all-in: seat 1 with A-K acts, not seat 3 with fours."""
    cards = {6: "?? ?? Qs Qh", 1: "?? ?? Ah Kd", 3: "?? ?? 4c 4s"}
    assert Story({1: 50, 3: 50, 6: 1}, cards=cards, preset=preset).passive(4).actor == 1


@by_preset("seat", 2, 2, 6)
def test_18_a_tie_of_boards(preset: str, seat: int) -> None:
    """R-OPEN-02: K-9 against K-9."""
    cards = {2: "?? ?? Kh 9d", 6: "?? ?? Ks 9c", 7: "?? ?? 2c 3d"}
    assert Story({2: 50, 6: 50, 7: 50}, cards=cards, preset=preset).passive(4).actor == seat


@every_preset
def test_19_a_pair_of_aces_is_no_low_board(preset: str) -> None:
    """R-OPEN-04: K-Q opens before A-A in razz."""
    cards = {1: "?? ?? As Ac", 2: "?? ?? Kh Qd"}
    assert Story({1: 50, 2: 50}, variant="razz", cards=cards, preset=preset).passive(4).actor == 2


@every_preset
def test_20_four_ranks_in_seven_cards_in_razz(preset: str) -> None:
    """R-EVAL-03: A-A-K-3-2 beats 2-2-K-4-3."""
    cards = {1: "2h 2s | 4c 4d 3h 3c | Kc", 2: "Ah As | 2d 2c Kd 3d | 3s"}
    assert Story({1: 50, 2: 50}, variant="razz", cards=cards, preset=preset).passive(8).showdown().won == {2: 6}


@by_preset("plays", True, True, False)
def test_21_a_hole_card_that_the_dealer_exposed(preset: str, plays: bool) -> None:
    """R-EXP-01: the third card comes down, the exposed 2c is the door card and brings in; at a WSOP tournament a misdeal."""
    hand = Hand("2 5 7", preset=preset).deal("2: (As Kd) 4d | 5: (Kh 2c) Qs | 7: (Ad Kc) 9s", cards=5)
    hand.slip("floor: dealer exposes card 2 of seat 5")
    if plays:
        hand.expect("to come: 7 down, 2 up, 5 down, 7 up").deal()
        hand.expect("seat 5 holds (Kh Qs) 2c", "seat 5 may only bring in 2 or complete 4")
    else:
        hand.expect("hand is redeal", "pot 3")


@by_preset("replaced", False, False, True)
@pytest.mark.parametrize("seat", [2, 5])
def test_22_a_seventh_card_face_up(seat: int, preset: str, replaced: bool) -> None:
    """R-EXP-06: cash: the first dealt, so all come up and nobody declares; another's, so the rest comes down and its owner may
    declare all-in. Tournament: replaced after the round, whoever's it was."""
    hand = Hand("2 5 8", preset=preset).deal("2: (?? ??) Ah").reach(7, cards=2 if seat == 2 else 3)
    hand.slip(f"seat {seat}'s seventh is up")
    rest = "5 up, 8 up" if seat == 2 and not replaced else "5 down, 8 down" if seat == 2 else "8 down"
    hand.expect(f"to come: {rest}, {seat} down" if replaced else f"to come: {rest}").deal()
    hand.expect("seat 2 may check or bet 8")
    if seat == 5 and not replaced:
        hand.slip("seat 5 declares all-in").expect("seat 5 is all-in")
    else:
        hand.refuse(f"seat {seat} declares all-in", "R-EXP-06")


@every_preset
@pytest.mark.parametrize("noticed", ["before", "after"])
def test_23_a_wrong_bring_in(noticed: str, preset: str) -> None:
    """R-BRING-09: seat 4 posts for seat 7's 3c. Before the next acted: its chips go back, seat 7 posts, seat 8 acts. After: it
    stands, and seat 7 has every option when reached."""
    hand = Hand("4 5 7 8", preset=preset).deal("4: (?? ??) 3d | 5: (?? ??) Jc | 7: (?? ??) 3c | 8: (?? ??) Qc")
    if noticed == "before":
        hand.refuse("seat 4 brings in 2", "R-BET-14")
        hand.act("seat 7 brings in").expect("seat 8 is asked", "stacks 4: 99, 7: 97")
    else:
        hand.slip("seat 4 opened").act("seat 4 brings in 2, seat 5 calls")
        hand.expect("seat 7 may call 2, complete 4, or fold", "stacks 4: 97, 7: 99")


@every_preset
def test_24_a_premature_card(preset: str) -> None:
    """R-ERR-01: the burn stays, the card goes back, the stub is shuffled; when seat 6 has called, no second burn."""
    hand = Hand("1 3 6", later="Qd 7d", preset=preset).deal("1: (?? ??) Ah | 6: (?? ??) 3c").reach(4)
    hand.act("seat 1 bets 4, seat 3 calls").slip("7d lies at seat/1/up").slip("floor: too early: burn Qd, 7d")
    hand.expect("held: reload_stub", "burns 2").load().act("seat 6 calls").expect("to come: 1 up, 3 up, 6 up")


@by_preset("misdeal", False, False, True)
def test_25_two_folds_after_the_bring_in(preset: str, misdeal: bool) -> None:
    """R-MIS-02: substantial at cash, where seat 1 with two cards is dead; by TDA no action of substance: a misdeal."""
    hand = Hand("1 5 6 7 8", preset=preset).deal("5: (?? ??) 2c").act("seat 5 brings in 2, seats 6 and 7 fold")
    if misdeal:
        hand.slip("misdeal, wrong count").expect("hand is redeal", "pot 5", "stacks 5: 99")
    else:
        hand.refuse("misdeal, wrong count", "R-MIS-04")
        hand.slip("seat 1 is dead, wrong count").expect("pot 7", "seat 8 is asked")


@by_preset("up", False, False, True)
def test_26_hands_are_turned_up_only_when_no_more_betting_is_possible(preset: str, up: bool) -> None:
    """R-SHOW-06: seat 1 all-in on 4th, 4 and 6 with chips: down; on 6th seat 4 is all-in and called: all three up, at a
    tournament; at cash nobody must."""
    hand = Hand("1:7 4:23 6", preset=preset).deal("4: (?? ??) Ah | 6: (?? ??) 3c").reach(4)
    hand.act("seat 4 bets 4, seat 6 calls, seat 1 calls").reach(5).act("seat 4 bets 8, seat 6 calls").reach(6)
    assert not hand.happened(FaceUpRequired)
    hand.act("seat 4 bets 8, seat 6 calls")
    assert bool(hand.happened(FaceUpRequired)) is up
    hand.expect("to show 6 4 1" if up else "to come: burn, 1 down, 4 down, 6 down")


@every_preset
def test_27_seventh_checked_is_shown_from_the_first_to_act(preset: str) -> None:
    """R-SHOW-03: not from the last raiser of 6th."""
    story = later(6, {2: 90, 5: 90, 7: 90}, opens=5, preset=preset).bets(
        "5 to 8, 7 to 16, 2 call, 5 call, 5 check, 7 check, 2 check"
    )
    assert story.state.show_order == (5, 7, 2)


@every_preset
def test_28_the_chip_unit_rules_halves(preset: str) -> None:
    """R-POT-04: pot 75 by 5: 40/35."""
    cards = {1: "9h 9c | 9d 5s 5d Kc | 3h", 4: "8d 6c | 4s 2h Ac Kh | Qd", 8: "?? ?? 2c"}
    stakes = Stakes(25, 25, 50, 100, 5)
    story = Story(dict.fromkeys((1, 4, 8), 25), variant="stud8", cards=cards, stakes=stakes, preset=preset, **NO_RAKE)
    assert story.pots == [(75, (1, 4, 8))]
    assert story.showdown().won == {1: 40, 4: 35}


@by_preset("ghost", True, True, False)
def test_29_a_free_fold_is_dealt_to_until_a_bet(preset: str, ghost: bool) -> None:
    """R-DEAL-06: cash: seat 2's place gets a card face down on 5th and, after a bet, none on 6th; tournament: no card at all."""
    story = later(4, {2: 50, 5: 50, 7: 50}, opens=2, preset=preset).bets("2 fold, 5 check, 7 check")
    assert [place for place, _ in story.laid[-3:]] == (
        ["seat/2/down ghost", "seat/5/up", "seat/7/up"] if ghost else ["burn", "seat/5/up", "seat/7/up"]
    )
    story.bets(f"{story.actor} to 8", f"{12 - story.actor} call")
    assert [place for place, _ in story.laid[-3:]] == ["burn", "seat/5/up", "seat/7/up"]


@every_preset
def test_30_a_void_returns_everything_even_late(preset: str) -> None:
    """R-MIS-08: contributions 29 / 29 / 5 on 6th: refunds 29, 29, 5, antes included, no rake."""
    cards = {1: "?? ?? 2c 5d", 4: "?? ?? Ah Kd"}
    story = Story({1: 100, 4: 100, 6: 100}, cards=cards, stakes=FOUR_EIGHT, preset=preset)
    story.bets("1 post 2, 4 to 4, 6 call, 1 call", "4 to 4, 6 fold, 1 to 8, 4 call", "4 to 8, 1 to 16, 4 call")
    assert story.state.street == 6
    assert {entry.seat: entry.total for entry in story.state.seats} == {1: 29, 4: 29, 6: 5}
    story.tell(VoidHand("fouled deck"))
    assert (story.ends, story.state.phase) == ({1: 100, 4: 100, 6: 100}, Phase.VOIDED)
