"""A floor's metrics, told by its own parts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.ending_certificate import certificate_until
from support.floor_copy import MemoryCopy
from support.floor_people import KEY

from controller.access.floor_token import FloorSigner, Signer
from controller.access.sessions import Sessions
from controller.floor.orders.passing import Known, NotPassed, Passing
from controller.floor.service import FloorService
from controller.floor.store.rows import Difference, Source
from controller.metrics.exposition import Exposition
from controller.metrics.floor_metrics import EXPIRES, FLOOR_METRICS, FloorMetrics
from controller.mqtt.payloads import Alarm, Words
from drivers.clock import SystemClock
from simulators.memory_broker import MemoryMessage


class Measured:
    """A floor that nobody serves yet, with one table's network."""

    def __init__(self, statuses: Iterator[Any] | None = None, certificates: Mapping[str, Path] | None = None) -> None:
        self.service = FloorService("nice", MemoryCopy().open, SystemClock(), boot="boot0001")

        def answer(request: httpx.Request) -> httpx.Response:
            status = None if statuses is None else next(statuses)
            if status is None:
                raise httpx.ConnectError("away", request=request)
            return httpx.Response(status, json={"ok": True})

        signer = FloorSigner(KEY, "nice", lambda: 1.0)
        self.passing = Passing(signer, lambda _: Known("http://t1/", 1), transport=httpx.MockTransport(answer))
        sessions = Sessions(lambda: 0.0, lambda _: None)
        samples = FloorMetrics(
            self.service, self.passing, sessions, version="9.9", venue="nice", wall=lambda: 5.0, certificates=certificates or {}
        )
        self._exposition = Exposition(FLOOR_METRICS, samples)

    def told(self) -> dict[tuple[str, ...], float]:
        """Every sample by name and values of its labels, in the order of their names."""
        families = text_string_to_metric_families(self._exposition.text().decode())
        samples = [sample for family in families for sample in family.samples]
        return {(one.name, *(one.labels[label] for label in sorted(one.labels))): one.value for one in samples}


async def test_every_declared_metric_is_told_before_anything_was_heard() -> None:
    """And no other; each has its zeros, so that an alert has something to compare."""
    floor = Measured()
    text = floor._exposition.text().decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    declared = {metric.name.removesuffix("_total"): metric for metric in FLOOR_METRICS}
    assert families.keys() == declared.keys()
    for name, metric in declared.items():
        assert families[name].samples or metric is EXPIRES, name
        assert all(sample.labels.keys() == set(metric.labels) for sample in families[name].samples), name


async def test_what_is_heard_is_counted_by_kind() -> None:
    """A topic that is none of a table's is one of the others, whatever it says."""
    floor = Measured()
    for topic in ("T1/status", "T1/alarms/x", "T1/alarms/y", "T1/made/up", "T1"):
        floor.service.collector.on_message(MemoryMessage(f"stud/v1/nice/{topic}", b"{}", False))
    told = floor.told()
    counts = {key[1]: value for key, value in told.items() if key[0] == "stud_floor_messages_total"}
    assert counts == {"status": 1, "alarms": 2, "other": 2, "public": 0, "events": 0, "devices": 0, "reply": 0, "bridge": 0}


async def test_alarms_stand_by_priority_and_by_how_far_persons_have_come() -> None:
    """Raised, called after ten seconds, acknowledged; each is counted once."""
    floor = Measured()
    board, now = floor.service.board, floor.service.collector.now()
    board.listen(now, connected=True)
    words = Words(en="Card missing", fr="Carte manquante")
    alarm = Alarm(seq=1, epoch=1, at=now.at, alarm="hold", code="hold", priority=2, raised_at=now.at, text=words)
    board.hear_alarm("T1", "hold", alarm)
    board.changes(now)
    assert floor.told()["stud_floor_alarms", "2", "raised"] == 1
    later = now._replace(s=now.s + 11, at=now.at + timedelta(seconds=11))
    board.changes(later)
    told = floor.told()
    assert (told["stud_floor_alarms", "2", "raised"], told["stud_floor_alarms", "2", "called"]) == (0, 1)
    assert told["stud_floor_alarms_called_total",] >= 1
    board.incidents.acknowledge("T1/hold", now.at, "Fay", later)
    told = floor.told()
    assert (told["stud_floor_alarms", "2", "called"], told["stud_floor_alarms", "2", "acknowledged"]) == (0, 1)
    assert sum(value for key, value in told.items() if key[0] == "stud_floor_tables_heard") == 1
    assert "Fay" not in floor._exposition.text().decode()


async def test_orders_are_counted_by_what_became_of_them() -> None:
    """Taken, refused by the rules, failed at the table, and no answer at all."""
    floor = Measured(iter([200, 409, 503, None]))
    for _ in range(3):
        await floor.passing.preview("T1", Signer("Fay", "floor"), {"type": "pause_table"})
    with pytest.raises(NotPassed):
        await floor.passing.preview("T1", Signer("Fay", "floor"), {"type": "pause_table"})
    told = floor.told()
    assert [told["stud_floor_orders_total", name] for name in ("taken", "refused", "failed", "unreachable")] == [1, 1, 1, 1]
    await floor.passing.close()


async def test_the_writer_lags_until_all_is_written() -> None:
    """What waits is told, and since when; with a store that is there neither stays."""
    floor = Measured()
    floor.service.collector.differs(Difference(Source("T1", "a"), 7, "content"))
    await asyncio.sleep(0.01)
    told = floor.told()
    assert (told["stud_floor_writer_waiting",], told["stud_floor_differences_total",], told["stud_floor_store_up",]) == (1, 1, 0)
    assert told["stud_floor_writer_lag_seconds",] > 0
    running = asyncio.create_task(floor.service.writer.run())
    async with asyncio.timeout(5):
        await floor.service.writer.drained()
    told = floor.told()
    assert [told[f"stud_floor_{name}",] for name in ("writer_waiting", "writer_lag_seconds", "store_up")] == [0, 0, 1]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_the_end_of_each_certificate_is_told(tmp_path: Path) -> None:
    """As of the file now: one that was renewed meanwhile ends later."""
    path = certificate_until(datetime(2027, 3, 1, tzinfo=UTC), tmp_path)
    floor = Measured(certificates={"mqtt": path})
    before = floor.told()["stud_floor_certificate_expires_seconds", "mqtt"]
    certificate_until(datetime(2028, 3, 1, tzinfo=UTC), tmp_path)
    assert floor.told()["stud_floor_certificate_expires_seconds", "mqtt"] - before == 366 * 86_400
