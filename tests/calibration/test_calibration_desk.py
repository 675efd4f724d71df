"""Whole calibrations of a simulated table on virtual time: what is measured contains what the simulator does."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest
from support.calibration_felt import AT, CARDS, PLACES, Bench

from controller.calibration.figures import Calibration, Outcome
from controller.calibration.judge import judge
from simulators.field import own_place_only, with_neighbours


def verdicts(found: Calibration) -> set[tuple[str, str]]:
    """What does not hold: about what, and its code."""
    return {(verdict.about, verdict.code.removeprefix("calibrate.")) for verdict in judge(found)}


def test_a_good_table_holds() -> None:
    """Every antenna reads all, no other reads anything, nothing on the empty felt; the guide went on by itself."""
    bench = Bench()
    found = bench.calibrate(bench.plan())
    assert verdicts(found) == set()
    assert [antenna.place for antenna in found.antennas] == list(PLACES)
    for antenna in found.antennas:
        assert antenna.outcome is Outcome.MEASURED
        assert [card.card for card in antenna.cards] == ["7c", "Kd", "As"]
        assert (antenna.read.hits, antenna.read.of) == (300, 300)
        assert all(rate.hits == 0 for rate in antenna.bleed.values())
        assert antenna.noise.readings == antenna.noise.errors == 0
        assert antenna.noise.scans >= 60
    assert bench.person.codes.count("calibrate.lay") == bench.person.codes.count("calibrate.step_measured") == 7
    assert bench.desk.guide.progress is None


def test_progress_is_told_when_it_changes() -> None:
    """Scan by scan and not tick by tick: each number once, then nothing while a person is waited for."""
    bench = Bench()
    bench.calibrate(bench.plan("seat/1/up", scans=10, noise_scans=5))
    told = bench.watched
    assert all(one != other for one, other in pairwise(told))
    assert [said.values["done"] for said in told if said is not None and said.code == "calibrate.progress_noise"] == list(
        range(5)
    )
    assert [said.values["done"] for said in told if said is not None and said.code == "calibrate.progress"] == list(range(10))
    assert told[-1] is None


@pytest.mark.parametrize("slides", [False, True])
def test_figures_contain_the_truth(slides: bool) -> None:
    """Own places at 97 %, neighbours at 6 %: nearly each interval holds the simulator's figure (95 % are to), and all are near;
    cards that are slid from antenna to antenna are measured as well as lifted ones."""
    bench = Bench(coupling=with_neighbours(PLACES, hit=0.97, bleed=0.06))
    bench.person.slides = slides
    found = bench.calibrate(bench.plan())
    truth = bench.devices.field.coupling
    held = []
    for antenna in found.antennas:
        assert antenna.outcome is Outcome.MEASURED
        rates = {antenna.place: antenna.read, **antenna.bleed}
        for other, rate in rates.items():
            true = truth[other].get(antenna.place, 0.0)
            low, high = rate.interval
            held.append(low <= true <= high)
            assert abs(rate.share - true) < 0.06, (antenna.place, other)
    assert len(held) == 49
    assert sum(held) >= 45


def test_times_are_those_of_the_line() -> None:
    """The empty felt: question, answer and the reader's time, each antenna of a line in turn; the muck in every fourth round."""
    bench = Bench()
    found = bench.calibrate(bench.plan("burn"))
    first = found.antenna("seat/1/down")
    muck = found.antenna("muck")
    assert first is not None
    assert muck is not None
    inventory_ms = sorted(first.noise.inventories_ms)[len(first.noise.inventories_ms) // 2]
    assert 30 < inventory_ms < 50
    period_s = first.noise.period_s()
    assert period_s is not None
    assert abs(period_s - 4 * inventory_ms / 1000) < 0.02
    assert muck.seldom
    assert (muck.noise.period_s() or 0) > 0.35


def test_each_bad_antenna_is_named_for_what_it_is() -> None:
    """One is dead, one misses every fifth reading, one reads its neighbour, a line is disturbed, a key lies under the mat."""
    coupling = own_place_only(PLACES)
    coupling["seat/1/down"] = {}
    coupling["seat/2/down"] = {"seat/2/down": 0.8}
    coupling["seat/2/up"]["seat/1/up"] = 0.3
    bench = Bench(coupling=coupling)
    bench.devices.field.faults.foreign["burn"] = ("E00401AABBCCDD11",)
    bench.devices.readers["felt-e"].faults.rf_warning = 0.2
    found = bench.calibrate(bench.plan())
    assert verdicts(found) == {
        ("seat/1/down", "not_read"),
        ("seat/2/down", "misses"),
        ("seat/2/up", "bleed"),
        ("burn", "not_empty"),
        ("muck", "errors"),
        ("burn", "errors"),
        ("community", "errors"),
    }
    assert "calibrate.clear" in bench.person.codes
    burn = found.antenna("burn")
    assert burn is not None
    assert [card.card for card in burn.cards] == ["7c", "Kd", "As"]  # the key is no reference card


def test_swapped_cables_are_told() -> None:
    """Cards for seat 1 are read at seat 2: it is hinted at once, and stands in the result."""
    bench = Bench()
    bench.person.misplaced = {"seat/1/up": "seat/2/up"}
    found = bench.calibrate(bench.plan("seat/1/up", wait_s=12.0))
    assert ("seat/1/up", "elsewhere") in verdicts(found)
    figures = found.antenna("seat/1/up")
    assert figures is not None
    assert (figures.outcome, figures.elsewhere) == (Outcome.ELSEWHERE, "seat/2/up")
    assert bench.person.codes.count("calibrate.hint") == 1


def test_a_card_lifted_too_early_is_asked_for_again() -> None:
    """The step begins anew, and its figures know nothing of the gap."""
    bench = Bench()

    async def lift_once(bench: Bench) -> None:
        while "calibrate.measuring" not in bench.person.codes:
            await asyncio.sleep(0.2)
        bench.person.move("packet")
        await asyncio.sleep(1.0)

    found = bench.calibrate(bench.plan("seat/1/up"), during=lift_once)
    assert bench.person.codes.count("calibrate.lifted") == 1
    figures = found.antenna("seat/1/up")
    assert figures is not None
    assert (figures.read.hits, figures.read.of) == (300, 300)


def test_a_silent_reader_keeps_nobody() -> None:
    """It is measured as one that does not scan, and the others are measured."""
    bench = Bench()
    bench.devices.readers["felt-e"].faults.silent = {2}
    found = bench.calibrate(bench.plan())
    assert verdicts(found) == {("burn", "no_scans")}
    assert "calibrate.reader_lost" in bench.person.codes


def test_one_antenna_anew_keeps_the_others() -> None:
    """Resumed for one: it alone is asked for; the others' figures are those of the last time, with its date. Without a last time
    they are not measured, and that does not hold."""
    bench = Bench()
    first = bench.calibrate(bench.plan("seat/1/up", "muck"))
    assert ("burn", "unmeasured") in verdicts(first)
    again = Bench(seed=1, coupling={**own_place_only(PLACES), "muck": {"muck": 0.7}})
    second = again.calibrate(again.plan("muck"), first, at=AT + timedelta(days=1))
    assert again.person.codes.count("calibrate.lay") == 1
    kept, new = second.antenna("seat/1/up"), second.antenna("muck")
    assert kept is not None
    assert new is not None
    assert (kept.at, new.at) == (AT, AT + timedelta(days=1))
    assert ("muck", "misses") in verdicts(second)


@pytest.mark.parametrize("other", [{"deck": "D2"}, {"antennas": ()}, {"line": "felt-b"}])
def test_figures_of_another_deck_or_wiring_are_not_kept(other: dict[str, object]) -> None:
    """They are of other tags, or of another antenna: that place counts as not measured."""
    bench = Bench()
    first = bench.calibrate(bench.plan("muck", scans=5, noise_scans=5))
    if "line" in other:
        rewired = tuple(antenna.model_copy(update=other) for antenna in first.antennas)
        other = {"antennas": rewired}
    again = Bench()
    second = again.calibrate(again.plan("burn", scans=5, noise_scans=5), first.model_copy(update=other))
    assert ("muck", "unmeasured") in verdicts(second)


def test_left_out_and_stacked() -> None:
    """Skipped, an antenna is told as not measured; a stack is measured besides, and judged by nobody."""
    bench = Bench()
    bench.devices.field.faults.stacked["seat/2/up"] = 1.0
    bench.person.lazy = {"seat/1/up"}

    async def skip(bench: Bench) -> None:
        while "calibrate.lay" not in bench.person.codes:
            await asyncio.sleep(0.2)
        bench.desk.skip()
        bench.desk.skip()

    found = bench.calibrate(bench.plan("seat/1/up", "seat/2/up", stacked=True), during=skip)
    left, stacked = found.antenna("seat/1/up"), found.antenna("seat/2/up")
    assert left is not None
    assert stacked is not None
    assert (left.outcome, left.cards) == (Outcome.SKIPPED, ())
    assert stacked.outcome is Outcome.MEASURED
    assert stacked.stacked is not None
    assert stacked.stacked.of == 300
    assert len(CARDS) == 3


def test_an_antenna_is_judged_by_its_own_settings() -> None:
    """One misses 4 % and is given up after two misses, by ``felt.at``; the others keep the table's eight."""
    hasty = {"at": {"burn": {"gone_misses": 2, "gone_s": 0.1}}}
    bench = Bench(coupling={**own_place_only(PLACES), "burn": {"burn": 0.97}, "muck": {"muck": 0.97}}, **hasty)
    found = bench.calibrate(bench.plan("burn", "muck"))
    assert {("burn", "gives_up")} == {one for one in verdicts(found) if one[1] == "gives_up"}


def test_no_tag_stands_in_the_record() -> None:
    """Cards by name, tags not at all."""
    bench = Bench()
    found = bench.calibrate(bench.plan("seat/1/up"))
    written = found.model_dump_json()
    assert not [tag for tag in bench.tags.values() if tag in written]
    assert '"As"' in written
