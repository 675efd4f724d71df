"""Dealing errors after third street: R-ERR-01 to R-ERR-08, Q-60 to Q-64, Q-67, Q-85; the order of the shoe mends them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.slips_dsl import Hand

from controller.hand.mend import Move, mend_moves, still_due
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.hand.state import Phase
from controller.hand.terms import Due

PLACES = ("burn", *"12345678")
STUB = "7d 9c Jh 2s 5d 6h 8c Qd"


def fourth(**knobs: str) -> Hand:
    """Live 1, 3, 6; on fourth street 1 bets, 3 calls, seat 6 is still to act; the stub is as in the example of R-ERR-01."""
    hand = Hand("1 3 6", later=STUB, **knobs).deal("1: (?? ??) Ah | 6: (?? ??) 3c").reach(4)
    return hand.act("seat 1 bets 4, seat 3 calls").expect("seat 6 is asked", "stub 39")


# ------------------------------------------------------------------ premature cards


def test_premature_cards_go_back_and_the_stub_is_shuffled() -> None:
    """R-ERR-01 example, rules §24 case 24: X remains the burn, 7d goes into the stub; seat 6 calls; new cards, no second burn."""
    hand = fourth().slip("7d lies at seat/1/up").expect("held: premature_card").slip("too early: burn Qd, 7d")
    hand.expect("held: reload_stub", "load 38", "burns 2").refuse("seat 6 calls", "R-RULE-01")
    hand.load().expect("not held", "stub 38").act("seat 6 calls").expect("to come: 1 up, 3 up, 6 up").deal()
    hand.expect("burns 2", "stub 35", "street 5")


def test_a_round_is_eliminated_when_seat_6_calls() -> None:
    """R-ERR-01 ``eliminate_round``: 7d, 9c, Jh eliminated; burn 2s; seat 1 5d, seat 3 6h, seat 6 8c."""
    hand = fourth(premature__policy="eliminate_round").slip("too early: burn Qd, 7d").expect("not held", "stub 37")
    hand.act("seat 6 calls").expect("to come: muck, muck, burn, 1 up, 3 up, 6 up")
    hand.deal("out 9c Jh | burn 2s | 1: 5d | 3: 6h | 6: 8c")
    assert [card.text for _, card in hand.laid[-6:]] == ["9c", "Jh", "2s", "5d", "6h", "8c"]
    assert [entry.up[-1].text for entry in hand.state.seats] == ["5d", "6h", "8c"]


def test_a_round_is_eliminated_when_seat_6_folds() -> None:
    """R-ERR-01 ``eliminate_round``: two remain: 7d, 9c eliminated; burn Jh; seat 1 2s, seat 3 5d."""
    hand = fourth(premature__policy="eliminate_round").slip("too early: burn Qd, 7d").act("seat 6 folds")
    hand.expect("to come: muck, burn, 1 up, 3 up").deal("out 9c | burn Jh | 1: 2s | 3: 5d")
    assert [entry.up[-1].text for entry in hand.state.seats[:2]] == ["2s", "5d"]
    hand.expect("street 5")


def test_set_aside_cards_are_a_reserve_when_the_deck_runs_short() -> None:
    """R-ERR-01, R-STUB-03, Q-65: six eliminated, S = 7 < 8 for six hands: burns and set-aside cards come in."""
    hand = Hand("1 2 3 4 5 6", premature__policy="eliminate_round").reach(4)
    hand.act(f"seat {hand.actor} checks").slip("too early: 7d").reach(6)
    hand.expect("stub 7", "burns 3")
    while hand.actor:
        hand.act(f"seat {hand.actor} checks")
    hand.expect("hand is scramble", "load 16").load().expect("to come: burn, 1 down, 2 down, 3 down, 4 down, 5 down, 6 down")


def test_only_the_burn_came_too_early() -> None:
    """R-ERR-01, R-DEAL-03: it stays the burn under both policies, and nothing is shuffled or eliminated."""
    for policy in ("reshuffle_stub", "eliminate_round"):
        hand = fourth(premature__policy=policy).slip("too early: burn Qd").expect("burns 2", "stub 38")
        hand.refuse("too early: burn 9c", "R-DEAL-03")
        hand.act("seat 6 calls").expect("to come: 1 up, 3 up, 6 up")


def test_nothing_is_premature_outside_the_betting() -> None:
    """R-ERR-01, R-DEAL-04: while the street is dealt its cards are due."""
    hand = Hand("1 3 6").reach(4, cards=0)
    hand.refuse("too early: 7d", "R-ERR-01")


def test_the_hand_is_over_when_the_betting_leaves_one() -> None:
    """Q-60: all premature cards go back; with one live hand the hand is over."""
    hand = fourth().slip("too early: burn Qd, 7d").load().act("seat 6 folds").reach(5)
    hand.act("seat 1 bets 8, seat 3 folds").expect("hand is over")


def test_a_premature_seventh_and_the_stub_test() -> None:
    """Q-60: burn and one 7th, then one of three folds: R = 2, card back, S + 1 ≥ 4 is needed: the burn counts as stub."""
    hand = Hand("1 3 6", later=STUB).deal("1: (?? ??) Ah").reach(6).act("seat 1 bets 8, seat 3 calls")
    before = hand.state.stub
    hand.slip("too early: burn Qd, 7d").load().act("seat 6 folds").expect("to come: 1 down, 3 down")
    assert hand.state.short is not None
    hand.expect(f"stub {before - 1}").deal().expect("burns 4")


def test_premature_cards_bring_no_undo_behind_them() -> None:
    """R-RULE-02, R-ERR-01: once cards were given back only forward rulings are left."""
    fourth().slip("too early: burn Qd, 7d").load().refuse("floor: undo", "R-RULE-02")


def test_a_stub_that_is_out_is_not_mended_by_the_felt() -> None:
    """R-ERR-01: play goes on when the shoe holds the stub, to the card."""
    hand = fourth().slip("too early: burn Qd, 7d").slip("felt right").expect("held: reload_stub")
    hand.slip("load 37").expect("held: reload_stub", "load 38").load().expect("not held")


# ------------------------------------------------------------------ premature seventh that was seen


def test_a_seventh_that_was_seen_is_kept_and_its_owner_may_not_bet() -> None:
    """R-ERR-02, Q-61: its owner may check, call or fold; the others get theirs without another burn."""
    hand = Hand("1 3 6", later=STUB).deal("1: (?? ??) Ah").reach(6).slip("too early: burn Qd, 7d kept by seat 1")
    hand.expect("not held", "seat 1 may check").refuse("seat 1 bets 8", "R-ERR-02")
    hand.act("seat 1 checks, seat 3 bets 8, seat 6 calls").expect("seat 1 may call 8").act("seat 1 calls")
    hand.expect("to come: 3 down, 6 down").deal().expect("burns 4", "seat 1 may check or bet 8")


def test_unseen_sevenths_go_back_and_the_seen_one_stays() -> None:
    """Q-61: burn, two sevenths, the second was looked at: one card returns and the stub is shuffled."""
    hand = Hand("1 3 6", later=STUB).deal("1: (?? ??) Ah").reach(6)
    left = hand.state.stub
    hand.slip("too early: burn Qd, 9c, 7d kept by seat 3").expect(f"load {left - 2}").load()
    hand.act("seat 1 checks, seat 3 checks, seat 6 checks").expect("to come: 1 down, 6 down")


def test_the_owner_of_a_kept_seventh_folds() -> None:
    """Q-61: then the card is dead."""
    hand = Hand("1 3 6", later=STUB).deal("1: (?? ??) Ah").reach(6).slip("too early: burn Qd, 7d kept by seat 3")
    hand.act("seat 1 bets 8, seat 3 folds, seat 6 calls").expect("to come: 1 down, 6 down")


def test_a_premature_card_is_kept_only_on_sixth_street() -> None:
    """R-ERR-02: up cards are never kept; a folded seat keeps nothing."""
    fourth().refuse("too early: burn Qd, 7d kept by seat 1", "R-ERR-02")
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(6).act("seat 1 bets 8, seat 3 folds")
    hand.refuse("too early: burn Qd, 7d kept by seat 3", "R-ERR-02")


# ------------------------------------------------------------------ the order of the shoe


def due(seats: str = "2 4 7") -> tuple[Due, ...]:
    """A burn and an up card for each live seat."""
    return (Due(Spot.BURN), *(Due(SeatPlace(int(seat), Zone.UP)) for seat in seats.split()))


def laid(text: str) -> list[Place]:
    """``"burn 2 7"`` in the order of leaving the shoe."""
    return [Spot.BURN if word == "burn" else parse_place(f"seat/{word}/up") for word in text.split()]


def moves(text: str, cards: str, seats: str = "2 4 7") -> list[str]:
    """Moves as ``"Td→2"``, the cards named as they left the shoe."""
    names = cards.split()
    told = mend_moves(due(seats), laid(text))
    return [f"{names[move.number - 1]}→{_place(move)}" for move in told]


def _place(move: Move) -> str:
    match move.belongs:
        case None:
            return "stub"
        case SeatPlace(seat, _):
            return str(seat)
        case spot:
            return str(spot)


def test_no_burn() -> None:
    """R-ERR-03 example A: dealt 6c→2, Td→4, 3h→7: 6c burn, Td→2, 3h→4, and Ks, the next card, →7."""
    assert moves("2 4 7", "6c Td 3h") == ["6c→burn", "Td→2", "3h→4"]
    assert still_due(due(), laid("2 4 7")) == due()[3:]


def test_two_burns() -> None:
    """R-ERR-03 example B: 6c and Td burned, 3h→2, Ks→4, 9d→7: burn 6c, Td→2, 3h→4, Ks→7, 9d back on the stub."""
    assert moves("burn burn 2 4 7", "6c Td 3h Ks 9d") == ["Td→2", "3h→4", "Ks→7", "9d→stub"]
    assert still_due(due(), laid("burn burn 2 4 7")) == ()


def test_a_skipped_seat() -> None:
    """R-ERR-04 example: burn; 8h→2, Qc→7 (4 skipped), 5s→2 again: 8h→2, Qc→4, 5s→7."""
    assert moves("burn 2 7 2", "X 8h Qc 5s") == ["Qc→4", "5s→7"]


def test_a_card_at_a_folded_or_empty_place_belongs_to_the_next_live_seat() -> None:
    """R-ERR-04: seat 3 folded, place 5 is empty."""
    assert moves("burn 2 3 5", "X 8h Qc 5s") == ["Qc→4", "5s→7"]


def test_two_up_cards_to_one_seat() -> None:
    """Q-64: the second goes to the next live seat; at the last seat, Qc and 5s at 7, 5s is the next burn."""
    assert moves("burn 2 2 4", "X 8h Qc 5s") == ["Qc→4", "5s→7"]
    assert moves("burn 2 4 7 7", "X 8h 9h Qc 5s") == ["5s→stub"]


def test_cards_that_lie_right_stay() -> None:
    """R-ERR-04: also where one antenna covers a whole seat."""
    assert mend_moves(due(), laid("burn 2 4 7")) == ()
    assert mend_moves(due(), [Spot.BURN, SeatPlace(2, Zone.ANY), SeatPlace(4, Zone.ANY)]) == ()


@given(st.lists(st.sampled_from(PLACES), max_size=10), st.sets(st.integers(1, 8), min_size=1))
def test_after_the_moves_every_card_lies_where_it_was_due(places: list[str], live: set[int]) -> None:
    """R-ERR-03, R-ERR-04: whatever went wrong, each card out has one place, in the order of the shoe; the rest is still due."""
    order = due(" ".join(map(str, sorted(live))))
    lying = laid(" ".join(places))
    mended: list[Place | None] = list(lying)
    for move in mend_moves(order, lying):
        assert mended[move.number - 1] == move.lies
        mended[move.number - 1] = move.belongs
    wanted = [entry.place for entry in order[: len(lying)]] + [None] * (len(lying) - len(order))
    assert mended == wanted
    assert len(still_due(order, lying)) == max(0, len(order) - len(lying))


def test_a_street_does_not_open_before_the_cards_lie_right() -> None:
    """R-ERR-03, R-ERR-04, R-ERR-05: a card at the wrong place holds the deal; put right, it goes on from there."""
    hand = Hand("2 4 7").reach(4, cards=0).slip("6c lies at seat/2/up").expect("held: wrong_place", "stub 43")
    hand.slip("felt right").deal().expect("street 4", "not held")
    assert all(len(entry.cards) == 4 for entry in hand.state.seats)


def test_after_action_the_cards_stand_and_one_burn_is_made_a_street() -> None:
    """R-ERR-03: no order is restored after action: the next street again burns exactly one card."""
    hand = Hand("2 4 7").reach(5)
    hand.act(f"seat {hand.actor} checks")
    hand.reach(6, cards=0).expect("to come: burn, 2 up, 4 up, 7 up")


# ------------------------------------------------------------------ counts, stub, killed hands


def test_every_live_seat_has_its_count_before_a_street_opens() -> None:
    """R-ERR-05, Q-63: three, four, five, six, seven: betting is never open with a card missing."""
    hand = Hand("1 2 3 4")
    for street in range(3, 8):
        hand.reach(street, cards=3).expect("nobody is asked").reach(street)
        assert {len(entry.cards) for entry in hand.state.seats} == {street}
        assert hand.state.phase is Phase.BETTING


def test_a_wrong_number_of_cards_at_showdown_is_dead() -> None:
    """R-ERR-05: more than seven or fewer than six are dead, by the dealer's fault too; the other hand wins unseen."""
    hand = Hand("1 2").reach(7)
    hand.act(f"seat {hand.actor} checks, seat {3 - hand.actor} checks").expect("hand is showdown")
    hand.slip("seat 2 is dead, wrong count").expect("hand is over", "won 1: 6")


