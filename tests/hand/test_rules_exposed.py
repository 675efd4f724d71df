"""Exposed cards, as the rule book tells them: R-EXP-01 to R-EXP-06, Q-52, Q-58, Q-59, Q-68, Q-69."""

from __future__ import annotations

import pytest
from support.slips_dsl import Hand

from controller.hand.irregular_events import SeventhShown
from controller.hand.stakes import Stakes


def seventh(live: str = "2 5 8", cards: int = 1, **knobs: str) -> Hand:
    """Seventh street after checks, its burn and ``cards`` - 1 sevenths dealt; seat 2 opens with an ace."""
    return Hand(live, cards={}, **knobs).deal("2: (?? ??) Ah").reach(7, cards=cards)


# ------------------------------------------------------------------ first street cards


def test_one_hole_card_exposed_comes_third_card_down() -> None:
    """R-EXP-01, rules §24 case 21: seat 5's second card 2c is flipped: its third goes down, and 2c brings in."""
    hand = Hand("2 5 7")
    hand.deal("2: (As Kd) 4d | 5: (Kh 2c) Qs | 7: (Ad Kc) 9s", cards=5)
    hand.slip("dealer exposes card 2 of seat 5")
    hand.expect("to come: 7 down, 2 up, 5 down, 7 up").deal()
    hand.expect("seat 5 holds (Kh Qs) 2c", "seat 5 opens", "seat 5 may only bring in 2 or complete 4")


def test_the_first_card_exposed_is_the_same() -> None:
    """R-EXP-01: noticed before the second round; he has one up and two down like everybody."""
    hand = Hand("2 5 7")
    hand.deal("5: 2c Kh Qs", cards=3)
    hand.slip("dealer exposes card 1 of seat 5").deal()
    hand.expect("seat 5 holds (Kh Qs) 2c", "seat 5 opens", "stub 43")


@pytest.mark.parametrize("preset", ["tournament"])
def test_one_hole_card_exposed_is_a_misdeal_in_the_tournament_preset(preset: str) -> None:
    """R-EXP-01 ``misdeal``: antes stay, the deck is gathered; the dealer alone may not give up a deal."""
    hand = Hand("2 5 7", preset=preset)
    hand.deal("5: Kh 2c", cards=5)
    hand.refuse("dealer: dealer exposes card 2 of seat 5", "R-EXP-01")
    hand.slip("floor: dealer exposes card 2 of seat 5")
    hand.expect("hand is redeal", "load 52", "pot 3")


def test_one_hole_card_exposed_in_a_tournament_by_tda() -> None:
    """R-EXP-01: TDA RP-10A plays on with ``third_down`` in a tournament too."""
    hand = Hand("2 5 7", preset="tournament", expose__one_hole="third_down")
    hand.deal("5: Kh 2c Qs", cards=5)
    hand.slip("dealer exposes card 2 of seat 5").deal()
    hand.expect("seat 5 holds (Kh Qs) 2c")


def both_exposed(seats: str = "1 2 3 4 5 6 7", **knobs: str) -> Hand:
    """Seat 3 gets 2c and Kd, both face up; doors 5c at seat 4 and 4h at seat 6."""
    hand = Hand(seats, **knobs)
    hand.deal("3: 2c Kd Qh | 4: (?? ??) 5c | 6: (?? ??) 4h", cards=3)
    hand.slip("dealer exposes card 1 of seat 3")
    hand.deal("", cards=7)
    return hand


def test_both_hole_cards_exposed_is_a_dead_hand_with_refund() -> None:
    """R-EXP-02: 1 back to seat 3, pot 6; 2c would have been low: seat 4 has fold, bring-in 2, complete 4 though 4h is lower."""
    hand = both_exposed()
    hand.refuse("dealer: dealer exposes card 1 of seat 3", "R-EXP-02")
    hand.slip("floor: dealer exposes card 1 of seat 3")
    hand.expect("seat 3 is dead with refund", "pot 6", "stacks 3: 100")
    hand.expect("to come: 4 down, 5 down, 6 down, 7 down, 1 up, 2 up, 3 down, 4 up, 5 up, 6 up, 7 up")
    hand.deal()
    hand.expect("seat 4 may bring in 2, complete 4, or fold")


