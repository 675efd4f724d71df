"""Order of dealing, burns, ghost cards and the stub test before seventh street (rules §5, §9, Q-11, Q-12, Q-65)."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from support.hand_dsl import Story, later, rules_of

from controller.hand.dealing import count_stub, street_due
from controller.hand.events import BurnMade, CommunityDealt, GhostDealt, SeventhPlan, StubCounted
from controller.hand.places import SeatPlace, Spot
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, SeatHand, Status
from controller.hand.variants import VariantCode

NORMAL, REUSE = SeventhPlan.NORMAL, SeventhPlan.REUSE_BURNS
COMMUNITY, SCRAMBLE = SeventhPlan.COMMUNITY, SeventhPlan.SCRAMBLE_COMMUNITY


def before_seventh(live: int, stub: int, *, burns: int = 3, ghosts: int = 0) -> HandState:
    """A state of which only the counts matter."""
    setup = HandSetup(1, VariantCode.STUD, Stakes(1, 2, 4, 8), rules_of())
    seats = tuple(
        SeatHand(seat, 50, status=Status.LIVE if seat <= live else Status.GHOST) for seat in range(1, live + ghosts + 1)
    )
    return HandState(setup, seats, street=6, stub=stub, burns=burns)


def plan(live: int, stub: int, burns: int = 3) -> SeventhPlan:
    """How the seventh is dealt."""
    return count_stub(before_seventh(live, stub, burns=burns)).plan


def places(story: Story, street: int) -> list[str]:
    """Where the cards of a street went, in order."""
    starts = [number for number, (place, _) in enumerate(story.laid) if place == "burn"]
    begin = starts[street - 4]
    end = starts[street - 3] if street - 3 < len(starts) else len(story.laid)
    return [place for place, _ in story.laid[begin:end]]


def test_third_street_is_three_rounds_of_one_card_clockwise_without_a_burn() -> None:
    """R-DEAL-01: seats 1,3,4,7 of the printed shoe; seat 1 (3c) brings in; 12 cards used."""
    cards = {1: "9s 4c 3c", 3: "Kh 4d 5h", 4: "2d Qs 5s", 7: "Tc 7h As"}
    story = Story(dict.fromkeys((1, 3, 4, 7), 50), cards=cards)
    assert " ".join(card.text for _, card in story.laid) == "9s Kh 2d Tc 4c 4d Qs 7h 3c 5h 5s As"
    assert [place for place, _ in story.laid] == [
        f"seat/{seat}/{zone}" for zone in ("down", "down", "up") for seat in (1, 3, 4, 7)
    ]
    assert (story.actor, story.state.stub) == (1, 40)


def test_later_streets_begin_at_the_lowest_live_seat_whoever_opens() -> None:
    """R-DEAL-02, R-DEAL-03: seats 2, 5, 8; seat 8 opens every street; a burn, then 2, 5, 8; the seventh lies down."""
    story = later(7, {2: 50, 5: 50, 8: 50}, opens=8)
    for street in (4, 5, 6):
        assert places(story, street) == ["burn", "seat/2/up", "seat/5/up", "seat/8/up"]
    assert places(story, 7) == ["burn", "seat/2/down", "seat/5/down", "seat/8/down"]
    assert story.actor == 8


def test_all_in_hands_are_dealt_like_any_other() -> None:
    """R-DEAL-02, R-ANTE-03: an ante-only seat gets seven cards."""
    story = Story({1: 1, 2: 50, 3: 50}).passive(8)
    assert len(story.state.seats[0].cards) == 7


def test_a_burn_before_third_street_is_a_knob() -> None:
    """R-DEAL-03 ``deal.burn_before_third``; seven seats at most (Q-03)."""
    story = Story({1: 50, 2: 50}, deal__burn_before_third="true", table__max_seats="7")
    assert [event.street for event in story.happened(BurnMade)] == [3]
    assert [place for place, _ in story.laid[:2]] == ["burn", "seat/1/down"]


def test_the_deal_stops_with_one_live_hand() -> None:
    """R-DEAL-05: no rabbit hunting: nothing is due."""
    story = Story({1: 50, 2: 50}, cards={1: "?? ?? 2c"}).bets("1 post 2, 2 fold")
    assert len(story.laid) == 6
    assert story.state.over


# ---------------------------------------------------------------------- ghosts


def test_a_free_fold_keeps_getting_cards_face_down_until_chips_are_wagered() -> None:
    """R-DEAL-06, Q-11: seat 2 folds unbet on 4th; 5 and 7 check; on 5th a ghost card comes first; a bet ends it."""
    story = later(4, {2: 50, 5: 50, 7: 50}, opens=2).bets("2 fold, 5 check, 7 check")
    assert places(story, 5) == ["burn", "seat/2/down ghost", "seat/5/up", "seat/7/up"]
    story.bets(f"{story.actor} to 8", f"{12 - story.actor} call")
    assert places(story, 6) == ["burn", "seat/5/up", "seat/7/up"]
    assert len(story.state.seats[0].cards) == 4


def test_a_bet_after_the_free_fold_on_the_same_street_ends_it_at_once() -> None:
    """R-DEAL-06: if seat 5 had bet 4th street, seat 2 is skipped from then on."""
    story = later(4, {2: 50, 5: 50, 7: 50}, opens=2).bets("2 fold, 5 to 4, 7 call")
    assert places(story, 5) == ["burn", "seat/5/up", "seat/7/up"]


def test_even_a_short_all_in_ends_ghost_cards() -> None:
    """Q-11: 5th: seat 2 folds free, seat 5 goes all-in for 3: from 6th on no card to seat 2."""
    story = later(5, {2: 50, 5: 3, 7: 50}, opens=2).bets("2 fold, 5 to 3, 7 call 3")
    assert places(story, 6) == ["burn", "seat/5/up", "seat/7/up"]


def test_a_tournament_deals_no_card_to_a_dead_hand() -> None:
    """R-DEAL-06 ``deal.ghost_cards_after_free_fold`` false."""
    story = later(4, {2: 50, 5: 50, 7: 50}, opens=2, preset="tournament").bets("2 fold, 5 check, 7 check")
    assert places(story, 5) == ["burn", "seat/5/up", "seat/7/up"]


def test_folds_in_place_of_the_post_leave_no_ghosts_when_nobody_posts() -> None:
    """Q-25, R-DEAL-06: 3 and 4 fold, 1 is not asked: the run-out goes to seats 1 and 2 alone."""
    story = Story({1: 50, 2: 1, 3: 50, 4: 50}, cards={2: "?? ?? 2c"}, bring_in__low_all_in_on_ante="next_may_fold")
    story.bets("3 fold, 4 fold")
    assert places(story, 4) == ["burn", "seat/1/up", "seat/2/up"]


def test_two_handed_a_free_fold_ends_the_hand_without_ghosts() -> None:
    """Q-13."""
    story = later(4, {1: 50, 2: 50}, opens=1).bets("1 fold")
    assert (story.state.over, story.happened(GhostDealt)) == (True, [])


def test_a_fold_facing_a_bet_gets_no_ghost_card() -> None:
    """R-DEAL-06: only a fold with nothing to call is free."""
    story = later(4, {2: 50, 5: 50, 7: 50}, opens=2).bets("2 to 4, 5 fold, 7 call")
    assert places(story, 5) == ["burn", "seat/2/up", "seat/7/up"]


def test_a_ghost_gets_no_seventh_when_the_stub_is_short_of_it() -> None:
    """Q-12: 8 dealt, two fold on 3rd, checked down, one folds free on 6th: S = 7, R = 5: burn, deal five, no ghost."""
    story = Story(dict.fromkeys(range(1, 9), 50), cards={1: "?? ?? 2c", 2: "?? ?? Ah"})
    story.bets("1 post 2, 2 call, 3 fold, 4 fold, 5 call, 6 call, 7 call, 8 call").passive(6).bets("2 fold").passive(7)
    assert story.happened(StubCounted) == [StubCounted(7, 3, 5, NORMAL)]
    assert places(story, 7) == ["burn", *(f"seat/{seat}/down" for seat in (1, 5, 6, 7, 8))]


def test_a_ghost_gets_its_seventh_from_a_stub_that_reaches_for_everybody() -> None:
    """Q-12: S ≥ R + ghosts + 2."""
    story = later(6, {2: 50, 5: 50, 7: 50}, opens=2).bets("2 fold").passive(7)
    assert places(story, 7) == ["burn", "seat/2/down ghost", "seat/5/down", "seat/7/down"]


def test_ghost_cards_count_for_the_stub() -> None:
    """Q-12: 8 dealt, seat 3 folds free on 4th, bet on 5th: L = 8,8,7, S = 2, R = 7: scramble and common card."""
    story = Story(dict.fromkeys(range(1, 9), 50), cards={1: "?? ?? 2c", 3: "?? ?? Ah"}).passive(4).bets("3 fold").passive(5)
    story.bets(f"{story.actor} to 8").passive(7)
    assert story.happened(StubCounted) == [StubCounted(2, 3, 7, SCRAMBLE)]
    assert len(story.happened(CommunityDealt)) == 1


def test_without_the_ghost_the_stub_would_hold_one_more() -> None:
    """Q-12: a tournament's dead hand gets no card: S = 3, a common card from the stub."""
    story = Story(dict.fromkeys(range(1, 9), 50), cards={1: "?? ?? 2c", 3: "?? ?? Ah"}, preset="tournament")
    story.passive(4).bets("3 fold").passive(7)
    assert story.happened(StubCounted) == [StubCounted(3, 3, 7, COMMUNITY)]


