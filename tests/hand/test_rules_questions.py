"""Answered questions of rules §27 that no other test of the hand takes up, each with its example."""

from __future__ import annotations

import pytest
from support.slips_dsl import Hand

from controller.hand.commands import Act
from controller.hand.decide import decide
from controller.hand.stakes import Stakes
from controller.hand.terms import Verb


def test_a_short_bring_in_that_calls_itself_a_completion_is_a_short_post() -> None:
    """Q-16: b 75, seat 3 all-in for 40 "completing": there is only the post, and seat 4 owes 75; ``match_short``: 40."""
    for knob, owes in (("others_owe_full", 75), ("match_short", 40)):
        stakes = Stakes(ante=25, bring_in=75, small=200, big=400, unit=5)
        hand = Hand("3:65 4:900 5:900", stakes=stakes, bring_in__short=knob).deal("3: (?? ??) 2c")
        hand.expect("seat 3 may only bring in 40").refuse("seat 3 completes 40", "R-BRING-04")
        hand.act("seat 3 brings in 40").expect(f"seat 4 may call {owes} or complete 200")


@pytest.mark.parametrize(("knob", "order"), [("seat_order", "1 8"), ("first_to_act", "8 1"), ("from_bring_in_seat", "8 1")])
def test_who_shows_first_of_two_when_seventh_was_checked(knob: str, order: str) -> None:
    """Q-74: razz, live 1 and 8, bring-in 7, low board 8: shown 1, 8 by ``seat_order``."""
    hand = Hand("1 7 8", variant="razz", showdown__no_bet_order=knob).deal("1: (?? ??) Qd 9c | 7: (?? ??) Ks | 8: (?? ??) 2c 3d")
    hand.act("seat 7 brings in, seat 8 completes, seat 1 calls, seat 7 folds").reach(7)
    while hand.actor:
        hand.act(f"seat {hand.actor} checks")
    hand.expect(f"order {order}")


def test_cards_of_two_seats_that_got_mixed() -> None:
    """Q-91: told apart by the log, a hand swept with another plays on; else the hand of the one who mixed them is dead, and the
    innocent hand, whose cards are known, is given back."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(4).act("seat 1 bets 4").slip("seats 3 and 6 are dead, mixed")
    hand.expect("hand is over")
    hand = Hand("1 3 6 8").deal("1: (?? ??) Ah").reach(4).act("seat 1 bets 4").slip("seats 3 and 6 are dead, mixed")
    hand.expect("seat 8 is asked").slip("seat 3 gets its hand back").expect("seat 3 is live", "seat 6 is dead")
    hand.act("seat 8 calls").expect("seat 3 may call 4 or raise 8")


def test_a_player_who_shows_his_own_card_changes_nothing() -> None:
    """Q-92, R-EXP-04: what the player flashes plays: once the first deal is done, no command makes an exposed card of it."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(4)
    hand.refuse("floor: dealer exposes card 1 of seat 3", "R-EXP-04")


def test_each_seat_pays_from_its_own_stack() -> None:
    """Q-94, Q-95: an action moves chips of its seat alone, and the ledger says what each put in."""
    hand = Hand("1:30 3:12 6")
    while hand.actor:
        before = {entry.seat: (entry.stack, entry.total) for entry in hand.state.seats}
        actor = hand.actor
        hand.bets(f"{actor} " + ("post" if hand.state.round.post_due else "check" if not hand.state.round.match else "call"))
        changed = {entry.seat for entry in hand.state.seats if before[entry.seat] != (entry.stack, entry.total)}
        assert changed <= {actor}


def test_a_street_dealt_over_a_seats_turn_is_premature_and_no_check() -> None:
    """Q-97: seat 6 has not acted: the card stops play, goes back, and seat 6 is still asked, with every option."""
    hand = Hand("1 3 6", later="7d").deal("1: (?? ??) Ah").reach(4).act("seat 1 checks, seat 3 checks").expect("seat 6 is asked")
    hand.slip("7d lies at burn").expect("held: premature_card")
    refused = decide(hand.state, Act(6, Verb.CHECK, 0))
    assert refused.rule == "R-RULE-01"  # type: ignore[union-attr]
    hand.slip("floor: too early: burn 7d").slip("felt right").expect("seat 6 may check or bet 4")
    hand.act("seat 6 bets 4").expect("seat 1 may call 4 or raise 8")
