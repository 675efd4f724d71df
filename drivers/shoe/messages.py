"""TSP/1 messages as typed values, both directions (TSP/1 table of types); ``codec`` turns them into lines and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

RANKS_AND_SUITS: Final = frozenset(rank + suit for rank in "A23456789TJQK" for suit in "CDHS")
CODES: Final = RANKS_AND_SUITS | {"??", "XX", "JK"}
"""What a C, N or R may tell: a card, unreadable, foreign, joker."""
NOT_TOLD: Final = "--"
GATE_LETTERS: Final = "HKRET"
"""All that holds the gate closed: host, key, rule, error, host silent (T)."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """A controller's start: a counter raised at every start and a random part. Ordered by the counter, equal only as a whole."""

    counter: int
    salt: int

    def __str__(self) -> str:
        return f"{self.counter:04X}{self.salt:04X}"

    def beats(self, other: Epoch) -> bool:
        """Whether a shoe that honours this one obeys ``other`` no more."""
        return self.counter > other.counter or (self.counter == other.counter and self.salt != other.salt)


NO_EPOCH: Final = Epoch(0, 0)


class Cause(Enum):
    """Why a shoe started: power, watchdog, sequence end."""

    POWER = "P"
    WATCHDOG = "W"
    SEQUENCE_END = "S"


class CardMode(Enum):
    """How a card was counted: C, N no confidence, R re-inserted, S staged (no code told)."""

    COUNTED = "C"
    NO_CONFIDENCE = "N"
    REINSERTED = "R"
    STAGED = "S"


class Verb(Enum):
    """Orders of the host. STATUS and RESEND carry a random token instead of a command id and are not remembered."""

    LOCK = "LOCK"
    CLEAR = "CLEAR"
    SET_ID = "SETID"
    STATUS = "STATUS"
    RESEND = "RESEND"


class Outcome(Enum):
    """Answer to an order."""

    OK = "OK"
    BUSY = "BUSY"
    ERR = "ERR"


@dataclass(frozen=True, slots=True)
class DeviceHello:
    """HELLO of the shoe. ``re`` is the token of the STATUS that it answers, 0 unasked; ``nonce`` is 16 hex digits with ``AU``."""

    boot: int
    last_seq: int
    model: str
    firmware: str
    min_version: int
    max_version: int
    caps: tuple[str, ...]
    cause: Cause
    serial: str
    re: int
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """HB. ``gate`` has a letter for all that holds it closed, none when open; ``command`` is the last id carried out."""

    boot: int
    last_seq: int
    state: str
    errors: tuple[str, ...]
    remaining: int
    uptime_s: int
    load: int
    draw_no: int
    gate: str
    first: int
    acked: int
    epoch: Epoch
    command: int
    re: int


@dataclass(frozen=True, slots=True)
class Response:
    """RSP. ``barrier`` is the last event created once the order was done; ``epoch`` is the order's."""

    boot: int
    number: int
    epoch: Epoch
    outcome: Outcome
    barrier: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD: a packet was put in; draw numbers start again at 0."""

    boot: int
    seq: int
    decks: int
    cards: int
    set_id: str
    load: int


@dataclass(frozen=True, slots=True)
class CardRead:
    """CARD."""

    boot: int
    seq: int
    code: str = field(repr=False)
    mode: CardMode
    draw_no: int
    remaining: int
    gap_ms: int


@dataclass(frozen=True, slots=True)
class Cut:
    """CUT: the cut card came after ``draw_no`` cards."""

    boot: int
    seq: int
    draw_no: int


@dataclass(frozen=True, slots=True)
class Empty:
    """EMPTY."""

    boot: int
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lid:
    """LID opened or closed."""

    boot: int
    seq: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """KEY: a button of the shoe."""

    boot: int
    seq: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRaised:
    """ERR."""

    boot: int
    seq: int
    code: str
    latched: bool
    draw_no: int


@dataclass(frozen=True, slots=True)
class ErrorCleared:
    """CLR."""

    boot: int
    seq: int
    code: str


@dataclass(frozen=True, slots=True)
class Lock:
    """LOCK: what holds the gate closed changed; no letter is open."""

    boot: int
    seq: int
    holders: str


@dataclass(frozen=True, slots=True)
class UnknownEvent:
    """An event that this version cannot read: its type, nothing of its fields."""

    boot: int
    seq: int
    type: str


@dataclass(frozen=True, slots=True)
class HostHello:
    """HELLO of the host: ``seq`` is the highest event accepted in this boot and sets the ACK mark, backwards too. ``nonces`` are
    the shoe's and the host's with ``AU``, empty without."""

    boot: int
    seq: int
    epoch: Epoch
    controller: str
    version: int
    nonces: str = ""


@dataclass(frozen=True, slots=True)
class Ack:
    """ACK: everything up to ``seq`` is durable."""

    boot: int
    seq: int
    epoch: Epoch


@dataclass(frozen=True, slots=True)
class Nak:
    """NAK: send on from ``seq``; acknowledges nothing."""

    boot: int
    seq: int
    epoch: Epoch
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """CMD. ``number`` is the command id, or the token of STATUS and RESEND; ``argument`` 0/1, error code, set id, first event."""

    boot: int
    number: int
    epoch: Epoch
    verb: Verb
    argument: str = ""


EventMessage: TypeAlias = Load | CardRead | Cut | Empty | Lid | KeyPressed | ErrorRaised | ErrorCleared | Lock | UnknownEvent
DeviceMessage: TypeAlias = DeviceHello | Heartbeat | Response | EventMessage
HostMessage: TypeAlias = HostHello | Ack | Nak | Command
