"""The four golden hands of rules §25 from the first ante to the last chip, every pot on the way."""

from __future__ import annotations

from support.hand_dsl import Story

from controller.hand.events import BurnMade, PotAwarded, SeventhPlan, StubCounted, StubScrambled
from controller.hand.state import Phase
from controller.hand.variants import Wins


def test_g1_stud_a_pair_on_fourth_a_check_raise_on_seventh_and_three_aces_over_three_nines() -> None:
    """G1: pots 4, 16, 32, 64, 80, 112; the last raiser shows first (R-SHOW-02); stacks end 47, 99, 95, 159."""
    story = Story(
        {1: 100, 3: 100, 4: 100, 7: 100},
        cards={1: "9s 4c | 3c 9h 9c Jh | 2c", 3: "Kh 4d | 5h", 4: "2d Qs | 5s Qd", 7: "Tc 7h | As Ad 2h 8c | Ah"},
        burns="Jd 6c Kd 6d",
    )
    assert (story.pot, story.actor, story.options) == (4, 1, "post 2, complete 4")
    story.bets("1 post 2, 3 fold, 4 call 2")
    assert story.options == "call 2, complete 4, fold"
    story.bets("7 to 4, 1 call 4, 4 call 4")
    assert (story.pot, story.actor, story.options) == (16, 7, "check, bet 4, bet 8, fold")
    story.bets("7 to 8, 1 call 8, 4 fold")
    assert (story.pot, story.actor, story.options) == (32, 7, "check, bet 8, fold")
    story.bets("7 to 8, 1 to 16, 7 call 16")
    assert (story.pot, story.actor) == (64, 7)
    story.bets("7 check, 1 to 8, 7 call 8")
    assert (story.pot, story.actor) == (80, 7)
    story.bets("7 check, 1 to 8, 7 to 16, 1 call 16")
    assert [entry.total for entry in story.state.seats] == [53, 1, 5, 53]
    assert (story.pots, story.state.show_order) == ([(112, (1, 7))], (7, 1))
    story.showdown()
    assert story.ends == {1: 47, 3: 99, 4: 95, 7: 159}
    assert story.state.phase is Phase.ENDED


def test_g1_cards_leave_the_shoe_one_at_a_time_in_the_printed_order() -> None:
    """G1: two down and one up in three rounds, then a burn and one card a live seat (R-DEAL-01, R-DEAL-02, R-DEAL-03)."""
    story = Story(
        {1: 100, 3: 100, 4: 100, 7: 100},
        cards={1: "9s 4c | 3c 9h 9c Jh | 2c", 3: "Kh 4d | 5h", 4: "2d Qs | 5s Qd", 7: "Tc 7h | As Ad 2h 8c | Ah"},
        burns="Jd 6c Kd 6d",
    ).bets(
        "1 post 2, 3 fold, 4 call, 7 to 4, 1 call, 4 call, 7 to 8, 1 call, 4 fold, 7 to 8, 1 to 16, 7 call",
        "7 check, 1 to 8, 7 call",
    )
    drawn = " ".join(card.text for _, card in story.laid)
    assert drawn == "9s Kh 2d Tc 4c 4d Qs 7h 3c 5h 5s As Jd 9h Qd Ad 6c 9c 2h Kd Jh 8c 6d 2c Ah"


def test_g2_stud8_a_short_stack_wins_the_low_half_of_the_main_pot_alone() -> None:
    """G2: pots 15, 27, 45 + 4, 45 + 20, 45 + 36; halves 23/22 and 18/18 (R-POT-05, R-POT-08); stacks end 22, 68, 45."""
    story = Story(
        {2: 15, 5: 60, 6: 60},
        variant="stud8",
        cards={2: "Ah 2c | 3d 5h 7s Jc | Kc", 5: "Kh Kd | Qs 9c Td 2s | Ks", 6: "8s 7d | 6c Jd 4h 3s | 2d"},
    )
    story.bets("2 post 2, 5 to 4, 6 call 4, 2 call 4")
    assert (story.pot, story.actor) == (15, 5)
    story.bets("5 to 4, 6 call 4, 2 call 4")
    assert (story.pot, story.ends[2], story.actor) == (27, 6, 5)
    story.bets("5 to 8, 6 call 8")
    assert story.options == "call 6, fold"
    story.bets("2 call 6")
    assert (story.pot, story.actor) == (49, 5)
    story.bets("5 to 8, 6 call 8")
    assert story.pot == 65
    story.bets("5 to 8, 6 call 8")
    assert story.pots == [(45, (2, 5, 6)), (36, (5, 6))]
    story.showdown()
    side, main = story.happened(PotAwarded)
    assert (side.pot, side.shares) == (1, ((5, 18, Wins.HIGH), (6, 18, Wins.LOW_EIGHT)))
    assert (main.pot, main.shares) == (0, ((5, 23, Wins.HIGH), (2, 22, Wins.LOW_EIGHT)))
    assert story.ends == {2: 22, 5: 68, 6: 45}


def test_g3_razz_the_king_brings_in_and_the_low_board_opens_each_street() -> None:
    """G3: pots 21, 29, 45, 61; the first to act on a checked seventh shows first (R-SHOW-03); stacks end 97, 132, 71."""
    story = Story(
        {1: 100, 2: 100, 3: 100},
        variant="razz",
        cards={1: "2h 3c | Ks", 2: "4d 6s | 5c 9d Ah Jc | 2c", 3: "Ad 8h | 7c 2s Qh 3h | Kd"},
    )
    story.bets("1 post 2, 2 to 4, 3 to 8, 1 fold, 2 call 8")
    assert (story.pot, story.actor) == (21, 3)
    story.bets("3 to 4, 2 call 4")
    assert (story.pot, story.actor) == (29, 2)
    story.bets("2 to 8, 3 call 8")
    assert (story.pot, story.actor) == (45, 2)
    story.bets("2 check, 3 to 8, 2 call 8")
    assert (story.pot, story.actor) == (61, 2)
    story.bets("2 check, 3 check")
    assert story.state.show_order == (2, 3)
    story.showdown()
    assert story.ends == {1: 97, 2: 132, 3: 71}


def test_g4_eight_hands_to_the_river_share_one_common_card_from_the_scrambled_burns() -> None:
    """G4: stub 28, 19, 10, 1; four cards are scrambled, one burned, one turned, two are left (R-STUB-02 case 4)."""
    story = Story(dict.fromkeys(range(1, 9), 100))
    stubs = [story.state.stub]
    assert story.pot == 8
    for street in (4, 5, 6, 7):
        story.passive(street)
        stubs.append(story.state.stub)
    assert stubs == [28, 19, 10, 1, 2]
    (counted,) = story.happened(StubCounted)
    assert counted == StubCounted(1, 3, 8, SeventhPlan.SCRAMBLE_COMMUNITY)
    assert story.happened(StubScrambled) == [StubScrambled(4)]
    assert [event.street for event in story.happened(BurnMade)] == [4, 5, 6, 7]
    assert [place for place, _ in story.laid[-2:]] == ["burn", "community"]
    assert story.state.community is not None
    assert all((len(entry.down), len(entry.up)) == (2, 4) for entry in story.state.seats)
    assert story.actor == story.state.opener != 0
    story.passive(8).showdown()
    assert sum(story.ends.values()) == 800
