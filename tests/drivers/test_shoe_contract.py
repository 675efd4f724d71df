"""Every registered driver of shoes keeps to the contract, on a bench of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from contract_shoe import CARDS, ShoeBench, ShoeContract, Subject

from drivers.registry import shoe_driver, shoe_names
from drivers.shoe.messages import CardMode
from simulators.angel_eye import SimulatedAngelEye
from simulators.device_port import LineSpeed
from simulators.memory_link import MemoryLink
from simulators.shoe import SimulatedShoe


class TspBench:
    """A simulated shoe with TSP/1."""

    has_gate = True
    keeps_events = True

    def __init__(self) -> None:
        self.line = MemoryLink("shoe-x", pace=LineSpeed(9600))
        self._shoe = SimulatedShoe(self.line)
        self._is_loaded = False

    def start(self) -> None:
        self._shoe.start()
        if not self._is_loaded:
            self._is_loaded = True
            self._shoe.load(CARDS, "D1")

    def draw(self, *, told: str | None = None) -> str | None:
        mode = CardMode.COUNTED if told is None else CardMode.NO_CONFIDENCE
        return self._shoe.draw(mode=mode, told=told)


class AngelEyeBench:
    """A simulated shoe of the other kind."""

    has_gate = False
    keeps_events = False

    def __init__(self) -> None:
        self.line = MemoryLink("shoe-x", pace=LineSpeed(4800))
        self._shoe = SimulatedAngelEye(self.line)
        self._is_loaded = False

    def start(self) -> None:
        self._shoe.start()
        if not self._is_loaded:
            self._is_loaded = True
            self._shoe.load(CARDS)

    def draw(self, *, told: str | None = None) -> str | None:
        return self._shoe.draw(told=told)


BENCHES: dict[str, Callable[[], ShoeBench]] = {"tsp1": TspBench, "angel-eye": AngelEyeBench}


@pytest.fixture(params=shoe_names())
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each registered driver on its bench; a driver without one cannot be registered here."""
    name = request.param
    assert name in BENCHES, f"driver {name!r} of shoes has no bench: write one and add it to BENCHES in {__name__}.py"
    return Subject(shoe_driver(name), BENCHES[name]())


class TestShoes(ShoeContract):
    """All registered drivers."""
