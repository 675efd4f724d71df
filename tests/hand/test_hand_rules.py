"""House rules: presets, closed lists of values, and what configuration must refuse (rules §1, Q-01 to Q-03)."""

from __future__ import annotations

import pytest

from controller.hand.knobs import FourthPair, HeadsUpCap, OddChipDistribution, OddChipPolicy, OpenTie
from controller.hand.rules import PRESETS, HouseRulesError, house_rules, knob_names, knob_values
from controller.hand.variants import VariantCode

TABLE = {
    "game.type": ("cash", "cash", "tournament"),
    "table.max_seats": ("8", "8", "8"),
    "table.min_players": ("2", "2", "2"),
    "deal.burn_before_third": ("false", "false", "false"),
    "deal.ghost_cards_after_free_fold": ("true", "true", "false"),
    "bring_in.tie": ("suit", "suit", "suit"),
    "bring_in.low_all_in_on_ante": ("next_must_post", "next_may_fold", "next_may_fold"),
    "bring_in.short": ("others_owe_full", "others_owe_full", "others_owe_full"),
    "open.tie.stud": ("nearest_dealer_left", "nearest_dealer_left", "high_card_by_suit"),
    "open.tie.stud8": ("nearest_dealer_left", "nearest_dealer_left", "high_card_by_suit"),
    "open.tie.razz": ("nearest_dealer_left", "nearest_dealer_left", "high_card_by_suit"),
    "fourth_pair.stud": ("any_player", "any_player", "off"),
    "fourth_pair.stud8": ("any_player", "off", "off"),
    "fourth_pair.razz": ("off", "off", "off"),
    "cap.max_raises": ("3", "3", "4"),
    "cap.completion_is_raise": ("false", "false", "false"),
    "cap.heads_up": ("capped", "uncapped_before_cap", "uncapped_last_two_in_event"),
    "allin.half_bet": ("0.5", "0.5", "0.5"),
    "stub.community_opener": ("sixth_opener", "sixth_opener", "sixth_opener"),
    "showdown.no_bet_order": ("first_to_act", "first_to_act", "first_to_act"),
    "odd_chip.policy": ("dealer_left", "five_card_high_suit", "five_card_high_suit"),
    "odd_chip.distribution": ("all_to_first", "one_each", "one_each"),
    "hilo.same_winners_both_ways": ("split_as_one_pot", "split_as_one_pot", "split_as_one_pot"),
    "rake.percent": ("0", "10", "0"),
    "rake.cap": ("0", "6", "0"),
    "rake.no_fourth_no_drop": ("true", "true", "true"),
    "rake.unit": ("0", "0", "0"),
    "rake.allocation": ("main_first", "main_first", "main_first"),
}


