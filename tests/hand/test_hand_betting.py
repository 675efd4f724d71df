"""Bring-in, completion, cap, half-bet rule, open pair: every worked example of rules §10, §12 and Q-15 to Q-41."""

from __future__ import annotations

from typing import Any

import pytest
from support.hand_dsl import Story, later, third

from controller.hand.commands import Act
from controller.hand.events import RoundOpened, UncalledReturned
from controller.hand.stakes import Stakes
from controller.hand.state import Phase
from controller.hand.terms import Verb

PAIR = {2: "?? ?? 9h 9c"}
FIFTEEN_THIRTY = Stakes(ante=2, bring_in=5, small=15, big=30)


def fourth_with_pair(behind: dict[int, int] | None = None, **options: Any) -> Story:
    """4/8 on fourth street; seat 2 shows a pair of nines and opens before 5 and 7."""
    chips = behind or {2: 100, 5: 100, 7: 100}
    story = Story({seat: amount + 3 for seat, amount in chips.items()}, cards=PAIR, **options).passive(4)
    assert (story.actor, story.ends) == (2, chips)
    return story


def fifth(behind: dict[int, int], opens: int = 1, **options: Any) -> Story:
    """Fifth street at the big bet of 8."""
    return later(5, behind, opens, **options)


# ---------------------------------------------------------------------- bring-in (R-BRING)


def test_the_bring_in_seat_posts_or_opens_for_small_and_cannot_fold() -> None:
    """R-BRING-04: exactly two options; a check or fold is refused by that rule."""
    story = third({1: 50, 2: 50, 3: 50}, low=2)
    assert (story.actor, story.options) == (2, "post 2, complete 4")
    assert story.refused_rule("2 fold") == "R-BRING-04"
    assert story.refused_rule("2 check") == "R-BRING-04"
    assert story.refused_rule("2 to 8") == "R-BRING-04"


def test_everybody_calls_the_bring_in_and_it_gets_no_second_option() -> None:
    """R-BRING-05: ante 1, four players, 2 called three times: pot 12 and fourth street."""
    story = third({1: 50, 2: 50, 3: 50, 4: 50}, low=3).bets("3 post 2, 4 call, 1 call, 2 call")
    assert (story.pot, story.state.street) == (12, 4)


def test_a_completed_bring_in_is_asked_again_for_the_difference() -> None:
    """R-BRING-05: once somebody completes, the poster calls the difference, raises or folds."""
    story = third({1: 50, 2: 50, 3: 50}, low=3).bets("3 post 2, 1 to 4, 2 fold")
    assert (story.actor, story.options) == (3, "call 4, raise 8, fold")


def test_after_the_post_others_fold_call_or_complete_and_never_check_or_raise_to_double() -> None:
    """R-BRING-06: no check on third street, no raise straight over the bring-in to twice the small bet."""
    story = third({1: 50, 2: 50, 3: 50}, low=3).bets("3 post 2")
    assert story.options == "call 2, complete 4, fold"
    assert story.refused_rule("1 check") == "R-BET-01"
    assert story.refused_rule("1 to 8") == "R-BET-11"
    assert story.refused_rule("1 to 6") == "R-BET-11"


@pytest.mark.parametrize("verb", [Verb.BET, Verb.COMPLETE, Verb.RAISE])
def test_bet_raise_and_complete_over_a_post_are_the_same_wager(verb: Verb) -> None:
    """Q-26: all three words by the first to go above the post mean: to small, and no raise is used."""
    story = third({1: 50, 2: 50}, low=2).bets("2 post 2")
    story.tell(Act(1, verb, 4))
    assert (story.state.round.match, story.state.round.raises) == (4, 0)


def test_seat_3_all_in_on_the_ante_leaves_the_post_to_the_next_with_chips_whatever_its_door() -> None:
    """R-BRING-07 ``next_must_post``: seat 3 posts with a king; all fold: 2 back, pot 4 contested by seats 2 and 3."""
    cards = {2: "?? ?? 2c", 3: "?? ?? Ks", 4: "?? ?? 5d", 1: "?? ?? 9h"}
    story = Story({1: 50, 2: 1, 3: 50, 4: 50}, cards=cards)
    (opened,) = story.happened(RoundOpened)
    assert (opened.opener, story.actor, story.options) == (2, 3, "post 2, complete 4")
    assert story.refused_rule("3 fold") == "R-BRING-04"
    story.bets("3 post 2, 4 fold, 1 fold")
    assert story.happened(UncalledReturned) == [UncalledReturned(3, 2)]
    assert (story.pots, story.state.street, story.state.phase) == ([(4, (2, 3))], 7, Phase.SHOWDOWN)


