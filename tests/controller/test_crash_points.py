"""A crash at every commit of a hand, before, within and after it: the hand goes on as if nothing had happened (REG-04).

The points are enumerated, not drawn: a run without a crash counts its commits, and for each of them there is a run that loses its
current there. Devices, dealer, players and broker live on. That each start finds the state of before, that no order of the gate
is executed twice, that the shoe forgets nothing that the journal lacks and that nothing is told before it is durable is watched
in each run by the simulation itself.
"""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.table_runs import Recorder

from controller import app
from controller.hand.events import HandOpened
from controller.journal.canonical import Body
from controller.journal.codec import Codec
from controller.journal.files import closed_files
from controller.journal.store import ROTATE_AFTER, JournalStore
from controller.rehearsal import Play
from controller.simulate import run as simulation
from controller.simulate.disk import Halfway, Moment, fast_folder
from controller.simulate.plan import Drawn, Plan
from controller.simulate.run import Simulation
from controller.table.carried_events import CommandAnswered
from controller.table.keyring import Keyring
from controller.table.opening import rebuild
from controller.table.state import TableState
from simulators.habits import Habits
from simulators.memory_broker import MemoryClient

MOMENTS = tuple(Moment)
HEADS_UP = {2: ("Seat 2", 200), 5: ("Seat 5", 200)}


