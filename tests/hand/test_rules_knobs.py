"""Every knob of rules §1: its value in each preset, its closed list, what configuration refuses (Q-01 to Q-03, R-RAKE)."""

from __future__ import annotations

import pytest
from support.hand_dsl import FOUR_EIGHT
from support.slips_dsl import Hand

from controller.hand.knobs import GameType
from controller.hand.rules import HouseRulesError, allowed_values, house_rules, knob_names, knob_rule, knob_values
from controller.hand.stakes import Stakes, stakes_problems

PRESETS = ("seeds", "live_cash", "tournament")

TABLE: dict[str, tuple[str, tuple[str, str, str], str]] = {
    "game.type": ("cash tournament", ("cash", "cash", "tournament"), "R-SHOW-06"),
    "table.max_seats": ("2 3 4 5 6 7 8", ("8", "8", "8"), "R-SETUP-01"),
    "table.min_players": ("2 3 4 5 6 7 8", ("2", "2", "2"), "R-SETUP-01"),
    "shuffle.wash": ("true false", ("true", "true", "true"), "R-DECK-02"),
    "shuffle.riffles": ("", ("3", "3", "3"), "R-DECK-02"),
    "shuffle.strip_cuts": ("", ("3", "1", "1"), "R-DECK-02"),
    "cut.min_cards": ("", ("10", "10", "10"), "R-DECK-03"),
    "deal.burn_before_third": ("true false", ("false", "false", "false"), "R-DEAL-03"),
    "deal.burn_before": ("", ("4,5,6,7", "4,5,6,7", "4,5,6,7"), "R-DEAL-03"),
    "deal.ghost_cards_after_free_fold": ("true false", ("true", "true", "false"), "R-DEAL-06"),
    "misdeal.sa": ("two_after_forced_bet tda36", ("two_after_forced_bet", "two_after_forced_bet", "tda36"), "R-MIS-02"),
    "expose.one_hole": ("third_down misdeal", ("third_down", "third_down", "misdeal"), "R-EXP-01"),
    "expose.two_hole": ("dead_refund misdeal play_on", ("dead_refund", "dead_refund", "misdeal"), "R-EXP-02"),
    "expose.hole_and_door": ("misdeal play_on", ("misdeal", "misdeal", "misdeal"), "R-EXP-03"),
    "expose.door_down": (
        "recorded_third random_of_three",
        ("recorded_third", "recorded_third", "random_of_three"),
        "R-EXP-05",
    ),
    "expose.seventh": ("wsop_live rrop replace", ("wsop_live", "wsop_live", "replace"), "R-EXP-06"),
    "premature.policy": ("reshuffle_stub eliminate_round", ("reshuffle_stub",) * 3, "R-ERR-01"),
    "stub.policy": ("plus_two rrop15 no_reshuffle", ("plus_two",) * 3, "R-STUB-02"),
    "stub.community_opener": ("sixth_opener recompute", ("sixth_opener",) * 3, "R-STUB-05"),
    "bring_in.tie": ("suit nearest_dealer_left", ("suit",) * 3, "R-BRING-02"),
    "bring_in.low_all_in_on_ante": (
        "next_must_post next_may_fold",
        ("next_must_post", "next_may_fold", "next_may_fold"),
        "R-BRING-07",
    ),
    "bring_in.short": ("others_owe_full match_short", ("others_owe_full",) * 3, "R-BRING-08"),
    **{
        f"open.tie.{variant}": (
            "nearest_dealer_left high_card_by_suit",
            ("nearest_dealer_left", "nearest_dealer_left", "high_card_by_suit"),
            "R-OPEN-02",
        )
        for variant in ("stud", "stud8", "razz")
    },
    "open.high_hand_all_in": ("clockwise", ("clockwise",) * 3, "R-OPEN-03"),
    "fourth_pair.stud": ("any_player pair_holder_open off", ("any_player", "any_player", "off"), "R-BET-05"),
    "fourth_pair.stud8": ("any_player pair_holder_open off", ("any_player", "off", "off"), "R-BET-06"),
    "fourth_pair.razz": ("any_player pair_holder_open off", ("off", "off", "off"), "R-BET-06"),
    "cap.max_raises": ("", ("3", "3", "4"), "R-BET-03"),
    "cap.completion_is_raise": ("true false", ("false", "false", "false"), "R-BET-02"),
    "cap.heads_up": (
        "capped uncapped_before_cap uncapped_if_round_starts_hu uncapped_last_two_in_event",
        ("capped", "uncapped_before_cap", "uncapped_last_two_in_event"),
        "R-BET-04",
    ),
    "allin.half_bet": ("0.5 1", ("0.5", "0.5", "0.5"), "R-BET-08"),
    "showdown.no_bet_order": (
        "first_to_act seat_order from_bring_in_seat last_raiser_of_hand",
        ("first_to_act",) * 3,
        "R-SHOW-03",
    ),
    "showdown.all_in_face_up": ("never tournament_only always", ("tournament_only", "never", "always"), "R-SHOW-06"),
    "showdown.losers_may_muck": ("true except_all_in", ("true", "true", "except_all_in"), "R-SHOW-04"),
    "odd_chip.distribution": ("one_each all_to_first", ("all_to_first", "one_each", "one_each"), "R-POT-03"),
    "odd_chip.policy": (
        "dealer_left five_card_high_suit rrop_seven",
        ("dealer_left", "five_card_high_suit", "five_card_high_suit"),
        "R-POT-03",
    ),
    "hilo.same_winners_both_ways": ("split_as_one_pot two_step", ("split_as_one_pot",) * 3, "R-POT-07"),
    "rake.percent": ("", ("0", "10", "0"), "R-RAKE-01"),
    "rake.cap": ("", ("0", "6", "0"), "R-RAKE-01"),
    "rake.no_fourth_no_drop": ("true false", ("true", "true", "true"), "R-RAKE-01"),
    "rake.unit": ("", ("0", "0", "0"), "R-RAKE-01"),
    "rake.allocation": ("main_first pro_rata", ("main_first",) * 3, "R-RAKE-01"),
    "rake.time_collection": ("", ("0", "0", "0"), "R-RAKE-02"),
    "buyin.min": ("", ("0", "0", "0"), "R-SETUP-05"),
    "kill.enabled": ("false", ("false",) * 3, "R-RAKE-03"),
    "straddle.enabled": ("false", ("false",) * 3, "R-BET-15"),
    "run_it_twice": ("false", ("false",) * 3, "R-RAKE-04"),
    "clock.seconds": ("", ("60", "60", "25"), "R-ABS-04"),
    "clock.countdown": ("", ("10", "10", "5"), "R-ABS-04"),
    "clock.time_bank": ("", ("0", "0", "0"), "R-ABS-04"),
    "absent.kill": ("on_turn on_deal", ("on_turn", "on_turn", "on_deal"), "R-ABS-01"),
}


