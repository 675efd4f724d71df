"""The simulated disk: a folder whose contents are those of a real journal, and which of them a loss of current would leave.

SQLite writes it, and reads it again after a crash, as it does on a real disk. What was on the medium before a commit began is
durable; what the commit changed is volatile until it has ended. A crash keeps the first and any beginning of the second. A change
of the journal's files is a commit of several steps, and a crash may come between any two.
"""

from __future__ import annotations

import asyncio
import errno
import os
import random
from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from controller.journal.files import JOURNAL_FILE, next_name
from controller.journal.store import ROTATE_AFTER

LOG: Final = f"{JOURNAL_FILE}-wal"
_SCRATCH: Final = f"{JOURNAL_FILE}-shm"
"""Shared memory, no part of what is stored."""
FILE_RECORDS: Final = (1, 100, 500, ROTATE_AFTER)
"""Records of a file after which the next hand begins a new one: with each hand, now and then, or as on a real table."""

_LOG_HEAD: Final = 32
_FRAME_HEAD: Final = 24
"""Bytes at the head of SQLite's log, and of each page in it: page number, size where a commit ends, salt of the log, check."""


class Moment(Enum):
    """Where in a commit the current fails (recovery §3)."""

    BEFORE = "before"
    WITHIN = "within"
    AFTER = "after"


class Halfway(Enum):
    """How far a change of the journal's files has come when the current fails within it."""

    BEGUN = "the next file is written in part"
    WRITTEN = "the next file is whole"
    RENAMED = "the old file has its name, and the next one not"
    SWAPPED = "both have their names, and keys stand in the old one"


def draw_file_records(seed: int) -> int:
    """After how many records the run of ``seed`` changes its file: drawn apart from everything else."""
    return random.Random(f"stud-table simulate {seed} files").choice(FILE_RECORDS)


