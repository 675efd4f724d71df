"""Showdowns that do not go smoothly: R-SHOW-04 to R-SHOW-10, R-POT-10, Q-48 to Q-54, Q-72, Q-75, Q-76."""

from __future__ import annotations

import pytest
from support.slips_dsl import Hand

from controller.hand.events import PotAwarded
from controller.hand.irregular_events import FaceUpRequired, HandSeen
from controller.hand.stakes import Stakes

PAIRS = "2: (As Ac) 2c 3d 7h 9h 4c | 5: (Kh Kd) 4h 5d 8s Ts 6c | 7: (Qh Qd) 5h 6d 9s Jc 8c"


def river(seats: str = "2 5 7", cards: str = PAIRS, **options: str) -> Hand:
    """Seventh street of three pairs, seat 2's aces the best; nothing bet on it yet."""
    return Hand(seats, **options).deal(cards).reach(7)


def checked(hand: Hand) -> Hand:
    """Everybody checks."""
    while hand.actor:
        hand.act(f"seat {hand.actor} checks")
    return hand


# ------------------------------------------------------------------ mucking and tabling


def test_a_hand_conceded_unseen_loses_all_claim() -> None:
    """R-SHOW-04: the best hand mucks: the next best wins."""
    hand = checked(river()).slip("seat 2 mucks").slip("seat 5 tables").slip("seat 7 tables").slip("award").expect("won 5: 9")
    assert hand.seat(2).tabled is None


def test_a_winner_tables_all_seven() -> None:
    """R-SHOW-04: every card becomes public; hi/lo too: the low winner shows seven, not five."""
    cards = "2: (Ah 2d) 3c 5s 7h Kd Qc | 5: (9h 9c) 9d 5d 5c Kc 3h"
    hand = checked(Hand("2 5", variant="stud8").deal(cards).reach(7)).slip("seat 5 tables").slip("seat 2 tables")
    assert all(len(entry.tabled or ()) == 7 for entry in hand.state.seats)
    hand.slip("award").expect("won 2: 3, 5: 3")


def test_one_half_is_not_conceded() -> None:
    """Q-75: a muck gives up everything, a tabled hand is read both ways whatever its owner claims."""
    cards = "2: (Ah 2d) 3c 5s 7h Kd Qc | 5: (9h 9c) 9d 5d 5c Kc 3h | 7: (8h 7c) 6c 4d 2h Jh Th"
    hand = checked(Hand("2 5 7", variant="stud8").deal(cards).reach(7)).slip("seat 2 mucks").slip("seat 5 tables")
    hand.slip("seat 7 tables").slip("award").expect("won 5: 5, 7: 4")


def test_a_hand_is_tabled_early_and_the_cards_speak() -> None:
    """R-SHOW-05: out of the order of showing; a tabled hand cannot be mucked, and is tabled once."""
    hand = checked(river())
    last = hand.state.show_order[-1]
    hand.slip(f"seat {last} tables").refuse(f"seat {last} mucks", "R-POT-10")
    hand.refuse(f"seat {last} tables", "R-SHOW-05")
    hand.refuse("award", "R-SHOW-04")


def test_a_folded_hand_is_not_tabled() -> None:
    """R-SHOW-04: nor an unknown seat's."""
    hand = river()
    first = hand.actor
    hand.act(f"seat {first} bets 8")
    folds = hand.actor
    hand.act(f"seat {folds} folds, seat {({2, 5, 7} - {first, folds}).pop()} calls")
    hand.refuse(f"seat {folds} tables", "R-SHOW-04")
    hand.refuse("seat 8 tables", "R-SHOW-04")


# ------------------------------------------------------------------ face up in tournaments


def test_cards_stay_down_while_two_can_bet_and_all_turn_up_then() -> None:
    """R-SHOW-06 example, rules §24 case 26: 1 all-in on 4th; on 6th seat 4 is all-in, 6 calls: 1, 4, 6 turn up, then 7th."""
    hand = Hand("1:7 4:23 6", preset="tournament").deal("4: (?? ??) Ah | 6: (?? ??) 3c").reach(4)
    hand.act("seat 4 bets 4, seat 6 calls, seat 1 calls").expect("seat 1 is all-in", "to come: burn, 1 up, 4 up, 6 up")
    hand.reach(5).act("seat 4 bets 8, seat 6 calls").reach(6).act("seat 4 bets 8, seat 6 calls")
    assert hand.happened(FaceUpRequired)
    hand.expect("nobody is asked", "to show 6 4 1")
    for seat in (1, 4, 6):
        hand.slip(f"seat {seat} tables")
    assert all(len(entry.tabled or ()) == 6 for entry in hand.state.seats)
    hand.expect("to come: burn, 1 down, 4 down, 6 down").deal().expect("hand is showdown", "to show 6 4 1")
    for seat in (1, 4, 6):
        hand.refuse(f"seat {seat} mucks", "R-POT-10")
        hand.slip(f"seat {seat} tables")
    hand.slip("award").expect("hand is over")


