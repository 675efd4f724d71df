"""What can go wrong with a journal, as types. No text carries an event's body."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot be used as asked; the message is one clear sentence."""


class JournalBusy(JournalError):  # noqa: N818
    """Another process holds the data folder."""


class JournalMismatch(JournalError):  # noqa: N818
    """The journal belongs to another table, or another release wrote it."""


class JournalDamaged(JournalError):  # noqa: N818
    """Chain or structure do not hold. ``seq`` is the first bad record; 0 is the record of the journal itself."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"journal damaged at record {seq}: {reason}")
        self.seq = seq
        self.reason = reason


class JournalFailed(JournalError):  # noqa: N818
    """A commit failed, or the journal is closed: nothing is written any more until it is opened again."""


class JournalFenced(JournalFailed):
    """A later writer raised the epoch or appended: this process must stop."""


class JournalOverloaded(JournalError):  # noqa: N818
    """More appends wait than the bound allows. This one was not taken, so trying again is safe."""
