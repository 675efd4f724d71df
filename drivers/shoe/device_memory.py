"""What a shoe keeps without current, and what it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShoeMemory:
    """What survives a loss of power: stored before the first byte of a line that tells of it leaves."""

    boot: int = 0
    load: int = 0
    draw_no: int = 0
    remaining: int = 0


@dataclass(frozen=True, slots=True)
class ShoeIdentity:
    """What the shoe says of itself."""

    node: str = "SH01"
    serial: str = "S0012345"
    model: str = "SIMSHOE"
    firmware: str = "1.0.0"
    caps: tuple[str, ...] = ("LK", "LD", "PR")


@dataclass(frozen=True, slots=True)
class SequenceLimits:
    """Event numbers at which a new numbering is sought, and at which the gate closes until it is done (TSP/1 sequence end)."""

    roll_from: int = 0xF000
    close_at: int = 0xFFF0
