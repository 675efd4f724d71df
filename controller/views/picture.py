"""What the views are made from: the table as plain values. Each view takes from it by an allow-list of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from controller.hand.places import Place
from controller.hand.stakes import Stakes
from controller.hand.state import HandState
from controller.hand.terms import Due


class SeatPicture(NamedTuple):
    """A seated player between hands. Hands up to ``after_hand`` were played before it sat down; ``sits_out`` from the next hand
    on, ``antes`` in it."""

    seat: int
    name: str
    stack: int
    after_hand: int = 0
    sits_out: bool = False
    antes: bool = True


class Picture(NamedTuple):
    """The table at journal number ``seq``. ``plan``: still to be drawn on this street; ``in_flight``: drawn, not dealt.
    ``in_shoe``: cards in the shoe by the draws that are durable."""

    seq: int
    table: str
    status: str
    game: str
    stakes: Stakes
    max_seats: int
    seats: tuple[SeatPicture, ...]
    hand: HandState | None
    hand_number: int
    decision: str | None
    plan: tuple[Due, ...]
    in_flight: tuple[Place, ...]
    folding: tuple[int, ...]
    """Seats that have thrown their hands in ahead of their turn (R-BET-14)."""
    around: int
    """Actions that were one word of the dealer's, and that one touch takes back."""
    moves: tuple[tuple[Place, Place | None], ...]
    """Cards that lie wrong: where each is, and where it belongs; ``None`` is the top of the stub (R-ERR-03, R-ERR-04)."""
    lifted: frozenset[int]
    """Seats whose up cards do not all lie on the felt (Q-86)."""
    in_shoe: int
    deck_ready: bool
    may_resume: bool
    devices: Mapping[str, str]
    by_hand: tuple[str, ...] = ()
    """What no device tells in the hand of now: ``shoe``, and places without a working reader."""
    verified: bool = True
    """Devices alone verified the hand; false when people did so in part (REG-47)."""
    past: tuple[str, ...] = ()
    """Devices that are set aside."""
    may_undo: bool = False
    """What was confirmed last may be taken back."""
    confirm: tuple[tuple[Place, bool], ...] = ()
    """Cards that a person confirms next, in order; whether the face is to be keyed."""
    paused: str = ""
    """Why no hand is started; empty while hands are."""
    closed: bool = False
    """The table closes after this hand."""
    clock: tuple[int, int] | None = None
    """The seat on the clock and all its seconds (R-ABS-04)."""
    last_two: bool = False
    asked: tuple[int, ...] = ()
    """Seats that ask for the floor."""
    """The players here are the last two of the event (R-BET-04)."""
    counts_deck: int = 0
    """Cards of the deck or stub that the dealer must count, where no shoe does; 0 when none."""
    shoe_locks: bool | None = None
    """Whether the shoe closes at an order; ``None`` without a shoe."""
    faults: tuple[tuple[str, str], ...] = ()
    """What is out of order: its code, and the device where there are several."""
    alarms: tuple[tuple[str, str, int, str], ...] = ()
    """The alarms that stand: name, code, since which record, and who has seen it (empty for nobody)."""