class CrashingOnce(Simulation):
    """One hand of two players that never slips; the current fails at ``moment`` of commit number ``at``."""

    def __init__(self, plan: Plan, folder: Path, at: int, moment: Moment, halfway: Halfway | None = None) -> None:
        super().__init__(plan, folder)
        self.found_files: list[list[str]] = []
        """Names of the journal's files as each start finds them."""
        self.events = Recorder(self.topics.events)
        begin = self.disk.begin

        async def begin_or_crash() -> None:
            if self.disk.commits + 1 == at:
                self.disk.fail_at(moment, halfway)
            await begin()

        self.disk.begin = begin_or_crash  # type: ignore[method-assign]

    async def _live(self) -> None:
        names = (path.name for path in self.disk.folder.glob("journal*.sqlite3*"))
        self.found_files.append(sorted(name for name in names if not name.endswith(("-wal", "-shm"))))
        await super()._live()

    async def _people(self) -> None:
        hearing = asyncio.create_task(MemoryClient(self.broker, "recorder", self.events).run())
        try:
            await super()._people()
            await asyncio.sleep(simulation.QUIET_S)
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Two players, no fault drawn; how loosely they play, and how long a file grows, is set by the test."""
    given: dict[str, Any] = {"looseness": 0.3, "rotate_after": ROTATE_AFTER}

    def draw(cls: type[Drawn], plan: Plan) -> Drawn:
        play = Play(variant=str(plan.variant), seats=HEADS_UP, speed=1.0, rules={"table.max_seats": "6"})
        rng = random.Random(plan.seed)
        return cls(rng, play, str(plan.variant), given["looseness"], Habits(), rotate_after=given["rotate_after"])

    monkeypatch.setattr(Drawn, "of", classmethod(draw))
    return given


def outcome(
    variant: str, seed: int, at: int = 0, moment: Moment = Moment.AFTER, halfway: Halfway | None = None
) -> tuple[dict[str, Any], CrashingOnce]:
    """What a run leads to, and the run: hands event by event, stacks, cards; and what must happen once."""
    with tempfile.TemporaryDirectory(prefix="stud-crash-", dir=fast_folder()) as folder:
        run = CrashingOnce(Plan(seed, hands=1, variant=variant, kept=()), Path(folder), at, moment, halfway)
        result = run.play()
        assert result.ok, (at, moment, result.failure, result.stuck)
        assert result.crashes == (at > 0)
        state = run.watch.state
        told: defaultdict[int, set[str]] = defaultdict(set)
        for payload in run.events.payloads(""):
            payload.pop("epoch")
            told[payload["seq"]].add(json.dumps(payload, sort_keys=True))
        assert [seq for seq, bodies in told.items() if len(bodies) > 1] == [], "told again, it is the same"
        for _, path in closed_files(run.disk.folder):
            assert keys_in(path) == 0, "keys live in the newest file alone"
        store = JournalStore.open(run.disk.folder, table="T1", journal_id="00000000", created="2026-01-01T00:00:00Z")
        try:
            bodies = [body for _, body in store.events()]
        finally:
            store.close()
        answered = Counter(body["key"] for body in bodies if body["type"] == CommandAnswered.__name__)
        assert [key for key, count in answered.items() if count > 1] == [], "a command acts once"
        assert sum(body["type"] == HandOpened.__name__ for body in bodies) == 1, "a hand's number is given once"
        found = {
            "hands": run.watch.auditor.outcome.hands,
            "stacks": [(seat.seat, seat.name, seat.stack) for seat in state.seats],
            "cards": {card.text: str(place) for card, place in state.custody.lying.items()},
            "dealt": (state.hand_number, state.custody.accounted, state.chips_conserved),
        }
        return found, run


def keys_in(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM hand_key").fetchone()
        return int(count)


def crash_everywhere(variant: str, seed: int, moments: int) -> int:
    """Crash at each commit, ``moments`` of the three a commit; points that were tried."""
    wanted, whole = outcome(variant, seed)
    points = 0
    for at in range(1, whole.disk.commits + 1):
        for moment in (MOMENTS[(at + turn) % 3] for turn in range(moments)):
            found, _ = outcome(variant, seed, at, moment)
            assert found == wanted, (variant, seed, at, moment)
            points += 1
    return points


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("variant", "seed"), [("stud", 4), ("stud8", 6), ("razz", 1)])
def test_a_crash_at_every_commit_of_a_short_hand_changes_nothing(variant: str, seed: int) -> None:
    """A hand that ends on third street, each of its commits once: before, within and after it in turn."""
    assert crash_everywhere(variant, seed, 1) >= 20


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 15))
@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_a_crash_at_every_commit_of_whole_hands_changes_nothing(variant: str, seed: int, drawn: dict[str, Any]) -> None:
    """Hands that go further, every commit at every moment."""
    drawn["looseness"] = 0.9
    points = crash_everywhere(variant, seed, 3)
    print(f"{variant} {seed}: {points} points")
    assert points >= 3 * 20


NEWEST, NEXT = "journal.sqlite3", "journal.sqlite3.new"
LEFT: dict[tuple[Moment, Halfway | None], tuple[bool, bool, bool]] = {
    (Moment.BEFORE, None): (True, False, False),
    (Moment.WITHIN, Halfway.BEGUN): (True, True, False),
    (Moment.WITHIN, Halfway.WRITTEN): (True, True, False),
    (Moment.WITHIN, Halfway.RENAMED): (False, True, True),
    (Moment.WITHIN, Halfway.SWAPPED): (True, False, True),
    (Moment.AFTER, None): (True, False, True),
}
"""Where the current fails in a change of files, and what the start finds: the newest file, the prepared one, a closed one."""


def test_a_crash_at_every_step_of_a_change_of_files_changes_nothing(drawn: dict[str, Any]) -> None:
    """The journal's next file is in force or it is not: the hand that begins with it is the same, and no key stays behind."""
    drawn["rotate_after"] = 1
    wanted, whole = outcome("razz", 1)
    (change,) = whole.disk.changes
    for (moment, halfway), left in LEFT.items():
        found, run = outcome("razz", 1, change, moment, halfway)
        assert found == wanted, (moment, halfway)
        names = run.found_files[1]
        assert (NEWEST in names, NEXT in names, len(names) > (NEWEST in names) + (NEXT in names)) == left, (moment, halfway)


def test_a_start_that_forgets_the_last_record_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail."""

    def forgetful(bodies: Iterable[tuple[int, Body]], codec: Codec, keyring: Keyring) -> TableState:
        return rebuild(list(bodies)[:-1], codec, keyring)

    monkeypatch.setattr(app, "rebuild", forgetful)
    with pytest.raises(AssertionError, match=r"the journal stands at (\d+), the state at (?!\1)"):
        outcome("razz", 1, 20, Moment.AFTER)
