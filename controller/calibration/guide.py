"""The guide of a calibration: scans and time go in, what to tell the person and the figures come out. Pure.

First the felt is empty. Then cards of the deck are laid on one antenna after the other; each step begins by itself when the cards
are seen there and ends by itself after so many scans. Until the felt was empty once nothing is told of a card but numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from controller.calibration.figures import NoiseFigures, Outcome, Rate
from controller.calibration.tally import LaidTally, NoiseTally, Recent
from controller.hand.places import Place
from controller.tracking.antennas import AntennaId
from controller.tracking.enrolment import Said
from controller.tracking.registry import DeckRegistry
from drivers.ports import AntennaScan

Tell = Callable[[Said], None]

READY_SCANS: Final = 3
START_S: Final = 15.0
"""So long a reader may take to scan for the first time; one that takes longer is measured as one that does not scan."""
APPEAR_HITS: Final = 2
APPEAR_SCANS: Final = 3
AWAY_SCANS: Final = 3
"""Unread by all antennas in so many scans of each, and a card was lifted."""
SETTLE_S: Final = 1.0
"""So long after the last card came the measuring begins."""
ELSEWHERE_HITS: Final = 4
HINT_S: Final = 5.0
"""So long nothing is said of cards that lie elsewhere: they may be on their way."""
LIFTED_MISSES: Final = 20
"""A card that was seen and is then missed so often in a row was probably lifted: the step begins again."""
MOST_RESTARTS: Final = 2
MOST_SCANS_FACTOR: Final = 4
"""An antenna whose scans are nearly all disturbed is measured by so many times the scans, and no more."""
SLOWEST_SCAN_S: Final = 2.0


class Step(NamedTuple):
    """One antenna to be measured, with its cards side by side or in a stack."""

    antenna: AntennaId
    stacked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured. ``wait_s``: how long cards are waited for at an antenna, and how long for an empty felt."""

    antennas: Mapping[AntennaId, Place]
    steps: Sequence[Step]
    noise_scans: int = 100
    scans: int = 100
    wait_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Measured:
    """How one step ended."""

    step: Step
    outcome: Outcome
    tally: LaidTally | None = None
    elsewhere: AntennaId | None = None


class _Phase(Enum):
    START = 0
    NOISE = 1
    LAYING = 2
    MEASURING = 3
    DONE = 4


