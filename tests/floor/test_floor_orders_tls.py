"""The floor reaches a table over HTTPS that the venue vouches for, and no other way where it must not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from support.floor_hand import KEY
from support.venue_keys import VenueKeys

from controller.access.floor_token import OPEN, FloorSigner, Signer
from controller.floor.orders.passing import Known, NotPassed, Passing
from controller.floor_config import FloorConfig, OrdersSection
from controller.floor_serve import plain_hosts
from controller.http_server import QuietServer, console_address, listening, server_config
from controller.tls import ClientTls, ServerTls

ANN = Signer("Ann", OPEN)


@asynccontextmanager
async def table(tls: ServerTls | None) -> AsyncIterator[int]:
    """Something that answers as a table does, at that port."""
    api = FastAPI()

    @api.get("/api/v1/floor/sheets")
    async def sheets(request: Request) -> dict[str, Any]:
        return {"scheme": request.url.scheme}

    with listening("127.0.0.1", 0) as listener:
        server = QuietServer(server_config(api, tls))
        serving = asyncio.create_task(server.serve([listener]))
        try:
            yield int(listener.getsockname()[1])
        finally:
            server.should_exit = True
            await serving


@asynccontextmanager
async def passing(address: str, trusted: ClientTls | None, **more: Any) -> AsyncIterator[Passing]:
    context = None if trusted is None else trusted.context()
    way = Passing(FloorSigner(KEY, "nice", time.time), lambda _: Known(address, None), context, **more)
    try:
        yield way
    finally:
        await way.close()


async def code(way: Passing) -> str:
    with pytest.raises(NotPassed) as caught:
        await way.ask("T1", ANN, {})
    return str(caught.value)


async def test_a_table_is_known_by_the_venues_authority(tmp_path: Path) -> None:
    """By its name too; one that the venue does not vouch for is sent no order, and is told from one that is away."""
    venue, other = VenueKeys(tmp_path / "a"), VenueKeys(tmp_path / "b")
    trusted = ClientTls(venue.authority_file)
    async with table(venue.server("table-T1", ("localhost",))) as port:
        async with passing(f"https://localhost:{port}/", trusted, plain_hosts=()) as way:
            answered = await way.ask("T1", ANN, {})
            assert (answered.status, answered.content) == (200, {"scheme": "https"})
        async with passing(f"https://localhost:{port}/", ClientTls(other.authority_file)) as way:
            assert await code(way) == "table_not_trusted"
        async with passing(f"https://127.0.0.1:{port}/", trusted) as way:
            assert await code(way) == "table_not_trusted"
        with pytest.raises(httpx.HTTPError):
            await asyncio.to_thread(httpx.get, f"http://localhost:{port}/api/v1/floor/sheets", trust_env=False)
    async with passing(f"https://localhost:{port}/", trusted) as way:
        assert await code(way) == "table_unreachable"


@pytest.mark.parametrize(
    "address", ["http://10.0.0.9/", "http://127.0.0.1.evil.example/", "http://table@10.0.0.9/", "HTTP://t1/"]
)
async def test_a_strangers_address_is_sent_no_order(address: str) -> None:
    """Whoever may write at the broker can announce one: without encryption an order stays on this machine."""
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={})

    network = httpx.MockTransport(answer)
    async with passing(address, None, plain_hosts=plain_hosts(FloorConfig(venue="nice")), transport=network) as way:
        assert await code(way) == "table_plain"
    assert sent == []
    asked = FloorConfig(venue="nice", orders=OrdersSection(plain=True))
    async with passing(address, None, plain_hosts=plain_hosts(asked), transport=network) as way:
        await way.ask("T1", ANN, {})
    assert len(sent) == 1


async def test_in_production_no_order_goes_over_a_plain_connection() -> None:
    """The table announces the address, so that the floor looks at it; else it goes there as it did."""
    async with table(None) as port:
        async with passing(console_address("127.0.0.1", port), None) as way:
            assert (await way.ask("T1", ANN, {})).content == {"scheme": "http"}
        async with passing(console_address("127.0.0.1", port), None, plain_hosts=()) as way:
            assert await code(way) == "table_plain"
