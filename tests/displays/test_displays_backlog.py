"""Public events read back from the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mqtt_samples import AT, event
from support.slip_story import ruling
from support.table_story import TableStory

from controller.displays.adapter import DisplayAdapter, Where, where_after
from controller.displays.backlog import FIRST_LOOK, Backlog
from controller.mqtt.payloads import PublicEvent
from controller.table.loop import Record


class Told:
    """A journal of which ``public`` records are public events, and of which ``kept`` is what is still there."""

    def __init__(self, public: set[int], last: int, kept: range | None = None) -> None:
        self.public, self.last = public, last
        self.kept = range(1, last + 1) if kept is None else kept
        self.asked: list[tuple[int, int | None]] = []

    def read(self, first: int, last: int | None) -> Iterator[tuple[int, Any]]:
        self.asked.append((first, last))
        end = self.last if last is None else min(last, self.last)
        return ((seq, {"at": AT.isoformat()}) for seq in range(first, end + 1) if seq in self.kept)

    def event(self, record: Record, where: Where) -> tuple[PublicEvent, ...]:
        del where
        return (event(record.seq).model_copy(update={"previous": None}),) if record.seq in self.public else ()

    @property
    def backlog(self) -> Backlog:
        return Backlog(self.read, _nothing, self)


def _nothing(_: Mapping[str, object]) -> Any:
    return None


async def chain(told: Told, from_seq: int, limit: int = 200) -> list[tuple[int, int | None]]:
    return [(one.seq, one.previous) for one in await told.backlog.page(from_seq, limit=limit)]


async def test_each_event_names_the_one_before_it() -> None:
    """From any record on, on any page, with 0 before the first."""
    told = Told({3, 4, 9}, 12)
    assert await chain(told, 1) == [(3, 0), (4, 3), (9, 4)]
    assert await chain(told, 4) == [(4, 3), (9, 4)]
    assert await chain(told, 5, limit=1) == [(9, 4)]


async def test_the_event_before_is_found_however_far_back_it_is() -> None:
    """Thousands of records in which nothing public happened lie between two events."""
    told = Told({2, 9_000}, 9_100)
    assert await chain(told, 8_000) == [(9_000, 2)]
    assert told.backlog.last_before(9_000) == 2
    assert told.backlog.last_before(2) == 0
    assert Told({5_000}, 9_000).backlog.last_before(4_000) == 0


@pytest.mark.parametrize("from_seq", [13, 14, 10_000, 2**63 - 1, 2**80])
async def test_behind_the_end_there_is_nothing(from_seq: int) -> None:
    """However far behind: the answer is empty, and reading is bounded."""
    told = Told({3, 4, 12}, 12)
    assert await chain(told, from_seq) == []
    assert all(0 < first < 2**63 for first, _ in told.asked)


@pytest.mark.parametrize("from_seq", [0, -1, -(2**80)])
async def test_before_the_first_is_from_the_first(from_seq: int) -> None:
    """A number that no record has is no reason to miss one."""
    assert await chain(Told({3, 4}, 4), from_seq) == [(3, 0), (4, 3)]


async def test_what_is_no_longer_kept_is_not_passed_over_in_silence() -> None:
    """The first event behind a file that was taken away does not claim that there was none before."""
    assert await chain(Told({3, 40, 55}, 60, kept=range(30, 61)), 1) == [(40, None), (55, 40)]
    assert await chain(Told({3, 5_000, 5_001}, 5_010, kept=range(4_990, 5_011)), 1) == [(5_000, None), (5_001, 5_000)]
    assert Told({3}, 60, kept=range(30, 61)).backlog.last_before(61) is None
    assert Told({3, 40}, 60, kept=range(30, 61)).backlog.last_before(61) == 40


async def test_a_start_reads_little() -> None:
    """The last public event is looked for from the end on, not from the beginning."""
    told = Told(set(range(1, 100_000, 10)), 100_000)
    assert told.backlog.last_before(100_001) == 99_991
    assert told.asked == [(100_001 - FIRST_LOOK, 100_000)]


@given(st.sets(st.integers(1, 3_000), max_size=60), st.integers(1, 3_000), st.integers(1, 20))
async def test_pages_make_up_the_whole(public: set[int], from_seq: int, limit: int) -> None:
    """Page by page, each from the last one's successor: every event once, in order, and none missing between them."""
    told, found, due = Told(public, 3_000), list[tuple[int, int | None]](), from_seq
    while page := await chain(told, due, limit):
        assert len(page) <= limit
        found += page
        due = page[-1][0] + 1
    ordered = sorted(public)
    expected = [(seq, before) for seq, before in zip(ordered, [0, *ordered], strict=False) if seq >= from_seq]
    assert found == expected


async def test_a_start_and_a_reader_tell_an_event_alike() -> None:
    """Hand and street of the first event after a start are those that a page tells: a redeal stands where its misdeal stood."""
    told = TableStory({1: 100, 2: 100, 3: 100}).start()
    told.deal_one()
    assert told.order(ruling("misdeal", cause="seat_left_out")) is None
    records = dict(enumerate(told.events, 1))

    def read(first: int, last: int | None) -> Iterator[tuple[int, Any]]:
        return ((seq, {"at": AT.isoformat(), "seq": seq}) for seq in records if first <= seq <= (last or len(records)))

    backlog = Backlog(read, lambda body: records[body["seq"]], DisplayAdapter("T1", 1))
    where = Where()
    for event_told in records.values():
        where = where_after(event_told, where)
    stands, place = await backlog.stands(len(records) + 1)
    assert stands == where == Where(1, 3)
    assert place.previous == (await backlog.page(1, limit=10_000))[-1].seq
