"""What happened at the table beside the hand itself: starts, evidence of devices, seats, commands. Journalled as hand events are.

Evidence names a place, never a card in clear: its ``card`` is sealed from the moment it is read (R-RULE-06).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from controller.hand.cards import Card
from controller.hand.events import HandEvent
from controller.hand.places import Place
from controller.table.access_events import AccessEvent
from controller.table.betting_events import BettingEvent
from controller.table.by_hand_events import ByHandEvent
from controller.table.carried_events import CommandAnswered, JournalContinued, TableConfigured
from controller.table.deck_events import DeckEvent
from controller.table.machine_events import MachineEvent
from controller.table.shoe_error_events import ShoeErrorEvent


@dataclass(frozen=True, slots=True)
class ControllerStarted:
    """A controller became the writer: nothing it knew of devices holds any more, an open hand is suspended."""

    program: str


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player sat down with chips (R-SETUP-05, R-SETUP-07)."""

    seat: int
    name: str
    chips: int


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player left with its chips."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class ChipsAdded:
    """A player bought chips between hands (R-SETUP-03)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class ShoeAdopted:
    """A shoe's start counter was taken over; ``counts_agree``: no card left it that the journal does not know of."""

    device: str
    serial: str
    boot: int
    accepted_seq: int
    load: int
    draw_no: int
    remaining: int
    counts_agree: bool


@dataclass(frozen=True, slots=True)
class DeckInShoe:
    """The shoe was loaded (TSP/1 LOAD)."""

    boot: int
    seq: int
    load: int
    cards: int
    set_id: str


@dataclass(frozen=True, slots=True)
class CardRead:
    """A card left the shoe, or went back into it (TSP/1 CARD). ``card`` is sealed. ``seq`` 0: the counts of a restarted shoe tell
    of it, and no event (TSP/1 REBOOTED)."""

    boot: int
    seq: int
    draw_no: int
    remaining: int
    mode: str
    kind: str
    """``card``, or why it is not known: ``unreadable``, ``foreign``, ``joker``."""
    card: Card | None


@dataclass(frozen=True, slots=True)
class ShoeNoted:
    """Another event of the shoe: cut card, lid, key, fault, gate."""

    boot: int
    seq: int
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class ShoeHalted:
    """The shoe broke its protocol: dealing stops until a ruling, or a start, has it adopted again."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class ShoeRenewed:
    """The session with the shoe is begun anew under a larger epoch, by a ruling after it stopped or because the ids of orders run
    out: orders count from 1 again, and the shoe must be found before it is believed (TSP/1 fencing)."""

    renewal: int


@dataclass(frozen=True, slots=True)
class GateOrdered:
    """The shoe's gate is wanted open or closed; ``order`` counts within an epoch and is carried out once."""

    order: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class DeviceLink:
    """The link of a device, or of one antenna of a line (``antenna`` above 0), changed its state."""

    device: str
    antenna: int
    state: str
    detail: str


@dataclass(frozen=True, slots=True)
class CardSeen:
    """A reader established that a card of the deck lies at ``place``. ``card`` is sealed."""

    place: Place
    card: Card | None


@dataclass(frozen=True, slots=True)
class CardLeft:
    """A reader established that a card no longer lies at ``place``. ``card`` is sealed."""

    place: Place
    card: Card | None


@dataclass(frozen=True, slots=True)
class StrangerSeen:
    """A tag that is no card of this deck lies at ``place``."""

    place: Place


@dataclass(frozen=True, slots=True)
class StrangerLeft:
    """A tag that is no card of this deck left ``place``."""

    place: Place


@dataclass(frozen=True, slots=True)
class CardUnexplained:
    """A card still lies at ``place`` though the shoe has not reported it in time. ``card`` is sealed."""

    place: Place
    card: Card | None


@dataclass(frozen=True, slots=True)
class CardReadTwice:
    """A card that lies at ``place`` is read at ``other`` too: it counts at ``place`` until one of the two loses it. ``card`` is
    sealed."""

    place: Place
    other: Place
    card: Card | None


@dataclass(frozen=True, slots=True)
class CardReadOnce:
    """One of the two places has lost the card; it lies where it is told next, or at ``place``. ``card`` is sealed."""

    place: Place
    other: Place
    card: Card | None


@dataclass(frozen=True, slots=True)
class CardUnseen:
    """No reader has seen the card of this draw in time; it is due at ``place``."""

    draw_no: int
    place: Place


@dataclass(frozen=True, slots=True)
class FeltReady:
    """After a start: the shoe is adopted, and every antenna has told what lies there."""


@dataclass(frozen=True, slots=True)
class Suspended:
    """The shoe closed its gate by itself: ``cause`` is ``restarted``, ``silence`` or ``order_failed``; or the journal's disk is
    stuck or full: ``disk``. No card is taken until a person confirms the picture (TSP/1 REBOOTED, gate; R-ERR-08).
    After ``paused`` nothing of this controller ran for more than two seconds: it begins anew with devices and felt."""

    cause: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """Play goes on; with a hand open a person has confirmed the picture."""


