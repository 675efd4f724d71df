"""Misdeals, substantial action, fouled decks and the deck itself: R-MIS-01 to R-MIS-08, R-DECK, Q-56, Q-57, Q-82, Q-83."""

from __future__ import annotations

import pytest
from support.slips_dsl import Hand

from controller.hand.irregular_events import MisdealCause, MisdealDeclared
from controller.hand.mend import mend_moves, still_due
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.rules import house_rules

POLICIES = ["two_after_forced_bet", "tda36"]


def five(**knobs: str) -> Hand:
    """Seats 1, 5, 6, 7 and 8; seat 5 holds the low door card."""
    return Hand("1 5 6 7 8", **knobs).deal("5: (?? ??) 2c")


# ------------------------------------------------------------------ the list


def test_two_rounds_without_seat_4_are_a_misdeal() -> None:
    """R-MIS-01 example: six players; after two rounds the dealer has skipped seat 4 twice."""
    hand = Hand("1 2 3 4 5 6").deal(cards=3)
    hand.slip("9c lies at seat/5/down").expect("held: wrong_place")
    hand.slip("misdeal, seat left out").expect("hand is redeal", "load 52", "pot 6", "not held")


@pytest.mark.parametrize("cause", list(MisdealCause))
def test_each_cause_gives_up_the_deal_before_substantial_action(cause: MisdealCause) -> None:
    """R-MIS-01: every entry of the list, noticed in the deal or in the betting."""
    words = cause.value.replace("_", " ")
    Hand("1 2 3").deal(cards=1).slip(f"misdeal, {words}").expect("hand is redeal")
    hand = five().act("seat 5 brings in, seat 6 calls").slip(f"misdeal, {words}").expect("hand is redeal")
    assert [event.cause for event in hand.happened(MisdealDeclared)] == [cause]


def test_the_first_card_at_the_wrong_seat_stops_the_deal() -> None:
    """R-MIS-01: seen by the reader; also at an empty seat."""
    for place in ("seat/2/down", "seat/4/down"):
        hand = Hand("1 2 3").slip(f"9c lies at {place}").expect("held: wrong_place", "stub 52")
        hand.slip("misdeal, first card wrong seat").expect("hand is redeal")


# ------------------------------------------------------------------ substantial action


@pytest.mark.parametrize(("policy", "misdeal"), [("two_after_forced_bet", False), ("tda36", True)])
def test_two_folds_after_the_bring_in(policy: str, misdeal: bool) -> None:
    """R-MIS-02 example, rules §24 case 25: 5 brings in, 6 and 7 fold, seat 1 has two cards: cash a dead hand, TDA a misdeal."""
    hand = five(misdeal__sa=policy).act("seat 5 brings in 2, seats 6 and 7 fold")
    if misdeal:
        hand.slip("misdeal, wrong count").expect("hand is redeal", "pot 5", "stacks 1: 99, 5: 99")
    else:
        hand.refuse("misdeal, wrong count", "R-MIS-04")
        hand.slip("seat 1 is dead, wrong count").expect("seat 1 is dead", "stacks 1: 99", "pot 7", "seat 8 is asked")


@pytest.mark.parametrize("policy", POLICIES)
def test_a_call_and_a_fold_are_substantial_under_both(policy: str) -> None:
    """R-MIS-02: if seat 6 had called and 7 folded."""
    hand = five(misdeal__sa=policy).act("seat 5 brings in, seat 6 calls")
    hand.act("seat 7 folds").refuse("misdeal, wrong count", "R-MIS-04")


def test_three_folds_are_substantial_under_tda() -> None:
    """R-MIS-02: any three in-turn actions."""
    hand = five(misdeal__sa="tda36").act("seat 5 brings in, seats 6 and 7 and 8 fold")
    hand.refuse("misdeal, wrong count", "R-MIS-04")


@pytest.mark.parametrize(("policy", "misdeal"), [("two_after_forced_bet", True), ("tda36", False)])
def test_folds_in_place_of_the_post_are_actions_in_turn_by_tda(policy: str, misdeal: bool) -> None:
    """R-MIS-02, R-BRING-07: low card all-in on the ante, three fold in place of the post: by TDA any three actions in turn; at
    cash nobody has acted after a forced bet."""
    knobs = {"misdeal__sa": policy, "bring_in__low_all_in_on_ante": "next_may_fold"}
    hand = Hand("1 2:1 3 4 5 6", **knobs).deal("2: (?? ??) 2c").act("seat 3 folds, seat 4 folds, seat 5 folds")
    if misdeal:
        hand.slip("misdeal, wrong count").expect("hand is redeal")
    else:
        assert hand.refuse("misdeal, wrong count", "R-MIS-04").values == (("acts", 3),)


