"""Every registered driver of readers keeps to the contract, on a bench of its own."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from contract_reader import ReaderBench, ReaderContract, Subject

from drivers.registry import reader_driver, reader_names
from simulators.device_port import LineSpeed
from simulators.feig_reader import FeigReaders
from simulators.memory_link import MemoryLink
from simulators.pn532 import SimulatedPn532


class FeigBench:
    """Three readers on a line."""

    antennas = (1, 2, 7)
    tags = ("E00401009A3B7C21", "E00401009A3B7C55", "E0040100A1B2C3D4")

    def __init__(self) -> None:
        self.line = MemoryLink("felt-x", pace=LineSpeed(38400, parity=True))
        self._lying: dict[int, tuple[str, ...]] = {}
        self._readers = FeigReaders(
            self.line, addresses=self.antennas, tags=lambda address: self._lying.get(address, ()), rng=random.Random(1)
        )

    def lay(self, antenna: int, *tags: str) -> None:
        self._lying[antenna] = tags

    def hush(self, *, is_silent: bool) -> None:
        self._readers.faults.silent = set(self.antennas) if is_silent else set()


class Pn532Bench:
    """One chip."""

    antennas = (1,)
    tags = ("04A1B2C3D4E5F0", "04112233445566", "11223344")

    def __init__(self) -> None:
        self.line = MemoryLink("felt-x", pace=LineSpeed(115200))
        self._lying: tuple[str, ...] = ()
        self._chip = SimulatedPn532(self.line, tags=lambda _: self._lying, rng=random.Random(1))

    def lay(self, antenna: int, *tags: str) -> None:
        self._lying = tags

    def hush(self, *, is_silent: bool) -> None:
        self._chip.faults.is_silent = is_silent


BENCHES: dict[str, Callable[[], ReaderBench]] = {"feig": FeigBench, "pn532": Pn532Bench}


@pytest.fixture(params=reader_names())
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each registered driver on its bench; a driver without one cannot be registered here."""
    name = request.param
    assert name in BENCHES, f"driver {name!r} of readers has no bench: write one and add it to BENCHES in {__name__}.py"
    return Subject(reader_driver(name), BENCHES[name]())


class TestReaders(ReaderContract):
    """All registered drivers."""
