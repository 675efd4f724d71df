"""Directed scenarios of recovery §14 at a start: a journal that lost its end, a copy of it, a controller that was paused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

from support.directed import Directed, as_without, dealing, later

from controller.app import FencedError
from controller.journal.errors import JournalDamaged
from controller.mqtt.ports import Handler
from controller.table.events import CardRead, ShoeHalted

DEALT = dealing(3, 5)


class Cut(Directed):
    """The controller ends when ``now`` says so, after ``when``, and its journal loses the last commit."""

    def __init__(self, folder: Path, now: Callable[[Cut], bool], *, witness: bool = False) -> None:
        self.has_witness = witness  # type: ignore[misc]
        super().__init__(folder, when=DEALT, then=lambda run: self.wait(now))
        self.is_cut = False
        self.errors: list[BaseException] = []

    def wait(self, now: Callable[[Cut], bool]) -> None:
        if not now(self):
            later(0.005, lambda: self.wait(now))
            return
        self.kill()
        self.is_cut = self.disk.lose_tail(1)

    async def _serve(self, handler: Handler) -> None:
        """The broker is reached when a start has written its records already."""
        await asyncio.sleep(0.5)
        await super()._serve(handler)

    def _stopped_by_itself(self, error: BaseException) -> None:
        self.errors.append(error)
        super()._stopped_by_itself(error)


def last_is_card(run: Cut) -> bool:
    return isinstance(run.told[-1][1], CardRead)


def test_the_witness_alone_notices_a_tail_that_is_lost(tmp_path: Path) -> None:
    """Scenario 10: chain and integrity check are fine; the file on the other medium saw one commit more."""
    run = Cut(tmp_path, lambda _: True, witness=True)
    as_without(run, crashes=2)
    assert run.is_cut
    assert [type(error) for error in run.errors] == [JournalDamaged]


def test_the_broker_alone_notices_a_tail_that_is_lost(tmp_path: Path) -> None:
    """Scenario 10: what is retained of the last controller tells of a record that a start writes over at once."""

    def heard(run: Cut) -> bool:
        newest = max(json.loads(payload)["seq"] for payload in run.broker.retained.values())
        return newest == run.watch.state.seq and not last_is_card(run)

    run = Cut(tmp_path, heard)
    as_without(run, crashes=2)
    assert run.is_cut
    first, *more = run.errors
    assert isinstance(first, FencedError)
    assert "that are not here" in str(first)
    assert all("the shoe obeys another" in str(error) for error in more), "the shoe has honoured the start that was stopped"


def test_the_shoe_alone_notices_a_tail_that_is_lost(tmp_path: Path) -> None:
    """Scenario 10: the shoe was told that a card is safe which the journal does not hold."""
    halted: list[ShoeHalted] = []

    def acknowledged(run: Cut) -> bool:
        if not last_is_card(run) or run.rehearsal.devices.shoe.acked[1] < run.watch.state.shoe.accepted_seq:
            return False
        run.broker.restart()
        return True

    run = Cut(tmp_path, acknowledged)
    run.rehearsal.watchers.append(lambda _, records: halted.extend(e for r in records if isinstance(e := r.event, ShoeHalted)))
    as_without(run, crashes=2)
    assert run.is_cut
    assert [event.code for event in halted] == ["tail_lost"]
