"""The floor's address: health, the picture, a table of it, and the stream that resumes by its own ids alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from support.floor_samples import moment, status, view

from controller.floor.board.board import Board
from controller.floor.follow import TableStreams
from controller.floor.http import make_floor_api, name_of, number_of
from controller.page_stream import PageStream


class Site:
    """A board with one table behind its address."""

    def __init__(self) -> None:
        self.board = Board("nice")
        self.board.listen(moment(0), connected=True)
        self.board.hear_status("T12", status(), moment(0))
        self.board.hear_public("T12", view(), moment(0))
        self.board.changes(moment(0))
        self.ready = {"broker": True, "store": True}
        self.stream = PageStream(
            lambda: self.board.picture(moment(0)), lambda: self.board.seq, "b1", name=name_of("b1"), max_pages=1
        )

        self.tables = TableStreams(self.detail, lambda _: None, "b1", name_of("b1"), lambda: 0.0)

    def detail(self, table: str) -> Mapping[str, Any] | None:
        return self.board.detail(table, moment(0))

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        api = make_floor_api(
            self.stream, self.tables, lambda: self.board.picture(moment(0)), self.detail, lambda: self.ready, "0"
        )
        async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://127.0.0.1") as client:
            yield client


async def test_alive_and_ready_are_two_things() -> None:
    """A floor whose store is away lives, and is not ready."""
    site = Site()
    async with site.client() as client:
        assert (await client.get("/healthz")).json() == {"status": "alive"}
        assert (await client.get("/readyz")).status_code == 200
        site.ready = {"broker": True, "store": False}
        answer = await client.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"broker": True, "store": False})


async def test_the_picture_and_a_table_of_it() -> None:
    """Every table's tile; one table's view as published, without any card that is not public."""
    async with Site().client() as client:
        board = (await client.get("/api/board")).json()
        assert (board["boot"], board["seq"], list(board["tables"])) == ("b1", 1, ["T12"])
        table = (await client.get("/api/tables/T12")).json()
        assert (table["public"]["hand"], table["tile"]["status"]) == (1287, "live")
        answer = await client.get("/api/tables/T99")
        assert (answer.status_code, "T99" in answer.text) == (404, True)


async def test_no_more_pages_than_are_served() -> None:
    """One more is told to try again."""
    site = Site()
    frames = site.stream.frames()
    await anext(frames)
    async with site.client() as client:
        assert (await client.get("/api/stream")).status_code == 503
    await frames.aclose()


@pytest.mark.parametrize(
    ("last", "number"), [(None, None), ("b1-7", 7), ("b0-7", None), ("7", None), ("b1-", None), ("b1-٣", None), ("b1--1", None)]
)
def test_an_id_of_another_start_is_none(last: str | None, number: int | None) -> None:
    """The numbers of a floor that was started anew begin again."""
    assert number_of(last, "b1") == number
    assert number is None or name_of("b1")(number) == last
