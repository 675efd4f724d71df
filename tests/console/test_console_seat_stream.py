"""The stream of a seat's pages: nothing is live but what the topic brought, and nobody is held up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, ClassVar

import pytest

from controller.console.seat_stream import MAX_KEPT, MAX_PAGES, MAX_WAITING, SeatStream, TooManyPages
from simulators.virtual_time import run_virtual


def read(frame: bytes) -> tuple[str, str, dict[str, Any]]:
    lines = dict(line.split(": ", 1) for line in frame.decode().strip().splitlines())
    return lines["event"], lines["id"], json.loads(lines["data"])


class Reader:
    """A page that reads when it is asked to."""

    all: ClassVar[list[Reader]] = []

    def __init__(self, stream: SeatStream, last: str | None = None) -> None:
        self.frames: AsyncGenerator[bytes] = stream.frames(last)
        self.all.append(self)

    async def open(self) -> Reader:
        assert (await anext(self.frames)).startswith(b"retry:")
        return self

    async def next(self) -> tuple[str, str, dict[str, Any]]:
        return read(await anext(self.frames))

    async def silent(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await anext(self.frames)
        except TimeoutError:
            return True
        return False


def virtual(story: Coroutine[Any, Any, None]) -> None:
    """``story`` on virtual time; its pages are closed behind it."""

    async def whole() -> None:
        try:
            await story
        finally:
            while Reader.all:
                await Reader.all.pop().frames.aclose()

    run_virtual(whole(), max_seconds=100)


def tell(stream: SeatStream, seq: int, *, live: bool = True, **screen: Any) -> None:
    heard_at = asyncio.get_running_loop().time() if live else None
    stream.tell({"stack": 100, "call": 0, **screen}, epoch=2, seq=seq, heard_at=heard_at)


def test_a_snapshot_then_changes_then_beats() -> None:
    """Only what differs is sent; the same picture again is a beat."""

    async def story() -> None:
        stream = SeatStream("b0")
        tell(stream, 1)
        page = await Reader(stream).open()
        assert (await page.next())[2]["screen"] == {"stack": 100, "call": 0}
        tell(stream, 2, call=8)
        event, number, data = await page.next()
        assert (event, number, data["screen"], data["seq"]) == ("change", "b0-2", {"call": 8}, 2)
        tell(stream, 3, call=8)
        event, number, data = await page.next()
        assert (event, number, "screen" in data, data["seq"]) == ("beat", "b0-2", False, 3)

    virtual(story())


def test_a_stream_whose_topic_is_silent_says_nothing() -> None:
    """No heartbeat of its own: a page that hears nothing knows that nothing came."""

    async def story() -> None:
        stream = SeatStream("b0")
        tell(stream, 1)
        page = await Reader(stream).open()
        await page.next()
        assert await page.silent(60)

    virtual(story())


def test_a_new_connection_makes_nothing_new() -> None:
    """The snapshot of a page that comes later is as old as the last message, and of no age where the broker had only kept it."""

    async def story() -> None:
        stream = SeatStream("b0")
        tell(stream, 1, live=False)
        assert (await (await Reader(stream).open()).next())[2]["age"] is None
        tell(stream, 1)
        await asyncio.sleep(30)
        assert (await (await Reader(stream).open()).next())[2]["age"] == 30_000

    virtual(story())


def test_what_waited_for_a_slow_page_is_as_old_as_it_is_when_it_leaves() -> None:
    """A frame that lay in the queue is not new."""

    async def story() -> None:
        stream = SeatStream("b0")
        tell(stream, 1)
        page = await Reader(stream).open()
        await page.next()
        tell(stream, 2, call=8)
        await asyncio.sleep(7)
        assert (await page.next())[2]["age"] == 7_000

    virtual(story())


def test_a_page_that_does_not_read_gets_the_newest_picture_and_delays_nobody() -> None:
    """Its queue is bounded; another page has every change meanwhile."""

    async def story() -> None:
        stream = SeatStream("b0")
        tell(stream, 1)
        asleep, awake = await Reader(stream).open(), await Reader(stream).open()
        for page in (asleep, awake):
            await page.next()
        last = 3 * MAX_WAITING
        for call in range(1, last + 1):
            tell(stream, 1 + call, call=call)
            assert (await awake.next())[2]["screen"] == {"call": call}
        found = []
        while not found or found[-1][2]["screen"].get("call") != last:
            found.append(await asleep.next())
        assert len(found) <= MAX_WAITING
        assert found[0][0] == "snapshot"

    virtual(story())


def test_a_page_that_comes_back_gets_what_it_missed_or_the_whole() -> None:
    """By its last id; one of another start, of nonsense, or from too long ago gets a snapshot."""

    async def story() -> None:
        stream = SeatStream("b0")
        for call in range(1, 4):
            tell(stream, call, call=call)
        page = await Reader(stream, "b0-1").open()
        assert [(await page.next())[2]["screen"] for _ in range(2)] == [{"call": 2}, {"call": 3}]
        assert (await page.next())[0] == "resumed"
        assert (await (await Reader(stream, "b0-3").open()).next())[0] == "resumed"
        for last in (None, "b1-2", "b0-x", "nonsense", "b0-99", "-1"):
            assert (await (await Reader(stream, last).open()).next())[0] == "snapshot"
            await asyncio.sleep(0)

    virtual(story())


def test_what_is_kept_is_bounded() -> None:
    """A page that missed more than that gets the whole picture."""

    async def story() -> None:
        stream = SeatStream("b0")
        for call in range(MAX_KEPT + 10):
            tell(stream, call, call=call)
        assert (await (await Reader(stream, "b0-2").open()).next())[0] == "snapshot"

    virtual(story())


def test_too_many_pages_and_a_server_that_stops() -> None:
    """One more is refused; at a stop every page is let go at once, also one that reads nothing."""

    async def story() -> None:
        stream = SeatStream("b0")
        tell(stream, 1)
        pages = [await Reader(stream).open() for _ in range(MAX_PAGES)]
        assert stream.is_full
        with pytest.raises(TooManyPages):
            await Reader(stream).open()
        for call in range(20):
            tell(stream, 2, call=call)
        stream.close()
        for page in pages:
            async with asyncio.timeout(1):
                assert [frame async for frame in page.frames][1:] == []
        assert stream.pages == 0

    virtual(story())


def test_a_seat_that_is_gone_is_told() -> None:
    """Its topic was deleted: there is no picture, and none is live."""

    async def story() -> None:
        stream = SeatStream("b0")
        tell(stream, 1)
        page = await Reader(stream).open()
        await page.next()
        stream.tell(None, epoch=0, seq=0, heard_at=None)
        event, _, data = await page.next()
        assert (event, data["screen"]) == ("snapshot", None)

    virtual(story())
