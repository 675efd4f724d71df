"""Two runs that differ in two hidden cards alone tell the same, byte for byte, until one of the two is tabled (invariant 19)."""

from __future__ import annotations

import random

import pytest
from support.planted import TOLD_BY_TWINS

from controller.simulate.faults import Level
from controller.simulate.plan import Plan
from controller.simulate.twins import Told, choose, difference, play_twins

SEEDS = 60


def test_twins_with_many_faults_tell_the_same() -> None:
    """The short form, over two hands."""
    pair = play_twins(Plan(2, hands=2))
    assert pair.difference is None
    assert pair.exchange is not None
    assert pair.compared > 300


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("level", Level)
def test_sixty_pairs_of_twins_tell_the_same(level: Level) -> None:
    """Messages, answers, screens, logs, reports, clear fields, lengths and moments, with and without faults."""
    pairs = [play_twins(Plan(seed, hands=2, level=level)) for seed in range(1, SEEDS + 1)]
    assert [(pair.result.plan.seed, pair.difference) for pair in pairs if not pair.ok] == []
    assert sum(pair.exchange is not None for pair in pairs) == SEEDS


@pytest.mark.parametrize("name", TOLD_BY_TWINS)
def test_twins_show_what_names_no_card(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest, a moment and a length that hang on a hidden card: each is a difference within a few pairs."""
    TOLD_BY_TWINS[name](monkeypatch)
    assert any(not play_twins(Plan(seed, hands=1, level=Level.NONE)).ok for seed in range(1, 6))


def test_an_exchange_ends_when_the_first_of_the_two_is_public() -> None:
    """What is told from then on may differ; what was told before may not."""
    hidden = [{"As": 3.0, "Kd": 5.0}]
    exchange, until = choose(hidden, random.Random(1)) or (None, 0.0)
    assert exchange is not None
    assert until <= 5.0
    assert choose([{}], random.Random(1)) is None
    one, other = [Told(1.0, "a", "x"), Told(4.0, "a", "As")], [Told(1.0, "a", "x"), Told(4.0, "a", "Kd")]
    assert difference(one, other, 4.0) is None
    assert difference(one, other, 5.0) == "at 4.000 a: As\n and in the twin at 4.000 a: Kd"
