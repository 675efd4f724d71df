"""What the hand is told: requests of people, which may be refused, and observations of the felt, which may not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from controller.hand.cards import Card
from controller.hand.events import Verb
from controller.hand.places import Place


@dataclass(frozen=True, slots=True)
class PostAnte:
    """The seat posts its ante, all-in for less when it has less (R-ANTE-01, R-ANTE-02)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Act:
    """The seat acts: ``to`` is its total on the street afterwards; fold and check leave it as it is."""

    seat: int
    verb: Verb
    to: int


@dataclass(frozen=True, slots=True)
class TableHand:
    """The seat shows all its cards (R-SHOW-04)."""

    seat: int


@dataclass(frozen=True, slots=True)
class MuckHand:
    """The seat concedes unseen (R-SHOW-04)."""

    seat: int


@dataclass(frozen=True, slots=True)
class AwardPots:
    """The dealer confirms the proposed awards (R-SHOW-05)."""


@dataclass(frozen=True, slots=True)
class VoidHand:
    """Everything goes back (R-RULE-03); ``reason`` is the floor's."""

    reason: str


@dataclass(frozen=True, slots=True)
class CardLaid:
    """Observation: shoe and reader agree that ``card`` lies at ``place``."""

    place: Place
    card: Card | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class StubReloaded:
    """Observation: the scrambled stub of ``cards`` cards is in the shoe (R-STUB-02)."""

    cards: int


@dataclass(frozen=True, slots=True)
class FeltWrong:
    """Observation: the felt disagrees with the rules; ``code`` and ``place`` say how (R-ERR-08)."""

    code: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class FeltRight:
    """Observation: what ``FeltWrong`` reported is mended."""


Request: TypeAlias = PostAnte | Act | TableHand | MuckHand | AwardPots | VoidHand
Observation: TypeAlias = CardLaid | StubReloaded | FeltWrong | FeltRight
HandInput: TypeAlias = Request | Observation


class Refusal(NamedTuple):
    """A request that the rules do not allow: ``rule`` is the id, ``code`` the key of its sentence, ``values`` fill it."""

    rule: str
    code: str
    values: tuple[tuple[str, int | str], ...] = ()
