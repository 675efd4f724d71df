"""Keeps one port open: opens it again after every loss, with full-jitter exponential back-off. One supervisor for each port."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final

from drivers.link.base import Link, LinkSink, Opener
from drivers.ports import DriverError

FIRST_WAIT_S: Final = 0.25
LAST_WAIT_S: Final = 5.0
HEALTHY_S: Final = 30.0
"""A link that was open this long starts the back-off afresh."""

_log = logging.getLogger(__name__)


class Supervisor:
    """Opens ``opener``'s port for ``sink``, again and again.

    ``before_open`` is awaited before every attempt: its owner can hold the port back until it has room for what will come.
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
                await asyncio.sleep(self.wait_s())
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

    async def _one_life(self) -> None:
        self._lost.clear()
        try:
            await self._opener.open(self)
        except DriverError as error:
            self._tell(str(error))
            return
        await self._lost.wait()

    def _tell(self, reason: str) -> None:
        """One log line for each loss, not for each vain attempt after it."""
        if not self._is_told:
            self._is_told = True
            _log.warning("%s: %s", self._opener.name, reason)

    def link_opened(self, link: Link) -> None:
        """From the link."""
        self._link = link
        self._is_told = False
        self._sink.link_opened(link)

    def data_received(self, data: bytes) -> None:
        """From the link."""
        self._sink.data_received(data)

    def link_lost(self, reason: str) -> None:
        """From the link."""
        self._link = None
        self._tell(reason)
        self._lost.set()
        self._sink.link_lost(reason)
