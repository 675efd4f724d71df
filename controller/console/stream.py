"""The event stream of pages: a snapshot, then what changes, and a heartbeat; a bounded queue a page.

One task makes each picture once for all pages, however many there are, and only while there is one. A page that does not read
loses what waits for it and gets the newest snapshot in its place: it never delays another page and never holds memory.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any, Final

from controller.table.loop import TableStopped

HEARTBEAT_S: Final = 0.5
"""A page that hears nothing for two seconds is stale (screens §12)."""
MAX_WAITING: Final = 16
"""Frames that wait for one page; the next one puts a snapshot in their place."""
MAX_PAGES: Final = 32
"""Pages at one table; one more is told to come back later."""
MAX_KEPT: Final = 64
"""Changes that a page may have missed and still gets one by one (``Last-Event-ID``)."""
RETRY_MS: Final = 500
"""How soon a browser asks again when its stream has ended."""

Picture = Mapping[str, Any]


class TooManyPages(Exception):  # noqa: N818
    """As many pages look on as the table serves."""


class _Page:
    """One reader: frames that wait for it; ``None`` ends it."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_WAITING)

    def offer(self, frame: bytes, fresh: Callable[[], bytes]) -> None:
        """Queue ``frame``; where no room is left, the ``fresh`` snapshot alone."""
        if not self.frames.full():
            self.frames.put_nowait(frame)
            return
        self._clear()
        self.frames.put_nowait(fresh())

    def beat(self, frame: bytes) -> None:
        """A heartbeat waits behind nothing."""
        if self.frames.empty():
            self.frames.put_nowait(frame)

    def end(self) -> None:
        """Let the reader go at once."""
        self._clear()
        self.frames.put_nowait(None)

    def _clear(self) -> None:
        while not self.frames.empty():
            self.frames.get_nowait()


class EventStream:
    """The changes of one table's picture for any number of pages.

    ``picture`` makes it, with its journal number as ``seq``; ``changed(seq)`` returns once the journal is past ``seq``. ``boot``
    names this start of the controller: a page that hears another one knows that it was started anew.
    """

    def __init__(self, picture: Callable[[], Picture], changed: Callable[[int], Awaitable[Any]], boot: str) -> None:
        self._picture = picture
        self._changed = changed
        self._boot = boot
        self._pages: set[_Page] = set()
        self._now: Picture = {}
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=MAX_KEPT)
        self._poked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def pages(self) -> int:
        """How many pages look on."""
        return len(self._pages)

    @property
    def is_full(self) -> bool:
        """No further page is served, for their number or because the server stops."""
        return self._closed or len(self._pages) >= MAX_PAGES

    def poke(self) -> None:
        """Something of the picture that the journal does not hold has changed."""
        self._poked.set()

    def close(self) -> None:
        """End every stream now; a server that stops must not wait for its readers."""
        self._closed = True
        for page in self._pages:
            page.end()
        if self._task is not None:
            self._task.cancel()

    async def frames(self, last: int | None = None) -> AsyncGenerator[bytes]:
        """The stream of one page as encoded frames; ``last`` is the last number it has seen. ``TooManyPages`` when full."""
        if self.is_full:
            raise TooManyPages
        page = _Page()
        if self._task is None or self._task.done():
            self._now = self._picture()
            self._kept.clear()
            self._task = asyncio.create_task(self._run(), name="event stream")
        missed = self._missed(last)
        self._pages.add(page)
        try:
            yield f"retry: {RETRY_MS}\n\n".encode() + (self._snapshot() if missed is None else b"".join(missed))
            while not self._closed and (frame := await page.frames.get()) is not None:
                yield frame
        finally:
            self._pages.discard(page)
            await self._rest()

    async def _rest(self) -> None:
        """Nobody looks on: nothing is drawn."""
        task = self._task
        if self._pages or task is None:
            return
        self._task = None
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def _missed(self, last: int | None) -> list[bytes] | None:
        """Changes from ``last`` on, that one too, since a number may bear two of them; ``None`` when they are not all there."""
        if last is None or not self._kept or not self._kept[0][0] <= last <= self._seq:
            return None
        return [_hello(self._boot, self._seq), *(frame for seq, frame in self._kept if seq >= last)]

    @property
    def _seq(self) -> int:
        return int(self._now["seq"])

    def _snapshot(self) -> bytes:
        return _frame("snapshot", self._seq, {"boot": self._boot, **self._now})

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        moved = asyncio.ensure_future(self._changed(self._seq))
        try:
            while not self._closed:
                poked = asyncio.ensure_future(self._poked.wait())
                try:
                    await asyncio.wait({moved, poked}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    poked.cancel()
                began = loop.time()
                self._poked.clear()
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
        if not changed:
            beat = _frame("beat", None, {"seq": self._seq})
            for page in self._pages:
                page.beat(beat)
            return
        frame = _frame("change", self._seq, changed)
        self._kept.append((self._seq, frame))
        made: list[bytes] = []

        def fresh() -> bytes:
            if not made:
                made.append(self._snapshot())
            return made[0]

        for page in self._pages:
            page.offer(frame, fresh)


def _hello(boot: str, seq: int) -> bytes:
    return _frame("resumed", None, {"boot": boot, "seq": seq})


def _frame(event: str, seq: int | None, data: Mapping[str, Any]) -> bytes:
    """One event; JSON holds no line break of its own."""
    number = "" if seq is None else f"id: {seq}\n"
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event}\n{number}data: {body}\n\n".encode()
