"""The event stream of pages, whatever they show: a snapshot, then what changes, and a heartbeat; a bounded queue a page.

Who knows the picture tells each change once for all pages, however many there are. A page that does not read loses what waits
for it and gets the newest snapshot in its place: it never delays another page and never holds memory.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final

HEARTBEAT_S: Final = 0.5
"""A page that hears nothing for two seconds is stale (screens §12)."""
MAX_WAITING: Final = 16
"""Frames that wait for one page; the next one puts a snapshot in their place."""
MAX_PAGES: Final = 32
"""Pages of one stream; one more is told to come back later."""
MAX_KEPT: Final = 64
"""Changes that a page may have missed and still gets one by one (``Last-Event-ID``)."""
RETRY_MS: Final = 500
"""How soon a browser asks again when its stream has ended."""

Picture = Mapping[str, Any]


class TooManyPages(Exception):  # noqa: N818
    """As many pages look on as are served."""


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


class PageStream:
    """Pages and the changes they were told last.

    ``whole`` is the picture with its number as ``seq``, ``seq`` that number alone. ``boot`` names this start of the program: a
    page that hears another one knows that it was started anew.
    """

    def __init__(
        self,
        whole: Callable[[], Picture],
        seq: Callable[[], int],
        boot: str,
        *,
        name: Callable[[int], str] = str,
        max_pages: int = MAX_PAGES,
        max_kept: int = MAX_KEPT,
    ) -> None:
        """``name`` makes the id of a number, as a browser sends it back in ``Last-Event-ID``."""
        self.boot = boot
        self._whole = whole
        self._seq = seq
        self._name = name
        self._max_pages = max_pages
        self._pages: set[_Page] = set()
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=max_kept)
        self._closed = False

    @property
    def pages(self) -> int:
        """How many pages look on."""
        return len(self._pages)

    @property
    def is_full(self) -> bool:
        """No further page is served, for their number or because the server stops."""
        return self._closed or len(self._pages) >= self._max_pages

    @property
    def is_closed(self) -> bool:
        """Whether the server stops."""
        return self._closed

    def close(self) -> None:
        """End every stream now; a server that stops must not wait for its readers."""
        self._closed = True
        for page in self._pages:
            page.end()

    def forget(self) -> None:
        """Changes told until now are no longer in a row with the next one."""
        self._kept.clear()

    def change(self, seq: int, changed: Picture) -> None:
        """Tell every page what is another since the picture before."""
        frame = self._frame("change", seq, changed)
        self._kept.append((seq, frame))
        made: list[bytes] = []

        def fresh() -> bytes:
            if not made:
                made.append(self._snapshot())
            return made[0]

        for page in self._pages:
            page.offer(frame, fresh)

    def beat(self, more: Picture | None = None) -> None:
        """Nothing has changed, and the program lives."""
        frame = self._frame("beat", None, {"seq": self._seq(), **(more or {})})
        for page in self._pages:
            page.beat(frame)

    async def frames(self, last: int | None = None) -> AsyncGenerator[bytes]:
        """The stream of one page as encoded frames; ``last`` is the last number it has seen. ``TooManyPages`` when full."""
        if self.is_full:
            raise TooManyPages
        page = _Page()
        missed = self._missed(last)
        self._pages.add(page)
        try:
            yield f"retry: {RETRY_MS}\n\n".encode() + (self._snapshot() if missed is None else b"".join(missed))
            while not self._closed and (frame := await page.frames.get()) is not None:
                yield frame
        finally:
            self._pages.discard(page)

    def _missed(self, last: int | None) -> list[bytes] | None:
        """Changes from ``last`` on, that one too, since a number may bear two of them; ``None`` when they are not all there."""
        if last is None or not self._kept or not self._kept[0][0] <= last <= self._seq():
            return None
        hello = self._frame("resumed", None, {"boot": self.boot, "seq": self._seq()})
        return [hello, *(frame for seq, frame in self._kept if seq >= last)]

    def _snapshot(self) -> bytes:
        return self._frame("snapshot", self._seq(), {"boot": self.boot, **self._whole()})

    def _frame(self, event: str, seq: int | None, data: Picture) -> bytes:
        """One event; JSON holds no line break of its own."""
        number = "" if seq is None else f"id: {self._name(seq)}\n"
        body = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return f"event: {event}\n{number}data: {body}\n\n".encode()
