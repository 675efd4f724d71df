"""Players who are away, late, thrown out or wrongly designated: R-ABS, R-BRING-09, R-BRING-10, Q-20 to Q-28, Q-88."""

from __future__ import annotations

import pytest
from support.slips_dsl import Hand

from controller.hand.irregular_events import DeadCause
from controller.hand.rules import house_rules


def third(seats: str = "4 5 6 7 8", low: int = 5, **knobs: str) -> Hand:
    """Third street dealt, the low door card at seat ``low``, nothing posted."""
    return Hand(seats, **knobs).deal(f"{low}: (?? ??) 2c")


def later(street: int, seats: str = "2 5 7", opens: int = 2, **knobs: str) -> Hand:
    """A later street after checks; seat ``opens`` shows an ace."""
    return Hand(seats, **knobs).deal(f"{opens}: (?? ??) Ah").reach(street)


# ------------------------------------------------------------------ present at the deal


def test_a_seat_away_at_the_end_of_the_deal_is_killed_at_once_in_a_tournament() -> None:
    """R-ABS-01 ``on_deal``: dealt in, ante taken, hand killed; its low card still posts: Q-27, 2 leaves the stack, 6 is asked."""
    hand = Hand("4 5 6 7", preset="tournament").slip("seat 5 leaves").deal("5: (?? ??) 2c")
    hand.expect("seat 5 is dead", "stacks 5: 97", "seat 6 may call 2 or complete 4", "pot 6")


def test_a_seat_away_in_a_cash_game_is_killed_only_on_its_turn() -> None:
    """R-ABS-01 ``on_turn``: alive until the betting reaches it."""
    hand = Hand("4 5 6 7").slip("seat 6 leaves").deal("5: (?? ??) 2c").expect("seat 6 is live", "seat 6 is away")
    hand.act("seat 5 brings in").expect("seat 6 is dead", "stacks 6: 99", "seat 7 is asked")


def test_a_player_who_is_back_before_its_turn_plays() -> None:
    """R-ABS-01: absent.kill on_turn."""
    hand = third().slip("seat 6 leaves").slip("seat 6 is back").act("seat 5 brings in").expect("seat 6 may call 2 or complete 4")
    hand.refuse("seat 6 is back", "R-ABS-01")


def test_all_away_are_not_all_killed() -> None:
    """R-ABS-01, R-POT-10: with nobody present no hand is killed by the end of the deal."""
    hand = Hand("4 5", preset="tournament").slip("seat 4 leaves").slip("seat 5 leaves").deal("5: (?? ??) 2c")
    hand.expect("seat 4 is dead", "stacks 4: 99, 5: 101")  # 5 posts, 4 is killed facing it, the rest is 5's


@pytest.mark.parametrize(("low", "lost"), [("2c", 3), ("Kc", 1)])
def test_an_absent_low_card_pays_the_bring_in_to_the_one_hand_that_is_left(low: str, lost: int) -> None:
    """R-BRING-10, R-ABS-01, Q-20: heads-up at a tournament: seat 2 is away; its 2c posts 2, which seat 1 takes with the antes."""
    hand = Hand("1 2", preset="tournament").deal(f"1: (?? ??) 9h | 2: (?? ??) {low}", cards=2).slip("seat 2 leaves").deal()
    hand.expect("hand is over", f"stacks 1: {100 + lost}, 2: {100 - lost}")


def test_absence_never_gets_a_fourth_card_after_the_kill() -> None:
    """R-ABS-01, WSOP-T/7: no 4th-street card."""
    hand = Hand("4 5 6 7", preset="tournament").slip("seat 7 leaves").deal("5: (?? ??) 2c")
    hand.act("seat 5 brings in, seat 6 calls, seat 4 calls").expect("to come: burn, 4 up, 5 up, 6 up")


# ------------------------------------------------------------------ away when action comes


