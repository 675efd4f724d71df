"""Running out of cards: R-STUB-01 to R-STUB-06 under each ``stub.policy``, by hands that are dealt to their last card."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import pytest
from support.slips_dsl import Hand

from controller.hand.dealing import count_stub
from controller.hand.events import DealStarted, SeventhPlan, StubCounted
from controller.hand.rules import house_rules
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, Phase, Status, open_state
from controller.hand.steps import LoadDue, next_step
from controller.hand.variants import VariantCode

POLICIES = ("plus_two", "rrop15", "no_reshuffle")
COMMON = (SeventhPlan.COMMUNITY, SeventhPlan.SCRAMBLE_COMMUNITY)


def folded(dealt: int, *live: int, **knobs: str) -> Hand:
    """``dealt`` hands, of which ``live`` stay after each betting round from third street on; seventh street is due."""
    hand = Hand(" ".join(map(str, range(1, dealt + 1))), **knobs).deal("1: (?? ??) 2c")
    for street, stay in enumerate(live, start=3):
        _bet_and_fold(hand, sum(entry.live for entry in hand.state.seats) - stay)
        if street < 6:
            hand.reach(street + 1)
    return hand


def _bet_and_fold(hand: Hand, folds: int) -> None:
    street = hand.state.street
    hand.act(f"seat {hand.actor} {'brings in' if street == 3 else 'bets'}")
    while hand.actor and hand.state.street == street:
        hand.act(f"seat {hand.actor} {'folds' if folds else 'calls'}")
        folds = max(0, folds - 1)


def finish(hand: Hand) -> Hand:
    """Load and deal until seventh street's betting."""
    while hand.state.phase is not Phase.BETTING:
        if isinstance(next_step(hand.state), LoadDue):
            hand.load()
        hand.deal()
    return hand


def counted(hand: Hand) -> StubCounted:
    """The first count before seventh street."""
    return next(event for event in hand.happened(StubCounted) if event.street == 7)


# ------------------------------------------------------------------ the count


@pytest.mark.parametrize(
    ("dealt", "live", "stub"),
    [
        (8, (8, 8, 8, 8), 1),
        (8, (7, 7, 7, 7), 4),
        (8, (8, 7, 7, 7), 3),
        (8, (8, 8, 7, 7), 2),
        (8, (8, 8, 8, 7), 1),
        (8, (6, 6, 6, 6), 7),
        (7, (7, 7, 7, 7), 7),
        (6, (6, 6, 6, 6), 13),
    ],
)
def test_the_stub_before_seventh(dealt: int, live: tuple[int, ...], stub: int) -> None:
    """R-STUB-01 ✔: every row of the table, as the stub of a hand that was dealt."""
    hand = folded(dealt, *live)
    assert counted(hand) == StubCounted(stub, 3, live[-1], counted(hand).plan)


def test_eight_hands_on_sixth_street_are_just_enough() -> None:
    """R-STUB-01 ✔: 52 − 24 − 9 − 9 = 10 = 8 + burn + last card."""
    Hand("1 2 3 4 5 6 7 8").reach(6, cards=0).expect("stub 10", "to come: burn, 1 up, 2 up, 3 up, 4 up, 5 up, 6 up, 7 up, 8 up")


# ------------------------------------------------------------------ the decision table


NORMAL, REUSE, FROM_STUB, SCRAMBLED = (
    SeventhPlan.NORMAL,
    SeventhPlan.REUSE_BURNS,
    SeventhPlan.COMMUNITY,
    SeventhPlan.SCRAMBLE_COMMUNITY,
)
ROWS = {
    8: {SCRAMBLED: (1,)},
    7: {FROM_STUB: (3, 4), SCRAMBLED: (1, 2)},
    6: {REUSE: (5, 6, 7), FROM_STUB: (3, 4), SCRAMBLED: (1, 2)},
    5: {NORMAL: tuple(range(7, 20)), REUSE: (4, 5, 6), FROM_STUB: (3,), SCRAMBLED: (1, 2)},
    4: {NORMAL: tuple(range(6, 20)), REUSE: (3, 4, 5), SCRAMBLED: (1, 2)},
    3: {NORMAL: tuple(range(5, 20)), REUSE: (2, 3, 4), SCRAMBLED: (1,)},
    2: {NORMAL: tuple(range(4, 20)), REUSE: (1, 2, 3)},
}


