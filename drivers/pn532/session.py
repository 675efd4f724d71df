"""Question and answer with one PN532: acknowledge, answer, repeats, and the fence behind every doubt (PN532 §2.3).

Pure: bytes and time go in, actions come out; the caller writes what it is told to and calls ``tick`` at ``deadline``.

::

    host: command → chip: ACK (within 15 ms) → chip: answer (code + 1)

No ACK: the command is sent again, behind a wake-up, since a chip that is silent may sleep. No good answer in the time that the
chip needs at most: NACK makes it say its last one again; earlier, its last one could be an old one. Neither helps: a host ACK
stops what the chip may still do. The protocol numbers nothing, so after any
repeat an old answer could pass for a new one; the next exchange then begins with the communication test, whose token comes back:
once it is in, every older answer has come or never will.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from drivers.link.exchange import Send
from drivers.pn532.frames import MAX_CONTENT_BYTES, WAKE_UP, Direction, Frame, FrameDecoder, Item, Signal, encode
from drivers.pn532.messages import (
    SYNTAX,
    Answer,
    Diagnose,
    Echo,
    MessageError,
    Refused,
    Request,
    code_of,
    read_answer,
    request_frame,
)
from drivers.ports import DriverError

SENDS: Final = 3
"""A command is sent once and, without an ACK, twice more."""
NACKS: Final = 2
"""Times that the chip is asked to say its answer again."""
_TOKENS: Final = 0x10000


@dataclass(frozen=True, slots=True)
class Patience:
    """Speed of the line and patience with the chip, in seconds."""

    baud: int = 115200
    ack_s: float = 0.1
    """Wait for the ACK beyond its time on the wire: 15 ms, and what adapters add."""
    first_ack_s: float = 1.5
    """The same for the first command after an opening: some adapters hold the first bytes back for a second."""
    answer_s: float = 0.25
    """Wait for an answer beyond its time on the wire: a poll takes 100 ms and more."""
    gap_s: float = 0.05
    """Silence inside a frame after which it is given up."""

    def wire_s(self, byte_count: int) -> float:
        """Time of ``byte_count`` bytes on the wire."""
        return byte_count * 10 / self.baud


@dataclass(frozen=True, slots=True)
class Answered:
    """The exchange is over, with the chip's answer."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The exchange is over without an answer. ``alive`` if the chip acknowledged the command."""

    reason: str
    alive: bool = field(kw_only=True)


Action: TypeAlias = Send | Answered | GaveUp


@dataclass(slots=True)
class Counters:
    """What the line went through since it was made."""

    frames: int = 0
    strays: int = 0
    """Good frames that were no part of the exchange under way."""
    malformed: int = 0
    """Answers whose content did not fit the command."""
    timeouts: int = 0
    retries: int = 0
    nacks: int = 0
    given_up: int = 0


class _Phase(Enum):
    FENCE = "fence"
    ACK = "ack"
    ANSWER = "answer"


@dataclass(slots=True)
class _Exchange:
    request: Request
    phase: _Phase
    token: bytes = b""
    deadline: float = 0.0
    sends: int = 0
    nacks: int = 0
    was_acknowledged: bool = False