def test_under_next_may_fold_the_choice_passes_on_until_one_posts() -> None:
    """R-BRING-07 ``next_may_fold``: seat 3 may fold, and seat 4 gets the same choice."""
    story = Story({1: 50, 2: 1, 3: 50, 4: 50}, cards={2: "?? ?? 2c"}, bring_in__low_all_in_on_ante="next_may_fold")
    assert story.options == "post 2, complete 4, fold"
    story.bets("3 fold")
    assert (story.actor, story.options) == (4, "post 2, complete 4, fold")
    story.bets("4 post 2, 1 call")
    assert (story.state.bring_in_seat, story.state.street, story.pot) == (4, 4, 8)


def test_under_next_may_fold_the_last_seat_with_chips_is_not_asked() -> None:
    """Q-25: 3 and 4 fold; seat 1 posts nothing and is run out against seat 2 for the 4 antes."""
    story = Story({1: 50, 2: 1, 3: 50, 4: 50}, cards={2: "?? ?? 2c"}, bring_in__low_all_in_on_ante="next_may_fold")
    story.bets("3 fold, 4 fold")
    assert (story.pots, story.state.phase, story.ends[1]) == ([(4, (1, 2))], Phase.SHOWDOWN, 49)


def test_a_fold_in_place_of_the_post_is_not_free() -> None:
    """R-DEAL-06: on third street every fold faces at least the bring-in, so no ghost cards follow."""
    story = Story({1: 50, 2: 1, 3: 50, 4: 50}, cards={2: "?? ?? 2c"}, bring_in__low_all_in_on_ante="next_may_fold")
    story.bets("3 fold, 4 post 2, 1 call")
    assert [place for place, _ in story.laid[12:]] == ["burn", "seat/1/up", "seat/2/up", "seat/4/up"]


def test_the_substitute_skips_further_seats_that_are_all_in() -> None:
    """R-BRING-07: if the next player is all-in too, go on clockwise; a substitute may open for small (Q-25)."""
    story = Story({1: 50, 2: 1, 3: 1, 4: 50}, cards={2: "?? ?? 2c"})
    assert (story.actor, story.options) == (4, "post 2, complete 4")


def test_a_short_bring_in_leaves_the_full_price_to_the_others() -> None:
    """R-BRING-08 ``others_owe_full``: seat 5 posts 1; 6 and 1 call 2, not 1: main 6 (1,5,6), side 2 (1,6)."""
    story = third({1: 50, 5: 1, 6: 50}, low=5)
    assert story.options == "post 1"
    story.bets("5 post 1")
    assert story.options == "call 2, complete 4, fold"
    assert story.refused_rule("6 call 1") == "R-BET-11"
    story.bets("6 call 2, 1 call 2").passive(8)
    assert story.pots == [(6, (1, 5, 6)), (2, (1, 6))]


def test_a_short_bring_in_is_the_price_under_match_short() -> None:
    """R-BRING-08 ``match_short``: the others may call the short amount."""
    story = third({1: 50, 5: 1, 6: 50}, low=5, bring_in__short="match_short").bets("5 post 1")
    assert story.options == "call 1, complete 4, fold"
    story.bets("6 call 1, 1 call 1").passive(8)
    assert story.pots == [(6, (1, 5, 6))]


@pytest.mark.parametrize(
    ("behind", "options"),
    [(1, "post 1"), (2, "post 2"), (3, "post 2, complete 3"), (4, "post 2, complete 4"), (5, "post 2, complete 4")],
)
def test_what_the_bring_in_seat_may_do_with_few_chips(behind: int, options: str) -> None:
    """Q-15: up to b it posts what it has; between b and small it posts b or goes all-in; else b or small."""
    assert third({1: 50, 2: behind, 3: 50}, low=2).options == options


@pytest.mark.parametrize(
    ("stakes", "behind", "post", "options"),
    [
        (Stakes(1, 2, 4, 8), 1, "2 post 1", "call 2, complete 4, fold"),
        (Stakes(1, 2, 4, 8), 2, "2 post 2", "call 2, complete 4, fold"),
        (Stakes(1, 2, 4, 8), 3, "2 to 3", "call 3, raise 7, fold"),
        (FIFTEEN_THIRTY, 7, "2 to 7", "call 7, complete 15, fold"),
        (FIFTEEN_THIRTY, 8, "2 to 8", "call 8, raise 23, fold"),
    ],
)
def test_what_follows_a_bring_in_seat_that_is_all_in(stakes: Stakes, behind: int, post: str, options: str) -> None:
    """Q-15, Q-17, R-BET-09: a post is never half a bet; an all-in above it is the bet from small/2 on."""
    assert third({1: 100, 2: behind, 3: 100}, low=2, stakes=stakes).bets(post).options == options


