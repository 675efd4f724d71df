"""Whether a command still means what its sender saw: its time, the decision that it answers, the picture that it was given on
(recovery §7).

Tag chatter makes no picture old: a command is passed by its decision, or by another command that was taken meanwhile and changed
what it decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from controller.hand.commands import Refusal
from controller.table.carried_events import Outcome
from controller.table.inputs import Command, Resume, Rule, StepPast, StopPlay, TakeShoeAgain
from controller.table.state import TableState, decision_id

ANSWERS: Final = frozenset(("act", "act_around", "award_pots", "muck_hand", "table_hand"))
"""Kinds of commands that answer a decision of the hand, and name it."""
_IN_HAND: Final = ANSWERS | {"confirm_cards", "rule", "start_hand", "undo_confirmation", "void_hand"}
_OF_TABLE: Final = frozenset(
    ("close_table", "collect_time", "pause_table", "reopen_table", "set_game", "set_last_two", "set_stakes", "start_hand")
)
_WHO_SITS: Final = frozenset(("change_seat", "leave_seat"))
_OF_SEATS: Final = _WHO_SITS | {"add_chips", "seat_player"}

PASSED_BY: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(sorted(_OF_TABLE), _OF_TABLE),
    **dict.fromkeys(("rule", "undo_confirmation"), _IN_HAND),
    **dict.fromkeys(("change_seat", "leave_seat", "seat_player", "sit_in", "sit_out"), _WHO_SITS),
    "add_chips": _OF_SEATS,
    "answer_seat": frozenset(("answer_seat",)),
    "call_clock": ANSWERS | {"call_clock"},
    "count_deck": frozenset(("count_deck",)),
    "resume": frozenset(("resume",)),
    "void_hand": frozenset(("start_hand",)),
}
"""For each kind of command those that pass it when they were taken after the record that its sender saw. ``confirm_cards`` is not
here: it names the places that are due. A void is for the hand that was seen, also behind its award (R-RULE-04)."""


def comes_late(given: Command, now: datetime, started: int) -> bool:
    """Whether the time of ``given`` has passed, or it confirms a picture from before record ``started``, this start's first."""
    expired = given.until is not None and now > given.until
    return expired or (isinstance(given.order, Resume) and given.seen is not None and given.seen < started)


def outdated(state: TableState, given: Command) -> Refusal | None:
    """Why ``given`` is refused though it may be in order: it came too late, or for a picture that has passed."""
    if given.late:
        return Refusal("R-RULE-01", "command_expired")
    if given.decision is not None and (state.hand is None or decision_id(state.hand) != given.decision):
        return Refusal("R-BET-14", "decision_passed")
    if given.seen is not None and (given.seen > state.seq or _was_passed(state, given, given.seen)):
        return Refusal("R-RULE-01", "picture_passed")
    return None


def _was_passed(state: TableState, given: Command, seen: int) -> bool:
    """Whether a command that changes what ``given`` decides was taken after record ``seen``."""
    order = given.order
    if isinstance(order, Rule) and isinstance(order.ruling, StepPast | StopPlay | TakeShoeAgain):
        return False  # play can be stopped on any picture, and the others name what is waited for
    passing = PASSED_BY.get(given.kind, frozenset())
    for answer, seq in reversed(tuple(state.answers.values())):
        if seq <= seen:
            return False
        if answer.kind in passing and answer.outcome is Outcome.TAKEN:
            return True
    return False
