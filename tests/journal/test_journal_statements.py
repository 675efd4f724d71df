"""One statement or several: a commit is whole or not there, however it is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.errors import JournalFenced
from controller.journal.store import MAX_ROWS_A_STATEMENT, JournalStore, KeyInsert
from controller.journal.verify import verify_chain


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JournalStore]:
    opened = JournalStore.open(tmp_path, table="T1", journal_id="0badcafe", created="2026-01-01T00:00:00Z")
    opened.raise_epoch()
    yield opened
    opened.close()


def bodies(count: int) -> list[dict[str, object]]:
    return [{"type": "Told", "n": number} for number in range(count)]


@pytest.mark.parametrize("count", [1, MAX_ROWS_A_STATEMENT, MAX_ROWS_A_STATEMENT + 1])
def test_a_commit_of_any_size_holds(store: JournalStore, tmp_path: Path, count: int) -> None:
    """At the bound of one statement and past it: every row is there, in order, and the chain holds."""
    (appended,) = store.commit([store.prepare(bodies(count))])
    assert (appended.first_seq, appended.last_seq) == (1, count)
    assert [body["n"] for _, body in store.events()] == list(range(count))
    assert verify_chain(tmp_path).head == appended.head


def test_rows_of_several_appends_share_a_statement(store: JournalStore, tmp_path: Path) -> None:
    """Each append knows its own numbers."""
    first, second = store.commit([store.prepare(bodies(2)), store.prepare(bodies(3))])
    assert (first.first_seq, first.last_seq, second.first_seq, second.last_seq) == (1, 2, 3, 5)
    assert verify_chain(tmp_path).ok


def test_a_key_is_written_with_its_rows_or_alone(store: JournalStore) -> None:
    """A change of keys goes with its append in one transaction."""
    store.commit([store.prepare(bodies(1), [KeyInsert("a", b"1")])])
    store.commit([store.prepare([], [KeyInsert("b", b"2")])])
    assert store.hand_keys() == {"a": b"1", "b": b"2"}
    assert store.last_seq == 1


def test_a_fenced_statement_leaves_nothing(store: JournalStore) -> None:
    """Another writer has raised the epoch: not one row of the append stays."""
    entry = store.prepare(bodies(2))
    store._connection.execute("UPDATE writer SET epoch = epoch + 1")
    with pytest.raises(JournalFenced):
        store.commit([entry])
    assert list(store.events()) == []
