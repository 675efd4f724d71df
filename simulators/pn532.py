"""A simulated PN532 on its high-speed UART, in the device's role: sleep and wake-up, ACK, answers in a chip's time, NACK, abort.

What lies on its antenna comes from the table world through ``tags``. Nothing here knows a card. The line keeps the pace of its
port: a host that changes the speed of a pseudo-terminal changes nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from drivers.pn532.frames import Direction, Frame, FrameDecoder, Item, Signal, encode
from simulators.device_port import DevicePort
from simulators.pn532_chip import ChipCode, Pn532Chip, Reply, SyntaxFault, answer

WAKE_BYTES: Final = 5
"""Preamble bytes in a row that wake the chip up."""
ACK_S: Final = 0.001
COMMAND_S: Final = 0.001
"""A command without any work on the air, behind the ACK."""
LOOK_S: Final = 0.012
"""A search without an end looks so often for cards."""

_FILL: Final = frozenset(b"\x00\x55")


class Power(Enum):
    """How far the chip is awake."""

    ASLEEP = "asleep"
    """No current before, or PowerDown: only a long preamble is heard."""
    LOW_BATTERY = "low battery"
    """Awake, not yet SAMConfiguration: another command is answered at most once, then the chip sleeps again (AN10609)."""
    AWAKE = "awake"


@dataclass(slots=True)
class ChipFaults:
    """What may go wrong. All fields may be set at any time; chances are 0 to 1 and drawn from the chip's own ``Random``."""

    miss: float = 0.0
    """Chance that a card on the antenna is not read in a search."""
    extra: tuple[str, ...] = field(default=(), repr=False)
    """UIDs that are read besides the true ones: foreign cards, a tag that is stuck."""
    lost: float = 0.0
    """Chance that a command is neither acknowledged nor carried out."""
    unacknowledged: float = 0.0
    """Chance that the ACK is lost and the command is carried out all the same."""
    unanswered: float = 0.0
    """Chance that an answer is lost; NACK brings it back."""
    garbled: float = 0.0
    """Chance that one byte of an answer is spoilt; NACK brings the good one."""
    refused: float = 0.0
    """Chance of the error frame."""
    is_silent: bool = False
    """The chip says nothing at all."""
    delay_s: float = 0.0
    """Seconds that each answer takes longer."""


