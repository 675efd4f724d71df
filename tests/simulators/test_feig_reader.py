"""Simulated FEIG readers: the time they take, and each fault on its own. Requests are bytes typed out or made by hand."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine

import pytest

from drivers.feig.frames import Frame, FrameDecoder, Role, encode
from drivers.feig.messages import CpuReset, Inventory, ReadConfig, Request, RfPower, WriteConfig, request_frame
from drivers.feig.settings import CFG_ANTICOLLISION, with_all_listed
from simulators.device_port import DeviceSink
from simulators.feig_reader import DEFAULT_SETTINGS, PENDING_ANSWERS, FeigReaders, air_s
from simulators.virtual_time import run_virtual

ONE, TWO, THREE = "E00401009A3B7C21", "E00401009A3B7C55", "E0040100A1B2C3D4"
NEW = "07 01 B0 01 00 75 8F"
MORE = "07 01 B0 01 80 7D 0B"
PING = "06 01 52 00 20 F2"
ALL_LISTED = with_all_listed(DEFAULT_SETTINGS[CFG_ANTICOLLISION])


class Port:
    """A line without pace that notes what the readers write, and when."""

    def __init__(self) -> None:
        self.sink: DeviceSink | None = None
        self.written: list[tuple[float, bytes]] = []

    def attach(self, sink: DeviceSink) -> None:
        self.sink = sink

    def write(self, data: bytes) -> float:
        self.written.append((asyncio.get_running_loop().time(), data))
        return 0.0

    def unplug(self) -> None: ...

    def replug(self) -> None: ...

    def close(self) -> None: ...


class Bench:
    """Readers at addresses 1 and 2, and a host of few words."""

    def __init__(self, cards: dict[int, tuple[str, ...]], *, speed: float = 1.0) -> None:
        self.port = Port()
        self.cards = cards
        self.readers = FeigReaders(
            self.port, addresses=(1, 2), tags=lambda address: self.cards.get(address, ()), rng=random.Random(4), speed=speed
        )

    async def say(self, raw: str, wait_s: float = 2.0) -> list[str]:
        before = len(self.port.written)
        self.readers.host_data(bytes.fromhex(raw))
        await asyncio.sleep(wait_s)
        return [data.hex(" ").upper() for _, data in self.port.written[before:]]

    async def ask(self, request: Request, address: int = 1) -> list[bytes]:
        raw = encode(request_frame(request, address)).hex()
        answers = [FrameDecoder(Role.HOST).feed(bytes.fromhex(answer), 0.0) for answer in await self.say(raw)]
        return [frame.payload for frames in answers for frame in frames]

    async def list_all(self) -> None:
        for address in (1, 2):
            assert await self.ask(WriteConfig(CFG_ANTICOLLISION, ALL_LISTED), address) == [b"\x00"]

    async def scans(self, count: int, address: int = 1) -> list[bytes]:
        return [payload for _ in range(count) for payload in await self.ask(Inventory(), address)]


def on_bench(
    cards: dict[int, tuple[str, ...]], story: Callable[[Bench], Coroutine[object, object, None]], *, speed: float = 1.0
) -> None:
    """Run ``story`` on virtual time, with every tag listed in every scan."""

    async def main() -> None:
        bench = Bench(cards, speed=speed)
        await bench.list_all()
        await story(bench)

    run_virtual(main(), max_seconds=3600)


def uids(payload: bytes) -> list[str]:
    records = payload[2:]
    return [records[start + 2 : start + 10].hex().upper() for start in range(0, len(records), 10)]


def test_verified_exchanges_byte_for_byte() -> None:
    """The answers are those of FEIG §2.2, typed out: ping, reset, RF reset, RF on, empty, one tag, three tags."""

    async def story(bench: Bench) -> None:
        assert await bench.say(PING) == ["06 01 52 00 20 F2"]
        assert await bench.say("05 01 69 91 E7") == ["06 01 69 00 2A A0"]
        assert await bench.say(NEW) == ["06 01 B0 01 80 39"]
        bench.cards[1] = (ONE,)
        assert await bench.say(NEW) == ["11 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 44 D8"]
        assert await bench.say("02 00 09 01 B0 01 00" + crc("02 00 09 01 B0 01 00")) == [
            "02 00 13 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 9F 9C"
        ]
        bench.cards[1] = (ONE, TWO, THREE)
        assert await bench.say(NEW) == [
            "25 01 B0 00 03 03 00 E0 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55 03 00 E0 04 01 00 A1 B2 C3 D4 85 AA"
        ]
        assert await bench.say("05 01 63 CB 48") == ["06 01 63 00 5A 5D"]

    on_bench({}, story)


def crc(raw: str) -> str:
    """Check of a request that is not listed in §2.2, by the bitwise definition."""
    value = 0xFFFF
    for byte in bytes.fromhex(raw):
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
    return value.to_bytes(2, "little").hex()


@pytest.mark.parametrize(("tags", "expected_ms"), [(0, 9.8), (7, 54.5), (9, 72.45), (15, 132.3), (52, 482.0), (60, 556.75)])
def test_air_time_between_the_rows(tags: int, expected_ms: float) -> None:
    """The table's rows, the middle of two, and the last slope beyond 52."""
    assert air_s(tags) * 1000 == pytest.approx(expected_ms)


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_an_inventory_takes_its_time(speed: float) -> None:
    """Seven cards: 15 ms field off, 54.5 ms air, 10 ms overhead; an empty antenna 34.8 ms; divided by the speed."""
    seven = tuple(f"E00401{number:010X}" for number in range(7))

    async def story(bench: Bench) -> None:
        for address, expected_ms in ((1, 79.5), (2, 34.8)):
            asked_at = asyncio.get_running_loop().time()
            await bench.ask(Inventory(), address)
            assert bench.port.written[-1][0] - asked_at == pytest.approx(expected_ms / 1000 / speed)

    on_bench({1: seven}, story, speed=speed)


