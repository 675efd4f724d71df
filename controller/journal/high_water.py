"""A witness of the journal's end on another medium: the last number and head known to be durable.

A chain proves order, never the end. This file may lag behind the journal, which proves nothing; it is never ahead of it, so a
journal that ends before it has lost its tail.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from controller.journal.canonical import NotCanonicalError, canonical, parse_canonical
from controller.journal.errors import JournalError


@dataclass(frozen=True, slots=True)
class HighWater:
    """What the witness saw last."""

    journal: str
    seq: int
    head: bytes


def read_high_water(path: Path) -> HighWater | None:
    """What the file says, ``None`` when there is no file; ``JournalError`` when it cannot be read as a witness."""
    try:
        body = parse_canonical(path.read_bytes())
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


class HighWaterKeeper:
    """Writes the newest mark in a thread of its own; marks that come while it writes replace each other.

    A medium that fails ends the keeper: ``failure`` says so, and the journal goes on without this witness.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure: str | None = None
        self._next: HighWater | None = None
        self._closing = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="high-water", daemon=True)
        self._thread.start()

    def note(self, mark: HighWater) -> None:
        """``mark`` is durable in the journal. Returns at once."""
        with self._wake:
            self._next = mark
            self._wake.notify()

    def close(self) -> None:
        """Write what is still to be written and stop. Again is harmless."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._wake:
                while self._next is None and not self._closing:
                    self._wake.wait()
                mark, self._next = self._next, None
            if mark is None:
                return
            try:
                write_high_water(self.path, mark)
            except OSError as error:
                self.failure = f"{self.path} cannot be written: {error.strerror}"
                return
