"""Decisions from antes to void: what follows by itself, what is refused, what stops play (rules §4, §19, R-ERR-08, Q-83)."""

from __future__ import annotations

import pytest
from support.hand_dsl import FOUR_EIGHT, Story, later, rules_of, third

from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, parse_card
from controller.hand.commands import (
    Act,
    AwardPots,
    CardLaid,
    DeclareMisdeal,
    FeltRight,
    FeltWrong,
    HandInput,
    MuckHand,
    PostAnte,
    Refusal,
    StubReloaded,
    TableHand,
    VoidHand,
)
from controller.hand.decide import Decision, decide
from controller.hand.events import (
    AntePosted,
    DealStarted,
    HandEnded,
    HandHeld,
    HandVoided,
    HoldLifted,
    PotsFixed,
    RoundClosed,
    RoundOpened,
    StubCounted,
    StubScrambled,
    UncalledReturned,
)
from controller.hand.irregular_events import MisdealCause
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.hand.state import HandSetup, HandState, Hold, Phase, open_state
from controller.hand.terms import SeatChips, Verb
from controller.hand.variants import VariantCode


def opened(stacks: dict[int, int]) -> HandState:
    """A hand before its antes."""
    setup = HandSetup(1, VariantCode.STUD, FOUR_EIGHT, rules_of())
    return open_state(setup, tuple(stacks.items()))


def accept(state: HandState, given: HandInput) -> Decision:
    """The decision on an input that must be accepted."""
    decision = decide(state, given)
    assert isinstance(decision, Decision)
    return decision


# ---------------------------------------------------------------------- antes


def test_cards_are_due_once_every_seat_has_posted_and_not_before() -> None:
    """R-ANTE-01: no ante, no card; the last ante starts the deal."""
    state = opened({1: 50, 4: 50})
    first = accept(state, PostAnte(4))
    assert first.events == (AntePosted(4, 1),)
    second = accept(first.state, PostAnte(1))
    assert [type(event) for event in second.events] == [AntePosted, DealStarted]
    assert (second.state.phase, second.state.stub, len(second.state.due)) == (Phase.DEALING, 52, 6)


def test_a_card_before_the_antes_stops_play() -> None:
    """R-ANTE-01: deal is blocked while an ante is missing."""
    held = accept(opened({1: 50, 4: 50}), CardLaid(SeatPlace(1, Zone.DOWN), DECK[0]))
    assert held.events == (HandHeld("premature_card", SeatPlace(1, Zone.DOWN)),)


def test_an_ante_is_posted_once_and_by_seats_of_the_hand() -> None:
    """R-ANTE-01."""
    state = accept(opened({1: 50, 4: 50}), PostAnte(1)).state
    assert decide(state, PostAnte(1)) == Refusal("R-ANTE-01", "ante_is_posted", (("seat", 1),))
    assert decide(state, PostAnte(2)) == Refusal("R-ANTE-01", "not_in_hand", (("seat", 2),))
    assert isinstance(decide(accept(state, PostAnte(4)).state, PostAnte(1)), Refusal)


def test_a_short_stack_antes_all_it_has() -> None:
    """R-ANTE-02."""
    assert Story({1: 3, 2: 50, 3: 50}, stakes=FOUR_EIGHT._replace(ante=5)).happened(AntePosted)[0] == AntePosted(1, 3)


def test_antes_are_dead_money() -> None:
    """R-ANTE-01: 7 players, pot 7 before any card; a seat that calls a completion of 4 has then put in 5."""
    story = third(dict.fromkeys(range(1, 8), 50), low=1)
    assert story.pot == 7
    story.bets("1 post 2, 2 to 4, 3 call")
    assert story.state.seats[2].total == 5


# ---------------------------------------------------------------------- what follows by itself


