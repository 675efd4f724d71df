"""The composition of one table: journal, table, drivers, displays and desk, from a configuration and a few outside parts.

The same composition serves a real table and a run on virtual time; what differs is handed in as ``Outside``.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from uuid import UUID

from controller.config import ReaderSection, ShoeSection, TableConfig
from controller.console.desk import Desk
from controller.console.recall import Recall
from controller.deck_keeper import DeckKeeper
from controller.displays.adapter import DisplayAdapter
from controller.displays.backlog import Backlog
from controller.displays.chain import Roots
from controller.displays.lineage import Lineage
from controller.displays.publisher import DisplayPublisher
from controller.journal.canonical import Body
from controller.journal.sealing import KEY_BYTES, NEXT_KEY, TABLE_KEY, RandomBytes, SealError, load_or_create_table_key
from controller.journal.store import ROTATE_AFTER
from controller.journal.writer import Commit, Disk, Journal
from controller.mqtt.links import ChainName
from controller.mqtt.payloads import Device, PublicEvent
from controller.mqtt.ports import Handler
from controller.mqtt.topics import TableTopics
from controller.table.deck import deck_news
from controller.table.events import ShoeHalted, TableEvent
from controller.table.felt_reader import FeltReader
from controller.table.inputs import Command, LockTable
from controller.table.keyring import Keyring
from controller.table.loop import Record, Table, shoe_epoch
from controller.table.machine import IsSynchronised
from controller.table.opening import opening, rebuild
from controller.table.parts import Equipment
from controller.table.records import decode, table_codec
from controller.table.state import Game, TableState
from controller.tracking.registry import DeckRegistry
from controller.words.catalogue import Language
from drivers.clock import Clock
from drivers.factory import ReaderSetup, ShoeSetup, WiredAntenna
from drivers.link.base import Opener
from drivers.ports import FENCED, Deliver, DeviceReport, KnownShoe, ReaderPort, ShoePort
from drivers.registry import multiplexer_driver, reader_driver, shoe_driver

Serve = Callable[[Handler], Coroutine[Any, Any, None]]
"""Serves one handler over MQTT until cancelled."""


ROOM_S: Final = 10.0
"""How often the room on the journal's disk is looked at."""


MAX_CALLS: Final = 32
"""Calls of players over MQTT that wait to be heard."""


class FencedError(Exception):
    """Another controller of a larger epoch runs this table: this one must not go on."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What a table takes from outside: one opener a device, the broker, time, chance, and where commits happen."""

    openers: Mapping[str, Opener]
    registry: DeckRegistry
    clock: Clock
    rng: random.Random
    delivered: Mapping[str, Opener] = field(default_factory=dict)
    """Openers of the lines that are set otherwise than their readers are delivered, at the settings of delivery."""
    serve: Serve | None = None
    folder: Path | None = None
    key_folder: Path | None = None
    commit: Commit = Commit.THREAD
    random_bytes: RandomBytes = field(default=os.urandom, repr=False)
    watch: Callable[[TableState, Sequence[Record]], None] | None = None
    rotate_after: int = ROTATE_AFTER
    keeper: DeckKeeper | None = None
    """Without one, nothing is asked of the deck and nothing is counted."""
    disk: Disk | None = None
    """Told of the commits of a run on virtual time."""
    high_water: Path | None = None
    """The witness of the journal's end, best on another medium."""
    is_synchronised: IsSynchronised | None = None
    """Asks the machine whether its wall clock is kept; without it nothing is known of that, nor told."""