def before_seventh(live: int, stub: int, policy: str) -> StubCounted:
    """The count with so many live hands, cards and three burns."""
    setup = HandSetup(1, VariantCode.STUD, Stakes(1, 2, 4, 8), house_rules("seeds", {"stub.policy": policy}))
    state = open_state(setup, tuple((seat, 9) for seat in range(1, live + 1)))
    return count_stub(state._replace(street=6, stub=stub, burns=3))


@pytest.mark.parametrize(
    ("live", "stub", "plan"), [(r, s, plan) for r, row in ROWS.items() for plan, ss in row.items() for s in ss]
)
def test_the_decision_table(live: int, stub: int, plan: SeventhPlan) -> None:
    """R-STUB-02 ✔: all rows for eight dealt in."""
    assert before_seventh(live, stub, "plus_two").plan is plan


def expected(policy: str, stub: int, burns: int, live: int) -> str:
    """R-STUB-02 and R-STUB-03 written a second time: ``own`` cards, ``reused`` burns or a ``common`` card."""
    if policy == "rrop15":
        return "own" if stub > live else "reused" if stub + burns >= live else "common"
    if stub >= live + 2:
        return "own"
    return "reused" if policy == "plus_two" and stub + burns >= live + 2 else "common"


def paths(dealt: int) -> Iterator[tuple[int, ...]]:
    """Every path of folds: live hands after third, fourth, fifth and sixth street."""
    yield from combinations_with_replacement(range(dealt, 1, -1), 4)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dealt", range(2, 9))
def test_every_path_of_folds_is_decided_by_the_count(policy: str, dealt: int) -> None:
    """R-STUB-01 to R-STUB-03: every path for two to eight hands; with seven or fewer ``plus_two`` never needs a common card ✔."""
    for third, fourth, fifth, sixth in paths(dealt):
        stub = 49 - 3 * dealt - third - fourth - fifth
        assert stub >= 1
        plan = before_seventh(sixth, stub, policy).plan
        want = expected(policy, stub, 3, sixth)
        assert (plan is SeventhPlan.NORMAL) == (want == "own")
        assert (plan in COMMON) == (want == "common")
        if policy == "plus_two" and dealt < 8:
            assert plan not in COMMON


@pytest.mark.parametrize("policy", POLICIES)
def test_every_path_of_eight_hands_is_dealt_to_its_end(policy: str) -> None:
    """R-STUB-02 to R-STUB-04: 210 hands: seven cards each or six and one common; no card twice; somebody is asked on seventh."""
    for path in paths(8):
        hand = finish(folded(8, *path, stub__policy=policy))
        live = [entry for entry in hand.state.seats if entry.live]
        stub = 49 - 24 - sum(path[:3])
        want = expected(policy, stub, 3, path[-1])
        assert {len(entry.cards) for entry in live} == {6 if want == "common" else 7}, path
        assert len(hand.state.commons) == (want == "common")
        assert (counted(hand).stub, counted(hand).live) == (stub, path[-1])
        if policy == "plus_two":
            assert hand.state.stub >= 1, "the last card of the deck is never dealt"


# ------------------------------------------------------------------ the other policies


def test_eight_hands_to_the_river() -> None:
    """R-STUB-03, rules §24 case 7, G4: ``plus_two``: a common card after scrambling 4; ``rrop15``: common too (1 + 3 < 8)."""
    for policy in ("plus_two", "rrop15"):
        hand = folded(8, 8, 8, 8, 8, stub__policy=policy).expect("hand is scramble", "load 4").load()
        hand.expect("to come: burn, community").deal().expect("stub 2", "street 7")


