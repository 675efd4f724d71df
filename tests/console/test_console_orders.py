"""Commands as JSON: what is taken, what is refused at the edge, and what their digest covers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from controller.console.orders import CommandBody
from controller.hand import commands as told
from controller.hand.cards import parse_card
from controller.hand.commands import Act, AwardPots, DropStub, MuckHand, Role, TableHand, VoidHand
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.stakes import Stakes
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.table import inputs
from controller.table.inputs import AcknowledgeAlarm, AddChips, LeaveSeat, Order, Resume, SeatPlayer, SetGame, StartHand
from controller.table.late_bets import LateAction

CASES: list[tuple[dict[str, Any], Order]] = [
    ({"type": "start_hand"}, StartHand()),
    ({"type": "resume"}, Resume()),
    ({"type": "acknowledge_alarm", "alarm": "hold", "raised_seq": 7, "by": "Ann"}, AcknowledgeAlarm("hold", 7, "Ann")),
    ({"type": "act", "seat": 3, "verb": "call", "to": 8}, Act(3, Verb.CALL, 8)),
    ({"type": "act", "seat": 3, "verb": "fold"}, Act(3, Verb.FOLD, 0)),
    ({"type": "table_hand", "seat": 3}, TableHand(3)),
    ({"type": "table_hand", "seat": 3, "cards": ["As", "Td"]}, TableHand(3, (parse_card("As"), parse_card("Td")))),
    (
        {"type": "confirm_cards", "cards": [{"place": "burn"}, {"place": "seat/2/up", "card": "Kh"}]},
        inputs.ConfirmCards((inputs.LaidCard(Spot.BURN), inputs.LaidCard(SeatPlace(2, Zone.UP), parse_card("Kh")))),
    ),
    ({"type": "act_around", "verb": "call", "seats": [4, 6, 1]}, inputs.ActAround(Verb.CALL, (4, 6, 1))),
    ({"type": "undo_confirmation"}, inputs.UndoConfirmation()),
    ({"type": "count_deck", "cards": 52}, inputs.CountDeck(52)),
    ({"type": "muck_hand", "seat": 3}, MuckHand(3)),
    ({"type": "award_pots"}, AwardPots()),
    ({"type": "void_hand", "reason": "fouled deck"}, VoidHand("fouled deck")),
    ({"type": "seat_player", "seat": 1, "name": "Ann", "stack": 100}, SeatPlayer(1, "Ann", 100)),
    ({"type": "leave_seat", "seat": 1}, LeaveSeat(1)),
    ({"type": "add_chips", "seat": 1, "chips": 50}, AddChips(1, 50)),
    ({"type": "set_game", "variant": "razz"}, SetGame(VariantCode.RAZZ)),
    ({"type": "start_hand", "cut": 12}, StartHand(12)),
    ({"type": "sit_out", "seat": 4}, inputs.SitOut(4)),
    ({"type": "sit_in", "seat": 4}, inputs.SitIn(4)),
    ({"type": "call_clock", "seat": 4}, inputs.CallClock(4)),
    ({"type": "change_seat", "seat": 4, "to": 5}, inputs.ChangeSeat(4, 5)),
    (
        {"type": "set_stakes", "ante": 2, "bring_in": 4, "small": 8, "big": 16},
        inputs.SetStakes(Stakes(ante=2, bring_in=4, small=8, big=16, unit=1)),
    ),
    ({"type": "set_last_two", "on": True}, inputs.SetLastTwo(on=True)),
    ({"type": "answer_seat", "seat": 4}, inputs.AnswerSeat(4)),
    ({"type": "pause_table", "reason": "dinner"}, inputs.PauseTable("dinner")),
    ({"type": "reopen_table"}, inputs.ReopenTable()),
    ({"type": "close_table"}, inputs.CloseTable()),
    ({"type": "collect_time"}, inputs.CollectTime()),
    (
        {"type": "rule", "ruling": {"kind": "drop_stub"}, "role": "floor", "by": "Fay", "reason": "fell"},
        inputs.Rule("drop_stub", DropStub(Role.FLOOR), "Fay", "", "fell"),
    ),
]
FLOOR = Role.FLOOR
RULINGS: list[tuple[dict[str, Any], inputs.TableRuling]] = [
    ({"kind": "misdeal", "cause": "wrong_count"}, told.DeclareMisdeal(MisdealCause.WRONG_COUNT, FLOOR)),
    ({"kind": "expose_hole", "seat": 2, "number": 1}, told.ExposeHole(2, 1, FLOOR)),
    ({"kind": "expose_hole", "seat": 2, "number": 1, "card": "Td"}, told.ExposeHole(2, 1, FLOOR, parse_card("Td"))),
    ({"kind": "undo_keyed"}, inputs.UndoKeyed(FLOOR)),
    ({"kind": "choose_door", "seat": 2, "number": 3}, told.ChooseDoor(2, 3, FLOOR)),
    ({"kind": "expose_seventh", "seat": 2}, told.ExposeSeventh(2, FLOOR)),
    ({"kind": "declare_all_in", "seat": 2}, told.DeclareAllIn(2, FLOOR)),
    ({"kind": "replace_boxed", "seat": 2, "number": 5}, told.ReplaceBoxed(2, 5, FLOOR)),
    ({"kind": "kill_hands", "seats": [2, 4], "cause": "mixed"}, told.KillHands((2, 4), DeadCause.MIXED, FLOOR)),
    ({"kind": "retrieve_hand", "seat": 2}, told.RetrieveHand(2, FLOOR)),
    ({"kind": "premature", "kept": 4}, inputs.TakeBackPremature(4, FLOOR)),
    ({"kind": "late_action", "seat": 4, "verb": "call", "to": 8}, LateAction(4, Verb.CALL, 8, FLOOR)),
    ({"kind": "burn_extra"}, inputs.BurnExtra(FLOOR)),
    ({"kind": "set_aside", "scrap": "joker"}, inputs.SetAside(Scrap.JOKER, FLOOR)),
    ({"kind": "set_aside", "scrap": "boxed", "number": 2}, inputs.SetAside(Scrap.BOXED, FLOOR, 2)),
    ({"kind": "redo_seventh"}, told.RedoSeventh(FLOOR)),
    ({"kind": "drop_stub"}, told.DropStub(FLOOR)),
    ({"kind": "undo_action"}, told.UndoAction(FLOOR)),
    ({"kind": "undo_award"}, told.UndoAward(FLOOR)),
    ({"kind": "trust_reader"}, inputs.TrustReader(FLOOR)),
    ({"kind": "take_shoe_again"}, inputs.TakeShoeAgain(FLOOR)),
    ({"kind": "clear_shoe"}, inputs.ClearShoe(FLOOR)),
    ({"kind": "stop_play"}, inputs.StopPlay(FLOOR)),
    ({"kind": "play_on"}, inputs.PlayOn(FLOOR)),
    ({"kind": "step_past", "device": "felt-a", "antenna": 2}, inputs.StepPast("felt-a", 2, FLOOR)),
    (
        {"kind": "key_card", "place": "seat/2/up", "card": "Kh"},
        inputs.KeyCard(SeatPlace(2, Zone.UP), parse_card("Kh"), FLOOR),
    ),
    ({"kind": "out_of_turn", "seat": 2, "verb": "bet", "to": 8}, told.NoteOutOfTurn(2, Verb.BET, 8, FLOOR)),
    ({"kind": "opened_by", "seat": 2}, told.OpenedBy(2, FLOOR)),
    ({"kind": "put_chips", "seat": 2, "chips": 8, "pieces": 2}, told.PutChips(2, 8, 2, FLOOR)),
    ({"kind": "leave_table", "seat": 2}, told.LeaveTable(2, FLOOR)),
    ({"kind": "return_to_table", "seat": 2}, told.ReturnToTable(2, FLOOR)),
    ({"kind": "expire_clock", "seat": 2}, told.ExpireClock(2, FLOOR)),
    ({"kind": "let_see", "seat": 2}, told.LetSee(2, FLOOR)),
]
NEVER_SAID = {told.PrematureCards, told.KeepExtraAsBurn, told.ScrapCard}
"""Told to the hand by the table, which knows the cards in flight."""


def body(order: dict[str, Any], /, **others: Any) -> CommandBody:
    """A parsed body."""
    return CommandBody.model_validate({"key": "press-0001", "seq": 5, "decision": "1-3-3-8-0", "command": order} | others)


@pytest.mark.parametrize(("command", "order"), CASES, ids=lambda case: case["type"] if isinstance(case, dict) else "")
def test_every_command_becomes_its_order(command: dict[str, Any], order: Order) -> None:
    """Field by field; ``kind`` is the JSON's type."""
    taken = body(command).to_command()
    assert taken.order == order
    assert taken.kind == command["type"]
    assert taken.key == "press-0001"


