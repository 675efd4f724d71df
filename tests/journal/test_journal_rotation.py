"""A journal of several files: one chain, one writer, and no crash between two files that loses or doubles anything."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal import connections, files
from controller.journal import scan as scan_module
from controller.journal import store as store_module
from controller.journal import verify as verify_module
from controller.journal.errors import JournalDamaged, JournalFailed, JournalFenced
from controller.journal.files import JOURNAL_FILE, closed_files, next_name
from controller.journal.schema import FORMAT
from controller.journal.store import JournalStore, KeyInsert
from controller.journal.verify import verify_chain
from controller.journal.writer import Commit, Journal

CREATED = "2025-03-02T02:00:00Z"


def open_journal(folder: Path, *, rotate_after: int = 5) -> JournalStore:
    return JournalStore.open(folder, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z", rotate_after=rotate_after)


def fill(journal: JournalStore, count: int) -> None:
    for _ in range(count):
        journal.commit([journal.prepare([{"type": "E", "n": journal.last_seq + 1}])])


def first_body(journal: JournalStore) -> dict[str, object]:
    origin = journal.continuation(CREATED)
    named = {"journal": origin.journal, "format": FORMAT, "table": origin.table, "created": origin.created}
    return {"type": "JournalContinued", **named, "first": origin.first, "before": origin.before.hex(), "n": origin.first}


def rotate(journal: JournalStore) -> None:
    journal.prepare_next(first_body(journal), journal.continuation(CREATED))
    assert journal.switch() is not None


def numbers(journal: JournalStore, first: int = 1, last: int | None = None) -> list[int]:
    found = [(seq, body["n"]) for seq, body in journal.events(first, last)]
    assert all(seq == n for seq, n in found)
    return [seq for seq, _ in found]


@pytest.fixture
def three(folder: Path) -> Path:
    """A folder with a journal of three files: events 1 to 6, 7 to 13 and 14 to 16; a key in the newest."""
    journal = open_journal(folder)
    journal.raise_epoch()
    journal.commit([journal.prepare([], [KeyInsert("T7/1", b"box-of-key")])])
    fill(journal, 6)
    rotate(journal)
    fill(journal, 6)
    rotate(journal)
    fill(journal, 2)
    journal.close()
    return folder


def test_numbers_chain_and_keys_go_on_from_file_to_file(three: Path) -> None:
    """Read as one: every number once, one chain; the deal's key is in the newest file alone."""
    assert [first for first, _ in closed_files(three)] == [0, 7]
    result = verify_chain(three)
    assert (result.ok, result.events) == (True, 16)
    journal = open_journal(three)
    assert journal.head == result.head
    assert numbers(journal) == list(range(1, 17))
    assert [numbers(journal, first, last) for first, last in ((3, 4), (6, 8), (14, 14), (7, 13), (15, 99), (17, 99))] == [
        [3, 4],
        [6, 7, 8],
        [14],
        list(range(7, 14)),
        [15, 16],
        [],
    ]
    assert journal.hand_keys() == {"T7/1": b"box-of-key"}
    journal.close()
    for _, path in closed_files(three):
        assert sqlite3.connect(path).execute("SELECT count(*) FROM hand_key").fetchone() == (0,)
        assert b"box-of-key" not in path.read_bytes()


def test_a_file_alone_holds_as_well(three: Path) -> None:
    """Each file verifies by itself: it names the head that it goes on from."""
    for _, path in closed_files(three):
        assert verify_chain(path).ok
    assert verify_chain(three / JOURNAL_FILE).events == 16


def test_rotation_is_due_by_the_length_of_the_file(folder: Path) -> None:
    """Not by the length of the journal."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 4)
    assert not journal.rotation_due
    fill(journal, 1)
    assert journal.rotation_due
    rotate(journal)
    assert not journal.rotation_due
    journal.close()


def remove_first(folder: Path) -> None:
    closed_files(folder)[0][1].unlink()


def remove_second(folder: Path) -> None:
    closed_files(folder)[1][1].unlink()


def swap_two(folder: Path) -> None:
    (_, first), (_, second) = closed_files(folder)
    other = folder / "other"
    first.rename(other)
    second.rename(first)
    other.rename(second)


def cut_second(folder: Path) -> None:
    """The last record of a closed file goes, triggers and all: its own chain still holds."""
    connection = sqlite3.connect(closed_files(folder)[1][1])
    (text,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'event_delete'").fetchone()
    connection.execute("DROP TRIGGER event_delete")
    connection.execute("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)")
    connection.execute(text)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(("change", "bad"), [(remove_second, 7), (swap_two, 14), (cut_second, 13)])
def test_a_missing_swapped_or_cut_file_is_found(three: Path, change: Callable[[Path], None], bad: int) -> None:
    """The chain goes through all files: what one lost does not fit the next."""
    change(three)
    result = verify_chain(three)
    assert (result.ok, result.first_bad) == (False, bad)


def test_older_files_may_be_kept_elsewhere(three: Path) -> None:
    """The chain then begins with the oldest that is there."""
    remove_first(three)
    assert verify_chain(three).ok
    journal = open_journal(three)
    assert numbers(journal) == list(range(7, 17))
    journal.close()


def test_each_event_is_told_once_though_older_files_are_elsewhere(three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where more is missing before the first than is read at once."""
    monkeypatch.setattr(scan_module, "READ_PAGE", 2)
    remove_first(three)
    journal = open_journal(three)
    assert numbers(journal) == list(range(7, 17))
    journal.close()


