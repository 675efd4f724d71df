"""What the table's inbox takes: commands of people, evidence of devices, timers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from controller.hand.cards import Card
from controller.hand.commands import Act, AwardPots, MuckHand, Refusal, TableHand, VoidHand
from controller.hand.places import Place
from controller.hand.variants import VariantCode
from drivers.ports import CardDrawn, CommandDone, DeckLoaded, GateChanged, LinkChanged, ShoeFound, ShoeNotice, ShoeStopped


@dataclass(frozen=True, slots=True)
class StartHand:
    """The dealer attests shuffle, cut and antes (R-DECK-02, R-DECK-03, R-ANTE-01)."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The dealer confirms the picture after a restart."""


@dataclass(frozen=True, slots=True)
class SeatPlayer:
    """A player sits down with chips."""

    seat: int
    name: str
    chips: int


@dataclass(frozen=True, slots=True)
class LeaveSeat:
    """A player leaves with its chips."""

    seat: int


@dataclass(frozen=True, slots=True)
class AddChips:
    """A player buys chips."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class SetGame:
    """The next hand is another game (Q-90)."""

    variant: VariantCode


Order: TypeAlias = (
    StartHand | Resume | SeatPlayer | LeaveSeat | AddChips | SetGame | Act | TableHand | MuckHand | AwardPots | VoidHand
)


@dataclass(frozen=True, slots=True)
class Command:
    """An order of a person. ``key`` makes it happen once; ``digest`` is of its content; ``decision`` is what it answers."""

    key: str
    digest: str
    kind: str
    order: Order
    decision: str | None = None


@dataclass(frozen=True, slots=True)
class SeenAt:
    """Presence: a card of the deck, or a stranger (``None``), lies at ``place``."""

    place: Place
    card: Card | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class LeftFrom:
    """Presence: a card of the deck, or a stranger (``None``), left ``place``."""

    place: Place
    card: Card | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class FeltIsReady:
    """Shoe and antennas have told all they know after a start."""


@dataclass(frozen=True, slots=True)
class UnexplainedTimeout:
    """The time for the shoe to explain a seen card is over."""

    card: Card = field(repr=False)


Evidence: TypeAlias = (
    ShoeFound
    | DeckLoaded
    | CardDrawn
    | GateChanged
    | ShoeNotice
    | ShoeStopped
    | CommandDone
    | LinkChanged
    | SeenAt
    | LeftFrom
    | FeltIsReady
    | UnexplainedTimeout
)
TableInput: TypeAlias = Command | Evidence
Answer: TypeAlias = Refusal | None
