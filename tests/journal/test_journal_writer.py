"""The journal on the event loop: group commit in order, failure, bounds, and what a kill leaves."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path

import pytest

from controller.journal.errors import JournalBusy, JournalDamaged, JournalFailed, JournalMismatch, JournalOverloaded
from controller.journal.files import JOURNAL_FILE, closed_files
from controller.journal.high_water import HighWater, read_high_water, write_high_water
from controller.journal.schema import FORMAT
from controller.journal.store import KeyDelete, KeyInsert
from controller.journal.verify import verify_chain
from controller.journal.writer import MAX_GROUP, MAX_WAITING, Commit, Journal

CREATED = "2025-03-01T20:00:00Z"


async def open_journal(folder: Path | None, commit: Commit = Commit.THREAD, high_water: Path | None = None) -> Journal:
    """The journal of table T7."""
    return await Journal.open(folder, table="T7", journal_id="5f0c9a1e", created=CREATED, commit=commit, high_water=high_water)


@pytest.fixture(params=["thread", "inline", "memory"])
async def journal(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Journal]:
    """The same journal in its three forms."""
    commit = Commit.THREAD if request.param == "thread" else Commit.INLINE
    journal = await open_journal(None if request.param == "memory" else folder, commit)
    yield journal
    await journal.close()


async def test_an_append_is_durable_when_it_returns(journal: Journal) -> None:
    """Its numbers, the head, its events and its key are there; the epoch has risen at the start."""
    assert (journal.epoch, journal.last_seq, journal.origin.table) == (1, 0, "T7")
    appended = await journal.append([{"type": "A"}, {"type": "B"}], keys=[KeyInsert("T7/1", b"wrapped")])
    assert (appended.first_seq, appended.last_seq, appended.head) == (1, 2, journal.head)
    assert [(seq, body["type"]) for seq, body in journal.read()] == [(1, "A"), (2, "B")]
    assert journal.hand_keys() == {"T7/1": b"wrapped"}
    await journal.append([{"type": "C"}], keys=[KeyDelete("T7/1")])
    assert journal.hand_keys() == {}
    assert [seq for seq, _ in journal.read(2, 2)] == [2]


async def test_all_forms_give_one_head(journal: Journal) -> None:
    """Thread, inline and memory write the same bytes: the head is the chain over these texts."""
    texts = (
        b'{"created":"2025-03-01T20:00:00Z","epoch":0,"format":2,"journal":"5f0c9a1e","table":"T7","type":"JournalCreated"}',
        b'{"epoch":1,"place":"seat/3/up","type":"A"}',
        b'{"epoch":1,"n":[1,2],"type":"B"}',
    )
    head = bytes(32)
    for seq, text in enumerate(texts):
        head = sha256(head + seq.to_bytes(8, "big") + sha256(text).digest()).digest()
    await journal.append([{"type": "A", "place": "seat/3/up"}])
    await journal.append([{"n": [1, 2], "type": "B"}])
    assert journal.head == head


async def test_two_hundred_concurrent_appends_keep_their_order(journal: Journal) -> None:
    """Numbers follow the order of the calls, without a gap between the bodies of one append."""
    results = await asyncio.gather(*(journal.append([{"type": "N", "n": n}, {"type": "M", "n": n}]) for n in range(200)))
    assert [(result.first_seq, result.last_seq) for result in results] == [(2 * n + 1, 2 * n + 2) for n in range(200)]
    assert [(body["type"], body["n"]) for _, body in journal.read()] == [(kind, n) for n in range(200) for kind in "NM"]
    assert journal.waiting == 0


async def test_a_body_that_cannot_be_written_refuses_its_append_alone(journal: Journal) -> None:
    """The caller hears of it; the journal goes on."""
    with pytest.raises(ValueError, match="float"):
        await journal.append([{"type": "A", "n": 0.5}])
    await journal.append([{"type": "A"}])
    assert journal.last_seq == 1


async def test_after_a_failed_commit_nothing_is_taken_until_it_is_opened_again(journal: Journal) -> None:
    """A key inserted twice fails its commit; every later append fails too, and nothing of them is there."""
    await journal.append([{"type": "A"}], keys=[KeyInsert("T7/1", b"one")])
    tip = (journal.last_seq, journal.head)
    with pytest.raises(JournalFailed, match="nothing was written"):
        await journal.append([{"type": "B"}], keys=[KeyInsert("T7/1", b"two")])
    for _ in range(2):
        with pytest.raises(JournalFailed, match="opened again"):
            await journal.append([{"type": "C"}])
    assert (journal.last_seq, journal.head) == tip
    assert [body["type"] for _, body in journal.read()] == ["A"]


async def test_close_takes_nothing_more_and_may_be_repeated(journal: Journal) -> None:
    """An append after it is refused."""
    await journal.append([{"type": "A"}])
    await journal.close()
    await journal.close()
    with pytest.raises(JournalFailed, match="closed"):
        await journal.append([{"type": "B"}])


async def test_a_failure_reaches_everyone_who_shared_the_commit_and_everyone_after(folder: Path) -> None:
    """Of many concurrent appends with one bad one, each caller hears or is durable, and the file agrees with what they heard."""
    journal = await open_journal(folder)
    keys = [[KeyInsert("T7/1", b"k")] if n in (3, 30) else [] for n in range(60)]
    results = await asyncio.gather(
        *(journal.append([{"type": "N", "n": n}], keys=key) for n, key in enumerate(keys)), return_exceptions=True
    )
    durable = [n for n, result in enumerate(results) if not isinstance(result, JournalFailed)]
    assert durable == list(range(len(durable)))
    assert len(durable) <= 30
    assert [body["n"] for _, body in journal.read()] == durable
    await journal.close()


async def test_close_commits_what_waits(folder: Path) -> None:
    """Appends called before it are durable; the folder is free afterwards."""
    journal = await open_journal(folder)
    waiting = [asyncio.ensure_future(journal.append([{"type": "N", "n": n}])) for n in range(20)]
    await asyncio.sleep(0)
    await journal.close()
    assert [(await one).last_seq for one in waiting] == list(range(1, 21))
    again = await open_journal(folder)
    assert (again.last_seq, again.epoch) == (20, 2)
    await again.close()


async def test_one_append_past_the_bound_is_refused_and_the_others_stand(folder: Path) -> None:
    """MAX_WAITING appends wait; the next one is not taken and changes nothing. Groups are bounded too."""
    journal = await open_journal(folder)
    gate, commit, groups = threading.Event(), journal._store.commit, []

    def slow_commit(entries: list[object]) -> object:
        gate.wait(10)
        groups.append(len(entries))
        return commit(entries)

    journal._store.commit = slow_commit
    waiting = [asyncio.ensure_future(journal.append([{"type": "N", "n": n}])) for n in range(MAX_WAITING)]
    await asyncio.sleep(0)
    assert journal.waiting == MAX_WAITING
    with pytest.raises(JournalOverloaded, match="not taken"):
        await journal.append([{"type": "N", "n": MAX_WAITING}])
    gate.set()
    await asyncio.gather(*waiting)
    assert (journal.last_seq, journal.waiting) == (MAX_WAITING, 0)
    assert max(groups) == MAX_GROUP
    await journal.close()


async def test_a_cancelled_caller_does_not_disturb_the_others(folder: Path) -> None:
    """Its append may be written; those around it are, in order."""
    journal = await open_journal(folder)
    first, second, third = (asyncio.ensure_future(journal.append([{"type": name}])) for name in "ABC")
    await asyncio.sleep(0)
    second.cancel()
    assert (await first).last_seq == 1
    assert (await third).last_seq == 3
    with pytest.raises(asyncio.CancelledError):
        await second
    await journal.close()


async def test_the_loop_runs_while_a_commit_hangs(folder: Path) -> None:
    """A slow disk stalls the appends alone."""
    journal = await open_journal(folder)
    gate, commit = threading.Event(), journal._store.commit

    def slow_commit(entries: list[object]) -> object:
        gate.wait(10)
        return commit(entries)

    journal._store.commit = slow_commit
    append = asyncio.ensure_future(journal.append([{"type": "A"}]))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not append.done()
    gate.set()
    assert (await append).last_seq == 1
    await journal.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_nobody_waits_for_ever_when_the_writer_thread_dies(folder: Path) -> None:
    """An error that nobody foresaw ends the thread; who waits and who comes later hears of it."""
    journal = await open_journal(folder)

    def broken_commit(_: object) -> object:
        raise MemoryError

    journal._store.commit = broken_commit
    for _ in range(2):
        with pytest.raises(JournalFailed, match="writer has ended"):
            await journal.append([{"type": "A"}])
    await journal.close()


async def test_a_second_controller_is_told(folder: Path) -> None:
    """Also by the async face."""
    journal = await open_journal(folder)
    with pytest.raises(JournalBusy):
        await open_journal(folder)
    await journal.close()


async def test_a_larger_epoch_seen_elsewhere_is_passed(folder: Path) -> None:
    """``at_least_epoch`` is what a take-over brings from the witnesses."""
    journal = await Journal.open(folder, table="T7", journal_id="5f0c9a1e", created=CREATED, at_least_epoch=41)
    assert journal.epoch == 41
    await journal.append([{"type": "A"}])
    assert [body for _, body in journal.read()] == [{"type": "A", "epoch": 41}]
    await journal.close()


@pytest.mark.parametrize("commit", list(Commit))
async def test_the_witness_follows_the_journal(folder: Path, tmp_path: Path, commit: Commit) -> None:
    """After closing, the high-water file names the last event and head; it never named more."""
    path = tmp_path / "witness" / "T7.json"
    path.parent.mkdir()
    journal = await open_journal(folder, commit, path)
    for n in range(10):
        appended = await journal.append([{"type": "N", "n": n}])
        mark = read_high_water(path)
        assert mark is None or mark.seq <= journal.last_seq
    await journal.close()
    assert read_high_water(path) == HighWater("5f0c9a1e", 10, appended.head)


@pytest.mark.parametrize("commit", list(Commit))
async def test_a_journal_that_ends_before_its_witness_is_not_opened(folder: Path, tmp_path: Path, commit: Commit) -> None:
    """Cut short, an older copy, gone, another one, or another branch: each is told with its way out, and nothing is written."""
    path = tmp_path / "T7.witness"
    journal = await open_journal(folder, commit, path)
    await journal.append([{"type": "N", "n": 0}])
    shutil.copytree(folder, tmp_path / "old")
    await journal.append([{"type": "N", "n": 1}])
    await journal.close()
    mark = read_high_water(path)
    assert mark is not None
    with pytest.raises(JournalDamaged, match=r"ends at record 1, and the witness saw another record 2: restore the newest copy"):
        await open_journal(tmp_path / "old", commit, path)
    with pytest.raises(JournalDamaged, match="saw record 2 of one: restore the newest copy"):
        await open_journal(tmp_path / "gone", commit, path)
    assert not (tmp_path / "gone").exists()
    write_high_water(path, HighWater("00000001", 1, bytes(32)))
    with pytest.raises(JournalMismatch, match="the witness is of journal 00000001, not of 5f0c9a1e"):
        await open_journal(folder, commit, path)
    write_high_water(path, HighWater("5f0c9a1e", 2, bytes(32)))
    with pytest.raises(JournalDamaged, match="saw another record 2"):
        await open_journal(folder, commit, path)
    write_high_water(path, mark)
    again = await open_journal(folder, commit, path)
    assert (again.last_seq, again.head, again.epoch) == (2, mark.head, 2)
    await again.close()


CHILD = """
import asyncio, sys
from pathlib import Path
from controller.journal.writer import Journal

