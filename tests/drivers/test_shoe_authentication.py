"""Authenticated lines: golden bytes, and what an attacker at the cable cannot do."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from drivers.clock import LoopClock
from drivers.ports import (
    CardDrawn,
    CommandDone,
    DeckLoaded,
    DeviceEvent,
    GateChanged,
    LinkChanged,
    LinkState,
    ShoeFound,
    ShoeStopped,
)
from drivers.shoe.authentication import BAD_TAGS, CHANGE_S, BadKey, Pair, ShoeLock, Signer, key_id, parse_key
from drivers.shoe.codec import format_device, format_host, parse_device, parse_host
from drivers.shoe.device_memory import ShoeMemory
from drivers.shoe.driver import TspShoe
from drivers.shoe.lines import MAX_SIGNED_BYTES, LineFramer, framed, parse_line
from drivers.shoe.messages import CardMode, CardRead, Cause, Command, DeviceHello, Epoch, Heartbeat, HostHello, Verb
from simulators.felt import FULL_DECK
from simulators.memory_link import MemoryLink
from simulators.shoe import SimulatedShoe
from simulators.virtual_time import run_virtual

PAIR = Pair(bytes(range(32)), "SH01", "S0012345")
BOOT, OURS = 0x7F3A, Epoch(0x0007, 0xA31C)
NONCE_D, NONCE_H = "1122334455667788", "99AABBCCDDEEFF00"
CARDS = [card.upper() for card in FULL_DECK]

HELLO_D = b"$1,SH01,HELLO,0000,7F3A,SIMSHOE,1.0.0,1,1,LK+LD+PR+AU,P,S0012345,51C4,1122334455667788,00000000,20480ED7E2A31D85*4C8B"
HELLO_H = b"$1,HOST,HELLO,0000,7F3A,0007A31C,TABLE7,1,1122334455667788,99AABBCCDDEEFF00,00000000,67FE584D7625A3DC*25D5"
BEAT = b"$1,SH01,HB,0000,7F3A,LOCKED,0,52,12,0041,0000,H,0001,0000,0007A31C,0000,0000,00000001,84D051BEED881D6D*D57C"
CARD = b"$1,SH01,CARD,0002,7F3A,AS,C,0001,51,412,0000002A,D202C639254D51D7*2A5B"
LOCK = b"$1,HOST,CMD,0011,7F3A,0007A31C,LOCK,1,0000002B,2B5605EF0F986D3D*C704"

HELLO_MESSAGE = DeviceHello(BOOT, 0, "SIMSHOE", "1.0.0", 1, 1, ("LK", "LD", "PR", "AU"), Cause.POWER, "S0012345", 0x51C4, NONCE_D)


def ends() -> tuple[Signer, Signer]:
    """Shoe's and host's end in the golden session."""
    device, host = Signer(PAIR, is_host=False), Signer(PAIR, is_host=True)
    for end in (device, host):
        end.start(0.0, NONCE_D + NONCE_H, BOOT, OURS)
    return device, host


def body(line: bytes) -> bytes:
    """What the framer gives of a golden line."""
    (found,) = LineFramer(MAX_SIGNED_BYTES).feed(line + b"\r\n")
    return found


def test_golden_keys() -> None:
    """Worked out apart from this program."""
    assert PAIR.opening_key().hex() == "a2b05e748618e328d2511319910e67131ede08e37803b69dbe1451e56bcfb707"
    device, host = PAIR.session_keys(NONCE_D + NONCE_H, BOOT, OURS)
    assert device.hex() == "5dd92da7c12b6a64195ab934a1ed4d0ae182054389cdba177e3111720ff5b190"
    assert host.hex() == "e6f2b53b81012eed0aac0ed17fdfa7c9d2731f76726c89c7facb2ae3fae147ea"


def test_golden_lines_are_written_as_they_stand() -> None:
    """Openings with counter 0 under K_hello, the first HB with 1, a card with 2A, a command with 2B."""
    device, host = ends()
    assert device.sign(format_device("SH01", HELLO_MESSAGE), is_opening=True) == HELLO_D + b"\r\n"
    assert host.sign(format_host(HostHello(BOOT, 0, OURS, "TABLE7", 1, NONCE_D + NONCE_H)), is_opening=True) == HELLO_H + b"\r\n"
    beat = Heartbeat(BOOT, 0, "LOCKED", (), 52, 12, 0x41, 0, "H", 1, 0, OURS, 0, 0)
    assert device.sign(format_device("SH01", beat), is_opening=False) == BEAT + b"\r\n"
    device._sent = 0x29
    card = CardRead(BOOT, 2, "AS", CardMode.COUNTED, 1, 51, 412)
    assert device.sign(format_device("SH01", card), is_opening=False) == CARD + b"\r\n"
    host._sent = 0x2A
    assert host.sign(format_host(Command(BOOT, 0x11, OURS, Verb.LOCK, "1")), is_opening=False) == LOCK + b"\r\n"


def test_golden_lines_are_read() -> None:
    """Each by the other end, in order; its message is the one of the plain line."""
    device, host = ends()
    hello, beat, card = (host.check(1.0, body(line)) for line in (HELLO_D, BEAT, CARD))
    assert hello is not None
    assert beat is not None
    assert card is not None
    assert (hello.is_opening, beat.is_opening, card.is_opening) == (True, False, False)
    assert parse_device(parse_line(hello.body)) == HELLO_MESSAGE
    assert parse_device(parse_line(card.body)) == CardRead(BOOT, 2, "AS", CardMode.COUNTED, 1, 51, 412)
    greeting, order = device.check(1.0, body(HELLO_H)), device.check(1.0, body(LOCK))
    assert greeting is not None
    assert order is not None
    assert parse_host(parse_line(greeting.body)) == HostHello(BOOT, 0, OURS, "TABLE7", 1, NONCE_D + NONCE_H)
    assert parse_host(parse_line(order.body)) == Command(BOOT, 0x11, OURS, Verb.LOCK, "1")


def test_every_flipped_bit_with_a_mended_crc_fails_the_tag() -> None:
    """The attacker can compute a CRC; he cannot compute a tag. 0 of all one-bit changes pass."""
    for line in (HELLO_D, BEAT, CARD):
        good = body(line)
        for index in range(len(good) * 8):
            changed = bytearray(good)
            changed[index // 8] ^= 1 << index % 8
            _, host = ends()
            assert host.check(1.0, bytes(changed)) is None, index


def test_a_replayed_line_a_reflected_one_and_one_of_another_epoch_fail() -> None:
    """The same counter twice is late; the host's own line does not pass for the shoe's; another session has other keys."""
    device, host = ends()
    assert host.check(1.0, body(CARD)) is not None
    assert host.check(1.0, body(CARD)) is None
    assert (host.late, host.bad) == (1, 0)
    assert host.check(1.0, body(LOCK)) is None
    assert host.bad == 1
    other = Signer(PAIR, is_host=True)
    other.start(0.0, NONCE_D + NONCE_H, BOOT, Epoch(8, 0xA31C))
    assert other.check(1.0, body(CARD)) is None
    assert device.check(1.0, body(CARD)) is None


def test_old_lines_after_a_change_of_session_are_not_counted_for_two_seconds() -> None:
    """What is under way is no attack; later it is."""
    _, host = ends()
    host.start(10.0, NONCE_H + NONCE_D, BOOT, OURS)
    assert host.check(10.0 + CHANGE_S - 0.1, body(CARD)) is None
    assert host.bad == 0
    assert host.check(10.0 + CHANGE_S + 0.1, body(CARD)) is None
    assert host.bad == 1
    assert not host.is_tampered(13.0)
    for _ in range(BAD_TAGS - 1):
        host.check(13.0, body(LOCK))
    assert host.is_tampered(13.0)


def test_a_nonce_opens_one_session() -> None:
    """The same HELLO again changes nothing: a line recorded at the cable opens nothing later."""
    lock = ShoeLock(PAIR, random.Random(1))
    hello = HostHello(BOOT, 0, OURS, "TABLE7", 1, lock.nonce + NONCE_H)
    assert lock.takes(0.0, hello)
    assert not lock.takes(0.1, hello)
    assert lock.nonce not in hello.nonces


def test_a_key_never_shows() -> None:
    """A bad one is refused without repeating it; a good one has an id that tells nothing."""
    with pytest.raises(BadKey) as refused:
        parse_key("00" * 31 + "zz")
    assert "00" not in str(refused.value)
    assert parse_key("00" * 32 + "\n") == bytes(32)
    assert PAIR.key.hex() not in repr(PAIR)
    assert "\\x01" not in repr(PAIR)
    assert len(key_id(PAIR.key)) == 8
    with pytest.raises(Exception, match="fit"):
        framed(b"1,SH01,CARD," + b"x" * 200, MAX_SIGNED_BYTES)


class Desk:
    """A driver at a shoe on one line, with a table that takes everything at once."""

    def __init__(self, *, shoe: Pair | None = PAIR, table: Pair | None = PAIR) -> None:
        self.line = MemoryLink("shoe")
        self.device = SimulatedShoe(self.line, memory=ShoeMemory(boot=4), pair=shoe, rng=random.Random(3))
        self.events: list[DeviceEvent] = []
        self.boot = self.accepted = 0
        self.wire = b""
        self.driver = TspShoe(
            name="shoe",
            opener=self.line,
            deliver=self.deliver,
            clock=LoopClock(datetime(2026, 1, 1, tzinfo=UTC)),
            rng=random.Random(5),
            epoch_counter=7,
            paired_serial="S0012345",
            pair=table,
        )
        write = self.line.write

        def overheard(data: bytes) -> float:
            self.wire += data
            return write(data)

        self.line.write = overheard  # type: ignore[method-assign]

    async def deliver(self, event: DeviceEvent) -> None:
        self.events.append(event)
        match event:
            case ShoeFound(state=state):
                self.boot, self.accepted = state.boot, self.accepted if state.boot == self.boot else 0
                self.driver.adopt(self.boot, self.accepted)
            case CardDrawn() | DeckLoaded() | GateChanged():
                self.accepted = event.key.seq
                self.driver.accept(event.key)
            case _:
                pass

    def tell(self, story: Callable[[Desk], Awaitable[None]]) -> None:
        """Run driver and signs of life while ``story`` goes on."""

        async def live() -> None:
            while True:
                await asyncio.sleep(0.5)
                self.driver.sign_of_life()

        async def main() -> None:
            self.device.start()
            tasks = [asyncio.create_task(self.driver.run()), asyncio.create_task(live())]
            try:
                await story(self)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self.device.stop()

        run_virtual(main(), max_seconds=300)

    @property
    def state(self) -> LinkState:
        """The link as last told."""
        return [event for event in self.events if isinstance(event, LinkChanged)][-1].state

    def stops(self) -> list[str]:
        """Codes of the stops."""
        return [event.code for event in self.events if isinstance(event, ShoeStopped)]

    def cards(self) -> list[str]:
        """Cards as told."""
        return [event.code for event in self.events if isinstance(event, CardDrawn)]


async def deal(desk: Desk, count: int) -> None:
    """Load, open the gate, draw."""
    desk.device.load(CARDS, "D1")
    await asyncio.sleep(1)
    desk.driver.order_gate(1, is_open=True)
    await asyncio.sleep(1)
    for _ in range(count):
        assert desk.device.draw() is not None
        await asyncio.sleep(0.2)
    await asyncio.sleep(2)


def test_a_deal_over_an_authenticated_line() -> None:
    """Cards, gate and commands as without keys; the line reopens and the shoe restarts, each time with a session of its own."""

    async def story(desk: Desk) -> None:
        await asyncio.sleep(3)
        assert desk.state is LinkState.UP
        await deal(desk, 5)
        assert desk.cards() == CARDS[:5]
        assert [event.ok for event in desk.events if isinstance(event, CommandDone)] == [True]
        desk.line.unplug()
        await asyncio.sleep(1)
        desk.line.replug()
        await asyncio.sleep(8)
        assert desk.state is LinkState.UP
        desk.driver.order_gate(2, is_open=True)
        await asyncio.sleep(1)
        desk.device.draw()
        await asyncio.sleep(1)
        assert desk.cards() == CARDS[:6]
        desk.device.restart()
        await asyncio.sleep(5)
        assert desk.state is LinkState.UP
        assert desk.stops() == []
        assert desk.driver.report().counters.get("bad_tags", 0) == 0

    Desk().tell(story)


def test_nothing_but_who_it_is_leaves_a_shoe_before_a_session() -> None:
    """A packet is put in while nobody has opened a session: no LOAD goes over the line, with the session it does."""
    desk = Desk()

    async def before() -> None:
        desk.device.start()
        link = await desk.line.open(Deaf())
        desk.device.load(CARDS, "D1")
        await asyncio.sleep(5)
        assert b",HELLO," in desk.wire
        assert b",LOAD," not in desk.wire
        link.close()
        desk.device.stop()

    run_virtual(before(), max_seconds=60)


class Deaf:
    """A sink that hears nothing."""

    def link_opened(self, link: object) -> None:
        pass

    def data_received(self, data: bytes) -> None:
        pass

    def link_lost(self, reason: str) -> None:
        pass


def test_a_replay_of_the_whole_line_is_not_believed_and_three_bad_tags_stop_the_deal() -> None:
    """Everything that the shoe ever said, said again: no card twice, nothing opened. A forged card: tamper, and dealing stops."""

    async def story(desk: Desk) -> None:
        await asyncio.sleep(2)
        await deal(desk, 3)
        desk.line.write(desk.wire)
        await asyncio.sleep(2)
        assert desk.cards() == CARDS[:3]
        assert desk.stops() == []
        assert desk.state is LinkState.DEGRADED, "more than five lines were bad"
        forged = framed(b"1,SH01,CARD,0009,0005,AS,C,0004,48,100,00000FFF,0123456789ABCDEF", MAX_SIGNED_BYTES)
        for _ in range(BAD_TAGS):
            desk.line.write(forged)
        await asyncio.sleep(1)
        assert desk.cards() == CARDS[:3]
        assert desk.stops() == ["tamper"]
        assert desk.driver.report().counters["bad_tags"] == BAD_TAGS

    Desk().tell(story)


def test_a_shoe_goes_on_after_a_person_has_ruled_on_tampering() -> None:
    """The ruling opens a session with fresh nonces, and the cards that were not accepted come again."""

    async def story(desk: Desk) -> None:
        await asyncio.sleep(2)
        await deal(desk, 3)
        forged = framed(b"1,SH01,CARD,0009,0005,AS,C,0004,48,100,00000FFF,0123456789ABCDEF", MAX_SIGNED_BYTES)
        for _ in range(BAD_TAGS):
            desk.line.write(forged)
        desk.device.draw()
        await asyncio.sleep(1)
        assert desk.cards() == CARDS[:3]
        desk.driver.adopt(desk.boot, desk.accepted)
        await asyncio.sleep(3)
        assert desk.cards() == CARDS[:4]
        assert desk.state is LinkState.UP

    Desk().tell(story)


@pytest.mark.parametrize(("shoe", "table", "code"), [(None, PAIR, "shoe_open"), (PAIR, None, "shoe_locked")])
def test_one_side_alone_with_a_key_is_quarantined(shoe: Pair | None, table: Pair | None, code: str) -> None:
    """There is no way down to an open line, and none up without the key; both name the remedy."""

    async def story(desk: Desk) -> None:
        await asyncio.sleep(10)
        assert desk.state is LinkState.QUARANTINE
        trouble = desk.driver.report().trouble
        assert trouble is not None
        assert trouble.code == code
        assert not any(isinstance(event, ShoeFound) for event in desk.events)

    Desk(shoe=shoe, table=table).tell(story)


def test_a_forged_open_hello_in_a_session_is_a_bad_tag_and_no_quarantine() -> None:
    """One line without a key must neither shut the right shoe out nor silence the alarm about the next ones."""

    async def story(desk: Desk) -> None:
        await asyncio.sleep(5)
        forged = framed(b"1,SH01,HELLO,0000,0005,SIMSHOE,1.0.0,1,1,LK,P,S9999999,0000", MAX_SIGNED_BYTES)
        desk.line.write(forged)
        await asyncio.sleep(1)
        assert desk.state is LinkState.UP
        assert desk.driver.report().trouble is None
        for _ in range(BAD_TAGS - 1):
            desk.line.write(forged)
        await asyncio.sleep(1)
        assert desk.stops() == ["tamper"]

    Desk().tell(story)


def test_another_key_is_never_believed() -> None:
    """A shoe of the same name and number with another key: no session, and somebody has to look."""

    async def story(desk: Desk) -> None:
        await asyncio.sleep(10)
        assert desk.state is not LinkState.UP
        assert not any(isinstance(event, ShoeFound) for event in desk.events)
        assert desk.stops() == ["tamper"]

    Desk(shoe=Pair(bytes(32), "SH01", "S0012345")).tell(story)
