"""Keys of the deals, watched: one is kept while its hand or its dispute window lasts, and no key meets a nonce twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from controller.app import TableApp
from controller.journal.canonical import Body
from controller.simulate.audit import Violation
from controller.table.events import ControllerStarted, DealKeyDropped, DealKeyMade
from controller.table.loop import Record
from controller.table.records import box_of_body
from controller.table.state import TableState

NONCE_CHARS: Final = 16
"""A box begins with its nonce: 12 bytes, which are so many characters of base64."""
_TELLING: Final = (ControllerStarted, DealKeyMade, DealKeyDropped)


class KeyWatch:
    """Compares the journal's key table and files with what the table's state says is open (recovery §12, invariant 21)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._wrapped: dict[int, bytes] = {}
        """Each deal's key as it was kept."""

    def committed(self, app: TableApp, state: TableState, records: Sequence[Record]) -> None:
        """One commit of ``app``. ``Violation`` when a key is kept too long or not long enough."""
        if not any(isinstance(record.event, _TELLING) for record in records):
            return
        rows = {int(kid.rpartition("/")[2]): row for kid, row in app.journal.hand_keys().items()}
        if sorted(rows) != list(state.deals_kept):
            raise Violation(f"keys of deals {sorted(rows)} are kept, and deals {list(state.deals_kept)} are open")
        self._wrapped.update(rows)
        gone = {deal: row for deal, row in self._wrapped.items() if deal not in rows}
        for path in self._folder.iterdir():
            data = path.read_bytes() if gone and path.is_file() else b""
            for deal, row in gone.items():
                if row in data:
                    raise Violation(f"the key of deal {deal} is dropped, and still stands in {path.name}")


def repeated_nonces(bodies: Iterable[tuple[int, Body]]) -> list[int]:
    """Numbers of the records whose box was made with a nonce that its part of the deal's key had met before."""
    met: set[tuple[Any, str, str]] = set()
    found: list[int] = []
    for seq, body in bodies:
        box = body.get("sealed")
        if isinstance(box, str):
            used = (body.get("deal"), box_of_body(body).part, box[:NONCE_CHARS])
            found += [seq] if used in met else []
            met.add(used)
    return found
