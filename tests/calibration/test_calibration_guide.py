"""The guide by scans alone: when a step begins and ends, what is told, and what never is."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from controller.calibration.figures import Outcome, Rate
from controller.calibration.guide import LIFTED_MISSES, MOST_RESTARTS, MOST_SCANS_FACTOR, START_S, Guide, Plan, Step
from controller.calibration.tally import LaidTally, NoiseTally
from controller.hand.cards import DECK
from controller.hand.places import parse_place
from controller.tracking.enrolment import Said
from controller.tracking.registry import generate_registry
from drivers.ports import AntennaScan

REGISTRY = generate_registry(random.Random(1))
ONE, TWO = ("felt-a", 1), ("felt-a", 2)
PLACES = {ONE: parse_place("seat/1/down"), TWO: parse_place("seat/1/up")}
ACE, KING = (REGISTRY.tag(card) for card in DECK[:2])
KEY = "E00401AABBCCDD11"


class Felt:
    """Two antennas that are scanned in turn, ten times a second; ``scan`` says what each reads."""

    def __init__(self, *steps: Step, scans: int = 10, wait_s: float = 20.0) -> None:
        self.told: list[Said] = []
        self.now = 0.0
        plan = Plan(antennas=PLACES, steps=steps or (Step(ONE), Step(TWO)), noise_scans=5, scans=scans, wait_s=wait_s)
        self.guide = Guide(plan, REGISTRY, self.told.append, now=0.0)

    def scan(self, reads: Mapping[tuple[str, int], tuple[str, ...]], rounds: int = 1, *, clean: bool = True) -> None:
        """So many rounds over both antennas."""
        for _ in range(rounds):
            for line, address in PLACES:
                self.now += 0.05
                tags = reads.get((line, address), ())
                self.guide.scan(AntennaScan(line, address, tags, clean, self.now, took_s=0.04))

    def until(self, code: str, reads: Mapping[tuple[str, int], tuple[str, ...]], most: int = 500) -> None:
        """Scan until ``code`` is told once more."""
        before = len(self.told)
        for _ in range(most):
            self.scan(reads)
            if code in [said.code for said in self.told[before:]]:
                return
        raise AssertionError(code, self.codes)

    @property
    def codes(self) -> list[str]:
        """What was told."""
        return [said.code.removeprefix("calibrate.") for said in self.told]


def test_cards_that_lie_there_at_the_start_are_counted_and_never_named() -> None:
    """A hand's cards may lie on the felt: until it was empty, and ever after of those, nothing but numbers is told or kept."""
    felt = Felt(wait_s=5.0)
    felt.scan({ONE: (ACE, KING)}, 300)
    assert felt.codes[:3] == ["clear", "noise", "lay"]
    assert felt.told[0].values == {"count": 2, "places": "seat/1/down"}
    assert {measured.outcome for measured in felt.guide.measured} == {Outcome.NOT_READ}
    assert felt.guide.finished
    assert not [said for said in felt.told if {DECK[0].text, DECK[1].text} & set(map(str, said.values.values()))]
    noise = felt.guide.noise(ONE)
    assert (noise.readings, noise.tags, noise.known) == (noise.scans, 2, 2)


def test_a_card_that_both_antennas_always_read_is_lifted_once() -> None:
    """Nobody can tell where it lies: slid over it is asked to be lifted, and then counts as laid where it was asked for."""
    felt = Felt()
    felt.until("calibrate.lay", {})
    both = {ONE: (ACE,), TWO: (ACE,)}
    felt.until("calibrate.step_measured", both)
    felt.until("calibrate.lift", both)
    felt.scan({}, 4)
    felt.until("calibrate.step_measured", both)
    first, second = felt.guide.measured
    assert felt.guide.bleed(first) == {TWO: Rate(hits=10, of=10)}
    assert felt.guide.bleed(second)[ONE].share == 1.0


