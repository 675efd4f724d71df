"""The one next step of a hand: what must happen for it to go on, and who does it. From any state there is one (rules §26)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from controller.hand.dealing import scrambled_count
from controller.hand.showdown import to_show
from controller.hand.state import HandState, Hold, Phase
from controller.hand.terms import Due


class AnteDue(NamedTuple):
    """These seats post their antes."""

    seats: tuple[int, ...]


class CardDue(NamedTuple):
    """These cards are dealt, in this order."""

    due: tuple[Due, ...]


class LoadDue(NamedTuple):
    """The shoe is loaded with ``cards`` cards: the scrambled stub, the returned stub, or the deck of a redeal."""

    cards: int


class ActionDue(NamedTuple):
    """This seat acts; ``legal_actions`` says how."""

    seat: int


class TableDue(NamedTuple):
    """These seats table their hands, or muck where they may; in the order of showing."""

    seats: tuple[int, ...]


class AwardDue(NamedTuple):
    """The dealer confirms the proposed awards."""


class Held(NamedTuple):
    """Play is stopped: the felt is put right, or a ruling is given."""

    hold: Hold


class Over(NamedTuple):
    """Nothing more happens in this hand."""


Step: TypeAlias = AnteDue | CardDue | LoadDue | ActionDue | TableDue | AwardDue | Held | Over


def next_step(state: HandState) -> Step:
    """What the hand waits for."""
    if state.over:
        return Over()
    if state.reload_due:
        return LoadDue(state.reload_due)
    if state.hold is not None:
        return Held(state.hold)
    match state.phase:
        case Phase.ANTES | Phase.REDEAL:
            return AnteDue(tuple(entry.seat for entry in state.seats if not entry.ante_posted))
        case Phase.DEALING if state.dealt < len(state.due):
            return CardDue(state.due[state.dealt :])
        case Phase.DEALING:
            seats = {entry.seat for entry in state.seats if entry.live and entry.tabled is None}
            return TableDue(tuple(seat for seat in state.show_order if seat in seats))
        case Phase.SCRAMBLE:
            return LoadDue(scrambled_count(state))
        case Phase.BETTING:
            return ActionDue(state.round.actor)
        case Phase.SHOWDOWN:
            return TableDue(waiting) if (waiting := to_show(state)) else AwardDue()
        case Phase.ENDED | Phase.VOIDED:
            return Over()
