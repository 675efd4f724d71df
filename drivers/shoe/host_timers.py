"""Times and bounds of the host's side of TSP/1."""

from __future__ import annotations

from typing import Final

STATUS_EVERY_S: Final = 0.5
HELLO_EVERY_S: Final = 1.0
NAK_EVERY_S: Final = 0.25
"""The same NAK is sent at most this often."""
MISMATCH_STATUS_EVERY_S: Final = 1.0
LIFE_S: Final = 1.5
"""Seconds for which one sign of life of the table lets lines out."""
ACK_SPACING_S: Final = 0.5
"""A sign of life becomes an ACK when the last one is at least this old."""
HOST_WINDOW: Final = 16
"""Events delivered and not yet accepted; what comes beyond is left un-acked, so the shoe repeats it (its own window is 8)."""