@pytest.mark.parametrize(
    ("stakes", "behind", "options"),
    [
        (Stakes(1, 2, 4, 8), 3, "call 3, raise 7, fold"),
        (FIFTEEN_THIRTY, 7, "call 7, complete 15, fold"),
        (FIFTEEN_THIRTY, 8, "call 8, raise 23, fold"),
    ],
)
def test_an_all_in_between_bring_in_and_completion_counts_from_half_the_small_bet(
    stakes: Stakes, behind: int, options: str
) -> None:
    """R-BET-09: 4/8 all-in 3: call 3 or raise to 7. 15/30: 7 to be completed to 15, 8 to be raised to 23."""
    story = third({1: 100, 2: behind, 3: 100}, low=1, stakes=stakes)
    story.bets(f"1 post {stakes.bring_in}, 2 to {behind}")
    assert story.options == options


def test_a_short_post_then_more_short_stacks_lower_nobodys_price() -> None:
    """Q-18: 15/30, posts 5→2 all-in, 4 all-in, 5, 7 all-in (short), 7; seat 7 may only call 2: main 20, sides 8 and 9."""
    story = third({1: 100, 5: 2, 6: 4, 7: 100, 8: 7}, low=5, stakes=FIFTEEN_THIRTY)
    story.bets("5 post 2")
    assert story.options == "call 4, fold"
    story.bets("6 call 4, 7 call 5, 8 to 7, 1 call 7")
    assert story.options == "call 7, fold"
    assert story.refused_rule("7 to 15") == "R-BET-08"
    story.bets("7 call 7").passive(8)
    assert story.pots == [(20, (1, 5, 6, 7, 8)), (8, (1, 6, 7, 8)), (9, (1, 7, 8))]


def test_a_completion_after_a_short_all_in_opens_the_round_for_the_caller_again() -> None:
    """Q-18: had seat 1 completed to 15, seat 7, which owes 10 of 15, could raise to 30."""
    story = third({1: 100, 5: 2, 6: 4, 7: 100, 8: 7}, low=5, stakes=FIFTEEN_THIRTY)
    story.bets("5 post 2, 6 call 4, 7 call 5, 8 to 7, 1 to 15")
    assert story.options == "call 15, raise 30, fold"


def test_an_all_in_of_3_over_a_short_post_of_1_is_the_bet() -> None:
    """Q-18: 4/8, seat 5 posts 1 all-in, seat 6 all-in 3: seat 7 calls 3 or raises to 7."""
    story = third({5: 1, 6: 3, 7: 50, 8: 50}, low=5).bets("5 post 1, 6 to 3")
    assert story.options == "call 3, raise 7, fold"


def test_one_opponent_of_a_short_post_owes_the_full_price_and_gets_the_excess_back() -> None:
    """Q-19: seat 2 puts 2, 1 comes back at once; completing is pointless and refused (R-BET-10)."""
    story = third({1: 1, 2: 50}, low=1).bets("1 post 1")
    assert story.options == "call 2, fold"
    assert story.refused_rule("2 to 4") == "R-BET-10"
    story.bets("2 call 2")
    assert story.happened(UncalledReturned) == [UncalledReturned(2, 1)]
    assert story.pots == [(4, (1, 2))]


def test_one_opponent_of_a_short_post_matches_it_under_match_short() -> None:
    """Q-19: ``match_short``: he puts 1."""
    story = third({1: 1, 2: 50}, low=1, bring_in__short="match_short").bets("1 post 1, 2 call 1")
    assert (story.happened(UncalledReturned), story.pots) == ([], [(4, (1, 2))])


def test_everybody_folds_to_a_short_post_and_it_comes_back() -> None:
    """Q-20: the unmatched part goes back to a live poster, also when it was short."""
    story = third({1: 1, 2: 50, 3: 50}, low=1).bets("1 post 1, 2 fold, 3 fold")
    assert story.happened(UncalledReturned) == [UncalledReturned(1, 1)]
    assert story.ends == {1: 4, 2: 50, 3: 50}


def test_a_bring_in_of_the_small_bet_is_the_bet_with_no_raise_used() -> None:
    """Q-21: others fold, call or raise by small; there is no completion."""
    stakes = Stakes(1, 4, 4, 8)
    story = third({1: 50, 2: 50, 3: 50}, low=2, stakes=stakes)
    assert story.options == "post 4"
    story.bets("2 post 4")
    assert (story.options, story.state.round.raises) == ("call 4, raise 8, fold", 0)
    story.bets("3 to 8, 1 to 12, 2 to 16")
    assert story.options == "call 16, fold"


def test_a_short_post_of_a_bring_in_as_big_as_the_small_bet_may_be_raised_to_double() -> None:
    """Q-21: 4/8 with bring-in 4, poster all-in 3: next calls 4 or raises to 8."""
    story = third({1: 50, 2: 3, 3: 50}, low=2, stakes=Stakes(1, 4, 4, 8)).bets("2 post 3")
    assert story.options == "call 4, raise 8, fold"


