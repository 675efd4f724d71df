"""Question and answer on one line of FEIG readers: one request at a time, time-outs, retries, the rest of a long inventory.

Pure: bytes and time go in, actions come out; the caller writes what it is told to and calls ``tick`` at ``deadline``.

The protocol numbers nothing: an answer is known by its address and command alone, so a late answer to a request that was
repeated looks like the answer to the next one. A reader works in order. Therefore, after any repeat, the next exchange with
that reader starts with a ping as a fence: once the ping is answered, every older answer has come or never will.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from drivers.feig.frames import ANY_ADDRESS, MAX_ADVANCED_BYTES, MAX_STANDARD_BYTES, Frame, FrameDecoder, Role, encode
from drivers.feig.messages import (
    Answer,
    Inventory,
    MessageError,
    Ping,
    Refused,
    Request,
    Tags,
    control_of,
    read_answer,
    request_frame,
)
from drivers.feig.status import Status
from drivers.link.exchange import Send
from drivers.ports import DriverError

SENDS: Final = 2
"""A request is sent once and repeated once (FEIG §2.2, driver rules)."""
MORE_ROUNDS: Final = 8
"""Answers with status 94 that are followed up in one inventory: 216 tags, four packs. Then the scan is not clean."""
PATIENCE_PER_TAG_S: Final = 0.01
"""Added to the wait for a scan, for each tag that may lie there: 52 tags take 482 ms on the air."""
BUSY_REPEATS: Final = 3


@dataclass(frozen=True, slots=True)
class LineSettings:
    """Speed of the line and patience with it, in seconds."""

    baud: int = 38400
    bits_per_byte: int = 11
    """Start, 8 data, even parity, stop; 10 without parity."""
    response_s: float = 0.4
    """Wait for an answer beyond the time on the wire."""
    probe_s: float = 0.1
    """The same for one ping to a reader that was silent before."""
    busy_s: float = 0.05
    """Pause before a busy reader is asked again."""
    longest_answer: int | None = None
    """Bytes of the longest answer that is waited for; ``None`` for the longest frame."""
    gap_s: float | None = None
    """Silence inside a frame after which it is given up; ``None`` for the host's usual."""

    def wire_s(self, byte_count: int) -> float:
        """Time of ``byte_count`` bytes on the wire."""
        return byte_count * self.bits_per_byte / self.baud


