"""Closed files of a journal checked beside each other, and joined where one ends and the next begins.

A file is checked alone, as if what it begins with were true, and then held against what the one before it leaves. Where that
does not fit, or a file does not hold, the files before it are the outcome: who asked reads on from there in order, so that what
is said of a damaged journal, and of which record, does not depend on how many were checked at once.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal.errors import JournalError
from controller.journal.files import closed_files
from controller.journal.verify import Verification, goes_on, verify_file
from controller.table.carried_events import JournalContinued
from controller.verify.replay import Ending, Replay, unnamed

_FILES_A_TASK: Final = 4
"""Files that a process is given at once: few, so that all end together."""


class Held(NamedTuple):
    """Files that hold, up to one of them: what the check of the chain found there, and what it leaves to the next."""

    found: Verification
    ending: Ending


class _Alone(NamedTuple):
    """What one file says when it is read alone."""

    found: Verification
    ending: Ending
    begins: JournalContinued | None
    first_nonces: frozenset[str]


def check_closed(path: Path, *, head: bytes | None, jobs: int) -> Held | None:
    """The closed files of the folder ``path`` that hold and follow on each other, from the first; ``None`` where there is nothing
    to gain by more than one process, or already the first does not hold.

    ``FileNotFoundError`` when one is moved away meanwhile, ``JournalError`` when a process ends before it has told what it found:
    then nothing is said of the journal.
    """
    closed = closed_files(path) if jobs > 1 and path.is_dir() else ()
    if len(closed) < 2:
        return None
    held: Held | None = None
    try:
        for alone in _alone([file for _, file in closed], head, min(jobs, len(closed))):
            joined = _joined(held, alone)
            if joined is None:
                break
            held = joined
    except BrokenProcessPool:
        raise JournalError(
            f"a process that read closed files of {path} ended before it told what it found, and the journal is not verified: see"
            " that there is memory for it, then verify it again, with fewer --jobs"
        ) from None
    if not {*closed} <= {*closed_files(path)}:
        raise FileNotFoundError(f"closed files of {path} were moved away while they were read: verify it again")
    return held


def _alone(files: list[Path], head: bytes | None, jobs: int) -> Iterator[_Alone]:
    """Each file read alone, in order."""
    context = multiprocessing.get_context("fork")  # nothing is started anew: a process costs milliseconds
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        try:
            yield from pool.map(partial(_read_alone, head), files, chunksize=_FILES_A_TASK)
        finally:
            pool.shutdown(cancel_futures=True)


def _read_alone(head: bytes | None, file: Path) -> _Alone:
    replay = Replay()
    found = verify_file(file, replay.take, head=head)
    return _Alone(found, replay.ending, replay.begins, frozenset(replay.first_nonces))


def _joined(before: Held | None, alone: _Alone) -> Held | None:
    """``alone`` behind the files ``before`` it; ``None`` where it does not hold, or they do not fit together."""
    found, ending = alone.found, alone.ending
    if not found.ok or found.origin is None or ending.carried is None:
        return None
    if before is None:
        return Held(found, ending)
    left = before.ending
    if not goes_on(before.found, found.origin) or alone.begins is None or unnamed(alone.begins) != left.carried:
        return None
    if not left.nonces.isdisjoint(alone.first_nonces):
        return None
    nonces = left.nonces | ending.nonces if alone.begins.deal == ending.carried.deal else ending.nonces
    met = before.found.met or found.met
    return Held(replace(found, origin=before.found.origin, met=met), Ending(ending.carried, left.hands + ending.hands, nonces))