@pytest.mark.parametrize(("preset", "up"), [("seeds", False), ("live_cash", False), ("tournament", True)])
def test_a_run_out_is_turned_up_by_the_house_rule(preset: str, up: bool) -> None:
    """R-SHOW-06: ``tournament_only``, ``never``, ``always``: at cash there is no obligation."""
    hand = Hand("1:1 2:1", preset=preset).deal()
    assert bool(hand.happened(FaceUpRequired)) is up
    hand.expect("street 3" if up else "street 7")


def test_the_seeds_preset_turns_up_in_a_tournament() -> None:
    """R-SHOW-06 ``tournament_only``: the game type decides."""
    hand = Hand("1:1 2:1", game__type="tournament").deal().expect("to show 1 2")
    hand.slip("seat 1 tables").slip("seat 2 tables").deal().expect("hand is showdown")


def test_incomplete_hands_go_on_being_dealt() -> None:
    """R-SHOW-06: turned up on third street with two cards down and one up; the later up cards follow street by street."""
    hand = Hand("1:1 2:1", preset="tournament").deal().slip("seat 2 tables").slip("seat 1 tables")
    hand.expect("street 4").deal().expect("hand is showdown")
    assert all(len(entry.cards) == 7 for entry in hand.state.seats)
    hand.slip("seat 1 tables").slip("seat 2 tables").slip("award").expect("hand is over")


def test_losers_of_an_all_in_pot_may_not_muck_in_a_tournament() -> None:
    """R-SHOW-04, R-SHOW-06 ``except_all_in``: 7th-street all-in called; at cash they may; without an all-in also there."""
    for preset, allowed in (("tournament", False), ("live_cash", True)):
        hand = river("2:11 5 7", preset=preset)
        while hand.actor:
            hand.act(f"seat {hand.actor} " + ("bets 8" if hand.state.round.match == 0 else "calls"))
        hand.expect("hand is showdown", "seat 2 is all-in")
        if allowed:
            hand.slip("seat 7 mucks")
        else:
            hand.refuse("seat 7 mucks", "R-POT-10")
    checked(river(preset="tournament")).slip("seat 7 mucks")


def test_losers_of_an_all_in_pot_may_not_muck_where_hands_are_not_turned_up() -> None:
    """R-SHOW-04 ``except_all_in`` alone, at cash, where R-SHOW-06 obliges nobody."""
    hand = river("2:11 5 7", showdown__losers_may_muck="except_all_in")
    while hand.actor:
        hand.act(f"seat {hand.actor} " + ("bets 8" if hand.state.round.match == 0 else "calls"))
    hand.refuse("seat 7 mucks", "R-POT-10")


@pytest.mark.parametrize(("game", "may"), [("cash", True), ("tournament", False)])
def test_nobody_mucks_an_all_in_hand_where_all_hands_are_turned_up(game: str, may: bool) -> None:
    """R-SHOW-06: an all-in called on seventh street itself; preset ``seeds``, whose losers may muck, at a tournament."""
    hand = river("2:11 5 7", game__type=game)
    while hand.actor:
        hand.act(f"seat {hand.actor} " + ("bets 8" if hand.state.round.match == 0 else "calls"))
    if may:
        hand.slip("seat 7 mucks")
    else:
        hand.refuse("seat 7 mucks", "R-POT-10")


# ------------------------------------------------------------------ order and side pots


def side_pot(**options: str) -> Hand:
    """Main 15 for 2, 5 and 7, side 16 for 5 and 7: seat 2 is all-in; on 7th nothing more was bet."""
    hand = Hand("2:5 5 7", **options).deal(PAIRS).act("seat 2 completes 4, seats 5 and 7 call").reach(6)
    hand.act(f"seat {hand.actor} bets 8").act(f"seat {hand.actor} calls").expect("street 7").reach(7)
    return hand.expect("seat 2 is all-in")


def test_side_pots_are_shown_and_settled_before_the_main_pot() -> None:
    """R-SHOW-07, Q-72: 5 and 7 first, then 2; the pots are pushed from the last formed to the main."""
    hand = checked(side_pot()).expect("pots 15 for 2 5 7 and 16 for 5 7")
    assert hand.state.show_order[-1] == 2
    for seat in (2, 5, 7):
        hand.slip(f"seat {seat} tables")
    hand.slip("award").expect("won 2: 15, 5: 16")
    assert [award.pot for award in hand.happened(PotAwarded)] == [1, 0]


