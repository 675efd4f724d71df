"""The door: a badge, or a number with its PIN, is looked at: one at a time, off the event loop, and slower after failures.

Badges and PINs of one address fail apart: guesses at PINs keep no badge out, and nobody's own wait is anybody else's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from controller.access.people import Person
from controller.access.roster import Roster, load_roster
from controller.access.throttle import Key, Throttle

MAX_WAITING: Final = 8
"""Tries that wait to be looked at; one more is told to wait, so nobody fills the machine with hashes."""


class Proof(NamedTuple):
    """What somebody gave: a badge, or a number and its PIN."""

    badge: str = ""
    number: str = ""
    pin: str = ""

    def __repr__(self) -> str:
        return "Proof()"


class Known(NamedTuple):
    """Who it is, by ``badge`` or ``pin``."""

    person: Person
    means: str


class Failed(NamedTuple):
    """Nobody is known by that. ``person``: whose number it was, empty for nobody's; ``failures`` in a row, and the next wait."""

    person: str
    failures: int
    wait_s: int


class Wait(NamedTuple):
    """Not looked at: too many tries have failed, or too many wait."""

    seconds: int


class Door:
    """The people file of one table, read anew for each try."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._throttle = Throttle(clock)
        self._one = asyncio.Lock()
        self._waiting = 0
        self._stamp: object = None

    async def look(self, proof: Proof, source: str) -> Known | Failed | Wait:
        """Who it is. ``RosterError`` when the people file cannot be used."""
        keys: tuple[Key, ...] = (("badges", source),) if proof.badge else (("source", source), ("person", proof.number[:5]))
        if self._waiting >= MAX_WAITING:
            return Wait(1)
        self._waiting += 1
        try:
            async with self._one:
                return await self._look(proof, keys)
        finally:
            self._waiting -= 1

    async def _look(self, proof: Proof, keys: tuple[Key, ...]) -> Known | Failed | Wait:
        wait_s = self._throttle.wait_s(*keys)
        if wait_s:
            return Wait(wait_s)
        roster = await asyncio.to_thread(load_roster, self._path)
        if proof.badge:
            found = await asyncio.to_thread(roster.by_badge, proof.badge)
        else:
            found = await asyncio.to_thread(roster.by_pin, proof.number, proof.pin)
        if found is not None:
            self._throttle.passed(("person", found.number))
            return Known(found, "badge" if proof.badge else "pin")
        failures = self._throttle.failed(*keys)
        meant = None if proof.badge else roster.person(proof.number)
        return Failed("" if meant is None else meant.name, failures, self._throttle.wait_s(*keys))

    async def changed(self) -> Roster | None:
        """The people, if their file is another one than when this was asked last. ``RosterError`` when it cannot be used."""
        stamp = await asyncio.to_thread(self._stamped)
        if stamp == self._stamp:
            return None
        roster = await asyncio.to_thread(load_roster, self._path)
        self._stamp = stamp
        return roster

    def _stamped(self) -> object:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino, found.st_size
