"""What travels over MQTT, as models that refuse any other field, and the JSON Schemas made from them.

No model has a field that could hold a down card or a burn before it is tabled (R-RULE-06): seats carry the number of their
down cards alone. Money is whole chips; seats are 1-based; cards are rank and suit, as ``Td``.
"""

from __future__ import annotations

import re
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Annotated, Final, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

MAX_SEATS: Final = 8
BACKFILL_PAGE: Final = 200
"""Most events in one answer to a backfill request; ``more`` says that there are others."""

MAX_CHIPS: Final = 10**15
"""More than all chips of any venue, and few enough to be added up in a database's 64 bits."""
YEARS: Final = range(1970, 9999)
"""Years in which a moment of any zone is one of UTC too; a clock that was never set begins with the first."""


def with_utc(at: datetime) -> datetime:
    """``at`` if its year is one of ``YEARS``, else ``ValueError``."""
    if at.year not in YEARS:
        raise ValueError(f"the year {at.year} is none that a clock tells: {YEARS[0]} to {YEARS[-1]}")
    return at


Instant: TypeAlias = Annotated[AwareDatetime, AfterValidator(with_utc)]
"""A time with its zone, in ``YEARS``."""
Chips: TypeAlias = Annotated[int, Field(ge=0, le=MAX_CHIPS)]
HandNumber: TypeAlias = Annotated[int, Field(ge=1, le=2**63 - 1)]
SeatNumber: TypeAlias = Annotated[int, Field(ge=1, le=MAX_SEATS)]
CardText: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[2-9TJQKA][cdhs]$")]
WORD: Final = re.compile(r"[a-z0-9_]{1,48}")
WordT = TypeVar("WordT", bound=Enum)
Code: TypeAlias = Annotated[str, StringConstraints(pattern=rf"^{WORD.pattern}$")]
Fingerprint: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
PlaceText: TypeAlias = Annotated[str, StringConstraints(max_length=32)]
RequestId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
SeqNumber: TypeAlias = Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)]
Street: TypeAlias = Annotated[int, Field(ge=3, le=7)]


JournalId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}$")]
HttpAddress: TypeAlias = Annotated[str, StringConstraints(pattern=r'^https?://[^\s\x00?#@\\"<>]{1,200}$')]
Head: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Part(BaseModel):
    """A piece of a payload."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Payload(Part):
    """A whole message: ``seq`` of the journal, ``epoch`` of the controller that wrote it, ``at`` in UTC (RFC 3339).

    Readers drop smaller epochs, and within an epoch smaller ``seq``.
    """

    seq: SeqNumber
    epoch: SeqNumber
    at: Instant


class Stamp(Payload):
    """What every payload begins with, read from any of them."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Word(Enum):
    """One of the words that a release knows. A reader takes another one, as a newer release may say, for what it is: itself."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return _newer(cls, value) if isinstance(value, str) and WORD.fullmatch(value) else None


@lru_cache(maxsize=64)
def _newer(kind: type[WordT], value: str) -> WordT:
    """The same one each time it is said, so that nothing seems to have changed."""
    word = object.__new__(kind)
    word._name_, word._value_ = value.upper(), value
    return word


class TableStatus(Word):
    """State of the table's controller; ``lost`` is said by last will."""

    STARTING = "starting"
    RECOVERING = "recovering"
    LIVE = "live"
    SUSPENDED = "suspended"
    CLOSED = "closed"
    LOST = "lost"


class SeatState(Word):
    """State of a seat in the hand, or between hands."""

    EMPTY = "empty"
    OUT = "out"
    LIVE = "live"
    FOLDED = "folded"
    ALL_IN = "all_in"
    GHOST = "ghost"


class Share(Word):
    """Part of a pot that an award line pays."""

    WHOLE = "whole"
    HIGH = "high"
    LOW = "low"


class Words(Part):
    """One text in both languages."""

    en: str
    fr: str


class StatusPayload(Payload):
    """``status``: sent on change and once a second. ``head`` is the chain's hash after record ``seq`` of ``journal``: who keeps
    it elsewhere can tell later whether that journal was cut short (``stud-table verify --head``). ``last_event`` is the ``seq``
    of the newest public event that the broker has acknowledged: whoever has not got it misses something; ``last_link`` is that
    event's ``link``. ``http`` is the table's own address, to which commands go, ``dealer`` the name of who drives the table.
    ``clock_trusted`` is false while nothing keeps the table's wall clock, and null where nothing tells."""

    status: TableStatus
    journal: JournalId | None = None
    head: Head | None = None
    last_event: SeqNumber | None = None
    http: HttpAddress | None = None
    dealer: Annotated[str, StringConstraints(max_length=64)] | None = None
    last_link: Head | None = None
    clock_trusted: bool | None = None


class Stakes(Part):
    """Stakes of the game in chips."""

    ante: Chips
    bring_in: Chips
    small: Chips
    big: Chips


