"""One run: a seed, a table, its people and faults, and the controller's lives from crash to crash, on virtual time."""

from __future__ import annotations

import asyncio
import logging
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from controller.app import FencedError, TableApp
from controller.console.orders import CommandBody
from controller.journal.errors import JournalError, JournalFailed, JournalFenced
from controller.mqtt.follower import EventFollower
from controller.mqtt.ports import Handler
from controller.mqtt.topics import TableTopics
from controller.rehearsal import AT_ONCE, START, memory_rehearsal
from controller.simulate.audit import Outcome, Violation
from controller.simulate.clock import SteppingClock
from controller.simulate.disk import SimulatedDisk, fast_folder
from controller.simulate.faults import SPOILS
from controller.simulate.people import ArmedDealer, FumbledConsole
from controller.simulate.plan import BUY_IN, Drawn, Plan, Result
from controller.simulate.process import ControllerProcess
from controller.simulate.results import ResultStore
from controller.simulate.story import tell
from controller.simulate.strike import Striker
from controller.simulate.watch import LogEar, Overhearer, Watch
from controller.verify import audit
from simulators.console import ConsoleAway
from simulators.dealer import DealerStuck
from simulators.habits import rebuy, void_after
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.packets import Packets, ShuffledPackets
from simulators.players import Player, SteadyPlayer
from simulators.rig import SET_ID, seat_players
from simulators.virtual_time import VirtualTimeError, run_virtual

