"""A recorded hand as frozen values: what was posted, dealt, wagered, shown and paid.

Amounts are whole chips of the smallest unit. Cards are text (``Td``), ``??`` where the record does not know them.
Seats are 1 to 8, clockwise from the dealer's left. No ``repr`` tells a card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

UNKNOWN: Final = "??"
"""A card that the record does not know."""

Verb: TypeAlias = Literal["bring_in", "complete", "bet", "raise", "call"]


@dataclass(frozen=True, slots=True)
class RecordedStakes:
    """Ante, bring-in and the two bets, in chips; ``unit`` names the chip."""

    ante: int
    bring_in: int
    small_bet: int
    big_bet: int
    unit: str


@dataclass(frozen=True, slots=True)
class Anted:
    """``seat`` posted its ante of ``amount``."""

    seat: int
    amount: int
    all_in: bool


@dataclass(frozen=True, slots=True)
class Wagered:
    """``seat`` added ``amount`` chips and has now ``to`` in on the street; ``bring_in`` is the forced post of third street."""

    verb: Verb
    seat: int
    street: int
    amount: int
    to: int
    all_in: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """``seat`` checked."""

    seat: int
    street: int


@dataclass(frozen=True, slots=True)
class Folded:
    """``seat`` folded."""

    seat: int
    street: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards of ``seat`` on ``street``, three on third street; ``up`` says which of them lie face up."""

    seat: int
    street: int
    cards: tuple[str, ...] = field(repr=False)
    up: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class CommonDealt:
    """The common card of seventh street (R-STUB-02)."""

    street: int
    card: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Burned:
    """The burn before ``street``."""

    street: int
    card: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class StubReshuffled:
    """The burns went back into the stub, which holds ``stub`` cards then (R-STUB-02)."""

    street: int
    burns: tuple[str, ...] = field(repr=False)
    stub: int


@dataclass(frozen=True, slots=True)
class Returned:
    """An uncalled bet went back to ``seat`` (R-ALLIN-03)."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class Tabled:
    """``seat`` showed its cards."""

    seat: int
    cards: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Mucked:
    """``seat`` gave its cards up unseen at the showdown."""

    seat: int


@dataclass(frozen=True, slots=True)
class Collected:
    """``seat`` was paid ``amount``, from ``pot`` where the record names it."""

    seat: int
    amount: int
    pot: str | None


RecordedEvent: TypeAlias = (
    Anted | Wagered | Checked | Folded | Dealt | CommonDealt | Burned | StubReshuffled | Returned | Tabled | Mucked | Collected
)


@dataclass(frozen=True, slots=True)
class RecordedPot:
    """One pot of a generated hand: who could win it and who did; in razz ``high`` are the winners of the low pot."""

    amount: int
    eligible: tuple[int, ...]
    high: tuple[int, ...]
    low: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SequencedCard:
    """One card in the physical order of a generated hand and the position it is due at, in the felt's text form."""

    card: str = field(repr=False)
    position: str


@dataclass(frozen=True, slots=True)
class RecordedHand:
    """One hand as it was played. ``stacks`` are before the ante; ``collected`` is after rake; ``fill`` has every card of each
    seat, invented where the record knew none; ``deal_sequence`` is empty for real hands."""

    hand_id: str
    variant: str
    game_type: str
    site: str
    source: str
    date: str | None
    stakes: RecordedStakes
    stacks: Mapping[int, int]
    events: tuple[RecordedEvent, ...]
    community: str | None = field(repr=False)
    pot: int
    collected: Mapping[int, int]
    uncalled: Mapping[int, int]
    rake: int
    features: frozenset[str]
    house_rule_sensitive: frozenset[str]
    notes: tuple[str, ...]
    fill: Mapping[int, tuple[str, ...]] = field(repr=False)
    deal_sequence: tuple[SequencedCard, ...]
    pots: tuple[RecordedPot, ...]
    payoffs: Mapping[int, int]

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that posted an ante, ascending."""
        return tuple(sorted(self.stacks))

    @property
    def decisions(self) -> tuple[tuple[int, str, int | None], ...]:
        """What the players did, in order: seat, verb and, for a wager, the seat's total on the street."""
        return tuple(_decisions(self.events))

    @property
    def shown(self) -> frozenset[int]:
        """The seats that tabled their cards."""
        return frozenset(event.seat for event in self.events if isinstance(event, Tabled))


def _decisions(events: tuple[RecordedEvent, ...]) -> Iterator[tuple[int, str, int | None]]:
    for event in events:
        match event:
            case Wagered(verb, seat, _, _, to, _):
                yield seat, verb, to
            case Checked(seat, _):
                yield seat, "check", None
            case Folded(seat, _):
                yield seat, "fold", None
            case _:
                pass