def test_more_than_24_tags_come_in_parts() -> None:
    """30 tags: 24 with status 94, 6 with 00; asking for more without a rest is status 92."""
    crowd = tuple(f"E00401{number:010X}" for number in range(30))

    async def story(bench: Bench) -> None:
        (first,) = await bench.ask(Inventory())
        (second,) = await bench.ask(Inventory(more=True))
        (third,) = await bench.ask(Inventory(more=True))
        assert (first[0], first[1], second[0], second[1]) == (0x94, 24, 0x00, 6)
        assert (*uids(first), *uids(second)) == crowd
        assert third == b"\x92"

    on_bench({1: crowd}, story)


def test_ont_lists_new_tags_only_until_it_is_cleared() -> None:
    """As delivered (ONT = 1) a resting tag is told once; a power cut brings that back unless it was stored."""

    async def story(bench: Bench) -> None:
        assert [payload[0] for payload in await bench.scans(2)] == [0x00, 0x00]
        await bench.ask(CpuReset())
        assert [payload[0] for payload in await bench.scans(3)] == [0x00, 0x01, 0x01]
        await bench.ask(WriteConfig(CFG_ANTICOLLISION, ALL_LISTED, stored=True))
        bench.readers.power_cycle(1)
        assert [payload[0] for payload in await bench.scans(3)] == [0x00, 0x00, 0x00]
        assert await bench.ask(ReadConfig(CFG_ANTICOLLISION, stored=True)) == [b"\x00" + ALL_LISTED]
        assert await bench.ask(ReadConfig(7)) == [b"\x15"]
        await bench.ask(RfPower(on=False))
        assert await bench.scans(1) == [b"\x01"]

    on_bench({1: (ONE,)}, story)


def test_bad_and_foreign_requests() -> None:
    """A spoilt request, or one to nobody, gets no answer; an unknown command gets status 80; FF is answered by name."""

    async def story(bench: Bench) -> None:
        assert await bench.say("06 01 52 00 20 F3") == []
        assert await bench.say(encode(Frame(9, 0x52, b"\x00")).hex()) == []
        (refusal,) = await bench.say(encode(Frame(1, 0x72, b"\x01")).hex())
        assert refusal.startswith("06 01 72 80")
        (answer,) = await bench.say("05 FF 65 E5 CB")
        assert answer.startswith("0D 01 65 00 03 03 00 44 53 0D 30")

    on_bench({}, story)