class Guide:
    """One calibration from its first scan to its last."""

    def __init__(self, plan: Plan, registry: DeckRegistry, tell: Tell, *, now: float) -> None:
        self._plan = plan
        self.registry = registry
        self._tell = tell
        self._phase = _Phase.START
        self._began = now
        self._recent = Recent(plan.antennas)
        self._seen = dict.fromkeys(plan.antennas, 0)
        self._noise = {antenna: NoiseTally() for antenna in plan.antennas}
        self._residents: set[str] = set()
        """Tags that were read on the empty felt: no reference cards."""
        self._step = 0
        self._restarts = 0
        self._unlifted: set[str] = set()
        """Cards of the step before that have not been lifted yet."""
        self._laid: dict[str, float] = {}
        self._elsewhere: AntennaId | None = None
        self._told: set[str] = set()
        self._tally: LaidTally | None = None
        self.measured: list[Measured] = []

    @property
    def finished(self) -> bool:
        """Nothing is left to measure."""
        return self._phase is _Phase.DONE

    @property
    def progress(self) -> Said | None:
        """How far the measuring is, for a line on a terminal; ``None`` while a person is waited for."""
        match self._phase:
            case _Phase.NOISE:
                least = min((tally.scans for tally in self._scanning()), default=0)
                return Said("calibrate.progress_noise", {"done": least, "total": self._plan.noise_scans})
            case _Phase.MEASURING if self._tally is not None:
                values: dict[str, str | int] = {"place": self._place(self._now_at.antenna), "done": self._tally.clean}
                return Said("calibrate.progress", values | {"total": self._plan.scans})
            case _:
                return None

    def noise(self, antenna: AntennaId) -> NoiseFigures:
        """What an antenna read of the empty felt."""
        return self._noise[antenna].figures(self.registry)

    def bleed(self, measured: Measured) -> dict[AntennaId, Rate]:
        """How often each other antenna read the cards of a step."""
        tally = measured.tally
        others = [antenna for antenna in self._plan.antennas if antenna != measured.step.antenna]
        return {} if tally is None else {other: tally.rate(other) for other in others}

    def scan(self, scan: AntennaScan) -> None:
        """One scan of any antenna."""
        antenna = (scan.device, scan.antenna)
        if antenna not in self._plan.antennas or self.finished:
            return
        self._seen[antenna] += 1
        self._recent.add(antenna, scan)
        match self._phase:
            case _Phase.NOISE:
                self._noise[antenna].add(scan)
            case _Phase.MEASURING if self._tally is not None:
                self._tally.add(antenna, scan)
            case _:
                pass
        self.tick(scan.at)

    def tick(self, now: float) -> None:
        """Time went by: go on where something is due."""
        match self._phase:
            case _Phase.START:
                self._start(now)
            case _Phase.NOISE:
                self._listen(now)
            case _Phase.LAYING:
                self._lay(now)
            case _Phase.MEASURING:
                self._measure(now)
            case _Phase.DONE:
                pass

    def skip(self, now: float) -> None:
        """The person leaves this antenna out."""
        if self._phase in (_Phase.LAYING, _Phase.MEASURING):
            self._end_step(Outcome.SKIPPED, now)

    # The empty felt

    def _start(self, now: float) -> None:
        waited = now - self._began
        ready = [antenna for antenna, scans in self._seen.items() if scans >= READY_SCANS]
        if len(ready) < len(self._seen) and waited < START_S:
            return
        lying = self._recent.tags()
        if lying and waited < self._plan.wait_s:
            places = [self._place(antenna) for antenna in self._seen if self._recent.tags((antenna,))]
            self._tell_once("calibrate.clear", {"count": len(lying), "places": ", ".join(places)})
            return
        self._tell(Said("calibrate.noise", {"scans": self._plan.noise_scans}))
        self._begin(_Phase.NOISE, now)

    def _scanning(self) -> list[NoiseTally]:
        """The antennas that scan at all."""
        return [self._noise[antenna] for antenna, scans in self._seen.items() if scans]

    def _listen(self, now: float) -> None:
        wanted = self._plan.noise_scans
        is_slow = now - self._began > wanted * SLOWEST_SCAN_S
        if not is_slow and any(tally.scans < wanted for tally in self._scanning()):
            return
        self._residents = set().union(*(tally.tags for tally in self._noise.values()))
        self._begin_step(now)

    # One antenna

    @property
    def _now_at(self) -> Step:
        return self._plan.steps[self._step]

    def _begin_step(self, now: float) -> None:
        self._told.clear()
        self._laid.clear()
        self._elsewhere = self._tally = None
        if self._step == len(self._plan.steps):
            self._phase = _Phase.DONE
            return
        self._begin(_Phase.LAYING, now)
        step = self._now_at
        code = "calibrate.stack" if step.stacked else "calibrate.lay"
        values: dict[str, str | int] = {"number": self._step + 1, "total": len(self._plan.steps)}
        self._tell(Said(code, {"place": self._place(step.antenna), **values}))

    def _lay(self, now: float) -> None:
        """Wait for cards. One lies here when this antenna reads it most, or as well as any other and it was lifted before."""
        target = self._now_at.antenna
        self._unlifted -= {tag for tag in self._unlifted if self._recent.is_away(tag, AWAY_SCANS)}
        if not self._seen[target]:
            self._end_step(Outcome.NO_SCANS, now)
            return
        for tag in self._recent.tags():
            if tag in self._residents or tag not in self.registry:
                continue
            here = self._recent.hits(target, tag)
            most, where = self._recent.best(tag, without=target)
            is_seen = self._recent.hits(target, tag, last=APPEAR_SCANS) >= APPEAR_HITS
            is_new = tag not in self._unlifted
            if is_seen and (here > most or (here == most and is_new)) and (is_new or not self._now_at.stacked):
                self._laid.setdefault(tag, now)
            elif is_new and most >= ELSEWHERE_HITS and most > here and tag not in self._laid:
                self._hint_elsewhere(where, now)
            elif not is_new and is_seen and now - self._began >= HINT_S:
                self._tell_once("calibrate.lift", {"place": self._place(target)})
        if self._laid and now - max(self._laid.values()) >= SETTLE_S:
            self._begin(_Phase.MEASURING, now)
            self._tally = LaidTally(target, self._laid, began=now)
            self._tell(Said("calibrate.measuring", {"count": len(self._laid), "place": self._place(target)}))
        elif now - self._began >= self._plan.wait_s:
            self._end_step(Outcome.NOT_READ if self._elsewhere is None else Outcome.ELSEWHERE, now)

    def _hint_elsewhere(self, where: AntennaId | None, now: float) -> None:
        if where is None or now - self._began < HINT_S:
            return
        self._elsewhere = where
        self._tell_once("calibrate.hint", {"place": self._place(self._now_at.antenna), "other": self._place(where)})

    def _measure(self, now: float) -> None:
        tally = self._tally
        if tally is None:
            raise AssertionError(self._phase)
        wanted = self._plan.scans
        if any(tally.run(tag) >= LIFTED_MISSES for tag in tally.tags) and self._restarts < MOST_RESTARTS:
            self._restarts += 1
            self._tell(Said("calibrate.lifted", {"place": self._place(tally.target)}))
            self._begin_step(now)
        elif tally.clean >= wanted or tally.scans >= wanted * MOST_SCANS_FACTOR or now - tally.began > wanted * SLOWEST_SCAN_S:
            self._end_step(Outcome.MEASURED if tally.clean else Outcome.NO_SCANS, now)

    def _end_step(self, outcome: Outcome, now: float) -> None:
        step, tally = self._now_at, self._tally if outcome is Outcome.MEASURED else None
        elsewhere = self._elsewhere if outcome is Outcome.ELSEWHERE else None
        self.measured.append(Measured(step, outcome, tally, elsewhere))
        values: dict[str, str | int] = {"place": self._place(step.antenna), "wait": round(self._plan.wait_s)}
        if tally is not None:
            rate = tally.rate(tally.target)
            values |= {"hits": rate.hits, "of": rate.of}
        if elsewhere is not None:
            values["other"] = self._place(elsewhere)
        self._tell(Said(f"calibrate.step_{outcome.value}", values))
        self._unlifted |= set(self._recent.tags()) - self._residents
        self._step += 1
        self._restarts = 0
        self._begin_step(now)

    def _begin(self, phase: _Phase, now: float) -> None:
        self._phase = phase
        self._began = now

    def _tell_once(self, code: str, values: Mapping[str, str | int]) -> None:
        if code not in self._told:
            self._told.add(code)
            self._tell(Said(code, values))

    def _place(self, antenna: AntennaId) -> str:
        return str(self._plan.antennas[antenna])