def test_a_dropped_stub_is_shuffled_and_loaded_again() -> None:
    """R-ERR-06: the stub alone, to the card, in the betting and in the deal; play goes on where it was."""
    hand = Hand("1 2 3").reach(4).slip("stub dropped").expect("held: reload_stub", "load 39").load().expect("not held", "stub 39")
    hand.reach(5, cards=2).slip("stub dropped").expect("load 37").load().expect("to come: 2 up, 3 up")


def test_no_stub_is_dropped_at_the_showdown() -> None:
    """R-ERR-06: nothing is dealt from it any more."""
    hand = Hand("1:1 2:1").deal()
    hand.expect("hand is showdown").refuse("stub dropped", "R-ERR-06")


def test_a_hand_killed_by_the_dealer_is_retrieved() -> None:
    """R-ERR-07, Q-85: its death closed the round; no card was dealt: it takes its turn, facing the same bet."""
    fourth().slip("seat 6 is dead, in muck").expect("street 5", "seat 6 is dead").refuse("floor: undo", "R-RULE-02")
    hand = fourth().slip("seat 6 is dead, in muck").slip("seat 6 gets its hand back")
    hand.expect("seat 6 may call 4 or raise 8", "street 4")
    gone = fourth().slip("seat 6 is dead, in muck").deal(cards=2)
    gone.refuse("seat 6 gets its hand back", "R-ERR-07")


