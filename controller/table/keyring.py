"""Keys of the deals in play: made when a deck is loaded, released seat by seat at the showdown, dropped when the deal is past.

The only place where the table draws secrets; what it draws goes into the journal's key table, wrapped under the table key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from controller.journal.audit_shares import AuditKey, split_key
from controller.journal.canonical import Body
from controller.journal.codec import Codec
from controller.journal.sealing import HandSealer, RandomBytes, SealError, make_kid
from controller.journal.store import KeyChange, KeyDelete, KeyInsert
from controller.table import records
from controller.table.events import DealKeyDropped, DealKeyMade, SeatKeyReleased, TableEvent
from controller.table.state import TableState


class Keyring:
    """Sealers by deal number. ``table_key`` wraps them; ``random_bytes`` is the operating system's but in simulations.

    With two ``auditors`` each deal that is past leaves a share of its key to either; without, nobody opens it again.
    """

    def __init__(
        self,
        table_key: bytes,
        *,
        table: str,
        journal_id: str,
        random_bytes: RandomBytes = os.urandom,
        auditors: tuple[AuditKey, AuditKey] | None = None,
    ) -> None:
        self._table_key = table_key
        self._auditors = auditors
        self._table = table
        self._journal_id = journal_id
        self._random_bytes = random_bytes
        self._sealers: dict[int, HandSealer] = {}
        self.kept: tuple[int, ...] = ()
        """Deals that had a key at the start, whether it opened or not."""
        self.blind: tuple[str, ...] = ()
        """Names of wrapped keys that did not open: their cards are unknown until tabled (recovery §10, blind)."""

    @property
    def sealers(self) -> Mapping[int, HandSealer]:
        """Open keys by deal number."""
        return self._sealers

    def unwrap(self, wrapped: Mapping[str, bytes]) -> None:
        """Open the keys that the journal kept; those that do not open are named in ``blind``."""
        blind: list[str] = []
        self.kept = tuple(int(kid.rpartition("/")[2]) for kid in wrapped)
        for kid, row in wrapped.items():
            try:
                sealer = HandSealer.unwrapped(self._table_key, kid, row, random_bytes=self._random_bytes)
            except SealError:
                blind.append(kid)
            else:
                self._sealers[int(kid.rpartition("/")[2])] = sealer
        self.blind = tuple(blind)

    def ready(self, event: TableEvent) -> tuple[TableEvent, KeyChange | None]:
        """``event`` with what only the keyring knows, and the change of the key table that goes with it."""
        match event:
            case DealKeyMade(deal=deal):
                kid = make_kid(self._table, self._journal_id, deal)
                sealer = HandSealer.create(kid, random_bytes=self._random_bytes)
                self._sealers[deal] = sealer
                made = replace(event, kid=kid, commitments=records.hex_commitments(sealer))
                return made, KeyInsert(kid, sealer.wrapped(self._table_key))
            case DealKeyDropped(deal=deal):
                closed = self._sealers.pop(deal, None)
                if closed is not None and self._auditors is not None:
                    event = replace(event, shares=closed.split(partial(split_key, auditors=self._auditors)))
                return event, KeyDelete(make_kid(self._table, self._journal_id, deal))
            case SeatKeyReleased(deal=deal, seat=seat) if deal in self._sealers:
                return replace(event, key=records.released_key(self._sealers[deal], seat)), None
            case _:
                return event, None

    def encode(self, codec: Codec, event: TableEvent, before: TableState, *, epoch: int, at: str) -> Body:
        """The body of ``event``, decided in the state ``before``."""
        return records.encode(
            codec,
            event,
            epoch=epoch,
            at=at,
            sealer=self._sealers.get(before.deal),
            deal=before.deal,
            ordinal=before.sealed_count + 1,
        )