def fast_folder() -> str | None:
    """Where files live in memory, if this machine has such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - the prefix of a private folder


class SimulatedDisk:
    """A medium in ``folder``. ``crashed`` is called when the current fails at a moment of a commit; nothing returns then."""

    def __init__(self, folder: Path, rng: random.Random, crashed: Callable[[], None]) -> None:
        self.folder = folder
        self.durable_seq = 0
        self.is_full = False
        self.is_broken = False
        self.slow_s = 0.0
        self.commits = 0
        self.refusals = 0
        """How often a commit was answered with an error."""
        self.spoils = 0
        """How often what a crash left was not what was durable."""
        self.changes: list[int] = []
        """Which of the commits were changes of the journal's files."""
        self.failed: Counter[Moment] = Counter()
        """How often the current failed at each moment of a commit."""
        self._rng = rng
        self._crashed = crashed
        self._due: Moment | None = None
        self._halfway: Halfway | None = None
        self._before: dict[str, bytes] = {}
        self._beside: dict[str, bytes] | None = None
        self._image: dict[str, bytes] | None = None
        self._copy: tuple[dict[str, bytes], int] | None = None

    @property
    def is_spoilt(self) -> bool:
        """What the last crash left is not what was durable, and nobody has put the copy back."""
        return self._copy is not None

    def fail_at(self, moment: Moment, halfway: Halfway | None = None) -> None:
        """Let the current fail at ``moment`` of the next commit. ``halfway``: how far a change of files has come by then; drawn
        without."""
        self._due, self._halfway = moment, halfway

    def cut(self) -> None:
        """The process ends, or the current fails, now: what lies on the medium stays as it is."""
        if self._image is None:
            self._image = self._read()

    def restore(self) -> None:
        """Put back what the crash left; what the dying process wrote afterwards was never written."""
        image, self._image, self._due = self._image, None, None
        if image is None:
            return
        for path in self.folder.iterdir():
            if path.is_file() and path.name not in image:
                path.unlink()
        for name, data in image.items():
            (self.folder / name).write_bytes(data)

    def lose_tail(self, commits: int) -> bool:
        """The log on the medium ends ``commits`` whole commits early; whether there were so many. After ``cut``."""
        if self._image is None or (found := commit_ends(self._image.get(LOG, b""))) is None or len(found) <= commits:
            return False
        return self._spoil({**self._image, LOG: self._image[LOG][: found[-1 - commits]]})

    def flip(self) -> bool:
        """One bit of what lies on the medium has turned, in the log where there is one. After ``cut``."""
        if self._image is None:
            return False
        name = LOG if self._image.get(LOG) else JOURNAL_FILE
        data = bytearray(self._image.get(name, b""))
        if not data:
            return False
        data[self._rng.randrange(len(data))] ^= 1 << self._rng.randrange(8)
        return self._spoil({**self._image, name: bytes(data)})

    def mend(self) -> None:
        """The copy is put back: what was durable lies on the medium again. While no process has the files open."""
        if self._copy is not None:
            (self._image, self.durable_seq), self._copy = self._copy, None
            self.restore()

    def believe(self) -> None:
        """What lies there is what was durable after all."""
        self._copy = None

    def _spoil(self, image: dict[str, bytes]) -> bool:
        self.spoils += 1
        if self._copy is None and self._image is not None:
            self._copy = self._image, self.durable_seq
        self._image = image
        return True

    async def begin(self) -> None:
        """A commit begins: it may wait, fail, or meet its crash."""
        self.commits += 1
        self._beside = None
        if self._image is not None:
            await _never()
        if self.slow_s:
            await asyncio.sleep(self._rng.uniform(0.05, self.slow_s))
        if self.is_full:
            self.refusals += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._due is Moment.BEFORE:
            await self._fail(self._read(), Moment.BEFORE)
        if self._due is Moment.WITHIN:
            self._before = self._read()

    async def beside(self) -> None:
        """The journal's next file has been written beside the present one."""
        if self._image is not None:
            await _never()
        self.changes.append(self.commits)
        if self._due is Moment.WITHIN:
            self._beside = self._read()

    async def end(self, seq: int) -> None:
        """A commit has been written, or the journal's files have changed."""
        if self._image is not None:
            await _never()
        if self._due is Moment.WITHIN:
            after = self._read()
            halfway = self._torn(self._before, after) if self._beside is None else self._between(self._beside, after)
            await self._fail(halfway, Moment.WITHIN)
        self.durable_seq = seq
        if self.is_broken:
            self.refusals += 1
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if self._due is Moment.AFTER:
            await self._fail(self._read(), Moment.AFTER)

    async def _fail(self, image: dict[str, bytes], moment: Moment) -> None:
        self._image = image
        self.failed[moment] += 1
        self._crashed()
        await _never()

    def _read(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file() and path.name != _SCRATCH}

    def _between(self, beside: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files halfway from the next one that lies ``beside`` the present one to those ``after`` the change."""
        (closed,) = after.keys() - beside.keys()
        fresh = next_name(self.folder).name
        old, new = beside[JOURNAL_FILE], beside[fresh]
        rest = {name: data for name, data in beside.items() if name not in (JOURNAL_FILE, LOG, fresh)}
        match self._halfway or self._rng.choice(tuple(Halfway)):
            case Halfway.BEGUN:
                return {**beside, fresh: new[: self._rng.randrange(len(new))]}
            case Halfway.WRITTEN:
                return dict(beside)
            case Halfway.RENAMED:
                return {**rest, closed: old, fresh: new}
            case Halfway.SWAPPED:
                return {**rest, closed: old, JOURNAL_FILE: new}

    def _torn(self, before: Mapping[str, bytes], after: dict[str, bytes]) -> dict[str, bytes]:
        """The log with a beginning of what the commit changed in it; whole where the commit moved the log into the database."""
        old, new = before.get(LOG, b""), after.get(LOG, b"")
        if before.get(JOURNAL_FILE) != after.get(JOURNAL_FILE) or old == new:
            return after
        low = next((index for index, (was, now) in enumerate(zip(old, new, strict=False)) if was != now), min(len(old), len(new)))
        cut = self._rng.randint(low, len(new))
        return {**after, LOG: new[:cut] + old[cut:]}


def commit_ends(log: bytes) -> list[int] | None:
    """Where in SQLite's log each commit ends that is in force, the first after its head; ``None`` where the log has no head."""
    if len(log) < _LOG_HEAD:
        return None
    page = int.from_bytes(log[8:12], "big")
    salt, ends, at = log[16:24], [_LOG_HEAD], _LOG_HEAD
    while at + _FRAME_HEAD + page <= len(log) and log[at + 8 : at + 16] == salt:
        size = int.from_bytes(log[at + 4 : at + 8], "big")
        at += _FRAME_HEAD + page
        if size:
            ends.append(at)
    return ends


async def _never() -> None:
    """The process is gone: nobody comes back from here but by being cancelled."""
    await asyncio.get_running_loop().create_future()
