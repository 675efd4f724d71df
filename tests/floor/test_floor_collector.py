"""The collector keeps every event of every table once and in order, whatever breaks, at a broker and a store in memory."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.floor_copy import PlayingTable
from support.floor_in_memory import Room, alarms, virtual
from support.floor_samples import JOURNAL, START, alarm, happened

from controller.displays.chain import Place
from controller.floor.board.alarms import COPY_AHEAD, COPY_DIFFERS, COPY_HOLE, of_table
from controller.floor.board.board import SETTLED_S
from controller.floor.board.incident import Incident, Trail
from controller.floor.collector import writer
from controller.floor.collector.writer import MAX_EVENTS
from controller.floor.store.rows import KeptHead, KeptHole, KeptStatus, Source
from controller.mqtt.payloads import BackfillReply, TableStatus


def test_everything_is_kept_from_the_first_event_on() -> None:
    """What was before the floor came, in pages, then what follows; of two tables apart; a status and a head each."""

    async def story() -> None:
        room, tables = Room(), [PlayingTable("T1"), PlayingTable("T2", "00c0ffee")]
        for table in tables:
            room.open(table)
            table.play(450)
        service = room.start_floor()
        await asyncio.sleep(3)
        tables[0].play(5, what="hand_ended")
        await asyncio.sleep(1)
        assert room.copy.kept("T1") == list(range(1, 456))
        assert room.copy.kept("T2", "00c0ffee") == list(range(1, 451))
        assert service.ready() == {"broker": True, "store": True}
        assert {one.table for one in room.copy.others if isinstance(one, KeptStatus)} == {"T1", "T2"}
        heads = [one for one in room.copy.others if isinstance(one, KeptHead) and one.source == Source("T1", JOURNAL)]
        assert heads[0].head == f"{heads[0].seq:064x}"
        assert alarms(service) == []
        await room.close()

    virtual(story)


def test_a_floor_that_starts_again_asks_for_what_it_missed() -> None:
    """It goes on behind what is kept; what was kept is compared again a little, and nothing is asked from the beginning."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        room.start_floor()
        table.play(500)
        await asyncio.sleep(2)
        await room.stop("floor")
        table.play(300)
        await asyncio.sleep(1)
        table.journal.asked.clear()
        room.start_floor()
        await asyncio.sleep(3)
        assert room.copy.kept("T1") == list(range(1, 801))
        assert min(table.journal.asked) > 400
        await room.close()

    virtual(story)


def test_a_store_that_is_away_loses_nothing() -> None:
    """Meanwhile the board lives on and says so; then the tables are asked for what was not kept."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        service = room.start_floor()
        table.play(10)
        await asyncio.sleep(1)
        room.copy.is_away = True
        table.play(30)
        await asyncio.sleep(5)
        assert room.copy.kept("T1") == list(range(1, 11))
        assert (alarms(service), service.ready()["store"]) == (["/store_away"], False)
        assert service.picture()["tables"]["T1"]["liveness"] == "online"
        room.copy.is_away = False
        await asyncio.sleep(3)
        assert room.copy.kept("T1") == list(range(1, 41))
        assert alarms(service) == []
        await room.close()

    virtual(story)


def test_what_is_told_again_and_again_pushes_out_nothing_that_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a store is away, heads come each minute of each table; holes, alarms and what people did come once."""
    monkeypatch.setattr(writer, "MAX_OTHERS", 8)
    monkeypatch.setattr(writer, "MAX_TOLD", 8)

    async def story() -> None:
        room = Room()
        room.copy.is_away = True
        service = room.start_floor()
        await asyncio.sleep(1)
        hole = KeptHole(Source("T1", JOURNAL), 3, 9, START)
        service.writer.keep(hole)
        heads = [KeptHead(Source("T1", JOURNAL), seq, "ab" * 32, START) for seq in range(20)]
        for head in heads:
            service.writer.keep(head)
        room.copy.is_away, room.copy.fails = False, 1
        await asyncio.sleep(5)
        assert (hole in room.copy.others, [one for one in room.copy.others if isinstance(one, KeptHead)]) == (True, heads[-8:])
        await room.close()

    virtual(story)


