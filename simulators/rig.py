"""A whole simulated table: felt, shoe and readers on given ports, and the people who play at it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final
from zlib import crc32

from drivers.shoe.authentication import Pair
from drivers.shoe.device_memory import ShoeIdentity, ShoeMemory
from simulators.console import Console
from simulators.device_port import DevicePort
from simulators.feig_reader import FeigReaders
from simulators.felt import FULL_DECK, Felt
from simulators.field import Coupling, Field
from simulators.shoe import SimulatedShoe

SHOE_PORT: Final = "shoe"
SET_ID: Final = "SIMDECK1"

NINETEEN: Final[Mapping[str, Mapping[int, str]]] = {
    **{
        f"felt-{line}": {
            1: f"seat/{first}/down",
            2: f"seat/{first}/up",
            3: f"seat/{first + 1}/down",
            4: f"seat/{first + 1}/up",
        }
        for line, first in zip("abcd", (1, 3, 5, 7), strict=True)
    },
    "felt-e": {1: "muck", 2: "burn", 3: "community"},
}
"""The sample table: a down and an up antenna a seat, four to a line, and muck, burn and community."""

SEVEN_SEATS_ONE_EACH: Final[Mapping[str, Mapping[int, str]]] = {
    "felt-a": {1: "seat/1", 2: "seat/2", 3: "seat/3", 4: "seat/4"},
    "felt-b": {1: "seat/5", 2: "seat/6", 3: "seat/7"},
    "felt-e": {1: "muck", 2: "burn", 3: "community"},
}
"""A table with one antenna a seat."""


def make_tags(rng: random.Random) -> dict[str, str]:
    """A tag for each card: ISO 15693 numbers of one maker, all different."""
    serials = rng.sample(range(1 << 32), len(FULL_DECK))
    return {card: f"E0040100{serial:08X}" for card, serial in zip(FULL_DECK, serials, strict=True)}


def make_type_a_tags(rng: random.Random) -> dict[str, str]:
    """A tag for each card: ISO 14443-A numbers of seven bytes of one maker, all different, for antennas with a PN532."""
    serials = rng.sample(range(1 << 48), len(FULL_DECK))
    return {card: f"04{serial:012X}" for card, serial in zip(FULL_DECK, serials, strict=True)}


def device_id(line: str, address: int) -> str:
    """What the simulated reader at ``address`` of ``line`` says of itself: eight hex digits, the same in every run."""
    return f"{crc32(f'{line}/{address}'.encode()):08X}"


class SimulatedTable:
    """Devices of one table. ``ports`` has a port ``shoe`` and one a line of ``wiring``; ``speed`` divides times.

    ``memory`` is what the shoe kept from before it lost its power; ``coupling`` says which antenna reads which place;
    with ``pair`` the shoe authenticates its lines.
    """

    def __init__(
        self,
        ports: Mapping[str, DevicePort],
        *,
        tags: Mapping[str, str],
        rng: random.Random,
        wiring: Mapping[str, Mapping[int, str]] = NINETEEN,
        speed: float = 1.0,
        memory: ShoeMemory | None = None,
        coupling: Coupling | None = None,
        pair: Pair | None = None,
    ) -> None:
        self.ports = ports
        places = [place for line in wiring.values() for place in line.values()]
        self.felt = Felt(tags, places)
        self.field = Field(self.felt, rng=random.Random(rng.getrandbits(64)), coupling=coupling)
        self.shoe = SimulatedShoe(ports[SHOE_PORT], memory=memory, identity=ShoeIdentity(), pair=pair)
        self.readers = {
            line: FeigReaders(
                ports[line],
                addresses=addresses,
                tags=self.felt.antennas(addresses),
                rng=random.Random(rng.getrandbits(64)),
                speed=speed,
                reads=self.field.antennas(addresses),
                device_ids={address: bytes.fromhex(device_id(line, address)) for address in addresses},
            )
            for line, addresses in wiring.items()
        }

    def start(self) -> None:
        """Plug everything in and give the shoe its current. Needs a running loop."""
        for port in self.ports.values():
            port.replug()
        self.shoe.start()

    def stop(self) -> None:
        """Take everything away."""
        self.shoe.stop()
        for port in self.ports.values():
            port.close()


async def seat_players(console: Console, players: Mapping[int, tuple[str, int]]) -> None:
    """Wait until the table is live, then seat those who are not seated: seat → name and chips.

    While a hand is open everybody who plays has a seat, and the table may wait for its dealer to resume.
    """
    snapshot = await _live_or_in_hand(console)
    if hand_is_open(snapshot):
        return
    seated = {row["seat"] for row in snapshot["seats"] if row["state"] != "empty"}
    for seat, (name, chips) in sorted(players.items()):
        if seat not in seated:
            command: dict[str, Any] = {"type": "seat_player", "seat": seat, "name": name, "stack": chips}
            answer = await console.send(command, decision=None, seq=snapshot["seq"])
            if not answer["ok"]:  # a controller that started anew meanwhile was not live yet
                snapshot = await _live_or_in_hand(console)
                await console.send(command, decision=None, seq=snapshot["seq"])


async def _live_or_in_hand(console: Console) -> Mapping[str, Any]:
    snapshot = await console.snapshot()
    while snapshot["status"] != "live" and not hand_is_open(snapshot):
        snapshot = await console.changed(snapshot["seq"])
    return snapshot


def hand_is_open(snapshot: Mapping[str, Any]) -> bool:
    """Whether a hand is being played."""
    return snapshot["hand"] is not None and snapshot["hand"]["phase"] not in ("ended", "voided")
