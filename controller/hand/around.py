"""All check, all call: what every remaining player does with one word, where the rules let each of them (screens §3)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from controller.hand.betting import legal_actions
from controller.hand.commands import Act, NoteOutOfTurn, Refusal
from controller.hand.decide import decide
from controller.hand.state import HandState, Phase
from controller.hand.terms import Verb

LEAST: Final = 2
"""Fewer players than that need no common word."""


class Around(NamedTuple):
    """The actions that close the round in turn, with folds that wait; ``all_in``: seats whose last chips they take, and what each
    adds."""

    verb: Verb
    acts: tuple[Act | NoteOutOfTurn, ...]
    all_in: tuple[tuple[int, int], ...]

    @property
    def seats(self) -> tuple[int, ...]:
        """Who checks or calls, in turn."""
        return tuple(act.seat for act in self.acts if act.verb is self.verb)


def around(state: HandState, folding: Collection[int] = ()) -> Around | None:
    """Checks or calls of everybody who is left; ``None`` where one of them may not, is away, or waits out of turn (R-BET-01).

    The seats ``folding`` have thrown their hands in and fold in their turn, or before the round closes where they have none left
    (R-BET-14). Never in place of the bring-in, not where such a fold changes the price, and only with two players or more who
    check or call.
    """
    if state.phase is not Phase.BETTING or state.hold is not None or state.round.post_due or state.waiting:
        return None
    if any(entry.away and entry.live for entry in state.seats):
        return None
    verb = Verb.CALL if any(action.verb is Verb.CALL for action in legal_actions(state)) else Verb.CHECK
    acts: list[Act | NoteOutOfTurn] = []
    all_in: list[tuple[int, int]] = []
    current = state
    for _ in state.seats:  # nobody is asked twice: a call or check never opens the betting again
        gone = closing_fold(current, folding)
        does = Verb.FOLD if current.round.actor in folding else verb
        action = next((one for one in legal_actions(current) if one.verb is does), None)
        if action is None or current.round.match != state.round.match:
            return None
        act = NoteOutOfTurn(gone, Verb.FOLD, 0) if gone else Act(current.round.actor, does, action.to)
        decided = decide(current, act)
        if isinstance(decided, Refusal):
            return None
        acts.append(act)
        if action.all_in and not gone:
            all_in.append((act.seat, action.chips))
        current = decided.state
        if current.phase is not Phase.BETTING or current.street != state.street:
            break
    found = Around(verb, tuple(acts), tuple(all_in))
    return found if len(found.seats) >= LEAST else None


def closing_fold(state: HandState, folding: Collection[int]) -> int:
    """A seat that has thrown in its hand and is not asked any more, as the bettor who mucks; 0 when there is none.

    When the actor is the last one who is asked, it folds before him: its fold binds, and no card is dealt to it (R-BET-14, Q-43).
    """
    if state.phase is not Phase.BETTING or state.round.post_due:
        return 0
    actor = state.round.actor
    gone = next((entry.seat for entry in state.seats if entry.seat in folding and entry.seat != actor and entry.active), 0)
    calm = next((one for one in legal_actions(state) if one.verb in (Verb.CALL, Verb.CHECK)), None)
    if not gone or calm is None:
        return 0
    decided = decide(state, Act(actor, calm.verb, calm.to))
    if isinstance(decided, Refusal):
        return 0
    return 0 if decided.state.phase is Phase.BETTING and decided.state.street == state.street else gone