def test_a_short_all_in_over_the_post_opens_nothing_for_poster_and_caller() -> None:
    """Q-22: 15/30, post 5, call 5, all-in 7: both owe 2 and may call or fold."""
    story = third({1: 100, 2: 100, 3: 7}, low=1, stakes=FIFTEEN_THIRTY).bets("1 post 5, 2 call 5, 3 to 7")
    assert (story.actor, story.options) == (1, "call 7, fold")
    story.bets("1 call 7")
    assert (story.actor, story.options) == (2, "call 7, fold")


def test_an_all_in_that_is_the_bet_opens_the_round_for_poster_and_callers() -> None:
    """Q-22: if it counts as the bet everybody may raise, even for less than half a bet owed."""
    story = third({1: 100, 2: 100, 3: 3}, low=1).bets("1 post 2, 2 call 2, 3 to 3")
    assert (story.actor, story.options) == (1, "call 3, raise 7, fold")
    story.bets("1 call 3")
    assert (story.actor, story.options) == (2, "call 3, raise 7, fold")


def test_nobody_or_one_seat_with_chips_after_the_antes_means_no_betting_at_all() -> None:
    """R-ANTE-04, Q-09: seats 2 and 5 all-in on ante 1, seat 7 has 40 and the 2c: pot 3, no post, run out."""
    story = Story({2: 1, 5: 1, 7: 41}, cards={7: "?? ?? 2c"})
    assert (story.happened(RoundOpened), story.pots) == ([], [(3, (2, 5, 7))])
    assert (story.state.phase, story.state.street, story.state.burns, story.ends[7]) == (Phase.SHOWDOWN, 7, 4, 40)


# ---------------------------------------------------------------------- cap (R-BET-02, R-BET-03, R-BET-04)


def test_a_completion_is_the_bet_and_three_raises_follow() -> None:
    """R-BET-02, R-BET-03: third street 2-4-8-12-16 and no further; an attempt is refused by the cap."""
    story = third({1: 90, 2: 90}, low=1).bets("1 post 2, 2 to 4, 1 to 8, 2 to 12, 1 to 16")
    assert story.options == "call 16, fold"
    assert story.refused_rule("2 to 20") == "R-BET-03"


def test_a_completion_may_be_counted_as_a_raise() -> None:
    """R-BET-02 ``completion_is_raise``: 2-4-8-12 is the cap; opening for small instead of the post does not count (Q-26)."""
    story = third({1: 90, 2: 90}, low=1, cap__completion_is_raise="true").bets("1 post 2, 2 to 4, 1 to 8, 2 to 12")
    assert story.options == "call 12, fold"
    story = third({1: 90, 2: 90}, low=1, cap__completion_is_raise="true").bets("1 to 4, 2 to 8, 1 to 12")
    assert story.options == "call 12, raise 16, fold"


def test_only_a_completion_over_the_post_is_counted_as_a_raise() -> None:
    """Q-26: completing a short all-in bet of a later street is the bet under that knob too."""
    story = fifth({1: 3, 2: 90, 3: 90}, cap__completion_is_raise="true").bets("1 to 3, 2 to 8")
    assert story.state.round.raises == 0


@pytest.mark.parametrize(("street", "wagers"), [(4, (4, 8, 12, 16)), (5, (8, 16, 24, 32)), (6, (8, 16, 24, 32))])
def test_one_bet_and_three_raises_a_street(street: int, wagers: tuple[int, ...]) -> None:
    """R-BET-03: 4-8-12-16 on fourth, 8-16-24-32 from fifth on."""
    story = later(street, {1: 200, 2: 200}, opens=1)
    for seat, to in zip((1, 2, 1, 2), wagers, strict=True):
        story.bets(f"{seat} to {to}")
    assert story.options == f"call {wagers[-1]}, fold"


@pytest.mark.parametrize(("cards", "most"), [({}, 129), ({1: "?? ?? 2c 2d"}, 145)])
def test_the_most_one_player_can_lose_in_a_hand(cards: dict[int, str], most: int) -> None:
    """R-BET-03: 1 + 16 + 16 + 3 x 32 = 129; 145 when fourth street is played at the big limit."""
    story = Story({1: 500, 2: 500}, cards=cards)
    while story.actor:
        wagers = [words for words in map(str.split, story.options.split(", ")) if words[0] in ("complete", "bet", "raise")]
        story.bets(f"{story.actor} to {wagers[-1][1]}" if wagers else f"{story.actor} call")
    assert [entry.total for entry in story.state.seats] == [most, most]


