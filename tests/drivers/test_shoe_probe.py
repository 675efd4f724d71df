"""A shoe asked who it is: HELLO and HB, without a session; what else may hang there is no shoe."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

from drivers.shoe.authentication import Pair
from drivers.shoe.codec import format_device
from drivers.shoe.device_memory import ShoeMemory
from drivers.shoe.messages import Cause, DeviceHello, Epoch, Heartbeat
from drivers.shoe.probe import ShoeAnswer, ask_shoe
from simulators.memory_link import MemoryLink
from simulators.shoe import SimulatedShoe
from simulators.virtual_time import run_virtual

HELLO = DeviceHello(5, 0, "SIMSHOE", "1.0.0", 1, 1, ("LK",), Cause.POWER, "S0012345", 0)
BEAT = Heartbeat(5, 0, "LOCKED", (), 52, 12, 3, 0, "H", 1, 0, Epoch(0, 0), 0, 0)


class Noise:
    """A device that answers everything with bytes of another protocol."""

    def __init__(self, line: MemoryLink) -> None:
        self.line = line
        line.attach(self)

    def host_connected(self) -> None:
        pass

    def host_data(self, data: bytes) -> None:
        self.line.write(b"\x06\x01\xb0\x01\x80\x39\n")

    def host_gone(self) -> None:
        pass


class Parrot:
    """A buffer that gives out what a shoe said to somebody else, and what it said by itself."""

    def __init__(self, line: MemoryLink) -> None:
        self.line = line
        line.attach(self)

    def host_connected(self) -> None:
        for re in (0, 0x51C4):
            self.line.write(format_device("SH01", replace(HELLO, re=re)))
            self.line.write(format_device("SH01", replace(BEAT, re=re)))

    def host_data(self, data: bytes) -> None:
        pass

    def host_gone(self) -> None:
        pass


class Restarting(Parrot):
    """A shoe that starts anew between HELLO and HB of its first answer."""

    def __init__(self, line: MemoryLink) -> None:
        super().__init__(line)
        self.boot = HELLO.boot

    def host_connected(self) -> None:
        pass

    def host_data(self, data: bytes) -> None:
        re = int(data.split(b",")[3], 16)
        self.line.write(format_device("SH01", replace(HELLO, boot=self.boot, re=re)))
        self.boot = HELLO.boot + 1
        self.line.write(format_device("SH01", replace(BEAT, boot=self.boot, re=re)))


def asked(line: MemoryLink) -> ShoeAnswer:
    """What comes from ``line``."""
    return run_virtual(ask_shoe(line, random.Random(1)), max_seconds=60)


def test_a_shoe_says_who_it_is_and_nothing_changes_in_it() -> None:
    """Serial number, node and state; the gate stays closed and no epoch is honoured."""
    line = MemoryLink("shoe")

    async def story() -> ShoeAnswer:
        shoe = SimulatedShoe(line, memory=ShoeMemory(boot=5, load=3))
        shoe.start()
        answer = await ask_shoe(line, random.Random(1))
        assert not shoe.is_gate_open
        shoe.stop()
        return answer

    answer = run_virtual(story(), max_seconds=60)
    assert answer.hello is not None
    assert answer.beat is not None
    assert (answer.node, answer.hello.serial, answer.beat.gate, str(answer.beat.epoch)) == ("SH01", "S0012345", "H", "00000000")


def test_silence_and_noise_are_told_apart() -> None:
    """No byte at all, or bytes that are no lines of a shoe."""
    silent = asked(MemoryLink("nobody"))
    assert (silent.hello, silent.bytes_in, silent.bad_lines) == (None, 0, 0)
    line = MemoryLink("noise")
    Noise(line)
    noisy = asked(line)
    assert noisy.hello is None
    assert noisy.bytes_in > 0
    assert noisy.bad_lines > 0


def test_an_answer_to_another_question_is_none() -> None:
    """HELLO and HB that a buffer kept, or that the shoe says by itself, tell nothing of who is there now (TSP/1 opening)."""
    line = MemoryLink("parrot")
    Parrot(line)
    answer = asked(line)
    assert (answer.hello, answer.beat, answer.node) == (None, None, "")
    assert (answer.unasked, answer.bad_lines) == (4, 0)


def test_hello_and_heartbeat_are_of_one_start() -> None:
    """The shoe restarted in between: its two halves are no answer, the next pair is."""
    line = MemoryLink("restarting")
    Restarting(line)
    answer = asked(line)
    assert answer.hello is not None
    assert answer.beat is not None
    assert answer.hello.boot == answer.beat.boot == HELLO.boot + 1


def test_a_shoe_that_authenticates_answers_a_signed_question() -> None:
    """It is greeted already and says nothing unasked; without the key it stays silent but for its beats."""
    pair = Pair(bytes(32), "SH01", "S0012345")
    for asking in (pair, None):
        line = MemoryLink("shoe")

        async def story(line: MemoryLink = line, asking: Pair | None = asking) -> ShoeAnswer:
            shoe = SimulatedShoe(line, memory=ShoeMemory(boot=5), pair=pair)
            shoe.start()
            shoe._session._is_greeted = True  # type: ignore[union-attr]
            await asyncio.sleep(2)  # what it said unasked has left
            answer = await ask_shoe(line, random.Random(1), pair=asking)
            shoe.stop()
            return answer

        answer = run_virtual(story(), max_seconds=60)
        assert (answer.hello is not None) == (asking is not None)
