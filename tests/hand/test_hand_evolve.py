"""What each event makes of a state, alone: no rule is needed to replay it (R-RULE-02)."""

from __future__ import annotations

import pytest
from support.hand_dsl import FOUR_EIGHT, cards_of, rules_of

from controller.hand.cards import Card, parse_card
from controller.hand.events import (
    ActionTaken,
    AntePosted,
    BurnMade,
    CardDealt,
    CommunityDealt,
    DealStarted,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandHeld,
    HandMucked,
    HandOpened,
    HandTabled,
    HandVoided,
    HoldLifted,
    PotAwarded,
    PotsFixed,
    RoundClosed,
    RoundOpened,
    SeventhPlan,
    ShowdownOpened,
    StubCounted,
    StubScrambled,
    UncalledReturned,
)
from controller.hand.evolve import evolve
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.state import Acted, HandSetup, HandState, Hold, Phase, Round, SeatHand, Status, open_state
from controller.hand.terms import Due, Pot, SeatChips, Share, Verb
from controller.hand.variants import VariantCode, Wins


def start(**knobs: str) -> HandState:
    """Seats 2 and 5 with 50 each, before the antes."""
    return open_state(HandSetup(1, VariantCode.STUD, FOUR_EIGHT, rules_of(**knobs)), ((2, 50), (5, 50)))


def after(state: HandState, *events: HandEvent) -> HandState:
    """The state after these events."""
    for event in events:
        state = evolve(state, event)
    return state


def seat(state: HandState, number: int) -> SeatHand:
    """One seat of a state."""
    return state.seats[state.index_of(number)]


def acted(seat: int, verb: Verb, chips: int, to: int, match: int, actor: int, *, free: bool = False) -> ActionTaken:
    """An action with the figures that these tests look at."""
    bet = match >= 4
    return ActionTaken(seat, verb, chips, to, False, match, match, 0, bet, False, False, False, actor, free)


def test_an_ante_leaves_the_stack_and_counts_for_no_street() -> None:
    """R-ANTE-01."""
    entry = seat(after(start(), AntePosted(5, 1)), 5)
    assert (entry.stack, entry.total, entry.street_chips, entry.ante_posted) == (49, 1, 0, True)


def test_cards_leave_the_stub_and_lie_where_the_event_says() -> None:
    """R-DEAL-01: down, up, burn, ghost and common card, one card of the stub each; unknown ones too (R-RULE-06)."""
    up, down = SeatPlace(2, Zone.UP), SeatPlace(2, Zone.DOWN)
    state = after(
        start(),
        DealStarted(4, (Due(Spot.BURN), Due(up), Due(down))),
        BurnMade(4, None),
        CardDealt(4, down, None),
        CardDealt(4, up, parse_card("As")),
        GhostDealt(4, SeatPlace(5, Zone.DOWN), None),
        CommunityDealt(parse_card("9d")),
    )
    assert (state.phase, state.street, state.dealt, state.stub) == (Phase.DEALING, 4, 5, 47)
    assert (state.burns, state.burned, state.community, state.fourth_dealt) == (1, (None,), parse_card("9d"), True)
    assert (seat(state, 2).down, seat(state, 2).up, seat(state, 5).cards) == ((None,), (parse_card("As"),), ())


def test_a_ghost_card_is_no_fourth_street_card_of_a_live_seat() -> None:
    """Q-81."""
    assert not after(start(), GhostDealt(4, SeatPlace(5, Zone.DOWN), None)).fourth_dealt


def test_a_round_opens_with_nothing_wagered() -> None:
    """Q-32."""
    state = after(start(), RoundOpened(4, 5, 2, False, (5,), True))
    assert state.round == Round(5, 2, False, pair_seats=(5,), uncapped=True)
    assert (state.phase, state.opener) == (Phase.BETTING, 5)


def test_an_action_moves_its_chips_and_takes_the_figures_of_the_event() -> None:
    """The amounts are the event's: an old journal survives a changed rule."""
    state = after(start(), RoundOpened(3, 2, 2, True, (), False), acted(2, Verb.BRING_IN, 2, 2, 2, 5))
    assert (seat(state, 2).stack, seat(state, 2).total, seat(state, 2).street_chips) == (48, 2, 2)
    assert (state.bring_in_seat, state.round.post_due, state.round.match, state.round.actor) == (2, False, 2, 5)
    assert (state.last_raiser, state.round.last_wager, seat(state, 2).acted) == (0, 0, Acted.BEFORE_BET)
    state = after(state, acted(5, Verb.COMPLETE, 4, 4, 4, 2))
    assert (state.last_raiser, state.round.last_wager, seat(state, 5).acted) == (5, 5, Acted.AFTER_BET)


@pytest.mark.parametrize(("ghosts", "status"), [("true", Status.GHOST), ("false", Status.FOLDED)])
def test_a_free_fold_is_a_ghost_until_chips_are_wagered(ghosts: str, status: Status) -> None:
    """R-DEAL-06, Q-11."""
    state = after(start(deal__ghost_cards_after_free_fold=ghosts), RoundOpened(4, 2, 2, False, (), False))
    state = after(state, acted(2, Verb.FOLD, 0, 0, 0, 5, free=True))
    assert seat(state, 2).status is status
    assert seat(after(state, acted(5, Verb.CHECK, 0, 0, 0, 0)), 2).status is status
    assert seat(after(state, acted(5, Verb.BET, 4, 4, 4, 0)), 2).status is Status.FOLDED


