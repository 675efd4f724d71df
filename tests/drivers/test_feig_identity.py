"""The reader that answers is the one that belongs there, or it is not used and the remedy is named."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime

import pytest

from controller.words.catalogue import Language, catalogue
from drivers.clock import LoopClock
from drivers.feig import identity
from drivers.feig.driver import Antenna, FeigLine
from drivers.feig.identity import Expected
from drivers.ports import AntennaScan, DeviceEvent, LinkChanged, LinkState
from drivers.shoe import pairing, trust
from drivers.shoe.messages import Cause, DeviceHello
from drivers.shoe.pairing import Paired
from simulators.feig_reader import FeigReaders
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

A1, A2, B1 = "0A000001", "0A000002", "0B000001"
EXPECTED = Expected({1: A1, 2: A2}, 0x44, {B1: "felt-b/1"})
HELLO = DeviceHello(1, 0, "SIMSHOE", "1.0.0", 1, 1, ("LK",), Cause.POWER, "S0012345", 0)


@pytest.mark.parametrize(
    ("address", "hardware", "device_id", "code"),
    [
        (1, 0x44, A1, None),
        (3, 0x44, B1, None),
        (1, 0x44, B1, "reader_swapped"),
        (1, 0x44, A2, "reader_misplaced"),
        (1, 0x44, "FFFFFFFF", "reader_unknown"),
        (1, 0x44, None, "reader_nameless"),
        (1, 0x45, A1, "reader_model"),
    ],
)
def test_a_reader_is_judged_by_model_and_device_id(address: int, hardware: int, device_id: str | None, code: str | None) -> None:
    """The right one passes, and one of whom nothing is expected; the others each have their own trouble."""
    found = EXPECTED.judge("felt-a", address, hardware, device_id)
    assert (found and found.code) == code
    if found is not None:
        assert "felt-a" in found.sentence
        assert ":" in found.sentence


def test_where_a_swapped_reader_belongs_is_named() -> None:
    """On another line, or at another address of the same one."""
    other, same = EXPECTED.judge("felt-a", 1, 0x44, B1), EXPECTED.judge("felt-a", 1, 0x44, A2)
    assert other is not None
    assert same is not None
    assert "belongs to felt-b/1: swap the two cables back" in other.sentence
    assert "of felt-a is the one of address 2: give each reader its own address" in same.sentence


def test_a_shoe_is_judged_by_serial_number_and_model() -> None:
    """What is not expected is taken as it comes."""
    assert Paired().judge("shoe", "SH01", HELLO) is None
    assert Paired("S0012345", "SIMSHOE", "SH01").judge("shoe", "SH01", HELLO) is None
    codes = [
        found and found.code
        for found in (Paired("S1").judge("shoe", "SH01", HELLO), Paired(None, "OTHER").judge("shoe", "SH01", HELLO))
    ]
    assert codes == ["shoe_other", "shoe_model"]


@pytest.mark.parametrize(
    ("code", "template"),
    [
        ("reader_swapped", identity.SWAPPED),
        ("reader_unknown", identity.UNKNOWN),
        ("reader_nameless", identity.NAMELESS),
        ("reader_model", identity.MODEL),
        ("shoe_other", pairing.OTHER),
        ("shoe_model", pairing.MODEL),
        ("shoe_open", trust.OPEN),
        ("shoe_locked", trust.LOCKED),
    ],
)
def test_log_and_screen_say_the_same(code: str, template: str) -> None:
    """The driver's English sentence is the screen's, and the French one exists."""
    assert catalogue(Language.EN)[f"device.{code}"] == f"{template[0].upper()}{template[1:]}."
    assert f"device.{code}" in catalogue(Language.FR)


def test_a_swapped_reader_is_quarantined_until_the_right_one_is_back() -> None:
    """No scan of it is delivered, its neighbour on the line is scanned; with the right reader in, scans go on by themselves."""
    events: list[DeviceEvent] = []
    link = MemoryLink("felt-a")
    tag = "E004010000000001"
    readers = FeigReaders(
        link,
        addresses=(1, 2),
        tags=lambda _: (tag,),
        rng=random.Random(1),
        device_ids={1: bytes.fromhex(B1), 2: bytes.fromhex(A2)},
    )

    async def deliver(event: DeviceEvent) -> None:
        events.append(event)

    line = FeigLine(
        name="felt-a",
        opener=link,
        deliver=deliver,
        clock=LoopClock(datetime(2026, 1, 1, tzinfo=UTC)),
        rng=random.Random(1),
        antennas=(Antenna(1), Antenna(2)),
        expected=EXPECTED,
    )

    def scanned() -> set[int]:
        return {event.antenna for event in events if isinstance(event, AntennaScan)}

    async def story() -> None:
        running = asyncio.create_task(line.run())
        await asyncio.sleep(5)
        assert scanned() == {2}
        (told,) = [event for event in events if isinstance(event, LinkChanged) and event.antenna == 1]
        assert told.state is LinkState.QUARANTINE
        assert "belongs to felt-b/1: swap the two cables back" in told.detail
        trouble = line.report().antennas[0].trouble
        assert trouble is not None
        assert trouble.code == "reader_swapped"
        readers.device_ids[1] = bytes.fromhex("FFFFFFFF")
        await asyncio.sleep(6)
        assert scanned() == {2}
        assert "unknown reader (device id FFFFFFFF)" in line.report().antennas[0].detail
        readers.device_ids[1] = bytes.fromhex(A1)
        await asyncio.sleep(6)
        assert scanned() == {1, 2}
        assert line.report().antennas[0].trouble is None
        assert device_ids(line) == [A1, A2]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    run_virtual(story(), max_seconds=120)


def device_ids(line: FeigLine) -> list[str]:
    """What the line says its readers are."""
    return [part.identity.rpartition("device id ")[2] for part in line.report().antennas]
