"""Which reliable events of a shoe the host has, and whether the next one can be true (TSP/1 accepting, opening a session).

An event that cannot be true is not delivered and not acknowledged: it raises ``ProtocolFault``, dealing stops, and after a
person's ruling the shoe sends it again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, assert_never

from drivers.ports import (
    LATCHED,
    CardDrawn,
    DeckLoaded,
    DrawMode,
    DriverError,
    EventKey,
    GateChanged,
    KnownShoe,
    NoticeKind,
    ShoeEvent,
    ShoeNotice,
    ShoeStopped,
)
from drivers.shoe.messages import (
    RANKS_AND_SUITS,
    CardMode,
    CardRead,
    Cut,
    Empty,
    ErrorCleared,
    ErrorRaised,
    EventMessage,
    Heartbeat,
    KeyPressed,
    Lid,
    Load,
    Lock,
    UnknownEvent,
)

REMEMBERED: Final = 128
"""Newest events whose text is kept to compare repeats: as many as a shoe keeps."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    draw_no: int
    code: str = field(repr=False)


class ProtocolFault(DriverError):  # noqa: N818 - a name of the protocol
    """The shoe says what cannot be: dealing stops. ``reason`` is one clear sentence without a card."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class EventLedger:
    """Marks, counters and the cards that are out, as told by the events taken so far."""

    def __init__(self, device: str, known: KnownShoe | None) -> None:
        self._device = device
        self._boot = known.boot if known is not None else 0
        self.accepted = known.accepted_seq if known is not None else 0
        self.received = self.accepted
        self._load = known.load if known is not None else None
        self._draw_no = known.draw_no if known is not None else None
        self._is_gate_closed: bool | None = None
        self._bodies: OrderedDict[int, bytes] = OrderedDict()
        self._out: list[_Drawn] = []

    def has_counters(self, load: int, draw_no: int) -> bool:
        """Whether the shoe's counters are ours."""
        return (load, draw_no) == (self._load, self._draw_no)

    def compare(self, beat: Heartbeat, last_seq: int) -> ProtocolFault | None:
        """What a fresh pair says against what we have (TSP/1 opening a session); None when we may go on."""
        if beat.boot < self._boot:
            return ProtocolFault(
                "boot_back",
                f"The shoe's start counter is {beat.boot:04X}, below our {self._boot:04X}: it went back, or it is another shoe.",
            )
        if beat.boot > self._boot:
            return None
        if last_seq < self.received:
            return ProtocolFault(
                "seq_back", f"The shoe has sent {last_seq} events, we have {self.received}: its memory is not the one we know."
            )
        if beat.acked > self.accepted:
            return ProtocolFault(
                "tail_lost",
                f"The shoe was told that {beat.acked} events are safe, our journal has {self.accepted}: "
                "it lost its end, or another controller took them.",
            )
        if beat.first > self.accepted + 1:
            return ProtocolFault(
                "events_gone", f"The shoe keeps events from {beat.first} on, we need {self.accepted + 1}: they are gone."
            )
        return None

    def adopt(self, boot: int, accepted_seq: int, first: int, *, is_continued: bool, is_ruling: bool) -> None:
        """Go on with ``boot`` from ``accepted_seq``. A ruling, a gap or a restart takes the shoe's counters as they come."""
        if boot != self._boot:
            self.accepted = self.received = max(accepted_seq, first - 1)
            self._bodies.clear()
            keeps = is_continued
        elif accepted_seq < self.accepted:
            self.accepted = self.received = accepted_seq
            keeps = False
        else:
            self.accepted = accepted_seq
            keeps = accepted_seq <= self.received
            self.received = max(self.received, accepted_seq)
        self._boot = boot
        if not keeps or is_ruling:
            self._load = self._draw_no = self._is_gate_closed = None
            self._out.clear()

    def accept(self, seq: int) -> bool:
        """Events up to ``seq`` are durable; whether that is news. ``DriverError`` for an event never delivered."""
        if seq > self.received:
            raise DriverError(
                f"{self._device}: event {seq} was never delivered, {self.received} is the last: look at the journal"
            )
        is_news = seq > self.accepted
        self.accepted = max(self.accepted, seq)
        return is_news

    def take(self, event: EventMessage, body: bytes) -> list[ShoeEvent]:
        """The next event, or a repeat, as what the table is told. ``ProtocolFault`` when it cannot be true."""
        if event.seq <= self.received:
            if self._bodies.get(event.seq, body) != body:
                raise ProtocolFault("same_key", f"The shoe sent two different events under number {event.seq}.")
            return []
        told = self._told(event, EventKey(event.boot, event.seq))
        self.received = event.seq
        self._bodies[event.seq] = body
        while len(self._bodies) > REMEMBERED:
            self._bodies.popitem(last=False)
        return told

    def _told(self, event: EventMessage, key: EventKey) -> list[ShoeEvent]:
        match event:
            case CardRead():
                return [self._card(event, key)]
            case Load():
                self._load, self._draw_no = event.load, 0
                self._out.clear()
                return [DeckLoaded(self._device, key, event.cards, event.set_id, event.load)]
            case Lock():
                self._is_gate_closed = event.holders != ""
                return [GateChanged(self._device, key, event.holders)]
            case UnknownEvent():
                fault = ShoeStopped(
                    self._device, "unknown_event", f"The shoe reported something unreadable ({event.type}): look at it."
                )
                return [ShoeNotice(self._device, key, NoticeKind.UNKNOWN, event.type), fault]
            case _:
                return [ShoeNotice(self._device, key, *_notice(event))]

    def _card(self, card: CardRead, key: EventKey) -> ShoeEvent:
        match card.mode:
            case CardMode.STAGED:
                return ShoeNotice(self._device, key, NoticeKind.STAGED, "")
            case CardMode.REINSERTED:
                self._back(card)
                mode = DrawMode.REINSERTED
            case CardMode.COUNTED | CardMode.NO_CONFIDENCE:
                self._forth(card)
                mode = DrawMode(card.mode.value)
            case _:
                assert_never(card.mode)
        return CardDrawn(self._device, key, card.code, mode, card.draw_no, card.remaining, card.gap_ms)

    def _forth(self, card: CardRead) -> None:
        """A card left the shoe."""
        if self._is_gate_closed:
            raise ProtocolFault("gate", f"The shoe counted card {card.draw_no} while it said that its gate was closed.")
        if self._draw_no is not None and card.draw_no != self._draw_no + 1:
            raise ProtocolFault("draw_no", f"The shoe counted card {card.draw_no} after card {self._draw_no}.")
        self._draw_no = card.draw_no
        self._out.append(_Drawn(card.draw_no, card.code))

    def _back(self, card: CardRead) -> None:
        """The last card out came back: its number, and its code where both were read (TSP/1 re-inserted)."""
        if card.code not in RANKS_AND_SUITS:
            raise ProtocolFault("reinserted", f"A card came back into the shoe after card {card.draw_no} and could not be read.")
        last = self._out[-1] if self._out else None
        if last is not None and (last.draw_no != card.draw_no or (last.code in RANKS_AND_SUITS and last.code != card.code)):
            raise ProtocolFault("reinserted", f"Another card came back into the shoe than card {last.draw_no}, the last one out.")
        if last is not None:
            self._out.pop()


def _notice(event: Cut | Empty | Lid | KeyPressed | ErrorRaised | ErrorCleared) -> tuple[NoticeKind, str]:
    match event:
        case Cut():
            return NoticeKind.CUT, str(event.draw_no)
        case Empty():
            return NoticeKind.EMPTY, ""
        case Lid():
            return NoticeKind.LID, "open" if event.is_open else "closed"
        case KeyPressed():
            return NoticeKind.KEY, event.name
        case ErrorRaised():
            return NoticeKind.FAULT, event.code + LATCHED if event.latched else event.code
        case ErrorCleared():
            return NoticeKind.CLEARED, event.code
