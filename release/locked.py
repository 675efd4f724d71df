"""What the lock of run time names, and what of it a table or floor stands on: names, versions, hashes and who needs whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROGRAM: Final = "stud-table"
_COMMON: Final = {
    "os_name": "posix",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "python_version": "3.11",
    "python_full_version": "3.11.0",
}
SYSTEMS: Final[tuple[Mapping[str, str], ...]] = (
    {**_COMMON, "sys_platform": "linux", "platform_system": "Linux"},
    {**_COMMON, "sys_platform": "darwin", "platform_system": "Darwin"},
)
"""Where the program runs, with the oldest Python that has all needs. What is needed elsewhere is in no list of a release."""
_ENTRY: Final = re.compile(r"([a-z0-9._-]+)==([^\s;]+)(?: ; ([^\\]+?))? \\")
_HASH: Final = re.compile(r"\s+--hash=sha256:([0-9a-f]{64})")


class LockError(Exception):
    """Why nothing can be made of the lock; one clear sentence."""


@dataclass(frozen=True, slots=True)
class Locked:
    """A package of the lock, with the SHA-256 (hexadecimal) of each of its files."""

    name: str
    version: str
    hashes: tuple[str, ...]
    marker: str = ""


def read_lock(lock: Path) -> tuple[Locked, ...]:
    """Every package of ``lock`` that is installed on Linux or macOS, in the lock's order. ``LockError`` where it names none."""
    found: list[Locked] = []
    try:
        text = lock.read_text(encoding="utf-8")
    except OSError as error:
        raise LockError(f"{lock} cannot be read ({error.strerror}): make it with make lock") from None
    for line in text.splitlines():
        if entry := _ENTRY.fullmatch(line):
            found.append(Locked(entry[1], entry[2], (), entry[3] or ""))
        elif digest := _HASH.match(line):
            last = found.pop()
            found.append(Locked(last.name, last.version, (*last.hashes, digest[1]), last.marker))
    if not found:
        raise LockError(f"{lock} names no package: make it with make lock")
    return tuple(one for one in found if not one.marker or _holds(one.marker, ("",)))


def needs(locked: Iterable[Locked]) -> Mapping[str, tuple[str, ...]]:
    """Who needs whom of ``locked``, from ``PROGRAM`` down: names by name, sorted. A name that is no key is needed by nobody.

    ``LockError`` when a package is not installed here, or in another version: then nobody knows its licence and needs.
    """
    versions = {one.name: one.version for one in locked}
    found: dict[str, set[str]] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(PROGRAM, ())]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        mine = found.setdefault(name, set())
        for needed, more in _requirements(name, extras):
            if needed in versions:
                mine.add(needed)
                waiting.append((needed, more))
    for name, version in versions.items():
        installed = _installed_version(name)
        if installed != version:
            raise LockError(f"{name} is installed as {installed}, and the lock says {version}: run .ci/prepare dev")
    return {name: tuple(sorted(needed)) for name, needed in found.items()}


def _requirements(name: str, extras: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    try:
        lines = distribution(name).requires or ()
    except PackageNotFoundError:
        raise LockError(f"{name} is not installed: run .ci/prepare dev") from None
    for line in lines:
        requirement = Requirement(line)
        if requirement.marker is None or _holds(str(requirement.marker), ("", *extras)):
            yield canonicalize_name(requirement.name), tuple(sorted(requirement.extras))


def _installed_version(name: str) -> str:
    try:
        return distribution(name).version
    except PackageNotFoundError:
        raise LockError(f"{name} is not installed: run .ci/prepare dev") from None


def _holds(marker: str, extras: tuple[str, ...]) -> bool:
    asked = Marker(marker)
    return any(asked.evaluate({**system, "extra": extra}) for system in SYSTEMS for extra in extras)
