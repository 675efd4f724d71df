"""Rulings and corrections: R-RULE-01 to R-RULE-06, R-BET-11 to R-BET-14, Q-42 to Q-47, Q-84."""

from __future__ import annotations

import pytest
from support.slips_dsl import Hand

from controller.hand.betting import legal_actions
from controller.hand.corrections import read_chips


def street(number: int, seats: str = "2 5 7", opens: int = 2, **options: str) -> Hand:
    """A street dealt after checks; seat ``opens`` shows an ace."""
    return Hand(seats, **options).deal(f"{opens}: (?? ??) Ah").reach(number)


# ------------------------------------------------------------------ floor call


def test_a_stop_freezes_the_hand_and_rulings_are_its_way_out() -> None:
    """R-RULE-01: no action, no card, no clock; a ruling is accepted, and play goes on when the felt is right."""
    hand = street(5).act("seat 2 bets 8").slip("felt wrong, floor_call")
    hand.refuse("seat 5 calls 8", "R-RULE-01")
    hand.refuse("seat 5's time is over", "R-RULE-01")
    hand.refuse("seat 5 puts 8 in 1 chip", "R-RULE-01")
    hand.slip("seat 7 is dead, penalty").expect("held: floor_call", "seat 7 is dead")
    hand.slip("felt right").act("seat 5 calls")


# ------------------------------------------------------------------ undo


def test_the_dealer_takes_back_the_last_action_once() -> None:
    """R-RULE-02: until the next player has acted; amounts, raise count, levels and turn, all or nothing."""
    hand = street(5).act("seat 2 bets 8, seat 5 raises 16")
    before = hand.state.previous
    hand.slip("dealer: undo").expect("seat 5 may call 8 or raise 16", "stacks 5: 97")
    assert before is not None
    assert hand.state.round == before.round
    hand.refuse("dealer: undo", "R-RULE-02")
    hand.slip("floor: undo").expect("seat 2 may check or bet 8", "stacks 2: 97")
    hand.refuse("floor: undo", "R-RULE-02")


def test_an_action_after_an_undo_may_be_undone_again() -> None:
    """R-RULE-02."""
    hand = street(5).act("seat 2 bets 8").slip("dealer: undo").act("seat 2 checks").slip("dealer: undo")
    hand.expect("seat 2 may check or bet 8")


def test_the_dealers_undo_of_the_closing_action_ends_with_the_burn() -> None:
    """Q-84: dealer until the burn leaves the shoe; floor until the next seat card is dealt; the burn stays the burn."""
    hand = street(4).act("seat 2 bets 4, seat 5 calls, seat 7 calls").expect("street 5")
    hand.slip("dealer: undo").expect("street 4", "seat 7 may call 4 or raise 8").act("seat 7 calls").deal(cards=1)
    hand.refuse("dealer: undo", "R-RULE-02")
    hand.slip("floor: undo").expect("seat 7 may call 4 or raise 8", "burns 2").act("seat 7 folds")
    hand.expect("to come: 2 up, 5 up").deal(cards=1).refuse("floor: undo", "R-RULE-02")


def test_a_card_ends_every_undo() -> None:
    """R-RULE-02: cards are never un-seen: only a forward ruling is left."""
    street(5).refuse("floor: undo", "R-RULE-02")


def test_a_fold_that_ended_the_hand_is_taken_back_before_the_next_hand() -> None:
    """R-RULE-02, Q-84: no card was dealt on the strength of it: pot, stacks and turn are as before."""
    hand = street(5, "2 5").act("seat 2 bets 8, seat 5 folds").expect("hand is over", "stacks 2: 103")
    hand.slip("dealer: undo").expect("seat 5 may call 8 or raise 16", "stacks 2: 89, 5: 97", "pot 14")


def test_the_last_call_of_seventh_is_taken_back_until_a_hand_is_shown() -> None:
    """R-RULE-02, Q-84: the showdown is open; once cards are exposed on the strength of it no undo is left."""
    hand = street(7, "2 5").act("seat 2 bets 8, seat 5 calls").expect("hand is showdown")
    hand.slip("dealer: undo").expect("seat 5 may call 8 or raise 16").act("seat 5 calls").slip("seat 2 tables")
    hand.refuse("floor: undo", "R-RULE-02")