@dataclass(frozen=True, slots=True)
class Answered:
    """The exchange with the reader at ``address`` is over, with its answer."""

    address: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The exchange is over without an answer. ``alive`` if the reader still answered a ping."""

    address: int
    reason: str
    alive: bool = field(kw_only=True)


Action: TypeAlias = Send | Answered | GaveUp


@dataclass(slots=True)
class Counters:
    """What the line went through since it was made."""

    frames: int = 0
    strays: int = 0
    """Good frames that were no answer to the request under way."""
    malformed: int = 0
    """Answers whose content did not fit the command."""
    timeouts: int = 0
    retries: int = 0
    given_up: int = 0


@lru_cache(maxsize=512)
def _inventory_bytes(address: int, *, more: bool, advanced: bool) -> bytes:
    return encode(request_frame(Inventory(more=more), address, advanced=advanced))


class _Phase(Enum):
    FENCE = "fence"
    ASK = "ask"
    PAUSE = "pause"
    PROBE = "probe"


@dataclass(slots=True)
class _Exchange:
    address: int
    request: Request
    phase: _Phase
    probing: bool
    extra_s: float
    deadline: float = 0.0
    sends: int = 0
    busy: int = 0
    rounds: int = 0
    tags: dict[str, None] = field(default_factory=dict)
    clean: bool = True
    repeated: bool = False


class LineSession:
    """The host's end of one line. At most one exchange is under way."""

    def __init__(self, settings: LineSettings, *, advanced: bool = False) -> None:
        self._settings = settings
        self._advanced = advanced
        self._longest_answer = settings.longest_answer or (MAX_ADVANCED_BYTES if advanced else MAX_STANDARD_BYTES)
        self._decoder = FrameDecoder(Role.HOST, gap_s=settings.gap_s)
        self._exchange: _Exchange | None = None
        self._owed: set[int] = set()
        self._newest: dict[int, tuple[bytes, Answer]] = {}
        """What each reader told in its last inventory, and what that meant: mostly the next one tells the same."""
        self.counters = Counters()

    @property
    def frames(self) -> int:
        """Good frames so far."""
        return self.counters.frames

    @property
    def skipped_bytes(self) -> int:
        """Bytes that belonged to no good frame."""
        return self._decoder.skipped_bytes

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

    def start(
        self, address: int, request: Request, now: float, *, probing: bool = False, extra_s: float = 0.0
    ) -> tuple[Action, ...]:
        """Begin an exchange. With ``probing`` one short ping goes first, for a reader that was silent before, so that
        a dead reader costs the others of its line little. ``extra_s`` is added to the wait for each answer to ``request``.
        ``DriverError`` if an exchange is under way."""
        if self._exchange is not None:
            raise DriverError(f"the line is in use: the request to address {self._exchange.address} has no answer yet")
        fenced = probing or address in self._owed
        self._exchange = _Exchange(address, request, _Phase.FENCE if fenced else _Phase.ASK, probing, extra_s)
        self._decoder.reset()
        return self._send(self._exchange, now)

    def opened(self) -> None:
        """The port was opened anew."""
        self.reset()

    def reset(self) -> None:
        """The port was closed: forget the exchange and what is in the buffers. Late answers may still come."""
        if self._exchange is not None:
            self._owed.add(self._exchange.address)
            self._exchange = None
        self._decoder.reset()

    def feed(self, data: bytes, now: float) -> tuple[Action, ...]:
        """Bytes from the line at ``now``."""
        return self._frames(self._decoder.feed(data, now), now)

    def tick(self, now: float) -> tuple[Action, ...]:
        """``deadline`` may be reached: find frames behind garbage, then repeat, ping or give up."""
        actions = self._frames(self._decoder.idle(now), now)
        exchange = self._exchange
        if actions or exchange is None or now < exchange.deadline:
            return actions
        if exchange.phase is _Phase.PAUSE:
            exchange.phase = _Phase.ASK
            return self._send(exchange, now)
        self.counters.timeouts += 1
        return self._timed_out(exchange, now)

    def _timed_out(self, exchange: _Exchange, now: float) -> tuple[Action, ...]:
        self._owed.add(exchange.address)
        if exchange.rounds:
            return self._finish(exchange, Tags(tuple(exchange.tags), clean=False))
        if exchange.sends < (1 if exchange.probing and exchange.phase is _Phase.FENCE else SENDS):
            self.counters.retries += 1
            exchange.repeated = True
            return self._send(exchange, now)
        if exchange.phase is _Phase.ASK:
            exchange.phase, exchange.sends = _Phase.PROBE, SENDS - 1
            return self._send(exchange, now)
        return self._give_up(exchange, f"the reader at address {exchange.address} does not answer, nor a ping", alive=False)

    def _send(self, exchange: _Exchange, now: float) -> tuple[Action, ...]:
        fence = exchange.phase in (_Phase.FENCE, _Phase.PROBE)
        request: Request = Ping() if fence else Inventory(more=True) if exchange.rounds else exchange.request
        data = self._encoded(request, exchange.address)
        exchange.sends += 1
        ping_s = self._settings.probe_s if exchange.probing else self._settings.response_s
        patience_s = ping_s if fence else self._settings.response_s + exchange.extra_s
        exchange.deadline = now + self._settings.wire_s(len(data) + self._longest_answer) + patience_s
        return (Send(data),)

    def _encoded(self, request: Request, address: int) -> bytes:
        match request:
            case Inventory(more=more):
                return _inventory_bytes(address, more=more, advanced=self._advanced)
            case _:
                return encode(request_frame(request, address, advanced=self._advanced))

    def _frames(self, frames: Iterable[Frame], now: float) -> tuple[Action, ...]:
        if not frames:
            return ()
        actions: list[Action] = []
        for frame in frames:
            self.counters.frames += 1
            actions += self._frame(frame, now)
        return tuple(actions)

    def _frame(self, frame: Frame, now: float) -> tuple[Action, ...]:
        exchange = self._exchange
        if exchange is None or exchange.phase is _Phase.PAUSE or not self._expected(exchange, frame):
            self.counters.strays += 1
            return ()
        if exchange.phase is _Phase.FENCE:
            self._owed.discard(exchange.address)
            exchange.phase, exchange.sends, exchange.repeated = _Phase.ASK, 0, False
            return self._send(exchange, now)
        if exchange.phase is _Phase.PROBE:
            self._owed.discard(exchange.address)
            reason = f"the reader at address {exchange.address} answers a ping but not the request"
            return self._give_up(exchange, reason, alive=True)
        try:
            answer = self._read(frame, exchange)
        except MessageError:
            self.counters.malformed += 1
            return ()
        return self._answer(exchange, answer, now)

    def _read(self, frame: Frame, exchange: _Exchange) -> Answer:
        if not isinstance(exchange.request, Inventory):
            return read_answer(frame, exchange.request)
        newest = self._newest.get(exchange.address)
        if newest is not None and newest[0] == frame.payload:
            return newest[1]
        answer = read_answer(frame, exchange.request)
        self._newest[exchange.address] = frame.payload, answer
        return answer

    def _expected(self, exchange: _Exchange, frame: Frame) -> bool:
        asked: Request = exchange.request if exchange.phase is _Phase.ASK else Ping()
        return exchange.address in (frame.address, ANY_ADDRESS) and frame.control == control_of(asked)

    def _answer(self, exchange: _Exchange, answer: Answer, now: float) -> tuple[Action, ...]:
        match answer:
            case Refused(code) if code == Status.BUSY and exchange.busy < BUSY_REPEATS:
                exchange.busy += 1
                exchange.sends = 0
                exchange.phase = _Phase.PAUSE
                exchange.deadline = now + self._settings.busy_s
                return ()
            case Tags(more=False) if not exchange.rounds:
                return self._finish(exchange, answer)
            case Tags(uids, clean=clean, more=more):
                exchange.tags |= dict.fromkeys(uids)
                exchange.clean &= clean
                followed_up = not exchange.repeated and exchange.rounds < MORE_ROUNDS
                if more and followed_up:
                    exchange.rounds += 1
                    exchange.sends = 0
                    return self._send(exchange, now)
                return self._finish(exchange, Tags(tuple(exchange.tags), clean=exchange.clean and not more))
            case Refused() if exchange.rounds:
                return self._finish(exchange, Tags(tuple(exchange.tags), clean=False))
            case _:
                return self._finish(exchange, answer)

    def _finish(self, exchange: _Exchange, answer: Answer) -> tuple[Action, ...]:
        self._exchange = None
        return (Answered(exchange.address, answer),)

    def _give_up(self, exchange: _Exchange, reason: str, *, alive: bool) -> tuple[Action, ...]:
        self._exchange = None
        self.counters.given_up += 1
        return (GaveUp(exchange.address, reason, alive=alive),)
