"""The controller's process as the simulated machine sees it: stopped where it stands, going on, or gone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextvars import Context, copy_context
from typing import Any

from simulators.memory_link import MemoryLink
from simulators.virtual_time import PROCESS, Process, VirtualEventLoop


class ControllerProcess:
    """Everything that is called for in ``context`` belongs to it. ``openers`` are the host's ends of its lines."""

    def __init__(self, openers: Iterable[Any]) -> None:
        self._lines = [line for line in openers if isinstance(line, MemoryLink)]
        self._process = Process()
        self._awake = asyncio.Event()
        self._awake.set()

    @property
    def is_paused(self) -> bool:
        """Whether nothing of it runs."""
        return self._process.is_paused

    def context(self) -> Context:
        """A context for its tasks."""
        context = copy_context()
        context.run(PROCESS.set, self._process)
        return context

    async def awake(self) -> None:
        """Return when it runs: who asks it something waits for that."""
        await self._awake.wait()

    def pause(self) -> None:
        """As SIGSTOP: nothing of it runs, and what is for it waits."""
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualEventLoop):
            self._awake.clear()
            loop.pause(self._process)

    def resume(self) -> None:
        """As SIGCONT: first what its lines kept, then what became due. Nothing when it runs."""
        loop = asyncio.get_running_loop()
        if self.is_paused and isinstance(loop, VirtualEventLoop):
            for line in self._lines:
                line.host_wakes()
            loop.resume(self._process)
            self._awake.set()

    def die(self) -> None:
        """Its lines hear nothing of it any more. A process that was paused goes on to its end."""
        self.resume()
        for line in self._lines:
            line.host_dies(self._process)