class CrashError(Exception):
    """The machine stops here."""


@pytest.mark.parametrize("step", range(12))
def test_a_crash_at_any_step_between_two_files_loses_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Whatever was done of it, the next start finds each event and each key once, and the rotation can be made again."""
    journal = open_journal(folder)
    journal.raise_epoch()
    journal.commit([journal.prepare([], [KeyInsert("T7/1", b"box-of-key")])])
    fill(journal, 6)
    steps = 0

    def may_crash(do: Callable[..., object]) -> Callable[..., object]:
        def done(*args: object, **kwargs: object) -> object:
            nonlocal steps
            steps += 1
            if steps == step + 1:
                raise CrashError
            return do(*args, **kwargs)

        return done

    with monkeypatch.context() as patch:
        for place, name in (
            (files, "sync_folder"),
            (files, "closed_name"),
            (files, "next_name"),
            (store_module, "remove"),
            (store_module, "write_file"),
            (store_module, "swap"),
            (store_module, "connections"),
            (store_module, "drop_keys"),
        ):
            patch.setattr(place, name, may_crash(getattr(place, name)))
        with contextlib.suppress(CrashError):
            rotate(journal)
    left = folder.with_name("left")
    shutil.copytree(folder, left)
    journal.close()
    again = open_journal(left)
    again.raise_epoch()
    assert numbers(again) in ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7])
    assert again.hand_keys() == {"T7/1": b"box-of-key"}
    assert not next_name(left).exists()
    fill(again, 2)
    rotate(again)
    last = again.last_seq
    again.close()
    result = verify_chain(left)
    assert (result.ok, result.events) == (True, last)
    for _, path in closed_files(left):
        assert b"box-of-key" not in path.read_bytes()


def test_the_newest_file_is_missed(three: Path) -> None:
    """A journal is never begun anew beside its own closed files."""
    (three / JOURNAL_FILE).unlink()
    with pytest.raises(JournalDamaged, match="restore the newest file"):
        open_journal(three)
    with pytest.raises(FileNotFoundError):
        verify_chain(three)


def test_a_prepared_file_of_another_place_is_not_taken(three: Path) -> None:
    """Only a file that goes on where the last closed one ends becomes the newest."""
    (three / JOURNAL_FILE).unlink()
    shutil.copy(closed_files(three)[0][1], next_name(three))
    with pytest.raises(JournalDamaged, match="restore the newest file"):
        open_journal(three)


def test_while_a_reader_holds_the_log_the_present_file_goes_on(folder: Path) -> None:
    """A verifier in the middle of its view is never cut off from its records."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 6)
    reader = sqlite3.connect(folder / JOURNAL_FILE, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM event").fetchone()
    fill(journal, 1)
    assert journal.prepare_next(first_body(journal), journal.continuation(CREATED)) is None
    assert not next_name(folder).exists(), "no key is written into a file that is of no use"
    assert journal.rotation_due
    reader.close()
    fill(journal, 1)
    rotate(journal)
    assert numbers(journal) == list(range(1, 10))
    journal.close()


def test_what_does_not_go_on_here_begins_no_file(folder: Path) -> None:
    """A body of another place, or a record that came in between."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 6)
    old, origin = first_body(journal), journal.continuation(CREATED)
    with pytest.raises(ValueError, match="does not begin"):
        journal.prepare_next({**old, "before": "00" * 32}, origin)
    fill(journal, 1)
    with pytest.raises(ValueError, match="does not begin"):
        journal.prepare_next(old, origin)
    journal.prepare_next(first_body(journal), journal.continuation(CREATED))
    fill(journal, 1)
    with pytest.raises(ValueError, match="records came after"):
        journal.switch()
    journal.close()


def test_without_room_for_a_second_file_the_present_one_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure is told, and nothing half-written stays."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 6)

    def full(*_: object, **__: object) -> None:
        next_name(folder).write_bytes(b"half")
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(connections, "create_tables", full)
        with pytest.raises(JournalFailed, match="disk is full"):
            journal.prepare_next(first_body(journal), journal.continuation(CREATED))
    assert not next_name(folder).exists()
    fill(journal, 1)
    assert numbers(journal) == list(range(1, 8))
    journal.close()


def test_an_older_file_in_place_of_the_newest_is_not_written(three: Path) -> None:
    """A copy that was restored by mistake: it would close over a file that is there."""
    kept = closed_files(three)[1][1].read_bytes()
    shutil.copy(closed_files(three)[1][1], three / JOURNAL_FILE)
    with pytest.raises(JournalDamaged, match=r"does not go on where journal-000000000007\.sqlite3 ends: restore the newest"):
        open_journal(three)
    assert closed_files(three)[1][1].read_bytes() == kept


def test_a_damaged_closed_file_is_named(three: Path) -> None:
    """In one sentence, not as an error of the database."""
    closed_files(three)[1][1].write_bytes(b"no database" * 100)
    with pytest.raises(JournalDamaged, match=r"journal-000000000007\.sqlite3 cannot be read .*: restore it"):
        open_journal(three)


@pytest.mark.parametrize("how", ["flipped", "overwritten"])
def test_what_was_damaged_in_a_closed_file_is_told_to_nobody(three: Path, how: str) -> None:
    """A disk forgets while the table plays: no record that does not fit the chain is given, the file is named, and who may
    leave something out goes on with the next one."""
    journal = Journal(open_journal(three), Commit.INLINE, None)
    path = closed_files(three)[1][1]
    if how == "flipped":
        kept = path.read_bytes()
        assert kept.count(b'"n":9,') == 1
        path.write_bytes(kept.replace(b'"n":9,', b'"n":8,'))
    else:
        path.write_bytes(b"no database" * 100)
    whole = [1, 2, 3, 4, 5, 6, *([7, 8] if how == "flipped" else [])]
    told: list[int] = []
    with pytest.raises(JournalDamaged, match=r"journal-000000000007\.sqlite3 cannot be read"):
        told.extend(seq for seq, _ in journal.read())
    assert [seq for seq, _ in journal.read_kept()] == [*whole, 14, 15, 16]
    assert [seq for seq, _ in journal.read_kept(8, 15)] == [*whole[7:], 14, 15]


def test_a_later_writer_keeps_its_files(folder: Path) -> None:
    """A process that slept through a takeover renames nothing (recovery §6)."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 6)
    journal.prepare_next(first_body(journal), journal.continuation(CREATED))
    other = sqlite3.connect(folder / JOURNAL_FILE, isolation_level=None)
    other.execute("UPDATE writer SET epoch = epoch + 1")
    other.close()
    with pytest.raises(JournalFenced):
        journal.switch()
    assert closed_files(folder) == ()
    with pytest.raises(JournalFailed):
        fill(journal, 1)
    journal.close()


def test_a_file_that_begins_while_the_folder_is_verified_is_read_as_well(folder: Path) -> None:
    """The table goes on: whatever it begins meanwhile, each record is told once and nothing is reported as missing."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 6)
    rotate(journal)
    fill(journal, 6)
    seen: list[int] = []

    def take(seq: int, _: object) -> None:
        seen.append(seq)
        if seq == 3:  # while the oldest file is read
            rotate(journal)
            fill(journal, 2)

    result = verify_chain(folder, take)
    assert (result.ok, result.events) == (True, journal.last_seq)
    assert seen == list(range(1, journal.last_seq + 1))
    journal.close()


def test_a_reader_goes_on_in_the_next_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events are told page by page; whatever files begin between two pages, none is left out or told twice."""
    monkeypatch.setattr(scan_module, "READ_PAGE", 2)
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 7)
    seen = []
    for seq, _ in journal.events():
        seen.append(seq)
        if seq in (1, 4, 9):
            rotate(journal)
            fill(journal, 3)
    assert seen == list(range(1, journal.last_seq + 1))
    journal.close()