def test_silent_and_lost() -> None:
    """A silent address answers nothing, its neighbour does; lost requests are lost."""

    async def story(bench: Bench) -> None:
        bench.readers.faults.silent.add(1)
        assert await bench.say(PING) == []
        assert len(await bench.scans(1, address=2)) == 1
        bench.readers.faults.silent.clear()
        bench.readers.faults.lost = 0.5
        assert 20 < len(await bench.scans(60)) < 40

    on_bench({}, story)


def test_misses_hit_single_tags() -> None:
    """A miss chance of 20 % loses about one reading in five, at one address alone if so set."""

    async def story(bench: Bench) -> None:
        bench.readers.faults.miss_at[1] = 0.2
        read = sum(len(uids(payload)) for payload in await bench.scans(200))
        assert 250 < read < 385
        assert sum(len(uids(payload)) for payload in await bench.scans(50, address=2)) == 50

    on_bench({1: (ONE, TWO), 2: (THREE,)}, story)


def test_bleed_extra_and_shuffle() -> None:
    """A neighbour's tag, a foreign tag and another order appear as set, and nothing else."""

    async def story(bench: Bench) -> None:
        bench.readers.faults.bleed = 0.5
        bled = [THREE in uids(payload) for payload in await bench.scans(40)]
        assert 8 < sum(bled) < 32
        bench.readers.faults.bleed = 0.0
        bench.readers.faults.extra[1] = ("E0040100DEADBEEF",)
        assert uids((await bench.scans(1))[0]) == [ONE, TWO, "E0040100DEADBEEF"]
        bench.readers.faults.shuffled = True
        orders = {tuple(uids(payload)) for payload in await bench.scans(40)}
        assert len(orders) == 6

    on_bench({1: (ONE, TWO), 2: (THREE,)}, story)


def test_statuses_on_demand() -> None:
    """83 tells some of the tags, 84 all of them, 0F none."""

    async def story(bench: Bench) -> None:
        bench.readers.faults.rf_error = 1.0
        partial = await bench.scans(30)
        assert {payload[0] for payload in partial} == {0x83}
        assert {payload[1] for payload in partial} == {0, 1, 2}
        bench.readers.faults.rf_error = 0.0
        bench.readers.faults.rf_warning = 1.0
        (warning,) = await bench.scans(1)
        assert (warning[0], uids(warning)) == (0x84, [ONE, TWO])
        bench.readers.faults.busy = 1.0
        assert await bench.scans(1) == [b"\x0f"]

    on_bench({1: (ONE, TWO)}, story)


def test_requests_are_worked_on_in_order_and_bounded() -> None:
    """A reader answers in order; of nine requests at once the ninth is lost."""

    async def story(bench: Bench) -> None:
        answers = await bench.say(NEW + PING * PENDING_ANSWERS)
        assert [answer[6:8] for answer in answers] == ["B0", *["52"] * (PENDING_ANSWERS - 1)]

    on_bench({}, story)


def test_nothing_is_said_to_a_host_that_has_gone() -> None:
    """When the host closes the port, answers under way are dropped, and the next host starts clean."""

    async def story(bench: Bench) -> None:
        bench.readers.host_data(bytes.fromhex(NEW + "06 01"))
        bench.readers.host_gone()
        bench.readers.host_connected()
        assert await bench.say(PING) == [PING]

    on_bench({}, story)


def test_the_same_seed_gives_the_same_faults() -> None:
    """Two benches with one seed misread alike."""
    runs: list[list[bytes]] = []

    async def story(bench: Bench) -> None:
        bench.readers.faults.miss = 0.3
        bench.readers.faults.shuffled = True
        runs.append(await bench.scans(30))

    for _ in range(2):
        on_bench({1: (ONE, TWO, THREE)}, story)
    assert runs[0] == runs[1]
