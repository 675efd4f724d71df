"""The event stream: a snapshot first, then changes in order; bounded for who does not read; nobody delays anybody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from controller.console.stream import MAX_KEPT, MAX_PAGES, MAX_WAITING, EventStream, TooManyPages
from controller.table.loop import STOPPED, TableStopped


class Source:
    """A table whose picture is moved by hand."""

    def __init__(self) -> None:
        self.seq = 1
        self.parts: dict[str, Any] = {"pot": 0, "step": "deal"}
        self.moved = asyncio.Event()
        self.stopped = False
        self.made = 0
        self.stream = EventStream(self.picture, self.changed, "boot-1")

    def picture(self) -> dict[str, Any]:
        self.made += 1
        return {"seq": self.seq, **self.parts}

    async def changed(self, after_seq: int) -> None:
        while self.seq <= after_seq:
            if self.stopped:
                raise TableStopped(STOPPED)
            await self.moved.wait()

    def move(self, **parts: Any) -> None:
        """The journal moves on."""
        self.seq += 1
        self.parts |= parts
        moved, self.moved = self.moved, asyncio.Event()
        moved.set()

    def stop(self) -> None:
        """The table ends."""
        self.stopped = True
        self.moved.set()


Event = tuple[str, int | None, dict[str, Any]]


def events_of(frame: bytes) -> list[Event]:
    """What stands in a frame: kind, number, data."""
    found: list[Event] = []
    for block in frame.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if "event" in fields:
            number = int(fields["id"]) if "id" in fields else None
            found.append((fields["event"], number, json.loads(fields["data"])))
    return found


async def take(frames: AsyncIterator[bytes], *, beats: bool = False) -> list[Event]:
    """The events of the next frame that is more than a heartbeat."""
    while True:
        async with asyncio.timeout(5):
            found = events_of(await anext(frames))
        if beats or any(kind != "beat" for kind, _, _ in found):
            return found


async def test_a_page_gets_a_snapshot_and_then_what_changes() -> None:
    """Each with the journal's number as its id; a change holds the parts that differ and no other."""
    source = Source()
    async with aclosing(source.stream.frames()) as frames:
        assert await take(frames) == [("snapshot", 1, {"boot": "boot-1", "seq": 1, "pot": 0, "step": "deal"})]
        source.move(pot=8)
        assert await take(frames) == [("change", 2, {"seq": 2, "pot": 8})]


async def test_a_table_at_rest_is_heard() -> None:
    """Heartbeats without a number, so that a page knows that nothing happens."""
    source = Source()
    async with aclosing(source.stream.frames()) as frames:
        await take(frames)
        assert await take(frames, beats=True) == [("beat", None, {"seq": 1})]


async def test_a_page_that_comes_back_gets_what_it_missed() -> None:
    """``Last-Event-ID``: the changes since, in order, and nothing whole; a change under the same number too."""
    source = Source()
    async with aclosing(source.stream.frames()) as stays, aclosing(source.stream.frames()) as leaves:
        await take(stays)
        await take(leaves)
        source.move(pot=8)
        [(_, last, _)] = await take(leaves)
        await leaves.aclose()
        await take(stays)
        for pot in (9, 10):
            source.move(pot=pot)
            await take(stays)
        async with aclosing(source.stream.frames(last)) as again:
            kinds = await take(again)
        assert [(kind, number) for kind, number, _ in kinds] == [("resumed", None), ("change", 2), ("change", 3), ("change", 4)]
        assert kinds[-1][2]["pot"] == 10


@pytest.mark.parametrize("last", [None, 0, 10**6])
async def test_a_page_that_missed_too_much_gets_a_snapshot(last: int | None) -> None:
    """Also one that saw a number which does not exist yet: it looked at another journal."""
    source = Source()
    async with aclosing(source.stream.frames()) as stays:
        await take(stays)
        for pot in range(MAX_KEPT + 2):
            source.move(pot=pot)
            await take(stays)
        async with aclosing(source.stream.frames(last)) as again:
            assert (await take(again))[0][0] == "snapshot"


async def test_a_page_that_sleeps_holds_no_memory_and_gets_the_newest_snapshot() -> None:
    """Its queue is bounded; what it wakes up to is whole and new; another page meanwhile misses nothing."""
    source = Source()
    async with aclosing(source.stream.frames()) as awake, aclosing(source.stream.frames()) as asleep:
        await take(awake)
        await take(asleep)
        seen = []
        for pot in range(1, 3 * MAX_WAITING):
            source.move(pot=pot)
            seen += [data["pot"] for _, _, data in await take(awake)]
        assert seen == list(range(1, 3 * MAX_WAITING))
        assert all(page.frames.qsize() <= MAX_WAITING for page in source.stream._stream._pages)
        waits = await take(asleep)
        assert waits[0][0] == "snapshot"
        while waits[-1][2]["pot"] < seen[-1]:
            waits += await take(asleep)
        assert [data["pot"] for _, _, data in waits] == seen[-len(waits) :]


async def test_pages_are_counted() -> None:
    """One more than there is room for is turned away, and has a place again when another leaves."""
    source = Source()
    open_pages = [source.stream.frames() for _ in range(MAX_PAGES)]
    for frames in open_pages:
        await take(frames)
    assert source.stream.is_full
    with pytest.raises(TooManyPages):
        await anext(source.stream.frames())
    await open_pages.pop().aclose()
    assert not source.stream.is_full
    for frames in open_pages:
        await frames.aclose()


async def test_nothing_is_drawn_for_nobody() -> None:
    """Without a page no picture is made, and the next page begins with a new one."""
    source = Source()
    async with aclosing(source.stream.frames()) as frames:
        await take(frames)
    made = source.made
    source.move(pot=5)
    for _ in range(10):
        await asyncio.sleep(0)
    assert (source.made, source.stream.pages) == (made, 0)
    async with aclosing(source.stream.frames()) as frames:
        assert (await take(frames))[0][2]["pot"] == 5


async def test_a_stop_ends_every_stream_at_once() -> None:
    """Also one with frames waiting; and nobody is served afterwards."""
    source = Source()
    async with aclosing(source.stream.frames()) as one, aclosing(source.stream.frames()) as two:
        await take(one)
        await take(two)
        source.move(pot=1)
        await take(one)
        source.stream.close()
        for frames in (one, two):
            assert [frame async for frame in frames] == []
    assert source.stream.is_full


async def test_the_end_of_the_table_ends_the_streams() -> None:
    """A table that has stopped has no picture any more."""
    source = Source()
    async with aclosing(source.stream.frames()) as frames:
        await take(frames)
        source.stop()
        async with asyncio.timeout(5):
            rest = [event for frame in [frame async for frame in frames] for event in events_of(frame)]
    assert all(kind == "beat" for kind, _, _ in rest)