def test_a_muck_leaves_a_side_pot_to_the_other_at_once() -> None:
    """R-ALLIN-05, Q-49, Q-50: the side pot is paid unseen; its winner still shows for the main pot; the pots do not merge."""
    hand = checked(side_pot()).slip("seat 7 mucks").expect("won 5: 16", "to show 5 2")
    hand.slip("seat 5 tables").slip("seat 2 tables").slip("award").expect("won 2: 15, 5: 16")


def test_a_side_pot_is_won_by_a_fold_on_seventh() -> None:
    """R-ALLIN-05 example: the bettor gets his 8 back and the side pot; the main pot is shown down."""
    hand = side_pot()
    first = hand.actor
    hand.act(f"seat {first} bets 8").act(f"seat {hand.actor} folds")
    hand.expect(f"won {first}: 16", f"pots 15 for 2 {first} and 16 for {first}", "hand is showdown")


def test_who_shows_first_with_a_side_pot_and_an_all_in_high_board() -> None:
    """Q-72 example: side (1, 4), main (1, 4, 6), seat 6 all-in holds the high board, 7th checked: 1, 4, then 6."""
    hand = Hand("1 4 6:5").deal("6: (?? ??) As Ad | 1: (?? ??) 3c 4d 5h 9s | 4: (?? ??) 6c Jd 8h 9d")
    hand.act("seat 1 brings in, seat 4 calls, seat 6 completes 4, seats 1 and 4 call").reach(6)
    hand.act(f"seat {hand.actor} bets 8").act(f"seat {hand.actor} calls").reach(7)
    checked(hand).expect("pots 15 for 1 4 6 and 16 for 1 4", "order 1 4 6")


def test_a_short_all_in_is_an_aggression() -> None:
    """Q-73: 7th: 2 bets 8, 5 all-in 11, 7 and 2 call: 5 shows first."""
    hand = Hand("2 5:14 7").deal("2: (?? ??) Ah").reach(7).act("seat 2 bets 8, seat 5 raises 11, seat 7 calls, seat 2 calls")
    hand.expect("order 5 7 2")


# ------------------------------------------------------------------ last hand, asking to see, pushing


def test_the_last_hand_standing_wins_without_tabling() -> None:
    """R-SHOW-08: all but one muck."""
    hand = checked(river()).slip("seat 5 mucks").slip("seat 2 mucks").expect("hand is over", "won 7: 9")
    assert all(entry.tabled is None for entry in hand.state.seats)


def test_the_last_claim_on_a_pot_takes_it_at_once() -> None:
    """R-POT-10, Q-13: the last claim on a pot takes it at once: nothing is left to muck or to fold."""
    hand = checked(side_pot()).slip("seat 7 mucks")
    hand.slip("seat 5 mucks").expect("won 2: 15, 5: 16", "hand is over")
    lone = Hand("1 2").reach(4)
    lone.act(f"seat {lone.actor} folds").expect("hand is over")
    lone.refuse(f"seat {lone.happened(PotAwarded)[0].shares[0].seat} mucks", "R-BET-16")


def test_a_mucked_hand_is_seen_through_the_floor_and_wins_nothing() -> None:
    """R-SHOW-09: cards shown to one may be seen by all; also after the hand; a folded hand stays unseen."""
    hand = checked(river()).slip("seat 2 mucks")
    hand.refuse("seat 5's hand is to be seen", "R-SHOW-09")
    hand.slip("seat 2's hand is to be seen").slip("seat 5 tables").slip("seat 7 tables").slip("award")
    hand.expect("won 2: 0, 5: 9").slip("seat 2's hand is to be seen")
    assert [len(event.cards) for event in hand.happened(HandSeen)] == [7, 7]


def test_the_reading_is_disputed_until_the_next_hand() -> None:
    """R-SHOW-10: the push is taken back and made again."""
    hand = checked(river())
    for seat in (2, 5, 7):
        hand.slip(f"seat {seat} tables")
    hand.slip("award").expect("hand is over", "won 2: 9").slip("undo the award").expect("hand is showdown").slip("award")
    hand.expect("won 2: 9")


def test_losers_are_killed_before_the_push() -> None:
    """R-SHOW-10: the award is refused while a hand is neither shown nor conceded."""
    checked(river()).slip("seat 2 tables").refuse("award", "R-SHOW-04")


