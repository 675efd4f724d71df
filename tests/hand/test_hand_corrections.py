"""Corrections of what people did: chips without words, absence, clock, a wrong opener, a wrong award, a hand that is seen."""

from __future__ import annotations

import pytest
from support.hand_dsl import Story, later, third

from controller.hand.commands import (
    AwardPots,
    ExpireClock,
    LeaveTable,
    LetSee,
    OpenedBy,
    PutChips,
    ReturnToTable,
    Role,
    UndoAward,
)
from controller.hand.events import ActionTaken
from controller.hand.irregular_events import DeadCause, HandSeen, HandsKilled
from controller.hand.state import Phase, Status
from controller.hand.terms import Verb


def last_action(story: Story) -> tuple[int, Verb, int]:
    """Seat, verb and street total of the last action."""
    action = story.happened(ActionTaken)[-1]
    return action.seat, action.verb, action.to


def status(story: Story, seat: int) -> Status:
    """The part of a seat in the hand."""
    return story.state.seats[story.state.index_of(seat)].status


@pytest.mark.parametrize(
    ("chips", "pieces", "verb", "to"),
    [(12, 3, Verb.RAISE, 16), (11, 3, Verb.CALL, 8), (25, 1, Verb.CALL, 8), (8, 2, Verb.CALL, 8), (16, 2, Verb.RAISE, 16)],
)
def test_chips_without_words_facing_a_bet(chips: int, pieces: int, verb: Verb, to: int) -> None:
    """One piece is a call; half a bet more in several pieces is a raise, less is a call (R-BET-12)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 to 8")
    story.tell(PutChips(2, chips, pieces))
    assert last_action(story) == (2, verb, to)


def test_chips_without_words_at_the_cap_are_a_call() -> None:
    """What is above the call comes back where no raise is legal (R-BET-12, R-BET-03)."""
    story = later(5, {1: 100, 2: 100}, opens=1).bets("1 to 8, 2 to 16, 1 to 24, 2 to 32")
    story.tell(PutChips(1, 20, 3))
    assert last_action(story) == (1, Verb.CALL, 32)


def test_chips_without_words_and_no_bet() -> None:
    """They are the legal bet; with an open pair the dealer asks when they fit no size (R-BET-12, R-BET-05)."""
    story = later(5, {1: 50, 2: 50}, opens=1)
    story.tell(PutChips(1, 3, 1))
    assert last_action(story) == (1, Verb.BET, 8)
    paired = Story({1: 50, 2: 50}, cards={1: "?? ?? 9h 9c", 2: "?? ?? 2c Kd"}).passive(4)
    assert paired.refusal(PutChips(1, 6, 3)).code == "ask_the_player"


def test_a_wrong_bring_in_stands_once_the_next_player_has_acted() -> None:
    """Action goes on from the seat that posted; the true low owes nothing special (R-BRING-09)."""
    story = third({1: 50, 4: 50, 7: 50}, low=7)
    story.tell(OpenedBy(4))
    story.bets("4 post 2, 7 call, 1 call")
    assert story.state.bring_in_seat == 4
    assert story.state.street == 4


def test_a_wrong_bring_in_is_put_right_before_that() -> None:
    """Until the next player acts the post is taken back: the true low is asked as if nothing had been (R-BRING-09, R-RULE-02)."""
    story = third({1: 50, 4: 50, 7: 50}, low=7).bets("7 post 2, 1 call")
    assert story.refusal(OpenedBy(4)).code == "round_is_under_way"


def test_the_low_card_is_away() -> None:
    """The post is taken from its stack, and its hand dies facing a bet (R-BRING-10, R-ABS-02)."""
    story = third({1: 50, 4: 50, 7: 50}, low=4)
    story.tell(LeaveTable(4))
    assert last_action(story) == (4, Verb.BRING_IN, 2)
    story.bets("7 to 4, 1 call")
    assert status(story, 4) is Status.KILLED
    assert story.ends[4] == 48


def test_the_clock_posts_the_bring_in() -> None:
    """Silence of a player who is there never becomes a fold of the post (R-BRING-10, R-ABS-04)."""
    story = third({1: 50, 4: 50}, low=4)
    story.tell(ExpireClock(4))
    assert last_action(story) == (4, Verb.BRING_IN, 2)


def test_the_clock_checks_or_kills() -> None:
    """Not facing a bet the seat checks, facing one its hand is dead (R-ABS-04)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1)
    story.tell(ExpireClock(1))
    assert last_action(story) == (1, Verb.CHECK, 0)
    story.bets("2 to 8")
    story.tell(ExpireClock(3))
    killed = story.happened(HandsKilled)[-1]
    assert (killed.seats, killed.cause) == ((3,), DeadCause.CLOCK)
    assert story.refusal(ExpireClock(2)).code == "not_your_turn"