def test_after_a_refund_each_seat_is_asked_until_one_opens() -> None:
    """Q-27: each seat from the dead one's left on may fold, post 2 or open for 4; a refunded hand never posts."""
    hand = both_exposed()
    hand.slip("floor: dealer exposes card 1 of seat 3").deal()
    hand.act("seats 4 and 5 fold").expect("seat 6 may bring in 2, complete 4, or fold")
    hand.act("seat 6 completes").expect("seat 7 may call 4 or raise 8", "stacks 3: 100")


def test_a_refunded_hand_that_is_not_low_changes_nothing_else() -> None:
    """R-EXP-02: the first exposed card is a king, so the low door card of another seat must post."""
    hand = Hand("1 3 4")
    hand.deal("3: Kd 2c Qh | 4: (?? ??) 3c", cards=2)
    hand.slip("dealer exposes card 1 of seat 3").deal("", cards=3)
    hand.slip("floor: dealer exposes card 1 of seat 3").deal()
    hand.expect("seat 4 may only bring in 2 or complete 4")


def test_a_refunded_hand_gets_its_third_card_and_counts_in_n_alone() -> None:
    """Q-59: the third card is dealt face down so that nobody's cards move; n counts him, L does not, R does not."""
    hand = both_exposed("1 3 4 6")
    hand.slip("floor: dealer exposes card 1 of seat 3").deal()
    hand.expect("stub 40").act("seat 4 brings in, seats 6 and 1 call")
    hand.expect("to come: burn, 1 up, 4 up, 6 up")


def test_two_players_one_dead_with_refund() -> None:
    """Q-59: ante 1, seat 1 dead: 1 back to each, no post."""
    hand = Hand("1 2")
    hand.deal("1: 2c Kd", cards=1)
    hand.slip("dealer exposes card 1 of seat 1").deal("", cards=2)
    hand.slip("floor: dealer exposes card 1 of seat 1")
    hand.expect("hand is over", "stacks 1: 100, 2: 100")


def test_both_hole_cards_exposed_under_the_other_values() -> None:
    """R-EXP-02 ``misdeal`` and ``play_on``: given up; or both lie up, and one later up card comes down."""
    both_exposed(expose__two_hole="misdeal").slip("floor: dealer exposes card 1 of seat 3").expect("hand is redeal", "pot 7")
    hand = both_exposed("1 3 4", expose__two_hole="play_on")
    hand.slip("floor: dealer exposes card 1 of seat 3").deal()
    hand.expect("seat 3 holds (Qh) 2c Kd", "seat 3 may only bring in 2 or complete 4")
    hand.act("seat 3 brings in, seats 4 and 1 call").expect("to come: burn, 1 up, 3 down, 4 up")
    hand.deal().expect("street 4")


def hole_and_door(**knobs: str) -> Hand:
    """Seat 3's second card lies up, and by a second error its door card too; the bring-in of seat 4 is not posted yet."""
    hand = Hand("1 3 4 6", **knobs)
    hand.deal("3: Ah 5d Qc | 4: (?? ??) 3c | 1: (?? ??) 8h | 6: (?? ??) 9h")
    return hand


def test_hole_and_door_card_up_is_a_misdeal_before_substantial_action() -> None:
    """R-EXP-03: two cards exposed by the dealer; always a floor call."""
    hand = hole_and_door()
    hand.refuse("dealer: dealer exposes card 2 of seat 3", "R-EXP-01")
    hand.slip("floor: dealer exposes card 2 of seat 3").expect("hand is redeal")


def test_hole_and_door_card_up_plays_on_after_substantial_action() -> None:
    """R-EXP-03: the first exposed card is the door card, the next card comes down: three down, four up overall."""
    hand = hole_and_door().act("seat 4 brings in, seat 6 calls, seat 1 calls")
    hand.slip("floor: dealer exposes card 2 of seat 3")
    hand.expect("seat 3 holds (Ah) 5d Qc").act("seat 3 calls")
    hand.expect("to come: burn, 1 up, 3 down, 4 up, 6 up").reach(7)
    entry = hand.seat(3)
    assert (len(entry.down), len(entry.up)) == (3, 4)


def test_hole_and_door_card_up_may_be_played_on_at_once() -> None:
    """R-EXP-03 ``play_on``: before the post the low card is read anew: 2d of seat 3 is its door card now."""
    hand = Hand("1 3 4 6", expose__hole_and_door="play_on")
    hand.deal("3: Ah 2d Qc | 4: (?? ??) 3c")
    hand.expect("seat 4 opens").slip("floor: dealer exposes card 2 of seat 3")
    hand.expect("seat 3 opens", "seat 3 may only bring in 2 or complete 4")


