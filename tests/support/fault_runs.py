"""Whole tables with faults on virtual time: what was played, what the dealer was asked, whether each card is accounted for.

The oracle is the physical world. The cards that the journal dealt are, in their order, those that the shoe gave out; a hand
that plays on after a fault has the same events as in a run without one.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias, get_args

from controller.app import TableApp
from controller.hand.events import (
    BurnMade,
    CardDealt,
    CommunityDealt,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandHeld,
    HandOpened,
    HandVoided,
    HoldLifted,
)
from controller.hand.state import Phase
from controller.rehearsal import Play, Rehearsal, faulty_ports, line_speeds, local_console, memory_rehearsal
from controller.table.events import Suspended
from controller.table.loop import Record
from controller.table.state import TableState
from drivers.clock import SystemClock
from drivers.link.serial import Parity, SerialSettings, opener_for
from simulators.device_port import DevicePort
from simulators.felt import HAND, SHOE
from simulators.habits import DealerStats, Held, HoldChoice, HoldPolicy, rebuy
from simulators.mischief import Director, Happened, Mischief
from simulators.packets import ShuffledPackets
from simulators.players import Action, RandomPlayer, Snapshot
from simulators.ports import PseudoTerminal
from simulators.rig import NINETEEN
from simulators.virtual_time import VirtualTimeError, run_virtual

QUESTIONS: Final = frozenset({"hold", "resume"})
"""Steps of the dealer's screen that ask her for something because of trouble."""
STUCK_S: Final = 60.0
"""Longest the table may stand still without a question, in seconds of the table; no device needs longer to come back."""
PATIENCE_S: Final = 45.0
"""Seconds of a hold after which the simulated dealer voids the hand."""

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


def patient(held: Held) -> HoldChoice:
    """Puts right what she can, and waits long for the rest."""
    if held.seconds >= PATIENCE_S:
        return HoldChoice.VOID
    return HoldChoice.MEND if held.misplaced else HoldChoice.WAIT


class SteadyPlayer:
    """A player who answers the same decision the same way however often, and whenever, he is asked: chance comes from the
    decision's name."""

    def __init__(self, seed: int, *, looseness: float) -> None:
        self._seed = seed
        self._looseness = looseness

    def choose(self, snapshot: Snapshot, seat: int, actions: Sequence[Action]) -> Action:
        """By weight, drawn for this decision."""
        return self._player(snapshot, seat).choose(snapshot, seat, actions)

    def shows(self, snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
        """Drawn for this hand."""
        return self._player(snapshot, seat).shows(snapshot, seat, cards)

    def _player(self, snapshot: Snapshot, seat: int) -> RandomPlayer:
        rng = random.Random(f"{self._seed} {seat} {snapshot['step'].get('decision')}")
        return RandomPlayer(rng, looseness=self._looseness)


class CardsDiffer(AssertionError):  # noqa: N818
    """The journal dealt another card than the shoe gave: an invented, a lost or a doubled card. Seeded cards, no real ones."""


@dataclass(slots=True)
class Outcome:
    """What became of a run."""

    seed: int
    stats: DealerStats = field(default_factory=DealerStats)
    hands: list[tuple[HandEvent, ...]] = field(default_factory=list)
    """The events of each hand but for its holds."""
    voided: int = 0
    holds: Counter[str] = field(default_factory=Counter)
    suspended: Counter[str] = field(default_factory=Counter)
    happened: list[Happened] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    questions: int = 0
    longest_question_s: float = 0.0
    recovered_s: float | None = None
    """Seconds from the end of the last fault to a table without a question."""


class Auditor:
    """Watches each commit: chips and cards are conserved, and every dealt card is the one that the shoe gave."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self._felt = rehearsal.devices.felt
        self._given: list[str] = []
        self._dealt = 0
        self._seen_move = 0
        self._hand: list[HandEvent] = []
        self.outcome = Outcome(0)
        rehearsal.watchers.append(self.committed)

    def committed(self, state: TableState, records: Sequence[Record]) -> None:
        """One commit."""
        assert state.chips_conserved, f"chips are not conserved at {records[-1].seq}"
        assert state.cards_conserved, f"{state.custody.accounted} cards are accounted for at {records[-1].seq}"
        for move in self._felt.moves_after(self._seen_move):
            self._seen_move = move.number
            if move.origin == SHOE and move.target == HAND:
                self._given.append(move.card)
        for record in records:
            self.take(record.event)

    def begin(self, given: Sequence[str] = ()) -> None:
        """A hand begins; ``given`` are the cards that the shoe gave out already."""
        self._given, self._dealt, self._hand = list(given), 0, []

    def take(self, event: Any) -> None:
        """One event of the journal. ``CardsDiffer`` for a card that the shoe did not give in this place of the order."""
        match event:
            case HandOpened():
                self.begin()
            case CardDealt(card=card) | GhostDealt(card=card) | BurnMade(card=card) | CommunityDealt(card=card):
                given = self._given[self._dealt] if self._dealt < len(self._given) else None
                if card is None or given != card.text:
                    raise CardsDiffer(f"card {self._dealt + 1} is dealt as {card and card.text}, the shoe gave {given}")
                self._dealt += 1
            case HandHeld(code=code):
                self.outcome.holds[code] += 1
            case Suspended(cause=cause):
                self.outcome.suspended[cause] += 1
            case HandVoided():
                self.outcome.voided += 1
            case _:
                pass
        if isinstance(event, get_args(HandEvent)) and not isinstance(event, HandHeld | HoldLifted):
            self._hand.append(event)
            if isinstance(event, HandEnded | HandVoided):
                self.outcome.hands.append(tuple(self._hand))
                self._hand = []


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
    policy: HoldPolicy = patient


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
