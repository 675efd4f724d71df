#!/usr/bin/env python3
"""How long a start takes on a long journal, and how fast it is verified: ``python benchmarks/open_journal.py`` in the repository.

Whole hands are played by simulated devices until a file is as long as it may become. However many hands lie before it, a start
reads the newest file alone and the end of the one before, so ``--closed`` names more are laid there to be listed. Prints one
JSON object.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.table_runs import rehearsed_bodies, write_journal

from controller.journal.files import JOURNAL_FILE
from controller.journal.store import JournalStore
from controller.journal.verify import verify_chain
from controller.table.keyring import Keyring
from controller.table.opening import rebuild
from controller.table.records import table_codec
from controller.verify import audit


def raw(file: Path) -> float:
    """Seconds to read and hash every record, nothing more."""
    began, head = time.process_time(), bytes(32)
    base = sqlite3.connect(file)
    for seq, body in base.execute("SELECT seq, CAST(body AS BLOB) FROM event ORDER BY seq"):
        head = sha256(head + seq.to_bytes(8, "big") + sha256(body).digest()).digest()
    base.close()
    return time.process_time() - began


def main() -> None:
    """Measure and print. Times are the processor's, so that a busy machine changes little; ``open_wall_s`` is the clock's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=22, help="hands in the newest file (default 22: more than it may hold)")
    parser.add_argument("--closed", type=int, default=4600, help="older files by name (default 4600: of 100,000 hands)")
    options = parser.parse_args()
    bodies = rehearsed_bodies(hands=options.hands, seed=4, seats=6)
    with tempfile.TemporaryDirectory() as name:
        folder = write_journal(Path(name) / "data", bodies)
        for number in range(options.closed):
            (folder / f"older-{number:012}").touch()
        began, used = time.perf_counter(), time.process_time()
        store = JournalStore.open(folder, table="T1", journal_id="", created="")
        keyring = Keyring(bytes(32), table="T1", journal_id=store.origin.journal)
        state = rebuild(store.events(store.origin.first), table_codec(), keyring)
        opened, spent = time.perf_counter() - began, time.process_time() - used
        store.close()
        began = time.process_time()
        found = audit(folder)
        audited = time.process_time() - began
        began = time.process_time()
        verify_chain(folder)
        chained, hashed = time.process_time() - began, raw(folder / JOURNAL_FILE)
    figures = {
        "records": state.seq,
        "open_s": round(spent, 3),
        "open_wall_s": round(opened, 3),
        "ok": found.ok,
        "verify_per_s": round(state.seq / audited),
        "chain_per_s": round(state.seq / chained),
        "raw_per_s": round(state.seq / hashed),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