class TableApp(AbstractAsyncContextManager["TableApp"]):
    """One table, opened with ``async with`` and run with ``run``."""

    def __init__(self, config: TableConfig, outside: Outside) -> None:
        self._config = config
        self._outside = outside
        self._journal: Journal
        self._adapter: DisplayAdapter
        self._before: TableState
        self._began: TableState
        self._publisher: DisplayPublisher | None = None
        self._fenced: asyncio.Future[str]
        self._calls = asyncio.Queue[tuple[int, str]](MAX_CALLS)
        self._shoe: ShoePort | None = None
        self.table: Table
        self.desk: Desk

    async def __aenter__(self) -> Self:
        """Open the journal, rebuild the state and make the start durable. Errors of the journal and key come through."""
        config, outside = self._config, self._outside
        name = config.table.name
        self._fenced = asyncio.get_running_loop().create_future()
        table_key = (
            outside.random_bytes(KEY_BYTES)
            if outside.key_folder is None
            else _table_key(outside.key_folder, outside.random_bytes)
        )
        self._journal = await Journal.open(
            outside.folder,
            table=name,
            journal_id=_journal_id(outside.random_bytes),
            created=outside.clock.wall().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            commit=outside.commit,
            rotate_after=outside.rotate_after,
            disk=outside.disk,
            high_water=outside.high_water,
        )
        try:
            if outside.key_folder is not None:  # as it is now that the journal is ours: until now somebody could change it
                table_key = _table_key(outside.key_folder, outside.random_bytes)
            await self._start(table_key)
        except BaseException:
            await self._journal.close()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the journal after everything that waits is durable."""
        await self._journal.close()

    async def _start(self, table_key: bytes) -> None:
        config, outside = self._config, self._outside
        keyring = Keyring(
            table_key,
            table=config.table.name,
            journal_id=self._journal.origin.journal,
            random_bytes=outside.random_bytes,
            auditors=None if config.audit is None else config.audit.keys(),
        )
        keyring.unwrap(self._journal.hand_keys())
        self._keyring = keyring
        self._codec = table_codec()
        state = rebuild(self._journal.read(self._journal.origin.first), self._codec, keyring)
        name, epoch = config.table.name, self._journal.epoch
        roots = Roots(ChainName(name, self._journal.origin.journal), self._head_kept)
        self._backlog = Backlog(self._journal.read_kept, self._decode, DisplayAdapter(name, epoch), roots)
        where, place = await self._backlog.stands(self._journal.last_seq + 1)
        self._adapter = DisplayAdapter(name, epoch, where, self.reports, place=place, now=outside.clock.monotonic)
        felt = FeltReader(
            config.antennas(),
            outside.registry,
            config.felt.presence(),
            state.custody.lying,
            now=outside.clock.monotonic(),
            at=config.presence_at(),
        )
        self.table = Table(
            state=state,
            store=self._journal,
            codec=self._codec,
            keyring=keyring,
            felt=felt,
            clock=outside.clock,
            committed=self._on_commit,
            is_synchronised=outside.is_synchronised,
        )
        if outside.serve is not None:
            topics = TableTopics(config.table.venue, config.table.name)
            self._publisher = DisplayPublisher(
                topics,
                epoch=self._journal.epoch,
                clock=outside.clock,
                backfill=self.public_events,
                fenced=self._on_fenced,
                called=self._on_called,
                expected=config.displays.seats,
                lineage=Lineage(self._journal.epoch, self._journal.origin.journal, state.seq, self._head_at),
                http=config.http.address,
            )
        known = state.shoe
        self._before = self._began = state
        recall = Recall(self._journal.read, self._decode, self._journal.first_seqs, state.seq)
        self.desk = Desk(self.table, config.table.name, Language(config.table.language), recall)
        deals = tuple(keyring.sealers)
        program, gear = version("stud-table"), _equipment(config)
        started, *rest = opening(state, self._game(), program=program, deals=deals, kept=keyring.kept, equipment=gear)
        first = (started, *self.table.machine.changes(state), *rest)
        if outside.keeper is not None:
            outside.keeper.count(felt.tally, self._journal.origin.journal)
            first = (*first, *deck_news(state, outside.keeper.told()))
        await self.table.start(first)
        if config.shoe is not None:
            memory = KnownShoe(known.boot, known.accepted_seq, known.load, known.draw_no) if known.boot else None
            self._shoe = self._make_shoe(config.shoe, memory)
            self.table.connect(self._shoe)
        self._lines = [
            make_line(
                config,
                reader,
                outside.openers[reader.name],
                self.table.deliver,
                clock=outside.clock,
                rng=outside.rng,
                delivered=outside.delivered.get(reader.name),
            )
            for reader in config.readers
        ]

    def _game(self) -> Game:
        return self._config.game.game(self._outside.registry.set_id)

    def _make_shoe(self, shoe: ShoeSection, known: KnownShoe | None) -> ShoePort:
        setup = ShoeSetup(
            name=shoe.name,
            opener=self._outside.openers[shoe.name],
            deliver=self.table.deliver,
            clock=self._outside.clock,
            rng=self._outside.rng,
            epoch_counter=shoe_epoch(self._journal.epoch, self._before.shoe.renewals),
            paired_serial=shoe.serial,
            paired_model=shoe.model,
            known=known,
            controller=self._config.table.name.upper()[:6],
            paired_node=shoe.node,
            key=shoe.key(),
            options=shoe.options,
        )
        return shoe_driver(shoe.driver).make(setup)

    async def run(self) -> None:
        """Run until cancelled. ``FencedError`` when another controller took over; ``JournalFailed`` when a commit failed."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.table.run(), name="table")
            if self._outside.serve is not None and self._publisher is not None:
                tasks.create_task(self._outside.serve(self._publisher), name="displays")
            if self._shoe is not None:
                tasks.create_task(self._shoe.run(), name=self._shoe.name)
            for line in self._lines:
                tasks.create_task(line.run(), name=line.name)
            if self._outside.keeper is not None:
                tasks.create_task(self._outside.keeper.run(self.table.tell), name="care of the deck")
            if self._outside.folder is not None and self._outside.commit is Commit.THREAD:
                tasks.create_task(self._watch_room(self._outside.folder), name="room of the disk")
            tasks.create_task(self._stop_when_fenced(), name="fence")
            tasks.create_task(self._hear_calls(), name="calls for the floor")

    async def _watch_room(self, folder: Path) -> None:
        """Look how much the disk of the journal still holds; a medium that answers late holds nobody up."""
        while True:
            try:
                usage = await asyncio.to_thread(shutil.disk_usage, folder)
            except OSError:  # the next commit tells
                pass
            else:
                self.table.machine.look(usage.free)
            await asyncio.sleep(ROOM_S)

    async def _stop_when_fenced(self) -> None:
        raise FencedError(await self._fenced)

    def readiness(self) -> dict[str, bool]:
        """Journal, devices and broker, each whether it is there."""
        links = self.table.state.links
        return {
            "journal": True,
            "devices": (self.table.state.shoe.adopted or not self.table.state.shoe_tells)
            and all(link == "up" for link in links.values()),
            "broker": self._publisher is None or self._publisher.connected,
            "program": not self.table.state.locked,
        }

    async def lock_changed_program(self) -> None:
        """The installed files are no longer the release's: no further hand is started until a controller starts anew (REG-22)."""
        key = f"self-check-{self._journal.epoch}"
        await self.table.command(Command(key, key, "lock", LockTable()))

    @property
    def publisher(self) -> DisplayPublisher | None:
        """What tells the broker; ``None`` at a table without one."""
        return self._publisher

    def displays(self) -> Mapping[str, Device]:
        """The seats' displays that were heard since the start, by name."""
        return {} if self._publisher is None else self._publisher.displays

    def reports(self) -> tuple[DeviceReport, ...]:
        """Health of the shoe and of each line of readers."""
        shoe = () if self._shoe is None else (self._shoe.report(),)
        return (*shoe, *(line.report() for line in self._lines))

    @property
    def began(self) -> TableState:
        """The state that the journal gave at the start of this controller, before its first own record."""
        return self._began

    @property
    def is_blind(self) -> bool:
        """A deal's key did not open at the start: its sealed cards are unknown until tabled (recovery §10)."""
        return bool(self._keyring.blind)

    @property
    def journal(self) -> Journal:
        """The open journal."""
        return self._journal

    def history(self, first_seq: int = 1) -> Iterator[Record]:
        """The durable records from ``first_seq`` on, with the cards whose keys this controller holds."""
        for seq, body in self._journal.read(first_seq):
            yield Record(seq, str(body["at"]), decode(self._codec, body, self._keyring.sealers))

    async def displays_drained(self) -> None:
        """Return when the broker has acknowledged everything published."""
        if self._publisher is not None:
            await self._publisher.drained()

    def _on_commit(self, state: TableState, records: Sequence[Record]) -> None:
        self.desk.committed(self._before, records)
        self._before = state
        if self._outside.keeper is not None:
            self._outside.keeper.committed(state, [record.event for record in records])
        if self._publisher is not None:
            head = self._journal.head.hex() if self._journal.last_seq == state.seq else None
            self._publisher.offer(self._adapter.draft(state, records, datetime.fromisoformat(records[-1].at), head))
        if self._outside.watch is not None:
            self._outside.watch(state, records)
        if any(isinstance(record.event, ShoeHalted) and record.event.code == FENCED for record in records):
            self._stop("the shoe obeys another controller, this one stops; find out which one runs this table")

    def _on_called(self, seat: int, call: str) -> None:
        """A player's call over MQTT; while too many wait it is passed over, and its display sends it again."""
        if not self._calls.full():
            self._calls.put_nowait((seat, call))

    async def _hear_calls(self) -> None:
        while True:
            seat, call = await self._calls.get()
            await self.desk.call_floor(seat, asyncio.get_running_loop().time(), call)

    def _on_fenced(self, epoch: int) -> None:
        """The broker shows a controller of ``epoch``, or records that are not here."""
        mine = self._journal.epoch
        if epoch > mine:
            self._stop(
                f"a controller of epoch {epoch} runs this table; this one has epoch {mine} and stops; where none runs, clear"
                " everything that the broker retains of the table"
            )
        else:
            journal = self._journal.origin.journal
            self._stop(
                f"the broker has heard of records of journal {journal} that are not here: it was cut short, or is an older copy"
                " and another controller went on; start from the newest copy, or clear everything that the broker retains of the"
                " table"
            )

    def _stop(self, why: str) -> None:
        """End this controller, for the first reason that is given."""
        if not self._fenced.done():
            self._fenced.set_result(why)

    def _head_at(self, seq: int) -> str | None:
        head = self._journal.head_at(seq)
        return None if head is None else head.hex()

    def _head_kept(self, seq: int) -> str | None:
        head = self._journal.head_kept(seq)
        return None if head is None else head.hex()

    async def public_events(self, from_seq: int, *, limit: int) -> tuple[PublicEvent, ...]:
        """Public events from the journal, for readers that missed them."""
        return await self._backlog.page(from_seq, limit=limit)

    def _decode(self, body: Body) -> TableEvent:
        """The event of a record without any key: what is sealed stays so."""
        return decode(self._codec, body, {})