def test_one_of_eight_folded_on_third() -> None:
    """R-STUB-03, rules §24 case 8: ``plus_two`` common (7 < 9); ``rrop15``: burn, deal 2, mix the last with 4 burns, deal 5."""
    folded(8, 7, 7, 7, 7).expect("stub 4", "to come: burn, community")
    hand = folded(8, 7, 7, 7, 7, stub__policy="rrop15")
    first = hand.to_come
    assert first.count("down") == 2
    assert first.startswith("burn")
    hand.deal().expect("hand is scramble", "stub 1", "burns 4", "load 5").load()
    assert (hand.to_come.count("down"), "burn" in hand.to_come) == (5, False)
    hand.deal().expect("stub 0", "street 7")
    assert not hand.state.commons


def test_two_of_eight_folded_on_third() -> None:
    """R-STUB-03: ``plus_two`` reuses the burns: 10 cards, burn 1, deal 6; ``rrop15``: normal, the last card is used."""
    hand = folded(8, 6, 6, 6, 6).expect("hand is scramble", "load 10").load()
    assert hand.to_come.startswith("burn")
    hand.deal().expect("stub 3", "burns 1")
    other = folded(8, 6, 6, 6, 6, stub__policy="rrop15").expect("stub 7")
    other.deal().expect("stub 0", "burns 4", "street 7")


def test_five_of_eight_fold_on_sixth() -> None:
    """R-STUB-03: ``plus_two``: common with three players (4 < 5); ``rrop15``: 4 cards, burn 1, deal 3."""
    folded(8, 8, 8, 8, 3).expect("load 4").load().expect("to come: burn, community")
    hand = folded(8, 8, 8, 8, 3, stub__policy="rrop15").expect("load 4").load()
    assert (hand.to_come.count("down"), hand.to_come.startswith("burn")) == (3, True)
    hand.deal().expect("stub 0")


def test_rrop_does_not_burn_where_a_burn_would_cost_a_player_its_card() -> None:
    """R-STUB-03: S = 1, R = 4: four cards for four hands, no burn."""
    hand = folded(8, 8, 8, 8, 4, stub__policy="rrop15").expect("load 4").load()
    assert (hand.to_come.count("down"), "burn" in hand.to_come) == (4, False)


def test_a_street_that_was_dealt_in_part_goes_on_after_the_scramble_and_no_eighth_follows() -> None:
    """R-STUB-03: the stub is scrambled for the rest of seventh street, so it is seventh that is dealt on."""
    hand = folded(8, 8, 7, 7, 6, stub__policy="rrop15")
    while hand.state.phase is not Phase.SCRAMBLE:
        hand.deal()
    assert (hand.state.street, hand.state.counted_for, len(hand.state.due) > 0) == (7, 7, True)
    hand.load()
    assert [event.street for event in hand.happened(DealStarted)][-2:] == [7, 7]
    assert finish(hand).state.phase is Phase.BETTING
    assert all(len(entry.cards) == 7 for entry in hand.state.seats if entry.live)


def test_without_a_reshuffle_a_short_stub_is_a_common_card() -> None:
    """R-STUB-03 ``no_reshuffle``: where ``plus_two`` would reuse the burns."""
    folded(8, 6, 6, 6, 6, stub__policy="no_reshuffle").expect("stub 7", "to come: burn, community")


def test_seven_hands_reuse_the_burns() -> None:
    """R-STUB-02: seven-handed with all seven in: S = 7: ten cards, burn 1, deal 7, two left."""
    hand = folded(7, 7, 7, 7, 7).expect("load 10").load()
    hand.deal().expect("stub 2", "burns 1")


def test_folded_hands_are_never_dealt_again() -> None:
    """R-STUB-02: stub and burns alone are scrambled; what lies in the muck stays there."""
    hand = folded(8, 6, 6, 6, 6)
    out = {card for entry in hand.state.seats if entry.status is Status.FOLDED for card in entry.cards}
    finish(hand)
    assert not out & {entry.down[-1] for entry in hand.state.seats if entry.live}


def test_a_scramble_makes_the_old_burns_unknown() -> None:
    """Q-66: after it one new burn is made and nothing tells which card was which."""
    hand = folded(7, 7, 7, 7, 7).load()
    assert (hand.state.burns, hand.state.burned) == (0, ())
    hand.deal(cards=1).expect("burns 1")


