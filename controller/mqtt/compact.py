"""What a seat's display shows, in few bytes for a microcontroller, and the one line of which its echo is the digest.

Made from the seat's view alone (R-RULE-06). The line holds no word of any language: a display in French shows the same one.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final, TypeAlias
from zlib import crc32

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from controller.mqtt.payloads import (
    MAX_SEATS,
    CardText,
    Chips,
    Code,
    Payload,
    PublicSeat,
    SeatNumber,
    SeatState,
    SeatView,
    SeqNumber,
    TableStatus,
)

MAX_BYTES: Final = 1536
"""Longest compact payload while amounts have nine digits at most."""
Digest: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}$")]
DISPLAY_NAME: Final = 24
"""Longest name of a display."""
DisplayName: TypeAlias = Annotated[str, StringConstraints(pattern=rf"^[A-Za-z0-9_-]{{1,{DISPLAY_NAME}}}$")]
ECHO_BYTES: Final = 160
"""Longest echo."""
CALL_BYTES: Final = 96
"""Longest call."""
CallId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,36}$")]
"""What names one touch of a player."""


class Shows(Enum):
    """State of a seat's display."""

    CLOSED = "closed"
    """The table is not in play: starting, suspended or closed."""
    EMPTY = "empty"
    OUT = "out"
    """Sits out, or no hand is on."""
    HANDS_OFF = "hands_off"
    """Play is stopped for a card at this seat: nobody touches it."""
    STOPPED = "stopped"
    TURN = "turn"
    BRING_IN = "bring_in"
    ALL_IN = "all_in"
    FOLDED = "folded"
    WAIT = "wait"
    """Another seat is to act, or cards are dealt."""
    SHOWDOWN = "showdown"
    OVER = "over"
    """The pots are paid."""
    VOID = "void"


class CompactView(Payload):
    """``compact/<n>``: the view of seat ``seat`` for a small display.

    ``hand`` and ``street`` are 0 when there is none, ``actor`` is the seat to act or 0, ``price`` what that seat owes, ``call``
    what this one does, ``stack`` its chips, ``win`` what it can win. ``pots`` are the amounts, main pot first; ``mine`` one bit
    for each that this seat can win (bit 0: main pot). ``bets``, ``won`` and ``up`` have one entry a seat: chips of this street,
    chips won, and the up cards, or all cards of a tabled hand. ``options`` are verb, what the seat then has put in on this
    street, and what goes in. ``clock`` is the seconds of the clock that runs, or 0. ``back`` is what a void gave this seat back.
    """

    seat: SeatNumber
    state: Shows
    hand: Annotated[int, Field(ge=0)] = 0
    street: Annotated[int, Field(ge=0, le=7)] = 0
    actor: Annotated[int, Field(ge=0, le=MAX_SEATS)] = 0
    price: Chips = 0
    call: Chips = 0
    stack: Chips = 0
    win: Chips = 0
    pots: tuple[Chips, ...] = ()
    mine: Annotated[int, Field(ge=0, lt=1 << MAX_SEATS)] = 0
    bets: Annotated[tuple[Chips, ...], Field(max_length=MAX_SEATS)] = ()
    won: Annotated[tuple[Chips, ...], Field(max_length=MAX_SEATS)] = ()
    up: Annotated[tuple[tuple[CardText, ...], ...], Field(max_length=MAX_SEATS)] = ()
    common: Annotated[str, StringConstraints(pattern=r"^([2-9TJQKA][cdhs])?$")] = ""
    options: tuple[tuple[Code, Chips, Chips], ...] = ()
    clock: Annotated[int, Field(ge=0)] = 0
    back: Chips = 0

    def line(self) -> str:
        """What is on the display, in one line of ASCII: the parts that a player decides by, in a fixed order, ``|`` between."""
        parts = (
            self.seat,
            self.state.value,
            self.hand,
            self.street,
            self.actor,
            self.call,
            self.stack,
            self.win,
            ",".join(map(str, self.pots)),
            ",".join(map(str, self.bets)),
            ",".join(map(str, self.won)),
            ",".join("".join(cards) for cards in self.up),
            self.common,
            ",".join(f"{verb}:{to}:{amount}" for verb, to, amount in self.options),
        )
        return "|".join(map(str, parts))

    def digest(self) -> str:
        """CRC-32 (as in zlib, PNG and Ethernet) of ``line``, as eight hexadecimal digits."""
        return digest_of(self.line())


