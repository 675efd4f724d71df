"""One run: a seed, a table, its people and faults, and the controller's lives from crash to crash, on virtual time."""

from __future__ import annotations

import asyncio
import logging
import random
import tempfile
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from controller.app import FencedError, TableApp
from controller.console.orders import CommandBody
from controller.journal.errors import JournalError, JournalFailed
from controller.mqtt.follower import EventFollower
from controller.mqtt.ports import Handler
from controller.mqtt.topics import TableTopics
from controller.rehearsal import AT_ONCE, START, Play, memory_rehearsal
from controller.simulate.audit import Outcome, Violation
from controller.simulate.clock import SteppingClock
from controller.simulate.disk import FILE_RECORDS, SimulatedDisk, draw_file_records, fast_folder
from controller.simulate.faults import SPOILS, Fault, Level, draw, only
from controller.simulate.people import ArmedDealer, FumbledConsole
from controller.simulate.process import ControllerProcess
from controller.simulate.results import ResultStore
from controller.simulate.story import tell
from controller.simulate.strike import Striker
from controller.simulate.watch import LogEar, Overhearer, Watch
from simulators.console import ConsoleAway
from simulators.dealer import DealerStuck
from simulators.habits import Habits, rebuy, void_after
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.packets import Packets, ShuffledPackets
from simulators.players import Player, SteadyPlayer
from simulators.rig import NINETEEN, SET_ID, seat_players
from simulators.virtual_time import VirtualTimeError, run_virtual