def test_four_raises_end_third_street_at_20() -> None:
    """R-BET-03: ``cap.max_raises`` 4."""
    story = third({1: 90, 2: 90}, low=1, cap__max_raises="4").bets("1 to 4, 2 to 8, 1 to 12, 2 to 16, 1 to 20")
    assert story.options == "call 20, fold"


@pytest.mark.parametrize(("knob", "options"), [("capped", "call 32, fold"), ("uncapped_before_cap", "call 32, raise 40, fold")])
def test_an_all_in_in_the_middle_of_a_street_leaves_two_that_can_bet(knob: str, options: str) -> None:
    """R-BET-04, Q-40: seat 2 is all-in, seat 4 folds with a raise still to come: 1 and 3 alone are not all-in, so no cap."""
    story = later(5, {1: 200, 2: 16, 3: 200, 4: 90}, opens=1, cap__heads_up=knob)
    story.bets("1 to 8, 2 to 16, 3 to 24, 4 fold, 1 to 32")
    assert story.options == options


@pytest.mark.parametrize(
    ("knob", "options"),
    [
        ("capped", "call 32, fold"),
        ("uncapped_before_cap", "call 32, raise 40, fold"),
        ("uncapped_if_round_starts_hu", "call 32, fold"),
    ],
)
def test_a_third_player_folds_before_the_cap(knob: str, options: str) -> None:
    """R-BET-04: 5th street 8, 16, 24, seat 7 folds, 32: only ``uncapped_before_cap`` goes on past 32."""
    story = fifth({2: 200, 5: 200, 7: 200}, opens=7, cap__heads_up=knob)
    story.bets("7 to 8, 2 to 16, 5 to 24, 7 fold, 2 to 32")
    assert story.options == options


def test_a_cap_that_came_first_stays() -> None:
    """R-BET-04 ``uncapped_before_cap``: two left after the cap was reached changes nothing on that street."""
    story = fifth({2: 200, 5: 200, 7: 200}, opens=2, cap__heads_up="uncapped_before_cap")
    story.bets("2 to 8, 5 to 16, 7 to 24, 2 to 32, 5 fold")
    assert story.options == "call 32, fold"


@pytest.mark.parametrize("knob", ["uncapped_before_cap", "uncapped_if_round_starts_hu"])
def test_all_in_hands_do_not_count_for_heads_up(knob: str) -> None:
    """Q-40: three live, one all-in when 6th street starts: two with chips, so no cap under both cash options."""
    story = later(6, {1: 200, 2: 0, 3: 200}, opens=1, cap__heads_up=knob)
    story.bets("1 to 8, 3 to 16, 1 to 24, 3 to 32, 1 to 40, 3 to 48")
    assert story.options == "call 48, raise 56, fold"


@pytest.mark.parametrize(("flag", "options"), [(True, "call 32, raise 40, fold"), (False, "call 32, fold")])
def test_the_last_two_of_an_event_are_a_flag_of_the_floor(flag: bool, options: str) -> None:
    """R-BET-04 ``uncapped_last_two_in_event``: a flag, not a count of seats (Q-40)."""
    story = fifth({1: 200, 2: 200}, cap__heads_up="uncapped_last_two_in_event", last_two=flag)
    assert story.bets("1 to 8, 2 to 16, 1 to 24, 2 to 32").options == options


# ---------------------------------------------------------------------- half-bet rule (R-BET-08, Q-33 to Q-37)


@pytest.mark.parametrize(
    ("behind", "line", "options"),
    [
        ({1: 90, 2: 11, 3: 90}, "1 to 8, 2 to 11", "call 11, raise 16, fold"),
        ({1: 90, 2: 11, 3: 90}, "1 to 8, 2 to 11, 3 call", "call 11, fold"),
        ({1: 90, 2: 11, 3: 90}, "1 to 8, 2 to 11, 3 to 16", "call 16, raise 24, fold"),
        ({1: 90, 2: 13, 3: 90}, "1 to 8, 2 to 13", "call 13, raise 21, fold"),
        ({1: 3, 2: 90, 3: 90}, "1 to 3", "call 3, complete 8, fold"),
        ({1: 4, 2: 90, 3: 90}, "1 to 4", "call 4, raise 12, fold"),
        ({1: 90, 2: 10, 3: 90, 4: 13}, "1 to 8, 2 to 10, 3 call, 4 to 13", "call 13, raise 21, fold"),
        ({1: 90, 2: 10, 3: 90, 4: 13}, "1 to 8, 2 to 10, 3 call, 4 to 13, 1 call", "call 13, fold"),
    ],
)
def test_an_all_in_of_half_a_bet_or_more_is_a_raise(behind: dict[int, int], line: str, options: str) -> None:
    """R-BET-08, F = 8: 11 over 8 is completed to 16, 13 over 8 raised to 21; opening 3 completed, 4 raised to 12."""
    assert fifth(behind).bets(line).options == options


