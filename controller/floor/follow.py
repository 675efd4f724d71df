"""Pages of single tables: each follows its own table alone, and only what is followed is compared."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final

from controller.page_stream import HEARTBEAT_S, PageStream, Picture, TooManyPages

MAX_PAGES: Final = 64
"""Pages of single tables, all together."""
MAX_KEPT: Final = 32


class _Followed:
    """One table that a page looks on."""

    def __init__(self, shown: Picture, stamp: object, seq: int, stream: PageStream, at_s: float) -> None:
        self.shown = shown
        self.stamp = stamp
        self.seq = seq
        self.stream = stream
        self.told_s = at_s


class TableStreams:
    """One stream a table, made when the first page looks on and gone with the last.

    ``detail`` gives a table's newest picture with ``now``, or ``None``; ``stamp`` is the same while that is. ``name`` makes the
    id of a number, ``clock`` counts monotonic seconds. Numbers grow by one over all tables: none stands for two pictures.
    """

    def __init__(
        self,
        detail: Callable[[str], Picture | None],
        stamp: Callable[[str], object],
        boot: str,
        name: Callable[[int], str],
        clock: Callable[[], float],
    ) -> None:
        self._detail = detail
        self._stamp = stamp
        self._boot = boot
        self._name = name
        self._clock = clock
        self._followed: dict[str, _Followed] = {}
        self._seq = 0
        self._closed = False

    @property
    def pages(self) -> int:
        """How many pages look on."""
        return sum(one.stream.pages for one in self._followed.values())

    @property
    def is_full(self) -> bool:
        """No further page is served, for their number or because the server stops."""
        return self._closed or self.pages >= MAX_PAGES

    def close(self) -> None:
        """End every stream now."""
        self._closed = True
        for one in self._followed.values():
            one.stream.close()

    def tell(self, now: str) -> None:
        """Tell the pages of each followed table what is another, or at ``now`` that the floor lives."""
        now_s = self._clock()
        for table, one in self._followed.items():
            changed = self._changed(table, one)
            if changed:
                self._seq += 1
                one.seq, one.told_s = self._seq, now_s
                one.stream.change(one.seq, {"seq": one.seq, "now": one.shown["now"], **changed})
            elif now_s - one.told_s >= HEARTBEAT_S:
                one.told_s = now_s
                one.stream.beat({"now": now})

    def _changed(self, table: str, one: _Followed) -> Picture:
        """What is another at the table than when its pages were told last."""
        stamp = self._stamp(table)
        if stamp == one.stamp or (found := self._detail(table)) is None:
            return {}
        before, one.shown, one.stamp = one.shown, found, stamp
        return {key: value for key, value in found.items() if key != "now" and before.get(key) != value}

    async def frames(self, table: str, last: int | None = None) -> AsyncGenerator[bytes]:
        """The stream of one page of ``table``. ``TooManyPages`` when full, ``KeyError`` for a table that nobody heard of."""
        if self.is_full:
            raise TooManyPages
        one = self._followed.get(table) or self._follow(table)
        try:
            async with aclosing(one.stream.frames(last)) as frames:
                async for frame in frames:
                    yield frame
        finally:
            if not one.stream.pages:
                self._followed.pop(table, None)

    def _follow(self, table: str) -> _Followed:
        found = self._detail(table)
        if found is None:
            raise KeyError(table)
        self._seq += 1
        stream = PageStream(
            lambda: {"seq": one.seq, **one.shown},
            lambda: one.seq,
            self._boot,
            name=self._name,
            max_pages=MAX_PAGES,
            max_kept=MAX_KEPT,
        )
        one = self._followed[table] = _Followed(found, self._stamp(table), self._seq, stream, self._clock())
        return one