def test_every_order_can_be_given() -> None:
    """No order of the table lacks a body."""
    not_given = {inputs.LockTable, inputs.TakeWheel, inputs.ReturnWheel}  # the program's own, and those of the wheel
    assert {type(order) for _, order in CASES} == set(get_args(inputs.Order)) - not_given


@pytest.mark.parametrize(("given", "expected"), RULINGS, ids=lambda case: case["kind"] if isinstance(case, dict) else "")
def test_every_ruling_becomes_its_order(given: dict[str, Any], expected: inputs.TableRuling) -> None:
    """Kind, role and values; ``kind`` of the order is the ruling's (screens §7)."""
    order = body({"type": "rule", "ruling": given, "role": "floor"}).to_command().order
    assert order == inputs.Rule(given["kind"], expected)


def test_every_ruling_can_be_given() -> None:
    """No ruling of table or hand lacks a body."""
    assert {type(expected) for _, expected in RULINGS} == set(get_args(inputs.TableRuling)) - NEVER_SAID


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "expose_hole", "seat": 2, "number": 4},
        {"kind": "kill_hands", "seats": [], "cause": "mixed"},
        {"kind": "premature", "kept": 9},
        {"kind": "put_chips", "seat": 2, "chips": 0, "pieces": 1},
        {"kind": "misdeal"},
        {"kind": "undo_action", "seat": 2},
        {"kind": "burn_the_deck"},
    ],
)
def test_a_ruling_that_does_not_fit_is_refused_at_the_edge(wrong: dict[str, Any]) -> None:
    """One past each bound, a missing and an extra field, an unknown kind."""
    with pytest.raises(ValidationError):
        body({"type": "rule", "ruling": wrong, "role": "floor"})


