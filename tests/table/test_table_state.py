"""The table as one value: sums of chips and cards, draws that are due, names of decisions."""

from __future__ import annotations

import pytest
from support.table_story import TableStory

from controller.hand.betting import legal_actions
from controller.hand.commands import Act
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.table.state import TableState, decision_id, draws_due


def test_chips_are_counted_in_every_phase() -> None:
    """Stacks, bets, pots and awards sum to what was bought in; rake leaves when the hand ends (R-POT-11)."""
    told = TableStory({1: 100, 2: 30, 3: 2}, preset="live_cash", seed=2)
    told.play_hand(lambda hand, actions: actions[min(1, len(actions) - 2)])
    assert told.state.chips_on_table + told.state.raked == 132
    assert told.state.raked > 0
    assert told.state.chips_conserved
    assert not told.state._replace(raked=0).chips_conserved
    assert not told.state._replace(bought_in=1).chips_conserved


def test_a_player_outside_the_hand_keeps_its_chips_in_the_count() -> None:
    """Someone who sat out is on the table too."""
    told = TableStory({1: 100, 2: 100, 3: 1}, seed=8)
    while all(seat.stack for seat in told.state.seats):
        told.play_hand()
    told.start()
    assert len(told.hand.seats) == 2
    assert told.state.chips_on_table == 201


def test_a_lost_card_is_noticed() -> None:
    """52 of a load are in the shoe, in flight or dealt."""
    told = TableStory({1: 100, 2: 100}).start()
    told.deal_one()
    assert told.state.cards_conserved
    held = told.state.custody
    assert not told.state._replace(custody=held._replace(in_shoe=held.in_shoe - 1)).cards_conserved
    assert TableState().cards_conserved


def test_draws_are_due_until_the_streets_last_card_has_left() -> None:
    """None while held, betting or over."""
    told = TableStory({1: 100, 2: 100}).start()
    assert [draws_due(told.state)] + [told.deal_one() and draws_due(told.state) for _ in range(6)] == [6, 5, 4, 3, 2, 1, 0]
    assert told.hand.phase is Phase.BETTING
    told.draw()
    assert draws_due(told.state) == 0
    assert draws_due(TableState()) == 0


def test_no_two_decisions_of_a_hand_have_the_same_name() -> None:
    """Hand, street, actor, price and raises tell each question apart; evidence of readers does not change it."""
    for seed in range(15):
        told = TableStory({1: 300, 2: 40, 3: 300, 4: 9}, seed=seed).start()
        names: list[str] = []
        while not told.hand.over:
            told.deal()
            if told.hand.phase is Phase.BETTING:
                names.append(decision_id(told.hand))
                told.lay(told.shoe[-1], "muck")
                told.lift(told.shoe[-1])
                assert decision_id(told.hand) == names[-1]
                action = told.rng.choice(legal_actions(told.hand))
                assert told.order(Act(told.hand.round.actor, action.verb, action.to), decision=names[-1]) is None
            else:
                told.showdown()
        assert len(set(names)) == len(names)


def test_a_table_without_a_game_has_no_setup() -> None:
    """Nothing is made up."""
    with pytest.raises(ValueError, match="no game"):
        TableState().setup()


def test_the_next_hand_takes_the_next_number() -> None:
    """Voided hands count."""
    told = TableStory({1: 100, 2: 100})
    assert told.state.setup().number == 1
    told.play_hand(lambda hand, actions: next((a for a in actions if a.verb is Verb.FOLD), actions[0]))
    assert told.state.setup().number == 2
