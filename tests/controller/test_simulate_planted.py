"""The simulation finds what it is for: known bugs are planted one by one, and some seed comes upon each."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from support.planted import PLANTED

from controller.simulate.faults import Level
from controller.simulate.plan import Plan
from controller.simulate.run import simulate

SEEDS: Final = 500
"""Within so many seeds each is found."""
QUICK: Final = {"leak_a_card_into_an_event": 1, "leave_the_gate_open": 3, "publish_before_append": 1}
"""Bugs that one of the first seeds comes upon, and which."""
PLANS: Final = {"award_the_odd_chip_to_the_last": Plan(0, hands=10, variant="stud8", level=Level.NONE)}
"""Bugs that no fault brings about, but many hands; all others are looked for in two hands with heavy faults."""


@pytest.mark.parametrize("name", QUICK)
def test_a_planted_bug_is_found_by_one_of_the_first_seeds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed is sound without it, as the tests of the runs show."""
    PLANTED[name](monkeypatch)
    assert not simulate(Plan(QUICK[name], hands=2)).ok


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_bug_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One seed of so many breaks an invariant or gets stuck."""
    PLANTED[name](monkeypatch)
    plan = PLANS.get(name, Plan(0, hands=2))
    assert any(not simulate(replace(plan, seed=seed)).ok for seed in range(1, SEEDS + 1))


def test_at_least_fifteen_bugs_are_planted() -> None:
    """Those of the journal, the shoe, the gate, the answers, the displays, chips and cards."""
    assert len(PLANTED) >= 15
