"""Counters of one port, and whether it is open, as its owner's report shows them."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.link.supervisor import Supervisor
from drivers.ports import Fact


@dataclass(slots=True)
class Meter:
    """Bytes of one port since the start."""

    bytes_in: int = 0
    bytes_out: int = 0
    overflows: int = 0
    """Times the device took no bytes until the bounded buffer was full, and the port was closed for it."""

    def counters(self, supervisor: Supervisor) -> dict[str, int]:
        """The bytes, and how often the port was opened again."""
        return {
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "overflows": self.overflows,
            "reopens": max(0, supervisor.opened - 1),
        }


def port_fact(supervisor: Supervisor, now: float) -> Fact:
    """Whether the port is open, and for how long it has been so or so."""
    age_s = None if supervisor.changed_at is None else now - supervisor.changed_at
    return Fact("open", age_s) if supervisor.is_open else Fact("closed", age_s, supervisor.trouble)
