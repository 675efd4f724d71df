"""The faults of a run, drawn from its seed before it begins: a list, so that a failing run can be shrunk to fewer of them.

Rates are those of recovery §13, for each hand. As a swarm: each class of faults is on with probability ½, at a tenth of its rate,
its rate or ten times its rate.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from simulators.mischief import FAULTS, LINE_FAULTS


class Level(Enum):
    """How much goes wrong."""

    NONE = "none"
    LIGHT = "light"
    HEAVY = "heavy"


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault ``number`` of a run: what it is, when it begins on the run's clock, how long it lasts, and what it draws from."""

    number: int
    name: str
    at_s: float
    seconds: float
    seed: int


@dataclass(frozen=True, slots=True)
class _Class:
    """Names of one kind of faults, and how many of them a hand meets."""

    names: tuple[str, ...]
    light: float
    heavy: float
    longest_s: float = 4.0


DEVICES: Final = frozenset(
    {"shoe-restart", "shoe-watchdog", "shoe-without-current", "shoe-and-reader-swapped", "readers-swapped", "reader-restart"}
    | {"reader-silent", "shoe-unplugged", "reader-unplugged", "shoe-stale-on-open", "reader-stale-on-open"}
)
LINES: Final = frozenset(f"{who}-{name}" for who in ("shoe", "reader") for name in LINE_FAULTS) - DEVICES
PRESSES: Final = ("press-twice", "press-two-keys", "press-stale", "press-late", "press-wrong")
ERRS: Final = (
    *("wrong_place", "wrong_side", "off_table", "moved", "lifted", "boxed", "exposed", "one_too_many", "mistyped"),
    *("out_of_turn", "killed", "dropped", "misdealt", "award_undone", "short_load"),
)
KILLS: Final = ("kill", "kill-before-commit", "kill-in-commit", "kill-after-commit")
"""Ends of the controller's process: at any await, or at a boundary of the next commit (recovery §3: B0, B1, B2)."""

SPOILS: Final = frozenset({"tail-cut", "bit-flipped"})
"""What a crash does to the journal's files beyond what it leaves of them: witnesses and chain must notice it."""

CLASSES: Final[dict[str, _Class]] = {
    "lines": _Class(tuple(sorted(LINES)), 0.06, 0.8),
    "field": _Class(tuple(name for name in FAULTS if name not in LINES | DEVICES), 0.06, 0.6),
    "devices": _Class(tuple(sorted(DEVICES)), 0.01, 0.3, 12.0),
    "kills": _Class((*KILLS, *KILLS[1:], "kill-twice"), 0.01, 0.35),
    "power": _Class(("power-loss",), 0.002, 0.05),
    "disk": _Class(("disk-full", "disk-error", "disk-slow", "disk-slow"), 0.002, 0.12, 8.0),
    "clock": _Class(("clock-step",), 0.001, 0.05),
    "pause": _Class(("paused",), 0.001, 0.05, 60.0),
    "journal": _Class(("tail-cut", "bit-flipped"), 0.00005, 0.015),
    "broker": _Class(("broker-gone", "broker-restart", "broker-cut", "broker-slow", "broker-takeover"), 0.005, 0.1, 30.0),
    "people": _Class(tuple(f"dealer-{name}" for name in ERRS), 0.01, 0.3),
    "presses": _Class(PRESSES, 0.05, 0.4),
}
"""Every class of faults."""

MAX_FAULTS: Final = 48
"""Most faults of one run."""
RESTART_AGAIN_S: Final = 5.0
"""A second crash comes within this time of the first: while the controller is away, starts, or asks for the picture."""
HAND_S: Final = 30.0
"""Virtual seconds in which a hand's share of faults begins: about as long as a hand takes."""
NAMES: Final = tuple(dict.fromkeys(name for row in CLASSES.values() for name in row.names))
"""Every fault by its name."""


def draw(rng: random.Random, level: Level, hands: int) -> tuple[Fault, ...]:
    """The faults of a run of ``hands`` hands, in the order in which they begin."""
    if level is Level.NONE:
        return ()
    found: list[tuple[float, str, float, int]] = []
    for row in CLASSES.values():
        is_on, factor = rng.random() < 0.5, rng.choice((0.1, 1.0, 10.0))
        if not is_on:
            continue
        rate = factor * (row.light if level is Level.LIGHT else row.heavy) / HAND_S
        at_s = rng.expovariate(rate)
        while at_s < hands * HAND_S and len(found) < MAX_FAULTS * len(CLASSES):
            found.append((at_s, rng.choice(row.names), rng.uniform(0.2, row.longest_s), rng.getrandbits(32)))
            at_s += rng.expovariate(rate)
    kept = sorted(rng.sample(found, MAX_FAULTS) if len(found) > MAX_FAULTS else found)
    return tuple(Fault(number, name, at_s, seconds, seed) for number, (at_s, name, seconds, seed) in enumerate(kept, 1))


def only(faults: Sequence[Fault], numbers: Collection[int]) -> tuple[Fault, ...]:
    """Those of ``faults`` whose number is given."""
    return tuple(fault for fault in faults if fault.number in numbers)