def test_one_hole_card_at_each_of_two_seats() -> None:
    """Q-58, R-MIS-01: a misdeal before substantial action; afterwards each plays with that card as its door card."""
    hand = Hand("1 3 4 6")
    hand.deal("1: Kh | 3: 5d", cards=2)
    hand.slip("dealer exposes card 1 of seat 1")
    hand.slip("floor: dealer exposes card 1 of seat 3").expect("hand is redeal", "pot 4")
    late = Hand("1 3 4 6")
    late.deal("1: Kh | 3: Ah 5d Qc | 4: (?? ??) 3c", cards=1)
    late.slip("dealer exposes card 1 of seat 1").deal()
    late.act("seat 4 brings in, seat 6 calls, seat 1 calls").slip("floor: dealer exposes card 2 of seat 3")
    late.expect("seat 3 holds (Ah) 5d Qc", "seat 3 is asked")


# ------------------------------------------------------------------ played as dealt


def test_a_card_of_fourth_street_or_later_plays_as_dealt() -> None:
    """R-EXP-04: what the player drops or flashes plays; after third street no exposure of a down card is ruled."""
    hand = Hand("1 3 4")
    hand.deal("4: (?? ??) 2c")
    hand.act("seat 4 brings in, seats 1 and 3 call").deal()
    hand.refuse("dealer exposes card 1 of seat 3", "R-EXP-04")


def test_a_card_sent_off_the_table_counts_as_exposed() -> None:
    """R-EXP-04: an off-table first hole card is ruled as R-EXP-01: it must play."""
    hand = Hand("2 5 7")
    hand.deal("5: Td Kh Qs", cards=2)
    hand.slip("dealer exposes card 1 of seat 5").deal()
    hand.expect("seat 5 holds (Kh Qs) Td")


def test_no_card_of_a_folded_seat_and_no_fourth_card_is_exposed() -> None:
    """R-EXP-01: a ruling names a live seat and a card that lies there."""
    hand = Hand("2 5 7")
    hand.deal("", cards=4)
    hand.refuse("dealer exposes card 3 of seat 5", "R-EXP-01")
    hand.refuse("dealer exposes card 1 of seat 8", "R-EXP-01")


# ------------------------------------------------------------------ door card face down


def door_down(**knobs: str) -> Hand:
    """Seat 6's door card 8d is slid face down beside Ah and 3c: the reader holds play."""
    hand = Hand("1 6", **knobs)
    hand.deal("6: Ah 3c | 1: (?? ??) 9c", cards=5)
    hand.slip("8d lies at seat/6/down").expect("held: wrong_place")
    return hand


def test_a_door_card_dealt_down_is_turned_before_the_bring_in_is_known() -> None:
    """R-EXP-05 ``recorded_third``: the log knows 8d as the third; turned up, only now the bring-in is computed."""
    hand = door_down()
    hand.expect("nobody is asked").slip("felt right").deal("6: 8d")
    hand.expect("seat 6 holds (Ah 3c) 8d", "seat 6 is asked")


@pytest.mark.parametrize(("turned", "asked"), [("1st", 1), ("2nd", 6), ("3rd", 6)])
def test_mixed_cards_are_turned_by_chance(turned: str, asked: int) -> None:
    """R-EXP-05: the player mixed them: one of three at random, and the bring-in by that card."""
    hand = door_down(expose__door_down="random_of_three").slip("felt right")
    hand.deal("6: 8d")
    hand.slip(f"of seat 6's three cards the {turned} is turned").expect(f"seat {asked} opens", f"seat {asked} is asked")


def test_who_may_turn_which_card() -> None:
    """R-EXP-05, R-RULE-01: the dealer turns the recorded third alone; a random one is the floor's, and so is the other knob."""
    hand = door_down().slip("felt right")
    hand.deal("6: 8d")
    hand.refuse("dealer: of seat 6's three cards the 1st is turned", "R-EXP-05")
    hand.slip("dealer: of seat 6's three cards the 3rd is turned").expect("seat 6 holds (Ah 3c) 8d")
    other = door_down(expose__door_down="random_of_three").slip("felt right")
    other.deal("6: 8d")
    other.refuse("dealer: of seat 6's three cards the 3rd is turned", "R-EXP-05")


