"""Once all readers of a line have fallen silent: do they answer at the line settings of the factory (FEIG §2.2, driver rules)."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from drivers.clock import Clock
from drivers.feig.probe import DELIVERED, Heard, listen
from drivers.link.base import Opener
from drivers.ports import DriverError, Trouble, trouble

SPEED: Final = (
    "{name}: the readers answer at {found}, not at the line speed in the configuration: "
    "correct baud and parity there, or set the readers (CFG1)"
)


class SecondLook:
    """``look`` is awaited before each opening of the port, and asks when it ``is_due``. ``trouble`` is what was found last."""

    def __init__(self, name: str, delivered: Opener | None, clock: Clock) -> None:
        """``delivered`` opens the port of line ``name`` as readers are delivered; None where it is set so anyway."""
        self._name = name
        self._delivered = delivered
        self._clock = clock
        self.is_due = False
        self.trouble: Trouble | None = None

    async def look(self) -> None:
        """Ask once, with a ping that changes nothing, while the port is closed."""
        if self._delivered is None or not self.is_due:
            return
        self.is_due = False
        self.trouble = None
        with suppress(DriverError):  # the port is gone: its opening will tell
            if await listen(self._delivered, self._clock, DELIVERED) is Heard.READER:
                self.trouble = trouble("line_speed", SPEED, name=self._name, found=str(DELIVERED))
