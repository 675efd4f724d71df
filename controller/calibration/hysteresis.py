"""What the presence filter makes of measured rates, computed and not drawn (devices §6.4). Pure.

Each scan reads a tag with a chance of its own, independently of the others; real misses come in runs too, which is why a
calibration tells the longest run that it saw.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from controller.tracking.presence import PresenceSettings

ACCEPT_PERIODS: Final = 2
ACCEPT_EXTRA_S: Final = 0.2
ACCEPT_SHARE: Final = 0.95
"""So many cards are to be accepted within two scan periods and 200 ms of lying still."""
FALSE_PER_CARD_HOUR: Final = 1e-3
"""Aim for false removals, and for false conflicts and moves: under one in 1,000 card-hours."""
MAX_GONE_MISSES: Final = 50
_HOUR_S: Final = 3600.0
_CLOSE: Final = 1e-9
_LEAST_ROUNDS: Final = 40
_MAX_ROUNDS: Final = 2000
"""Rounds until the chain is steady: it forgets what a window does not show."""


def accepted_share(miss: float, period_s: float, settings: PresenceSettings) -> float:
    """Share of cards that appear within two scan periods and 200 ms of lying still, when a scan misses one with chance ``miss``
    and comes every ``period_s``. The card is laid at any moment of a period."""
    scans = ACCEPT_PERIODS + ACCEPT_EXTRA_S / period_s
    few = math.floor(scans + 1e-9)
    more = scans - few
    return (1 - more) * _appeared(miss, settings.appear_hits, settings.appear_window, few) + more * _appeared(
        miss, settings.appear_hits, settings.appear_window, few + 1
    )


def _appeared(miss: float, hits: int, window: int, scans: int) -> float:
    """Chance that one of the first ``scans`` scans ends a window with ``hits`` readings."""
    waiting: dict[tuple[bool, ...], float] = {(): 1.0}
    done = 0.0
    for _ in range(min(scans, 1000)):
        after: dict[tuple[bool, ...], float] = defaultdict(float)
        for recent, chance in waiting.items():
            for hit, share in ((True, 1 - miss), (False, miss)):
                seen = (*recent, hit)[-window:]
                if sum(seen) >= hits:
                    done += chance * share
                else:
                    after[seen] += chance * share
        waiting = after
    return done


def misses_to_go(period_s: float, settings: PresenceSettings) -> int:
    """Misses in a row after which a tag is gone: ``gone_misses``, or as many as ``gone_s`` takes."""
    return max(settings.gone_misses, math.ceil(settings.gone_s / period_s - 1e-9))


def removals_per_hour(miss: float, period_s: float, misses: int) -> float:
    """False removals of one card in an hour when it is given up after so many ``misses`` in a row (devices §6.4)."""
    return _HOUR_S / period_s * (1 - miss) * miss**misses if miss < 1 else _HOUR_S / period_s / misses


def least_gone_misses(miss: float, period_s: float) -> int | None:
    """The least ``gone_misses`` that keeps false removals within the aim; ``None`` where no sensible one does."""
    return next(
        (count for count in range(1, MAX_GONE_MISSES + 1) if removals_per_hour(miss, period_s, count) < FALSE_PER_CARD_HOUR), None
    )


class _Visit(NamedTuple):
    """What the filter knows of a resting tag at another antenna, and what it forgot at home since."""

    recent: tuple[bool, ...] = ()
    there: bool = False
    readings: int = 0
    age: int = 0
    """Scans since the first reading, capped."""
    hits_since_home: int = 0
    home_misses: int = 0


_Chain: TypeAlias = dict[_Visit, float]


def strays_per_hour(bleed: float, miss: float, period_s: float, settings: PresenceSettings) -> float:
    """How often in an hour a card at rest, which its own antenna misses with chance ``miss`` and another one reads with chance
    ``bleed``, is taken for lying at both (a conflict) or at the other one (a move). Both antennas are scanned in turn.

    Counted as if the card were laid anew after each: the filter then knows it to bleed, which makes later ones fewer."""
    if bleed <= 0:
        return 0.0
    rules = _Rules(settings.appear_hits, settings.appear_window, settings.moved_misses, settings.conflict_hits)
    overlap = math.floor(settings.conflict_s / period_s + 1e-9)
    return _alarms_per_round(rules, overlap, round(bleed, 6), round(miss, 6)) * _HOUR_S / period_s


class _Rules(NamedTuple):
    hits: int
    window: int
    moved_misses: int
    conflict_hits: int


@lru_cache(maxsize=1024)
def _alarms_per_round(rules: _Rules, overlap: int, bleed: float, miss: float) -> float:
    """One over the mean number of rounds from a forgotten card to its alarm: the rounds survived are added up until the share
    that falls out in each does not change any more, and from there on as a geometric series."""
    chain: _Chain = {_Visit(): 1.0}
    left, rounds, hazard = 1.0, 0.0, 0.0
    for number in range(_MAX_ROUNDS):
        rounds += left
        chain, fallen = _round(chain, rules, overlap, bleed, miss)
        before, hazard = hazard, fallen / left
        left -= fallen
        if left <= _CLOSE:
            return 1 / rounds
        if number >= _LEAST_ROUNDS and abs(hazard - before) <= _CLOSE * hazard:
            break
    return 1 / (rounds + left / hazard) if hazard else 0.0


def _round(chain: _Chain, rules: _Rules, overlap: int, bleed: float, miss: float) -> tuple[_Chain, float]:
    """One scan at home and one of the other antenna: the states after it, and the share that came to an alarm."""
    fallen = 0.0
    for at_home in (True, False):
        after: _Chain = defaultdict(float)
        for visit, chance in chain.items():
            for hit, share in ((True, 1 - miss), (False, miss)) if at_home else ((True, bleed), (False, 1 - bleed)):
                step = _home(visit, rules, hit=hit) if at_home else _other(visit, rules, overlap, hit=hit)
                if _has_moved(step, rules) or (not at_home and hit and _is_conflict(step, rules, overlap)):
                    fallen += chance * share
                elif share > 0:
                    after[step] += chance * share
        chain = after
    return chain, fallen


def _home(visit: _Visit, rules: _Rules, *, hit: bool) -> _Visit:
    if hit:
        return visit._replace(home_misses=0, hits_since_home=0)
    return visit._replace(home_misses=min(visit.home_misses + 1, rules.moved_misses))


def _other(visit: _Visit, rules: _Rules, overlap: int, *, hit: bool) -> _Visit:
    if not hit and not visit.recent:
        return visit
    recent = (*visit.recent, hit)[-rules.window :]
    there = visit.there or sum(recent) >= rules.hits
    lone = not there and not any(recent[-(rules.window - rules.hits + 1) :]) and len(recent) > rules.window - rules.hits
    if lone or (len(recent) == rules.window and not any(recent)):
        return _Visit(home_misses=visit.home_misses)
    return _Visit(
        recent,
        there,
        min(visit.readings + hit, rules.conflict_hits),
        min(visit.age + 1, overlap + 1) if visit.recent else 0,
        min(visit.hits_since_home + hit, rules.hits),
        visit.home_misses,
    )


def _has_moved(visit: _Visit, rules: _Rules) -> bool:
    """The other antenna has established the tag since the first one read it last, and the first one has missed it."""
    return visit.there and visit.hits_since_home >= rules.hits and visit.home_misses >= rules.moved_misses


def _is_conflict(visit: _Visit, rules: _Rules, overlap: int) -> bool:
    return visit.there and visit.readings >= rules.conflict_hits and visit.age > overlap