@pytest.mark.parametrize(("stub", "ghosts", "expected"), [(8, 1, True), (7, 1, False), (9, 2, True), (8, 2, False)])
def test_the_ghosts_boundary(stub: int, ghosts: int, expected: bool) -> None:
    """Q-12: five live: S ≥ 5 + ghosts + 2, to the card."""
    state = before_seventh(5, stub, ghosts=ghosts)._replace(short=NORMAL)
    assert any(due.ghost for due in street_due(state, 7)) is expected


def test_no_ghost_after_a_scramble() -> None:
    """Q-12: never after a scramble, however many cards lie there then."""
    state = before_seventh(3, 20, ghosts=2)._replace(short=REUSE)
    assert not any(due.ghost for due in street_due(state, 7))


# ---------------------------------------------------------------------- the stub test

EIGHT_DEALT = {
    8: {1: SCRAMBLE},
    7: {1: SCRAMBLE, 2: SCRAMBLE, 3: COMMUNITY, 4: COMMUNITY},
    6: {1: SCRAMBLE, 2: SCRAMBLE, 3: COMMUNITY, 4: COMMUNITY, 5: REUSE, 6: REUSE, 7: REUSE},
    5: {1: SCRAMBLE, 2: SCRAMBLE, 3: COMMUNITY, 4: REUSE, 5: REUSE, 6: REUSE, 7: NORMAL},
    4: {1: SCRAMBLE, 2: SCRAMBLE, 3: REUSE, 4: REUSE, 5: REUSE, 6: NORMAL},
    3: {1: SCRAMBLE, 2: REUSE, 3: REUSE, 4: REUSE, 5: NORMAL},
    2: {1: REUSE, 2: REUSE, 3: REUSE, 4: NORMAL},
}


