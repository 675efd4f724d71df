"""Whether an antenna is good enough to play on, by bounds that each have their reason. Pure.

A bound is held against what was measured, not against the better end of its interval; where the interval reaches the good side
the verdict says that more scans would tell. Bleed alone, whose bound is below what a hundred scans can tell, fails when even the
better end is beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from controller.calibration.figures import AntennaFigures, Calibration, Outcome, Rate
from controller.calibration.hysteresis import (
    ACCEPT_SHARE,
    FALSE_PER_CARD_HOUR,
    accepted_share,
    least_gone_misses,
    misses_to_go,
    removals_per_hour,
    strays_per_hour,
)
from controller.calibration.statistics import quantile
from controller.calibration.words import Value, Verdict
from controller.tracking.presence import PresenceSettings

MISS_BOUND: Final = 0.05
"""Misses up to which cards are accepted in time and none is given up (devices §6.4)."""
ERROR_BOUND: Final = 0.05
"""Disturbed scans: each tells as little of an absent card as a miss tells of a present one, so they have the same bound."""
PERIOD_BOUND_S: Final = 0.3
"""The scan period for which acceptance within two periods and 200 ms was promised; 95 of 100 are to keep it."""
SELDOM_FACTOR: Final = 4
"""An antenna that is scanned in every fourth round has four times as long."""
PER_THOUSAND: Final = 1000
_FAILED: Final = {
    Outcome.SKIPPED: "calibrate.unmeasured",
    Outcome.NOT_YET: "calibrate.unmeasured",
    Outcome.NOT_READ: "calibrate.not_read",
    Outcome.ELSEWHERE: "calibrate.elsewhere",
    Outcome.NO_SCANS: "calibrate.no_scans",
}


@dataclass(frozen=True, slots=True)
class Hysteresis:
    """What the presence filter as configured makes of the worst antenna: the share of cards accepted in time, false removals in
    1,000 card-hours (by the upper end of the misses' interval), and the ``gone_misses`` that would do."""

    place: str
    miss: float
    miss_high: float
    period_s: float
    accepted: float
    removals: float
    misses_to_go: int
    enough: int | None

    @property
    def accepts(self) -> bool:
        """Cards are accepted in time."""
        return self.accepted >= ACCEPT_SHARE

    @property
    def keeps(self) -> bool:
        """Cards that lie still are not given up."""
        return self.removals < FALSE_PER_CARD_HOUR * PER_THOUSAND

    def data(self) -> dict[str, Any]:
        """As JSON tells it."""
        return {
            "place": self.place,
            "miss": self.miss,
            "miss_high": self.miss_high,
            "period_s": self.period_s,
            "accepted_in_time": self.accepted,
            "accepts": self.accepts,
            "false_removals_per_1000_card_hours": self.removals,
            "keeps": self.keeps,
            "misses_to_go": self.misses_to_go,
            "enough_gone_misses": self.enough,
        }


def judge(found: Calibration) -> tuple[Verdict, ...]:
    """All that does not hold, antenna by antenna, then the settings of the presence filter. None: the table can be played on."""
    return tuple(verdict for verdict in _verdicts(found) if not _is_open(verdict))


def notes(found: Calibration) -> tuple[Verdict, ...]:
    """Pairs of antennas that may bleed more than is allowed, and may not: with a hundred scans two chance readings look so,
    and on nineteen antennas there are always some. They fail nobody."""
    return tuple(verdict for verdict in _verdicts(found) if _is_open(verdict))


def _is_open(verdict: Verdict) -> bool:
    return verdict.code == "calibrate.bleed" and not verdict.sure


def _verdicts(found: Calibration) -> Iterator[Verdict]:
    for antenna in found.antennas:
        yield from _antenna(antenna, found)
    yield from _felt(found)


def presence_of(antenna: AntennaFigures) -> PresenceSettings:
    """The presence filter of an antenna, as it was configured."""
    given = antenna.presence
    return PresenceSettings(given.appear_hits, given.appear_window, given.gone_misses, given.gone_s)


def _antenna(antenna: AntennaFigures, found: Calibration) -> Iterator[Verdict]:
    place = antenna.place
    yield from _noise(antenna)
    if antenna.outcome is not Outcome.MEASURED:
        values: dict[str, Value] = {"place": place, "line": antenna.line, "address": antenna.address}
        yield Verdict(place, _FAILED[antenna.outcome], values | {"other": antenna.elsewhere or place})
        return
    missed = antenna.read.missed
    if missed.share > MISS_BOUND:
        yield _over("calibrate.misses", place, missed, MISS_BOUND)
    for card in antenna.cards:
        if card.read.missed.share > MISS_BOUND >= missed.share:
            yield _over("calibrate.card_misses", place, card.read.missed, MISS_BOUND, card=card.card)
    if antenna.errors.share > ERROR_BOUND >= antenna.noise.error_rate.share:
        yield _over("calibrate.errors", place, antenna.errors, ERROR_BOUND)
    yield from _bleed(antenna, found)


def _over(code: str, place: str, rate: Rate, bound: float, **more: str) -> Verdict:
    low, high = rate.interval
    values: dict[str, Value] = {
        "percent": rate.share * 100,
        "low": low * 100,
        "high": high * 100,
        "bound": bound * 100,
        "of": rate.of,
    }
    return Verdict(place, code, {"place": place, **values, **more}, sure=low > bound)


def _noise(antenna: AntennaFigures) -> Iterator[Verdict]:
    noise, place = antenna.noise, antenna.place
    if noise.scans == 0:
        if antenna.outcome is not Outcome.NO_SCANS:
            yield Verdict(place, "calibrate.no_scans", {"place": place, "line": antenna.line, "address": antenna.address})
        return
    if noise.readings:
        values: dict[str, Value] = {"readings": noise.readings, "scans": noise.scans, "tags": noise.tags, "known": noise.known}
        yield Verdict(place, "calibrate.not_empty", {"place": place, **values})
    if noise.error_rate.share > ERROR_BOUND:
        yield _over("calibrate.errors", place, noise.error_rate, ERROR_BOUND)
    if noise.periods_ms:
        late, bound = quantile(noise.periods_ms, 0.95) / 1000, PERIOD_BOUND_S * (SELDOM_FACTOR if antenna.seldom else 1)
        if late > bound:
            yield Verdict(place, "calibrate.slow", {"place": place, "line": antenna.line, "value": late, "bound": bound})


def _bleed(antenna: AntennaFigures, found: Calibration) -> Iterator[Verdict]:
    """Which antennas read this one's cards so often that play would stop for it."""
    miss = antenna.read.missed.share
    for other, rate in antenna.bleed.items():
        reader = found.antenna(other) or antenna
        period_s = _period_s(reader) or _period_s(antenna)
        if not rate.hits or period_s is None:
            continue
        settings = presence_of(reader)
        alarms = strays_per_hour(rate.share, miss, period_s, settings)
        if alarms <= FALSE_PER_CARD_HOUR:
            continue
        low, high = rate.interval
        values: dict[str, Value] = {"percent": rate.share * 100, "low": low * 100, "high": high * 100, "of": rate.of}
        yield Verdict(
            other,
            "calibrate.bleed",
            {"place": antenna.place, "other": other, **values, "alarms": alarms * PER_THOUSAND, "bound": 1},
            sure=strays_per_hour(low, miss, period_s, settings) > FALSE_PER_CARD_HOUR,
        )


def _period_s(antenna: AntennaFigures) -> float | None:
    return antenna.noise.period_s()


def hysteresis(found: Calibration) -> Hysteresis | None:
    """The presence filter at the antenna for which it is worst; ``None`` where nothing was measured."""
    judged = [one for antenna in found.antennas if (one := _hysteresis_at(antenna)) is not None]
    return max(judged, key=lambda one: (not one.accepts, not one.keeps, one.removals, one.miss), default=None)


def _hysteresis_at(antenna: AntennaFigures) -> Hysteresis | None:
    period_s = _period_s(antenna)
    if antenna.outcome is not Outcome.MEASURED or not antenna.read.of or not period_s:
        return None
    settings = presence_of(antenna)
    missed = antenna.read.missed
    high = missed.interval.high
    misses = misses_to_go(period_s, settings)
    removals = removals_per_hour(high, period_s, misses) * PER_THOUSAND
    accepted = accepted_share(missed.share, period_s, settings)
    return Hysteresis(antenna.place, missed.share, high, period_s, accepted, removals, misses, least_gone_misses(high, period_s))


def _felt(found: Calibration) -> Sequence[Verdict]:
    """Settings that do not fit antennas whose misses are within their bound; the others are to be mended first."""
    verdicts: list[Verdict] = []
    for antenna in found.antennas:
        one = _hysteresis_at(antenna)
        if one is None or one.miss > MISS_BOUND:
            continue
        values: dict[str, Value] = {"place": one.place, "percent": one.miss * 100, "period": one.period_s}
        hits, window = antenna.presence.appear_hits, antenna.presence.appear_window
        if not one.accepts:
            share: dict[str, Value] = {"share": one.accepted * 100, "bound": ACCEPT_SHARE * 100, "hits": hits, "window": window}
            verdicts.append(Verdict(one.place, "calibrate.accepts_late", {**values, **share}))
        if not one.keeps and one.enough is not None:
            gone: dict[str, Value] = {"misses": one.misses_to_go, "removals": one.removals, "enough": one.enough, "bound": 1}
            verdicts.append(Verdict(one.place, "calibrate.gives_up", {**values, **gone}))
    return verdicts
