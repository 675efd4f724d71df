"""What a floor tells Prometheus: read at a scrape from what its parts count anyway. No table and no person is a label."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Final

from controller.access.sessions import Sessions
from controller.certificates import expires_at
from controller.floor.board.incident import STAGES
from controller.floor.board.liveness import Liveness
from controller.floor.board.table import State
from controller.floor.collector.collector import PARTS
from controller.floor.orders.passing import Passing
from controller.floor.service import FloorService
from controller.metrics.declared import Metric, Sample, counter, gauge
from controller.metrics.exposition import PROCESS

PRIORITIES: Final = (1, 2, 3)

BUILD: Final = gauge("stud_floor_build_info", "1; the labels say which program runs.", "version", "python", "venue")
TABLES: Final = gauge("stud_floor_tables", "Tables that were ever heard, by what goes on there.", "state")
LIVENESS: Final = gauge("stud_floor_tables_heard", "The same tables, by whether they are heard.", "liveness")
BROKER: Final = gauge("stud_floor_broker_connected", "1 while the venue's broker is there.")
MESSAGES: Final = counter("stud_floor_messages_total", "Messages of the tables, by what they tell of.", "topic")
STORE: Final = gauge("stud_floor_store_up", "1 while the store takes what it is given.")
WAITING: Final = gauge("stud_floor_writer_waiting", "What was heard and is not written yet: events, statuses, alarms, trail.")
LAG: Final = gauge("stud_floor_writer_lag_seconds", "Since when something waits without a moment at which all was written.")
WRITTEN: Final = counter("stud_floor_events_written_total", "Public events that were written.")
BACKFILLS: Final = counter("stud_floor_backfills_total", "How often a table was asked for older events.")
HOLES: Final = gauge("stud_floor_holes", "Stretches of the copy that no table could tell any more.")
DIFFERENCES: Final = counter("stud_floor_differences_total", "Records told otherwise than the copy has them.")
PAGES: Final = gauge("stud_floor_pages", "Pages that look on, by what they show.", "kind")
ALARMS: Final = gauge(
    "stud_floor_alarms",
    "Alarms that stand, by priority and by how far persons have come: raised, called, acknowledged, shelved.",
    "priority",
    "state",
)
CALLED: Final = counter("stud_floor_alarms_called_total", "Alarms that have called a person.")
ORDERS: Final = counter(
    "stud_floor_orders_total",
    "Requests passed on to tables, sheets and previews too, by outcome: taken, refused, failed, unreachable.",
    "outcome",
)
WEBHOOKS: Final = gauge("stud_floor_webhook_waiting", "Deliveries of alarms that no receiver has taken yet.")
FAILING: Final = gauge("stud_floor_webhook_failing", "Receivers of alarms that do not take what they are sent.")
WALL: Final = gauge("stud_floor_clock_seconds", "The floor's wall clock, in seconds since 1970.")
EXPIRES: Final = gauge(
    "stud_floor_certificate_expires_seconds",
    "When the certificate that is shown there ends, in seconds since 1970; absent where there is none.",
    "certificate",
)
SESSIONS: Final = gauge("stud_floor_sessions", "Pages, by whether somebody is signed in there or they are locked.", "state")

OWN: Final[tuple[Metric, ...]] = tuple(value for value in tuple(globals().values()) if isinstance(value, Metric))
FLOOR_METRICS: Final = (*OWN, *PROCESS)
"""Every metric of a floor, in the order of the reference."""


class FloorMetrics:
    """One floor's samples; ``wall`` is the clock in seconds since 1970, ``certificates`` are the files of those that are shown,
    by where."""

    def __init__(
        self,
        service: FloorService,
        passing: Passing,
        sessions: Sessions,
        *,
        version: str,
        venue: str,
        wall: Callable[[], float],
        certificates: Mapping[str, Path],
    ) -> None:
        self._service = service
        self._passing = passing
        self._sessions = sessions
        self._build = (version, platform.python_version(), venue)
        self._wall = wall
        self._certificates = certificates

    def __call__(self) -> Iterator[Sample]:
        """Every sample as of now."""
        yield Sample(BUILD, 1, self._build)
        yield from self._tables()
        yield from self._copy()
        yield from self._alarms()
        yield Sample(PAGES, self._service.stream.pages, ("board",))
        yield Sample(PAGES, self._service.tables.pages, ("table",))
        yield from (Sample(ORDERS, count, (outcome,)) for outcome, count in self._passing.outcomes.items())
        yield Sample(WALL, self._wall())
        for name, path in self._certificates.items():
            if (end := expires_at(path)) is not None:
                yield Sample(EXPIRES, end.timestamp(), (name,))
        signed_in, locked = self._sessions.counts()
        yield Sample(SESSIONS, signed_in, ("signed_in",))
        yield Sample(SESSIONS, locked, ("locked",))

    def _tables(self) -> Iterator[Sample]:
        counted = self._service.board.states
        for state in State:
            yield Sample(TABLES, sum(count for (one, _), count in counted.items() if one == state.value), (state.value,))
        for liveness in Liveness:
            yield Sample(LIVENESS, sum(count for (_, one), count in counted.items() if one == liveness.value), (liveness.value,))

    def _copy(self) -> Iterator[Sample]:
        collector, writer = self._service.collector, self._service.writer
        yield Sample(BROKER, collector.connected)
        yield from (Sample(MESSAGES, collector.messages[part], (part,)) for part in (*PARTS, "other"))
        yield Sample(STORE, writer.is_open)
        yield Sample(WAITING, writer.waiting)
        yield Sample(LAG, writer.lag_s)
        yield Sample(WRITTEN, writer.written)
        yield Sample(BACKFILLS, writer.questions)
        yield Sample(HOLES, collector.holes)
        yield Sample(DIFFERENCES, collector.differences)

    def _alarms(self) -> Iterator[Sample]:
        incidents, alarms = self._service.board.incidents, self._service.alarms
        counted = incidents.counts()
        for priority, stage in product(PRIORITIES, STAGES):
            yield Sample(ALARMS, counted.get((priority, stage), 0), (str(priority), stage))
        yield Sample(CALLED, incidents.called)
        yield Sample(WEBHOOKS, alarms.waiting)
        yield Sample(FAILING, alarms.failing)