def make_line(
    config: TableConfig,
    reader: ReaderSection,
    opener: Opener,
    deliver: Deliver,
    *,
    clock: Clock,
    rng: random.Random,
    delivered: Opener | None = None,
) -> ReaderPort:
    """One line of readers as the configuration describes it; it opens nothing before it runs. ``delivered`` as in ``Outside``."""
    felt, expected = config.felt, config.expected(reader)
    setup = ReaderSetup(
        name=reader.name,
        opener=opener,
        deliver=deliver,
        clock=clock,
        rng=rng,
        antennas=tuple(WiredAntenna(int(address), int(address) in reader.seldom) for address in reader.antennas),
        baud=round(reader.baud * felt.speed),
        round_s=felt.round_s / felt.speed,
        device_ids=expected.device_ids,
        hardware=expected.hardware,
        elsewhere=expected.elsewhere,
        delivered=delivered,
        multiplexer=None if reader.multiplexer is None else multiplexer_driver(reader.multiplexer),
        options=reader.options,
    )
    return reader_driver(reader.driver).make(setup)


def _equipment(config: TableConfig) -> Equipment:
    """The devices that the configuration gives, as the journal tells them."""
    antennas = config.antennas()
    wired = [(place, antenna) for place in antennas.places if (antenna := antennas.antenna(place)) is not None]
    told = tuple((place, line, address) for place, (line, address) in wired)
    if config.shoe is None:
        return Equipment("", told)
    driver = shoe_driver(config.shoe.driver)
    return Equipment(config.shoe.name, told, driver.tells_load, driver.has_gate)


def _table_key(folder: Path, random_bytes: RandomBytes) -> bytes:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if (folder / NEXT_KEY).exists():  # the journal may be wrapped under that one already: with the old one a hand goes on blind
        raise SealError(f"{folder / NEXT_KEY} is there: a change of the table key was torn; give stud-table keys rotate again")
    return load_or_create_table_key(folder / TABLE_KEY, random_bytes=random_bytes)


def _journal_id(random_bytes: RandomBytes) -> str:
    return UUID(bytes=random_bytes(16), version=4).hex[:8]
