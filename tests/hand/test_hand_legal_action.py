"""The one action that a call means, found without listing all: it is the one that the list holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.hand_walk import Game, games, walk

from controller.hand.betting import WAGERS, LegalAction, legal_action, legal_actions
from controller.hand.state import HandState, Phase
from controller.hand.terms import Verb


def listed(state: HandState, verb: Verb, to: int) -> LegalAction | None:
    for action in legal_actions(state):
        same = action.verb is verb or (action.verb in WAGERS and verb in WAGERS)
        if same and (action.to == to or verb in (Verb.FOLD, Verb.CHECK)):
            return action
    return None


@given(games(), st.integers(0, 100))
def test_a_call_means_the_action_that_is_listed_for_it(game: Game, amount: int) -> None:
    """For every verb and for legal, near and arbitrary amounts, at every turn of a hand (R-BET-11)."""
    for step in walk(game):
        state = step.before
        if state.phase is not Phase.BETTING:
            continue
        amounts = {amount} | {action.to + change for action in legal_actions(state) for change in (-1, 0, 1)}
        for verb in Verb:
            for to in amounts:
                assert legal_action(state, verb, to) == listed(state, verb, to)


@given(games())
def test_a_seat_is_found_at_its_index(game: Game) -> None:
    """Whatever seats are empty; a seat that was not dealt in is at no index."""
    state = next(walk(game)).before
    numbers = [seat for seat, _ in game.stacks]
    for seat in range(-1, 11):
        assert state.index_of(seat) == (numbers.index(seat) if seat in numbers else -1)
