"""A calibration at a table's real readers: runs the lines, feeds the guide, and makes the record of what it measured."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Final

from controller.app import make_line
from controller.calibration.figures import AntennaFigures, Calibration, FilterSettings, LineSettings, Outcome
from controller.calibration.guide import Guide, Measured, Plan, Tell
from controller.config import TableConfig
from controller.hand.places import Place
from controller.tracking.antennas import AntennaId
from controller.tracking.enrolment import Said
from controller.tracking.registry import DeckRegistry
from drivers.clock import Clock
from drivers.link.base import Opener
from drivers.link.serial import SerialSettings, opener_for
from drivers.ports import AntennaScan, DeviceEvent, LinkChanged, LinkState

OpenerOf = Callable[[str, SerialSettings], Opener]
TICK_S: Final = 0.25
"""How often the guide looks at the time while no scan comes."""
_DOWN: Final = frozenset((LinkState.DOWN, LinkState.QUARANTINE))


class Desk:
    """One calibration with the readers of ``config``. ``skip`` leaves out the antenna that it is at."""

    def __init__(
        self,
        config: TableConfig,
        registry: DeckRegistry,
        plan: Plan,
        tell: Tell,
        *,
        clock: Clock,
        rng: random.Random,
        opener: OpenerOf = opener_for,
        watch: Callable[[Said | None], None] = lambda _: None,
    ) -> None:
        """``watch`` is told how far the measuring is, as often as something changes."""
        self._config = config
        self._tell = tell
        self._clock = clock
        self._watch = watch
        self._plan = plan
        self._progress: Said | None = None
        self._finished = asyncio.Event()
        self._lost: set[tuple[str, int]] = set()
        self._lines = [
            make_line(config, reader, opener(reader.port, reader.settings()), self._deliver, clock=clock, rng=rng)
            for reader in config.readers
        ]
        self.guide = Guide(plan, registry, tell, now=self._now())

    def _now(self) -> float:
        """Seconds at a table's real pace."""
        return self._clock.monotonic() * self._config.felt.speed

    async def run(self) -> None:
        """Until the guide has finished. What a driver raises comes through; cancelled, the ports are given back."""
        running = [asyncio.create_task(line.run(), name=line.name) for line in self._lines]
        waiting = asyncio.create_task(self._until_finished(), name="calibration")
        try:
            await asyncio.wait({*running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*running, waiting):
                task.cancel()
            ended = await asyncio.gather(*running, waiting, return_exceptions=True)
        for outcome in ended:
            if isinstance(outcome, Exception):
                raise outcome

    def skip(self) -> None:
        """Leave this antenna out."""
        self.guide.skip(self._now())
        self._look()

    async def _until_finished(self) -> None:
        while not self.guide.finished:
            self.guide.tick(self._now())
            self._look()
            try:
                async with asyncio.timeout(TICK_S / self._config.felt.speed):
                    await self._finished.wait()
            except TimeoutError:
                continue

    async def _deliver(self, event: DeviceEvent) -> None:
        match event:
            case AntennaScan():
                speed = self._config.felt.speed
                took_s = None if event.took_s is None else event.took_s * speed
                self.guide.scan(
                    AntennaScan(event.device, event.antenna, event.tags, event.clean, event.at * speed, took_s=took_s)
                )
                self._look()
            case LinkChanged(device=device, antenna=antenna, state=state, detail=detail):
                self._note(device, antenna, state, detail)
            case _:
                pass

    def _note(self, device: str, antenna: int, state: LinkState, detail: str) -> None:
        """A line or reader that falls out is told, once until it is back."""
        where = (device, antenna)
        if state in _DOWN and where not in self._lost:
            self._lost.add(where)
            if antenna == 0 or (device, 0) not in self._lost:
                self._tell(Said("calibrate.reader_lost", {"reason": detail}))
        elif state is LinkState.UP:
            self._lost.discard(where)

    def _look(self) -> None:
        progress = self.guide.progress
        if progress != self._progress:
            self._progress = progress
            self._watch(progress)
        if self.guide.finished:
            self._finished.set()


def make_record(
    config: TableConfig, registry: DeckRegistry, plan: Plan, guide: Guide, *, at: datetime, before: Calibration | None
) -> Calibration:
    """The record of a finished run. Antennas that were not measured in it keep their figures of ``before``, the last calibration
    with this deck, if they are wired as then; what the empty felt showed is always of this run."""
    by_antenna: dict[AntennaId, list[Measured]] = {}
    for one in guide.measured:
        by_antenna.setdefault(one.step.antenna, []).append(one)
    seldom = {(reader.name, address) for reader in config.readers for address in reader.seldom}
    places = {antenna: str(place) for antenna, place in plan.antennas.items()}
    antennas = []
    for antenna, place in places.items():
        bare = AntennaFigures(place=place, line=antenna[0], address=antenna[1], seldom=antenna in seldom)
        measured = by_antenna.get(antenna, [])
        figures = _earlier(bare, before, registry.deck_id) if _left_out(measured) else _new(bare, measured, guide, places, at)
        if _left_out(measured) and measured and figures.outcome is Outcome.NOT_YET:
            figures = figures.model_copy(update={"outcome": Outcome.SKIPPED, "at": at})
        antennas.append(
            figures.model_copy(update={"noise": guide.noise(antenna), "presence": _presence(config, plan.antennas[antenna])})
        )
    return Calibration(
        at=at,
        program=version("stud-table"),
        venue=config.table.venue,
        table=config.table.name,
        deck=registry.deck_id,
        scans=plan.scans,
        noise_scans=plan.noise_scans,
        lines=tuple(
            LineSettings(name=line.name, driver=line.driver, baud=line.baud, parity=line.parity, port=line.port)
            for line in config.readers
        ),
        round_s=config.felt.round_s,
        antennas=tuple(antennas),
    )


def _presence(config: TableConfig, place: Place) -> FilterSettings:
    """The settings of one antenna: its own, or the table's."""
    settings = config.presence_at().get(place, config.felt.presence())
    return FilterSettings(
        appear_hits=settings.appear_hits,
        appear_window=settings.appear_window,
        gone_misses=settings.gone_misses,
        gone_s=settings.gone_s,
    )


def _left_out(measured: Iterable[Measured]) -> bool:
    return all(one.outcome is Outcome.SKIPPED for one in measured)


def _earlier(bare: AntennaFigures, before: Calibration | None, deck: str) -> AntennaFigures:
    known = None if before is None or before.deck != deck else before.antenna(bare.place)
    if known is None or (known.line, known.address) != (bare.line, bare.address):
        return bare
    return known.model_copy(update={"seldom": bare.seldom})


def _new(
    bare: AntennaFigures, measured: Iterable[Measured], guide: Guide, places: Mapping[AntennaId, str], at: datetime
) -> AntennaFigures:
    figures = bare.model_copy(update={"at": at})
    for one in measured:
        if one.outcome is Outcome.SKIPPED and one.step.stacked:
            continue
        if one.step.stacked:
            stacked = None if one.tally is None else one.tally.rate(one.step.antenna)
            figures = figures.model_copy(update={"stacked": stacked})
            continue
        elsewhere = None if one.elsewhere is None else places[one.elsewhere]
        figures = figures.model_copy(update={"outcome": one.outcome, "elsewhere": elsewhere})
        if one.tally is not None:
            bleed = {places[other]: rate for other, rate in guide.bleed(one).items()}
            cards = one.tally.cards(guide.registry)
            figures = figures.model_copy(update={"cards": cards, "errors": one.tally.errors, "bleed": bleed})
    return figures
