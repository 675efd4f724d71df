"""What the database itself refuses, and what counts as its structure."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.errors import JournalDamaged
from controller.journal.files import JOURNAL_FILE
from controller.journal.schema import check_structure
from controller.journal.store import JournalStore

Opener = Callable[[], JournalStore]


@pytest.fixture
def database(store: JournalStore, folder: Path) -> sqlite3.Connection:
    """The file of a closed journal of three events, open to anybody with a SQL prompt."""
    store.commit([store.prepare([{"type": "A"}, {"type": "B"}, {"type": "C"}])])
    store.close()
    connection = sqlite3.connect(folder / JOURNAL_FILE, isolation_level=None)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET body = '{}' WHERE seq = 2",
        "UPDATE event SET seq = 9 WHERE seq = 3",
        "DELETE FROM event WHERE seq = 3",
        "DELETE FROM event",
        "UPDATE meta SET \"table\" = 'T8'",
        "DELETE FROM meta",
        "INSERT OR REPLACE INTO meta VALUES (1, 'x', 1, 'T8', '')",
        "DELETE FROM writer",
        "UPDATE writer SET epoch = 1",
        "UPDATE writer SET epoch = 0",
        "INSERT OR REPLACE INTO writer VALUES (1, 9)",
        "INSERT INTO writer VALUES (2, 9)",
        "INSERT INTO event VALUES (3, '{\"epoch\":1}', zeroblob(32))",
        "INSERT INTO event VALUES (5, '{\"epoch\":1}', zeroblob(32))",
        "INSERT INTO event VALUES (NULL, '{\"epoch\":1}', zeroblob(32))",
        "INSERT OR REPLACE INTO event VALUES (3, '{\"epoch\":1}', zeroblob(32))",
        "INSERT INTO event VALUES (4, '{\"epoch\":2}', zeroblob(32))",
        'INSERT INTO event VALUES (4, \'{"epoch":"1"}\', zeroblob(32))',
        "INSERT INTO event VALUES (4, '{}', zeroblob(32))",
        "INSERT INTO event VALUES (4, 'no json', zeroblob(32))",
        "INSERT INTO event VALUES (4, '{\"epoch\":1}', zeroblob(31))",
        "INSERT INTO event VALUES (4, '{\"epoch\":1}', 'text')",
        "INSERT INTO event VALUES (4, 4, zeroblob(32))",
    ],
)
def test_the_database_refuses(database: sqlite3.Connection, statement: str) -> None:
    """Change, removal, gap, repetition, foreign epoch and wrong type, whoever sends the statement."""
    before = list(database.iterdump())
    with pytest.raises(sqlite3.DatabaseError):
        database.execute(statement)
    assert list(database.iterdump()) == before


def test_a_fitting_insert_passes(database: sqlite3.Connection) -> None:
    """The refusals above are the triggers' doing: the right number and epoch go through."""
    database.execute("INSERT INTO event VALUES (4, '{\"epoch\":1}', zeroblob(32))")


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("DROP TRIGGER event_update", "trigger event_update of event is missing"),
        ("DROP TRIGGER event_epoch", "trigger event_epoch of event is missing"),
        ("DROP TABLE hand_key", "hand_key"),
        ("CREATE INDEX quick ON event (hash)", "index quick of event does not belong there"),
        ("ALTER TABLE meta ADD COLUMN more TEXT", "table meta is not as this release writes it"),
        ("PRAGMA user_version = 3", "user_version is 3"),
        ("PRAGMA application_id = 7", "application_id is 7"),
    ],
)
def test_another_structure_is_refused(database: sqlite3.Connection, open_store: Opener, statement: str, reason: str) -> None:
    """Tables, triggers and header must be exactly what this release writes; the reason names the difference."""
    database.execute(statement)
    database.close()
    with pytest.raises(JournalDamaged, match=reason) as damage:
        open_store()
    assert damage.value.seq == 0


def test_a_missing_origin_or_writer_is_refused(database: sqlite3.Connection) -> None:
    """The one row of each must be there."""
    for table in ("meta", "writer"):
        (trigger,) = database.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (f"{table}_delete",)).fetchone()
        database.execute(f"DROP TRIGGER {table}_delete")
        database.execute("BEGIN")
        database.execute(f"DELETE FROM {table}")  # noqa: S608
        database.execute(trigger)
        with pytest.raises(JournalDamaged, match=table):
            check_structure(database)
        database.execute("ROLLBACK")
        database.execute(trigger)
