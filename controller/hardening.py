"""What keeps a table's memory to itself: down cards and keys stand there in clear, and nowhere else (recovery §11).

A process that crashes writes no core, and other processes of its user cannot read its memory, nor attach a debugger. Root still
can; and Python cannot wipe memory.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from typing import Final

_PR_SET_DUMPABLE: Final = 4


def keep_memory_private() -> None:
    """From now on no core of this process, and no reading of its memory by its own user. ``OSError`` where the system refuses."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the process cannot be made undumpable")
