"""Table and floor shake hands with the broker when they are checked, and say in one sentence why that fails."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from support.venue_keys import VenueKeys

from controller.check import _broker
from controller.config import MqttSection
from controller.floor_config import FloorConfig
from controller.floor_serve import _broker_problems


async def test_a_broker_that_the_venue_does_not_vouch_for_is_named(tmp_path: Path) -> None:
    """The venue's own is well (REG-49)."""
    venue, other = VenueKeys(tmp_path / "a"), VenueKeys(tmp_path / "b")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.close()

    async def told(authority: Path, port: int) -> tuple[list[str], list[str]]:
        section = MqttSection(host="localhost", port=port, ca_file=authority)
        table = await _broker(cast("Any", SimpleNamespace(mqtt=section)))
        return [str(one.values["problem"]) for one in table], await _broker_problems(FloorConfig(venue="nice", mqtt=section))

    context = venue.server("broker-main").context()
    context.set_alpn_protocols([])
    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        for said in await told(other.authority_file, port):
            assert len(said) == 1
            assert f"localhost:{port}: ca_file does not vouch for its certificate" in said[0]
        assert await told(venue.authority_file, port) == ([], [])