def test_an_opening_all_in_of_15_at_20_is_raised_to_35() -> None:
    """R-BET-08: F = 20."""
    story = fifth({1: 15, 2: 90, 3: 90}, stakes=Stakes(1, 5, 10, 20)).bets("1 to 15")
    assert story.options == "call 15, raise 35, fold"


def test_halves_are_compared_without_rounding() -> None:
    """Q-32: f = 5: 3 is enough, 2 is not."""
    stakes = Stakes(1, 1, 5, 5)
    assert later(4, {1: 3, 2: 90, 3: 90}, 1, stakes=stakes).bets("1 to 3").options == "call 3, raise 8, fold"
    assert later(4, {1: 2, 2: 90, 3: 90}, 1, stakes=stakes).bets("1 to 2").options == "call 2, complete 5, fold"


def test_a_seat_that_has_not_acted_sees_the_counted_level_of_short_all_ins() -> None:
    """Q-33: 8, all-in 10, call 10, all-in 13 (raise 1): seat 5 calls 13 or raises to 21; bettor may raise, caller not."""
    story = fifth({1: 90, 2: 10, 3: 90, 4: 13, 5: 90}).bets("1 to 8, 2 to 10, 3 call 10, 4 to 13")
    assert (story.actor, story.options, story.state.round.raises) == (5, "call 13, raise 21, fold", 1)
    story.bets("5 call 13")
    assert story.options == "call 13, raise 21, fold"
    story.bets("1 to 21")
    assert (story.actor, story.options) == (3, "call 21, raise 29, fold")


def test_a_checker_facing_a_short_all_in_calls_or_folds_until_somebody_completes() -> None:
    """Q-34: 1 checks, 2 all-in 3: 3 calls 3 or bets 8; then 1 may call or fold, or raise to 16."""
    story = fifth({1: 90, 2: 3, 3: 90}).bets("1 check, 2 to 3")
    assert story.options == "call 3, complete 8, fold"
    story.bets("3 call 3")
    assert (story.actor, story.options) == (1, "call 3, fold")
    story = fifth({1: 90, 2: 3, 3: 90}).bets("1 check, 2 to 3, 3 to 8")
    assert (story.actor, story.options) == (1, "call 8, raise 16, fold")


def test_from_fourth_street_on_a_caller_of_a_short_bet_is_not_asked_again_by_the_bet_itself() -> None:
    """Q-32: 1 checks, 2 all-in 3, 3 calls, 4 all-in 4 is the bet: 1, owing 4 of 8, may raise; 3, owing 1, may not."""
    story = fifth({1: 90, 2: 3, 3: 90, 4: 4}).bets("1 check, 2 to 3, 3 call, 4 to 4")
    assert (story.actor, story.options) == (1, "call 4, raise 12, fold")
    assert story.bets("1 call").options == "call 4, fold"


def test_what_uses_up_a_raise() -> None:
    """Q-35: 8, all-in 13 (1), 21 (2), all-in 23 (none), 29 (3) is the cap."""
    story = fifth({1: 90, 2: 13, 3: 90, 4: 23, 5: 90}).bets("1 to 8, 2 to 13, 3 to 21, 4 to 23")
    assert (story.options, story.state.round.raises) == ("call 23, raise 29, fold", 2)
    story.bets("5 to 29")
    assert (story.options, story.state.round.raises) == ("call 29, fold", 3)


def test_an_all_in_at_the_cap_only_calls() -> None:
    """Q-36: 8-16-24-32, a seat with 35 calls 32 and keeps 3."""
    story = fifth({1: 90, 2: 90, 3: 35}).bets("1 to 8, 2 to 16, 3 to 24, 1 to 32, 2 call")
    assert story.options == "call 32, fold"
    story.bets("3 call 32")
    assert story.ends[3] == 3


def test_under_full_bets_only_nothing_less_opens_the_round_again() -> None:
    """Knob ``allin.half_bet`` 1: 13 over 8 is no raise: completed to 16, and the bettor may only call."""
    story = fifth({1: 90, 2: 13, 3: 90}, allin__half_bet="1").bets("1 to 8, 2 to 13")
    assert story.options == "call 13, raise 16, fold"
    assert story.bets("3 call").options == "call 13, fold"
    assert fifth({1: 90, 2: 16, 3: 90}, allin__half_bet="1").bets("1 to 8, 2 to 16").options == "call 16, raise 24, fold"


def test_a_raise_when_every_opponent_is_all_in_is_refused() -> None:
    """R-BET-10: he may only call or fold."""
    story = fifth({1: 90, 2: 8}).bets("1 check, 2 to 8")
    assert story.options == "call 8, fold"
    assert story.refused_rule("1 to 16") == "R-BET-10"