@pytest.mark.parametrize(("number", "preset"), list(enumerate(PRESETS)))
def test_each_preset_has_the_values_of_the_rule_book(number: int, preset: str) -> None:
    """Rules §1, Q-01: where a cell names two values the first counts."""
    assert knob_values(house_rules(preset)) | {name: row[number] for name, row in TABLE.items()} == knob_values(
        house_rules(preset)
    )
    assert set(TABLE) <= set(knob_names())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("bring_in.tie", ("suit", "nearest_dealer_left")),
        ("bring_in.low_all_in_on_ante", ("next_must_post", "next_may_fold")),
        ("bring_in.short", ("others_owe_full", "match_short")),
        ("open.tie.razz", ("nearest_dealer_left", "high_card_by_suit")),
        ("fourth_pair.stud", ("any_player", "pair_holder_open", "off")),
        (
            "cap.heads_up",
            ("capped", "uncapped_before_cap", "uncapped_if_round_starts_hu", "uncapped_last_two_in_event"),
        ),
        ("allin.half_bet", ("0.5", "1")),
        ("stub.community_opener", ("sixth_opener", "recompute")),
        ("showdown.no_bet_order", ("first_to_act", "seat_order", "from_bring_in_seat", "last_raiser_of_hand")),
        ("odd_chip.policy", ("dealer_left", "five_card_high_suit", "rrop_seven")),
        ("odd_chip.distribution", ("one_each", "all_to_first")),
        ("hilo.same_winners_both_ways", ("split_as_one_pot", "two_step")),
        ("rake.allocation", ("main_first", "pro_rata")),
        ("deal.ghost_cards_after_free_fold", ("true", "false")),
        ("cap.max_raises", ("1", "3", "4", "9")),
        ("rake.percent", ("0", "4", "100")),
        ("rake.cap", ("0", "6", "1000")),
    ],
)
def test_every_value_of_a_knob_is_taken_and_read_back(name: str, values: tuple[str, ...]) -> None:
    """Q-02: the closed list of values."""
    for value in values:
        assert knob_values(house_rules("seeds", {name: value}))[name] == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bring_in.tie", "SUIT"),
        ("cap.max_raises", "0"),
        ("cap.max_raises", "10"),
        ("rake.percent", "101"),
        ("rake.cap", "-1"),
        ("rake.cap", "6.5"),
        ("table.max_seats", "9"),
        ("table.max_seats", "1"),
        ("allin.half_bet", "0.4"),
        ("deal.burn_before_third", "yes"),
        ("open.tie", "suit"),
        ("fourth_pair", "off"),
        ("kill.enabled", "true"),
        ("straddle.enabled", "true"),
        ("run_it_twice", "true"),
        ("preset", "seeds"),
        ("", "x"),
    ],
)
def test_an_unknown_knob_or_value_is_refused_by_name(name: str, value: str) -> None:
    """Nothing is guessed; kill pots, straddles, run-it-twice are not offered (R-RAKE-03, R-RAKE-04, R-BET-15, Q-02, Q-87)."""
    with pytest.raises(HouseRulesError, match=r"allowed|unknown"):
        house_rules("seeds", {name: value})


def test_no_preset_no_table() -> None:
    """Rules §1: a table must not open until a preset is named."""
    with pytest.raises(HouseRulesError, match="seeds, live_cash, tournament"):
        house_rules("")


def test_a_burn_before_third_street_needs_seven_seats_or_fewer() -> None:
    """Q-03: with eight it leaves nine cards before 6th where ten are needed."""
    with pytest.raises(HouseRulesError, match=r"table\.max_seats"):
        house_rules("seeds", {"deal.burn_before_third": "true"})
    assert house_rules("seeds", {"deal.burn_before_third": "true", "table.max_seats": "7"}).burn_before_third


def test_more_players_needed_than_seats_is_refused() -> None:
    """R-SETUP-01."""
    with pytest.raises(HouseRulesError, match="min_players"):
        house_rules("seeds", {"table.max_seats": "3", "table.min_players": "4"})


def test_the_knobs_by_variant_are_read_by_variant() -> None:
    """R-OPEN-02, R-BET-06."""
    rules = house_rules("seeds", {"open.tie.razz": "high_card_by_suit", "fourth_pair.stud8": "pair_holder_open"})
    assert [rules.open_tie(code) for code in VariantCode] == [
        OpenTie.NEAREST_DEALER_LEFT,
        OpenTie.NEAREST_DEALER_LEFT,
        OpenTie.HIGH_CARD_BY_SUIT,
    ]
    assert [rules.fourth_pair(code) for code in VariantCode] == [
        FourthPair.ANY_PLAYER,
        FourthPair.PAIR_HOLDER_OPEN,
        FourthPair.OFF,
    ]


def test_live_cash_takes_the_first_value_of_a_double_cell() -> None:
    """Q-01: three raises, uncapped before the cap, odd chips by five cards and one each."""
    rules = house_rules("live_cash")
    assert (rules.max_raises, rules.heads_up_cap) == (3, HeadsUpCap.UNCAPPED_BEFORE_CAP)
    assert (rules.odd_chip_policy, rules.odd_chip_distribution) == (
        OddChipPolicy.FIVE_CARD_HIGH_SUIT,
        OddChipDistribution.ONE_EACH,
    )