def test_a_fold_out_of_turn_is_no_action_in_turn() -> None:
    """R-MIS-02: two in-turn actions; a hand thrown away before its turn does not count."""
    hand = five(misdeal__sa="tda36").act("seat 5 brings in, seat 6 calls").slip("out of turn: seat 8 folds")
    hand.slip("misdeal, wrong count").expect("hand is redeal", "seat 8 is live")


@pytest.mark.parametrize("policy", POLICIES)
def test_the_low_cards_opening_for_small_is_the_forced_post(policy: str) -> None:
    """Q-57: seat 1 opens 4, seat 2 folds: one action; seat 3 calls: substantial."""
    hand = Hand("1 2 3 4", misdeal__sa=policy).deal("1: (?? ??) 2c").act("seat 1 completes 4, seat 2 folds")
    again = Hand("1 2 3 4", misdeal__sa=policy).deal("1: (?? ??) 2c").act("seat 1 completes 4, seat 2 folds, seat 3 calls")
    hand.slip("misdeal, wrong count").expect("hand is redeal", "stacks 1: 99")
    again.refuse("misdeal, wrong count", "R-MIS-04")


@pytest.mark.parametrize("policy", POLICIES)
def test_the_window_closes_when_the_burn_of_fourth_leaves_the_shoe(policy: str) -> None:
    """Q-56: two players: post 2, call 2 (one action), burn out: a missing card is a dead hand now."""
    hand = Hand("1 2", misdeal__sa=policy).deal("1: (?? ??) 2c").act("seat 1 brings in, seat 2 calls")
    hand.expect("street 4").deal(cards=1).refuse("misdeal, wrong count", "R-MIS-04")
    hand.slip("seat 2 is dead, wrong count").expect("hand is over", "stacks 1: 103, 2: 97")
    early = Hand("1 2", misdeal__sa=policy).deal("1: (?? ??) 2c").act("seat 1 brings in, seat 2 calls")
    early.slip("misdeal, wrong count").expect("hand is redeal", "stacks 1: 99, 2: 99")


def test_the_window_without_betting_on_third() -> None:
    """Q-56: everybody all-in on the ante: until the burn leaves the shoe."""
    hand = Hand("1:1 2:1").reach(4, cards=0)
    hand.deal(cards=1).refuse("misdeal, wrong count", "R-MIS-04")
    Hand("1:1 2:1").reach(4, cards=0).slip("misdeal, wrong count").expect("hand is redeal")


def test_a_hand_that_is_over_was_no_misdeal() -> None:
    """R-MIS-02: a hand that ended on third street cannot be dealt again."""
    hand = Hand("1 2").deal("1: (?? ??) 2c").act("seat 1 brings in, seat 2 folds").expect("hand is over")
    hand.refuse("misdeal, wrong count", "R-MIS-04")


# ------------------------------------------------------------------ redeal


def test_a_redeal_keeps_the_antes_and_returns_the_rest() -> None:
    """R-MIS-03 example, Q-82: five antes of 1, bring-in 2 posted, misdeal: the 2 goes back, the pot stays 5, no rake."""
    hand = five(preset="live_cash").act("seat 5 brings in 2").expect("pot 7")
    hand.slip("misdeal, boxed cards").expect("pot 5", "stacks 5: 99", "load 52").load()
    hand.expect("antes stay", "stub 52").deal("6: (?? ??) 3c")
    hand.expect("seat 6 is asked", "pot 5", "street 3", "stub 37")
    assert hand.state.redeals == 1


def test_a_redeal_is_an_exact_replay() -> None:
    """R-MIS-03: same players, also who folded; an all-in for less than the ante stays all-in; limits unchanged."""
    hand = Hand("1 2:3 3", stakes=five().state.setup.stakes._replace(ante=5)).deal("1: (?? ??) 2c")
    hand.act("seat 1 brings in").slip("misdeal, extra cards").load().deal("3: (?? ??) 2c")
    hand.expect("seat 3 is asked", "totals 1: 5, 2: 3, 3: 5", "seat 2 is all-in")
    again = five().act("seat 5 brings in, seat 6 folds").slip("misdeal, extra cards").load().deal()
    again.expect("seats 1 and 5 and 6 and 7 and 8 are live")