def test_a_raise_over_an_opponent_that_cannot_even_call_is_allowed() -> None:
    """Q-41: 1 all-in 8, 3 has 3 behind: 2 may raise to 16; 3 calls 3; 8 of 16 come back."""
    story = fifth({1: 8, 2: 90, 3: 3}).bets("1 to 8")
    assert story.options == "call 8, raise 16, fold"
    story.bets("2 to 16, 3 call 3")
    assert story.happened(UncalledReturned) == [UncalledReturned(2, 8)]


def test_a_check_raise_is_allowed() -> None:
    """R-BET-07: seat 2 checks, 5 bets 8, 7 calls, seat 2 raises to 16: raise 1."""
    story = fifth({2: 90, 5: 90, 7: 90}, opens=2).bets("2 check, 5 to 8, 7 call, 2 to 16")
    assert (story.state.round.raises, story.options) == (1, "call 16, raise 24, fold")


# ---------------------------------------------------------------------- open pair on fourth (R-BET-05, R-BET-06, Q-37 to Q-39)


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("", "check, bet 4, bet 8, fold"),
        ("2 to 4", "call 4, raise 8, raise 12, fold"),
        ("2 to 4, 5 to 12", "call 12, raise 20, fold"),
        ("2 to 4, 5 to 12, 7 to 20, 2 to 28", "call 28, fold"),
        ("2 to 4, 5 to 8, 7 to 12, 2 to 16", "call 16, fold"),
        ("2 to 4, 5 to 8, 7 to 16", "call 16, raise 24, fold"),
        ("2 to 4, 5 to 8, 7 to 16, 2 to 24", "call 24, fold"),
        ("2 to 8, 5 to 16, 7 to 24, 2 to 32", "call 32, fold"),
        ("2 to 8", "call 8, raise 16, fold"),
        ("2 check", "check, bet 4, bet 8, fold"),
        ("2 check, 5 check", "check, bet 4, bet 8, fold"),
        ("2 fold", "check, bet 4, bet 8, fold"),
        ("2 check, 5 to 4, 7 fold", "call 4, raise 8, raise 12, fold"),
    ],
)
def test_with_an_open_pair_everybody_bets_small_or_big_until_a_big_wager_is_made(line: str, options: str) -> None:
    """R-BET-05: 4→12→20→28, 4→8→16→24 and 8→16→24→32 are capped; a check or fold of the owner takes nothing away."""
    story = fourth_with_pair()
    if line:
        story.bets(line)
    assert story.options == options


def test_a_small_raise_after_a_big_wager_is_refused() -> None:
    """R-BET-05: after 4→12 a raise to 16 is refused by that rule."""
    assert fourth_with_pair().bets("2 to 4, 5 to 12").refused_rule("7 to 16") == "R-BET-05"


def test_the_owner_of_the_pair_folds_to_a_small_bet_and_the_next_may_still_raise_big() -> None:
    """Q-38: the option lasts the round, whoever folds."""
    story = fourth_with_pair().bets("2 check, 5 check, 7 to 4, 2 fold")
    assert (story.actor, story.options) == (5, "call 4, raise 8, raise 12, fold")


@pytest.mark.parametrize(
    ("behind", "line", "options"),
    [
        ({2: 1, 5: 90, 7: 90}, "2 to 1", "call 1, complete 4, complete 8, fold"),
        ({2: 3, 5: 90, 7: 90}, "2 to 3", "call 3, raise 7, raise 11, fold"),
        ({2: 6, 5: 90, 7: 90}, "2 to 6", "call 6, raise 10, raise 14, fold"),
        ({2: 8, 5: 90, 7: 90}, "2 to 8", "call 8, raise 16, fold"),
        ({2: 90, 5: 5, 7: 90}, "2 to 4, 5 to 5", "call 5, raise 8, raise 12, fold"),
        ({2: 90, 5: 7, 7: 90}, "2 to 4, 5 to 7", "call 7, raise 11, raise 15, fold"),
        ({2: 90, 5: 11, 7: 90}, "2 to 8, 5 to 11", "call 11, raise 16, fold"),
        ({2: 90, 5: 12, 7: 90}, "2 to 8, 5 to 12", "call 12, raise 20, fold"),
    ],
)
def test_all_ins_with_an_open_pair(behind: dict[int, int], line: str, options: str) -> None:
    """Q-37: f is small until a big wager was made, so an all-in between the sizes leaves both open."""
    assert fourth_with_pair(behind).bets(line).options == options


