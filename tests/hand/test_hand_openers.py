"""Who brings in and who opens (rules §10, §11): every example, each tie under both values of its knob, all door pairs."""

from __future__ import annotations

from itertools import permutations

import pytest
from support.hand_dsl import Story, cards_of, rules_of

from controller.hand.cards import DECK
from controller.hand.evaluation import ace_low_order
from controller.hand.openers import bring_in_seat, first_active, opener_seat
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, SeatHand, Status
from controller.hand.variants import VariantCode


def showing(
    boards: dict[int, str], variant: str = "stud", *, folded: tuple[int, ...] = (), community: str = "", **knobs: str
) -> HandState:
    """A state of which only the boards matter."""
    setup = HandSetup(1, VariantCode(variant), Stakes(1, 2, 4, 8), rules_of(**knobs))
    seats = tuple(
        SeatHand(seat, 50, up=cards_of(text), status=Status.FOLDED if seat in folded else Status.LIVE)
        for seat, text in sorted(boards.items())
    )
    return HandState(setup, seats, commons=cards_of(community))


@pytest.mark.parametrize(
    ("variant", "doors", "seat"),
    [
        ("stud", {1: "Ac", 2: "3s"}, 2),
        ("stud8", {1: "Ac", 2: "3s"}, 2),
        ("razz", {1: "Ac", 2: "Kd", 3: "Ks", 4: "Qs"}, 3),
        ("razz", {1: "As", 2: "2c"}, 2),
        ("stud", {2: "2h", 5: "2c", 6: "Ah", 8: "Kd"}, 5),
    ],
)
def test_the_lowest_door_brings_in_and_the_highest_in_razz(variant: str, doors: dict[int, str], seat: int) -> None:
    """R-BRING-01, R-BRING-02: ace high in stud and stud8, ace low in razz; equal ranks by suit."""
    assert bring_in_seat(showing(doors, variant)) == seat


def test_equal_doors_may_go_to_the_dealers_left_instead() -> None:
    """R-BRING-02 ``nearest_dealer_left``: seat 2 with the 2h, not seat 5 with the 2c; razz likewise."""
    knob = {"bring_in__tie": "nearest_dealer_left"}
    assert bring_in_seat(showing({2: "2h", 5: "2c", 6: "Ah", 8: "Kd"}, **knob)) == 2
    assert bring_in_seat(showing({2: "Kc", 5: "Ks", 6: "Ah"}, "razz", **knob)) == 2


@pytest.mark.parametrize(("variant", "ace_low"), [("stud", False), ("razz", True)])
def test_every_pair_of_door_cards_has_one_bring_in_whatever_the_seats(variant: str, ace_low: bool) -> None:
    """R-BRING-01, R-BRING-02, exhaustively: the lower card in stud, the higher in razz, by rank and then by suit."""
    for one, two in permutations(DECK, 2):
        state = showing({1: one.text, 2: two.text}, variant)
        worse = ace_low_order(one) > ace_low_order(two) if ace_low else int(one) < int(two)
        assert bring_in_seat(state) == (1 if worse else 2)


@pytest.mark.parametrize(
    ("variant", "boards", "seat"),
    [
        ("stud", {1: "Ah Kd", 2: "4c 4s", 3: "Qs Qh"}, 3),
        ("stud", {1: "Ah Kd Qc", 2: "2c 2s 3d"}, 2),
        ("stud", {1: "5h 6h 7h 8h", 2: "Kc 9d 4s 2h"}, 2),
        ("stud", {1: "Kc Kd 9s 9h", 2: "2c 2d 2h 3s"}, 2),
        ("stud", {1: "Ac Ad Ah Ks", 2: "2c 2d 2h 2s"}, 2),
        ("stud", {1: "Ac Ad 3h 4s", 2: "3c 3d 2h 2s"}, 2),
        ("stud8", {1: "Ac 2d", 2: "Kc Qd"}, 1),
        ("razz", {1: "3c 5d", 2: "4h 5s", 3: "As 8c"}, 1),
        ("razz", {1: "As Ac", 2: "Kh Qd"}, 2),
        ("razz", {1: "2s 2c 3d", 2: "Kh Qd Jc"}, 2),
        ("razz", {1: "Ac 2d 3h 4s", 2: "5c 4d 3s 2h"}, 1),
        ("stud", {2: "Kh 9d", 6: "Ks 9c"}, 2),
        ("razz", {2: "3d 6c", 5: "3c 6s"}, 2),
    ],
)
def test_the_high_board_opens_and_the_low_one_in_razz(variant: str, boards: dict[int, str], seat: int) -> None:
    """R-OPEN-01, R-OPEN-02, R-OPEN-04: no straights, no flushes, position decides ties."""
    assert opener_seat(showing(boards, variant), 4) == seat


