"""The stream of pages without a table behind it: ids of another start mean nothing here. The rest: test_console_stream."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from controller.page_stream import PageStream, TooManyPages


def stream(numbers: list[int], *, max_pages: int = 2) -> PageStream:
    return PageStream(
        lambda: {"seq": numbers[-1]}, lambda: numbers[-1], "b1", name="b1-{}".format, max_pages=max_pages, max_kept=3
    )


async def test_ids_bear_the_name_that_their_stream_gives_them() -> None:
    """A browser sends the id back as it came; a change is kept for who comes back."""
    numbers = [0]
    told = stream(numbers)
    async with aclosing(told.frames()) as frames:
        assert b"event: snapshot\nid: b1-0\n" in await anext(frames)
        for number in (1, 2):
            numbers.append(number)
            told.change(number, {"seq": number})
            assert f"event: change\nid: b1-{number}\n".encode() in await anext(frames)
        told.beat({"age": 3})
        assert await anext(frames) == b'event: beat\ndata: {"seq":2,"age":3}\n\n'
    async with aclosing(told.frames(2)) as frames:
        assert (await anext(frames)).count(b"event: change") == 1
    told.forget()
    async with aclosing(told.frames(2)) as frames:
        assert b"event: snapshot" in await anext(frames)


async def test_no_more_pages_than_are_served() -> None:
    """One more is told so, and who looks on is not disturbed."""
    told = stream([0], max_pages=1)
    async with aclosing(told.frames()) as frames:
        await anext(frames)
        assert told.is_full
        with pytest.raises(TooManyPages):
            await anext(told.frames())
        told.close()
        with pytest.raises(StopAsyncIteration):
            await anext(frames)
