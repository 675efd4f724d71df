"""A table whose journal goes through many files: nothing that anybody sees depends on where one ends."""

from __future__ import annotations

import asyncio
import dataclasses
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.houses import House
from support.table_story import without_hidden

from controller.export.files import export_journal
from controller.hand.events import HandOpened
from controller.journal.files import closed_files
from controller.rehearsal import Play
from controller.table.carried_events import CommandAnswered, JournalContinued
from controller.table.carry import ANSWERS_CARRIED, carried, restored
from controller.table.state import TableState
from controller.verify import audit
from simulators.virtual_time import run_virtual

PLAY = Play(seats={1: ("Ann", 90), 3: ("Bob", 30), 4: ("Cleo", 200), 8: ("Dan", 200)})
SHORT = 100
"""Records of a file; each hand has more."""


def virtual(story: Callable[[], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        return await story()

    return run_virtual(run(), max_seconds=3_000)


def evening(folder: Path, seed: int, hands: int, rotate_after: int) -> tuple[House, Path]:
    """Hands dealt without trouble, and where the journal lies."""
    house = House(folder, PLAY, seed=seed, rotate_after=rotate_after)

    async def story() -> None:
        try:
            await house.evening(hands)
        finally:
            await house.close()

    virtual(story)
    return house, folder / "start1"


def public(house: House) -> list[tuple[str, object]]:
    """What happened, but for the file changes."""
    return [
        (type(record.event).__name__, record.event) for record in house.records if not isinstance(record.event, JournalContinued)
    ]


def test_an_evening_in_many_files_is_the_same_evening(tmp_path: Path) -> None:
    """Event by event the same; the audit goes through all files; the exported hands are equal, and each file holds alone."""
    one, whole = evening(tmp_path / "one", seed=4, hands=4, rotate_after=10**6)
    many, parts = evening(tmp_path / "many", seed=4, hands=4, rotate_after=SHORT)
    closed = closed_files(parts)
    assert len(closed) >= 2
    assert closed_files(whole) == ()
    assert public(many) == public(one)
    found = audit(parts)
    assert (found.ok, found.hands, found.chips_conserved, found.cards_conserved) == (True, 4, True, True)
    assert found.events == len(many.records)
    for _, path in closed:
        assert audit(path).ok
    exports = [export_journal(journal, "phh", tmp_path / journal.parent.name / "out") for journal in (whole, parts)]
    first, second = ([path.read_text(encoding="utf-8") for path in export.files] for export in exports)
    assert len(first) == 4
    assert [without_numbers(text) for text in first] == [without_numbers(text) for text in second]


def without_numbers(text: str) -> str:
    """A hand without the numbers of its records, which count the first record of each file as well."""
    return re.sub(r'(first|last)_event = \d+|head = "[0-9a-f]+"', "", text)


def test_every_file_begins_right_before_a_hand(tmp_path: Path) -> None:
    """So that a hand never lies in two files."""
    house, _ = evening(tmp_path, seed=5, hands=3, rotate_after=SHORT)
    begun = [number for number, record in enumerate(house.records) if isinstance(record.event, JournalContinued)]
    assert begun
    for number in begun:
        order, opened = (record.event for record in house.records[number + 1 : number + 3])
        assert isinstance(order, CommandAnswered)
        assert isinstance(opened, HandOpened)


@pytest.mark.parametrize("seed", range(3))
def test_controllers_that_die_between_files_lose_nothing(tmp_path: Path, seed: int) -> None:
    """A start reads the newest file alone and knows what the dead controller knew; a repeated command is still known."""
    house = House(tmp_path, PLAY, seed=seed, rotate_after=SHORT)
    rng = random.Random(seed)

    async def trouble() -> None:
        while True:
            await asyncio.sleep(rng.uniform(0.1, 0.8))
            dead = await house.kill()
            await asyncio.sleep(0.1)
            alive = await house.start()
            old, new = dead.table.state, alive.table.state
            assert without_hidden(new)["hand"] == without_hidden(old)["hand"]
            assert (new.seats, new.bought_in, new.raked) == (old.seats, old.bought_in, old.raked)
            assert new.answers.keys() == old.answers.keys()

    async def story() -> None:
        try:
            stats = await house.evening(4, trouble)
            assert (stats.hands, stats.voided) == (4, 0)
        finally:
            await house.close()

    virtual(story)
    assert house.starts > 1
    folder = tmp_path / f"start{house.starts}"
    found = audit(folder)
    assert (found.ok, found.hands) == (True, 4)
    assert closed_files(folder)


def test_a_forged_beginning_is_found(tmp_path: Path) -> None:
    """Whoever writes other stacks into the first record of a file has to change the file before as well."""
    house, parts = evening(tmp_path, seed=6, hands=3, rotate_after=SHORT)
    event = next(record.event for record in house.records if isinstance(record.event, JournalContinued))
    state = restored(event)
    richer = state._replace(seats=(state.seats[0]._replace(stack=state.seats[0].stack + 5), *state.seats[1:]))
    assert restored(event) == state
    assert audit(parts).ok
    assert richer.seq == event.first
    replayed = audit_with(parts, event, richer)
    assert replayed == "the file does not begin with the state that the one before it ends with"


def audit_with(parts: Path, event: JournalContinued, state: Any) -> str:
    """What the audit says when ``event`` is told to carry ``state``."""
    from controller.journal.schema import Origin
    from controller.journal.verify import ReplayDisagrees, verify_chain
    from controller.table.records import encode, table_codec
    from controller.verify.replay import Replay

    origin = Origin(event.journal, event.table, event.created, event.first, bytes.fromhex(event.before))
    forged = carried(state, origin, event.kid, event.commitments)
    replay, said = Replay(), ""

    def take(seq: int, body: Any) -> None:
        nonlocal said
        if seq == event.first:
            body = encode(table_codec(), forged, epoch=body["epoch"], at=body["at"], sealer=None, deal=0, ordinal=0)
        try:
            replay.take(seq, body)
        except ReplayDisagrees as error:
            said = str(error)
            raise

    assert not verify_chain(parts, take).ok
    return said


def test_what_is_carried_comes_back_whole(tmp_path: Path) -> None:
    """Of the state before a hand everything but the last hand and all but the last answers is carried."""
    house, _ = evening(tmp_path, seed=7, hands=2, rotate_after=10**6)
    assert ANSWERS_CARRIED > 100
    app = house._dead[-1]
    state = app.table.state
    origin = app.journal.continuation("2026-01-02T00:00:00Z")
    back = restored(carried(state, origin, "T1/00000000/1", ()))
    assert back._replace(hand=state.hand, custody=state.custody, seq=state.seq) == state


def test_every_field_of_the_state_is_carried_or_stands_still_between_hands() -> None:
    """A field that is added later must be carried, or be named here: it has one value before a hand, or the hand sets it."""
    still = {
        "hand",
        "status",
        "felt_ready",
        "custody",
        "paused",
        "closed",
        "locked",
        "clock",
        "stopped",
        "asked",
        "let_go",
        "seq",
    } | {
        "shoe_errors",
        "shoe_clears",
    }
    of_the_hand = {"keyed", "by_hand", "cards_keyed", "hand_deal", "faces_back", "mucked", "revived", "around"}
    assert {*TableState._fields} - still - of_the_hand <= {field.name for field in dataclasses.fields(JournalContinued)}
