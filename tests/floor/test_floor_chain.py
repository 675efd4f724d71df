"""The chain of a table's public events, proven as they come: whatever is changed is found, and honest tables are never blamed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.floor_copy import PlayingTable
from support.floor_in_memory import Room, alarms, virtual
from support.floor_samples import JOURNAL, happened
from support.table_story import AT, TableStory

from controller.displays.adapter import DisplayAdapter
from controller.displays.chain import Place, Roots
from controller.floor.board.alarms import COPY_DIFFERS, COPY_HOLE
from controller.floor.collector.chain_check import ChainCheck, Fit
from controller.floor.store.rows import Chained, Difference, Source
from controller.mqtt.links import ChainName
from controller.mqtt.payloads import PublicEvent
from controller.table.loop import Record

T1 = Source("T1", JOURNAL)


def told(source: Source = T1, seed: int = 2) -> tuple[PublicEvent, ...]:
    """Three hands, as their table tells them."""
    story = TableStory({1: 100, 2: 100, 3: 100}, seed=seed)
    for _ in range(3):
        story.play_hand()
    roots = Roots(ChainName(*source), lambda seq: f"{seq:064x}")
    adapter = DisplayAdapter("T1", 1, place=Place(roots=roots))
    return adapter.events([Record(seq, AT, event) for seq, event in enumerate(story.events, 1)])


EVENTS = told()
OTHER: dict[str, Any] = {
    "at": happened(1, at=99).at,
    "event": "burn_made_",
    "hand": 99,
    "street": 6,
    "seat": 8,
    "place": "seat/8",
    "verb": "call_",
    "chips": 999,
    "to": 999,
    "all_in": True,
    "pot": 5,
    "card": "2c",
    "cards": ("2c", "2d"),
    "code": "other",
    "shares": (),
    "link": "0" * 64,
    "head": "1" * 64,
}
KINDS = sorted({event.event for event in EVENTS})


def fits(events: Sequence[PublicEvent], check: ChainCheck | None = None) -> list[Fit]:
    check = check or ChainCheck(T1)
    return [check.take(event) for event in events]


def is_found(events: Sequence[PublicEvent]) -> bool:
    """By a link that does not fit, or a gap, which makes the reader ask again."""
    gaps = (after.previous != before.seq for before, after in pairwise(events))
    return Fit.BROKEN in fits(events) or any(gaps)


def places(kind: str) -> Iterator[int]:
    """Where such an event stands with others before and behind it."""
    return (at for at, event in enumerate(EVENTS[:-2]) if event.event == kind and at > 1)


def test_an_honest_table_is_proven_event_by_event() -> None:
    """From its first event on; who comes later proves from the next hand on, and what was kept before is proven at once."""
    assert set(fits(EVENTS)) == {Fit.PROVEN}
    middle = next(at for at, event in enumerate(EVENTS) if event.event == "hand_opened" and at > 5) - 5
    late = fits(EVENTS[middle:])
    assert (set(late[:5]), set(late[5:])) == ({Fit.OPEN}, {Fit.PROVEN})
    known = Chained(EVENTS[middle].seq, EVENTS[middle].link, EVENTS[middle].seq)
    assert set(fits(EVENTS[middle - 3 :], ChainCheck(T1, known))[3:]) == {Fit.PROVEN}
    assert fits(EVENTS[middle:], ChainCheck(T1, known._replace(verified=None)))[0] is Fit.OPEN
    assert fits(EVENTS[middle:], ChainCheck(T1, known._replace(link="0" * 64)))[0] is Fit.BROKEN


def test_a_table_without_links_is_followed_as_before() -> None:
    """Nothing is proven and nothing is wrong; a version that has them begins in the middle."""
    plain = [event.model_copy(update={"link": None, "head": None}) for event in EVENTS]
    assert set(fits(plain)) == {Fit.UNCHAINED}
    assert Fit.BROKEN not in fits([*plain[:20], *EVENTS[20:]])
    assert fits([*plain[:20], *EVENTS[20:]])[-1] is Fit.PROVEN
    assert Fit.BROKEN not in fits(EVENTS, ChainCheck(T1, Chained(EVENTS[9].seq)))


@pytest.mark.parametrize("kind", KINDS)
def test_each_field_of_each_kind_that_is_changed_is_found(kind: str) -> None:
    """Another value, or none; a seat, an amount, a card, a time."""
    at = next(places(kind))
    for field, value in OTHER.items():
        for given_value in (value, None):
            if given_value == getattr(EVENTS[at], field) or (given_value is None and field in ("at", "event")):
                continue
            if given_value is None and field == "link":
                continue
            changed = EVENTS[at].model_copy(update={field: given_value})
            assert is_found([*EVENTS[:at], changed, *EVENTS[at + 1 :]]), (kind, field, given_value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_dropped_doubled_or_moved_is_found(kind: str) -> None:
    """One event of each kind."""
    at = next(places(kind))
    before, one, after, rest = EVENTS[:at], EVENTS[at], EVENTS[at + 1], EVENTS[at + 2 :]
    assert is_found([*before, after, *rest])
    assert is_found([*before, one, one, after, *rest])
    assert is_found([*before, after, one, *rest])


@pytest.mark.parametrize("source", [Source("T2", JOURNAL), Source("T1", "00c0ffee")])
def test_a_replay_of_another_table_or_journal_is_found(source: Source) -> None:
    """Whole, with its own heads and links, at its first event; and from one hand on."""
    other = told(source)
    assert fits(other)[0] is Fit.BROKEN
    opened = [at for at, event in enumerate(EVENTS) if event.event == "hand_opened"][1]
    assert is_found([*EVENTS[:opened], *other[opened:]])


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, len(EVENTS) - 1), st.integers(1, 80)), max_size=8))
def test_an_honest_table_is_never_blamed(reads: list[tuple[int, int]]) -> None:
    """Whatever a reader has, loses and is told again from a little before: nothing is broken, and all is proven in the end."""
    known: Chained | None = None
    for start, count in [*reads, (0, len(EVENTS))]:
        first = 0 if known is None else max(0, min(start, next(at for at, e in enumerate(EVENTS) if e.seq == known.seq)))  # type: ignore[union-attr]
        check = ChainCheck(T1, known)
        for event in EVENTS[first : first + count]:
            fit = check.take(event)
            assert fit in (Fit.PROVEN, Fit.OPEN)
            verified = event.seq if fit is Fit.PROVEN else None if known is None else known.verified
            if known is None or event.seq > known.seq:
                known = Chained(event.seq, event.link, verified)
    assert known == Chained(EVENTS[-1].seq, EVENTS[-1].link, EVENTS[-1].seq)


def test_an_event_that_was_changed_on_its_way_is_an_alarm() -> None:
    """It names journal and record, in the alarm and in the store; the copy is proven up to the one before, and from the next hand
    on again."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        service = room.start_floor()
        table.play(5)
        await asyncio.sleep(1)
        event, table.place = table.place.hang(happened(6, "action_taken", chips=8, epoch=2))
        table.seq = 6
        lie = event.model_copy(update={"chips": 80})
        room.broker.inject(table.topics.events, lie.model_dump_json().encode())
        table._offer(table.journal.commit(event))
        await asyncio.sleep(1)
        assert alarms(service) == [f"T1/{COPY_DIFFERS}"]
        assert room.copy.differences == [Difference(T1, 6, "chain")]
        assert room.copy.verified[T1] == 5
        [alarm] = service.board.standing
        assert ("5f0c9a1e" in alarm.text.en, "6" in alarm.text.fr) == (True, True)
        table.play(3)
        await asyncio.sleep(1)
        assert room.copy.verified[T1] == 5
        table.play(2, what="hand_opened")
        await asyncio.sleep(1)
        assert (room.copy.verified[T1], len(room.copy.differences)) == (11, 1)
        await room.close()

    virtual(story)


