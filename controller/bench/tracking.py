"""How well readers and presence filter know the felt: scan periods, time to acceptance, false removals.

All on virtual time with simulated readers of the sample table, which take a reader's time on the air and on the line: what is
told is table time, the same on every machine. Yardsticks are what the table must keep (devices §6.4).
"""

from __future__ import annotations

import asyncio
import math
import random
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from controller.bench.figure import Figure, figure, p95
from controller.hand.places import Place, SeatPlace, Zone, parse_place
from controller.rehearsal import READER_BAUD, registry_of
from controller.table.felt_reader import FeltReader
from controller.table.inputs import LeftFrom, SeenAt
from controller.tracking.antennas import AntennaMap, parse_antennas
from controller.tracking.evidence import TagGone
from controller.tracking.presence import PresenceFilter, PresenceSettings
from drivers.clock import LoopClock
from drivers.feig.driver import Antenna, FeigLine
from drivers.ports import AntennaScan, DeviceEvent
from simulators.device_port import LineSpeed
from simulators.feig_reader import FeigReaders
from simulators.felt import PACKET, Felt
from simulators.memory_link import MemoryLink
from simulators.rig import NINETEEN, make_tags
from simulators.virtual_time import run_virtual

SEED: Final = 20260101
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
PERIOD_S: Final = 0.3
"""The longest scan period of the sample table: one round of a line's antennas with all cards on the felt."""
ACCEPTED_S: Final = 2 * PERIOD_S + 0.2
"""How long a card may lie still before it is accepted, in 95 of 100 cases at 5 % misses: two scan periods and 200 ms."""
FALSE_REMOVALS: Final = 0.001
"""How many there may be in a card-hour at 5 % misses."""
MISSES: Final = (0.05, 0.1, 0.2)
SELDOM: Final = 4
FAST_BAUD: Final = 115200
"""The fastest line of the readers that can be set so (FEIG §2.2: M02.M8-B)."""

NINETEEN_ON_FOUR: Final[Mapping[str, Mapping[int, str]]] = {
    "felt-a": {**NINETEEN["felt-a"], 5: "muck"},
    "felt-b": {**NINETEEN["felt-b"], 5: "burn"},
    "felt-c": {**NINETEEN["felt-c"], 5: "community"},
    "felt-d": NINETEEN["felt-d"],
}
"""The nineteen antennas of the sample table on four lines instead of five."""


