"""Links of public events: the same whoever tells them, from wherever he begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.table_story import AT, TableStory

from controller.displays.adapter import DisplayAdapter
from controller.displays.backlog import Backlog
from controller.displays.chain import Place, Roots
from controller.mqtt.links import ChainName, link_after, start_of
from controller.mqtt.payloads import PublicEvent
from controller.table.loop import Record

NAME = ChainName("T1", "5f0c9a1e")


def head_at(seq: int) -> str:
    return f"{seq:064x}"


ROOTS = Roots(NAME, head_at)


@pytest.fixture(scope="module")
def told() -> TableStory:
    story = TableStory({1: 100, 2: 100, 3: 100}, seed=2)
    for _ in range(3):
        story.play_hand()
    return story


def backlog(told: TableStory, kept: int = 1, roots: Roots = ROOTS) -> Backlog:
    records = dict(enumerate(told.events, 1))

    def read(first: int, last: int | None) -> Iterator[tuple[int, Any]]:
        end = len(records) if last is None else min(last, len(records))
        return ((seq, {"at": AT, "seq": seq}) for seq in range(max(first, kept), end + 1))

    return Backlog(read, lambda body: records[body["seq"]], DisplayAdapter("T1", 1), roots)


def live(told: TableStory) -> tuple[PublicEvent, ...]:
    """As a controller tells them that was there from the first record on."""
    adapter = DisplayAdapter("T1", 1, place=Place(roots=ROOTS))
    return adapter.events([Record(seq, AT, event) for seq, event in enumerate(told.events, 1)])


def test_each_link_binds_the_one_before(told: TableStory) -> None:
    """A hand, and the journal, begin from the head of the journal's chain before them; nothing else names a head."""
    events = live(told)
    starts = [events[0], *(event for event in events if event.event == "hand_opened")]
    assert [event for event in events if event.head is not None] == starts
    assert len(starts) == 4
    before = ""
    for event in events:
        if event.head is not None and event.previous is not None:
            assert event.head == head_at(event.seq - 1)
            before = start_of(NAME, event.previous, event.head)
        assert event.link == link_after(before, event)
        before = event.link


async def test_whoever_tells_it_links_alike(told: TableStory) -> None:
    """Read back from any record on, and told on by a controller that starts there."""
    events = live(told)
    for start in range(1, len(told.events) + 1, 23):
        assert await backlog(told).page(start, limit=10_000) == tuple(event for event in events if event.seq >= start)
        where, place = await backlog(told).stands(start)
        adapter = DisplayAdapter("T1", 1, where, place=place)
        rest = [Record(seq, AT, event) for seq, event in enumerate(told.events, 1) if seq >= start]
        assert adapter.events(rest) == tuple(event for event in events if event.seq >= start)


async def test_behind_what_is_not_kept_links_begin_with_the_hand_whose_place_is_known(told: TableStory) -> None:
    """Nothing is guessed: no link before, and from there on the one that everybody knows."""
    events = live(told)
    opened = [event.seq for event in events if event.event == "hand_opened"]
    found = await backlog(told, kept=opened[1]).page(1, limit=10_000)
    unlinked = [event.seq for event in found if event.link is None]
    assert (found[0].seq, found[0].previous, unlinked[-1]) == (opened[1], None, found[len(unlinked) - 1].seq)
    assert found[len(unlinked) :] == tuple(event for event in events if event.seq >= opened[2])
    assert await backlog(told, roots=Roots(NAME, lambda _: None)).page(1, limit=9) == tuple(
        event.model_copy(update={"link": None, "head": None}) for event in events[:9]
    )
