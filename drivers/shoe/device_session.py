"""The shoe's side of TSP/1, without I/O and clock: for simulators, and for tests of the host's side.

The owner feeds the host's bytes and what hands do at the exit, and asks for one line at a time whenever its UART is idle
(``next_line``, then ``line_left`` when the last byte has left), so no second copy of a line can queue (TSP/1 sending).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final, assert_never

from drivers.shoe.authentication import ShoeLock, opens_session
from drivers.shoe.codec import AUTHENTICATED, format_device, parse_host
from drivers.shoe.device_memory import SequenceLimits, ShoeIdentity, ShoeMemory
from drivers.shoe.event_store import EventStore
from drivers.shoe.lines import HOST, MAX_LINE_BYTES, MAX_SIGNED_BYTES, LineError, LineFramer, parse_line
from drivers.shoe.messages import (
    GATE_LETTERS,
    NO_EPOCH,
    NOT_TOLD,
    Ack,
    CardMode,
    CardRead,
    Cause,
    Command,
    Cut,
    DeviceHello,
    Empty,
    ErrorCleared,
    ErrorRaised,
    EventMessage,
    Heartbeat,
    HostHello,
    HostMessage,
    KeyPressed,
    Lid,
    Load,
    Lock,
    Nak,
    Outcome,
    Response,
    Verb,
)

EVERY_S: Final = 1.0
"""HB, and HELLO until a host HELLO is honoured."""
HOST_SILENCE_S: Final = 3.0
"""Without a line of the honoured epoch for this long the gate closes (T)."""
STRANGER_EVERY_S: Final = 1.0
NAK_AGAIN_S: Final = 0.25
RESPONSES: Final = 8
"""Answers that wait for the UART; the oldest falls out, the host asks again."""
GATE_CLOSES_UNACKED: Final = 112
GATE_REOPENS_UNACKED: Final = 56
LATCHED: Final = 3
"""Latched errors that HB can name."""


class DeviceSession:
    """A shoe from one start to the next. ``memory`` is what the previous start left; its boot counter is raised here.

    Every ``now`` is a monotonic second. The gate is closed (H) from the start until LOCK 0.
    """

    def __init__(
        self,
        memory: ShoeMemory,
        now: float,
        *,
        identity: ShoeIdentity | None = None,
        cause: Cause = Cause.POWER,
        limits: SequenceLimits | None = None,
        lock: ShoeLock | None = None,
    ) -> None:
        self.memory = replace(memory, boot=memory.boot + 1)
        self.is_exit_occupied = False
        self.releases = 0
        """How often LOCK 0 was carried out."""
        self._identity = identity if identity is not None else ShoeIdentity()
        self._limits = limits if limits is not None else SequenceLimits()
        self._cause = cause
        self._lock = lock
        self._framer = LineFramer(MAX_LINE_BYTES if lock is None else MAX_SIGNED_BYTES)
        self._store = EventStore()
        self._letters = frozenset("H")
        self._errors: list[str] = []
        self._epoch = NO_EPOCH
        self._command: tuple[int, bytes, Response | None] = (0, b"", None)
        self._responses: deque[Response] = deque(maxlen=RESPONSES)
        self._is_greeted = False
        self._started_at = now
        self._hello_at = self._beat_at = now
        self._hello_re: int | None = None
        self._beat_re: int | None = None
        self._life_at = self._stranger_at = self._nak_at = self._drawn_at = -math.inf
        self._nak_seq = 0
        self._sending: int | None = None

    @property
    def letters(self) -> str:
        """All that holds the gate closed; empty when open."""
        return "".join(letter for letter in GATE_LETTERS if letter in self._letters)

    @property
    def is_gate_open(self) -> bool:
        """Whether a card can be pulled."""
        return not self._letters

    @property
    def unacked(self) -> int:
        """Events that the host has not acknowledged."""
        return self._store.unacked

    @property
    def acked(self) -> int:
        """The number up to which the host has acknowledged the events of this start."""
        return self._store.mark

    # Time and the UART

    def tick(self, now: float) -> None:
        """Do what time has made due; call it before asking for the gate."""
        if self._epoch != NO_EPOCH and now - self._life_at >= HOST_SILENCE_S:
            self._hold("T", is_held=True)
        if now >= self._beat_at:
            self._beat_re = self._beat_re or 0
            self._beat_at = now + EVERY_S
        if not self._is_greeted and now >= self._hello_at:
            self._hello_re = self._hello_re or 0
            self._beat_re = self._beat_re or 0
            self._hello_at = now + EVERY_S

    def next_at(self) -> float:
        """When ``tick`` or ``next_line`` has something new without anything happening."""
        times = [self._beat_at, self._store.resend_at()]
        if not self._is_greeted:
            times.append(self._hello_at)
        if self._epoch != NO_EPOCH and "T" not in self._letters:
            times.append(self._life_at + HOST_SILENCE_S)
        return min(times)

    def next_line(self, now: float) -> bytes | None:
        """The next line for the idle UART, or None."""
        self.tick(now)
        self._sending = None
        if self._responses:
            return self._signed(format_device(self._identity.node, self._responses.popleft()))
        if self._hello_re is not None:
            re, self._hello_re = self._hello_re, None
            return self._signed(format_device(self._identity.node, self._hello(re)), is_opening=True)
        if self._beat_re is not None:
            re, self._beat_re = self._beat_re, None
            is_opening = re != 0 or not self._may_tell()
            return self._signed(format_device(self._identity.node, self._heartbeat(now, re)), is_opening=is_opening)
        self._sending = self._store.next_seq(now) if self._may_tell() else None
        return self._signed(self._store.line(self._sending)) if self._sending is not None else None

    def _may_tell(self) -> bool:
        """Authenticated, a shoe tells nothing but who it is before a session's keys are there."""
        return self._lock is None or self._lock.has_session

    def _signed(self, line: bytes, *, is_opening: bool = False) -> bytes:
        return line if self._lock is None else self._lock.sign(line, is_opening=is_opening)

    def line_left(self, now: float) -> None:
        """The last byte of the line given out has left the UART."""
        if self._sending is not None:
            self._store.left(self._sending, now)
            self._sending = None

    # What hands do

    def loaded(self, cards: int, set_id: str) -> None:
        """A packet was put in."""
        self.memory = replace(self.memory, load=(self.memory.load + 1) & 0xFFFF, draw_no=0, remaining=cards)
        decks = max(1, round(cards / 52))
        self._event(lambda boot, seq: Load(boot, seq, decks, cards, set_id, self.memory.load))

    def drawn(self, now: float, code: str, *, mode: CardMode = CardMode.COUNTED) -> None:
        """A card left the exit (C or N)."""
        gap_ms = 0 if self._drawn_at == -math.inf else min(round((now - self._drawn_at) * 1000), 999_999)
        self._drawn_at = now
        self.memory = replace(self.memory, draw_no=self.memory.draw_no + 1, remaining=self.memory.remaining - 1)
        self._card(code, mode, self.memory.draw_no, gap_ms)
        if self.memory.remaining == 0:
            self._event(Empty)

    def staged(self) -> None:
        """A card was read ahead: its number, not its code."""
        self._card(NOT_TOLD, CardMode.STAGED, self.memory.draw_no + 1, 0)

    def reinserted(self, code: str, draw_no: int) -> None:
        """Card ``draw_no``, the last one out, came back."""
        self.memory = replace(self.memory, remaining=self.memory.remaining + 1)
        self._card(code, CardMode.REINSERTED, draw_no, 0)

    def cut(self) -> None:
        """The cut card came."""
        self._event(lambda boot, seq: Cut(boot, seq, self.memory.draw_no))

    def lid(self, *, is_open: bool) -> None:
        """The lid moved."""
        self._event(lambda boot, seq: Lid(boot=boot, seq=seq, is_open=is_open))

    def button(self, name: str) -> None:
        """A button was pressed; only counted while the store is nearly full."""
        if self._store.unacked < GATE_CLOSES_UNACKED:
            self._event(lambda boot, seq: KeyPressed(boot, seq, name))

    def key_lock(self, *, is_locked: bool) -> None:
        """The key switch was turned (K)."""
        self._hold("K", is_held=is_locked)

    def error(self, code: str, *, is_latched: bool, draw_no: int = 0) -> None:
        """An error; a latched one closes the gate (E) until it is cleared."""
        self._event(lambda boot, seq: ErrorRaised(boot=boot, seq=seq, code=code, latched=is_latched, draw_no=draw_no))
        if is_latched and code not in self._errors and len(self._errors) < LATCHED:
            self._errors.append(code)
        if is_latched:
            self._hold("E", is_held=True)

    # What the host says

    def received(self, now: float, data: bytes) -> None:
        """Bytes of the host."""
        self.tick(now)
        for received in self._framer.feed(data):
            checked = None if self._lock is None else self._lock.check(now, received)
            if self._lock is not None and checked is None:
                continue  # no good tag: no answer, not even HELLO
            body = received if checked is None else checked.body
            try:
                line = parse_line(body)
                message = parse_host(line)
            except LineError:
                continue
            if line.node == HOST and (checked is None or checked.is_opening == opens_session(message)):
                self._host(now, message, body)
        self._rules()

    def _host(self, now: float, message: HostMessage, body: bytes) -> None:
        if isinstance(message, Command) and message.verb is Verb.STATUS:
            self._hello_re = self._beat_re = message.number
            return
        if message.boot != self.memory.boot:
            self._stranger(now)
            return
        match message:
            case HostHello():
                self._honour(now, message)
            case Command() if message.epoch != self._epoch and self._epoch.beats(message.epoch):
                self._responses.append(Response(message.boot, message.number, message.epoch, Outcome.ERR, 0, "FENCED"))
            case Ack() | Nak() | Command() if message.epoch != self._epoch:
                self._stranger(now)
            case Ack():
                self._life_at = now
                if message.seq > self._store.last:
                    self._stranger(now)
                elif self._store.acknowledge(message.seq, now):
                    self._roll(now)
            case Nak():
                self._life_at = now
                self._nak(now, message.seq)
            case Command():
                self._life_at = now
                self._obey(message, body)
            case _:
                assert_never(message)

    def _honour(self, now: float, hello: HostHello) -> None:
        """A larger epoch is honoured until the next start, the honoured one again; others are answered by HB."""
        if hello.epoch == self._epoch or hello.epoch.counter > self._epoch.counter:
            if hello.seq > self._store.last:
                self._stranger(now)
                return
            if self._lock is not None and not self._lock.takes(now, hello):
                self._beat_re = self._beat_re or 0
                return
            if hello.epoch != self._epoch:
                self._epoch = hello.epoch
                self._command = (0, b"", None)
            self._life_at = now
            self._is_greeted = True
            self._store.set_mark(hello.seq, now)
            self._store.send_from(hello.seq + 1)
            self._roll(now)
        self._beat_re = self._beat_re or 0

    def _nak(self, now: float, wanted: int) -> None:
        if wanted > self._store.last + 1:
            self._stranger(now)
        elif self._store.mark < wanted <= self._store.last and (wanted != self._nak_seq or now - self._nak_at >= NAK_AGAIN_S):
            self._nak_seq, self._nak_at = wanted, now
            self._store.send_from(wanted)

    def _stranger(self, now: float) -> None:
        """Not our boot, not the honoured epoch, or a mark that cannot be: say who we are, at most once a second."""
        if now - self._stranger_at >= STRANGER_EVERY_S:
            self._stranger_at = now
            self._hello_re = self._hello_re or 0
            self._beat_re = self._beat_re or 0

    def _obey(self, command: Command, body: bytes) -> None:
        """Once per (boot, epoch, id); the same again gets the same answer (TSP/1 commands)."""
        if command.verb is Verb.RESEND:
            self._store.send_from(int(command.argument) if command.argument.isdigit() else self._store.first)
            return
        last, last_body, last_answer = self._command
        if command.number < last or command.number == 0:
            answer = self._answer(command, Outcome.ERR, "OLD")
        elif command.number == last and last_answer is not None:
            answer = last_answer if body == last_body else self._answer(command, Outcome.ERR, "REUSED")
        else:
            answer = self._carry_out(command)
            if answer.outcome is not Outcome.BUSY:
                self._command = (command.number, body, answer)
        self._responses.append(answer)

    def _carry_out(self, command: Command) -> Response:
        match command.verb, command.argument:
            case Verb.LOCK, "1" if self.is_exit_occupied:
                return self._answer(command, Outcome.BUSY)
            case Verb.LOCK, "1":
                self._change(self._letters | {"H"})
            case Verb.LOCK, "0":
                self.releases += 1
                self._change(self._letters - {"H", "T"})
            case Verb.CLEAR, code if code in self._errors:
                self._errors.remove(code)
                self._event(lambda boot, seq: ErrorCleared(boot, seq, code))
                if not self._errors:
                    self._hold("E", is_held=False)
            case Verb.SET_ID, _:
                pass  # the next LOAD names the packet
            case _:
                return self._answer(command, Outcome.ERR, "UNKNOWN")
        return self._answer(command, Outcome.OK)

    def _answer(self, command: Command, outcome: Outcome, reason: str = "") -> Response:
        barrier = self._store.last if outcome is Outcome.OK else 0
        return Response(self.memory.boot, command.number, self._epoch, outcome, barrier, reason)

    # The gate, the store and the sequence end

    def _hold(self, letter: str, *, is_held: bool) -> None:
        self._change(self._letters | {letter} if is_held else self._letters - {letter})

    def _change(self, letters: frozenset[str]) -> None:
        if letters != self._letters:
            self._letters = letters
            holders = self.letters
            self._event(lambda boot, seq: Lock(boot, seq, holders))

    def _rules(self) -> None:
        """R: the store is nearly full, or the sequence nearly at its end."""
        if self._store.unacked >= GATE_CLOSES_UNACKED or self._has_sequence_end():
            self._hold("R", is_held=True)
        elif self._is_greeted and self._store.unacked <= GATE_REOPENS_UNACKED:
            self._hold("R", is_held=False)

    def _has_sequence_end(self) -> bool:
        return self._store.last >= self._limits.close_at

    def _roll(self, now: float) -> None:
        """Sequence end: a new numbering once everything is acknowledged and no card is in the exit. Not a restart."""
        if self._store.last < self._limits.roll_from or self._store.unacked or self.is_exit_occupied:
            return
        self.memory = replace(self.memory, boot=self.memory.boot + 1)
        self._cause = Cause.SEQUENCE_END
        self._store = EventStore()
        self._responses.clear()
        self._is_greeted = False
        self._hello_at = now
        self._letters |= {"R"}
        holders = self.letters
        self._event(lambda boot, seq: Lock(boot, seq, holders))

    def _card(self, code: str, mode: CardMode, draw_no: int, gap_ms: int) -> None:
        remaining = self.memory.remaining
        self._event(lambda boot, seq: CardRead(boot, seq, code, mode, draw_no, remaining, gap_ms))

    def _event(self, make: Callable[[int, int], EventMessage]) -> None:
        event = make(self.memory.boot, self._store.last + 1)
        self._store.add(format_device(self._identity.node, event))
        if "R" not in self._letters:
            self._rules()

    def _hello(self, re: int) -> DeviceHello:
        who, lock = self._identity, self._lock
        caps, nonce = (who.caps, "") if lock is None else ((*who.caps, AUTHENTICATED), lock.nonce)
        own = self.memory.boot, self._store.last, who.model, who.firmware
        return DeviceHello(*own, 1, 1, caps, self._cause, who.serial, re, nonce)

    def _heartbeat(self, now: float, re: int) -> Heartbeat:
        return Heartbeat(
            boot=self.memory.boot,
            last_seq=self._store.last,
            state=self._state(),
            errors=tuple(self._errors),
            remaining=self.memory.remaining,
            uptime_s=int(now - self._started_at),
            load=self.memory.load,
            draw_no=self.memory.draw_no,
            gate=self.letters,
            first=self._store.first,
            acked=self._store.mark,
            epoch=self._epoch,
            command=self._command[0],
            re=re,
        )

    def _state(self) -> str:
        if self._errors:
            return "FAULT"
        if self.memory.load == 0:
            return "IDLE"
        if self.memory.remaining == 0:
            return "EMPTY"
        return "LOCKED" if self._letters else "READY"