def histories(dealt: int) -> list[tuple[int, int]]:
    """Live hands R and stub S before seventh for every way in which hands can be out by then (no ghosts: L4 ≥ L5 ≥ L6 ≥ R)."""
    found = set()
    for live, sixth, fifth, fourth in combinations_with_replacement(range(2, dealt + 1), 4):
        found.add((live, 49 - 3 * dealt - fourth - fifth - sixth))
    return sorted(found)


def test_every_stub_that_eight_hands_can_leave_is_in_the_table_and_decided_by_it() -> None:
    """R-STUB-02, exhaustively: all L4 ≥ L5 ≥ L6 ≥ R of eight hands; above the last row it is dealt normally."""
    seen: dict[int, dict[int, SeventhPlan]] = {}
    for live, stub in histories(8):
        seen.setdefault(live, {})[stub] = plan(live, stub)
    for live, rows in EIGHT_DEALT.items():
        for stub, expected in rows.items():
            assert seen[live][stub] is expected, (live, stub)
        assert all(found is NORMAL for stub, found in seen[live].items() if stub not in rows)


@pytest.mark.parametrize("dealt", range(2, 8))
@pytest.mark.parametrize("burns", [3, 4])
def test_with_seven_or_fewer_dealt_in_a_common_card_never_occurs(dealt: int, burns: int) -> None:
    """R-STUB-02, by enumeration, with and without a burn before third street; ghosts count as hands dealt to."""
    extra = burns - 3
    for live, stub in histories(dealt):
        assert plan(live, stub - extra, burns) in (NORMAL, REUSE)


