"""The simulation's own word can be trusted: what ends early, is swallowed, or is told too soon is no run that went well."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.directed import Directed, dealing, later

from controller.app import FencedError, TableApp
from controller.console.desk import Desk
from controller.mqtt.ports import Message
from controller.mqtt.topics import TableTopics
from controller.simulate.audit import Violation
from controller.simulate.faults import Level
from controller.simulate.plan import Plan, Result
from controller.simulate.run import Simulation
from controller.simulate.watch import LogEar, Overhearer
from controller.table import records
from simulators.habits import DealerStats
from simulators.shoe import SimulatedShoe

DEALT = dealing(3, 3)


def played(folder: Path, then: Callable[[Any], object] = lambda _: None) -> Result:
    """One hand without a drawn fault, in which ``then`` happens on third street."""
    return Directed(folder, when=DEALT, then=lambda run: (then(run), None)[1]).play()


def ends_with(monkeypatch: pytest.MonkeyPatch, error: BaseException | None) -> None:
    """The controller's first life ends so, some seconds after its start."""
    run, lives = TableApp.run, []

    async def short(self: TableApp) -> None:
        lives.append(self)
        if len(lives) > 1:
            await run(self)
            return
        running = asyncio.create_task(run(self))
        try:
            await asyncio.sleep(10.0)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if error is not None:
            raise error

    monkeypatch.setattr(TableApp, "run", short)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, "RuntimeError: nobody told it to"),
        (FencedError("a controller of epoch 9 runs this table"), "FencedError: a controller of epoch 9"),
        (BaseExceptionGroup("several", [FencedError("another"), KeyError("seat")]), "KeyError: 'seat'"),
        (ExceptionGroup("several", [ExceptionGroup("deeper", [KeyError("seat")])]), "KeyError: 'seat'"),
    ],
)
def test_a_controller_that_ends_without_a_reason_is_a_failure(
    error: BaseException | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be started again, and the hand would come to its end: neither an end without error, nor a fence without a rival,
    nor an error beside another one goes for a crash that was wanted."""
    ends_with(monkeypatch, error)
    run = Directed(tmp_path)
    run.watch.rivals = int(isinstance(error, BaseExceptionGroup))
    assert str(run.play().failure).startswith(f"the controller ended by itself: {said}")


def test_a_commit_that_fails_on_a_sound_medium_is_a_failure(tmp_path: Path) -> None:
    """The journal's own fault is not laid to a disk that has refused nothing."""

    def then(run: Simulation) -> None:
        begin = run.disk.begin

        async def once() -> None:
            run.disk.begin = begin  # type: ignore[method-assign]
            raise OSError(5, "planted")

        run.disk.begin = once  # type: ignore[method-assign]

    result = played(tmp_path, then)
    assert str(result.failure).startswith("the controller ended by itself: JournalFailed: ")


def test_an_end_that_is_out_of_order_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the hands are over the controller is ended in order, and must not raise anything then."""

    async def close(*_: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(TableApp, "__aexit__", close)
    assert played(tmp_path).failure == "the controller does not end in order: KeyError: 'planted'"


def test_a_run_of_too_few_hands_is_stuck(tmp_path: Path) -> None:
    """A dealer who goes home early has not shown that the hand comes to its end."""
    result = played(tmp_path, lambda run: run.dealer.stop())
    assert str(result.stuck).startswith("the dealer ends after 0 of 1 hands: ")
    assert (result.hands, result.ok) == (0, False)


def test_hands_that_were_played_lend_no_time_to_those_that_are_left(tmp_path: Path) -> None:
    """A last hand has 120 s after the last fault, not those of the nine before it too."""
    run = Simulation(Plan(1, hands=10, level=Level.NONE), tmp_path)
    assert run.hands_left == 10
    stats = DealerStats(hands=9)
    run.dealer = SimpleNamespace(stats=stats)  # type: ignore[assignment]
    assert run.hands_left == 1
    stats.hands = 10
    assert run.hands_left == 1


def test_a_run_that_nobody_watches_any_more_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks for a gate that stays open, or for a table that stands still, must look to the end."""

    async def look(*_: object) -> None:
        await asyncio.sleep(10.0)

    monkeypatch.setattr(Simulation, "_look", look)
    assert played(tmp_path).failure == "the run came to its end before its people did"


def test_a_gate_that_stays_open_while_the_controller_stands_still_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card may be due by its state: a controller that is paused wants none (invariant 13)."""
    is_open = SimulatedShoe.is_gate_open.fget
    assert is_open is not None

    def then(run: Simulation) -> None:
        monkeypatch.setattr(SimulatedShoe, "is_gate_open", property(lambda shoe: run.process.is_paused or is_open(shoe)))
        run.pause()
        later(20.0, run.resume)

    assert str(played(tmp_path, then).failure).startswith("the gate stays open for ")


def test_an_answer_before_its_record_is_durable_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a console is told has taken effect must survive the next crash (invariant 9)."""
    send = Desk.send

    async def early(self: Desk, *given: Any) -> Any:
        answer = await send(self, *given)
        return {**answer, "seq": answer["seq"] + 100} if answer["ok"] else answer

    monkeypatch.setattr(Desk, "send", early)
    assert str(played(tmp_path).failure).startswith("the answer to ")


def test_a_screen_before_its_record_is_durable_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dealer acts upon what she reads."""
    snapshot = Desk.snapshot

    def early(self: Desk, *given: Any) -> Any:
        drawn = snapshot(self, *given)
        return {**drawn, "seq": drawn["seq"] + 1}

    monkeypatch.setattr(Desk, "snapshot", early)
    assert str(played(tmp_path).failure).startswith("the dealer's screen tells of record ")


def test_a_journal_that_an_auditor_does_not_believe_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state may be right and the journal not: the count of a hand's cards is no part of any state."""
    encode = records.encode

    def miscounted(codec: Any, event: Any, **settings: Any) -> Any:
        body = encode(codec, event, **settings)
        return {**body, "dealt": body["dealt"] + 1} if body["type"] == "CardsCounted" else body

    monkeypatch.setattr(records, "encode", miscounted)
    assert str(played(tmp_path).failure).startswith("an auditor does not believe record ")


def test_tracebacks_in_the_logs_are_heard() -> None:
    """A card that an exception names is as public as one in the line above it."""
    heard: list[str] = []
    ear = LogEar(SimpleNamespace(hear_here=lambda _, text: heard.append(text)))  # type: ignore[arg-type]
    try:
        raise KeyError("As at seat 3")
    except KeyError:
        ear.handle(logging.LogRecord("table", logging.ERROR, "", 1, "a device fails", (), sys.exc_info()))
    assert "As at seat 3" in heard[0]


@pytest.mark.parametrize("topic", ["public", "seat/3", "status"])
def test_a_display_that_goes_back_is_a_failure(topic: str) -> None:
    """The number on each topic never falls within an epoch (invariant 22); what the broker kept from before may come again."""
    broken: list[Violation] = []
    topics = TableTopics("demo", "T1")
    watch: Any = SimpleNamespace(hear=lambda *_: None, rivals=0)
    disk: Any = SimpleNamespace(durable_seq=100, spoils=0)

    async def listen() -> None:
        ear = Overhearer(topics, watch, disk, broken.append)
        for at_s, seq, retain in ((0.0, 5, False), (1.0, 7, False), (1.0, 4, True), (1.0, 7, False), (1.0, 6, False)):
            await asyncio.sleep(at_s * 0.11)
            ear.on_message(message(f"{topics.root}/{topic}", {"epoch": 1, "seq": seq}, retain=retain))

    asyncio.run(listen())
    assert [str(each) for each in broken] == [f"{topics.root}/{topic} tells of record 6 after record 7"]


def message(topic: str, stamp: Mapping[str, object], *, retain: bool) -> Message:
    """One as the broker gives it."""
    text = str(stamp).replace("'", '"').encode()
    return SimpleNamespace(topic=topic, payload=text, retain=retain)  # type: ignore[return-value]


def test_a_key_that_is_answered_again_is_a_failure(tmp_path: Path) -> None:
    """However long after, and by whichever life: one key leads to one group of events (invariant 16)."""
    auditor = Simulation(Plan(1, hands=1, level=Level.NONE), tmp_path).watch.auditor
    auditor.answered("k1")
    auditor.answered("k2")
    with pytest.raises(Violation, match="the command k1 is answered, and done, a second time"):
        auditor.answered("k1")
