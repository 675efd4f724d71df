"""Readers asked who they are: version, device id, tags, at any address; no setting is changed."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from drivers.clock import LoopClock
from drivers.feig.frames import ANY_ADDRESS
from drivers.feig.probe import DELIVERED, LINES, Heard, ReaderFound, answering, ask_readers, find_line, listen
from drivers.feig.session import LineSettings
from drivers.link.base import Opener
from drivers.link.serial import Parity, SerialSettings
from simulators.feig_reader import DEFAULT_SETTINGS, VERSION, FeigReaders
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

TAG = "E004010000000001"


def asked(*addresses: int, repeat: int = 1) -> tuple[dict[int, ReaderFound | None], FeigReaders]:
    """What two readers, at addresses 1 and 2, answer at ``addresses``."""
    link = MemoryLink("felt-a")
    readers = FeigReaders(
        link,
        addresses=(1, 2),
        tags=lambda address: (TAG,) if address == 2 else (),
        rng=random.Random(1),
        device_ids={1: b"\xab\xcd"},
    )

    async def story() -> dict[int, ReaderFound | None]:
        clock = LoopClock(datetime(2026, 1, 1, tzinfo=UTC))
        for _ in range(repeat):
            found = await ask_readers(link, addresses, clock, LineSettings())
        return found

    return run_virtual(story(), max_seconds=60), readers


def test_each_address_tells_who_is_there() -> None:
    """Version, id and tags of those who are there, None for the others; a second time the same, though ONT is on."""
    for repeat in (1, 2):
        found, readers = asked(1, 2, 3, repeat=repeat)
        assert found == {
            1: ReaderFound(1, VERSION, "ABCD", ()),
            2: ReaderFound(2, VERSION, "00000002", (TAG,)),
            3: None,
        }
        assert {block: readers.settings(1, block) for block in DEFAULT_SETTINGS} == DEFAULT_SETTINGS


def test_anybody_may_answer_when_any_address_is_asked() -> None:
    """Address FF: the answer carries the reader's own address and counts all the same."""
    found, _ = asked(ANY_ADDRESS)
    reader = found[ANY_ADDRESS]
    assert reader is not None
    assert reader.device_id == "ABCD"
    assert TAG not in repr(found)


def test_a_whole_deck_on_one_antenna_is_told_whole() -> None:
    """More than one exchange of a scan follows up."""
    deck = tuple(f"E0040100000001{number:02X}" for number in range(52))
    link = MemoryLink("felt-a")
    FeigReaders(link, addresses=(1,), tags=lambda _: deck, rng=random.Random(1))

    async def story() -> dict[int, ReaderFound | None]:
        return await ask_readers(link, (1,), LoopClock(datetime(2026, 1, 1, tzinfo=UTC)), LineSettings())

    reader = run_virtual(story(), max_seconds=60)[1]
    assert reader is not None
    assert reader.tags is not None
    assert sorted(reader.tags) == sorted(deck)


CLOCK = LoopClock(datetime(2026, 1, 1, tzinfo=UTC))


def line_of(*addresses: int) -> MemoryLink:
    """A line with empty readers at ``addresses``."""
    link = MemoryLink("felt-a")
    FeigReaders(link, addresses=addresses, tags=lambda _: (), rng=random.Random(1))
    return link


class Babble:
    """Something that answers each piece of bytes with nonsense, as several readers do at once."""

    def __init__(self, link: MemoryLink) -> None:
        self.link = link
        link.attach(self)

    def host_connected(self) -> None: ...

    def host_gone(self) -> None: ...

    def host_data(self, data: bytes) -> None:
        self.link.write(bytes.fromhex("AA55AA"))


def test_every_address_that_answers_is_listed() -> None:
    """The whole bus in 16 s: 252 silent addresses, the first and the last that can be."""
    told: list[int] = []
    found = run_virtual(answering(line_of(0, 7, 254), range(ANY_ADDRESS), CLOCK, DELIVERED, told.append), max_seconds=16)
    assert found == (0, 7, 254)
    assert told == list(range(255))


def test_a_ping_tells_readers_noise_and_silence_apart() -> None:
    """Several readers at once are no reader, but not nothing either."""
    deaf, loud = MemoryLink("deaf"), MemoryLink("loud")
    Babble(loud)
    for link, heard in ((line_of(3), Heard.READER), (deaf, Heard.NOTHING), (loud, Heard.NOISE)):
        assert run_virtual(listen(link, CLOCK, DELIVERED), max_seconds=1) is heard


def test_the_speed_at_which_a_reader_answers_is_found() -> None:
    """All that CFG1 can set is tried, what is known to be silent is not; a setting that the adapter refuses is passed over."""
    wanted, asked = SerialSettings(9600, Parity.ODD), list[SerialSettings]()
    refuses = MemoryLink("refuses")
    refuses.unplug()

    def opener(line: SerialSettings) -> Opener:
        asked.append(line)
        return line_of(5) if line == wanted else refuses if line.baud == 57600 else MemoryLink("deaf")

    found = run_virtual(find_line(opener, CLOCK, 5, without=DELIVERED), max_seconds=5)
    assert found == wanted
    assert str(found) == "9600 8O1"
    assert asked == [line for line in LINES if line != DELIVERED][: len(asked)]
    assert len(set(LINES)) == 18
    nobody = run_virtual(find_line(lambda _: MemoryLink("deaf"), CLOCK, without=wanted), max_seconds=5)
    assert nobody is None
