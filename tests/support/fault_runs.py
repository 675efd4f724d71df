"""Whole tables with faults on virtual time: what was played, what the dealer was asked, whether each card is accounted for.

The oracle is the physical world. The cards that the journal dealt are, in their order, those that the shoe gave out; a hand
that plays on after a fault has the same events as in a run without one.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from controller.app import TableApp
from controller.hand.state import Phase
from controller.rehearsal import Play, Rehearsal, faulty_ports, line_speeds, local_console, memory_rehearsal
from controller.simulate.audit import Auditor, Outcome
from controller.table.loop import Record
from controller.table.state import TableState
from drivers.clock import SystemClock
from drivers.link.serial import Parity, SerialSettings, opener_for
from simulators.device_port import DevicePort
from simulators.habits import HoldPolicy, rebuy, void_after
from simulators.mischief import Director, Mischief
from simulators.packets import ShuffledPackets
from simulators.players import SteadyPlayer
from simulators.ports import PseudoTerminal
from simulators.rig import NINETEEN
from simulators.virtual_time import VirtualTimeError, run_virtual

QUESTIONS: Final = frozenset({"hold", "resume"})
"""Steps of the dealer's screen that ask her for something because of trouble."""
STUCK_S: Final = 60.0
"""Longest the table may stand still without a question, in seconds of the table; no device needs longer to come back."""
PATIENT: Final = void_after(45.0)
"""She puts right what she can, and waits long for the rest."""

Trigger: TypeAlias = Callable[[TableState], bool]


def _dealing(street: int, dealt: int) -> Trigger:
    return lambda state: (
        state.hand is not None and state.hand.phase is Phase.DEALING and state.hand.street == street and state.hand.dealt >= dealt
    )


def _in_phase(phase: Phase, street: int) -> Trigger:
    return lambda state: state.hand is not None and state.hand.phase is phase and state.hand.street == street


PHASES: Final[dict[str, Trigger]] = {
    "before the first hand": lambda _: True,
    "third street, first cards": _dealing(3, 1),
    "third street, last cards": _dealing(3, 10),
    "third street, betting": _in_phase(Phase.BETTING, 3),
    "fourth street, dealing": _dealing(4, 1),
    "sixth street, betting": _in_phase(Phase.BETTING, 6),
    "seventh street, dealing": _dealing(7, 1),
    "showdown": lambda state: state.hand is not None and state.hand.phase is Phase.SHOWDOWN,
    "between two hands": lambda state: state.hand is not None and state.hand.over,
}
"""The moments of a hand at which a fault strikes."""


async def _watch_for_standstill(app: TableApp, outcome: Outcome) -> None:
    """Note when nothing happens for ``STUCK_S`` and the dealer is asked nothing; and how long questions stand."""
    loop = asyncio.get_running_loop()
    seq, since, asked_since = -1, loop.time(), None
    while True:
        await asyncio.sleep(0.25)
        snapshot = app.desk.snapshot()
        asks = snapshot["step"]["kind"] in QUESTIONS
        if asks:
            outcome.questions += asked_since is None
            asked_since = loop.time() if asked_since is None else asked_since
            outcome.longest_question_s = max(outcome.longest_question_s, loop.time() - asked_since)
        else:
            asked_since = None
        if snapshot["seq"] != seq or asks:
            seq, since = snapshot["seq"], loop.time()
        elif loop.time() - since > STUCK_S:
            outcome.stuck.append(f"{snapshot['step']['kind']} at {seq}, second {loop.time():.1f}")
            since = loop.time()


@dataclass(frozen=True, slots=True)
class Plan:
    """One run: ``names`` of faults at random times, or ``once`` a fault when ``trigger`` first holds."""

    seed: int
    hands: int = 1
    seats: int = 4
    variant: str = "stud"
    names: tuple[str, ...] = ()
    once: str | None = None
    trigger: Trigger | None = None
    seconds: float = 2.0
    speed: float = 1.0
    pause_s: float = 6.0
    at_once: int = 1
    """Faults that may be under way together."""
    looseness: float = 0.6
    policy: HoldPolicy = PATIENT


