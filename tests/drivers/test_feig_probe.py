"""Readers asked who they are: version, device id, tags, at any address; no setting is changed."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from drivers.clock import LoopClock
from drivers.feig.frames import ANY_ADDRESS
from drivers.feig.probe import ReaderFound, ask_readers
from drivers.feig.session import LineSettings
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