async def main():
    journal = await Journal.open(Path(sys.argv[1]), table="T7", journal_id="5f0c9a1e", created="")
    async def append(worker):
        n = 0
        while True:
            n += 1
            done = await journal.append([{"type": "N", "worker": worker, "n": n, "part": part} for part in (1, 2)])
            sys.stdout.write(f"{worker} {n} {done.last_seq}\\n")
            sys.stdout.flush()
    await asyncio.gather(*(append(worker) for worker in range(3)))

asyncio.run(main())
"""


@pytest.mark.ports
@pytest.mark.parametrize("kill_after", [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 4, 6, 7, 9, 11, 17, 27, 40, 70, 120])
async def test_a_killed_writer_leaves_a_whole_prefix_with_everything_acknowledged(folder: Path, kill_after: int) -> None:
    """kill -9 while three workers append: reopened, the chain is whole, no append is half there, and what was told is there."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(folder)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child, child.stdout as lines:
        told = [next(lines) for _ in range(kill_after)]
        os.kill(child.pid, signal.SIGKILL)
        told += [line for line in lines if line.endswith("\n")]
    journal = await open_journal(folder)
    events = list(journal.read())
    await journal.close()
    at = {(body["worker"], body["n"], body["part"]): seq for seq, body in events}
    for line in told:
        worker, n, last_seq = map(int, line.split())
        assert (at[worker, n, 1], at[worker, n, 2]) == (last_seq - 1, last_seq)
    assert len(events) % 2 == 0
    result = verify_chain(folder / JOURNAL_FILE)
    assert (result.ok, result.events) == (True, len(events))