@dataclass(frozen=True, slots=True)
class DealKeyMade:
    """A new deal has its own key ``kid``; ``commitments`` are pairs of part and SHA-256 in hexadecimal (``STUD-KEY/1``)."""

    deal: int
    kid: str
    commitments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DealKeyDropped:
    """The dispute window of the deal is closed: its key is deleted, and the table can open its boxes no more (R-SHOW-10).

    ``shares``: name of an audit key and the share of the deal's key for it, two pairs; none where no audit keys are configured.
    """

    deal: int
    shares: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SeatKeyReleased:
    """The seat tabled its hand: its sub-key is public, so anybody can show that what was sealed is what was tabled."""

    deal: int
    seat: int
    key: str


@dataclass(frozen=True, slots=True)
class CardsCounted:
    """Custody when a hand is over: cards in the shoe, in flight and dealt. ``expected`` is 52."""

    shoe: int
    flight: int
    dealt: int
    expected: int


@dataclass(frozen=True, slots=True)
class CardIdentified:
    """A card that the shoe could not read was told by the reader at ``place``, or by a ruling (R-ERR-08). ``card`` is sealed."""

    draw_no: int
    place: Place
    card: Card | None


@dataclass(frozen=True, slots=True)
class PlayStopped:
    """Play is stopped for a floor call until ``PlayResumed``, or until the hand is over (R-RULE-01)."""


@dataclass(frozen=True, slots=True)
class PlayResumed:
    """The floor has decided: play goes on."""


@dataclass(frozen=True, slots=True)
class LastTwoSet:
    """From the next hand on the players here are the last two of the event, or no longer (R-BET-04, Q-40)."""

    on: bool


@dataclass(frozen=True, slots=True)
class SatOut:
    """A player takes no part from the next hand on; in a tournament its hand is dealt in as an absent player's (R-ABS-01)."""

    seat: int


@dataclass(frozen=True, slots=True)
class SatIn:
    """A player takes part again."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """A player moved to an empty seat between hands."""

    seat: int
    to: int


@dataclass(frozen=True, slots=True)
class ChipsPromised:
    """Chips bought during a hand, which play from the next one on (R-SETUP-03)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class TimeCollected:
    """The half hour's fee was taken from a seat (R-RAKE-02)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class TablePaused:
    """No hand is started until the table is reopened."""

    reason: str


@dataclass(frozen=True, slots=True)
class TableReopened:
    """Hands are started again."""


@dataclass(frozen=True, slots=True)
class TableLocked:
    """The installed files are no longer the release's: no hand is started until a controller has started anew (REG-22)."""


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is closed after this hand."""


@dataclass(frozen=True, slots=True)
class ClockStarted:
    """The actor has ``seconds`` left, its time bank included (R-ABS-04)."""

    seat: int
    seconds: int
    bank: int


@dataclass(frozen=True, slots=True)
class ClockStopped:
    """The clock stopped: the seat acted, or play stopped. ``bank`` is what is left of its time bank, in seconds."""

    seat: int
    bank: int


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruling was applied: which, by whom, why (R-RULE-01). Its effects are the events behind it.

    ``values`` are what it was about, pairs of name and value, so that its effects can be recomputed from the journal alone; no
    card is among them.
    """

    kind: str
    role: str
    by: str
    agreed_by: str
    reason: str
    values: tuple[tuple[str, str], ...] = ()


OwnEvent: TypeAlias = (
    ControllerStarted
    | TableConfigured
    | SeatTaken
    | SeatLeft
    | ChipsAdded
    | ShoeAdopted
    | DeckInShoe
    | CardRead
    | ShoeNoted
    | ShoeHalted
    | ShoeRenewed
    | ShoeErrorEvent
    | GateOrdered
    | DeviceLink
    | CardSeen
    | CardLeft
    | StrangerSeen
    | StrangerLeft
    | CardUnexplained
    | CardReadTwice
    | CardReadOnce
    | CardUnseen
    | FeltReady
    | Suspended
    | Resumed
    | DealKeyMade
    | DealKeyDropped
    | SeatKeyReleased
    | CardsCounted
    | CommandAnswered
    | CardIdentified
    | PlayStopped
    | PlayResumed
    | LastTwoSet
    | ByHandEvent
    | DeckEvent
    | MachineEvent
    | SatOut
    | SatIn
    | SeatChanged
    | ChipsPromised
    | TimeCollected
    | TablePaused
    | TableReopened
    | TableClosed
    | TableLocked
    | ClockStarted
    | ClockStopped
    | Ruled
    | AccessEvent
    | BettingEvent
    | JournalContinued
)
TableEvent: TypeAlias = OwnEvent | HandEvent
