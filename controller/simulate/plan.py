"""What is simulated and what becomes of it: the plan, what its seed draws before the run begins, and the result."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controller.rehearsal import Play
from controller.simulate.disk import FILE_RECORDS, draw_file_records
from controller.simulate.faults import Fault, Level, draw, only
from simulators.habits import Habits
from simulators.rig import NINETEEN

VARIANTS: Final = ("stud", "stud8", "razz")
BUY_IN: Final = 200
MIDDLE: Final = "felt-e"
"""The line of muck, burn and common card, which every table has."""


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
    struck: Mapping[str, int] = field(default_factory=dict)
    """How often each fault came about: its time came while the run lasted, and it met what it acts upon."""
    at_first: str | None = None
    """What was wrong with all faults of the plan, where this is a run of fewer."""

    @property
    def what(self) -> str | None:
        """What is wrong, if anything."""
        return self.failure or self.stuck

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