class Medium:
    """A disk that writes down what it is told, and fails when it is asked to."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.fails_at = ""

    async def begin(self) -> None:
        self._note("begin")

    async def beside(self) -> None:
        self._note("beside")

    async def end(self, seq: int) -> None:
        self._note(f"end {seq}")

    def _note(self, what: str) -> None:
        self.told.append(what)
        if what == self.fails_at:
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(("fails_at", "written"), [("begin", 1), ("end 2", 2)])
async def test_a_simulated_disk_is_told_of_inline_commits_and_may_fail_them(folder: Path, fails_at: str, written: int) -> None:
    """Before and after each; what fails before the commit is not written, what fails after it is, and nothing more is taken."""
    disk = Medium()
    journal = await Journal.open(folder, table="T7", journal_id="5f0c9a1e", created=CREATED, commit=Commit.INLINE, disk=disk)
    await journal.append([{"type": "A"}])
    assert disk.told == ["begin", "end 1"]
    disk.fails_at = fails_at
    with pytest.raises(JournalFailed, match="No space left on device"):
        await journal.append([{"type": "B"}])
    disk.fails_at = ""
    with pytest.raises(JournalFailed, match="takes nothing until it is opened again"):
        await journal.append([{"type": "C"}])
    await journal.close()
    again = await open_journal(folder, Commit.INLINE)
    assert again.last_seq == written
    await again.close()


@pytest.mark.parametrize(
    ("fails_at", "closed", "is_taken", "written"),
    [("", 1, True, 3), ("begin", 0, True, 2), ("end 2", 1, False, 2)],
)
async def test_a_simulated_disk_is_told_of_a_change_of_files_and_may_fail_it(
    folder: Path, fails_at: str, closed: int, is_taken: bool, written: int
) -> None:
    """Without room for a second file the present one goes on; a medium that fails when the files have changed ends the writer."""
    disk = Medium()
    journal = await Journal.open(folder, table="T7", journal_id="5f0c9a1e", created=CREATED, commit=Commit.INLINE, disk=disk)
    await journal.append([{"type": "A"}])
    disk.told.clear()
    disk.fails_at = fails_at
    origin = journal.continuation(CREATED)
    named = {"journal": origin.journal, "format": FORMAT, "table": origin.table, "created": origin.created}
    body = {"type": "JournalContinued", **named, "first": origin.first, "before": origin.before.hex()}
    with nullcontext() if is_taken else pytest.raises(JournalFailed, match="No space left on device"):
        await journal.rotate(body, origin)
    steps = ["begin", "beside", "end 2"]
    assert disk.told == (steps[: steps.index(fails_at) + 1] if fails_at else steps)
    disk.fails_at = ""
    with nullcontext() if is_taken else pytest.raises(JournalFailed, match="takes nothing until it is opened again"):
        await journal.append([{"type": "B"}])
    await journal.close()
    assert len(closed_files(folder)) == closed
    again = await open_journal(folder, Commit.INLINE)
    assert again.last_seq == written
    await again.close()
