"""Checking from outside, and that no damage of a record passes unseen."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.canonical import Body
from controller.journal.chain import next_head
from controller.journal.errors import JournalDamaged
from controller.journal.files import JOURNAL_FILE
from controller.journal.store import JournalStore
from controller.journal.verify import ReplayDisagrees, verify_chain

Opener = Callable[[], JournalStore]
EVENTS = 6


@pytest.fixture
def journal(store: JournalStore, folder: Path) -> Path:
    """A closed journal of six events."""
    for number in range(1, EVENTS + 1):
        store.commit([store.prepare([{"type": "Counted", "n": number}])])
    store.close()
    return folder / JOURNAL_FILE


def tampered(journal: Path, *statements: str) -> None:
    """Change the file as somebody would who takes the triggers away and puts them back."""
    connection = sqlite3.connect(journal, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()


def test_a_whole_journal_verifies(journal: Path, open_store: Opener) -> None:
    """Events, head and origin; by file or by folder; nothing is left beside the file."""
    seen: list[tuple[int, object]] = []
    result = verify_chain(journal, lambda seq, body: seen.append((seq, body["n"])))
    assert (result.ok, result.events, result.first_bad, result.reason) == (True, EVENTS, None, None)
    assert seen == [(number, number) for number in range(1, EVENTS + 1)]
    assert verify_chain(journal.parent) == result
    assert [path.name for path in journal.parent.iterdir()] == [JOURNAL_FILE]
    store = open_store()
    assert (result.head, result.origin) == (store.head, store.origin)


def test_it_reads_a_running_table_without_disturbing_it(store: JournalStore, folder: Path) -> None:
    """What stands in the write-ahead log counts, no lock is taken, and the writer goes on while it reads."""
    store.commit([store.prepare([{"type": "A"}])])

    def write_on(seq: int, _: Body) -> None:
        assert seq == 1
        store.commit([store.prepare([{"type": "B"}])])

    first = verify_chain(folder, write_on)
    assert (first.ok, first.events) == (True, 1)
    second = verify_chain(folder)
    assert (second.ok, second.events, second.head) == (True, 2, store.head)


def test_a_copy_in_a_folder_that_cannot_be_written_verifies(journal: Path, tmp_path: Path) -> None:
    """Evidence is checked where it lies."""
    archive = tmp_path / "archive"
    archive.mkdir()
    shutil.copy(journal, archive / "copy.db")
    archive.chmod(0o500)
    try:
        assert verify_chain(archive / "copy.db").ok
    finally:
        archive.chmod(0o700)


@pytest.mark.parametrize(
    ("statement", "first_bad", "reason"),
    [
        ("UPDATE event SET body = replace(body, '3', '4') WHERE seq = 3", 3, "hash chain"),
        ("UPDATE event SET hash = zeroblob(32) WHERE seq = 4", 4, "hash chain"),
        ("DELETE FROM event WHERE seq = 2", 2, "missing or out of order: 3"),
        ("DELETE FROM event WHERE seq = 0", 0, "missing or out of order: 1"),
        ("DELETE FROM event", 0, "the first record is missing"),
        ("UPDATE event SET seq = seq + 1 WHERE seq = 6", 6, "missing or out of order: 7"),
        ("UPDATE event SET seq = -1 WHERE seq = 6", 0, "missing or out of order: -1"),
        ("UPDATE meta SET \"table\" = 'T8'", 0, "do not say the same"),
        ("UPDATE meta SET journal = '00000000'", 0, "do not say the same"),
        ("UPDATE meta SET format = 3", 0, "the one row"),
        ("UPDATE writer SET epoch = 0", 1, "past the writer's epoch"),
        ("DROP TABLE hand_key", 0, "missing"),
    ],
)
def test_a_change_is_found_and_named(journal: Path, open_store: Opener, statement: str, first_bad: int, reason: str) -> None:
    """Changed, removed, renumbered records and a changed origin; opening refuses them with the same words."""
    tampered(journal, statement)
    result = verify_chain(journal)
    assert (result.ok, result.first_bad, result.events) == (False, first_bad, max(first_bad - 1, 0))
    assert reason in str(result.reason)
    with pytest.raises(JournalDamaged) as damage:
        open_store()
    assert (damage.value.seq, damage.value.reason) == (first_bad, result.reason)


def test_exchanged_records_are_found(journal: Path) -> None:
    """Two bodies, hashes and all, in each other's place."""
    tampered(
        journal,
        "UPDATE event SET seq = 100 WHERE seq = 2",
        "UPDATE event SET seq = 2 WHERE seq = 3",
        "UPDATE event SET seq = 3 WHERE seq = 100",
    )
    assert verify_chain(journal).first_bad == 2


