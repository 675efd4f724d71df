"""What a table tells Prometheus: read at a scrape from what its parts know anyway, but for the few counts of ``TableCounts``.

No card, tag, name of a person or secret is among it (R-RULE-06). Labels come from the code and the configuration alone.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from controller.access.sessions import Sessions
from controller.app import TableApp
from controller.certificates import expires_at
from controller.hand.events import HandEnded, HandHeld, HandVoided
from controller.metrics.declared import Metric, Sample, counter, gauge, histogram
from controller.metrics.exposition import PROCESS
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.events import Ruled
from controller.table.loop import Record
from controller.table.machine_events import ClockStepped, ClockTrust, DiskPace, DiskRoom
from controller.table.state import TableState, TableStatus
from drivers.ports import DeviceReport, LinkState

BUILD: Final = gauge("stud_table_build_info", "1; the labels say which program runs.", "version", "python", "venue")
STATUS: Final = gauge(
    "stud_table_status", "1 at the status that the table has: live, recovering or suspended; 0 at the others.", "status"
)
HAND_OPEN: Final = gauge("stud_table_hand_open", "1 while a hand is played.")
SEATS: Final = gauge("stud_table_seats_taken", "Seats that are taken.")
PAUSED: Final = gauge("stud_table_paused", "1 while the table is paused.")
CLOSED: Final = gauge("stud_table_closed", "1 when the table is closed.")
STOPPED: Final = gauge("stud_table_stopped", "1 while play is stopped for a floor call (R-RULE-01).")
HELD: Final = gauge("stud_table_held", "1 while the hand is stopped because felt and rules disagree.")
LOCKED: Final = gauge("stud_table_locked", "1 when the installed files are no longer the release's (REG-22).")
CONSERVED: Final = gauge("stud_table_conserved", "1 while every chip, or every card of the load, is accounted for.", "what")
HANDS: Final = counter("stud_table_hands_total", "Hands that were finished, by how: ended or voided.", "how")
EVENTS: Final = counter("stud_table_events_total", "Records of the journal, by type.", "type")
HOLDS: Final = counter("stud_table_holds_total", "Stops of a hand, by code.", "code")
REFUSALS: Final = counter("stud_table_refusals_total", "Commands that the rules refused, by the refusal's code.", "code")
COMMANDS: Final = counter("stud_table_commands_total", "Commands that were answered, by outcome: taken or refused.", "outcome")
RULINGS: Final = counter("stud_table_rulings_total", "Rulings that were applied, by kind.", "kind")
SEQ: Final = gauge("stud_table_journal_seq", "Number of the last durable record.")
EPOCH: Final = gauge("stud_table_journal_epoch", "Writer epoch: it grows with each start on this journal.")
COMMIT: Final = histogram("stud_table_journal_commit_seconds", "Time of a commit, from its beginning until it is durable.")
WAITING: Final = gauge("stud_table_journal_waiting", "Appends that wait for their commit.")
CARD: Final = histogram(
    "stud_table_card_to_commit_seconds", "From a card's report by shoe or reader until its record is durable."
)
INBOX: Final = gauge("stud_table_inbox_waiting", "Inputs that wait for the table.")
FREE: Final = gauge("stud_table_disk_free_bytes", "Room on the journal's disk, looked at every 10 s.")
DISK_PACE: Final = gauge("stud_table_disk_pace", "1 at what the disk is called by its slowest commit of 10 s.", "pace")
DISK_ROOM: Final = gauge("stud_table_disk_room", "1 at what the disk's room is called.", "room")
WALL: Final = gauge("stud_table_clock_seconds", "The table's wall clock, in seconds since 1970.")
SYNCHRONISED: Final = gauge(
    "stud_table_clock_synchronised",
    "1 while something keeps the wall clock; absent where nothing tells or nobody looks.",
)
EXPIRES: Final = gauge(
    "stud_table_certificate_expires_seconds",
    "When the certificate that is shown there ends, in seconds since 1970; absent where there is none.",
    "certificate",
)
STEPS: Final = counter("stud_table_clock_steps_total", "How often the wall clock was set by a second or more.")
DEVICE: Final = gauge(
    "stud_table_device_ok",
    "1 while that fact of a device's health holds: its port is open, its link is heard.",
    "device",
    "kind",
    "fact",
)
DEVICE_AGE: Final = gauge(
    "stud_table_device_age_seconds",
    "How long ago the link, the device's own word or usable data was last heard; of the port, since when it is as it is.",
    "device",
    "fact",
)
DEVICE_TROUBLE: Final = gauge("stud_table_device_trouble", "1 while the device is not used, by why.", "device", "code")
DEVICE_COUNTS: Final = counter(
    "stud_table_device_counts_total", "The driver's own counters of bytes, frames and lines.", "device", "counter"
)
ANTENNA: Final = gauge("stud_table_antenna_up", "1 while the antenna answers.", "device", "antenna")
ANTENNA_AGE: Final = gauge("stud_table_antenna_scan_age_seconds", "How long ago it was last scanned.", "device", "antenna")
ANTENNA_PERIOD: Final = gauge("stud_table_antenna_scan_period_seconds", "Mean time from scan to scan.", "device", "antenna")
ANTENNA_SCANS: Final = counter("stud_table_antenna_scans_total", "Scans of the antenna.", "device", "antenna")
ANTENNA_MISREADS: Final = counter(
    "stud_table_antenna_misreads_total", "Scans with an RF or anti-collision error.", "device", "antenna"
)
CONNECTED: Final = gauge("stud_table_mqtt_connected", "1 while the broker is served; absent at a table without one.")
UNACKED: Final = gauge("stud_table_mqtt_unacknowledged", "Public events that the broker has not acknowledged.")
BEHIND: Final = gauge("stud_table_mqtt_behind", "1 while more events wait than memory holds: they are read from the journal.")
DISPLAYS: Final = gauge("stud_table_displays", "Displays that were heard since the start, by health.", "state")
SESSIONS: Final = gauge("stud_table_sessions", "Consoles, by whether somebody is signed in there or they are locked.", "state")

OWN: Final[tuple[Metric, ...]] = tuple(value for value in tuple(globals().values()) if isinstance(value, Metric))
TABLE_METRICS: Final = (*OWN, *PROCESS)
"""Every metric of a table, in the order of the reference."""
_GOOD: Final = {"port": ("open",), "link": ("ok", "degraded")}


class TableCounts:
    """What is counted as it becomes durable; handed to the table as its ``watch``."""

    def __init__(self) -> None:
        self.events = Counter[type]()
        self.hands = Counter[str]({"ended": 0, "voided": 0})
        self.holds = Counter[str]()
        self.refusals = Counter[str]()
        self.outcomes = Counter[str](dict.fromkeys((outcome.value for outcome in Outcome), 0))
        self.rulings = Counter[str]()
        self.steps = 0

    def __call__(self, _: TableState, records: Sequence[Record]) -> None:
        """``records`` are durable."""
        for record in records:
            self.events[type(record.event)] += 1
            match record.event:
                case HandEnded():
                    self.hands["ended"] += 1
                case HandVoided():
                    self.hands["voided"] += 1
                case HandHeld(code=code):
                    self.holds[code] += 1
                case CommandAnswered(outcome=outcome, code=code):
                    self.outcomes[outcome.value] += 1
                    if outcome is Outcome.REFUSED:
                        self.refusals[code] += 1
                case Ruled(kind=kind):
                    self.rulings[kind] += 1
                case ClockStepped():
                    self.steps += 1
                case _:
                    pass


class TableMetrics:
    """One table's samples. ``tag_of`` names a type of record as the journal does, ``wall`` is the clock in seconds since 1970,
    ``certificates`` are the files of those that are shown, by where."""

    def __init__(
        self,
        app: TableApp,
        counts: TableCounts,
        sessions: Sessions,
        *,
        version: str,
        venue: str,
        tag_of: Callable[[type], str],
        wall: Callable[[], float],
        monotonic: Callable[[], float],
        certificates: Mapping[str, Path],
    ) -> None:
        self._app = app
        self._counts = counts
        self._sessions = sessions
        self._build = (version, platform.python_version(), venue)
        self._tag_of = tag_of
        self._wall = wall
        self._monotonic = monotonic
        self._certificates = certificates

    def __call__(self) -> Iterator[Sample]:
        """Every sample as of now."""
        yield Sample(BUILD, 1, self._build)
        yield from self._play(self._app.table.state)
        yield from self._counted()
        yield from self._machine()
        for report in self._app.reports():
            yield from _device(report)
        yield from self._antennas()
        yield from self._readers()

    def _play(self, state: TableState) -> Iterator[Sample]:
        for status in TableStatus:
            yield Sample(STATUS, state.status is status, (status.value,))
        yield Sample(HAND_OPEN, state.hand_open)
        yield Sample(SEATS, len(state.seats))
        yield Sample(PAUSED, bool(state.paused))
        yield Sample(CLOSED, state.closed)
        yield Sample(STOPPED, state.stopped)
        yield Sample(HELD, state.hand_open and state.hand is not None and state.hand.hold is not None)
        yield Sample(LOCKED, state.locked)
        yield Sample(CONSERVED, state.chips_conserved, ("chips",))
        yield Sample(CONSERVED, state.cards_conserved, ("cards",))

    def _counted(self) -> Iterator[Sample]:
        counts = self._counts
        yield from (Sample(EVENTS, count, (self._tag_of(cls),)) for cls, count in counts.events.items())
        yield from _each(HANDS, counts.hands)
        yield from _each(HOLDS, counts.holds)
        yield from _each(REFUSALS, counts.refusals)
        yield from _each(COMMANDS, counts.outcomes)
        yield from _each(RULINGS, counts.rulings)
        yield Sample(STEPS, counts.steps)

    def _machine(self) -> Iterator[Sample]:
        journal, table = self._app.journal, self._app.table
        yield Sample(SEQ, journal.last_seq)
        yield Sample(EPOCH, journal.epoch)
        yield Sample(COMMIT, table.machine.commits)
        yield Sample(WAITING, journal.waiting)
        yield Sample(CARD, table.cards.seconds)
        yield Sample(INBOX, table.waiting)
        if table.machine.free_bytes is not None:
            yield Sample(FREE, table.machine.free_bytes)
        yield from (Sample(DISK_PACE, table.state.disk.pace is pace, (pace.value,)) for pace in DiskPace)
        yield from (Sample(DISK_ROOM, table.state.disk.room is room, (room.value,)) for room in DiskRoom)
        yield Sample(WALL, self._wall())
        if (trust := table.state.wall_clock.trust) is not ClockTrust.UNKNOWN:
            yield Sample(SYNCHRONISED, trust is ClockTrust.TRUSTED)
        for name, path in self._certificates.items():
            if (end := expires_at(path)) is not None:
                yield Sample(EXPIRES, end.timestamp(), (name,))

    def _antennas(self) -> Iterator[Sample]:
        now = self._monotonic()
        for (device, antenna), pace in self._app.table.scans.antennas.items():
            labels = (device, str(antenna))
            if pace.last_at is not None:
                yield Sample(ANTENNA_AGE, max(0.0, now - pace.last_at), labels)
            if pace.period_s is not None:
                yield Sample(ANTENNA_PERIOD, pace.period_s, labels)
            yield Sample(ANTENNA_SCANS, pace.scans, labels)
            yield Sample(ANTENNA_MISREADS, pace.unclean, labels)

    def _readers(self) -> Iterator[Sample]:
        """Who reads what the table tells: broker, displays, consoles."""
        publisher = self._app.publisher
        if publisher is not None:
            yield Sample(CONNECTED, publisher.connected)
            yield Sample(UNACKED, publisher.outbox.waiting)
            yield Sample(BEHIND, publisher.outbox.is_behind)
        yield from _each(DISPLAYS, Counter(display.health.value for display in self._app.displays().values()))
        signed_in, locked = self._sessions.counts()
        yield Sample(SESSIONS, signed_in, ("signed_in",))
        yield Sample(SESSIONS, locked, ("locked",))


def _device(report: DeviceReport) -> Iterator[Sample]:
    for name, fact in (("port", report.port), ("link", report.link), ("device", report.device), ("data", report.data)):
        if name in _GOOD:
            yield Sample(DEVICE, fact.state in _GOOD[name], (report.name, report.kind, name))
        if fact.age_s is not None:
            yield Sample(DEVICE_AGE, fact.age_s, (report.name, name))
    if report.trouble is not None:
        yield Sample(DEVICE_TROUBLE, 1, (report.name, report.trouble.code))
    yield from (Sample(DEVICE_COUNTS, count, (report.name, name)) for name, count in report.counters.items())
    for antenna in report.antennas:
        yield Sample(ANTENNA, antenna.state in (LinkState.UP, LinkState.DEGRADED), (report.name, str(antenna.antenna)))


def _each(metric: Metric, counts: Counter[str]) -> Iterable[Sample]:
    return [Sample(metric, count, (name,)) for name, count in counts.items()]
