"""What the table's inbox takes: commands of people, evidence of devices, timers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from controller.hand.cards import Card
from controller.hand.commands import Act, AwardPots, MuckHand, Refusal, Role, Ruling, TableHand, VoidHand
from controller.hand.irregular_events import Scrap
from controller.hand.places import Place
from controller.hand.stakes import Stakes
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.table.access_events import FloorAsked, FloorOrdered, SignEvent
from controller.table.late_bets import LateAction
from controller.table.machine_events import MachineEvent
from controller.table.parts import DeckTold
from controller.table.pause import ClockRanOut, WasPaused
from controller.table.wheel import ReturnWheel, TakeWheel
from drivers.ports import CardDrawn, CommandDone, DeckLoaded, GateChanged, LinkChanged, ShoeFound, ShoeNotice, ShoeStopped


@dataclass(frozen=True, slots=True)
class StartHand:
    """The dealer attests shuffle, cut and antes (R-DECK-02, R-ANTE-01); ``cut``: cards that it moved, if counted (R-DECK-03)."""

    cut: int | None = None


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


@dataclass(frozen=True, slots=True)
class SetStakes:
    """The next hand is played for other stakes (Q-04)."""

    stakes: Stakes


@dataclass(frozen=True, slots=True)
class SetLastTwo:
    """The floor says that the two players here are the last of the event, or takes it back (R-BET-04, Q-40)."""

    on: bool


@dataclass(frozen=True, slots=True)
class AnswerSeat:
    """Somebody has come to a seat that asked for the floor."""

    seat: int


@dataclass(frozen=True, slots=True)
class AcknowledgeAlarm:
    """Somebody has seen the alarm that stands since record ``raised_seq``; ``role`` as he signed in, empty where nobody does."""

    alarm: str
    raised_seq: int
    by: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class SitOut:
    """A player takes no part from the next hand on; in a tournament its hand is dealt in as an absent player's (R-ABS-01)."""

    seat: int


@dataclass(frozen=True, slots=True)
class SitIn:
    """A player takes part again."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChangeSeat:
    """A player moves to an empty seat."""

    seat: int
    to: int


@dataclass(frozen=True, slots=True)
class CollectTime:
    """The half hour's fee is taken from every seat (R-RAKE-02)."""


@dataclass(frozen=True, slots=True)
class PauseTable:
    """No hand is started."""

    reason: str


@dataclass(frozen=True, slots=True)
class LockTable:
    """The installed files are no longer the release's: no hand is started until a controller starts anew (REG-22)."""


@dataclass(frozen=True, slots=True)
class ReopenTable:
    """Hands are started again."""


@dataclass(frozen=True, slots=True)
class CloseTable:
    """The table closes after this hand."""


@dataclass(frozen=True, slots=True)
class ActAround:
    """All check, all call: each of ``seats`` in turn, everybody who is left to act (screens §3)."""

    verb: Verb
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CallClock:
    """A player or the floor calls the clock on the seat that is to act (R-ABS-04)."""

    seat: int


@dataclass(frozen=True, slots=True)
class TakeBackPremature:
    """The cards in flight were dealt too early; ``kept`` is the seat that looked at its seventh, or 0 (R-ERR-01, R-ERR-02)."""

    kept: int = 0
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class BurnExtra:
    """The card too many lies as the burn of fourth street (R-MIS-05)."""

    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class SetAside:
    """A card in flight is boxed, or a joker (R-MIS-06): the ``number``-th that is out, the oldest being 1; 0: the one that the
    readers tell."""

    scrap: Scrap
    role: Role = Role.DEALER
    number: int = 0


@dataclass(frozen=True, slots=True)
class StepPast:
    """Play goes on without a device that does not answer: the shoe, a line, or one antenna of it (REG-47)."""

    device: str
    antenna: int = 0
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class KeyCard:
    """The card due next lies at ``place``, face ``card``, though a working device does not tell it, or another one (R-ERR-08)."""

    place: Place
    card: Card | None = field(repr=False)
    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class UndoKeyed:
    """Two people take back what was confirmed or keyed last, also a face that cannot be (R-RULE-02, R-RULE-06)."""

    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class TrustReader:
    """Shoe and reader differ: the face shows that the reader is right (R-ERR-08, Q-98)."""

    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class TakeShoeAgain:
    """The shoe that stopped the deal was looked at: its session begins anew (TSP/1 'stop', R-ERR-08)."""

    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class ClearShoe:
    """What troubled the shoe is mended: the errors that it has latched are cleared (TSP/1 CLEAR, R-ERR-08)."""

    role: Role = Role.FLOOR