class ChipSession:
    """The host's end of one line. At most one exchange is under way."""

    def __init__(self, patience: Patience | None = None) -> None:
        self._patience = patience if patience is not None else Patience()
        self._decoder = FrameDecoder(Direction.TO_HOST, gap_s=self._patience.gap_s)
        self._exchange: _Exchange | None = None
        self._is_asleep = True
        self._is_first = True
        self._is_doubtful = False
        self._tokens = 0
        self.counters = Counters()

    @property
    def busy(self) -> bool:
        """Whether an exchange is under way."""
        return self._exchange is not None

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is due, or ``None`` while no exchange is under way."""
        if self._exchange is None:
            return None
        idle_at = self._decoder.idle_at
        return self._exchange.deadline if idle_at is None else min(idle_at, self._exchange.deadline)

    @property
    def frames(self) -> int:
        """Good frames so far."""
        return self.counters.frames

    @property
    def skipped_bytes(self) -> int:
        """Bytes that belonged to no good frame."""
        return self._decoder.skipped_bytes

    def start(self, request: Request, now: float) -> tuple[Action, ...]:
        """Begin an exchange. ``DriverError`` if one is under way.

        The first one after an opening or after giving up must be ``SamConfiguration``: a chip that wakes up takes nothing else,
        so no fence goes before it.
        """
        if self._exchange is not None:
            raise DriverError("the line is in use: the last command has no answer yet")
        phase = _Phase.FENCE if self._is_doubtful and not self._is_asleep else _Phase.ACK
        self._exchange = _Exchange(request, phase)
        self._decoder.reset()
        return self._send(self._exchange, now)

    def opened(self) -> None:
        """The port was opened anew: the chip may sleep, and its first bytes may come late."""
        self.reset()
        self._is_asleep = self._is_first = True

    def reset(self) -> None:
        """Forget the exchange and what is in the buffers. Late answers may still come."""
        self._is_doubtful |= self._exchange is not None
        self._exchange = None
        self._decoder.reset()

    def feed(self, data: bytes, now: float) -> tuple[Action, ...]:
        """Bytes from the line at ``now``."""
        return self._items(self._decoder.feed(data, now), now)

    def tick(self, now: float) -> tuple[Action, ...]:
        """``deadline`` may be reached: find frames behind garbage, then repeat or give up."""
        actions = self._items(self._decoder.idle(now), now)
        exchange = self._exchange
        if actions or exchange is None or now < exchange.deadline:
            return actions
        self.counters.timeouts += 1
        return self._timed_out(exchange, now)

    def _timed_out(self, exchange: _Exchange, now: float) -> tuple[Action, ...]:
        self._is_doubtful = True
        if exchange.phase is _Phase.ANSWER:
            return self._ask_again(exchange, now)
        self._is_asleep = True
        if exchange.sends < SENDS:
            self.counters.retries += 1
            return self._send(exchange, now)
        if exchange.was_acknowledged:
            return self._give_up("the chip takes commands and does not answer them", alive=True)
        return self._give_up(
            "the chip does not acknowledge commands: check power, cable and that its switches say HSU", alive=False
        )

    def _send(self, exchange: _Exchange, now: float) -> tuple[Action, ...]:
        request = exchange.request
        if exchange.phase is _Phase.FENCE:
            self._tokens = (self._tokens + 1) % _TOKENS
            exchange.token = self._tokens.to_bytes(2, "big")
            request = Diagnose(exchange.token)
        data = encode(request_frame(request))
        if self._is_asleep:
            data = WAKE_UP + data
            self._is_asleep = False
        exchange.sends += 1
        wait_s = self._patience.first_ack_s if self._is_first else self._patience.ack_s
        if exchange.phase is _Phase.FENCE:
            wait_s += self._patience.answer_s
        exchange.deadline = now + wait_s + self._patience.wire_s(len(data) + len(Signal.ACK.value))
        return (Send(data),)

    def _ask_again(self, exchange: _Exchange, now: float) -> tuple[Action, ...]:
        self._is_doubtful = True
        if exchange.nacks >= NACKS:
            stop, over = Send(encode(Signal.ACK)), self._give_up("the chip takes commands and does not answer them", alive=True)
            return (stop, *over)
        exchange.nacks += 1
        self.counters.nacks += 1
        self._await_answer(exchange, now)
        return (Send(encode(Signal.NACK)),)

    def _await_answer(self, exchange: _Exchange, now: float) -> None:
        exchange.phase = _Phase.ANSWER
        exchange.deadline = now + self._patience.wire_s(MAX_CONTENT_BYTES) + self._patience.answer_s

    def _items(self, items: Iterable[Item], now: float) -> tuple[Action, ...]:
        actions: list[Action] = []
        for item in items:
            self.counters.frames += 1
            actions += self._item(item, now)
        return tuple(actions)

    def _item(self, item: Item, now: float) -> tuple[Action, ...]:
        exchange = self._exchange
        if exchange is None:
            self.counters.strays += 1
            return ()
        match exchange.phase, item:
            case _Phase.FENCE, Frame():
                return self._fenced(exchange, item, now)
            case _Phase.FENCE, Signal.ACK:
                exchange.was_acknowledged = True
                self._is_first = False
                return ()
            case _Phase.ACK, Signal.ACK:
                exchange.was_acknowledged = True
                self._is_first = False
                self._await_answer(exchange, now)
                return ()
            case _Phase.ANSWER, Signal.ERROR:
                return self._finish(Refused(SYNTAX))
            case _Phase.ANSWER, Frame(code=code) if code == code_of(exchange.request) + 1:
                return self._answer(exchange, item, now)
        self.counters.strays += 1
        return ()

    def _fenced(self, exchange: _Exchange, frame: Frame, now: float) -> tuple[Action, ...]:
        probe = Diagnose(exchange.token)
        if frame.code != code_of(probe) + 1 or read_echo(frame) != exchange.token:
            self.counters.strays += 1
            return ()
        self._is_doubtful = False
        exchange.phase, exchange.sends = _Phase.ACK, 0
        return self._send(exchange, now)

    def _answer(self, exchange: _Exchange, frame: Frame, now: float) -> tuple[Action, ...]:
        try:
            answer = read_answer(frame, exchange.request)
        except MessageError:
            self.counters.malformed += 1
            return self._ask_again(exchange, now)
        return self._finish(answer)

    def _finish(self, answer: Answer) -> tuple[Action, ...]:
        self._exchange = None
        return (Answered(answer),)

    def _give_up(self, reason: str, *, alive: bool) -> tuple[Action, ...]:
        self._exchange = None
        self._is_asleep = True
        self.counters.given_up += 1
        return (GaveUp(reason, alive=alive),)


def read_echo(frame: Frame) -> bytes | None:
    """The token in an answer to the communication test, ``None`` when it is no such answer."""
    try:
        answer = read_answer(frame, Diagnose(b""))
    except MessageError:
        return None
    return answer.token if isinstance(answer, Echo) else None
