"""Keeps one port open: opens it again after every loss, with full-jitter exponential back-off. One supervisor for each port."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final

from drivers.link.base import Link, LinkSink, Node, Opener
from drivers.ports import DriverError

FIRST_WAIT_S: Final = 0.25
LAST_WAIT_S: Final = 5.0
HEALTHY_S: Final = 30.0
"""A link that was open this long starts the back-off afresh."""
UNOPENED_S: Final = 3.0
"""A port that is not open so long after its driver began is told as down, as one is that was lost (REG-13)."""
NODE_POLL_S: Final = 0.1
"""Between two looks whether the node of a closed port has come back; a look takes a few microseconds."""

_log = logging.getLogger(__name__)


class Supervisor:
    """Opens ``opener``'s port for ``sink``, again and again.

    ``before_open`` is awaited before every attempt: its owner can hold the port back until it has room for what will come.
    A port that is a node of the file system is tried at once when its node comes back or becomes another one.
    """

    def __init__(
        self, opener: Opener, sink: LinkSink, *, rng: random.Random, before_open: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._opener = opener
        self._sink = sink
        self._rng = rng
        self._before_open = before_open
        self._link: Link | None = None
        self._lost = asyncio.Event()
        self._losses = 0
        self._is_told = False
        self._stands: object = None
        self._changed_at: float | None = None
        self.trouble = "not opened yet"
        """Why the port is closed, for people; the last loss while it is open."""
        self.opened = 0
        """Times the port was opened since the start."""

    @property
    def is_open(self) -> bool:
        """Whether the port is open."""
        return self._link is not None

    @property
    def changed_at(self) -> float | None:
        """Second of the loop at which the port was last opened or lost; None before the first opening."""
        return self._changed_at

    async def run(self) -> None:
        """Keep the port open until cancelled; then close it and wait until that is done."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                if self._before_open is not None:
                    await self._before_open()
                started_at = loop.time()
                await self._one_life()
                if loop.time() - started_at >= HEALTHY_S:
                    self._losses = 0
                await self._wait(self.wait_s())
        finally:
            if self._link is not None:
                self._is_told = True  # our own doing is nothing to warn of
                self._link.close()
                await self._lost.wait()

    def wait_s(self) -> float:
        """Seconds until the next attempt: uniform below a bound that doubles with every loss in a row."""
        bound = min(LAST_WAIT_S, FIRST_WAIT_S * 2 ** min(self._losses, 10))
        self._losses += 1
        return self._rng.uniform(0, bound)

    async def _wait(self, wait_s: float) -> None:
        """Wait ``wait_s``, or until another node stands there than at the last attempt."""
        node = self._opener
        if not isinstance(node, Node):
            await asyncio.sleep(wait_s)
            return
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_s
        while (rest_s := until - loop.time()) > 0:
            stands = node.seen()
            if stands is not None and stands != self._stands:
                return
            self._stands = stands
            await asyncio.sleep(min(rest_s, NODE_POLL_S))

    async def _one_life(self) -> None:
        self._lost.clear()
        self._stands = self._opener.seen() if isinstance(self._opener, Node) else None
        try:
            await self._opener.open(self)
        except DriverError as error:
            self._tell(str(error))
            return
        await self._lost.wait()

    def _tell(self, reason: str) -> None:
        """One log line for each loss, not for each vain attempt after it."""
        self.trouble = reason
        if not self._is_told:
            self._is_told = True
            name = self._opener.name
            _log.warning("%s", reason if reason.startswith(name) else f"{name}: {reason}")

    def link_opened(self, link: Link) -> None:
        """From the link."""
        self._link = link
        self._is_told = False
        self.opened += 1
        self._changed_at = asyncio.get_running_loop().time()
        self._sink.link_opened(link)

    def data_received(self, data: bytes) -> None:
        """From the link."""
        self._sink.data_received(data)

    def link_lost(self, reason: str) -> None:
        """From the link."""
        self._link = None
        self._changed_at = asyncio.get_running_loop().time()
        self._tell(reason)
        self._lost.set()
        self._sink.link_lost(reason)