def test_a_new_journal_is_kept_apart() -> None:
    """A controller that begins another journal at the same table: its numbers begin again, and none is taken for an old one's."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        room.start_floor()
        table.play(20)
        await asyncio.sleep(2)
        await room.stop("T1")
        room.broker.restart()
        other = PlayingTable("T1", "00c0ffee")
        other.epoch = table.epoch
        other.new_controller()
        room.open(other)
        other.play(7)
        await asyncio.sleep(3)
        assert room.copy.kept("T1") == list(range(1, 21))
        assert room.copy.kept("T1", "00c0ffee") == list(range(1, 8))
        await room.close()

    virtual(story)


def test_an_event_of_an_unknown_controller_belongs_to_no_journal() -> None:
    """Its status, which names its journal, has not come: it is not kept, and does not deafen us to the controller that plays."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        room.start_floor()
        table.play(5)
        await asyncio.sleep(1)
        stray = happened(6, "hand_ended", epoch=9)
        room.broker.inject(table.topics.events, stray.model_dump_json().encode())
        for asked in range(1, 5):
            name = f"floor-boot0001-2-{asked}"
            reply = BackfillReply(seq=6, epoch=9, at=START, request=name, from_seq=6, events=(stray,), more=False)
            room.broker.inject(table.topics.reply(name), reply.model_dump_json().encode())
        await asyncio.sleep(1)
        table.play(5)
        await asyncio.sleep(1)
        assert room.copy.kept("T1") == list(range(1, 11))
        assert room.copy.rows[Source("T1", JOURNAL), 6].event == "burn_made"
        await room.close()

    virtual(story)


def test_a_journal_that_lost_its_end_is_an_alarm() -> None:
    """An older copy was put back: the table's records end before ours, and what it writes in their place differs."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        service = room.start_floor()
        table.play(20)
        await asyncio.sleep(2)
        await room.stop("T1")
        room.broker.restart()
        del table.journal.events[15:]
        table.seq = 15
        table.new_controller()
        room.open(table)
        table.play(1, what="hand_ended")
        await asyncio.sleep(3)
        assert alarms(service) == [f"T1/{COPY_AHEAD}", f"T1/{COPY_DIFFERS}"]
        table.play(20, what="hand_ended")
        await asyncio.sleep(1)
        assert room.copy.kept("T1") == list(range(1, 37))
        assert room.copy.rows[Source("T1", JOURNAL), 16].event == "burn_made", "the copy keeps what it had"
        await room.close()

    virtual(story)


def test_what_a_table_no_longer_keeps_is_a_hole_that_is_told() -> None:
    """Its older files were taken away while the floor was not there: noted with both ends, and the rest is kept."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        table.seq = 39
        table.journal.commit(happened(40, epoch=2).model_copy(update={"previous": None}))
        table.seq = 40
        table.place = Place(40)
        table.new_controller()
        room.open(table)
        table.play(2)
        service = room.start_floor()
        await asyncio.sleep(3)
        assert room.copy.kept("T1") == [40, 41, 42]
        holes = [(one.after_seq, one.next_seq) for one in room.copy.others if isinstance(one, KeptHole)]
        assert (holes, alarms(service)) == ([(0, 40)], [f"T1/{COPY_HOLE}"])
        await room.close()

    virtual(story)


def test_a_table_that_is_gone_is_asked_nothing() -> None:
    """A thousand closed tables would be a thousand questions a second to nobody."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        table.play(3)
        await asyncio.sleep(1)
        await room.stop("T1")
        room.start_floor()
        await asyncio.sleep(1)
        published = room.broker.published
        await asyncio.sleep(30)
        assert room.broker.published == published
        await room.close()

    virtual(story)


def test_more_than_fits_is_asked_for_again() -> None:
    """A store that is slower than the tables: what waits is bounded, forgotten and fetched anew, and nothing is lost."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        service = room.start_floor()
        table.play(3)
        await asyncio.sleep(1)
        reader = service.collector._feeds["T1"].follower
        assert reader is not None
        for seq in range(4, MAX_EVENTS + 10):
            reader._on_event(happened(seq, "hand_ended"))
        assert not service.writer._events
        await asyncio.sleep(1)
        table.play(5)
        await asyncio.sleep(3)
        assert room.copy.kept("T1") == list(range(1, 9))
        await room.close()

    virtual(story)