def test_an_undo_does_not_revive_a_killed_hand() -> None:
    """R-RULE-02, R-ERR-07: a ruling is not undone with the action before it."""
    hand = street(5).act("seat 2 bets 8").slip("seat 7 is dead, mixed")
    hand.refuse("floor: undo", "R-RULE-02")


def test_undo_of_a_ghosts_end() -> None:
    """Q-84, Q-11: the first chips after a free fold ended its ghost cards; undone, the ghost is back."""
    hand = street(4).act("seat 2 folds").expect("seat 2 is a ghost").act("seat 5 bets 4").expect("seat 2 is folded")
    hand.slip("dealer: undo").expect("seat 2 is a ghost", "seat 5 may check or bet 4")


# ------------------------------------------------------------------ void, award, calls, secrets


@pytest.mark.parametrize("number", [3, 4, 5, 6, 7])
def test_a_void_refunds_every_contribution_on_every_street(number: int) -> None:
    """R-RULE-03: antes and bring-in included, no rake."""
    hand = street(number, preset="live_cash").slip("void, floor")
    hand.expect("stacks 2: 100, 5: 100, 7: 100", "pot 0", "hand is void")


def tabled() -> Hand:
    """Seat 2's aces against seat 5's kings at the showdown, both tabled."""
    hand = Hand("2 5").deal("2: (As Ac) 2c 3d 7h 9h 4c | 5: (Kh Kd) 4h 5d 8s Ts 6c").reach(7)
    hand.act(f"seat {hand.actor} checks")
    hand.act(f"seat {hand.actor} checks")
    return hand.slip("seat 2 tables").slip("seat 5 tables")


def test_a_wrong_push_is_corrected_until_the_next_hand() -> None:
    """R-RULE-04, R-SHOW-10: the award is taken back; a hand that was misread is killed, and the pot is pushed again."""
    hand = tabled().slip("award").expect("won 2: 6", "hand is over").slip("undo the award").expect("hand is showdown", "won 2: 0")
    hand.slip("seat 2 is dead, wrong count").expect("won 5: 6", "hand is over")


def test_no_award_is_undone_before_it_was_made() -> None:
    """R-RULE-04."""
    tabled().refuse("undo the award", "R-SHOW-10")


def test_an_award_undone_twice() -> None:
    """R-RULE-04: award, undo, award, undo: chips are conserved each time."""
    hand = tabled()
    for _ in range(2):
        hand.slip("award").slip("undo the award").expect("hand is showdown")
    hand.refuse("undo the award", "R-SHOW-10")


def test_no_refund_for_a_call_that_was_beaten_on_board() -> None:
    """R-RULE-05: the call stands like any other; only the usual undo of a mis-entered action could take it back."""
    hand = Hand("2 5").deal("2: (?? ??) Ah As Ac Ad | 5: (?? ??) 2c 3d 8s Ts").reach(6).act("seat 2 bets 8, seat 5 calls")
    hand.expect("pot 22", "stacks 5: 89").deal(cards=2).refuse("floor: undo", "R-RULE-02")


def test_no_refusal_and_no_text_of_a_ruling_tells_a_card() -> None:
    """R-RULE-06: refusals name seats, amounts and rules; events and inputs hide down cards and burns in their text."""
    hand = Hand("1 3 6", later="Qd 7d").deal("1: (?? ??) Ah").reach(4).slip("too early: burn Qd, 7d")
    told = repr(hand.events) + repr(hand.state) + repr(hand.refuse("seat 1 checks", "R-RULE-01"))
    assert not any(card.text in told for _, card in hand.laid)
    assert "Qd" not in told
    assert "7d" not in told


# ------------------------------------------------------------------ wrong amounts