def test_a_door_card_is_settled_once_something_is_posted() -> None:
    """R-EXP-05: before any action."""
    hand = door_down().slip("felt right")
    hand.deal("6: 8d")
    hand.act("seat 6 brings in").refuse("of seat 6's three cards the 1st is turned", "R-EXP-05")


def test_a_later_up_card_dealt_down_is_turned_before_action() -> None:
    """R-EXP-05: a 4th-street card in the down zone holds play until it lies up."""
    hand = Hand("1 6")
    hand.deal("1: (?? ??) 2c")
    hand.act("seat 1 brings in, seat 6 calls").deal("", cards=1)
    hand.slip("Qd lies at seat/1/down").expect("held: wrong_place").slip("felt right").deal("1: Qd")
    hand.expect("street 4", "not held")


# ------------------------------------------------------------------ seventh street


def test_the_first_live_seats_seventh_is_up_so_all_are() -> None:
    """R-EXP-06 ``wsop_live``: everyone's seventh is dealt up, betting is normal, nobody may declare (Q-69)."""
    hand = seventh()
    hand.deal("2: Jd", cards=1)
    hand.slip("seat 2's seventh is up").expect("to come: 5 up, 8 up").deal()
    hand.expect("seat 2 may check or bet 8")
    assert all(entry.seventh_up for entry in hand.state.seats)
    for seat in (2, 5, 8):
        hand.refuse(f"seat {seat} declares all-in", "R-EXP-06")


def test_another_seats_seventh_is_up_and_it_may_declare() -> None:
    """R-EXP-06 example, Q-52: pot 60; seat 5's Jd is up, 8's goes down, 5 declares; 2 and 8 bet and call 8: side pot 16."""
    hand = Hand("2 5 8", stakes=Stakes(ante=4, bring_in=2, small=4, big=8), later="Jd")
    hand.deal("2: (?? ??) Ah | 5: (?? ??) 3c").act("seat 5 completes, seats 8 and 2 call")
    hand.deal().act("seat 2 bets 4, seats 5 and 8 call").deal().act("seat 2 bets 8, seats 5 and 8 call")
    hand.deal().act("seat 2 checks, seat 5 checks, seat 8 checks").expect("pot 60").deal(cards=2).deal("5: Jd", cards=1)
    hand.slip("seat 5's seventh is up").expect("to come: 8 down").deal()
    hand.expect("seat 2 may check or bet 8").slip("seat 5 declares all-in").expect("seat 5 is all-in", "stacks 5: 80")
    hand.act("seat 2 bets 8, seat 8 calls").expect("pots 60 for 2 5 8 and 16 for 2 8")


def test_a_declared_all_in_cannot_be_bet_out() -> None:
    """Q-52: if 8 folds to a bet, 2 gets it back and the pot is shown down between 2 and 5."""
    hand = seventh(cards=3)
    hand.slip("seat 5's seventh is up").deal()
    hand.slip("seat 5 declares all-in").act("seat 2 bets 8, seat 8 folds")
    hand.expect("pots 9 for 2 5", "hand is showdown", "stacks 2: 97, 5: 97", "order 2 5")


def test_a_declaration_comes_before_any_action() -> None:
    """Q-52: silence is in for all action; without an exposed seventh there is nothing to declare."""
    hand = seventh(cards=3)
    hand.slip("seat 5's seventh is up").deal()
    hand.refuse("seat 8 declares all-in", "R-EXP-06")
    hand.act("seat 2 checks").refuse("seat 5 declares all-in", "R-EXP-06")


def test_two_live_and_the_second_declares() -> None:
    """R-EXP-06, Q-52: two live: the other has nobody to bet against: the round is over and the hands are shown."""
    hand = seventh("2 5")
    hand.deal()
    hand.slip("seat 5's seventh is up").slip("seat 5 declares all-in")
    hand.expect("hand is showdown", "pots 6 for 2 5")


def test_two_live_and_the_first_is_up() -> None:
    """R-EXP-06: the second's seventh is dealt up too, betting is normal."""
    hand = seventh("2 5")
    hand.deal("", cards=1)
    hand.slip("seat 2's seventh is up").expect("to come: 5 up").deal()
    hand.expect("seat 2 may check or bet 8")