RESTART_S: Final = 2.0
"""How long a supervisor takes to start the controller again."""
PATIENCE_S: Final = 45.0
"""Table seconds of a stop after which the floor voids the hand."""
STUCK_S: Final = 60.0
"""Longest that a table may stand still without asking anybody anything: no device needs longer to come back."""
CALM_S: Final = 120.0
"""Virtual seconds, for each hand that is left, in which a run must have come to its end after the last fault (recovery §12)."""
HAND_LIMIT_S: Final = 600.0
"""Virtual seconds a hand that a run may take before it counts as stuck."""
QUIET_S: Final = 3.0
"""After the last hand, for what is still on its way to the broker."""
MAX_EVENTS: Final = 1_000_000
QUESTIONS: Final = frozenset({"hold", "resume"})


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
        self._refused_before = 0
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
        self._striker = Striker(self)

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

    @property
    def is_alive(self) -> bool:
        """Whether the controller's process runs, or stands still."""
        return self._is_alive

    @property
    def hands_left(self) -> int:
        """Hands that have not come to their end, the one on the table among them; 1 while people still leave."""
        return max(1, self.plan.hands - (0 if self.dealer is None else self.dealer.stats.hands))

    def in_world(self, call: Any) -> Callable[..., Any]:
        """``call`` outside the controller's process: what it sets a timer for goes on while that is paused."""
        return partial(copy_context().run, call)

    def pause(self) -> None:
        """The controller's process stands still; it goes on with ``resume``."""
        if self._is_alive:
            self.note("the controller's process is paused")
            self.process.pause()
            self.watch.is_paused = True

    def resume(self) -> None:
        """It goes on. Nothing when it was not paused."""
        self.note("the controller's process goes on")
        self.process.resume()
        self.watch.is_paused = False

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
        root.setLevel(logging.INFO)  # as at a table
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
        tasks = [
            asyncio.create_task(self._lives(), name="controller's supervisor"),
            asyncio.create_task(self._striker.run(), name="faults"),
            asyncio.create_task(self._look(), name="look"),
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
                self._require_hands()
            for task in tasks:
                if task.done():
                    task.result()
            if not (people.done() or self.broken or self.stuck):
                self.break_off(Violation("the run came to its end before its people did"))
        finally:
            self._virtual_s = asyncio.get_running_loop().time()
            self.process.resume()  # one that stands still cannot end
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
            self._is_alive, spoilt, self._refused_before = True, self.disk.is_spoilt, self.disk.refusals
            life = asyncio.create_task(self._live(), name="controller", context=self.process.context())
            killed = asyncio.create_task(self._killed.wait(), name="kill")
            try:
                await asyncio.wait((life, killed), return_when=asyncio.FIRST_COMPLETED)
                self._is_alive = False
                if life.done() and not life.cancelled():
                    self._stopped_by_itself(life.exception() or RuntimeError("nobody told it to"))
            finally:
                life.cancel()
                killed.cancel()
                error, _ = await asyncio.gather(life, killed, return_exceptions=True)
                if self._is_alive and isinstance(error, Exception) and not self._may_end(error):  # at the end of the run
                    self.break_off(Violation(f"the controller does not end in order: {type(error).__name__}: {error}"))
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
            raise self._worst(group) from None
        finally:
            if self._app is app:
                self._app = None
                self.watch.dies()

    def _worst(self, group: BaseExceptionGroup) -> BaseException:
        """Of what ended a controller the first that must not be, if there is one: it may come beside one that may."""
        found = list(_leaves(group))
        return next((error for error in found if not self._may_end(error)), found[0])

    def _may_end(self, error: BaseException) -> bool:
        """A medium that failed ends a controller, and so does a larger epoch, where there was one; nothing else may."""
        if isinstance(error, FencedError | JournalFenced):
            return self.watch.rivals > 0 or self.disk.spoils > 0
        if isinstance(error, JournalFailed):
            return self.disk.refusals > self._refused_before or self.disk.spoils > 0
        return self.disk.is_spoilt and isinstance(error, JournalError)

    def _stopped_by_itself(self, error: BaseException) -> None:
        if not self._may_end(error):
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
        self.watch.answered(body, answer)
        return answer

    async def _look(self) -> None:
        """Four times a second: the gate, and whether anything goes on."""
        loop = asyncio.get_running_loop()
        seq, since, calm_since, calm_s = -1, loop.time(), None, 0.0
        while True:
            await asyncio.sleep(0.25)
            self.watch.look()
            now, app = loop.time(), self._app
            if self._striker.is_over:
                if calm_since is None:
                    calm_since, calm_s = now, CALM_S * self.hands_left
                if now - calm_since > calm_s:
                    return self._give_up(f"no end within {calm_s:.0f} s after the last fault")
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
        self._audit(app)
        wanted = await app.public_events(1, limit=MAX_EVENTS)
        for _ in range(round(CALM_S)):
            if not self.store.lacks(wanted):
                if (difference := self.store.difference(wanted)) is not None:
                    self.break_off(Violation(difference))
                return
            await asyncio.sleep(1.0)
        self.break_off(Violation(f"events behind {self.store.last_seq} never reached a reader who follows"))

    @property
    def journal_folder(self) -> Path:
        """Where the table's journal lies."""
        return self.disk.folder

    def _audit(self, app: TableApp) -> None:
        """Who has nothing but the files finds that chain, rules, chips, cards and seals hold, to the very end (recovery §12)."""
        found = audit(self.journal_folder, head=app.journal.head)
        if not found.ok:
            self.break_off(Violation(f"an auditor does not believe record {found.first_bad}: {found.reason}"))
        elif found.events != app.journal.last_seq:
            self.break_off(Violation(f"an auditor finds {found.events} records, and the journal has {app.journal.last_seq}"))

    def _require_hands(self) -> None:
        """A run in which fewer hands came to their end than were asked for is none that went well."""
        state, stats = self.watch.state, self.dealer.stats if self.dealer is not None else None
        played = min(state.hand_number - state.hand_open, 0 if stats is None else stats.hands)
        if played < self.plan.hands and self.broken is None and self.stuck is None:
            self._give_up(f"the dealer ends after {played} of {self.plan.hands} hands")

    def _result(self) -> Result:
        outcome: Outcome = self.watch.auditor.outcome
        seq, head = self.watch.state.seq, self.watch.head.hex()
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
            self._striker.struck,
        )


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors of a group, of groups within it too."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