def test_a_player_who_is_back_in_time_plays_the_redeal() -> None:
    """R-MIS-03: absent for the first deal, back for the second."""
    hand = five().slip("seat 7 leaves").act("seat 5 brings in").slip("misdeal, extra cards").slip("seat 7 is back").load()
    hand.deal("7: (?? ??) 2c").expect("seat 7 may only bring in 2 or complete 4")


def test_a_redeal_needs_the_whole_deck() -> None:
    """R-MIS-03, R-DECK-01: reshuffled and cut: 51 cards hold, 52 are dealt."""
    hand = five().slip("misdeal, extra cards").slip("load 51").expect("held: stub_count", "load 52")
    hand.slip("load 52").expect("not held", "stub 52")


# ------------------------------------------------------------------ after substantial action


def test_a_wrong_count_after_substantial_action_is_dead_and_gets_only_an_uncalled_bet_back() -> None:
    """R-MIS-04, Q-54, R-ALLIN-03: called money stays; the 4 that nobody called goes back."""
    hand = (
        five().act("seat 5 brings in, seat 6 completes, seats 7 and 8 and 1 and 5 call").deal("6: Ah").expect("seat 6 is asked")
    )
    hand.act("seat 6 bets 4, seat 7 raises 8").slip("seat 7 is dead, wrong count")
    hand.expect("stacks 7: 91", "pot 33", "seat 8 may call 4 or raise 8")


# ------------------------------------------------------------------ extra and missing cards


def test_a_card_too_many_is_the_burn_of_fourth() -> None:
    """R-MIS-05 example: seven seats with three cards each; a 22nd card at seat 1 lies down as the burn; no other is made."""
    hand = Hand("1 2 3 4 5 6 7", later="Qd").deal("4: (?? ??) 2c").slip("Qd lies at seat/1/down").expect("held: premature_card")
    hand.slip("extra card Qd is the burn").slip("felt right").expect("burns 1", "stub 30")
    hand.act("seat 4 brings in, seats 5 and 6 and 7 fold, seats 1 and 2 call, seat 3 folds")
    hand.expect("to come: 1 up, 2 up, 4 up").deal().expect("burns 1")


def test_the_extra_card_is_kept_only_before_the_betting() -> None:
    """R-MIS-05: before the first betting round, once, on third street."""
    hand = five().act("seat 5 brings in, seat 6 calls")
    hand.refuse("extra card Qd is the burn", "R-MIS-05")
    other = five().slip("extra card Qd is the burn")
    other.refuse("extra card Kd is the burn", "R-MIS-05")


def test_the_extra_card_does_not_close_the_misdeal_window() -> None:
    """R-MIS-05, Q-56: it lies as the burn, but none left the shoe for fourth street."""
    five().slip("extra card Qd is the burn").slip("misdeal, extra cards").expect("hand is redeal", "load 52")


def test_a_missing_card_is_the_next_one_in_sequence() -> None:
    """R-MIS-05: the last seat has two cards; the top card is the one that it would have got; then play goes on."""
    hand = Hand("1 2 3").deal("1: (?? ??) 2c", cards=8).expect("to come: 3 up", "nobody is asked")
    hand.deal("3: 9h").expect("seat 1 is asked")


def test_extra_and_skipped_cards_of_third_street_go_by_the_order_of_the_shoe() -> None:
    """R-MIS-01, R-MIS-05: what can be put right in sequence: seat 2 skipped once, all shift; the extra one is the next burn."""
    due = Hand("1 2 3").state.due
    down = [SeatPlace(seat, Zone.DOWN) for seat in (1, 2, 3)]
    moves = mend_moves(due, [down[0], down[2], down[0]])
    assert [(move.number, move.lies, move.belongs) for move in moves] == [(2, down[2], down[1]), (3, down[0], down[2])]
    assert [due.place for due in still_due(due, [down[0], down[2], down[0]])][:1] == [down[0]]
    full = [entry.place for entry in due]
    assert [(move.number, move.belongs) for move in mend_moves(due, [*full, full[0]])] == [(10, None)]


# ------------------------------------------------------------------ boxed cards and jokers


def test_one_boxed_card_is_scrap_and_the_next_takes_its_place() -> None:
    """R-MIS-06, Q-71: set aside; it counts as x in the stub."""
    hand = Hand("1 2 3", later="Jh").deal("1: 9c", cards=1).slip("boxed Jh").expect("stub 50").deal("2: 4d")
    hand.expect("street 3", "stub 42")
    assert hand.state.scrapped == 1


