"""Parts of the table's state that its journal carries from file to file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from controller.hand.places import Place


class TableSeat(NamedTuple):
    """A seated player; ``stack`` is what lies there between hands, ``after_hand`` the last hand before it sat down."""

    seat: int
    name: str
    stack: int
    after_hand: int = 0
    out: bool = False
    promised: int = 0
    """Chips bought during the hand, which play from the next one on (R-SETUP-03)."""
    bank_s: int = 0
    """Seconds left of the player's time bank."""


class ShoeKnown(NamedTuple):
    """What the journal knows of the shoe: durable events of ``boot`` up to ``accepted_seq``, its load and draws."""

    boot: int = 0
    accepted_seq: int = 0
    load: int = 0
    draw_no: int = 0
    adopted: bool = False
    halted: bool = False
    restarted: bool = False
    holders: str = "H"
    fault: str = ""
    """Code of what it did when it was ``halted``."""
    renewals: int = 0
    """Times that its session was begun anew within the starts of controllers: added to their epoch it is the shoe's."""


class ShoeClear(NamedTuple):
    """An order to clear a latched error, until the shoe tells that the error is gone: ``failed`` when it was not carried out."""

    order: int
    code: str
    failed: bool = False


class Bar(NamedTuple):
    """Why a deck is in quarantine: who said so, since when, for what reason."""

    by: str
    since: str
    reason: str


class DeckInPlay(NamedTuple):
    """The table's deck. ``since``: the first hand that it plays; ``checked``: when the check was made that it is played on, empty
    when it is to be checked; ``loaded``: what the shoe said at its last load."""

    deck: str
    set_id: str
    enrolment: str
    since: int
    needs_check: bool
    checked: str = ""
    bar: Bar | None = None
    loaded: str = ""


class Equipment(NamedTuple):
    """The devices that the configuration gives: the shoe's name, each antenna's place, line and address, and what the shoe's
    driver can do: ``counts`` the load, ``locks`` its gate."""

    shoe: str
    antennas: tuple[tuple[Place, str, int], ...]
    counts: bool = True
    locks: bool = True


class Driver(NamedTuple):
    """A console that drives the table: its own word for itself, what people read, and the person at it (empty where nobody signs
    in)."""

    console: str
    name: str
    person: str = ""


class Raised(NamedTuple):
    """An alarm that stands: its name, why, and the record after which it stood first. ``by`` has acknowledged it, as ``role``;
    empty while nobody has."""

    alarm: str
    code: str
    raised_seq: int
    by: str = ""
    role: str = ""


class Gate(NamedTuple):
    """The last gate order of this epoch."""

    order: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class CheckTold:
    """A recorded check that found the deck whole; ``used`` when a table has played on it."""

    at: str
    by: str
    agreed_by: str
    machine: str
    enrolment: str
    used: bool


@dataclass(frozen=True, slots=True)
class DeckTold:
    """What is known of the table's deck outside: which it is, its last check, and why it is in quarantine."""

    deck: str
    set_id: str
    enrolment: str
    needs_check: bool
    passed: CheckTold | None
    bar: Bar | None
