"""The event stream of one seat's pages: a snapshot, then what changes, and a beat for each message that the topic brought.

Nothing is sent that the topic did not send: a page is live as long as the topic is, and a stream that stands still ages. Each
frame tells how long ago its message came and what time the server has, so that one which was held up is seen to be late.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final, NamedTuple

MAX_WAITING: Final = 8
"""Frames that wait for one page; the next one puts a snapshot in their place."""
MAX_PAGES: Final = 8
"""Pages of one seat; one more is told to come back later."""
MAX_KEPT: Final = 32
"""Changes that a page may have missed and still gets one by one (``Last-Event-ID``)."""
RETRY_MS: Final = 500
_MS: Final = 1000

Screen = Mapping[str, Any]


class TooManyPages(Exception):  # noqa: N818
    """As many pages look at this seat as are served."""


class _Frame(NamedTuple):
    """What waits for a page; ``heard_at`` is when its message came, ``None`` for what the broker had kept."""

    event: str
    number: int
    data: Mapping[str, Any]
    heard_at: float | None


class SeatStream:
    """The pages of one seat. ``boot`` names this start of the controller: a number of another start means nothing here."""

    def __init__(self, boot: str) -> None:
        self._boot = boot
        self._pages: set[asyncio.Queue[_Frame | None]] = set()
        self._kept: deque[_Frame] = deque(maxlen=MAX_KEPT)
        self._number = 0
        self._screen: Screen | None = None
        self._stamp: dict[str, int] = {"epoch": 0, "seq": 0}
        self._heard_at: float | None = None
        self._closed = False

    @property
    def screen(self) -> Screen | None:
        """The newest picture; ``None`` before there is one."""
        return self._screen

    @property
    def pages(self) -> int:
        """How many look on."""
        return len(self._pages)

    @property
    def is_full(self) -> bool:
        """No further page is served, for their number or because the server stops."""
        return self._closed or len(self._pages) >= MAX_PAGES

    def tell(self, screen: Screen | None, *, epoch: int, seq: int, heard_at: float | None) -> None:
        """A message came: send what differs from the picture before, or a beat. ``None``: there is no such seat."""
        before, self._screen = self._screen, screen
        self._stamp = {"epoch": epoch, "seq": seq}
        self._heard_at = self._heard_at if heard_at is None else heard_at
        if screen is None or before is None:
            changed: Screen | None = screen
        else:
            changed = {name: value for name, value in screen.items() if before.get(name) != value}
        if screen is not None and before is not None and not changed:
            self._offer(_Frame("beat", self._number, self._stamp, heard_at))
            return
        self._number += 1
        whole = screen is None or before is None
        frame = self._snapshot() if whole else _Frame("change", self._number, {**self._stamp, "screen": changed}, heard_at)
        self._kept.append(frame)
        self._offer(frame)

    def close(self) -> None:
        """End every stream now."""
        self._closed = True
        for page in self._pages:
            _empty(page)
            page.put_nowait(None)

    async def frames(self, last: str | None = None) -> AsyncGenerator[bytes]:
        """The stream of one page as encoded frames; ``last`` is the last id it has seen. ``TooManyPages`` when full."""
        if self.is_full:
            raise TooManyPages
        page: asyncio.Queue[_Frame | None] = asyncio.Queue(MAX_WAITING)
        missed = self._missed(last)
        self._pages.add(page)
        try:
            yield f"retry: {RETRY_MS}\n\n".encode()
            for frame in missed:
                yield self._encode(frame)
            while not self._closed and (waiting := await page.get()) is not None:
                yield self._encode(waiting)
        finally:
            self._pages.discard(page)

    def _offer(self, frame: _Frame) -> None:
        for page in self._pages:
            if frame.event == "beat" and not page.empty():
                continue
            if page.full():
                _empty(page)
                page.put_nowait(self._snapshot())
            else:
                page.put_nowait(frame)

    def _missed(self, last: str | None) -> list[_Frame]:
        """What a page has missed since ``last``, or the whole picture; the first frame tells how old it is."""
        boot, _, number = (last or "").rpartition("-")
        known = int(number) if boot == self._boot and number.isascii() and number.isdigit() else -1
        first = self._kept[0].number if self._kept else self._number + 1
        if not first - 1 <= known <= self._number:
            return [self._snapshot()]
        later = [frame for frame in self._kept if frame.number > known]
        return [*later, _Frame("resumed", self._number, self._stamp, self._heard_at)]

    def _snapshot(self) -> _Frame:
        return _Frame("snapshot", self._number, {**self._stamp, "screen": self._screen}, self._heard_at)

    def _encode(self, frame: _Frame) -> bytes:
        """Its age is that of the moment it leaves: what has waited is not new. JSON holds no line break of its own."""
        now = asyncio.get_running_loop().time()
        age = None if frame.heard_at is None else round((now - frame.heard_at) * _MS)
        data = {"boot": self._boot, "now": round(now * _MS), "age": age, **frame.data}
        body = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return f"event: {frame.event}\nid: {self._boot}-{frame.number}\ndata: {body}\n\n".encode()


def _empty(page: asyncio.Queue[_Frame | None]) -> None:
    while not page.empty():
        page.get_nowait()
