"""Two runs that differ in two hidden cards alone tell the same, byte for byte, until one of the two is tabled (invariant 19)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from support.planted import TOLD_BY_TWINS

from controller.simulate.batch import Report, exchange
from controller.simulate.faults import Level
from controller.simulate.plan import Plan, Result
from controller.simulate.twins import Exchange, Pair, Told, choose, difference, play_twins

SEEDS = 60


def test_twins_with_many_faults_tell_the_same() -> None:
    """The short form, over two hands."""
    pair = play_twins(Plan(2, hands=2))
    assert pair.ok, pair.difference or pair.unsound
    assert pair.exchange is not None
    assert pair.compared > 300


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("level", Level)
def test_sixty_pairs_of_twins_tell_the_same(level: Level) -> None:
    """Messages, answers, screens, logs, reports, clear fields, lengths and moments, with and without faults."""
    pairs = [play_twins(Plan(seed, hands=2, level=level)) for seed in range(1, SEEDS + 1)]
    assert [(pair.result.plan.seed, pair.difference, pair.unsound) for pair in pairs if not pair.ok] == []


@pytest.mark.parametrize("name", TOLD_BY_TWINS)
def test_twins_show_what_names_no_card(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest, a moment and a length that hang on a hidden card: each is a difference within a few pairs."""
    TOLD_BY_TWINS[name](monkeypatch)
    assert any(play_twins(Plan(seed, hands=1, level=Level.NONE)).difference for seed in range(1, 6))


SOUND = Result(Plan(1), "stud", 2, 1, 0, 100, "00", 0, 1.0, (), None, None, ())
EXCHANGE = Exchange(1, "As", "Kd")


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (Pair(SOUND, SOUND, EXCHANGE, 9.0, 300, None), None),
        (Pair(SOUND, None, None, 0.0, 0, None), "nothing was told before a card was public"),
        (Pair(SOUND, SOUND, EXCHANGE, 0.1, 0, None), "nothing was told before a card was public"),
        (Pair(SOUND, replace(SOUND, failure="chips"), EXCHANGE, 9.0, 300, None), "the second of the twins failed: chips"),
        (Pair(replace(SOUND, stuck="hold"), SOUND, EXCHANGE, 9.0, 300, None), "the first of the twins is stuck: hold"),
    ],
)
def test_a_pair_that_shows_nothing_is_no_good_one(pair: Pair, said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that broke off, in either of the two, and one in which there was nothing to compare."""
    monkeypatch.setattr("controller.simulate.batch.play_twins", lambda _: pair)
    report = Report()
    exchange(report, [Plan(1, hands=2)])
    assert pair.ok == report.ok == (said is None)
    assert [doubt.what.startswith(said or "") for doubt in report.unpaired] == [True] * (said is not None)
    assert all(doubt.command == "stud-table simulate --seeds 1 --hands 2 --faults heavy --twins" for doubt in report.unpaired)


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
