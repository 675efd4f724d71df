"""All check, all call: what every remaining player does with one word, where the rules let each of them (screens §3)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from controller.hand.betting import legal_actions
from controller.hand.commands import Act, Refusal
from controller.hand.decide import decide
from controller.hand.state import HandState, Phase
from controller.hand.terms import Verb

LEAST: Final = 2
"""Fewer players than that need no common word."""


class Around(NamedTuple):
    """The actions that close the round in turn, with folds that wait; ``all_in``: seats whose last chips they take, and what each
    adds."""

    verb: Verb
    acts: tuple[Act, ...]
    all_in: tuple[tuple[int, int], ...]

    @property
    def seats(self) -> tuple[int, ...]:
        """Who checks or calls, in turn."""
        return tuple(act.seat for act in self.acts if act.verb is self.verb)


def around(state: HandState, folding: Collection[int] = ()) -> Around | None:
    """Checks or calls of everybody who is left; ``None`` where one of them may not, is away, or waits out of turn (R-BET-01).

    The seats ``folding`` have thrown their hands in and fold in their turn (R-BET-14). Never in place of the bring-in, and only
    with two players or more who check or call.
    """
    if state.phase is not Phase.BETTING or state.hold is not None or state.round.post_due or state.waiting:
        return None
    if any(entry.away and entry.live for entry in state.seats):
        return None
    verb = Verb.CALL if any(action.verb is Verb.CALL for action in legal_actions(state)) else Verb.CHECK
    acts: list[Act] = []
    all_in: list[tuple[int, int]] = []
    current = state
    for _ in state.seats:  # nobody is asked twice: a call or check never opens the betting again
        does = Verb.FOLD if current.round.actor in folding else verb
        action = next((one for one in legal_actions(current) if one.verb is does), None)
        if action is None:
            return None
        act = Act(current.round.actor, does, action.to)
        decided = decide(current, act)
        if isinstance(decided, Refusal):
            return None
        acts.append(act)
        if action.all_in:
            all_in.append((act.seat, action.chips))
        current = decided.state
        if current.phase is not Phase.BETTING or current.street != state.street:
            break
    found = Around(verb, tuple(acts), tuple(all_in))
    return found if len(found.seats) >= LEAST else None
