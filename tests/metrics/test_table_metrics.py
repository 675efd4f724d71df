"""A table's metrics after an evening on virtual time: all of them, and nothing that is nobody's business."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.ending_certificate import certificate_until

from controller.access.people import Person, Role
from controller.access.sessions import Sessions
from controller.metrics.exposition import Exposition
from controller.metrics.table_metrics import (
    ANTENNA,
    DEVICE_TROUBLE,
    DISPLAYS,
    FREE,
    HOLDS,
    REFUSALS,
    RULINGS,
    TABLE_METRICS,
    TableCounts,
    TableMetrics,
    _device,
)
from controller.rehearsal import FAST, Play, memory_rehearsal
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.events import Ruled
from controller.table.loop import Record
from controller.table.machine_events import ClockStepped
from controller.table.records import table_codec
from controller.table.state import TableState
from drivers.ports import AntennaReport, DeviceReport, Fact, LinkState, trouble
from simulators.memory_broker import MemoryBroker
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.rig import NINETEEN
from simulators.virtual_time import run_virtual

SOMETIMES = {metric.name for metric in (DEVICE_TROUBLE, DISPLAYS, FREE, HOLDS, REFUSALS, RULINGS)}
"""Told of what did not happen in that evening: the tests below do."""
CARD = re.compile(r"\b(10|[2-9TJQKA])(?:[cdhsCDHS]\b|[♣♦♥♠])")
NAMES = {1: "Annabel", 2: "Bartholomew", 4: "Cleopatra"}
PIN_NAME = "Wilhelmina"
END = datetime(2027, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A scrape after one hand."""

    async def evening() -> str:
        seated = {seat: (name, 200) for seat, name in NAMES.items()}
        play = Play(seats=seated, speed=FAST, rules={"table.max_seats": "4"})
        wiring = {line: NINETEEN[line] for line in ("felt-a", "felt-b", "felt-e")}
        rehearsal = memory_rehearsal(play, seed=4, wiring=wiring, broker=MemoryBroker())
        counts = TableCounts()
        rehearsal.watchers.append(counts)
        rehearsal.outside = replace(rehearsal.outside, is_synchronised=lambda: False)
        async with rehearsal.opened() as app:
            sessions = Sessions(lambda: 0.0, lambda _: None)
            sessions.start(Person("1", PIN_NAME, Role.FLOOR))
            clock = rehearsal.outside.clock
            metrics = TableMetrics(
                app,
                counts,
                sessions,
                version="9.9",
                venue="nice",
                tag_of=table_codec().tag_of,
                wall=lambda: clock.wall().timestamp(),
                monotonic=clock.monotonic,
                certificates={"http": certificate_until(END, tmp_path_factory.mktemp("shown")), "mqtt": Path("none")},
            )
            rng = random.Random(4)
            await rehearsal.deal(app, {seat: RandomPlayer(rng) for seat in NAMES}, ShuffledPackets(rng), hands=1)
            return Exposition(TABLE_METRICS, metrics, ("table", "T1")).text().decode()

    return run_virtual(evening(), max_seconds=3_000)


def test_every_declared_metric_is_told(text: str) -> None:
    """And no other: what the reference lists is what there is."""
    told = {family.name: family for family in text_string_to_metric_families(text)}
    declared = {metric.name.removesuffix("_total"): metric for metric in TABLE_METRICS}
    assert told.keys() == declared.keys()
    empty = {metric.name for name, metric in declared.items() if not told[name].samples}
    assert empty <= SOMETIMES, empty - SOMETIMES
    for name, metric in declared.items():
        own = set() if name.startswith("process_") else {"table"}
        assert all(sample.labels.keys() - {"le"} == {*own, *metric.labels} for sample in told[name].samples), name


def test_the_figures_are_those_of_the_evening(text: str) -> None:
    """Hands, status, commits and cards."""
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    told = {(one.name, *one.labels.values()): one.value for one in samples}
    assert told["stud_table_hands_total", "ended", "T1"] == 1
    assert told["stud_table_status", "live", "T1"] == 1
    assert told["stud_table_conserved", "T1", "chips"] == 1
    assert told["stud_table_sessions", "signed_in", "T1"] == 1
    assert told["stud_table_clock_synchronised", "T1"] == 0
    assert told["stud_table_certificate_expires_seconds", "http", "T1"] == END.timestamp()
    assert told["stud_table_journal_commit_seconds_count", "T1"] > 20
    assert told["stud_table_card_to_commit_seconds_count", "T1"] >= 3 * 3


def test_no_card_no_name_and_few_values(text: str) -> None:
    """No card in any spelling, no player, nobody who signed in; and not more lines than a page of code may make."""
    assert not [name for name in (*NAMES.values(), PIN_NAME) if name in text]
    labels = " ".join(re.findall(r"\{([^}]*)\}", text))
    assert not CARD.search(labels)
    assert "E004" not in text.upper()
    assert len(text.splitlines()) < 1_000


def counted(*events: object) -> TableCounts:
    counts = TableCounts()
    counts(TableState(), [Record(1, "", event) for event in events])  # type: ignore[arg-type]
    return counts


def test_refusals_rulings_and_set_clocks_are_counted() -> None:
    """By code and kind; a command that was taken is no refusal."""
    refused = CommandAnswered("k", "d", "act", Outcome.REFUSED, "R-BET-05", "raise_too_small")
    ruling = Ruled("return_card", "floor", "Fay", "Ann", "why")
    counts = counted(refused, replace(refused, outcome=Outcome.TAKEN, code=""), ruling, ClockStepped(-3))
    assert (counts.refusals, counts.rulings, counts.steps) == ({"raise_too_small": 1}, {"return_card": 1}, 1)
    assert counts.outcomes == {"taken": 1, "refused": 1}


def test_a_device_that_is_set_aside_says_why() -> None:
    """One that is degraded is used; a closed port is not open."""
    fact = Fact("open", 1.0)
    report = DeviceReport(
        "shoe",
        "tsp1",
        "/dev/x",
        "S1",
        fact,
        Fact("degraded", 0.1),
        Fact("ok", None),
        Fact("none", None),
        {"bytes": 7},
        antennas=(AntennaReport(1, LinkState.DEGRADED, "", "", None), AntennaReport(2, LinkState.STALE, "", "", None)),
        trouble=trouble("other_shoe", "another"),
    )
    told = {(sample.metric.name, sample.labels): sample.value for sample in _device(report)}
    assert told["stud_table_device_ok", ("shoe", "tsp1", "port")] == 1
    assert told["stud_table_device_ok", ("shoe", "tsp1", "link")] == 1
    assert told[DEVICE_TROUBLE.name, ("shoe", "other_shoe")] == 1
    assert [told[ANTENNA.name, ("shoe", number)] for number in ("1", "2")] == [1, 0]
