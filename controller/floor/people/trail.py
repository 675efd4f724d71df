"""The floor's own trail: who came and went there, and what was done from it (REG-28, REG-38). It goes into the store, in order.

No badge, no PIN and nothing that was typed in their place stands in it; what cannot be written yet waits for the store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from controller.floor.store.rows import KeptNote
from controller.table.access_events import SignedIn, SignedOut, SignInFailed

Came = SignedIn | SignedOut | SignInFailed
_KINDS: Final[Mapping[type, str]] = {SignedIn: "signed_in", SignedOut: "signed_out", SignInFailed: "sign_in_failed"}


class Trail:
    """One floor's trail. ``keep`` takes each note to the store; ``boot`` names this start, ``wall`` is the time in UTC."""

    def __init__(self, boot: str, keep: Callable[[KeptNote], None], wall: Callable[[], datetime]) -> None:
        self._boot = boot
        self._keep = keep
        self._wall = wall
        self._number = 0

    async def tell(self, told: Came) -> None:
        """Somebody came, went, or was not known."""
        self.note(_KINDS[type(told)], told.person, **{name: value for name, value in asdict(told).items() if name != "person"})

    def note(self, kind: str, person: str, *, table: str | None = None, **said: Any) -> None:
        """Put on record what ``person`` did, as ``kind``; ``said`` is kept as JSON."""
        self._number += 1
        body = json.dumps(said, ensure_ascii=False, sort_keys=True)
        self._keep(KeptNote(f"{self._boot}-{self._number}", self._wall(), kind, person, table, body))
