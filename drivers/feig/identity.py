"""Whether the reader that answers at an address belongs there (FEIG §2.2: 65 tells the hardware, 66 the device id)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from drivers.ports import Trouble, trouble

DEVICE_ID_MODE: Final = 0x80
"""Mode of command 66 that asks for the device id."""

SWAPPED: Final = (
    "the reader at address {address} of {name} belongs to {other}: "
    "swap the two cables back, or change the two ports in the configuration"
)
MISPLACED: Final = (
    "the reader at address {address} of {name} is the one of address {other}: "
    "give each reader its own address again (CFG1), or change the two addresses under identities"
)
UNKNOWN: Final = (
    "an unknown reader (device id {found}) answers at address {address} of {name} instead of {expected}: "
    "put the right one back, or write its id under identities"
)
NAMELESS: Final = (
    "the reader at address {address} of {name} does not tell its device id: use one that does, or take it out of identities"
)
MODEL: Final = (
    "the reader at address {address} of {name} has hardware {found} instead of {expected}: "
    "put the right model there, or change hardware in the configuration"
)


@dataclass(frozen=True, slots=True)
class Expected:
    """What should answer on one line. Device ids are upper-case hex; an address without one is not checked.

    ``elsewhere`` names where each other device id of this table belongs, as ``felt-b/1``.
    """

    device_ids: Mapping[int, str] = field(default_factory=dict)
    hardware: int | None = None
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def asks_ids(self) -> bool:
        """Whether readers have to tell their device ids."""
        return bool(self.device_ids)

    def judge(self, name: str, address: int, hardware: int, device_id: str | None) -> Trouble | None:
        """Why the reader at ``address`` of line ``name`` must not be used; None when it may be. ``device_id`` None: not told."""
        place = {"name": name, "address": str(address)}
        if self.hardware not in (None, hardware):
            return trouble("reader_model", MODEL, **place, found=f"{hardware:02X}", expected=f"{self.hardware:02X}")
        expected = self.device_ids.get(address)
        if expected is None or device_id == expected:
            return None
        if device_id is None:
            return trouble("reader_nameless", NAMELESS, **place)
        here = next((str(own) for own, known in self.device_ids.items() if known == device_id), None)
        if here is not None:
            return trouble("reader_misplaced", MISPLACED, **place, other=here)
        other = self.elsewhere.get(device_id)
        if other is not None:
            return trouble("reader_swapped", SWAPPED, **place, other=other)
        return trouble("reader_unknown", UNKNOWN, **place, found=device_id, expected=expected)
