"""Rules about people alone: what the floor enters for them, and what nobody can enter."""

from __future__ import annotations

import pytest
from support.hand_dsl import Story, later, third

from controller.hand.commands import (
    AwardPots,
    DeclareMisdeal,
    ExposeHole,
    MuckHand,
    PostAnte,
    TableHand,
    UndoAction,
    VoidHand,
)
from controller.hand.events import HandVoided
from controller.hand.irregular_events import MisdealCause, MisdealDeclared
from controller.hand.openers import bring_in_seat
from controller.hand.rules import HouseRulesError, house_rules
from controller.hand.state import Phase


def test_chips_that_lay_there_when_the_hand_opened_play() -> None:
    """Stacks are frozen with the hand: a bet is called for what lies there, never for more (R-SETUP-03)."""
    story = later(5, {1: 50, 2: 6}, opens=1).bets("1 to 8")
    assert story.options == "call 6, fold"


def test_no_button_but_the_lowest_seat() -> None:
    """The first card goes to the lowest seat dealt in, and a tie of boards goes to it (R-SETUP-04)."""
    story = Story({3: 50, 5: 50, 8: 50}, cards={5: "?? ?? Kh 9d", 8: "?? ?? Ks 9c"})
    assert story.laid[0][0] == "seat/3/down"
    story.passive(4)
    assert story.state.round.opener == 5


def test_a_complaint_about_the_shuffle_comes_before_the_betting() -> None:
    """The floor can have the deal given up until there is substantial action, and not later (R-DECK-05, R-MIS-02)."""
    early = third({1: 50, 2: 50, 3: 50}, low=1).bets("1 post 2")
    early.tell(DeclareMisdeal(MisdealCause.OUT_OF_SEQUENCE))
    assert early.state.phase is Phase.REDEAL
    late = third({1: 50, 2: 50, 3: 50}, low=1).bets("1 post 2, 2 call, 3 call")
    assert late.refusal(DeclareMisdeal(MisdealCause.OUT_OF_SEQUENCE)).rule == "R-MIS-04"


def test_antes_come_back_with_a_void_hand_alone() -> None:
    """A misdeal keeps them for the redeal; a void hand gives them back (R-ANTE-05, R-MIS-03, R-RULE-03)."""
    misdealt = third({1: 50, 2: 50}, low=1).bets("1 post 2")
    misdealt.tell(DeclareMisdeal(MisdealCause.WRONG_COUNT))
    assert dict(misdealt.happened(MisdealDeclared)[-1].refunds) == {1: 2}
    assert misdealt.ends == {1: 50, 2: 50}
    void = third({1: 50, 2: 50}, low=1).bets("1 post 2")
    void.tell(VoidHand("fouled deck"))
    assert dict(void.happened(HandVoided)[-1].refunds) == {1: 3, 2: 1}
    assert void.ends == {1: 51, 2: 51}


def test_who_knew_of_a_fouled_deck_is_ruled_with_the_void() -> None:
    """A void gives every chip back to who put it in, whoever knew; a penalty is no part of the hand (R-MIS-09, R-RULE-03)."""
    story = later(6, {1: 60, 2: 60}, opens=1).bets("1 to 8, 2 call")
    story.tell(VoidHand("fouled deck, seat 2 knew"))
    assert story.state.void_reason == "fouled deck, seat 2 knew"
    assert story.ends == story.stacks


def test_an_entered_action_binds() -> None:
    """What was said in turn is entered once: the same seat cannot say something else (R-BET-13)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 to 8")
    assert story.refused_rule("1 check") == "R-BET-14"
    story.bets("2 call, 3 call")
    assert story.state.street == 6


def test_chips_found_later_do_not_play() -> None:
    """An all-in hand wins from each what it put in: nothing adds chips to an open hand (R-ALLIN-07)."""
    story = later(5, {1: 50, 2: 5}, opens=1).bets("1 to 8, 2 call")
    assert story.ends[1] == 45
    assert story.refusal(PostAnte(2)).rule in ("R-ANTE-01", "R-DEAL-04")
    assert sum(chips for chips, _ in story.pots) == story.pot


@pytest.mark.parametrize("name", ["kill.enabled", "straddle.enabled", "run_it_twice"])
def test_what_is_not_offered_cannot_be_configured(name: str) -> None:
    """Kill pots, straddles and a second run (R-RAKE-03, R-RAKE-04, R-BET-15)."""
    with pytest.raises(HouseRulesError):
        house_rules("seeds", {name: "true"})


def test_rake_or_time_never_both() -> None:
    """A fixed collection takes the place of the rake (R-RAKE-02)."""
    with pytest.raises(HouseRulesError, match="R-RAKE-02"):
        house_rules("live_cash", {"rake.time_collection": "5"})
    assert house_rules("seeds", {"rake.time_collection": "5"}).time_collection == 5


def test_a_call_that_was_beaten_stands() -> None:
    """Called chips come back by undo while its window is open, and by nothing else (R-RULE-05, R-RULE-02)."""
    cards = {1: "2h 3d Ks Kh Kd Kc 4s", 2: "2c 3c 5h 6s 7d 9h Jc"}
    story = Story({1: 60, 2: 60}, cards=cards).passive(6).bets("1 to 8, 2 call")
    assert story.refusal(UndoAction()).rule == "R-RULE-02"
    story.bets("1 check, 2 check").showdown()
    assert story.won == {1: 22}


def test_a_hand_that_is_over_takes_no_ruling() -> None:
    """Neither the dealer nor a player changes a hand that has ended (R-RULE-01)."""
    story = third({1: 50, 2: 50}, low=1).bets("1 post 2, 2 fold")
    for given in (TableHand(1), MuckHand(1), AwardPots(), ExposeHole(1, 1)):
        assert story.refusal(given).rule.startswith("R-")
    assert bring_in_seat(story.state) == 1
