"""Pseudo-terminals as a serial line is: raw from the first moment, nothing stale for the next host, a cable that can move."""

from __future__ import annotations

import asyncio
import os
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from simulators.ports import PseudoTerminal

pytestmark = pytest.mark.ports

FRAME = bytes.fromhex("05 31 44 81 B8 03 46 46")
"""With an interrupt character: a terminal that is not raw keeps it, and answers with an echo (devices §5.2)."""


class Device:
    """What a device hears."""

    def __init__(self) -> None:
        self.heard = b""
        self.hosts = 0
        self.gone = 0

    def host_connected(self) -> None:
        self.hosts += 1

    def host_data(self, data: bytes) -> None:
        self.heard += data

    def host_gone(self) -> None:
        self.gone += 1


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[int]:
    """A host with the port open, without any setting of its own."""
    host = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        yield host
    finally:
        os.close(host)


async def until(condition: object, device: Device) -> None:
    """Wait for something that a device notices."""
    assert callable(condition)
    async with asyncio.timeout(5):
        while not condition(device):
            await asyncio.sleep(0.005)


async def test_the_line_is_raw_before_its_name_is_there(tmp_path: Path) -> None:
    """A host that sets nothing gets every byte through, without an echo, and no character has a meaning."""
    device, port = Device(), PseudoTerminal(tmp_path / "port")
    port.attach(device)
    port.replug()
    async with opened(port.path) as host:
        _, _, _, local, *_ = termios.tcgetattr(host)
        assert not local & (termios.ECHO | termios.ICANON | termios.ISIG)
        os.write(host, FRAME)
        await until(lambda heard: heard.heard == FRAME, device)
        with pytest.raises(BlockingIOError):
            os.read(host, 100)
    port.close()


async def test_nothing_stale_waits_for_the_next_host(tmp_path: Path) -> None:
    """Neither what the device said to nobody, nor what the last host left unread."""
    device, port = Device(), PseudoTerminal(tmp_path / "port")
    port.attach(device)
    port.replug()
    port.write(b"to nobody")
    await asyncio.sleep(0.01)
    assert port.lost_bytes == 9
    async with opened(port.path):
        await until(lambda heard: heard.hosts == 1, device)
        port.write(b"unread")
        await asyncio.sleep(0.01)
    await until(lambda heard: heard.gone == 1, device)
    async with opened(port.path) as host:
        await until(lambda heard: heard.hosts == 2, device)
        with pytest.raises(BlockingIOError):
            os.read(host, 100)
        port.write(b"fresh")
        await asyncio.sleep(0.05)
        assert os.read(host, 100) == b"fresh"
    port.close()


async def test_a_cable_comes_back_under_the_same_name_or_under_another(tmp_path: Path) -> None:
    """Pulled, its name is gone and its host reads the end; in another socket it has that one's name alone."""
    device, port = Device(), PseudoTerminal(tmp_path / "first")
    port.attach(device)
    port.replug()
    with pytest.raises(RuntimeError, match="unplug it first"):
        port.rename(tmp_path / "second")
    async with opened(port.path) as host:
        await until(lambda heard: heard.hosts == 1, device)
        port.unplug()
        assert device.gone == 1
        assert os.read(host, 100) == b""
        with pytest.raises(OSError, match="Input/output"):
            os.write(host, b"x")
    assert not os.path.lexists(tmp_path / "first")
    port.replug()
    async with opened(tmp_path / "first"):
        await until(lambda heard: heard.hosts == 2, device)
    port.unplug()
    port.rename(tmp_path / "second")
    port.replug()
    assert [path.name for path in tmp_path.iterdir()] == ["second"]
    async with opened(tmp_path / "second") as host:
        await until(lambda heard: heard.hosts == 3, device)
        os.write(host, b"here")
        await until(lambda heard: heard.heard == b"here", device)
    port.close()
    assert not list(tmp_path.iterdir())