def test_seven_hands_to_the_river_use_their_burns() -> None:
    """R-STUB-02: 7-handed, S = 7: 10 cards, burn one, deal seven, two left."""
    story = Story(dict.fromkeys(range(1, 8), 50)).passive(7)
    assert story.happened(StubCounted) == [StubCounted(7, 3, 7, REUSE)]
    assert (story.state.stub, story.state.burns) == (2, 1)
    assert places(story, 7) == ["burn", *(f"seat/{seat}/down" for seat in range(1, 8))]


@pytest.mark.parametrize(
    ("folds", "stub"),
    [((8, 8, 8), 1), ((7, 7, 7), 4), ((8, 7, 7), 3), ((8, 8, 7), 2), ((6, 6, 6), 7)],
)
def test_the_count_of_the_stub(folds: tuple[int, int, int], stub: int) -> None:
    """R-STUB-01: S = 49 − 3n − (L4 + L5 + L6), as the deal really leaves it."""
    assert 49 - 24 - sum(folds) == stub
    story = Story(dict.fromkeys(range(1, 9), 90), cards={1: "?? ?? 2c", 2: "?? ?? Ah"})
    for street, hands in zip((4, 5, 6), folds, strict=True):
        while story.state.street < street:
            live = story.state.live_count
            if live > hands and story.state.round.match > 0 and story.actor not in (1, 2) and not story.state.round.post_due:
                story.bets(f"{story.actor} fold")
            elif story.actor == 2 and street > 4 and live > hands and not story.state.round.match:
                story.bets(f"2 to {4 if street == 5 else 8}")
            else:
                story.bets(f"{story.actor} {story.options.split()[0].rstrip(',')}")
    story.passive(7)
    assert story.happened(StubCounted)[0].stub == stub


def test_a_common_card_from_the_stub_is_burned_for_and_turned() -> None:
    """R-STUB-02 case 3, R-STUB-04: 8 dealt, one folds on 3rd: S = 4, R = 7: burn one, turn one; each plays 6 + 1."""
    story = Story(dict.fromkeys(range(1, 9), 50), cards={1: "?? ?? 2c"}).bets("1 post 2, 2 fold").passive(7)
    assert story.happened(StubCounted) == [StubCounted(4, 3, 7, COMMUNITY)]
    assert places(story, 7) == ["burn", "community"]
    assert (story.state.stub, story.state.burns) == (2, 4)
    assert {len(entry.cards) for entry in story.state.seats if entry.live} == {6}
    assert (story.options, story.state.street) == ("check, bet 8, fold", 7)


def test_seventh_with_a_common_card_is_one_burn_and_one_card() -> None:
    """R-STUB-02, Q-12: ghosts never get a seventh with a common card."""
    state = before_seventh(7, 4, ghosts=1)._replace(short=COMMUNITY)
    assert [due.place for due in street_due(state, 7)] == [Spot.BURN, Spot.COMMUNITY]


def test_nothing_is_due_to_a_folded_seat() -> None:
    """Q-10: folded hands get no cards on any street."""
    state = before_seventh(3, 30)
    state = state._replace(seats=(state.seats[0]._replace(status=Status.FOLDED), *state.seats[1:]))
    for street in (4, 5, 6):
        seats = [due.place.seat for due in street_due(state, street) if isinstance(due.place, SeatPlace)]
        assert seats == [2, 3]
