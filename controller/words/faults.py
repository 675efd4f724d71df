"""A fault in the words that people read, with the way out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.words.catalogue import Language, text

FAULTS: Final[Mapping[str, str]] = {
    "device_down": "fault.device_down",
    "shoe_stopped": "hold.shoe_stopped",
    "shoe_tampered": "hold.shoe_tampered",
    "shoe_error": "hold.shoe_error",
    "program_changed": "refusal.program_changed",
    "disk_full": "refusal.disk_is_full",
    "disk_short": "refusal.disk_is_short",
    "disk_late": "hold.disk_late",
    "disk_slow": "fault.disk_slow",
    "clock_untrusted": "fault.clock_untrusted",
}
"""Where the words of each fault stand."""


def fault_text(code: str, device: str, language: Language) -> str:
    """What is out of order; ``device`` names which one, where there are several."""
    return text(FAULTS[code], language, **({"device": device} if device else {}))
