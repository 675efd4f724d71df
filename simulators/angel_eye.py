"""A simulated Angel Eye shoe as far as public programs tell (devices §1.2): each report three times, orders answered by 06 or 15.

It has a lock of its own, and no gate that a host could trust. Unverified, like the driver.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final

from drivers.angel_eye.frames import ACK, NAK, STX, Frame, encode, read_order
from drivers.angel_eye.ledger import LAST_NUMBER
from drivers.angel_eye.messages import CardTold, ErrorTold, LockTold, Occasion, Report, Simple, write_report
from simulators.device_port import DevicePort

COPIES: Final = 3
COPY_S: Final = 0.05
"""Between two copies of a report."""
ORDER_BYTES: Final = 10
BAD_CHECK: Final = b"02"
BAD_TYPE: Final = b"14"


class SimulatedAngelEye:
    """One shoe on ``port``. Codes are rank and suit in capitals, as ``AS``. It is without current until ``start``."""

    def __init__(self, port: DevicePort, *, has_stx_in_check: bool = True) -> None:
        self._port = port
        self._has_stx_in_check = has_stx_in_check
        self._cards: deque[str] = deque()
        self._number = 0
        self._copies: set[asyncio.TimerHandle] = set()
        self._heard = bytearray()
        self.is_locked = False
        self.is_on = False
        port.attach(self)

    def start(self) -> None:
        """Current on: it says so, under number 1."""
        self.stop()
        self.is_on = True
        self._number = 0
        self._say(Simple.STARTED)

    def stop(self) -> None:
        """Current off: copies that are under way are not sent."""
        self.is_on = False
        for handle in self._copies:
            handle.cancel()
        self._copies.clear()

    def load(self, cards: Sequence[str], set_id: str = "") -> None:
        """Put a packet in; ``cards[0]`` is drawn first. The shoe tells neither that nor which set it is."""
        del set_id
        self._cards = deque(cards)

    @property
    def remaining(self) -> int:
        """Cards in the shoe."""
        return len(self._cards)

    def draw(self, *, told: str | None = None, occasion: Occasion = Occasion.GAME, target: int = 0) -> str | None:
        """Pull a card: its true code, or None where there is none or its lock holds it. ``told``: what it tells instead."""
        if not self._cards or not self.is_on or self.is_locked:
            return None
        code = self._cards.popleft()
        self._say(CardTold(occasion, target, 1, told if told is not None else code))
        return code

    def repeat_card(self, code: str) -> None:
        """Tell a card again on demand of a person (R)."""
        self._say(CardTold(Occasion.AGAIN, 0, 1, code))

    def cut_card(self) -> None:
        """The cut card comes out."""
        self._say(Simple.CUT_CARD)

    def error(self, number: int, *, is_raised: bool = True) -> None:
        """A fault inside is raised or cleared."""
        self._say(ErrorTold(number, is_raised=is_raised, stays=is_raised))

    def lock(self, *, is_locked: bool) -> None:
        """Turn the lock."""
        self.is_locked = is_locked
        self._say(LockTold(is_locked))

    def say_raw(self, data: bytes) -> None:
        """A report with any data."""
        self._send(data)

    def host_connected(self) -> None:
        """From the port: a wire does not tell that."""

    def host_gone(self) -> None:
        """From the port: a wire does not tell that."""

    def host_data(self, data: bytes) -> None:
        """Orders: LK locks and unlocks, EC clears an error; what is spoilt or unknown is refused."""
        for byte in data:
            if byte == STX:
                self._heard.clear()
            elif not self._heard:
                continue
            self._heard.append(byte)
            if len(self._heard) == ORDER_BYTES:
                self._obey(bytes(self._heard))
                self._heard.clear()

    def _obey(self, data: bytes) -> None:
        order = read_order(data, has_stx_in_check=self._has_stx_in_check)
        if order is None:
            self._port.write(NAK + BAD_CHECK)
            return
        match order.kind, order.number:
            case "LK", "01" | "02":
                self._port.write(ACK)
                self.lock(is_locked=order.number == "02")
            case "EC", number if number.isdigit():
                self._port.write(ACK)
                self.error(int(number), is_raised=False)
            case "GP", "00":
                self._port.write(ACK)
            case _:
                self._port.write(NAK + BAD_TYPE)

    def _say(self, report: Report) -> None:
        self._send(write_report(report))

    def _send(self, data: bytes) -> None:
        self._number = self._number % LAST_NUMBER + 1
        frame = encode(Frame(ord("0") + self._number, data))
        self._port.write(frame)
        for copy in range(1, COPIES):
            self._later(copy * COPY_S, frame)

    def _later(self, wait_s: float, frame: bytes) -> None:
        def send() -> None:
            self._copies.discard(handle)
            self._port.write(frame)

        handle = asyncio.get_running_loop().call_later(wait_s, send)
        self._copies.add(handle)