def test_the_post_stays_due_while_seats_fold_in_its_place() -> None:
    """R-BRING-07: until one posts or nobody is left to ask."""
    state = after(start(), RoundOpened(3, 2, 2, True, (), False))
    assert after(state, acted(2, Verb.FOLD, 0, 0, 0, 5)).round.post_due
    assert not after(state, acted(2, Verb.FOLD, 0, 0, 0, 0)).round.post_due
    assert after(state, acted(2, Verb.FOLD, 0, 0, 0, 5)).bring_in_seat == 0


def test_a_closed_round_clears_the_street_and_the_next_street_forgets_the_last_wager() -> None:
    """R-BET-16, Q-72."""
    state = after(
        start(), RoundOpened(5, 2, 2, False, (), False), acted(2, Verb.BET, 8, 8, 8, 5), acted(5, Verb.CALL, 8, 8, 8, 0)
    )
    closed = after(state, RoundClosed(5))
    assert [(entry.street_chips, entry.total, entry.acted) for entry in closed.seats] == [(0, 8, Acted.NO)] * 2
    assert (closed.phase, closed.round.actor, closed.round.last_wager) == (Phase.DEALING, 0, 2)
    assert after(closed, DealStarted(6, ())).round.last_wager == 0


def test_uncalled_chips_go_back() -> None:
    """R-ALLIN-03."""
    entry = seat(after(start(), AntePosted(2, 5), UncalledReturned(2, 3)), 2)
    assert (entry.stack, entry.total) == (48, 2)


@pytest.mark.parametrize(
    ("plan", "phase"),
    [
        (SeventhPlan.NORMAL, Phase.DEALING),
        (SeventhPlan.COMMUNITY, Phase.DEALING),
        (SeventhPlan.REUSE_BURNS, Phase.SCRAMBLE),
        (SeventhPlan.SCRAMBLE_COMMUNITY, Phase.SCRAMBLE),
    ],
)
def test_the_count_of_the_stub_says_whether_it_is_scrambled(plan: SeventhPlan, phase: Phase) -> None:
    """R-STUB-02."""
    state = after(start(), DealStarted(6, ()), StubCounted(1, 3, 8, plan))
    assert (state.short, state.phase) == (plan, phase)


def test_a_scramble_returns_the_burns_and_their_record_is_gone() -> None:
    """Q-66: no record of which card was which."""
    state = after(start(), BurnMade(4, parse_card("2c")), BurnMade(5, parse_card("3c")), StubScrambled(52))
    assert (state.stub, state.burns, state.burned) == (52, 0, ())


def test_showdown_tabling_mucking_and_awards() -> None:
    """R-SHOW-04, R-POT-01."""
    hand: tuple[Card, ...] = cards_of("As Ks Qs Js Ts 2h 2d")
    pots = PotsFixed((Pot(10, (2, 5)), Pot(4, (2, 5))), (1, 0))
    state = after(start(), pots, ShowdownOpened((5, 2)), HandTabled(5, hand), HandMucked(2))
    assert (state.betting_over, state.awards, state.show_order) == (True, (None, None), (5, 2))
    assert (seat(state, 5).tabled, seat(state, 2).mucked, state.phase) == (hand, True, Phase.SHOWDOWN)
    shares = (Share(5, 3, Wins.HIGH), Share(2, 1, Wins.LOW_EIGHT))
    state = after(state, PotAwarded(1, shares))
    assert state.awards == (None, shares)
    assert [(entry.stack, entry.won) for entry in state.seats] == [(51, 1), (53, 3)]
    assert after(state, HandEnded((), 1)).phase is Phase.ENDED


def test_a_hold_and_its_lifting_change_nothing_else() -> None:
    """R-RULE-01."""
    held = after(start(), HandHeld("x", Spot.BURN))
    assert held == start()._replace(hold=Hold("x", Spot.BURN))
    assert after(held, HoldLifted("x")) == start()


def test_a_void_undoes_contributions_returns_and_awards() -> None:
    """R-RULE-03, Q-83."""
    state = after(start(), AntePosted(2, 8), AntePosted(5, 5), UncalledReturned(2, 3), PotsFixed((Pot(10, (2, 5)),), (0,)))
    state = after(state, PotAwarded(0, (Share(5, 10, None),)), HandVoided("x", (SeatChips(2, 5), SeatChips(5, 5))))
    assert [(entry.stack, entry.total, entry.won) for entry in state.seats] == [(50, 0, 0), (50, 0, 0)]
    assert (state.phase, state.void_reason, state.hold) == (Phase.VOIDED, "x", None)


def test_the_opening_event_is_the_callers() -> None:
    """``open_state`` made the state already."""
    assert after(start(), HandOpened(1, VariantCode.STUD, ())) == start()
