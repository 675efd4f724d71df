"""Whose hand is on the wheel: which console drives the table, as its own word. Others watch (screens §1, principle 10).

Held in memory and asked of nobody: who a person is, and what a watcher may not do, is decided where people sign in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Driver(NamedTuple):
    """A console that drives: the name it gave itself, and what people read."""

    console: str
    name: str


class Wheel:
    """The one driver; ``moved`` is called after each change."""

    def __init__(self, moved: Callable[[], None] = lambda: None) -> None:
        self._driver: Driver | None = None
        self._before: Driver | None = None
        self.moved = moved

    @property
    def driver(self) -> Driver | None:
        """Who drives; ``None`` until somebody has taken over."""
        return self._driver

    def take(self, driver: Driver) -> None:
        """Take over, from whomever it may be."""
        if self._driver is None or self._driver.console != driver.console:
            self._before = self._driver
        self._driver = driver
        self.moved()

    def give_back(self, console: str) -> bool:
        """``console`` lets go: the driver before it drives again, if there was one; whether it drove at all."""
        if self._driver is None or self._driver.console != console:
            return False
        self._driver, self._before = self._before, None
        self.moved()
        return True

    def view(self) -> dict[str, str | bool] | None:
        """As JSON; ``can_return`` tells whether somebody drives again when this one lets go."""
        if self._driver is None:
            return None
        return {**self._driver._asdict(), "can_return": self._before is not None}
