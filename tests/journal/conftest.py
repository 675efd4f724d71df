"""A journal to open, and small ways to fill and look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.journal.store import JournalStore

Opener = Callable[[], JournalStore]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data folder."""
    return tmp_path / "data"


@pytest.fixture
def open_store(folder: Path) -> Iterator[Opener]:
    """A function that opens the journal of table T7 in ``folder``; everything opened is closed at the end."""
    opened: list[JournalStore] = []

    def open_one() -> JournalStore:
        store = JournalStore.open(folder, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Opener) -> JournalStore:
    """An open journal under epoch 1."""
    store = open_store()
    store.raise_epoch()
    return store