def test_a_closed_round_says_what_came_back_before_the_next_street() -> None:
    """R-ALLIN-03, R-BET-16: uncalled, closed, pots fixed, and the deal goes on without betting (R-ALLIN-04)."""
    story = later(6, {1: 5, 2: 90}, opens=2).bets("2 to 8")
    decision = story.tell(Act(1, Verb.CALL, 5))
    assert decision.events[1:3] == (UncalledReturned(2, 3), RoundClosed(6))
    assert [type(event) for event in decision.events[3:]] == [PotsFixed, StubCounted, DealStarted]
    story.deal()
    assert (story.state.phase, story.happened(RoundOpened)[-1].street) == (Phase.SHOWDOWN, 6)


def test_the_hand_ends_with_the_stacks_it_left() -> None:
    """R-POT-11."""
    story = third({1: 50, 2: 50}, low=1).bets("1 post 2, 2 fold")
    assert story.happened(HandEnded) == [HandEnded((SeatChips(1, 52), SeatChips(2, 50)), 0)]


# ---------------------------------------------------------------------- observations and holds


def test_a_card_at_another_place_than_the_next_one_due_stops_play() -> None:
    """R-ERR-08: never guess."""
    state = accept(accept(opened({1: 50, 4: 50}), PostAnte(1)).state, PostAnte(4)).state
    for place in (SeatPlace(4, Zone.DOWN), SeatPlace(1, Zone.UP), Spot.BURN, Spot.MUCK, Spot.COMMUNITY):
        decision = accept(state, CardLaid(place, DECK[0]))
        assert decision.events == (HandHeld("wrong_place", place),)
        assert decision.state == state._replace(hold=Hold("wrong_place", place))


@pytest.mark.parametrize("place", ["seat/1/up", "burn", "community"])
def test_a_card_while_a_seat_is_to_act_is_premature(place: str) -> None:
    """R-DEAL-04: the round is not closed."""
    story = third({1: 50, 2: 50}, low=1)
    (event,) = accept(story.state, CardLaid(parse_place(place), DECK[51])).events
    assert event == HandHeld("premature_card", parse_place(place))


def test_an_unknown_card_stops_play_where_the_table_must_see_it() -> None:
    """R-ERR-08, R-OPEN-01: a door card that was not read would be no door card: hold; a down card may stay unknown."""
    state = accept(accept(opened({1: 50, 4: 50}), PostAnte(1)).state, PostAnte(4)).state
    for seat in (1, 4, 1, 4):
        state = accept(state, CardLaid(SeatPlace(seat, Zone.DOWN), None)).state
    held = accept(state, CardLaid(SeatPlace(1, Zone.UP), None))
    assert held.events == (HandHeld("card_unknown", SeatPlace(1, Zone.UP)),)
    assert [len(entry.cards) for entry in held.state.seats] == [2, 2]


def test_an_unknown_common_card_stops_play() -> None:
    """R-STUB-04: nobody's hand could be read."""
    story = Story(dict.fromkeys(range(1, 9), 50)).passive(6)
    while story.state.street < 7:
        story.tell(Act(story.actor, Verb.CHECK, 0))
        if story.state.phase is Phase.SCRAMBLE:
            story.tell(StubReloaded(4))
    story.tell(CardLaid(Spot.BURN, None))
    assert accept(story.state, CardLaid(Spot.COMMUNITY, None)).events == (HandHeld("card_unknown", Spot.COMMUNITY),)


def test_a_hold_blocks_every_request_but_a_void_and_lifts_when_the_felt_is_right() -> None:
    """R-RULE-01: the hand freezes: no action, no card; when mended, play goes on where it stood."""
    story = third({1: 50, 2: 50}, low=1)
    before = story.state
    story.tell(FeltWrong("card_missing", SeatPlace(2, Zone.UP)))
    assert (story.options, story.state.hold) == ("", Hold("card_missing", SeatPlace(2, Zone.UP)))
    for request in (Act(1, Verb.BRING_IN, 2), TableHand(1), MuckHand(1), AwardPots(), PostAnte(1)):
        refused = story.refusal(request)
        assert (refused.rule, refused.code) == ("R-RULE-01", "held")
    assert story.tell(FeltWrong("another", None)).events == ()
    assert story.tell(CardLaid(Spot.BURN, DECK[0])).events == ()
    assert story.tell(FeltRight()).events == (HoldLifted("card_missing"),)
    assert story.state == before
    assert story.tell(FeltRight()).events == ()