def test_an_absent_hand_is_checked_for_until_somebody_bets() -> None:
    """R-ABS-02: not killed while nobody has bet; dead when a bet reaches it."""
    hand = later(4).act("seat 2 checks").slip("seat 5 leaves").expect("seat 7 is asked", "seat 5 is live")
    hand.act("seat 7 bets 4").expect("seat 2 is asked").act("seat 2 calls").expect("seat 5 is dead", "street 5")


def test_ante_and_forced_bet_of_an_absent_hand_are_forfeited() -> None:
    """R-ABS-02, Q-54: nothing of them comes back, whoever wins."""
    hand = (
        third().slip("seat 5 leaves").expect("stacks 5: 97", "seat 6 is asked").act("seat 6 completes, seats 7 and 8 and 4 fold")
    )
    hand.expect("seat 5 is dead", "hand is over", "stacks 6: 106, 5: 97")


def test_an_absent_seat_counts_as_live_for_board_and_stub() -> None:
    """Q-10: not yet killed it may open, its pair counts, it gets its cards."""
    hand = (
        Hand("2 5 7").deal("2: (?? ??) Ah As | 5: (?? ??) 2c").act("seat 5 brings in, seats 7 and 2 call").slip("seat 2 leaves")
    )
    hand.deal().expect("seat 2 opens", "seat 5 may check, bet 4 or bet 8")


def test_a_player_leaves_for_good_with_a_live_hand() -> None:
    """Q-88: it owes nothing: it plays on as absent; all-in it contests its pot, and its cards are tabled at the showdown."""
    hand = Hand("1 2:3 3").reach(4).slip("seat 2 leaves").reach(7)
    while hand.actor:
        hand.act(f"seat {hand.actor} checks")
    hand.expect("hand is showdown", "seat 2 is live").slip("seat 1 tables").slip("seat 2 tables").slip("seat 3 tables").slip(
        "award"
    )
    hand.expect("hand is over")


# ------------------------------------------------------------------ dead hands


@pytest.mark.parametrize("cause", [cause.value.replace("_", " ") for cause in DeadCause])
def test_each_cause_of_a_dead_hand(cause: str) -> None:
    """R-ABS-03: facing 8 the hand is dead, called money stays, the next is asked."""
    hand = later(5).act("seat 2 bets 8").slip(f"seat 5 is dead, {cause}").expect("seat 5 is dead", "seat 7 is asked")
    hand.expect("stacks 5: 97", "pot 17")


def test_upcards_lifted_facing_a_bet() -> None:
    """R-ABS-03 example: seat 3 faces 8 and lifts its four up cards: dead, even if it then says call."""
    hand = later(6, "2 3 7").act("seat 2 bets 8").slip("seat 3 is dead, upcards lifted")
    hand.refuse("seat 3 calls 8", "R-BET-14")
    hand.act("seat 7 folds").expect("hand is over")


def test_picking_up_cards_at_the_showdown_is_no_fold() -> None:
    """R-ABS-03: nothing makes the machine kill it: it is asked to show."""
    hand = later(7).act("seat 2 checks, seat 5 checks, seat 7 checks")
    hand.expect("to show 2 5 7").slip("seat 5 tables").expect("to show 2 7")


def test_only_a_live_hand_is_killed_and_never_the_last() -> None:
    """R-ABS-03, R-POT-10."""
    hand = later(5).act("seat 2 bets 8, seat 5 folds")
    hand.refuse("seat 5 is dead, mixed", "R-ABS-03")
    hand.refuse("seats 2 and 8 are dead, mixed", "R-ABS-03")
    hand.slip("felt wrong, in_muck").slip("seat 7 is dead, in muck").refuse("seat 2 is dead, mixed", "R-POT-10")
    hand.slip("felt right").expect("hand is over", "won 2: 9")


# ------------------------------------------------------------------ clock


def test_the_clock_facing_a_bet() -> None:
    """R-ABS-04: dead."""
    later(5).act("seat 2 bets 8").slip("seat 5's time is over").expect("seat 5 is dead", "seat 7 is asked")


