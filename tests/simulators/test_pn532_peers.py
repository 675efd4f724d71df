"""Programs that are not ours talk to the simulated PN532 over a pseudo-terminal: libnfc's and nfcpy find it and read its cards.

What they and our driver agree on is the protocol, and no mistake that our two ends share.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.programs import program

from simulators.device_port import LineSpeed
from simulators.felt import PACKET, Felt
from simulators.pn532 import SimulatedPn532
from simulators.pn532_chip import ChipCode, memory_of
from simulators.ports import PseudoTerminal
from simulators.rig import make_type_a_tags

ONE, TWO = "04A1B2C3D4E5F0", "04112233445566"
PEER = Path(__file__).parent.parent / "support" / "nfcpy_peer.py"
WAIT_S = 90.0

pytestmark = pytest.mark.ports


class Desk:
    """A simulated chip on a pseudo-terminal, and what lies on it: ``cards``, or what its place on a felt holds."""

    def __init__(self, port: PseudoTerminal, tags: Callable[[int], Sequence[str]] | None) -> None:
        self.port = port
        self.cards: list[str] = []
        self.chip = SimulatedPn532(port, tags=tags if tags is not None else lambda _: self.cards, rng=random.Random(1))

    async def run(self, *command: str) -> str:
        """What a program says that is given this port."""
        process = await self.begin(*command)
        async with asyncio.timeout(WAIT_S):
            said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
        return said.decode()

    async def begin(self, *command: str) -> asyncio.subprocess.Process:
        environment = {**os.environ, "LIBNFC_DEVICE": f"pn532_uart:{self.port.path.resolve()}", "PYTHONWARNINGS": "ignore"}
        environment.pop("PYTHONPATH", None)
        return await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env=environment
        )


@asynccontextmanager
async def desk(tmp_path: Path, tags: Callable[[int], Sequence[str]] | None = None) -> AsyncIterator[Desk]:
    port = PseudoTerminal(tmp_path / "pn532", pace=LineSpeed(115200))
    made = Desk(port, tags)
    port.replug()
    try:
        yield made
    finally:
        port.close()


def uids(said: str) -> list[str]:
    """The UIDs in the output of nfc-list and nfc-poll."""
    return [re.sub(r"\s", "", row).upper() for row in re.findall(r"UID \(NFCID1\):([0-9a-f ]+)", said)]


async def test_nfc_list_finds_the_cards(tmp_path: Path) -> None:
    """nfc-list opens the chip and lists none, one, then two cards with UID, ATQA and SAK; a second start finds the same."""
    peer = program("nfc-list", package="libnfc-bin libnfc-examples")
    async with desk(tmp_path) as made:
        assert uids(await made.run(peer)) == []
        made.cards = [ONE]
        said = await made.run(peer)
        assert uids(said) == [ONE]
        assert re.search(r"ATQA \(SENS_RES\): 00 +44", said)
        assert re.search(r"SAK \(SEL_RES\): 00", said)
        made.cards = [ONE, TWO]
        for _ in range(2):
            assert uids(await made.run(peer, "-t", "1")) == [ONE, TWO]


async def test_nfc_poll_waits_for_a_card_and_for_its_going(tmp_path: Path) -> None:
    """nfc-poll starts on an empty antenna, tells the card once it lies there, and ends when it is lifted."""
    async with desk(tmp_path) as made:
        process = await made.begin(program("nfc-poll", package="libnfc-bin libnfc-examples"))
        try:
            async with asyncio.timeout(WAIT_S):
                while made.chip.searches == 0:
                    await asyncio.sleep(0.01)
                made.cards = [ONE]
                while ChipCode.EXCHANGE not in made.chip.commands:  # it reads the card's first pages to see whether it is there
                    await asyncio.sleep(0.01)
                made.cards = []
                said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert uids(said.decode()) == [ONE]
        assert process.returncode == 0


async def test_nfc_mfultralight_reads_the_memory(tmp_path: Path) -> None:
    """libnfc's reader of MIFARE Ultralight gets the sixteen pages, byte for byte."""
    peer = program("nfc-mfultralight", package="libnfc-bin libnfc-examples")
    dump = tmp_path / "dump.mfd"
    async with desk(tmp_path) as made:
        made.cards = [ONE]
        assert "16 of 16 pages read" in await made.run(peer, "r", str(dump))
    assert dump.read_bytes() == memory_of(ONE)


async def test_nfcpy_reads_the_card(tmp_path: Path) -> None:
    """nfcpy wakes the chip, finds nothing on an empty antenna, then the card, and knows it as an Ultralight with its memory."""
    async with desk(tmp_path) as made:
        empty = json.loads(await made.run(sys.executable, str(PEER), str(made.port.path.resolve())))
        assert empty == {"chip": "PN532v1.6", "uid": None}
        made.cards = [ONE]
        found = json.loads(await made.run(sys.executable, str(PEER), str(made.port.path.resolve()), "card"))
    assert (found["chip"], found["uid"], found["present"]) == ("PN532v1.6", ONE, True)
    assert "Ultralight" in found["product"]
    assert found["memory"][0].startswith("000: 04 a1 b2 9f")


async def test_peers_see_the_same_felt_as_the_table(tmp_path: Path) -> None:
    """The chip's antenna is a place of the shared felt: a card moved there is found by nfc-list, moved away it is not."""
    peer = program("nfc-list", package="libnfc-bin libnfc-examples")
    tags = make_type_a_tags(random.Random(3))
    felt = Felt(tags, ["burn", "muck"])
    async with desk(tmp_path, felt.antennas({1: "burn"})) as made:
        felt.move("Td", "burn", origin=PACKET, at=0.0)
        felt.move("4c", "muck", origin=PACKET, at=0.0)
        assert uids(await made.run(peer)) == [tags["Td"]]
        felt.move("Td", "muck", origin="burn", at=1.0)
        assert uids(await made.run(peer)) == []
