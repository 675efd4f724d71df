"""A short visit gives the port back, whatever happens in it."""

from __future__ import annotations

import asyncio

import pytest

from drivers.link.base import Link
from drivers.link.visit import visit
from drivers.ports import DriverError
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual


class Notes:
    """A sink that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def link_opened(self, link: Link) -> None:
        self.heard.append("opened")

    def data_received(self, data: bytes) -> None:
        self.heard.append(data.decode())

    def link_lost(self, reason: str) -> None:
        self.heard.append("lost")


def test_the_port_is_free_after_a_visit_and_after_an_error_in_it() -> None:
    """Three visits one after the other, the second one fails."""
    line, notes = MemoryLink(), Notes()

    async def story() -> None:
        async with visit(line, notes):
            line.write(b"hello")
            await asyncio.sleep(0.1)
        with pytest.raises(ValueError, match="inside"):
            async with visit(line, notes):
                raise ValueError("inside")
        async with visit(line, notes):
            pass
        assert notes.heard == ["opened", "hello", "lost", "opened", "lost", "opened", "lost"]
        line.unplug()
        with pytest.raises(DriverError):
            async with visit(line, notes):
                pass

    run_virtual(story(), max_seconds=60)