def test_the_clock_without_a_bet() -> None:
    """R-ABS-04: a check."""
    later(5).slip("seat 2's time is over").expect("seat 2 is live", "seat 5 is asked")


def test_the_clock_before_the_bring_in() -> None:
    """R-BRING-10, R-ABS-04: posted automatically, never a fold."""
    third().slip("seat 5's time is over").expect("seat 5 is live", "stacks 5: 97", "seat 6 may call 2 or complete 4")


def test_the_clock_runs_for_the_actor_alone() -> None:
    """R-ABS-04."""
    later(5).refuse("seat 5's time is over", "R-ABS-04")


def test_the_clock_of_each_preset() -> None:
    """R-ABS-04: 60 s and 10 s at cash, 25 s and 5 s by TDA."""
    clocks = [(rules.clock_s, rules.clock_countdown_s) for rules in map(house_rules, ("seeds", "live_cash", "tournament"))]
    assert clocks == [(60, 10), (60, 10), (25, 5)]


# ------------------------------------------------------------------ who brings in


def test_a_wrong_bring_in_before_the_next_player_acted() -> None:
    """R-BRING-09 example, rules §24 case 23: seat 4 posts for seat 7's 3c: refused, seat 7 posts, then 8."""
    hand = third(low=7)
    hand.refuse("seat 4 brings in 2", "R-BET-14")
    hand.act("seat 7 brings in").expect("seat 8 is asked", "stacks 4: 99")


def test_a_wrong_bring_in_that_stands() -> None:
    """R-BRING-09: seat 5 has called 2: action goes on at seat 6; seat 7, when reached, may fold, call or complete."""
    hand = third(low=7).slip("seat 4 opened").act("seat 4 brings in 2, seat 5 calls").expect("seat 6 is asked")
    hand.act("seat 6 calls").expect("seat 7 may call 2, complete 4, or fold", "stacks 4: 97, 7: 99")
    assert hand.state.bring_in_seat == 4, "Q-24: from_bring_in_seat is the seat that really posted"


def test_a_wrong_seat_that_opened_for_small_is_treated_alike() -> None:
    """Q-24."""
    third(low=7).slip("seat 4 opened").act("seat 4 completes 4, seat 5 folds").expect("seat 6 may call 4 or raise 8")


def test_a_wrong_opening_stands_only_while_nothing_else_was_done() -> None:
    """R-BRING-09: once the round is under way, or for a seat that cannot act, nothing is moved."""
    third(low=7).act("seat 7 brings in").refuse("seat 4 opened", "R-BRING-09")
    third(low=7).refuse("seat 7 opened", "R-BRING-09")
    third(low=7).refuse("seat 2 opened", "R-BRING-09")


def test_the_true_low_is_all_in_so_the_next_of_it_posts() -> None:
    """Q-24: the post falls to the next seat clockwise of the true low card."""
    third("4 5 6 7:1 8", low=7).expect("seat 7 opens", "seat 8 may only bring in 2 or complete 4")


def test_the_dealer_points_to_the_wrong_high_board() -> None:
    """Q-28: seat 2 is told to open and bets 4; noticed at once: 4 back, seat 7 opens; seat 3 has called: action to seat 4."""
    hand = later(4, "2 3 4 7", opens=7)
    hand.refuse("seat 2 bets 4", "R-BET-14")
    hand.expect("seat 7 may check or bet 4").slip("seat 2 opened").act("seat 2 bets 4, seat 3 calls").expect("seat 4 is asked")
    hand.act("seat 4 calls").expect("seat 7 may call 4, raise 8, or fold")


def test_the_low_cards_owner_is_absent_in_a_cash_game() -> None:
    """R-BRING-10: ante and forced bet come from its stack; killed when action reaches it again."""
    hand = third().slip("seat 5 leaves").expect("stacks 5: 97", "seat 5 is live").act("seat 6 completes, seat 7 calls")
    hand.act("seat 8 folds, seat 4 folds").expect("seat 5 is dead", "street 4")


