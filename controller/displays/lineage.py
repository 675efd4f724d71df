"""What this controller is the successor of: whatever the broker has heard of beyond that stops it (recovery §1, §6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.mqtt.payloads import Stamp, StatusPayload


def _no_head(_: int) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Lineage:
    """A controller of ``epoch`` that writes ``journal``, which ended at ``opened_at`` when it was opened.

    ``head_at(seq)`` is the chain's hash after a record, hexadecimal, ``None`` where it is not known. Without ``journal`` and
    ``opened_at`` only epochs are compared.
    """

    epoch: int
    journal: str | None = None
    opened_at: int | None = None
    head_at: Callable[[int], str | None] = _no_head

    def beyond(self, heard: Stamp, *, is_retained: bool) -> str | None:
        """Why this one must stop: a larger epoch, or a record of a controller before it that its journal lacked. Some brokers
        put the wrong will on the status at a take-over, so that any of the table's topics may be the one that tells."""
        if heard.epoch > self.epoch:
            return f"a controller of epoch {heard.epoch} runs this table; ours is {self.epoch}"
        if is_retained and heard.epoch < self.epoch and self.opened_at is not None and heard.seq > self.opened_at:
            was = f"ended at {self.opened_at} when it was opened"
            return f"the broker has heard of record {heard.seq} of epoch {heard.epoch}, and this journal {was}"
        return None

    def is_of_another(self, heard: StatusPayload) -> bool:
        """A status of another journal tells nothing of this one's records."""
        return heard.journal not in (None, self.journal) and heard.epoch <= self.epoch

    def missing(self, heard: StatusPayload, seq: int) -> str | None:
        """Why this one, at record ``seq``, must stop: records of its own journal that are not here, or another one there. A tail
        that is lost is soon written over by a start."""
        if heard.journal is None or heard.journal != self.journal:
            return None
        if heard.seq > seq:
            return f"the broker has heard of record {heard.seq} of this journal, which ends at {seq} here"
        ours = None if heard.head is None else self.head_at(heard.seq)
        if ours in (None, heard.head):
            return None
        return f"the broker has heard of record {heard.seq} of this journal, and it is another one here"
