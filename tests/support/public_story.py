"""What everybody could see of a journal, read from its records alone."""

from __future__ import annotations

from pathlib import Path

from controller.displays.adapter import NOWHERE, DisplayAdapter, where_after
from controller.floor.store.rows import digest_of
from controller.journal.canonical import Body
from controller.journal.verify import verify_chain
from controller.table.loop import Record
from controller.table.records import decode, table_codec


def public_story(data: Path) -> list[tuple[int, str]]:
    """Number and digest of every public event of a journal, read from its records alone."""
    codec, adapter, where, found = table_codec(), DisplayAdapter("any", 1), NOWHERE, list[tuple[int, str]]()

    def tell(seq: int, body: Body) -> None:
        nonlocal where
        event = decode(codec, body, {})
        where = where_after(event, where)
        found.extend((one.seq, digest_of(one)) for one in adapter.event(Record(seq, str(body["at"]), event), where))

    verify_chain(data, tell)
    return found
