"""Gate orders of the host (TSP/1 commands): one under way, repeated byte for byte until answered, never after a restart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from drivers.ports import CommandDone, DriverError, ShoeEvent
from drivers.shoe.messages import Command, Epoch, Outcome, Response, Verb

FIRST_REPEAT_S: Final = 0.5
LAST_REPEAT_S: Final = 2.0


@dataclass(slots=True)
class _Order:
    number: int
    is_open: bool
    command: Command | None = None
    due_at: float = -math.inf
    wait_s: float = FIRST_REPEAT_S


class GateOrders:
    """The order under way and at most one that waits; a newer one replaces one that was never sent."""

    def __init__(self, device: str, epoch: Epoch) -> None:
        self._device = device
        self._epoch = epoch
        self._current: _Order | None = None
        self._waiting: _Order | None = None
        self._last = 0

    def add(self, number: int, *, is_open: bool) -> list[ShoeEvent]:
        """Take an order; what became of the one that it replaces. ``DriverError`` unless ids grow from 1 to FFFF."""
        if not self._last < number <= 0xFFFF:
            raise DriverError(f"{self._device}: order {number} after order {self._last}: ids grow by one within a start")
        self._last = number
        order = _Order(number, is_open)
        if self._current is None or self._current.command is None:
            replaced, self._current = self._current, order
        else:
            replaced, self._waiting = self._waiting, order
        return [self._failed(replaced, "replaced by a newer order before it was sent")] if replaced is not None else []

    def due(self, now: float, boot: int) -> Command | None:
        """The command to send now, if any, the same at each repeat: only while the shoe honours our epoch."""
        order = self._current
        if order is None or now < order.due_at:
            return None
        if order.command is None:
            order.command = Command(boot, order.number, self._epoch, Verb.LOCK, "0" if order.is_open else "1")
        order.due_at = now + order.wait_s
        order.wait_s = min(2 * order.wait_s, LAST_REPEAT_S)
        return order.command

    def next_at(self) -> float:
        """When the order under way is repeated; infinity when there is none."""
        return self._current.due_at if self._current is not None else math.inf

    def answered(self, answer: Response) -> list[ShoeEvent]:
        """An RSP of our epoch: what to tell. BUSY was not done, so the repeats go on."""
        order = self._current
        if order is None or order.command is None or order.number != answer.number or answer.outcome is Outcome.BUSY:
            return []
        self._current, self._waiting = self._waiting, None
        if answer.outcome is Outcome.OK:
            return [CommandDone(self._device, order.number, ok=True, barrier=answer.barrier, reason="")]
        return [self._failed(order, f"the shoe refused: {answer.reason}")]

    def fate_unknown(self) -> list[ShoeEvent]:
        """Boot or epoch changed: nothing is repeated, the gate is read from HB."""
        orders = [order for order in (self._current, self._waiting) if order is not None]
        self._current = self._waiting = None
        return [
            self._failed(order, "never sent" if order.command is None else "its fate is unknown, read the gate from the shoe")
            for order in orders
        ]

    def _failed(self, order: _Order, reason: str) -> ShoeEvent:
        return CommandDone(self._device, order.number, ok=False, barrier=0, reason=reason)