def test_a_bet_that_is_too_small_is_brought_up() -> None:
    """R-BET-11 example: 5th street: 4 put out, seat 5 calls 4: both are brought to 8; seat 5 may not raise now."""
    hand = street(5).slip("seat 2 puts 4 in 1 chip").expect("stacks 2: 89").slip("seat 5 puts 4 in 1 chip")
    hand.expect("stacks 5: 89", "seat 7 may call 8 or raise 16")


def test_a_bet_that_is_too_large_is_reduced() -> None:
    """R-BET-11: to the legal size, the rest comes back."""
    street(5).slip("seat 2 puts 20 in 4 chips").expect("stacks 2: 89", "seat 5 may call 8 or raise 16")


def test_a_wrong_amount_in_words_is_refused_with_the_right_one() -> None:
    """R-BET-11, R-BET-13: what is said must be legal."""
    hand = street(5)
    assert dict(hand.refuse("seat 2 bets 4", "R-BET-11").values)["allowed"] == "8"
    hand.act("seat 2 bets 8").refuse("seat 5 calls 4", "R-BET-11")
    hand.refuse("seat 5 raises 20", "R-BET-11")


def test_the_wrong_limit_with_a_short_stack() -> None:
    """Q-45: 5th: bet 4, seat 5 with 6 calls 4; corrected: bettor 8, seat 5 all-in 6."""
    hand = street(5, "2 5:9 7").expect("stacks 5: 6").slip("seat 2 puts 4 in 4 chips").slip("seat 5 puts 4 in 4 chips")
    hand.expect("stacks 5: 0, 2: 89", "seat 5 is all-in", "seat 7 may call 8 or raise 16")


def test_a_raise_beyond_the_cap() -> None:
    """Q-44, R-BET-03: 8-16-24-32: the console refuses 40, and chips for it are a call."""
    hand = street(5, "2 5").act("seat 2 bets 8, seat 5 raises 16, seat 2 raises 24, seat 5 raises 32")
    hand.refuse("seat 2 raises 40", "R-BET-03")
    hand.slip("seat 2 puts 16 in 4 chips").expect("street 6", "stacks 2: 65, 5: 65")


# ------------------------------------------------------------------ silent chips


@pytest.mark.parametrize(
    ("chips", "pieces", "to"),
    [(12, 3, 16), (11, 3, 8), (25, 1, 8), (16, 2, 16), (8, 1, 8), (5, 2, 8), (40, 5, 16)],
)
def test_silent_chips_facing_8(chips: int, pieces: int, to: int) -> None:
    """R-BET-12 ✔: 12 in several chips: raise to 16; 11: call, 3 back; one chip of 25: call, 17 back."""
    hand = street(5).act("seat 2 bets 8").slip(f"seat 5 puts {chips} in {pieces} chips")
    hand.expect(f"totals 5: {3 + to}")


def test_silent_chips_at_the_cap() -> None:
    """Q-46: at the cap, facing 8 a silent 12: call, 4 back."""
    hand = street(5, "2 5", cap__max_raises="1").act("seat 2 bets 8, seat 5 raises 16").slip("seat 2 puts 12 in 3 chips")
    hand.expect("street 6", "stacks 2: 81")


def test_silent_chips_when_all_opponents_are_all_in() -> None:
    """Q-46, R-BET-10: everything above the call comes back."""
    street(5, "2:11 5").act("seat 2 bets 8").slip("seat 5 puts 24 in 3 chips").expect("stacks 5: 89")


@pytest.mark.parametrize(("chips", "pieces", "to"), [(8, 1, 8), (25, 1, 8), (4, 1, 4), (4, 4, 4)])
def test_silent_chips_with_an_open_pair(chips: int, pieces: int, to: int) -> None:
    """Q-46: one chip of at least big is the big bet; one or more chips worth exactly small are the small bet."""
    hand = Hand("2 5").deal("2: (?? ??) 9h 9c | 5: (?? ??) 2c 3d").reach(4)
    hand.slip(f"seat 2 puts {chips} in {pieces} chips").expect(f"totals 2: {3 + to}")