def test_a_missing_trigger_is_found(journal: Path) -> None:
    """A file that could be changed without a trace is no journal."""
    connection = sqlite3.connect(journal)
    connection.execute("DROP TRIGGER event_delete")
    connection.close()
    result = verify_chain(journal)
    assert (result.first_bad, result.reason) == (0, "trigger event_delete of event is missing")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"epoch":0,"type":"A"}', "epoch 0 follows epoch 1"),
        ('{"epoch":7,"type":"A"}', "epoch 7 is past the writer's epoch 1"),
        ('{"type":"A"}', "names no epoch"),
        ('{"type":"A", "epoch":1}', "not canonical"),
    ],
)
def test_a_chained_record_that_no_writer_of_ours_made_is_found(journal: Path, body: str, reason: str) -> None:
    """A right hash is not enough: epochs never fall, and bodies are canonical."""
    head = next_head(verify_chain(journal).head, EVENTS + 1, body.encode())
    tampered(journal, f"INSERT INTO event VALUES ({EVENTS + 1}, '{body}', x'{head.hex()}')")  # noqa: S608
    result = verify_chain(journal)
    assert result.first_bad == EVENTS + 1
    assert reason in str(result.reason)


def test_a_replay_that_disagrees_names_its_event(journal: Path) -> None:
    """The caller's reason and the event's number; the events before it count."""

    def replay(seq: int, _: Body) -> None:
        if seq == 4:
            raise ReplayDisagrees("stacks do not add up")

    result = verify_chain(journal, replay)
    assert (result.ok, result.events, result.first_bad, result.reason) == (False, 3, 4, "stacks do not add up")


def test_a_file_that_is_not_there_or_no_journal(tmp_path: Path) -> None:
    """Nothing to check is an error of the caller; something else than a journal does not verify."""
    with pytest.raises(FileNotFoundError, match="no journal"):
        verify_chain(tmp_path / "missing.sqlite3")
    for content in (b"", b"x" * 5000):
        (tmp_path / "other").write_bytes(content)
        result = verify_chain(tmp_path / "other")
        assert (result.ok, result.first_bad) == (False, 0)


def test_every_flipped_byte_of_a_record_is_found_and_named(journal: Path, tmp_path: Path) -> None:
    """Each byte of each body and hash in the file, one at a time: the record it stands in is the first bad one."""
    connection = sqlite3.connect(journal)
    records = connection.execute("SELECT seq, CAST(body AS BLOB), hash FROM event").fetchall()
    connection.close()
    whole = journal.read_bytes()
    copy = tmp_path / "flipped.sqlite3"
    for seq, body, stored in records:
        for part in (body, stored):
            start = whole.index(body + stored) + (0 if part is body else len(body))
            for position in range(start, start + len(part)):
                flip(whole, position, copy)
                assert verify_chain(copy).first_bad == seq


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
def test_no_flipped_byte_anywhere_changes_what_is_read(journal: Path, tmp_path: Path, step: int) -> None:
    """Every seventh byte of the file (every one in the long run): it is refused, or every event and the head read as before."""
    whole, copy = journal.read_bytes(), tmp_path / "flipped.sqlite3"
    right = verify_chain(journal)
    refused = 0
    for position in range(0, len(whole), step):
        flip(whole, position, copy)
        seen: list[object] = []
        result = verify_chain(copy, lambda _, body, seen=seen: seen.append(body["n"]))
        if result.ok:
            assert (seen, result) == (list(range(1, EVENTS + 1)), right)
        refused += not result.ok
    assert refused > 100


def flip(whole: bytes, position: int, copy: Path) -> None:
    """Write ``whole`` with all bits of one byte turned."""
    changed = bytearray(whole)
    changed[position] ^= 0xFF
    copy.write_bytes(changed)


def test_a_journal_that_was_cut_short_does_not_hold_a_later_head(journal: Path) -> None:
    """A chain that was cut is still a chain; any head that was noted elsewhere shows it, and an earlier one is held."""
    heads: list[bytes] = []
    assert verify_chain(journal, on_head=lambda _, head: heads.append(head)).ok
    assert len(heads) == EVENTS + 1
    for head in heads:
        assert verify_chain(journal, head=head).ok
    tampered(journal, "DELETE FROM event WHERE seq = 6")
    assert verify_chain(journal).ok
    assert verify_chain(journal, head=heads[-2]).ok
    found = verify_chain(journal.parent, head=heads[-1])
    assert (found.ok, found.events, found.first_bad) == (False, EVENTS - 1, EVENTS)
    assert found.reason is not None
    assert found.reason.startswith(f"the journal ends here and holds no record with the head {heads[-1].hex()}: it was cut short")
