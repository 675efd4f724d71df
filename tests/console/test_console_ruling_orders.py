"""Rulings as JSON."""

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from controller.console.orders import CommandBody
from controller.hand import commands as hand
from controller.hand.commands import Role
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.terms import Verb
from controller.table import inputs
from controller.table.inputs import Rule, TableRuling

CASES: list[tuple[dict[str, Any], TableRuling]] = [
    ({"kind": "misdeal", "cause": "wrong_count"}, hand.DeclareMisdeal(MisdealCause.WRONG_COUNT)),
    ({"kind": "expose_hole", "seat": 5, "number": 2}, hand.ExposeHole(5, 2, Role.FLOOR)),
    ({"kind": "choose_door", "seat": 5, "number": 3}, hand.ChooseDoor(5, 3)),
    ({"kind": "expose_seventh", "seat": 5}, hand.ExposeSeventh(5)),
    ({"kind": "declare_all_in", "seat": 5}, hand.DeclareAllIn(5, Role.FLOOR)),
    ({"kind": "kill_hands", "seats": [2, 3], "cause": "mixed"}, hand.KillHands((2, 3), DeadCause.MIXED)),
    ({"kind": "retrieve_hand", "seat": 5}, hand.RetrieveHand(5)),
    ({"kind": "redo_seventh"}, hand.RedoSeventh()),
    ({"kind": "drop_stub"}, hand.DropStub()),
    ({"kind": "undo_action"}, hand.UndoAction(Role.FLOOR)),
    ({"kind": "undo_award"}, hand.UndoAward()),
    ({"kind": "out_of_turn", "seat": 5, "verb": "bet", "to": 8}, hand.NoteOutOfTurn(5, Verb.BET, 8, Role.FLOOR)),
    ({"kind": "opened_by", "seat": 5}, hand.OpenedBy(5, Role.FLOOR)),
    ({"kind": "put_chips", "seat": 5, "chips": 12, "pieces": 3}, hand.PutChips(5, 12, 3, Role.FLOOR)),
    ({"kind": "leave_table", "seat": 5}, hand.LeaveTable(5, Role.FLOOR)),
    ({"kind": "return_to_table", "seat": 5}, hand.ReturnToTable(5, Role.FLOOR)),
    ({"kind": "expire_clock", "seat": 5}, hand.ExpireClock(5)),
    ({"kind": "let_see", "seat": 5}, hand.LetSee(5)),
    ({"kind": "premature", "kept": 2}, inputs.TakeBackPremature(2)),
    ({"kind": "burn_extra"}, inputs.BurnExtra(Role.FLOOR)),
    ({"kind": "set_aside", "scrap": "joker"}, inputs.SetAside(Scrap.JOKER, Role.FLOOR)),
    ({"kind": "trust_reader"}, inputs.TrustReader()),
]
NOT_FROM_OUTSIDE = {hand.PrematureCards, hand.KeepExtraAsBurn, hand.ScrapCard}
"""These name cards in flight, which the table fills in: nobody types a card in."""


def rule_of(ruling: dict[str, Any], **others: Any) -> Rule:
    """The parsed ruling of the floor."""
    command = {"type": "rule", "ruling": ruling, "role": "floor", "reason": "seen"} | others
    order = CommandBody.model_validate({"key": "press-0001", "seq": 5, "command": command}).to_command().order
    assert isinstance(order, Rule)
    return order


@pytest.mark.parametrize(("body", "ruling"), CASES, ids=lambda case: case["kind"] if isinstance(case, dict) else "")
def test_every_body_becomes_its_ruling(body: dict[str, Any], ruling: TableRuling) -> None:
    """Field by field, with the role of who asks; ``kind`` is the JSON's."""
    rule = rule_of(body, by="Ann", agreed_by="Ben")
    assert rule.ruling == ruling
    assert (rule.kind, rule.by, rule.agreed_by, rule.reason) == (body["kind"], "Ann", "Ben", "seen")


def test_every_ruling_can_be_given() -> None:
    """No ruling lacks a body, but those whose cards the table alone knows."""
    assert {type(ruling) for _, ruling in CASES} == set(get_args(inputs.TableRuling)) - NOT_FROM_OUTSIDE


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "nonsense"},
        {"kind": "kill_hands", "seats": [], "cause": "mixed"},
        {"kind": "expose_hole", "seat": 9, "number": 1},
    ],
)
def test_what_is_no_ruling_is_refused_at_the_edge(body: dict[str, Any]) -> None:
    """An unknown kind, no seat, or a seat that no table has."""
    with pytest.raises(ValidationError):
        rule_of(body)
