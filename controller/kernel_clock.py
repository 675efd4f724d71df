"""Whether something keeps the machine's wall clock, asked of the kernel: chrony, ntpd and systemd-timesyncd all tell it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final

_TIME_ERROR: Final = 5
_TIMEX_BYTES: Final = 512
"""Room for the kernel's answer, with much to spare: about 200 bytes."""


def is_synchronised(ask: Callable[[], int] | None = None) -> bool | None:
    """Whether something keeps the machine's clock, as the kernel knows it of whatever does (adjtimex(2)); ``None`` where it tells
    nothing."""
    state = _clock_state() if ask is None else ask()
    return None if state < 0 else state != _TIME_ERROR


def _clock_state() -> int:
    """What adjtimex(2) answers to who changes nothing; -1 where there is none, or it may not be asked."""
    try:
        return int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)))
    except (AttributeError, OSError):
        return -1
