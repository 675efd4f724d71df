"""A simulated shoe: a packet of physical cards behind a gate, speaking TSP/1 in the device's role over any ``DevicePort``."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from drivers.shoe.authentication import Pair, ShoeLock
from drivers.shoe.device_memory import SequenceLimits, ShoeIdentity, ShoeMemory
from drivers.shoe.device_session import DeviceSession
from drivers.shoe.messages import CardMode, Cause
from simulators.device_port import DevicePort

MAX_CARDS: Final = 416
"""Eight decks: more do not fit."""


class SimulatedShoe:
    """One shoe on ``port``. Codes are the wire's: rank and suit in capitals, as ``AS``.

    It is without current until ``start``. ``on_change`` is called after anything that may have opened or closed the gate.
    Cards and ``memory`` survive a restart; events that the host had not acknowledged do not.
    """

    def __init__(
        self,
        port: DevicePort,
        *,
        memory: ShoeMemory | None = None,
        identity: ShoeIdentity | None = None,
        limits: SequenceLimits | None = None,
        is_staging: bool = False,
        on_change: Callable[[], None] | None = None,
        pair: Pair | None = None,
        rng: random.Random | None = None,
    ) -> None:
        """With ``pair`` the shoe authenticates its lines; its nonces then come from ``rng``."""
        self._port = port
        self._memory = memory if memory is not None else ShoeMemory()
        self._identity = identity
        self._limits = limits
        self._is_staging = is_staging
        self._pair = pair
        self._rng = rng if rng is not None else random.Random(0)
        self._on_change = on_change
        self._cards: deque[str] = deque()
        self._out: list[tuple[str, int]] = []
        self._set_id = "NONE"
        self._session: DeviceSession | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_sending = False
        self._released = 0
        self.tells: Callable[[str], str] = str
        """What the shoe's eye makes of a card: its code, or ``??`` for one that it cannot read."""
        port.attach(self)

    @property
    def memory(self) -> ShoeMemory:
        """What a loss of power leaves."""
        return self._session.memory if self._session is not None else self._memory

    @property
    def remaining(self) -> int:
        """Cards in the shoe."""
        return len(self._cards)

    @property
    def is_gate_open(self) -> bool:
        """Whether a card can be pulled: never without current."""
        if self._session is None:
            return False
        self._session.tick(self._now())
        return self._session.is_gate_open

    @property
    def holders(self) -> str:
        """Letters of all that holds the gate closed; ``-`` without current."""
        return self._session.letters if self._session is not None else "-"

    @property
    def acked(self) -> tuple[int, int]:
        """Boot, and the event up to which the host has acknowledged it; 0 without current."""
        return (0, 0) if self._session is None else (self._session.memory.boot, self._session.acked)

    @property
    def releases(self) -> int:
        """How often the host has opened the gate since the shoe was made."""
        return self._released + (0 if self._session is None else self._session.releases)

    @property
    def on_change(self) -> Callable[[], None] | None:
        """Who is called after anything that may have opened or closed the gate."""
        return self._on_change

    @on_change.setter
    def on_change(self, told: Callable[[], None] | None) -> None:
        self._on_change = told

    def pair_with(self, pair: Pair | None) -> None:
        """Give it another key, or none: from its next start on it authenticates its lines with that."""
        self._pair = pair

    # Power

    def start(self, *, cause: Cause = Cause.POWER) -> None:
        """Current on: a new start, gate closed until LOCK 0."""
        self.stop()
        lock = None if self._pair is None else ShoeLock(self._pair, self._rng)
        self._session = DeviceSession(
            self._memory, self._now(), identity=self._identity, cause=cause, limits=self._limits, lock=lock
        )
        self._changed()

    def stop(self) -> None:
        """Current off: the gate closes, un-acknowledged events are gone."""
        self._memory = self.memory
        self._released = self.releases
        self._session = None
        self._is_sending = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def restart(self, *, cause: Cause = Cause.POWER) -> None:
        """Current off and on again."""
        self.start(cause=cause)

    # Hands

    def load(self, cards: Sequence[str], set_id: str) -> None:
        """Put a packet in; ``cards[0]`` is drawn first, what was in goes out. ``ValueError`` when it does not fit."""
        if len(cards) > MAX_CARDS:
            raise ValueError(f"{len(cards)} cards do not fit: a shoe holds at most {MAX_CARDS}")
        session = self._powered()
        self._cards = deque(cards)
        self._out.clear()
        self._set_id = set_id
        session.loaded(len(cards), set_id)
        self._changed()

    def draw(self, *, mode: CardMode = CardMode.COUNTED, told: str | None = None, by_force: bool = False) -> str | None:
        """Pull a card: its true code, or None when the gate is closed, unless ``by_force``, or the shoe is empty.

        The shoe reports ``told`` instead of it where that is given (``??`` for a misread).
        """
        if not (self.is_gate_open or by_force) or not self._cards:
            return None
        session = self._powered()
        if self._is_staging:
            session.staged()
        code = self._cards.popleft()
        report = told if told is not None else self.tells(code)
        session.drawn(self._now(), report, mode=mode)
        self._out.append((code, session.memory.draw_no))
        self._changed()
        return code

    def reinsert(self) -> str | None:
        """Push the last card out back in: its code, or None when none is out. The gate does not hinder that."""
        if not self._out:
            return None
        code, draw_no = self._out.pop()
        self._cards.appendleft(code)
        self._powered().reinserted(code, draw_no)
        self._changed()
        return code

    def cut_card(self) -> None:
        """The cut card comes out."""
        self._powered().cut()
        self._changed()

    def lid(self, *, is_open: bool) -> None:
        """Open or close the lid."""
        self._powered().lid(is_open=is_open)
        self._changed()

    def button(self, name: str) -> None:
        """Press a button."""
        self._powered().button(name)
        self._changed()

    def key_lock(self, *, is_locked: bool) -> None:
        """Turn the key switch."""
        self._powered().key_lock(is_locked=is_locked)
        self._changed()

    def error(self, code: str, *, is_latched: bool) -> None:
        """A fault inside, E1 to E9."""
        session = self._powered()
        session.error(code, is_latched=is_latched, draw_no=session.memory.draw_no)
        self._changed()

    # The port

    def host_connected(self) -> None:
        """From the port: a wire does not tell that."""

    def host_gone(self) -> None:
        """From the port: a wire does not tell that."""

    def host_data(self, data: bytes) -> None:
        """From the port."""
        if self._session is not None:
            self._session.received(self._now(), data)
            self._changed()

    # The UART: one line at a time

    def _changed(self) -> None:
        self._pump()
        if self._on_change is not None:
            self._on_change()

    def _pump(self) -> None:
        session = self._session
        if session is None or self._is_sending:
            return
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        line = session.next_line(self._now())
        if line is not None:
            self._is_sending = True
            wait_s = self._port.write(line)
            self._timer = loop.call_later(wait_s, self._left)
        else:
            self._timer = loop.call_later(max(session.next_at() - self._now(), 0.001), self._wake)

    def _left(self) -> None:
        self._timer = None
        self._is_sending = False
        if self._session is not None:
            self._session.line_left(self._now())
            self._pump()

    def _wake(self) -> None:
        self._timer = None
        self._changed()

    def _powered(self) -> DeviceSession:
        if self._session is None:
            raise RuntimeError("the shoe is without current: start it first")
        return self._session

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