VARIANTS: Final = ("stud", "stud8", "razz")
BUY_IN: Final = 200
MIDDLE: Final = "felt-e"
"""The line of muck, burn and common card, which every table has."""
RESTART_S: Final = 2.0
"""How long a supervisor takes to start the controller again."""
PATIENCE_S: Final = 45.0
"""Table seconds of a stop after which the floor voids the hand."""
STUCK_S: Final = 60.0
"""Longest that a table may stand still without asking anybody anything: no device needs longer to come back."""
CALM_S: Final = 120.0
"""Virtual seconds, for each hand, in which a run must have come to its end after the last fault (recovery §12, liveness)."""
HAND_LIMIT_S: Final = 600.0
"""Virtual seconds a hand that a run may take before it counts as stuck."""
QUIET_S: Final = 3.0
"""After the last hand, for what is still on its way to the broker."""
MAX_EVENTS: Final = 1_000_000
QUESTIONS: Final = frozenset({"hold", "resume"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate. ``variant`` None draws one; ``kept`` plays only those of the drawn faults."""

    seed: int
    hands: int = 3
    variant: str | None = None
    level: Level = Level.HEAVY
    kept: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a run. ``failure`` is what must never happen, ``stuck`` that it did not come to its end."""

    plan: Plan
    variant: str
    seats: int
    hands: int
    voided: int
    events: int
    head: str
    crashes: int
    virtual_s: float
    faults: tuple[Fault, ...]
    failure: str | None
    stuck: str | None
    story: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Neither failed nor stuck."""
        return self.failure is None and self.stuck is None


@dataclass(slots=True)
class Drawn:
    """What the seed gives: game, people and faults."""

    rng: random.Random
    play: Play
    variant: str
    looseness: float
    habits: Habits
    faults: tuple[Fault, ...] = field(default=())
    rotate_after: int = FILE_RECORDS[-1]

    @classmethod
    def of(cls, plan: Plan) -> Drawn:
        """Draw it. What is kept of the faults changes nothing else."""
        rng = random.Random(f"stud-table simulate {plan.seed}")
        drawn_variant = rng.choice(VARIANTS)
        seats = rng.randint(2, 8)
        stacks = {seat: rng.choice((40, BUY_IN, BUY_IN, 500)) for seat in range(1, seats + 1)}
        looseness = rng.uniform(0.4, 0.95)
        throws = random.Random(f"stud-table simulate {plan.seed} throws").choice((0.0, 0.5, 1.0))
        habits = Habits(looks_up=rng.choice((0.0, 0.3, 1.0)), hurries=rng.choice((0.0, 0.1, 0.5)), throws=throws)
        all_faults = draw(random.Random(rng.getrandbits(64)), plan.level, plan.hands)
        faults = all_faults if plan.kept is None else only(all_faults, plan.kept)
        variant = plan.variant or drawn_variant
        sitting = {seat: (f"Seat {seat}", chips) for seat, chips in stacks.items()}
        rules = {"buyin.min": "1", "table.max_seats": str(seats + seats % 2)}
        play = Play(variant=variant, seats=sitting, rules=rules, speed=1.0)
        return cls(rng, play, variant, looseness, habits, faults, draw_file_records(plan.seed))

    @property
    def wiring(self) -> dict[str, Mapping[int, str]]:
        """A table of as many pairs of seats as are needed: no reader under seats that nobody can take."""
        last = f"seat/{max(self.play.seats)}"
        lines = [line for line, places in NINETEEN.items() if line != MIDDLE]
        needed = 1 + next(index for index, line in enumerate(lines) if f"{last}/down" in NINETEEN[line].values())
        return {line: NINETEEN[line] for line in (*lines[:needed], MIDDLE)}


def simulate(plan: Plan) -> Result:
    """Play a run to its end. What is wrong stands in the result; nothing is raised for it."""
    with tempfile.TemporaryDirectory(prefix="stud-simulate-", dir=fast_folder()) as folder:
        run = Simulation(plan, Path(folder))
        return run.play()


class Simulation:
    """One table in one world, as the seed draws it or as ``drawn``. ``play`` once."""

    dealer_type: type[ArmedDealer] = ArmedDealer
    has_witness = False
    """Whether the end of the journal is kept on a second medium too."""

    def __init__(self, plan: Plan, folder: Path, *, drawn: Drawn | None = None, clock: SteppingClock | None = None) -> None:
        self.plan = plan
        self.drawn = Drawn.of(plan) if drawn is None else drawn
        rng = self.drawn.rng
        self.broker = MemoryBroker()
        self.rehearsal = memory_rehearsal(
            self.drawn.play, seed=rng.getrandbits(64), faults_seed=rng.getrandbits(64), wiring=self.drawn.wiring
        )
        self.disk = SimulatedDisk(folder / "data", random.Random(rng.getrandbits(64)), self.kill)
        self.clock = SteppingClock(START) if clock is None else clock
        self.broken: Violation | None = None
        self.stuck: str | None = None
        self.crashes = 0
        self.notes: list[tuple[float, str]] = []
        self.watch = Watch(self.rehearsal, self.disk, self.break_off)
        self.topics = TableTopics(self.rehearsal.config.table.venue, self.rehearsal.config.table.name)
        self.watch.stopped = self.kill
        self.has_witness |= any(fault.name in SPOILS for fault in self.drawn.faults)
        self._overhearer = Overhearer(self.topics, self.watch, self.disk, self.break_off)
        self.store = ResultStore(self.break_off)
        self._follower = EventFollower(self.topics, "follower", clock=self.clock, on_event=self.store.take)
        self.outside = replace(
            self.rehearsal.outside,
            serve=self._serve,
            folder=self.disk.folder,
            key_folder=folder,
            clock=self.clock,
            disk=self.disk,
            rotate_after=self.drawn.rotate_after,
            watch=self.in_world(self.rehearsal.outside.watch),
            high_water=folder / "witness" if self.has_witness else None,
        )
        self.console = FumbledConsole(
            self._fetch, self._submit, rng=random.Random(rng.getrandbits(64)), broken=self.break_off, speed=1.0
        )
        self.dealer: ArmedDealer | None = None
        self._app: TableApp | None = None
        self._is_alive = False
        self.process = ControllerProcess(self.rehearsal.outside.openers.values())
        self._killed = asyncio.Event()
        self._ended = asyncio.Event()
        self._virtual_s = 0.0
        self._head = ""

    # What others call

    def kill(self) -> None:
        """The controller's process is gone from this moment on: nothing of it reaches disk, broker or line."""
        if not self._is_alive:
            return
        self._is_alive = False
        self.disk.cut()
        self.broker.cut("table")
        self.process.die()
        self.watch.dies()
        self._app = None
        self.crashes += 1
        self.note("the controller's process ends")
        self._killed.set()

    def in_world(self, call: Any) -> Callable[..., Any]:
        """``call`` outside the controller's process: what it sets a timer for goes on while that is paused."""
        return partial(copy_context().run, call)

    def pause(self) -> None:
        """The controller's process stands still; it goes on with ``resume``."""
        if self._is_alive:
            self.note("the controller's process is paused")
            self.process.pause()

    def resume(self) -> None:
        """It goes on. Nothing when it was not paused."""
        self.note("the controller's process goes on")
        self.process.resume()

    def break_off(self, violation: Violation) -> None:
        """The first thing that must never happen ends the run."""
        if self.broken is None:
            self.broken = violation
            self.note(f"VIOLATION: {violation}")
        self._ended.set()

    def note(self, text: str) -> None:
        """A line of the story."""
        self.notes.append((asyncio.get_running_loop().time(), text))

    # What a directed run has otherwise

    def player(self) -> Player:
        """Who sits in every seat."""
        return SteadyPlayer(self.plan.seed, looseness=self.drawn.looseness)

    def packets(self, rng: random.Random) -> Packets:
        """The cards that come."""
        return ShuffledPackets(rng)

    # The run

    def play(self) -> Result:
        """Play it on a virtual loop."""
        ear = LogEar(self.watch)
        root = logging.getLogger()
        level, handlers = root.level, root.handlers[:]
        root.handlers[:] = [ear]
        try:
            run_virtual(self._run(), max_seconds=self.plan.hands * HAND_LIMIT_S + HAND_LIMIT_S)
        except (VirtualTimeError, DealerStuck) as error:
            self.stuck = self.stuck or str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the seed that brings it about is the finding
            self.broken = self.broken or Violation(f"{type(error).__name__}: {error}")
        finally:
            root.setLevel(level)
            root.handlers[:] = handlers
        return self._result()

    async def _run(self) -> None:
        asyncio.get_running_loop().set_exception_handler(self._unhandled)
        self.rehearsal.devices.start()
        striker = Striker(self)
        tasks = [
            asyncio.create_task(self._lives(), name="controller's supervisor"),
            asyncio.create_task(striker.run(), name="faults"),
            asyncio.create_task(self._look(striker), name="look"),
            asyncio.create_task(MemoryClient(self.broker, "overhearer", self._overhearer).run(), name="overhearer"),
            asyncio.create_task(MemoryClient(self.broker, "follower", self._follower).run(), name="follower"),
        ]
        people = asyncio.create_task(self._people(), name="people")
        ended = asyncio.create_task(self._ended.wait(), name="end")
        try:
            await asyncio.wait((people, ended, *tasks), return_when=asyncio.FIRST_COMPLETED)
            if people.done() and self.broken is None:
                people.result()
                await asyncio.sleep(QUIET_S)
                await self._at_end()
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            self._virtual_s = asyncio.get_running_loop().time()
            self.process.resume()  # one that stands still cannot end
            self._head = "" if self._app is None else self._app.journal.head.hex()
            everybody: list[asyncio.Task[Any]] = [people, ended, *tasks]
            for each in everybody:
                each.cancel()
            await asyncio.gather(*everybody, return_exceptions=True)
            self.rehearsal.devices.stop()

    async def _people(self) -> None:
        drawn, rng = self.drawn, self.drawn.rng
        await seat_players(self.console, drawn.play.seats)
        self.dealer = self.dealer_type(
            self.console,
            self.rehearsal.devices.felt,
            self.rehearsal.devices.shoe,
            dict.fromkeys(range(1, 9), self.player()),
            self.packets(random.Random(rng.getrandbits(64))),
            rng=random.Random(rng.getrandbits(64)),
            chance=random.Random(rng.getrandbits(64)),
            pace=AT_ONCE,
            habits=drawn.habits,
            hold_policy=void_after(PATIENCE_S),
            before_hand=rebuy(BUY_IN),
            set_id=SET_ID,
            max_hands=self.plan.hands,
        )
        await self.dealer.run()

    async def _lives(self) -> None:
        """The controller from start to crash, and again."""
        while True:
            self._killed.clear()
            self._is_alive, spoilt = True, self.disk.is_spoilt
            life = asyncio.create_task(self._live(), name="controller", context=self.process.context())
            killed = asyncio.create_task(self._killed.wait(), name="kill")
            try:
                await asyncio.wait((life, killed), return_when=asyncio.FIRST_COMPLETED)
                self._is_alive = False
                if life.done() and not life.cancelled() and (error := life.exception()) is not None:
                    self._stopped_by_itself(error)
            finally:
                life.cancel()
                killed.cancel()
                await asyncio.gather(life, killed, return_exceptions=True)
            if spoilt and self.disk.is_spoilt:
                self.note("the floor puts the journal's copy back")
                self.disk.mend()
                self.broker.inject(self.topics.status, b"", retain=True)
            self.disk.restore()
            await asyncio.sleep(RESTART_S)

    async def _live(self) -> None:
        app = TableApp(self.rehearsal.config, self.outside)
        self.watch.lives(app)
        try:
            async with app:
                self._app = app
                self.note(f"the controller starts at record {app.table.state.seq}")
                await app.run()
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            if self._app is app:
                self._app = None
                self.watch.dies()

    def _stopped_by_itself(self, error: BaseException) -> None:
        """A medium that failed ends a controller, and so does a larger epoch; anything else is a fault of the program."""
        if not isinstance(error, JournalFailed | FencedError) and not (self.disk.is_spoilt and isinstance(error, JournalError)):
            self.break_off(Violation(f"the controller ended by itself: {type(error).__name__}: {error}"))
            return
        self.crashes += 1
        self.note(f"the controller stops: {error}")

    def _unhandled(self, loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        del loop
        error = context.get("exception")
        what = context["message"] if error is None else f"{type(error).__name__}: {error}"
        self.break_off(error if isinstance(error, Violation) else Violation(f"nobody handled {what}"))

    async def _serve(self, handler: Handler) -> None:
        await MemoryClient(self.broker, "table", handler).run()

    async def _fetch(self, after: int | None) -> dict[str, Any]:
        await self.process.awake()
        app = self._app
        if app is None:
            raise ConsoleAway("the controller is away")
        snapshot = app.desk.snapshot() if after is None else await app.desk.changed(after)
        self.watch.see(snapshot)
        return snapshot

    async def _submit(self, body: Mapping[str, Any]) -> dict[str, Any]:
        await self.process.awake()
        app = self._app
        if app is None:
            raise ConsoleAway("the controller is away")
        answer = await app.desk.send(CommandBody.model_validate(body))
        self.watch.hear_json("answer", answer)
        return answer

    async def _look(self, striker: Striker) -> None:
        """Four times a second: the gate, and whether anything goes on."""
        loop = asyncio.get_running_loop()
        seq, since, calm_since = -1, loop.time(), None
        while True:
            await asyncio.sleep(0.25)
            self.watch.look()
            now, app = loop.time(), self._app
            if striker.is_over:
                calm_since = now if calm_since is None else calm_since
                if now - calm_since > CALM_S * self.plan.hands:
                    return self._give_up(f"no end within {CALM_S * self.plan.hands:.0f} s after the last fault")
            if app is None or app.table.state.seq != seq:
                seq, since = (seq, now) if app is None else (app.table.state.seq, now)
            elif now - since > STUCK_S and app.desk.snapshot()["step"]["kind"] not in QUESTIONS:
                return self._give_up(f"nothing happens for {STUCK_S:.0f} s, and nobody is asked anything")

    def _give_up(self, why: str) -> None:
        step = "no controller" if self._app is None else self._app.desk.snapshot()["step"]["kind"]
        self.stuck = f"{why}: {step} at record {self.watch.state.seq}"
        self.note(f"STUCK: {self.stuck}")
        self._ended.set()

    async def _at_end(self) -> None:
        """Nothing is missing: the journal gives the state, and a late reader of the topics is given every public event."""
        for _ in range(60):
            if self._app is None:
                await asyncio.sleep(0.5)
        app = self._app
        if app is None:
            self._give_up("the controller does not come back")
            return
        self.watch.at_end(app)
        wanted = await app.public_events(1, limit=MAX_EVENTS)
        for _ in range(round(CALM_S)):
            if not self.store.lacks(wanted):
                if (difference := self.store.difference(wanted)) is not None:
                    self.break_off(Violation(difference))
                return
            await asyncio.sleep(1.0)
        self.break_off(Violation(f"events behind {self.store.last_seq} never reached a reader who follows"))

    def _result(self) -> Result:
        outcome: Outcome = self.watch.auditor.outcome
        seq, head = self.watch.state.seq, self._head
        stats = None if self.dealer is None else self.dealer.stats
        return Result(
            self.plan,
            self.drawn.variant,
            len(self.drawn.play.seats),
            0 if stats is None else stats.hands,
            outcome.voided,
            seq,
            head,
            self.crashes,
            self._virtual_s,
            self.drawn.faults,
            None if self.broken is None else str(self.broken),
            self.stuck,
            () if self.broken is None and self.stuck is None else tell(self.notes, self.watch.newest, self.console.pressed),
        )
