"""From the last byte of a card on the wire to its message at a subscriber, beside the sum of the raw parts of that way.

The byte is the last of the reader's answer that makes shoe and felt agree: the reading that completes a card's presence, when
the shoe has told of the card already. The message is ``card_dealt`` on ``events``.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from controller.bench.figure import BenchError, Figure, figure, p95
from controller.bench.live_table import Arrival, LiveTable
from controller.journal.canonical import canonical
from controller.journal.verify import verify_chain

CARDS: Final = 200
SPEED: Final = 4.0
"""Lines, presence times and dealer at four times their pace; what is measured takes its own time."""
SEED: Final = 20260101
MAX_HANDS: Final = 100
"""Hands that are played at most to come to the wanted cards."""


@dataclass(slots=True)
class Samples:
    """Nanoseconds: from wire to event and to view, and the raw parts, in the order taken."""

    event: list[int] = field(default_factory=list)
    view: list[int] = field(default_factory=list)
    terminal: list[int] = field(default_factory=list)
    commit: list[int] = field(default_factory=list)
    message: list[int] = field(default_factory=list)


def measure_latency(*, cards: int = CARDS, speed: float = SPEED, seed: int = SEED) -> list[Figure]:
    """Figures over at least ``cards`` cards. Starts a broker and processes; writes to the disk of the temporary folder."""
    with tempfile.TemporaryDirectory(prefix="stud-bench-") as folder:
        samples = asyncio.run(_take(Path(folder), cards, speed, seed))
    raw = [sum(parts) for parts in zip(samples.terminal, samples.commit, samples.message, strict=True)]
    count = len(samples.event)
    median = statistics.median
    return [
        _us(
            f"card on the wire to its event at a subscriber, p50 of {count}, beside its raw parts",
            median(samples.event),
            median(raw),
        ),
        _us(f"card on the wire to its event at a subscriber, p95 of {count}, beside its raw parts", p95(samples.event), p95(raw)),
        _us("card on the wire to the public view at a subscriber, p50, beside its raw parts", median(samples.view), median(raw)),
        _us("raw part: pseudo-terminal one way, beside all raw parts", median(samples.terminal), median(raw)),
        _us("raw part: one durable commit, beside all raw parts", median(samples.commit), median(raw)),
        _us("raw part: MQTT QoS 1 from publish to subscriber, beside all raw parts", median(samples.message), median(raw)),
    ]


def _us(name: str, value_ns: float, yardstick_ns: float) -> Figure:
    return figure(name, value_ns / 1000, "us", yardstick_ns / 1000)


async def _take(folder: Path, cards: int, speed: float, seed: int) -> Samples:
    samples = Samples()
    async with LiveTable(folder, speed=speed, seed=seed) as table:
        for _ in range(MAX_HANDS):
            await _take_hand(table, samples)
            if len(samples.event) >= cards:
                return samples
    raise BenchError(f"{len(samples.event)} of {cards} cards were dealt in {MAX_HANDS} hands")


async def _take_hand(table: LiveTable, samples: Samples) -> None:
    """Play a hand, then take as many raw samples beside the idle table as it gave cards."""
    for clock in table.clocks.values():
        clock.clear()
    arrivals = await table.play_hand()
    dealt = [arrival for arrival in arrivals if arrival.topic == table.topics.events and '"card_dealt"' in arrival.payload]
    views = [arrival for arrival in arrivals if arrival.topic == table.topics.public]
    times = {place: queue for clock in table.clocks.values() for place, queue in clock.times.items()}
    seqs: list[int] = []
    for arrival in dealt:
        event: dict[str, Any] = json.loads(arrival.payload)
        at_ns = times[event["place"]].popleft()
        seqs.append(event["seq"])
        samples.event.append(arrival.at_ns - at_ns)
        samples.view.append(_first_view(views, event["seq"]).at_ns - at_ns)
    if not dealt:
        raise BenchError("a hand was played and no card arrived at the subscriber")
    sizes = {
        "samples": len(dealt),
        "wire_bytes": max(clock.answer_bytes for clock in table.clocks.values()),
        "commit_bytes": _commit_bytes(table.data, seqs),
        "message_bytes": round(statistics.median(len(arrival.payload) for arrival in dealt)),
    }
    parts, arrived = await table.raw_parts(sizes)
    _take_raw(samples, parts, arrived)


def _first_view(views: Sequence[Arrival], seq: int) -> Arrival:
    for view in views:
        if json.loads(view.payload)["seq"] >= seq:
            return view
    raise BenchError(f"no public view of journal number {seq} or later arrived")


def _commit_bytes(data: Path, seqs: Sequence[int]) -> int:
    """Median size of the commits that dealt the cards of ``seqs``: all events of one commit bear the same time."""
    sizes: dict[str, int] = {}
    times: dict[int, str] = {}

    def note(seq: int, body: Mapping[str, Any]) -> None:
        times[seq] = str(body["at"])
        sizes[times[seq]] = sizes.get(times[seq], 0) + len(canonical(body))

    verify_chain(data, note)
    return round(statistics.median(sizes[times[seq]] for seq in seqs))


def _take_raw(samples: Samples, parts: Mapping[str, Sequence[int]], arrived: Sequence[Arrival]) -> None:
    if len(arrived) != len(parts["sent"]):
        raise BenchError(f"{len(arrived)} of {len(parts['sent'])} raw messages arrived at the subscriber")
    samples.terminal += parts["terminal"]
    samples.commit += parts["commit"]
    samples.message += [arrival.at_ns - sent for arrival, sent in zip(arrived, parts["sent"], strict=True)]