def test_a_card_stays_where_it_is_read_best() -> None:
    """The neighbour reads it half the time: that is no card for the neighbour's step, and ends it as not read."""
    felt = Felt()
    felt.until("calibrate.lay", {})
    felt.until("calibrate.step_measured", {ONE: (ACE,)})
    for _ in range(110):
        felt.scan({ONE: (ACE,), TWO: (ACE,)})
        felt.scan({ONE: (ACE,)})
    assert [measured.outcome for measured in felt.guide.measured] == [Outcome.MEASURED, Outcome.NOT_READ]


def test_strangers_are_no_reference_cards() -> None:
    """A room key starts no step."""
    felt = Felt(Step(ONE), wait_s=5.0)
    felt.until("calibrate.lay", {})
    felt.scan({ONE: (KEY,)}, 60)
    assert [measured.outcome for measured in felt.guide.measured] == [Outcome.NOT_READ]


def test_a_card_that_is_lifted_again_and_again_ends_too() -> None:
    """Each restart is told, the last of them is measured as it is: with its misses."""
    felt = Felt(Step(ONE), scans=LIFTED_MISSES * 2)
    felt.until("calibrate.lay", {})
    for _ in range(MOST_RESTARTS):
        felt.until("calibrate.measuring", {ONE: (ACE,)})
        felt.until("calibrate.lifted", {})
    felt.until("calibrate.measuring", {ONE: (ACE,)})
    felt.until("calibrate.step_measured", {})
    (measured,) = felt.guide.measured
    assert measured.tally is not None
    (card,) = measured.tally.cards(REGISTRY)
    assert card.read.of == LIFTED_MISSES * 2
    assert card.longest_run >= LIFTED_MISSES


def test_scans_that_are_all_disturbed_end_as_none() -> None:
    """Bounded by four times the scans; nothing was measured of the cards."""
    felt = Felt(Step(ONE))
    felt.until("calibrate.lay", {})
    felt.until("calibrate.measuring", {ONE: (ACE,)})
    felt.scan({ONE: (ACE,)}, 10 * MOST_SCANS_FACTOR, clean=False)
    (measured,) = felt.guide.measured
    assert (measured.outcome, measured.tally) == (Outcome.NO_SCANS, None)


def test_a_reader_that_never_scans_is_waited_for_and_then_not() -> None:
    """Time alone goes on; skipping does nothing before there is an antenna to skip."""
    felt = Felt()
    felt.guide.skip(0.0)
    felt.guide.tick(START_S - 0.1)
    assert felt.codes == []
    felt.guide.tick(START_S)
    felt.guide.tick(START_S + 0.1)
    for step in range(4):
        felt.guide.tick(START_S + 1 + step)
    assert {measured.outcome for measured in felt.guide.measured} == {Outcome.NO_SCANS}
    assert felt.guide.noise(ONE).scans == 0


def test_a_disturbed_scan_is_neither_reading_nor_miss() -> None:
    """It counts among the errors alone."""
    tally = LaidTally(ONE, [ACE], began=0.0)
    for clean, tags in ((True, (ACE,)), (False, ()), (False, (ACE,)), (True, ())):
        tally.add(ONE, AntennaScan(*ONE, tags, clean, 0.0))
    assert tally.rate(ONE) == Rate(hits=1, of=2)
    assert tally.errors == Rate(hits=2, of=4)
    assert tally.run(ACE) == 1


@pytest.mark.parametrize("took_s", [None, 0.04])
def test_a_driver_need_not_tell_how_long_a_scan_took(took_s: float | None) -> None:
    """Then there are periods and no inventories."""
    tally = NoiseTally()
    for number in range(3):
        tally.add(AntennaScan(*ONE, (), True, number * 0.25, took_s=took_s))
    figures = tally.figures(REGISTRY)
    assert figures.periods_ms == (250.0, 250.0)
    assert figures.inventories_ms == (() if took_s is None else (40.0,) * 3)