@pytest.mark.parametrize(("chips", "pieces"), [(8, 2), (6, 2), (5, 1), (2, 2)])
def test_silent_chips_that_mean_nothing(chips: int, pieces: int) -> None:
    """Q-46: with an open pair anything else: the dealer asks."""
    hand = Hand("2 5").deal("2: (?? ??) 9h 9c | 5: (?? ??) 2c 3d").reach(4)
    hand.refuse(f"seat 2 puts {chips} in {pieces} chips", "R-BET-12")


def test_silent_chips_that_are_a_double_raise_with_an_open_pair() -> None:
    """R-BET-05, R-BET-12: facing 4 with both sizes open, 12 in several chips is the raise by 8, 8 the raise by 4."""
    for chips in (8, 12):
        hand = Hand("2 5").deal("2: (?? ??) 9h 9c | 5: (?? ??) 2c 3d").reach(4).act("seat 2 bets 4")
        hand.slip(f"seat 5 puts {chips} in 3 chips").expect(f"totals 5: {3 + chips}")


def test_silent_chips_for_the_bring_in() -> None:
    """R-BET-12, R-BRING-04: up to 2 is the post, more is the opening for small; over a post at least half of 4 completes."""
    for chips, paid in ((2, 2), (1, 2), (4, 4), (3, 4)):
        Hand("1 2").deal("1: (?? ??) 2c").slip(f"seat 1 puts {chips} in {chips} chips").expect(f"totals 1: {1 + paid}")
    Hand("1 2 3").deal("1: (?? ??) 2c").act("seat 1 brings in").slip("seat 2 puts 4 in 4 chips").expect("totals 2: 5")
    Hand("1 2 3").deal("1: (?? ??) 2c").act("seat 1 brings in").slip("seat 2 puts 5 in 1 chip").expect("totals 2: 3")


def test_silent_chips_of_another_seat() -> None:
    """R-BET-14: chips before one's turn are no action."""
    street(5).refuse("seat 5 puts 8 in 1 chip", "R-BET-14")


def test_silent_chips_always_mean_something_legal_or_nothing() -> None:
    """R-BET-12: whatever is put in, never more than the stack and never what is not offered."""
    hand = street(5, "2 5:20 7").act("seat 2 bets 8")
    offered = set(legal_actions(hand.state))
    for chips in range(1, 60):
        for pieces in (1, 2, 9):
            assert read_chips(hand.state, chips, pieces) in offered


# ------------------------------------------------------------------ words and turns


def test_words_bind_in_turn() -> None:
    """R-BET-13: one action each; the same seat is not asked twice."""
    hand = street(5).act("seat 2 checks")
    hand.refuse("seat 2 bets 8", "R-BET-14")


def test_a_bet_out_of_turn_stands_after_a_check() -> None:
    """R-BET-14 example: seat 2 checks, seat 7 bets 8 over seat 5; seat 5 checks: seat 7's 8 stands."""
    hand = street(5).act("seat 2 checks").slip("out of turn: seat 7 bets 8").expect("seat 5 may check or bet 8", "stacks 7: 97")
    hand.act("seat 5 checks").expect("stacks 7: 89", "seat 2 may call 8 or raise 16")


def test_a_bet_out_of_turn_is_released_by_a_bet() -> None:
    """R-BET-14 example: seat 5 bets 8: seat 7 may call 8, raise to 16, or fold with his 8 back."""
    hand = street(5).act("seat 2 checks").slip("out of turn: seat 7 bets 8").act("seat 5 bets 8")
    hand.expect("seat 7 may call 8, raise 16, or fold", "stacks 7: 97")


def test_a_raise_over_a_skipped_seat() -> None:
    """Q-42 example: seat 7 raises to 16 over seat 5; 5 calls 8: 16 stands; 5 raises to 16: seat 7 chooses again."""
    hand = street(5).act("seat 2 bets 8").slip("out of turn: seat 7 raises 16").act("seat 5 calls")
    hand.expect("stacks 7: 81", "seat 2 may call 16 or raise 24")
    other = street(5).act("seat 2 bets 8").slip("out of turn: seat 7 raises 16").act("seat 5 raises 16")
    other.expect("seat 7 may call 16, raise 24, or fold", "stacks 7: 97")


