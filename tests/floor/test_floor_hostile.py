"""Whatever somebody writes at the broker, the floor lives, its store takes the rest, and no table speaks in the floor's name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from support.floor_samples import JOURNAL, alarm, happened, moment, status, view

from controller.floor.board.board import Board
from controller.floor.collector.collector import MAX_PAYLOAD, Collector
from controller.floor.service import FloorService
from controller.floor.store.address import parse_address
from controller.floor.store.rows import KeptEvent, KeptStatus, Source
from controller.floor.store.store import FloorStore, open_store
from controller.floor.store.tables import STATUSES
from controller.mqtt.client import ReceivedMessage
from controller.mqtt.payloads import TableStatus
from drivers.clock import SystemClock

STATUS: Mapping[str, Any] = status().model_dump(mode="json")
VIEW: Mapping[str, Any] = view().model_dump(mode="json")
ALARM: Mapping[str, Any] = alarm("hold").model_dump(mode="json")
EARLY, LATE = "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"
HOSTILE = {
    "a time before all times": ("T1/status", {**STATUS, "at": EARLY}),
    "a time after all times": ("T1/status", {**STATUS, "at": LATE}),
    "a hand that no database counts to": ("T1/public", {**VIEW, "hand": 10**30}),
    "chips that no database counts to": ("T1/public", {**VIEW, "price": 10**30}),
    "an alarm before all times": ("T1/alarms/hold", {**ALARM, "raised_at": EARLY}),
    "an alarm of another name": ("T1/alarms/hold", {**ALARM, "alarm": "../T2/hold"}),
    "an alarm in the floor's name": ("T1/alarms/table_lost", {**ALARM, "alarm": "table_lost", "priority": 3}),
    "an alarm with the floor's code": ("T1/alarms/hold", {**ALARM, "code": "copy_differs"}),
    "a device before all times": ("T1/devices/shoe", {**STATUS, "device": "shoe", "at": EARLY}),
    "an address with a path of its own choice": ("T1/status", {**STATUS, "http": "http://10.0.0.1/admin?drop="}),
    "an address with a name in it": ("T1/status", {**STATUS, "http": "http://t1.lan@10.0.0.1"}),
    "a table without a name": ("/status", STATUS),
    "a table with a long name": ("T" * 65 + "/status", STATUS),
    "a message of megabytes": ("T1/status", {**STATUS, "dealer": "x" * MAX_PAYLOAD}),
    "brackets": ("T1/status", None),
}


@pytest.mark.parametrize("what", HOSTILE)
async def test_what_no_table_tells_is_passed_over(what: str) -> None:
    """It raises nothing, whoever kept it there, and neither table nor alarm comes of it."""
    board = Board("nice")
    collector = Collector("nice", "floor", board, SystemClock())
    topic, said = HOSTILE[what]
    payload = b"[" * 100_000 if said is None else json.dumps(said).encode()
    collector.on_message(ReceivedMessage(f"stud/v1/nice/{topic}", payload, retain=True))
    board.changes(moment(1))
    picture = board.picture(moment(1))
    assert not picture["alarms"]
    assert all(tile["status"] is tile["game"] is None for tile in picture["tables"].values())


def test_a_view_from_beyond_the_journal_gives_way() -> None:
    """Somebody told a view of a record that the table has not written: its own next one is shown all the same."""
    board = Board("nice")
    board.listen(moment(0), connected=True)
    board.hear_public("T1", view(seq=2**62, hand=99), moment(0))
    board.hear_public("T1", view(seq=11, hand=1), moment(1))
    board.hear_status("T1", status(seq=12), moment(2))
    board.hear_public("T1", view(seq=13, hand=2), moment(3))
    board.hear_public("T1", view(seq=12, hand=1), moment(3))
    board.changes(moment(3))
    assert board.picture(moment(3))["tables"]["T1"]["hand"] == 2


def test_one_thing_that_fits_nowhere_keeps_nothing_else_out(tmp_path: Path) -> None:
    """A real store: what is given before and behind it is kept, and where an event is missing is a hole."""

    async def story() -> None:
        source, huge = Source("T1", JOURNAL), 2**70
        events = [happened(1), happened(2).model_copy(update={"hand": huge}), happened(3)]
        told = [status(TableStatus.LIVE), status(TableStatus.SUSPENDED), status(TableStatus.CLOSED)]
        told[1] = told[1].model_copy(update={"epoch": huge})
        service = FloorService("nice", partial(open_store, parse_address("sqlite:///f", tmp_path), "nice"), SystemClock())
        running = asyncio.create_task(service.run())
        while not service.writer.is_open:
            await asyncio.sleep(0.01)
        for one in told:
            service.writer.keep(KeptStatus("T1", one))
        for event in events:
            service.writer.add(KeptEvent(source, event))
        await service.writer.drained()
        store = cast("FloorStore", service.writer.copy)
        assert [row["seq"] for row in await store.events(source, 0, 10)] == [1, 3]
        assert {row["status"] for row in await store.rows_of(STATUSES)} == {"live", "closed"}
        assert [(one.after_seq, one.next_seq) for one in await store.open_holes()] == [(1, 3)]
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(story())