@dataclass
class Readers:
    """Simulated readers, their lines and the presence filter, at real pace. ``seen``: where each card was accepted, and when."""

    wiring: Mapping[str, Mapping[int, str]]
    miss: float
    seed: int
    baud: int = READER_BAUD
    seen: dict[str, tuple[Place, float]] = field(default_factory=dict)
    removed: int = 0
    stops: int = 0
    rounds: dict[tuple[str, int], list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        tags = make_tags(rng)
        self.antennas: AntennaMap = parse_antennas(
            {line: {str(address): place for address, place in places.items()} for line, places in self.wiring.items()}
        )
        self.felt = Felt(tags, [place for places in self.wiring.values() for place in places.values()])
        clock = LoopClock(START)
        self._reader = FeltReader(self.antennas, registry_of(tags), PresenceSettings(), {}, now=clock.monotonic())
        self._lines: list[FeigLine] = []
        for line, places in self.wiring.items():
            link = MemoryLink(line, pace=LineSpeed(self.baud, parity=True))
            readers = FeigReaders(link, addresses=places, tags=self.felt.antennas(places), rng=random.Random(rng.getrandbits(64)))
            readers.faults.miss = self.miss
            self._lines.append(
                FeigLine(
                    name=line,
                    opener=link,
                    deliver=self._deliver,
                    clock=clock,
                    rng=random.Random(rng.getrandbits(64)),
                    baud=self.baud,
                    antennas=tuple(Antenna(address, SELDOM if place == "muck" else 1) for address, place in places.items()),
                )
            )

    async def run(self) -> None:
        """Scan until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for line in self._lines:
                tasks.create_task(line.run(), name=line.name)

    async def _deliver(self, event: DeviceEvent) -> None:
        if not isinstance(event, AntennaScan):
            return
        self.rounds.setdefault((event.device, event.antenna), []).append(event.at)
        for told in self._reader.scan(event):
            match told:
                case SeenAt(place=place, card=card, rests=False) if card is not None:
                    self.seen[card.text] = (place, event.at)
                case LeftFrom():
                    self.removed += 1
                case SeenAt():
                    pass
                case _:
                    self.stops += 1

    def periods(self) -> list[float]:
        """Seconds from scan to scan of each antenna that is scanned in every round, the first second left out."""
        return [
            later - earlier
            for (line, address), times in self.rounds.items()
            if self.wiring[line][address] != "muck"
            for earlier, later in pairwise(at for at in times if at > 1.0)
        ]


def lay_full(readers: Readers, rng: random.Random, *, at: float) -> None:
    """Six cards for each of eight seats, a common card and three burns: all 52, as on seventh street."""
    order = list(readers.felt.cards_at(PACKET))
    rng.shuffle(order)
    places = [f"seat/{seat}/{zone}" for zone in ("down", "down", "up", "up", "up", "up") for seat in range(1, 9)]
    for card, place in zip(order, [*places, "community", "burn", "burn", "burn"], strict=True):
        readers.felt.move(card, place, origin=PACKET, at=at)


async def _rest(readers: Readers, seconds: float) -> None:
    """The full table lies still under its readers for so long."""
    running = asyncio.create_task(readers.run())
    await asyncio.sleep(1.0)
    lay_full(readers, random.Random(readers.seed), at=0.0)
    await asyncio.sleep(seconds)
    running.cancel()
    await asyncio.wait([running])


def rest(
    wiring: Mapping[str, Mapping[int, str]], miss: float, *, seconds: float, seed: int = SEED, baud: int = READER_BAUD
) -> Readers:
    """What readers made of a full table that lies still for ``seconds`` of table time."""

    async def run() -> Readers:
        readers = Readers(wiring, miss, seed, baud)
        await _rest(readers, seconds)
        return readers

    return run_virtual(run(), max_seconds=seconds + 10)


async def _deal(readers: Readers, cards: int, gap_s: float) -> list[tuple[float, float]]:
    rng = random.Random(readers.seed)
    running = asyncio.create_task(readers.run())
    loop = asyncio.get_running_loop()
    await asyncio.sleep(2.0)
    taken: list[tuple[float, float]] = []
    while len(taken) < cards:
        order = list(readers.felt.cards_at(PACKET))
        rng.shuffle(order)
        laid: dict[str, tuple[str, float]] = {}
        for number in range(48):
            place = f"seat/{number % 8 + 1}/{'down' if number < 16 else 'up'}"
            laid[order[number]] = place, loop.time()
            readers.felt.move(order[number], place, origin=PACKET, at=loop.time())
            await asyncio.sleep(gap_s * rng.uniform(0.5, 1.5))
        await asyncio.sleep(5.0)
        for card, (place, at) in laid.items():
            where, seen = readers.seen.get(card, (None, float("inf")))
            taken.append((at, seen if where == parse_place(place) else float("inf")))
        readers.felt.gather(readers.felt.places, PACKET, at=loop.time())
        readers.seen.clear()
        await asyncio.sleep(15.0)
    running.cancel()
    await asyncio.wait([running])
    return taken[:cards]


def acceptance(miss: float, *, cards: int, seed: int = SEED, gap_s: float = 0.25) -> list[float]:
    """Seconds from laying a card down to its acceptance at its place, for ``cards`` cards laid by four a second upon a table that
    fills up to 48 cards; infinite for one that is not accepted there within five seconds."""

    async def run() -> list[float]:
        return [seen - laid for laid, seen in await _deal(Readers(NINETEEN, miss, seed), cards, gap_s)]

    return run_virtual(run(), max_seconds=cards * 3.0 + 600)


def false_removals(miss: float, *, card_hours: float, period_s: float, seed: int = SEED, short: int = 0) -> int:
    """How often the filter gave up a card that lies still, in ``card_hours`` at one scan in ``period_s`` and ``miss`` misses.

    Runs of fewer than ``short`` misses are left out of what the filter is given, and counted as the time that they take: a
    reading behind them makes it forget them. So thousands of card-hours take seconds; with 0 the filter gets every scan.
    """
    rng = random.Random(seed)
    place, uid = SeatPlace(1, Zone.UP), "E004010000000001"
    presence = PresenceFilter(PresenceSettings(), {place: frozenset((uid,))})
    removed, number, skipped, scans = 0, 0, 0.0, card_hours * 3600 / period_s
    lengths = [miss**length for length in range(short)]
    mean = sum((length + 1) * share for length, share in enumerate(lengths)) / sum(lengths) if short else 0.0

    def scan(*, hit: bool) -> int:
        nonlocal number
        number += 1
        told = presence.scan(place, (uid,) if hit else (), True, number * period_s)  # noqa: FBT003
        return sum(isinstance(event, TagGone) for event in told)

    while number + skipped < scans:
        if short:
            skipped += mean * int(math.log(1.0 - rng.random()) / math.log1p(-(miss**short)))
            while presence.where(uid) is None:  # between long runs of misses a card that was given up comes back at once
                scan(hit=True)
        removed += scan(hit=True) + sum(scan(hit=False) for _ in range(short))
        while rng.random() < miss:
            removed += scan(hit=False)
    return removed


def computed_removals(miss: float, *, card_hours: float, period_s: float) -> float:
    """How many false removals are to be expected: a run of misses as long as a card may be missed, behind a reading."""
    settings = PresenceSettings()
    run = max(settings.gone_misses, math.ceil(settings.gone_s / period_s - 1e-9))
    return (1 - miss) * miss**run * card_hours * 3600 / period_s


def measure_tracking(*, cards: int = 192, card_hours: float = 3000.0, seconds: float = 20.0, seed: int = SEED) -> list[Figure]:
    """All figures; ``cards`` laid at each share of misses, ``card_hours`` of cards lying still, ``seconds`` of a full table."""
    return [*_measure_rounds(seconds, seed), *_measure_acceptance(cards, seed), *_measure_removals(card_hours, seed)]


def _measure_rounds(seconds: float, seed: int) -> list[Figure]:
    figures = []
    for name, wiring, baud in (
        ("five lines", NINETEEN, READER_BAUD),
        ("four lines", NINETEEN_ON_FOUR, READER_BAUD),
        (f"four lines at {FAST_BAUD} baud", NINETEEN_ON_FOUR, FAST_BAUD),
    ):
        readers = rest(wiring, 0.05, seconds=seconds, seed=seed, baud=baud)
        periods = readers.periods()
        about = f"nineteen antennas on {name}, 52 cards on the felt"
        figures += [
            figure(f"scan period, {about}, mean", 1000 * statistics.fmean(periods), "ms", 1000 * PERIOD_S),
            figure(f"scan period, {about}, longest", 1000 * max(periods), "ms", 1000 * PERIOD_S),
            figure(f"cards accepted at 5 % misses, {about}", len(readers.seen), "cards", 52),
        ]
    return figures


def _measure_acceptance(cards: int, seed: int) -> list[Figure]:
    figures = []
    for miss in (0.0, *MISSES):
        taken = acceptance(miss, cards=cards, seed=seed)
        share = 100 * sum(time <= ACCEPTED_S for time in taken) / len(taken)
        about = f"{100 * miss:.0f} % misses, {len(taken)} cards at four a second"
        figures += [
            figure(f"laid down to accepted, {about}, p50", 1000 * statistics.median(taken), "ms", 1000 * ACCEPTED_S),
            figure(f"laid down to accepted, {about}, p95", 1000 * p95(taken), "ms", 1000 * ACCEPTED_S),
            figure(f"accepted within two scan periods and 200 ms, {about}", share, "%", 95.0),
        ]
    return figures


def _measure_removals(card_hours: float, seed: int) -> list[Figure]:
    figures = []
    for miss in MISSES:
        for period_s in (0.1, 0.25):
            found = false_removals(miss, card_hours=card_hours, period_s=period_s, seed=seed, short=4) / card_hours
            computed = computed_removals(miss, card_hours=1.0, period_s=period_s)
            beside = "computed" if computed > FALSE_REMOVALS else "the most that may be"
            about = f"{100 * miss:.0f} % misses, scan period {1000 * period_s:.0f} ms, beside {beside}"
            yardstick = 1000 * max(computed, FALSE_REMOVALS)
            figures.append(
                figure(f"false removals of a card that lies still, {about}", 1000 * found, "in 1,000 hours", yardstick)
            )
    return figures