def test_a_hand_whose_death_ended_the_hand_is_retrieved_before_the_next() -> None:
    """R-ERR-07, Q-85: of two hands one was swept away: the other's pot is taken back, the swept one plays."""
    hand = Hand("1 3").deal("1: (?? ??) Ah").reach(5).act("seat 1 bets 8").slip("seat 3 is dead, in muck").expect("hand is over")
    hand.slip("seat 3 gets its hand back").expect("seat 3 may call 8 or raise 16", "pot 14", "stacks 1: 89, 3: 97")


def test_a_killed_hand_takes_its_turn_again() -> None:
    """R-ERR-07, Q-85: seat 3 is killed while seat 1 is to act; given back, it is asked after seat 1."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(4).slip("seat 3 is dead, in muck").expect("seat 1 is asked")
    hand.slip("seat 3 gets its hand back").act("seat 1 bets 4").expect("seat 3 may call 4 or raise 8")


def test_a_free_fold_that_was_none_is_given_its_turn() -> None:
    """Q-85: the dealer swept a hand that had said nothing: back, it may check or bet."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(4).act("seat 1 checks, seat 3 folds").slip("seat 3 gets its hand back")
    hand.act("seat 6 checks").expect("seat 3 may check or bet 4")


def test_the_next_card_ends_the_right_to_a_killed_hand() -> None:
    """Q-85: before the next card is dealt or the pot is pushed."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(4).slip("seat 3 is dead, in muck").reach(5)
    hand.refuse("seat 3 gets its hand back", "R-ERR-07")
    hand.refuse("seat 6 gets its hand back", "R-ERR-07")


def test_a_hand_killed_or_mucked_at_the_showdown_is_retrieved_before_the_push() -> None:
    """Q-85: three hands at the showdown."""
    for slip in ("seat 3 is dead, in muck", "seat 3 mucks"):
        Hand("1:1 3:1 6:1").deal().slip(slip).slip("seat 3 gets its hand back").expect("to show 1 3 6")


def test_a_bettor_killed_by_mistake_has_its_bet_back_in_the_pot() -> None:
    """R-ERR-07, Q-85: its 8 went back with the dead hand; with the hand the bet stands again, and the next seat faces it."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(5).act("seat 1 bets 8").slip("seat 1 is dead, in muck")
    hand.expect("stacks 1: 97").slip("seat 1 gets its hand back")
    hand.expect("stacks 1: 89", "pot 17", "seat 3 may call 8 or raise 16")
    hand.act("seats 3 and 6 call").expect("pot 33")


