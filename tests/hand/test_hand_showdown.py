"""Who shows, who may muck, which pot is paid when (rules §15, R-POT-09, R-POT-10, R-ALLIN-05, Q-49, Q-72 to Q-75)."""

from __future__ import annotations

from typing import Any

import pytest
from support.hand_dsl import Story, later

from controller.hand.commands import AwardPots, MuckHand, TableHand
from controller.hand.events import HandTabled, PotAwarded, PotsFixed, StubCounted
from controller.hand.showdown import claimants, may_muck, to_show
from controller.hand.state import Phase
from controller.hand.terms import Share

STRONG = "As Ad | Ah 9c 7d 4h | Ac"
MIDDLE = "Ks Kd | Kh 9d 7s 4c | 2h"
WEAK = "Qs Qd | Jh 9s 7c 3h | 2d"


def seventh(behind: dict[int, int], opens: int, **options: Any) -> Story:
    """Seventh street about to be bet."""
    return later(7, behind, opens, **options)


def test_the_last_to_wager_on_seventh_shows_first_then_clockwise() -> None:
    """R-SHOW-02: seat 2 bets, 5 raises, 7 and 2 call: 5, 7, 2."""
    story = seventh({2: 90, 5: 90, 7: 90}, opens=2).bets("2 to 8, 5 to 16, 7 call, 2 call")
    assert story.state.show_order == (5, 7, 2)


def test_a_short_all_in_is_a_wager_too() -> None:
    """Q-73: 2 bets 8, 5 all-in 11, 7 and 2 call: 5 shows first."""
    story = seventh({2: 90, 5: 11, 7: 90}, opens=2).bets("2 to 8, 5 to 11, 7 call, 2 call")
    assert story.state.show_order == (5, 7, 2)


@pytest.mark.parametrize(
    ("knob", "order"),
    [
        ("first_to_act", (5, 7, 2)),
        ("seat_order", (2, 5, 7)),
        ("from_bring_in_seat", (7, 2, 5)),
        ("last_raiser_of_hand", (2, 5, 7)),
    ],
)
def test_who_shows_first_when_seventh_is_checked_through(knob: str, order: tuple[int, ...]) -> None:
    """R-SHOW-03: live 2, 5, 7; high board 5; bring-in 7; seat 2 raised last, on 6th."""
    cards = {5: "?? ?? Ah", 7: "?? ?? 2c"}
    story = Story(dict.fromkeys((2, 5, 7), 90), cards=cards, showdown__no_bet_order=knob).passive(6)
    story.bets("5 to 8, 7 call, 2 to 16, 5 call, 7 call, 5 check, 7 check, 2 check")
    assert story.state.show_order == order


def test_a_hand_all_in_before_seventh_is_shown_from_the_high_board() -> None:
    """R-SHOW-03, Q-72: seat 1 raises all-in on 5th and is called; no wager on 7th: the board of seat 2 shows first."""
    story = later(5, {1: 17, 2: 17}, opens=2).bets("2 check, 1 to 8, 2 to 16, 1 to 17, 2 call")
    assert (story.state.street, story.state.show_order) == (7, (2, 1))


def test_an_early_all_in_leaves_a_later_seats_wager_of_its_own_street_behind() -> None:
    """Q-72: a wager of 6th street decides nothing once seventh is run out."""
    story = later(6, {1: 50, 2: 8, 3: 8}, opens=3).bets("3 check, 1 to 8, 2 call, 3 call")
    assert story.state.show_order == (3, 1, 2)


def test_in_razz_the_low_board_shows_first() -> None:
    """R-SHOW-03: seventh checked in razz."""
    story = Story({1: 90, 8: 90}, variant="razz", cards={1: "?? ?? Ks", 8: "?? ?? 2c 3d 4h 5s"}).passive(8)
    assert story.state.show_order == (8, 1)


