"""The journal of very many hands that the start is measured on is one that a table could have written."""

from __future__ import annotations

from pathlib import Path

from support.long_journal import JOURNAL_ID, LongJournal, play_evening
from support.table_runs import journal_bodies

from controller.journal.files import closed_files
from controller.journal.sealing import TABLE_KEY
from controller.journal.store import ROTATE_AFTER, JournalStore
from controller.table.keyring import Keyring
from controller.table.opening import rebuild
from controller.table.records import table_codec
from controller.verify import audit


def test_repeated_hands_make_a_journal_that_holds_and_opens(tmp_path: Path) -> None:
    """It is audited as any other, in files as long as a table makes them; its keys open every card of the deal in play; its
    records are of the kinds and lengths of the evening that was played (REG-08)."""
    played = play_evening(4, seats=3)
    journal = LongJournal(tmp_path / "data", tmp_path / "keys", evening=played)
    journal.grow(50)
    journal.close()
    closed = closed_files(tmp_path / "data")
    assert len(closed) == 1
    found = audit(tmp_path / "data")
    assert (found.ok, found.hands) == (True, 50)
    bodies = journal_bodies(tmp_path / "data")
    begun = [seq for seq, body in bodies if body["type"] == "JournalContinued"]
    assert ROTATE_AFTER <= begun[0] < ROTATE_AFTER + 400
    assert {body["type"] for _, body in bodies} <= {type(record.event).__name__ for record in played} | {
        "JournalContinued",
        "ChipsAdded",
        "SeatLeft",
    }
    store = JournalStore.open(tmp_path / "data", table="T1", journal_id="", created="")
    keyring = Keyring((tmp_path / "keys" / TABLE_KEY).read_bytes(), table="T1", journal_id=JOURNAL_ID)
    keyring.unwrap(store.hand_keys())
    state = rebuild(store.events(store.origin.first), table_codec(), keyring)
    store.close()
    assert not keyring.blind
    assert (state.hand_number, state.seq) == (50, found.events)