def test_every_knob_of_the_rule_book_is_there_and_no_other() -> None:
    """Rules §1, Q-02: the table whole, and ``game.type``, ``buyin.min``, ``rake.unit`` and ``rake.allocation`` below it."""
    assert sorted(knob_names()) == sorted(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_a_knob_has_the_values_of_the_table(name: str) -> None:
    """Rules §1, Q-01: the value of each preset; where a cell names two, the first."""
    values, presets, rule = TABLE[name]
    assert tuple(knob_values(house_rules(preset))[name] for preset in PRESETS) == presets
    assert knob_rule(name) == rule
    if values:
        assert sorted(allowed_values(name)) == sorted(values.split())


@pytest.mark.parametrize("name", [name for name in TABLE if allowed_values(name)])
def test_a_knob_takes_its_closed_list_and_nothing_else(name: str) -> None:
    """Q-02: every value is read back, an unknown one is refused by name."""
    for value in allowed_values(name):
        others = {"table.max_seats": "7"} if name == "deal.burn_before_third" else {}
        others |= {"table.max_seats": "8"} if name == "table.min_players" else {}
        assert knob_values(house_rules("seeds", {**others, name: value}))[name] == value
    for wrong in ("", "anything", allowed_values(name)[0].upper() + "x"):
        with pytest.raises(HouseRulesError, match="not allowed"):
            house_rules("seeds", {name: wrong})


@pytest.mark.parametrize("name", [name for name in TABLE if not allowed_values(name)])
def test_a_number_is_a_whole_one(name: str) -> None:
    """Q-02: amounts in chips."""
    assert knob_values(house_rules("seeds", {name: "12"}))[name] == "12"
    for wrong in ("-1", "1.5", "", "ten"):
        with pytest.raises(HouseRulesError, match="not allowed"):
            house_rules("seeds", {name: wrong})


def test_a_table_without_a_named_preset_does_not_open() -> None:
    """Rules §1: several knobs move money, so nothing is assumed."""
    for preset in ("", "SEEDS", "default"):
        with pytest.raises(HouseRulesError, match="seeds, live_cash, tournament"):
            house_rules(preset)


@pytest.mark.parametrize("knob", ["kill.enabled", "straddle.enabled", "run_it_twice"])
def test_what_is_not_offered_is_refused(knob: str) -> None:
    """R-RAKE-03, R-RAKE-04, R-BET-15, Q-87, Q-03: kill pots, straddles and second runs would move money if done by half."""
    with pytest.raises(HouseRulesError, match=knob):
        house_rules("seeds", {knob: "true"})


@pytest.mark.parametrize("name", ["insurance", "rabbit_hunting", "chop", "open.tie", "fourth_pair", "stakes.small"])
def test_no_other_game_is_configured(name: str) -> None:
    """R-RAKE-04, Q-02: an unknown knob is refused; ``open.tie`` and ``fourth_pair`` are one a variant."""
    with pytest.raises(HouseRulesError, match="unknown"):
        house_rules("seeds", {name: "true"})


def test_time_collection_stands_instead_of_the_rake() -> None:
    """R-RAKE-02: a fixed fee a half hour, no pot rake: both at once are refused."""
    with pytest.raises(HouseRulesError, match="time_collection"):
        house_rules("live_cash", {"rake.time_collection": "5"})
    assert house_rules("live_cash", {"rake.time_collection": "5", "rake.percent": "0"}).time_collection == 5


def test_no_pot_is_raked_under_time_collection() -> None:
    """R-RAKE-02."""
    hand = Hand("1 2", preset="live_cash", rake__time_collection="5", rake__percent="0").reach(4)
    hand.act(f"seat {hand.actor} folds").expect("hand is over")
    assert hand.state.rake == (0,)


def test_a_burn_before_third_with_eight_seats_is_refused() -> None:
    """Q-03 ✔: it leaves nine cards before sixth street where ten are needed."""
    with pytest.raises(HouseRulesError, match=r"table\.max_seats"):
        house_rules("seeds", {"deal.burn_before_third": "true"})
    hand = Hand("1 2 3 4 5 6 7", deal__burn_before_third="true", table__max_seats="7").expect("stub 52")
    hand.deal(cards=1).expect("burns 1").deal().expect("stub 30")


def test_seats_and_players() -> None:
    """Q-03, R-SETUP-01: two to eight seats, never more players needed than seats."""
    for knobs in ({"table.max_seats": "9"}, {"table.max_seats": "1"}, {"table.max_seats": "3", "table.min_players": "4"}):
        with pytest.raises(HouseRulesError):
            house_rules("seeds", knobs)


@pytest.mark.parametrize(
    ("stakes", "says"),
    [
        (Stakes(1, 5, 4, 8), "bring_in"),
        (Stakes(1, 0, 4, 8), "bring_in"),
        (Stakes(1, -2, 4, 8), "bring_in"),
        (Stakes(1, 2, 4, 3), "big"),
        (Stakes(0, 2, 4, 8), "ante"),
        (Stakes(1, 2, 4, 8, 0), "unit"),
        (Stakes(5, 5, 12, 24, 5), "small"),
        (Stakes(5, 5, 10, 24, 5), "big"),
        (Stakes(3, 5, 10, 20, 5), "ante"),
    ],
)
def test_stakes_that_cannot_be(stakes: Stakes, says: str) -> None:
    """Q-03: 4/8 with bring-in 5 is refused; every stake is a multiple of the unit; the ante is at least one unit."""
    assert any(says in problem for problem in stakes_problems(stakes))


@pytest.mark.parametrize("stakes", [Stakes(1, 4, 4, 8), Stakes(2, 2, 4, 8), Stakes(3, 2, 4, 8), Stakes(5, 5, 10, 20, 5)])
def test_stakes_that_are_legal(stakes: Stakes) -> None:
    """Q-03: 4/8 with bring-in 4 (no completion exists); an ante equal to the bring-in or above it."""
    assert stakes_problems(stakes) == ()


def test_four_raises_belong_with_the_round_that_starts_heads_up() -> None:
    """Q-01: the pair of WSOP overrides; ``live_cash`` unchanged ends third street at 16, with four raises at 20."""
    for knobs, last in (({}, 16), ({"cap__max_raises": "4", "cap__heads_up": "uncapped_if_round_starts_hu"}, 20)):
        hand = Hand("1 2 3", preset="live_cash", **knobs).deal("1: (?? ??) 2c").act("seat 1 brings in, seat 2 completes")
        to = 8
        while to <= last:
            hand.act(f"seat {hand.actor} raises {to}")
            to += 4
        hand.refuse(f"seat {hand.actor} raises {to}", "R-BET-03")


def test_the_game_type_of_each_preset() -> None:
    """Rules §1: cash, cash, tournament; in the seeds preset it decides alone whether all-in hands are turned up."""
    assert [house_rules(preset).game_type for preset in PRESETS] == [GameType.CASH, GameType.CASH, GameType.TOURNAMENT]
    assert [house_rules("seeds", {"game.type": kind}).face_up_when_all_in for kind in ("cash", "tournament")] == [False, True]


@pytest.mark.parametrize(("burns", "made"), [("4,5,6,7", 4), ("5,6,7", 3), ("4,5,6", 3), ("none", 0)])
def test_burns_of_each_street(burns: str, made: int) -> None:
    """R-DEAL-03: at most one a street."""
    Hand("1 2", deal__burn_before=burns).reach(7).expect(f"burns {made}")


def test_a_run_out_that_ends_before_fourth_street_pays_no_rake() -> None:
    """R-RAKE-01, Q-81: all-in on the ante, 6 would be due; two hands are killed before a card of 4th street lies: nothing is."""
    stakes = FOUR_EIGHT._replace(ante=20)
    hand = Hand("1:20 2:20 5:20", stakes=stakes, preset="live_cash").deal(cards=9)
    assert hand.state.rake == (6,)
    hand.slip("seat 1 is dead, penalty").slip("seat 2 is dead, penalty").expect("hand is over", "won 5: 60", "stacks 5: 60")
    assert hand.state.rake == (0,)


def test_no_rake_without_fourth_street_and_never_from_a_void() -> None:
    """R-RAKE-01: no fourth, no drop; with it 10 %, at most 6."""
    hand = Hand("1 2 3", preset="live_cash").deal("1: (?? ??) 2c").act("seat 1 brings in, seats 2 and 3 fold")
    assert sum(hand.state.rake) == 0
    late = Hand("1 2 3", preset="live_cash").reach(5)
    late.act(f"seat {late.actor} bets 8").act(f"seat {late.actor} calls").act(f"seat {late.actor} calls").reach(6)
    late.act(f"seat {late.actor} bets 8").act(f"seat {late.actor} folds").act(f"seat {late.actor} folds")
    assert sum(late.state.rake) == 3
    late.slip("void, fouled deck").expect("stacks 1: 100, 2: 100, 3: 100")
