"""What happened at the table where people stand in for a device: by whose leave, what they confirmed, how the hand is marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from controller.hand.cards import Card
from controller.hand.places import Place


@dataclass(frozen=True, slots=True)
class TableEquipped:
    """Which devices the configuration gives the table: the ``shoe``, empty without one, and its ``antennas`` as place, line and
    bus address. What none of them tells, a person confirms (REG-47). ``counts``: the shoe tells its load; ``locks``: it closes at
    an order."""

    shoe: str
    antennas: tuple[tuple[str, str, int], ...]
    counts: bool = True
    locks: bool = True


@dataclass(frozen=True, slots=True)
class DeviceSetAside:
    """Two people let play go on without a device that does not answer: the shoe, a line (``antenna`` 0) or one antenna of it."""

    device: str
    antenna: int


@dataclass(frozen=True, slots=True)
class DeviceBack:
    """A device that was set aside tells again, from this deal on."""

    device: str
    antenna: int


@dataclass(frozen=True, slots=True)
class DeckCounted:
    """The dealer counted the deck, or the stub in a hand: without a shoe, to deal from it by hand, or with one that does not tell
    its load (R-DECK-01)."""

    cards: int


@dataclass(frozen=True, slots=True)
class CardConfirmed:
    """The card due next lies at ``place`` although shoe and reader do not both tell (R-ERR-08, REG-47). ``basis`` is who did:
    ``hand`` the dealer, ``floor`` two people against a working device, ``reader`` a reader where there is no shoe.
    ``card`` is sealed; it is missing where nobody looked at the face."""

    draw_no: int
    place: Place
    basis: str
    card: Card | None


@dataclass(frozen=True, slots=True)
class HandKeyed:
    """Cards of ``seat`` that nobody had read were keyed as they lay open; ``HandTabled``, or ``HoleExposed``, behind it tells
    them (R-SHOW-04, R-EXP-01)."""

    seat: int


@dataclass(frozen=True, slots=True)
class ConfirmationUndone:
    """The card confirmed last, or the hand whose cards were keyed last, was entered wrongly: it is not dealt, not tabled."""

    place: Place


@dataclass(frozen=True, slots=True)
class ManuallyVerified:
    """The open hand is verified by people in part: ``without`` names what does not tell (``shoe``, places without a working
    reader), ``keyed`` says that cards were keyed."""

    without: tuple[str, ...]
    keyed: bool


ByHandEvent: TypeAlias = (
    TableEquipped | DeviceSetAside | DeviceBack | DeckCounted | CardConfirmed | HandKeyed | ConfirmationUndone | ManuallyVerified
)