class PublicSeat(Part):
    """One seat as everybody at the table sees it.

    ``street_chips`` are the chips put in on this street, ``up`` the up cards in order of arrival while the hand is live, ``down``
    the number of down cards, ``tabled`` all cards of a tabled hand, ``won`` what the last award paid.
    """

    seat: SeatNumber
    name: str = ""
    stack: Chips = 0
    state: SeatState
    street_chips: Chips = 0
    up: tuple[CardText, ...] = ()
    down: Annotated[int, Field(ge=0, le=7)] = 0
    tabled: tuple[CardText, ...] | None = None
    won: Chips = 0


class Pot(Part):
    """One pot, main pot first, and the seats that can win it."""

    amount: Chips
    seats: tuple[SeatNumber, ...]


class Hold(Part):
    """Why play is stopped. The text names a card only if its face is public."""

    code: Code
    place: PlaceText | None = None
    text: Words


class AwardLine(Part):
    """One payment of an award: ``pot`` counts from 0, the main pot."""

    pot: Annotated[int, Field(ge=0)]
    seat: SeatNumber
    chips: Chips
    share: Share = Share.WHOLE
    text: Words | None = None


class PublicView(Payload):
    """``public``: what everybody at the table may see.

    ``price`` is what the seat in ``actor`` owes to stay in (0: may check). ``raises`` counts the bet, completion and raises of
    this street. ``hand``, ``street`` and ``phase`` are null between hands; ``community`` is the common card. ``rules`` is the
    fingerprint of the posted rule card that the hand is played by. ``manually_verified``: people told a part of the hand in the
    place of devices (REG-47).
    """

    table: str
    variant: Code
    stakes: Stakes
    hand: HandNumber | None = None
    rules: Fingerprint | None = None
    street: Street | None = None
    phase: Code | None = None
    seats: Annotated[tuple[PublicSeat, ...], Field(max_length=MAX_SEATS)]
    pots: tuple[Pot, ...] = ()
    community: CardText | None = None
    actor: SeatNumber | None = None
    price: Chips | None = None
    bring_in_seat: SeatNumber | None = None
    opener: SeatNumber | None = None
    raises: Annotated[int, Field(ge=0)] = 0
    hold: Hold | None = None
    awards: tuple[AwardLine, ...] = ()
    manually_verified: bool = False


class Option(Part):
    """What a player in turn may say, for reading: the dealer records it (R-BET-13).

    ``amount`` goes in, ``to`` is what the seat then has put in on this street.
    """

    verb: Code
    to: Chips
    amount: Chips
    all_in: bool = False


class PlayerClock(Part):
    """A player's clock runs (R-ABS-04); ``seconds`` is all that it was given when it started."""

    seat: SeatNumber
    seconds: Annotated[int, Field(ge=0)]


class SeatView(PublicView):
    """``seat/<n>``: the public view from seat ``seat``'s side. Never a down card, not even the player's own (R-RULE-06).

    ``to_call`` is what this seat owes, ``is_actor`` whether it is to act now, ``my_pots`` the pots it can win (from 0),
    ``can_win`` their sum, ``put_in`` what it has put into the hand, ``returned`` what a void gave it back. ``status`` is the
    table's, so that a display needs no other topic. Sent on change, and once a second as a sign of life.
    """

    seat: SeatNumber
    status: TableStatus = TableStatus.LIVE
    put_in: Chips = 0
    returned: Chips = 0
    clock: PlayerClock | None = None
    to_call: Chips = 0
    is_actor: bool = False
    my_pots: tuple[Annotated[int, Field(ge=0)], ...] = ()
    can_win: Chips = 0
    options: tuple[Option, ...] = ()
    floor_asked: bool = False
    """Whether this seat has asked for the floor, and nobody has come yet."""


class Alarm(Payload):
    """``alarms/<id>``, retained until cleared. ``priority`` 1 stops play, 2 cripples it, 3 is to know.

    ``raised_seq``: the record after which it stands, by which it is acknowledged at the table; null for what is not on record.
    ``acknowledged_by``: who has seen it, by the table's journal.
    """

    alarm: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    code: Code
    priority: Annotated[int, Field(ge=1, le=3)]
    place: PlaceText | None = None
    device: str | None = None
    raised_at: Instant
    raised_seq: SeqNumber | None = None
    acknowledged_by: str | None = None
    text: Words


class DeviceHealth(Word):
    """State of a device's link."""

    OK = "ok"
    DEGRADED = "degraded"
    LOST = "lost"
    UNKNOWN = "unknown"


class Device(Payload):
    """``devices/<name>``."""

    device: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    kind: Code
    health: DeviceHealth
    identity: str | None = None
    text: Words | None = None


class SeatChips(Part):
    """Chips at a seat."""

    seat: SeatNumber
    chips: Chips


