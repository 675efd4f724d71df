"""What a process of ours that ended leaves behind: the signal that ended it, or the last line of its log."""

from __future__ import annotations

import signal
from pathlib import Path


def last_line(log: Path) -> str:
    """The last line of a process's log."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def why_it_ended(code: int, log: Path) -> str:
    """Why a process ended, whose exit ``code`` is as ``subprocess`` gives it: what its log says last, or the signal.

    What is killed says nothing any more: the last line of its log is about something else.
    """
    if code >= 0:
        return last_line(log)
    try:
        name = signal.Signals(-code).name
    except ValueError:  # a real-time signal
        name = f"signal {-code}"
    return f"{name} ended it; where nobody sent it, the system's log (dmesg, journalctl -k) tells why: start it again"
