"""Who answers at a shoe's port: asked once by STATUS, which changes nothing and needs no session (TSP/1 commands)."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from drivers.link.base import Link, Opener
from drivers.link.visit import visit
from drivers.shoe.authentication import Pair, Signer
from drivers.shoe.codec import format_host, parse_device
from drivers.shoe.lines import HOST, MAX_SIGNED_BYTES, LineError, LineFramer, parse_line
from drivers.shoe.messages import NO_EPOCH, Command, DeviceHello, Heartbeat, Verb
from drivers.shoe.opening import Opening

PATIENCE_S: Final = 2.5
"""A shoe answers STATUS at once: this leaves room for five questions."""
ASK_EVERY_S: Final = 0.5


@dataclass(slots=True)
class ShoeAnswer:
    """What came from the port: the shoe's answer to our question, or bytes that are none of TSP/1 (``bad_lines``), or nothing.

    ``unasked`` counts a shoe's lines that answer something else: what it says by itself, or a copy that was kept in some buffer.
    """

    node: str = ""
    hello: DeviceHello | None = None
    beat: Heartbeat | None = None
    bytes_in: int = 0
    bad_lines: int = 0
    unasked: int = 0


class _Listener:
    """Takes down HELLO and HB that bear the token of ``opening``."""

    def __init__(self, opening: Opening) -> None:
        self.answer = ShoeAnswer()
        self.whole = asyncio.Event()
        self._opening = opening
        self._framer = LineFramer(MAX_SIGNED_BYTES)

    def link_opened(self, link: Link) -> None:
        pass

    def data_received(self, data: bytes) -> None:
        answer = self.answer
        answer.bytes_in += len(data)
        for body in self._framer.feed(data):
            try:
                line = parse_line(body)
                message = parse_device(line)
            except LineError:
                continue
            if line.node == HOST:
                continue
            if isinstance(message, DeviceHello | Heartbeat) and message.re == self._opening.token:
                self._answered(line.node, message)
            else:
                answer.unasked += 1
        answer.bad_lines = self._framer.bad_lines

    def _answered(self, node: str, message: DeviceHello | Heartbeat) -> None:
        answer, pair = self.answer, self._opening.take(message)
        answer.node = node
        answer.hello, answer.beat = pair if pair is not None else (self._opening.hello, None)
        if pair is not None:
            self.whole.set()

    def link_lost(self, reason: str) -> None:
        self.whole.set()


async def ask_shoe(opener: Opener, rng: random.Random, *, patience_s: float = PATIENCE_S, pair: Pair | None = None) -> ShoeAnswer:
    """The HELLO and HB that answer our question, of one start of the shoe, as far as they come within ``patience_s``.
    ``DriverError`` when the port cannot be opened.

    A shoe that authenticates answers no question but one signed with ``pair``; its answer is read, not believed.
    """
    signer = None if pair is None else Signer(pair, is_host=True)
    opening = Opening(rng)
    status = format_host(Command(0, opening.token, NO_EPOCH, Verb.STATUS))
    listener = _Listener(opening)
    async with visit(opener, listener) as link:
        for _ in range(max(1, round(patience_s / ASK_EVERY_S))):
            link.write(status if signer is None else signer.sign(status, is_opening=True))
            with suppress(TimeoutError):
                async with asyncio.timeout(ASK_EVERY_S):
                    await listener.whole.wait()
                break
    return listener.answer
