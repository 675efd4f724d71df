"""The table between and during hands, as one value made from its journal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from controller.hand.places import Place, SeatPlace, Spot, Zone, covers
from controller.hand.rules import HouseRules
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, Phase
from controller.hand.terms import Due
from controller.hand.variants import VariantCode
from controller.table.carried_events import CommandAnswered
from controller.table.machine_events import ClockNoted, ClockTrust, DiskNoted, DiskPace, DiskRoom
from controller.table.parts import DeckInPlay, Driver, Equipment, Gate, Raised, ShoeClear, ShoeKnown, TableSeat
from controller.tracking.custody import DECK_SIZE, Custody
from controller.words.rule_card import rules_hash


class ChipsDisagree(Exception):  # noqa: N818
    """A decision would have lost or doubled chips, which is a fault of this program: nothing of it was written (R-POT-11)."""


class TableStatus(Enum):
    """Whether hands are played: ``recovering`` until shoe and felt are known again and a person confirmed an open hand;
    ``suspended`` when the shoe fell out in a hand, until a person confirms it."""

    RECOVERING = "recovering"
    SUSPENDED = "suspended"
    LIVE = "live"


class Clock(NamedTuple):
    """A running clock: the seat, its seconds, and how many of them are its time bank's."""

    seat: int
    seconds: int
    bank: int


class Game(NamedTuple):
    """What the next hand is played by."""

    variant: VariantCode
    stakes: Stakes
    rules: HouseRules
    set_id: str


class Keyed(NamedTuple):
    """What a person confirmed and may still take back: where, hand and custody before it, and whether a face was looked at."""

    place: Place
    hand: HandState
    custody: Custody
    face: bool = False


class Around(NamedTuple):
    """The dealer's last word for everybody: the actions that it entered, folds among them, and how many are still to come; 0 when
    another action came after it."""

    acts: int = 0
    left: int = 0


MAX_ANSWERS = 10_000
"""Answers kept for repeated commands; the oldest go first."""