def test_an_error_with_a_burn_changes_what_lies_there() -> None:
    """R-STUB-02, Q-65: B is what lies there: no burns before fourth and fifth: B = 1, the stub has two cards more."""
    hand = folded(7, 7, 7, 7, 7, deal__burn_before="none")
    assert counted(hand) == StubCounted(10, 0, 7, SeventhPlan.NORMAL)


# ------------------------------------------------------------------ the common card


def community(**knobs: str) -> Hand:
    """Eight dealt, six fold on 6th street: boards seat 2 ``Kh Kc 5d 4s``, seat 5 ``9s 9h 8c 3d``, common card 9d."""
    hand = Hand("1 2 3 4 5 6 7 8", later="9d", **knobs).deal("1: (?? ??) 2c | 2: (?? ??) Kh Kc 5d 4s | 5: (?? ??) 9s 9h 8c 3d")
    while hand.state.street < 6:
        hand.reach(hand.state.street + 1)
    hand.act("seat 2 bets 8, seats 3 and 4 fold, seat 5 calls, seats 6 and 7 and 8 and 1 fold")
    return hand


@pytest.mark.parametrize(("knob", "opens"), [("sixth_opener", 2), ("recompute", 5)])
def test_who_opens_with_a_common_card(knob: str, opens: int) -> None:
    """R-STUB-05 ✔: by TDA seat 2 with kings, by RRoP seat 5 with three nines."""
    hand = community(stub__community_opener=knob, stub__policy="no_reshuffle").expect("hand is scramble").load()
    hand.deal("common 9d").expect(f"seat {opens} is asked")


def test_the_common_card_is_everybodys_seventh() -> None:
    """R-STUB-04: six own cards and the common one; the betting goes on at the big limit; an all-in hand plays it too."""
    hand = folded(8, 8, 8, 8, 8).load().deal()
    seat = hand.actor
    hand.expect(f"seat {seat} may check or bet 8")
    assert {len(entry.cards) for entry in hand.state.seats} == {6}
    poor = Hand("1:3 2 3 4 5 6 7 8")
    poor.reach(7).expect("seat 1 is all-in", "street 7")
    assert poor.state.commons


def test_nobody_declares_in_a_common_card_hand() -> None:
    """Q-52, Q-70: the common card is no exposed card, and there is no seventh of one's own."""
    hand = folded(8, 8, 8, 8, 8).load().deal()
    hand.refuse("seat 2's seventh is up", "R-EXP-06")
    hand.refuse("seat 2 declares all-in", "R-EXP-06")


# ------------------------------------------------------------------ shortage before seventh


def test_a_lost_card_makes_sixth_street_reuse_the_burns() -> None:
    """R-STUB-06: eight-handed, one card lost: before 6th stub 9 < 10; 9 + 2 burns = 11: reshuffle and deal."""
    hand = Hand("1 2 3 4 5 6 7 8", later="9c").deal(cards=1).slip("boxed 9c").deal().reach(5)
    while hand.actor:
        hand.act(f"seat {hand.actor} checks")
    hand.expect("hand is scramble", "stub 9", "burns 2", "load 11").load()
    hand.expect("street 6", "to come: burn, 1 up, 2 up, 3 up, 4 up, 5 up, 6 up, 7 up, 8 up").deal().expect("stub 2")


def test_a_common_card_in_place_of_sixth_street() -> None:
    """R-STUB-06: still short: the one card replaces that street's card for all; seventh is counted anew and dealt as usual."""
    hand = Hand("1 2 3 4 5 6 7 8", later="9c 9d 9h").deal(cards=1).slip("boxed 9c").deal()
    hand.reach(4, cards=1).slip("boxed 9d").deal().reach(5, cards=1).slip("boxed 9h").deal()
    while hand.actor:
        hand.act(f"seat {hand.actor} checks")
    hand.expect("stub 7", "burns 2", "street 6", "to come: burn, community").deal()
    assert {len(entry.cards) for entry in hand.state.seats} == {5}
    _bet_and_fold(hand, 6)
    hand.expect("to come: burn, " + ", ".join(f"{entry.seat} down" for entry in hand.state.seats if entry.live))
    hand.deal().expect("street 7")
    assert {len(entry.cards) for entry in hand.state.seats if entry.live} == {6}