def test_alarms_are_kept_with_their_ends() -> None:
    """Those of the floor too; what an earlier floor left open ends when its table tells so, or is not there at all."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        gone, over = (Incident(of_table(name, alarm("hold"))) for name in ("T9", "T1"))
        room.copy.left_open = (gone, over)
        room.open(table)
        table.play(3)
        service = room.start_floor()
        await asyncio.sleep(2)
        assert (room.copy.incidents, alarms(service)) == ([], ["T1/hold", "T9/hold"])
        await asyncio.sleep(SETTLED_S)
        assert {one.id: one.cleared_at is None for one in room.copy.incidents} == {gone.id: False, over.id: False}
        assert [line.code for line in room.copy.trail.values() if line.what is Trail.CLEARED] == [None, "table_gone"]
        room.copy.incidents.clear()
        room.broker.cut("T1")
        await room.stop("T1")
        await asyncio.sleep(3)
        assert [(one.alarm.key, one.cleared_at) for one in room.copy.incidents][-1] == ("T1/table_lost", None)
        await room.close()

    virtual(story)


@settings(max_examples=8)
@given(st.integers(0, 2**32))
def test_nothing_is_lost_or_doubled_whatever_breaks(seed: int) -> None:
    """Broker restarts, cut cables, lost messages, controllers, floors and a store that come and go at random: in the end every
    event of both tables is kept once, in order, as it was told."""

    async def story() -> None:
        random, room = Random(seed), Room()
        tables = [PlayingTable("T1"), PlayingTable("T2", "00c0ffee")]
        for table in tables:
            room.open(table)
        room.start_floor()
        for _ in range(20):
            table = random.choice(tables)
            table.play(random.randrange(1, 40))
            await asyncio.sleep(random.choice((0.0, 0.01, 0.3, 2.0)))
            match random.randrange(9):
                case 0:
                    room.broker.restart()
                case 1:
                    room.broker.cut(f"floor-{room.floors}")
                case 2 if f"floor-{room.floors}" in room.broker._connections:
                    room.broker.lose(f"floor-{room.floors}", f"{table.topics.root}/events", random.randrange(1, 4))
                case 3:
                    await room.stop(table.topics.table)
                    table.new_controller()
                    room.open(table)
                case 4:
                    await room.stop("floor")
                    room.start_floor()
                case 5:
                    room.copy.fails = random.randrange(1, 4)
                case 6:
                    room.copy.is_away = not room.copy.is_away
                case _:
                    pass
        room.copy.is_away, room.copy.fails = False, 0
        await asyncio.sleep(15)
        for table in tables:
            assert room.copy.kept(table.topics.table, table.journal_id) == list(range(1, table.seq + 1))
            source = Source(table.topics.table, table.journal_id)
            assert room.copy.verified.get(source, 0) == table.seq, "the chain is proven to the end"
        assert room.copy.differences == []
        await room.close()

    virtual(story)


def test_a_closed_table_is_offline() -> None:
    """Its last status says so, and nobody is called."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        room.open(table)
        table.play(3)
        service = room.start_floor()
        await asyncio.sleep(1)
        closed = table.handler._status_payload(TableStatus.CLOSED).model_dump_json().encode()
        await room.stop("T1")
        room.broker.inject(table.topics.status, closed, retain=True)
        await asyncio.sleep(20)
        assert (service.picture()["tables"]["T1"]["liveness"], alarms(service)) == ("offline", [])
        await room.close()

    virtual(story)