class TableState(NamedTuple):
    """The table, whole. ``game`` is the next hand's, ``configured`` the configuration's. ``answers`` holds what became of
    commands by key, oldest first."""

    game: Game | None = None
    configured: Game | None = None
    status: TableStatus = TableStatus.RECOVERING
    starts: int = 0
    felt_ready: bool = False
    seats: tuple[TableSeat, ...] = ()
    hand: HandState | None = None
    hand_number: int = 0
    deal: int = 0
    sealed_count: int = 0
    custody: Custody = Custody()
    shoe: ShoeKnown = ShoeKnown()
    gate: Gate = Gate()
    shoe_errors: tuple[str, ...] = ()
    """Errors that the shoe has latched: it keeps its gate closed until they are cleared."""
    shoe_clears: tuple[ShoeClear, ...] = ()
    """The last order to clear each of them."""
    links: Mapping[tuple[str, int], str] = {}
    answers: Mapping[str, tuple[CommandAnswered, int]] = {}
    bought_in: int = 0
    cashed_out: int = 0
    raked: int = 0
    paused: str = ""
    closed: bool = False
    locked: bool = False
    """The program is no longer the release's: only a new start, which checks it, ends that (REG-22)."""
    clock: Clock | None = None
    stopped: bool = False
    """Play is stopped for a floor call (R-RULE-01)."""
    asked: tuple[int, ...] = ()
    """Seats that ask for the floor, in the order in which they did."""
    last_two: bool = False
    """The floor's flag: the players here are the last two of the event (R-BET-04)."""
    equipment: Equipment | None = None
    """``None`` before it is told: a shoe and a reader everywhere."""
    deck: DeckInPlay | None = None
    """``None`` where nobody tells of decks: nothing is demanded of them."""
    wheel: tuple[Driver, ...] = ()
    """The console that drives, and behind it the one before; empty while none has taken over since the start."""
    let_go: str = ""
    """Who deals the open hand while nobody drives, after a start or when the wheel was let go."""
    past: tuple[tuple[str, int], ...] = ()
    """Devices that are set aside, as name and antenna (0 for all of it)."""
    keyed: tuple[Keyed, ...] = ()
    faces_back: int = 0
    """Faces that were taken back in the hand of now."""
    by_hand: tuple[str, ...] = ()
    """What does not tell in the hand of now, or did not for a time."""
    cards_keyed: bool = False
    mucked: frozenset[int] = frozenset()
    """Seats of whose live hands some cards, and not all, have lain in the muck for too long."""
    revived: frozenset[int] = frozenset()
    """Seats that play again though their cards lie in the muck: no fold before they are back (R-RULE-02, R-ERR-07)."""
    around: Around = Around()
    disk: DiskNoted = DiskNoted(DiskPace.FAST, DiskRoom.ENOUGH)
    """The disk under the journal, as noted last."""
    wall_clock: ClockNoted = ClockNoted(ClockTrust.UNKNOWN)
    """Whether the times of records are sure, as noted last: nothing is decided by it."""
    alarms: tuple[Raised, ...] = ()
    """The alarms that stand, with who has seen them; over a start also those that devices have not told of again (REG-13)."""
    hand_deal: int = 0
    """The deal under whose key the hand's cards are sealed."""
    seq: int = 0

    @property
    def hand_open(self) -> bool:
        """A hand is being played."""
        return self.hand is not None and not self.hand.over

    @property
    def in_deal(self) -> bool:
        """Cards of the open hand are sealed under a deal's key: no new deal is called for."""
        return self.hand is not None and not self.hand.over and self.hand.phase is not Phase.REDEAL

    @property
    def deals_kept(self) -> range:
        """Deals whose keys are kept: that of the hand or its dispute window, and those made in the place of a lost one."""
        return range(min(self.hand_deal or self.deal, self.deal), self.deal + 1) if self.deal else range(0)

    @property
    def shoe_tells(self) -> bool:
        """There is a shoe, and it is not set aside: cards come out of it and nowhere else."""
        if self.equipment is None:
            return True
        return bool(self.equipment.shoe) and (self.equipment.shoe, 0) not in self.past

    @property
    def shoe_counts(self) -> bool:
        """The shoe tells that it was loaded, and how many cards are in it; else the dealer counts them."""
        return self.shoe_tells and (self.equipment is None or self.equipment.counts)

    @property
    def shoe_locks(self) -> bool:
        """The shoe closes its gate at an order; else nothing holds back a card that is not due."""
        return self.shoe_tells and (self.equipment is None or self.equipment.locks)

    @property
    def dark(self) -> frozenset[Place]:
        """Where cards are dealt and no working reader tells of them."""
        return frozenset() if self.equipment is None else _dark(self.equipment.antennas, self.past)

    def dealer_tells(self, place: Place) -> bool:
        """Whether the dealer alone confirms a card at ``place``: no working reader tells of it; or there is no shoe, and what the
        reader tells may be a card of that place which nobody had read before."""
        return place in self.dark or (not self.shoe_tells and self.custody.unknown.get(place, 0) > 0)

    @property
    def seen(self) -> Custody:
        """Custody as the working readers tell it: what one saw that is set aside counts no more."""
        if not self.past or self.equipment is None:
            return self.custody
        gone = {place for place, line, address in self.equipment.antennas if _is_past(line, address, self.past)}
        held = self.custody
        second = held.elsewhere  # of a card that two read, one of which sticks and is set aside, the other one tells
        told = ((card, second.get(card, place) if place in gone else place) for card, place in held.lying.items())
        lying = {card: place for card, place in told if place not in gone}
        strangers = {place: count for place, count in held.strangers.items() if place not in gone}
        elsewhere = {card: place for card, place in second.items() if place not in gone and lying.get(card, place) != place}
        dark = self.dark
        in_dark = {flight.draw_no for flight in held.flights if flight.due is not None and flight.due.place in dark}
        return held._replace(
            lying=lying,
            strangers=strangers,
            elsewhere=elsewhere,
            unexplained=held.unexplained & lying.keys(),
            unseen=held.unseen - in_dark,
        )

    @property
    def chips_on_table(self) -> int:
        """All chips of seats and pots; equals bought in less cashed out less rake at any time (R-POT-11)."""
        stacks = sum(seat.stack + seat.promised for seat in self.seats)
        if self.hand is None or self.hand.over:
            return stacks
        sat_since = {seat.seat for seat in self.seats if seat.after_hand >= self.hand.setup.number}
        in_hand = {entry.seat for entry in self.hand.seats} - sat_since
        unit = self.hand.setup.stakes.unit  # what is less than a chip of the game lies there and does not play (R-SETUP-06)
        outside = sum(seat.promised + (seat.stack % unit if seat.seat in in_hand else seat.stack) for seat in self.seats)
        return outside + self.hand.chips_in_play

    @property
    def chips_conserved(self) -> bool:
        """No chip is lost or doubled (R-POT-11)."""
        raked = self.raked
        return self.chips_on_table == self.bought_in - self.cashed_out - raked

    @property
    def cards_conserved(self) -> bool:
        """Each of the 52 cards of the load is in the shoe, in flight or dealt."""
        return not self.custody.loaded or self.custody.accounted == DECK_SIZE

    def require_chips(self) -> None:
        """``ChipsDisagree`` when a chip was lost or doubled: no such state may be made durable (R-POT-11).

        A missing card is an observation, which stops play and never the program (R-ERR-08); a chip moves by our word alone.
        """
        if not self.chips_conserved:
            came = self.bought_in - self.cashed_out - self.raked
            raise ChipsDisagree(
                f"seats and pots would hold {self.chips_on_table} chips where {came} were bought in and stayed (R-POT-11): "
                "nothing of it was written; start the table anew, and report this with its journal"
            )

    def setup(self) -> HandSetup:
        """What the next hand freezes (Q-04). Only with a game configured."""
        if self.game is None:
            raise ValueError("no game is configured")
        game = self.game
        posted = rules_hash(game.rules, game.stakes, game.variant)
        return HandSetup(self.hand_number + 1, game.variant, game.stakes, game.rules, self.last_two, posted)