def _settings(plan: Plan) -> Play:
    seats = {seat: (f"Seat {seat}", 200) for seat in range(1, plan.seats + 1)}
    return Play(variant=plan.variant, seats=seats, speed=plan.speed)


REAL_S: Final = 90.0
"""Longest a run over real pseudo-terminals may take."""


def run_on_ports(plan: Plan, folder: Path) -> Outcome:
    """The same over pseudo-terminals in ``folder``, in real time; ``plan.speed`` divides the table's times."""

    async def play() -> Outcome:
        paces = line_speeds(NINETEEN, plan.speed)
        terminals: dict[str, DevicePort] = {name: PseudoTerminal(folder / name, pace=pace) for name, pace in paces.items()}
        openers = {
            name: opener_for(str(folder / name), SerialSettings(pace.baud, Parity.EVEN if pace.parity else Parity.NONE))
            for name, pace in paces.items()
        }
        ports = faulty_ports(terminals, random.Random(plan.seed))
        rehearsal = Rehearsal(_settings(plan), seed=plan.seed, ports=ports, openers=openers, clock=SystemClock())
        auditor = Auditor(rehearsal)
        async with asyncio.timeout(REAL_S):
            await _play(plan, rehearsal, auditor.outcome)
        return auditor.outcome

    return asyncio.run(play())


def run(plan: Plan) -> Outcome:
    """Play it to its end on virtual time. ``AssertionError`` when a card or chip is not accounted for."""
    rehearsal = memory_rehearsal(_settings(plan), seed=plan.seed, faults_seed=plan.seed)
    auditor = Auditor(rehearsal)
    auditor.outcome.seed = plan.seed
    try:
        run_virtual(_play(plan, rehearsal, auditor.outcome), max_seconds=plan.hands * 600.0 + 600.0)
    except VirtualTimeError as error:
        auditor.outcome.stuck.append(str(error))
    return auditor.outcome


async def _play(plan: Plan, rehearsal: Rehearsal, outcome: Outcome) -> None:
    players = dict.fromkeys(range(1, 9), SteadyPlayer(plan.seed, looseness=plan.looseness))
    directors = [
        Director(Mischief(rehearsal.devices, random.Random(plan.seed * 100 + number)), plan.names, pause_s=plan.pause_s)
        for number in range(plan.at_once)
    ]
    async with rehearsal.opened() as app, asyncio.TaskGroup() as tasks:
        helpers = [tasks.create_task(_watch_for_standstill(app, outcome))]
        helpers += [tasks.create_task(director.run()) for director in directors if plan.names]
        if plan.once is not None:
            helpers.append(tasks.create_task(_strike(plan, rehearsal, directors[0], outcome, app)))
        console = local_console(app, random.Random(plan.seed), plan.speed)
        outcome.stats = await rehearsal.deal(
            app,
            players,
            ShuffledPackets(random.Random(plan.seed)),
            hands=plan.hands,
            console=console,
            before_hand=rebuy(200),
            hold_policy=plan.policy,
        )
        for helper in helpers:
            helper.cancel()
    outcome.happened = [happened for director in directors for happened in director.happened]


async def _strike(plan: Plan, rehearsal: Rehearsal, director: Director, outcome: Outcome, app: TableApp) -> None:
    """Wait for the moment, bring the fault about, and time the recovery from its end."""
    moment = asyncio.Event()

    def look(state: TableState, _: Sequence[Record]) -> None:
        if plan.trigger is None or plan.trigger(state):
            moment.set()

    rehearsal.watchers.append(look)
    await moment.wait()
    assert plan.once is not None
    await director.once(plan.once, plan.seconds)
    ended = asyncio.get_running_loop().time()
    outcome.recovered_s = 0.0
    while app.desk.snapshot()["step"]["kind"] in QUESTIONS:
        await asyncio.sleep(0.25)
    outcome.recovered_s = asyncio.get_running_loop().time() - ended
