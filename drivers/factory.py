"""What a driver is: the value that an entry point names, and all that a device is made from.

A driver of shoes is registered under ``stud_table.shoes``, one of readers under ``stud_table.readers``, a multiplexer under
``stud_table.multiplexers`` (``drivers.registry``).
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from drivers.clock import Clock
from drivers.link.base import Opener
from drivers.link.serial import SerialSettings
from drivers.ports import Deliver, KnownShoe, Multiplexer, ReaderPort, ShoePort


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeSetup:
    """What one shoe is made from. ``epoch_counter`` (1 to FFFF) is this start of the controller, durable before. ``known`` is
    what the journal knows of the shoe, None for a first meeting. With a ``key`` each line is authenticated, for drivers that take
    one; it belongs to the paired shoe. ``options`` are those of the configuration."""

    name: str
    opener: Opener
    deliver: Deliver
    clock: Clock
    rng: random.Random
    epoch_counter: int = 1
    paired_serial: str | None = None
    paired_model: str | None = None
    paired_node: str | None = None
    key: bytes | None = field(default=None, repr=False)
    known: KnownShoe | None = None
    controller: str = "TABLE"
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WiredAntenna:
    """One antenna of a line: its bus address, and whether it may be scanned seldom, as the muck."""

    address: int
    is_seldom: bool = False


Forwarding: TypeAlias = Callable[[int, int, bytes], Awaitable[bytes]]
"""Sends one command through the reader at a bus address: control byte and data; the data of its answer comes back.

``DriverError`` when it is refused or not answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiplexerSetup:
    """What the multiplexer of line ``name`` is made from.

    ``antennas`` are the numbers that it must join, ``forward`` speaks to it through a reader of the line.
    """

    name: str
    antennas: tuple[int, ...]
    clock: Clock
    forward: Forwarding


@dataclass(frozen=True, slots=True)
class MultiplexerDriver:
    """A multiplexer that readers of one kind can be before, registered under ``stud_table.multiplexers``. ``make`` sends nothing;
    ``ValueError`` for antennas that it cannot have."""

    summary: str
    make: Callable[[MultiplexerSetup], Multiplexer]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSetup:
    """What one line of readers is made from. ``round_s`` is the shortest time for one round over its antennas, in seconds.

    ``device_ids`` says which reader belongs at an address, ``hardware`` of which kind all are, ``elsewhere`` where each other
    device id of the table belongs: for drivers with ``tells_identity``. ``delivered`` opens the port as the driver's devices are
    set when they are delivered; None where it is set so anyway, or at its other end.
    """

    name: str
    opener: Opener
    deliver: Deliver
    clock: Clock
    rng: random.Random
    antennas: tuple[WiredAntenna, ...]
    baud: int
    round_s: float = 0.1
    device_ids: Mapping[int, str] = field(default_factory=dict)
    hardware: int | None = None
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    delivered: Opener | None = None
    multiplexer: MultiplexerDriver | None = None
    """For drivers with ``takes_multiplexer``."""
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShoeDriver:
    """A driver of shoes. ``make`` opens nothing; ``line`` is how its devices are set when they are delivered; ``options`` are the
    names and types of what the configuration may say beyond that."""

    summary: str
    make: Callable[[ShoeSetup], ShoePort]
    line: SerialSettings
    options: Mapping[str, type] = field(default_factory=dict)
    takes_key: bool = False
    """Whether it can authenticate the shoe's lines."""
    tells_identity: bool = False
    """Whether its shoes say which ones they are, so that one can be paired."""
    has_gate: bool = True
    """Whether its shoes close at an order; else nothing but the dealer holds a card back."""
    tells_load: bool = True
    """Whether its shoes tell that they were loaded, and with how many cards; else the dealer counts the deck."""
    is_verified: bool = True
    """Whether it follows a document of the maker or has met the real device; else nobody should trust money to it."""

    def problems(self, options: Mapping[str, object]) -> list[str]:
        """What cannot be in a configuration, one sentence each."""
        return _option_problems(options, self.options)


@dataclass(frozen=True, slots=True)
class ReaderDriver:
    """A driver of readers; as ``ShoeDriver``. ``most_antennas`` is how many one line can have, ``None`` for as many as there are
    addresses; ``tells_identity`` whether its readers say which ones they are."""

    summary: str
    make: Callable[[ReaderSetup], ReaderPort]
    line: SerialSettings
    options: Mapping[str, type] = field(default_factory=dict)
    most_antennas: int | None = None
    tells_identity: bool = False
    is_verified: bool = True
    takes_multiplexer: bool = False
    """Whether its readers may have several antennas behind a multiplexer."""

    def problems(self, options: Mapping[str, object], antennas: int) -> list[str]:
        """What cannot be in a configuration with so many antennas on the line, one sentence each."""
        found = _option_problems(options, self.options)
        if self.most_antennas is not None and antennas > self.most_antennas:
            found.append(
                f"{antennas} antennas are too many for its driver, which takes {self.most_antennas} on a line: use more ports"
            )
        return found


def _option_problems(given: Mapping[str, object], known: Mapping[str, type]) -> list[str]:
    found = []
    for name, value in given.items():
        if name not in known:
            found.append(f"its driver has no option {name}; it has {', '.join(known) or 'none'}")
        elif type(value) is not known[name]:
            found.append(f"option {name} is a {type(value).__name__} and must be a {known[name].__name__}")
    return found
