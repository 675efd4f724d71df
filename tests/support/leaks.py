"""What a test left behind: asyncio tasks, threads and child processes.

Tasks are noted when their loop is closed; threads and children are compared before and after a test. On Linux the test process
adopts the orphans of its children, so that a grandchild counts too.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

GRACE_S: Final = 2.0
"""Real seconds in which a thread or child that is on its way out may end."""

_POLL_S: Final = 0.01
_PR_SET_CHILD_SUBREAPER: Final = 36
_SHARED_HELPERS: Final = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
"""Processes that the standard library keeps for the rest of the run."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """Threads and child processes at one moment."""

    threads: frozenset[threading.Thread]
    children: frozenset[int]

    def __or__(self, other: Inventory) -> Inventory:
        return Inventory(self.threads | other.threads, self.children | other.children)

    def __sub__(self, other: Inventory) -> Inventory:
        return Inventory(self.threads - other.threads, self.children - other.children)

    def __bool__(self) -> bool:
        return bool(self.threads or self.children)


def inventory() -> Inventory:
    """What runs now, without children that have ended."""
    return Inventory(frozenset(threading.enumerate()), frozenset(_running_children()))


def adopt_orphans() -> None:
    """Make this process the parent of its children's orphans, where the system can do that (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def remainder(before: Inventory, *, grace_s: float = GRACE_S) -> Inventory:
    """What runs beyond ``before`` and does not end within ``grace_s``."""
    deadline = time.monotonic() + grace_s
    while (left := inventory() - before) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return left


def describe(left: Inventory) -> list[str]:
    """One line for each thread and child in ``left``."""
    lines = [f"thread {thread.name!r}" for thread in sorted(left.threads, key=lambda thread: thread.name)]
    return lines + [f"child process {pid}: {_command(pid) or 'unknown command'}" for pid in sorted(left.children)]


def end_children(left: Inventory) -> None:
    """Kill the children in ``left``, so that they do not disturb the next test."""
    for pid in left.children:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def reap_ended() -> None:
    """Take the exit status of children that have ended and that nobody waits for: adopted ones, above all."""
    for pid in _children():
        if _state(pid) == "Z":
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


@contextmanager
def noting_tasks(note: Callable[[str], None]) -> Iterator[None]:
    """Call ``note`` with each task that is pending when its loop is closed, or when the runner that owns it would cancel it."""
    runners: Any = asyncio.runners
    loops: Any = asyncio.BaseEventLoop
    cancel_all, close = runners._cancel_all_tasks, loops.close

    def noting_cancel_all(loop: asyncio.AbstractEventLoop) -> None:
        _note_pending(loop, note)
        cancel_all(loop)

    def noting_close(loop: asyncio.BaseEventLoop) -> None:
        if not loop.is_closed():
            _note_pending(loop, note)
        close(loop)

    runners._cancel_all_tasks = noting_cancel_all
    loops.close = noting_close
    try:
        yield
    finally:
        runners._cancel_all_tasks = cancel_all
        loops.close = close


def _note_pending(loop: asyncio.AbstractEventLoop, note: Callable[[str], None]) -> None:
    for task in sorted(asyncio.all_tasks(loop), key=lambda task: task.get_name()):
        note(f"task {task.get_name()!r} of {getattr(task.get_coro(), '__qualname__', 'an awaitable')}")


def _children() -> Iterator[int]:
    for listing in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        try:
            yield from map(int, listing.read_text(encoding="ascii").split())
        except OSError:
            continue


def _running_children() -> Iterator[int]:
    for pid in _children():
        if _state(pid) not in ("", "Z", "X") and not any(helper in _command(pid) for helper in _SHARED_HELPERS):
            yield pid


def _state(pid: int) -> str:
    """``R``, ``S``, ``Z`` … as the kernel says, or nothing for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
