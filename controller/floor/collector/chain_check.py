"""Whether the links of a journal's public events fit, as they come; pure (docs/reference/mqtt.md, the chain)."""

from __future__ import annotations

from enum import Enum

from controller.floor.store.rows import Chained, Source
from controller.mqtt.links import ChainName, begins, link_after, start_of
from controller.mqtt.payloads import PublicEvent


class Fit(Enum):
    """How an event stands in the chain. ``proven``: its link was worked out from a beginning that is known, and fits.
    ``open``: it hangs on what was not seen here. ``unchained``: it has no link. ``broken``: it does not fit on what was told
    before."""

    PROVEN = "proven"
    OPEN = "open"
    UNCHAINED = "unchained"
    BROKEN = "broken"


class ChainCheck:
    """One reader's events, in order. ``known`` is what was proven of the journal before, as the store has it."""

    def __init__(self, source: Source, known: Chained | None = None) -> None:
        self._name = ChainName(source.table, source.journal)
        self._known = known
        self._seq: int | None = None
        self._link: str | None = None
        self._is_proven = False

    def begin_behind(self, seq: int, link: str | None) -> None:
        """The next event follows on record ``seq``, which was proven when it was dropped."""
        self._seq, self._link, self._is_proven = seq, link, link is not None

    def newest(self, seq: int) -> str | None:
        """The link of the newest event, where that is record ``seq`` and has one."""
        return self._link if self._seq == seq else None

    def take(self, event: PublicEvent) -> Fit:
        """The next event."""
        fit = self._fit(event)
        if self._known is not None and event.seq == self._known.seq:
            if self._known.link is not None and event.link not in (None, self._known.link):
                fit = Fit.BROKEN
            elif fit is Fit.OPEN and event.link is not None and self._known.verified == event.seq:
                fit = Fit.PROVEN
        self._seq, self._link, self._is_proven = event.seq, event.link, fit is Fit.PROVEN
        return fit

    def _fit(self, event: PublicEvent) -> Fit:
        previous, before = event.previous, self._seq
        if previous is not None and before is not None and previous < before:
            return Fit.BROKEN  # what was told after ``previous`` is no event any more
        if event.link is None:
            return Fit.UNCHAINED
        if begins(event, previous):
            if event.head is None or previous is None:
                return Fit.BROKEN
            return Fit.PROVEN if event.link == link_after(start_of(self._name, previous, event.head), event) else Fit.BROKEN
        if event.head is not None:
            return Fit.BROKEN
        if self._link is None or previous != before:
            return Fit.OPEN
        if event.link != link_after(self._link, event):
            return Fit.BROKEN
        return Fit.PROVEN if self._is_proven else Fit.OPEN
