"""The simulated PN532 in the device's role: golden bytes, sleep, ACK, NACK, abort, and what other programs ask of it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from drivers.link.base import Link
from drivers.pn532.frames import WAKE_UP
from simulators.device_port import LineSpeed
from simulators.memory_link import MemoryLink
from simulators.pn532 import Power, SimulatedPn532
from simulators.pn532_chip import crc_a, memory_of
from simulators.virtual_time import run_virtual

ONE, TWO = "04A1B2C3D4E5F0", "04112233445566"
ACK, NACK = "00 00 FF 00 FF 00", "00 00 FF FF 00 00"
ERROR = "00 00 FF 01 FF 7F 81 00"
SAM, SAM_DONE = "00 00 FF 05 FB D4 14 01 00 01 16 00", "00 00 FF 02 FE D5 15 16 00"
FIRMWARE, FIRMWARE_IS = "00 00 FF 02 FE D4 02 2A 00", "00 00 FF 06 FA D5 03 32 01 06 07 E8 00"
LIST = "00 00 FF 04 FC D4 4A 02 00 E0 00"
EMPTY = "00 00 FF 03 FD D5 4B 00 E0 00"
FOUND_ONE = "00 00 FF 0F F1 D5 4B 01 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 D0 00"
FOUND_TWO = "00 00 FF 1B E5 D5 4B 02 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 02 00 44 00 07 04 11 22 33 44 55 66 19 00"
RETRIES, RETRIES_SET = "00 00 FF 06 FA D4 32 05 FF 01 01 F4 00", "00 00 FF 02 FE D5 33 F8 00"
RELEASE, RELEASED = "00 00 FF 03 FD D4 52 00 DA 00", "00 00 FF 03 FD D5 53 00 D8 00"
FIELD_OFF = "00 00 FF 04 FC D4 32 01 00 F9 00"


class Host:
    """The other end of the line: says bytes, and has what came since it last looked."""

    def __init__(self, *cards: str) -> None:
        self.cards = cards
        self.line = MemoryLink("chip", pace=LineSpeed(115200))
        self.chip = SimulatedPn532(self.line, tags=lambda _: self.cards, rng=random.Random(1))
        self.link: Link | None = None
        self.heard = bytearray()

    def link_opened(self, link: Link) -> None:
        self.link = link

    def data_received(self, data: bytes) -> None:
        self.heard += data

    def link_lost(self, reason: str) -> None:
        self.link = None

    async def say(self, *messages: str | bytes, wait_s: float = 0.2) -> str:
        """Say ``messages`` in one piece; what comes within ``wait_s``."""
        assert self.link is not None
        self.heard.clear()
        self.link.write(b"".join(bytes.fromhex(message) if isinstance(message, str) else message for message in messages))
        await asyncio.sleep(wait_s)
        return self.heard.hex(" ").upper()

    async def ask(self, content: str, *, wait_s: float = 0.2) -> str:
        """A command with ``content`` behind D4; what the chip answers behind its ACK, from the byte after D5 to the check."""
        body = bytes.fromhex("D4" + content)
        frame = b"\x00\x00\xff" + bytes((len(body), -len(body) & 0xFF)) + body + bytes((-sum(body) & 0xFF, 0))
        said = await self.say(frame, wait_s=wait_s)
        assert said.startswith(ACK)
        return said[len(ACK) + 1 :][18:-6]

    async def wake(self) -> None:
        assert await self.say(WAKE_UP, SAM) == f"{ACK} {SAM_DONE}"

    def tell(self, story: Callable[[Host], Awaitable[None]]) -> None:
        async def main() -> None:
            await self.line.open(self)
            await story(self)

        run_virtual(main(), max_seconds=100)


def test_verified_exchanges() -> None:
    """The verified frames of the document, as a chip hears and says them."""
    host = Host()

    async def story(host: Host) -> None:
        await host.wake()
        assert await host.say(FIRMWARE) == f"{ACK} {FIRMWARE_IS}"
        assert await host.say(RETRIES) == f"{ACK} {RETRIES_SET}"
        assert await host.say(LIST) == f"{ACK} {EMPTY}"
        host.cards = (ONE,)
        assert await host.say(LIST) == f"{ACK} {FOUND_ONE}"
        assert await host.say(RELEASE) == f"{ACK} {RELEASED}"
        host.cards = (ONE, TWO)
        assert await host.say(LIST) == f"{ACK} {FOUND_TWO}"
        assert await host.say(FIELD_OFF) == f"{ACK} {RETRIES_SET}"
        assert not host.chip.is_field_on
        assert await host.say(LIST) == f"{ACK} {FOUND_TWO}"

    host.tell(story)


def test_a_sleeping_chip_hears_only_a_long_preamble() -> None:
    """Without five bytes of preamble nothing is heard. GetFirmware is answered once, then the chip sleeps again; other commands
    before SAMConfiguration are not."""
    host = Host()

    async def story(host: Host) -> None:
        assert await host.say(SAM) == ""
        assert await host.say("55 55 00", "FF", SAM) == ""
        assert await host.say(bytes(10), FIRMWARE) == f"{ACK} {FIRMWARE_IS}"
        assert host.chip.power is Power.ASLEEP
        assert await host.say(FIRMWARE) == ""
        assert await host.say(WAKE_UP, LIST) == ""
        await host.wake()
        assert await host.say(FIRMWARE) == f"{ACK} {FIRMWARE_IS}"
        assert await host.ask("16 F0") == "17 00"
        assert await host.say(FIRMWARE) == ""
        assert await host.say("55 55 00 00 00", SAM) == f"{ACK} {SAM_DONE}"

    host.tell(story)


def test_nack_repeats_and_ack_stops() -> None:
    """NACK brings the last answer again; a search for ever goes on until a card comes, a host ACK stops it, or a new command."""
    host = Host()

    async def story(host: Host) -> None:
        await host.wake()
        assert await host.say(NACK) == SAM_DONE
        assert await host.say(LIST, wait_s=5) == ACK
        host.cards = (ONE,)
        assert await host.say("", wait_s=1) == FOUND_ONE
        assert await host.say(NACK, NACK) == f"{FOUND_ONE} {FOUND_ONE}"
        host.cards = ()
        await host.say(FIELD_OFF)
        assert await host.say(LIST, wait_s=1) == ACK
        assert await host.say(ACK) == ""
        host.cards = (ONE,)
        assert await host.say("", wait_s=1) == ""
        host.cards = ()
        assert await host.say(LIST, wait_s=1) == ACK
        assert await host.say(FIRMWARE) == f"{ACK} {FIRMWARE_IS}"

    host.tell(story)


@pytest.mark.parametrize("content", ["8C", "4A 03 00", "4A", "00 09", "10", "32 05", "60"])
def test_what_the_chip_does_not_know(content: str) -> None:
    """An unknown command, or one with parameters that are missing or wrong: ACK, then the error frame."""
    host = Host()

    async def story(host: Host) -> None:
        await host.wake()
        body = bytes.fromhex("D4" + content)
        frame = b"\x00\x00\xff" + bytes((len(body), -len(body) & 0xFF)) + body + bytes((-sum(body) & 0xFF, 0))
        assert await host.say(frame) == f"{ACK} {ERROR}"

    host.tell(story)


def test_a_bad_frame_gets_no_answer() -> None:
    """A flipped bit, or the frame of a chip: not even an ACK."""
    host = Host()

    async def story(host: Host) -> None:
        await host.wake()
        assert await host.say("00 00 FF 02 FE D4 03 2A 00") == ""
        assert await host.say(SAM_DONE) == ""

    host.tell(story)


def test_memory_of_a_card() -> None:
    """READ gives four pages, from page 0 again behind the last; a card with a short UID has no such memory; the CRC comes along
    where the host has switched its check off."""
    host = Host(ONE)

    async def story(host: Host) -> None:
        await host.wake()
        assert await host.ask("40 01 30 00") == "41 27"
        await host.say(LIST)
        first = memory_of(ONE)[:16].hex(" ").upper()
        assert first.startswith("04 A1 B2 9F C3 D4 E5 F0 02 48")
        assert await host.ask("40 01 30 00") == f"41 00 {first}"
        assert (await host.ask("40 01 30 0F")).endswith(first[: 3 * 12 - 1])
        assert await host.ask("42 30 00") == f"43 00 {first}"
        assert await host.ask("08 63 03 00") == "09"
        assert await host.ask("42 30 00") == f"43 00 {first} {crc_a(memory_of(ONE)[:16]).hex(' ').upper()}"
        assert await host.ask("40 01 60 00") == "41 01"
        assert await host.ask("00 06") == "01 00"
        host.cards = ()
        assert await host.ask("00 06") == "01 01"
        assert await host.ask("40 01 30 00") == "41 01"
        host.cards = ("11223344",)
        await host.say(LIST)
        assert await host.ask("40 01 30 00") == "41 01"

    host.tell(story)


def test_crc_a_of_the_standard() -> None:
    """The two examples of ISO 14443-3 annex B: 00 00 gives A0 1E, 12 34 gives 26 CF."""
    assert crc_a(bytes.fromhex("00 00")) == bytes.fromhex("A0 1E")
    assert crc_a(bytes.fromhex("12 34")) == bytes.fromhex("26 CF")


def test_other_searches() -> None:
    """A search for one given card finds it alone, one for FeliCa none, InAutoPoll tells type and length of each."""
    host = Host(ONE, TWO)

    async def story(host: Host) -> None:
        await host.wake()
        await host.say(RETRIES)
        assert (await host.ask("4A 01 00 88 04 11 22 33 44 55 66")).endswith("01 01 00 44 00 07 04 11 22 33 44 55 66")
        await host.say(FIELD_OFF)
        assert await host.ask("4A 01 01 00 FF FF 00 00") == "4B 00"
        assert (
            await host.ask("60 01 01 10")
            == "61 02 10 0C 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 10 0C 02 00 44 00 07 04 11 22 33 44 55 66"
        )
        assert (await host.ask("04")).startswith("05 00 01 02 01")
        host.cards = ()
        assert await host.ask("60 02 01 10", wait_s=0.25) == ""
        assert await host.say("", wait_s=0.2) == "00 00 FF 03 FD D5 61 00 CA 00"

    host.tell(story)


def test_the_line_is_paced() -> None:
    """Two cards, their search and ACK take 51 bytes: 4.4 ms on the wire at 115200 baud, and the chip's own time."""
    host = Host(ONE, TWO)

    async def story(host: Host) -> None:
        await host.wake()
        loop = asyncio.get_running_loop()
        began = loop.time()
        assert host.link is not None
        host.heard.clear()
        host.link.write(bytes.fromhex(LIST))
        while len(host.heard) < 6 + 34:
            await asyncio.sleep(0.0005)
        assert 0.0044 + 0.032 <= loop.time() - began <= 0.0044 + 0.040

    host.tell(story)
