"""Commands as JSON: what is taken, what is refused at the edge, and what their digest covers."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from controller.console.orders import CommandBody
from controller.hand.commands import Act, AwardPots, MuckHand, TableHand, UndoAction, VoidHand
from controller.hand.stakes import Stakes
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.table import inputs
from controller.table.inputs import AddChips, LeaveSeat, Order, Resume, SeatPlayer, SetGame, StartHand

CASES: list[tuple[dict[str, Any], Order]] = [
    ({"type": "start_hand"}, StartHand()),
    ({"type": "resume"}, Resume()),
    ({"type": "act", "seat": 3, "verb": "call", "to": 8}, Act(3, Verb.CALL, 8)),
    ({"type": "act", "seat": 3, "verb": "fold"}, Act(3, Verb.FOLD, 0)),
    ({"type": "table_hand", "seat": 3}, TableHand(3)),
    ({"type": "muck_hand", "seat": 3}, MuckHand(3)),
    ({"type": "award_pots"}, AwardPots()),
    ({"type": "void_hand", "reason": "fouled deck"}, VoidHand("fouled deck")),
    ({"type": "seat_player", "seat": 1, "name": "Ann", "stack": 100}, SeatPlayer(1, "Ann", 100)),
    ({"type": "leave_seat", "seat": 1}, LeaveSeat(1)),
    ({"type": "add_chips", "seat": 1, "chips": 50}, AddChips(1, 50)),
    ({"type": "set_game", "variant": "razz"}, SetGame(VariantCode.RAZZ)),
    ({"type": "set_stakes", "ante": 1, "bring_in": 2, "small": 4, "big": 8}, inputs.SetStakes(Stakes(1, 2, 4, 8))),
    ({"type": "sit_out", "seat": 1}, inputs.SitOut(1)),
    ({"type": "sit_in", "seat": 1}, inputs.SitIn(1)),
    ({"type": "change_seat", "seat": 1, "to": 2}, inputs.ChangeSeat(1, 2)),
    ({"type": "collect_time"}, inputs.CollectTime()),
    ({"type": "pause_table", "reason": "break"}, inputs.PauseTable("break")),
    ({"type": "reopen_table"}, inputs.ReopenTable()),
    ({"type": "close_table"}, inputs.CloseTable()),
    ({"type": "call_clock", "seat": 1}, inputs.CallClock(1)),
    (
        {"type": "rule", "ruling": {"kind": "undo_action"}, "role": "dealer"},
        inputs.Rule("undo_action", UndoAction()),
    ),
]


def body(order: dict[str, Any], /, **others: Any) -> CommandBody:
    """A parsed body."""
    return CommandBody.model_validate({"key": "press-0001", "seq": 5, "decision": None, "command": order} | others)


@pytest.mark.parametrize(("command", "order"), CASES, ids=lambda case: case["type"] if isinstance(case, dict) else "")
def test_every_command_becomes_its_order(command: dict[str, Any], order: Order) -> None:
    """Field by field; ``kind`` is the JSON's type."""
    taken = body(command).to_command()
    assert taken.order == order
    assert taken.kind == command["type"]
    assert taken.key == "press-0001"


def test_every_order_can_be_given() -> None:
    """No order of the table lacks a body."""
    assert {type(order) for _, order in CASES} == set(get_args(inputs.Order))


def test_the_digest_covers_order_and_decision_and_not_what_was_seen() -> None:
    """The same press repeated over a newer picture is the same; another amount, seat or decision is not."""
    base = body({"type": "act", "seat": 3, "verb": "call", "to": 8}, decision="1-3-3-8-1").to_command()
    assert body({"type": "act", "seat": 3, "verb": "call", "to": 8}, decision="1-3-3-8-1", seq=99).to_command() == base
    others = [
        body({"type": "act", "seat": 3, "verb": "call", "to": 9}, decision="1-3-3-8-1"),
        body({"type": "act", "seat": 4, "verb": "call", "to": 8}, decision="1-3-3-8-1"),
        body({"type": "act", "seat": 3, "verb": "raise", "to": 8}, decision="1-3-3-8-1"),
        body({"type": "act", "seat": 3, "verb": "call", "to": 8}, decision="1-4-3-8-1"),
        body({"type": "act", "seat": 3, "verb": "call", "to": 8}),
    ]
    digests = {base.digest, *(other.to_command().digest for other in others)}
    assert len(digests) == 6


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "short"},
        {"key": "x" * 65},
        {"key": "with space"},
        {"seq": -1},
        {"decision": "x" * 65},
        {"extra": 1},
        {"command": {"type": "dance"}},
        {"command": {"type": "act", "seat": 0, "verb": "call"}},
        {"command": {"type": "act", "seat": 9, "verb": "call"}},
        {"command": {"type": "act", "seat": 1, "verb": "shout"}},
        {"command": {"type": "act", "seat": 1, "verb": "call", "to": -1}},
        {"command": {"type": "act", "seat": 1, "verb": "call", "to": 1.5}},
        {"command": {"type": "void_hand", "reason": ""}},
        {"command": {"type": "start_hand", "seat": 1}},
        {"command": {"type": "add_chips", "seat": 1, "chips": 10**13}},
        {"command": None},
    ],
    ids=str,
)
def test_what_is_no_command_is_refused_at_the_edge(wrong: dict[str, Any]) -> None:
    """Nothing of it reaches the table."""
    with pytest.raises(ValidationError):
        body({"type": "start_hand"}, **wrong)
