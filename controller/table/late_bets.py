"""The ruling on a bet that was made, and entered behind the cards that came after it."""

from __future__ import annotations

from dataclasses import dataclass

from controller.hand.commands import Role
from controller.hand.terms import Verb


@dataclass(frozen=True, slots=True)
class LateAction:
    """The actor had acted before cards of the next street came, and nobody entered it: while the controller was away, say. ``to``
    is its total on the street (R-ERR-01, R-RULE-01)."""

    seat: int
    verb: Verb
    to: int
    role: Role = Role.FLOOR
