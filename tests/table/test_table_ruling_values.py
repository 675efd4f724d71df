"""Rulings in the journal: what they were about comes back as it was, and never a card."""

from __future__ import annotations

import pytest

from controller.hand import commands as told
from controller.hand.cards import DECK
from controller.hand.commands import Role, Ruling
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.terms import Verb
from controller.table.ruling_values import ruled_input, ruling_values

CASES: list[tuple[str, Ruling]] = [
    ("misdeal", told.DeclareMisdeal(MisdealCause.BOXED_CARDS)),
    ("expose_hole", told.ExposeHole(3, 2)),
    ("choose_door", told.ChooseDoor(3, 1)),
    ("expose_seventh", told.ExposeSeventh(3)),
    ("declare_all_in", told.DeclareAllIn(3)),
    ("kill_hands", told.KillHands((3, 5), DeadCause.MIXED)),
    ("retrieve_hand", told.RetrieveHand(3)),
    ("premature", told.PrematureCards((None, None), burned=True, kept=5)),
    ("burn_extra", told.KeepExtraAsBurn(None)),
    ("set_aside", told.ScrapCard(Scrap.JOKER, None, counted=True, behind=2)),
    ("replace_boxed", told.ReplaceBoxed(3, 2)),
    ("redo_seventh", told.RedoSeventh()),
    ("drop_stub", told.DropStub()),
    ("undo_action", told.UndoAction(Role.FLOOR)),
    ("undo_award", told.UndoAward()),
    ("out_of_turn", told.NoteOutOfTurn(3, Verb.RAISE, 16)),
    ("opened_by", told.OpenedBy(3)),
    ("put_chips", told.PutChips(3, 12, 2)),
    ("leave_table", told.LeaveTable(3)),
    ("return_to_table", told.ReturnToTable(3)),
    ("expire_clock", told.ExpireClock(3)),
    ("let_see", told.LetSee(3)),
]


@pytest.mark.parametrize(("kind", "given"), CASES, ids=[kind for kind, _ in CASES])
def test_a_ruling_comes_back_as_it_was(kind: str, given: Ruling) -> None:
    """Kind, role and values are all that an auditor needs (R-RULE-01)."""
    assert ruled_input(kind, given.role.value, ruling_values(given)) == given


def test_what_told_the_hand_nothing_comes_back_as_nothing() -> None:
    """``trust_reader`` is about a card alone."""
    assert ruling_values(None) == ()
    for kind in ("trust_reader", "stop_play", "play_on"):
        assert ruled_input(kind, "floor", ()) is None


@pytest.mark.parametrize(
    "given",
    [
        told.PrematureCards((DECK[0], DECK[1]), burned=False),
        told.KeepExtraAsBurn(DECK[0]),
        told.ScrapCard(Scrap.BOXED, DECK[0]),
    ],
)
def test_no_card_stands_among_the_values(given: Ruling) -> None:
    """R-RULE-06: of cards their number alone."""
    texts = {card.text for card in DECK}
    assert not {value for _, value in ruling_values(given)} & texts


@pytest.mark.parametrize(("kind", "values"), [("misdeal", ()), ("expose_hole", (("seat", "x"), ("number", "1"))), ("burned", ())])
def test_values_that_do_not_fit_are_no_ruling(kind: str, values: tuple[tuple[str, str], ...]) -> None:
    """A forged journal raises what the audit takes for a disagreement."""
    with pytest.raises((KeyError, ValueError)):
        ruled_input(kind, "floor", values)
