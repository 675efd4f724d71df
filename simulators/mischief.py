"""Faults for a whole simulated table, by name: what each does, to which device, and a director who brings them about.

A table for mischief has a ``FaultyPort`` on every line. Each fault begins with a call and ends with the call that it returned;
after its end the devices are sound again, and what was lost meanwhile is the controller's to recover.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from drivers.shoe.messages import Cause
from simulators.byte_faults import ByteFaults
from simulators.faulty_port import FaultyPort
from simulators.feig_reader import FeigReaders
from simulators.rig import SHOE_PORT, SimulatedTable

End: TypeAlias = Callable[[], None]
Fault: TypeAlias = Callable[["Mischief"], End]

FOREIGN_TAG: Final = "E007000000000BAD"
"""A tag of another maker than the deck's."""


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Mischief:
    """Where a fault strikes: a table, and the chance that chooses line and antenna."""

    table: SimulatedTable
    rng: random.Random

    def line(self, name: str) -> FaultyPort:
        """A device's line; ``TypeError`` when it is not made for faults."""
        port = self.table.ports[name]
        if not isinstance(port, FaultyPort):
            raise TypeError(f"the line of {name} has no faults: put a FaultyPort before it")
        return port

    def reader_line(self) -> str:
        """Some line of readers."""
        return self.rng.choice(sorted(self.table.readers))

    def place(self) -> str:
        """Some antenna's place, among those where cards lie if there are any."""
        places = self.table.felt.places
        return self.rng.choice([place for place in places if self.table.felt.count(place)] or places)


def _bytes_on(*, shoe: bool, **chances: float) -> Fault:
    """Byte faults on the shoe's line, or on some line of readers, in both directions."""

    def begin(at: Mischief) -> End:
        port = at.line(SHOE_PORT if shoe else at.reader_line())
        for direction in (port.to_host, port.to_device):
            _set(direction, chances)
        return port.heal

    return begin


def _set(faults: ByteFaults, chances: Mapping[str, float]) -> None:
    for name, chance in chances.items():
        setattr(faults, name, chance)


def _line(act: Callable[[FaultyPort], object], end: Callable[[FaultyPort], object], *, shoe: bool) -> Fault:
    def begin(at: Mischief) -> End:
        port = at.line(SHOE_PORT if shoe else at.reader_line())
        act(port)
        return lambda: _ignore(end(port))

    return begin


def _ignore(_: object) -> None:
    pass


def _stall(low_s: float, high_s: float, *, shoe: bool) -> Fault:
    def begin(at: Mischief) -> End:
        at.line(SHOE_PORT if shoe else at.reader_line()).stall(at.rng.uniform(low_s, high_s))
        return _nothing

    return begin


def _stale(port: FaultyPort) -> None:
    port.is_stale_on_open = True
    port.unplug()


def _shoe_restarts(cause: Cause) -> Fault:
    def begin(at: Mischief) -> End:
        at.table.shoe.restart(cause=cause)
        return _nothing

    return begin


def _shoe_without_current(at: Mischief) -> End:
    at.table.shoe.stop()
    return at.table.shoe.start


def _shoe_misreads(at: Mischief) -> End:
    def read(code: str) -> str:
        return "??" if at.rng.random() < 0.3 else code

    at.table.shoe.tells = read
    return lambda: setattr(at.table.shoe, "tells", str)


def _swapped_readers(at: Mischief) -> End:
    first, second = at.rng.sample(sorted(at.table.readers), 2)
    return _crossed(at.line(first), at.line(second))


def _shoe_and_reader_swapped(at: Mischief) -> End:
    return _crossed(at.line(SHOE_PORT), at.line(at.reader_line()))


def _crossed(first: FaultyPort, second: FaultyPort) -> End:
    """Nothing happens where one of the two is in a strange socket already."""
    if first.is_crossed or second.is_crossed:
        return _nothing
    first.cross(second)
    return lambda: first.cross(second)


def _readers(begin_at: Callable[[FeigReaders, int], None]) -> Fault:
    """A fault of the readers of one line, at one of its addresses."""

    def begin(at: Mischief) -> End:
        name = at.reader_line()
        readers = at.table.readers[name]
        begin_at(readers, at.rng.choice(readers.addresses))
        return readers.heal

    return begin


def _rf(**chances: float) -> Fault:
    def set_chances(readers: FeigReaders, _: int) -> None:
        for name, chance in chances.items():
            setattr(readers.faults, name, chance)

    return _readers(set_chances)


def _field(act: Callable[[Mischief], None]) -> Fault:
    def begin(at: Mischief) -> End:
        act(at)
        return at.table.field.faults.clear

    return begin


def _missed(chance: float) -> Fault:
    return _field(lambda at: setattr(at.table.field.faults, "miss", chance))


def _alternate(at: Mischief) -> None:
    at.table.field.faults.alternate.update(at.table.felt.places)


def _bleed(chance: float) -> Fault:
    """Cards of one place are read at an antenna beside it too."""

    def act(at: Mischief) -> None:
        source = at.place()
        beside = at.rng.choice([place for place in at.table.felt.places if place != source])
        at.table.field.faults.bleed[beside] = {source: chance}

    return _field(act)


def _foreign(at: Mischief) -> None:
    at.table.field.faults.foreign[at.place()] = (FOREIGN_TAG,)


def _second_deck(at: Mischief) -> None:
    """Cards of another deck on a few antennas."""
    for number, place in enumerate(at.rng.sample(sorted(at.table.felt.places), 3)):
        at.table.field.faults.foreign[place] = (f"{FOREIGN_TAG[:-1]}{number}", f"{FOREIGN_TAG[:-2]}E{number}")