@pytest.mark.parametrize(
    ("variant", "boards", "seat"),
    [
        ("stud", {2: "Kh 9d", 6: "Ks 9c"}, 6),
        ("stud8", {2: "Kh 9d", 6: "Ks 9c"}, 6),
        ("razz", {2: "3d 6c", 5: "3c 6s"}, 5),
        ("stud", {1: "9s 9d Kc", 2: "9h 9c Ks"}, 2),
        ("razz", {1: "Ac 9d 9s", 2: "As 9h 9c"}, 1),
    ],
)
def test_equal_boards_by_the_suit_of_their_highest_card(variant: str, boards: dict[int, str], seat: int) -> None:
    """R-OPEN-02 ``high_card_by_suit``, Q-30: paired or not, and the ace is no high card in razz."""
    assert opener_seat(showing(boards, variant, **{f"open__tie__{variant}": "high_card_by_suit"}), 4) == seat


def test_a_folded_opener_is_no_opener_any_more() -> None:
    """R-OPEN-01: recomputed among live hands."""
    assert opener_seat(showing({1: "Ah Ad", 2: "Kh 9d", 3: "Qh 9c"}, folded=(1,)), 5) == 2


def test_an_all_in_opener_passes_the_action_clockwise_and_not_to_the_next_best_board() -> None:
    """R-OPEN-03, Q-29, Q-55: seat 6 with queens is all-in on the ante: it opens in name, seat 1 acts, not the fours of 3."""
    cards = {6: "?? ?? Qs Qh", 1: "?? ?? Ah Kd", 3: "?? ?? 4c 4s"}
    story = Story({1: 50, 3: 50, 6: 1}, cards=cards).passive(4)
    assert (story.state.opener, story.actor) == (6, 1)


def test_the_first_active_seat_goes_round_the_table() -> None:
    """R-OPEN-03, Q-09: from the seat itself clockwise past the highest; 0 when nobody has chips."""
    state = showing({2: "Kh", 5: "Qd", 8: "Jc"})
    broke = state._replace(seats=tuple(entry._replace(stack=0) for entry in state.seats))
    assert [first_active(state, seat) for seat in (2, 5, 8)] == [2, 5, 8]
    last_only = broke._replace(seats=(*broke.seats[:2], state.seats[2]))
    assert [first_active(last_only, seat) for seat in (2, 5, 8)] == [8, 8, 8]
    assert first_active(broke, 5) == 0


def test_the_sixth_street_boards_open_seventh_with_a_common_card() -> None:
    """R-STUB-05 ``sixth_opener``: kings over nines, though the common 9d makes three nines."""
    boards = {2: "Kh Kc 5d 4s", 5: "9s 9h 8c 3d"}
    assert opener_seat(showing(boards, community="9d"), 7) == 2


@pytest.mark.parametrize(
    ("variant", "boards", "community", "seat"),
    [
        ("stud", {2: "Kh Kc 5d 4s", 5: "9s 9h 8c 3d"}, "9d", 5),
        ("stud", {2: "Kh Kc 5d 4s", 5: "9s 9h 8c 8d"}, "9d", 5),
        ("stud", {2: "Ah Kc 5d 4s", 5: "9s 8h 3c 2d"}, "9d", 5),
        ("stud", {2: "Ah Ac As 4s", 5: "9s 9h 9c 2d"}, "9d", 5),
        ("stud", {2: "Ah Ac 5s 4s", 5: "Ks Kh 9c 2d"}, "9d", 5),
        ("stud", {2: "Ah Kd Qs Js", 5: "2h 2c 3s 4d"}, "9d", 5),
        ("razz", {2: "Ah 2c 5d 4s", 5: "9s 3h 2d As"}, "5c", 5),
        ("razz", {2: "9h 9c 2s 2d", 5: "9s Kh 3c 4d"}, "9d", 5),
        ("razz", {2: "9h 9c 2s 3d", 5: "9s Kh Kc 4d"}, "9d", 5),
        ("razz", {2: "Th 9c 2s 3d", 5: "9s Kh 3c 4d"}, "9d", 2),
    ],
)
def test_the_common_card_may_be_read_with_each_board(variant: str, boards: dict[int, str], community: str, seat: int) -> None:
    """R-STUB-05 ``recompute``: five cards: three nines over kings, a full house over two pair, a pair by the common card."""
    assert opener_seat(showing(boards, variant, community=community, stub__community_opener="recompute"), 7) == seat
