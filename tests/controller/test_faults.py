"""Whole hands while lines, devices and antennas fail: nothing invented, lost or doubled, and the same hand as without faults.

Every dealt card is compared with the physical one (``support.fault_runs``). Times are those of the table, on virtual time.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from support.fault_runs import PHASES, Outcome, Plan, run, run_on_ports

from controller.hand.cards import parse_card
from controller.hand.events import CardDealt
from controller.hand.places import SeatPlace, Zone
from controller.rehearsal import FAST, Play, memory_rehearsal
from controller.simulate.audit import Auditor, CardsDiffer
from simulators.mischief import FAULTS

SEED, LOOSENESS = 3, 0.9
FAULT_S = 2.0
RECOVERED_S = 15.0
"""After its end a fault is mended, or is one question, within this time: a lost antenna or port is tried every five seconds."""
HELD_S = 20.0
"""No question of a fault stands longer."""
DEGRADED_S = 60.0 + 5.0
"""But that of a degraded shoe: it ends a minute after the last bad line (TSP/1 link states), and the last one may come late, when
the shoe repeats what was not acknowledged."""
DEGRADES = frozenset(("shoe-drop", "shoe-flip", "shoe-truncate", "shoe-mixed"))
"""Faults that spoil more than five lines of the shoe in ten seconds: bytes are missing or turned in many of them."""

MOMENTS = list(PHASES)
EARLY = MOMENTS[:5]
"""A fault that begins at these moments ends within the hand."""


@functools.lru_cache(1)
def sound() -> Outcome:
    """Two hands without a fault."""
    outcome = run(Plan(SEED, hands=2, looseness=LOOSENESS))
    assert (outcome.stats.hands, outcome.voided, outcome.questions, outcome.stuck) == (2, 0, 0, [])
    return outcome


def strike(name: str, moment: str, *, hands: int) -> None:
    """One fault at one moment of the first hand: then the hands are as without it."""
    plan = Plan(SEED, hands=hands, looseness=LOOSENESS, once=name, trigger=PHASES[moment], seconds=FAULT_S)
    outcome = run(plan)
    assert outcome.stuck == []
    assert outcome.recovered_s is not None, f"the hand never came to {moment}"
    is_degraded = outcome.holds["shoe_degraded"] > 0
    assert name in DEGRADES or not is_degraded
    assert outcome.recovered_s <= (DEGRADED_S if is_degraded else RECOVERED_S)
    assert outcome.longest_question_s <= (DEGRADED_S if is_degraded else HELD_S)
    assert outcome.voided == 0
    assert outcome.hands == sound().hands[:hands]


@pytest.mark.parametrize(("name", "moment"), [(name, MOMENTS[number % len(MOMENTS)]) for number, name in enumerate(FAULTS)])
def test_a_fault_alone_leaves_the_hands_as_they_are_without_it(name: str, moment: str) -> None:
    """Each fault once, the moments of a hand in turn."""
    strike(name, moment, hands=1 if moment in EARLY else 2)


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_at_every_moment_leaves_the_hands_as_they_are_without_it(name: str, moment: str) -> None:
    """All pairs."""
    strike(name, moment, hands=2)


@pytest.mark.ports
@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("shoe-lose", "third street, first cards"),
        ("shoe-unplugged", "fourth street, dealing"),
        ("reader-mixed", "third street, first cards"),
        ("reader-unplugged", "third street, last cards"),
        ("stuck-tag", "sixth street, betting"),
    ],
)
def test_a_fault_on_pseudo_terminals_leaves_the_hands_as_they_are_without_it(name: str, moment: str, tmp_path: Path) -> None:
    """The same hands as on virtual time without a fault: two hands in real time, the table's times divided by 20.
    No fault that degrades the shoe's link: its minute is not divided."""
    plan = Plan(SEED, hands=2, looseness=LOOSENESS, once=name, trigger=PHASES[moment], seconds=0.5, speed=FAST)
    outcome = run_on_ports(plan, tmp_path)
    assert [happened.name for happened in outcome.happened] == [name]
    assert outcome.stuck == []
    assert outcome.hands == sound().hands


@pytest.mark.parametrize(("seed", "variant"), [(1, "stud"), (2, "stud8"), (3, "razz")])
def test_mixed_faults_lose_no_card_and_leave_nobody_waiting(seed: int, variant: str) -> None:
    """Two at a time, at any time, in all games."""
    soak(Plan(seed, hands=3, seats=3 + seed, variant=variant, names=tuple(FAULTS), at_once=2))


def soak(plan: Plan) -> Outcome:
    """Play with faults; ``CardsDiffer`` and the conservation of chips and cards come through from each commit."""
    outcome = run(plan)
    assert outcome.stats.hands == plan.hands
    assert outcome.stuck == []
    assert outcome.happened
    return outcome


SOAK_RUNS, SOAK_HANDS = 200, 50


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, SOAK_RUNS + 1))
def test_ten_thousand_hands_of_mixed_faults(seed: int) -> None:
    """No invented, lost or doubled card, and no hand stuck without a question."""
    variant = ("stud", "stud8", "razz")[seed % 3]
    soak(Plan(1000 + seed, hands=SOAK_HANDS, seats=2 + seed % 7, variant=variant, names=tuple(FAULTS), at_once=1 + seed % 2))


def test_a_card_that_the_shoe_did_not_give_is_noticed() -> None:
    """The oracle of these tests: an invented, a doubled and a skipped card end a run."""
    auditor = Auditor(memory_rehearsal(Play(), seed=1))
    place = SeatPlace(1, Zone.DOWN)
    first, second, third = (parse_card(text) for text in ("As", "Kd", "2c"))
    for given, dealt in (((), (first,)), ((first, second), (first, first)), ((first, second, third), (first, third))):
        auditor.begin(tuple(card.text for card in given))
        for card in dealt[:-1]:
            auditor.take(CardDealt(3, place, card))
        with pytest.raises(CardsDiffer):
            auditor.take(CardDealt(3, place, dealt[-1]))
    auditor.begin((first.text, second.text))
    auditor.take(CardDealt(3, place, first))
    auditor.take(CardDealt(3, place, second))