class SimulatedPn532:
    """One chip on ``port``, whose antenna reads ``tags(antenna)``. ``speed`` > 1 divides its times; the port paces the bytes."""

    def __init__(
        self,
        port: DevicePort,
        *,
        tags: Callable[[int], Sequence[str]],
        rng: random.Random,
        antenna: int = 1,
        speed: float = 1.0,
    ) -> None:
        self._port = port
        self._tags = tags
        self._rng = rng
        self._antenna = antenna
        self._speed = speed
        self._decoder = FrameDecoder(Direction.TO_CHIP)
        self._chip = Pn532Chip()
        self._fill = 0
        self._busy: asyncio.TimerHandle | None = None
        self._last_answer = b""
        self.power = Power.ASLEEP
        self.faults = ChipFaults()
        self.commands: dict[int, int] = {}
        """Commands carried out, by code."""
        port.attach(self)

    @property
    def searches(self) -> int:
        """Searches for cards that were answered."""
        return self._chip.searches

    @property
    def is_field_on(self) -> bool:
        """Whether the antenna radiates."""
        return self._chip.is_field_on

    def power_cycle(self) -> None:
        """The chip loses its power: settings are the maker's again, and it sleeps."""
        self._stop()
        self._chip = Pn532Chip()
        self.power = Power.ASLEEP

    def host_connected(self) -> None:
        """A host opened the line."""
        self._decoder.reset()
        self._fill = 0

    def host_gone(self) -> None:
        """The host closed the line: what was under way is not sent. The chip stays as awake as it was."""
        self._decoder.reset()
        self._stop()

    def host_data(self, data: bytes) -> None:
        """Bytes of the host."""
        if self.power is Power.ASLEEP:
            data = self._wake(data)
        now = asyncio.get_running_loop().time()
        for item in self._decoder.feed(data, now):
            self._take(item)

    def _wake(self, data: bytes) -> bytes:
        """What the chip hears of ``data`` as it wakes up: nothing before five bytes of preamble in a row."""
        for position, byte in enumerate(data):
            self._fill = self._fill + 1 if byte in _FILL else 0
            if self._fill >= WAKE_BYTES:
                self._fill = 0
                self.power = Power.LOW_BATTERY
                return data[position + 1 :]
        return b""

    def _take(self, item: Item) -> None:
        if self.faults.is_silent:
            return
        match item:
            case Frame():
                self._command(item)
            case Signal.ACK:
                self._stop()
            case Signal.NACK if self._busy is None and self._last_answer:
                self._port.write(self._last_answer)
            case _:
                pass

    def _command(self, frame: Frame) -> None:
        self._stop()
        if self._happens(self.faults.lost) or self.power is Power.ASLEEP:
            return
        if self.power is Power.LOW_BATTERY and frame.code not in (ChipCode.SAM, ChipCode.FIRMWARE):
            return
        self.commands[frame.code] = self.commands.get(frame.code, 0) + 1
        if not self._happens(self.faults.unacknowledged):
            self._later(ACK_S, lambda: self._acknowledge(frame))
        else:
            self._later(ACK_S, lambda: self._begin(frame))

    def _acknowledge(self, frame: Frame) -> None:
        self._port.write(encode(Signal.ACK))
        self._begin(frame)

    def _begin(self, frame: Frame) -> None:
        if self._happens(self.faults.refused):
            self._later(COMMAND_S, lambda: self._say(encode(Signal.ERROR)))
            return
        self._attempt(frame, asyncio.get_running_loop().time())

    def _attempt(self, frame: Frame, began: float) -> None:
        """Carry the command out; a search without a card goes on until its time is over."""
        try:
            reply = self._chip.carry_out(frame, self._seen())
        except SyntaxFault:
            self._later(COMMAND_S, lambda: self._say(encode(Signal.ERROR)))
            return
        waited_s = (asyncio.get_running_loop().time() - began) * self._speed
        if reply.poll_s is None or waited_s < reply.poll_s:
            self._later(LOOK_S, lambda: self._attempt(frame, began))
        else:
            self._later(COMMAND_S + reply.work_s + self.faults.delay_s * self._speed, lambda: self._answer(frame, reply))

    def _answer(self, frame: Frame, reply: Reply) -> None:
        match frame.code, self.power:
            case ChipCode.POWER_DOWN, _:
                self.power = Power.ASLEEP
                self._chip.reset()
            case ChipCode.SAM, _:
                self.power = Power.AWAKE
            case _, Power.LOW_BATTERY:
                self.power = Power.ASLEEP
            case _:
                pass
        self._say(encode(answer(frame, reply)))

    def _say(self, data: bytes) -> None:
        self._busy = None
        self._last_answer = data
        if self._happens(self.faults.unanswered):
            return
        if self._happens(self.faults.garbled):
            at = self._rng.randrange(3, len(data) - 1)
            data = data[:at] + bytes((data[at] ^ 1 << self._rng.randrange(8),)) + data[at + 1 :]
        self._port.write(data)

    def _seen(self) -> list[str]:
        there = [uid for uid in self._tags(self._antenna) if not self._happens(self.faults.miss)]
        return [*there, *self.faults.extra]

    def _later(self, wait_s: float, then: Callable[[], None]) -> None:
        self._busy = asyncio.get_running_loop().call_later(wait_s / self._speed, then)

    def _stop(self) -> None:
        """Drop what is under way: a new command or an ACK of the host aborts it."""
        if self._busy is not None:
            self._busy.cancel()
            self._busy = None

    def _happens(self, chance: float) -> bool:
        return chance > 0 and self._rng.random() < chance