def test_the_digest_covers_order_and_decision_and_not_what_was_seen() -> None:
    """The same press repeated over a newer picture is the same; another amount, seat or decision is not."""
    base = body({"type": "act", "seat": 3, "verb": "call", "to": 8}, decision="1-3-3-8-1").to_command()
    assert body({"type": "act", "seat": 3, "verb": "call", "to": 8}, decision="1-3-3-8-1", seq=99).to_command() == replace(
        base, seen=99
    )
    others = [
        body({"type": "act", "seat": 3, "verb": "call", "to": 9}, decision="1-3-3-8-1"),
        body({"type": "act", "seat": 4, "verb": "call", "to": 8}, decision="1-3-3-8-1"),
        body({"type": "act", "seat": 3, "verb": "raise", "to": 8}, decision="1-3-3-8-1"),
        body({"type": "act", "seat": 3, "verb": "call", "to": 8}, decision="1-4-3-8-1"),
        body({"type": "act", "seat": 3, "verb": "call", "to": 8}, decision="1-3-3-8-2"),
    ]
    digests = {base.digest, *(other.to_command().digest for other in others)}
    assert len(digests) == 6


@pytest.mark.parametrize(
    "order",
    [
        {"type": "table_hand", "seat": 3, "cards": ["As", "Td"]},
        {"type": "confirm_cards", "cards": [{"place": "seat/3/down", "card": "As"}]},
        {"type": "rule", "role": "floor", "ruling": {"kind": "key_card", "place": "seat/3/down", "card": "As"}},
    ],
)
def test_the_digest_tells_nothing_of_a_card(order: dict[str, Any]) -> None:
    """It stands open in the journal also when the order is refused: a keyed card that lies face down could be guessed from it."""
    other, fewer = (json.loads(json.dumps(order).replace('"As"', card)) for card in ('"2c"', "null"))
    assert body(order).to_command().digest == body(other).to_command().digest
    assert body(order).to_command().order != body(other).to_command().order
    if order["type"] != "table_hand":
        assert body(order).to_command().digest != body(fewer).to_command().digest


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "short"},
        {"key": "x" * 65},
        {"key": "with space"},
        {"seq": -1},
        {"decision": "x" * 65},
        {"decision": "", "command": {"type": "award_pots"}},
        {"expires_at": "tomorrow"},
        {"expires_at": "2026-01-02T20:15:00"},
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


@pytest.mark.parametrize(
    "command",
    [
        {"type": "add_chips", "seat": 1, "chips": "10"},
        {"type": "add_chips", "seat": 1, "chips": 10.0},
        {"type": "add_chips", "seat": True, "chips": 10},
        {"type": "act", "seat": 1, "verb": "call", "to": "8"},
        {"type": "act_around", "verb": "check", "seats": [True, 2]},
        {"type": "set_last_two", "on": "yes"},
        {"type": "rule", "role": "floor", "ruling": {"kind": "put_chips", "seat": 1, "chips": "5", "pieces": 1}},
    ],
    ids=str,
)
def test_a_number_is_a_number_and_nothing_that_reads_like_one(command: dict[str, Any]) -> None:
    """Chips that a sender wrote as text, or ``true`` for seat 1, are its fault and not taken."""
    with pytest.raises(ValidationError, match="valid"):
        CommandBody.model_validate({"key": "k" * 8, "seq": 1, "command": command})