def test_an_all_in_call_for_less_keeps_it_binding_and_a_fold_too() -> None:
    """Q-42: fold, check or a call (all-in for less too)."""
    hand = street(5, "2 5:9 7").act("seat 2 bets 8").slip("out of turn: seat 7 calls 8").act("seat 5 calls 6").expect("street 6")
    hand.expect("stacks 7: 89")
    street(5).act("seat 2 bets 8").slip("out of turn: seat 7 calls 8").act("seat 5 folds").expect("stacks 7: 89", "street 6")


def test_a_check_out_of_turn_is_released_by_a_bet() -> None:
    """Q-42: any increase of the price releases an out-of-turn check as well."""
    hand = street(5).slip("out of turn: seat 7 checks").act("seat 2 bets 8, seat 5 folds").expect("seat 7 may call 8 or raise 16")
    bound = street(5).slip("out of turn: seat 7 checks").act("seat 2 checks, seat 5 checks").expect("street 6")
    assert (hand.state.waiting, bound.state.waiting) == ((), ())


def test_a_raise_that_became_impossible_is_a_call() -> None:
    """Q-42: no opponent with chips is left: seat 2 is all-in, seat 5 folds."""
    hand = street(5, "2:11 5 7").act("seat 2 bets 8").slip("out of turn: seat 7 raises 16").act("seat 5 folds")
    hand.expect("totals 7: 11", "stacks 7: 89")


def test_several_seats_skipped() -> None:
    """Q-42: for each skipped seat in order."""
    hand = street(5, "2 4 5 7").slip("out of turn: seat 7 bets 8").act("seat 2 checks, seat 4 checks, seat 5 checks")
    hand.expect("seat 2 may call 8 or raise 16", "stacks 7: 89")


def test_an_action_out_of_turn_is_noted_once_and_only_out_of_turn() -> None:
    """R-BET-14, Q-47: the actor acts, all-in and folded seats do not, and a seat waits with one action."""
    hand = street(5, "2 5:3 7").act("seat 2 checks")
    hand.refuse("out of turn: seat 7 checks", "R-BET-14")
    hand.refuse("out of turn: seat 5 checks", "R-BET-14")
    waiting = street(5).slip("out of turn: seat 7 checks")
    waiting.refuse("out of turn: seat 7 bets 8", "R-BET-14")
    hand.refuse("seat 2 bets 8", "R-BET-14")


def test_an_action_announced_before_the_turn_is_not_entered() -> None:
    """Q-47: the console takes actions of the seat to act alone."""
    street(5).refuse("seat 7 bets 8", "R-BET-14")


def test_a_fold_out_of_turn_always_stands() -> None:
    """R-BET-14: whatever happens before its turn."""
    street(5).act("seat 2 checks").slip("out of turn: seat 7 folds").expect("seat 5 may check or bet 8", "seat 7 is a ghost")
    street(5).act("seat 2 bets 8").slip("out of turn: seat 7 folds").expect("seat 5 may call 8 or raise 16", "seat 7 is folded")


def test_a_fold_out_of_turn_stands_also_where_another_action_of_the_seat_waits() -> None:
    """R-BET-14: the bet that waited is gone with the hand, and no chip of it goes in."""
    hand = street(5).act("seat 2 checks").slip("out of turn: seat 7 bets 8").slip("out of turn: seat 7 folds")
    hand.expect("seat 5 may check or bet 8", "seat 7 is a ghost", "pot 9")
    hand.act("seat 5 checks").expect("pot 9")
    assert not hand.state.waiting


def test_a_fold_out_of_turn_by_the_last_but_one_ends_the_hand() -> None:
    """Q-43 example: two live: seat 2 to act, seat 6 throws his hand away: seat 2 wins without acting."""
    hand = street(5, "2 6").expect("seat 2 is asked").slip("out of turn: seat 6 folds").expect("hand is over", "won 2: 6")
    assert hand.seat(2).acted.value == 0


