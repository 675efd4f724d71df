"""A second controller of one simulated table, on a copy of its journal: a spare that takes over, or a clone that must not."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.app import TableApp
from controller.mqtt.ports import Handler
from controller.simulate.process import ControllerProcess
from controller.table.loop import Record
from controller.table.state import TableState
from drivers.link.base import Link, LinkSink
from drivers.ports import DriverError
from simulators.memory_broker import MemoryClient
from simulators.memory_link import MemoryLink
from simulators.rig import SHOE_PORT
from support.directed import Directed


class NoCable:
    """A port that leads nowhere."""

    name = "no cable"

    async def open(self, sink: LinkSink) -> Link:
        del sink
        raise DriverError("the port is not there: plug the device in")


class Medium:
    """The second controller's disk: what is durable there is durable for the table once it has taken over."""

    def __init__(self, told: Any) -> None:
        self._told = told

    async def begin(self) -> None:
        """Nothing stands in its way."""

    async def end(self, seq: int) -> None:
        self._told(seq)


class Second:
    """Another controller of ``run``'s table, over a copy of its files in ``folder``; ``copy`` first, then ``start``."""

    def __init__(self, run: Directed, folder: Path) -> None:
        self._run, self.folder = run, folder
        self.app: TableApp | None = None
        self.task: asyncio.Task[None] | None = None
        self.records: list[Record] = []

    def copy(self) -> None:
        """The journal as it lies there now."""
        shutil.copytree(self._run.disk.folder, self.folder)

    def start(self, *, takes_over: bool, broker: bool = True, readers: bool = True) -> None:
        """Run it. One that ``takes_over`` is the table's controller for people and oracle from now on."""
        run = self._run
        run.watch.rivals += 1
        lines = {name: line for name, line in run.rehearsal.outside.openers.items() if isinstance(line, MemoryLink)}
        for line in lines.values():
            line.is_shared = True
        openers: dict[str, Any] = {name: line if readers or name == SHOE_PORT else NoCable() for name, line in lines.items()}

        async def serve(handler: Handler) -> None:
            if broker:
                await MemoryClient(run.broker, "table", handler).run()

        def durable(seq: int) -> None:
            if takes_over:
                run.disk.durable_seq = seq

        def watch(state: TableState, records: Sequence[Record]) -> None:
            self.records.extend(records)
            if takes_over:
                run.rehearsal.outside.watch(state, records)  # type: ignore[misc]

        outside = replace(
            run.outside, openers=openers, folder=self.folder, disk=Medium(durable), serve=serve, watch=run.in_world(watch)
        )
        self.app = TableApp(run.rehearsal.config, outside)
        if takes_over:
            run.hand_over(self.app)
        process = ControllerProcess(lines.values())
        self.task = asyncio.create_task(self._live(self.app), name="second controller", context=process.context())
        run.others.append(self.task)

    async def _live(self, app: TableApp) -> None:
        try:
            async with app:
                if app is self._run.taken_over:
                    self._run._app = app
                await app.run()
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
