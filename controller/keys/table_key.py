"""Another table key in the place of the one that is there: what the journal keeps under the old one is wrapped again."""

from __future__ import annotations

from pathlib import Path

from controller.journal.errors import JournalBusy
from controller.journal.files import JOURNAL_FILE
from controller.journal.sealing import NEXT_KEY, TABLE_KEY, SealError, load_or_create_table_key, unwrap, wrap
from controller.journal.store import JournalStore, KeyDelete, KeyInsert
from controller.keys.authority import KeysError
from controller.whole_file import give_to_owner, sync_folder


def rotate_table_key(data: Path, keys: Path, table: str) -> int:
    """Give the table another key; how many deals' keys were wrapped again. Each opens as before, also that of an open hand.

    ``KeysError`` when there is no key or journal yet, the table runs, or a deal's key opens with neither key: nothing is changed
    then. Errors of the journal come through. A run that is torn is finished by the next one; until then the table does not start.
    """
    path, fresh = keys / TABLE_KEY, keys / NEXT_KEY
    if not path.exists() or not (data / JOURNAL_FILE).exists():
        raise KeysError(f"{path} and a journal in {data} are not both there: the first start makes them")
    try:
        store = JournalStore.open(data, table=table, journal_id="", created="")
    except JournalBusy:
        raise KeysError(f"the table writes to {data}: stop it, and change its key then") from None
    try:
        old, new = load_or_create_table_key(path), load_or_create_table_key(fresh)
        with fresh.open("rb") as file:
            give_to_owner(file.fileno(), path)  # the table's account, whoever changes the key
        held = store.hand_keys()
        opened = {kid: _opened(old, new, kid, wrapped) for kid, wrapped in held.items()}
        if held:
            changes = [change for kid, key in opened.items() for change in (KeyDelete(kid), KeyInsert(kid, wrap(new, kid, key)))]
            store.commit([store.prepare((), changes)])
        fresh.replace(path)
        sync_folder(keys)
    except SealError as error:
        raise KeysError(f"nothing is changed: {error}") from None
    finally:
        store.close()
    return len(held)


def _opened(old: bytes, new: bytes, kid: str, wrapped: bytes) -> bytes:
    """The deal's key, which a torn run may have wrapped already. ``SealError``."""
    try:
        return unwrap(old, kid, wrapped)
    except SealError:
        return unwrap(new, kid, wrapped)