def test_a_status_that_names_another_link_is_an_alarm() -> None:
    """Somebody told an event that the table did not, with a link that fits."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        service = room.start_floor()
        table.play(5)
        await asyncio.sleep(1)
        lie, _ = table.place.hang(happened(6, "seat_left", epoch=2))
        room.broker.inject(table.topics.events, lie.model_dump_json().encode())
        await asyncio.sleep(0.01)
        table.play(1)
        await asyncio.sleep(2)
        assert alarms(service) == [f"T1/{COPY_DIFFERS}"]
        assert Difference(T1, 6, "link") in room.copy.differences
        await room.close()

    virtual(story)


def test_a_hole_closes_when_the_table_has_its_older_files_back() -> None:
    """First a part of it, then all: asked for at each connection, and proven across; the alarm ends with the last of it."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        table.play(300)
        away, table.journal.events[:] = table.journal.events[:250], table.journal.events[250:]
        first = table.journal.events[0]
        table.journal.events[0] = first.model_copy(update={"previous": None})
        service = room.start_floor()
        await asyncio.sleep(3)
        assert (alarms(service), room.copy.kept("T1")) == ([f"T1/{COPY_HOLE}"], list(range(251, 301)))
        table.journal.events[0] = first
        table.journal.events[:0] = [away[200].model_copy(update={"previous": None}), *away[201:]]
        room.broker.cut("floor-1")
        await asyncio.sleep(3)
        assert [(hole.after_seq, hole.next_seq) for hole in await room.copy.open_holes()] == [(0, 201)]
        assert alarms(service) == [f"T1/{COPY_HOLE}"]
        table.journal.events[0:1] = away[:201]
        await room.stop("floor")
        service = room.start_floor()
        await asyncio.sleep(4)
        assert (sorted(room.copy.kept("T1")), await room.copy.open_holes()) == (list(range(1, 301)), [])
        assert (alarms(service), room.copy.differences) == ([], [])
        table.play(1)
        await asyncio.sleep(1)
        assert service.detail("T1")["journal"]["kept"] == 301  # type: ignore[index]
        await room.close()

    virtual(story)