def test_a_boxed_card_that_was_dealt_already_is_replaced_after_the_round() -> None:
    """R-MIS-06: noticed when the next cards lie: seat 2's second down card is set aside and another comes, down, after the round;
    its door card and everybody else's stay."""
    hand = Hand("1 2 3", later="Ah").deal("1: (?? ??) 9c | 2: (Kd Jh) 4d", cards=6).slip("card 2 of seat 2 was boxed")
    hand.expect("to come: 1 up, 2 up, 3 up, 2 down", "stub 46").deal("2: Ah")
    hand.expect("seat 2 holds (Kd Ah) 4d", "street 3", "stub 42", "seat 2 is asked")
    assert (hand.state.boxed, hand.state.scrapped) == (1, 1)


def test_a_boxed_door_card_is_replaced_before_the_bring_in_is_posted() -> None:
    """R-MIS-06: 2c is out, so the bring-in is computed anew; posted, or acted on, nothing is replaced any more."""
    hand = Hand("1 2 3", later="Ah").deal("1: (?? ??) 9c | 2: (?? ??) 2c | 3: (?? ??) Jd").expect("seat 2 is asked")
    hand.slip("card 3 of seat 2 was boxed").expect("nobody is asked", "to come: 2 up").deal("2: Ah").expect("seat 1 is asked")
    hand.act("seat 1 brings in").refuse("card 3 of seat 3 was boxed", "R-MIS-06")


def test_a_boxed_card_of_a_later_street_is_replaced_before_action() -> None:
    """R-MIS-06: only a card of this street; the last card of the stub is not dealt for it, the burns come in instead."""
    hand = Hand("1 2 3", later="Ah Kh").reach(5).expect("street 5")
    hand.refuse("card 4 of seat 2 was boxed", "R-MIS-06")
    first = hand.actor
    hand.slip("card 5 of seat 2 was boxed").expect("to come: 2 up").deal("2: Ah").expect("seat 2 is asked")
    assert first != 2
    hand.act("seat 2 checks").refuse("card 5 of seat 2 was boxed", "R-MIS-06")
    full = Hand("1 2 3 4 5 6 7").reach(7).expect("street 7", "stub 2")
    full.slip("card 7 of seat 1 was boxed").expect("to come: 1 down").deal().expect("stub 1")
    full.slip("card 7 of seat 2 was boxed").expect("hand is scramble", "load 2").load().expect("to come: 2 down").deal()
    full.expect("street 7", "not held")


def test_a_second_boxed_card_of_the_first_deal_is_a_misdeal() -> None:
    """R-MIS-06, R-MIS-01: one set aside as it came, one noticed late."""
    hand = Hand("1 2 3", later="Jh").deal(cards=1).slip("boxed Jh").deal(cards=2)
    hand.slip("card 1 of seat 2 was boxed").expect("hand is redeal", "pot 3")


def test_a_joker_is_none_of_the_52() -> None:
    """R-MIS-06, Q-71."""
    Hand("1 2 3").deal(cards=1).slip("joker").expect("stub 51").deal().expect("stub 43")


def test_two_boxed_cards_are_a_misdeal() -> None:
    """R-MIS-06: on the initial deal; the floor says so."""
    hand = Hand("1 2 3").deal(cards=1).slip("boxed Jh")
    hand.refuse("dealer: boxed Js", "R-MIS-06")
    hand.slip("floor: boxed Js").expect("hand is redeal", "pot 3")


def test_a_boxed_card_of_a_later_street_is_scrap() -> None:
    """R-MIS-06: also a second one; two among cards that are needed may be voided by the floor."""
    hand = Hand("1 2 3", later="Jh Js").reach(4, cards=1).slip("boxed Jh").slip("boxed Js").deal()
    hand.expect("street 4", "stub 37").slip("void, two boxed cards").expect("hand is void", "stacks 1: 100, 2: 100, 3: 100")


def test_a_hand_that_acted_on_a_joker_is_dead() -> None:
    """R-MIS-06, R-ABS-03."""
    five().act("seat 5 brings in, seat 6 calls").slip("seat 6 is dead, joker").expect("seat 6 is dead", "stacks 6: 97")


def test_nothing_is_scrapped_when_no_card_is_due() -> None:
    """R-MIS-06: during the betting no card is needed."""
    five().refuse("boxed Jh", "R-MIS-06")


