"""Faults by name: each begins at a table and leaves it sound at its end; the director's evening comes from its seed."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import pytest

from simulators.faulty_port import FaultyPort
from simulators.felt import PACKET
from simulators.memory_link import MemoryLink
from simulators.mischief import FAULTS, Director, Happened, Mischief
from simulators.rig import NINETEEN, SHOE_PORT, SimulatedTable, make_tags
from simulators.virtual_time import run_virtual


def mischief(seed: int = 1) -> Mischief:
    """A table in memory with faults on every line and two cards on the felt. Needs a running loop."""
    rng = random.Random(seed)
    ports = {name: FaultyPort(MemoryLink(name), rng=rng) for name in (SHOE_PORT, *NINETEEN)}
    table = SimulatedTable(ports, tags=make_tags(rng), rng=rng)
    for card in table.felt.cards_at(PACKET)[:2]:
        table.felt.move(card, "seat/1/up", origin=PACKET, at=0.0)
    return Mischief(table, rng)


def state(at: Mischief) -> list[object]:
    """All that a fault may change."""
    lines = [at.line(name) for name in at.table.ports]
    readers = [repr(readers.faults) for readers in at.table.readers.values()]
    tells = at.table.shoe.tells is str
    flags = [(line.is_plugged, line.is_crossed, line.is_stale_on_open) for line in lines]
    faults = [(repr(line.to_host), repr(line.to_device)) for line in lines]
    reads = [sorted(at.table.field.read(place)) for place in at.table.felt.places]
    return [flags, faults, readers, tells, reads, at.table.shoe.holders == "-"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_with_sound_devices(name: str) -> None:
    """Whatever it changed is as before."""

    async def story() -> None:
        at = mischief()
        at.table.start()
        before = state(at)
        end = FAULTS[name](at)
        await asyncio.sleep(1)
        end()
        await asyncio.sleep(20)
        for line in map(at.line, at.table.ports):
            if line.is_stale_on_open:
                line.heal()
        assert state(at) == before
        at.table.stop()

    run_virtual(story(), max_seconds=100)


def test_a_director_s_evening_comes_from_its_seed() -> None:
    """The same faults at the same times; one after the other, none longer than is said."""

    async def evening(seed: int) -> list[Happened]:
        at = mischief(seed)
        at.table.start()
        director = Director(at, tuple(FAULTS), pause_s=2.0, longest_s=1.5)
        task = asyncio.create_task(director.run())
        await asyncio.sleep(100)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        at.table.stop()
        return director.happened

    first = run_virtual(evening(7), max_seconds=200)
    assert run_virtual(evening(7), max_seconds=200) == first
    assert run_virtual(evening(8), max_seconds=200) != first
    assert len(first) > 10
    assert all(fault.ended - fault.began <= 1.5 for fault in first)
    assert all(one.ended <= other.began for one, other in pairwise(first))


def test_a_line_without_faults_cannot_be_struck() -> None:
    """The way out is in the message."""

    async def story() -> None:
        table = SimulatedTable(
            {name: MemoryLink(name) for name in (SHOE_PORT, *NINETEEN)}, tags=make_tags(random.Random(1)), rng=random.Random(1)
        )
        with pytest.raises(TypeError, match="put a FaultyPort before it"):
            FAULTS["shoe-drop"](Mischief(table, random.Random(1)))

    run_virtual(story(), max_seconds=10)
