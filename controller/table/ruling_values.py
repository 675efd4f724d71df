"""A ruling as pairs of name and value in the journal, and back: what an auditor recomputes its effects from. Never a card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from controller.hand import commands as told
from controller.hand.cards import Card
from controller.hand.commands import HandInput, Role, Ruling
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.terms import Verb
from controller.table.inputs import KeyCard, StepPast
from controller.table.late_bets import LateAction

Values: TypeAlias = tuple[tuple[str, str], ...]


def ruling_values(given: HandInput | None) -> Values:
    """What ``given`` is about beside its kind and role; of cards their number alone."""
    match given:
        case told.DeclareMisdeal(cause=cause):
            return (("cause", cause.value),)
        case told.ExposeHole() | told.ChooseDoor() | told.ReplaceBoxed():
            return (("seat", str(given.seat)), ("number", str(given.number)))
        case told.KillHands(seats=seats, cause=cause):
            return (("seats", " ".join(map(str, seats))), ("cause", cause.value))
        case told.PrematureCards(cards=cards, burned=burned, kept=kept):
            return (("cards", str(len(cards))), ("burned", str(int(burned))), ("kept", str(kept)))
        case told.ScrapCard(scrap=scrap, counted=counted, behind=behind):
            return (("scrap", scrap.value), ("counted", str(int(counted))), ("behind", str(behind)))
        case told.NoteOutOfTurn(seat=seat, verb=verb, to=to):
            return (("seat", str(seat)), ("verb", verb.value), ("to", str(to)))
        case told.PutChips(seat=seat, chips=chips, pieces=pieces):
            return (("seat", str(seat)), ("chips", str(chips)), ("pieces", str(pieces)))
        case told.UndoAction(count=count) if count > 1:
            return (("count", str(count)),)
        case _ if seat := getattr(given, "seat", 0):
            return (("seat", str(seat)),)
        case _:
            return ()


def table_values(given: StepPast | KeyCard | LateAction) -> Values:
    """What a ruling names that tells the hand nothing by itself: a device, where a card lies that it does not tell, or a bet."""
    match given:
        case KeyCard(place=place):
            return (("place", str(place)),)
        case StepPast(device=device, antenna=antenna):
            return (("device", device), ("antenna", str(antenna)))
        case LateAction(seat=seat, verb=verb, to=to):
            return (("seat", str(seat)), ("verb", verb.value), ("to", str(to)))


_Make: TypeAlias = Callable[[Mapping[str, str], Role, Card | None], Ruling]

_OF_SEAT: Final[dict[str, Callable[[int, Role], Ruling]]] = {
    "expose_seventh": told.ExposeSeventh,
    "declare_all_in": told.DeclareAllIn,
    "retrieve_hand": told.RetrieveHand,
    "opened_by": told.OpenedBy,
    "leave_table": told.LeaveTable,
    "return_to_table": told.ReturnToTable,
    "expire_clock": told.ExpireClock,
    "let_see": told.LetSee,
}
_PLAIN: Final[dict[str, Callable[[Role], Ruling]]] = {
    "redo_seventh": told.RedoSeventh,
    "drop_stub": told.DropStub,
    "undo_award": told.UndoAward,
}
_OTHER: Final[dict[str, _Make]] = {
    "misdeal": lambda at, role, _: told.DeclareMisdeal(MisdealCause(at["cause"]), role),
    "expose_hole": lambda at, role, _: told.ExposeHole(int(at["seat"]), int(at["number"]), role),
    "choose_door": lambda at, role, _: told.ChooseDoor(int(at["seat"]), int(at["number"]), role),
    "replace_boxed": lambda at, role, _: told.ReplaceBoxed(int(at["seat"]), int(at["number"]), role),
    "kill_hands": lambda at, role, _: told.KillHands(tuple(map(int, at["seats"].split())), DeadCause(at["cause"]), role),
    "premature": lambda at, role, _: told.PrematureCards((None,) * int(at["cards"]), at["burned"] == "1", int(at["kept"]), role),
    "burn_extra": lambda _, role, card: told.KeepExtraAsBurn(card, role),
    "set_aside": lambda at, role, card: told.ScrapCard(
        Scrap(at["scrap"]), card, role, counted=at["counted"] == "1", behind=int(at.get("behind", "0"))
    ),
    "undo_action": lambda at, role, _: told.UndoAction(role, int(at.get("count", "1"))),
    "out_of_turn": lambda at, role, _: told.NoteOutOfTurn(int(at["seat"]), Verb(at["verb"]), int(at["to"]), role),
    "put_chips": lambda at, role, _: told.PutChips(int(at["seat"]), int(at["chips"]), int(at["pieces"]), role),
}


_TELLS_NOTHING: Final = (
    "late_action",
    "trust_reader",
    "stop_play",
    "play_on",
    "step_past",
    "key_card",
    "undo_keyed",
    "take_shoe_again",
    "clear_shoe",
)
"""Kinds that are about cards, devices or the table alone, or whose action follows by itself."""


def ruled_input(kind: str, role: str, values: Values, card: Card | None = None) -> Ruling | None:
    """The ruling that the journal tells of; ``card`` is the one that it showed. ``None`` for one that told the hand nothing.

    ``KeyError`` or ``ValueError`` when kind and values do not fit.
    """
    at, who = dict(values), Role(role)
    if kind in _OF_SEAT:
        return _OF_SEAT[kind](int(at["seat"]), who)
    if kind in _PLAIN:
        return _PLAIN[kind](who)
    if kind in _TELLS_NOTHING:
        return None
    return _OTHER[kind](at, who, card)
