"""Hands of random play, recorded as the inputs that the hand state machine was given."""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from controller.hand.betting import LegalAction, legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import Act, AwardPots, CardLaid, HandInput, PostAnte, Refusal, TableHand
from controller.hand.decide import decide
from controller.hand.rules import house_rules
from controller.hand.showdown import to_show
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, Phase, open_state
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode

SEATS: Final = 7
STACK: Final = 500
"""Chips of each seat: more than a hand can take, so that no hand depends on whose rule for short all-ins is used."""
STAKES: Final = Stakes(ante=1, bring_in=2, small=4, big=8)
RULES: Final = {"fourth_pair.stud": "off", "fourth_pair.stud8": "off", "hilo.same_winners_both_ways": "two_step"}
"""As PokerKit plays, which is compared: no big bet on an open pair (R-BET-05, R-BET-06), each half split alone (R-POT-07)."""
MAX_INPUTS: Final = 1000
"""More than any hand takes."""
MAX_TRIES: Final = 10
"""Hands that are played at most for one that is recorded."""

_WEIGHTS: Final = {
    Verb.FOLD: 15,
    Verb.CALL: 60,
    Verb.CHECK: 60,
    Verb.BRING_IN: 90,
    Verb.COMPLETE: 25,
    Verb.BET: 25,
    Verb.RAISE: 25,
}
"""How often each action is chosen; nobody folds where a check is free."""


class RecordedHand(NamedTuple):
    """A whole hand: the inputs from the first ante to the last award, and the stacks by seat that they lead to."""

    setup: HandSetup
    stacks: tuple[tuple[int, int], ...]
    inputs: tuple[HandInput, ...]
    result: tuple[int, ...]


def record_hands(variant: VariantCode, count: int, rng: random.Random) -> list[RecordedHand]:
    """``count`` seven-handed hands of ``variant``: random cards, random legal actions, every card and request an input.

    Hands in which nearly all stay to the end, so that a person must shuffle the burns back in, are left out.
    """
    setup = HandSetup(1, variant, STAKES, house_rules("seeds", RULES))
    hands: list[RecordedHand] = []
    for _ in range(MAX_TRIES * count):
        hand = _record(setup, rng)
        if hand is not None:
            hands.append(hand)
        if len(hands) == count:
            break
    return hands


def _record(setup: HandSetup, rng: random.Random) -> RecordedHand | None:
    stacks = tuple((seat, STACK) for seat in range(1, SEATS + 1))
    state = open_state(setup, stacks)
    packet = list(DECK)
    rng.shuffle(packet)
    inputs: list[HandInput] = []
    for _ in range(MAX_INPUTS):
        if state.phase is Phase.SCRAMBLE:
            return None
        if state.over:
            break
        given = _next_input(state, packet, rng)
        decision = decide(state, given)
        if isinstance(decision, Refusal):
            raise TypeError(f"a random player was refused: {decision.code}")
        inputs.append(given)
        state = decision.state
    return RecordedHand(setup, stacks, tuple(inputs), tuple(entry.stack for entry in state.seats))


def _next_input(state: HandState, packet: list[Card], rng: random.Random) -> HandInput:
    match state.phase:
        case Phase.ANTES:
            return PostAnte(next(entry.seat for entry in state.seats if not entry.ante_posted))
        case Phase.DEALING:
            return CardLaid(state.due[state.dealt].place, packet.pop())
        case Phase.BETTING:
            return _choice(state.round.actor, legal_actions(state), rng)
        case Phase.SHOWDOWN:
            waiting = to_show(state)
            return TableHand(waiting[0]) if waiting else AwardPots()
        case Phase.SCRAMBLE | Phase.REDEAL | Phase.ENDED | Phase.VOIDED:
            raise ValueError(f"nothing is asked in {state.phase.value}")


def _choice(seat: int, actions: tuple[LegalAction, ...], rng: random.Random) -> Act:
    paying = any(action.verb is Verb.CALL for action in actions)
    weights = [0 if action.verb is Verb.FOLD and not paying else _WEIGHTS[action.verb] for action in actions]
    (action,) = rng.choices(actions, weights)
    return Act(seat, action.verb, action.to)