def test_a_bettor_throws_its_hand_away() -> None:
    """Q-43 ✔: totals 20 (bettor, mucked), 12, 12 (live): 8 back to him, pot 36 for the others."""
    hand = Hand("1 4 6").deal("1: (?? ??) Ah | 4: (?? ??) 3c").act("seat 4 brings in, seats 6 and 1 call").deal()
    hand.act("seat 1 bets 4, seats 4 and 6 call").deal()
    hand.expect("totals 1: 7, 4: 7, 6: 7").act("seat 1 bets 8").slip("out of turn: seat 1 folds")
    hand.expect("totals 1: 7, 4: 7, 6: 7", "pot 21", "seat 4 may check or bet 8")


def test_a_bettor_mucks_with_the_printed_totals() -> None:
    """Q-43 ✔: 20, 12 and 12: the pot of 36 is contested by the two that are left."""
    hand = Hand("1 4 6", stakes=street(3).state.setup.stakes._replace(ante=12)).deal("1: (?? ??) 2c")
    hand.act("seat 1 completes 4").slip("out of turn: seat 1 folds").expect("pot 40")  # a forced post stays
    later = Hand("1 4 6", stakes=street(3).state.setup.stakes._replace(ante=10)).deal("1: (?? ??) Ah | 4: (?? ??) 2c").reach(5)
    later.expect("totals 1: 12, 4: 12, 6: 12").act("seat 1 bets 8").expect("totals 1: 20").slip("out of turn: seat 1 folds")
    later.expect("totals 1: 12", "stacks 1: 88", "pot 36").act("seat 4 checks, seat 6 checks").expect("street 6")


def test_called_money_of_a_thrown_away_bet_stays() -> None:
    """Q-43: seat 5 has called the 8: nothing comes back, the price stays."""
    hand = street(5).act("seat 2 bets 8, seat 5 calls").slip("out of turn: seat 2 folds")
    hand.expect("totals 2: 11", "seat 7 may call 8 or raise 16")


def test_a_thrown_away_raise_gives_back_the_raise_alone() -> None:
    """Q-43, R-BET-03: 8, raise to 16 thrown away: 8 back, the bet of 8 stands and the raise is not counted."""
    hand = street(5, "2 5 7 8").act("seat 2 bets 8, seat 5 raises 16").slip("out of turn: seat 5 folds")
    hand.expect("totals 5: 11", "seat 7 may call 8 or raise 16")
    assert hand.state.round.raises == 0


def test_who_checked_before_a_bet_that_was_thrown_away_is_not_asked_again() -> None:
    """Q-43, R-BET-16: 2 checks, 5 bets, 7 folds, 5 throws away: seat 2 is alone; with seat 8 behind only that one is asked."""
    street(5).act("seat 2 checks, seat 5 bets 8, seat 7 folds").slip("out of turn: seat 5 folds").expect(
        "hand is over", "won 2: 9"
    )
    hand = street(5, "2 5 7 8").act("seat 2 checks, seat 5 bets 8, seat 7 folds").slip("out of turn: seat 5 folds")
    hand.expect("seat 8 may check or bet 8").act("seat 8 checks").expect("street 6")


def test_two_left_by_a_fold_out_of_turn_uncap_the_street() -> None:
    """Q-40, R-BET-04 ``uncapped_before_cap``: as soon as two are left while a raise is to come."""
    hand = street(5, cap__heads_up="uncapped_before_cap", cap__max_raises="1").act("seat 2 bets 8")
    hand.slip("out of turn: seat 7 folds").act("seat 5 raises 16").expect("seat 2 may call 16 or raise 24")
    killed = street(5, cap__heads_up="uncapped_before_cap", cap__max_raises="1").act("seat 2 bets 8")
    killed.slip("seat 7 is dead, mixed").act("seat 5 raises 16").expect("seat 2 may call 16 or raise 24")
