"""Whether a table is there: by what its status said last, and how long ago it was heard."""

from __future__ import annotations

from enum import Enum
from typing import Final

from controller.mqtt.payloads import TableStatus

SILENT_AFTER_S: Final = 5.0
"""A table that lives is heard once a second; a picture older than this is stale (screens §8)."""


class Liveness(Enum):
    """``unknown``: kept at the broker, not heard yet. ``offline``: closed in order. ``lost``: its last will says so. ``silent``:
    no sign of life for more than ``SILENT_AFTER_S``, and nobody said why."""

    UNKNOWN = "unknown"
    ONLINE = "online"
    OFFLINE = "offline"
    LOST = "lost"
    SILENT = "silent"


def liveness_of(status: TableStatus | None, heard_s: float | None, since_s: float, now_s: float) -> Liveness:
    """How a table is at ``now_s``. ``heard_s`` is its last sign of life, which what the broker had kept is not; ``since_s`` is
    since when one could have been heard: from then on a table that says nothing is silent."""
    if status is TableStatus.CLOSED:
        return Liveness.OFFLINE
    if status is TableStatus.LOST:
        return Liveness.LOST
    if now_s - max(since_s, since_s if heard_s is None else heard_s) > SILENT_AFTER_S:
        return Liveness.SILENT
    return Liveness.UNKNOWN if heard_s is None else Liveness.ONLINE