def test_a_missing_card_of_the_deck_does_not_change_results() -> None:
    """R-MIS-07: noticed later: finished and running results stand; a misdeal is refused once the hand is under way."""
    hand = Hand("1 2 3").reach(5)
    hand.refuse("misdeal, wrong count", "R-MIS-04")


# ------------------------------------------------------------------ fouled deck


def late_hand(**knobs: str) -> Hand:
    """Sixth street; seats 1 and 4 have 29 in, seat 6 folded with 5."""
    hand = Hand("1 4 6", **knobs).deal("1: (?? ??) 2c | 4: (?? ??) Ah | 6: (?? ??) Kd")
    hand.act("seat 1 brings in, seat 4 completes, seats 6 and 1 call").deal("1: 5d | 4: Kh | 6: Qd")
    hand.act("seat 4 bets 4, seat 6 folds, seat 1 raises 8, seat 4 calls").deal()
    return hand.act("seat 4 bets 8, seat 1 raises 16, seat 4 calls").deal().expect("street 6", "totals 1: 29, 4: 29, 6: 5")


@pytest.mark.parametrize("preset", ["seeds", "live_cash", "tournament"])
def test_a_second_ten_of_spades_voids_everything(preset: str) -> None:
    """R-MIS-08 example ✔, R-RULE-03, Q-82, rules §24 case 30: refunds 29, 29, 5; pot 0; no rake, even after action."""
    hand = late_hand(preset=preset).slip("felt wrong, duplicate_card").expect("held: duplicate_card")
    hand.slip("void, fouled deck").expect("hand is void", "pot 0", "stacks 1: 100, 4: 100, 6: 100", "not held")
    assert hand.state.returned == ((1, 29), (4, 29), (6, 5))


def test_the_right_to_a_void_ends_with_the_next_hand() -> None:
    """R-MIS-08: a hand that has just ended is voided too, its award and rake are undone."""
    hand = late_hand(preset="live_cash").act("seat 4 bets 8, seat 1 folds").expect("hand is over")
    hand.slip("void, fouled deck").expect("hand is void", "stacks 1: 100, 4: 100, 6: 100")
    hand.refuse("void, again", "R-RULE-03")


def test_a_void_after_a_side_pot_was_paid() -> None:
    """Q-83 ✔: totals 20, 20, 12: side 16 was paid to seat 4 earlier: 20 / 20 / 12 go back."""
    stakes = five().state.setup.stakes._replace(ante=12)
    hand = Hand("1:12 4:20 6:20", stakes=stakes, preset="seeds").deal("4: (?? ??) 2c")
    hand.act("seat 4 completes, seat 6 raises 8, seat 4 calls").expect("pots 36 for 1 4 6 and 16 for 4 6")
    while hand.state.street < 7 or hand.to_come:
        hand.deal(cards=1)
    hand.slip("seat 6 mucks").expect("won 4: 16").slip("void, fouled deck")
    hand.expect("stacks 1: 12, 4: 20, 6: 20", "pot 0")


def test_a_refunded_seat_is_not_refunded_twice() -> None:
    """Q-82: dead with refund, then void: that ante went back already."""
    hand = Hand("1 3 4").deal("3: 2c Kd", cards=2).slip("dealer exposes card 1 of seat 3").deal(cards=3)
    hand.slip("floor: dealer exposes card 1 of seat 3").slip("void, fouled deck").expect("stacks 1: 100, 3: 100, 4: 100")


# ------------------------------------------------------------------ the deck


def test_the_shuffle_of_each_preset_is_posted() -> None:
    """R-DECK-02, rules §1: wash, three riffles, three cuts by the school; riffle-riffle-box-riffle elsewhere."""
    rules = [house_rules(preset) for preset in ("seeds", "live_cash", "tournament")]
    assert [(r.shuffle_wash, r.shuffle_riffles, r.shuffle_strip_cuts) for r in rules] == [
        (True, 3, 3),
        (True, 3, 1),
        (True, 3, 1),
    ]
    assert {r.cut_min_cards for r in rules} == {10}, "R-DECK-03"


def test_a_burn_is_never_a_card_of_a_seat() -> None:
    """R-DECK-01, R-DEAL-03: what is out of the stub lies in exactly one place, street after street."""
    hand = Hand("1 2 3 4 5 6 7")
    for street in range(3, 8):
        hand.reach(street, cards=1).expect(f"burns {street - 3 if street < 7 else 1}")  # a scramble takes the burns back
    assert hand.state.due[0].place is Spot.BURN
