"""A table's key is changed while it stands still, and every deal opens as before, whenever the change is torn."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.config import parse_config
from controller.journal.sealing import NEXT_KEY, TABLE_KEY, SealError, load_or_create_table_key, unwrap, wrap
from controller.journal.store import JournalStore, KeyInsert
from controller.journal.writer import Journal
from controller.keys import table_key
from controller.keys.authority import KeysError
from controller.keys.table_key import rotate_table_key
from controller.rehearsal import Play, config_for, memory_rehearsal, registry_of
from controller.serve import run_table
from simulators.rig import NINETEEN, SHOE_PORT, make_tags

HAND_KEYS = {"T1/j/1": b"1" * 32, "T1/j/2": b"2" * 32}


def opened(data: Path) -> JournalStore:
    return JournalStore.open(data, table="T1", journal_id="j", created="2026-01-01T00:00:00Z")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A stopped table with two deals' keys."""
    (tmp_path / "keys").mkdir(mode=0o700)
    key = load_or_create_table_key(tmp_path / "keys" / TABLE_KEY)
    store = opened(tmp_path / "data")
    store.commit([store.prepare((), [KeyInsert(kid, wrap(key, kid, hand_key)) for kid, hand_key in HAND_KEYS.items()])])
    store.close()
    return tmp_path


def deals(table: Path) -> dict[str, bytes]:
    """The deals' keys as a start opens them."""
    key = load_or_create_table_key(table / "keys" / TABLE_KEY)
    store = opened(table / "data")
    try:
        return {kid: unwrap(key, kid, wrapped) for kid, wrapped in store.hand_keys().items()}
    finally:
        store.close()


def test_another_key_opens_what_the_old_one_did(table: Path) -> None:
    """And the old one nothing any more."""
    old = (table / "keys" / TABLE_KEY).read_bytes()
    assert rotate_table_key(table / "data", table / "keys", "T1") == 2
    path = table / "keys" / TABLE_KEY
    assert path.read_bytes() != old
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in (table / "keys").iterdir()] == [TABLE_KEY]
    assert deals(table) == HAND_KEYS
    path.write_bytes(old)
    with pytest.raises(SealError, match="does not open with this table key"):
        deals(table)


@pytest.mark.skipif(os.geteuid() != 0, reason="another user's files are made by root alone")
def test_the_key_stays_the_tables_when_root_changes_it(table: Path) -> None:
    """Its service could not read one of root's, and would not start again."""
    for path in (table, *table.rglob("*")):
        os.chown(path, 12345, 12345)
    rotate_table_key(table / "data", table / "keys", "T1")
    assert {path.stat().st_uid for path in table.rglob("*")} == {12345}


@pytest.mark.parametrize(("whose", "what"), [(JournalStore, "commit"), (Path, "replace")])
def test_a_torn_change_is_finished_by_the_next(table: Path, monkeypatch: pytest.MonkeyPatch, whose: type, what: str) -> None:
    """Before the journal was written, and between journal and file."""

    def die(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(whose, what, die)
        with pytest.raises(InterruptedError):
            rotate_table_key(table / "data", table / "keys", "T1")
    assert (table / "keys" / NEXT_KEY).exists()
    rotate_table_key(table / "data", table / "keys", "T1")
    assert deals(table) == HAND_KEYS
    assert not (table / "keys" / NEXT_KEY).exists()


async def test_a_table_does_not_start_within_a_torn_change(tmp_path: Path) -> None:
    """Its journal may be wrapped under the next key already: with the old one it would lose the open hand's cards."""
    deck = tmp_path / "deck.toml"
    deck.write_text(registry_of(make_tags(random.Random(1))).toml(), encoding="utf-8")
    ports = {name: str(tmp_path / name) for name in (SHOE_PORT, *NINETEEN)}
    raw = config_for(Play(), ports=ports, data=str(tmp_path / "data"), deck=str(deck)) | {"keys": str(tmp_path)}
    load_or_create_table_key(tmp_path / NEXT_KEY)
    with pytest.raises(SealError, match=r"table\.key\.next is there: .* was torn; give stud-table keys rotate again"):
        await run_table(parse_config(raw, "test").model_copy(update={"mqtt": None, "access": "open"}))
    assert not (tmp_path / TABLE_KEY).exists()


async def test_a_key_that_was_changed_while_the_table_started_is_the_one_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read before the journal was the table's own, the old one would open no deal any more."""
    rehearsal = memory_rehearsal(Play(), seed=1)
    data, keys = tmp_path / "data", tmp_path / "keys"
    rehearsal.outside = replace(rehearsal.outside, folder=data, key_folder=keys)
    async with rehearsal.opened():
        pass
    opens, changed = Journal.open, []

    async def changing(*given: Any, **more: Any) -> Journal:
        changed.append(rotate_table_key(data, keys, "T1"))
        return await opens(*given, **more)

    monkeypatch.setattr(Journal, "open", changing)
    async with rehearsal.opened() as app:
        assert (changed, app._keyring.blind) == ([1], ())


def test_nothing_is_changed_where_it_cannot_be(table: Path) -> None:
    """A table that runs, a deal that no key opens, a table that never started."""
    store = opened(table / "data")
    with pytest.raises(KeysError, match="stop it, and change its key then"):
        rotate_table_key(table / "data", table / "keys", "T1")
    store.commit([store.prepare((), [KeyInsert("T1/j/3", b"x" * 60)])])
    store.close()
    before = (table / "keys" / TABLE_KEY).read_bytes()
    with pytest.raises(KeysError, match="nothing is changed: hand key T1/j/3 does not open"):
        rotate_table_key(table / "data", table / "keys", "T1")
    assert (table / "keys" / TABLE_KEY).read_bytes() == before
    with pytest.raises(KeysError, match="are not both there: the first start makes them"):
        rotate_table_key(table / "none", table / "keys", "T1")
    assert not (table / "none").exists()


def test_the_command_names_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the configuration, with its folders; no key on the screen."""
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(table_key, "rotate_table_key", lambda *given: asked.append(tuple(map(str, given))) or 1)
    sample = Path(__file__).parents[2] / "deploy/sample/table.toml"
    assert main(["keys", "rotate", str(sample), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"table": asked[0][2], "deals": 1}
    assert asked[0][1].endswith("keys")
