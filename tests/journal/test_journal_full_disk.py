"""A disk that is full, or takes no more of a file: nothing acknowledged is lost, and with room again the journal goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support.table_runs import ROOT

from controller.journal.errors import JournalError, JournalFailed
from controller.journal.files import JOURNAL_FILE
from controller.journal.store import JournalStore
from controller.journal.verify import verify_chain

CHILD = """
import json, resource, signal, sys
from pathlib import Path
from controller.journal.errors import JournalFailed
from controller.journal.store import JournalStore

folder, limit = Path(sys.argv[1]), int(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def opened():
    store = JournalStore.open(folder, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
    store.raise_epoch()
    return store

store = opened()
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
told, acknowledged = [], 0
while len(told) < 2:
    try:
        acknowledged = store.commit([store.prepare([{"type": "E", "text": "x" * 900}])])[0].last_seq
    except JournalFailed as error:
        told.append(str(error))
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
print(json.dumps({"acknowledged": acknowledged, "told": told}))
store.close()
"""


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of half a megabyte; the test is skipped where none may be mounted."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(folder)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no file system may be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def run_full(folder: Path, limit: int) -> dict[str, object]:
    """What a process is told that appends until no more is taken, and tries again when the limit is gone."""
    command = [sys.executable, "-c", CHILD, str(folder), str(limit)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def check(folder: Path, found: dict[str, object]) -> None:
    """The journal ends with what was acknowledged; it holds, and takes more."""
    first, second = found["told"]  # type: ignore[misc]
    assert "make room or mend the disk and start the table again" in first
    assert f"behind record {found['acknowledged']}" in first
    assert "takes nothing until it is opened again" in second
    assert isinstance(found["acknowledged"], int)
    assert found["acknowledged"] > 20
    kept = verify_chain(folder)
    assert (kept.ok, kept.events) == (True, found["acknowledged"])
    store = JournalStore.open(folder, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
    store.raise_epoch()
    store.commit([store.prepare([{"type": "E", "text": "x" * 900}])])
    assert store.last_seq == kept.events + 1
    store.close()
    assert verify_chain(folder).ok


@pytest.mark.ports
def test_a_file_that_may_not_grow_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    """The limit falls in the middle of a write to the log; room alone is not enough, a new start is (decision 0020)."""
    check(tmp_path / "data", run_full(tmp_path / "data", 200_000))


@pytest.mark.ports
def test_a_full_disk_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    """No space left on the device: the same, once something else on it was removed."""
    with small_disk(tmp_path / "small") as disk:
        reserve = disk / "reserve"
        reserve.write_bytes(bytes(64 * 1024))
        found = run_full(disk / "data", 0)
        assert (disk / "data" / JOURNAL_FILE).exists()
        reserve.unlink()
        check(disk / "data", found)


@pytest.mark.ports
def test_a_medium_that_became_read_only_is_refused_in_a_sentence_and_verifies(tmp_path: Path) -> None:
    """A disk with an error comes back for reading alone: no start plays on it, and what it holds can be read and copied."""
    with small_disk(tmp_path / "small") as disk:
        store = JournalStore.open(disk / "data", table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
        store.raise_epoch()
        store.commit([store.prepare([{"type": "E"}])])
        store.close()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises((JournalError, OSError), match=r"(?i)read-?only"):
            JournalStore.open(disk / "data", table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
        kept = verify_chain(disk / "data")
        assert (kept.ok, kept.events) == (True, 1)


@pytest.mark.ports
@pytest.mark.parametrize("begun", [False, True])
def test_a_start_on_a_full_disk_calls_no_journal_damaged(tmp_path: Path, begun: bool) -> None:
    """No journal is made or opened there: a sentence asks for room, for one that is called damaged may be thrown away."""
    with small_disk(tmp_path / "small") as disk:
        if begun:
            JournalStore.open(disk / "data", table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z").close()
        with suppress(OSError), (disk / "rest").open("wb") as rest:
            while True:
                rest.write(bytes(4096))
                rest.flush()
        with pytest.raises(JournalFailed, match="make room"):
            JournalStore.open(disk / "data", table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
        (disk / "rest").unlink()
        JournalStore.open(disk / "data", table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z").close()
        assert verify_chain(disk / "data").ok