_FIELDS: Final = {name: index for index, name in enumerate(TableState._fields)}


def changed(state: TableState, **fields: object) -> TableState:
    """``state._replace`` in half the time, for what happens with each card; it trusts the names and types of ``fields``."""
    values: list[object] = list(state)
    for name, value in fields.items():
        values[_FIELDS[name]] = value
    return tuple.__new__(TableState, values)


DEALT_TO: Final[tuple[Place, ...]] = (
    *(SeatPlace(seat, zone) for seat in range(1, 9) for zone in (Zone.DOWN, Zone.UP)),
    *Spot,
)
"""Every place that a card can be due at."""


def _is_past(line: str, address: int, past: tuple[tuple[str, int], ...]) -> bool:
    return (line, 0) in past or (line, address) in past


@lru_cache(maxsize=64)
def _dark(antennas: tuple[tuple[Place, str, int], ...], past: tuple[tuple[str, int], ...]) -> frozenset[Place]:
    lit = [place for place, line, address in antennas if not _is_past(line, address, past)]
    return frozenset(due for due in DEALT_TO if not any(covers(place, due) for place in lit))


def draws_due(state: TableState) -> int:
    """Cards that may leave the shoe now: due on this street and not drawn yet (R-DEAL-04)."""
    hand = state.hand
    if hand is None or hand.phase is not Phase.DEALING or hand.hold is not None:
        return 0
    return max(0, len(hand.due) - hand.dealt - len(state.custody.flights))


def next_due(state: TableState) -> Due | None:
    """What the next card out of the shoe, or off the stub, is for; ``None`` when no card is due (R-ERR-01)."""
    hand = state.hand
    if hand is None or hand.over:
        return None
    index = hand.dealt + len(state.custody.flights)
    return hand.due[index] if hand.street and index < len(hand.due) else None


def decision_id(hand: HandState) -> str:
    """Name of the present decision: hand, street, actor, price, raises; or the step of the showdown."""
    if hand.phase is Phase.BETTING:
        return f"{hand.setup.number}-{hand.street}-{hand.round.actor}-{hand.round.match}-{hand.round.raises}"
    return f"{hand.setup.number}-{hand.phase.value}"
