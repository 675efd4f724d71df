"""One short visit to a port: open it, let a sink talk, close it and wait until it is really closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from drivers.link.base import Link, LinkSink, Opener

CLOSING_S: Final = 5.0
"""Longest wait for a port to close; a device that takes no bytes can hold it up."""


class _Visitor:
    """Passes everything on and knows when the port is closed."""

    def __init__(self, sink: LinkSink) -> None:
        self._sink = sink
        self.closed = asyncio.Event()

    def link_opened(self, link: Link) -> None:
        self._sink.link_opened(link)

    def data_received(self, data: bytes) -> None:
        self._sink.data_received(data)

    def link_lost(self, reason: str) -> None:
        self.closed.set()
        self._sink.link_lost(reason)


@asynccontextmanager
async def visit(opener: Opener, sink: LinkSink) -> AsyncIterator[Link]:
    """The open port. ``DriverError`` when it cannot be opened; afterwards it is free for others."""
    visitor = _Visitor(sink)
    link = await opener.open(visitor)
    try:
        yield link
    finally:
        link.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await visitor.closed.wait()
