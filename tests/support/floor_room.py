"""A broker in memory with tables and a floor, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from controller.floor.service import FloorService
from drivers.clock import LoopClock
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.virtual_time import run_virtual
from support.floor_copy import VENUE, MemoryCopy, PlayingTable
from support.floor_samples import START


def virtual(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_virtual(story(), max_seconds=3600)


async def end(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


@dataclass
class Room:
    """A broker, tables, and a floor that can be started again."""

    broker: MemoryBroker = field(default_factory=MemoryBroker)
    copy: MemoryCopy = field(default_factory=MemoryCopy)
    tasks: dict[str, list[asyncio.Task[Any]]] = field(default_factory=dict)
    floors: int = 0

    def open(self, table: PlayingTable) -> None:
        self.tasks[table.topics.table] = [asyncio.create_task(MemoryClient(self.broker, table.topics.table, table.handler).run())]

    def start_floor(self) -> FloorService:
        self.floors += 1
        service = FloorService(VENUE, self.copy.open, LoopClock(START), boot=f"boot{self.floors:04}")
        client = MemoryClient(self.broker, f"floor-{self.floors}", service.collector)
        self.tasks["floor"] = [asyncio.create_task(service.run()), asyncio.create_task(client.run())]
        return service

    async def stop(self, name: str) -> None:
        await end(*self.tasks.pop(name))

    async def close(self) -> None:
        for name in list(self.tasks):
            await self.stop(name)


def alarms(service: FloorService) -> list[str]:
    service.board.changes(service.collector.now())
    return sorted(alarm.key for alarm in service.board.standing)