def test_two_later_seats_exposed() -> None:
    """Q-69: live 2, 5, 8: 5 and 8 exposed: 2's card stays down, 5 and 8 are asked."""
    hand = seventh()
    hand.deal()
    hand.slip("seat 5's seventh is up").slip("seat 8's seventh is up")
    assert hand.state.may_declare == (5, 8)
    assert not hand.seat(2).seventh_up
    hand.slip("seat 8 declares all-in").slip("seat 5 declares all-in").expect("hand is showdown")


def test_an_all_in_first_seat_keeps_its_card_and_the_others_get_normal_ones() -> None:
    """R-EXP-06's last row, Q-69: the first live seat is all-in and exposed: 5 and 8 get theirs down, it declares nothing."""
    hand = Hand("2:3 5 8").deal("5: (?? ??) Ah").reach(7, cards=2)
    hand.slip("seat 2's seventh is up").expect("to come: 5 down, 8 down").deal()
    hand.expect("seat 5 may check or bet 8").refuse("seat 2 declares all-in", "R-EXP-06")


@pytest.mark.parametrize(("knob", "opens"), [("wsop_live", 2), ("rrop", 5)])
def test_who_opens_with_an_exposed_seventh(knob: str, opens: int) -> None:
    """R-EXP-06, Q-31: the 6th-street opener; by RRoP the hand now high counting all up cards: the queen pairs seat 5's board."""
    hand = Hand("2 5 8", later="Qs", expose__seventh=knob).deal("2: (?? ??) Kh | 5: (?? ??) Qd").reach(7, cards=2)
    hand.deal("5: Qs", cards=1).slip("seat 5's seventh is up").deal()
    hand.expect(f"seat {opens} is asked")


def test_by_rrop_the_first_seats_card_leaves_the_others_down() -> None:
    """R-EXP-06 ``rrop``: others get theirs down, and that player may declare all-in before the betting."""
    hand = seventh(expose__seventh="rrop")
    hand.deal("", cards=1)
    hand.slip("seat 2's seventh is up").expect("to come: 5 down, 8 down").deal()
    hand.slip("seat 2 declares all-in").expect("seat 5 may check or bet 8")


def test_a_replaced_seventh_is_the_next_card_of_the_stub() -> None:
    """Q-68 ``replace``: the round is finished, then the next card goes down, no burn; the exposed one is dead."""
    hand = seventh(expose__seventh="replace")
    hand.deal("5: Jd", cards=2)
    hand.slip("seat 5's seventh is up").expect("to come: 8 down, 5 down").deal("5: Tc")
    hand.expect("seat 2 may check or bet 8", "burns 4")
    assert [card.text for card in hand.seat(5).down[2:] if card] == ["Tc"]


def test_the_last_seats_seventh_is_replaced_after_the_round_was_opened() -> None:
    """Q-68: noticed when the betting is open already: the card is dealt first, and the round opens again."""
    hand = seventh(expose__seventh="replace")
    hand.deal()
    hand.expect("seat 2 is asked").slip("seat 8's seventh is up").expect("to come: 8 down", "nobody is asked").deal()
    hand.expect("seat 2 may check or bet 8")


def test_a_replacement_when_only_the_last_card_is_left() -> None:
    """Q-68: S = R + 2: after the deal one card is left: it is scrambled with the four burns, and of five cards one is dealt."""
    hand = Hand("1 2 3 4 5 6 7 8", expose__seventh="replace").deal("8: (?? ??) 2c | 1: (?? ??) Ah")
    hand.act("seat 8 brings in, seats 1 and 2 and 3 and 4 and 5 call, seats 6 and 7 fold").reach(6)
    hand.act("seat 1 bets 8, seats 2 and 3 and 4 and 5 call, seat 8 folds").expect("stub 7")
    hand.deal().expect("stub 1", "burns 4").slip("seat 3's seventh is up")
    hand.expect("hand is scramble", "load 5").load().expect("to come: 3 down").deal()
    hand.expect("stub 4", "seat 1 may check or bet 8")


def test_no_betting_left_so_the_exposed_seventh_stays() -> None:
    """Q-68, TDA RP-10B: everybody is all-in: the card stays, nobody declares."""
    hand = Hand("2:3 5:3 8:3", expose__seventh="replace").reach(4)
    hand.reach(7, cards=2).slip("seat 2's seventh is up")
    assert hand.happened(SeventhShown)[0].may_declare is False
    hand.deal().expect("hand is showdown")