def test_what_is_removed_unused_leaves_no_key(folder: Path) -> None:
    """The bytes of a prepared file are overwritten before its name goes, for wrapped keys stand in it."""
    journal = open_journal(folder)
    journal.raise_epoch()
    journal.commit([journal.prepare([], [KeyInsert("T7/1", b"box-of-key")])])
    fill(journal, 6)
    assert journal.prepare_next(first_body(journal), journal.continuation(CREATED)) is not None
    prepared = next_name(folder)
    with prepared.open("rb") as file:
        assert b"box-of-key" in file.read()
        files.remove(prepared)
        file.seek(0)
        assert not any(file.read())
    assert not prepared.exists()
    journal.close()


def test_files_that_are_moved_away_meanwhile_are_told(three: Path) -> None:
    """Which file is next cannot be known then: no verdict, and what to do."""

    def move(seq: int, _: object) -> None:
        if seq == 2:
            closed_files(three)[0][1].rename(three.parent / "elsewhere")

    with pytest.raises(FileNotFoundError, match="moved away while they were read: verify it again"):
        verify_chain(three, move)


def test_what_is_written_into_a_file_after_it_was_verified_is_read_as_well(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest file was read to its end; before the next look at the folder it grew and was closed."""
    journal = open_journal(folder)
    journal.raise_epoch()
    fill(journal, 6)
    rotate(journal)
    fill(journal, 3)
    look, looks = verify_module.files_of, 0

    def later(path: Path) -> tuple[Path, ...]:
        nonlocal looks
        looks += 1
        if looks in (3, 5):
            fill(journal, 2)
            rotate(journal)
            fill(journal, 2)
        return look(path)

    monkeypatch.setattr(verify_module, "files_of", later)
    seen: list[int] = []
    result = verify_chain(folder, lambda seq, _: seen.append(seq))
    assert (result.ok, result.events, result.reason) == (True, journal.last_seq, None)
    assert seen == list(range(1, journal.last_seq + 1))
    assert looks > 5
    journal.close()
