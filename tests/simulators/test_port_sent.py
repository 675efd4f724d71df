"""A pseudo-terminal tells those who measure when a piece is in it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from simulators.ports import PseudoTerminal

pytestmark = pytest.mark.ports


class Device:
    def __init__(self) -> None:
        self.connected = asyncio.Event()

    def host_connected(self) -> None:
        self.connected.set()

    def host_data(self, data: bytes) -> None:
        """It hears nothing."""

    def host_gone(self) -> None:
        """It does not mind."""


async def test_each_piece_is_told_once_it_can_be_read(tmp_path: Path) -> None:
    """When ``on_sent`` is called, the host reads the piece; what no host takes is not told."""
    told: list[tuple[bytes, bytes]] = []
    device = Device()
    port = PseudoTerminal(tmp_path / "port", on_sent=lambda piece: told.append((piece, os.read(host, 100))))
    port.attach(device)
    port.replug()
    port.write(b"lost")
    await asyncio.sleep(0.01)
    host = os.open(port.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        await asyncio.wait_for(device.connected.wait(), 5)
        port.write(b"taken")
        async with asyncio.timeout(5):
            while not told:
                await asyncio.sleep(0.001)
        assert told == [(b"taken", b"taken")]
    finally:
        os.close(host)
        port.close()