def test_a_bet_is_not_put_back_when_somebody_has_acted_since() -> None:
    """Q-85: seat 3 has checked since: seat 1 has its turn again behind it, nothing bet."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(5).act("seat 1 bets 8").slip("seat 1 is dead, in muck")
    hand.act("seat 3 checks").slip("seat 1 gets its hand back").act("seat 6 checks").expect("seat 1 may check or bet 8")


def test_no_redress_for_called_bets_but_an_uncalled_bet_returns() -> None:
    """R-ERR-07, R-ALLIN-03: the killed bettor's 8 that nobody called goes back."""
    hand = Hand("1 3 6").deal("1: (?? ??) Ah").reach(5).act("seat 1 bets 8").slip("seat 1 is dead, in muck")
    hand.expect("stacks 1: 97", "pot 9", "seat 3 may check or bet 8")


def test_shoe_and_reader_disagree() -> None:
    """R-ERR-08: no action is accepted and no card is taken until the felt is right or a ruling ends it."""
    hand = fourth().slip("felt wrong, moved_card").expect("held: moved_card")
    hand.refuse("seat 6 calls", "R-RULE-01")
    hand.slip("felt right").act("seat 6 calls").slip("felt wrong, moved_card").slip("9c lies at burn")
    assert (hand.state.dealt, hand.state.stub) == (0, 39)


