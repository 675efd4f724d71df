"""What a device is to the table: the events it delivers and the few calls it takes.

Drivers deliver events through an awaitable sink, so a full inbox slows the driver and nothing is dropped.
No event prints a card or a tag: ``repr`` leaves those fields out (R-RULE-06).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol, TypeAlias


class DriverError(Exception):
    """A device or its link did what the protocol forbids, or cannot be reached. The message names thing, value and way out."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a device is not used: a code for texts in any language, the values of its sentence, and the sentence in English, which
    names thing, value, place and way out."""

    code: str
    sentence: str
    values: Mapping[str, str]


def trouble(code: str, template: str, **values: str) -> Trouble:
    """A trouble whose English sentence is ``template`` filled in."""
    return Trouble(code, template.format(**values), values)


class LinkState(Enum):
    """Health of a device's link (TSP/1: no valid line for 2.5 s is stale, 5 s is down; more than 5 bad lines in 10 s degrade one
    that is not down, until 60 s have passed without one)."""

    DOWN = "down"
    OPENING = "opening"
    UP = "up"
    DEGRADED = "degraded"
    STALE = "stale"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True, order=True)
class EventKey:
    """Unique key of a reliable shoe event: start counter and sequence number (TSP/1 §1.4)."""

    boot: int
    seq: int


class DrawMode(Enum):
    """How a card left or re-entered the shoe (TSP/1 ``mode``)."""

    COUNTED = "C"
    NO_CONFIDENCE = "N"
    REINSERTED = "R"


@dataclass(frozen=True, slots=True)
class ShoeState:
    """What the shoe says of itself in HELLO and HB when a session opens."""

    serial: str
    model: str
    boot: int
    last_seq: int
    acked: int
    first_kept: int
    load: int
    draw_no: int
    remaining: int
    gate: str
    cause: str = "P"
    """Cause of the shoe's start: P power, W watchdog, S sequence end (TSP/1 HELLO)."""
    errors: tuple[str, ...] = ()
    """Codes of the errors that it has latched (TSP/1 HB)."""


@dataclass(frozen=True, slots=True)
class KnownShoe:
    """What the journal knows of a shoe: its last adopted start, the highest event accepted in it, and its counters then."""

    boot: int
    accepted_seq: int
    load: int
    draw_no: int


@dataclass(frozen=True, slots=True)
class ShoeFound:
    """A fresh HELLO and HB pair is in: the table journals the adoption, then calls ``adopt`` (TSP/1 opening a session)."""

    device: str
    state: ShoeState
    is_rebooted: bool = field(default=False, kw_only=True)
    """The shoe restarted and its event list is gone: freeze the hand, compare counters, ask (TSP/1 REBOOTED)."""


@dataclass(frozen=True, slots=True)
class DeckLoaded:
    """LOAD: a packet lies in the shoe; draw numbers start again at 0."""

    device: str
    key: EventKey
    cards: int
    set_id: str
    load: int


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """CARD with mode C, N or R. ``code`` is rank and suit as ``AS``, or ``??`` unreadable, ``XX`` foreign, ``JK`` joker."""

    device: str
    key: EventKey
    code: str = field(repr=False)
    mode: DrawMode
    draw_no: int
    remaining: int
    gap_ms: int


@dataclass(frozen=True, slots=True)
class GateChanged:
    """LOCK event: the gate is closed by ``holders`` (letters H, K, R, E, T) or open (no letter)."""

    device: str
    key: EventKey
    holders: str


class NoticeKind(Enum):
    """Other reliable shoe events, journalled and shown."""

    CUT = "cut"
    EMPTY = "empty"
    LID = "lid"
    KEY = "key"
    FAULT = "fault"
    CLEARED = "cleared"
    STAGED = "staged"
    UNKNOWN = "unknown"


LATCHED: Final = " latched"
"""How the detail of a FAULT ends that the shoe has latched, behind its code."""


@dataclass(frozen=True, slots=True)
class ShoeNotice:
    """CUT, EMPTY, LID, KEY, ERR, CLR, a staged card or an unknown type; ``detail`` is its short text (no card)."""

    device: str
    key: EventKey
    kind: NoticeKind
    detail: str


FENCED: Final = "fenced"
"""Code of a ``ShoeStopped``: the shoe obeys another controller."""


@dataclass(frozen=True, slots=True)
class ShoeStopped:
    """A protocol fault: dealing stops until a person has looked (TSP/1 'stop'). ``reason`` is one clear sentence.

    ``code``: boot_back, seq_back, tail_lost, events_gone, version (at an opening: ``found`` says what the shoe is); same_key,
    gate, draw_no, reinserted, unknown_event, tamper; fenced. ``renew`` or ``adopt`` after it is a person's ruling.
    """

    device: str
    code: str
    reason: str
    found: ShoeState | None = None


