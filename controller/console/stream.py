"""The event stream of a table's pages: its picture is drawn once for all of them, and only while one looks on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from controller.page_stream import HEARTBEAT_S, MAX_KEPT, MAX_PAGES, MAX_WAITING, PageStream, Picture, TooManyPages
from controller.table.loop import TableStopped

__all__ = ["HEARTBEAT_S", "MAX_KEPT", "MAX_PAGES", "MAX_WAITING", "EventStream", "Picture", "TooManyPages"]


class EventStream:
    """The changes of one table's picture for any number of pages.

    ``picture`` makes it, with its journal number as ``seq``; ``changed(seq)`` returns once the journal is past ``seq``. ``boot``
    names this start of the controller: a page that hears another one knows that it was started anew.
    """

    def __init__(self, picture: Callable[[], Picture], changed: Callable[[int], Awaitable[Any]], boot: str) -> None:
        self._picture = picture
        self._changed = changed
        self._now: Picture = {}
        self._stream = PageStream(lambda: self._now, lambda: self._seq, boot)
        self._task: asyncio.Task[None] | None = None

    @property
    def pages(self) -> int:
        """How many pages look on."""
        return self._stream.pages

    @property
    def is_full(self) -> bool:
        """No further page is served, for their number or because the server stops."""
        return self._stream.is_full

    def close(self) -> None:
        """End every stream now; a server that stops must not wait for its readers."""
        self._stream.close()
        if self._task is not None:
            self._task.cancel()

    async def frames(self, last: int | None = None) -> AsyncGenerator[bytes]:
        """The stream of one page as encoded frames; ``last`` is the last number it has seen. ``TooManyPages`` when full."""
        if self.is_full:
            raise TooManyPages
        if self._task is None or self._task.done():
            self._now = self._picture()
            self._stream.forget()
            self._task = asyncio.create_task(self._run(), name="event stream")
        try:
            async with aclosing(self._stream.frames(last)) as frames:
                async for frame in frames:
                    yield frame
        finally:
            await self._rest()

    async def _rest(self) -> None:
        """Nobody looks on: nothing is drawn."""
        task = self._task
        if self._stream.pages or task is None:
            return
        self._task = None
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    @property
    def _seq(self) -> int:
        return int(self._now["seq"])

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        moved = asyncio.ensure_future(self._changed(self._seq))
        try:
            while not self._stream.is_closed:
                await asyncio.wait({moved}, timeout=HEARTBEAT_S)
                began = loop.time()
                if moved.done():
                    moved.result()
                self._tell()
                if moved.done():
                    moved = asyncio.ensure_future(self._changed(self._seq))
                await asyncio.sleep(min(loop.time() - began, HEARTBEAT_S))  # at most half the time goes into pictures
        except TableStopped:
            self.close()
        finally:
            moved.cancel()
            await asyncio.gather(moved, return_exceptions=True)

    def _tell(self) -> None:
        """Send what differs from the last picture, or a heartbeat."""
        now = self._picture()
        changed = {name: value for name, value in now.items() if self._now.get(name) != value}
        self._now = now
        if changed:
            self._stream.change(self._seq, changed)
        else:
            self._stream.beat()