# ------------------------------------------------------------------ further answers


def test_an_exposed_burn_stays_the_burn() -> None:
    """Q-62: it is shown to all, not replaced, and comes back only through a scramble."""
    hand = Hand("1 3 6", later="Qd").reach(4, cards=0).deal("burn Qd", cards=1)
    hand.expect("burns 1", "to come: 1 up, 3 up, 6 up")
    assert hand.state.burned == (hand.laid[-1][1],)


def test_sevenths_were_dealt_although_a_common_card_was_due() -> None:
    """Q-67: R = 7, S = 4: burn and two sevenths out: two cards and the burn back: 4 in the stub; burn, turn one."""
    hand = Hand("1 2 3 4 5 6 7 8", later="9c").deal("8: (?? ??) 2c")
    hand.act("seat 8 brings in, seats 1 and 2 and 3 and 4 and 5 and 6 call, seat 7 folds").reach(7, cards=0)
    hand.expect("stub 4", "to come: burn, community").deal(cards=1).slip("9c lies at seat/1/down").expect("held: wrong_place")
    hand.slip("sevenths come back").expect("held: reload_stub", "load 4", "burns 3").load()
    hand.expect("to come: burn, community").deal().expect("stub 2", "street 7")
    hand.refuse("sevenths come back", "R-STUB-04")


def test_sevenths_come_back_only_for_a_common_card() -> None:
    """Q-67."""
    Hand("1 3 6").reach(7, cards=2).refuse("sevenths come back", "R-STUB-04")