@dataclass(frozen=True, slots=True)
class CommandDone:
    """RSP to an order, or its fate unknown. ``ok`` with the last event created before it was done (``barrier``)."""

    device: str
    order: int
    ok: bool
    barrier: int
    reason: str


@dataclass(frozen=True, slots=True)
class AntennaScan:
    """One inventory of one antenna: every tag answered. ``clean`` is false when the reader reported an RF or anti-collision
    error, so that missing tags do not count as absent (FEIG status 83, 84). ``took_s`` is how long it took, question and
    answer on the line too, where the driver tells it."""

    device: str
    antenna: int
    tags: tuple[str, ...] = field(repr=False)
    clean: bool
    at: float
    took_s: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The link of a device, or of one antenna of a line (``antenna`` > 0), changed; ``detail`` says why in one sentence."""

    device: str
    antenna: int
    state: LinkState
    detail: str


ShoeEvent: TypeAlias = ShoeFound | DeckLoaded | CardDrawn | GateChanged | ShoeNotice | ShoeStopped | CommandDone | LinkChanged
ReaderEvent: TypeAlias = AntennaScan | LinkChanged
DeviceEvent: TypeAlias = ShoeEvent | ReaderEvent
Deliver: TypeAlias = Callable[[DeviceEvent], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of a device's health: what it is, and for how many seconds (port), or how long ago it was last heard (the others).

    ``age_s`` is None for what never was. ``state`` is a word for programs, ``detail`` a clause for people.
    """

    state: str
    age_s: float | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AntennaReport:
    """One antenna of a line: its number (bus address), its state with the reason, what its reader is, and its last scan's age."""

    antenna: int
    state: LinkState
    detail: str
    identity: str
    scan_age_s: float | None
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """Health of one port and what hangs on it: four facts that fail apart from each other, and counters since the start.

    ``port``: open, closed. ``link``: ok, silent (the last valid frame). ``device``: what it says of itself. ``data``: the last
    event or scan that the table could use. Counters are of bytes, frames and lines, never of cards.
    """

    name: str
    kind: str
    address: str
    identity: str
    port: Fact
    link: Fact
    device: Fact
    data: Fact
    counters: Mapping[str, int]
    antennas: tuple[AntennaReport, ...] = ()
    trouble: Trouble | None = None


class ShoePort(Protocol):
    """A shoe as the table sees it. All calls return at once; results come as events."""

    @property
    def name(self) -> str:
        """Name of the device in configuration, topics and alarms."""

    def report(self) -> DeviceReport:
        """Health of the device and its port, as known now."""

    async def run(self) -> None:
        """Keep the port open, speak the protocol and deliver events until cancelled."""

    def adopt(self, boot: int, accepted_seq: int) -> None:
        """The adoption of ``boot`` is durable: send HELLO with the highest event accepted in it."""

    def renew(self, epoch_counter: int) -> None:
        """Go on as after a start of the controller: ``epoch_counter`` is raised and durable, ids of orders begin again at 1, and
        the shoe is asked for its state, so that ``ShoeFound`` follows. After ``ShoeStopped`` this is a person's ruling."""

    def accept(self, key: EventKey) -> None:
        """Events up to ``key`` are durable: acknowledge them."""

    def order_gate(self, order: int, *, is_open: bool) -> None:
        """Ask for the gate to be open or closed. The intent ``order`` (1, 2, … within an epoch) is durable; it is
        carried out at most once per epoch and repeated byte for byte until answered. It is never refused for events that wait:
        then the answer to an older order is left out."""

    def clear_error(self, order: int, code: str) -> None:
        """Ask for the latched error ``code`` to be cleared, by a person's ruling. Ids are shared with ``order_gate``, whose
        newer orders do not replace it."""

    def woken(self) -> None:
        """This process was paused: orders under way are given up, and the shoe is asked for its state under the same epoch, so
        that ``ShoeFound`` follows, or ``ShoeStopped`` where another controller has taken it over meanwhile."""

    def sign_of_life(self) -> None:
        """The table's loop is alive and commits keep up; without calls the shoe hears
        nothing for 3 s and closes its gate."""


class ReaderPort(Protocol):
    """One serial line of HF readers as the table sees it."""

    @property
    def name(self) -> str:
        """Name of the line in configuration, topics and alarms."""

    def report(self) -> DeviceReport:
        """Health of the line, its readers and its port, as known now."""

    async def run(self) -> None:
        """Keep the port open, scan the antennas in turn and deliver their scans until cancelled."""


class Multiplexer(Protocol):
    """What joins one reader to several antennas, one at a time. The table knows antennas by number, as if each had a reader.

    Its commands are the maker's; a package brings it (``drivers.factory.MultiplexerDriver``).
    """

    def reader(self, antenna: int) -> int:
        """Bus address of the reader that serves ``antenna``."""

    async def select(self, antenna: int) -> None:
        """Join ``antenna`` to its reader; awaited before each scan of it. ``DriverError`` says why it cannot be joined: the
        antenna then counts as one that does not answer, never as an empty one, and is tried again later."""
