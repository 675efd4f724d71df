"""A witness of the journal's end on another medium: the last number and head known to be durable.

A chain proves order, never the end. This file may lag behind the journal, which proves nothing; it is never ahead of it, so a
journal that ends before it has lost its tail.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.journal.canonical import NotCanonicalError, canonical, parse_canonical
from controller.journal.errors import JournalDamaged, JournalError, JournalMismatch

MAX_BYTES: Final = 1024
"""More than a witness takes; nothing behind it is read."""


@dataclass(frozen=True, slots=True)
class HighWater:
    """What the witness saw last."""

    journal: str
    seq: int
    head: bytes


def read_high_water(path: Path) -> HighWater | None:
    """What the file says, ``None`` when there is no file; ``JournalError`` when it is none, or cannot be read as a witness."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise JournalError(f"the witness {path} is no file: name one on another medium, which need not be there yet")
        with path.open("rb") as file:
            body = parse_canonical(file.read(MAX_BYTES))  # what is longer is cut, and so no witness
        match body:
            case {"journal": str(journal), "seq": int(seq), "head": str(head)}:
                return HighWater(journal, seq, bytes.fromhex(head))
            case _:
                raise ValueError
    except FileNotFoundError:
        return None
    except (NotCanonicalError, ValueError):
        raise JournalError(f"{path} is damaged: the floor compares the other witnesses and removes it") from None


def write_high_water(path: Path, mark: HighWater) -> None:
    """Replace the file by ``mark``, whole and synced; ``OSError`` when the medium fails."""
    fresh = path.with_name(path.name + ".new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(canonical({"journal": mark.journal, "seq": mark.seq, "head": mark.head.hex()}))
        file.flush()
        os.fsync(handle)
    fresh.rename(path)


def check_witness(mark: HighWater | None, journal: str, last_seq: int, head_at: Callable[[int], bytes | None]) -> None:
    """``JournalDamaged`` when the witness saw records that are not there, or others; ``JournalMismatch`` for another journal's.

    ``head_at`` gives the chain's hash after a record, ``None`` where it stands in an older file, which is not looked at here.
    """
    if mark is None:
        return
    if mark.journal != journal:
        raise JournalMismatch(
            f"the witness is of journal {mark.journal}, not of {journal}: put that journal back, or remove the witness if"
            " this one was begun on purpose"
        )
    found = None if mark.seq > last_seq else head_at(mark.seq)
    if mark.seq > last_seq or found not in (None, mark.head):
        raise JournalDamaged(
            min(mark.seq, last_seq + 1),
            f"the journal ends at record {last_seq}, and the witness saw another record {mark.seq}: restore the newest copy, or"
            " let the floor enter what is missing and remove the witness",
        )


class HighWaterKeeper:
    """Writes the newest mark in a thread of its own; marks that come while it writes replace each other. ``inline`` it writes
    each at once.

    A medium that fails ends the keeper: ``failure`` says so, and the journal goes on without this witness.
    """

    def __init__(self, path: Path, *, inline: bool = False) -> None:
        self.path = path
        self.failure: str | None = None
        self._next: HighWater | None = None
        self._closing = False
        self._wake = threading.Condition()
        self._thread = None if inline else threading.Thread(target=self._run, name="high-water", daemon=True)
        if self._thread is not None:
            self._thread.start()

    def note(self, mark: HighWater) -> None:
        """``mark`` is durable in the journal. Returns at once, unless it writes inline."""
        if self._thread is None:
            self._write(mark)
            return
        with self._wake:
            self._next = mark
            self._wake.notify()

    def close(self) -> None:
        """Write what is still to be written and stop. Again is harmless."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._wake:
                while self._next is None and not self._closing:
                    self._wake.wait()
                mark, self._next = self._next, None
            if mark is None:
                return
            if not self._write(mark):
                return

    def _write(self, mark: HighWater) -> bool:
        """Whether it is written, now and before."""
        try:
            if self.failure is None:
                write_high_water(self.path, mark)
        except OSError as error:
            self.failure = f"{self.path} cannot be written: {error.strerror}"
        return self.failure is None
