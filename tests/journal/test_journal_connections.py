"""Connections to the files of a journal: how they are made, and what is cleared in a closed file."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.journal.chain import ZERO_HEAD, next_head
from controller.journal.connections import closed_events, connect, connect_file, connections, create_file, drop_keys, write_file
from controller.journal.errors import JournalDamaged, JournalFailed
from controller.journal.files import JOURNAL_FILE, closed_name
from controller.journal.schema import Origin
from controller.journal.store import JournalStore

ORIGIN = Origin("5f0c9a1e", "T7", "2025-03-01T20:00:00Z")


def test_a_file_is_made_whole_and_written_synced(tmp_path: Path) -> None:
    """For its owner alone; one connection writes with the log synced and deleted keys overwritten, the other only reads."""
    path = tmp_path / JOURNAL_FILE
    create_file(path, ORIGIN)
    assert [one.name for one in tmp_path.iterdir()] == [JOURNAL_FILE]
    assert path.stat().st_mode & 0o777 == 0o600
    writer, reader = connections(path)
    found = [writer.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "secure_delete")]
    assert found == ["wal", 2, 1]
    assert reader.execute("SELECT count(*) FROM event").fetchone() == (1,)
    reader.close()
    writer.close()


def test_a_lost_file_with_its_log_is_not_begun_anew(tmp_path: Path) -> None:
    """The log holds what the file lacks: somebody moved one of the two."""
    (tmp_path / f"{JOURNAL_FILE}-wal").write_bytes(b"log")
    with pytest.raises(JournalDamaged, match="restore both or move both away"):
        create_file(tmp_path / JOURNAL_FILE, ORIGIN)


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    """In one sentence with a way out, as is any file that cannot be opened at all."""
    (tmp_path / JOURNAL_FILE).mkdir()
    with pytest.raises(JournalFailed, match="see that the folder can be written"):
        JournalStore.open(tmp_path, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    """As a damaged journal, not as an error of SQLite."""
    (tmp_path / JOURNAL_FILE).write_bytes(b"no database at all, and long enough to be looked at" * 20)
    with pytest.raises(JournalDamaged, match="cannot be opened as a journal"):
        connect_file(tmp_path / JOURNAL_FILE)


def test_a_closed_file_gives_its_events_and_loses_its_keys(tmp_path: Path) -> None:
    """Events between two numbers come from the files that hold them; a key that a crash left there is gone for good."""
    path = closed_name(tmp_path, ORIGIN)
    write_file(path, ORIGIN, ORIGIN.body(), next_head(ZERO_HEAD, 0, ORIGIN.body()), keys={"T7/1": b"box-of-key"})
    base = connect(path.as_uri())
    body = b'{"epoch":0,"n":1,"type":"E"}'
    head = next_head(next_head(ZERO_HEAD, 0, ORIGIN.body()), 1, body)
    base.execute("INSERT INTO event VALUES (1, ?, ?)", (body.decode(), head))
    base.close()
    assert [(seq, body["n"]) for seq, body in closed_events(tmp_path, 1, 9)] == [(1, 1)]
    assert list(closed_events(tmp_path, 2, 9)) == []
    assert b"box-of-key" in path.read_bytes()
    drop_keys(((0, path),))
    assert b"box-of-key" not in path.read_bytes()