def test_an_all_in_player_who_is_away_is_not_dead() -> None:
    """Q-76: he owed no action; his cards are tabled on the floor's word, and he wins."""
    hand = checked(side_pot().slip("seat 2 leaves"))
    for seat in (5, 7, 2):
        hand.slip(f"seat {seat} tables")
    hand.slip("award").expect("won 2: 15")


# ------------------------------------------------------------------ hands killed together


def main_and_side() -> Hand:
    """Main 60 for 1, 4 and 6, side 40 for 4 and 6, all three at the showdown."""
    hand = Hand("1:20 4:40 6:40", stakes=Stakes(ante=20, bring_in=4, small=20, big=40)).deal("4: (?? ??) 2c")
    hand.act("seat 4 completes 20, seat 6 calls").expect("pots 60 for 1 4 6 and 40 for 4 6")
    while hand.to_come:
        hand.deal()
    return hand.expect("hand is showdown")


def test_all_hands_of_a_side_pot_killed_together_share_it() -> None:
    """Q-53 ✔, R-POT-10: 4 and 6 are ruled dead together: 20 each, seat 1 takes 60."""
    main_and_side().slip("seats 4 and 6 are dead, mixed").expect("hand is over", "stacks 1: 60, 4: 20, 6: 20")


def test_all_hands_of_a_side_pot_killed_one_after_the_other() -> None:
    """Q-53: the later one already owned that pot."""
    hand = main_and_side().slip("seat 4 is dead, mixed").expect("won 6: 40", "to show 6 1")
    hand.slip("seat 6 is dead, mixed").expect("hand is over", "stacks 1: 60, 4: 0, 6: 40")


def test_hands_killed_together_while_the_betting_is_open() -> None:
    """Q-53, R-POT-10: the side money is theirs and never the all-in hand's, who did not pay into it."""
    hand = Hand("1:3 4 6").deal("4: (?? ??) Ah").reach(5).act("seat 4 bets 8, seat 6 calls").reach(6).expect("pot 25")
    hand.slip("seats 4 and 6 are dead, mixed").expect("pots 9 for 1 and 16 for 4 6", "hand is over")
    hand.expect("stacks 1: 9, 4: 97, 6: 97")


def test_the_last_two_hands_fouled_together_split_equally() -> None:
    """R-POT-10: antes and bets, an odd chip to the first at the dealer's left; one that put in more gets its uncalled part."""
    hand = Hand("2 5 7").deal("2: (?? ??) Ah").reach(5).act("seat 2 bets 8, seat 5 calls, seat 7 folds")
    hand.slip("seats 2 and 5 are dead, mixed").expect("hand is over", "won 2: 13, 5: 12")
    other = Hand("2 5").deal("2: (?? ??) Ah").reach(5).act("seat 2 bets 8").slip("seats 2 and 5 are dead, mixed")
    other.expect("hand is over", "stacks 2: 100, 5: 100")


def test_uncalled_chips_of_a_folded_third_count_as_matching() -> None:
    """Q-48 ✔: A all-in 50, B all-in 80, C folded with 60 in: 20 back to B; main 150 (A, B), side 20 (B): B takes it unseen."""
    stakes = Stakes(ante=40, bring_in=2, small=10, big=20)
    hand = Hand("1:50 2:80 3:100", stakes=stakes).deal("1: (?? ??) 2c")
    hand.act("seat 1 completes 10, seat 2 raises 20, seat 3 calls").expect("totals 1: 50, 2: 60, 3: 60").reach(5)
    hand.act("seat 2 bets 20, seat 3 folds").expect("stacks 2: 40", "won 2: 20")
    hand.expect("pots 150 for 1 2 and 20 for 2")


def test_a_killed_bettor_gets_its_uncalled_chips_and_no_forced_ones() -> None:
    """Q-54, R-ALLIN-03: ante and post always stay, except R-EXP-02."""
    hand = Hand("2 5 7").deal("5: (?? ??) 2c").act("seat 5 completes 4").slip("seat 5 is dead, penalty")
    hand.expect("totals 5: 5", "seat 7 may call 4 or raise 8")
    later = Hand("2 5 7").deal("2: (?? ??) Ah").reach(6).act("seat 2 bets 8").slip("seat 2 is dead, penalty")
    later.expect("stacks 2: 97", "totals 2: 3", "seat 5 may check or bet 8")


def test_no_share_of_a_killed_hand_says_how_it_won() -> None:
    """R-POT-10: what nobody contests is won by no half."""
    hand = main_and_side().slip("seats 4 and 6 are dead, mixed")
    assert {share.wins for award in hand.happened(PotAwarded) for share in award.shares} == {None}