class Echo(BaseModel):
    """``echo/<n>``: a display of seat ``seat`` shows the picture ``epoch``, ``seq``; ``digest`` is the CRC-32 of the line of what
    stands on it. ``display`` tells several displays of a seat apart. No command: it changes nothing but an alarm."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seat: SeatNumber
    epoch: SeqNumber
    seq: SeqNumber
    digest: Digest
    display: DisplayName = "display"


class Call(BaseModel):
    """``call/<n>``: the player of seat ``seat`` asks for the floor. ``call`` names that one touch, so that it may be sent again.
    A prompt and no command: it stops nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seat: SeatNumber
    call: CallId


def call_in(seat: int, payload: bytes, *, is_retained: bool) -> Call | None:
    """The call of ``seat`` in a message on its topic; ``None`` for what is none."""
    try:
        call = Call.model_validate_json(payload) if len(payload) <= CALL_BYTES and not is_retained else None
    except ValidationError:
        return None
    return None if call is None or call.seat != seat else call


def digest_of(line: str) -> str:
    """The digest of a line."""
    return f"{crc32(line.encode('ascii')):08x}"


def compact_of(view: SeatView) -> CompactView:
    """The compact form of a seat's view."""
    seats = sorted(view.seats, key=lambda seat: seat.seat)
    own = next((seat for seat in seats if seat.seat == view.seat), None)
    state = shows(view)
    asked = view.options if state in (Shows.TURN, Shows.BRING_IN) else ()
    return CompactView(
        seq=view.seq,
        epoch=view.epoch,
        at=view.at,
        seat=view.seat,
        state=state,
        hand=view.hand or 0,
        street=view.street or 0,
        actor=view.actor or 0,
        price=view.price or 0,
        call=view.to_call,
        stack=0 if own is None else own.stack,
        win=view.can_win,
        pots=tuple(pot.amount for pot in view.pots),
        mine=sum(1 << number for number in view.my_pots),
        bets=tuple(seat.street_chips for seat in seats),
        won=tuple(seat.won for seat in seats),
        up=tuple(_open_cards(seat) for seat in seats),
        common=view.community or "",
        options=tuple((option.verb, option.to, option.amount) for option in asked),
        clock=0 if view.clock is None else view.clock.seconds,
        back=view.returned,
    )


def _open_cards(seat: PublicSeat) -> tuple[str, ...]:
    return seat.up if seat.tabled is None else seat.tabled


_OVER: Final = {"ended": Shows.OVER, "voided": Shows.VOID}
_OWN: Final = {
    SeatState.EMPTY: Shows.EMPTY,
    SeatState.OUT: Shows.OUT,
    SeatState.GHOST: Shows.OUT,
    SeatState.FOLDED: Shows.FOLDED,
    SeatState.ALL_IN: Shows.ALL_IN,
    SeatState.LIVE: Shows.WAIT,
}


def shows(view: SeatView) -> Shows:
    """What state the display of ``view``'s seat is in."""
    own = next((seat.state for seat in view.seats if seat.seat == view.seat), SeatState.EMPTY)
    if view.status is not TableStatus.LIVE:
        return Shows.CLOSED
    if view.hand is None or own is SeatState.EMPTY:
        return _OWN[own] if own is SeatState.EMPTY else Shows.OUT
    if view.phase in _OVER:
        return _OVER[view.phase]
    if view.hold is not None:
        place = view.hold.place or ""
        return Shows.HANDS_OFF if place.startswith(f"seat/{view.seat}/") else Shows.STOPPED
    if view.is_actor:
        return Shows.BRING_IN if any(option.verb == "bring_in" for option in view.options) else Shows.TURN
    if view.phase == "showdown":
        return Shows.SHOWDOWN
    return _OWN.get(own, Shows.WAIT)  # a word of a newer release: nothing is asked of that seat