class SeatedPlayer(Part):
    """Who sits at a seat, with all the chips that lie there."""

    seat: SeatNumber
    name: str
    chips: Chips


class Opening(Part):
    """By what a hand is played: game, stakes, the house's ``preset`` with the ``knobs`` that differ from it as name and value.

    ``stacks`` are those of the hand's seats before the ante, ``players`` all who sit at the table then; ``last_two`` is the
    floor's flag of R-BET-04, ``dealer`` who drives the table.
    """

    variant: Code
    rules: str = ""
    stakes: Stakes
    unit: Chips = 1
    preset: str
    knobs: tuple[tuple[str, str], ...] = ()
    last_two: bool = False
    stacks: Annotated[tuple[SeatChips, ...], Field(max_length=MAX_SEATS)]
    players: Annotated[tuple[SeatedPlayer, ...], Field(max_length=MAX_SEATS)]
    dealer: str = ""


class RoundFigures(Part):
    """The betting round after an event: ``actor`` is asked next, ``match`` is what the street costs, ``level`` its last full
    amount, ``raises`` how often it was raised (Q-32)."""

    actor: SeatNumber | None = None
    level: Chips | None = None
    match: Chips | None = None
    raises: Annotated[int, Field(ge=0)] | None = None


class StubFigures(Part):
    """``cards`` of the stub; where it was counted for a ``street``, with the burns and the ``live`` hands (R-STUB-01)."""

    cards: Annotated[int, Field(ge=0)]
    burns: Annotated[int, Field(ge=0)] | None = None
    live: Annotated[int, Field(ge=0)] | None = None
    street: Street | None = None


class RulingPeople(Part):
    """Who ruled, in which ``role``, and who agreed; empty for nobody."""

    role: str = ""
    by: str = ""
    agreed_by: str = ""


class PublicEvent(Payload):
    """One line of ``events``: what happened, as everybody could see it. At most one for each ``seq``.

    ``previous`` is the ``seq`` of the public event before: who has not got that one asks for it. It is 0 for a journal's first
    public event, and null when records before this event are no longer kept at the table.

    Fields that do not belong to ``event`` are null or left out. ``card`` is a card whose face is public, ``cards`` a tabled hand,
    ``shares`` what an award pays; ``seats`` are all that an event is about, ``stacks`` chips that went back or that they have at
    the end, ``number`` the card of a seat or a number of cards, and ``flags`` names what also holds.

    ``link`` binds the event to the public event before it (``controller.mqtt.links``), and to the journal by ``head``, which an
    event has that begins a stretch of that chain: the hash of the journal's chain after record ``seq`` - 1. Both are null where
    the table does not know them.
    """

    previous: SeqNumber | None = None
    event: Code
    hand: HandNumber | None = None
    street: Street | None = None
    seat: SeatNumber | None = None
    place: PlaceText | None = None
    verb: Code | None = None
    chips: Chips | None = None
    to: Chips | None = None
    all_in: bool | None = None
    pot: Annotated[int, Field(ge=0)] | None = None
    card: CardText | None = None
    cards: tuple[CardText, ...] | None = None
    code: Code | None = None
    shares: tuple[AwardLine, ...] | None = None
    seats: tuple[SeatNumber, ...] | None = None
    stacks: tuple[SeatChips, ...] | None = None
    pots: tuple[Pot, ...] | None = None
    rake: Annotated[tuple[Chips, ...], Field(max_length=MAX_SEATS)] | None = None
    number: Annotated[int, Field(ge=0)] | None = None
    debt: Annotated[int, Field(ge=0)] | None = None
    name: str | None = None
    to_seat: SeatNumber | None = None
    without: tuple[PlaceText, ...] | None = None
    flags: tuple[Code, ...] | None = None
    opening: Opening | None = None
    round: RoundFigures | None = None
    stub: StubFigures | None = None
    ruling: RulingPeople | None = None
    link: Head | None = None
    head: Head | None = None


class SnapshotRequest(Payload):
    """``request/snapshot``: answered on ``reply/<request>``. ``seq`` and ``epoch`` are the last that the asker has seen, or 0."""

    request: RequestId


class BackfillRequest(Payload):
    """``request/backfill``: the public events from ``from_seq`` on, answered on ``reply/<request>``."""

    request: RequestId
    from_seq: SeqNumber


class SnapshotReply(Payload):
    """Everything that is retained, in one message; ``seq`` is the last committed one."""

    request: RequestId
    status: TableStatus
    public: PublicView | None
    seats: tuple[SeatView, ...]
    alarms: tuple[Alarm, ...]
    devices: tuple[Device, ...]


class BackfillReply(Payload):
    """Public events from ``from_seq`` through the committed ``seq``; with ``more``, ask again from the last one's successor."""

    request: RequestId
    from_seq: SeqNumber
    events: Annotated[tuple[PublicEvent, ...], Field(max_length=BACKFILL_PAGE)]
    more: bool