def _stuck(at: Mischief) -> None:
    place = at.place()
    at.table.field.faults.stuck[place] = at.table.felt.tags_at(place)


def _stacked(at: Mischief) -> None:
    for place in at.table.felt.places:
        if at.table.felt.count(place) > 1:
            at.table.field.faults.stacked[place] = 0.2


def _lifted(at: Mischief) -> None:
    place = at.place()
    at.table.field.faults.lifted.update(at.table.felt.cards_at(place))


def _one_blind(at: Mischief) -> None:
    at.table.field.faults.miss_at[at.place()] = 1.0


LINE_FAULTS: Final[Mapping[str, Callable[[bool], Fault]]] = {
    "drop": lambda shoe: _bytes_on(shoe=shoe, drop=0.02),
    "flip": lambda shoe: _bytes_on(shoe=shoe, flip=0.02),
    "noise": lambda shoe: _bytes_on(shoe=shoe, noise=0.5),
    "lose": lambda shoe: _bytes_on(shoe=shoe, lose=0.3),
    "truncate": lambda shoe: _bytes_on(shoe=shoe, truncate=0.3),
    "duplicate": lambda shoe: _bytes_on(shoe=shoe, duplicate=0.5),
    "swap": lambda shoe: _bytes_on(shoe=shoe, swap=0.3),
    "glue": lambda shoe: _bytes_on(shoe=shoe, glue=0.3),
    "split": lambda shoe: _bytes_on(shoe=shoe, split=0.7),
    "late": lambda shoe: _bytes_on(shoe=shoe, late=0.5, late_s=0.3),
    "mixed": lambda shoe: _bytes_on(shoe=shoe, drop=0.005, flip=0.005, noise=0.1, lose=0.1, duplicate=0.2, split=0.3, late=0.2),
    "short-stall": lambda shoe: _stall(0.5, 2.0, shoe=shoe),
    "long-stall": lambda shoe: _stall(4.0, 12.0, shoe=shoe),
    "host-deaf": lambda shoe: _line(lambda port: port.deafen(host=True), FaultyPort.heal, shoe=shoe),
    "device-deaf": lambda shoe: _line(lambda port: port.deafen(device=True), FaultyPort.heal, shoe=shoe),
    "wrong-baud": lambda shoe: _line(FaultyPort.set_wrong_baud, FaultyPort.heal, shoe=shoe),
    "unplugged": lambda shoe: _line(FaultyPort.unplug, FaultyPort.replug, shoe=shoe),
    "stale-on-open": lambda shoe: _line(_stale, FaultyPort.replug, shoe=shoe),
}
"""Faults of one line, of the shoe or of readers."""

FAULTS: Final[Mapping[str, Fault]] = {
    **{f"shoe-{name}": make(True) for name, make in LINE_FAULTS.items()},  # noqa: FBT003 - which of the two lines
    **{f"reader-{name}": make(False) for name, make in LINE_FAULTS.items()},  # noqa: FBT003
    "shoe-restart": _shoe_restarts(Cause.POWER),
    "shoe-watchdog": _shoe_restarts(Cause.WATCHDOG),
    "shoe-without-current": _shoe_without_current,
    "shoe-misreads": _shoe_misreads,
    "readers-swapped": _swapped_readers,
    "shoe-and-reader-swapped": _shoe_and_reader_swapped,
    "reader-restart": _readers(FeigReaders.power_cycle),
    "reader-silent": _readers(lambda readers, address: readers.faults.silent.add(address)),
    "reader-slow": _readers(lambda readers, address: readers.faults.delay_s.update({address: 0.5})),
    "reader-loses-requests": _rf(lost=0.3),
    "rf-error": _rf(rf_error=0.5),
    "rf-warning": _rf(rf_warning=0.5),
    "busy": _rf(busy=0.5),
    "shuffled": _rf(shuffled=True),
    "miss-5": _missed(0.05),
    "miss-20": _missed(0.20),
    "alternate-miss": _field(_alternate),
    "antenna-blind": _field(_one_blind),
    "bleed": _bleed(0.5),
    "double-report": _bleed(1.0),
    "garbled-tag": _field(lambda at: setattr(at.table.field.faults, "garble", 0.05)),
    "foreign-tag": _field(_foreign),
    "second-deck": _field(_second_deck),
    "stuck-tag": _field(_stuck),
    "stacked": _field(_stacked),
    "lifted": _field(_lifted),
}
"""Every fault of devices §5.3 that a cable, a device or an antenna can have."""


@dataclass(frozen=True, slots=True)
class Happened:
    """A fault that was brought about, from second ``began`` to ``ended`` of the loop."""

    name: str
    began: float
    ended: float


class Director:
    """Brings about one fault after the other from ``names``: pauses of ``pause_s`` on average, each fault up to ``longest_s``.

    Seeded by ``at.rng``. ``happened`` keeps what was done.
    """

    def __init__(self, at: Mischief, names: Sequence[str], *, pause_s: float = 6.0, longest_s: float = 4.0) -> None:
        self._at = at
        self._names = tuple(names)
        self._pause_s = pause_s
        self._longest_s = longest_s
        self.happened: list[Happened] = []

    async def run(self) -> None:
        """Until cancelled; a fault that is under way ends then."""
        while True:
            await asyncio.sleep(self._at.rng.expovariate(1.0 / self._pause_s))
            await self.once(self._at.rng.choice(self._names), self._at.rng.uniform(0.2, self._longest_s))

    async def once(self, name: str, seconds: float) -> None:
        """One fault for ``seconds``."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        end = FAULTS[name](self._at)
        try:
            await asyncio.sleep(seconds)
        finally:
            end()
            self.happened.append(Happened(name, began, loop.time()))