def test_side_pots_are_shown_first() -> None:
    """R-SHOW-07, Q-72: side (1,4), main (1,4,6), seat 6 all-in with the high board, 7th checked: 1, 4, then 6."""
    story = later(5, {1: 90, 4: 90, 6: 4}, opens=6).bets("6 to 4, 1 to 12, 4 call").passive(8)
    assert (story.pots, story.state.show_order) == ([(21, (1, 4, 6)), (16, (1, 4))], (1, 4, 6))


def test_the_last_live_hand_takes_the_pot_unseen() -> None:
    """R-POT-09: 7 antes, seat 4 brings in 2, all fold: 2 back, pot 7 to seat 4 without a card shown."""
    story = Story(dict.fromkeys(range(1, 8), 50), cards={4: "?? ?? 2c"})
    story.bets("4 post 2, 5 fold, 6 fold, 7 fold, 1 fold, 2 fold, 3 fold")
    assert story.happened(PotAwarded) == [PotAwarded(0, (Share(4, 7, None),))]
    assert (story.happened(HandTabled), story.ends[4]) == ([], 56)


def test_a_side_pot_is_taken_at_once_when_the_others_in_it_fold() -> None:
    """R-ALLIN-05: main 60 (1,4,6), side 16; 4 bets 8, 6 folds: 8 back and 16 to 4 unseen; main between 1 and 4."""
    story = later(5, {1: 8, 4: 90, 6: 90}, opens=1).bets("1 to 8, 4 to 16, 6 call").passive(7)
    before = story.ends[4]
    assert story.actor == 4
    story.bets("4 to 8, 6 fold")
    assert story.happened(PotAwarded) == [PotAwarded(1, (Share(4, 16, None),))]
    assert story.ends[4] == before + 16
    assert (to_show(story.state), story.pots[0]) == ((4, 1), (33, (1, 4)))


def test_a_pot_that_one_seat_alone_can_win_is_no_showdown() -> None:
    """Q-49: an all-in called by one of two: the folder's chips above it make a pot of one seat, paid at once."""
    story = later(5, {1: 4, 2: 90, 3: 90}, opens=2).bets("2 to 8, 3 to 16, 1 call, 2 call").passive(6)
    story.bets("2 to 8, 3 fold")
    assert story.happened(PotAwarded)[0] == PotAwarded(1, (Share(2, 24, None),))
    assert story.state.phase is Phase.SHOWDOWN


def test_a_pot_of_one_seat_is_paid_before_the_next_card() -> None:
    """R-ALLIN-05, Q-49: betting ends on 5th: the side pot is pushed at once, then the main pot is run out."""
    story = later(5, {1: 4, 2: 90, 3: 90}, opens=1).bets("1 to 4, 2 to 12, 3 call").bets("2 to 8, 3 fold")
    kinds = [type(event) for event in story.events]
    assert kinds.index(PotsFixed) < kinds.index(PotAwarded) < kinds.index(StubCounted)


def test_awards_wait_for_every_hand_that_must_show() -> None:
    """R-SHOW-05: the dealer confirms once all have tabled or mucked; until then refused."""
    story = seventh({1: 90, 2: 90, 3: 90}, opens=1, cards={1: STRONG, 2: MIDDLE, 3: WEAK}).bets("1 check, 2 check, 3 check")
    refused = story.refusal(AwardPots())
    assert (refused.rule, refused.code, refused.values) == ("R-SHOW-04", "hands_to_show", (("seats", "1 2 3"),))
    story.show(1).muck(2)
    assert to_show(story.state) == (3,)
    story.show(3).tell(AwardPots())
    assert (story.state.phase, story.won) == (Phase.ENDED, {1: 9})


def test_anyone_may_table_early_and_only_once() -> None:
    """R-SHOW-05: a hand that thinks it wins may be tabled out of order; a second time is refused."""
    story = seventh({1: 90, 2: 90, 3: 90}, opens=1).bets("1 check, 2 check, 3 check").show(3)
    assert to_show(story.state) == (1, 2)
    assert story.refusal(TableHand(3)).rule == "R-SHOW-05"
    assert story.refusal(MuckHand(3)).rule == "R-POT-10"


