"""Keys of the deals in play: made when a deck is loaded, released seat by seat at the showdown, dropped when the deal is past.

The only place where the table draws secrets; what it draws goes into the journal's key table, wrapped under the table key.
"""

from __future__ import annotations

import os
import re
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
        """Open the keys that the journal kept; those that do not open are named in ``blind``, and so are rows that no deal of
        this journal made: the chain does not bind that table, and what stands there must not keep a table from starting."""
        deals = {kid: deal for kid in wrapped if (deal := self._deal_of(kid)) is not None}
        blind = [kid for kid in wrapped if kid not in deals]
        self.kept = tuple(deals.values())
        for kid, deal in deals.items():
            try:
                sealer = HandSealer.unwrapped(self._table_key, kid, wrapped[kid], random_bytes=self._random_bytes)
            except SealError:
                blind.append(kid)
            else:
                self._sealers[deal] = sealer
        self.blind = tuple(blind)

    def _deal_of(self, kid: str) -> int | None:
        """The deal of this journal whose key bears the name ``kid``, ``None`` for any other name."""
        number = kid.rpartition("/")[2]
        deal = int(number) if re.fullmatch("[1-9][0-9]{0,17}", number) else 0
        return deal if deal and kid == make_kid(self._table, self._journal_id, deal) else None

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