@dataclass(frozen=True, slots=True)
class StopPlay:
    """Dealer, player or floor stops play for a floor call: no action, no card, no clock (R-RULE-01)."""

    role: Role = Role.DEALER


@dataclass(frozen=True, slots=True)
class PlayOn:
    """The floor has decided: play goes on where it was stopped (R-RULE-01)."""

    role: Role = Role.FLOOR


TableRuling: TypeAlias = (
    Ruling
    | TakeBackPremature
    | LateAction
    | BurnExtra
    | SetAside
    | TrustReader
    | TakeShoeAgain
    | ClearShoe
    | StopPlay
    | PlayOn
    | StepPast
    | KeyCard
    | UndoKeyed
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A ruling: who, with whose consent, why (R-RULE-01). Its effect is recomputed, never typed in."""

    kind: str
    ruling: TableRuling
    by: str = ""
    agreed_by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LaidCard:
    """A card that a person saw laid at ``place``; ``card`` where its face is up and no device told it."""

    place: Place
    card: Card | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ConfirmCards:
    """The next cards lie where they are due, in their order: where no reader tells, or no shoe (REG-47)."""

    cards: tuple[LaidCard, ...]


@dataclass(frozen=True, slots=True)
class UndoConfirmation:
    """What was confirmed or keyed last was entered wrongly (R-RULE-02)."""


@dataclass(frozen=True, slots=True)
class CountDeck:
    """Where no shoe counts: the deck, or the stub in a hand, is counted (R-DECK-01)."""

    cards: int


Order: TypeAlias = (
    StartHand
    | Resume
    | SeatPlayer
    | LeaveSeat
    | AddChips
    | SetGame
    | SetStakes
    | SetLastTwo
    | AnswerSeat
    | AcknowledgeAlarm
    | SitOut
    | SitIn
    | ChangeSeat
    | CollectTime
    | PauseTable
    | LockTable
    | ReopenTable
    | CloseTable
    | TakeWheel
    | ReturnWheel
    | ActAround
    | CallClock
    | ConfirmCards
    | UndoConfirmation
    | CountDeck
    | Rule
    | Act
    | TableHand
    | MuckHand
    | AwardPots
    | VoidHand
)


@dataclass(frozen=True, slots=True)
class Command:
    """An order, once for its ``key``, for ``decision`` on the record ``seen``, until ``until``; ``digest`` is of its content.
    From ``console``, by ``person`` and ``agreed_by``, or ``denied`` to them; or from the ``floor``, which drives nothing and
    needs no wheel. When taken it was ``late``."""

    key: str
    digest: str
    kind: str
    order: Order
    decision: str | None = None
    seen: int | None = None
    until: datetime | None = None
    console: str = ""
    person: str = ""
    agreed_by: str = ""
    denied: Refusal | None = None
    late: bool = False
    floor: FloorOrdered | None = None


@dataclass(frozen=True, slots=True)
class SeenAt:
    """Presence: a card of the deck, or a stranger (``None``), lies at ``place``. ``rests``: it has lain there for a while; before
    that it may only be carried past, so that it is taken where it belongs and causes no alarm elsewhere."""

    place: Place
    card: Card | None = field(repr=False)
    rests: bool = True


@dataclass(frozen=True, slots=True)
class LeftFrom:
    """Presence: a card of the deck, or a stranger (``None``), left ``place``."""

    place: Place
    card: Card | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReadTwice:
    """Presence: a card that lies at ``place`` is read at ``other`` too, for longer than a card needs to pass."""

    place: Place
    other: Place
    card: Card = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReadOnce:
    """Presence: one of the two places has lost the card."""

    place: Place
    other: Place
    card: Card = field(repr=False)


@dataclass(frozen=True, slots=True)
class FeltIsReady:
    """Shoe and antennas have told all they know after a start."""


@dataclass(frozen=True, slots=True)
class UnexplainedTimeout:
    """The time for the shoe to explain a seen card is over."""

    card: Card = field(repr=False)


@dataclass(frozen=True, slots=True)
class UnseenTimeout:
    """The time for a reader to see a drawn card is over."""

    draw_no: int


@dataclass(frozen=True, slots=True)
class MuckedTimeout:
    """The time for a live hand to reach the muck whole, or to be put back, is over."""

    seat: int


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
    | ReadTwice
    | ReadOnce
    | FeltIsReady
    | WasPaused
    | UnexplainedTimeout
    | UnseenTimeout
    | MuckedTimeout
    | ClockRanOut
    | DeckTold
    | MachineEvent
    | SignEvent
    | FloorAsked
)
TableInput: TypeAlias = Command | Evidence
