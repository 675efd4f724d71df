"""Orders of the host, LOCK and CLEAR (TSP/1 commands): one under way, repeated until answered, never after a restart."""

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
    verb: Verb
    argument: str
    command: Command | None = None
    due_at: float = -math.inf
    wait_s: float = FIRST_REPEAT_S

    @property
    def about(self) -> tuple[Verb, str]:
        """What it is for: the gate, or one error."""
        return self.verb, "" if self.verb is Verb.LOCK else self.argument


class GateOrders:
    """The order under way and those that wait, in the order of their ids: one for the gate and one for each error to be cleared.
    A newer one replaces one for the same that was never sent."""

    def __init__(self, device: str, epoch: Epoch) -> None:
        self._device = device
        self._epoch = epoch
        self._orders: list[_Order] = []
        self._last = 0

    def add(self, number: int, verb: Verb, argument: str) -> list[ShoeEvent]:
        """Take an order (LOCK 0 or 1, CLEAR a code); what became of the one that it replaces. ``DriverError`` unless ids
        grow from 1 to FFFF."""
        if not self._last < number <= 0xFFFF:
            raise DriverError(f"{self._device}: order {number} after order {self._last}: ids grow by one within a start")
        self._last = number
        order = _Order(number, verb, argument)
        same = [old for old in self._orders if old.command is None and old.about == order.about]
        self._orders = [old for old in self._orders if old not in same] + [order]
        return [self.failed(old.number, "replaced by a newer order before it was sent") for old in same]

    def due(self, now: float, boot: int) -> Command | None:
        """The command to send now, if any, the same at each repeat: only while the shoe honours our epoch."""
        if not self._orders or now < self._orders[0].due_at:
            return None
        order = self._orders[0]
        if order.command is None:
            order.command = Command(boot, order.number, self._epoch, order.verb, order.argument)
        order.due_at = now + order.wait_s
        if order.verb is not Verb.LOCK:  # other lines that get through keep an open gate open: its order is not put off
            order.wait_s = min(2 * order.wait_s, LAST_REPEAT_S)
        return order.command

    def next_at(self) -> float:
        """When the order under way is repeated; infinity when there is none."""
        return self._orders[0].due_at if self._orders else math.inf

    def answered(self, answer: Response) -> list[ShoeEvent]:
        """An RSP of our epoch: what to tell. BUSY was not done, so the repeats go on."""
        order = self._orders[0] if self._orders else None
        if order is None or order.command is None or order.number != answer.number or answer.outcome is Outcome.BUSY:
            return []
        del self._orders[0]
        if answer.outcome is Outcome.OK:
            return [CommandDone(self._device, order.number, ok=True, barrier=answer.barrier, reason="")]
        return [self.failed(order.number, f"the shoe refused: {answer.reason}")]

    def fate_unknown(self) -> list[ShoeEvent]:
        """Boot or epoch changed: nothing is repeated, the gate is read from HB."""
        orders, self._orders = self._orders, []
        return [
            self.failed(
                order.number, "never sent" if order.command is None else "its fate is unknown, read the gate from the shoe"
            )
            for order in orders
        ]

    def failed(self, number: int, reason: str) -> ShoeEvent:
        """What is told of an order that was not carried out."""
        return CommandDone(self._device, number, ok=False, barrier=0, reason=reason)