def test_a_street_that_was_complete_goes_on_when_its_hold_lifts() -> None:
    """R-RULE-01: a hold after the last card delays the round, it does not lose it."""
    state = accept(accept(opened({1: 50, 4: 50}), PostAnte(1)).state, PostAnte(4)).state
    cards = ["9s", "Kh", "4c", "4d", "3c"]
    for due, card in zip(state.due, cards, strict=False):
        state = accept(state, CardLaid(due.place, parse_card(card))).state
    state = accept(state, FeltWrong("x", None)).state
    state = accept(state, FeltRight()).state
    decision = accept(state, CardLaid(SeatPlace(4, Zone.UP), parse_card("5h")))
    assert isinstance(decision.events[-1], RoundOpened)


def test_the_stub_comes_back_whole_or_play_stops_until_it_does() -> None:
    """R-STUB-02, Q-65: after a scramble the shoe must hold stub and burns; a wrong count holds, the right one goes on."""
    story = Story(dict.fromkeys(range(1, 9), 50)).passive(6)
    while story.state.phase is not Phase.SCRAMBLE:
        story.tell(Act(story.actor, Verb.CHECK, 0))
    assert (story.state.stub, story.state.burns) == (1, 3)
    assert story.tell(StubReloaded(5)).events == (HandHeld("stub_count", None),)
    assert story.tell(StubReloaded(3)).events == ()
    decision = story.tell(StubReloaded(4))
    assert decision.events[:2] == (HoldLifted("stub_count"), StubScrambled(4))
    assert [due.place for due in story.state.due] == [Spot.BURN, Spot.COMMUNITY]


def test_a_card_drawn_before_the_scramble_stops_play() -> None:
    """Q-67: no seventh may leave an undisturbed stub that is too short."""
    story = Story(dict.fromkeys(range(1, 9), 50)).passive(6)
    while story.state.phase is not Phase.SCRAMBLE:
        story.tell(Act(story.actor, Verb.CHECK, 0))
    assert story.tell(CardLaid(Spot.BURN, None)).events == (HandHeld("premature_card", Spot.BURN),)


def test_a_load_that_nobody_asked_for_stops_play() -> None:
    """R-ERR-08."""
    story = third({1: 50, 2: 50}, low=1)
    assert story.tell(StubReloaded(46)).events == (HandHeld("unexpected_load", None),)


PLACES: tuple[Place, ...] = (SeatPlace(1, Zone.DOWN), SeatPlace(2, Zone.UP), SeatPlace(8, Zone.ANY), *Spot)


@pytest.mark.parametrize("phase", list(Phase))
def test_an_observation_is_never_refused(phase: Phase) -> None:
    """What lies on the felt has happened: in every phase each observation is a decision."""
    story = Story(dict.fromkeys(range(1, 9), 50))
    states = {Phase.ANTES: opened({1: 50, 2: 50}), Phase.BETTING: story.state}
    states[Phase.DEALING] = accept(accept(states[Phase.ANTES], PostAnte(1)).state, PostAnte(2)).state
    while story.state.phase is not Phase.SCRAMBLE:
        first = legal_actions(story.state)[0]
        story.tell(Act(story.actor, first.verb, first.to))
        if story.state.phase is not Phase.SCRAMBLE:
            story.deal()
    states[Phase.SCRAMBLE] = story.state
    story.deal()
    states[Phase.SHOWDOWN] = story.passive(8).state
    states[Phase.ENDED] = story.showdown().state
    states[Phase.VOIDED] = accept(states[Phase.BETTING], VoidHand("x")).state
    states[Phase.REDEAL] = accept(states[Phase.BETTING], DeclareMisdeal(MisdealCause.EXTRA_CARDS)).state
    state = states[phase]
    assert state.phase is phase
    seen = [CardLaid(place, card) for place in PLACES for card in (None, DECK[7])]
    for given in (*seen, StubReloaded(0), StubReloaded(52), FeltWrong("x", None), FeltRight()):
        accept(state, given)