def test_the_low_cards_owner_is_absent_in_a_tournament() -> None:
    """R-BRING-10: killed at once, the bring-in is posted from its stack."""
    hand = Hand("4 5 6 7", preset="tournament").slip("seat 5 leaves").deal("5: (?? ??) 2c")
    hand.expect("seat 5 is dead", "stacks 5: 97")


def test_everybody_folds_to_a_dead_poster() -> None:
    """Q-20: four antes, dead seat 5 posted 2, seats 6 and 7 fold: seat 8 wins 6."""
    hand = Hand("5 6 7 8", preset="tournament").slip("seat 5 leaves").deal("5: (?? ??) 2c").act("seats 6 and 7 fold")
    hand.expect("hand is over", "won 8: 6", "stacks 5: 97, 8: 105")


def test_everybody_folds_to_a_live_poster() -> None:
    """Q-20, R-POT-09: the unmatched post goes back, also when it was short."""
    third().act("seat 5 brings in, seats 6 and 7 and 8 and 4 fold").expect("won 5: 5", "stacks 5: 104")
    third("4 5:2 6").act("seat 5 brings in 1, seats 6 and 4 fold").expect("won 5: 3", "stacks 5: 4")


def test_a_poster_who_throws_its_hand_away_after_posting() -> None:
    """Q-20, Q-54: thrown away before anybody acted: the post is forfeited and the price stays."""
    hand = third().act("seat 5 brings in").slip("out of turn: seat 5 folds").expect("seat 6 may call 2 or complete 4")
    hand.act("seats 6 and 7 and 8 fold").expect("won 4: 7", "stacks 5: 97")


@pytest.mark.parametrize("cause", ["folded by hand", "left before post"])
def test_the_low_cards_owner_throws_its_hand_away_before_posting(cause: str) -> None:
    """Q-23 example: seat 4 (2c) mucks: 2 posted from its stack, the price stays 2, seat 5 to act: fold, 2, or 4."""
    hand = third(low=4).slip(f"seat 4 is dead, {cause}")
    hand.expect("seat 4 is dead", "stacks 4: 97", "seat 5 may call 2, complete 4, or fold")


def test_it_cannot_escape_the_post_in_the_deal_either() -> None:
    """Q-23, R-BRING-04: killed before the last card of third street lies: its low card posts all the same."""
    hand = Hand("4 5 6").deal("4: (?? ??) 2c", cards=8).slip("seat 4 is dead, left before post").deal()
    hand.expect("stacks 4: 97", "seat 5 may call 2 or complete 4")


def test_the_last_other_hand_wins_when_the_poster_dies_first() -> None:
    """Q-20, Q-23: two players: the low card's owner throws away: its post is forfeited, nobody is asked."""
    Hand("1 2").deal("1: (?? ??) 2c").slip("seat 1 is dead, folded by hand").expect("hand is over", "stacks 1: 97, 2: 103")


def test_the_other_throws_away_before_the_post() -> None:
    """Q-59, R-ANTE-04: one live hand takes the rest without a post."""
    Hand("1 2").deal("1: (?? ??) 2c").slip("out of turn: seat 2 folds").expect("hand is over", "stacks 1: 101, 2: 99")
    three = Hand("1 2 3:1").deal("1: (?? ??) 2c").slip("out of turn: seat 2 folds")
    three.expect("nobody is asked", "totals 1: 1, 2: 1, 3: 1")


def test_a_killed_hand_with_penalty_still_posts() -> None:
    """Q-27: a hand killed for penalty posts; any other dead hand (wrong count) does not: the next low card does."""
    hand = Hand("4 5 6").deal("4: (?? ??) 2c | 6: (?? ??) 3c", cards=8).slip("seat 4 is dead, penalty").deal()
    hand.expect("stacks 4: 97", "seat 5 is asked")
    other = Hand("4 5 6").deal("4: (?? ??) 2c | 6: (?? ??) 3c", cards=8).slip("seat 4 is dead, wrong count").deal()
    other.expect("stacks 4: 99", "seat 6 may only bring in 2 or complete 4")