def test_away_when_action_comes() -> None:
    """Checked for while nobody has bet, dead when somebody does; what is in stays in (R-ABS-02)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1)
    story.tell(LeaveTable(2))
    story.bets("1 check")
    assert last_action(story) == (2, Verb.CHECK, 0)
    story.bets("3 to 8, 1 call")
    assert status(story, 2) is Status.KILLED
    assert story.ends[2] == 50


def test_back_before_action_comes() -> None:
    """Then the hand plays on (R-ABS-01, R-ABS-02)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1)
    story.tell(LeaveTable(2))
    story.tell(ReturnToTable(2))
    story.bets("1 to 8, 2 call, 3 call")
    assert status(story, 2) is Status.LIVE
    assert story.refusal(ReturnToTable(2)).code == "not_away"


class LeavesDuringDeal(Story):
    """Seat 2 leaves while the first cards are dealt."""

    gone = False

    def deal(self) -> None:
        """As always, but for the one who leaves."""
        if not self.gone:
            self.gone = True
            self.tell(LeaveTable(2))
        super().deal()


def test_away_at_the_deal() -> None:
    """By the posted rule its hand is dead when the first deal is done, or when action comes (R-ABS-01)."""
    at_once = LeavesDuringDeal({1: 50, 2: 50, 3: 50}, cards={1: "?? ?? 2c"}, absent__kill="on_deal")
    assert status(at_once, 2) is Status.KILLED
    on_turn = LeavesDuringDeal({1: 50, 2: 50, 3: 50}, cards={1: "?? ?? 2c"})
    assert status(on_turn, 2) is Status.LIVE
    on_turn.bets("1 post 2")
    assert status(on_turn, 2) is Status.KILLED


def shown_down() -> Story:
    """Two hands at the showdown; the kings of seat 1 are best."""
    cards = {1: "2h 3d Ks Kh Kd Kc 4s", 2: "2c 3c 5h 6s 7d 9h Jc"}
    return Story({1: 60, 2: 60}, cards=cards).passive(8)


def test_a_wrong_award_is_taken_back_until_the_next_hand() -> None:
    """The hand stands at its showdown again, with the chips in the pot (R-RULE-04, R-SHOW-10)."""
    story = shown_down().showdown()
    assert story.state.phase is Phase.ENDED
    assert story.won == {1: 6}
    story.tell(UndoAward())
    assert story.state.phase is Phase.SHOWDOWN
    assert story.won == {}
    story.tell(AwardPots())
    assert story.won == {1: 6}


def test_a_conceded_hand_is_seen_by_all_through_the_floor() -> None:
    """It is shown to everybody and wins nothing (R-SHOW-09)."""
    story = shown_down()
    story.show(story.state.show_order[0]).muck(story.state.show_order[1])
    loser = story.state.show_order[1]
    story.tell(LetSee(loser))
    seen = story.happened(HandSeen)[-1]
    assert (seen.seat, len(seen.cards)) == (loser, 7)
    assert loser not in story.won
    assert story.refusal(LetSee(story.state.show_order[0], Role.FLOOR)).code == "no_hand_to_see"