def test_an_all_in_board_counts_as_open_pair() -> None:
    """R-BET-05, Q-10: seat 5 is all-in with 9-9: it opens in name, the option exists, seat 6 acts first."""
    story = Story({1: 100, 5: 3, 6: 100}, cards={5: "?? ?? 9h 9c"}).passive(4)
    assert (story.state.opener, story.actor, story.options) == (5, 6, "check, bet 4, bet 8, fold")


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("", "check, bet 4, bet 8, fold"),
        ("2 to 4", "call 4, raise 8, fold"),
        ("2 to 8", "call 8, raise 16, fold"),
        ("2 check", "check, bet 4, fold"),
        ("2 check, 5 to 4, 7 call", "call 4, raise 8, fold"),
        ("2 fold", "check, bet 4, fold"),
    ],
)
def test_under_pair_holder_open_only_the_holder_may_open_big(line: str, options: str) -> None:
    """Q-39: a small opening makes all raises small, a big one all raises big; the right goes with a folded owner."""
    story = fourth_with_pair(fourth_pair__stud="pair_holder_open")
    if line:
        story.bets(line)
    assert story.options == options


def test_under_pair_holder_open_both_of_two_paired_seats_have_the_right() -> None:
    """Q-39."""
    cards = {2: "?? ?? 9h 9c", 5: "?? ?? 8h 8c"}
    story = Story({2: 90, 5: 90, 7: 90}, cards=cards, fourth_pair__stud="pair_holder_open").passive(4).bets("2 check")
    assert (story.actor, story.options) == (5, "check, bet 4, bet 8, fold")


def test_without_an_open_pair_or_with_the_knob_off_fourth_street_is_small() -> None:
    """R-BET-05 ``off``."""
    assert later(4, {1: 90, 2: 90}, 1).options == "check, bet 4, fold"
    assert fourth_with_pair(fourth_pair__stud="off").options == "check, bet 4, fold"


@pytest.mark.parametrize(
    ("variant", "preset", "options"),
    [
        ("stud8", "seeds", "check, bet 4, bet 8, fold"),
        ("stud8", "live_cash", "check, bet 4, fold"),
        ("stud8", "tournament", "check, bet 4, fold"),
        ("stud", "live_cash", "check, bet 4, bet 8, fold"),
        ("stud", "tournament", "check, bet 4, fold"),
    ],
)
def test_the_open_pair_by_variant_and_preset(variant: str, preset: str, options: str) -> None:
    """R-BET-06: stud8 by the seed alone; a tournament never."""
    assert fourth_with_pair(variant=variant, preset=preset).options == options


@pytest.mark.parametrize("preset", ["seeds", "live_cash", "tournament"])
def test_razz_has_no_big_bet_for_a_pair(preset: str) -> None:
    """R-BET-06: never."""
    story = Story({1: 90, 2: 90}, variant="razz", preset=preset, cards={1: "?? ?? 9h 9c", 2: "?? ?? 8h 7c"}).passive(4)
    assert (story.actor, story.options) == (2, "check, bet 4, fold")


def test_the_option_ends_with_fourth_street() -> None:
    """R-BET-05: during that round."""
    assert fourth_with_pair().passive(5).options == "check, bet 8, fold"


# ---------------------------------------------------------------------- turns and ends of rounds


def test_nobody_acts_out_of_turn_and_nothing_changes() -> None:
    """R-BET-14: refused with the seat whose turn it is."""
    story = third({1: 50, 2: 50, 3: 50}, low=2)
    before = story.state
    refused = story.refusal(Act(3, Verb.CALL, 2))
    assert (refused.rule, refused.code, dict(refused.values)) == ("R-BET-14", "not_your_turn", {"seat": 3, "actor": 2})
    assert story.state is before


def test_check_and_call_are_refused_where_they_mean_nothing() -> None:
    """R-BET-01: no check facing a bet, no call without one, no second bring-in; a call of the wrong size (R-BET-11)."""
    story = fifth({1: 90, 2: 90})
    assert story.refused_rule("1 call 0") == "R-BET-01"
    assert story.refused_rule("1 post 2") == "R-BRING-01"
    story.bets("1 to 8")
    assert story.refused_rule("2 check") == "R-BET-01"
    assert story.refused_rule("2 call 7") == "R-BET-11"


def test_a_round_of_checks_ends_with_the_last_active_seat() -> None:
    """R-OPEN-05, R-BET-16."""
    assert fifth({1: 90, 2: 90, 3: 90}).bets("1 check, 2 check, 3 check").state.street == 6


def test_the_last_live_hand_has_nothing_to_fold() -> None:
    """R-POT-10: the hand is over before it could, and a request is refused."""
    story = fifth({1: 90, 2: 90}).bets("1 fold")
    assert (story.state.phase, story.ends) == (Phase.ENDED, {1: 90, 2: 96})
    assert story.refusal(Act(2, Verb.FOLD, 0)).rule == "R-BET-16"
