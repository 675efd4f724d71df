"""The deck as the table plays with it: which one, checked by whom, in quarantine or not (R-DECK-01, REG-41)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class DeckIntroduced:
    """The configuration gives the table this deck, or another enrolment of it: it is to be checked before the next hand.

    ``enrolment`` names which tags are in which cards, and tells none of them. ``needs_check``: the house demands a recorded
    check.
    """

    deck: str
    set_id: str
    enrolment: str
    needs_check: bool


@dataclass(frozen=True, slots=True)
class DeckChecked:
    """A check by identity found all 52 cards and no other: when, by whom, verified by whom, at which reader (REG-41).

    It holds until the deck is changed.
    """

    checked_at: str
    by: str
    agreed_by: str
    machine: str


@dataclass(frozen=True, slots=True)
class DeckBarred:
    """The deck, or a card of it, is in quarantine: an open hand is played to its end, and no other is started."""

    by: str
    since: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeckAdmitted:
    """The quarantine is over. The deck is to be checked before the next hand."""


DeckEvent: TypeAlias = DeckIntroduced | DeckChecked | DeckBarred | DeckAdmitted
