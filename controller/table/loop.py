"""The table at work: one bounded inbox and one consumer that decides, makes durable, and only then acts (journal first)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol, TypeAlias

from controller.hand.commands import Refusal
from controller.hand.events import HandOpened
from controller.journal.canonical import Body
from controller.journal.codec import Codec
from controller.journal.schema import Origin
from controller.journal.store import Appended, KeyChange
from controller.table.access_events import FloorAsked, SignedIn, SignedOut, SignInFailed
from controller.table.carry import carriable, carried
from controller.table.decide import decide, durable_key
from controller.table.events import ClockStarted, GateOrdered, ShoeAdopted, ShoeRenewed, Suspended, TableEvent
from controller.table.evolve import evolve
from controller.table.felt_reader import FeltReader
from controller.table.inputs import Command, Evidence, FeltIsReady
from controller.table.keyring import Keyring
from controller.table.machine import IsSynchronised, MachineWatch
from controller.table.pace import Arrivals, ScanPace
from controller.table.parts import DeckTold
from controller.table.pause import PAUSED, ClockRanOut, WasPaused
from controller.table.records import hex_commitments
from controller.table.shoe_error_events import ShoeClearOrdered
from controller.table.state import TableState, TableStatus
from controller.table.timely import comes_late
from controller.table.waits import Waits, awaited_evidence
from drivers.clock import Clock, Pulse
from drivers.ports import AntennaScan, CardDrawn, DeviceEvent, EventKey, LinkState, ShoePort

MAX_INBOX: Final = 256
"""Inputs that wait for the table; a full inbox slows its senders down."""
MAX_BATCH: Final = 64
"""Inputs that share one commit."""
TICK_S: Final = 0.25
"""How often the loop gives its sign of life to the shoe and looks whether the felt is ready."""
SCREENS_WAIT_S: Final = 0.002
"""How much later than the displays those who wait for a change are woken: drawing their screens must not hold up an event."""

STOPPED: Final = "The table has stopped; it answers again after its controller has been started anew."
"""What a command is told that comes too late."""


MAX_SHOE_EPOCH: Final = 0xFFFF


def shoe_epoch(epoch: int, renewals: int) -> int:
    """Start counter that a shoe is told: it rises with each start of a controller and with each renewal (TSP/1 epoch)."""
    return min(epoch + renewals, MAX_SHOE_EPOCH)


class TableStopped(ConnectionError):  # noqa: N818 - it tells that nobody is there, as its base does
    """The table takes nothing any more: its loop has ended. Whether a command that waits was taken, its journal tells."""


class Record(NamedTuple):
    """One durable event: its number, time and content."""

    seq: int
    at: str
    event: TableEvent


class Answer(NamedTuple):
    """What a command is told: the number of its answer in the journal, and the refusal if there is one."""

    seq: int
    refusal: Refusal | None


class Store(Protocol):
    """What the loop needs of the journal."""

    @property
    def epoch(self) -> int:
        """The writer epoch."""

    @property
    def last_seq(self) -> int:
        """Number of the last durable event."""

    async def append(self, bodies: Sequence[Body], *, keys: Sequence[KeyChange] = ()) -> Appended:
        """Make bodies and key changes durable, all or none."""

    @property
    def rotation_due(self) -> bool:
        """Whether the next hand should begin a new file."""

    def continuation(self, created: str) -> Origin:
        """The origin of that file."""

    async def rotate(self, body: Body, origin: Origin) -> Appended | None:
        """Go on in that file; ``None`` when that cannot be now."""


Committed: TypeAlias = Callable[[TableState, Sequence[Record]], None]
"""Called after each commit with the state and the new records; must return at once."""


@dataclass(frozen=True, slots=True)
class _Ask:
    """A command and where its answer goes."""

    command: Command
    answer: asyncio.Future[Answer]


class _Tick:
    """Time passed."""


_TICK: Final = _Tick()
_Item: TypeAlias = Evidence | _Ask | _Tick


class Table:
    """One table. ``state`` is always what the journal holds; nothing else writes it."""

    def __init__(
        self,
        *,
        state: TableState,
        store: Store,
        codec: Codec,
        keyring: Keyring,
        felt: FeltReader,
        clock: Clock,
        committed: Committed,
        is_synchronised: IsSynchronised | None = None,
    ) -> None:
        self._state = state
        self._store = store
        self._codec = codec
        self._keyring = keyring
        self._felt = felt
        self._clock = clock
        self._committed = committed
        self._shoe: ShoePort | None = None
        self._inbox: asyncio.Queue[_Item] = asyncio.Queue(MAX_INBOX)
        self._pulse = Pulse(clock.monotonic())
        self._was_paused = False
        self._tick_waits = False
        self._ready_asked = False
        self._waits = Waits(self._put, again_s=TICK_S)
        self._clock_timer: asyncio.TimerHandle | None = None
        self._clock_from: float | None = None
        self._started = 0
        self._moved = asyncio.Event()
        self._asking: set[asyncio.Future[Answer]] = set()
        self._stopped = False
        self._turned = clock.monotonic()
        self.machine = MachineWatch(clock, is_synchronised)
        """Disk and clock under the table."""
        self.cards = Arrivals()
        """How soon a card that was told of is durable."""

    @property
    def state(self) -> TableState:
        """The state as last committed."""
        return self._state

    @property
    def scans(self) -> ScanPace:
        """How often each antenna is scanned."""
        return self._felt.pace

    @property
    def waiting(self) -> int:
        """Inputs that have come and are not decided yet."""
        return self._inbox.qsize()

    @property
    def idle_s(self) -> float:
        """Seconds since the loop last finished its inputs: at most a few ticks, unless journal or loop stand still."""
        return self._clock.monotonic() - self._turned

    def connect(self, shoe: ShoePort) -> None:
        """The shoe that is acknowledged and whose gate is ordered."""
        self._shoe = shoe

    async def deliver(self, event: DeviceEvent) -> None:
        """Sink of the device drivers: waits while the inbox is full, so that a driver slows down and drops nothing."""
        if isinstance(event, AntennaScan):
            for found in self._felt.scan(event):
                with self.cards.coming(found, self._clock.monotonic()):
                    await self._inbox.put(found)  # type: ignore[arg-type]
        elif isinstance(event, CardDrawn):
            with self.cards.coming(event, self._clock.monotonic()):
                await self._inbox.put(event)
        else:
            await self._inbox.put(event)

    async def tell(self, told: DeckTold | SignedIn | SignedOut | SignInFailed | FloorAsked) -> None:
        """What is known of the deck outside has changed, somebody came or went, or a seat asks for the floor. ``TableStopped``
        when the table has ended."""
        if self._stopped:
            raise TableStopped(STOPPED)
        await self._inbox.put(told)

    async def command(self, command: Command) -> Answer:
        """Give an order and wait for its durable answer. ``TableStopped`` when the table ends before."""
        if self._stopped:
            raise TableStopped(STOPPED)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asking.add(answer)
        try:
            await self._inbox.put(_Ask(command, answer))
            return await answer
        finally:
            self._asking.discard(answer)

    async def changed(self, after_seq: int) -> TableState:
        """Wait until the journal has moved past ``after_seq``. ``TableStopped`` when the table ends before."""
        while self._state.seq <= after_seq:
            if self._stopped:
                raise TableStopped(STOPPED)
            await self._moved.wait()
        return self._state

    async def start(self, events: Sequence[TableEvent]) -> None:
        """Make the events of a start durable before any device is talked to."""
        states: list[TableState] = []
        for event in events:
            states.append(evolve(states[-1] if states else self._state, event))
        self._started = self._state.seq + 1
        await self._commit(events, states)

    async def run(self) -> None:
        """Take inputs until cancelled; a pause of this process comes before what waited. A failed commit ends it: nothing more is
        acknowledged, and the shoe closes by silence."""
        self._pulse.beat(self._clock.monotonic())  # a start that took its time is no pause
        ticker = asyncio.create_task(self._tick(), name="table ticker")
        try:
            while True:
                await self._take(await self._inbox.get())
                self._turned = self._clock.monotonic()
        finally:
            self._stopped = True
            ticker.cancel()
            self._waits.stop()
            if self._clock_timer is not None:
                self._clock_timer.cancel()
            self._dismiss()

    def _dismiss(self) -> None:
        """Tell everybody who waits that the table has stopped."""
        while not self._inbox.empty():  # makes room for those who wait to be taken
            self._inbox.get_nowait()
        for answer in self._asking:
            if not answer.done():
                answer.set_exception(TableStopped(STOPPED))
        self._moved.set()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._beat()
            if not self._tick_waits and not self._inbox.full():
                self._tick_waits = True
                self._inbox.put_nowait(_TICK)

    def _beat(self) -> None:
        """A sign of our own life. After a pause that comes first, before what waited meanwhile."""
        self._was_paused |= self._pulse.beat(self._clock.monotonic()) > 0

    async def _take(self, first: _Item) -> None:
        self._beat()
        items: list[_Item] = [WasPaused(), first] if self._was_paused else [first]
        self._was_paused = False
        while len(items) < MAX_BATCH and not self._inbox.empty():
            items.append(self._inbox.get_nowait())
        state = self._state
        events: list[TableEvent] = []
        states: list[TableState] = []
        answers: list[tuple[_Ask, Refusal | None]] = []
        for item in items:
            if isinstance(item, _Tick):
                self._tick_waits = False
                self._on_tick()
                continue
            if self._is_stale(item):
                continue
            given = self._timed(item.command) if isinstance(item, _Ask) else item
            decision = decide(state, given, elapsed_s=self._clock_ran_s())
            if self._store.rotation_due and any(isinstance(event, HandOpened) for event in decision.events):
                await self._commit(events, states)
                events, states = [], []
                await self._rotate()
                state = self._state
                decision = decide(state, given, elapsed_s=self._clock_ran_s())
            events.extend(decision.events)
            states.extend(decision.states)
            state = decision.state
            state.require_chips()  # before it is durable: the table stops, and the journal still ends where all was right
            if isinstance(item, _Ask):
                answers.append((item, decision.refusal))
        came = self.cards.taken(items)
        await self._commit(events, states)
        if events:
            self.cards.durable(came, self._clock.monotonic())
        for ask, refusal in answers:
            if not ask.answer.done():
                ask.answer.set_result(Answer(self._seq_of(ask.command), refusal))

    def _is_stale(self, item: _Item) -> bool:
        """Whether ``item`` says that the felt was ready before a pause, behind which it is unknown again."""
        if isinstance(item, WasPaused):
            self._ready_asked = False
        return isinstance(item, FeltIsReady) and not self._ready_asked

    def _seq_of(self, command: Command) -> int:
        known = self._state.answers.get(command.key)
        return self._state.seq if known is None else known[1]

    async def _rotate(self) -> None:
        """Go on in a new file of the journal, which begins with what there is to know between hands."""
        state = self._state
        sealer = self._keyring.sealers.get(state.deal)
        if sealer is None or not carriable(state):
            return
        at = self._now()
        origin = self._store.continuation(at)
        event = carried(state, origin, sealer.kid, hex_commitments(sealer))
        body = self._keyring.encode(self._codec, event, state, epoch=self._store.epoch, at=at)
        if await self._store.rotate(body, origin) is not None:
            self._enter(evolve(state, event), [Record(origin.first, at, event)])

    def _now(self) -> str:
        return self._clock.wall().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    async def _commit(self, events: Sequence[TableEvent], states: Sequence[TableState]) -> None:
        """Durable first, then state, then effects. ``states`` holds the state after each event."""
        if not events:
            return
        at = self._now()
        bodies: list[Body] = []
        keys: list[KeyChange] = []
        records: list[Record] = []
        state = self._state
        for event, after in zip(events, states, strict=True):
            ready, key = self._keyring.ready(event)
            if key is not None:
                keys.append(key)
            bodies.append(self._keyring.encode(self._codec, ready, state, epoch=self._store.epoch, at=at))
            state = after  # what the keyring added to the event is no part of the state
            records.append(Record(state.seq, at, ready))
        began = self._clock.monotonic()
        appended = await self._store.append(bodies, keys=keys)
        self.machine.took(began)
        if appended.last_seq != state.seq:
            raise RuntimeError(f"the journal stands at {appended.last_seq}, the state at {state.seq}")
        self._enter(state, records)

    def _enter(self, state: TableState, records: Sequence[Record]) -> None:
        """``records`` are durable, and ``state`` is what they lead to."""
        self._state = state
        self._committed(state, records)
        self._effects(records)
        moved, self._moved = self._moved, asyncio.Event()
        asyncio.get_running_loop().call_later(SCREENS_WAIT_S, moved.set)

    def _effects(self, records: Sequence[Record]) -> None:
        if any(isinstance(record.event, Suspended) and record.event.cause == PAUSED for record in records):
            self._felt.woken(self._clock.monotonic())
            self._waits.stop()
            self._ready_asked = False
        if self._shoe is not None:
            self._tell_shoe(self._shoe, records)
        self._waits.watch(awaited_evidence(self._state, self._felt))
        self._watch_clock(is_new=any(isinstance(record.event, ClockStarted) for record in records))

    def _timed(self, command: Command) -> Command:
        """The command with whether it comes too late."""
        return replace(command, late=comes_late(command, self._clock.wall(), self._started))

    def _clock_ran_s(self) -> int:
        """Whole seconds that the running clock has run; 0 when none runs."""
        return 0 if self._clock_from is None else int(self._clock.monotonic() - self._clock_from)

    def _watch_clock(self, *, is_new: bool) -> None:
        """Start and stop the timer of the seat on the clock. It runs while the table is live alone, and in full again after a
        restart or a suspension (R-ABS-04, REG-20)."""
        clock = self._state.clock if self._state.status is TableStatus.LIVE else None
        if clock is not None and self._clock_timer is not None and not is_new:
            return
        if self._clock_timer is not None:
            self._clock_timer.cancel()
        self._clock_timer = self._clock_from = None
        if clock is None:
            return
        self._clock_from = self._clock.monotonic()
        self._clock_timer = asyncio.get_running_loop().call_later(clock.seconds, self._ran_out, clock.seat)

    def _ran_out(self, seat: int) -> None:
        if not self._put(ClockRanOut(seat)):
            self._clock_timer = asyncio.get_running_loop().call_later(TICK_S, self._ran_out, seat)

    def _put(self, given: Evidence) -> bool:
        """Give the table a timer's evidence, if the inbox has room."""
        if self._inbox.full():
            return False
        self._inbox.put_nowait(given)
        return True

    def _tell_shoe(self, shoe: ShoePort, records: Sequence[Record]) -> None:
        accepted: EventKey | None = None
        for record in records:
            match record.event:
                case ShoeAdopted(boot=boot, accepted_seq=accepted_seq):
                    shoe.adopt(boot, accepted_seq)
                case Suspended(cause=cause) if cause == PAUSED:
                    shoe.woken()
                case ShoeRenewed(renewal=renewal):
                    shoe.renew(shoe_epoch(self._store.epoch, renewal))
                case GateOrdered(order=order, is_open=is_open):
                    shoe.order_gate(order, is_open=is_open)
                case ShoeClearOrdered(order=order, code=code):
                    shoe.clear_error(order, code)
                case event:
                    accepted = durable_key(event) or accepted
        if accepted is not None:
            shoe.accept(accepted)

    def _on_tick(self) -> None:
        state = self._state
        if self._shoe is not None:
            self._shoe.sign_of_life()
        for change in self.machine.changes(state):
            self._put(change)
        known = state.shoe.adopted or not state.shoe_tells
        waiting = state.status is TableStatus.RECOVERING and not state.felt_ready and known
        if not waiting or self._ready_asked or self._inbox.full():
            return
        links = [link for (device, antenna), link in state.links.items() if not antenna and (device, 0) not in state.past]
        up = all(link in (LinkState.UP.value, LinkState.DEGRADED.value) for link in links)
        if up and self._felt.ready(self._clock.monotonic(), without=state.past):
            self._ready_asked = True
            self._inbox.put_nowait(FeltIsReady())