def test_a_tabled_hand_shows_all_seven_cards() -> None:
    """R-SHOW-04: not five: the low winner too; with a common card its six own."""
    story = seventh({1: 90, 2: 90}, opens=1, cards={1: STRONG}).bets("1 check, 2 check").show(1)
    (tabled,) = story.happened(HandTabled)
    assert " ".join(card.text for card in tabled.cards) == "As Ad Ah 9c 7d 4h Ac"
    story = Story(dict.fromkeys(range(1, 9), 50)).passive(8).show(3)
    assert len(story.happened(HandTabled)[0].cards) == 6


def test_folded_and_mucked_hands_and_strangers_have_nothing_to_table() -> None:
    """R-SHOW-04: a muck gives up everything (Q-75)."""
    story = seventh({1: 90, 2: 90, 3: 90, 4: 90}, opens=1).bets("1 to 8, 2 fold, 3 call, 4 call").muck(4)
    for seat in (2, 4, 7):
        assert story.refusal(TableHand(seat)).rule == "R-SHOW-04"
        assert story.refusal(MuckHand(seat)).rule == "R-POT-10"


def test_all_but_one_muck_and_the_last_wins_without_tabling() -> None:
    """R-SHOW-08: paid at once."""
    story = seventh({1: 90, 2: 90, 3: 90}, opens=1).bets("1 check, 2 check, 3 check").muck(1, 2)
    assert (story.state.phase, story.won, story.happened(HandTabled)) == (Phase.ENDED, {3: 9}, [])


def test_the_last_hand_with_a_claim_cannot_be_mucked_away() -> None:
    """R-POT-10: pot by pot: once seat 4 mucks, the side pot is seat 1's at once; the main pot stays contested."""
    story = later(5, {1: 90, 4: 90, 6: 4}, opens=6).bets("6 to 4, 1 to 12, 4 call").passive(8)
    assert [may_muck(story.state, seat) for seat in (1, 4, 6)] == [True, True, True]
    story.muck(4)
    assert story.happened(PotAwarded) == [PotAwarded(1, (Share(1, 16, None),))]
    assert claimants(story.state, 0) == (1, 6)
    story.muck(1)
    assert (story.state.phase, story.won) == (Phase.ENDED, {1: 16, 6: 21})


def test_pots_are_pushed_from_last_formed_to_main() -> None:
    """R-SHOW-07, Q-51."""
    story = later(5, {1: 90, 4: 90, 6: 4}, opens=6).bets("6 to 4, 1 to 12, 4 call").passive(8).showdown()
    assert [award.pot for award in story.happened(PotAwarded)] == [1, 0]


def test_a_muck_never_merges_pots() -> None:
    """Q-50: 6 all-in mucks: main and side stay two pots with their own odd chips."""
    story = later(5, {1: 90, 4: 90, 6: 4}, opens=6).bets("6 to 4, 1 to 12, 4 call").passive(8).muck(6)
    assert story.pots == [(21, (1, 4, 6)), (16, (1, 4))]
    story.showdown()
    assert [(award.pot, sum(share.chips for share in award.shares)) for award in story.happened(PotAwarded)] == [(1, 16), (0, 21)]


def test_a_hand_with_an_unread_card_is_not_tabled() -> None:
    """R-SHOW-04: all seven cards must be known."""
    story = seventh({1: 90, 2: 90}, opens=1).bets("1 check, 2 check")
    entry = story.state.seats[0]
    story.state = story.state._replace(seats=(entry._replace(down=(None, *entry.down[1:])), story.state.seats[1]))
    assert story.refusal(TableHand(1)).code == "cards_to_key"


def test_showing_and_awarding_have_their_time() -> None:
    """R-SHOW-01: refused while the hand is bet."""
    story = seventh({1: 90, 2: 90}, opens=1)
    assert {story.refusal(given).code for given in (TableHand(1), MuckHand(1), AwardPots())} == {"no_showdown"}
