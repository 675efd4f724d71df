"""What is watched while a simulated table runs: the journal's order, the shoe's gate and marks, everything that is published."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from controller.app import TableApp
from controller.hand.cards import Card
from controller.hand.events import ActionTaken, HandOpened, HandTabled
from controller.hand.irregular_events import (
    ActionUndone,
    CardScrapped,
    DoorChosen,
    HandRetrieved,
    HandSeen,
    HoleExposed,
    SeventhShown,
)
from controller.hand.state import live_seats
from controller.hand.terms import Verb
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.topics import TableTopics
from controller.rehearsal import Rehearsal
from controller.simulate.audit import Auditor, Violation
from controller.simulate.demands import FaultWatch, require_next_step
from controller.simulate.disk import SimulatedDisk
from controller.simulate.keys import KeyWatch, repeated_nonces
from controller.simulate.secrets import OLD_S as AT_ONCE_S
from controller.simulate.secrets import Listener, Truth
from controller.table.events import CardRead, CardSeen, DealKeyMade, GateOrdered, Resumed, ShoeHalted
from controller.table.evolve import evolve
from controller.table.loop import Record
from controller.table.state import TableState, draws_due
from controller.tracking.custody import Custody

GATE_CLOSES_S: Final = 3.5
"""Seconds within which a gate that nobody wants open is closed: the shoe's three of silence, and the line's."""
HEARD_S: Final = 0.1
"""What is under way when a larger epoch is published has gone out within this time."""
OLD_S: Final = 3600.0
"""Messages about the last hand may come late when the broker was away."""
TOLD: Final = 400
"""Newest records that are kept for the story of a failure."""
FOLDED_EVERY: Final = 16
"""Every so many commits the state is derived from its events once more."""


class Watch:
    """Compares what the controller does with the world. ``broken`` hears of each violation, once."""

    def __init__(self, rehearsal: Rehearsal, disk: SimulatedDisk, broken: Callable[[Violation], None]) -> None:
        self._devices = rehearsal.devices
        self._disk = disk
        self._broken = broken
        self._told: tuple[int, TableState] = (0, TableState())
        self._app: TableApp | None = None
        self._started = False
        self._is_blind = False
        self._commits = 0
        self.epoch = self._epoch_before = 0
        self._openable_cards: set[Card] = set()
        self._orders: set[tuple[int, int]] = set()
        self._unwanted_since: float | None = None
        self.is_paused = False
        """The controller's process stands still: it wants nothing, whatever its state says."""
        self.rivals = 0
        """How many other controllers have said that the table is theirs, or tried to make it so."""
        self.head = b""
        """The chain's head after the newest commit that was told."""
        self.is_in_doubt = False
        """The controller began behind what was told: its journal's end is lost, and it must be stopped before play resumes."""
        self._watchers: list[Callable[[TableState, Sequence[Record]], None]] = rehearsal.watchers
        self.newest: deque[tuple[float, Record]] = deque(maxlen=TOLD)
        self.ears: list[Callable[[str, bytes | str], None]] = []
        """Told of everything that people can read, and where."""
        self.heard: Callable[[Sequence[Record]], object] | None = None
        """Told of every durable record, once and in order, also of those that a crash left untold."""
        self.auditor = Auditor(rehearsal)
        self._keys = KeyWatch(disk.folder)
        self._faults = FaultWatch()
        self.truth = Truth(rehearsal.devices.felt, old_s=OLD_S)
        self.listener = Listener(self.truth, rehearsal.tags)
        self.stopped: Callable[[], object] = int
        """Called when a shoe has stopped a controller whose journal lost its end: people end it."""
        self._watchers[:] = [self._committed]
        rehearsal.devices.shoe.on_change = self._shoe_changed

    @property
    def state(self) -> TableState:
        """The newest state that is known to be durable."""
        return self._told[1]

    def lives(self, app: TableApp) -> None:
        """A controller begins its life; its first commit is still to come."""
        self._app, self._started, self._epoch_before = app, False, self.epoch
        self.is_in_doubt = False

    def dies(self) -> None:
        """It is gone; the shoe closes in its time after its last word, which it may have had a moment ago (TSP/1 gate T)."""
        self._app = self._unwanted_since = None
        self.is_paused = False

    # The journal

    def _committed(self, state: TableState, records: Sequence[Record]) -> None:
        try:
            self._check(state, records)
        except Violation as violation:
            self._broken(violation)

    def _check(self, state: TableState, records: Sequence[Record]) -> None:
        if not self._started:
            self._started = True
            self.is_in_doubt = self._disk.is_spoilt and records[0].seq <= self._told[0]
            if not self.is_in_doubt:
                self._disk.believe()
                self._recover(records[0].seq)
        if self.is_in_doubt:
            self._doubt(records)
            return
        last, before = self._told
        if [record.seq for record in records] != list(range(last + 1, last + 1 + len(records))) or state.seq != records[-1].seq:
            raise Violation(f"records {records[0].seq} to {records[-1].seq} and state {state.seq} follow on record {last}")
        if records[-1].seq > self._disk.durable_seq:
            raise Violation(f"record {records[-1].seq} takes effect, and the disk holds {self._disk.durable_seq}")
        self._commits += 1
        if self._commits % FOLDED_EVERY == 0:
            self._same(_folded(before, records), state, "the state is not what its events lead to")
        self._take(state, records)
        if self._app is not None:
            self.head = self._app.journal.head
            self._keys.committed(self._app, state, records)

    def _doubt(self, records: Sequence[Record]) -> None:
        """Any witness ahead of the journal stops the start (recovery §1): nobody confirms a picture that lacks its end."""
        for event in (record.event for record in records):
            if isinstance(event, Resumed | CardRead | ActionTaken) or (isinstance(event, GateOrdered) and event.is_open):
                raise Violation(f"a journal that lost its end is played on: {type(event).__name__} is record {records[-1].seq}")
            if isinstance(event, ShoeHalted):
                asyncio.get_running_loop().call_soon(self.stopped)

    def _recover(self, first_seq: int) -> None:
        """A new life goes on where the disk ends: nothing that was told is lost, nothing else is there."""
        if first_seq <= self._told[0]:
            raise Violation(f"a new start goes on at record {first_seq}, and {self._told[0]} was told to be durable")
        if self._app is None:
            return
        self.epoch = self._app.journal.epoch
        self._is_blind |= self._app.is_blind
        if self.epoch <= self._epoch_before:
            raise Violation(f"a new start writes under epoch {self.epoch}, as the one before it")
        seq, state = self._told
        missed = [record for record in self._app.history(seq + 1) if record.seq < first_seq]
        if missed:
            self._take(_folded(state, missed), missed)
        self._same(self._app.began, self._told[1], "replay gives another state than the one before the crash")

    def at_end(self, app: TableApp) -> None:
        """The whole journal gives the state that the table stands at."""
        try:
            self._same(_folded(TableState(), list(app.history())), self._told[1], "replay gives another state than the live one")
            if repeated := repeated_nonces(app.journal.read()):
                raise Violation(f"the boxes of records {repeated[:5]} use a nonce of their key again")
        except Violation as violation:
            self._broken(violation)

    def _same(self, found: TableState, wanted: TableState, what: str) -> None:
        found, wanted = self._openable(found), self._openable(wanted)
        if found != wanted:
            names = [name for name in TableState._fields if getattr(found, name) != getattr(wanted, name)]
            raise Violation(f"{what} at record {wanted.seq}: {', '.join(names)}")

    def _openable(self, state: TableState) -> TableState:
        """The state without what a restart cannot read: cards that were seen, and dealt, under a key that is gone by now."""
        held, hand = state.custody, state.hand
        if self._is_blind:
            seats = () if hand is None else tuple(seat._replace(down=()) for seat in hand.seats)
            return state._replace(
                custody=Custody(in_shoe=held.in_shoe, placed_count=held.placed_count, draw_no=held.draw_no),
                hand=None if hand is None else hand._replace(seats=seats, burned=(), previous=None),
            )
        custody = held._replace(
            lying={card: place for card, place in held.lying.items() if card in self._openable_cards},
            elsewhere={card: place for card, place in held.elsewhere.items() if card in self._openable_cards},
            unexplained=held.unexplained & self._openable_cards,
        )
        if hand is not None and hand.over:
            seats = tuple(seat._replace(down=()) for seat in hand.seats)
            hand = hand._replace(seats=seats, burned=(), previous=None)
        return state._replace(custody=custody, hand=hand)

    def _take(self, state: TableState, records: Sequence[Record]) -> None:
        self._told = (records[-1].seq, state)
        now = asyncio.get_running_loop().time()
        for record in records:
            self.newest.append((now, record))
            self._note(record.event, now)
        self.auditor.committed(state, records)
        if self.heard is not None:
            self.heard(records)

    def _note(self, event: Any, now: float) -> None:
        """Who folds, who shows, what falls open, and which releases were ordered."""
        match event:
            case HandOpened(number=number):
                self.truth.started(now, number)
            case HandTabled(seat=seat):
                self.truth.tabled(seat, now)
            case HoleExposed(card=card) | DoorChosen(card=card) | SeventhShown(card=card) | CardScrapped(card=card):
                if card is not None:
                    self.truth.shown(card.text, now)
            case HandSeen(cards=cards):
                for card in cards:
                    self.truth.shown(card.text, now)
            case ActionTaken(seat=seat, verb=Verb.FOLD):
                self.truth.folded(seat)
            case ActionUndone() | HandRetrieved() if self.state.hand is not None:
                self.truth.plays_again(live_seats(self.state.hand))
            case CardSeen(card=card) if card is not None:
                self._openable_cards.add(card)
            case DealKeyMade():
                self._openable_cards.clear()
            case GateOrdered(order=order, is_open=True):
                self._orders.add((self.state.starts, order))
            case _:
                pass

    # The shoe

    def _shoe_changed(self) -> None:
        shoe, known = self._devices.shoe, self.state.shoe
        boot, acked = shoe.acked
        if boot and boot == known.boot and acked > known.accepted_seq:
            self._broken(Violation(f"the shoe was told to forget event {acked}, and the journal holds {known.accepted_seq}"))
        if shoe.releases > len(self._orders):
            self._broken(Violation(f"the gate was opened {shoe.releases} times, and ordered open {len(self._orders)} times"))

    def look(self) -> None:
        """To be called every quarter of a second: a gate that nobody wants open closes in time (invariant 13)."""
        now = asyncio.get_running_loop().time()
        lives = self._app is not None and self._started and not self.is_in_doubt and not self.is_paused
        wanted = lives and draws_due(self.state) > 0
        if wanted or not self._devices.shoe.is_gate_open:
            self._unwanted_since = None
        elif self._unwanted_since is None:
            self._unwanted_since = now
        elif now - self._unwanted_since > GATE_CLOSES_S:
            self._broken(Violation(f"the gate stays open for {now - self._unwanted_since:.2f} s though no card is wanted"))
        if self._app is not None and self._started:
            try:
                self._faults.look(self._app, now)
            except Violation as violation:
                self._broken(violation)

    # What people read

    def hear(self, where: str, text: bytes | str, *, old_s: float = OLD_S) -> None:
        """Something was published, answered or logged; it may tell of the last hand for ``old_s`` after the next one's start."""
        for ear in self.ears:
            ear(where, text)
        self.listener.hear(where, text, asyncio.get_running_loop().time(), old_s=old_s)
        self._judge()

    def hear_events(self, where: str, payload: bytes, events: Sequence[Mapping[str, Any]]) -> None:
        """Public events were published, live or again."""
        for ear in self.ears:
            ear(where, payload)
        self.listener.hear_events(where, payload, asyncio.get_running_loop().time(), events)
        self._judge()

    def _judge(self) -> None:
        if self.listener.leaks:
            self._broken(Violation(f"a card was told before it was public: {self.listener.leaks.pop()}"))

    def see(self, snapshot: Mapping[str, Any]) -> None:
        """The dealer reads her screen: it must tell her what is next (invariant 27)."""
        self.hear_json("snapshot", snapshot)
        self._require_durable("the dealer's screen", snapshot["seq"])
        try:
            require_next_step(snapshot)
        except Violation as violation:
            self._broken(violation)

    def answered(self, body: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """A command is answered: its effect is durable by then (invariant 9), and not older than the picture it answers (17)."""
        self.hear_json("answer", answer)
        if not answer["ok"]:
            return
        self._require_durable(f"the answer to {body['command']['type']}", answer["seq"])
        if answer["seq"] < body["seq"]:
            self._broken(
                Violation(f"{body['command']['type']} is answered with record {answer['seq']} for picture {body['seq']}")
            )

    def _require_durable(self, where: str, seq: int) -> None:
        if seq > self._disk.durable_seq:
            self._broken(Violation(f"{where} tells of record {seq}, and the disk holds {self._disk.durable_seq}"))

    def hear_json(self, where: str, value: Mapping[str, Any]) -> None:
        """The same for an answer in this process."""
        self.hear_here(where, json.dumps(value, ensure_ascii=False))

    def hear_here(self, where: str, text: str) -> None:
        """The same for what no broker carries: never late, but where the journal's end with the hand's start in it is lost."""
        self.hear(where, text, old_s=AT_ONCE_S if self._started and not self.is_in_doubt else OLD_S)


def _folded(state: TableState, records: Sequence[Record]) -> TableState:
    for record in records:
        state = evolve(state, record.event)
    return state


class Overhearer:
    """A subscriber to every topic: order, epochs and durability of what is published, and no card before its time."""

    def __init__(self, topics: TableTopics, watch: Watch, disk: SimulatedDisk, broken: Callable[[Violation], None]) -> None:
        self._events = topics.events
        self._watch = watch
        self._disk = disk
        self._broken = broken
        self._newest: dict[str, tuple[int, int]] = {}
        self._newest_epoch = 0
        self._epoch_at = 0.0
        self.heard = 0

    def subscriptions(self) -> Sequence[str]:
        """Everything."""
        return ("#",)

    def will(self) -> None:
        """A reader leaves nothing behind."""

    def farewell(self) -> None:
        """A reader leaves nothing behind."""

    async def run_session(self, link: Publisher) -> None:
        """Listen."""
        del link
        await asyncio.get_running_loop().create_future()

    def on_message(self, message: Message) -> None:
        """One message."""
        if not message.payload:
            return
        self.heard += 1
        stamp = json.loads(message.payload)
        if message.topic == self._events:
            self._watch.hear_events(message.topic, message.payload, [stamp])
        elif "events" in stamp:
            self._watch.hear_events(message.topic, message.payload, stamp["events"])
        else:
            self._watch.hear(message.topic, message.payload)
        if "/request/" in message.topic or "/command/" in message.topic:
            return
        epoch, seq = int(stamp["epoch"]), int(stamp["seq"])
        now = asyncio.get_running_loop().time()
        if epoch > self._newest_epoch:
            self._newest_epoch, self._epoch_at = epoch, now
        silent = message.retain or stamp.get("status") == "lost" or now - self._epoch_at <= HEARD_S
        if epoch < self._newest_epoch and not silent:
            self._broken(Violation(f"{message.topic} tells of epoch {epoch} after epoch {self._newest_epoch}"))
        if seq > self._disk.durable_seq:
            self._broken(Violation(f"{message.topic} tells of record {seq}, and the disk holds {self._disk.durable_seq}"))
        newest = self._newest.get(message.topic, (0, 0))
        is_ordered = message.topic == self._events or not (silent or self._watch.rivals or self._disk.spoils)
        if is_ordered and epoch == newest[0] and seq < newest[1]:
            self._broken(Violation(f"{message.topic} tells of record {seq} after record {newest[1]}"))
        if not message.retain:  # what the broker kept from before comes again at a new connection
            self._newest[message.topic] = max(newest, (epoch, seq))


class LogEar(logging.Handler):
    """Hears every line of the logs."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(logging.DEBUG)
        self._watch = watch

    def emit(self, record: logging.LogRecord) -> None:
        """One line, and the traceback that comes with it."""
        self._watch.hear_here(f"log {record.name}", self.format(record))
