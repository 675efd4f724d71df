"""What grew worse since the last calibration, and only what cannot well be chance. Pure.

Rates are held against the last ones by Fisher's exact test, scan times by that of Mann and Whitney, both one-sided; all
comparisons of one calibration together have one chance in a hundred to name anything that did not change (Holm). A scan time must
have grown by a tenth besides, since with many scans any difference is significant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.calibration.figures import AntennaFigures, Calibration, Outcome, Rate
from controller.calibration.statistics import fisher_greater, holm, mann_whitney_greater, quantile
from controller.calibration.words import Value, Verdict

LEVEL: Final = 0.01
SLOWER_BY: Final = 1.1
TESTS: Final = "Fisher exact (rates), Mann-Whitney (times), one-sided, Holm at 0.01"


class _Compared(NamedTuple):
    chance: float
    verdict: Verdict


def worse(now: Calibration, before: Calibration) -> tuple[Verdict, ...]:
    """Each figure that is significantly worse than ``before``, with both values. Figures that ``now`` took over are not new,
    and those of another deck are of other tags: they are not compared."""
    compared = [
        one
        for antenna in now.antennas
        if (last := before.antenna(antenna.place)) is not None
        for one in (*_noise(antenna, last), *(_cards(antenna, last) if now.deck == before.deck else ()))
    ]
    found = holm([one.chance for one in compared], LEVEL)
    return tuple(one.verdict for one, is_significant in zip(compared, found, strict=True) if is_significant)


def _noise(now: AntennaFigures, before: AntennaFigures) -> Iterator[_Compared]:
    yield from _rate("calibrate.worse_errors", now.place, now.noise.error_rate, before.noise.error_rate)
    yield from _times(now, before)


def _cards(now: AntennaFigures, before: AntennaFigures) -> Iterator[_Compared]:
    both = now.outcome is Outcome.MEASURED and before.outcome is Outcome.MEASURED
    if not both or now.at == before.at:
        return
    yield from _rate("calibrate.worse_misses", now.place, now.read.missed, before.read.missed)
    for other, rate in now.bleed.items():
        if other in before.bleed:
            yield from _rate("calibrate.worse_bleed", now.place, rate, before.bleed[other], other=other)


def _rate(code: str, place: str, now: Rate, before: Rate, **more: str) -> Iterator[_Compared]:
    if not now.of or not before.of:
        return
    chance = fisher_greater(now.hits, now.of, before.hits, before.of)
    values: dict[str, Value] = {
        "place": place,
        "before": before.share * 100,
        "now": now.share * 100,
        "grown": (now.share - before.share) * 100,
    }
    yield _Compared(chance, Verdict(more.get("other", place), code, {**values, "chance": chance, **more}))


def _times(now: AntennaFigures, before: AntennaFigures) -> Iterator[_Compared]:
    times, times_before = now.noise.periods_ms, before.noise.periods_ms
    if not times or not times_before or now.seldom != before.seldom:
        return
    middle, middle_before = quantile(times, 0.5), quantile(times_before, 0.5)
    chance = mann_whitney_greater(times, times_before) if middle >= middle_before * SLOWER_BY else 1.0
    values: dict[str, Value] = {
        "place": now.place,
        "before": middle_before / 1000,
        "now": middle / 1000,
        "grown": (middle - middle_before) / 1000,
    }
    yield _Compared(chance, Verdict(now.place, "calibrate.worse_time", {**values, "chance": chance}))
