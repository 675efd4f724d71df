"""A hand's traffic, recorded and replayed into a new controller, gives the same decisions byte for byte."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from controller.app import TableApp
from controller.console.orders import CommandBody
from controller.rehearsal import START, Play, Rehearsal, memory_rehearsal
from controller.table.loop import Record
from drivers.clock import LoopClock
from simulators.capture import Capture, Recorder, read_capture
from simulators.console import LocalConsole
from simulators.memory_link import MemoryLink
from simulators.mischief import FAULTS, Director, Mischief
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.replay import StrictReplay
from simulators.rig import NINETEEN, SHOE_PORT
from simulators.virtual_time import run_virtual

SEATS = {1: ("Ann", 200), 3: ("Bob", 200), 6: ("Dan", 200)}
SETTINGS = Play(seats=SEATS, speed=1.0)
SEED = 5

Presses = list[tuple[float, dict[str, Any]]]


def journal(records: Sequence[Record]) -> list[str]:
    """Decisions with their times; a card prints as its number here."""
    return [f"{record.seq} {record.at} {record.event!r} {getattr(record.event, 'card', None)!r}" for record in records]


def recorded(faults: tuple[str, ...]) -> tuple[Capture, Presses, list[str]]:
    """A hand with simulated devices: its traffic, what the dealer pressed and when, and the journal's records."""
    lines: list[str] = []
    presses: Presses = []

    async def play() -> list[str]:
        loop = asyncio.get_running_loop()
        rehearsal = memory_rehearsal(SETTINGS, seed=SEED, faults_seed=SEED, recorder=Recorder(lines.append, loop.time))
        async with rehearsal.opened() as app:
            director = Director(Mischief(rehearsal.devices, random.Random(1)), faults)
            trouble = asyncio.gather(*(director.once(name, 3.0) for name in faults))
            console = pressing(app, presses)
            players = {seat: RandomPlayer(random.Random(seat)) for seat in SEATS}
            await rehearsal.deal(app, players, ShuffledPackets(random.Random(1)), hands=1, console=console)
            await trouble
        return journal(rehearsal.records)

    records = run_virtual(play(), max_seconds=500)
    return read_capture(lines), presses, records


def pressing(app: TableApp, presses: Presses) -> LocalConsole:
    """A console that notes what is pressed."""

    async def fetch(after: int | None) -> dict[str, Any]:
        return app.desk.snapshot() if after is None else await app.desk.changed(after)

    async def submit(body: Mapping[str, Any]) -> dict[str, Any]:
        presses.append((asyncio.get_running_loop().time(), json.loads(json.dumps(body))))
        return await app.desk.send(CommandBody.model_validate(body))

    return LocalConsole(fetch, submit, rng=random.Random(9), speed=1.0)


def replayed(capture: Capture, presses: Presses) -> tuple[list[str], list[StrictReplay]]:
    """The traffic into a new controller of the same seed, and the dealer's presses at their times."""
    names = (SHOE_PORT, *NINETEEN)
    links = {name: MemoryLink(name) for name in names}
    devices = {
        name: StrictReplay(links[name], [entry for entry in capture.entries if entry.port == name], t0=capture.t0)
        for name in names
    }

    async def play() -> list[str]:
        nobody = {name: MemoryLink(name) for name in names}
        rehearsal = Rehearsal(SETTINGS, seed=SEED, ports=nobody, openers=links, clock=LoopClock(START))
        async with rehearsal.opened() as app:
            for device in devices.values():
                device.start()
            loop = asyncio.get_running_loop()
            for at, body in presses:
                await asyncio.sleep(at - loop.time())
                await app.desk.send(CommandBody.model_validate(body))
            await asyncio.sleep(capture.entries[-1].t / 1e9 - loop.time())
            for device in devices.values():
                device.stop()
        return journal(rehearsal.records)

    return run_virtual(play(), max_seconds=500), list(devices.values())


@pytest.mark.parametrize("faults", [(), ("shoe-mixed", "reader-lose", "miss-20")])
def test_a_replayed_hand_gives_the_same_decisions_byte_for_byte(faults: tuple[str, ...]) -> None:
    """A whole hand, as it was and on bad lines: every record of the journal with its time, every byte of the host."""
    assert set(faults) <= set(FAULTS)
    capture, presses, records = recorded(faults)
    again, devices = replayed(capture, presses)
    assert [device.mismatch for device in devices] == [None] * len(devices)
    assert len(again) > 50
    assert again[: len(records)] == records[: len(again)]
    assert abs(len(again) - len(records)) < 10  # the end of the evening: what comes while everything is taken away
