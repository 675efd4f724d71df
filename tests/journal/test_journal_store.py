"""The journal file: who may open it, what one commit does, and what is left when it fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.canonical import canonical
from controller.journal.chain import ZERO_HEAD, next_head
from controller.journal.connections import BUSY_TIMEOUT_MS
from controller.journal.errors import JournalBusy, JournalDamaged, JournalFailed, JournalFenced, JournalMismatch
from controller.journal.files import JOURNAL_FILE
from controller.journal.scan import READ_PAGE
from controller.journal.schema import MAX_EPOCH
from controller.journal.store import MAX_BODIES, JournalStore, KeyDelete, KeyInsert

Opener = Callable[[], JournalStore]


def fill(store: JournalStore, count: int, start: int = 1) -> None:
    """Append ``count`` small events, one commit each."""
    for number in range(start, start + count):
        store.commit([store.prepare([{"type": "Counted", "n": number}])])


def test_an_epoch_past_the_last_is_refused_in_a_sentence(open_store: Callable[..., JournalStore]) -> None:
    """No controller counts that far: somebody wrote it there. A full disk is not what is told, for more room mends nothing."""
    store = open_store()
    assert store.raise_epoch(at_least=MAX_EPOCH) == MAX_EPOCH
    for at_least in (0, 2**63 - 1, 2**80):
        with pytest.raises(JournalFailed, match="somebody set it; restore the newest copy") as refused:
            store.raise_epoch(at_least=at_least)
        assert "room" not in str(refused.value)


def test_a_new_journal_holds_its_origin_and_no_event(store: JournalStore, folder: Path) -> None:
    """Record 0 binds what the journal is; events count from 1."""
    assert (store.last_seq, store.epoch) == (0, 1)
    assert list(store.events()) == []
    origin = canonical(
        {
            "type": "JournalCreated",
            "journal": "5f0c9a1e",
            "format": 2,
            "table": "T7",
            "created": "2025-03-01T20:00:00Z",
            "epoch": 0,
        }
    )
    assert store.head == next_head(ZERO_HEAD, 0, origin)
    assert sorted(path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))) == [JOURNAL_FILE]


def test_file_and_logs_are_for_the_owner_alone(store: JournalStore, folder: Path) -> None:
    """Mode 0600 for the database and everything SQLite puts beside it, 0700 for the folder."""
    fill(store, 1)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_every_commit_is_synced(store: JournalStore) -> None:
    """Write-ahead log and ``synchronous=FULL``: an acknowledged event survives the loss of power."""
    pragmas = [
        store._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "secure_delete")
    ]
    assert pragmas == ["wal", 2, 1]


def test_events_come_back_in_order_after_a_restart(open_store: Opener) -> None:
    """Reopened: the same events, head and number; a page boundary does not show."""
    store = open_store()
    store.raise_epoch()
    count = READ_PAGE * 2
    store.commit([store.prepare([{"type": "Counted", "n": number}]) for number in range(1, count + 1)])
    head = store.head
    store.close()
    again = open_store()
    assert (again.last_seq, again.head, again.epoch) == (count, head, 1)
    assert [(seq, body["n"]) for seq, body in again.events()] == [(n, n) for n in range(1, count + 1)]
    assert [seq for seq, _ in again.events(count - 1)] == [count - 1, count]
    assert [seq for seq, _ in again.events(3, 5)] == [3, 4, 5]


def test_one_commit_takes_several_appends_with_their_places(store: JournalStore) -> None:
    """Each append learns its first and last number and the head after it."""
    first, keys, last = store.commit(
        [
            store.prepare([{"type": "A"}, {"type": "B"}]),
            store.prepare([], [KeyInsert("T7/1", b"wrapped")]),
            store.prepare([{"type": "C"}]),
        ]
    )
    assert (first.first_seq, first.last_seq) == (1, 2)
    assert (keys.first_seq, keys.last_seq, keys.head) == (3, 2, first.head)
    assert (last.first_seq, last.last_seq, last.head) == (3, 3, store.head)
    assert store.hand_keys() == {"T7/1": b"wrapped"}
    assert [body for _, body in store.events()] == [{"type": name, "epoch": 1} for name in "ABC"]


def test_two_openers(open_store: Opener, store: JournalStore, folder: Path) -> None:
    """The second is told in one sentence; after the first has closed it may."""
    with pytest.raises(JournalBusy, match=f"another controller, demo or calibration works in {folder}"):
        open_store()
    store.close()
    open_store().raise_epoch()


def test_a_journal_of_another_table_is_refused(store: JournalStore, folder: Path) -> None:
    """The sentence names both tables, and the folder is free again."""
    store.close()
    for _ in range(2):
        with pytest.raises(JournalMismatch, match="of table T7, not of T8"):
            JournalStore.open(folder, table="T8", journal_id="00000000", created="")


def test_an_open_journal_goes_on_under_its_first_identity(open_store: Opener, store: JournalStore, folder: Path) -> None:
    """Id and beginning that a later start brings are not taken."""
    store.close()
    again = JournalStore.open(folder, table="T7", journal_id="ffffffff", created="later")
    assert (again.origin.journal, again.origin.created) == ("5f0c9a1e", "2025-03-01T20:00:00Z")
    again.close()


def test_the_epoch_rises_with_each_writer(open_store: Opener, store: JournalStore) -> None:
    """By one, or to what a witness has seen; it survives a restart."""
    fill(store, 1)
    assert store.raise_epoch() == 2
    assert store.raise_epoch(at_least=9) == 9
    assert store.raise_epoch(at_least=3) == 10
    fill(store, 1, 2)
    store.close()
    assert open_store().epoch == 10


def test_a_writer_that_slept_through_a_takeover_is_fenced(store: JournalStore, folder: Path) -> None:
    """A larger epoch in the file stops the older writer at its next insert, and it stays stopped."""
    fill(store, 1)
    other = sqlite3.connect(folder / JOURNAL_FILE)
    other.execute("UPDATE writer SET epoch = 2")
    other.commit()
    other.close()
    with pytest.raises(JournalFenced, match="epoch"):
        fill(store, 1)
    with pytest.raises(JournalFailed, match="opened again"):
        fill(store, 1)
    with pytest.raises(JournalFailed, match="opened again"):
        store.raise_epoch()
    assert len(list(store.events())) == 1


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ([], "needs a body"),
        ([{"n": 1}], "needs its type"),
        ([{"type": "A", "n": 1.5}], "float"),
        ([{"type": "A", "epoch": 7}], "another epoch"),
        ([{"type": "A"}] * (MAX_BODIES + 1), "at most"),
    ],
)
def test_a_body_that_cannot_be_written_changes_nothing(
    store: JournalStore, bodies: list[dict[str, object]], message: str
) -> None:
    """It is refused before anything is written, and the journal goes on."""
    with pytest.raises(ValueError, match=message):
        store.prepare(bodies)
    store.commit([store.prepare([{"type": "A", "epoch": 1}] * MAX_BODIES)])
    assert store.last_seq == MAX_BODIES


def test_a_failed_commit_leaves_nothing_of_any_append(open_store: Opener, store: JournalStore) -> None:
    """A key that is there already fails its append and those that share the transaction: events, keys, number and head."""
    store.commit([store.prepare([{"type": "A"}], [KeyInsert("T7/1", b"one")])])
    tip = store.tip
    with pytest.raises(JournalFailed, match="nothing was written"):
        store.commit(
            [store.prepare([{"type": "B"}], [KeyInsert("T7/2", b"two")]), store.prepare([], [KeyInsert("T7/1", b"again")])]
        )
    assert store.tip == tip
    store.close()
    again = open_store()
    assert again.tip == tip
    assert again.hand_keys() == {"T7/1": b"one"}


def test_a_full_disk_fails_whole_and_the_journal_goes_on_after_reopening(open_store: Opener, store: JournalStore) -> None:
    """The append that finds no room leaves nothing; with room again, the journal continues where it was."""
    fill(store, 3)
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    tip = store.tip
    with pytest.raises(JournalFailed, match="full"):
        store.commit([store.prepare([{"type": "Long", "text": "x" * 9000}] * 5)])
    store.close()
    again = open_store()
    assert again.tip == tip
    again.raise_epoch()
    again.commit([again.prepare([{"type": "Long", "text": "x" * 9000}] * 5)])
    assert again.last_seq == 8


def test_a_deleted_key_is_gone_from_every_file(store: JournalStore, folder: Path) -> None:
    """After the commit that deletes it, neither database nor log holds its bytes."""
    wrapped = bytes(range(60))
    store.commit([store.prepare([{"type": "HandOpened"}], [KeyInsert("T7/1", wrapped)])])
    assert any(wrapped in path.read_bytes() for path in folder.iterdir())
    store.commit([store.prepare([{"type": "HandClosed"}], [KeyDelete("T7/1")])])
    assert store.hand_keys() == {}
    assert not any(wrapped in path.read_bytes() for path in folder.iterdir())
    store.commit([store.prepare([], [KeyDelete("T7/1")])])


def test_a_reader_only_delays_the_erasing(store: JournalStore, folder: Path) -> None:
    """While someone reads the old state the log must stay; the next commit empties it."""
    wrapped = bytes(range(60))
    store.commit([store.prepare([], [KeyInsert("T7/1", wrapped)])])
    reader = sqlite3.connect(folder / JOURNAL_FILE)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM hand_key").fetchone() == (1,)
    store.commit([store.prepare([], [KeyDelete("T7/1")])])
    assert any(wrapped in path.read_bytes() for path in folder.iterdir())
    reader.close()
    fill(store, 1)
    assert not any(wrapped in path.read_bytes() for path in folder.iterdir())


def test_a_journal_that_is_not_there_while_its_log_is_stops_the_start(
    open_store: Opener, store: JournalStore, folder: Path
) -> None:
    """A lost file is not silently begun anew over its log."""
    store.close()
    (folder / JOURNAL_FILE).unlink()
    (folder / f"{JOURNAL_FILE}-wal").write_bytes(b"")
    with pytest.raises(JournalDamaged, match=r"log journal\.sqlite3-wal is there"):
        open_store()


def test_a_crash_while_beginning_leaves_no_half_journal(open_store: Opener, folder: Path) -> None:
    """What an interrupted first start left is removed; an empty journal file is damage, not a new journal."""
    folder.mkdir()
    (folder / f"{JOURNAL_FILE}.new").write_bytes(b"half")
    open_store().close()
    assert [path.name for path in folder.iterdir()] == [JOURNAL_FILE]
    (folder / JOURNAL_FILE).write_bytes(b"")
    with pytest.raises(JournalDamaged) as damage:
        open_store()
    assert damage.value.seq == 0


def test_in_memory_it_is_the_same_journal(store: JournalStore) -> None:
    """Same calls, same heads, no file."""
    memory = JournalStore.open(None, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
    memory.raise_epoch()
    for one in (memory, store):
        one.commit([one.prepare([{"type": "A"}], [KeyInsert("T7/1", b"wrapped")])])
        one.commit([one.prepare([{"type": "B"}], [KeyDelete("T7/1")])])
    assert memory.head == store.head
    assert list(memory.events()) == list(store.events())
    memory.close()
    memory.close()
    with pytest.raises(JournalFailed, match="closed"):
        memory.raise_epoch()


def test_nothing_prints_a_body_or_a_key(store: JournalStore) -> None:
    """``repr`` of an append and of a key row tells neither."""
    entry = store.prepare([{"type": "CardDealt", "card": "As"}], [KeyInsert("T7/1", b"secret")])
    assert "As" not in repr(entry)
    assert "secret" not in repr(entry)


def test_a_log_that_cannot_be_emptied_leaves_the_patience_with_foreign_programs_as_it_was(store: JournalStore) -> None:
    """A key goes while the same connection still reads, so that the log refuses: the next commit waits for others as before, and
    then empties the log."""
    fill(store, 3)
    store.commit([store.prepare([], [KeyInsert("T7/1", b"box")])])
    reading = store._connection.execute("SELECT seq FROM event")
    reading.fetchone()
    store.commit([store.prepare([], [KeyDelete("T7/1")])])
    assert store._erase_due, "it was refused"
    assert store._connection.execute("PRAGMA busy_timeout").fetchone() == (BUSY_TIMEOUT_MS,)
    reading.close()
    fill(store, 1, start=4)
    assert not store._erase_due
