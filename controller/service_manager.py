"""What systemd is told of this process: that it serves, that it is well, and why not (``sd_notify``, ``sd_watchdog_enabled``).

Where no service manager asks, nothing is sent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

LOOK_S: Final = 0.1
"""How often it is looked whether the process serves."""
IDLE_S: Final = 10.0
"""How often the status is told where there is no watchdog."""
_TIMES: Final = 3
"""Signs of life in the time that the watchdog gives."""

_log = logging.getLogger("controller")


class ServiceManager:
    """The socket of a service manager, from the environment that it gave this process."""

    def __init__(self, environment: Mapping[str, str], process: int) -> None:
        named = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{named[1:]}" if named.startswith("@") else named
        self.watchdog_s = _watchdog_s(environment, process)
        """Seconds within which a sign of life is wanted; 0 where none is."""

    @property
    def asks(self) -> bool:
        """Whether anybody wants to be told."""
        return bool(self._address)

    def tell(self, *lines: str) -> None:
        """Send assignments, as ``READY=1``, each a line of its own. A manager that does not take them at once is its own affair:
        nothing waits for it."""
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.settimeout(0.0)
            sender.sendto("\n".join(" ".join(line.splitlines()) for line in lines).encode(), self._address)

    async def keep(self, *, serves: Callable[[], bool], trouble: Callable[[], str], status: Callable[[], str]) -> None:
        """Tell readiness once ``serves``, then ``status`` and a sign of life again and again while ``trouble`` names none.

        Runs until it is cancelled; then tells that the process stops. A process with trouble sends no sign of life: the manager
        ends it and starts it anew.
        """
        if not self.asks:
            return
        try:
            while not serves():  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(LOOK_S)
            self.tell("READY=1", f"STATUS={status()}")
            told = ""
            while True:
                found = trouble()
                if found and not told:
                    _log.error("%s: no sign of life goes to the service manager until it is over", found)
                told = found
                self.tell(*(() if found else ("WATCHDOG=1",)), f"STATUS={found or status()}")
                await asyncio.sleep(self.watchdog_s / _TIMES or IDLE_S)
        finally:
            self.tell("STOPPING=1")


def service_manager() -> ServiceManager:
    """The one that started this process."""
    return ServiceManager(os.environ, os.getpid())


def _watchdog_s(environment: Mapping[str, str], process: int) -> float:
    wanted, whose = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", str(process))
    return int(wanted) / 1e6 if wanted.isdecimal() and whose == str(process) else 0.0