# ---------------------------------------------------------------------- void


def test_a_void_returns_every_contribution_at_any_stage() -> None:
    """R-RULE-03, R-MIS-08: 6th street, contributions 29 / 29 / 5 (folded): refunds 29, 29, 5; pot 0, no rake."""
    story = later(5, {1: 90, 4: 90, 6: 90}, opens=1, preset="live_cash").bets("1 to 8, 4 to 16, 6 fold, 1 call").passive(6)
    totals = [entry.total for entry in story.state.seats]
    decision = story.tell(VoidHand("fouled deck"))
    refunds = tuple(SeatChips(seat, chips) for seat, chips in zip((1, 4, 6), totals, strict=True))
    assert decision.events == (HandVoided("fouled deck", refunds),)
    assert (story.ends, story.pot) == ({1: 93, 4: 93, 6: 93}, 0)
    assert (story.state.phase, story.state.void_reason, story.actor) == (Phase.VOIDED, "fouled deck", 0)


def test_a_void_undoes_a_side_pot_that_was_paid_already() -> None:
    """Q-83: totals 20, 20, 12: side 16 paid to seat 4 earlier: after the void every contribution is back."""
    story = later(5, {1: 90, 4: 90, 6: 9}, opens=4)
    story.bets("4 to 8, 6 to 9, 1 to 16, 4 call").passive(7).bets("4 to 8, 1 fold")
    assert story.won == {4: 14}
    story.tell(VoidHand("floor"))
    assert (story.ends, story.won) == ({1: 93, 4: 93, 6: 12}, {})


def test_a_void_in_the_antes_during_a_hold_and_after_the_end_is_possible_and_a_second_one_is_not() -> None:
    """R-RULE-03, R-MIS-08: antes come back too, also of a hand that has ended, until the next one starts."""
    state = accept(opened({1: 50, 4: 50}), PostAnte(4)).state
    assert accept(state, VoidHand("x")).events == (HandVoided("x", (SeatChips(4, 1),)),)
    held = accept(state, FeltWrong("x", None)).state
    assert accept(held, VoidHand("x")).state.hold is None
    story = third({1: 50, 2: 50}, low=1).bets("1 post 2, 2 fold")
    story.tell(VoidHand("fouled deck"))
    assert story.ends == {1: 51, 2: 51}
    assert story.refusal(VoidHand("again")).rule == "R-RULE-03"


@pytest.mark.parametrize("given", [Act(1, Verb.FOLD, 0), PostAnte(1), TableHand(1), MuckHand(1), AwardPots()])
def test_a_hand_that_is_over_takes_no_request(given: HandInput) -> None:
    """R-BET-16."""
    story = third({1: 50, 2: 50}, low=1).bets("1 post 2, 2 fold")
    assert story.refusal(given).code == "hand_is_over"


def test_a_request_out_of_its_phase_names_the_street() -> None:
    """R-DEAL-04."""
    story = third({1: 50, 2: 50}, low=1)
    assert story.refusal(PostAnte(1)) == Refusal("R-DEAL-04", "antes_are_posted", (("street", 3),))
    assert decide(opened({1: 50, 2: 50}), Act(1, Verb.FOLD, 0)) == Refusal("R-DEAL-04", "no_betting", (("street", 0),))


def test_a_wrong_amount_is_refused_with_the_right_ones() -> None:
    """R-BET-11."""
    story = later(5, {1: 90, 2: 90}, opens=1)
    assert story.refusal(Act(1, Verb.BET, 9)).values == (("seat", 1), ("given", 9), ("allowed", "8"))
